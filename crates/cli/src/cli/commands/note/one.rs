//! `note show` and `note edit`: one note, whole.

use super::answer;
use crate::cli::app::OpenSession;
use crate::cli::i18n::{text, translated};
use crate::cli::{Global, editor, ui};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::id::SessionId;
use scratchpad::model::note::page::{FoundNotes, NotePage};
use scratchpad::model::note::reply;
use scratchpad::model::note::reply::{Match, Reader};
use scratchpad::model::note::{Note, NoteId};

pub(super) fn show(id: NoteId, opened: &OpenSession, global: &Global) -> Result<()> {
    let session = opened.session_unsaid()?;
    let note = opened.scratchpad.existing_note(&session, id)?;
    let named = id.to_string();
    let found = FoundNotes::new(1, vec![note], NotePage::first(1));
    let reader = Reader::Person(ui::age);
    let reply = reply::searched(&found, Some(&named), &[], Match::Id, reader);
    if global.json {
        return answer(&session, reply, global);
    }
    // Without the first line, which says how many there are.
    let text = translated(&reply.message);
    let note = text
        .split_once("\n\n")
        .map_or(text.as_str(), |(_, note)| note);
    ui::show_long(&format!("{note}\n"))
}

pub(super) fn edit(id: NoteId, opened: &OpenSession, global: &Global) -> Result<()> {
    if !editor::is_possible() {
        return Err(Error::usage("An editor needs a terminal.")
            .hint("replace the text with `scratchpad note update ID --content TEXT`."));
    }
    let session = opened.session_unsaid()?;
    let read = || -> Result<Note> { opened.scratchpad.existing_note(&session, id) };
    let before = read()?;
    let Some(edited) = editor::edit(&before.content)? else {
        return ui::print(&format!("{}\n", text!("terminal-not-edited")));
    };
    edited.used(|text| save(text, &before, &read()?, &session, opened, global))
}

fn save(
    text: &str,
    before: &Note,
    now: &Note,
    session: &SessionId,
    opened: &OpenSession,
    global: &Global,
) -> Result<()> {
    if now.content != before.content {
        return Err(
            Error::refused("The text was changed by somebody else while you edited it.")
                .hint("edit it again, with what you need from your text."),
        );
    }
    let pad = &opened.scratchpad;
    let (note, totals) = pad.update_note(session, now.id, Some(text), None)?;
    let reply =
        reply::updated(&note, totals, Reader::Person(ui::age)).without_secrets(&pad.marks_in(text));
    answer(session, reply, global)
}
