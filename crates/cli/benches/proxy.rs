//! What the proxy adds to a call: against the server alone, a hop that only copies, and a peer.
//!
//! `cargo bench --bench proxy [-- mcp-compressor=PROGRAM]`, or `scripts/bench proxy`, which fetches the peer and
//! adds the static binary. The server and the hop are this program itself.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

#[allow(dead_code, reason = "each bench uses its part")]
mod measure;
mod report;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use measure::Times;
use report::{Bar, Goal};
use scratchpad::model::output::Origin;
use scratchpad::{Scratchpad, SessionId};
use serde_json::json;
use sha2::{Digest, Sha256};

/// Results: how large, how often, and how often in a row: a hop that costs microseconds would be lost among what
/// the others leave in the caches.
const SIZES: [(&str, usize, usize, usize); 4] = [
    ("1 KB", 1_000, 100, 50),
    ("265 KB", 265_000, 300, 1),
    ("1 MB", 1_000_000, 100, 1),
    ("10 MB", 10_000_000, 20, 1),
];

const HOW: &str = "\
One client, one server, in turns, and between them: nothing, a process that does nothing but copy, the proxy, the peer
(`mcp-compressor --shrinkfit`). Clients and servers write each message at once. Texts are all different, with the quotes and line
breaks that JSON escapes, and are kept from 4,096 bytes on. Small calls run 50 in a row, 5,000 in all: among others, the caches are
those of others. Keeping a text is measured in the library, in turns and in both orders with its floor: the SHA-256 of the text, a
file written at once, a new name for it. Neither waits for the disk: ours has the file and its row where a kill loses neither, and
syncs them when the answer is out.";

/// Texts to keep: how large, how often.
const KEPT: [(&str, usize, usize); 3] = [
    ("100 KB", 100_000, 200),
    ("1 MB", 1_000_000, 200),
    ("10 MB", 10_000_000, 30),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("serve") => return serve(),
        Some("hop") => return hop(),
        _ => {}
    }
    let directory = tempfile::tempdir().expect("a directory");
    let this = std::env::current_exe().expect("this program");
    let this = this.to_str().expect("its path");
    let mut ways = vec![
        Way::start("the server alone", &[this, "serve"], directory.path()),
        Way::start("a hop that only copies", &[this, "hop"], directory.path()),
    ];
    let ours = env!("CARGO_BIN_EXE_scratchpad").to_owned();
    for (name, program) in
        [("scratchpad proxy".to_owned(), ours)]
            .into_iter()
            .chain(arguments.iter().filter_map(|argument| {
                let (name, program) = argument.split_once('=')?;
                Some((name.to_owned(), program.to_owned()))
            }))
    {
        let words: &[&str] = if name.contains("compressor") {
            &[&program, "--shrinkfit", "--", this, "serve"]
        } else {
            &[&program, "proxy", "--", this, "serve"]
        };
        ways.push(Way::start(&name, words, directory.path()));
    }
    let measured: Vec<Vec<Times>> = SIZES
        .iter()
        .map(|&(_, bytes, rounds, row)| measure_ways(&mut ways, bytes, rounds, row))
        .collect();
    let passed = ways.iter_mut().find(|way| way.is_ours()).map(passing);
    let kept = KEPT.map(|(_, bytes, rounds)| offload(directory.path(), bytes, rounds));
    report::section("Proxy", HOW);
    let mut goals = Vec::new();
    for (&(label, ..), times) in SIZES.iter().zip(&measured) {
        goals.extend(goals_of(label, &ways, times));
    }
    let of_1_mb = KEPT.iter().zip(&kept).find(|(kept, _)| kept.0 == "1 MB");
    goals.extend(of_1_mb.map(|((label, ..), (ours, floor))| {
        let what = format!("keep {label}, with a reference");
        Goal::at_most(1.5, what, ours, "SHA-256, write, rename", floor)
    }));
    goals.extend(passed.as_ref().map(goal_of_passing));
    report::goals(&goals);
    println!("| result | way | p50, ms | p99, ms | added p50, ms | times the hop's |");
    println!("|---|---|---|---|---|---|");
    for (&(label, ..), times) in SIZES.iter().zip(&measured) {
        for (at, (way, of)) in ways.iter().zip(times).enumerate() {
            println!(
                "| {label} | {} | {:.3} | {:.3} | {:+.3} | {:.2} |",
                way.name,
                of.median(),
                of.p99(),
                added(times, at),
                added(times, at) / added(times, 1)
            );
        }
    }
    println!("\n| kept | p50, ms | p99, ms | SHA-256, write, rename: p50, ms | p99, ms | ratio |");
    println!("|---|---|---|---|---|---|");
    for ((label, ..), (ours, floor)) in KEPT.iter().zip(&kept) {
        println!(
            "| {label} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} |",
            ours.median(),
            ours.p99(),
            floor.median(),
            floor.p99(),
            ours.median() / floor.median()
        );
    }
    println!();
    for (&(label, ..), times) in SIZES.iter().zip(&measured).take(2) {
        let bars: Vec<Bar> = ways
            .iter()
            .zip(times)
            .map(|(way, times)| Bar::of(&way.name, times, way.is_ours()))
            .collect();
        let file = format!("proxy-{}", label.replace(' ', "-").to_lowercase());
        report::plot(
            &file,
            &format!("A call with a result of {label}"),
            "ms",
            &bars,
        );
    }
}

