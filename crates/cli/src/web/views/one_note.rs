//! One note: its text, its tags, where it speaks of, and what can be done with it.

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;

use super::notes::Row;
use crate::web::ask::{Ask, go_to, page, page_as, session_id};
use crate::web::html::{Frame, from_form, of_project, of_session, shown, survives_a_form};
use scratchpad::Scratchpad;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::id::{Millis, ProjectId, SessionId};
use scratchpad::model::note::page::NotePage;
use scratchpad::model::note::{Note, NoteId, Scope};

#[derive(Template)]
#[template(path = "note.html")]
struct View {
    p: Frame,
    note: Row,
    created: Millis,
    /// As it is, for the form.
    plain: String,
    tags: String,
    is_editable: bool,
    is_of_session: bool,
    session: String,
    project: String,
    back: String,
}

/// Whose note is meant: a session sees its own and its project's.
struct Whose {
    pad: Scratchpad,
    session: SessionId,
    named: String,
    project: ProjectId,
}

impl Whose {
    fn new(ask: &Ask, session: &str, project: &str) -> Result<Self> {
        let mut project = ProjectId::new(project);
        let mut id = ask.pad().new_session_id();
        if !session.is_empty() {
            id = session_id(session)?;
            let known = ask.pad().existing_session(&id)?.project;
            project = known.unwrap_or(project);
        }
        Ok(Self {
            pad: ask.pad_in(&project),
            session: id,
            named: session.to_owned(),
            project,
        })
    }

    /// The list that the note is in.
    fn back(&self) -> String {
        if self.named.is_empty() {
            format!("{}/notes", of_project(&self.project))
        } else {
            of_session(&self.named)
        }
    }

    /// The note with what became of its sources.
    fn note(&self, id: NoteId) -> Result<Note> {
        let query = id.to_string();
        let page = NotePage::first(1);
        let (found, _) = self
            .pad
            .search_notes(&self.session, Some(&query), &[], page)?;
        let note = found.notes.into_iter().find(|note| note.id == id);
        note.map_or_else(|| self.pad.existing_note(&self.session, id), Ok)
    }
}

pub(in crate::web) fn show(ask: &Ask, id: &str) -> Result<Response> {
    let whose = Whose::new(ask, ask.query.get("session"), ask.query.get("project"))?;
    let note = whose.note(NoteId::parse(id)?)?;
    let pinned = whose.pad.pinned_notes(&whose.session)?;
    page(&View {
        note: Row::new(&note, &pinned),
        created: note.created,
        is_editable: survives_a_form(&note.content),
        is_of_session: note.scope == Scope::Session,
        tags: note.tags.join(", "),
        plain: note.content,
        back: whose.back(),
        session: whose.named,
        project: whose.project.to_string(),
        p: ask.frame("notes", Some(whose.project)),
    })
}

#[derive(Template)]
#[template(path = "note_conflict.html")]
struct ConflictView {
    p: Frame,
    id: String,
    session: String,
    project: String,
    updated: Millis,
    theirs: String,
    yours: String,
    tags: String,
}

pub(in crate::web) fn change(ask: &Ask, id: &str) -> Result<Response> {
    let form = &ask.form;
    let whose = Whose::new(ask, form.get("session"), form.get("project"))?;
    let id = NoteId::parse(id)?;
    let (pad, session) = (&whose.pad, &whose.session);
    let done = match form.get("what") {
        "edit" => {
            let note = pad.existing_note(session, id)?;
            let text = from_form(form.get("text"));
            if form.number("seen") != note.updated.try_into().ok() {
                return conflict(ask, whose, &note, text);
            }
            let tags = form.get("tags").split(',').map(str::trim);
            let tags: Vec<String> = tags
                .filter(|it| !it.is_empty())
                .map(str::to_owned)
                .collect();
            pad.update_note(session, id, Some(&text), Some(&tags))?;
            "saved"
        }
        "delete" => {
            pad.delete_note(session, id)?;
            return Ok(go_to(&format!("{}?done=deleted", whose.back())));
        }
        "promote" => pad.promote_note(session, id).map(|_| "promoted")?,
        "pin" => pad.pin_note(session, id).map(|_| "pinned")?,
        "unpin" => pad.unpin_note(session, id).map(|_| "unpinned")?,
        _ => return Err(Error::not_found("There is no such page.")),
    };
    Ok(go_to(&format!("{}?done={done}", address(&whose, id))))
}

fn address(whose: &Whose, id: NoteId) -> String {
    use crate::web::fields::encoded;
    let (session, project) = (encoded(&whose.named), encoded(whose.project.as_str()));
    format!("/n/{id}?session={session}&project={project}")
}

fn conflict(ask: &Ask, whose: Whose, note: &Note, yours: String) -> Result<Response> {
    let view = ConflictView {
        id: note.id.to_string(),
        session: whose.named,
        project: whose.project.to_string(),
        updated: note.updated,
        theirs: shown(&note.content),
        yours,
        tags: ask.form.get("tags").to_owned(),
        p: ask.frame("notes", Some(whose.project)),
    };
    page_as(StatusCode::CONFLICT, &view)
}
