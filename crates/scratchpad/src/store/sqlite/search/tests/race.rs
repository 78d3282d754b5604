//! Several connections at once.

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use super::*;

const WRITERS: i64 = 2;
const NOTES_EACH: i64 = 150;

#[test]
fn two_writers_that_race_for_upkeep_do_it_once_while_searches_stay_exact() {
    let directory = tempfile::tempdir().unwrap();
    let open = || {
        let connection = Connection::open(directory.path().join("race.db")).unwrap();
        connection.busy_timeout(Duration::from_mins(1)).unwrap();
        let wal = connection.pragma_update(None, "journal_mode", "WAL");
        wal.unwrap();
        let off = connection.pragma_update(None, "synchronous", "OFF");
        off.unwrap();
        connection
    };
    let reader = open();
    create(&reader);
    let start = Barrier::new(2);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let mut connection = open();
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    for turn in 0..NOTES_EACH {
                        write(&mut connection, turn * WRITERS + writer);
                        while maintain_within(&mut connection, 1, &SMALL).unwrap() {}
                    }
                })
            })
            .collect();
        while writers.iter().any(|writer| !writer.is_finished()) {
            let snapshot = reader.unchecked_transaction().unwrap();
            let notes = number(&snapshot, "SELECT count(*) FROM note");
            let found = find(
                &snapshot,
                &[1],
                &Matcher::text("raced"),
                &[],
                Wanted::first(5),
            )
            .unwrap();
            assert_eq!(i64::try_from(found.total).unwrap(), notes);
            assert_sound(&snapshot);
        }
    });
    assert_sound(&reader);
    assert!(number(&reader, "SELECT max(level) FROM note_run") > 0);
    assert!(number(&reader, "SELECT count(*) FROM note_pending") < SMALL.tail);
}

/// One transaction: an insert, and sometimes a change or a deletion of any note.
fn write(connection: &mut Connection, id: i64) {
    let transaction = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .unwrap();
    insert(&transaction, &draft(id, 1, &format!("raced {id}")));
    let oldest = number(&transaction, "SELECT min(key) FROM note");
    match id % 5 {
        0 => delete(&transaction, oldest),
        1 => change(&transaction, oldest, &draft(id, 1, "raced again")),
        _ => {}
    }
    transaction.commit().unwrap();
}
