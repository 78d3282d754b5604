//! A session: its pad as it stands, and everything that it was.

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;

use super::rows::{OutputRow, title};
use crate::web::ask::{Ask, go_to, page, page_as, session_id};
use crate::web::fields::encoded;
use crate::web::html::{Frame, from_form, of_session, shown, survives_a_form};
use scratchpad::model::error::{Error, ErrorKind, Result};
use scratchpad::model::id::{Millis, ProjectId, SessionId};
use scratchpad::model::note::Scope;
use scratchpad::model::note::page::NotePage;
use scratchpad::model::output::reference::named_output;
use scratchpad::model::pad::action::Action;
use scratchpad::model::pad::plan::{ItemName, ItemState, items};
use scratchpad::model::pad::revision::RevisionHead;
use scratchpad::model::pad::{Content, Pad, Space};
use scratchpad::model::text::diff::{Change, words};
use scratchpad::model::text::message::{message, quoted};
use scratchpad::store::Session;
use scratchpad::{KnownSession, OutputId};

/// How many revisions are shown at first.
const REVISIONS: usize = 30;
/// How many notes and outputs of the session are shown.
const MOST: usize = 20;

#[derive(Template)]
#[template(path = "session.html")]
struct View {
    p: Frame,
    id: String,
    /// The id as a value in a query.
    encoded: String,
    address: String,
    revision: u64,
    /// What it works on.
    title: String,
    host: String,
    branch: String,
    is_running: bool,
    seen: Millis,
    plan: Plan,
    notes: Text,
    refs: Vec<Ref>,
    refs_text: String,
    limits: [usize; 3],
    timeline: Vec<Entry>,
    older: usize,
    session_notes: Vec<(String, String, Vec<String>, Millis)>,
    outputs: Vec<OutputRow>,
}

/// A text, and whether a form can change it.
struct Text {
    shown: String,
    plain: String,
    chars: usize,
    is_editable: bool,
}

impl Text {
    fn new(text: &str) -> Self {
        Self {
            shown: shown(text),
            plain: text.to_owned(),
            chars: text.chars().count(),
            is_editable: survives_a_form(text),
        }
    }
}

/// A plan, line by line.
struct Plan {
    text: Text,
    open: Vec<Line>,
    /// What is done or dropped.
    closed: Vec<Line>,
    done: usize,
    total: usize,
}

/// A line of a plan.
struct Line {
    /// Its number among the items; 0 for a line without a box.
    number: usize,
    state: &'static str,
    text: String,
    /// How far it is indented, up to four steps.
    depth: usize,
}

impl Plan {
    fn new(plan: &str) -> Self {
        let (mut open, mut closed) = (Vec::new(), Vec::new());
        let (mut number, mut done) = (0, 0);
        let mut in_closed = false;
        for line in plan.lines().filter(|line| !line.trim().is_empty()) {
            let indent = line.len() - line.trim_start().len();
            let depth = (indent / 2).min(4);
            if let [item] = items(line).as_slice() {
                number += 1;
                done += usize::from(item.state == ItemState::Done);
                in_closed = !item.state.is_open();
                let line = Line {
                    number,
                    state: item.state.name(),
                    text: shown(item.text),
                    depth,
                };
                if in_closed { &mut closed } else { &mut open }.push(line);
            } else {
                let line = Line {
                    number: 0,
                    state: "",
                    text: shown(line.trim()),
                    depth,
                };
                // What is indented below an item belongs to it.
                let list = if in_closed && depth > 0 {
                    &mut closed
                } else {
                    &mut open
                };
                list.push(line);
            }
        }
        Self {
            text: Text::new(plan),
            open,
            closed,
            done,
            total: number,
        }
    }
}

/// A ref, and the output that it names.
struct Ref {
    text: String,
    output: Option<String>,
}

/// A revision in the timeline.
struct Entry {
    number: u64,
    space: &'static str,
    action: String,
    at: Millis,
    /// The change of what is used, signed.
    change: String,
    author: String,
    undoes: Option<u64>,
}

fn entries(log: &[RevisionHead]) -> Vec<Entry> {
    let mut used = [0_usize; 3];
    let mut entries: Vec<Entry> = log
        .iter()
        .map(|head| {
            let slot = Space::ALL.iter().position(|space| *space == head.space);
            let before = slot.and_then(|slot| used.get_mut(slot));
            let before = before.map_or(0, |before| std::mem::replace(before, head.used));
            Entry {
                number: head.number,
                space: head.space.name(),
                action: shown(&head.action),
                at: head.at,
                change: signed(before, head.used),
                author: shown(&head.author),
                undoes: head.undoes,
            }
        })
        .collect();
    entries.reverse();
    entries
}

