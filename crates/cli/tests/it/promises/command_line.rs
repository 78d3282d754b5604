//! Commands, help, errors and languages.

use crate::support::{Machine, sample};
use serde_json::{Value, json};

/// The commands of the contract, as far as they are built.
const COMMANDS: [&str; 59] = [
    "serve",
    "setup",
    "status",
    "man",
    "statusline",
    "search",
    "note show",
    "note edit",
    "context",
    "context add",
    "context list",
    "context remove",
    "context clear",
    "session",
    "session show",
    "session history",
    "session undo",
    "session restore",
    "session list",
    "session set-notes",
    "session append-notes",
    "session set-plan",
    "session refs",
    "session refs add",
    "session refs remove",
    "session refs set",
    "session export",
    "session import",
    "session fork",
    "session delete",
    "note add",
    "note scratch",
    "note update",
    "note delete",
    "note clear",
    "note list",
    "note search",
    "note tags",
    "output put",
    "output read",
    "output list",
    "output delete",
    "output prune",
    "output clear",
    "output stats",
    "prompt",
    "guidance",
    "inject",
    "mcp",
    "proxy",
    "run",
    "hook",
    "install",
    "uninstall",
    "doctor",
    "call",
    "config show",
    "config set",
    "completions",
];

/// What `--json` put on stderr.
fn error_of(machine: &Machine, arguments: &[&str], code: i32) -> Value {
    let answer = machine.run(&[arguments, &["--json"]].concat());
    assert_eq!(answer.code, Some(code), "{arguments:?}");
    assert_eq!(answer.out, "", "{arguments:?}");
    serde_json::from_str(&answer.err).unwrap_or_else(|error| panic!("{error}: {}", answer.err))
}

/// What help prints on a terminal this wide.
fn help_at(machine: &Machine, width: usize, arguments: &[&str]) -> String {
    let mut command = machine.command(arguments);
    command.env("COLUMNS", width.to_string());
    machine.answer(command.output().unwrap()).ok()
}

#[test]
fn help_is_a_command_that_shows_the_help_of_each_command() {
    let machine = Machine::new();
    for path in sample(&COMMANDS) {
        let words: Vec<&str> = path.split(' ').collect();
        let help = machine.run(&[&["help"], &words[..]].concat()).ok();
        assert_eq!(help, machine.run(&[&words[..], &["--help"]].concat()).ok());
        assert!(
            help.contains(&format!("\nUsage: scratchpad {path}")),
            "{help}"
        );
    }
    assert_eq!(machine.run(&["help"]).ok(), machine.run(&["--help"]).ok());
}

#[test]
fn help_of_a_command_that_does_not_exist_names_the_nearest() {
    let machine = Machine::new();
    let answer = machine.run(&["help", "session", "udno"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.err.contains("'udno'"), "{}", answer.err);
    assert!(answer.err.contains("exists: 'undo'"), "{}", answer.err);
    let answer = machine.run(&["help", "run", "ls"]);
    assert_eq!(answer.code, Some(2));
    assert_eq!(answer.err, "Error: `run` has no subcommand \"ls\".\n");
}

#[test]
fn help_of_the_hook_command_promises_no_option_that_hooks_refuse() {
    let machine = Machine::new();
    let help = machine.run(&["hook", "--help"]).ok();
    let options: Vec<&str> = help
        .lines()
        .filter_map(|line| line.trim_start().split_once("--")?.1.split(' ').next())
        .filter(|_| help.contains("Options:"))
        .collect();
    assert_eq!(options, ["tools", "no-outputs", "name", "help", "version"]);
    for option in options {
        let answer = machine.run_with(&["hook", "claude", &format!("--{option}")], b"{}");
        assert_eq!((answer.code, &*answer.err), (Some(0), ""));
    }
    let log = std::fs::read_to_string(machine.home().join("hook.log")).unwrap_or_default();
    assert!(!log.contains("Unknown argument"), "{log}");
}

#[test]
fn help_is_wrapped_once_however_narrow_the_terminal_is() {
    let machine = Machine::new();
    for path in sample(&COMMANDS) {
        for language in ["en", "de"] {
            let words: Vec<&str> = path.split(' ').collect();
            let arguments = [&["help"], &words[..], &["--lang", language]].concat();
            let help = help_at(&machine, 60, &arguments);
            let lines: Vec<&str> = help.lines().collect();
            for pair in lines.windows(2) {
                let is_prose = |line: &str| line.starts_with(|first: char| !first.is_whitespace());
                let first_word = pair[1].split(' ').next().unwrap_or_default();
                let joined = pair[0].chars().count() + 1 + first_word.chars().count();
                let is_broken = is_prose(pair[0]) && is_prose(pair[1]) && joined <= 60;
                assert!(!is_broken || pair[0].ends_with(':'), "{path}: {pair:?}");
            }
        }
    }
}

#[test]
fn errors_are_json_with_the_option_json() {
    let machine = Machine::new();
    let set = ["session", "set-notes", "x", "--session", "s"];
    machine.run(&set).ok();
    assert_eq!(
        error_of(&machine, &["session", "restore", "7", "--session", "s"], 1),
        json!({"error": {
            "kind": "refused",
            "message": "No revision 7: the session has 1 to 1. Nothing was changed.",
            "hint": "`scratchpad session history` lists them.",
        }})
    );
    assert_eq!(
        error_of(&machine, &["note", "add", "--tga", "deploy", "x"], 2),
        json!({"error": {
            "kind": "usage",
            "message": "unexpected argument '--tga' found",
            "hint": "a similar argument exists: '--tag'",
        }})
    );
    // What programs read is English, whatever the person speaks.
    assert_eq!(
        error_of(&machine, &["session", "shwo", "--lang", "de"], 2),
        json!({"error": {
            "kind": "usage",
            "message": "unrecognized subcommand 'shwo'",
            "hint": "a similar subcommand exists: 'show'",
        }})
    );
    assert_eq!(
        error_of(&machine, &["context", "remove", "3", "--lang", "de"], 1)["error"]["message"],
        "No context note 3: there are none. Nothing was changed."
    );
}

#[test]
fn with_the_option_json_every_line_on_stderr_is_json_and_english() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.home()).unwrap();
    std::fs::write(machine.home().join("config.toml"), "colour = 1\n").unwrap();
    for (arguments, kinds) in [
        (&["note", "delete", "note_1"][..], &["warning", "error"][..]),
        (&["session", "set-plan", "x"], &["warning", "remark"]),
        (&["session", "show"], &["warning", "remark"]),
        (&["call", "list_tags"], &["warning", "remark"]),
        (&["context", "add", "x"], &["warning"]),
        (
            &["session", "restore", "9"],
            &["warning", "remark", "error"],
        ),
    ] {
        let said = machine
            .run(&[arguments, &["--json", "--lang", "de"]].concat())
            .err;
        let lines: Vec<Value> = said
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{said}")))
            .collect();
        let found: Vec<&String> = lines
            .iter()
            .flat_map(|line| line.as_object().unwrap().keys())
            .collect();
        assert_eq!(found, kinds, "{arguments:?}: {said}");
        assert!(said.contains("It is ignored."), "{said}");
    }
}

