//! What the two engines cost, in one run: durable writes, searches, parts of large outputs; and how many clients one server bears.
//!
//! `cargo bench --bench store -- postgres=URL [notes=N] [seconds=N]`, or `scripts/bench store`, which starts a server. Beside each
//! write is its floor: one bare INSERT with its COMMIT on the same server, one sync of this disk.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(clippy::expect_used, reason = "a bench fails by panicking")]
#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

#[allow(dead_code, reason = "each bench uses its part")]
mod corpus;
#[allow(dead_code, reason = "each bench uses its part")]
mod measure;
#[allow(dead_code, reason = "each bench uses its part")]
mod report;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use corpus::{COMMON, Corpus, RARE};
use measure::Times;
use scratchpad::Kept;
use scratchpad::model::note::Scope;
use scratchpad::model::note::page::NotePage;
use scratchpad::model::pad::action::Action;
use scratchpad::model::settings::outputs_url::OutputsUrl;
use scratchpad::model::settings::store_url::StoreUrl;
use scratchpad::model::text::quantity::grouped;
use scratchpad::store::Removal;
use scratchpad::store::postgres::{Postgres, Settings, Timeout};
use scratchpad::{ProjectId, Scratchpad, SessionId};

const HOW: &str = "\
Both engines in one run, the server on this machine. Writes are durable when they are answered, and in turns with their floors: one
sync of this disk, and one bare prepared INSERT with its COMMIT over one connection, by the same driver. Notes have about 300 bytes
and a tag each; into PostgreSQL they are loaded without indexes, whose making is part of the time.";
const ROUNDS: usize = 300;
const OUTPUT_BYTES: usize = 100 << 20;
const PROJECTS: u64 = 200;

fn main() {
    let mut url = std::env::var("SCRATCHPAD_TEST_POSTGRES").unwrap_or_default();
    let (mut notes, mut seconds) = (1_000_000, 10);
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("postgres", given)) => given.clone_into(&mut url),
            Some(("notes", given)) => notes = given.parse().expect("a number"),
            Some(("seconds", given)) => seconds = given.parse().expect("a number"),
            _ => {}
        }
    }
    assert!(!url.is_empty(), "name a server: postgres=URL");
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::new(&url);
    let engines = [
        (
            "sqlite",
            Scratchpad::open(directory.path()).expect("a store"),
        ),
        (
            "postgres",
            server.pad(directory.path(), OutputsUrl::Database),
        ),
    ];
    report::section("Stores", HOW);
    writes(&engines, &server, directory.path());
    outputs(&engines, &server, directory.path());
    searches(&engines, &server, notes);
    clients(&server, directory.path(), seconds);
}

/// A schema of a server, which goes with this value.
struct Server {
    url: String,
    schema: String,
    runtime: tokio::runtime::Runtime,
    client: tokio_postgres::Client,
}

impl Server {
    fn new(url: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let (client, connection) = runtime
            .block_on(tokio_postgres::connect(url, tokio_postgres::NoTls))
            .expect("a server");
        runtime.spawn(connection);
        let schema = format!("bench_{}", std::process::id());
        Self {
            url: format!("{url}?schema={schema}"),
            schema,
            runtime,
            client,
        }
    }

    /// Runs statements that answer nothing.
    fn batch(&self, sql: &str) {
        self.runtime
            .block_on(self.client.batch_execute(sql))
            .expect("it runs");
    }

    /// The first number that a statement answers.
    fn number(&self, sql: &str) -> i64 {
        let row = self.runtime.block_on(self.client.query_one(sql, &[]));
        row.expect("it runs").get(0)
    }

    /// Drops the indexes of notes, as before a bulk load; returns the statements that create them.
    fn drop_indexes(&self, pad: &Scratchpad) -> String {
        // The first use makes the tables.
        pad.pad(&session()).expect("a schema");
        let sql = format!(
            "SELECT string_agg('DROP INDEX ' || schemaname || '.' || indexname, ';'), string_agg(indexdef, ';')
             FROM pg_indexes WHERE schemaname = '{}' AND tablename = 'note' AND indexname <> 'note_pkey'",
            self.schema
        );
        let row = self.runtime.block_on(self.client.query_one(&sql, &[]));
        let row = row.expect("it runs");
        self.batch(row.get(0));
        row.get(1)
    }