fn measure_ways(ways: &mut [Way], bytes: usize, rounds: usize, row: usize) -> Vec<Times> {
    let mut times: Vec<Times> = ways.iter().map(|_| Times::default()).collect();
    for round in 0..rounds + rounds / 10 {
        for (way, times) in ways.iter_mut().zip(&mut times) {
            for _ in 0..row {
                if round < rounds / 10 {
                    way.call(bytes);
                } else {
                    times.run(|| way.call(bytes));
                }
            }
        }
    }
    times
}

/// What a way adds to the server alone.
fn added(times: &[Times], at: usize) -> f64 {
    let median = |at: usize| times.get(at).map_or(f64::NAN, Times::median);
    median(at) - median(0)
}

fn goals_of(label: &str, ways: &[Way], times: &[Times]) -> Vec<Goal> {
    let peer = ways.iter().position(|way| way.name == "mcp-compressor");
    let ours = ways.iter().enumerate().filter(|(_, way)| way.is_ours());
    ours.filter_map(|(at, way)| {
        let cost = added(times, at);
        let what = format!("{}, {label}", way.name);
        let ours = format!("+{cost:.3} ms");
        match label {
            "1 KB" => {
                let hop = added(times, 1);
                Some(Goal {
                    what,
                    against: format!("a hop that only copies, +{hop:.3} ms"),
                    ours,
                    ratio: cost / hop,
                    wanted: "≤ 1.2 ×".to_owned(),
                    is_met: cost <= 1.2 * hop,
                })
            }
            "265 KB" => {
                let peer = peer.map_or(f64::NAN, |at| added(times, at));
                Some(Goal {
                    what,
                    against: format!("mcp-compressor, +{peer:.1} ms"),
                    ours,
                    ratio: peer / cost,
                    wanted: "≤ +2 ms, ≥ 5 × faster".to_owned(),
                    is_met: cost <= 2.0 && peer >= 5.0 * cost,
                })
            }
            _ => None,
        }
    })
    .collect()
}

/// How much text is passed on by reference.
const PASSED: usize = 265_000;