#[test]
fn a_wrong_option_is_named_and_not_the_word_behind_it() {
    let machine = Machine::new();
    for arguments in [
        &["note", "add", "--tga", "deploy", "The VPN is needed"][..],
        &["note", "add", "The VPN is needed", "--tga", "deploy"],
        &["note", "add", "--tga=deploy", "The VPN is needed"],
    ] {
        let answer = machine.run(arguments);
        assert_eq!(answer.code, Some(2));
        assert!(answer.err.contains("'--tga'"), "{}", answer.err);
        assert!(answer.err.contains("'--tag'"), "{}", answer.err);
        let answer = machine.run(&[arguments, &["--lang", "de"]].concat());
        assert!(answer.err.contains("'--tga'"), "{}", answer.err);
    }
}

#[test]
fn a_prompt_that_is_too_large_comes_out_unchanged_before_the_error() {
    let machine = Machine::new();
    let set = ["session", "set-notes", "x", "--session", "s"];
    machine.run(&set).ok();
    for text in [
        "a line of text\n".repeat(1_200_000).into_bytes(),
        b"no UTF-8: \xff\n".to_vec(),
    ] {
        let child = machine
            .command(&["prompt", "--session", "s"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let output = crate::support::feed(child, &text);
        assert!(output.stdout == text, "{} bytes", output.stdout.len());
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.starts_with("Error: Stdin is "), "{error}");
    }
}

#[test]
fn a_failure_ends_with_1_and_wrong_usage_with_2_each_with_what_to_do() {
    let machine = Machine::new();
    let failed = machine.run(&["session", "show", "--session", "s"]);
    assert_eq!(failed.code, Some(1));
    assert_eq!(failed.err.lines().count(), 2, "{}", failed.err);
    assert!(failed.err.contains("\nHint: "), "{}", failed.err);
    let wrong = machine.run(&["session", "show", "--revison", "3"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("\nHint: "), "{}", wrong.err);
}

#[test]
fn what_answers_data_answers_json_when_asked() {
    let machine = Machine::new();
    machine.run(&["note", "add", "x", "--session", "s"]).ok();
    for arguments in [
        &["session", "show"][..],
        &["session", "history"],
        &["session", "list"],
        &["session", "refs", "list"],
        &["note", "list"],
        &["note", "search", "x"],
        &["note", "tags"],
        &["output", "list"],
        &["output", "stats"],
        &["context", "list"],
        &["inject", "--status"],
        &["profile", "list"],
        &["config", "show"],
        &["config", "path"],
        &["config", "schema"],
        &["doctor"],
        &["guidance"],
        &["call", "list_tags"],
    ] {
        let answer = machine.run(&[arguments, &["--session", "s", "--json"]].concat());
        let data: Result<Value, _> = serde_json::from_str(&answer.out);
        assert!(data.is_ok(), "{arguments:?}: {}{}", answer.out, answer.err);
    }
}

#[test]
fn a_usage_error_for_a_program_names_its_arguments() {
    let machine = Machine::new();
    for (arguments, named) in [
        (&["session", "fork"][..], "<FROM>"),
        (&["session", "mark"], "<ITEM>"),
        (&["config", "set"], "<KEY>, <VALUE>"),
    ] {
        let error = error_of(&machine, arguments, 2);
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains(named), "{message}");
    }
}
