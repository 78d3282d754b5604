//! A repository is one project, wherever it is and however many worktrees it has.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Answer, Machine};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// A person with repositories in a directory.
pub(super) struct Desk {
    pub(super) machine: Machine,
}

impl Desk {
    pub(super) fn new() -> Self {
        Self {
            machine: Machine::new(),
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.machine.project().parent().unwrap().join(name)
    }

    pub(super) fn git(&self, directory: &str, arguments: &[&str]) {
        git(&self.path(directory), arguments);
    }

    /// A repository with one commit.
    pub(super) fn repository(&self, name: &str) {
        self.repository_of(name, name);
    }

    fn repository_of(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name)).unwrap();
        self.git(name, &["init", "--quiet", "--initial-branch=main"]);
        self.commit(name, text);
    }

    pub(super) fn commit(&self, directory: &str, text: &str) {
        fs::write(self.path(directory).join("file"), text).unwrap();
        self.git(directory, &["add", "file"]);
        self.git(directory, &["commit", "--quiet", "-m", text]);
    }

    pub(super) fn run(&self, directory: &str, arguments: &[&str]) -> Answer {
        let mut command = self.machine.command(arguments);
        command.current_dir(self.path(directory));
        self.machine.answer(command.output().unwrap())
    }

    /// Keeps a note for the project, a session with a plan, and an output.
    pub(super) fn keep(&self, directory: &str, name: &str) {
        self.note(directory, name);
        let session = &*name.replace(' ', "-");
        let plan = ["session", "set-plan", name, "--session", session];
        self.run(directory, &plan).ok();
        let mut put = self
            .machine
            .command(&["output", "put", "--session", session]);
        put.current_dir(self.path(directory))
            .stdin(std::process::Stdio::piped());
        let text = format!("{name}\n").repeat(2_000);
        let put = crate::support::feed(put.spawn().unwrap(), text.as_bytes());
        self.machine.answer(put).ok();
    }

    pub(super) fn note(&self, directory: &str, text: &str) -> Answer {
        self.run(directory, &["note", "add", text, "--scope", "project"])
    }

    /// The notes of the project, in alphabetical order.
    pub(super) fn notes(&self, directory: &str) -> Vec<String> {
        let listed = self.run(directory, &["note", "list", "--json"]).json();
        let notes = listed["notes"].as_array().unwrap();
        let text = |note: &Value| note["content"].as_str().unwrap().to_owned();
        let mut notes: Vec<String> = notes.iter().map(text).collect();
        notes.sort();
        notes
    }

    fn sessions(&self, directory: &str) -> usize {
        let listed = self.run(directory, &["session", "list", "--json"]).json();
        listed["sessions"].as_array().unwrap().len()
    }

    fn outputs(&self, directory: &str) -> usize {
        let listed = self.run(directory, &["output", "list", "--json"]).json();
        listed["outputs"].as_array().unwrap().len()
    }

    /// What the project has: notes, sessions and outputs.
    pub(super) fn kept(&self, directory: &str) -> (Vec<String>, usize, usize) {
        (
            self.notes(directory),
            self.sessions(directory),
            self.outputs(directory),
        )
    }

    /// Says in the database that this was kept as that, as versions did that knew a project by its directory.
    pub(super) fn kept_as(&self, now: &str, then: &str) {
        let database = rusqlite::Connection::open(self.machine.database()).unwrap();
        let [now, then] = [now, then].map(|name| {
            let path = self.path(name);
            path.canonicalize().unwrap_or(path).display().to_string()
        });
        for sql in [
            "UPDATE session SET project = ?2 WHERE project = ?1",
            "UPDATE scope SET name = ?2 WHERE kind = 'project' AND name = ?1",
            "UPDATE output_keep SET project = ?2 WHERE project = ?1",
        ] {
            database.execute(sql, [&now, &then]).unwrap();
        }
        database.execute("DELETE FROM repository", []).unwrap();
    }
}