/// Calls whose argument is a reference to a kept text, and calls with the same text written out, in turns.
fn passing(way: &mut Way) -> (Times, Times) {
    way.call(PASSED);
    let line = String::from_utf8_lossy(&way.line).into_owned();
    let (_, id) = line.split_once("[Output ").expect("a reference");
    let id = id.split(' ').next().unwrap_or_default();
    let ask = |way: &mut Way, body: &str| {
        way.ask(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": way.tool, "arguments": {"bytes": 100, "body": body}}}));
        let is_error = memchr::memmem::find(&way.line, b"\"isError\":true").is_some();
        assert!(!is_error, "{}", String::from_utf8_lossy(&way.line));
    };
    let (reference, text) = (format!("scratchpad://output/{id}"), rows(PASSED));
    let (mut by_reference, mut written) = (Times::default(), Times::default());
    for _ in 0..200 {
        by_reference.run(|| ask(way, &reference));
        written.run(|| ask(way, &text));
    }
    (by_reference, written)
}

fn goal_of_passing((by_reference, written): &(Times, Times)) -> Goal {
    let (ours, floor) = (by_reference.median(), written.median());
    Goal {
        what: "a call with a reference to 265 KB".to_owned(),
        against: format!("the same text sent by the client, {floor:.3} ms"),
        ours: format!("{ours:.3} ms"),
        ratio: ours / floor,
        wanted: "≤ +2 ms".to_owned(),
        is_met: ours <= floor + 2.0,
    }
}

/// A client of a server, whatever is between them.
struct Way {
    name: String,
    tool: &'static str,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: Vec<u8>,
}

impl Way {
    fn start(name: &str, words: &[&str], home: &Path) -> Self {
        let home = home.join(name.replace([' ', '(', ')'], "_"));
        std::fs::create_dir_all(&home).expect("a home");
        let (program, arguments) = words.split_first().expect("a program");
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(&home)
            .env("HOME", &home)
            .env("SCRATCHPAD_HOME", &home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::with_capacity(64 * 1024, child.stdout.take().expect("its output"));
        let mut way = Self {
            name: name.to_owned(),
            tool: if name.contains("compressor") {
                "server_invoke_tool"
            } else {
                "make"
            },
            child,
            input,
            output,
            line: Vec::new(),
        };
        way.ask(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}));
        way.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        way
    }

    /// Says a line in one write, as clients do.
    fn say(&mut self, message: &serde_json::Value) {
        let line = format!("{message}\n");
        self.input.write_all(line.as_bytes()).expect("it reads");
    }

    fn is_ours(&self) -> bool {
        self.name.starts_with("scratchpad")
    }

    fn ask(&mut self, message: &serde_json::Value) {
        self.say(message);
        self.line.clear();
        self.output
            .read_until(b'\n', &mut self.line)
            .expect("it answers");
        assert!(self.line.starts_with(b"{"), "{} is gone", self.name);
    }

    /// Calls the tool that answers with a text of this size.
    fn call(&mut self, bytes: usize) {
        let arguments = if self.tool == "make" {
            json!({"bytes": bytes})
        } else {
            json!({"tool_name": "make", "tool_input": {"bytes": bytes}})
        };
        self.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": self.tool, "arguments": arguments}}));
        let is_error = memchr::memmem::find(&self.line, b"\"error\"").is_some()
            || memchr::memmem::find(&self.line, b"\"isError\":true").is_some();
        assert!(
            !is_error,
            "{}: {}",
            self.name,
            String::from_utf8_lossy(&self.line)
        );
    }
}

