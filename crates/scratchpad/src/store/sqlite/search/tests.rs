//! The search as a whole, with limits so small that a few notes reach every level.

mod damage;
mod race;
mod twin;
mod words;

use rusqlite::{Connection, params};

use super::index::{Limits, maintain_within};
use super::query::{Found, Hit, Wanted};
use super::*;
use crate::model::note::search::{Matcher, SearchMethod};

const NOTES: &str = "
    CREATE TABLE note (
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        id INTEGER NOT NULL UNIQUE,
        scope INTEGER NOT NULL,
        version INTEGER NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        tags TEXT NOT NULL,
        content TEXT NOT NULL
    ) STRICT;
    CREATE INDEX note_of_scope ON note (scope, updated, id);
";

const SMALL: Limits = Limits {
    tail: 8,
    pack_notes: 40,
    page_bytes: 200,
    tail_pages: 2,
    fanout: 3,
    top_level: 2,
    run_pages: 24,
    run_bytes: 3000,
    run_pairs: 16 << 20,
    count_one_in: 1,
};

/// A note, as its author writes it.
#[derive(Clone, Debug)]
struct Draft {
    id: i64,
    scope: i64,
    updated: i64,
    content: String,
    tags: Vec<String>,
}

fn draft(id: i64, scope: i64, content: &str) -> Draft {
    Draft {
        id,
        scope,
        updated: id,
        content: content.to_owned(),
        tags: Vec::new(),
    }
}

fn create(connection: &Connection) {
    connection.execute_batch(NOTES).unwrap();
    connection.execute_batch(TABLES).unwrap();
}

fn memory() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    create(&connection);
    connection
}

fn insert(connection: &Connection, draft: &Draft) -> i64 {
    connection
        .prepare_cached(
            "INSERT INTO note (id, scope, version, created, updated, tags, content)
             VALUES (?1, ?2, 1, ?3, ?3, ?4, ?5)",
        )
        .unwrap()
        .execute(params![
            draft.id,
            draft.scope,
            draft.updated,
            draft.tags.join("\n"),
            draft.content
        ])
        .unwrap();
    let key = connection.last_insert_rowid();
    inserted(connection, draft.scope, key).unwrap();
    key
}

