//! Many processes at once, and processes that are killed: nothing answered is ever lost.

use std::thread;

#[cfg(target_os = "linux")]
use crate::support::injector::{at_every_call, kill_at};
use crate::support::{Machine, cases};

#[test]
fn eight_processes_write_one_session_and_none_is_lost_or_refused() {
    const PROCESSES: usize = 8;
    let each = cases(40) as usize;
    // The home does not exist yet: the first eight also race to make the database.
    let machine = Machine::new();
    thread::scope(|scope| {
        for process in 0..PROCESSES {
            let machine = &machine;
            scope.spawn(move || {
                for count in 0..each {
                    let text = format!("{process}:{count}");
                    machine
                        .run(&["session", "append-notes", &text, "--session", "shared"])
                        .ok();
                }
            });
        }
    });
    let shown = machine
        .run(&["session", "show", "--session", "shared", "--json"])
        .json();
    assert_eq!(shown["revision"], PROCESSES * each);
    let mut lines: Vec<&str> = shown["notes"].as_str().unwrap().lines().collect();
    lines.sort_unstable();
    let mut expected: Vec<String> = (0..PROCESSES)
        .flat_map(|process| (0..each).map(move |count| format!("{process}:{count}")))
        .collect();
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

#[test]
fn eight_processes_add_notes_at_once_and_each_gets_its_own_id() {
    const PROCESSES: usize = 8;
    let each = cases(100) as usize;
    let machine = Machine::new();
    let replies: Vec<String> = thread::scope(|scope| {
        let writers: Vec<_> = (0..PROCESSES)
            .map(|process| {
                let machine = &machine;
                scope.spawn(move || {
                    let add = |count| {
                        let text = format!("note {count} of {process}");
                        machine
                            .run(&["note", "add", &text, "--tag", "t", "--session", "shared"])
                            .ok()
                    };
                    (0..each).map(add).collect::<Vec<_>>()
                })
            })
            .collect();
        writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap())
            .collect()
    });
    let mut ids: Vec<&str> = replies
        .iter()
        .map(|reply| reply.split(' ').nth(1).unwrap())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), PROCESSES * each);
    let search = |query: &str| {
        machine
            .run(&["note", "search", query, "--json", "--session", "shared"])
            .json()
    };
    assert_eq!(search("note")["result_count"], PROCESSES * each);
    assert_eq!(search("note 9 of 7")["result_count"], 1);
    let tags = machine
        .run(&["note", "tags", "--json", "--session", "shared"])
        .json();
    assert_eq!(tags["tags"][0]["count"], PROCESSES * each);
}

#[test]
fn sessions_made_in_one_moment_by_one_process_get_ids_of_their_own() {
    let home = tempfile::tempdir().unwrap();
    let pad = scratchpad::Scratchpad::open(home.path())
        .unwrap()
        .with_clock(std::sync::Arc::new(|| 1_000));
    let origin = scratchpad::SessionId::new("origin").unwrap();
    let note = scratchpad::model::pad::action::Action::SetNotes("x".to_owned());
    pad.write(&origin, &note).unwrap();
    let mut ids: Vec<_> = (0..20).map(|_| pad.fork(&origin).unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 20);
}

#[test]
fn sessions_made_in_the_same_moment_get_ids_of_their_own() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-notes", "x", "--session", "origin"])
        .ok();
    let forks: Vec<_> = (0..16)
        .map(|_| {
            machine
                .command(&["session", "fork", "origin"])
                .spawn()
                .unwrap()
        })
        .collect();
    let mut ids: Vec<String> = forks
        .into_iter()
        .map(|child| machine.answer(child.wait_with_output().unwrap()).ok())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 16);
}

