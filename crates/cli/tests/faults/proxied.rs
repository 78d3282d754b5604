//! Upstreams and clients that misbehave, with the proxy between them.

use std::io::{BufRead, Write};
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use super::pipe::Pipe;
use super::report::Section;
use super::{Place, Run};

/// What an upstream does when it is called.
const KINDS: [(&str, &str); 7] = [
    ("die", "an upstream that dies during a call"),
    (
        "hang",
        "an upstream that never answers and ignores its end, and a client that leaves",
    ),
    (
        "flood",
        "an upstream that sends 20,000 notifications (10 MB) before it answers",
    ),
    (
        "garbage",
        "an upstream that sends what is no JSON, no UTF-8, no line, before it answers",
    ),
    ("large", "an upstream that answers 100 MB of text"),
    ("deep", "an upstream whose answer nests 100,000 deep"),
    (
        "endless",
        "a client that vanishes while the upstream floods it",
    ),
];

const NOISE: usize = 20_000;
const LARGE: usize = 100 << 20;
const GARBAGE: &[u8] = b"no JSON\n\n{\"jsonrpc\":\n\xff\xfe\x00\n[[[\n{}\n\"id\":2\n";

/// Is the upstream of this kind.
pub(crate) fn be_upstream(kind: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let note = format!(
        "{}\n",
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x".repeat(450)}})
    );
    if let Some(path) = std::env::var_os("FAULTS_PID") {
        std::fs::write(path, std::process::id().to_string()).unwrap();
    }
    for line in std::io::stdin().lock().lines() {
        let asked: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let id = &asked["id"];
        let answer = |result: Value| {
            format!(
                "{}\n",
                json!({"jsonrpc": "2.0", "id": id, "result": result})
            )
        };
        let text = |text: &str| answer(json!({"content": [{"type": "text", "text": text}]}));
        if asked["method"] != "tools/call" {
            out.write_all(answer(json!({})).as_bytes()).unwrap();
            continue;
        }
        match kind {
            "die" => return ExitCode::from(3),
            "hang" => loop {
                std::thread::sleep(std::time::Duration::from_mins(1));
            },
            "flood" => {
                for _ in 0..NOISE {
                    out.write_all(note.as_bytes()).unwrap();
                }
                out.write_all(text("done").as_bytes()).unwrap();
            }
            "garbage" => {
                out.write_all(GARBAGE).unwrap();
                out.write_all(text("done").as_bytes()).unwrap();
            }
            "large" => out
                .write_all(text(&"0123456789abcde\n".repeat(LARGE / 16)).as_bytes())
                .unwrap(),
            "deep" => {
                let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
                let line = format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"deep":{deep}}}}}"#
                );
                out.write_all(format!("{line}\n").as_bytes()).unwrap();
            }
            // Until nobody reads it.
            _ => while out.write_all(note.as_bytes()).is_ok() {},
        }
    }
    ExitCode::SUCCESS
}

pub(crate) fn run(run: &Run) -> Section {
    let mut section = Section {
        title: "The proxy between bad neighbours",
        about: "`scratchpad proxy` before an upstream that misbehaves in one way. Every request gets one answer, all else \
                passes byte for byte, both processes end, and the upstream's exit code is kept."
            .to_owned(),
        ..Section::default()
    };
    for (kind, what) in KINDS {
        let times = run.times(if kind == "large" { 3 } else { 20 }, 1);
        let mut found = Vec::new();
        for time in 0..times {
            let place = run.place(&format!("proxy-{kind}-{time}"));
            found.push(one(&mut section, &place, kind));
        }
        found.sort();
        let last = found.pop().unwrap_or_default();
        section.row(what, times, last);
    }
    section
}

fn is_alive(pid: &Path) -> bool {
    let pid = std::fs::read_to_string(pid).unwrap_or_default();
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !pid.is_empty() && !status.is_empty() && !status.contains(") Z ")
}