    fn pad(&self, directory: &Path, outputs: OutputsUrl) -> Scratchpad {
        let StoreUrl::Postgres(url) = StoreUrl::parse(&self.url).expect("a URL") else {
            unreachable!("it is a server's");
        };
        let settings = Settings {
            url,
            timeout: Timeout::Each(Duration::from_mins(10)),
            author: "bench@here".to_owned(),
            machine: "here".to_owned(),
            staging: directory.join("staging"),
        };
        Scratchpad::on(move || {
            let store = Postgres::open(settings.clone())?;
            Ok(Arc::new(store.with_outputs(outputs.clone(), Vec::new())))
        })
        .in_project(ProjectId::new("project"))
        .with_author("bench@here")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.batch(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.schema));
    }
}

fn session() -> SessionId {
    SessionId::new("bench").expect("an id")
}

/// One note or one plan, durable when it is answered, in turns with the floors.
fn writes(engines: &[(&str, Scratchpad)], server: &Server, directory: &Path) {
    println!("\n### One durable write\n\n| | median ms | p99 ms | × floor |\n|---|---|---|---|");
    server.batch("DROP TABLE IF EXISTS bench_floor; CREATE TABLE bench_floor (id bigint PRIMARY KEY, content text)");
    let insert = server.runtime.block_on(
        server
            .client
            .prepare("INSERT INTO bench_floor VALUES ($1, $2)"),
    );
    let insert = insert.expect("a statement");
    let select = server.runtime.block_on(
        server
            .client
            .prepare("SELECT content FROM bench_floor WHERE id = $1"),
    );
    let select = select.expect("a statement");
    let mut file = File::create(directory.join("floor")).expect("a file");
    let mut corpus = Corpus::new(ROUNDS);
    let mut times: Vec<(String, usize, Times)> = Vec::new();
    let mut names = vec![
        ("one sync of this disk".to_owned(), 0),
        ("a bare INSERT and COMMIT".to_owned(), 1),
    ];
    for (number, (name, _)) in engines.iter().enumerate() {
        names.push((format!("{name}: a note"), number));
        names.push((format!("{name}: a plan"), number));
    }
    names.push(("a bare SELECT by key".to_owned(), 1));
    names.extend(
        engines
            .iter()
            .enumerate()
            .map(|(number, (name, _))| (format!("{name}: the pad is read"), number)),
    );
    times.extend(
        names
            .into_iter()
            .map(|(name, floor)| (name, floor, Times::default())),
    );
    for round in 0..ROUNDS {
        let text = corpus.note().text;
        let mut row = 0;
        let mut next = |work: &mut dyn FnMut()| {
            if let Some((_, _, times)) = times.get_mut(row) {
                times.run(work);
            }
            row += 1;
        };
        next(&mut || {
            file.write_all(text.as_bytes()).expect("a write");
            file.sync_data().expect("a sync");
        });
        let id = i64::try_from(round).unwrap_or(0);
        next(&mut || {
            let done = async { server.client.execute(&insert, &[&id, &text]).await };
            server.runtime.block_on(done).expect("a row");
        });
        for (_, pad) in engines {
            next(&mut || {
                pad.add_note(&session(), Scope::Session, &text, &[])
                    .expect("a note");
            });
            next(&mut || {
                pad.write(&session(), &Action::SetPlan(text.clone()))
                    .expect("a write");
            });
        }
        next(&mut || {
            let done = async { server.client.query_one(&select, &[&id]).await };
            server.runtime.block_on(done).expect("a row");
        });
        for (_, pad) in engines {
            next(&mut || drop(pad.pad(&session()).expect("a pad")));
        }
    }
    server.batch("DROP TABLE bench_floor");
    // A read is compared with the bare read, a write with the bare write.
    let floors: Vec<f64> = times.iter().map(|(_, _, times)| times.median()).collect();
    for (row, (name, floor, times)) in times.iter().enumerate() {
        let of = if row >= 6 && *floor == 1 { 6 } else { *floor };
        let floor = floors.get(of).copied().unwrap_or(f64::NAN);
        let (median, p99) = (times.median(), times.p99());
        println!(
            "| {name} | {median:.2} | {p99:.2} | {:.1} |",
            median / floor
        );
    }
}

