//! Which outputs a prune removes, the same on every engine, and how much it reads for that.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::support::postgres::{Schema, psql, settings};
use crate::support::wait_until;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use scratchpad::model::output::offload::Offload;
use scratchpad::model::output::{FORSAKEN, IN_USE, Kind, Origin, OutputHead, OutputLimits};
use scratchpad::store::postgres::{Postgres, Settings};
use scratchpad::store::sqlite::Sqlite;
use scratchpad::store::{OutputDraft, OutputFilter, Removal, Store};
use scratchpad::{OutputId, Scratchpad, SessionId};

const HOUR: i64 = 60 * 60 * 1_000;
/// Late enough for what is two weeks old.
const NOW: i64 = 1_000 * HOUR;

const LIMITS: OutputLimits = OutputLimits {
    preview_length: 200,
    include_preview: true,
    read_max_bytes: 32 * 1024,
    max_age: 24 * HOUR,
    max_total_bytes: 100,
    max_bytes_per_upstream: 80,
};

/// The rule as it is written down: the too old, then what is beyond the bound of its upstream, then the least recently
/// used until the rest fits; what is in use stays; what others kept is theirs, unless nobody used it for a week.
fn to_prune(author: &str, outputs: &[OutputHead], now: i64) -> Vec<OutputId> {
    let mut order: Vec<&OutputHead> = outputs
        .iter()
        .filter(|it| it.author.is_empty() || it.author == author || now - it.used > FORSAKEN)
        .collect();
    order.sort_by_key(|output| (output.used, output.kept));
    let in_use = |output: &OutputHead| now - output.used < IN_USE;
    let is_old = |output: &&OutputHead| !in_use(output) && now - output.kept > LIMITS.max_age;
    let (old, rest): (Vec<&OutputHead>, Vec<&OutputHead>) = order.into_iter().partition(is_old);
    let mut total: u64 = rest.iter().map(|output| output.bytes).sum();
    let mut gone: Vec<OutputId> = old.iter().map(|output| output.id.clone()).collect();
    let mut of_upstream: HashMap<&str, u64> = HashMap::new();
    let mut left = Vec::new();
    for output in rest.into_iter().rev() {
        let sum = of_upstream.entry(&output.upstream).or_default();
        *sum += output.bytes;
        if *sum > LIMITS.max_bytes_per_upstream && !in_use(output) {
            total -= output.bytes;
            gone.push(output.id.clone());
        } else {
            left.push(output);
        }
    }
    for output in left.into_iter().rev() {
        if total > LIMITS.max_total_bytes && !in_use(output) {
            total -= output.bytes;
            gone.push(output.id.clone());
        }
    }
    gone
}

fn keep(store: &dyn Store, at: i64, content: &[u8]) -> OutputId {
    keep_of(store, "", at, content)
}

fn keep_of(store: &dyn Store, upstream: &str, at: i64, content: &[u8]) -> OutputId {
    let mut staged = store.stage().unwrap();
    staged.write_all(content).unwrap();
    let draft = OutputDraft {
        origin: Origin {
            upstream,
            tool: "tool",
        },
        session: &SessionId::new("s").unwrap(),
        project: None,
        kind: Kind::Text,
        lines: 1,
        preview: "",
        is_pinned: false,
        at,
        room: None,
        entries: &[],
    };
    store.keep(&draft, staged).unwrap()
}

/// A pad of an author at a time that is given.
fn pad(store: &Arc<dyn Store>, author: &str, now: i64) -> Scratchpad {
    let (store, now) = (Arc::clone(store), AtomicI64::new(now));
    Scratchpad::on(move || Ok(Arc::clone(&store)))
        .with_author(author)
        .with_outputs(Offload::default(), LIMITS)
        .with_clock(Arc::new(move || now.load(Ordering::Relaxed)))
}

