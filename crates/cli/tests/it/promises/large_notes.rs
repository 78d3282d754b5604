//! Large results of the note tools: offloaded like any other tool's.

use serde_json::{Value, json};

use crate::support::Machine;
use crate::support::client::Client;
use crate::support::outputs::texts;

/// A machine whose session `s` has notes of more than the threshold together.
fn with_notes() -> Machine {
    let machine = Machine::new();
    for number in 1..=9 {
        let note = format!("number {number}: {}", "words of it ".repeat(60));
        machine
            .run(&["note", "add", &note, "--tag", "t", "--session", "s"])
            .ok();
    }
    machine
}

fn server(machine: &Machine, options: &[&str]) -> Client {
    let arguments = [&["mcp", "--session", "s"], options].concat();
    Client::greeted(&mut machine.command(&arguments))
}

/// The id in a reference of at most 1 KiB to what this tool answered.
fn id_in<'a>(reference: &'a str, tool: &str) -> &'a str {
    assert!(reference.len() <= 1_024, "{reference}");
    let (id, rest) = reference
        .strip_prefix("[Output ")
        .and_then(|rest| rest.split_once(' '))
        .unwrap_or_else(|| panic!("no reference: {reference}"));
    assert!(rest.starts_with(&format!("of {tool}: ")), "{reference}");
    id
}

#[test]
fn a_large_list_or_search_of_notes_becomes_a_reference_that_reads_all_of_it() {
    let machine = with_notes();
    let mut client = server(&machine, &[]);
    for (tool, arguments) in [
        ("list_notes", json!({})),
        ("search_notes", json!({"query": "words"})),
    ] {
        let reply = client.call(tool, arguments);
        assert_eq!(reply.len(), 1, "{reply:?}");
        let id = id_in(&reply[0], tool);
        assert!(reply[0].contains("Read: scratchpad_read {"), "{reply:?}");
        let read = client.call("scratchpad_read", json!({"id": id}));
        assert!(read[0].starts_with("9 notes"), "{read:?}");
        assert_eq!(read[0].matches("words of it ".repeat(60).trim()).count(), 9);
    }
    let small = client.call("list_notes", json!({"limit": 1}));
    assert!(
        small[0].starts_with("1 of 9 notes, newest first:"),
        "{small:?}"
    );
}

#[test]
fn the_next_page_of_a_large_list_of_notes_is_named_beside_its_reference() {
    let machine = with_notes();
    let mut client = server(&machine, &[]);
    let page = client.call("list_notes", json!({"limit": 7}));
    id_in(&page[0], "list_notes");
    let next = page[1]
        .strip_prefix("More: the same call with `before` \"")
        .and_then(|rest| rest.strip_suffix("\"."))
        .unwrap_or_else(|| panic!("{page:?}"));
    let last = client.call("list_notes", json!({"limit": 7, "before": next}));
    assert!(
        last[0].contains("number 2: ") && last[0].contains("number 1: "),
        "{last:?}"
    );
}

#[test]
fn what_reads_outputs_is_named_as_it_is_offered() {
    let machine = with_notes();
    let mut client = server(&machine, &["--compact"]);
    let reply = client.call("notes", json!({"action": "search"}));
    id_in(&reply[0], "notes");
    assert!(reply[0].contains("Read: outputs {"), "{reply:?}");
}

#[test]
fn a_list_of_notes_stays_whole_where_no_reference_could_be_read_or_is_wanted() {
    let machine = with_notes();
    for options in [
        &["--tools", "pad,notes"][..],
        &["--config", "outputs.enabled=false"],
        &["--config", "outputs.rules=scratchpad/list_*: never"],
        &["--config", "outputs.max_total_bytes=1"],
        // The data is whole there, and clients check it against the schema.
        &["--structured"],
    ] {
        let mut client = server(&machine, options);
        let reply = client.call("list_notes", json!({}));
        assert!(
            reply[0].starts_with("9 notes, newest first:"),
            "{options:?}: {reply:?}"
        );
    }
    // A script that a host runs gets its data.
    let mut client = server(&machine, &[]);
    let call = json!({"name": "list_notes", "arguments": {},
        "_meta": {"callId": "exec-67730789-8b12-48ee-8a28-bfef49d80aee"}});
    let reply = client.request("tools/call", call);
    assert!(
        texts(&reply)[0].starts_with("9 notes, newest first:"),
        "{reply}"
    );
}

#[test]
fn a_call_without_mcp_and_the_library_answer_the_reference_and_the_whole_data() {
    let machine = with_notes();
    let words = ["call", "list_notes", "{}", "--session", "s", "--json"];
    let check = |reply: &Value| {
        id_in(texts(reply)[0], "list_notes");
        assert_eq!(
            reply["structuredContent"]["notes"]
                .as_array()
                .unwrap()
                .len(),
            9
        );
    };
    check(&machine.run(&words).json());
    let page = ["call", "list_notes", "{\"limit\":7}", "--session", "s"];
    let shown = machine.run(&page);
    assert!(shown.out.ends_with('\n'), "{shown:?}");
    assert!(
        shown.err.starts_with("More: the same call with `before` "),
        "{shown:?}"
    );
    let scratchpad = scratchpad::Scratchpad::open(machine.home()).unwrap();
    let session = scratchpad::SessionId::new("s").unwrap();
    let reply = scratchpad.call(&session, "list_notes", &json!({}));
    check(&reply.to_json());
}

#[test]
fn a_person_reads_notes_on_the_command_line_whole() {
    let machine = with_notes();
    let listed = machine.run(&["note", "list", "--session", "s"]).ok();
    assert!(listed.starts_with("9 notes, newest first:"), "{listed}");
}
