//! The seven note tools: arguments, limits, order, replies and refusals.

use crate::support::Machine;
use crate::support::outputs::texts;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// A tool's reply to an agent of the session `s`, or of another.
fn call_of(machine: &Machine, session: &str, tool: &str, arguments: &Value) -> Value {
    let words = ["call", tool, "-", "--json", "--session", session];
    let answer = machine.run_with(&words, arguments.to_string().as_bytes());
    serde_json::from_str(&answer.out).unwrap()
}

fn call(machine: &Machine, tool: &str, arguments: &Value) -> Value {
    call_of(machine, "s", tool, arguments)
}

/// The error message of a call that must be refused.
fn refused(machine: &Machine, tool: &str, arguments: &Value) -> String {
    let reply = call(machine, tool, arguments);
    assert_eq!(reply["isError"], true, "{reply}");
    texts(&reply).join("\n")
}

/// Adds a note and returns its id.
fn add(machine: &Machine, content: &str, tags: &[&str]) -> String {
    let reply = call(
        machine,
        "add_note",
        &json!({"content": content, "tags": tags}),
    );
    reply["structuredContent"]["note_id"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// The contents of the notes in a reply, in its order.
fn contents(reply: &Value) -> Vec<&str> {
    let notes = reply["structuredContent"]["notes"].as_array().unwrap();
    notes
        .iter()
        .map(|note| note["content"].as_str().unwrap())
        .collect()
}

#[test]
fn add_note_is_for_the_session_unless_the_project_is_asked_for() {
    let machine = Machine::new();
    call(&machine, "add_note", &json!({"content": "mine"}));
    let shared = json!({"content": "everybody's", "scope": "project"});
    call(&machine, "add_note", &shared);
    let list = |session| call_of(&machine, session, "list_notes", &json!({}));
    assert_eq!(contents(&list("s")), ["everybody's", "mine"]);
    assert_eq!(contents(&list("another")), ["everybody's"]);
}

#[test]
fn ids_of_notes_are_the_time_and_never_the_same() {
    let machine = Machine::new();
    let lines: String = (0..5)
        .map(|number| json!({"content": number.to_string(), "created": 1_000}).to_string() + "\n")
        .collect();
    machine
        .run_with(&["note", "import", "-", "--session", "s"], lines.as_bytes())
        .ok();
    let mut ids: Vec<String> = (0..5).map(|_| add(&machine, "another", &[])).collect();
    for id in &ids {
        let time = id.strip_prefix("note_").unwrap().parse::<u64>();
        assert!(time.unwrap() > 1_700_000_000_000, "{id}");
    }
    assert!(ids.is_sorted());
    ids.dedup();
    assert_eq!(ids.len(), 5);
    let list = call(&machine, "list_notes", &json!({}));
    let all = list["structuredContent"]["notes"].as_array().unwrap();
    let distinct: std::collections::HashSet<&str> = all
        .iter()
        .map(|note| note["id"].as_str().unwrap())
        .collect();
    assert_eq!((all.len(), distinct.len()), (10, 10));
}

#[test]
fn a_note_has_4000_characters_and_10_tags_at_most_unless_set_otherwise() {
    let machine = Machine::new();
    let tags: Vec<String> = (0..11).map(|number| number.to_string()).collect();
    let full = json!({"content": "ä".repeat(4_000), "tags": tags[..10]});
    assert_eq!(call(&machine, "add_note", &full)["isError"], false);
    assert_data_eq!(
        refused(&machine, "add_note", &json!({"content": "ä".repeat(4_001)})),
        str![[r#"
Note not saved: 4,001 characters, the limit is 4,000. Nothing was changed.
Hint: split it into shorter notes.
"#]]
    );
    assert_data_eq!(
        refused(&machine, "add_note", &json!({"content": "x", "tags": tags})),
        str![[r#"
Note not saved: 11 tags, the limit is 10. Nothing was changed.
Hint: keep the tags you will search by.
"#]]
    );
    let list = call(&machine, "list_notes", &json!({}));
    assert_eq!(list["structuredContent"]["note_count"], 1);
    for (key, value) in [("notes.max_chars", "5"), ("notes.max_tags", "1")] {
        machine.run(&["config", "set", key, value]).ok();
    }
    refused(&machine, "add_note", &json!({"content": "sixsix"}));
    refused(
        &machine,
        "add_note",
        &json!({"content": "x", "tags": ["a", "b"]}),
    );
    add(&machine, "five!", &["a"]);
}

#[test]
fn scratch_note_is_a_note_without_tags() {
    let machine = Machine::new();
    let reply = call(&machine, "scratch_note", &json!({"content": "quick"}));
    assert_data_eq!(texts(&reply)[0], str!["Saved note_[..] (1 note, 0 tags)."]);
    let list = call(&machine, "list_notes", &json!({}));
    assert_eq!(list["structuredContent"]["notes"][0]["tags"], json!([]));
    let tagged = json!({"content": "quick", "tags": ["a"]});
    assert!(refused(&machine, "scratch_note", &tagged).contains("it takes content"));
}

#[test]
fn update_note_replaces_what_is_given_and_needs_something() {
    let machine = Machine::new();
    let id = add(&machine, "old", &["a", "b"]);
    let note = |arguments| {
        call(&machine, "update_note", &arguments);
        call(&machine, "list_notes", &json!({}))["structuredContent"]["notes"][0].clone()
    };
    let updated = note(json!({"id": id, "content": "new"}));
    assert_eq!(
        (&updated["content"], &updated["tags"]),
        (&json!("new"), &json!(["a", "b"]))
    );
    let updated = note(json!({"id": id, "tags": ["c"]}));
    assert_eq!(
        (&updated["content"], &updated["tags"]),
        (&json!("new"), &json!(["c"]))
    );
    assert_data_eq!(
        refused(&machine, "update_note", &json!({"id": id})),
        str![[r#"
update_note needs `content`, `tags` or `sources`. Nothing was changed.
Hint: what is given is replaced, the rest stays.
"#]]
    );
}

#[test]
fn delete_note_deletes_the_note() {
    let machine = Machine::new();
    let id = add(&machine, "wrong", &[]);
    let reply = call(&machine, "delete_note", &json!({"id": id}));
    assert_data_eq!(
        texts(&reply)[0],
        str!["Deleted note_[..] (0 notes, 0 tags left)."]
    );
    assert!(contents(&call(&machine, "list_notes", &json!({}))).is_empty());
}

#[test]
fn an_unknown_id_of_a_note_names_the_nearest() {
    let machine = Machine::new();
    let id = add(&machine, "kept", &[]);
    let near = format!("{id}0");
    for (tool, arguments) in [
        ("delete_note", json!({"id": near})),
        ("update_note", json!({"id": near, "content": "x"})),
    ] {
        let said = refused(&machine, tool, &arguments);
        assert!(said.contains("Nothing was changed"), "{said}");
        assert!(said.contains(&id), "{said}");
    }
    assert_eq!(
        contents(&call(&machine, "list_notes", &json!({}))),
        ["kept"]
    );
}

#[test]
fn list_notes_shows_the_last_changed_first_those_of_a_tag_and_as_many_as_asked_for() {
    let machine = Machine::new();
    let id = add(&machine, "one", &["Auth"]);
    add(&machine, "two", &[]);
    add(&machine, "three", &["auth"]);
    call(
        &machine,
        "update_note",
        &json!({"id": id, "content": "one again"}),
    );
    let list = |arguments| call(&machine, "list_notes", &arguments);
    assert_eq!(contents(&list(json!({}))), ["one again", "three", "two"]);
    assert_eq!(
        contents(&list(json!({"tag": "AUTH"}))),
        ["one again", "three"]
    );
    let first = list(json!({"limit": 1}));
    assert_eq!(contents(&first), ["one again"]);
    let next = json!({"limit": 1, "before": first["structuredContent"]["next_before"]});
    assert_eq!(contents(&list(next)), ["three"]);
}

#[test]
fn search_notes_ranks_by_the_place_of_the_match_and_then_the_newest() {
    let machine = Machine::new();
    for content in ["see the VPN", "vpn one", "no match", "VPN two"] {
        add(&machine, content, &[]);
    }
    let found = call(&machine, "search_notes", &json!({"query": "Vpn"}));
    assert_eq!(contents(&found), ["VPN two", "vpn one", "see the VPN"]);
    assert_eq!(found["structuredContent"]["match"], "substring");
    let first = call(
        &machine,
        "search_notes",
        &json!({"query": "Vpn", "limit": 1}),
    );
    assert_eq!(contents(&first), ["VPN two"]);
}

#[test]
fn search_notes_needs_all_tags() {
    let machine = Machine::new();
    add(&machine, "both", &["deploy", "ops"]);
    add(&machine, "one", &["deploy"]);
    let found = |arguments| call(&machine, "search_notes", &arguments);
    assert_eq!(
        contents(&found(json!({"tags": ["OPS", "Deploy"]}))),
        ["both"]
    );
    let of_one = json!({"tags": ["deploy"], "query": "o"});
    assert_eq!(contents(&found(of_one)), ["one", "both"]);
}

#[test]
fn a_search_without_a_match_goes_by_words_and_says_so() {
    let machine = Machine::new();
    add(&machine, "the cache is keyed by the user", &[]);
    add(&machine, "another thing", &[]);
    let found = call(&machine, "search_notes", &json!({"query": "users? cach"}));
    assert!(contents(&found).is_empty());
    let found = call(&machine, "search_notes", &json!({"query": "user cach"}));
    assert_eq!(contents(&found), ["the cache is keyed by the user"]);
    assert_eq!(found["structuredContent"]["match"], "words");
    assert_data_eq!(
        texts(&found)[0].lines().next().unwrap(),
        str![[r#"None contains "user cach" exactly; 1 note with its words:"#]]
    );
}

#[test]
fn case_is_folded_as_unicode_does() {
    let machine = Machine::new();
    add(&machine, "Bahnhofstraße", &["Größe"]);
    add(&machine, "привет", &[]);
    for (query, content) in [("STRASSE", "Bahnhofstraße"), ("ПРИВЕТ", "привет")] {
        let found = call(&machine, "search_notes", &json!({"query": query}));
        assert_eq!(contents(&found), [content]);
    }
    let found = call(&machine, "list_notes", &json!({"tag": "GRÖSSE"}));
    assert_eq!(contents(&found), ["Bahnhofstraße"]);
}

#[test]
fn list_tags_counts_each_tag_as_it_was_typed_in_order() {
    let machine = Machine::new();
    add(&machine, "one", &["Ops", "auth"]);
    add(&machine, "two", &["ops"]);
    let tags = call(&machine, "list_tags", &json!({}));
    assert_eq!(
        tags["structuredContent"],
        json!({"tags": [{"tag": "auth", "count": 1}, {"tag": "Ops", "count": 2}]})
    );
    assert_data_eq!(
        texts(&tags)[0],
        str![[r#"
auth 1
Ops 2
"#]]
    );
}

#[test]
fn replies_of_the_note_tools_have_their_figures() {
    let machine = Machine::new();
    let structure = |tool, arguments| call(&machine, tool, &arguments)["structuredContent"].clone();
    let added = structure("add_note", json!({"content": "one", "tags": ["a"]}));
    let id = &added["note_id"];
    assert_eq!(
        added,
        json!({"note_id": id, "total_notes": 1, "total_tags": 1})
    );
    let found = structure("search_notes", json!({"query": "one", "tags": ["a"]}));
    assert_eq!(
        (
            &found["result_count"],
            &found["query"],
            &found["tags"],
            &found["match"]
        ),
        (&json!(1), &json!("one"), &json!(["a"]), &json!("substring"))
    );
    let listed = structure("list_notes", json!({"tag": "a"}));
    assert_eq!(
        (
            &listed["note_count"],
            &listed["tag_filter"],
            &listed["notes"][0]["id"]
        ),
        (&json!(1), &json!("a"), id)
    );
    let updated = structure("update_note", json!({"id": id, "tags": []}));
    assert_eq!(
        updated,
        json!({"note_id": id, "total_notes": 1, "total_tags": 0})
    );
    let deleted = structure("delete_note", json!({"id": id}));
    assert_eq!(
        deleted,
        json!({"note_id": id, "total_notes": 0, "total_tags": 0})
    );
}
