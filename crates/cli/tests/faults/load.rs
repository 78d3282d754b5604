//! Processes that write, and what of it must be there afterwards.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

use scratchpad::model::context::{instructions, notes, region};
use serde_json::{Value, json};

use super::{Place, Random};

/// What a writer writes, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    PadByServer,
    NotesByServer,
    Pad,
    Notes,
    Outputs,
    Context,
    Inject,
}

/// The eight processes of the mixed load.
pub(crate) const MIXED: [Kind; 8] = [
    Kind::PadByServer,
    Kind::NotesByServer,
    Kind::Pad,
    Kind::Notes,
    Kind::Outputs,
    Kind::Outputs,
    Kind::Context,
    Kind::Inject,
];

/// The text of another author in the instruction file.
pub(crate) const OTHERS: &str = "# Ours\n\nKeep this.\n";

/// The process that is running, so that it can be killed.
pub(crate) type Slot = Arc<Mutex<Option<Child>>>;

/// What came of one write.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// It was answered: with the id of what was made, where it has one.
    Answered(String),
    /// The process went away first.
    Nothing,
    /// It was refused, with these words.
    Refused(String),
}

/// A write, as it must be found.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) text: String,
    /// The id of the note or output.
    pub(crate) id: String,
}

/// One writer: its process, and all that it wrote.
pub(crate) struct Writer {
    pub(crate) kind: Kind,
    name: String,
    pub(crate) slot: Slot,
    pipes: Option<(ChildStdin, BufReader<ChildStdout>)>,
    count: u64,
    pub(crate) answered: Vec<Record>,
    /// Writes that were not answered: there whole, or not at all.
    pub(crate) silent: Vec<String>,
    /// How many of those that were answered were looked for.
    checked: usize,
}

impl Writer {
    pub(crate) fn new(kind: Kind, number: usize) -> Self {
        Self {
            kind,
            name: format!("writer-{number}"),
            slot: Slot::default(),
            pipes: None,
            count: 0,
            answered: Vec::new(),
            silent: Vec::new(),
            checked: 0,
        }
    }

    fn text(&mut self, random: &mut Random) -> String {
        self.count += 1;
        let head = format!("{} number {}", self.name, self.count);
        match self.kind {
            Kind::Outputs => {
                let lines = if random.below(10) == 0 { 20_000 } else { 400 };
                format!("{head}\n{}", "a line of a log\n".repeat(lines))
            }
            Kind::Notes | Kind::NotesByServer => format!(
                "{head}. {}",
                "word ".repeat(random.below(300) as usize).trim_end()
            ),
            _ => head,
        }
    }

    /// Writes once. `prepare` may change the process before it starts.
    pub(crate) fn write(
        &mut self,
        place: &Place,
        random: &mut Random,
        prepare: &dyn Fn(&mut Command),
    ) -> Came {
        let text = self.text(random);
        let session = self.name.clone();
        let came = match self.kind {
            Kind::PadByServer => self.call(
                place,
                prepare,
                "session_scratchpad",
                &json!({"action": "set_notes", "content": text}),
            ),
            Kind::NotesByServer => self.call(
                place,
                prepare,
                "add_note",
                &json!({"content": text, "tags": ["t"]}),
            ),
            Kind::Pad => self.run(
                place,
                prepare,
                &["session", "set-notes", &text, "--session", &session],
                "",
            ),
            Kind::Notes => self.run(
                place,
                prepare,
                &["note", "add", &text, "--tag", "t", "--session", &session],
                "",
            ),
            Kind::Outputs => self.run(
                place,
                prepare,
                &["output", "put", "--session", &session],
                &text,
            ),
            Kind::Context => self.run(place, prepare, &["context", "add", &text], ""),
            Kind::Inject => self.run(
                place,
                prepare,
                &["inject", "--project", "--tool", "claude"],
                "",
            ),
        };
        match &came {
            // What is not kept is given back as it came, which is a true answer too.
            Came::Answered(said) if self.kind == Kind::Outputs && *said == text => {}
            Came::Answered(said) => {
                let word = |at: usize| {
                    said.split_whitespace()
                        .nth(at)
                        .unwrap_or_default()
                        .to_owned()
                };
                let id = match self.kind {
                    Kind::Notes | Kind::NotesByServer | Kind::Outputs => word(1),
                    _ => String::new(),
                };
                self.answered.push(Record { text, id });
            }
            Came::Nothing | Came::Refused(_) => self.silent.push(text),
        }
        came
    }

