//! The MCP server as a client sees it: tools, sessions, resources, prompts.

use crate::support::Machine;
use crate::support::client::Client;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// The text with ids of notes and times replaced, which differ from run to run.
fn redacted(text: &str) -> String {
    let word = |word: &str| match word.trim_end_matches([' ', '\n', '.', ',']) {
        id if id.starts_with("note_") && id.len() == 18 => word.replace(id, "[NOTE]"),
        time if time.ends_with('Z') && time.len() == 20 => word.replace(time, "[TIME]"),
        date if date.starts_with("20") && date.len() == 10 => word.replace(date, "[DATE]"),
        _ => word.to_owned(),
    };
    text.split_inclusive([' ', '\n', '.']).map(word).collect()
}

#[test]
fn the_tools_work_together_over_one_connection() {
    let machine = Machine::new();
    let mut client = Client::greeted(&mut machine.command(&["mcp", "--session", "s"]));
    let long = "line of a log\n".repeat(4_000);
    let texts = [
        client.call(
            "session_scratchpad",
            json!({"action": "set_notes", "content": long}),
        ),
        client.call(
            "session.scratchpad",
            json!({"action": "set_plan", "content": "go"}),
        ),
        client.call(
            "add_note",
            json!({"content": "Deploys need the VPN", "tags": ["deploy"]}),
        ),
        client.call("search_notes", json!({"query": "vpn"})),
        client.call("scratchpad_list", json!({})),
        client.call(
            "scratchpad_read",
            json!({"id": "2beac4a0d1d6", "lines": "-2"}),
        ),
        client.call("delete_note", json!({"id": "note_1"})),
    ];
    let seen: String = texts
        .iter()
        .map(|blocks| blocks.join("\n--\n") + "\n\n")
        .collect();
    assert_data_eq!(
        redacted(&seen),
        str![[r#"
Notes cut to 4000 chars (56000 given): rewrite shorter. All of it is output 2beac4a0d1d6 (scratchpad_read, or `scratchpad output read 2beac4a0d1d6`).

Plan saved (2 / 2000 chars).

Saved [NOTE] (1 note, 1 tag).

1 note with "vpn":

[NOTE] session [deploy] [DATE]
Deploys need the VPN

1 output (56,000 of at most 52,428,800 bytes), newest first:
2beac4a0d1d6 56,000 bytes, 4,000 lines, text, [TIME], set_notes
  1:line of a log 2:line of a log 3:line of a log 4:line of a log 5:line of a log 6:line of a log 7:li…

line of a log
line of a log

--
Lines 3999-4000 of 4,000.

note_1 not found here. Nothing was changed.
Hint: the nearest ids: [NOTE].


"#]]
    );
    // What one process wrote, the next one finds.
    let plan = machine
        .run(&["session", "show", "--session", "s", "--json"])
        .json();
    assert_eq!(plan["plan"], "go");
}

#[test]
fn an_output_is_read_in_parts_that_make_the_whole() {
    let machine = Machine::new();
    let mut client = Client::greeted(&mut machine.command(&["mcp"]));
    let long = "größer\n".repeat(20_000);
    let saved = client.call(
        "session_scratchpad",
        json!({"action": "set_plan", "content": long}),
    );
    let id = saved[0]
        .split("output ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .to_owned();
    let (mut whole, mut arguments) = (String::new(), json!({"id": id}));
    loop {
        let blocks = client.call("scratchpad_read", arguments.clone());
        assert!(blocks[0].len() <= 32 * 1024);
        whole.push_str(&blocks[0]);
        // The second block is the next call.
        match blocks[1].split("Next: ").nth(1) {
            Some(next) => arguments = serde_json::from_str(next).unwrap(),
            None => break,
        }
    }
    assert!(whole == long, "the parts are not the whole");
}

#[test]
fn the_compact_tools_do_what_the_others_do() {
    let machine = Machine::new();
    let mut client = Client::greeted(&mut machine.command(&["mcp", "--compact"]));
    let mut call = |tool: &str, arguments: Value| client.call(tool, arguments).join("\n--\n");
    let added = call(
        "notes",
        json!({"action": "add", "content": "Deploys need the VPN", "tags": ["deploy"]}),
    );
    let id = added.split(' ').nth(1).unwrap().to_owned();
    let seen = [
        added,
        call(
            "notes",
            json!({"action": "update", "id": id, "content": "Deploys need no VPN"}),
        ),
        call("notes", json!({"action": "search", "query": "vpn"})),
        call("notes", json!({"action": "search"})),
        call("notes", json!({"action": "tags"})),
        call("notes", json!({"action": "update", "id": id})),
        call("notes", json!({"action": "add"})),
        call("notes", json!({"action": "delete", "id": id})),
        call("outputs", json!({})),
        call("outputs", json!({"lines": "1-2"})),
        call("outputs", json!({"id": "abcdef012345"})),
    ]
    .join("\n\n");
    assert_data_eq!(
        redacted(&seen),
        str![[r#"
Saved [NOTE] (1 note, 1 tag).

Updated (1 note, 1 tag):
[NOTE] session [deploy] [DATE]
Deploys need no VPN

1 note with "vpn":

[NOTE] session [deploy] [DATE]
Deploys need no VPN

1 note, newest first:

[NOTE] session [deploy] [DATE]
Deploys need no VPN

deploy 1

notes update needs `content`, `tags` or both. Nothing was changed.
Hint: what is given is replaced, the rest stays.

notes add needs `content`. Nothing was changed.

Deleted [NOTE] (0 notes, 0 tags left).

No outputs found.

outputs needs `id` to read a part. Nothing was changed.

Output abcdef012345 not found: it was never kept here.
"#]]
    );
    let refused = client.ask(
        "tools/call",
        json!({"name": "add_note", "arguments": {"content": "x"}}),
    );
    assert_eq!(refused["error"]["code"], -32602);
}

#[test]
fn two_servers_of_one_project_do_not_see_each_others_pad() {
    let machine = Machine::new();
    let mut one = Client::greeted(&mut machine.command(&["mcp"]));
    let mut two = Client::greeted(&mut machine.command(&["mcp"]));
    one.call(
        "session_scratchpad",
        json!({"action": "set_notes", "content": "mine"}),
    );
    let seen = two.call("session_scratchpad", json!({"action": "get"}));
    assert_eq!(
        seen[0],
        "The pad is empty. Write it with set_notes, set_plan or refs.add."
    );
}

#[test]
fn the_session_is_the_first_that_is_known() {
    let machine = Machine::new();
    let server = |flags: &[&str], variables: &[(&str, &str)]| {
        let mut arguments = vec!["mcp"];
        arguments.extend(flags);
        let mut command = machine.command(&arguments);
        command.envs(variables.iter().copied());
        Client::greeted(&mut command)
    };
    let variables = [
        ("SCRATCHPAD_SESSION", "own"),
        ("CLAUDE_CODE_SESSION_ID", "host"),
    ];
    let beside = json!({"sessionId": "beside", "threadId": "thread"});
    let cases = [
        (
            server(&["--session", "flag"], &variables),
            json!({"session": "argument"}),
            beside.clone(),
            "argument",
        ),
        (
            server(&["--session", "flag"], &variables),
            json!({}),
            beside.clone(),
            "flag",
        ),
        (server(&[], &variables), json!({}), beside.clone(), "own"),
        (server(&[], &variables[1..]), json!({}), beside, "thread"),
        (
            server(&[], &variables[1..]),
            json!({}),
            json!({"sessionId": "beside"}),
            "beside",
        ),
        (
            server(&[], &variables[1..]),
            json!({}),
            json!({"agent-session-id": "20261115_3"}),
            "20261115_3",
        ),
        (
            server(&[], &variables[1..]),
            json!({}),
            json!({"threadId": "no id"}),
            "host",
        ),
        (server(&[], &variables[1..]), json!({}), json!({}), "host"),
    ];
    for (number, (mut client, extra, meta, expected)) in cases.into_iter().enumerate() {
        let plan = format!("case {number}");
        let mut arguments = json!({"action": "set_plan", "content": plan});
        arguments
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        client.request(
            "tools/call",
            json!({"name": "session_scratchpad", "arguments": arguments, "_meta": meta}),
        );
        let shown = machine
            .run(&["session", "show", "--session", expected, "--json"])
            .json();
        assert_eq!(shown["plan"], json!(plan), "{expected}");
    }
}

#[test]
fn a_journal_is_the_home_of_the_session() {
    let machine = Machine::new();
    let file = machine.project().join("talk.jsonl");
    std::fs::write(&file, "{\"type\":\"message\"}\n").unwrap();
    let mut command = machine.command(&["mcp", "--journal", "talk.jsonl"]);
    command.env("CLAUDE_CODE_SESSION_ID", "host");
    let mut client = Client::greeted(&mut command);
    let saved = client.request(
        "tools/call",
        json!({"name": "session_scratchpad", "arguments": {"action": "set_plan", "content": "go"}, "_meta": {"sessionId": "other"}}),
    );
    assert_eq!(saved["content"][0]["text"], "Plan saved (2 / 2000 chars).");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("{\"type\":\"message\"}\n{"));
    assert!(text.contains("\"openclaw:scratchpad:plan\""), "{text}");
}

#[test]
fn resources_prompts_and_completions_give_what_is_kept() {
    let machine = Machine::new();
    let mut client = Client::greeted(&mut machine.command(&["mcp", "--session", "s"]));
    client.call(
        "session_scratchpad",
        json!({"action": "set_plan", "content": "1. read"}),
    );
    client.call("add_note", json!({"content": "Deploys need the VPN"}));
    let long = "x".repeat(5_000);
    let saved = client.call(
        "session_scratchpad",
        json!({"action": "set_notes", "content": long}),
    );
    client.call(
        "session_scratchpad",
        json!({"action": "set_notes", "content": "short"}),
    );
    let id = saved[0]
        .split("output ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap();

    let pad = client.request("resources/read", json!({"uri": "scratchpad://session/pad"}));
    assert_eq!(
        pad["contents"][0]["text"],
        "[Session Scratchpad - your persistent working memory]\nNotes:\nshort\n\nPlan:\n1. read\n[End Scratchpad]"
    );
    let templates = client.request("resources/templates/list", json!({}));
    assert_eq!(
        templates["resourceTemplates"][0]["uriTemplate"],
        "scratchpad://output/{id}"
    );
    let output = client.request(
        "resources/read",
        json!({"uri": format!("scratchpad://output/{id}")}),
    );
    assert_eq!(output["contents"][0]["text"], long);
    for uri in [
        "scratchpad://output/../x",
        "scratchpad://output/abcdef012345",
        "file:///etc/passwd",
    ] {
        let answer = client.ask("resources/read", json!({"uri": uri}));
        assert_eq!(answer["error"]["code"], -32002, "{uri}: {answer}");
        assert_eq!(answer["error"]["data"]["uri"], uri);
    }

    let handoff = client.request("prompts/get", json!({"name": "handoff"}));
    let text = handoff["messages"][0]["content"]["text"].as_str().unwrap();
    assert_data_eq!(
        redacted(text),
        str![[r#"
You take over work from another agent (session s). This is what it kept. Check what you rely on: files may have changed since.

[Session Scratchpad - your persistent working memory]
Notes:
short

Plan:
1. read
[End Scratchpad]

1 note, newest first:

[NOTE] session [DATE]
Deploys need the VPN

Say in a few lines where the work stands and what comes next, then go on with it.
"#]]
    );
    let recap = client.request("prompts/get", json!({"name": "recap"}));
    let text = recap["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(
        text.contains("1. read") && text.contains("Deploys need the VPN"),
        "{text}"
    );
    assert_eq!(
        client.ask("prompts/get", json!({"name": "nothing"}))["error"]["code"],
        -32602
    );

    let complete = |client: &mut Client, reference: Value, name: &str, typed: &str| {
        let asked = json!({"ref": reference, "argument": {"name": name, "value": typed}});
        client.request("completion/complete", asked)["completion"]["values"].clone()
    };
    let output = json!({"type": "ref/resource", "uri": "scratchpad://output/{id}"});
    assert_eq!(
        complete(&mut client, output.clone(), "id", &id[..3]),
        json!([id])
    );
    assert_eq!(complete(&mut client, output, "id", "zz"), json!([]));
    let handoff = json!({"type": "ref/prompt", "name": "handoff"});
    assert_eq!(complete(&mut client, handoff, "session", ""), json!(["s"]));
}

#[test]
fn a_call_that_is_cancelled_before_it_began_is_not_done() {
    let machine = Machine::new();
    let mut client = Client::greeted(&mut machine.command(&["mcp", "--session", "s"]));
    client.call(
        "session_scratchpad",
        json!({"action": "set_notes", "content": "first"}),
    );
    // Another connection holds the database: eight calls wait for it, and the ninth for one of these.
    let other = rusqlite::Connection::open(machine.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for id in 1..=9 {
        let arguments = json!({"action": "append_notes", "content": format!("call {id}")});
        let params = json!({"name": "session_scratchpad", "arguments": arguments});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }
    let cancel = json!({"requestId": 9, "reason": "the person pressed a key"});
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}));
    // Calls that don't need the database don't wait for it.
    assert_eq!(client.request("ping", json!({})), json!({}));
    other.execute_batch("COMMIT").unwrap();
    let (answers, status) = client.end();
    assert!(status.success());
    let mut ids: Vec<i64> = answers
        .iter()
        .map(|answer| answer["id"].as_i64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3, 4, 5, 6, 7, 8]);
    let shown = machine
        .run(&["session", "show", "--session", "s", "--json"])
        .json();
    let notes = shown["notes"].as_str().unwrap();
    assert_eq!(notes.lines().count(), 9, "{notes}");
    assert!(!notes.contains("call 9"), "{notes}");
}
