//! Outputs against a simple model: whatever is kept comes back, by every way to read it.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use scratchpad::model::output::Origin;
use scratchpad::model::output::offload::Offload;
use scratchpad::model::output::{IN_USE, OutputLimits};
use scratchpad::model::text::hash::sha256_hex;
use scratchpad::store::sqlite::Sqlite;
use scratchpad::{Kept, Whose};
use scratchpad::{Scratchpad, SessionId};

use crate::support::cases;
use serde_json::{Value, json};

fn session() -> SessionId {
    SessionId::new("s").unwrap()
}

/// A pad whose answers are small, so that small texts need many of them.
fn small_pad(directory: &std::path::Path) -> Scratchpad {
    let limits = OutputLimits {
        read_max_bytes: 64,
        ..OutputLimits::default()
    };
    let offload = Offload {
        threshold: 0,
        ..Offload::default()
    };
    Scratchpad::open(directory)
        .unwrap()
        .with_outputs(offload, limits)
}

fn keep(pad: &Scratchpad, text: &[u8]) -> String {
    match pad.keep_output(&session(), "tool", text).unwrap() {
        Kept::As(reference) => {
            assert!(reference.text.len() <= 1_024, "{}", reference.text);
            assert!(reference.text.contains(reference.id.as_str()));
            reference.id.to_string()
        }
        Kept::No => panic!("not kept"),
    }
}

/// All pages of an answer, from call to call.
fn pages(pad: &Scratchpad, mut arguments: Value) -> String {
    let mut whole = String::new();
    loop {
        let reply = pad.call(&session(), "scratchpad_read", &arguments);
        assert!(!reply.is_error, "{}", reply.text());
        let data = reply.structured.clone().unwrap();
        assert!(reply.text().len() <= 64, "{}", reply.text().len());
        whole.push_str(&reply.text());
        match data["next_offset"].as_u64() {
            Some(next) => arguments["offset"] = json!(next),
            None => return whole,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(48)))]

    #[test]
    fn what_is_kept_comes_back(text in "(\\PC{0,30}[\r\n]{0,2}){1,12}", first in 1_usize..9, more in 0_usize..4) {
        prop_assume!(!text.is_empty());
        let directory = tempfile::tempdir().unwrap();
        let pad = small_pad(directory.path());
        let id = keep(&pad, text.as_bytes());
        prop_assert_eq!(&id, &sha256_hex(text.as_bytes())[..12]);
        prop_assert_eq!(pages(&pad, json!({"id": id, "offset": 0})), text.as_str());

        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let range = format!("{first}-{}", first + more);
        let reply = pad.call(&session(), "scratchpad_read", &json!({"id": id, "lines": range}));
        match lines.get(first - 1..lines.len().min(first + more)) {
            Some(expected) if !expected.is_empty() => {
                let expected = expected.concat();
                prop_assert!(expected.starts_with(&*reply.text()), "{:?} {:?}", expected, reply.text());
                prop_assert!(expected.len() > 64 || expected == *reply.text());
            }
            _ => prop_assert!(reply.text().starts_with("Out of range")),
        }
    }

    #[test]
    fn what_a_search_shows_is_in_the_text(words in prop::collection::vec("[a-cö]{1,300}", 1..12)) {
        let text = words.join("\n");
        let directory = tempfile::tempdir().unwrap();
        let pad = Scratchpad::open(directory.path()).unwrap().with_outputs(
            Offload { threshold: 0, ..Offload::default() },
            OutputLimits::default(),
        );
        let id = keep(&pad, text.as_bytes());
        let reply = pad.call(&session(), "scratchpad_read", &json!({"id": id, "grep": "a+b"}));
        let found = text.contains("ab");
        prop_assert_eq!(reply.text().starts_with("No match"), !found);
        for line in reply.text().lines().filter(|_| found) {
            let (place, part) = line.split_once(':').unwrap();
            if let Some((_, start)) = place.split_once('@') {
                let start: usize = start.parse().unwrap();
                prop_assert_eq!(&text[start..start + part.len()], part);
            } else {
                let number: usize = place.parse().unwrap();
                prop_assert_eq!(words[number - 1].as_str(), part);
            }
        }
    }

    #[test]
    fn rows_are_found_by_path_and_by_filter(rows in prop::collection::vec((0_i64..50, "\\PC{0,8}"), 1..30), wanted in 0_i64..50) {
        let values: Vec<Value> = rows.iter().map(|(id, name)| json!({"id": id, "name": name})).collect();
        let directory = tempfile::tempdir().unwrap();
        let pad = Scratchpad::open(directory.path()).unwrap().with_outputs(
            Offload { threshold: 0, ..Offload::default() },
            OutputLimits::default(),
        );
        let id = keep(&pad, Value::from(values.clone()).to_string().as_bytes());
        let expected: Vec<Value> = values.into_iter().filter(|row| row["id"] == wanted).collect();
        for expression in [format!("$[?@.id == {wanted}]"), format!(".[] | select(.id == {wanted})")] {
            let reply = pad.call(&session(), "scratchpad_read", &json!({"id": id, "json": expression}));
            let found: Vec<Value> = reply.text().lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            prop_assert_eq!(&found, &expected, "{}: {}", expression, reply.text());
        }
    }
}

