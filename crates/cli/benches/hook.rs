//! What a hook costs a prompt: `/bin/true` is the floor, in one run, in turns and in both orders.
//!
//! `cargo bench --bench hook [-- NAME=BINARY …]`, or `scripts/bench hook`, which adds the static binary. The pad is at
//! its budgets. `SCRATCHPAD_BENCH_NOTES` says how many notes are in the larger database (1,000,000).
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

#[allow(dead_code, reason = "each bench uses its part")]
mod corpus;
#[allow(dead_code, reason = "each bench uses its part")]
mod measure;
mod report;
mod stdio_server;

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use corpus::Corpus;
use measure::Times;
use report::{Bar, Goal};
use scratchpad::model::note::Scope;
use scratchpad::model::pad::action::Action;
use scratchpad::model::text::quantity::grouped;
use scratchpad::{Scratchpad, SessionId};
use serde_json::json;
use stdio_server::StdioServer;

const ROUNDS: usize = 400;

const HOW: &str = "\
What a host waits for at an event: start, read the event, one transaction, answer, exit, with 4,000 characters of notes and 2,000
of plan. 400 rounds in turns and in both orders, each program its own copy. Hosts start a hook before every prompt; a runtime
that only starts (`node -e 0`, `python3 -c 0`, 40 rounds) is what hooks in those languages cost before they do anything. Then an MCP
server on the same stores: 60 starts until the first reply, 500 durable writes of the pad in turns with one sync of 4 KB, memory.";

/// The growth of what is measured that still counts as none, from the pad alone to many notes.
const FLAT: f64 = 3.0;

/// What a host sends, by what it means to us.
const EVENTS: [(&str, &str); 6] = [
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
        "tool, a command, noted for the digest",
        r#""hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make test"},"tool_response":{"stdout":"ok"}"#,
    ),
    (
        "tool, the host's task list",
        r#""hook_event_name":"PostToolUse","tool_name":"TodoWrite","tool_input":{"todos":[{"content":"fix the cache","status":"in_progress"}]},"tool_response":{}"#,
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
    report::section("A hook", HOW);
    let (mut measured, mut servers) = (Vec::new(), Vec::new());
    for (store, notes) in [
        ("the pad alone".to_owned(), 0),
        (format!("and {} notes", grouped(many)), many),
    ] {
        let home = directory.path().join(format!("home-{notes}"));
        fill(&home, notes);
        for (event, fields) in EVENTS {
            let payload = directory.path().join("payload.json");
            let cwd = directory.path().display();
            let text = format!(r#"{{"session_id":"bench","cwd":"{cwd}",{fields}}}"#);
            std::fs::write(&payload, text).expect("a payload");
            let mut runners = runners(&programs, directory.path());
            measure(&mut runners, &home, &payload);
            measured.push((store.clone(), event, runners));
        }
        for (name, binary) in &programs {
            servers.push(Server::measured(store.clone(), name, binary, &home));
        }
    }
    tell(&measured, &servers);
}

/// What a server cost on one of the stores.
struct Server {
    store: String,
    name: String,
    start: Times,
    write: Times,
    sync: Times,
    megabytes: f64,
}

impl Server {
    fn measured(store: String, name: &str, binary: &Path, home: &Path) -> Self {
        let begin = || {
            let mut command = Command::new(binary);
            command.arg("mcp").env("SCRATCHPAD_HOME", home);
            StdioServer::start(&mut command)
        };
        let [mut start, mut write, mut sync] = [(); 3].map(|()| Times::default());
        for _ in 0..60 {
            drop(start.run(begin));
        }
        let mut server = begin();
        let mut disk = File::create(home.join("sync")).expect("a file");
        for round in 0..500 {
            let content = format!("Round {round}: the parser keeps comments.");
            let arguments = json!({"action": "set_notes", "content": content});
            write.run(|| server.call("session_scratchpad", &arguments));
            sync.run(|| {
                disk.write_all(&[b'x'; 4096]).expect("a write");
                disk.sync_data().expect("a sync");
            });
        }
        Self {
            store,
            name: name.replace("scratchpad", "scratchpad mcp"),
            start,
            write,
            sync,
            megabytes: server.megabytes(),
        }
    }
}

/// One program to measure.
struct Runner {
    name: String,
    binary: PathBuf,
    arguments: &'static [&'static str],
    times: Times,
}

