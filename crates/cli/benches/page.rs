//! What the page costs: the first byte of its views, its size, and what open pages take.
//!
//! `cargo bench --bench page [-- NAME=BINARY …]`, or `scripts/bench page`. `PAGE_NOTES=N` takes fewer notes.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

#[allow(dead_code, reason = "each bench uses its part")]
mod measure;
#[allow(dead_code, reason = "each bench uses its part")]
mod report;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use measure::Times;
use report::Goal;
use scratchpad::model::note::Scope;
use scratchpad::model::pad::action::Action;
use scratchpad::{Kept, ProjectId, Scratchpad, SessionId};

const SESSIONS: usize = 1_000;
const NOTES: usize = 100_000;
const LARGE: usize = 100 << 20;
const ROUNDS: usize = 100;
const OPEN: usize = 200;

const HOW: &str = "\
One server over a store with 1,000 sessions, 100,000 notes of the project and an output of 100 MB. Each view is asked for 100 times over
one connection; the time is that until its first byte is there, which is when all of it is made. The size is that of the page, the stylesheet and
the script together, as `gzip -9` leaves them. Open pages are streams of live updates that are held open, while a session is written
ten times.";

/// The page, served, and a login.
struct Server {
    child: Child,
    address: String,
    cookie: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A connection that stays open.
struct Client {
    stream: BufReader<TcpStream>,
    head: String,
}

impl Client {
    fn new(address: &str, cookie: &str) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("it is set");
        Self {
            stream: BufReader::new(stream),
            head: format!(" HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\r\n"),
        }
    }

    fn ask(&mut self, path: &str) {
        let request = format!("GET {path}{}", self.head);
        self.stream
            .get_mut()
            .write_all(request.as_bytes())
            .expect("it is sent");
    }

    /// The head of the next answer, which begins with its first byte.
    fn head(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).expect("an answer");
            if line.trim().is_empty() {
                return lines;
            }
            lines.push(line.trim().to_owned());
        }
    }

    /// The body after a head.
    fn body(&mut self, head: &[String]) -> Vec<u8> {
        let length = head.iter().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.parse().ok())?
        });
        let mut body = vec![0; length.expect("a length")];
        self.stream.read_exact(&mut body).expect("a body");
        body
    }
}

impl Server {
    fn start(binary: &Path, home: &Path, project: &Path) -> Self {
        let mut child = Command::new(binary)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .current_dir(project)
            .env_clear()
            .env("SCRATCHPAD_HOME", home)
            .env("SCRATCHPAD_OUTPUTS_MAX_TOTAL_BYTES", "500000000")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut said = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut said).expect("its link");
        let link = said
            .trim()
            .rsplit(' ')
            .next()
            .unwrap_or_default()
            .to_owned();
        let rest = link.strip_prefix("http://").unwrap_or_default();
        let (address, path) = rest.split_once('/').expect("a link");
        let mut client = Client::new(address, "");
        client.ask(&format!("/{path}"));
        let head = client.head();
        let cookie = head
            .iter()
            .find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = cookie
            .and_then(|it| it.split(';').next())
            .expect("a cookie");
        Self {
            address: address.to_owned(),
            cookie: cookie.to_owned(),
            child,
        }
    }

    fn client(&self) -> Client {
        Client::new(&self.address, &self.cookie)
    }

    /// The times until the first byte of a view, and what it sends.
    fn times(&self, path: &str) -> (Times, Vec<u8>) {
        let mut client = self.client();
        let mut times = Times::default();
        let mut body = Vec::new();
        for round in 0..=ROUNDS {
            let mut unmeasured = Times::default();
            // The first one opens files and connections.
            let times = if round == 0 {
                &mut unmeasured
            } else {
                &mut times
            };
            let head = times.run(|| {
                client.ask(path);
                client.head()
            });
            assert!(
                head.first().is_some_and(|line| line.contains(" 200")),
                "{path}: {head:?}"
            );
            body = client.body(&head);
        }
        (times, body)
    }

    /// What the process takes, in bytes.
    fn memory(&self) -> u64 {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes =
            line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        kilobytes.unwrap_or(0) * 1_024
    }
}