#[test]
fn what_is_in_use_stays_and_what_is_old_goes() {
    let directory = tempfile::tempdir().unwrap();
    let now = Arc::new(AtomicI64::new(0));
    let clock = Arc::clone(&now);
    let limits = OutputLimits {
        max_total_bytes: 30_000,
        ..OutputLimits::default()
    };
    let pad = Scratchpad::open(directory.path())
        .unwrap()
        .with_outputs(Offload::default(), limits)
        .with_clock(Arc::new(move || clock.load(Ordering::Relaxed)));
    let kept = || -> Vec<String> {
        let outputs = pad.all_outputs(Whose::Everybody).unwrap();
        outputs.iter().map(|output| output.id.to_string()).collect()
    };
    // Within an hour ten times as much may be kept in all, of one upstream nine times, and nothing of it goes for more.
    let mut admitted = 0;
    for number in 0..70_u32 {
        now.fetch_add(1, Ordering::Relaxed);
        let text = format!("{number:05000}");
        if pad.keep_output(&session(), "t", text.as_bytes()).is_ok() {
            admitted += 1;
        }
    }
    assert_eq!((admitted, kept().len()), (54, 54));
    let total: u64 = pad
        .all_outputs(Whose::Everybody)
        .unwrap()
        .iter()
        .map(|output| output.bytes)
        .sum();
    assert_eq!(total, 270_000);
    // After that, only as much as may be: the last used ones.
    let newest = kept()[0].clone();
    now.fetch_add(IN_USE + 1, Ordering::Relaxed);
    let oldest = kept().last().unwrap().clone();
    pad.call(
        &session(),
        "scratchpad_read",
        &json!({"id": oldest, "limit": 1}),
    );
    pad.prune_outputs().unwrap();
    let total: u64 = pad
        .all_outputs(Whose::Everybody)
        .unwrap()
        .iter()
        .map(|output| output.bytes)
        .sum();
    assert!(total <= 30_000, "{total}");
    assert!(kept().contains(&newest) && kept().contains(&oldest));
    // After a day, nothing but what is read.
    now.fetch_add(limits.max_age, Ordering::Relaxed);
    pad.call(
        &session(),
        "scratchpad_read",
        &json!({"id": oldest, "limit": 1}),
    );
    pad.prune_outputs().unwrap();
    assert_eq!(kept(), [oldest]);
}

#[test]
fn a_clock_that_was_set_back_keeps_nothing_for_ever() {
    let directory = tempfile::tempdir().unwrap();
    let limits = OutputLimits::default();
    let now = Arc::new(AtomicI64::new(3 * limits.max_age));
    let clock = Arc::clone(&now);
    let pad = Scratchpad::open(directory.path())
        .unwrap()
        .with_clock(Arc::new(move || clock.load(Ordering::Relaxed)));
    let kept = || pad.all_outputs(Whose::Everybody).unwrap().len();
    keep(&pad, "left alone".repeat(1_000).as_bytes());
    let again = "kept again".repeat(1_000);
    keep(&pad, again.as_bytes());
    now.store(0, Ordering::Relaxed);
    keep(&pad, again.as_bytes());
    assert_eq!(kept(), 2);
    now.store(limits.max_age + 1, Ordering::Relaxed);
    pad.prune_outputs().unwrap();
    assert_eq!(kept(), 0);
}

#[test]
fn many_may_keep_read_and_prune_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("scratchpad.db");
    let limits = OutputLimits {
        max_total_bytes: 10_000,
        ..OutputLimits::default()
    };
    // Outputs used a moment ago count as old here: prunes and keeps of the same texts collide all the time.
    let now = Arc::new(AtomicI64::new(0));
    std::thread::scope(|scope| {
        for thread in 0..6_u32 {
            let (path, now) = (path.clone(), Arc::clone(&now));
            scope.spawn(move || {
                let pad = Scratchpad::on(move || {
                    Ok(Arc::new(Sqlite::open(&path, Duration::from_secs(30))?))
                })
                .with_outputs(Offload::default(), limits)
                .with_clock(Arc::new(move || {
                    now.fetch_add(IN_USE * 2, Ordering::Relaxed)
                }));
                let origin = Origin {
                    upstream: "",
                    tool: "t",
                };
                for round in 0..40_u32 {
                    let text = ((round + thread) % 5).to_string().repeat(5_000);
                    let mut staged = pad.stage_output().unwrap();
                    staged.write_all(text.as_bytes()).unwrap();
                    let reference = pad.keep_staged(&session(), origin, staged, "read").unwrap();
                    match pad.whole_output(&reference.id) {
                        Ok(content) => assert!(content == text.as_bytes()),
                        // Another process pruned it; a row without a file never occurs.
                        Err(error) => {
                            assert!(error.to_string().contains("no longer kept"), "{error}");
                        }
                    }
                    pad.sync_outputs().unwrap();
                }
            });
        }
    });
    let pad = Scratchpad::open(directory.path()).unwrap();
    for output in pad.all_outputs(Whose::Everybody).unwrap() {
        assert_eq!(
            pad.whole_output(&output.id).unwrap().len() as u64,
            output.bytes
        );
    }
    let rows = pad.all_outputs(Whose::Everybody).unwrap().len();
    assert_eq!(
        std::fs::read_dir(directory.path().join("outputs"))
            .unwrap()
            .count(),
        rows
    );
}