/// Keeps outputs of random sizes and ages as random authors, and prunes as the first of them: what goes is what the
/// rule says. `after` looks at what is left.
fn the_rule_holds(stores: &[(&str, Arc<dyn Store>)], cases: u32, after: &dyn Fn()) {
    // Bytes, tenths of hours since it was kept and since it was used, and who keeps it.
    let ago = || prop_oneof![0..10_i64, 0..400_i64, 0..2_000_i64];
    let outputs = (4_usize..80, ago(), ago(), 0..stores.len());
    let outputs = prop::collection::vec(outputs, 0..30);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let (author, store) = &stores[0];
    TestRunner::new(config)
        .run(&outputs, |outputs| {
            let last = store.outputs(OutputFilter::Everything).unwrap();
            let last: Vec<OutputId> = last.into_iter().map(|it| it.id).collect();
            store.remove(&last, NOW, Removal::Any).unwrap();
            // No two at the same moment, which has no order.
            for (number, (bytes, kept, used, who)) in (0_i64..).zip(&outputs) {
                let kept = NOW - kept.max(used) * HOUR / 10 - number;
                let store = &stores[*who].1;
                let upstream = ["fs", "web"][bytes % 2];
                let id = keep_of(
                    &**store,
                    upstream,
                    kept,
                    format!("{number:0bytes$}").as_bytes(),
                );
                store
                    .touch(&id, (NOW - used * HOUR / 10 - number).max(kept))
                    .unwrap();
            }
            let before = store.outputs(OutputFilter::Everything).unwrap();
            prop_assert_eq!(before.len(), outputs.len());
            let mut gone = to_prune(author, &before, NOW);
            let pruned = pad(store, author, NOW).prune_outputs().unwrap();
            let left = store.outputs(OutputFilter::Everything).unwrap();
            let mut went: Vec<OutputId> = before.iter().map(|it| it.id.clone()).collect();
            went.retain(|id| left.iter().all(|it| it.id != *id));
            gone.sort_unstable_by_key(ToString::to_string);
            went.sort_unstable_by_key(ToString::to_string);
            prop_assert_eq!(&went, &gone);
            prop_assert_eq!(pruned.outputs, gone.len());
            let bytes = |all: &[OutputHead]| all.iter().map(|it| it.bytes).sum::<u64>();
            prop_assert_eq!(pruned.bytes, bytes(&before) - bytes(&left));
            after();
            Ok(())
        })
        .unwrap();
}

fn postgres(schema: &Schema, directory: &Path, author: &str) -> Postgres {
    Postgres::open(Settings {
        author: author.to_owned(),
        ..settings(&schema.url(), &directory.join("staging"))
    })
    .unwrap()
}

#[test]
fn the_embedded_store_prunes_by_the_rule() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("scratchpad.db");
    let store: Arc<dyn Store> = Arc::new(Sqlite::open(&path, Duration::from_secs(30)).unwrap());
    the_rule_holds(&[("", store)], 60, &|| {});
}

#[test]
fn postgres_prunes_by_the_rule() {
    let Some(schema) = Schema::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let store = |author: &'static str| -> (&str, Arc<dyn Store>) {
        (
            author,
            Arc::new(postgres(&schema, directory.path(), author)),
        )
    };
    let stores = [store("ann@here"), store("bob@there")];
    // The counts match the rows.
    let counted = || {
        let sql = format!(
            "SET search_path = {}; SELECT author || ': ' || sum(bytes) FROM (
                 SELECT author, bytes FROM output_total UNION ALL SELECT author, -bytes FROM output
             ) AS counted GROUP BY author HAVING sum(bytes) <> 0",
            schema.name
        );
        assert_eq!(psql(&schema.server, &sql), [] as [&str; 0]);
    };
    the_rule_holds(&stores, 30, &counted);
}

