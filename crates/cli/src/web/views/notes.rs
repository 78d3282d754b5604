//! The notes of a project: found while typing, and changed many at once.

use askama::Template;
use axum::response::Response;

use crate::web::ask::{Ask, go_to, page};
use crate::web::fields::encoded;
use crate::web::html::{Frame, of_project, shown};
use scratchpad::Scratchpad;
use scratchpad::model::error::Result;
use scratchpad::model::id::{Millis, ProjectId};
use scratchpad::model::note::page::{FoundNotes, NotePage};
use scratchpad::model::note::reply::Match;
use scratchpad::model::note::source::remark;
use scratchpad::model::note::{Note, NoteId};

/// How many notes are on one page.
const NOTES: usize = 50;
/// How many tags are offered.
const TAGS: usize = 24;

#[derive(Template)]
#[template(path = "notes.html")]
struct View {
    p: Frame,
    query: String,
    tag: String,
    notes: Vec<Row>,
    total: usize,
    by_words: bool,
    tags: Vec<(String, String, usize, bool)>,
    next: Option<String>,
}

/// A note in a list.
pub(super) struct Row {
    pub(super) id: String,
    pub(super) content: String,
    pub(super) tags: Vec<String>,
    pub(super) updated: Millis,
    pub(super) author: String,
    pub(super) is_pinned: bool,
    /// What became of its sources, if anything did.
    pub(super) sources: Vec<String>,
}

impl Row {
    pub(super) fn new(note: &Note, pinned: &[Note]) -> Self {
        Self {
            id: note.id.to_string(),
            content: shown(&note.content),
            tags: note.tags.iter().map(|tag| shown(tag)).collect(),
            updated: note.updated,
            author: shown(&note.author),
            is_pinned: pinned.iter().any(|it| it.id == note.id),
            sources: note
                .sources
                .iter()
                .filter_map(remark)
                .map(|it| shown(&it))
                .collect(),
        }
    }
}

fn found(ask: &Ask, pad: &Scratchpad) -> Result<(FoundNotes, Match)> {
    let tags: Vec<String> = ask
        .query
        .all("tag")
        .filter(|tag| !tag.is_empty())
        .map(str::to_owned)
        .collect();
    let after = NoteId::parse(ask.query.get("after")).ok();
    let page = NotePage {
        after,
        limit: NOTES,
    };
    pad.search_notes(&pad.new_session_id(), Some(ask.query.get("q")), &tags, page)
}

pub(in crate::web) fn show(ask: &Ask, project: &str) -> Result<Response> {
    let id = ProjectId::new(project);
    let pad = ask.pad_in(&id);
    let (found, how) = found(ask, &pad)?;
    let nobody = pad.new_session_id();
    let pinned = pad.pinned_notes(&nobody)?;
    let (query, tag) = (ask.query.get("q"), ask.query.get("tag"));
    let address = |tag: &str, after: &str| {
        let base = of_project(&id);
        format!(
            "{base}/notes?q={}&tag={}{after}",
            encoded(query),
            encoded(tag)
        )
    };
    let tags = pad.project_notes()?.tags.into_iter().take(TAGS);
    let tags = tags.map(|(name, count)| {
        let is_chosen = name.eq_ignore_ascii_case(tag);
        let leads_to = address(if is_chosen { "" } else { &name }, "");
        (shown(&name), leads_to, count, is_chosen)
    });
    let last = found.notes.last().filter(|_| found.has_more);
    page(&View {
        query: query.to_owned(),
        tag: tag.to_owned(),
        total: found.total,
        by_words: how == Match::Words,
        next: last.map(|note| address(tag, &format!("&after={}", note.id))),
        tags: tags.collect(),
        notes: found
            .notes
            .iter()
            .map(|note| Row::new(note, &pinned))
            .collect(),
        p: ask.frame("notes", Some(id.clone())),
    })
}

#[derive(Template)]
#[template(path = "confirm.html")]
struct ConfirmView {
    p: Frame,
    action: String,
    notes: Vec<(String, String)>,
}

/// Deletes or pins what is ticked. Before notes are deleted, they are listed.
pub(in crate::web) fn change(ask: &Ask, project: &str) -> Result<Response> {
    let project = ProjectId::new(project);
    let pad = ask.pad_in(&project);
    let nobody = pad.new_session_id();
    let ids = ask
        .form
        .all("note")
        .map(NoteId::parse)
        .collect::<Result<Vec<_>>>()?;
    let back = format!("{}/notes", of_project(&project));
    let what = ask.form.get("what");
    if what == "delete" && ask.form.get("sure") != "yes" && !ids.is_empty() {
        let notes = ids.iter().map(|id| pad.existing_note(&nobody, *id));
        let notes = notes.collect::<Result<Vec<_>>>()?;
        let notes = notes
            .iter()
            .map(|note| (note.id.to_string(), shown(&note.content)));
        return page(&ConfirmView {
            notes: notes.collect(),
            action: back,
            p: ask.frame("notes", Some(project)),
        });
    }
    let mut done = "";
    for id in ids {
        done = match what {
            "delete" => pad.delete_note(&nobody, id).map(|_| "deleted")?,
            "pin" => pad.pin_note(&nobody, id).map(|_| "pinned")?,
            "unpin" => pad.unpin_note(&nobody, id).map(|_| "unpinned")?,
            _ => done,
        };
    }
    Ok(go_to(&format!("{back}?done={done}")))
}
