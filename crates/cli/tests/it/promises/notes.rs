//! Notes: tools, limits, search and pages.

use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

use crate::support::Machine;

fn note(machine: &Machine, arguments: &[&str]) -> String {
    machine
        .run(&[&["note"], arguments, &["--session", "s"]].concat())
        .ok()
}

/// A tool's reply, with text and structure.
fn call(machine: &Machine, tool: &str, arguments: &Value) -> Value {
    machine
        .run(&[
            "call",
            tool,
            &arguments.to_string(),
            "--session",
            "s",
            "--json",
        ])
        .json()
}

fn text(reply: &Value) -> &str {
    reply["content"][0]["text"].as_str().unwrap()
}

/// Imports notes with equal times, so that only their ids differ.
fn import_of_one_moment(machine: &Machine, contents: impl Iterator<Item = String>) {
    let lines: String = contents
        .map(|content| {
            json!({"content": content, "created": 1_000, "updated": 1_000}).to_string() + "\n"
        })
        .collect();
    machine
        .run_with(&["note", "import", "-", "--session", "s"], lines.as_bytes())
        .ok();
}

/// The contents of the notes, page by page, as an agent reads them.
fn every_page(machine: &Machine, tool: &str, arguments: &Value) -> Vec<String> {
    let mut contents = Vec::new();
    let mut arguments = arguments.clone();
    loop {
        let page = call(machine, tool, &arguments);
        let notes = page["structuredContent"]["notes"].as_array().unwrap();
        for note in notes {
            let content = note["content"].as_str().unwrap();
            assert!(text(&page).contains(content), "{page}");
            contents.push(content.to_owned());
        }
        let Some(next) = page["structuredContent"]["next_before"].as_str() else {
            return contents;
        };
        assert!(text(&page).ends_with(&format!("`before` \"{next}\".")));
        arguments["before"] = json!(next);
    }
}

