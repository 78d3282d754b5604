//! `note pin` and `note unpin`.

use serde_json::json;

use crate::cli::app::OpenSession;
use crate::cli::i18n::text;
use crate::cli::{Global, ui};
use scratchpad::model::error::Result;
use scratchpad::model::note::NoteId;
use scratchpad::model::note::page::{FoundNotes, NotePage};
use scratchpad::model::note::reply;
use scratchpad::model::note::reply::Reader;

/// Pins a note.
pub(super) fn pin(id: NoteId, opened: &OpenSession, global: &Global) -> Result<()> {
    opened.scratchpad.pin_note(&opened.session_unsaid()?, id)?;
    done(id, true, global)
}

/// Unpins a note.
pub(super) fn unpin(id: NoteId, opened: &OpenSession, global: &Global) -> Result<()> {
    let was_pinned = opened
        .scratchpad
        .unpin_note(&opened.session_unsaid()?, id)?;
    if !was_pinned && !global.json {
        return ui::show(&(text!("note-not-pinned", id = id.to_string()) + "\n"));
    }
    done(id, false, global)
}

fn done(id: NoteId, is_pinned: bool, global: &Global) -> Result<()> {
    if global.json {
        return ui::print_json(&json!({"note_id": id.to_string(), "pinned": is_pinned}));
    }
    let words = if is_pinned {
        text!("note-pinned", id = id.to_string())
    } else {
        text!("note-unpinned", id = id.to_string())
    };
    ui::show(&(words + "\n"))
}

/// Lists the pinned notes.
pub(super) fn list(opened: &OpenSession, global: &Global) -> Result<()> {
    let notes = opened.scratchpad.pinned_notes(&opened.session_unsaid()?)?;
    if notes.is_empty() && !global.json {
        return ui::show(&(text!("note-none-pinned") + "\n"));
    }
    let page = NotePage::first(notes.len().max(1));
    let found = FoundNotes::new(notes.len(), notes, page);
    let reply = reply::listed(&found, None, Reader::Person(ui::age));
    if global.json {
        return ui::print_json(&reply.structured.unwrap_or_default());
    }
    ui::print_long(&(crate::cli::i18n::translated(&reply.message) + "\n"))
}