#[test]
fn a_schema_of_an_older_version_learns_who_kept_what() {
    let Some(schema) = Schema::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let sql = |sql: &str| {
        psql(
            &schema.server,
            &format!("SET search_path = {}; {sql}", schema.name),
        )
    };
    for (author, at) in [
        ("bob@there", NOW - 30 * HOUR),
        ("ann@here", NOW - 30 * HOUR + 1),
    ] {
        let store = postgres(&schema, directory.path(), author);
        keep(&store, at, b"both");
        keep(&store, at, author.as_bytes());
    }
    // What versions 9 to 2 added, and the version itself.
    for undone in [
        "DROP TABLE ledger",
        "DROP TABLE repository; DROP TABLE project_name",
        "ALTER TABLE revision DROP COLUMN spilled",
        "DROP TABLE note_source",
        "ALTER TABLE note DROP COLUMN pinned",
        "ALTER TABLE output DROP COLUMN upstream; ALTER TABLE output_removed DROP COLUMN sha256",
        "ALTER TABLE output DROP COLUMN preview; ALTER TABLE output_keep DROP COLUMN pinned,
         DROP CONSTRAINT output_keep_pkey, ADD PRIMARY KEY (output, session, project)",
        "ALTER TABLE output DROP COLUMN author, DROP COLUMN kept; DROP TABLE output_total;
         DROP INDEX output_damaged; DROP INDEX IF EXISTS output_removed_by_time",
        "UPDATE meta SET version = 1",
    ] {
        sql(undone);
    }
    let store: Arc<dyn Store> = Arc::new(postgres(&schema, directory.path(), "ann@here"));
    assert_eq!(
        sql("SELECT author || ' ' || bytes FROM output_total ORDER BY author"),
        ["ann@here 12", "bob@there 9"]
    );
    let pruned = pad(&store, "ann@here", NOW).prune_outputs().unwrap();
    assert_eq!((pruned.outputs, pruned.bytes), (2, 12));
}

#[test]
fn a_prune_reads_what_goes_and_not_what_stays() {
    let Some(schema) = Schema::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    drop(postgres(&schema, directory.path(), "ann@here"));
    // 10,000 outputs of each of four authors, one a minute: not yet a week.
    let set = format!("SET search_path = {};", schema.name);
    psql(
        &schema.server,
        &format!(
            "{set}
             INSERT INTO output (id, sha256, bytes, lines, kind, created, used, kept, author, blocks)
             SELECT left(hash, 12), hash, 10, 1, 'text', at, at, at, author, ''
             FROM (SELECT encode(sha256(number::text::bytea), 'hex') AS hash, {NOW} - number / 4 * 60000 AS at,
                          (ARRAY['ann@here', 'bob@here', 'cem@here', 'dan@here'])[1 + number % 4] AS author
                   FROM generate_series(0, 39999) AS number) AS made;
             INSERT INTO output_keep SELECT id, 's', '', author, 'tool', kept FROM output;
             INSERT INTO output_total SELECT author, sum(bytes) FROM output GROUP BY author;
             ANALYZE output; ANALYZE output_keep"
        ),
    );
    // How many rows were read since the schema was made, once the server has counted those that were removed.
    let read = |removed: usize| {
        let sql = format!(
            "SELECT seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid)
             FROM pg_stat_user_tables t
             WHERE schemaname = '{}' AND relname = 'output' AND n_tup_ins = 40000 AND n_tup_del = {removed}",
            schema.name
        );
        let mut rows = None;
        wait_until("the server has counted", || {
            rows = psql(&schema.server, &sql).first().cloned();
            rows.is_some()
        });
        rows.unwrap().parse::<usize>().unwrap()
    };
    let before = read(0);
    let limits = OutputLimits {
        // Nine of ann's are too old, and 91 more are too many.
        max_age: 9_990 * 60_000,
        max_total_bytes: 9_900 * 10,
        max_bytes_per_upstream: 0,
        ..LIMITS
    };
    let store: Arc<dyn Store> = Arc::new(postgres(&schema, directory.path(), "ann@here"));
    let pad = pad(&store, "ann@here", NOW).with_outputs(Offload::default(), limits);
    assert_eq!(pad.prune_outputs().unwrap().outputs, 100);
    // And where there is nothing to do.
    assert_eq!(pad.prune_outputs().unwrap().outputs, 0);
    drop((pad, store));
    let rows = read(100) - before;
    assert!(rows < 2_000, "{rows} rows were read to remove 100");
}
