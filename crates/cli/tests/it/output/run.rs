//! `run`: a command through the real binary.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};

use crate::support::{Answer, Machine};
use snapbox::{assert_data_eq, str};

/// Runs a shell line.
fn sh(machine: &Machine, line: &str) -> Answer {
    machine.run(&["run", "--", "sh", "-c", line])
}

/// Runs a shell line, its answer in bytes.
fn sh_bytes(machine: &Machine, line: &str) -> Output {
    let mut command = machine.command(&["run", "--", "sh", "-c", line]);
    command.output().unwrap()
}

/// This many bytes on one line.
fn bytes(count: usize) -> String {
    format!("head -c {count} /dev/zero | tr '\\0' x")
}

/// The id of the one output that was kept.
fn id_of(reference: &str) -> String {
    let is_id = |word: &&str| word.len() == 12 && word.chars().all(|char| char.is_ascii_hexdigit());
    let mut words = reference.split(|char: char| !char.is_ascii_alphanumeric());
    words
        .find(is_id)
        .unwrap_or_else(|| panic!("{reference}"))
        .to_owned()
}

/// The files in the store's directory of outputs, those on their way included.
fn kept_files(machine: &Machine) -> usize {
    fs::read_dir(machine.home().join("outputs")).map_or(0, Iterator::count)
}

/// What `seq` prints.
fn numbers(range: std::ops::RangeInclusive<u32>) -> String {
    let lines: Vec<String> = range.map(|number| format!("{number}\n")).collect();
    lines.concat()
}

