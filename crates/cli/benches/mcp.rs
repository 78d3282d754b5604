//! What the MCP server costs: start, memory, calls, and the list of its tools in an agent's window.
//!
//! `cargo bench --bench mcp [-- 'NAME=COMMAND' …]`, or `scripts/bench mcp`, which adds the static binary
//! (`ours (static)=PROGRAM mcp`) and the peers.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

#[allow(dead_code, reason = "each bench uses its part")]
mod measure;
mod report;
mod stdio_server;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use measure::Times;
use report::{Bar, Goal};
use serde_json::{Value, json};
use stdio_server::StdioServer;

const HOW: &str = "\
Start is until the reply to the first message, all in turns; then a save and a search by turns, 1,000 of each (100 in peers
that take long); memory is all that is resident then, mapped program and libraries included. The list of tools is counted in tokens
(o200k: names, descriptions, input schemas). `context-mode` indexes texts and refuses more than eight searches in a minute, so
only its last eight rounds have one; `headroom` shortens texts and has no search: their saves are `ctx_index` and
`headroom_compress`. `mcp-compressor` is a proxy, and is in that section. The sync writes 4 KB and waits for the disk.";

/// A server to measure, with a save and a search in its own words.
struct Peer {
    name: String,
    command: Vec<String>,
    save: Tool,
    search: Option<Tool>,
    /// How many saves, and the last so many of them with a search.
    rounds: usize,
    searches: usize,
}

