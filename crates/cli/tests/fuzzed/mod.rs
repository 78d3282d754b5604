//! What must hold for arbitrary bytes, one function for each parser of untrusted input.
//!
//! `fuzz/` runs these under a fuzzer; `it/store/fuzz_regressions.rs` replays its past findings, and mutations of the
//! seeds, on a stable toolchain. Each splits the bytes as it needs and panics if a rule is broken.

mod references;

use std::io::{self, Cursor, Write};

use scratchpad::Result;
use scratchpad::model::context::instructions;
use scratchpad::model::context::instructions::instructions;
use scratchpad::model::context::notes;
use scratchpad::model::context::notes::NotesChange;
use scratchpad::model::context::region;
use scratchpad::model::context::region::Remainder;
use scratchpad::model::host::HOSTS;
use scratchpad::model::host::hook::{
    Answer, Event, EventKind, HookFacts, HookSettings, HookState, Mirror, TaskCall, decide, detect,
    large_texts, last_reply, task_call, with_texts,
};
use scratchpad::model::host::wrap;
use scratchpad::model::host::wrap::{Format, Way, WrapOutcome};
use scratchpad::model::note::jsonl;
use scratchpad::model::note::tool as note_tools;
use scratchpad::model::output::grep::Grep;
use scratchpad::model::output::jq::evaluate;
use scratchpad::model::output::slice::{LineRange, SliceResult, cut_bytes, cut_lines};
use scratchpad::model::output::sql::{Source, evaluate as evaluate_sql};
use scratchpad::model::output::tool as output_tools;
use scratchpad::model::pad::plan::{items, open_part};
use scratchpad::model::pad::revision::Write as Revision;
use scratchpad::model::pad::session_log::{Line, SessionLog, encode, parse_line};
use scratchpad::model::pad::tool as pad_tool;
use scratchpad::model::pad::{Pad, Space};
use scratchpad::model::tool::xml;
use scratchpad::model::transcript::TranscriptFormat;
use scratchpad::model::transcript::audit::Audit;
use scratchpad_mcp::{mcp, proxy};
use serde_json::Value;

/// A function to fuzz.
pub(crate) type Target = fn(&[u8]);

/// All targets, by the name that their fuzz target and the directory of their inputs share.
pub(crate) const TARGETS: [(&str, Target); 9] = [
    ("rpc_line", rpc_line),
    ("tool_arguments", tool_arguments),
    ("journal", journal),
    ("region", managed_region),
    ("context_yaml", context_yaml),
    ("slices", slices),
    ("hook_event", hook_event),
    ("config_edit", config_edit),
    ("transcript", transcript),
];

/// The transcript of a host: sums never fail, and the range is one.
pub(crate) fn transcript(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let format = match first % 6 {
        0 => TranscriptFormat::Claude,
        1 => TranscriptFormat::Codex,
        2 => TranscriptFormat::Gemini,
        3 => TranscriptFormat::Qwen,
        4 => TranscriptFormat::Copilot,
        _ => TranscriptFormat::OpenCode,
    };
    let lines = rest.split(|byte| *byte == b'\n');
    let audit = Audit::of_lines(format, lines, &mut |_| true);
    let range = audit.range();
    assert!(
        range.least <= range.used && range.used <= range.most,
        "{range:?}"
    );
    assert!(audit.damaged_files <= audit.files);
}

/// The bytes before and after the first line break.
fn halves(data: &[u8]) -> (&[u8], &[u8]) {
    let at = data.iter().position(|byte| *byte == b'\n');
    at.map_or((data, &[]), |at| (&data[..at], &data[at + 1..]))
}

/// A protocol message, to the server and through the proxy.
pub(crate) fn rpc_line(data: &[u8]) {
    let at = data.first().map_or(0, |byte| usize::from(*byte));
    let line = data.get(1..).unwrap_or_default();
    let [whole, pieces] = proxy::outlines(line, at);
    assert_eq!(whole, pieces, "a line is seen alike whole and in pieces");
    if let Ok(parsed) = serde_json::from_slice::<Value>(line) {
        let is_message = parsed.is_object() || parsed.is_array();
        assert!(whole.is_some() || !is_message, "JSON is followed");
    }
    references::check(line);
    let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
    match mcp::refusal_of(line) {
        Some(refusal) => assert!(refusal.len() < 400),
        None => assert!(is_json, "what is no JSON is answered"),
    }
}

