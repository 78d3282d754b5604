//! What a repository's links and a directory's permissions lead to.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::support::{Machine, mode, tree};

#[test]
fn files_of_scratchpad_that_link_out_of_the_repository_are_not_read() {
    let machine = Machine::new();
    let directory = machine.project().join(".scratchpad");
    fs::create_dir(&directory).unwrap();
    let outside = machine.project().join("../secret.yaml");
    fs::write(&outside, "notes: [the secret]\n").unwrap();
    let link = directory.join("scratch.yaml");
    symlink(&outside, &link).unwrap();
    let listed = machine.run(&["context", "list"]);
    assert_eq!(listed.code, Some(1), "{listed:?}");
    assert!(
        listed.err.contains("leads outside the project"),
        "{listed:?}"
    );
    machine.run(&["inject", "--tool", "claude"]);
    let event = format!(
        "{{\"session_id\":\"s\",\"hook_event_name\":\"SessionStart\",\"source\":\"startup\",\"cwd\":{:?}}}",
        machine.project()
    );
    let said = machine.run_with(&["hook", "claude"], event.as_bytes()).ok();
    for text in [
        listed.out,
        said,
        fs::read_to_string(machine.project().join("CLAUDE.md")).unwrap_or_default(),
    ] {
        assert!(!text.contains("the secret"), "{text}");
    }
    fs::remove_file(&link).unwrap();

    let settings = machine.project().join("../settings.toml");
    fs::write(&settings, "pad.notes_max_chars = 7\n").unwrap();
    symlink(&settings, directory.join("config.toml")).unwrap();
    let shown = machine.run(&["config", "show"]);
    assert!(shown.err.contains("leads outside the project"), "{shown:?}");
    assert!(!shown.out.contains("settings.toml"), "{shown:?}");
    assert_eq!(
        fs::read_to_string(&outside).unwrap() + &fs::read_to_string(&settings).unwrap(),
        "notes: [the secret]\npad.notes_max_chars = 7\n"
    );
}

#[test]
fn nothing_is_written_below_git_through_whatever_link() {
    let links: [(&str, &str, &[&str]); 7] = [
        (
            "CLAUDE.md",
            ".git/hooks/pre-commit",
            &["inject", "--tool", "claude"],
        ),
        (
            ".mcp.json",
            ".git/config",
            &["install", "claude", "--project"],
        ),
        (".scratchpad", ".git", &["context", "add", "a note"]),
        (
            ".scratchpad/scratch.yaml",
            "../.git/HEAD",
            &["context", "add", "a note"],
        ),
        (
            ".scratchpad/scratch.lock",
            "../.git/lock",
            &["context", "add", "a note"],
        ),
        (
            ".scratchpad/config.toml",
            "../.git/config",
            &["config", "set", "--project", "pad.notes_max_chars", "7"],
        ),
        (
            "mcp.json",
            ".git/hooks/x.json",
            &["proxy", "--wrap", "mcp.json"],
        ),
    ];
    for (name, target, words) in links {
        let machine = Machine::new();
        let git = machine.project().join(".git");
        fs::create_dir_all(git.join("hooks")).unwrap();
        for file in ["HEAD", "config", "hooks/pre-commit"] {
            fs::write(git.join(file), "git's own\n").unwrap();
        }
        fs::write(
            git.join("hooks/x.json"),
            r#"{"mcpServers": {"a": {"command": "a"}}}"#,
        )
        .unwrap();
        let link = machine.project().join(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, &link).unwrap();
        let before = tree(&git);
        let run = machine.run(words);
        assert_ne!(run.code, Some(0), "{name}: {run:?}");
        assert!(
            run.err.contains("leads into git's own files"),
            "{name}: {run:?}"
        );
        assert!(tree(&git) == before, "{name}");
    }
}

#[test]
fn a_data_directory_that_others_can_write_to_is_closed() {
    let machine = Machine::new();
    let write = ["session", "set-notes", "x", "--session", "s"];
    machine.run(&write).ok();
    for (open, closed) in [(0o777, 0o700), (0o770, 0o700), (0o755, 0o755)] {
        fs::set_permissions(machine.home(), fs::Permissions::from_mode(open)).unwrap();
        machine.run(&write).ok();
        assert_eq!(mode(&machine.home()), closed, "{open:o}");
    }
}