    /// Runs the program to its end.
    fn run(
        &mut self,
        place: &Place,
        prepare: &dyn Fn(&mut Command),
        arguments: &[&str],
        stdin: &str,
    ) -> Came {
        let mut command = place.command(arguments);
        prepare(&mut command);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let (mut input, mut out, mut err) = (
            child.stdin.take().unwrap(),
            child.stdout.take().unwrap(),
            child.stderr.take().unwrap(),
        );
        *self.slot.lock().unwrap() = Some(child);
        let stdin = stdin.to_owned();
        // A process that is killed does not read on.
        let feed = std::thread::spawn(move || drop(input.write_all(stdin.as_bytes())));
        let (mut said, mut complained) = (String::new(), String::new());
        out.read_to_string(&mut said).unwrap();
        err.read_to_string(&mut complained).unwrap();
        feed.join().unwrap();
        let mut slot = self.slot.lock().unwrap();
        let status = slot.take().unwrap().wait().unwrap();
        if !said.is_empty() {
            return Came::Answered(said);
        }
        match status.code() {
            Some(0) if self.kind == Kind::Inject => Came::Answered(said),
            Some(_) => Came::Refused(complained),
            None => Came::Nothing,
        }
    }

    /// Calls a tool of a server, starting one if need be.
    fn call(
        &mut self,
        place: &Place,
        prepare: &dyn Fn(&mut Command),
        tool: &str,
        arguments: &Value,
    ) -> Came {
        if self.pipes.is_none() {
            let mut command = place.command(&["mcp", "--session", &self.name]);
            prepare(&mut command);
            let mut child = command
                .stdin(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            self.pipes = Some((
                child.stdin.take().unwrap(),
                BufReader::new(child.stdout.take().unwrap()),
            ));
            *self.slot.lock().unwrap() = Some(child);
            let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "faults", "version": "1"}}});
            if self.ask(&hello).is_none() {
                self.bury();
                return Came::Nothing;
            }
        }
        let call = json!({"jsonrpc": "2.0", "id": self.count, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}});
        let Some(reply) = self.ask(&call) else {
            self.bury();
            return Came::Nothing;
        };
        let text = reply
            .pointer("/result/content/0/text")
            .and_then(Value::as_str);
        let is_error = reply.pointer("/result/isError") == Some(&Value::Bool(true));
        match text {
            Some(text) if !is_error => Came::Answered(text.to_owned()),
            _ => Came::Refused(reply.to_string()),
        }
    }

    fn ask(&mut self, message: &Value) -> Option<Value> {
        let (input, output) = self.pipes.as_mut()?;
        input.write_all(format!("{message}\n").as_bytes()).ok()?;
        let mut line = String::new();
        output.read_line(&mut line).ok()?;
        // A line that has no end was torn by the kill.
        serde_json::from_str(line.strip_suffix('\n')?).ok()
    }

    /// Waits for the server, which is dead or done.
    pub(crate) fn bury(&mut self) {
        self.pipes = None;
        if let Some(mut child) = self.slot.lock().unwrap().take() {
            child.wait().unwrap();
        }
    }
}

/// Reopens the files and checks every invariant; returns those that are violated.
pub(crate) fn examine(place: &Place, writers: &mut [&mut Writer]) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Err(error) = examine_database(place, writers, &mut wrong) {
        wrong.push(format!("the database: {error}"));
    }
    examine_context(place, writers, &mut wrong);
    wrong
}

