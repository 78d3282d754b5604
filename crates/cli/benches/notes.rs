//! What notes cost: durable inserts and searches, as the number of notes grows.
//!
//! `cargo bench --bench notes [-- SIZE…] [memory-server=PROGRAM]`, or `scripts/bench notes`.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(clippy::expect_used, reason = "a bench fails by panicking")]
#![expect(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]

mod corpus;
#[allow(dead_code, reason = "each bench uses its part")]
mod measure;
mod report;
mod stdio_server;

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use corpus::{COMMON, Corpus, RARE};
use measure::Times;
use report::{Bar, Goal};
use rusqlite::{Connection, TransactionBehavior, params};
use scratchpad::model::note::Scope;
use scratchpad::model::note::page::NotePage;
use scratchpad::model::text::quantity::grouped;
use scratchpad::{ProjectId, Scratchpad, SessionId};
use stdio_server::StdioServer;

const HOW: &str = "\
Notes of about 300 bytes with a tag each, all in one scope; made up, the same on every run. 1,000 durable inserts in turns with the
same insert without a search index (the same tables and counters) and with one sync of 4 KB. Searches answer the 20 best hits and
the exact total, 200 of each kind or what fits into 8 seconds. Median / p99 in milliseconds.";

/// The growth of what is measured that still counts as none, where the notes are a thousand times as many.
const FLAT: f64 = 3.0;

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
    let columns: Vec<Column> = sizes
        .into_iter()
        .map(|size| {
            let directory = tempfile::tempdir().expect("a directory");
            let (bench, mut column) = Bench::fill(directory.path(), size);
            bench.inserts(directory.path(), &mut column);
            bench.searches(&mut column);
            column
        })
        .collect();
    report::section("Notes", HOW);
    report::goals(&goals(&columns));
    table(&columns);
    for (name, title) in [
        ("add_note", "A durable note"),
        (RARE_WORD, "Search for a rare word"),
        (COMMON_WORD, "Search for a word in a tenth of all notes"),
    ] {
        let bars: Vec<Bar> = columns
            .iter()
            .filter_map(|column| {
                let times = &column.of(name)?.times;
                Some(Bar::of(
                    &format!("{} notes", grouped(column.size)),
                    times,
                    true,
                ))
            })
            .collect();
        report::plot(
            &format!("notes-{}", name.replace(['_', ' '], "-")),
            title,
            "ms",
            &bars,
        );
    }
    if let Some(program) = server {
        println!(
            "Beside the reference MCP memory server, which holds its notes in one file, reads all of it for each call and writes\n\
             all of it for each save:\n"
        );
        for size in [1_000, 10_000] {
            beside(&program, size);
        }
    }
}

const RARE_WORD: &str = "a rare word";
const COMMON_WORD: &str = "a word in a tenth of all";

/// The measurements at one number of notes.
struct Column {
    size: usize,
    import: String,
    database: String,
    memory: String,
    rows: Vec<Row>,
}

struct Row {
    name: &'static str,
    times: Times,
    hits: Option<usize>,
}

impl Column {
    fn of(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }
}

fn table(columns: &[Column]) {
    let line = |name: &str, cells: Vec<String>| println!("| {name} | {} |", cells.join(" | "));
    let each = |cell: &dyn Fn(&Column) -> String| columns.iter().map(cell).collect::<Vec<_>>();
    line("", each(&|column| grouped(column.size)));
    line("---", each(&|_| "---".to_owned()));
    line("import, s", each(&|column| column.import.clone()));
    line("database, MB", each(&|column| column.database.clone()));
    let Some(first) = columns.first() else { return };
    for row in &first.rows {
        let cells = each(&|column| {
            let Some(row) = column.of(row.name) else {
                return String::new();
            };
            let times = format!("{:.3} / {:.3}", row.times.median(), row.times.p99());
            row.hits.map_or(times.clone(), |hits| {
                format!("{times} ({} hits)", grouped(hits))
            })
        });
        let what = if row.hits.is_some() { "search: " } else { "" };
        line(&format!("{what}{}", row.name), cells);
    }
    line(
        "memory of the process",
        each(&|column| column.memory.clone()),
    );
    println!();
}

fn goals(columns: &[Column]) -> Vec<Goal> {
    let median =
        |column: &Column, name: &str| column.of(name).map_or(f64::NAN, |row| row.times.median());
    let mut goals = Vec::new();
    for column in columns {
        for (most, against, floor) in [
            (2.0, "without a search index", WITHOUT),
            (1.5, "one sync", SYNC),
        ] {
            if let (Some(ours), Some(floor)) = (column.of("add_note"), column.of(floor)) {
                let what = format!("a durable note among {}", grouped(column.size));
                goals.push(Goal::at_most(
                    most,
                    what,
                    &ours.times,
                    against,
                    &floor.times,
                ));
            }
        }
    }
    if let (Some(first), Some(last)) = (columns.first(), columns.last()) {
        for name in ["add_note", RARE_WORD, "no hit"] {
            let (few, many) = (median(first, name), median(last, name));
            goals.push(Goal {
                what: format!("growth of \"{name}\" to {} notes", grouped(last.size)),
                against: format!("{} notes, {few:.3} ms", grouped(first.size)),
                ours: format!("{many:.3} ms"),
                ratio: many / few,
                wanted: "flat (≤ 3 ×)".to_owned(),
                is_met: many <= FLAT * few,
            });
        }
    }
    goals
}

const SYNC: &str = "one sync of 4 KB";
const WITHOUT: &str = "insert without a search index";

struct Bench {
    pad: Scratchpad,
    session: SessionId,
    size: usize,
    database: std::path::PathBuf,
}

impl Bench {
    /// Imports `size` notes, as a person would.
    fn fill(home: &Path, size: usize) -> (Self, Column) {
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
        let column = Column {
            size,
            import: format!("{:.1}", started.elapsed().as_secs_f64()),
            database: format!(
                "{:.1} ({:.0} bytes a note)",
                bytes as f64 / 1e6,
                bytes as f64 / size as f64
            ),
            memory: String::new(),
            rows: Vec::new(),
        };
        let bench = Self {
            pad,
            session,
            size,
            database,
        };
        (bench, column)
    }

    /// Durable inserts, in turns with the floors.
    fn inserts(&self, directory: &Path, column: &mut Column) {
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
        for (name, times) in [(SYNC, sync), (WITHOUT, without), ("add_note", ours)] {
            column.rows.push(Row {
                name,
                times,
                hits: None,
            });
        }
    }

    fn searches(&self, column: &mut Column) {
        let tag = vec![Corpus::COMMON_TAG.to_owned()];
        let queries: [(&'static str, Option<&str>, &[String]); 8] = [
            (RARE_WORD, Some(RARE), &[]),
            (COMMON_WORD, Some(COMMON), &[]),
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
                    .run(|| {
                        self.pad
                            .search_notes(&self.session, query, tags, NotePage::first(20))
                    })
                    .expect("a search");
                total = found.total;
            }
            column.rows.push(Row {
                name,
                times,
                hits: Some(total),
            });
        }
        column.memory = memory();
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

/// Save and search in the reference server, and the same with one Scratchpad process per call.
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
    let (bench, _) = Bench::fill(&home, size);
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
            .run(|| {
                bench
                    .pad
                    .search_notes(&bench.session, Some(RARE), &[], NotePage::first(20))
            })
            .expect("a search");
    }
    println!(
        "| {} notes | save ms | times faster | search ms | times faster |\n|---|---|---|---|---|",
        grouped(size)
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
    println!();
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
