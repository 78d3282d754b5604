//! Several machines on one server: clocks that differ, and processes that are killed while keeping an output.

#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};

use crate::support::injector::{at_every_call, injector, kill_at};
use crate::support::postgres::{Schema, psql};
use crate::support::{Machine, feed, tree, wait_until};
use serde_json::Value;

const HOUR: i64 = 60 * 60;

/// Large enough to become an object.
const OBJECT_BYTES: usize = 2 << 20;

/// A machine whose clock is this many seconds ahead of the server's.
struct Shifted {
    machine: Machine,
    url: String,
    ahead: i64,
}

impl Shifted {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.machine.command(arguments);
        command
            .env("LD_PRELOAD", injector())
            .env("FAULT_AHEAD", self.ahead.to_string())
            .env("SCRATCHPAD_STORE_URL", &self.url)
            .env("SCRATCHPAD_PROJECT_ID", "shop")
            .env("SCRATCHPAD_SESSION", "s")
            .env("SCRATCHPAD_OUTPUTS_MAX_AGE", "2h");
        command
    }

    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        self.machine.answer(output).ok()
    }

    /// Keeps a text that nobody else keeps; answers its id.
    fn keep(&self, word: &str) -> String {
        let mut command = self.command(&["output", "put"]);
        let child = command.stdin(Stdio::piped()).spawn().unwrap();
        let text = format!("{word} {}\n", self.ahead).repeat(1_000);
        let answer = self.machine.answer(feed(child, text.as_bytes())).ok();
        answer.split_whitespace().nth(1).unwrap().to_owned()
    }

    fn listed(&self) -> Vec<String> {
        let shown = self.ok(&["output", "list", "--json"]);
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let outputs = shown["outputs"].as_array().unwrap().iter();
        outputs
            .map(|it| it["id"].as_str().unwrap().to_owned())
            .collect()
    }
}

#[test]
fn machines_whose_clocks_differ_prune_by_one_clock_and_give_each_note_its_own_id() {
    let Some(schema) = Schema::new() else { return };
    let machines: Vec<Shifted> = [0, 3 * HOUR, -3 * HOUR]
        .into_iter()
        .map(|ahead| Shifted {
            machine: Machine::new(),
            url: schema.url(),
            ahead,
        })
        .collect();
    // What one machine keeps is young to all others, though its clock says that it is hours old, or yet to come.
    let mut young: Vec<String> = machines
        .iter()
        .map(|machine| machine.keep("young"))
        .collect();
    young.sort_unstable();
    for machine in &machines {
        machine.ok(&["output", "prune"]);
        let mut left = machine.listed();
        left.sort_unstable();
        assert_eq!(left, young, "{} s ahead", machine.ahead);
    }
    // What is older than it may be goes, whoever kept it and whoever prunes; what is a minute younger stays.
    for (pruning, keeping) in [(0, 1), (1, 2), (2, 0), (1, 1), (2, 2)] {
        let word = format!("old {pruning}");
        let old = machines[keeping].keep(&word);
        let almost = machines[keeping].keep(&format!("almost {word}"));
        for (id, minutes) in [(&old, 121), (&almost, 119)] {
            let set = format!("SET search_path = {};", schema.name);
            let ago = minutes * 60_000;
            psql(
                &schema.server,
                &format!(
                    "{set} UPDATE output SET used = used - {ago}, kept = kept - {ago} WHERE id = '{id}';
                     UPDATE output_keep SET kept = kept - {ago} WHERE output = '{id}'"
                ),
            );
        }
        machines[pruning].ok(&["output", "prune"]);
        let left = machines[0].listed();
        assert!(!left.contains(&old), "{pruning} prunes what {keeping} kept");
        assert!(
            left.contains(&almost),
            "{pruning} prunes what {keeping} kept"
        );
        assert!(young.iter().all(|id| left.contains(id)));
    }
    // Ids grow from note to note, whichever machine adds it.
    let mut ids: Vec<i64> = Vec::new();
    for round in 0..5 {
        for machine in &machines {
            let said = machine.ok(&["note", "add", &format!("{round}"), "--json"]);
            let said: Value = serde_json::from_str(&said).unwrap();
            let id = said["note_id"].as_str().unwrap();
            ids.push(id.trim_start_matches("note_").parse().unwrap());
        }
    }
    assert!(ids.is_sorted_by(|one, next| one < next), "{ids:?}");
    let hours = (ids[ids.len() - 1] - ids[0]) / 1_000 / HOUR;
    assert_eq!(hours, 3, "the clocks differ");
}

