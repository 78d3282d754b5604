//! Where a project begins.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::person::Person;
use crate::support::{Answer, Machine, feed};
use serde_json::json;
use snapbox::{assert_data_eq, str};

/// A person whose home holds repositories.
struct Home(Person);

impl Home {
    fn new(directories: &[&str]) -> Self {
        let person = Person::new();
        for directory in directories {
            fs::create_dir_all(person.home().join(directory)).unwrap();
        }
        Self(person)
    }

    fn run_in(&self, directory: &str, arguments: &[&str]) -> Answer {
        self.run_with_home(directory, &self.0.home(), arguments)
    }

    fn run_with_home(&self, directory: &str, home: &Path, arguments: &[&str]) -> Answer {
        let output = self
            .0
            .machine
            .command(arguments)
            .env("HOME", home)
            .current_dir(self.0.home().join(directory))
            .output()
            .unwrap();
        self.0.machine.answer(output)
    }

    fn notes_in(&self, directory: &str) -> String {
        self.run_in(directory, &["context", "list", "--json"])
            .json()["notes"]
            .to_string()
    }
}

#[test]
fn a_context_note_in_the_home_directory_does_not_merge_the_repositories_below_it() {
    let home = Home::new(&["one/.git", "two/.git", "plain"]);
    for (directory, text) in [("one", "of one"), ("two", "of two"), ("plain", "of plain")] {
        home.run_in(directory, &["session", "set-plan", text]).ok();
    }
    home.run_in(".", &["context", "add", "for work in ~"]).ok();
    assert_eq!(home.notes_in("."), r#"["for work in ~"]"#);
    for (directory, text) in [("one", "of one"), ("two", "of two"), ("plain", "of plain")] {
        assert_eq!(home.notes_in(directory), "[]");
        let sessions = home
            .run_in(directory, &["session", "list", "--json"])
            .json();
        assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1);
        let pad = home.run_in(directory, &["session", "show"]).ok();
        assert!(pad.contains(text), "{pad}");
    }
}

#[test]
fn a_home_directory_that_is_a_repository_or_reached_by_a_link_merges_nothing_either() {
    let home = Home::new(&[".git", "one/.git", "plain"]);
    let link = home.0.home().with_file_name("link");
    std::os::unix::fs::symlink(home.0.home(), &link).unwrap();
    home.run_in(".", &["context", "add", "for work in ~"]).ok();
    for (directory, home_variable) in [("one", &link), ("plain", &link), ("plain", &home.0.home())]
    {
        let listed = home.run_with_home(directory, home_variable, &["context", "--json"]);
        assert_eq!(listed.json()["notes"].to_string(), "[]", "{directory}");
    }
    let there = link.join("plain");
    let listed = home.run_in(there.to_str().unwrap(), &["context", "--json"]);
    assert_eq!(listed.json()["notes"].to_string(), "[]");
}

#[test]
fn the_nearest_of_our_directory_and_a_repository_is_the_project() {
    let home = Home::new(&[
        "work/.scratchpad",
        "work/repo/.git",
        "work/repo/part/.scratchpad",
    ]);
    fs::create_dir_all(home.0.home().join("work/repo/part/deep")).unwrap();
    fs::create_dir_all(home.0.home().join("work/repo/module")).unwrap();
    let git_file = home.0.home().join("work/repo/module/.git");
    fs::write(git_file, "gitdir: ../.git/modules/module\n").unwrap();
    for directory in ["work", "work/repo", "work/repo/part", "work/repo/module"] {
        home.run_in(directory, &["context", "add", directory]).ok();
    }
    for (directory, project) in [
        ("work", "work"),
        ("work/repo", "work/repo"),
        ("work/repo/part/deep", "work/repo/part"),
        ("work/repo/module", "work/repo/module"),
    ] {
        assert_eq!(home.notes_in(directory), format!("[\"{project}\"]"));
    }
}