/// The arguments of a tool call, as JSON and as XML.
pub(crate) fn tool_arguments(data: &[u8]) {
    let check = |error: &scratchpad::Error| {
        let text = error.to_string();
        assert!(!text.is_empty() && text.len() < 4_000, "{text}");
    };
    if let Ok(arguments) = serde_json::from_slice::<Value>(data) {
        if let Err(error) = pad_tool::pad_call(&arguments) {
            check(&error);
        }
        for tool in scratchpad::tools() {
            if let Some(Err(error)) = note_tools::note_call(tool.name, &arguments) {
                check(&error);
            }
            if let Some(Err(error)) = output_tools::output_call(tool.name, &arguments) {
                check(&error);
            }
        }
    }
    if let Ok(xml) = std::str::from_utf8(data) {
        match xml::XmlCall::parse(xml) {
            Ok(call) => {
                for tool in scratchpad::tools() {
                    if let Err(error) = call.arguments(&tool.input_schema) {
                        check(&error);
                    }
                }
            }
            Err(error) => check(&error),
        }
    }
}

/// A session log, and lines of a note export.
pub(crate) fn journal(data: &[u8]) {
    let mut log = SessionLog::default();
    for line in data.split(|byte| *byte == b'\n') {
        log.push(line);
        // What can't be parsed is refused; the rest survives a round trip.
        if let Ok(notes) = jsonl::parse(line, &scratchpad::model::note::NoteLimits::default()) {
            assert!(notes.len() <= line.len());
        }
    }
    let revisions: Vec<_> = log.revisions().cloned().collect();
    assert_eq!(log.heads().len(), revisions.len());
    let mut again = SessionLog::default();
    for entry in &revisions {
        let write = Revision {
            spilled: None,
            content: entry.content.clone(),
            action: entry.action.clone(),
            undoes: entry.undoes,
        };
        let line = encode(&write, entry.at);
        assert!(!line.contains('\n'));
        let Line::Entry(read) = parse_line(line.as_bytes()) else {
            panic!("what was written can't be read: {line}");
        };
        assert_eq!(read.content, entry.content);
        again.push(line.as_bytes());
    }
    assert_eq!(again.pad(), log.pad());
    for space in Space::ALL {
        assert_eq!(log.pad().content(space).space(), space);
    }
}

/// An instruction file with our region in it; the first line is a context note.
pub(crate) fn managed_region(data: &[u8]) {
    let (note, file) = halves(data);
    let note = String::from_utf8_lossy(note).into_owned();
    let text = instructions(&instructions::InstructionFacts {
        switched_off: Vec::new(),
        profile: note.clone(),
        notes: vec![note.clone()],
        project: None,
        tools: Vec::new(),
        packs: Vec::new(),
        max_bytes: 32 * 1024,
    });
    let made_with = "---\napplyTo: \"**\"\n---\n";
    let is_clean = matches!(region::CONTEXT.find(file), Ok(None));
    let Ok(placed) = region::CONTEXT.placed(Some(file), &text, made_with) else {
        return;
    };
    assert!(
        matches!(region::CONTEXT.find(&placed), Ok(Some(_))),
        "content can't forge a marker"
    );
    let twice = region::CONTEXT.placed(Some(&placed), &text, made_with);
    assert_eq!(
        twice.as_ref().ok(),
        Some(&placed),
        "a second time changes nothing"
    );
    let notes = instructions::notes_in(&placed).unwrap();
    if !note.trim().is_empty() && !text.contains("left out") {
        assert_eq!(notes, [instructions::as_injected(&note)]);
    }
    if is_clean {
        match region::CONTEXT.removed(&placed, made_with) {
            Ok(Remainder::File(left)) => assert_eq!(left, file, "restored byte for byte"),
            other => assert!(
                matches!(other, Ok(Remainder::Nothing)) && file.is_empty(),
                "the file is gone: {other:?}"
            ),
        }
    }
}