/// Bytes that can't be compressed, and no two of which are alike.
fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..bytes / 8).flat_map(|_| next()).collect()
}

#[test]
fn a_kill_between_an_object_and_its_row_leaves_nothing_and_takes_nothing() {
    let Some(schema) = Schema::new() else { return };
    let machine = Machine::new();
    let place = tempfile::tempdir().unwrap();
    let command = |arguments: &[&str]| {
        let mut command = machine.command(arguments);
        command
            .env("SCRATCHPAD_STORE_URL", schema.url())
            .env(
                "SCRATCHPAD_STORE_OUTPUTS",
                format!("file://{}", place.path().display()),
            )
            .env("SCRATCHPAD_OUTPUTS_MAX_TOTAL_BYTES", "1000000000")
            .env("SCRATCHPAD_SESSION", "s");
        command
    };
    let sql = |sql: &str| {
        psql(
            &schema.server,
            &format!("SET search_path = {}; {sql}", schema.name),
        )
    };
    // Answers the id if the process lived long enough to print it.
    let keep = |number: u64, dies_at: Option<u32>| -> Option<String> {
        std::fs::create_dir_all(machine.home()).unwrap();
        let content = machine.home().join("content");
        std::fs::write(&content, noise(number, OBJECT_BYTES)).unwrap();
        let mut command = command(&["output", "put"]);
        command.stdin(std::fs::File::open(content).unwrap());
        if let Some(call) = dies_at {
            kill_at(&mut command, "", call);
        }
        let printed = String::from_utf8(command.output().unwrap().stdout).unwrap();
        printed
            .ends_with('\n')
            .then(|| printed.split_whitespace().nth(1).unwrap().to_owned())
    };
    keep(0, None).expect("the first keep creates the tables");
    let mut answered = Vec::new();
    let kills = at_every_call(|call| {
        let id = keep(call.into(), Some(call));
        let lived = id.is_some();
        answered.extend(id.map(|id| (u64::from(call), id)));
        lived
    });
    assert!(kills > 10, "{kills} kills");
    let orphans: u64 = sql("SELECT count(*) FROM output_object")[0]
        .parse()
        .unwrap();
    assert!(orphans > 0, "no kill fell between an object and its row");
    // An hour later nobody can still be writing them. The server may still be working for a killed process, whose row
    // then appears after a prune; the next prune removes it.
    let mut strays = 0;
    wait_until("every object without a row is pruned", || {
        sql("UPDATE output_object SET due = now()");
        let pruned = machine
            .answer(command(&["output", "prune", "--json"]).output().unwrap())
            .json();
        strays += pruned["strays"].as_u64().unwrap();
        sql("SELECT count(*) FROM output_object") == ["0"]
    });
    assert!(strays >= orphans, "{strays} of {orphans}");
    let mut stored: Vec<String> = tree(place.path())
        .into_keys()
        .filter(|name| !name.ends_with('/'))
        .map(|name| name.split('/').next().unwrap().to_owned())
        .collect();
    let mut known = sql("SELECT object FROM output");
    stored.sort_unstable();
    known.sort_unstable();
    assert_eq!(stored, known, "each object is an output's");
    for (number, id) in answered {
        let read = command(&["output", "read", &id]).output().unwrap();
        assert!(
            read.stdout == noise(number, OBJECT_BYTES),
            "output {id} of {number}"
        );
    }
}
