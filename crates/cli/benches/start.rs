//! What one Scratchpad process costs: start, read the pad, print the message, exit.
//!
//! `cargo bench --bench start [-- NAME=BINARY …]`, or `scripts/bench start`, which adds the static
//! binary.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

#[allow(dead_code, reason = "each bench uses its part")]
mod measure;
mod report;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use measure::Times;
use report::{Bar, Goal};
use scratchpad::model::pad::action::Action;
use scratchpad::{Scratchpad, SessionId};

const ROUNDS: usize = 400;

const HOW: &str = "\
Start, open the store, read 4,000 characters of notes, 2,000 of plan and 20 refs, print the message, exit. 400 rounds in turns,
in both orders, each program its own copy (a binary that ran just before is faster); node and python 20 rounds, where they lie.";

/// One program to measure.
struct Runner {
    name: String,
    binary: PathBuf,
    arguments: Vec<&'static str>,
    times: Times,
}

fn main() {
    let directory = tempfile::tempdir().expect("a directory");
    let home = directory.path().join("home");
    fill(&home);

    let mut ours = vec![(
        "scratchpad prompt".to_owned(),
        PathBuf::from(env!("CARGO_BIN_EXE_scratchpad")),
    )];
    for argument in std::env::args().skip(1) {
        if let Some((name, binary)) = argument.split_once('=') {
            ours.push((name.to_owned(), PathBuf::from(binary)));
        }
    }
    report::section("Start: `scratchpad prompt` with a full pad", HOW);
    let mut measured = Vec::new();
    for situation in [
        "nobody else has the store open",
        "a server has the store open",
    ] {
        let _server = situation
            .starts_with('a')
            .then(|| Scratchpad::open(&home).expect("the store opens"));
        let mut runners = vec![Runner::new(
            directory.path(),
            "/bin/true",
            Path::new("/bin/true"),
            &[],
        )];
        for (name, binary) in &ours {
            runners.push(Runner::new(
                directory.path(),
                name,
                binary,
                &["prompt", "--session", "bench"],
            ));
        }
        for (name, binary, arguments) in [
            ("/bin/cat", "/bin/cat", &[][..]),
            ("python3 -c 0", "/usr/bin/python3", &["-c", "0"]),
            ("node -e 0", "/usr/bin/node", &["-e", "0"]),
        ] {
            // Interpreters are measured where they lie: a copy would not find its libraries.
            if let Some(found) = found(binary) {
                runners.push(Runner {
                    name: name.to_owned(),
                    binary: found,
                    arguments: arguments.to_vec(),
                    times: Times::default(),
                });
            }
        }
        measure(&mut runners, &home);
        measured.push((situation, runners));
    }
    tell(&measured);
}

/// The binary at this path, or of this name on the search path.
fn found(binary: &str) -> Option<PathBuf> {
    let name = Path::new(binary).file_name()?;
    let path = std::env::var_os("PATH")?;
    std::iter::once(PathBuf::from(binary))
        .chain(std::env::split_paths(&path).map(|directory| directory.join(name)))
        .find(|candidate| candidate.is_file())
}

/// A pad at its budgets: 4,000 characters of notes, 2,000 of plan, 20 refs.
fn fill(home: &Path) {
    let pad = Scratchpad::open(home).expect("the store opens");
    let session = SessionId::new("bench").expect("an id");
    let line = "The parser keeps comments; see the tests of the old form before changing it. ";
    let text = |chars: usize| line.chars().cycle().take(chars).collect::<String>();
    let refs = (0..20)
        .map(|number| format!("src/module_{number}.rs:{number}0"))
        .collect();
    for action in [
        Action::SetNotes(text(4_000)),
        Action::SetPlan(text(2_000)),
        Action::SetRefs {
            refs,
            not_strings: 0,
        },
    ] {
        pad.write(&session, &action).expect("a write");
    }
}

impl Runner {
    fn new(directory: &Path, name: &str, binary: &Path, arguments: &[&'static str]) -> Self {
        let copy = directory.join(name.replace(['/', ' '], "_"));
        std::fs::copy(binary, &copy).expect("a copy of the binary");
        Self {
            name: name.to_owned(),
            binary: copy,
            arguments: arguments.to_vec(),
            times: Times::default(),
        }
    }

    fn run(&mut self, home: &Path) {
        let mut command = Command::new(&self.binary);
        command
            .args(&self.arguments)
            .env("SCRATCHPAD_HOME", home)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let status = self
            .times
            .run(|| command.status())
            .expect("the program runs");
        assert!(status.success(), "{} failed", self.name);
    }
}

/// Runs all in turns, every other round backwards; interpreters less often, as they take long.
fn measure(runners: &mut [Runner], home: &Path) {
    for round in 0..ROUNDS {
        let forwards = round % 2 == 0;
        for index in 0..runners.len() {
            let index = if forwards {
                index
            } else {
                runners.len() - 1 - index
            };
            let Some(runner) = runners.get_mut(index) else {
                continue;
            };
            let slow = runner.name.starts_with("python") || runner.name.starts_with("node");
            if !slow || round % 20 == 0 {
                runner.run(home);
            }
        }
    }
}

fn tell(measured: &[(&str, Vec<Runner>)]) {
    let floor = |runners: &[Runner]| {
        runners
            .first()
            .map_or(f64::NAN, |floor| floor.times.median())
    };
    let ours = |runner: &&Runner| runner.name.starts_with("scratchpad");
    let mut goals = Vec::new();
    for (situation, runners) in measured {
        let Some(floor) = runners.first() else {
            continue;
        };
        goals.extend(runners.iter().filter(ours).map(|runner| {
            let what = format!("`{}`, {situation}", runner.name);
            Goal::at_most(3.0, what, &runner.times, "`/bin/true`", &floor.times)
        }));
    }
    report::goals(&goals);
    println!("| situation | program | median ms | middle half | p99 ms | ratio to /bin/true |");
    println!("|---|---|---|---|---|---|");
    for (situation, runners) in measured {
        for Runner { name, times, .. } in runners {
            println!(
                "| {situation} | {name} | {:.2} | {} | {:.2} | {:.2} |",
                times.median(),
                times.middle_half(),
                times.p99(),
                times.median() / floor(runners)
            );
        }
    }
    println!();
    if let Some((situation, runners)) = measured.first() {
        let bars: Vec<Bar> = runners
            .iter()
            .map(|runner| Bar::of(&runner.name, &runner.times, ours(&runner)))
            .collect();
        report::plot(
            "start",
            &format!("A process from start to end; {situation}"),
            "ms",
            &bars,
        );
    }
}
