//! What a new process gets of the session before it, in hosts that announce none.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::Machine;
use crate::support::client::Client;

const PAD: &str = "session_scratchpad";

fn server(machine: &Machine) -> Command {
    machine.command(&["mcp"])
}

/// A client of this name, started with a new server.
fn client(command: &mut Command, name: &str) -> Client {
    let mut client = Client::start(command);
    client.request(
        "initialize",
        json!({"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": name, "version": "0"}}),
    );
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client
}

fn call(client: &mut Client, arguments: Value) -> String {
    client.call(PAD, arguments).join("\n")
}

fn get(client: &mut Client) -> String {
    call(client, json!({"action": "get"}))
}

/// The call that a reply to `get` names.
fn named_call(text: &str) -> Option<Value> {
    let (_, call) = text.split_once("Take it over with ")?;
    Some(serde_json::from_str(call).unwrap())
}

/// Writes a plan in a new process, which ends; returns its session.
fn worked(machine: &Machine, name: &str, plan: &str) -> String {
    let mut client = client(&mut server(machine), name);
    call(&mut client, json!({"action": "set_plan", "content": plan}));
    assert!(client.end().1.success());
    let listed = machine.run(&["session", "list", "--json"]).json();
    listed["sessions"][0]["session"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn after_a_restart_get_names_the_session_before_it_and_continue_takes_it_over() {
    let machine = Machine::new();
    let before = worked(&machine, "editor", "- [ ] fix the cache key\n- [ ] test it");
    let mut after = client(&mut server(&machine), "editor");
    let reply = get(&mut after);
    assert_eq!(
        reply,
        format!(
            "The pad is empty. Write it with set_notes, set_plan or refs.add. Going on with earlier work? The last \
             session here was written 1 minute ago: \"- [ ] fix the cache key\". Take it over with \
             {{\"action\":\"continue\",\"session\":\"{before}\"}}"
        )
    );
    let taken = call(&mut after, named_call(&reply).unwrap());
    assert!(
        taken.starts_with(&format!(
            "Session {before} goes on in this conversation.\n[Session Scratchpad"
        )) && taken.contains("- [ ] fix the cache key"),
        "{taken}"
    );
    // From here on it is this connection's session, in every tool.
    call(
        &mut after,
        json!({"action": "set_notes", "content": "found"}),
    );
    after.call("add_note", json!({"content": "of the same session"}));
    assert_eq!(named_call(&get(&mut after)), None);
    after.end();
    let sessions = machine.run(&["session", "list", "--json"]).json();
    let ids: Vec<&Value> = sessions["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["session"])
        .collect();
    assert_eq!(ids, [&json!(before)], "nothing was written elsewhere");
    let pad = machine
        .run(&["session", "show", "--json", "--session", &before])
        .json();
    assert_eq!(
        (&pad["notes"], pad["plan"].as_str().unwrap().lines().count()),
        (&json!("found"), 2)
    );
    let notes = machine.run(&["note", "list", "--session", &before]).ok();
    assert!(notes.contains("of the same session"), "{notes}");
}

#[test]
fn a_session_that_a_running_process_uses_is_neither_named_nor_given() {
    let machine = Machine::new();
    let before = worked(&machine, "editor", "first");
    let continue_it = json!({"action": "continue", "session": before});
    let mut second = client(&mut server(&machine), "editor");
    call(&mut second, continue_it.clone());
    let mut third = client(&mut server(&machine), "editor");
    assert_eq!(named_call(&get(&mut third)), None);
    assert_eq!(
        call(&mut third, continue_it.clone()),
        format!(
            "Session {before} is in use by another running agent (process {}). Nothing was changed.\n\
             Hint: end that agent first; to read its pad only, call get with that `session`.",
            second.process()
        )
    );
    // One that started again is in use by its first write.
    call(
        &mut third,
        json!({"action": "set_plan", "content": "third"}),
    );
    let mut fourth = client(&mut server(&machine), "editor");
    assert_eq!(named_call(&get(&mut fourth)), None);
    second.end();
    assert_eq!(named_call(&get(&mut fourth)), Some(continue_it.clone()));
    assert!(call(&mut fourth, continue_it).contains("first"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_session_is_free_when_its_process_has_ended_though_nobody_asked_how() {
    let machine = Machine::new();
    let mut before = client(&mut server(&machine), "editor");
    call(
        &mut before,
        json!({"action": "set_plan", "content": "first"}),
    );
    before.end_unreaped();
    let mut after = client(&mut server(&machine), "editor");
    let continue_it = named_call(&get(&mut after)).unwrap();
    assert!(call(&mut after, continue_it).contains("first"));
}

#[test]
fn of_several_earlier_sessions_the_newest_of_the_same_host_is_named() {
    let machine = Machine::new();
    worked(&machine, "editor", "old");
    let newest = worked(&machine, "editor", "newest");
    worked(&machine, "another editor", "not ours");
    let mut after = client(&mut server(&machine), "editor");
    let call = named_call(&get(&mut after)).unwrap();
    assert_eq!(call["session"], json!(newest));
    let mut stranger = client(&mut server(&machine), "a third");
    assert_eq!(named_call(&get(&mut stranger)), None);
}

#[test]
fn only_a_session_of_this_project_can_be_continued() {
    let machine = Machine::new();
    let before = worked(&machine, "editor", "here");
    let elsewhere = machine.home().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let mut after = client(server(&machine).current_dir(&elsewhere), "editor");
    assert_eq!(named_call(&get(&mut after)), None);
    let refused = call(&mut after, json!({"action": "continue", "session": before}));
    assert!(
        refused.starts_with(&format!("Session {before} belongs to another project.")),
        "{refused}"
    );
    let unknown = call(
        &mut after,
        json!({"action": "continue", "session": "nothing"}),
    );
    assert!(
        unknown.starts_with("Session nothing not found."),
        "{unknown}"
    );
    let unnamed = call(&mut after, json!({"action": "continue"}));
    assert!(
        unnamed.starts_with("continue needs `session`, an id."),
        "{unnamed}"
    );
}

#[test]
fn a_session_that_somebody_else_names_is_not_exchanged() {
    let machine = Machine::new();
    let before = worked(&machine, "editor", "first");
    let continue_it = json!({"action": "continue", "session": before});
    let mut fixed = client(
        &mut machine.command(&["mcp", "--session", "mine"]),
        "editor",
    );
    assert_eq!(named_call(&get(&mut fixed)), None);
    let refused = call(&mut fixed, continue_it.clone());
    assert!(
        refused.starts_with("The session of this connection is fixed by whoever started it."),
        "{refused}"
    );
    let arguments =
        json!({"name": PAD, "arguments": continue_it, "_meta": {"sessionId": "of-the-host"}});
    let mut named = client(&mut server(&machine), "editor");
    let refused = named.request("tools/call", arguments)["content"][0]["text"].to_string();
    assert!(
        refused.contains("This host names the session of each conversation itself"),
        "{refused}"
    );
    let alone = machine.run(&["call", PAD, &continue_it.to_string()]);
    assert!(
        alone
            .seen()
            .contains("Only a connection of its own to the MCP server can take over"),
        "{}",
        alone.seen()
    );
}

/// As Claude Code with the server alone: its variable names the session, and a new conversation has a new one.
#[test]
fn with_a_hosts_variable_only_the_session_of_a_conversation_before_can_be_continued() {
    let machine = Machine::new();
    let with = |id: &str| {
        let mut command = server(&machine);
        command.env("CLAUDE_CODE_SESSION_ID", id);
        client(&mut command, "claude-code")
    };
    let mut first = with("one");
    call(
        &mut first,
        json!({"action": "set_plan", "content": "first"}),
    );
    first.end();
    // Resumed, it has its pad without any call.
    let mut resumed = with("one");
    assert!(get(&mut resumed).contains("first"));
    resumed.end();
    let mut second = with("two");
    let continue_it = named_call(&get(&mut second)).unwrap();
    assert_eq!(continue_it["session"], json!("one"));
    call(&mut second, continue_it);
    assert!(get(&mut second).contains("first"));
}
