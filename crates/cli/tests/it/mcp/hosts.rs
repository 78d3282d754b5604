//! What real hosts say when they start, replayed: recorded from the hosts named by the files.

use std::path::Path;

use crate::support::Machine;
use crate::support::client::Client;
use serde_json::{Value, json};

/// One start of a server: the variables the host set, and what it sent.
struct Opening {
    variables: Vec<(String, String)>,
    messages: Vec<Value>,
}

fn openings(host: &str) -> Vec<Opening> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/hosts")
        .join(format!("{host}.jsonl"));
    let mut found: Vec<Opening> = Vec::new();
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if let Some(start) = line.get("start") {
            let variables = start["env"].as_object().unwrap().iter();
            found.push(Opening {
                variables: variables
                    .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
                    .collect(),
                messages: Vec::new(),
            });
        } else {
            found.last_mut().unwrap().messages.push(line["c2s"].clone());
        }
    }
    found
}

fn start(machine: &Machine, opening: &Opening) -> Client {
    let mut command = machine.command(&["mcp"]);
    let foreign = |name: &&(String, String)| name.0 != "HOME" && name.0 != "PATH";
    for (name, value) in opening.variables.iter().filter(foreign) {
        command.env(name, value);
    }
    Client::start(&mut command)
}

/// A call of one of our tools as the host would send it: its own last call, with the tool changed.
fn call_like(opening: &Opening, id: i64, tool: &str, arguments: Value) -> Value {
    let mut call = opening
        .messages
        .iter()
        .rfind(|message| message["method"] == "tools/call")
        .unwrap()
        .clone();
    call["id"] = json!(id);
    call["params"]["name"] = json!(tool);
    call["params"]["arguments"] = arguments;
    call
}

/// Replays all the host sent, then writes the pad as it would.
fn replay(host: &str) -> (Machine, Vec<Value>, Value) {
    let machine = Machine::new();
    let mut answers = Vec::new();
    let mut write = Value::Null;
    for opening in openings(host) {
        let mut client = start(&machine, &opening);
        for message in &opening.messages {
            client.send(message);
            let listens = message["method"] == "subscriptions/listen";
            let is_request = message.get("id").is_some() && message.get("method").is_some();
            if listens {
                let acknowledged = client.next();
                assert_eq!(
                    acknowledged["method"], "notifications/subscriptions/acknowledged",
                    "{host}: {acknowledged}"
                );
            } else if is_request {
                answers.push(client.answer(&message["id"]));
            }
        }
        if opening
            .messages
            .iter()
            .any(|message| message["method"] == "tools/call")
        {
            let arguments = json!({"action": "set_plan", "content": "go on"});
            client.send(&call_like(&opening, 900, "session_scratchpad", arguments));
            write = client.answer(&json!(900));
        }
        let (_, status) = client.end();
        assert!(status.success(), "{host}: {status}");
    }
    (machine, answers, write)
}

fn check(host: &str, first: (&str, &str)) -> Machine {
    let (machine, answers, write) = replay(host);
    assert_eq!(
        answers[0]["result"].pointer(first.0),
        Some(&json!(first.1)),
        "{host}: {}",
        answers[0]
    );
    let instructions = answers[0]["result"]["instructions"].as_str().unwrap();
    assert!(instructions.starts_with("session_scratchpad is your working memory"));
    let lists: Vec<&Value> = answers
        .iter()
        .filter_map(|answer| answer["result"].get("tools"))
        .collect();
    assert!(!lists.is_empty(), "{host} did not list tools");
    for list in lists {
        assert_eq!(list.as_array().unwrap().len(), 10);
        assert_eq!(list[0]["_meta"]["anthropic/alwaysLoad"], true);
    }
    let modern = first.0 == "/resultType";
    for answer in &answers {
        let Some(result) = answer.get("result") else {
            // The recorded hosts called tools of another server.
            assert_eq!(answer["error"]["code"], -32602, "{host}: {answer}");
            continue;
        };
        assert_eq!(
            result.get("resultType").is_some(),
            modern,
            "{host}: {answer}"
        );
        assert_eq!(
            result.get("ttlMs").is_some(),
            modern && result.get("content").is_none(),
            "{host}: {answer}"
        );
    }
    assert_eq!(
        write["result"]["content"][0]["text"],
        "Plan saved (5 / 2000 chars)."
    );
    assert!(write["result"].get("structuredContent").is_none());
    machine
}

