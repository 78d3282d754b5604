//! How fast and in how much memory `audit` reads transcripts.
//!
//! `cargo bench --bench audit [-- NAME=BINARY …] [megabytes=N]`, or `scripts/bench audit`, which measures the static binary.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(clippy::expect_used, reason = "a bench fails by panicking")]
#![expect(
    clippy::indexing_slicing,
    reason = "what is missing in JSON reads as null"
)]
#![expect(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const HOW: &str = "\
`scratchpad audit claude DIRECTORY --json` over made-up transcripts of Claude Code, one of them half of all: calls, results of 1 to 30 KB
repeated beside themselves as the host does, texts that quote a line of them, usage; a compaction now and then. Memory is the
largest that was seen resident, polled every few milliseconds.";

/// Seconds and megabytes for each gigabyte, on two cores.
const MOST_SECONDS: f64 = 10.0;
const MOST_MEGABYTES: f64 = 100.0;

fn main() {
    let (mut binary, mut megabytes) = (PathBuf::from(env!("CARGO_BIN_EXE_scratchpad")), 1_024);
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("megabytes", number)) => megabytes = number.parse().expect("a number"),
            Some((_, path)) => binary = PathBuf::from(path),
            None => {}
        }
    }
    let directory = tempfile::tempdir().expect("a directory");
    let written = write_all(directory.path(), megabytes << 20);
    let (took, memory, answer) = measured(&binary, directory.path());
    let audit: Value = serde_json::from_slice(&answer).expect("an answer");
    assert_eq!(audit["damaged_lines"], 0);
    let gigabytes = written as f64 / f64::from(1 << 30);
    let seconds = took.as_secs_f64() / gigabytes;
    let memory = memory as f64 / f64::from(1 << 20);
    println!("## Reading transcripts: `scratchpad audit`\n\n{HOW}\n");
    println!(
        "| transcripts | requests | results | seconds | seconds a GiB | memory, MB | goal | met |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let is_met = seconds <= MOST_SECONDS && memory <= MOST_MEGABYTES;
    println!(
        "| {gigabytes:.2} GiB in {} files | {} | {} | {:.1} | {seconds:.1} | {memory:.0} | ≤ {MOST_SECONDS:.0} s a GiB, ≤ {MOST_MEGABYTES:.0} MB | {} |",
        audit["files"],
        audit["requests"],
        audit["tools"][0]["results"],
        took.as_secs_f64(),
        if is_met { "yes" } else { "**no**" },
    );
    println!();
}

/// Runs the program; returns how long it took, its largest memory, and what it printed.
fn measured(binary: &Path, transcripts: &Path) -> (Duration, u64, Vec<u8>) {
    let home = tempfile::tempdir().expect("a directory");
    let began = Instant::now();
    let child = Command::new(binary)
        .args(["audit", "claude"])
        .arg(transcripts)
        .arg("--json")
        .env("SCRATCHPAD_HOME", home.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let waiting = std::thread::spawn(move || child.wait_with_output().expect("it ends"));
    let mut most = 0;
    while !waiting.is_finished() {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        most = most.max(peak(&status));
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = waiting.join().expect("it ends");
    assert!(output.status.success());
    (began.elapsed(), most, output.stdout)
}

/// The most memory that was resident so far, in bytes.
fn peak(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

/// Writes transcripts of so many bytes: half in one file, the rest in twenty.
fn write_all(directory: &Path, bytes: u64) -> u64 {
    let mut written = write(&directory.join("large.jsonl"), bytes / 2, 1);
    for number in 2..22 {
        let path = directory.join(format!("{number}.jsonl"));
        written += write(&path, bytes / 40, number);
    }
    written
}

fn write(path: &Path, bytes: u64, seed: u64) -> u64 {
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    let (mut written, mut turn) = (0, 0);
    while written < bytes {
        for line in lines(seed, turn) {
            let line = line.to_string();
            file.write_all(line.as_bytes()).expect("it is written");
            file.write_all(b"\n").expect("it is written");
            written += line.len() as u64 + 1;
        }
        turn += 1;
    }
    file.flush().expect("it is written");
    written
}

/// A call, its result, and what is said of it.
fn lines(seed: u64, turn: u64) -> Vec<Value> {
    let id = |what: &str| format!("{what}_{seed}_{turn}");
    let rows = 10 + (turn * 7_919 + seed * 104_729) % 400;
    let result: String = (0..rows)
        .map(|row| {
            format!(
                "src/module_{}/file.rs:{row}: let value_{turn} = compute({});\n",
                row % 13,
                row * 31 + seed
            )
        })
        .collect::<Vec<_>>()
        .concat();
    let quoted = result
        .lines()
        .nth(usize::try_from(rows / 2).unwrap_or(0))
        .unwrap_or_default();
    let usage = json!({"input_tokens": 4, "cache_read_input_tokens": 20_000 + turn % 400 * 300, "output_tokens": 90});
    let assistant = |part: &str, block: Value| json!({"type": "assistant", "uuid": id("u"), "message": {"id": id(part), "model": "claude-x", "content": [block], "usage": usage}});
    let mut lines = vec![
        assistant(
            "msg",
            json!({"type": "text", "text": "I'll look for it with a search over all modules first."}),
        ),
        assistant(
            "msg",
            json!({"type": "tool_use", "id": id("toolu"), "name": "mcp__search__grep", "input": {"pattern": id("value")}}),
        ),
        json!({"type": "user", "uuid": id("r"), "toolUseResult": result, "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id("toolu"), "content": result},
        ]}}),
        assistant(
            "end",
            json!({"type": "text", "text": format!("Here it is:\n{quoted}")}),
        ),
    ];
    if turn % 300 == 299 {
        lines.push(json!({"type": "system", "subtype": "compact_boundary"}));
    }
    lines
}
