//! A project: its sessions, and what of its notes asks for a look.

use askama::Template;
use axum::response::Response;

use super::rows::SessionRow;
use crate::web::ask::{Ask, page};
use crate::web::html::{Frame, shown};
use scratchpad::Whose;
use scratchpad::model::error::Result;
use scratchpad::model::id::{Millis, ProjectId};
use scratchpad::model::note::page::NotePage;
use scratchpad::model::text::quantity::shortened;
use scratchpad::scratchpad::system_time;

/// How many sessions are on one page.
const SESSIONS: usize = 50;
/// How many sessions of today are counted.
const COUNTED: usize = 200;
const DAY: Millis = 24 * 60 * 60 * 1_000;

#[derive(Template)]
#[template(path = "project.html")]
struct View {
    p: Frame,
    path: String,
    sessions: Vec<SessionRow>,
    /// How many pages there are before this one, and whether there are sessions after it.
    before: usize,
    has_more: bool,
    today: usize,
    is_more_today: bool,
    notes: usize,
    outputs: usize,
    bytes: u64,
    pinned: Vec<(String, String)>,
}

pub(in crate::web) fn show(ask: &Ask, project: &str) -> Result<Response> {
    let id = ProjectId::new(project);
    let pad = ask.pad_in(&id);
    let before = ask.query.number("page").unwrap_or(0).min(1_000);
    let before = usize::try_from(before).unwrap_or(0);
    let skipped = before * SESSIONS;
    let mut heads = pad.sessions_of_project((skipped + SESSIONS + 1).max(COUNTED))?;
    let since = system_time() - DAY;
    let today = heads.iter().filter(|head| head.updated > since).count();
    let mut heads = heads.split_off(skipped.min(heads.len()));
    let has_more = heads.len() > SESSIONS;
    heads.truncate(SESSIONS);
    let known = pad.known_sessions(heads)?;
    let nobody = pad.new_session_id();
    let kept = pad.output_stats(Whose::Project)?;
    let pinned = pad.pinned_notes(&nobody)?;
    page(&View {
        path: shown(project),
        sessions: known.iter().map(SessionRow::new).collect(),
        before,
        has_more,
        today: today.min(COUNTED),
        is_more_today: today >= COUNTED,
        notes: pad.list_notes(&nobody, None, NotePage::first(1))?.total,
        outputs: kept.outputs,
        bytes: kept.bytes,
        pinned: pinned
            .iter()
            .map(|note| (note.id.to_string(), shown(&shortened(&note.content, 240))))
            .collect(),
        p: ask.frame("sessions", Some(id)),
    })
}
