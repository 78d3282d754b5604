//! Context notes: what the person writes for every agent of a project.

use std::fs;
use std::path::PathBuf;
use std::thread;

#[cfg(target_os = "linux")]
use crate::support::injector::{at_every_call, kill_at};
use crate::support::{Machine, mode};
use snapbox::{assert_data_eq, str};

fn file(machine: &Machine) -> PathBuf {
    machine.project().join(".scratchpad/scratch.yaml")
}

fn with_file(text: &str) -> Machine {
    let machine = Machine::new();
    fs::create_dir_all(machine.project().join(".scratchpad")).unwrap();
    fs::write(file(&machine), text).unwrap();
    machine
}

#[test]
fn notes_are_added_listed_removed_and_cleared() {
    let machine = Machine::new();
    let seen = [
        machine.run(&["context"]).seen(),
        machine
            .run(&["context", "add", "  Deploys are frozen \n"])
            .seen(),
        machine
            .run_with(&["context", "add"], b"Ask before you push\n")
            .seen(),
        machine.run(&["context", "list"]).seen(),
        machine.run(&["context", "--json"]).seen(),
        machine.run(&["context", "remove", "1"]).seen(),
        machine.run(&["context", "add", "--json", "third"]).seen(),
        machine.run(&["context", "clear"]).seen(),
        machine.run(&["context", "clear", "--json"]).seen(),
    ];
    assert_data_eq!(
        seen.concat(),
        str![[r#"
exit 0
--- stdout
--- stderr
No context notes in [ROOT]/project. Add one: `scratchpad context add TEXT`.
exit 0
--- stdout
Context note 1 added.
--- stderr
No agent reads the notes yet: run `scratchpad install HOST` or `scratchpad inject`.
exit 0
--- stdout
Context note 2 added.
--- stderr
No agent reads the notes yet: run `scratchpad install HOST` or `scratchpad inject`.
exit 0
--- stdout
## Current Context
- 1. Deploys are frozen
- 2. Ask before you push
--- stderr
exit 0
--- stdout
{"notes":["Deploys are frozen","Ask before you push"],"file":"[ROOT]/project/.scratchpad/scratch.yaml"}
--- stderr
exit 0
--- stdout
Context note 1 removed: Deploys are frozen
--- stderr
No agent reads the notes yet: run `scratchpad install HOST` or `scratchpad inject`.
exit 0
--- stdout
{"number":2,"notes":2,"refreshed":[],"hooks":[],"hooks_not_run":[]}
--- stderr
exit 0
--- stdout
2 context notes removed.
--- stderr
exit 0
--- stdout
{"removed":0,"notes":0,"was_damaged":false,"refreshed":[],"hooks":[],"hooks_not_run":[]}
--- stderr

"#]]
    );
    assert!(!file(&machine).exists());
    assert!(
        !machine.home().exists(),
        "notes of a project need no database and no data directory"
    );
}

#[test]
fn the_file_and_its_directory_are_private() {
    let machine = Machine::new();
    machine.run(&["context", "add", "x"]).ok();
    assert_eq!(mode(&file(&machine)), 0o600);
    assert_eq!(mode(file(&machine).parent().unwrap()), 0o700);
    let ignored = fs::read_to_string(machine.project().join(".scratchpad/.gitignore")).unwrap();
    assert!(ignored.contains("\n*\n"), "{ignored}");
    assert_eq!(
        fs::read_to_string(file(&machine)).unwrap(),
        "notes:\n- \"x\"\n"
    );
}

#[test]
fn other_keys_and_comments_survive() {
    let machine = with_file("# mine\ntitle: x\nnotes:\n  - one   # first\nlast: [1, 2]\n");
    machine.run(&["context", "add", "two"]).ok();
    machine.run(&["context", "remove", "1"]).ok();
    assert_data_eq!(
        fs::read_to_string(file(&machine)).unwrap(),
        str![[r##"
# mine
title: x
notes:
  - "two"
last: [1, 2]

"##]]
    );
    machine.run(&["context", "clear"]).ok();
    assert_data_eq!(
        fs::read_to_string(file(&machine)).unwrap(),
        str![[r#"
# mine
title: x
notes: []
last: [1, 2]

"#]]
    );
}

#[test]
fn what_can_be_no_note_is_refused() {
    let machine = Machine::new();
    let seen = [
        machine.run(&["context", "add", ""]).seen(),
        machine.run(&["context", "add", " \n\t"]).seen(),
        machine
            .run_with(&["context", "add"], &vec![b'x'; 1_000_000])
            .seen(),
        machine.run_with(&["context", "add"], b"").seen(),
        machine.run_with(&["context", "add"], b"\xff").seen(),
        machine.run(&["context", "remove", "1"]).seen(),
        machine.run(&["context", "remove", "0"]).seen(),
    ];
    assert_data_eq!(
        seen.concat(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: Context note not added: it is empty. Nothing was changed.
Hint: say what agents should know: `scratchpad context add "Deploys are frozen"`.
exit 2
--- stdout
--- stderr
Error: Context note not added: it is empty. Nothing was changed.
Hint: say what agents should know: `scratchpad context add "Deploys are frozen"`.
exit 1
--- stdout
--- stderr
Error: Context note not added: 1,000,000 bytes, the limit is 16,384. Nothing was changed.
Hint: put the text in a file, and name the file in a note.
exit 2
--- stdout
--- stderr
Error: No text given.
Hint: pass it as an argument ("" is the empty text), or pipe it in.
exit 1
--- stdout
--- stderr
Error: Stdin is not UTF-8: byte 0xff at offset 0. Nothing was changed.
Hint: convert it first, for example with `iconv -f LATIN1 -t UTF-8`.
exit 1
--- stdout
--- stderr
Error: No context note 1: there are none. Nothing was changed.
Hint: `scratchpad context list` shows them with their numbers.
exit 1
--- stdout
--- stderr
Error: No context note 0: there are none. Nothing was changed.
Hint: `scratchpad context list` shows them with their numbers.

"#]]
    );
    assert!(!machine.project().join(".scratchpad").exists());
    machine
        .run(&["context", "add", &"x".repeat(16 * 1024)])
        .ok();
}

#[test]
fn a_file_that_is_wrong_is_named_with_line_and_column_and_left_alone() {
    let bomb = (1..12).fold("a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned(), |text, level| {
        let below = format!("*a{},", level - 1).repeat(9);
        format!("{text}a{level}: &a{level} [{below}]\n")
    }) + "notes: *a11\n";
    let mut seen = String::new();
    for text in [
        "notes: [a\n",
        "title: x\nnotes: hello\n",
        "notes:\n- {a: b}\n",
        &bomb,
    ] {
        let machine = with_file(text);
        for arguments in [
            &["context", "add", "new"][..],
            &["context", "list"],
            &["context", "remove", "1"],
        ] {
            seen += &machine.run(arguments).err;
            assert_eq!(fs::read_to_string(file(&machine)).unwrap(), text);
        }
        seen += &machine.run(&["context", "clear"]).ok();
        assert!(!file(&machine).exists());
    }
    assert_data_eq!(
        seen,
        str![[r#"
Error: [ROOT]/project/.scratchpad/scratch.yaml: line 1, column 8: unclosed bracket '['. Nothing was changed.
Hint: fix the file, or remove it with `scratchpad context clear`.
Error: [ROOT]/project/.scratchpad/scratch.yaml: line 1, column 8: unclosed bracket '['.
Hint: fix the file, or remove it with `scratchpad context clear`.
Error: [ROOT]/project/.scratchpad/scratch.yaml: line 1, column 8: unclosed bracket '['. Nothing was changed.
Hint: fix the file, or remove it with `scratchpad context clear`.
The file could not be read and was removed: [ROOT]/project/.scratchpad/scratch.yaml
Error: [ROOT]/project/.scratchpad/scratch.yaml: line 2, column 8: a list of texts is expected here. Nothing was changed.
Hint: fix the file, or remove it with `scratchpad context clear`.
Error: [ROOT]/project/.scratchpad/scratch.yaml: line 2, column 8: a list of texts is expected here.
Hint: fix the file, or remove it with `scratchpad context clear`.
Error: [ROOT]/project/.scratchpad/scratch.yaml: line 2, column 8: a list of texts is expected here. Nothing was changed.
Hint: fix the file, or remove it with `scratchpad context clear`.
The file could not be read and was removed: [ROOT]/project/.scratchpad/scratch.yaml
Error: [ROOT]/project/.scratchpad/scratch.yaml: line 2, column 3: a text is expected here. Nothing was changed.
Hint: fix the file, or remove it with `scratchpad context clear`.
Error: [ROOT]/project/.scratchpad/scratch.yaml: line 2, column 3: a text is expected here.
Hint: fix the file, or remove it with `scratchpad context clear`.
Error: [ROOT]/project/.scratchpad/scratch.yaml: line 2, column 3: a text is expected here. Nothing was changed.
Hint: fix the file, or remove it with `scratchpad context clear`.
The file could not be read and was removed: [ROOT]/project/.scratchpad/scratch.yaml
Error: [ROOT]/project/.scratchpad/scratch.yaml: line 6, column 10: too many repetitions or levels of nesting. Nothing was changed.
Hint: fix the file, or remove it with `scratchpad context clear`.
Error: [ROOT]/project/.scratchpad/scratch.yaml: line 6, column 10: too many repetitions or levels of nesting.
Hint: fix the file, or remove it with `scratchpad context clear`.
Error: [ROOT]/project/.scratchpad/scratch.yaml: line 6, column 10: too many repetitions or levels of nesting. Nothing was changed.
Hint: fix the file, or remove it with `scratchpad context clear`.
The file could not be read and was removed: [ROOT]/project/.scratchpad/scratch.yaml

"#]]
    );
}

#[test]
fn what_takes_the_place_of_ours_is_named_and_left_alone() {
    let machine = Machine::new();
    let place = machine.project().join(".scratchpad");
    fs::write(&place, "theirs").unwrap();
    assert_data_eq!(
        machine.run(&["context", "add", "x"]).seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: Can't create the directory [ROOT]/project/.scratchpad: file exists. Nothing was changed.
Hint: move away what is there, or create the directory yourself.

"#]]
    );
    assert_eq!(fs::read(&place).unwrap(), b"theirs");

    // A link to something else: clearing takes the link.
    fs::remove_file(&place).unwrap();
    let other = machine.project().join("other");
    fs::write(&other, "no: [notes").unwrap();
    fs::create_dir_all(machine.project().join(".sap-devs")).unwrap();
    fs::write(
        machine.project().join(".sap-devs/scratch.yaml"),
        "notes: [old]",
    )
    .unwrap();
    fs::create_dir(&place).unwrap();
    std::os::unix::fs::symlink(&other, file(&machine)).unwrap();
    machine.run(&["context", "clear"]).ok();
    assert_eq!(fs::read(&other).unwrap(), b"no: [notes");
    assert_eq!(fs::read(file(&machine)).unwrap(), b"notes: []\n");
}

#[test]
fn notes_that_a_repository_lets_into_git_are_warned_of() {
    let machine = Machine::new();
    let init = std::process::Command::new("git")
        .args(["init", "-q"])
        .current_dir(machine.project())
        .status();
    assert!(init.unwrap().success());
    let add = || {
        let mut command = machine.command(&["context", "add", "x"]);
        command.env("PATH", std::env::var_os("PATH").unwrap());
        machine.answer(command.output().unwrap()).err
    };
    assert!(!add().contains("Warning"));
    fs::write(machine.project().join(".scratchpad/.gitignore"), "").unwrap();
    assert_data_eq!(
        add(),
        str![[r#"
Warning: git does not ignore [ROOT]/project/.scratchpad/scratch.yaml, which now holds your context notes: the next `git add` includes them.
No agent reads the notes yet: run `scratchpad install HOST` or `scratchpad inject`.

"#]]
    );
}

#[test]
fn notes_of_the_older_tool_are_read_until_there_are_own() {
    let machine = Machine::new();
    let older = machine.project().join(".sap-devs/scratch.yaml");
    fs::create_dir_all(older.parent().unwrap()).unwrap();
    fs::write(&older, "notes:\n- old\n").unwrap();
    assert_eq!(
        machine.run(&["context"]).ok(),
        "## Current Context\n- 1. old\n"
    );
    machine.run(&["context", "add", "new"]).ok();
    assert_eq!(
        machine.run(&["context"]).ok(),
        "## Current Context\n- 1. old\n- 2. new\n"
    );
    machine.run(&["context", "clear"]).ok();
    assert_eq!(machine.run(&["context"]).ok(), "");
    assert_eq!(fs::read_to_string(&older).unwrap(), "notes:\n- old\n");
}

#[test]
fn processes_that_add_at_once_lose_nothing() {
    const PROCESSES: usize = 8;
    const EACH: usize = 10;
    let machine = Machine::new();
    thread::scope(|scope| {
        for process in 0..PROCESSES {
            let machine = &machine;
            scope.spawn(move || {
                for count in 0..EACH {
                    machine
                        .run(&["context", "add", &format!("{process}:{count}")])
                        .ok();
                }
            });
        }
    });
    let listed = machine.run(&["context", "--json"]).json();
    let mut notes: Vec<&str> = listed["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| note.as_str().unwrap())
        .collect();
    notes.sort_unstable();
    let mut expected: Vec<String> = (0..PROCESSES)
        .flat_map(|process| (0..EACH).map(move |count| format!("{process}:{count}")))
        .collect();
    expected.sort_unstable();
    assert_eq!(notes, expected);
}

#[test]
#[cfg(target_os = "linux")]
fn killed_before_any_system_call_it_leaves_the_old_notes_or_the_new_ones() {
    let machine = Machine::new();
    let mut known = 0;
    let kills = at_every_call(|call| {
        let mut command = machine.command(&["context", "add", &format!("note {call}")]);
        kill_at(&mut command, machine.project().to_str().unwrap(), call);
        let lived = command.output().unwrap().status.code().is_some();
        let notes = machine.run(&["context", "--json"]).json();
        let there = notes["notes"].as_array().unwrap().len();
        let added = there - known;
        assert!(added == 1 || added == 0 && !lived, "call {call}: {notes}");
        known = there;
        lived
    });
    assert!(kills > 5, "only {kills} calls");
    assert!(known < kills as usize, "some kills come before the write");
}
