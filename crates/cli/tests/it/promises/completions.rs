//! Completions that know what is there, and man pages.

use crate::support::Machine;

/// The words that fit after these; the last is the one at the cursor.
fn fitting(machine: &Machine, words: &[&str]) -> Vec<String> {
    let said = machine.run(&[&["complete", "--"], words].concat()).ok();
    let words = said.lines().map(|line| line.split('\t').next().unwrap());
    words.map(str::to_owned).collect()
}

fn filled() -> Machine {
    let machine = Machine::new();
    for (session, plan) in [("build-1", "1. fix the cache"), ("docs", "write")] {
        machine
            .run(&["session", "set-plan", plan, "--session", session])
            .ok();
    }
    machine
}

#[test]
fn completions_know_commands_options_and_fixed_values() {
    let machine = Machine::new();
    assert_eq!(fitting(&machine, &["sess"]), ["session"]);
    assert_eq!(
        fitting(&machine, &["session", "set-"]),
        ["set-notes", "set-plan"]
    );
    assert_eq!(
        fitting(&machine, &["session", "show", "--rev"]),
        ["--revision"]
    );
    assert_eq!(
        fitting(&machine, &["note", "add", "x", "--scope", ""]),
        ["session", "project"]
    );
    assert_eq!(
        fitting(&machine, &["note", "add", "--scope=p"]),
        ["--scope=project"]
    );
    // As bash splits it.
    assert_eq!(
        fitting(&machine, &["note", "add", "--scope", "=", "p"]),
        ["project"]
    );
    assert_eq!(fitting(&machine, &["--lang", ""]), ["en", "de"]);
    assert_eq!(
        fitting(&machine, &["config", "set", "language", ""]),
        ["auto", "en", "de"]
    );
    assert_eq!(
        fitting(&machine, &["config", "set", "pad.enabled", "t"]),
        ["true"]
    );
    for items in [&["1"][..], &["1", "fix"]] {
        let words = [&["session", "mark"], items, &[""]].concat();
        assert_eq!(
            fitting(&machine, &words),
            ["pending", "active", "done", "blocked", "dropped"]
        );
    }
    let tools = fitting(&machine, &["call", ""]);
    assert!(tools.contains(&"search_notes".to_owned()), "{tools:?}");
    assert_eq!(fitting(&machine, &["completions", "n"]), ["nushell"]);
    assert_eq!(
        fitting(&machine, &["help", "sta"]),
        ["status", "stats", "statusline"]
    );
    let all = fitting(&machine, &[""]);
    assert!(
        all.contains(&"setup".to_owned()) && !all.contains(&"complete".to_owned()),
        "{all:?}"
    );
}

#[test]
fn completions_know_hosts_settings_sessions_notes_and_outputs() {
    let machine = filled();
    assert_eq!(fitting(&machine, &["install", "co"]), ["codex", "copilot"]);
    assert_eq!(fitting(&machine, &["install", "claude", "q"]), ["qwen"]);
    assert_eq!(fitting(&machine, &["doctor", "--prove", "cl"]), ["claude"]);
    assert_eq!(fitting(&machine, &["hook", "cli"]), ["cline"]);
    assert_eq!(
        fitting(&machine, &["config", "set", "pad.e"]),
        ["pad.enabled"]
    );
    assert_eq!(fitting(&machine, &["--config", "pad.e"]), ["pad.enabled="]);
    assert_eq!(
        fitting(&machine, &["session", "show", "--session", "b"]),
        ["build-1"]
    );
    assert_eq!(
        fitting(
            &machine,
            &["--session", "build-1", "session", "delete", "d"]
        ),
        ["docs"]
    );
    let said = machine
        .run(&["complete", "--", "session", "delete", "b"])
        .ok();
    assert_eq!(said, "build-1\t1. fix the cache\n");
    // The word at the cursor may be empty.
    let said = machine
        .run(&["complete", "--word=", "--", "session", "fork"])
        .ok();
    assert_eq!(said, "docs\twrite\nbuild-1\t1. fix the cache\n");

    let note = machine.run(&["note", "add", "the vpn", "--json"]).json();
    let note = note["note_id"].as_str().unwrap();
    assert_eq!(fitting(&machine, &["note", "show", "note_"]), [note]);
    let log = "line\n".repeat(2_000);
    let reference = machine.run_with(&["output", "put"], log.as_bytes()).ok();
    let output = reference.split_whitespace().nth(1).unwrap();
    assert_eq!(fitting(&machine, &["output", "read", ""]), [output]);
}