fn signed(before: usize, after: usize) -> String {
    if after >= before {
        format!("+{}", after - before)
    } else {
        format!("\u{2212}{}", before - after)
    }
}

/// The session with what is known of it.
pub(super) fn known(ask: &Ask, id: &SessionId) -> Result<(Session, Option<KnownSession>)> {
    let session = ask.pad().existing_session(id)?;
    let head = scratchpad::store::SessionHead {
        id: id.clone(),
        project: session
            .project
            .clone()
            .unwrap_or_else(|| ProjectId::new("")),
        created: 0,
        updated: 0,
        revision: session.revision,
        pad: session.pad.clone(),
    };
    let known = ask.pad().known_sessions(vec![head])?;
    Ok((session, known.into_iter().next()))
}

pub(in crate::web) fn show(ask: &Ask, id: &str) -> Result<Response> {
    let id = session_id(id)?;
    let (session, known) = known(ask, &id)?;
    let project = session
        .project
        .clone()
        .unwrap_or_else(|| ProjectId::new(""));
    let pad = ask.pad_in(&project);
    let log = pad.history(&id)?;
    let mut timeline = entries(&log);
    let all = ask.query.get("all") == "1";
    let older = if all {
        0
    } else {
        timeline.len().saturating_sub(REVISIONS)
    };
    timeline.truncate(if all { usize::MAX } else { REVISIONS });
    let own = pad
        .list_notes(&id, None, NotePage::first(200))?
        .notes
        .into_iter();
    let own = own.filter(|note| note.scope == Scope::Session).take(MOST);
    let outputs = pad.list_outputs(&id)?.into_iter();
    let outputs = outputs.filter(|head| head.session == id).take(MOST);
    let updated = log.last().map_or(0, |head| head.at);
    let limits = pad.limits();
    page(&View {
        address: of_session(id.as_str()),
        revision: session.revision,
        title: title(&session.pad),
        host: known
            .as_ref()
            .map(|it| shown(it.host()))
            .unwrap_or_default(),
        branch: known
            .as_ref()
            .map(|it| shown(it.branch()))
            .unwrap_or_default(),
        is_running: known.as_ref().is_some_and(|it| it.is_running),
        seen: known.as_ref().map_or(updated, |it| it.seen().max(updated)),
        plan: Plan::new(&session.pad.plan),
        notes: Text::new(&session.pad.notes),
        refs: refs(&session.pad),
        refs_text: session.pad.refs.join("\n"),
        limits: [
            limits.notes_max_chars,
            limits.plan_max_chars,
            limits.max_refs,
        ],
        timeline,
        older,
        session_notes: own
            .map(|note| {
                let tags = note.tags.iter().map(|tag| shown(tag)).collect();
                (
                    note.id.to_string(),
                    shown(&note.content),
                    tags,
                    note.updated,
                )
            })
            .collect(),
        outputs: outputs.map(|head| OutputRow::new(&head, None)).collect(),
        encoded: encoded(id.as_str()),
        id: shown(id.as_str()),
        p: ask.frame("session", Some(project)),
    })
}

fn refs(pad: &Pad) -> Vec<Ref> {
    let refs = pad.refs.iter().map(|text| {
        let bare = text.strip_prefix("scratchpad://output/").unwrap_or(text);
        let output = OutputId::new(bare).ok().or_else(|| named_output(text));
        Ref {
            text: shown(text),
            output: output.map(|id| id.to_string()),
        }
    });
    refs.collect()
}