/// What is packed in the search index.
fn packed(machine: &Machine) -> Vec<(i64, Vec<u8>)> {
    let database = rusqlite::Connection::open(machine.home().join("scratchpad.db")).unwrap();
    let mut rows = database
        .prepare("SELECT key, data FROM note_block UNION ALL SELECT key, data FROM note_posting")
        .unwrap();
    let packed = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    packed.unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_search_without_the_index_finds_the_same_and_leaves_the_index_alone() {
    const ASKED: [(&str, &[&str]); 5] = [
        ("number 1", &["--limit", "7"]),
        ("NUMBER", &["--all"]),
        ("", &["--tag", "Even", "--all"]),
        // No note contains this: its words are searched for.
        ("dozen number", &["--limit", "9"]),
        ("absent", &[]),
    ];
    let machine = Machine::new();
    let found = || {
        ASKED.map(|(query, options)| {
            note(&machine, &[&["search", query, "--json"], options].concat())
        })
    };
    let import = |numbers: std::ops::Range<i64>| {
        let lines: String = numbers
            .map(|number| {
                let tags = if number % 2 == 0 { &["even"][..] } else { &[] };
                let content = format!("number {number}, dozen {}", number / 12);
                json!({"content": content, "tags": tags, "updated": number}).to_string() + "\n"
            })
            .collect();
        let arguments = ["note", "import", "-", "--session", "s"];
        machine.run_with(&arguments, lines.as_bytes()).ok();
    };
    let set = |method| {
        let arguments = ["config", "set", "store.search", method];
        machine.run(&arguments).ok();
    };
    import(0..600);
    let index = packed(&machine);
    assert!(!index.is_empty());
    let through_the_index = found();

    set("scan");
    assert!(found() == through_the_index);
    import(600..1200);
    let scanned = found();
    assert!(scanned != through_the_index);
    assert!(packed(&machine) == index);

    set("index");
    assert!(found() == scanned);
    import(1200..1201);
    assert!(packed(&machine) != index);
}

#[test]
fn every_note_is_on_one_page_even_if_all_changed_in_the_same_millisecond() {
    let machine = Machine::new();
    import_of_one_moment(
        &machine,
        (0..45).map(|number| format!("note number {number:02}.")),
    );
    let expected: Vec<String> = (0..45)
        .rev()
        .map(|number| format!("note number {number:02}."))
        .collect();
    let asked = [
        ("list_notes", json!({})),
        ("list_notes", json!({"limit": 7})),
        ("search_notes", json!({"query": "number", "limit": 7})),
        // No note contains this: its words are searched for.
        ("search_notes", json!({"query": "number note", "limit": 7})),
    ];
    for (tool, arguments) in asked {
        assert_eq!(
            every_page(&machine, tool, &arguments),
            expected,
            "{arguments}"
        );
    }
}

#[test]
fn notes_that_fill_an_answer_are_all_on_its_pages() {
    let machine = Machine::new();
    // What becomes of large answers otherwise is in `large_notes`.
    let rule = "scratchpad/*: never";
    machine.run(&["config", "set", "outputs.rules", rule]).ok();
    let contents: Vec<String> = (0..25)
        .map(|number| format!("{number:02} {}", "words of a long note ".repeat(170)))
        .collect();
    import_of_one_moment(&machine, contents.iter().cloned());
    let mut pages = every_page(&machine, "list_notes", &json!({"limit": 1_000}));
    pages.reverse();
    assert_eq!(pages, contents);
}

#[test]
fn a_note_that_changes_between_two_pages_hides_no_other() {
    let machine = Machine::new();
    import_of_one_moment(&machine, (0..6).map(|number| format!("note {number}")));
    let page = |before: Option<&str>| {
        let arguments = json!({"limit": 2, "before": before});
        call(&machine, "list_notes", &arguments)["structuredContent"].clone()
    };
    let contents = |page: &Value| -> Vec<String> {
        let notes = page["notes"].as_array().unwrap().iter();
        notes
            .map(|note| note["content"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = page(None);
    assert_eq!(contents(&first), ["note 5", "note 4"]);
    let last = first["next_before"].as_str().unwrap();
    note(&machine, &["update", last, "--content", "note 4, changed"]);
    // It is the newest now, and the page after it begins with what came before it.
    assert_eq!(contents(&page(Some(last))), ["note 5", "note 3"]);
}

#[test]
fn a_page_after_a_note_that_is_gone_is_refused_and_the_error_says_what_to_do() {
    let machine = Machine::new();
    import_of_one_moment(&machine, (0..3).map(|number| format!("note {number}")));
    let first = call(&machine, "list_notes", &json!({"limit": 1}));
    let gone = first["structuredContent"]["next_before"].as_str().unwrap();
    note(&machine, &["delete", gone]);
    let answer = machine.run(&["note", "list", "--before", gone, "--session", "s"]);
    assert_data_eq!(
        answer.seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: note_[..] is not among these notes (any more), so no page begins after it.
Hint: repeat the call without `before`.

"#]]
    );
}

#[test]
fn a_query_that_is_an_id_finds_that_note() {
    let machine = Machine::new();
    let saved = note(&machine, &["add", "the one", "--tag", "x"]);
    let id = saved.split(' ').nth(1).unwrap();
    note(&machine, &["add", &format!("mentions {id}")]);
    let found = call(&machine, "search_notes", &json!({"query": id}));
    assert_eq!(found["structuredContent"]["result_count"], 1);
    assert_eq!(found["structuredContent"]["notes"][0]["content"], "the one");
    // Not if it lacks a tag: then the id is text like any other.
    let other = call(
        &machine,
        "search_notes",
        &json!({"query": id, "tags": ["y"]}),
    );
    assert_eq!(other["structuredContent"]["result_count"], 0);
    // Without its first word an id is text, so that mentions are found too.
    let digits = id.strip_prefix("note_").unwrap();
    let mentions = call(&machine, "search_notes", &json!({"query": digits}));
    let contents = &mentions["structuredContent"]["notes"][0]["content"];
    assert_eq!(contents, &format!("mentions {id}"));
}

#[test]
fn the_command_line_lists_as_many_notes_as_asked_for_and_cuts_none() {
    let machine = Machine::new();
    let long = "words ".repeat(500);
    import_of_one_moment(&machine, (0..30).map(|number| format!("{number} {long}")));
    let listed = |arguments: &[&str]| {
        let text = note(&machine, arguments);
        (
            text.matches(&long).count(),
            text.trim_end().lines().next_back().unwrap().to_owned(),
        )
    };
    let (shown, last) = listed(&["list"]);
    assert_eq!(shown, 20);
    assert!(last.starts_with("More: --before note_"), "{last}");
    assert!(last.ends_with(", a larger --limit, or --all."), "{last}");
    assert_eq!(listed(&["list", "--limit", "25"]).0, 25);
    assert_eq!(listed(&["list", "--all"]).0, 30);
    assert_eq!(listed(&["search", "words", "--all"]).0, 30);
    let next = last.split(' ').nth(2).unwrap().trim_end_matches(',');
    assert_eq!(listed(&["list", "--before", next]).0, 10);
}

#[test]
fn replies_say_how_many_notes_and_tags_there_are_and_when_a_note_was_written() {
    let machine = Machine::new();
    let saved = note(
        &machine,
        &["add", "Deploys need the VPN", "--tag", "a", "--tag", "b"],
    );
    let id = saved.split(' ').nth(1).unwrap().to_owned();
    assert_data_eq!(
        &saved,
        str![[r#"
Saved note_[..] (1 note, 2 tags).

"#]]
    );
    assert_data_eq!(
        note(&machine, &["update", &id, "--tag", "a"]),
        str![[r#"
Updated (1 note, 1 tag):
note_[..] session [a] [..]
Deploys need the VPN

"#]]
    );
    assert_data_eq!(
        note(&machine, &["promote", &id]),
        str![[r#"
Moved note_[..] to the project (1 note, 1 tag).

"#]]
    );
    assert_data_eq!(
        note(&machine, &["delete", &id]),
        str![[r#"
Deleted note_[..] (0 notes, 0 tags left).

"#]]
    );
    // 2001-09-09 and 2023-11-14, as an agent reads them.
    let old = r#"{"content":"old","created":1000000000000,"updated":1700000000000}"#;
    machine
        .run_with(&["note", "import", "-", "--session", "s"], old.as_bytes())
        .ok();
    let listed = call(&machine, "list_notes", &json!({}));
    assert_data_eq!(
        text(&listed),
        str![[r#"
1 note, newest first:

note_[..] session 2001-09-09, updated 2023-11-14
old
"#]]
    );
}

#[test]
fn a_note_that_a_person_adds_goes_to_the_project_and_the_answer_says_so() {
    let machine = Machine::new();
    let added = machine.run(&["note", "add", "Deploys need the VPN"]);
    assert_data_eq!(
        added.seen(),
        str![[r#"
exit 0
--- stdout
Saved note_[..] to the project (1 note, 0 tags).
--- stderr

"#]]
    );
    // No session begins by that, and every session finds it.
    assert_eq!(machine.run(&["session", "list"]).ok(), "");
    assert!(note(&machine, &["search", "vpn"]).contains("Deploys need the VPN"));
    // A session can be asked for; an agent, known by its session, keeps its notes there as before.
    machine
        .run(&["note", "add", "mine", "--scope", "session"])
        .ok();
    note(&machine, &["add", "the agent's"]);
    let scopes = |session: &str| {
        let listed = machine
            .run(&["note", "list", "--session", session, "--json"])
            .json();
        let notes = listed["notes"].as_array().unwrap().iter();
        notes
            .map(|note| note["content"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(scopes("s"), ["the agent's", "Deploys need the VPN"]);
    assert_eq!(scopes("another"), ["Deploys need the VPN"]);
}

#[test]
fn the_notes_of_a_session_are_cleared_and_those_of_a_project_only_when_confirmed() {
    let machine = Machine::new();
    for text in ["one", "two"] {
        note(&machine, &["add", text]);
    }
    note(&machine, &["add", "three", "--scope", "project"]);
    let clear = |arguments: &[&str]| machine.run(&[&["note", "clear"], arguments].concat());
    assert_data_eq!(
        clear(&[]).err,
        str![[r#"
Error: Whose notes? Nothing was deleted.
Hint: pass either --session ID or --project.

"#]]
    );
    assert_eq!(clear(&["--session", "s", "--project"]).code, Some(2));
    assert_eq!(clear(&["--session", "unknown"]).code, Some(1));
    assert_eq!(
        clear(&["--session", "s"]).ok(),
        "Deleted 2 notes of the session.\n"
    );
    // Nobody is at a terminal to confirm.
    assert_data_eq!(
        clear(&["--project"]).seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: Not confirmed. Nothing was changed.
Hint: the notes of a project go for good: confirm it at a terminal, or pass --yes.

"#]]
    );
    assert!(note(&machine, &["list"]).starts_with("1 note,"));
    let cleared = clear(&["--project", "--yes", "--json"]).json();
    assert_eq!(cleared, json!({"scope": "project", "deleted": 1}));
    assert_eq!(note(&machine, &["list"]), "No notes.\n");
    assert_eq!(note(&machine, &["tags"]), "No tags.\n");
}

#[test]
fn an_export_has_the_notes_that_a_person_added() {
    let machine = Machine::new();
    machine.run(&["note", "add", "the vpn"]).ok();
    note(&machine, &["add", "of the session"]);
    let exported = machine.run(&["note", "export"]);
    assert_eq!(exported.err, "1 note of the project.\n");
    assert!(exported.out.contains("the vpn"), "{exported:?}");
    // Where a session is known, it is meant.
    let of_session = note(&machine, &["export"]);
    assert!(of_session.contains("of the session"), "{of_session}");
    let of_project = note(&machine, &["export", "--scope", "project"]);
    assert_eq!(of_project, exported.out);

    let elsewhere = Machine::new();
    let imported = elsewhere.run_with(&["note", "import", "-"], exported.out.as_bytes());
    assert_eq!(
        (imported.out.as_str(), imported.err.as_str()),
        ("1 note added to the project.\n", "")
    );
    assert_eq!(elsewhere.run(&["note", "export"]).out, exported.out);
    // No session was made for it.
    let sessions = elsewhere.run(&["session", "list", "--json"]).json();
    assert_eq!(sessions["sessions"], json!([]));
}