fn examine_database(
    place: &Place,
    writers: &mut [&mut Writer],
    wrong: &mut Vec<String>,
) -> rusqlite::Result<()> {
    if !place.database().exists() {
        return Ok(());
    }
    let database = rusqlite::Connection::open(place.database())?;
    database.busy_timeout(std::time::Duration::from_secs(20))?;
    let is_new: i64 =
        database.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if is_new == 0 {
        let count: usize = writers.iter().map(|writer| writer.answered.len()).sum();
        if count > 0
            && writers.iter().any(|writer| {
                writer.kind != Kind::Context
                    && writer.kind != Kind::Inject
                    && !writer.answered.is_empty()
            })
        {
            wrong.push("the database is empty".to_owned());
        }
        return Ok(());
    }
    let verdict: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    if verdict != "ok" {
        wrong.push(format!("integrity check: {verdict}"));
    }
    for (what, sql) in [
        (
            "a count of notes",
            "SELECT count(*) FROM scope s WHERE s.notes <> (SELECT count(*) FROM note n WHERE n.scope = s.key)",
        ),
        (
            "a count of tags",
            "SELECT count(*) FROM scope s WHERE s.tags <> (SELECT count(*) FROM tag t WHERE t.scope = s.key)",
        ),
        (
            "a newest revision",
            "SELECT count(*) FROM session s WHERE s.revision <> (SELECT max(number) FROM revision r WHERE r.session = s.key)",
        ),
        (
            "a pad",
            "SELECT count(*) FROM session s JOIN revision r ON r.session = s.key AND r.number = s.revision AND r.space = 'notes' WHERE r.content <> s.notes",
        ),
        (
            "an output",
            "SELECT count(*) FROM output o WHERE NOT EXISTS (SELECT 1 FROM output_keep k WHERE k.output = o.id)",
        ),
    ] {
        let odd: i64 = database.query_row(sql, [], |row| row.get(0))?;
        if odd != 0 {
            wrong.push(format!("{what} is half written: {odd}"));
        }
    }
    for writer in writers {
        let new = writer.answered[writer.checked..].to_vec();
        writer.checked = writer.answered.len();
        for record in new {
            if !is_there(place, &database, writer, &record)? {
                wrong.push(format!(
                    "{:?} was answered and is lost: {}",
                    writer.kind,
                    head(&record.text)
                ));
            }
        }
    }
    Ok(())
}

fn head(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn is_there(
    place: &Place,
    database: &rusqlite::Connection,
    writer: &Writer,
    record: &Record,
) -> rusqlite::Result<bool> {
    match writer.kind {
        Kind::Pad | Kind::PadByServer => database
            .prepare_cached("SELECT 1 FROM revision r JOIN session s ON r.session = s.key WHERE s.id = ?1 AND r.content = ?2")?
            .exists([&writer.name, &record.text]),
        Kind::Notes | Kind::NotesByServer => {
            let id = record.id.trim_start_matches("note_").trim_end_matches('.');
            database
                .prepare_cached("SELECT 1 FROM note WHERE id = ?1 AND content = ?2")?
                .exists([id, &record.text])
        }
        Kind::Outputs => {
            let known = database
                .prepare_cached("SELECT 1 FROM output WHERE id = ?1 AND bytes = ?2")?
                .exists(rusqlite::params![record.id, i64::try_from(record.text.len()).unwrap()])?;
            let kept = std::fs::read(place.home.join("outputs").join(&record.id));
            Ok(known && kept.is_ok_and(|kept| kept == record.text.as_bytes()))
        }
        Kind::Context | Kind::Inject => Ok(true),
    }
}

fn examine_context(place: &Place, writers: &[&mut Writer], wrong: &mut Vec<String>) {
    let yaml =
        std::fs::read_to_string(place.project.join(".scratchpad/scratch.yaml")).unwrap_or_default();
    let notes = match notes::notes(&yaml) {
        Ok(notes) => notes,
        Err(error) => {
            wrong.push(format!("the context notes can't be read: {error}"));
            return;
        }
    };
    let there: HashSet<&str> = notes.iter().map(String::as_str).collect();
    let mut known = HashSet::new();
    for writer in writers.iter().filter(|writer| writer.kind == Kind::Context) {
        for record in &writer.answered {
            if !there.contains(record.text.as_str()) {
                wrong.push(format!(
                    "a context note was answered and is lost: {}",
                    record.text
                ));
            }
        }
        known.extend(writer.answered.iter().map(|record| record.text.as_str()));
        known.extend(writer.silent.iter().map(String::as_str));
    }
    if there.iter().any(|note| !known.contains(note)) {
        wrong.push("a context note is there that nobody wrote".to_owned());
    }
    let file = std::fs::read(place.project.join("CLAUDE.md")).unwrap_or_default();
    let is_whole = match region::CONTEXT.find(&file) {
        Ok(None) => file == OTHERS.as_bytes(),
        Ok(Some(region)) => {
            let outside = [&file[..region.start], file[region.end..].trim_ascii_start()].concat();
            outside == OTHERS.as_bytes() && instructions::notes_in(&file).is_ok()
        }
        Err(_) => false,
    };
    if !is_whole {
        wrong.push(format!(
            "the instruction file is half written: {:?}",
            String::from_utf8_lossy(&file)
        ));
    }
}
