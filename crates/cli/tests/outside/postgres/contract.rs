//! The rules of the contract on a server.

use std::sync::Arc;

use crate::contract::{
    Open, concurrent_changes_contract, forget_contract, forgotten_revisions_contract,
    hooks_contract, ids_contract, ledger_contract, long_reading_contract, many_sessions_contract,
    note_pages_contract, notes_contract, outputs_contract, outputs_of_sessions_contract,
    pinned_outputs_contract, pins_contract, projects_contract, rewrite_contract, room_contract,
    sessions_contract, sources_contract, spilled_contract, watch_contract,
};
use crate::support::postgres::{Schema, settings};
use scratchpad::store::postgres::Postgres;

/// Runs a contract on a schema of its own.
fn on_postgres(contract: impl FnOnce(Open<'_, Postgres>)) {
    let Some(schema) = Schema::new() else { return };
    contract(&|directory| {
        let settings = settings(&schema.url(), &directory.join("staging"));
        Arc::new(Postgres::open(settings).unwrap())
    });
}

#[test]
fn postgres_keeps_sessions() {
    on_postgres(|open| sessions_contract(&|directory| open(directory)));
}

#[test]
fn postgres_takes_concurrent_changes_in_turn() {
    on_postgres(|open| concurrent_changes_contract(&|directory| open(directory)));
}

#[test]
fn postgres_keeps_sessions_apart() {
    on_postgres(|open| many_sessions_contract(&|directory| open(directory)));
}

#[test]
fn postgres_lists_the_outputs_of_one_session() {
    on_postgres(|open| outputs_of_sessions_contract(&|directory| open(directory)));
}

#[test]
fn postgres_lets_others_write_while_one_reads_long() {
    on_postgres(|open| long_reading_contract(&|directory| open(directory)));
}

#[test]
fn postgres_keeps_outputs() {
    on_postgres(|open| outputs_contract(&|directory| open(directory)));
}

#[test]
fn postgres_keeps_pinned_outputs() {
    on_postgres(|open| pinned_outputs_contract(&|directory| open(directory)));
}

#[test]
fn postgres_keeps_outputs_as_far_as_there_is_room() {
    on_postgres(|open| room_contract(&|directory| open(directory)));
}

#[test]
fn postgres_gives_no_id_to_another_text() {
    on_postgres(|open| ids_contract(&|directory| open(directory)));
}

#[test]
fn postgres_keeps_notes() {
    on_postgres(|open| notes_contract(&|directory| open(directory)));
}

#[test]
fn postgres_tells_who_looks_on_that_something_was_written() {
    on_postgres(|open| watch_contract(&|directory| open(directory)));
}

#[test]
fn postgres_pins_notes() {
    on_postgres(|open| pins_contract(&|directory| open(directory)));
}

#[test]
fn postgres_keeps_sources_of_notes() {
    on_postgres(|open| sources_contract(&|directory| open(directory)));
}

#[test]
fn postgres_reads_notes_page_by_page() {
    on_postgres(|open| note_pages_contract(&|directory| open(directory)));
}

#[test]
fn postgres_deletes_a_session_with_all_that_is_its_own() {
    on_postgres(|open| forget_contract(&|directory| open(directory)));
}

#[test]
fn postgres_rewrites_every_text() {
    on_postgres(|open| rewrite_contract(&|directory| open(directory)));
}

#[test]
fn postgres_removes_past_revisions() {
    on_postgres(|open| forgotten_revisions_contract(&|directory| open(directory)));
}

#[test]
fn postgres_lets_go_of_what_no_revision_names_any_more() {
    on_postgres(|open| spilled_contract(&|directory| open(directory)));
}

#[test]
fn postgres_keeps_what_hooks_know() {
    on_postgres(|open| hooks_contract(&|directory| open(directory)));
}

#[test]
fn postgres_makes_a_project_part_of_another() {
    on_postgres(|open| projects_contract(&|directory| open(directory)));
}

#[test]
fn postgres_keeps_a_ledger() {
    on_postgres(|open| ledger_contract(&|directory| open(directory)));
}
