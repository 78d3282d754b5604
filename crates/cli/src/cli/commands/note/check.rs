//! `note check`: what became of the lines of files that notes speak of.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::cli::app::OpenSession;
use crate::cli::i18n::text;
use crate::cli::{Done, Global, ui};
use scratchpad::model::error::Result;
use scratchpad::model::note::NoteId;
use scratchpad::model::note::reply::source_json;
use scratchpad::model::note::source::{JudgedSource, Verdict};

pub(super) fn run(opened: &OpenSession, stale: bool, fail: bool, global: &Global) -> Result<Done> {
    let judged = opened.scratchpad.check_sources(&opened.session_unsaid()?)?;
    let shown = judged
        .iter()
        .filter(|(_, source)| !stale || source.verdict.is_stale());
    if global.json {
        let sources: Vec<Value> = shown.map(|(id, source)| in_json(*id, source)).collect();
        ui::print_json(&json!({"checked": judged.len(), "sources": sources}))?;
    } else {
        let lines: Vec<String> = shown.map(|(id, source)| in_words(*id, source)).collect();
        ui::show(&(lines.concat() + &summary(&judged) + "\n"))?;
    }
    let is_any_stale = judged.iter().any(|(_, source)| source.verdict.is_stale());
    Ok(if fail && is_any_stale {
        Done::WithCode(1)
    } else {
        Done::Well
    })
}

fn in_json(id: NoteId, source: &JudgedSource) -> Value {
    let mut data = source_json(source);
    if let Value::Object(fields) = &mut data {
        fields.insert("note_id".to_owned(), json!(id.to_string()));
    }
    data
}

fn in_words(id: NoteId, source: &JudgedSource) -> String {
    let line = match (source.verdict, &source.file) {
        (Verdict::Moved(line), Some(file)) => format!("{file}:{line}"),
        (Verdict::Moved(line), None) => line.to_string(),
        _ => String::new(),
    };
    let became = text!("note-source", now = source.verdict.name(), line = line);
    let became = match source.branch.as_str() {
        "" => became,
        branch => text!("note-source-branch", became = became, branch = branch),
    };
    format!("{id} {}: {became}\n", source.span.name())
}

fn summary(judged: &[(NoteId, JudgedSource)]) -> String {
    if judged.is_empty() {
        return text!("note-no-sources");
    }
    let notes: BTreeSet<NoteId> = judged.iter().map(|(id, _)| *id).collect();
    let of = |name: &str| {
        let same = judged
            .iter()
            .filter(|(_, source)| source.verdict.name() == name);
        same.count()
    };
    text!(
        "note-sources",
        sources = judged.len(),
        notes = notes.len(),
        same = of("same"),
        moved = of("moved"),
        changed = of("changed"),
        gone = of("gone")
    )
}
