//! What the MCP server costs: start, memory, calls, and the list of its tools in an agent's window.
//!
//! `cargo bench --bench mcp [-- NAME=PROGRAM …]`, or `scripts/bench mcp`, which adds the static binary
//! (`ours (static)=PROGRAM`) and the peers (`*.js`, run by node). All in one run, in turns.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

mod measure;
mod stdio_server;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use measure::Times;
use serde_json::{Value, json};
use stdio_server::StdioServer;

/// A server to measure, with a save and a search in its own words.
struct Peer {
    name: String,
    program: String,
    save: Save,
    search: (&'static str, Value),
}

/// A tool and its arguments for each round.
type Save = (&'static str, fn(usize) -> Value);

impl Peer {
    fn new(name: &str, program: &str) -> Self {
        let (save, search): (Save, _) = if name.contains("memory-keeper") {
            (
                (
                    "context_save",
                    |round| json!({"key": format!("k{round}"), "value": text(round)}),
                ),
                ("context_search", json!({"query": "needle"})),
            )
        } else if is_script(program) {
            (
                (
                    "create_entities",
                    |round| json!({"entities": [{"name": format!("e{round}"), "entityType": "t", "observations": [text(round)]}]}),
                ),
                ("search_nodes", json!({"query": "needle"})),
            )
        } else {
            (
                ("add_note", |round| json!({"content": text(round)})),
                ("search_notes", json!({"query": "needle"})),
            )
        };
        Self {
            name: name.to_owned(),
            program: std::path::absolute(program)
                .map_or_else(|_| program.to_owned(), |path| path.display().to_string()),
            save,
            search,
        }
    }

    fn start(&self, home: &Path) -> StdioServer {
        let mut command = if is_script(&self.program) {
            let mut node = Command::new("node");
            node.arg(&self.program);
            node
        } else {
            let mut ours = Command::new(&self.program);
            ours.arg("mcp");
            ours
        };
        let own = home.join(self.name.replace([' ', '(', ')', '/', '@'], "_"));
        std::fs::create_dir_all(&own).expect("a home");
        StdioServer::start(
            command
                .current_dir(&own)
                .env("HOME", &own)
                .env("SCRATCHPAD_HOME", &own)
                .env("MEMORY_FILE_PATH", own.join("memory.jsonl")),
        )
    }
}

/// Whether a program is run by node.
fn is_script(program: &str) -> bool {
    Path::new(program)
        .extension()
        .is_some_and(|end| end == "js")
}

fn text(round: usize) -> String {
    let needle = if round.is_multiple_of(50) {
        " needle"
    } else {
        ""
    };
    format!("Note {round}: the parser keeps comments, see the tests of the old form{needle}.")
}

fn main() {
    let mut peers = vec![Peer::new("ours", env!("CARGO_BIN_EXE_scratchpad"))];
    for argument in std::env::args().skip(1) {
        if let Some((name, program)) = argument.split_once('=') {
            peers.push(Peer::new(name, program));
        }
    }
    let directory = tempfile::tempdir().expect("a directory");
    let starts = starts(&peers, directory.path());
    println!(
        "| server | start → first reply, ms | p99 | times ours | save, ms | search, ms | memory after 2,000 calls, MB | tools | tokens |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let ours = starts.first().map_or(f64::NAN, Times::median);
    for (peer, start) in peers.iter().zip(&starts) {
        let mut server = peer.start(directory.path());
        let (mut saves, mut searches) = (Times::default(), Times::default());
        for round in 0..1_000 {
            saves.run(|| server.call(peer.save.0, &(peer.save.1)(round)));
            searches.run(|| server.call(peer.search.0, &peer.search.1));
        }
        let tools = server.tools();
        println!(
            "| {} | {:.2} | {:.2} | {:.1} | {:.2} | {:.2} | {:.1} | {} | {} |",
            peer.name,
            start.median(),
            start.p99(),
            start.median() / ours,
            saves.median(),
            searches.median(),
            resident(server.process()),
            tools.as_array().map_or(0, Vec::len),
            tokens(&tools)
        );
    }
    pad_write(&peers, directory.path());
}

/// Start-up of all, in turns.
fn starts(peers: &[Peer], home: &Path) -> Vec<Times> {
    let mut times: Vec<Times> = peers.iter().map(|_| Times::default()).collect();
    for round in 0..60 {
        for (peer, times) in peers.iter().zip(&mut times) {
            if round % 6 == 0 || !is_script(&peer.program) {
                drop(times.run(|| peer.start(home)));
            }
        }
    }
    times
}

/// A durable write of the pad through the server, in turns with one sync of this disk.
fn pad_write(peers: &[Peer], home: &Path) {
    println!("\n| durable write of the pad | median ms | ratio to one sync |\n|---|---|---|");
    let mut disk = File::create(home.join("sync")).expect("a file");
    for peer in peers.iter().filter(|peer| !is_script(&peer.program)) {
        let mut server = peer.start(home);
        let (mut write, mut sync) = (Times::default(), Times::default());
        for round in 0..1_000 {
            let arguments = json!({"action": "set_notes", "content": text(round)});
            write.run(|| server.call("session_scratchpad", &arguments));
            sync.run(|| {
                disk.write_all(&[b'x'; 4096]).expect("a write");
                disk.sync_data().expect("a sync");
            });
        }
        println!(
            "| {} | {:.3} | {:.2} |",
            peer.name,
            write.median(),
            write.median() / sync.median()
        );
    }
}

/// How many tokens a list of tools takes in an agent's window, as hosts show it.
fn tokens(tools: &Value) -> usize {
    let shown: Vec<Value> = tools
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| {
            json!({
                "name": tool.get("name"), "description": tool.get("description"), "input_schema": tool.get("inputSchema"),
            })
        })
        .collect();
    tiktoken::get_encoding("o200k_base")
        .map_or(0, |encoding| encoding.count(&json!(shown).to_string()))
}

/// The memory of a process that is in use, in megabytes.
fn resident(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
}
