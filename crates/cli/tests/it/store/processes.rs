//! Many processes at once, and processes that are killed: nothing answered is ever lost.

use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Answer, Machine};

#[test]
fn eight_processes_write_one_session_and_none_is_lost_or_refused() {
    const PROCESSES: usize = 8;
    const EACH: usize = 40;
    // The home does not exist yet: the first eight also race to make the database.
    let machine = Machine::new();
    thread::scope(|scope| {
        for process in 0..PROCESSES {
            let machine = &machine;
            scope.spawn(move || {
                for count in 0..EACH {
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
    assert_eq!(shown["revision"], PROCESSES * EACH);
    let mut lines: Vec<&str> = shown["notes"].as_str().unwrap().lines().collect();
    lines.sort_unstable();
    let mut expected: Vec<String> = (0..PROCESSES)
        .flat_map(|process| (0..EACH).map(move |count| format!("{process}:{count}")))
        .collect();
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

#[test]
fn eight_processes_add_notes_at_once_and_each_gets_its_own_id() {
    const PROCESSES: usize = 8;
    const EACH: usize = 100;
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
                    (0..EACH).map(add).collect::<Vec<_>>()
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
    assert_eq!(ids.len(), PROCESSES * EACH);
    let search = |query: &str| {
        machine
            .run(&["note", "search", query, "--json", "--session", "shared"])
            .json()
    };
    assert_eq!(search("note")["result_count"], PROCESSES * EACH);
    assert_eq!(search("note 99 of 7")["result_count"], 1);
    let tags = machine
        .run(&["note", "tags", "--json", "--session", "shared"])
        .json();
    assert_eq!(tags["tags"][0]["count"], PROCESSES * EACH);
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

/// A generator of delays: the same sequence on every run, and no two kills at the same point.
fn delays(longest: Duration) -> impl Iterator<Item = Duration> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        longest.mul_f64(f64::from(u32::try_from(state >> 32).unwrap()) / f64::from(u32::MAX))
    })
}

#[test]
fn a_process_killed_while_adding_a_note_loses_none_that_it_answered() {
    let machine = Machine::new();
    let add = |text: &str| machine.command(&["note", "add", text, "--tag", "t", "--session", "s"]);
    let started = Instant::now();
    machine.answer(add("number 0.").output().unwrap()).ok();
    let mut answered = vec!["number 0.".to_owned()];
    let mut silent = 0;
    for (count, delay) in (1..).zip(delays(started.elapsed().mul_f64(1.2)).take(150)) {
        let text = format!("number {count}.");
        let mut child = add(&text).spawn().unwrap();
        thread::sleep(delay);
        child.kill().unwrap();
        if machine
            .answer(child.wait_with_output().unwrap())
            .out
            .is_empty()
        {
            silent += 1;
        } else {
            answered.push(text);
        }
    }
    assert!(
        answered.len() > 1 && silent > 0,
        "{} answered, {silent} not: the kills missed",
        answered.len()
    );
    for text in &answered {
        let found = machine
            .run(&["note", "search", text, "--json", "--session", "s"])
            .json();
        assert_eq!(found["result_count"], 1, "{text}");
    }
    // No half state: the counters agree with the notes.
    let listed = machine
        .run(&[
            "note",
            "list",
            "--json",
            "--limit",
            "1000",
            "--session",
            "s",
        ])
        .json();
    let found = machine
        .run(&[
            "note",
            "search",
            "number",
            "--json",
            "--limit",
            "1000",
            "--session",
            "s",
        ])
        .json();
    let tags = machine
        .run(&["note", "tags", "--json", "--session", "s"])
        .json();
    assert_eq!(listed["note_count"], found["result_count"]);
    assert_eq!(tags["tags"][0]["count"], found["result_count"]);
}

#[test]
fn a_killed_process_loses_nothing_that_it_answered() {
    let machine = Machine::new();
    let write = |text: &str| machine.command(&["session", "set-notes", text, "--session", "s"]);
    let started = Instant::now();
    machine.answer(write("0").output().unwrap()).ok();
    let long = "x".repeat(5_000);
    let mut present = "0".to_owned();
    let (mut answered, mut silent) = (0, 0);

    // Up to a little longer than a whole run takes, so that kills hit every moment of it.
    for (count, delay) in (1..).zip(delays(started.elapsed().mul_f64(1.2)).take(150)) {
        // Every third text is cut, so that an output is written too.
        let text = if count % 3 == 0 {
            format!("{count} {long}")
        } else {
            count.to_string()
        };
        let mut child = write(&text).spawn().unwrap();
        thread::sleep(delay);
        child.kill().unwrap();
        let reply: Answer = machine.answer(child.wait_with_output().unwrap());

        let shown = machine
            .run(&["session", "show", "--session", "s", "--json"])
            .json();
        let now = shown["notes"].as_str().unwrap().to_owned();
        let written: String = text.chars().take(4_000).collect();
        if reply.out.is_empty() {
            silent += 1;
            assert!(
                now == present || now == written,
                "neither old nor new after {count}"
            );
        } else {
            answered += 1;
            assert_eq!(now, written, "answered, so it must be there");
            if let Some(rest) = reply.out.split("output read ").nth(1) {
                let id = rest.split('`').next().unwrap();
                assert_eq!(machine.run(&["output", "read", id]).ok(), text);
            }
        }
        present = now;
    }
    assert!(
        answered > 0 && silent > 0,
        "{answered} answered, {silent} killed before: the kills missed"
    );
    let database = rusqlite::Connection::open(machine.database()).unwrap();
    let verdict: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(verdict, "ok");
}

#[test]
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
    let started = Instant::now();
    machine.answer(keep(0).output().unwrap()).ok();
    let (mut answered, mut silent) = (Vec::new(), 0);
    for (count, delay) in (1..).zip(delays(started.elapsed().mul_f64(1.2)).take(100)) {
        let mut child = keep(count).spawn().unwrap();
        thread::sleep(delay);
        child.kill().unwrap();
        let reference = machine.answer(child.wait_with_output().unwrap()).out;
        match reference.split_whitespace().nth(1) {
            Some(id) => answered.push((id.to_owned(), count)),
            None => silent += 1,
        }
    }
    assert!(
        !answered.is_empty() && silent > 0,
        "{} answered, {silent} not: the kills missed",
        answered.len()
    );
    for (id, count) in &answered {
        assert!(
            machine.run(&["output", "read", id]).ok() == content(*count),
            "{id}"
        );
    }
    // Nothing half is left: after a prune each file is an output, and each output has its file.
    machine.run(&["output", "prune"]).ok();
    let files = std::fs::read_dir(machine.home().join("outputs"))
        .unwrap()
        .count();
    let list = machine
        .run(&["output", "list", "--all", "--limit", "1000", "--json"])
        .json();
    assert_eq!(list["outputs"].as_array().unwrap().len(), files);
    assert!(files > answered.len());
}
