//! `store copy` of a store in use, and `store backup`.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::outputs::{keep, put};
use crate::support::{Machine, mode};
use serde_json::Value;

/// A machine with some of everything.
fn machine() -> Machine {
    let machine = Machine::new();
    for number in 0..5 {
        let notes = format!("notes {number}");
        machine
            .run(&["session", "set-notes", &notes, "--session", "s"])
            .ok();
    }
    machine.run(&["note", "add", "a note", "--tag", "x"]).ok();
    keep(&machine, "t", &[b'x'; 5_000]);
    machine
}

#[test]
fn a_store_in_use_is_copied_as_it_was_when_the_copy_began() {
    let machine = machine();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 0;
            while !is_over.load(Ordering::Relaxed) {
                number += 1;
                let notes = format!("later {number}");
                machine
                    .run(&["session", "set-notes", &notes, "--session", "s"])
                    .ok();
                put(&machine, "t", notes.repeat(1_000).as_bytes());
                machine.run(&["output", "clear", "--all", "--yes"]);
            }
        });
        for number in 0..8 {
            let to = format!(
                "sqlite:{}",
                machine.home().join(format!("copy-{number}.db")).display()
            );
            let copied = machine.run(&["store", "copy", ".", &to]);
            assert_eq!((copied.code, copied.err.as_str()), (Some(0), ""));
            let lines: Vec<&str> = copied.out.lines().collect();
            let time = lines[2].strip_prefix("As of ").unwrap();
            assert!(
                time.len() == "14:02:07.".len() && time.matches(':').count() == 2,
                "{time}"
            );
            assert_eq!(
                lines[0].replace("Copied ", ""),
                lines[1].replace("Compared with the source: ", "")
            );
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_backup_is_one_file_that_is_verified_and_brings_everything_back() {
    let machine = machine();
    let large = "a line\n".repeat(400_000);
    let id = keep(&machine, "build", large.as_bytes());
    let directory = machine.project().join("backups");
    fs::create_dir(&directory).unwrap();
    let file = directory.join("pads.db");
    let said = machine
        .run(&["store", "backup", file.to_str().unwrap()])
        .ok();
    assert!(
        said.contains("As of ") && said.contains("one file of ") && said.contains("verified"),
        "{said}"
    );
    let names: Vec<_> = fs::read_dir(&directory)
        .unwrap()
        .flatten()
        .map(|it| it.file_name())
        .collect();
    assert_eq!(names, ["pads.db"]);
    assert_eq!(mode(&file), 0o400);
    // It replaces nothing.
    let again = machine.run(&["store", "backup", file.to_str().unwrap()]);
    assert!(
        again.code == Some(1) && again.err.contains("exists already"),
        "{again:?}"
    );

    let other = Machine::new();
    other
        .run(&["store", "copy", &format!("sqlite:{}", file.display()), "."])
        .ok();
    let shown = |machine: &Machine, words: &[&str]| -> Value { machine.run(words).json() };
    for words in [
        &["session", "history", "--session", "s", "--json"][..],
        &["session", "show", "--session", "s", "--json"],
    ] {
        assert_eq!(shown(&other, words), shown(&machine, words), "{words:?}");
    }
    assert_eq!(other.run(&["output", "read", &id]).ok(), large);
    // A backup that was damaged is noticed.
    let damaged = directory.join("damaged.db");
    let mut bytes = fs::read(&file).unwrap();
    let at = bytes.len() / 2;
    bytes[at..at + 64].fill(b'!');
    fs::write(&damaged, bytes).unwrap();
    let third = Machine::new();
    let copied = third.run(&[
        "store",
        "copy",
        &format!("sqlite:{}", damaged.display()),
        ".",
    ]);
    assert_ne!(copied.code, Some(0), "{copied:?}");
}

#[test]
fn pinned_notes_and_the_sources_of_notes_are_copied_too() {
    let machine = Machine::new();
    let source = machine.project().join("retry.py");
    fs::write(&source, "retry(3)\n").unwrap();
    let words = [
        "note",
        "add",
        "Thrice: retry.py:1",
        "--scope",
        "project",
        "--json",
    ];
    let added = machine.run(&words).json();
    machine
        .run(&["note", "pin", added["note_id"].as_str().unwrap()])
        .ok();
    fs::write(&source, "retry(5)\n").unwrap();
    let copy = format!("sqlite:{}", machine.home().join("copy.db").display());
    machine.run(&["store", "copy", ".", &copy]).ok();
    let backup = machine.project().join("backup.db");
    machine
        .run(&["store", "backup", backup.to_str().unwrap()])
        .ok();
    let restored = format!("sqlite:{}", machine.home().join("restored.db").display());
    let backup = format!("sqlite:{}", backup.display());
    machine.run(&["store", "copy", &backup, &restored]).ok();
    for store in [copy, restored] {
        for words in [["note", "pin", "--json"], ["note", "check", "--json"]] {
            let mut there = machine.command(&words);
            let there = there.env("SCRATCHPAD_STORE_URL", &store).output().unwrap();
            let there = machine.answer(there).json();
            assert_eq!(there, machine.run(&words).json());
            assert!(
                there
                    .to_string()
                    .contains(added["note_id"].as_str().unwrap())
            );
        }
    }
}

#[test]
fn revisions_are_thinned_and_what_the_pad_holds_is_kept() {
    let machine = Machine::new();
    let settings = ["--config", "retention.revisions=20", "--session", "s"];
    let run = |words: &[&str]| machine.run(&[words, &settings].concat()).ok();
    run(&["session", "set-notes", "the notes"]);
    run(&["session", "set-plan", "the plan"]);
    for number in 0..60 {
        run(&["session", "refs", "add", &format!("src/{number}.rs")]);
    }
    let history = machine
        .run(&["session", "history", "--session", "s", "--json"])
        .json();
    let revisions = history["revisions"]
        .as_array()
        .unwrap_or_else(|| panic!("{history}"));
    assert!((10..=21).contains(&revisions.len()), "{}", revisions.len());
    let shown = machine.run(&["session", "show", "--session", "s"]).ok();
    for part in ["the notes", "the plan", "src/59.rs"] {
        assert!(shown.contains(part), "{shown}");
    }
    run(&["session", "restore", "1"]);
    run(&["session", "undo"]);

    // A thinned history is copied like any other, again and again.
    let to = format!("sqlite:{}", machine.home().join("copy.db").display());
    machine.run(&["store", "copy", ".", &to]).ok();
    for number in 60..90 {
        run(&["session", "refs", "add", &format!("src/{number}.rs")]);
    }
    machine.run(&["store", "copy", ".", &to]).ok();
    // By default a thousand stay.
    let settings = machine.run(&["config", "show"]).ok();
    assert!(
        settings.contains("retention.revisions") && settings.contains("1000"),
        "{settings}"
    );
}

#[test]
fn what_only_a_thinned_revision_named_is_let_go() {
    let machine = Machine::new();
    let settings = ["--config", "retention.revisions=20", "--session", "s"];
    let run = |words: &[&str]| machine.run(&[words, &settings].concat()).ok();
    let pinned = || {
        let listed = machine
            .run(&["output", "list", "--session", "s", "--json"])
            .json();
        let outputs = listed["outputs"].as_array().unwrap().clone();
        let pinned = outputs.iter().filter(|output| output["pinned_by"] == "s");
        pinned.count()
    };
    run(&["session", "set-plan", "go"]);
    run(&["session", "set-notes", &"x".repeat(5_000)]);
    run(&["session", "set-notes", &"y".repeat(5_000)]);
    assert_eq!(pinned(), 2);
    for number in 0..80 {
        run(&["session", "refs", "add", &format!("src/{number}.rs")]);
    }
    // The notes are still those of the second.
    assert_eq!(pinned(), 1);
    run(&["session", "undo"]);
    assert_eq!(pinned(), 1);
}

#[test]
fn progress_is_not_written_to_a_pipe() {
    let machine = machine();
    for (file, format) in [("text.db", &[][..]), ("json.db", &["--json"])] {
        let file = machine.home().join(file).display().to_string();
        let backup = machine.run(&[&["store", "backup", &file], format].concat());
        assert_eq!((backup.code, backup.err.as_str()), (Some(0), ""));
    }
}