/// A file of context notes; the first line is a new note.
pub(crate) fn context_yaml(data: &[u8]) {
    let (note, file) = halves(data);
    let Ok(text) = std::str::from_utf8(file) else {
        return;
    };
    let Ok(before) = notes::notes(text) else {
        // A file that can't be parsed is not changed either.
        assert!(notes::changed(text, &NotesChange::Clear).is_err());
        return;
    };
    let after = |change: &NotesChange| -> Option<Vec<String>> {
        let new = notes::changed(text, change).ok()?;
        Some(new.map_or_else(Vec::new, |new| notes::notes(&new).unwrap()))
    };
    if let Ok(note) = notes::checked_note(&String::from_utf8_lossy(note))
        && let Some(notes) = after(&NotesChange::Add(note.clone()))
    {
        assert_eq!(notes, [before.clone(), vec![note]].concat());
    }
    if let Some(notes) = after(&NotesChange::Remove(1)) {
        assert_eq!(notes, before[1..]);
    }
    if let Some(notes) = after(&NotesChange::Clear) {
        assert!(notes.is_empty());
    }
}

/// A writer with a limit.
struct Bounded(usize);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = bytes.len().min(self.0);
        self.0 -= room;
        if room == 0 && !bytes.is_empty() {
            return Err(io::Error::from(io::ErrorKind::WriteZero));
        }
        Ok(room)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A slice of an output. The first line says which: `L` and a range, `B` and an offset, `G` and a pattern, or `J` and
/// an expression.
pub(crate) fn slices(data: &[u8]) {
    let (way, content) = halves(data);
    let Ok(way) = std::str::from_utf8(way) else {
        return;
    };
    let mut file = Cursor::new(content);
    let check = |found: io::Result<SliceResult>, max: usize| {
        let SliceResult::Part(cut) = found.unwrap() else {
            return;
        };
        let (start, end) = (cut.bytes.start as usize, cut.bytes.end as usize);
        // A character that starts before the offset is returned whole.
        assert!(
            end - start <= max.saturating_add(3),
            "no more than was allowed"
        );
        let part = &content[start..end];
        if cut.is_exact {
            assert_eq!(cut.text.as_bytes(), part, "the slice is exact");
        }
        if std::str::from_utf8(content).is_ok() {
            assert!(cut.is_exact, "no character is cut");
        }
    };
    match way.split_at_checked(1) {
        Some(("L", range)) => {
            if let Ok(range) = LineRange::parse(range) {
                for max in [4, 100, usize::MAX] {
                    check(cut_lines(&mut file, range, max), max);
                }
            }
        }
        Some(("B", offset)) => {
            let offset = offset.parse().unwrap_or(offset.len() as u64);
            for max in [4, 100, usize::MAX] {
                check(cut_bytes(&mut file, offset, max, max), max);
            }
        }
        // Its own query could take for ever.
        Some(("S", _)) => {
            let source = [Source::own(content.len() as u64)];
            let mut read = content;
            let done = evaluate_sql("select * from t", &source, &mut read, &mut io::sink());
            done.expect("any content has rows");
        }
        Some(("G", pattern)) => {
            if let Ok(grep) = Grep::new(pattern, pattern.len() % 2 == 0, 1) {
                let matches = grep.search(content, &mut io::sink()).unwrap();
                assert!(matches <= content.split(|byte| *byte == b'\n').count() as u64);
            }
        }
        // Filters that run forever are stopped by the probe process's limits, not here.
        Some(("J", expression)) if !runs_on(expression) => {
            let _: Result<u64> = evaluate(expression, content, &mut Bounded(64 << 10));
        }
        _ => {}
    }
}

fn runs_on(expression: &str) -> bool {
    let endless = [
        "def",
        "range",
        "repeat",
        "recurse",
        "..",
        "while",
        "until",
        "limit",
        "foreach",
        "reduce",
        "input",
        "last",
        "nth",
        "skip",
        "any",
        "all",
        "isempty",
        "error",
        "*",
        "combinations",
        "walk",
        "env",
        "path",
        "del",
        "to_entries",
        "halt",
        "pow",
        "ldexp",
        "exp",
        "scalb",
        "tojson",
        "getpath",
        "label",
        "first",
    ];
    // Numbers can request any amount of memory: `.[999999999] = 1`.
    let digits = expression.split(|char: char| !char.is_ascii_digit() && char != 'e');
    endless.iter().any(|word| expression.contains(word))
        || digits.into_iter().any(|run| run.len() > 4)
}