#[test]
fn what_was_kept_under_an_outer_directory_is_named_and_still_there() {
    let home = Home::new(&["work/.scratchpad", "work/repo/.git"]);
    home.run_in("work", &["context", "add", "Ask first"]).ok();
    home.run_in("work", &["session", "set-plan", "go", "--session", "s"])
        .ok();
    let add = [
        "note",
        "add",
        "of work",
        "--scope",
        "project",
        "--session",
        "s",
    ];
    home.run_in("work", &add).ok();
    assert_data_eq!(
        home.run_in("work/repo", &["context"]).err,
        str![[r#"
[ROOT]/person/work is a project of its own, and what was kept there no longer applies here: `scratchpad --project-dir [ROOT]/person/work context` shows it.
No context notes in [ROOT]/person/work/repo. Add one: `scratchpad context add TEXT`.

"#]]
    );
    let german = home.run_in("work/repo", &["session", "list", "--lang", "de"]);
    assert!(
        german.err.contains("person/work ist ein eigenes Projekt"),
        "{german:?}"
    );
    assert!(
        home.run_in("work/repo", &["note", "list"])
            .err
            .contains("note list` shows it")
    );
    let work = home.0.home().join("work");
    let there = ["--project-dir", work.to_str().unwrap(), "note", "list"];
    assert!(home.run_in("work/repo", &there).ok().contains("of work"));
    // A pad goes with its session, whatever project that began in.
    let pad = home.run_in("work/repo", &["session", "show", "--session", "s"]);
    assert!(pad.ok().contains("go"));
    // Nothing is said where nothing was kept.
    let quiet = Home::new(&["work/.scratchpad", "work/repo/.git"]);
    for list in [&["context"][..], &["session", "list"], &["note", "list"]] {
        assert!(!quiet.run_in("work/repo", list).err.contains("of its own"));
    }
}

/// A user without the rights of root, so that permissions count.
#[cfg(unix)]
struct Ordinary {
    machine: Machine,
    /// The id to run with, where the tests are run by root, and a copy of the program that it may run.
    other: Option<(u32, PathBuf)>,
}

#[cfg(unix)]
impl Ordinary {
    const ID: u32 = 54_321;

    fn new() -> Self {
        let machine = Machine::new();
        fs::create_dir(machine.home()).unwrap();
        let root = machine.project().parent().unwrap().to_owned();
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        let is_root = fs::metadata(&root).unwrap().uid() == 0;
        let other = is_root.then(|| {
            let program = root.join("program");
            // Copied by another process: a child that a concurrent test starts would hold our copy open for writing.
            let mut copy = Command::new("cp");
            let copied = copy
                .arg(env!("CARGO_BIN_EXE_scratchpad"))
                .arg(&program)
                .status();
            assert!(copied.unwrap().success());
            for path in ["home", "project", "project/.git"] {
                chown(root.join(path), Some(Self::ID), None).unwrap();
            }
            (Self::ID, program)
        });
        Self { machine, other }
    }

    fn run(&self, arguments: &[&str], stdin: &str) -> Answer {
        let mut command = self.machine.command(arguments);
        if let Some((id, program)) = &self.other {
            command = Command::new(program);
            command
                .args(arguments)
                .current_dir(self.machine.project())
                .env_clear()
                .env("SCRATCHPAD_HOME", self.machine.home())
                .uid(*id);
        }
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        self.machine.answer(feed(child, stdin.as_bytes()))
    }
}

#[test]
#[cfg(unix)]
fn a_project_directory_that_may_not_be_read_is_one_warning_and_the_pad_works() {
    let user = Ordinary::new();
    let directory = user.machine.project().join(".scratchpad");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("config.toml"), "[pad]\nplan_max_chars = 2\n").unwrap();
    fs::write(directory.join("scratch.yaml"), "notes: [secret]\n").unwrap();
    // Nobody may read it; for root's tests, it is that of another user as well.
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o000)).unwrap();
    let plan = ["session", "set-plan", "go on", "--session", "s"];
    assert_data_eq!(
        user.run(&plan, "").seen(),
        str![[r#"
exit 0
--- stdout
Plan saved (5 / 2000 chars).
--- stderr
Warning: Can't read [ROOT]/project/.scratchpad: permission denied. The project's settings, packs and context notes are ignored. (make it yours with `chown` and `chmod`, or move it away.)

"#]]
    );
    let payload = json!({"session_id": "s", "cwd": user.machine.project(),
        "hook_event_name": "SessionStart", "source": "startup"});
    let answer = user.run(&["hook", "claude"], &payload.to_string());
    assert!(answer.ok().contains("go on"));
    let log = fs::read_to_string(user.machine.home().join("hook.log")).unwrap();
    assert_eq!(log.lines().count(), 1, "{log}");
    let prompt = user.run(&["prompt", "--session", "s"], "continue");
    assert!(
        prompt.out.contains("go on") && prompt.code == Some(0),
        "{prompt:?}"
    );
    for command in [
        &["inject", "--tool", "claude"][..],
        &["note", "list"],
        &["config", "show"],
    ] {
        let answer = user.run(command, "");
        assert_eq!(answer.err.matches("Warning").count(), 1, "{answer:?}");
        assert_eq!(answer.code, Some(0), "{answer:?}");
    }
    let german = user.run(&["note", "list", "--lang", "de"], "").err;
    assert!(
        german.contains("Kontextnotizen des Projekts werden ignoriert"),
        "{german}"
    );
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
}