impl Drop for Way {
    fn drop(&mut self) {
        // It is gone either way.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The server: one tool, whose texts are ready before they are asked for, and all different.
fn serve() {
    let mut texts: Vec<(usize, Vec<u8>)> = Vec::new();
    let mut count = 0_u64;
    let mut line = Vec::new();
    let mut output = std::io::stdout().lock();
    for asked in std::io::stdin().lock().lines() {
        let message: serde_json::Value =
            serde_json::from_str(&asked.expect("a line")).expect("JSON");
        let Some(id) = message.get("id") else {
            continue;
        };
        let result = match message.get("method").and_then(|method| method.as_str()) {
            Some("initialize") => {
                json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "bench", "version": "1"}})
            }
            Some("tools/list") => {
                json!({"tools": [{"name": "make", "description": "Makes a text.", "inputSchema": {"type": "object", "properties": {"bytes": {"type": "integer"}}}}]})
            }
            Some("tools/call") => {
                let bytes = message
                    .pointer("/params/arguments/bytes")
                    .and_then(serde_json::Value::as_u64);
                let bytes = usize::try_from(bytes.unwrap_or(0)).expect("a size");
                if !texts.iter().any(|(size, _)| *size == bytes) {
                    let quoted = serde_json::Value::from(rows(bytes)).to_string();
                    let rest = format!("{}\"}}],\"isError\":false}}}}\n", quoted.trim_matches('"'));
                    texts.push((bytes, rest.into_bytes()));
                }
                let rest = texts
                    .iter()
                    .find(|(size, _)| *size == bytes)
                    .map(|(_, rest)| rest);
                count += 1;
                // One write, as servers do.
                line.clear();
                line.extend_from_slice(format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{count:12} "
                ).as_bytes());
                line.extend_from_slice(rest.expect("a text"));
                output.write_all(&line).expect("the client reads");
                output.flush().expect("the client reads");
                continue;
            }
            _ => json!({}),
        };
        writeln!(
            output,
            "{}",
            json!({"jsonrpc": "2.0", "id": id, "result": result})
        )
        .expect("the client reads");
    }
}

/// Rows as a program prints them, with quotes and line breaks that JSON must escape.
fn rows(bytes: usize) -> String {
    let rows = (0..)
        .map(|row| format!("{{\"id\": {row}, \"name\": \"row {row}\", \"state\": \"open\"}}\n"));
    let mut text = String::new();
    for row in rows {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&row);
    }
    text.truncate(bytes);
    text
}

/// What any process between two others costs at least.
fn hop() {
    let this = std::env::current_exe().expect("this program");
    let mut child = Command::new(this)
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut input = child.stdin.take().expect("its input");
    let mut output = child.stdout.take().expect("its output");
    std::thread::spawn(move || copy(&mut std::io::stdin().lock(), &mut input));
    copy(&mut output, &mut std::io::stdout().lock());
    child.wait().expect("its end");
}

fn copy(from: &mut impl Read, to: &mut impl Write) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        to.write_all(buffer.get(..read).unwrap_or_default())
            .expect("somebody reads");
        to.flush().expect("somebody reads");
    }
}

/// Keeping a text, in turns with the least that it takes: its hash, a file, a name for it.
fn offload(directory: &Path, bytes: usize, rounds: usize) -> (Times, Times) {
    let pad = Scratchpad::open(directory.join("offload")).expect("a store");
    let session = SessionId::new("bench").expect("an id");
    let floor = directory.join("floor");
    std::fs::create_dir_all(&floor).expect("a directory");
    let base = rows(bytes);
    let (mut ours, mut least) = (Times::default(), Times::default());
    for round in 0..rounds {
        let text = format!("{round:12} {base}");
        let origin = Origin {
            upstream: "",
            tool: "bench",
        };
        let keep = || {
            let mut staged = pad.stage_output().expect("room");
            staged.write_all(text.as_bytes()).expect("room");
            pad.keep_staged(&session, origin, staged, "scratchpad_read")
                .expect("a reference")
        };
        let write = || {
            let hash = Sha256::digest(text.as_bytes());
            let name = format!("{:x?}", hash.first_chunk::<6>());
            let temporary = floor.join("temporary");
            std::fs::write(&temporary, &text).expect("room");
            std::fs::rename(&temporary, floor.join(name)).expect("a name");
        };
        if round % 2 == 0 {
            ours.run(keep);
            least.run(write);
        } else {
            least.run(write);
            ours.run(keep);
        }
        pad.sync_outputs().expect("room");
    }
    (ours, least)
}
