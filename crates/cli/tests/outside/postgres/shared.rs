//! A store that several people share: which project is meant, and who wrote what.

use std::fs;
use std::path::PathBuf;

use crate::support::postgres::{Schema, psql};
use crate::support::{Answer, Machine};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// Two people, each with a clone of one repository.
struct Team {
    machine: Machine,
    store: Option<String>,
}

impl Team {
    fn new(store: Option<String>) -> Self {
        let team = Self {
            machine: Machine::new(),
            store,
        };
        for (who, url) in [
            ("ann", "git@git.example:acme/shop.git"),
            ("bob", "https://bob:s3cret@git.example/acme/shop"),
        ] {
            let git = team.clone_of(who).join(".git");
            fs::create_dir_all(&git).unwrap();
            fs::write(
                git.join("config"),
                format!("[remote \"origin\"]\n\turl = {url}\n"),
            )
            .unwrap();
        }
        team
    }

    fn clone_of(&self, who: &str) -> PathBuf {
        self.machine.project().join(who)
    }

    fn run(&self, who: &str, arguments: &[&str]) -> Answer {
        self.run_as(who, arguments, &[])
    }

    fn run_as(&self, who: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Answer {
        let mut command = self.machine.command(arguments);
        command
            .current_dir(self.clone_of(who))
            .env("SCRATCHPAD_AUTHOR", format!("{who}@opened"))
            .envs(variables.iter().copied());
        if let Some(url) = &self.store {
            command.env("SCRATCHPAD_STORE_URL", url);
        }
        self.machine.answer(command.output().unwrap())
    }

    /// The notes that somebody sees, each with its author.
    fn notes(&self, who: &str, variables: &[(&str, &str)]) -> Vec<(String, Value)> {
        let found = self.run_as(
            who,
            &["note", "list", "--json", "--session", who],
            variables,
        );
        let notes = found.json()["notes"].as_array().unwrap().clone();
        let seen = |note: &Value| {
            (
                note["content"].as_str().unwrap().to_owned(),
                note["author"].clone(),
            )
        };
        notes.iter().map(seen).collect()
    }
}

const PROJECT: [&str; 2] = ["--scope", "project"];

fn add<'a>(who: &'a str, text: &'a str) -> Vec<&'a str> {
    [&["note", "add", text, "--session", who][..], &PROJECT].concat()
}

#[test]
fn two_clones_are_one_project_and_others_are_named() {
    let Some(schema) = Schema::new() else { return };
    let team = Team::new(Some(schema.url()));
    team.run("ann", &add("ann", "staging is down")).ok();
    team.run("bob", &add("bob", "it is up again")).ok();
    let by = |who: &str| json!(format!("{who}@opened"));
    let expected = [
        ("it is up again", Value::Null),
        ("staging is down", by("ann")),
    ];
    assert_eq!(
        team.notes("bob", &[]),
        expected.map(|(text, who)| (text.to_owned(), who))
    );
    let expected = [
        ("it is up again", by("bob")),
        ("staging is down", Value::Null),
    ];
    assert_eq!(
        team.notes("ann", &[]),
        expected.map(|(text, who)| (text.to_owned(), who))
    );
    let found = team.run("bob", &["note", "search", "down", "--session", "bob"]);
    assert_data_eq!(
        found.ok(),
        str![[r#"
1 note with "down":

note_[..] project [..] by ann@opened
staging is down

"#]]
    );

    // Who changes a note is its author from then on.
    let found = team.run(
        "bob",
        &["note", "search", "down", "--session", "bob", "--json"],
    );
    let id = found.json()["notes"][0]["id"].as_str().unwrap().to_owned();
    team.run(
        "bob",
        &[
            "note",
            "update",
            &id,
            "--content",
            "staging was down",
            "--session",
            "bob",
        ],
    )
    .ok();
    assert_eq!(team.notes("bob", &[])[0].1, Value::Null);
    assert_eq!(team.notes("ann", &[])[0].1, by("bob"));

    // No password got anywhere near the database.
    let set = format!("SET search_path = {};", schema.name);
    let names = psql(
        &schema.server,
        &format!("{set} SELECT DISTINCT project FROM note"),
    );
    assert_eq!(names, ["git.example/acme/shop"]);
}

#[test]
fn a_history_says_who_wrote_what_others_wrote() {
    let Some(schema) = Schema::new() else { return };
    let team = Team::new(Some(schema.url()));
    team.run("ann", &["session", "set-plan", "build", "--session", "s"])
        .ok();
    team.run("bob", &["session", "set-notes", "built", "--session", "s"])
        .ok();
    assert_data_eq!(
        team.run("bob", &["session", "history", "--session", "s"])
            .ok(),
        str![[r#"
REV  WHEN      SPACE  ACTION     SIZE  AUTHOR
2    [..]  notes  set_notes  5
1    [..]  plan   set_plan   5     ann@opened

"#]]
    );
    let history = team
        .run("ann", &["session", "history", "--session", "s", "--json"])
        .json();
    assert_eq!(history["revisions"][0]["author"], "bob@opened");
    assert_eq!(history["revisions"][1].get("author"), None);
    let alone = Team::new(None);
    alone
        .run("ann", &["session", "set-plan", "build", "--session", "s"])
        .ok();
    let history = alone
        .run("bob", &["session", "history", "--session", "s"])
        .ok();
    assert!(!history.contains("AUTHOR"), "{history}");
}

#[test]
fn an_embedded_store_knows_a_project_by_its_place_unless_it_is_named() {
    let team = Team::new(None);
    team.run("ann", &add("ann", "in my clone")).ok();
    assert_eq!(team.notes("ann", &[]).len(), 1);
    assert_eq!(team.notes("bob", &[]), []);
    let named = [("SCRATCHPAD_PROJECT_ID", "shop")];
    team.run_as("ann", &add("ann2", "in both"), &named).ok();
    assert_eq!(
        team.notes("bob", &named),
        [("in both".to_owned(), Value::Null)]
    );
    assert_eq!(
        team.notes("ann", &[]).len(),
        1,
        "what was there is where it was"
    );
}

#[test]
fn a_repository_says_neither_which_project_it_is_nor_who_you_are() {
    let team = Team::new(None);
    let directory = team.clone_of("ann").join(".scratchpad");
    fs::create_dir_all(&directory).unwrap();
    let seen: Vec<String> = [
        "project.id = \"victim\"",
        "author = \"bob\"",
        "store.outputs = \"s3://mine\"",
    ]
    .into_iter()
    .map(|line| {
        fs::write(directory.join("config.toml"), line).unwrap();
        team.run("ann", &["note", "list"]).seen()
    })
    .collect();
    assert_data_eq!(
        seen.concat(),
        str![[r#"
exit 0
--- stdout
No notes.
--- stderr
Warning: [ROOT]/project/ann/.scratchpad/config.toml: A project may not set `project.id`: it would choose whose notes you read and write. It is ignored. (set it for yourself: `scratchpad config set project.id VALUE`.)
exit 0
--- stdout
No notes.
--- stderr
Warning: [ROOT]/project/ann/.scratchpad/config.toml: A project may not set `author`: it says who you are. It is ignored. (set it for yourself: `scratchpad config set author VALUE`.)
exit 0
--- stdout
No notes.
--- stderr
Warning: [ROOT]/project/ann/.scratchpad/config.toml: A project may not set `store.outputs`: it chooses where your data goes. It is ignored. (set it for yourself: `scratchpad config set store.outputs VALUE`.)

"#]]
    );
}

#[test]
fn names_and_places_that_make_no_sense_are_refused() {
    let machine = Machine::new();
    let set = |key: &str, value: &str| machine.run(&["config", "set", key, value]).err;
    let refused = [
        set("project.id", " a"),
        set("author", "a\nb"),
        set("store.outputs", "s3:pads"),
        set("store.outputs", "gs://pads"),
        machine
            .run(&["note", "list", "--config", "store.outputs=s3://pads"])
            .err,
    ];
    assert_data_eq!(
        refused.concat(),
        str![[r#"
Error: `project.id` takes a name of 1 to 500 characters on one line, without spaces around it; " a" was given.
Error: `author` takes a name of 1 to 500 characters on one line, without spaces around it; "a/nb" was given.
Error: `store.outputs` has no scheme.
Hint: use `database`, `s3://BUCKET/PREFIX`, or `file:///DIRECTORY` that all machines see.
Error: `store.outputs` has the scheme "gs", which this version can't use.
Hint: use `database`, `s3://BUCKET/PREFIX`, or `file:///DIRECTORY` that all machines see.
Error: `store.outputs` is set, but `store.url` names an embedded store, which keeps outputs in files next to it.
Hint: remove `store.outputs` from your settings, or point `store.url` at a PostgreSQL server.

"#]]
    );
}