pub(super) fn git(directory: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@there"])
        .args(["-c", "protocol.file.allow=always"])
        .args(["-c", "commit.gpgsign=false"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(done.status.success(), "{arguments:?}: {done:?}");
}

pub(super) fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

#[test]
fn a_repository_that_was_moved_keeps_everything() {
    let desk = Desk::new();
    desk.repository("shop");
    fs::create_dir_all(desk.path("shop/web/.scratchpad")).unwrap();
    desk.keep("shop", "of the shop");
    desk.note("shop/web", "of its part").ok();
    fs::create_dir_all(desk.path("deep/down")).unwrap();
    fs::rename(desk.path("shop"), desk.path("deep/down/store")).unwrap();
    let moved = desk.run("deep/down/store", &["project", "list"]);
    assert_data_eq!(
        moved.err,
        str![[r#"
Now part of [ROOT]/deep/down/store: 1 session, 2 notes and 1 output kept as [ROOT]/shop, [ROOT]/shop/web, which is the same repository.

"#]]
    );
    let all = (texts(&["of the shop"]), 1, 1);
    assert_eq!(desk.kept("deep/down/store"), all);
    assert_eq!(desk.notes("deep/down/store/web"), ["of its part"]);
    assert_eq!(desk.run("deep/down/store", &["project", "list"]).err, "");

    // Another one in the old place begins without notes, and so does a plain directory.
    desk.repository("shop");
    assert_eq!(desk.notes("shop"), texts(&[]));
    assert_eq!(desk.kept("deep/down/store"), all);
}

#[test]
fn a_repository_keeps_everything_though_another_took_its_place_first() {
    let desk = Desk::new();
    desk.repository("shop");
    desk.keep("shop", "of the shop");
    fs::rename(desk.path("shop"), desk.path("store")).unwrap();
    desk.repository_of("shop", "something else");
    assert_eq!(desk.kept("shop"), (texts(&[]), 0, 0));
    assert_eq!(desk.kept("store"), (texts(&["of the shop"]), 1, 1));
    assert_eq!(desk.kept("shop"), (texts(&[]), 0, 0));
}

#[test]
fn a_repository_that_was_copied_to_another_disk_keeps_everything() {
    let desk = Desk::new();
    desk.repository("shop");
    desk.keep("shop", "of the shop");
    // As `mv` does between file systems.
    let copy = |to: &str| {
        let mut copy = Command::new("cp");
        copy.args(["-a", "shop", to]).current_dir(desk.path(""));
        assert!(copy.status().unwrap().success());
    };
    copy("copy");
    copy("store");
    assert_eq!(desk.notes("copy"), texts(&[]), "both are there");
    fs::remove_dir_all(desk.path("shop")).unwrap();
    assert_eq!(desk.kept("store"), (texts(&["of the shop"]), 1, 1));
    assert_eq!(desk.notes("copy"), texts(&[]), "it is known as another");
}

#[test]
fn a_repository_that_was_made_again_in_its_directory_is_the_same() {
    let desk = Desk::new();
    desk.repository("shop");
    desk.note("shop", "of the shop").ok();
    fs::remove_dir_all(desk.path("shop/.git")).unwrap();
    desk.git("shop", &["init", "--quiet"]);
    assert_eq!(desk.notes("shop"), ["of the shop"]);
    desk.commit("shop", "another first commit");
    assert_eq!(desk.notes("shop"), ["of the shop"]);
}

#[test]
fn two_clones_of_one_repository_are_two_projects_until_one_is_gone() {
    let desk = Desk::new();
    desk.repository("origin");
    for clone in ["one", "two"] {
        let at = desk.path(clone);
        desk.git("origin", &["clone", "--quiet", ".", at.to_str().unwrap()]);
        let url = "https://host.example/acme/shop.git";
        desk.git(clone, &["remote", "set-url", "origin", url]);
        desk.note(clone, clone).ok();
    }
    assert_eq!(desk.notes("one"), ["one"]);
    assert_eq!(desk.notes("two"), ["two"]);
    // On another disk, or cloned again by ssh.
    fs::remove_dir_all(desk.path("one")).unwrap();
    let at = desk.path("three");
    desk.git("origin", &["clone", "--quiet", ".", at.to_str().unwrap()]);
    let url = "git@host.example:acme/shop.git";
    desk.git("three", &["remote", "set-url", "origin", url]);
    assert_eq!(desk.notes("three"), ["one"]);
    assert_eq!(desk.notes("two"), ["two"]);
}

#[test]
fn project_list_shows_every_project_and_rename_names_one() {
    let desk = Desk::new();
    desk.repository("shop");
    fs::create_dir_all(desk.path("plain")).unwrap();
    let none = desk.run("shop", &["project", "list"]);
    assert_data_eq!(
        none.err,
        str![[r#"
Nothing is kept for any project yet.

"#]]
    );
    desk.keep("shop", "of the shop");
    desk.note("plain", "of the directory").ok();
    let named = desk.run("plain", &["project", "rename", "Scratch"]);
    assert_data_eq!(
        named.err,
        str![[r#"
[ROOT]/plain is called Scratch now.

"#]]
    );
    let listed = desk.run("shop", &["project", "list", "--json"]).json();
    let of = |place: usize| {
        let project = &listed["projects"][place];
        let fields = ["project", "name", "here", "sessions", "notes", "outputs"];
        fields.map(|name| project[name].clone())
    };
    assert_eq!(
        of(0).to_vec(),
        [
            json!("[ROOT]/plain"),
            json!("Scratch"),
            json!(false),
            json!(0),
            json!(1),
            json!(0)
        ]
    );
    assert_eq!(
        of(1).to_vec(),
        [
            json!("[ROOT]/shop"),
            json!("shop"),
            json!(true),
            json!(1),
            json!(1),
            json!(1)
        ]
    );
    let table = desk.run("shop", &["project", "list"]).ok();
    assert!(table.contains("* shop"), "{table}");
    // By its name, and its own name back.
    desk.run("shop", &["project", "rename", "", "Scratch"]).ok();
    let unknown = desk.run("shop", &["project", "rename", "x", "/nowhere"]);
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.err.contains("Project /nowhere not found."),
        "{unknown:?}"
    );
    let long = "x".repeat(81);
    let refused = desk.run("shop", &["project", "rename", &long]);
    assert!(
        refused.err.contains("81 characters, the limit is 80"),
        "{refused:?}"
    );
    let again = desk.run("shop", &["project", "list", "--json"]).json();
    assert_eq!(again["projects"][0]["name"], "plain");

    // The name goes where the repository goes.
    desk.run("shop", &["project", "rename", "The shop"]).ok();
    fs::rename(desk.path("shop"), desk.path("store")).unwrap();
    let moved = desk.run("store", &["project", "list", "--json"]).json();
    let both: Vec<&Value> = moved["projects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(both, ["plain", "The shop"]);
}