fn scope_and_version(connection: &Connection, key: i64) -> (i64, i64) {
    connection
        .query_row(
            "SELECT scope, version FROM note WHERE key = ?1",
            [key],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap()
}

fn change(connection: &Connection, key: i64, draft: &Draft) {
    let (scope, version) = scope_and_version(connection, key);
    connection
        .prepare_cached(
            "UPDATE note SET scope = ?2, version = ?3, updated = ?4, tags = ?5, content = ?6
             WHERE key = ?1",
        )
        .unwrap()
        .execute(params![
            key,
            draft.scope,
            version + 1,
            draft.updated,
            draft.tags.join("\n"),
            draft.content
        ])
        .unwrap();
    changed(connection, key, scope, draft.scope, version + 1).unwrap();
}

fn delete(connection: &Connection, key: i64) {
    let (scope, version) = scope_and_version(connection, key);
    connection
        .execute("DELETE FROM note WHERE key = ?1", [key])
        .unwrap();
    deleted(connection, scope, key, version).unwrap();
}

fn number(connection: &Connection, sql: &str) -> i64 {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Every note is current in exactly one place, and nothing is left behind.
fn assert_sound(connection: &Connection) {
    let difference = "SELECT (SELECT count(*) FROM note)
        - (SELECT count(*) FROM note_pending)
        - (SELECT coalesce(sum(notes), 0) FROM note_run)
        + (SELECT coalesce(sum(copies), 0) FROM note_stale)";
    assert_eq!(number(connection, difference), 0);
    let strays = "SELECT count(*) FROM note_block WHERE NOT EXISTS (
        SELECT 1 FROM note_run
        WHERE scope = key >> 32 AND key & 0xFFFFFFFF BETWEEN first AND last)";
    assert_eq!(number(connection, strays), 0);
    let strays = "SELECT count(*) FROM note_posting
        WHERE key >> 32 NOT IN (SELECT number FROM note_run)";
    assert_eq!(number(connection, strays), 0);
    let empty = "SELECT count(*) FROM note_stale WHERE copies <= 0";
    assert_eq!(number(connection, empty), 0);
}

/// Searches through the index; `twin` compares this with a scan.
fn find(
    connection: &Connection,
    scopes: &[i64],
    matcher: &Matcher,
    folded_tags: &[String],
    wanted: Wanted,
) -> Result<Found> {
    let index = SearchMethod::Index;
    query::find(connection, index, scopes, matcher, folded_tags, wanted)
}

fn keys(found: &Found) -> Vec<i64> {
    found.hits.iter().map(|hit| hit.key).collect()
}

#[test]
fn a_tail_is_packed_when_it_is_full_and_not_before() {
    let mut connection = memory();
    for id in 1..=255 {
        insert(&connection, &draft(id, 7, &format!("note {id}")));
        assert!(!maintain(&mut connection, 7).unwrap());
    }
    insert(&connection, &draft(256, 7, "note 256"));
    assert!(maintain(&mut connection, 7).unwrap());
    assert!(!maintain(&mut connection, 7).unwrap());
    assert_eq!(number(&connection, "SELECT count(*) FROM note_pending"), 0);
    assert_eq!(number(&connection, "SELECT notes FROM note_run"), 256);
    let found = find(
        &connection,
        &[7],
        &Matcher::text("E 25"),
        &[],
        Wanted::first(3),
    )
    .unwrap();
    assert_eq!((found.total, keys(&found)), (8, vec![256, 255, 254]));
    assert_sound(&connection);
}

#[test]
fn growth_reaches_every_level_and_merges_bound_the_number_of_runs() {
    let mut connection = memory();
    for id in 1..=1000 {
        insert(&connection, &draft(id, 1, &format!("growing note {id:04}")));
        maintain_within(&mut connection, 1, &SMALL).unwrap();
    }
    let levels = "SELECT count(DISTINCT level) FROM note_run";
    assert_eq!(number(&connection, levels), 3);
    let largest = "SELECT max(last - first + 1) FROM note_run";
    assert!(number(&connection, largest) <= 25);
    let found = find(
        &connection,
        &[1],
        &Matcher::text("note 0777"),
        &[],
        Wanted::first(9),
    )
    .unwrap();
    assert_eq!((found.total, keys(&found)), (1, vec![777]));
    assert_sound(&connection);
}

#[test]
fn runs_that_would_become_too_large_are_not_merged() {
    let few_pages = Limits {
        run_pages: 20,
        ..SMALL
    };
    let few_pairs = Limits {
        run_pairs: 100,
        ..SMALL
    };
    for (limits, expected) in [(SMALL, 1), (few_pages, 3), (few_pairs, 3)] {
        let mut connection = memory();
        for id in 1..=24 {
            insert(&connection, &draft(id, 1, &"large note ".repeat(12)));
            maintain_within(&mut connection, 1, &limits).unwrap();
        }
        let runs = "SELECT count(*) FROM note_run WHERE level = 2";
        assert_eq!(number(&connection, runs), expected);
        let found = find(
            &connection,
            &[1],
            &Matcher::text("e l"),
            &[],
            Wanted::first(0),
        )
        .unwrap();
        assert_eq!(found.total, 24);
        assert_sound(&connection);
    }
}

#[test]
fn a_bulk_of_notes_is_packed_in_bounded_steps() {
    let mut connection = memory();
    for id in 1..=500 {
        insert(&connection, &draft(id, 1, "bulk"));
    }
    let mut steps = 0;
    while maintain_within(&mut connection, 1, &SMALL).unwrap() {
        steps += 1;
    }
    assert_eq!(steps, 500 / 40 + 1);
    assert_eq!(number(&connection, "SELECT count(*) FROM note_pending"), 0);
    assert_sound(&connection);
}

#[test]
fn runs_are_rewritten_when_an_eighth_is_stale_and_end_when_all_is() {
    let mut connection = memory();
    for id in 1..=200 {
        insert(&connection, &draft(id, 1, "soon gone"));
        maintain_within(&mut connection, 1, &SMALL).unwrap();
    }
    for key in 1..=200 {
        delete(&connection, key);
        while maintain_within(&mut connection, 1, &SMALL).unwrap() {}
        let stale = number(
            &connection,
            "SELECT coalesce(sum(copies), 0) FROM note_stale",
        );
        assert!(stale <= 200 / 8, "{stale}");
        assert_sound(&connection);
    }
    let found = find(
        &connection,
        &[1],
        &Matcher::everything(),
        &[],
        Wanted::first(9),
    )
    .unwrap();
    assert_eq!((found.total, keys(&found)), (0, vec![]));
    assert!(number(&connection, "SELECT count(*) FROM note_block") <= 2);
}

#[test]
fn equals_come_newest_first_then_by_id_even_if_an_older_id_was_imported_later() {
    let mut connection = memory();
    for (id, updated) in [
        (50, 5),
        (10, 5),
        (70, 5),
        (5, 9),
        (60, 5),
        (20, 1),
        (80, 1),
        (1, 1),
    ] {
        let draft = draft(id, 1, "same");
        insert(&connection, &Draft { updated, ..draft });
    }
    let ids = |connection: &Connection| -> Vec<i64> {
        let found = find(
            connection,
            &[1],
            &Matcher::text("SAME"),
            &[],
            Wanted::first(9),
        )
        .unwrap();
        found.hits.iter().map(|hit| hit.id.0).collect()
    };
    let expected = [5, 70, 60, 50, 10, 80, 20, 1];
    assert_eq!(ids(&connection), expected);
    assert!(maintain_within(&mut connection, 1, &SMALL).unwrap());
    assert_eq!(ids(&connection), expected);
}

#[test]
fn a_search_works_in_a_transaction_and_leaves_none_behind() {
    let connection = memory();
    let transaction = connection.unchecked_transaction().unwrap();
    insert(&transaction, &draft(1, 1, "uncommitted"));
    let search = |connection: &Connection| {
        find(
            connection,
            &[1, 1],
            &Matcher::text("commit"),
            &[],
            Wanted::first(0),
        )
        .unwrap()
    };
    assert_eq!(search(&transaction).total, 1);
    drop(transaction);
    assert_eq!(search(&connection).total, 0);
    assert!(connection.is_autocommit());
}

#[test]
fn runs_of_notes_too_short_for_a_term_keep_their_numbers() {
    let mut connection = memory();
    for id in 1..=100 {
        let scope = id % 2;
        let content = if scope == 0 { "ok" } else { "okay" };
        insert(&connection, &draft(id, scope, content));
        maintain_within(&mut connection, scope, &SMALL).unwrap();
    }
    for (query, total) in [("ok", 100), ("oka", 50), ("", 100)] {
        let found = find(
            &connection,
            &[0, 1],
            &Matcher::text(query),
            &[],
            Wanted::first(1),
        )
        .unwrap();
        assert_eq!(found.total, total);
    }
    let twice = "SELECT count(*) - count(DISTINCT number) FROM note_run";
    assert_eq!(number(&connection, twice), 0);
    assert_sound(&connection);
}

#[test]
fn a_scope_too_large_to_be_packed_is_searched_all_the_same() {
    let mut connection = memory();
    let scope = 1 << 31;
    for id in 1..=9 {
        insert(&connection, &draft(id, scope, "far out"));
    }
    maintain_within(&mut connection, scope, &SMALL).unwrap_err();
    let found = find(
        &connection,
        &[scope],
        &Matcher::text("far"),
        &[],
        Wanted::first(1),
    )
    .unwrap();
    assert_eq!((found.total, keys(&found)), (9, vec![9]));
}
