//! Text written by agents and servers can't control the terminal of the person who looks at it; a pipe gets it unchanged.

#![cfg(unix)]

use std::fs::{File, OpenOptions};
use std::io::Read;

use crate::support::Machine;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Clears the screen, sets the title, answers for the person, reverses the writing direction.
const HOSTILE: &str = "a\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}5n\u{202e}b\u{7f}\u{8}c";

/// What a person sees on a terminal, with stdin elsewhere.
fn seen(machine: &Machine, arguments: &[&str], stdin: &[u8]) -> String {
    let (text, is_success) = seen_with(machine, arguments, stdin, &[("NO_COLOR", "1")]);
    assert!(is_success, "{arguments:?}");
    text
}

/// The same with these variables, and whether the command succeeded.
fn seen_with(
    machine: &Machine,
    arguments: &[&str],
    stdin: &[u8],
    variables: &[(&str, &str)],
) -> (String, bool) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave = OpenOptions::new()
        .read(true)
        .write(true)
        .open(name.to_str().unwrap())
        .unwrap();
    let input = machine.project().join("stdin");
    std::fs::write(&input, stdin).unwrap();
    let mut command = machine.command(arguments);
    command.envs(variables.iter().copied());
    let mut child = command
        .stdin(File::open(input).unwrap())
        .stdout(slave.try_clone().unwrap())
        .stderr(slave)
        .spawn()
        .unwrap();
    // Its copies of the other end close with the command: then reading ends, with an error.
    drop(command);
    let mut bytes = Vec::new();
    let mut master = File::from(master);
    let mut part = [0; 4_096];
    while let Ok(count @ 1..) = master.read(&mut part) {
        bytes.extend_from_slice(&part[..count]);
    }
    let is_success = child.wait().unwrap().success();
    let text = String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
    (text, is_success)
}

fn steers(text: &str) -> bool {
    text.chars().any(|char| {
        (char.is_control() && !matches!(char, '\n' | '\t'))
            || matches!(char, '\u{202a}'..='\u{202e}')
    })
}

#[test]
fn content_cannot_steer_a_terminal() {
    let machine = Machine::new();
    let session = ["--session", "s"];
    let write = |arguments: &[&str]| machine.run(&[arguments, &session].concat()).ok();
    write(&["session", "set-notes", HOSTILE]);
    write(&["session", "refs", "add", HOSTILE]);
    write(&["note", "add", HOSTILE]);
    machine.run(&["context", "add", HOSTILE]).ok();
    let log = format!("{HOSTILE}\n").repeat(400);
    let reference = machine
        .run_with(
            &["output", "put", "--tool", HOSTILE, "--session", "s"],
            log.as_bytes(),
        )
        .ok();
    let id = reference.split_whitespace().nth(1).unwrap().to_owned();

    for arguments in [
        &["session", "show"][..],
        &["session", "show", "--json"],
        &["session", "history"],
        &["session", "list"],
        &["status"],
        &["session", "export"],
        &["note", "list"],
        &["note", "list", "--json"],
        &["note", "search", "b"],
        &["note", "tags"],
        &["note", "export"],
        &["output", "list", "--query", "title"],
        &["output", "read", &id],
        &["output", "read", &id, "--lines", "1-2"],
        &["output", "read", &id, "--grep", "title"],
        &["output", "put"],
        &["context", "list"],
        &["prompt"],
        &["inject", "--dry-run", "--tool", "claude"],
        &["call", "list_notes", "{}"],
    ] {
        let arguments = [arguments, &session].concat();
        let stdin = if arguments[1] == "put" {
            log.as_bytes()
        } else {
            b"x\n"
        };
        let text = seen(&machine, &arguments, stdin);
        assert!(!steers(&text), "{arguments:?}: {text:?}");
        assert!(!text.is_empty(), "{arguments:?}");
    }

    // A pipe gets what was written.
    assert_eq!(machine.run(&["output", "read", &id]).ok(), log);
    let lines = machine.run(&["output", "read", &id, "--lines", "1"]).ok();
    assert_eq!(lines, format!("{HOSTILE}\n"));
    assert!(write(&["session", "show"]).contains(HOSTILE));
    assert!(write(&["note", "list"]).contains(HOSTILE));
}

#[test]
fn a_large_output_on_a_terminal_is_whole_and_says_what_is_no_text() {
    let machine = Machine::new();
    // A character of three bytes spans the end of each part that is read.
    let mut log = "\u{2713}".repeat(100_000).into_bytes();
    log.extend_from_slice(b"\xff\n");
    let reference = machine
        .run_with(&["output", "put", "--session", "s"], &log)
        .ok();
    let id = reference.split_whitespace().nth(1).unwrap();
    let text = seen(&machine, &["output", "read", id], b"");
    assert_eq!(text, format!("{}\\xff\n", "\u{2713}".repeat(100_000)));
}

#[test]
fn a_dumb_terminal_and_no_color_get_help_and_errors_without_control_sequences() {
    let machine = Machine::new();
    let help = &["session", "--help"][..];
    let error = &["session", "show", "--session", "s"][..];
    for arguments in [help, error] {
        let coloured = |name: &str, value: &str| {
            let (text, _) = seen_with(&machine, arguments, b"", &[(name, value)]);
            assert!(text.contains("session"), "{text}");
            steers(&text)
        };
        assert!(coloured("TERM", "xterm"), "{arguments:?}");
        assert!(!coloured("TERM", "dumb"), "{arguments:?}");
        assert!(!coloured("NO_COLOR", "1"), "{arguments:?}");
    }
}