/// A tool and its arguments for each round.
type Tool = (&'static str, fn(usize) -> Value);

impl Peer {
    fn new(name: &str, command: &str) -> Self {
        let (save, search): (Tool, Option<Tool>) = match name {
            "mcp-memory-keeper" => (
                (
                    "context_save",
                    |round| json!({"key": format!("k{round}"), "value": text(round)}),
                ),
                Some(("context_search", |_| json!({"query": "needle"}))),
            ),
            "server-memory" => (
                (
                    "create_entities",
                    |round| json!({"entities": [{"name": format!("e{round}"), "entityType": "t", "observations": [text(round)]}]}),
                ),
                Some(("search_nodes", |_| json!({"query": "needle"}))),
            ),
            "context-mode" => (
                (
                    "ctx_index",
                    |round| json!({"content": text(round), "source": format!("s{round}")}),
                ),
                Some(("ctx_search", |_| json!({"queries": ["needle"]}))),
            ),
            "headroom" => (
                ("headroom_compress", |round| json!({"content": text(round)})),
                None,
            ),
            _ => (
                ("add_note", |round| json!({"content": text(round)})),
                Some(("search_notes", |_| json!({"query": "needle"}))),
            ),
        };
        let (rounds, searches) = match name {
            "context-mode" => (100, 8),
            "headroom" => (100, 0),
            _ => (1_000, 1_000),
        };
        Self {
            name: name.to_owned(),
            command: command.split_whitespace().map(str::to_owned).collect(),
            save,
            search,
            rounds,
            searches,
        }
    }

    fn is_ours(&self) -> bool {
        self.name.starts_with("ours")
    }

    fn start(&self, home: &Path) -> StdioServer {
        let (program, arguments) = self.command.split_first().expect("a program");
        let own = home.join(self.name.replace([' ', '(', ')', '/', '@'], "_"));
        std::fs::create_dir_all(&own).expect("a home");
        StdioServer::start(
            Command::new(program)
                .args(arguments)
                .current_dir(&own)
                .env("HOME", &own)
                .env("SCRATCHPAD_HOME", &own)
                .env("MEMORY_FILE_PATH", own.join("memory.jsonl")),
        )
    }
}

/// What was measured of one server.
struct Measured {
    start: Times,
    save: Times,
    search: Times,
    megabytes: f64,
    tools: usize,
    tokens: usize,
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
    let ours = format!("{} mcp", env!("CARGO_BIN_EXE_scratchpad"));
    let mut peers = vec![Peer::new("ours", &ours)];
    for argument in std::env::args().skip(1) {
        if let Some((name, command)) = argument.split_once('=') {
            peers.push(Peer::new(name, command));
        }
    }
    let directory = tempfile::tempdir().expect("a directory");
    let starts = starts(&peers, directory.path());
    let measured: Vec<Measured> = peers
        .iter()
        .zip(starts)
        .map(|(peer, start)| calls(peer, start, directory.path()))
        .collect();
    let writes = pad_writes(&peers, directory.path());
    report::section("MCP server", HOW);
    report::goals(&goals(&peers, &measured, &writes));
    table(&peers, &measured);
    let bars = |bar: fn(&str, &Measured) -> Bar| -> Vec<Bar> {
        let both = peers.iter().zip(&measured);
        both.map(|(peer, measured)| Bar {
            is_ours: peer.is_ours(),
            ..bar(&peer.name, measured)
        })
        .collect()
    };
    let starts = bars(|name, measured| Bar::of(name, &measured.start, false));
    report::plot("mcp-start", "From start to the first reply", "ms", &starts);
    let memory = bars(|name, measured| Bar::plain(name, measured.megabytes, false));
    report::plot("mcp-memory", "Memory after the calls", "MB", &memory);
}

fn calls(peer: &Peer, start: Times, home: &Path) -> Measured {
    let mut server = peer.start(home);
    let (mut save, mut search) = (Times::default(), Times::default());
    for round in 0..peer.rounds {
        save.run(|| server.call(peer.save.0, &(peer.save.1)(round)));
        if let Some((tool, arguments)) = peer.search
            && round + peer.searches >= peer.rounds
        {
            search.run(|| server.call(tool, &arguments(round)));
        }
    }
    let tools = server.tools();
    Measured {
        start,
        save,
        search,
        megabytes: server.megabytes(),
        tools: tools.as_array().map_or(0, Vec::len),
        tokens: tokens(&tools),
    }
}

fn goals(peers: &[Peer], measured: &[Measured], writes: &[(String, Times, Times)]) -> Vec<Goal> {
    let reference = peers
        .iter()
        .zip(measured)
        .find(|(peer, _)| peer.name == "server-memory");
    let reference_start = reference.map_or(f64::NAN, |(_, measured)| measured.start.median());
    let mut goals = Vec::new();
    for (peer, ours) in peers
        .iter()
        .zip(measured)
        .filter(|(peer, _)| peer.is_ours())
    {
        let (start, name) = (ours.start.median(), &peer.name);
        goals.push(Goal {
            what: format!("start of the server, {name}"),
            against: format!("server-memory, {reference_start:.0} ms"),
            ours: format!("{start:.2} ms"),
            ratio: reference_start / start,
            wanted: "≤ 5 ms, ≥ 50 × faster".to_owned(),
            is_met: start <= 5.0 && reference_start / start >= 50.0,
        });
        goals.push(Goal {
            what: format!("memory after 2,000 calls, {name}"),
            against: "10 MB".to_owned(),
            ours: format!("{:.1} MB", ours.megabytes),
            ratio: ours.megabytes / 10.0,
            wanted: "≤ 10 MB".to_owned(),
            is_met: ours.megabytes <= 10.0,
        });
    }
    for (name, write, sync) in writes {
        let what = format!("durable write of the pad, {name}");
        goals.push(Goal::at_most(1.5, what, write, "one sync", sync));
    }
    goals
}

fn table(peers: &[Peer], measured: &[Measured]) {
    println!(
        "| server | start → first reply, ms | middle half | p99 | times ours | save, ms | search, ms | memory, MB | tools | tokens |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let ours = measured
        .first()
        .map_or(f64::NAN, |ours| ours.start.median());
    for (peer, measured) in peers.iter().zip(measured) {
        let start = &measured.start;
        let search = peer.search.map_or("–".to_owned(), |_| {
            format!("{:.2}", measured.search.median())
        });
        println!(
            "| {} | {:.2} | {} | {:.2} | {:.1} | {:.2} | {search} | {:.1} | {} | {} |",
            peer.name,
            start.median(),
            start.middle_half(),
            start.p99(),
            start.median() / ours,
            measured.save.median(),
            measured.megabytes,
            measured.tools,
            measured.tokens
        );
    }
    println!();
}

/// Start-up of all, in turns.
fn starts(peers: &[Peer], home: &Path) -> Vec<Times> {
    let mut times: Vec<Times> = peers.iter().map(|_| Times::default()).collect();
    for round in 0..60 {
        for (peer, times) in peers.iter().zip(&mut times) {
            if round % 12 == 0 || peer.is_ours() {
                drop(times.run(|| peer.start(home)));
            }
        }
    }
    times
}

/// A durable write of the pad through our servers, in turns with one sync of this disk.
fn pad_writes(peers: &[Peer], home: &Path) -> Vec<(String, Times, Times)> {
    let mut disk = File::create(home.join("sync")).expect("a file");
    let ours = peers.iter().filter(|peer| peer.is_ours());
    ours.map(|peer| {
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
        (peer.name.clone(), write, sync)
    })
    .collect()
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
