//! What notes cost: durable inserts and searches, as the number of notes grows.
//!
//! `cargo bench --bench notes [-- SIZE…] [memory-server=PROGRAM]`, or `scripts/bench notes`. Inserts are
//! compared, in turns, with the same insert without a search index and with one sync of this disk.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(clippy::expect_used, reason = "a bench fails by panicking")]
#![expect(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]

mod corpus;
mod measure;
mod stdio_server;

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use corpus::{COMMON, Corpus, RARE};
use measure::Times;
use rusqlite::{Connection, TransactionBehavior, params};
use scratchpad::model::note::Scope;
use scratchpad::{ProjectId, Scratchpad, SessionId};
use stdio_server::StdioServer;

fn main() {
    let mut sizes = Vec::new();
    let mut server = None;
    for argument in std::env::args().skip(1) {
        if let Some(program) = argument.strip_prefix("memory-server=") {
            server = Some(program.to_owned());
        } else if let Ok(size) = argument.parse() {
            sizes.push(size);
        }
    }
    if sizes.is_empty() {
        sizes = vec![1_000, 10_000, 100_000, 1_000_000];
    }
    for size in sizes {
        let directory = tempfile::tempdir().expect("a directory");
        println!("\n## {size} notes in one scope\n");
        let bench = Bench::fill(directory.path(), size);
        bench.inserts(directory.path());
        bench.searches();
    }
    if let Some(program) = server {
        println!("\n## Beside the reference memory server\n");
        for size in [1_000, 10_000] {
            beside(&program, size);
        }
    }
}

struct Bench {
    pad: Scratchpad,
    session: SessionId,
    size: usize,
    database: std::path::PathBuf,
}

impl Bench {
    /// Imports so many notes, as a person would.
    fn fill(home: &Path, size: usize) -> Self {
        let pad = Scratchpad::open(home)
            .expect("the store opens")
            .in_project(ProjectId::new("p"));
        let session = SessionId::new("bench").expect("an id");
        let started = Instant::now();
        let mut lines = BufReader::with_capacity(1 << 20, Corpus::new(size).lines());
        let count = pad
            .import_notes(&session, Scope::Session, &mut lines, &mut |_| {})
            .expect("the notes come in");
        assert_eq!(count.added, size);
        let database = home.join("scratchpad.db");
        // What was written last is still in the log beside it.
        Connection::open(&database)
            .and_then(|connection| {
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            })
            .expect("a checkpoint");
        let bytes = std::fs::metadata(&database).expect("the database").len();
        println!(
            "import: {:.1} s; database {:.1} MB ({:.0} bytes a note)",
            started.elapsed().as_secs_f64(),
            bytes as f64 / 1e6,
            bytes as f64 / size as f64
        );
        Self {
            pad,
            session,
            size,
            database,
        }
    }

    /// Durable inserts, in turns with the floors.
    fn inserts(&self, directory: &Path) {
        let mut plain = Plain::beside(&self.database, &directory.join("plain.db"));
        let mut disk = File::create(directory.join("sync")).expect("a file");
        let mut corpus = Corpus::new(self.size);
        let (mut ours, mut without, mut sync) =
            (Times::default(), Times::default(), Times::default());
        for _ in 0..1_000 {
            let note = corpus.note();
            let tags = [note.tag.clone()];
            ours.run(|| {
                self.pad
                    .add_note(&self.session, Scope::Session, &note.text, &tags)
            })
            .expect("a note");
            without.run(|| plain.insert(&note.text, &note.tag));
            sync.run(|| {
                disk.write_all(&[b'x'; 4096]).expect("a write");
                disk.sync_data().expect("a sync");
            });
        }
        println!("\n| durable insert | median ms | p99 ms | ratio |\n|---|---|---|---|");
        for (name, times) in [
            ("one sync of 4 KB", &sync),
            ("without a search index", &without),
            ("add_note", &ours),
        ] {
            println!(
                "| {name} | {:.3} | {:.3} | {:.2} |",
                times.median(),
                times.p99(),
                times.median() / without.median()
            );
        }
    }

    fn searches(&self) {
        println!("\n| search | hits | median ms | p99 ms |\n|---|---|---|---|");
        let tag = vec![Corpus::COMMON_TAG.to_owned()];
        let queries: [(&str, Option<&str>, &[String]); 8] = [
            ("a rare word", Some(RARE), &[]),
            ("a word in a tenth of all", Some(COMMON), &[]),
            ("two rare characters", Some("xy"), &[]),
            ("two common characters", Some("an"), &[]),
            ("no hit", Some("qqzzxxw"), &[]),
            ("no hit, then words", Some("xylophone quarterl"), &[]),
            ("a tag on a tenth of all", None, &tag),
            ("a tag and a word", Some(COMMON), &tag),
        ];
        for (name, query, tags) in queries {
            let mut times = Times::default();
            let mut total = 0;
            let started = Instant::now();
            for round in 0..200 {
                if round > 20 && started.elapsed().as_secs() > 8 {
                    break;
                }
                let (found, _) = times
                    .run(|| self.pad.search_notes(&self.session, query, tags, 20))
                    .expect("a search");
                total = found.total;
            }
            println!(
                "| {name} | {total} | {:.2} | {:.2} |",
                times.median(),
                times.p99()
            );
        }
        println!("\nmemory of this process: {}", memory());
    }
}

