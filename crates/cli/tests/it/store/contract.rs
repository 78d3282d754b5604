//! The rules of the contract on the engines that need no server.

use std::path::Path;
use std::sync::Arc;

use crate::contract::{
    PATIENCE, concurrent_changes_contract, forget_contract, forgotten_revisions_contract,
    hooks_contract, ids_contract, ledger_contract, long_reading_contract, many_sessions_contract,
    note_pages_contract, notes_contract, outputs_contract, outputs_of_sessions_contract,
    pinned_outputs_contract, pins_contract, projects_contract, rewrite_contract, room_contract,
    sessions_contract, sources_contract, spilled_contract, watch_contract,
};
use scratchpad::model::note::search::SearchMethod;
use scratchpad::store::session_log::SessionLogFile;
use scratchpad::store::sqlite::Sqlite;
use scratchpad::store::{Notes, Sessions};

fn sqlite(directory: &Path) -> Arc<Sqlite> {
    Arc::new(Sqlite::open(&directory.join("scratchpad.db"), PATIENCE).unwrap())
}

fn scanning(directory: &Path) -> Arc<dyn Notes> {
    let store = Sqlite::open(&directory.join("scratchpad.db"), PATIENCE).unwrap();
    Arc::new(store.with_search(SearchMethod::Scan))
}

#[test]
fn sqlite_keeps_sessions() {
    sessions_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_takes_concurrent_changes_in_turn() {
    concurrent_changes_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_keeps_sessions_apart() {
    many_sessions_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_lists_the_outputs_of_one_session() {
    outputs_of_sessions_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_lets_others_write_while_one_reads_long() {
    long_reading_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_keeps_outputs() {
    outputs_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_keeps_pinned_outputs() {
    pinned_outputs_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_keeps_outputs_as_far_as_there_is_room() {
    room_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_gives_no_id_to_another_text() {
    ids_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_keeps_notes() {
    notes_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_tells_who_looks_on_that_something_was_written() {
    watch_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_pins_notes() {
    pins_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_keeps_sources_of_notes() {
    sources_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_reads_notes_page_by_page() {
    note_pages_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_without_its_search_index_finds_the_same_notes() {
    notes_contract(&scanning);
    note_pages_contract(&scanning);
}

#[test]
fn sqlite_deletes_a_session_with_all_that_is_its_own() {
    forget_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_rewrites_every_text() {
    rewrite_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_removes_past_revisions() {
    forgotten_revisions_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_lets_go_of_what_no_revision_names_any_more() {
    spilled_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_keeps_what_hooks_know() {
    hooks_contract(&|directory| sqlite(directory));
}

#[test]
fn sqlite_keeps_a_ledger() {
    ledger_contract(&|directory| sqlite(directory));
}

fn journal(directory: &Path) -> Arc<dyn Sessions> {
    Arc::new(SessionLogFile::new(&directory.join("journal.jsonl"), PATIENCE).unwrap())
}

#[test]
fn a_journal_keeps_a_session() {
    sessions_contract(&journal);
}

#[test]
fn a_journal_takes_concurrent_changes_in_turn() {
    concurrent_changes_contract(&journal);
}

#[test]
fn sqlite_makes_a_project_part_of_another() {
    projects_contract(&|directory| sqlite(directory));
}