/// What a host sends to a hook; the first line is the event's name.
pub(crate) fn hook_event(data: &[u8]) {
    let (text, rest) = halves(data);
    if let Ok(text) = std::str::from_utf8(rest) {
        assert!(last_reply(text).is_none_or(|reply| !reply.trim().is_empty()));
    }
    let Ok(payload) = serde_json::from_slice::<Value>(rest) else {
        return;
    };
    assert!(detect(&|_| false, &payload).is_none_or(scratchpad::model::host::Host::has_hooks));
    let text = String::from_utf8_lossy(text);
    for host in HOSTS.into_iter().filter(|host| host.has_hooks()) {
        let Ok(Some(event)) = Event::read(host, &payload, Some(&text), "scratchpad") else {
            continue;
        };
        let pad = Pad {
            notes: text.to_string(),
            ..Pad::default()
        };
        let decision = decide(
            host,
            &event,
            &HookFacts {
                pad: &pad,
                revision: 1,
                hook_state: &HookState::default(),
                context: None,
                start: &text,
                settings: &HookSettings::default(),
                clock: &|at| at.to_string(),
            },
        );
        if let EventKind::Tool(result) = &event.kind
            && let Some(call) = task_call(host.hooks.task_tools, result)
        {
            mirrored(&call, &text);
        }
        let answered = (host.hooks.answer)(&event.name, &decision.answer);
        let is_text = matches!(decision.answer, Answer::Nothing | Answer::Summary(_));
        assert!(
            is_text || serde_json::from_str::<Value>(&answered).is_ok(),
            "{answered}"
        );
        assert!(answered.chars().count() < 10_000 + 6 * text.chars().count().min(9_500));
    }
    let texts = large_texts(&payload, 10).len();
    let mut shorter = payload.clone();
    with_texts(
        &mut shorter,
        10,
        &mut std::iter::repeat_n(Some("short".to_owned()), texts),
    );
    assert!(large_texts(&shorter, 10).is_empty());
}

/// A host's task list and a plan, whatever is in them.
fn mirrored(call: &TaskCall, plan: &str) {
    let mut mirror = Mirror::default();
    if let Some(new) = mirror.hear(call, Some(plan), 2_000, 1) {
        assert!(new.chars().count() <= 2_000.max(plan.chars().count()));
        assert!(new.is_empty() || mirror.owns(&new));
    }
    let open = |plan: &str| items(plan).iter().filter(|it| it.state.is_open()).count();
    assert_eq!(open(&open_part(plan)), open(plan));
}

/// A host's settings file, to which our entries are added and removed; the first byte selects the format.
pub(crate) fn config_edit(data: &[u8]) {
    let Some((first, text)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let format = if first % 2 == 0 {
        Format::Json
    } else {
        Format::Toml
    };
    let path = ["mcpServers", "scratchpad"];
    let value = serde_json::json!({"command": "scratchpad", "args": ["mcp"], "env": {}});
    if let Ok(new) = wrap::put(text, format, &path, &value) {
        let found = wrap::get(&new, format, &path).expect("what was written can be read");
        assert_eq!(found.as_ref(), Some(&value));
        assert_eq!(
            wrap::put(&new, format, &path, &value).as_ref(),
            Ok(&new),
            "a second time changes nothing"
        );
        let without = wrap::take(&new, format, &path).expect("what was written can be taken");
        assert_eq!(wrap::get(&without, format, &path), Ok(None));
    }
    if let Ok(wrapped) = wrap::rewrite(text, format, Way::Wrap, "scratchpad") {
        let back = wrap::rewrite(&wrapped.text, format, Way::Unwrap, "scratchpad")
            .expect("what was wrapped can be unwrapped");
        let all_back = wrapped
            .servers
            .iter()
            .zip(&back.servers)
            .all(|(there, back)| match there.outcome {
                WrapOutcome::Wrapped | WrapOutcome::WrappedRemote => {
                    back.outcome == WrapOutcome::Restored
                }
                // It was wrapped already, so unwrapping it is correct too.
                WrapOutcome::Already => false,
                _ => true,
            });
        let untouched = wrapped
            .servers
            .iter()
            .all(|server| server.outcome != WrapOutcome::Already);
        assert!(
            all_back || !untouched,
            "{:?} {:?}",
            wrapped.servers,
            back.servers
        );
        if untouched {
            assert_eq!(back.text, text, "restored byte for byte");
        }
    }
}