/// Runs a command that is killed at this call; returns what it printed, if it survived.
#[cfg(target_os = "linux")]
fn killed(machine: &Machine, mut command: std::process::Command, call: u32) -> Option<String> {
    let home = machine.home();
    kill_at(&mut command, home.to_str().unwrap(), call);
    let answer = machine.answer(command.output().unwrap());
    // Not killed by a signal.
    answer.code.map(|_| answer.ok())
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_killed_while_adding_a_note_loses_none_that_it_answered() {
    let machine = Machine::new();
    let add = |text: &str| machine.command(&["note", "add", text, "--tag", "t", "--session", "s"]);
    machine.answer(add("number 0.").output().unwrap()).ok();
    let mut present = 1;
    let kills = at_every_call(|call| {
        let text = format!("number {call}.");
        let answered = killed(&machine, add(&text), call).is_some();
        let found = machine
            .run(&["note", "search", &text, "--json", "--session", "s"])
            .json();
        let found = found["result_count"].as_u64().unwrap();
        assert!(found <= 1, "{text}");
        assert!(found == 1 || !answered, "{text} was answered and is lost");
        present += found;
        answered
    });
    assert!(kills > 5, "{kills} kills");
    // No intermediate state: the counters agree with the notes.
    let count = |arguments: &[&str], field: &str| {
        let mut arguments = arguments.to_vec();
        arguments.extend(["--json", "--limit", "1000", "--session", "s"]);
        machine.run(&arguments).json()[field].as_u64().unwrap()
    };
    assert_eq!(count(&["note", "list"], "note_count"), present);
    assert_eq!(
        count(&["note", "search", "number"], "result_count"),
        present
    );
    let tags = machine
        .run(&["note", "tags", "--json", "--session", "s"])
        .json();
    assert_eq!(tags["tags"][0]["count"], present);
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_process_loses_nothing_that_it_answered() {
    let machine = Machine::new();
    let write = |text: &str| machine.command(&["session", "set-notes", text, "--session", "s"]);
    machine.answer(write("0").output().unwrap()).ok();
    let long = "x".repeat(5_000);
    // A text that fits, and one that is cut, so that an output is written too.
    for rest in ["", long.as_str()] {
        let mut present = "0".to_owned();
        machine.answer(write("0").output().unwrap()).ok();
        let kills = at_every_call(|call| {
            let text = format!("{call} {rest}");
            let reply = killed(&machine, write(&text), call);
            let shown = machine
                .run(&["session", "show", "--session", "s", "--json"])
                .json();
            let now = shown["notes"].as_str().unwrap().to_owned();
            let written: String = text.chars().take(4_000).collect();
            match &reply {
                None => assert!(
                    now == present || now == written,
                    "neither old nor new, killed at call {call}"
                ),
                Some(reply) => {
                    assert_eq!(now, written, "answered, so it must be there");
                    if let Some(rest) = reply.split("output read ").nth(1) {
                        let id = rest.split('`').next().unwrap();
                        assert_eq!(machine.run(&["output", "read", id]).ok(), text);
                    }
                }
            }
            present = now;
            reply.is_some()
        });
        assert!(kills > 5, "{kills} kills");
    }
    let database = rusqlite::Connection::open(machine.database()).unwrap();
    let verdict: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(verdict, "ok");
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_killed_while_keeping_an_output_leaves_it_whole_or_nothing() {
    let machine = Machine::new();
    let content = |count: u32| format!("{count} {}", "line of a log\n".repeat(40_000));
    let keep = |count: u32| {
        let file = machine.project().join("log");
        std::fs::write(&file, content(count)).unwrap();
        let mut command = machine.command(&["output", "put"]);
        command.stdin(std::fs::File::open(file).unwrap());
        command
    };
    machine.answer(keep(0).output().unwrap()).ok();
    let mut answered = None;
    let kills = at_every_call(|call| {
        answered = killed(&machine, keep(call), call).map(|reply| (reply, call));
        answered.is_some()
    });
    assert!(kills > 5, "{kills} kills");
    let (reply, count) = answered.unwrap();
    let id = reply.split_whitespace().nth(1).unwrap();
    assert!(machine.run(&["output", "read", id]).ok() == content(count));
    // No partial state is left: after a prune each file is an output, and each output has its file and its bytes.
    machine.run(&["output", "prune"]).ok();
    let files = std::fs::read_dir(machine.home().join("outputs"))
        .unwrap()
        .count();
    let list = machine
        .run(&["output", "list", "--all", "--limit", "1000", "--json"])
        .json();
    let outputs = list["outputs"].as_array().unwrap();
    assert_eq!(outputs.len(), files);
    for output in outputs {
        let id = output["id"].as_str().unwrap();
        let read = machine.run(&["output", "read", id]).ok();
        let count = read.split(' ').next().unwrap().parse().unwrap();
        assert!(read == content(count), "{id}");
    }
}