#[derive(Template)]
#[template(path = "revision.html")]
struct RevisionView {
    p: Frame,
    address: String,
    number: u64,
    newest: u64,
    space: &'static str,
    action: String,
    at: Millis,
    against: u64,
    parts: Vec<(&'static str, String)>,
    is_current: bool,
}

/// A revision, and how it differs from the one before or another one.
pub(in crate::web) fn revision(ask: &Ask, id: &str, number: &str) -> Result<Response> {
    let id = session_id(id)?;
    let (session, _) = known(ask, &id)?;
    let log = ask.pad().history(&id)?;
    let number: u64 = number.parse().unwrap_or(0);
    let content = ask.pad().revision(&id, number)?;
    let head = log.iter().find(|head| head.number == number);
    let space = content.space();
    let earlier = || {
        let mut earlier = log.iter().rev().filter(|head| head.number < number);
        let earlier = earlier.find(|head| head.space == space);
        earlier.map(|head| head.number)
    };
    let before = ask.query.number("against").or_else(earlier);
    let old = before
        .map(|before| ask.pad().revision(&id, before))
        .transpose()?;
    let old = old.as_ref().map(as_text).unwrap_or_default();
    let parts = words(&old, &as_text(&content))
        .into_iter()
        .map(|(change, text)| {
            let name = match change {
                Change::Same => "same",
                Change::Gone => "gone",
                Change::New => "new",
            };
            (name, shown(&text))
        });
    page(&RevisionView {
        address: of_session(id.as_str()),
        number,
        newest: session.revision,
        space: space.name(),
        action: head.map(|head| shown(&head.action)).unwrap_or_default(),
        at: head.map_or(0, |head| head.at),
        against: before.unwrap_or(0),
        parts: parts.collect(),
        is_current: session.pad.content(space) == content,
        p: ask.frame("session", session.project),
    })
}

fn as_text(content: &Content) -> String {
    match content {
        Content::Notes(text) | Content::Plan(text) => text.clone(),
        Content::Refs(refs) => refs.join("\n"),
    }
}

#[derive(Template)]
#[template(path = "conflict.html")]
struct ConflictView {
    p: Frame,
    address: String,
    space: String,
    what: String,
    theirs: String,
    yours: String,
    revision: u64,
}

/// Writes, undoes or restores, if the pad is still as it was seen.
pub(in crate::web) fn change(ask: &Ask, id: &str, what: &str) -> Result<Response> {
    let id = session_id(id)?;
    let (session, _) = known(ask, &id)?;
    let project = session
        .project
        .clone()
        .unwrap_or_else(|| ProjectId::new(""));
    let seen = ask.form.number("seen").unwrap_or(0);
    let pad = ask.pad_in(&project).seen_at(seen);
    let done = match what {
        "write" => action(ask).and_then(|action| pad.write(&id, &action).map(|_| "saved")),
        "undo" => pad.undo(&id).map(|_| "undone"),
        "restore" => {
            let number = ask.form.number("revision").unwrap_or(0);
            pad.restore(&id, number).map(|_| "restored")
        }
        _ => Err(Error::not_found("There is no such page.")),
    };
    match done {
        Ok(done) => Ok(go_to(&format!("{}?done={done}", of_session(id.as_str())))),
        Err(error) if error.kind() == ErrorKind::Conflict => conflict(ask, &id, &error),
        Err(error) => Err(error),
    }
}

fn action(ask: &Ask) -> Result<Action> {
    let text = from_form(ask.form.get("text"));
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    match ask.form.get("space") {
        "notes" => Ok(Action::SetNotes(text)),
        "plan" => Ok(Action::SetPlan(text)),
        "refs" => Ok(Action::SetRefs {
            refs: lines().map(str::to_owned).collect(),
            not_strings: 0,
        }),
        "mark" => {
            let state = ItemState::named(ask.form.get("state")).unwrap_or(ItemState::Done);
            let items = vec![ItemName::read(ask.form.get("item"))];
            Ok(Action::Mark { items, state })
        }
        other => Err(Error::refused(message!(
            "There is no space {space}.",
            space = quoted(other)
        ))),
    }
}

/// Both texts, side by side: the one that came in meanwhile, and the one that was to be saved.
fn conflict(ask: &Ask, id: &SessionId, error: &Error) -> Result<Response> {
    let session = ask.pad().existing_session(id)?;
    let space = Space::named(ask.form.get("space"));
    let theirs = space.map(|space| as_text(&session.pad.content(space)));
    let p = ask.frame("session", session.project);
    let view = ConflictView {
        address: of_session(id.as_str()),
        space: space.map_or("", Space::name).to_owned(),
        what: shown(&p.message(error.message())),
        theirs: shown(&theirs.unwrap_or_default()),
        yours: from_form(ask.form.get("text")),
        revision: session.revision,
        p,
    };
    page_as(StatusCode::CONFLICT, &view)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_shown_with_what_is_done_folded() {
        let plan = Plan::new("Intro\n- [x] a\n  why\n- [>] b\n  - [ ] c\n- [-] d\n\nend");
        let said = |lines: &[Line]| {
            let lines = lines.iter();
            let lines =
                lines.map(|it| format!("{} {} {} {}", it.number, it.state, it.text, it.depth));
            lines.collect::<Vec<_>>()
        };
        assert_eq!(
            said(&plan.open),
            ["0  Intro 0", "2 active b 0", "3 pending c 1", "0  end 0"]
        );
        assert_eq!(
            said(&plan.closed),
            ["1 done a 0", "0  why 1", "4 dropped d 0"]
        );
        assert_eq!((plan.done, plan.total), (1, 4));
    }
}
