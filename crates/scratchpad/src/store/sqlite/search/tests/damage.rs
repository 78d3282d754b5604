//! Damaged data in the tables of the index.

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

fn filled() -> Connection {
    let mut connection = memory();
    for id in 1..=150 {
        let content = format!(
            "damaged {id} {}",
            "ж".repeat(usize::try_from(id % 9).unwrap())
        );
        let tags = vec![format!("tag{}", id % 3)];
        let draft = draft(id, 1, &content);
        insert(&connection, &Draft { tags, ..draft });
        maintain_within(&mut connection, 1, &SMALL).unwrap();
    }
    for key in 1..=20 {
        delete(&connection, key);
    }
    connection
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error, rusqlite::Error::FromSqlConversionFailure(..))
}

/// Runs searches and maintenance of every kind; an error must say that the index is damaged.
fn use_all(connection: &mut Connection) {
    let tags = ["tag1".to_owned()];
    for matcher in [
        Matcher::everything(),
        Matcher::text("damaged 1"),
        Matcher::text("ж"),
        Matcher::words("жжж damag").unwrap(),
    ] {
        for tags in [&tags[..], &[]] {
            match find(connection, &[1], &matcher, tags, Wanted::first(10)) {
                Ok(found) => assert!(found.total <= 150),
                Err(error) => assert!(is_damage(&error), "{error}"),
            }
        }
    }
    for id in 1000..1016 {
        insert(connection, &draft(id, 1, "more"));
    }
    for _ in 0..8 {
        match maintain_within(connection, 1, &SMALL) {
            Ok(true) => {}
            Ok(false) => return,
            // A damaged difference may lead to a page that exists already.
            Err(error) => return assert!(is_damage(&error) || is_constraint(&error), "{error}"),
        }
    }
}

fn is_constraint(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    #[test]
    fn damaged_bytes_are_an_error_or_other_hits_but_never_a_panic(
        table in prop::sample::select(vec!["note_block", "note_posting"]),
        changes in prop::collection::vec((any::<Index>(), any::<Index>(), any::<u8>()), 1..20),
        cut in prop::option::of((any::<Index>(), any::<Index>())),
    ) {
        let mut connection = filled();
        let mut rows: Vec<(i64, Vec<u8>)> = connection
            .prepare(&format!("SELECT key, data FROM {table}"))
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<rusqlite::Result<_>>()
            .unwrap();
        let count = rows.len();
        for (row, at, byte) in changes {
            let data = &mut rows[row.index(count)].1;
            let at = at.index(data.len());
            data[at] = byte;
        }
        if let Some((row, at)) = cut {
            let data = &mut rows[row.index(count)].1;
            data.truncate(at.index(data.len()));
        }
        for (key, data) in rows {
            let sql = format!("UPDATE {table} SET data = ?2 WHERE key = ?1");
            connection.execute(&sql, params![key, data]).unwrap();
        }
        use_all(&mut connection);
        rebuild(&connection).unwrap();
        let notes = number(&connection, "SELECT count(*) FROM note");
        while maintain_within(&mut connection, 1, &SMALL).unwrap() {}
        let found = find(&connection, &[1], &Matcher::everything(), &[], Wanted::first(1)).unwrap();
        prop_assert_eq!(i64::try_from(found.total).unwrap(), notes);
    }
}

#[test]
fn a_damaged_run_is_an_error() {
    for sql in [
        "UPDATE note_run SET last = first - 1",
        "UPDATE note_run SET last = first + 4000000000",
        "UPDATE note_run SET last = 9223372036854775807",
        "UPDATE note_run SET number = -1",
        "UPDATE note_run SET number = 4294967296",
    ] {
        let mut connection = filled();
        connection.execute(sql, []).unwrap();
        let found = find(
            &connection,
            &[1],
            &Matcher::text("damaged"),
            &[],
            Wanted::first(1),
        );
        let error = found.unwrap_err();
        assert!(is_damage(&error), "{sql}: {error}");
        for id in 1000..1016 {
            insert(&connection, &draft(id, 1, "more"));
        }
        let error = maintain_within(&mut connection, 1, &SMALL).unwrap_err();
        assert!(is_damage(&error), "{sql}: {error}");
    }
}