/// Parts of a large output.
fn outputs(engines: &[(&str, Scratchpad)], server: &Server, directory: &Path) {
    println!(
        "\n### An output of {} MiB\n\n| | keep s | first 4 KiB ms | middle 4 KiB ms | last 4 KiB ms | all, MB/s |\n|---|---|---|---|---|---|",
        OUTPUT_BYTES >> 20
    );
    let mut text = String::with_capacity(OUTPUT_BYTES + 400);
    let mut corpus = Corpus::new(1);
    while text.len() < OUTPUT_BYTES {
        let _ = writeln!(text, "{} INFO {}", text.len(), corpus.note().text);
    }
    let objects = OutputsUrl::Directory(directory.join("objects"));
    let with_objects = server.pad(directory, objects);
    let places = engines
        .iter()
        .map(|(name, pad)| (*name, pad))
        .chain([("postgres, objects in a directory", &with_objects)]);
    for (name, pad) in places {
        // Each has content of its own, so that each stores it.
        let _ = writeln!(text, "{name}");
        let start = Instant::now();
        let kept = pad.keep_output(&session(), "bench", text.as_bytes());
        let keep = start.elapsed().as_secs_f64();
        let reference = match kept.expect("a store") {
            Kept::As(reference) => Some(reference),
            Kept::No => None,
        };
        let reference = reference.expect("a reference");
        let mut part = |at: usize| {
            let mut times = Times::default();
            for _ in 0..9 {
                let (mut content, _) = times.run(|| {
                    let (mut content, size) = pad.output(&reference.id).expect("the output");
                    content.seek(SeekFrom::Start(at as u64)).expect("a place");
                    let mut part = vec![0; 4096];
                    content.read_exact(&mut part).expect("the part");
                    (content, size)
                });
                let _ = content.rewind();
            }
            times.median()
        };
        let parts = [0, text.len() / 2, text.len() - 4096].map(&mut part);
        let start = Instant::now();
        let (mut content, bytes) = pad.output(&reference.id).expect("the output");
        std::io::copy(&mut content, &mut std::io::sink()).expect("all of it");
        let speed = bytes as f64 / 1e6 / start.elapsed().as_secs_f64();
        let [first, middle, last] = parts;
        println!("| {name} | {keep:.2} | {first:.1} | {middle:.1} | {last:.1} | {speed:.0} |");
        pad.delete_outputs(&[reference.id], Removal::Any)
            .expect("it goes");
    }
}

/// Searches among many notes of one scope.
fn searches(engines: &[(&str, Scratchpad)], server: &Server, size: usize) {
    println!(
        "\n### {} notes in one scope\n\n| | import s | a word of 5 notes ms | of a tenth ms | of none ms | by tag ms | one more note ms |\n|---|---|---|---|---|---|---|",
        grouped(size)
    );
    for (name, pad) in engines {
        let many = SessionId::new("many").expect("an id");
        let start = Instant::now();
        let indexes = (*name == "postgres").then(|| server.drop_indexes(pad));
        let mut lines = BufReader::new(Corpus::new(size).lines());
        pad.import_notes(&many, Scope::Session, &mut lines, &mut |_| {})
            .expect("the notes");
        if let Some(indexes) = indexes {
            server.batch(&format!("SET maintenance_work_mem = '512MB'; {indexes}"));
            server.batch(&format!("VACUUM ANALYZE {}.note", server.schema));
        }
        let import = start.elapsed().as_secs_f64();
        let search = |query: Option<&str>, tags: &[String]| {
            let mut times = Times::default();
            for _ in 0..15 {
                times.run(|| {
                    pad.search_notes(&many, query, tags, NotePage::first(20))
                        .expect("an answer")
                });
            }
            times.median()
        };
        let tag = [Corpus::COMMON_TAG.to_owned()];
        let found = [
            search(Some(RARE), &[]),
            search(Some(COMMON), &[]),
            search(Some("nowhere-to-be-found"), &[]),
            search(None, &tag),
        ];
        let mut more = Times::default();
        for _ in 0..50 {
            more.run(|| {
                pad.add_note(&many, Scope::Session, "one more", &[])
                    .expect("a note")
            });
        }
        let [rare, common, none, tagged] = found;
        println!(
            "| {name} | {import:.0} | {rare:.2} | {common:.1} | {none:.2} | {tagged:.1} | {:.2} |",
            more.median()
        );
    }
    let bytes = |what: &str| {
        server.number(&format!(
            "SELECT {what}('{}.note'::regclass)",
            server.schema
        )) as f64
            / size as f64
    };
    println!(
        "\nBytes a note in PostgreSQL: {:.0}, of which {:.0} are indexes.",
        bytes("pg_total_relation_size"),
        bytes("pg_indexes_size")
    );
}