#[test]
fn stdout_and_stderr_come_in_the_order_they_were_written() {
    let line = "for i in 1 2 3; do echo out $i; echo err $i >&2; done";
    assert_data_eq!(
        sh(&Machine::new(), line).seen(),
        str![[r#"
exit 0
--- stdout
out 1
err 1
out 2
err 2
out 3
err 3
--- stderr

"#]]
    );
}

#[test]
fn the_exit_code_is_the_commands() {
    let machine = Machine::new();
    for code in [0, 1, 2, 42, 255] {
        assert_eq!(sh(&machine, &format!("exit {code}")).code, Some(code));
    }
    assert_eq!(sh(&machine, "kill -9 $$").code, Some(128 + 9));
    assert_eq!(sh(&machine, "kill -TERM $$").code, Some(128 + 15));
    let large = sh(&machine, &format!("{}; exit 3", bytes(5_000)));
    assert_eq!(large.code, Some(3));
    assert_eq!(id_of(&large.out).len(), 12);
}

#[test]
fn what_is_not_a_command() {
    let machine = Machine::new();
    fs::write(machine.project().join("data"), "text").unwrap();
    let mut seen = String::new();
    for arguments in [
        &["run", "--", "no-such-command"][..],
        &["run", "--", "./data"],
        &["run", "--", ""],
        &["run"],
        &["run", "--tol", "x", "--", "true"],
        &["run", "--json", "--", "true"],
    ] {
        seen += &machine.run(arguments).seen();
    }
    assert_data_eq!(
        seen,
        str![[r#"
exit 127
--- stdout
--- stderr
Error: Command `no-such-command` not found.
Hint: for a shell command line, use `scratchpad run -- sh -c 'LINE'`.
exit 126
--- stdout
--- stderr
Error: Can't run `./data`: permission denied.
exit 127
--- stdout
--- stderr
Error: Command `` not found.
Hint: for a shell command line, use `scratchpad run -- sh -c 'LINE'`.
exit 2
--- stdout
--- stderr
Error: the following required arguments were not provided:
  <COMMAND>...

Usage: scratchpad run <COMMAND>...

For more information, try '--help'.
exit 2
--- stdout
--- stderr
Error: unexpected argument '--tol' found

Hint: a similar argument exists: '--tool'

Usage: scratchpad run --tool <NAME> <COMMAND>...

For more information, try '--help'.
exit 2
--- stdout
--- stderr
{"error":{"kind":"usage","message":"`run` has no JSON output: it prints what the command prints.","hint":"`scratchpad output list --json` shows what was kept."}}

"#]]
    );
}

#[test]
fn arguments_of_the_command_are_its_own() {
    let machine = Machine::new();
    let answer = machine.run(&["run", "echo", "--json", "-n", "--tool", "--", "x"]);
    assert_eq!(answer.ok(), "--json -n --tool -- x\n");
}

#[test]
fn the_threshold_itself_still_passes() {
    let machine = Machine::new();
    let below = sh(&machine, &bytes(4_096)).ok();
    assert_eq!(below, "x".repeat(4_096));
    assert_eq!(kept_files(&machine), 0);
    let above = sh(&machine, &bytes(4_097));
    assert!(above.out.len() <= 1_024, "{above:?}");
    assert_eq!(above.err, "");
    let id = id_of(&above.out);
    assert_eq!(
        machine.run(&["output", "read", &id]).ok(),
        "x".repeat(4_097)
    );
}

#[test]
fn a_rule_and_a_large_threshold_count() {
    let machine = Machine::new();
    let run = |setting: &str| {
        let line = bytes(3_000_000);
        machine.run(&[
            "run", "--config", setting, "--tool", "t", "--", "sh", "-c", &line,
        ])
    };
    // More than is held in memory, and still not kept.
    assert_eq!(run("outputs.threshold=3000000").ok().len(), 3_000_000);
    assert_eq!(kept_files(&machine), 0);
    assert_eq!(run("outputs.rules=run/t: never").ok().len(), 3_000_000);
    id_of(&run("outputs.rules=run/t: 2999999").ok());
    assert_eq!(kept_files(&machine), 1);
}

#[test]
fn a_tee_shows_it_live_beside_the_reference() {
    let machine = Machine::new();
    let answer = machine.run(&["run", "--tee", "--", "sh", "-c", &bytes(5_000)]);
    assert_eq!(answer.err, "x".repeat(5_000));
    id_of(&answer.ok());
}

#[test]
fn bytes_that_are_no_text_are_kept_exactly() {
    let machine = Machine::new();
    let line = "i=0; while [ $i -lt 9 ]; do printf '\\377\\000\\r\\n\\200%s' $i; i=$((i+1)); done";
    let expected: Vec<u8> = (0..9)
        .flat_map(|i| [&b"\xff\0\r\n\x80"[..], i.to_string().as_bytes()].concat())
        .collect();
    assert_eq!(sh_bytes(&machine, line).stdout, expected);
    let many = format!("for j in $(seq 100); do {line}; done");
    let reference = String::from_utf8(sh_bytes(&machine, &many).stdout).unwrap();
    let mut read = machine.command(&["output", "read", &id_of(&reference)]);
    assert_eq!(read.output().unwrap().stdout, expected.repeat(100));
}

#[test]
fn stdin_is_the_commands() {
    let answer = Machine::new().run_with(&["run", "--", "cat"], b"given");
    assert_eq!(answer.ok(), "given");
}

#[test]
fn switched_off_everything_passes_as_it_comes() {
    let machine = Machine::new();
    let line = format!("{}; echo warning >&2; exit 5", bytes(10_000));
    let answer = machine.run(&[
        "run",
        "--config",
        "outputs.enabled=false",
        "--",
        "sh",
        "-c",
        &line,
    ]);
    assert_eq!(answer.code, Some(5));
    assert_eq!(answer.out, "x".repeat(10_000));
    assert_eq!(answer.err, "warning\n");
    assert!(!machine.home().exists());
}

#[test]
fn a_store_that_can_not_be_opened_loses_nothing() {
    let machine = Machine::new();
    fs::write(machine.home(), "in the way").unwrap();
    let answer = sh(
        &machine,
        &format!("{}; echo; echo end; exit 4", bytes(100_000)),
    );
    assert_eq!(answer.out, format!("{}\nend\n", "x".repeat(100_000)));
    assert_eq!(answer.code, Some(4));
    assert_data_eq!(
        answer.err,
        str![[r#"
Warning: the output was not kept and is printed whole: Can't create the directory [ROOT]/home: file exists. Nothing was changed. (create it yourself, or choose another directory with SCRATCHPAD_HOME=DIR.)

"#]]
    );
}

#[test]
fn a_disk_that_is_full_in_the_middle_loses_nothing() {
    let machine = Machine::new();
    // A limit of file sizes simulates a full disk; without the signal, the write fails with an error.
    let binary = env!("CARGO_BIN_EXE_scratchpad");
    let line = format!(
        "trap '' XFSZ; ulimit -f 1024; exec {binary} run -- sh -c '{}; echo end; exit 6'",
        "seq 1000000"
    );
    let mut command = Command::new("bash");
    let output = command
        .args(["-c", &line])
        .current_dir(machine.project())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("SCRATCHPAD_HOME", machine.home())
        .output()
        .unwrap();
    let expected = numbers(1..=1_000_000);
    assert!(output.stdout == (expected + "end\n").into_bytes());
    let answer = machine.answer(Output {
        stdout: Vec::new(),
        ..output
    });
    assert_eq!(answer.code, Some(6));
    assert_data_eq!(
        answer.err,
        str![[r#"
Warning: the output was not kept and is printed whole: Can't write the output to the store: file too large.

"#]]
    );
    assert_eq!(kept_files(&machine), 0);
}

#[test]
fn a_database_that_somebody_holds_loses_nothing() {
    let machine = Machine::new();
    machine.run(&["session", "set-notes", "x"]).ok();
    let other = rusqlite::Connection::open(machine.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut command = machine.command(&["run", "--", "sh", "-c", "seq 10000; exit 9"]);
    command.env("SCRATCHPAD_STORE_BUSY_TIMEOUT_MS", "20");
    let answer = machine.answer(command.output().unwrap());
    let expected = numbers(1..=10_000);
    assert_eq!(answer.out, expected);
    assert_eq!(answer.code, Some(9));
    assert_data_eq!(
        answer.err,
        str![[r#"
Warning: the output was not kept and is printed whole: Another process locked [ROOT]/home/scratchpad.db for more than 20 ms. Nothing was changed. (try again; `store.busy_timeout_ms` sets how long to wait.)

"#]]
    );
    assert_eq!(kept_files(&machine), 0);
}

#[test]
fn a_process_left_behind_holds_up_nobody() {
    let machine = Machine::new();
    let answer = sh(&machine, "sleep 600 & echo $!");
    let sleeper = answer.out.trim().to_owned();
    assert!(
        Command::new("kill")
            .arg(sleeper)
            .status()
            .unwrap()
            .success()
    );
    assert_data_eq!(
        answer.err,
        str![[r#"
Warning: a process that the command left behind still has its output open; what it writes from now on is lost.

"#]]
    );
    assert_eq!(answer.code, Some(0));
    // A process that never stops writing ends when its pipe is closed.
    let answer = sh(&machine, "yes & exit 3");
    assert_eq!(answer.code, Some(3));
    id_of(&answer.out);
}

#[test]
fn all_that_the_command_wrote_is_there_whatever_it_left_behind() {
    let machine = Machine::new();
    let answer = sh(&machine, "sleep 600 & echo $! >pid; seq 500000");
    let sleeper = fs::read_to_string(machine.project().join("pid")).unwrap();
    assert!(
        Command::new("kill")
            .arg(sleeper.trim())
            .status()
            .unwrap()
            .success()
    );
    let read = machine.run(&["output", "read", &id_of(&answer.out)]).ok();
    let expected = numbers(1..=500_000);
    assert!(read == expected);
}

/// A command that says when it is ready, through the tee.
fn ready(machine: &Machine, line: &str) -> (Child, BufReader<std::process::ChildStderr>) {
    let mut command = machine.command(&["run", "--tee", "--", "sh", "-c", line]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut first = String::new();
    stderr.read_line(&mut first).unwrap();
    assert_eq!(first, "ready\n");
    (child, stderr)
}

fn signal(child: &Child, name: &str) {
    let mut kill = Command::new("kill");
    kill.args(["-s", name, &child.id().to_string()]);
    assert!(kill.status().unwrap().success());
}

#[test]
fn signals_go_on_to_the_command() {
    let machine = Machine::new();
    for name in ["TERM", "INT", "HUP", "USR1"] {
        let line = format!(
            "trap 'echo got {name}; exit 7' {name}; echo ready; while :; do sleep 0.02; done"
        );
        let (mut child, _stderr) = ready(&machine, &line);
        signal(&child, name);
        let mut out = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut out)
            .unwrap();
        assert_eq!(out, format!("ready\ngot {name}\n"));
        assert_eq!(child.wait().unwrap().code(), Some(7));
    }
    let (mut child, _stderr) = ready(&machine, "echo ready; exec sleep 600");
    signal(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
}

#[test]
fn the_output_belongs_to_the_session_that_is_named() {
    let machine = Machine::new();
    let line = bytes(5_000);
    let answer = machine.run(&["run", "--session", "s1", "--", "sh", "-c", &line]);
    assert_eq!(answer.err, "");
    let id = id_of(&answer.ok());
    let list = machine
        .run(&["call", "scratchpad_list", "{}", "--session", "s1"])
        .ok();
    assert!(list.contains(&id), "{list}");
}