#[test]
fn a_key_that_is_pressed_creates_nothing_and_fails_at_nothing() {
    let machine = Machine::new();
    assert_eq!(
        fitting(&machine, &["session", "show", "--session", ""]),
        [] as [&str; 0]
    );
    assert!(!machine.database().exists());
    std::fs::create_dir_all(machine.home()).unwrap();
    std::fs::write(
        machine.home().join("config.toml"),
        "[store]\nurl = \"nowhere\"\n",
    )
    .unwrap();
    assert_eq!(
        fitting(&machine, &["session", "show", "--session", ""]),
        [] as [&str; 0]
    );
    for words in [
        &["--", "--", ""][..],
        &["nonsense", ""],
        &["session", "show", "--", "-"],
    ] {
        assert_eq!(
            machine.run(&[&["complete", "--"], words].concat()).code,
            Some(0)
        );
    }
}

#[test]
fn completions_speak_the_language_of_the_person() {
    let machine = Machine::new();
    let mut command = machine.command(&["complete", "--", "stat"]);
    command.env("LANG", "de_DE.UTF-8");
    let said = machine.answer(command.output().unwrap()).ok();
    assert!(said.starts_with("status\tAuf einem Bildschirm"), "{said}");
}

#[test]
fn each_shell_has_a_script_that_asks_the_program() {
    let machine = Machine::new();
    for shell in ["bash", "zsh", "fish", "nushell", "powershell"] {
        let script = machine.run(&["completions", shell]).ok();
        assert!(script.contains("scratchpad complete"), "{shell}");
    }
}

#[test]
#[cfg(unix)]
fn bash_completes_with_the_script() {
    let machine = filled();
    let script = machine.run(&["completions", "bash"]).ok();
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_scratchpad"));
    let path = format!("{}:/usr/bin:/bin", binary.parent().unwrap().display());
    let asked = |words: &str| {
        let last = words.split(' ').count() - 1;
        let line = format!(
            "{script}\nCOMP_WORDS=({words}); COMP_CWORD={last}; _scratchpad; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut bash = std::process::Command::new("bash");
        bash.args(["-c", &line])
            .current_dir(machine.project())
            .env_clear()
            .env("PATH", &path)
            .env("SCRATCHPAD_HOME", machine.home());
        machine.answer(bash.output().unwrap()).ok()
    };
    assert_eq!(asked("scratchpad session show --session b"), "build-1\n");
    assert_eq!(
        asked("scratchpad install \"\"").lines().next(),
        Some("claude")
    );
}

#[test]
fn man_pages_are_written_for_every_command() {
    let machine = Machine::new();
    let directory = machine.project().join("man");
    let said = machine.run(&["man", "man", "--json"]).json();
    let files = said["files"].as_array().unwrap();
    assert!(files.len() > 50, "{}", files.len());
    let page = |name: &str| std::fs::read_to_string(directory.join(name)).unwrap();
    let show = page("scratchpad-session-show.1");
    assert!(show.starts_with(".TH SCRATCHPAD-SESSION-SHOW 1"), "{show}");
    assert!(
        show.contains(".SH NAME\nscratchpad\\-session\\-show \\- Show the pad\n"),
        "{show}"
    );
    assert!(show.contains(".BI \"\\-\\-revision \" REV\n"), "{show}");
    for (name, synopsis) in [
        ("scratchpad.1", "scratchpad\n[OPTIONS] <COMMAND>\n"),
        (
            "scratchpad-session-mark.1",
            "scratchpad session mark\n[OPTIONS] <ITEM>... <STATE>\n",
        ),
        (
            "scratchpad-session-set-plan.1",
            "scratchpad session set\\-plan\n[OPTIONS] [TEXT]\n",
        ),
        (
            "scratchpad-config.1",
            "scratchpad config\n[OPTIONS] <COMMAND>\n",
        ),
    ] {
        let page = page(name);
        assert!(
            page.contains(&format!(".SH SYNOPSIS\n.B {synopsis}")),
            "{page}"
        );
    }
    let whole = page("scratchpad.1");
    assert!(whole.contains(".BR scratchpad\\-setup (1)"), "{whole}");
    assert!(!whole.contains("probe") && !directory.join("scratchpad-complete.1").exists());
    for file in files {
        let text = page(file.as_str().unwrap());
        let requests = text.lines().filter(|line| line.starts_with('.'));
        for request in requests {
            let name = request.split(' ').next().unwrap();
            let known = [".TH", ".SH", ".TP", ".B", ".BI", ".BR", ".I", ".nf", ".fi"];
            assert!(known.contains(&name), "{file}: {request}");
        }
    }
}

#[test]
fn man_pages_are_german_for_a_german_reader() {
    let machine = Machine::new();
    machine.run(&["man", "man", "--lang", "de"]).ok();
    let page = machine.project().join("man/scratchpad-config.1");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.contains("scratchpad config\n[OPTIONEN] <BEFEHL>\n"),
        "{page}"
    );
}