/// The same tables without what search adds: what an insert costs at the least.
struct Plain(Connection);

impl Plain {
    fn beside(full: &Path, path: &Path) -> Self {
        let connection = Connection::open(path).expect("a database");
        connection
            .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
            .expect("settings");
        connection
            .execute("ATTACH ?1 AS other", [full.to_str().expect("a path")])
            .expect("the other database");
        let tables: Vec<String> = connection
            .prepare(
                "SELECT sql FROM other.sqlite_schema WHERE sql IS NOT NULL
                 AND tbl_name IN ('scope', 'note', 'tag') ORDER BY rowid",
            )
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .expect("the tables");
        for table in tables {
            connection.execute_batch(&table).expect("a table");
        }
        connection
            .execute_batch(
                "INSERT INTO scope SELECT * FROM other.scope;
                 INSERT INTO note SELECT * FROM other.note;
                 INSERT INTO tag SELECT * FROM other.tag;",
            )
            .expect("the rows");
        connection.execute_batch("DETACH other").expect("detached");
        Self(connection)
    }

    fn insert(&mut self, text: &str, tag: &str) {
        let write = |connection: &mut Connection| -> rusqlite::Result<()> {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let id: i64 = transaction
                .prepare_cached("SELECT max(id) FROM note")?
                .query_row([], |row| row.get(0))?;
            transaction
                .prepare_cached(
                    "INSERT INTO note (id, scope, version, created, updated, tags, content)
                     VALUES (?1, 1, 1, ?1, ?1, ?2, ?3)",
                )?
                .execute(params![id + 1, tag, text])?;
            transaction
                .prepare_cached("UPDATE tag SET count = count + 1 WHERE scope = 1 AND folded = ?1")?
                .execute([tag])?;
            transaction
                .prepare_cached("UPDATE scope SET notes = notes + 1 WHERE key = 1")?
                .execute([])?;
            transaction.commit()
        };
        write(&mut self.0).expect("a plain insert");
    }
}

/// Save and search in the reference server, and the same as a process of ours for each call.
fn beside(program: &str, size: usize) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("memory.jsonl");
    Corpus::new(size).write_graph(&file);
    let mut server = StdioServer::start(
        Command::new("node")
            .arg(program)
            .env("MEMORY_FILE_PATH", &file),
    );

    let home = directory.path().join("home");
    let bench = Bench::fill(&home, size);
    let ours = |tool: &str, arguments: &serde_json::Value| {
        let output = Command::new(env!("CARGO_BIN_EXE_scratchpad"))
            .args(["call", tool, &arguments.to_string(), "--session", "bench"])
            .env("SCRATCHPAD_HOME", &home)
            .stdin(Stdio::null())
            .output()
            .expect("our program runs");
        assert!(output.status.success(), "{output:?}");
    };
    let mut corpus = Corpus::new(size + 1);
    let [
        mut saves,
        mut our_saves,
        mut library_saves,
        mut searches,
        mut our_searches,
        mut library_searches,
    ] = [(); 6].map(|()| Times::default());
    for round in 0..50 {
        let note = corpus.note();
        let entity = serde_json::json!({
            "name": format!("new {round}"), "entityType": "bench", "observations": [note.text],
        });
        let entities = serde_json::json!({"entities": [entity]});
        saves.run(|| server.call("create_entities", &entities));
        let arguments = serde_json::json!({"content": note.text, "tags": [note.tag]});
        our_saves.run(|| ours("add_note", &arguments));
        library_saves
            .run(|| {
                bench.pad.add_note(
                    &bench.session,
                    Scope::Session,
                    &note.text,
                    std::slice::from_ref(&note.tag),
                )
            })
            .expect("a note");
        searches.run(|| server.call("search_nodes", &serde_json::json!({"query": RARE})));
        our_searches.run(|| ours("search_notes", &serde_json::json!({"query": RARE})));
        library_searches
            .run(|| bench.pad.search_notes(&bench.session, Some(RARE), &[], 20))
            .expect("a search");
    }
    println!(
        "\n| {size} notes | save ms | times faster | search ms | times faster |\n|---|---|---|---|---|"
    );
    for (name, save, search) in [
        ("reference server, a running process", &saves, &searches),
        (
            "ours, a new process for each call",
            &our_saves,
            &our_searches,
        ),
        ("ours, the library", &library_saves, &library_searches),
    ] {
        println!(
            "| {name} | {:.2} | {:.1} | {:.2} | {:.1} |",
            save.median(),
            saves.median() / save.median(),
            search.median(),
            searches.median() / search.median()
        );
    }
}

/// What the system says of this process: all of it, and what is its own.
fn memory() -> String {
    let mut text = String::new();
    let read = File::open("/proc/self/status").and_then(|mut file| file.read_to_string(&mut text));
    if read.is_err() {
        return "unknown on this system".to_owned();
    }
    let lines = text
        .lines()
        .filter(|line| line.starts_with("RssAnon") || line.starts_with("RssFile"));
    lines
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join(", ")
}
