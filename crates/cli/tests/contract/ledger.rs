//! What every engine must do with the ledger.

use scratchpad::model::host::hook::HookState;
use scratchpad::model::output::ledger::size::Size;
use scratchpad::model::output::ledger::stats::Stats;
use scratchpad::model::output::ledger::{
    Entry, KEPT_DAYS, LedgerFilter, LedgerRow, What, start_of,
};
use scratchpad::store::{Binding, Heard, HookCall, OutputDraft, Store};

use super::{Open, draft, id, keep_draft, project, put};

fn entry(what: What, tool: &str, tokens: u64) -> Entry {
    Entry {
        what,
        project: project("p"),
        host: "claude \0".to_owned(),
        upstream: "github".to_owned(),
        tool: tool.to_owned(),
        times: 1,
        size: Size {
            bytes: tokens * 4,
            tokens,
        },
    }
}

/// The ledger adds up, by day, session and kind, and is written with what it is about.
pub(crate) fn ledger_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let day = |day: i64| start_of(1_000 + day);
    let all = || {
        open(directory.path())
            .ledger(LedgerFilter::default())
            .unwrap()
    };
    assert_eq!(all(), []);

    // A booking of nothing leaves nothing; equal kinds of one day are one row.
    let (one, two) = (id("one"), id("two"));
    store.book(&one, day(0), &[]).unwrap();
    let kept = [
        entry(What::Kept, "get", 900),
        entry(What::Reference, "get", 100),
    ];
    store.book(&one, day(0), &kept).unwrap();
    store.book(&one, day(1) - 1, &kept).unwrap();
    store.book(&one, day(1), &kept[..1]).unwrap();
    store.book(&two, day(1), &kept[1..]).unwrap();
    let rows = all();
    let seen: Vec<_> = rows
        .iter()
        .map(|row| {
            let LedgerRow {
                day,
                session,
                entry,
                ..
            } = row;
            (
                day - 1_000,
                session.as_str(),
                entry.what,
                entry.times,
                entry.size.tokens,
                entry.size.bytes,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (0, "one", What::Kept, 2, 1_800, 7_200),
            (0, "one", What::Reference, 2, 200, 800),
            (1, "one", What::Kept, 1, 900, 3_600),
            (1, "two", What::Reference, 1, 100, 400),
        ]
    );
    assert_eq!(rows[0].entry.host, "claude \0");
    assert_eq!(Stats::of(&rows).sums.net(), 1_800 - 200 + 900 - 100);

    // It is asked for by session, project and day.
    let count = |filter| store.ledger(filter).unwrap().len();
    let filter = LedgerFilter::default();
    let (home, elsewhere) = (project("p"), project("q"));
    assert_eq!(
        count(LedgerFilter {
            session: Some(&two),
            ..filter
        }),
        1
    );
    assert_eq!(
        count(LedgerFilter {
            project: Some(&home),
            ..filter
        }),
        4
    );
    assert_eq!(
        count(LedgerFilter {
            project: Some(&elsewhere),
            ..filter
        }),
        0
    );
    assert_eq!(
        count(LedgerFilter {
            since: Some(1_001),
            ..filter
        }),
        2
    );
    let sums = store.booked_of(&one).unwrap();
    assert_eq!((sums.of(What::Kept).times, sums.net()), (3, 2_500));
    assert!(store.booked_of(&id("nobody")).unwrap().is_empty());

    // The list of tools is in all requests of a session, so it is counted once.
    let list = [entry(What::Listed, "", 230)];
    for _ in 0..2 {
        store.book(&two, day(1), &list).unwrap();
        store.book(&two, day(2), &list).unwrap();
    }
    let listed = store.booked_of(&two).unwrap().of(What::Listed);
    assert_eq!((listed.times, listed.size.tokens), (1, 230));

    // What is kept and what hooks say brings its amounts with it.
    let session = id("three");
    let output = OutputDraft {
        entries: &kept,
        ..draft("get", &session, day(2))
    };
    let first = keep_draft(&*store, &output, b"text");
    assert_eq!(keep_draft(&*store, &output, b"text"), first);
    let call = HookCall {
        host: "claude",
        event: "UserPromptSubmit",
        session: &session,
        at: day(2),
    };
    for _ in 0..2 {
        let heard = Heard {
            hook_state: HookState::default(),
            binding: Binding::Stays,
            entries: vec![entry(What::Injected, "", 50)],
        };
        store.attend(&call, &mut |_, _| heard.clone()).unwrap();
    }
    let sums = store.booked_of(&session).unwrap();
    assert_eq!(sums.of(What::Kept).times, 2);
    assert_eq!(sums.of(What::Injected).size.tokens, 100);

    // A copy may be taken again, and what was counted since stays.
    let rows = all();
    store.take_ledger(&rows).unwrap();
    assert_eq!(amounts(&all()), amounts(&rows));
    let mut larger = rows.clone();
    larger[0].entry.times += 5;
    store.take_ledger(&larger).unwrap();
    store.take_ledger(&rows).unwrap();
    assert_eq!(all()[0].entry.times, rows[0].entry.times + 5);

    // With its session it goes, and otherwise when it is too old.
    put(&*store, "three", day(2), &[super::notes("a pad")]);
    store.delete_session(&session, day(2)).unwrap();
    assert!(store.booked_of(&session).unwrap().is_empty());
    store.book(&two, day(KEPT_DAYS), &kept).unwrap();
    assert_eq!(all().first().map(|row| row.day), Some(1_000));
    store.book(&two, day(KEPT_DAYS + 1), &kept).unwrap();
    assert_eq!(all().first().map(|row| row.day), Some(1_001));
}

/// What is compared: a server gives rows of nobody its author.
fn amounts(rows: &[LedgerRow]) -> Vec<(i64, String, Entry)> {
    let of = |row: &LedgerRow| (row.day, row.session.to_string(), row.entry.clone());
    rows.iter().map(of).collect()
}