/// Many clients at once, most of them in few projects: of ten calls six write a note, two a plan, two search.
fn clients(server: &Server, directory: &Path, seconds: u64) {
    println!(
        "\n### Clients on one server, {PROJECTS} projects, a half of all calls in 10 of them\n\n| clients | calls a second | median ms | p99 ms |\n|---|---|---|---|"
    );
    for many in [1, 2, 4, 8, 16, 32, 64] {
        let (stop, calls) = (AtomicBool::new(false), AtomicU64::new(0));
        let pads: Vec<Scratchpad> = (0..many)
            .map(|_| server.pad(directory, OutputsUrl::Database))
            .collect();
        for pad in &pads {
            pad.pad(&session()).expect("a connection");
        }
        let start = Instant::now();
        let times: Vec<Vec<f64>> = std::thread::scope(|scope| {
            let workers: Vec<_> = pads
                .iter()
                .zip(0_u64..)
                .map(|(pad, number)| {
                    let (stop, calls) = (&stop, &calls);
                    scope.spawn(move || client(pad, many, number, stop, calls))
                })
                .collect();
            std::thread::sleep(Duration::from_secs(seconds));
            stop.store(true, Ordering::Relaxed);
            workers
                .into_iter()
                .map(|worker| worker.join().expect("a client"))
                .collect()
        });
        let speed = calls.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64();
        let mut times: Vec<f64> = times.into_iter().flatten().collect();
        times.sort_by(f64::total_cmp);
        let at = |part: usize| {
            times
                .get(times.len().saturating_sub(1) * part / 100)
                .copied()
                .unwrap_or(f64::NAN)
        };
        println!("| {many} | {speed:.0} | {:.1} | {:.1} |", at(50), at(99));
    }
    println!();
    for table in ["session", "revision", "note", "scope", "tag"] {
        let name = format!("{}.{table}", server.schema);
        let rows = server.number(&format!("SELECT count(*) FROM {name}"));
        let bytes = server.number(&format!(
            "SELECT pg_total_relation_size('{name}'::regclass)"
        ));
        println!(
            "{table}: {rows} rows of {:.0} bytes, indexes included.",
            bytes as f64 / rows as f64
        );
    }
}

/// Calls until `stop` is set; returns how long each call took, in milliseconds.
fn client(
    pad: &Scratchpad,
    many: u64,
    number: u64,
    stop: &AtomicBool,
    calls: &AtomicU64,
) -> Vec<f64> {
    let mut corpus = Corpus::new(1);
    let mut state = 0x9E37_79B9_7F4A_7C15_u64 ^ (many << 32) ^ (number + 1);
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let session = SessionId::new(format!("client-{many}-{number}")).expect("an id");
    let mut times = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let project = if random(2) == 0 {
            random(10)
        } else {
            random(PROJECTS)
        };
        let pad = pad
            .clone()
            .forced_into_project(ProjectId::new(format!("project-{project}")));
        let text = corpus.note().text;
        let start = Instant::now();
        match random(10) {
            0..6 => drop(
                pad.add_note(&session, Scope::Project, &text, &["tag".to_owned()])
                    .expect("a note"),
            ),
            6..8 => drop(
                pad.write(&session, &Action::SetPlan(text))
                    .expect("a write"),
            ),
            _ => drop(
                pad.search_notes(&session, Some(COMMON), &[], NotePage::first(20))
                    .expect("an answer"),
            ),
        }
        times.push(start.elapsed().as_secs_f64() * 1e3);
        calls.fetch_add(1, Ordering::Relaxed);
    }
    times
}