/// The floor, ours, and what others need to start at all.
fn runners(programs: &[(String, PathBuf)], directory: &Path) -> Vec<Runner> {
    let runner = |name: &str, binary: PathBuf, arguments| Runner {
        name: name.to_owned(),
        binary,
        arguments,
        times: Times::default(),
    };
    let mut runners = vec![runner("/bin/true", PathBuf::from("/bin/true"), &[])];
    for (name, binary) in programs {
        let copy = directory.join(name.replace(['/', ' ', '(', ')'], "_"));
        std::fs::copy(binary, &copy).expect("a copy of the binary");
        runners.push(runner(name, copy, &["hook", "claude"]));
    }
    // The programs themselves: what `PATH` finds may be a script that looks for them.
    let python = runner("python3 -c 0", "/usr/bin/python3".into(), &["-c", "0"]);
    let node = runner("node -e 0", "/usr/bin/node".into(), &["-e", "0"]);
    let others = [python, node].into_iter();
    runners.extend(others.filter(|other| other.binary.exists()));
    runners
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

fn measure(runners: &mut [Runner], home: &Path, payload: &Path) {
    for round in 0..ROUNDS {
        let mut order: Vec<usize> = (0..runners.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for index in order {
            let Some(runner) = runners.get_mut(index) else {
                continue;
            };
            let is_slow = runner.name.starts_with("python") || runner.name.starts_with("node");
            if is_slow && round % 10 != 0 {
                continue;
            }
            let mut command = Command::new(&runner.binary);
            command
                .args(runner.arguments)
                .env("SCRATCHPAD_HOME", home)
                .stdin(File::open(payload).expect("the payload"))
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            // A machine without that runtime says nothing of it.
            let Ok(status) = runner.times.run(|| command.status()) else {
                continue;
            };
            assert!(status.success(), "{}", runner.name);
        }
    }
}

fn tell(measured: &[(String, &str, Vec<Runner>)], servers: &[Server]) {
    let floor = |runners: &[Runner]| {
        runners
            .first()
            .map_or(f64::NAN, |floor| floor.times.median())
    };
    let ours = |runner: &&Runner| runner.name.starts_with("scratchpad");
    let mut goals = Vec::new();
    for (store, event, runners) in measured {
        let Some(floor) = runners.first() else {
            continue;
        };
        goals.extend(runners.iter().filter(ours).map(|runner| {
            let name = runner.name.replace("scratchpad", "scratchpad hook");
            let what = format!("`{name}`, {event}, {store}");
            Goal::at_most(2.0, what, &runner.times, "`/bin/true`", &floor.times)
        }));
    }
    goals.extend(beside_a_small_result(measured));
    goals.extend(servers.iter().flat_map(|many| growth(servers, many)));
    report::goals(&goals);
    println!("| store | event | program | median ms | middle half | p99 ms | ratio to /bin/true |");
    println!("|---|---|---|---|---|---|---|");
    for (store, event, runners) in measured {
        for Runner { name, times, .. } in runners {
            println!(
                "| {store} | {event} | {name} | {:.2} | {} | {:.2} | {:.2} |",
                times.median(),
                times.middle_half(),
                times.p99(),
                times.median() / floor(runners)
            );
        }
    }
    println!();
    println!(
        "| store | server | start → first reply, ms | p99 | pad write, ms | p99 | one sync, ms | memory, MB |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for server in servers {
        println!(
            "| {} | {} | {:.2} | {:.2} | {:.3} | {:.3} | {:.3} | {:.1} |",
            server.store,
            server.name,
            server.start.median(),
            server.start.p99(),
            server.write.median(),
            server.write.p99(),
            server.sync.median(),
            server.megabytes
        );
    }
    println!();
    if let Some((_, event, runners)) = measured.first() {
        let bars: Vec<Bar> = runners
            .iter()
            .map(|runner| Bar::of(&runner.name, &runner.times, ours(&runner)))
            .collect();
        report::plot("hook", &format!("A hook: {event}"), "ms", &bars);
    }
}

/// What hooks after tool calls cost beside one that has nothing to do.
fn beside_a_small_result(measured: &[(String, &str, Vec<Runner>)]) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (store, event, runners) in measured {
        let small = measured
            .iter()
            .find(|(other, event, _)| other == store && *event == "tool, small result");
        let is_more = event.starts_with("tool, ") && *event != "tool, small result";
        let (Some((_, _, small)), true) = (small, is_more) else {
            continue;
        };
        for (runner, floor) in runners.iter().zip(small) {
            if runner.name.starts_with("scratchpad") {
                let name = runner.name.replace("scratchpad", "scratchpad hook");
                let what = format!("`{name}`, {event}, {store}, against a small result");
                goals.push(Goal::at_most(
                    1.1,
                    what,
                    &runner.times,
                    "`tool, small result`",
                    &floor.times,
                ));
            }
        }
    }
    goals
}

/// How a server's figures grow from the first store to another; nothing for the first.
fn growth(servers: &[Server], many: &Server) -> Vec<Goal> {
    let few = servers.iter().find(|server| server.name == many.name);
    let Some(few) = few.filter(|few| few.store != many.store) else {
        return Vec::new();
    };
    let goal = |what: &str, few: f64, many_is: f64, unit: &str| Goal {
        what: format!("growth of `{}`, {what}, {}", many.name, many.store),
        against: format!("the pad alone, {few:.2} {unit}"),
        ours: format!("{many_is:.2} {unit}"),
        ratio: many_is / few,
        wanted: format!("flat (≤ {FLAT} ×)"),
        is_met: many_is <= FLAT * few,
    };
    vec![
        goal("start", few.start.median(), many.start.median(), "ms"),
        goal("a pad write", few.write.median(), many.write.median(), "ms"),
        goal("memory", few.megabytes, many.megabytes, "MB"),
    ]
}