fn plan_of(machine: &Machine, session: &str) -> String {
    let shown = machine
        .run(&["session", "show", "--session", session, "--json"])
        .json();
    shown["plan"].as_str().unwrap().to_owned()
}

#[test]
fn claude_code_finds_its_tools_and_its_session_by_its_variable() {
    let machine = check("claude-code-2.1.325", ("/resultType", "complete"));
    assert_eq!(
        plan_of(&machine, "4e186733-4bf8-4533-ae79-3ef2b2162115"),
        "go on"
    );
}

#[test]
fn copilot_finds_its_tools_and_its_session_by_its_variable() {
    let machine = check("copilot-cli-1.0.102", ("/resultType", "complete"));
    assert_eq!(
        plan_of(&machine, "3409afbc-bf32-4ea0-ba75-8d7dc22e2d71"),
        "go on"
    );
}

#[test]
fn codex_finds_its_tools_and_its_session_beside_each_call() {
    let machine = check("codex-0.166.0", ("/protocolVersion", "2025-06-18"));
    assert_eq!(
        plan_of(&machine, "01a1ddd8-6050-7ff3-bc66-563efd782d1b"),
        "go on"
    );
}

/// A sub-agent has a server of its own, and a thread of its own in the session of who started it.
#[test]
fn a_sub_agent_of_codex_has_a_pad_of_its_own() {
    let machine = Machine::new();
    for opening in openings("codex-0.166.0-subagent") {
        let mut client = start(&machine, &opening);
        for message in &opening.messages {
            client.send(message);
        }
        assert!(client.end().1.success());
    }
    let (root, child) = (
        "01a1df40-7a33-7521-ae36-35d6aa9d093a",
        "01a1df40-7bcb-71d2-80ec-f01e81b6e5eb",
    );
    assert_eq!(plan_of(&machine, root), "root plan");
    assert_eq!(plan_of(&machine, child), "child plan");
}

#[test]
fn qwen_finds_its_tools_and_its_session_by_its_variable() {
    let machine = check("qwen-code-0.24.4", ("/protocolVersion", "2025-11-25"));
    assert_eq!(
        plan_of(&machine, "e75257b6-067c-43de-8336-8f08bab06f29"),
        "go on"
    );
}

#[test]
fn hosts_that_name_no_session_get_a_new_one_each_time() {
    for (host, version) in [
        ("gemini-cli-0.61.0", "2025-06-18"),
        ("opencode-1.18.33", "2025-11-25"),
        ("cline-3.0.65", "2024-11-05"),
    ] {
        let machine = check(host, ("/protocolVersion", version));
        let sessions = machine.run(&["session", "list", "--json"]).json();
        assert!(
            sessions.to_string().contains("session_"),
            "{host}: {sessions}"
        );
    }
}

/// Goose, from its source: it was not run.
#[test]
fn goose_finds_the_pad_of_its_conversation_in_its_message_file() {
    let machine = Machine::new();
    let file = machine.project().join("message");
    std::fs::write(&file, "").unwrap();
    let server = || {
        let mut command = machine.command(&["mcp"]);
        command.env("GOOSE_MOIM_MESSAGE_FILE", &file);
        Client::greeted(&mut command)
    };
    let message = || std::fs::read_to_string(&file).unwrap();
    let call = |client: &mut Client, session: &str, arguments: Value| {
        let meta = json!({"agent-session-id": session});
        let call = json!({"name": "session_scratchpad", "arguments": arguments, "_meta": meta});
        client.request("tools/call", call);
    };
    let block =
        "[Session Scratchpad - your persistent working memory]\nPlan:\ngo\n[End Scratchpad]";
    let mut client = server();
    call(
        &mut client,
        "one",
        json!({"action": "set_plan", "content": "go"}),
    );
    assert_eq!(message(), block);
    call(&mut client, "two", json!({"action": "get"}));
    assert_eq!(message(), "");
    client.end();
    // Resumed, it is there from the first call on.
    let mut client = server();
    call(&mut client, "one", json!({"action": "get"}));
    assert_eq!(message(), block);
    // Text that somebody else wrote there stays.
    std::fs::write(&file, "Speak German.\n").unwrap();
    call(
        &mut client,
        "one",
        json!({"action": "set_plan", "content": "on"}),
    );
    assert_eq!(message(), "Speak German.\n");
}
