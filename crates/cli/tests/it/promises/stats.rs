//! `stats`: net, signed, and nothing that did not happen.

use serde_json::{Value, json};

use crate::support::pipe::Pipe;
use crate::support::scripted_server::{call, kept, proxy};
use crate::support::{Answer, Machine};

fn figures(machine: &Machine, arguments: &[&str]) -> Value {
    let arguments = [&["stats", "--json"], arguments].concat();
    serde_json::from_str(&machine.run(&arguments).ok()).unwrap()
}

fn tool_event(machine: &Machine, session: &str, tool: &str, result: &str) -> Answer {
    let cwd = machine.project().canonicalize().unwrap();
    let event = json!({
        "session_id": session, "hook_event_name": "PostToolUse", "cwd": cwd, "tool_name": tool,
        "tool_input": {"command": "x"}, "tool_response": {"stdout": result, "stderr": ""},
    });
    machine.run_with(&["hook", "claude"], event.to_string().as_bytes())
}

fn start(machine: &Machine, session: &str, arguments: &[&str]) {
    let cwd = machine.project().canonicalize().unwrap();
    let event = json!({
        "session_id": session, "hook_event_name": "SessionStart", "source": "startup", "cwd": cwd,
    });
    let arguments = [&["hook", "claude"], arguments].concat();
    machine
        .run_with(&arguments, event.to_string().as_bytes())
        .ok();
}

/// A log of this many bytes.
fn log(bytes: usize) -> String {
    let lines: String = (0..)
        .map(|line| format!("line {line} of an ordinary log\n"))
        .take(bytes / 20)
        .collect();
    lines.chars().take(bytes).collect()
}

fn read(machine: &Machine, session: &str, arguments: &Value) {
    machine
        .run(&[
            "call",
            "scratchpad_read",
            &arguments.to_string(),
            "--session",
            session,
        ])
        .ok();
}

