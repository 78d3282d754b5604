//! `inject`: what it refuses, what it warns of, and that the rest is still done.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::Machine;
#[cfg(target_os = "linux")]
use crate::support::injector::{at_every_call, kill_at};
use crate::support::person::{machine, run};
use snapbox::{assert_data_eq, str};

#[test]
fn a_file_that_fails_is_named_and_the_others_are_done() {
    let machine = machine();
    let file = |name: &str| machine.project().join(name);
    fs::write(file("CLAUDE.md"), "<!-- scratchpad:start -->\n").unwrap();
    fs::create_dir(file("GEMINI.md")).unwrap();
    fs::write(file("QWEN.md"), "# Mine\n").unwrap();
    fs::set_permissions(file("QWEN.md"), fs::Permissions::from_mode(0o444)).unwrap();
    let tools = [
        "--tool", "claude", "--tool", "gemini", "--tool", "qwen", "--tool", "codex",
    ];
    let with = |flags: &[&str]| run(&machine, &[&["inject"], &tools[..], flags].concat());
    assert_data_eq!(
        with(&[]).seen(),
        str![[r#"
exit 1
--- stdout
AGENTS.md: created (1,269 bytes, about 312 tokens)
--- stderr
Error: [ROOT]/project/CLAUDE.md: line 1 starts a region that is not ended. Nothing was changed.
Hint: remove the marker lines `<!-- scratchpad:… -->` and what is between them, then try again.
Error: [ROOT]/project/GEMINI.md is a directory, not a file.
Error: Can't write [ROOT]/project/QWEN.md: it is read-only. Nothing was changed.
Hint: make it writable.

"#]]
    );
    assert_data_eq!(
        with(&["--status"]).seen(),
        str![[r#"
exit 0
--- stdout
FILE       STATE    BYTES  TOKENS  TOOLS
CLAUDE.md  damaged  -      -       claude
AGENTS.md  current  1,269  312     codex
GEMINI.md  damaged  -      -       gemini
QWEN.md    absent   -      -       qwen
--- stderr
Warning: [ROOT]/project/CLAUDE.md: line 1 starts a region that is not ended.
Warning: [ROOT]/project/GEMINI.md is a directory, not a file.

"#]]
    );
    let data = with(&["--status", "--json"]).json();
    assert_eq!(data["targets"][0]["state"], "damaged");
    assert_eq!(
        fs::read_to_string(file("CLAUDE.md")).unwrap(),
        "<!-- scratchpad:start -->\n"
    );
    assert_eq!(fs::read_to_string(file("QWEN.md")).unwrap(), "# Mine\n");
    for damaged in [
        "<!-- scratchpad:end -->\n",
        "<!-- scratchpad:start -->\n<!-- scratchpad:start -->\n<!-- scratchpad:end -->\n",
        "<!-- scratchpad:start -->\n<!-- scratchpad:end -->\n<!-- scratchpad:start -->\n<!-- scratchpad:end -->\n",
    ] {
        fs::write(file("CLAUDE.md"), damaged).unwrap();
        let answer = run(&machine, &["inject", "--uninstall"]);
        assert_eq!(answer.code, Some(1), "{answer:?}");
        assert_eq!(fs::read_to_string(file("CLAUDE.md")).unwrap(), damaged);
        // The note is still saved.
        let added = run(&machine, &["context", "add", "x"]);
        assert!(added.err.starts_with("Warning: "), "{added:?}");
        assert_eq!(added.code, Some(0));
    }
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let machine = machine();
    let seen = [
        run(&machine, &["inject"]).seen(),
        run(&machine, &["inject", "--tool", "cloude"]).seen(),
        run(&machine, &["inject", "--global", "--tool", "cursor"]).seen(),
        machine
            .run(&["inject", "--global", "--tool", "claude"])
            .seen(),
        machine.run(&["inject", "--global"]).seen(),
        run(&machine, &["inject", "--project", "--global"]).seen(),
        {
            let mut command = machine.command(&["inject", "--tool", "claude"]);
            command.env_remove("SCRATCHPAD_HOME");
            machine.answer(command.output().unwrap()).seen()
        },
    ];
    assert_data_eq!(
        seen.concat(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: There is no instruction file yet, and no host is wired: choose what to write. Nothing was changed. Possible: CLAUDE.md (claude); AGENTS.md (codex, opencode, pi, zed, amp, droid, openclaw, agents); GEMINI.md (gemini); QWEN.md (qwen); .github/copilot-instructions.md (copilot); .clinerules/scratchpad.md (cline); .cursor/rules/scratchpad.mdc (cursor); .windsurf/rules/scratchpad.md (windsurf); .goosehints (goose); CRUSH.md (crush); .kiro/steering/scratchpad.md (kiro).
Hint: name a host, for example `scratchpad inject --tool claude`, or use --all.
exit 2
--- stdout
--- stderr
Error: Unknown tool "cloude". Nothing was changed.
Hint: the known ones are claude, claude-local, codex, gemini, qwen, copilot, opencode, pi, cline, cursor, windsurf, zed, goose, amp, crush, droid, kiro, openclaw, agents.
exit 2
--- stdout
--- stderr
Error: Cursor has no instruction file for --global. Nothing was changed.
exit 2
--- stdout
--- stderr
Error: No home directory to find hosts in: HOME is not set to an absolute path. Nothing was changed.
Hint: set HOME, or use --project.
exit 2
--- stdout
--- stderr
Error: No home directory to find hosts in: HOME is not set to an absolute path. Nothing was changed.
Hint: set HOME, or use --project.
exit 2
--- stdout
--- stderr
Error: the argument '--project' cannot be used with '--global'

Usage: scratchpad inject --project

For more information, try '--help'.
exit 2
--- stdout
--- stderr
Error: No home directory to keep data in: HOME is not set to an absolute path.
Hint: choose a directory with SCRATCHPAD_HOME=DIR.

"#]]
    );
}

#[test]
fn a_bad_file_of_notes_or_packs_does_not_break_it() {
    let machine = machine();
    let directory = machine.project().join(".scratchpad");
    fs::create_dir_all(directory.join("packs/broken")).unwrap();
    fs::write(directory.join("packs/broken/pack.toml"), "id = 5").unwrap();
    fs::write(directory.join("scratch.yaml"), "notes: [a\n").unwrap();
    fs::write(directory.join("config.toml"), "profile = \"gone\"\n").unwrap();
    let answer = run(&machine, &["inject", "--tool", "claude"]);
    assert_data_eq!(
        answer.err,
        str![[r#"
Warning: [ROOT]/project/.scratchpad/packs/broken/pack.toml: `id` takes a text.
Warning: `profile`: Unknown profile "gone". (`scratchpad profile list` shows them.)
Warning: [ROOT]/project/.scratchpad/scratch.yaml: line 1, column 8: unclosed bracket '['. (fix the file, or remove it with `scratchpad context clear`.)

"#]]
    );
    assert_eq!(answer.code, Some(0));
}

/// A file that can't be read is not written, and every command that needs it reports that.
#[test]
fn what_cannot_be_read_is_said_by_whoever_writes_or_looks() {
    let machine = machine();
    let directory = machine.project().join(".scratchpad");
    run(&machine, &["context", "add", "x"]).ok();
    fs::create_dir_all(directory.join("packs/broken")).unwrap();
    fs::write(directory.join("packs/broken/pack.toml"), "id = 5").unwrap();
    let wrong = "Warning: [ROOT]/project/.scratchpad/packs/broken/pack.toml: `id` takes a text.\n";
    // Without a region, nothing is missing from it.
    let unread = run(&machine, &["context", "add", "y"]).err;
    assert!(!unread.contains("Warning"), "{unread}");
    assert_eq!(run(&machine, &["inject", "--tool", "claude"]).err, wrong);
    assert_eq!(run(&machine, &["inject", "--status"]).err, wrong);
    assert_eq!(run(&machine, &["context", "add", "z"]).err, wrong);
    assert_eq!(run(&machine, &["profile", "use", "default"]).err, wrong);
    assert_eq!(run(&machine, &["inject", "--uninstall"]).err, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_project_whose_path_is_no_text_is_a_project() {
    let machine = machine();
    let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"d\xff");
    let directory = machine.project().join(name);
    fs::create_dir_all(directory.join(".git")).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = machine.command(arguments);
        command.current_dir(&directory);
        machine.answer(command.output().unwrap())
    };
    run(&["inject", "--tool", "cursor"]).ok();
    let data = run(&["inject", "--tool", "claude", "--json"]).json();
    assert_eq!(
        data["targets"][0]["file"],
        "[ROOT]/project/d\u{fffd}/CLAUDE.md"
    );
    run(&["inject", "--status", "--json"]).json();
    run(&["context", "add", "x", "--json"]).json();
    run(&["context", "--json"]).json();
    run(&["config", "path", "--json"]).json();
    run(&["inject", "--uninstall"]).ok();
    let mut left: Vec<_> = fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, [".git", ".scratchpad"]);
}

fn git(machine: &Machine, arguments: &[&str]) {
    let status = std::process::Command::new("git")
        .args([
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@x",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments)
        .current_dir(machine.project())
        .stdout(std::process::Stdio::null())
        .status();
    assert!(status.unwrap().success(), "{arguments:?}");
}

#[test]
fn notes_in_a_shared_file_are_warned_of_once() {
    let machine = Machine::new();
    git(&machine, &["init"]);
    fs::write(machine.project().join("CLAUDE.md"), "# Mine\n").unwrap();
    fs::write(machine.project().join(".gitignore"), "GEMINI.md\n").unwrap();
    git(&machine, &["add", "."]);
    git(&machine, &["commit", "-q", "-m", "x"]);
    let run = |arguments: &[&str]| {
        let mut command = machine.command(arguments);
        command.env("PATH", std::env::var_os("PATH").unwrap());
        machine.answer(command.output().unwrap())
    };
    // Without notes, nothing needs to be private.
    let tools = ["--tool", "claude", "--tool", "gemini", "--tool", "qwen"];
    assert_eq!(run(&[&["inject"], &tools[..]].concat()).err, "");
    assert_data_eq!(
        run(&["context", "add", "My boss is wrong"]).seen(),
        str![[r#"
exit 0
--- stdout
Context note 1 added.
Also updated: CLAUDE.md, GEMINI.md, QWEN.md
--- stderr
Warning: git tracks CLAUDE.md, which now holds your context notes: they go wherever you push. To keep them private: run `scratchpad inject --uninstall`, let git ignore CLAUDE.local.md, then run `scratchpad inject --tool claude-local`. A host with scratchpad's hooks gets them without any file.
Warning: git does not ignore QWEN.md, which now holds your context notes: the next `git add` includes them. A host with scratchpad's hooks gets them without any file.

"#]]
    );
    assert_eq!(run(&["context", "add", "again"]).err, "");
    assert_eq!(run(&["inject"]).err, "");
    // Once the private file is chosen, it is used again.
    run(&["inject", "--uninstall"]).ok();
    run(&["inject", "--tool", "claude-local"]).ok();
    let data = run(&["inject", "--json"]).json();
    assert_eq!(data["targets"].as_array().unwrap().len(), 1, "{data}");
    assert!(
        data["targets"][0]["file"]
            .as_str()
            .unwrap()
            .ends_with("CLAUDE.local.md")
    );
}

/// In a container, the repository often belongs to another user, and git refuses to work in it.
#[test]
fn a_repository_of_another_user_is_warned_of_too() {
    let machine = Machine::new();
    git(&machine, &["init"]);
    fs::write(machine.project().join("CLAUDE.md"), "# Mine\n").unwrap();
    git(&machine, &["add", "."]);
    machine.run(&["context", "add", "x"]).ok();
    let mut command = machine.command(&["inject"]);
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
    let answer = machine.answer(command.output().unwrap());
    assert!(
        answer.err.starts_with("Warning: git tracks CLAUDE.md"),
        "{answer:?}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn killed_before_any_system_call_it_leaves_the_old_file_or_the_new_one() {
    let machine = machine();
    let file = machine.project().join("CLAUDE.md");
    fs::write(&file, "mine\n").unwrap();
    let kills = at_every_call(|call| {
        run(&machine, &["inject", "--tool", "claude"]).ok();
        let before = fs::read(&file).unwrap();
        let mut command = machine.command(&["inject", "--uninstall"]);
        kill_at(&mut command, machine.project().to_str().unwrap(), call);
        let lived = command.output().unwrap().status.code().is_some();
        let now = fs::read(&file).unwrap();
        assert!(now == b"mine\n" || !lived && now == before, "call {call}");
        lived
    });
    assert!(kills > 5, "only {kills} calls");
    let names = fs::read_dir(machine.project())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let left = names.filter(|name| name.to_string_lossy().starts_with(".scratchpad-"));
    assert_eq!(left.count(), 0, "a write removes what a kill left behind");
}