/// The size that `gzip -9` leaves.
fn compressed(bytes: &[u8]) -> usize {
    let mut child = Command::new("gzip")
        .args(["-9", "-c"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("gzip starts");
    let mut stdin = child.stdin.take().expect("its input");
    let bytes = bytes.to_vec();
    let feed = std::thread::spawn(move || drop(stdin.write_all(&bytes)));
    let size = child.wait_with_output().expect("it ends").stdout.len();
    feed.join().expect("it is fed");
    size
}

fn fill(home: &Path, project: &Path) -> String {
    let notes = std::env::var("PAGE_NOTES")
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(NOTES);
    let id = ProjectId::new(project.display().to_string());
    let pad = Scratchpad::open(home)
        .expect("the store opens")
        .in_project(id);
    for number in 0..SESSIONS {
        let session = SessionId::new(format!("session-{number}")).expect("an id");
        let plan = format!("- [x] read the code of part {number}\n- [>] fix it\n- [ ] test it");
        pad.write(&session, &Action::SetPlan(plan))
            .expect("it is written");
    }
    let session = SessionId::new("session-0").expect("an id");
    let lines = (0..notes).map(|number| {
        format!("{{\"content\":\"Finding {number}: part {} needs the database, see src/part.rs.\",\"tags\":[\"part{}\"]}}\n", number % 97, number % 13)
    });
    let lines: String = lines.collect();
    pad.import_notes(&session, Scope::Project, &mut lines.as_bytes(), &mut |_| {})
        .expect("the notes are imported");
    let line = "2026-11-19T09:14:03Z INFO gateway request path=/v2/orders status=200 took=12ms\n";
    let text = line.repeat(LARGE / line.len());
    let room = scratchpad::model::output::OutputLimits {
        max_total_bytes: 500_000_000,
        ..scratchpad::model::output::OutputLimits::default()
    };
    let pad = pad.clone().with_outputs(pad.offload().clone(), room);
    match pad.keep_output(&session, "logs", text.as_bytes()) {
        Ok(Kept::As(reference)) => reference.id.to_string(),
        other => unreachable!("{other:?}"),
    }
}

fn below(what: &str, against: &str, ours: f64, unit: &str, most: f64) -> Goal {
    Goal {
        what: what.to_owned(),
        against: against.to_owned(),
        ours: format!("{ours:.1} {unit}"),
        ratio: ours / most,
        wanted: format!("≤ {most} {unit}"),
        is_met: ours <= most,
    }
}

/// The times of the views, and the size of what a browser loads.
fn views(server: &Server, path: &str, large: &str) -> (Vec<Goal>, Vec<String>) {
    let mut goals = Vec::new();
    let mut rows = Vec::new();
    let mut first = Vec::new();
    for (name, path, most) in [
        ("project", path.to_owned(), Some(10.0)),
        (
            "a session, as a live update asks for it",
            "/s/session-7".to_owned(),
            Some(3.0),
        ),
        (
            "first screen of an output of 100 MB",
            format!("/o/{large}"),
            Some(25.0),
        ),
        ("what the agent gets", "/s/session-7/given".to_owned(), None),
        ("notes", format!("{path}/notes"), None),
        (
            "a search in the notes",
            format!("{path}/notes?q=part+42"),
            None,
        ),
        ("outputs", format!("{path}/outputs"), None),
    ] {
        let (times, body) = server.times(&path);
        if name == "project" {
            first.clone_from(&body);
        }
        rows.push(format!(
            "| {name} | {:.2} | {} | {:.2} | {} |",
            times.median(),
            times.middle_half(),
            times.p99(),
            body.len()
        ));
        goals.extend(
            most.map(|most| below(&format!("page: {name}"), "–", times.median(), "ms", most)),
        );
    }
    let text = String::from_utf8_lossy(&first).into_owned();
    let mut whole = first;
    let (scripts, styles) = (
        text.matches("<script").count(),
        text.matches("rel=\"stylesheet\"").count(),
    );
    for asset in text.split('"').filter(|it| it.starts_with("/assets/page-")) {
        whole.extend(server.times(asset).1);
    }
    #[expect(clippy::cast_precision_loss, reason = "a size of some kilobytes")]
    let size = compressed(&whole) as f64 / 1e3;
    goals.push(below(
        "page: size, compressed",
        &format!("{scripts} script, {styles} stylesheet"),
        size,
        "KB",
        40.0,
    ));
    (goals, rows)
}

/// What open pages take, and how soon they hear of a write.
fn open_pages(server: &Server, home: &Path) -> Vec<Goal> {
    let mut goals = Vec::new();
    let before = server.memory();
    let mut open: Vec<Client> = (0..OPEN)
        .map(|_| {
            let mut client = server.client();
            client.ask("/stream");
            client.head();
            client
        })
        .collect();
    let pad = Scratchpad::open(home).expect("the store opens");
    let session = SessionId::new("session-7").expect("an id");
    let mut seen = Times::default();
    for round in 0..10 {
        std::thread::sleep(Duration::from_millis(400));
        let watched = open.first_mut().expect("a page");
        watched
            .stream
            .get_mut()
            .set_read_timeout(Some(Duration::from_secs(10)))
            .expect("it is set");
        // What came in before.
        let waiting = watched.stream.buffer().len();
        watched.stream.consume(waiting);
        pad.write(&session, &Action::SetNotes(format!("round {round}")))
            .expect("it is written");
        let written = Instant::now();
        seen.run(|| {
            let mut line = String::new();
            while !line.contains("event: changed") && written.elapsed() < Duration::from_secs(10) {
                line.clear();
                watched.stream.read_line(&mut line).expect("an event");
            }
        });
    }
    #[expect(clippy::cast_precision_loss, reason = "a size of some megabytes")]
    let taken = server.memory().saturating_sub(before) as f64 / 1e6;
    goals.push(below("page: 200 open pages", "–", taken, "MB", 25.0));
    goals.push(below(
        "page: a write is announced",
        "–",
        seen.median(),
        "ms",
        400.0,
    ));
    goals
}

fn main() {
    let named = std::env::args()
        .skip(1)
        .find_map(|it| it.split_once('=').map(|(_, path)| PathBuf::from(path)));
    let binary = named.unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_scratchpad")));
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path().canonicalize().expect("a path");
    let (home, project) = (root.join("home"), root.join("project"));
    fs::create_dir_all(project.join(".git")).expect("a project");
    let large = fill(&home, &project);
    let server = Server::start(&binary, &home, &project);
    let path = format!("/p/{}", project.display().to_string().replace('/', "%2F"));

    report::section("The page", HOW);
    let (mut goals, rows) = views(&server, &path, &large);
    goals.extend(open_pages(&server, &home));
    report::goals(&goals);
    println!("| view | median ms | middle half | p99 ms | bytes |\n|---|---|---|---|---|");
    for row in rows {
        println!("{row}");
    }
}