fn one(section: &mut Section, place: &Place, kind: &str) -> String {
    if kind == "endless" {
        return vanishes(section, place);
    }
    let pid = place.project.join("pid");
    let this = std::env::current_exe().unwrap();
    let mut command = place.command(&[
        "proxy",
        "--name",
        "up",
        "--",
        this.to_str().unwrap(),
        "--upstream",
        kind,
    ]);
    command.env("FAULTS_PID", &pid);
    let mut client = Pipe::start(&mut command);
    let request = |id: u64, method: &str, params: Value| {
        format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        )
    };
    client.send(request(1, "ping", json!({})));
    let first = client.json();
    section.must(first["id"] == 1, || format!("{kind}: {first}"));
    client.send(request(
        2,
        "tools/call",
        json!({"name": "t", "arguments": {}}),
    ));
    let is_answer =
        |line: &str| serde_json::from_str::<Value>(line).is_ok_and(|line| line["id"] == 2);
    match kind {
        "die" => {
            let answer = client.json();
            let (rest, _, status) = client.ended();
            section.must(
                answer["id"] == 2 && answer["error"]["code"] == -32_000,
                || format!("die: {answer}"),
            );
            section.must(rest.is_empty() && status.code() == Some(3), || {
                format!("die: {rest} {status}")
            });
            "an error that says so; exit code kept".to_owned()
        }
        "hang" => {
            let started = Instant::now();
            let (rest, _, _) = client.end();
            section.must(
                rest.lines().filter(|line| is_answer(line)).count() <= 1,
                || format!("hang: {rest}"),
            );
            section.must(!is_alive(&pid), || "hang: the upstream lives on".to_owned());
            format!(
                "both ended, {:.1} s after the client left",
                started.elapsed().as_secs_f64()
            )
        }
        "flood" => {
            let mut notes = 0;
            let answer = loop {
                let line = client.line();
                if is_answer(&line) {
                    break line;
                }
                notes += 1;
            };
            let peak = peak_memory(&client);
            let (rest, _, status) = client.end();
            section.must(notes == NOISE && answer.contains("done"), || {
                format!("flood: {notes} {answer}")
            });
            section.must(rest.is_empty() && status.success(), || {
                format!("flood: {rest} {status}")
            });
            format!("all passed, one answer; the proxy used at most {peak} MB")
        }
        "garbage" => {
            let expected = String::from_utf8_lossy(GARBAGE).into_owned();
            let mut passed = String::new();
            while passed.len() < expected.len() {
                passed.push_str(&client.line());
            }
            let answer = client.line();
            let (rest, _, status) = client.end();
            section.must(passed == expected && is_answer(&answer), || {
                format!("garbage: {passed:?} {answer}")
            });
            section.must(rest.is_empty() && status.success(), || {
                format!("garbage: {rest} {status}")
            });
            "passed byte for byte, one answer".to_owned()
        }
        "large" => {
            let answer = client.line();
            let peak = peak_memory(&client);
            let id = answer
                .split("[Output ")
                .nth(1)
                .and_then(|rest| rest.split(' ').next())
                .unwrap_or_default()
                .to_owned();
            section.must(is_answer(&answer) && answer.len() < 2_000, || {
                format!("large: {} bytes", answer.len())
            });
            let kept = std::fs::read(place.home.join("outputs").join(&id)).unwrap_or_default();
            section.must(
                kept == "0123456789abcde\n".repeat(LARGE / 16).as_bytes(),
                || "large: it was not kept".to_owned(),
            );
            let (rest, _, status) = client.end();
            section.must(rest.is_empty() && status.success(), || {
                format!("large: {rest} {status}")
            });
            format!(
                "a reference of {} bytes, all kept; the proxy used at most {peak} MB",
                answer.len()
            )
        }
        "deep" => {
            let answer = client.line();
            let (rest, _, status) = client.end();
            section.must(answer.len() > 200_000 && rest.is_empty(), || {
                format!("deep: a second answer: {rest}")
            });
            section.must(status.success(), || format!("deep: {status}"));
            "passed byte for byte, one answer".to_owned()
        }
        _ => unreachable!("{kind}"),
    }
}

/// Both pipes close while the upstream floods, as when a host is killed.
fn vanishes(section: &mut Section, place: &Place) -> String {
    let pid = place.project.join("pid");
    let this = std::env::current_exe().unwrap();
    let mut command = place.command(&[
        "proxy",
        "--name",
        "up",
        "--",
        this.to_str().unwrap(),
        "--upstream",
        "endless",
    ]);
    let mut child = command
        .env("FAULTS_PID", &pid)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "t", "arguments": {}}});
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("{call}\n").as_bytes()).unwrap();
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut String::new()).unwrap();
    let started = Instant::now();
    drop((input, output));
    section.must(ends(child), || "vanish: the proxy lives on".to_owned());
    section.must(!is_alive(&pid), || {
        "vanish: the upstream lives on".to_owned()
    });
    format!("both ended, {:.1} s after", started.elapsed().as_secs_f64())
}

/// Whether a process ends by itself in any reasonable time.
fn ends(mut child: std::process::Child) -> bool {
    for _ in 0..6_000 {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    false
}

fn peak_memory(client: &Pipe) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.child.id())).unwrap();
    let peak = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kib: u64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib.div_ceil(1024)
}
