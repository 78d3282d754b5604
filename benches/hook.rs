//! What a hook costs a prompt: `/bin/true` is the floor, in one run, in turns and in both orders.
//!
//! `cargo bench --bench hook [-- NAME=BINARY …]`, or `scripts/bench hook`, which adds the static binary. The pad is at
//! its budgets. `SCRATCHPAD_BENCH_NOTES` says how many notes are in the larger database (1,000,000).
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

#[allow(dead_code, reason = "each bench uses its part")]
mod corpus;
mod measure;

use std::fs::File;
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use corpus::Corpus;
use measure::Times;
use scratchpad::model::action::Action;
use scratchpad::model::note::Scope;
use scratchpad::{Scratchpad, SessionId};

const ROUNDS: usize = 400;

/// What a host sends, by what it means to us.
const EVENTS: [(&str, &str); 4] = [
    (
        "prompt, pad unchanged",
        r#""hook_event_name":"UserPromptSubmit","prompt":"go on""#,
    ),
    (
        "start, with the block",
        r#""hook_event_name":"SessionStart","source":"resume""#,
    ),
    (
        "tool, small result",
        r#""hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":{"stdout":"ok"}"#,
    ),
    (
        "an event that is not ours",
        r#""hook_event_name":"PreToolUse","tool_name":"Bash""#,
    ),
];

fn main() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut programs = vec![(
        "scratchpad".to_owned(),
        PathBuf::from(env!("CARGO_BIN_EXE_scratchpad")),
    )];
    for argument in std::env::args().skip(1) {
        if let Some((name, binary)) = argument.split_once('=') {
            programs.push((name.to_owned(), PathBuf::from(binary)));
        }
    }
    let many = std::env::var("SCRATCHPAD_BENCH_NOTES")
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(1_000_000);
    println!("| store | event | program | median ms | p99 ms | ratio to /bin/true |");
    println!("|---|---|---|---|---|---|");
    for (store, notes) in [
        ("the pad alone".to_owned(), 0),
        (format!("and {many} notes"), many),
    ] {
        let home = directory.path().join(format!("home-{notes}"));
        fill(&home, notes);
        for (event, fields) in EVENTS {
            let payload = directory.path().join("payload.json");
            let cwd = directory.path().display();
            let text = format!(r#"{{"session_id":"bench","cwd":"{cwd}",{fields}}}"#);
            std::fs::write(&payload, text).expect("a payload");
            measure(&store, event, &home, &payload, &programs, directory.path());
        }
    }
}

/// A pad at its budgets, and notes in its project.
fn fill(home: &Path, notes: usize) {
    let pad = Scratchpad::open(home).expect("the store opens");
    let session = SessionId::new("bench").expect("an id");
    let line = "The parser keeps comments; see the tests of the old form before changing it. ";
    let text = |chars: usize| line.chars().cycle().take(chars).collect::<String>();
    for action in [Action::SetNotes(text(4_000)), Action::SetPlan(text(2_000))] {
        pad.write(&session, &action).expect("a write");
    }
    if notes > 0 {
        let mut lines = BufReader::new(Corpus::new(notes).lines());
        pad.import_notes(&session, Scope::Session, &mut lines, &mut |_| {})
            .expect("the notes are imported");
    }
}

fn measure(
    store: &str,
    event: &str,
    home: &Path,
    payload: &Path,
    programs: &[(String, PathBuf)],
    directory: &Path,
) {
    let mut runners = vec![(
        "/bin/true".to_owned(),
        PathBuf::from("/bin/true"),
        Times::default(),
    )];
    for (name, binary) in programs {
        // A binary that ran just before is faster: each has a copy of its own.
        let copy = directory.join(name.replace(['/', ' ', '(', ')'], "_"));
        std::fs::copy(binary, &copy).expect("a copy of the binary");
        runners.push((name.clone(), copy, Times::default()));
    }
    for round in 0..ROUNDS {
        let mut order: Vec<usize> = (0..runners.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for index in order {
            let Some((_, binary, times)) = runners.get_mut(index) else {
                continue;
            };
            let stdin = File::open(payload).expect("the payload");
            let mut command = Command::new(binary);
            command
                .args(["hook", "claude"])
                .env("SCRATCHPAD_HOME", home)
                .stdin(stdin)
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let status = times.run(|| command.status()).expect("the program runs");
            assert!(status.success());
        }
    }
    let floor = runners
        .first()
        .map_or(f64::NAN, |(_, _, times)| times.median());
    for (name, _, times) in &runners {
        println!(
            "| {store} | {event} | {name} | {:.2} | {:.2} | {:.2} |",
            times.median(),
            times.p99(),
            times.median() / floor
        );
    }
    std::io::stdout().flush().expect("standard output");
}