#[test]
fn a_result_that_is_kept_is_counted_with_its_reference_and_what_is_read_again() {
    let machine = Machine::new();
    let text = log(20_000);
    let reference = tool_event(&machine, "s", "Bash", &text).ok();
    let stats = figures(&machine, &[]);
    assert_eq!(stats["kept"]["bytes"], 20_000);
    assert_eq!(
        (&stats["kept"]["times"], &stats["read"]["times"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(stats["hosts"], json!(["claude"]));
    let reference: Value = serde_json::from_str(&reference).unwrap();
    let reference = reference["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
        .as_str()
        .unwrap();
    let root = machine.home().parent().unwrap().display().to_string();
    let reference_here = reference.replace("[ROOT]", &root);
    assert_eq!(stats["reference"]["bytes"], reference_here.len());
    let before = stats["net"]["tokens"].as_i64().unwrap();
    assert!(before > 4_000, "{before}");

    read(
        &machine,
        "s",
        &json!({"id": kept(reference), "lines": "1-10"}),
    );
    let stats = figures(&machine, &["--by", "tool"]);
    assert_eq!(stats["read"]["times"], 1);
    let after = stats["net"]["tokens"].as_i64().unwrap();
    let read_again = stats["read"]["tokens"].as_i64().unwrap();
    assert_eq!(after, before - read_again);
    assert_eq!(stats["by"][0]["name"], "claude/Bash");
    assert_eq!(stats["by"][0]["net"], stats["net"]);

    let screen = machine.run(&["stats"]).ok();
    for part in [
        "This project, the last 30 days: 1 session",
        "Kept out of the window",
        "1 result",
        "1 call and its answer",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    let german = machine.run(&["stats", "--lang", "de", "--by", "day"]).ok();
    assert!(
        german.contains("Aus dem Fenster gehalten") && german.contains("AUSGELAGERT"),
        "{german}"
    );
    let line = machine.run(&["statusline", "--session", "s"]).ok();
    assert!(
        line.contains(" · net ") && line.contains(" tokens"),
        "{line}"
    );
    let screen = machine.run(&["status"]).ok();
    assert!(screen.contains("\nSavings   net "), "{screen}");
}

#[test]
fn a_session_that_only_loses_shows_a_minus_and_what_would_help() {
    let machine = Machine::new();
    start(&machine, "s", &["--tools"]);
    let reference = tool_event(&machine, "s", "Bash", &log(4_500)).ok();
    let reference: Value = serde_json::from_str(&reference).unwrap();
    let reference = reference["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
        .as_str()
        .unwrap();
    let id = kept(reference);
    read(&machine, "s", &json!({"id": id, "lines": "1-40"}));
    read(&machine, "s", &json!({"id": id}));
    start(&machine, "s", &["--tools"]);
    let stats = figures(&machine, &[]);
    assert!(stats["net"]["tokens"].as_i64().unwrap() < 0, "{stats}");
    assert_eq!(
        (&stats["read"]["times"], &stats["read_whole"]["times"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(stats["listed"]["times"], 1, "once in a session");
    assert_eq!(stats["worst"]["tool"], "claude/Bash");
    let screen = machine.run(&["stats"]).ok();
    assert!(screen.contains("Net") && screen.contains("  −"), "{screen}");
    let better = "scratchpad config set outputs.rules 'claude/Bash: never'";
    assert!(
        screen.contains("Worst: claude/Bash: kept once, read to the end once: −"),
        "{screen}"
    );
    assert!(screen.contains(better), "{screen}");
    // The advice works, and keeps the rules that there are.
    machine
        .run(&["config", "set", "outputs.rules", "claude/Grep: 9000"])
        .ok();
    let stats = figures(&machine, &[]);
    let rules = stats["worst"]["outputs.rules"].as_str().unwrap();
    machine.run(&["config", "set", "outputs.rules", rules]).ok();
    let shown = machine.run(&["config", "show"]).ok();
    assert!(
        shown.contains("claude/Bash: never") && shown.contains("claude/Grep: 9000"),
        "{shown}"
    );
    assert!(
        machine
            .run(&["statusline", "--session", "s"])
            .ok()
            .contains("net −")
    );
}

#[test]
fn the_picture_shows_what_is_below_zero_and_is_of_one_piece() {
    let machine = Machine::new();
    start(&machine, "s", &["--tools"]);
    let put = ["output", "put", "--session", "t", "--always"];
    machine.run_with(&put, log(20_000).as_bytes()).ok();
    let plotted = machine.run(&["stats", "--plot", "days.svg"]);
    assert!(plotted.err.contains("days.svg"), "{}", plotted.err);
    let file = machine.project().join("days.svg");
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(
        svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
        "{svg}"
    );
    assert_eq!(svg.matches("<rect class=\"a\"").count(), 1, "one day");
    for absent in ["NaN", "<script", "href", "height=\"-"] {
        assert!(!svg.contains(absent), "{absent}: {svg}");
    }
    machine
        .run(&["session", "set-notes", "x", "--session", "s"])
        .ok();
    machine
        .run(&["stats", "--session", "s", "--plot", "days.svg"])
        .ok();
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.contains("net −"), "{svg}");
}

#[test]
fn with_outputs_off_there_is_no_ledger() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-plan", "1. go", "--session", "s"])
        .ok();
    machine
        .run(&["config", "set", "outputs.enabled", "false"])
        .ok();
    start(&machine, "s", &["--tools"]);
    tool_event(&machine, "s", "Bash", &log(20_000)).ok();
    let database = rusqlite::Connection::open(machine.database()).unwrap();
    let rows: i64 = database
        .query_row("SELECT count(*) FROM ledger", [], |row| row.get(0))
        .unwrap();
    assert_eq!(rows, 0);
    let screen = machine.run(&["stats"]).ok();
    assert!(screen.contains("Nothing was counted"), "{screen}");
}

#[test]
fn what_the_host_would_have_cut_is_not_counted() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "codex-mcp-client", "version": "1"},
    }});
    client.send(format!("{hello}\n"));
    let text = log(50_000);
    let result =
        json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}});
    client.send(call("1", json!([{"say": result.to_string()}])));
    client.json();
    client.end();
    let stats = figures(&machine, &["--by", "host"]);
    assert_eq!(stats["kept"]["bytes"], 12_000);
    assert_eq!(stats["cut_by_host"]["bytes"], 38_000);
    assert_eq!(stats["by"][0]["name"], "codex");
    assert_eq!(stats["has_unknown_host"], false);
    let screen = machine.run(&["stats"]).ok();
    assert!(
        screen.contains("more anyway, which is not counted"),
        "{screen}"
    );
}

#[test]
fn the_proxys_tools_are_counted_although_nothing_was_kept() {
    let machine = Machine::new();
    let mut command = proxy(&machine, &[]);
    command.env("TOOLS", json!([r#"[{"name":"a"}]"#]).to_string());
    let mut client = Pipe::start(&mut command);
    for id in 1..3 {
        client.send(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\"}}\n"
        ));
        client.json();
    }
    client.end();
    let stats = figures(&machine, &[]);
    assert_eq!(stats["listed"]["times"], 1);
    let net = stats["net"]["tokens"].as_i64().unwrap();
    assert!((-400..-150).contains(&net), "{net}");
}

#[test]
fn two_processes_count_at_once() {
    let machine = Machine::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let put = ["output", "put", "--session", "s"];
                    machine.run_with(&put, log(10_000).as_bytes()).ok();
                }
            });
        }
    });
    let stats = figures(&machine, &["--session", "s"]);
    assert_eq!(
        (&stats["kept"]["times"], &stats["kept"]["bytes"]),
        (&json!(20), &json!(200_000))
    );
}
