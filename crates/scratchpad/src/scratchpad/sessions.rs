//! Verbs on a session's pad.

use super::Scratchpad;
use super::mirror::is_mirrored;
use crate::model::error::{Error, Result};
use crate::model::host::hook::mirror::ACTION;
use crate::model::id::{OutputId, SessionId};
use crate::model::json::arguments;
use crate::model::note::page::NotePage;
use crate::model::pad::action;
use crate::model::pad::action::{Action, Outcome};
use crate::model::pad::revision::{
    RevisionHead, Write, no_such_revision, plan_undo, spilled_at, to_thin,
};
use crate::model::pad::{Content, Pad, Space};
use crate::model::text::message::message;
use crate::model::text::nearest::nearest;
use crate::model::tool::Group;
use crate::model::tool::prompts;
use crate::model::tool::prompts::Kept;
use crate::store::{Session, SessionHead};

/// Which part of the most revisions may come on top before they are thinned out.
const THIN_AFTER: u64 = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// What happened to the space.
    pub outcome: Outcome,
    /// The revision that this write created.
    pub revision: u64,
    /// The output that holds the full text, if it was truncated.
    pub spilled: Option<OutputId>,
    /// What stands in place of secrets that were not stored.
    pub marks: Vec<String>,
}

#[doc(hidden)]
impl Scratchpad {
    /// The session, if anything was ever written to it.
    pub fn session(&self, session: &SessionId) -> Result<Option<Session>> {
        self.sessions(session)?.session(session)
    }

    /// The session, or an error that names those with the most similar ids.
    pub fn existing_session(&self, session: &SessionId) -> Result<Session> {
        if let Some(found) = self.sessions(session)?.session(session)? {
            return Ok(found);
        }
        let others = self.store()?.sessions(None, 1_000)?;
        let near = nearest(
            session.as_str(),
            others.iter().map(|other| other.id.as_str()),
            3,
        );
        let error = Error::not_found(message!(
            "Session {session} not found.",
            session = session.to_string()
        ));
        Err(if near.is_empty() {
            error.hint("`scratchpad session list --all` lists the sessions.")
        } else {
            error.hint(message!("the nearest: {ids}.", ids = near.join(", ")))
        })
    }

    /// The pad of a session; empty if nothing was ever written to it.
    pub fn pad(&self, session: &SessionId) -> Result<Pad> {
        Ok(self
            .sessions(session)?
            .session(session)?
            .map(|found| found.pad)
            .unwrap_or_default())
    }

    /// What an agent may be shown of the pad: nothing if it is switched off.
    pub(super) fn shown_pad(&self, session: &SessionId) -> Result<Pad> {
        if self.offers(Group::Pad) {
            self.pad(session)
        } else {
            Ok(Pad::default())
        }
    }

    pub fn write(&self, session: &SessionId, action: &Action) -> Result<Written> {
        self.needs(Group::Pad)?;
        let (action, marks) = self.cleaned_action(action);
        let action = action.as_ref();
        // Kept first, and durably: if anything fails later, no text is lost.
        let spilled = self.spill(session, action)?;
        let mut outcome = None;
        let revision =
            self.sessions(session)?
                .update(session, &self.project, self.now(), &mut |view| {
                    self.check_seen(view, Some(action.space()))?;
                    let empty = Pad::default();
                    let before = view.session().map_or(&empty, |found| &found.pad);
                    let applied = action::apply(before, action, &self.limits)?;
                    let write = Write {
                        spilled: spilled.clone(),
                        ..Write::new(action.name(), applied.content.clone())
                    };
                    outcome = Some(applied);
                    Ok(vec![write])
                })?;
        let outcome =
            outcome.ok_or_else(|| Error::store("The store did not ask what to write."))?;
        self.thin(session, revision);
        Ok(Written {
            outcome,
            revision,
            spilled,
            marks,
        })
    }

    /// Thins out the past of a session now and then, once it has too many revisions. To be called after each write.
    pub(super) fn thin(&self, session: &SessionId, newest: u64) {
        let most = self.retention.revisions;
        let every = (most / THIN_AFTER).max(1);
        if most == 0 || newest <= most || !newest.is_multiple_of(every) {
            return;
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let thin = || {
            let sessions = self.sessions(session)?;
            let gone = to_thin(&sessions.log(session)?, most);
            if gone.is_empty() {
                return Ok(());
            }
            sessions.forget_revisions(session, &gone)
        };
        // The write is saved; if this fails, a later one tries again.
        let _: Result<()> = thin();
    }

    /// Keeps the full text as an output, if the action will truncate it and outputs are switched on.
    pub(super) fn spill(&self, session: &SessionId, action: &Action) -> Result<Option<OutputId>> {
        if !self.offload.enabled {
            return Ok(None);
        }
        let Some(text) = action.overflow(&self.limits) else {
            return Ok(None);
        };
        // An action that is refused must leave no output behind. What is truncated does not depend on the pad.
        action::apply(&Pad::default(), action, &self.limits)?;
        self.keep_for_pad(session, action.name(), text.as_bytes())
            .map(Some)
    }

    /// The revisions of a session, oldest first.
    pub fn history(&self, session: &SessionId) -> Result<Vec<RevisionHead>> {
        let mut log = self.sessions(session)?.log(session)?;
        for head in &mut log {
            self.unless_own(&mut head.author);
        }
        Ok(log)
    }

    /// The content at a revision.
    pub fn revision(&self, session: &SessionId, number: u64) -> Result<Content> {
        let found = self.sessions(session)?.revision(session, number)?;
        if let Some(content) = found {
            Ok(content)
        } else {
            let newest = self
                .sessions(session)?
                .session(session)?
                .map_or(0, |found| found.revision);
            Err(no_such_revision(number, newest))
        }
    }

    /// Undoes the newest write that is not undone yet. The undo is a write itself.
    ///
    /// Returns the revision that was undone, and the space it wrote.
    pub fn undo(&self, session: &SessionId) -> Result<(u64, Space)> {
        self.needs(Group::Pad)?;
        let mut undone = None;
        let revision =
            self.sessions(session)?
                .update(session, &self.project, self.now(), &mut |view| {
                    self.check_seen(view, None)?;
                    let log = view.log()?;
                    let undo = plan_undo(&log)?;
                    let content = match undo.source {
                        Some(number) => view
                            .revision(number)?
                            .ok_or_else(|| no_such_revision(number, undo.target))?,
                        None => Content::empty(undo.space),
                    };
                    undone = Some((undo.target, undo.space));
                    Ok(vec![Write {
                        undoes: Some(undo.target),
                        spilled: undo.source.and_then(|number| spilled_at(&log, number)),
                        ..Write::new("undo", content)
                    }])
                })?;
        self.thin(session, revision);
        undone.ok_or_else(|| Error::store("The store did not ask what to write."))
    }

    /// Restores a space to its content at a revision. The restore is a write itself.
    pub fn restore(&self, session: &SessionId, number: u64) -> Result<Space> {
        self.needs(Group::Pad)?;
        let mut space = None;
        let revision =
            self.sessions(session)?
                .update(session, &self.project, self.now(), &mut |view| {
                    let newest = view.session().map_or(0, |found| found.revision);
                    let content = view
                        .revision(number)?
                        .ok_or_else(|| no_such_revision(number, newest))?;
                    self.check_seen(view, Some(content.space()))?;
                    space = Some(content.space());
                    Ok(vec![Write {
                        spilled: spilled_at(&view.log()?, number),
                        ..Write::new("restore", content)
                    }])
                })?;
        self.thin(session, revision);
        space.ok_or_else(|| Error::store("The store did not ask what to write."))
    }

    /// The sessions of this project, most recently written first.
    pub fn sessions_of_project(&self, limit: usize) -> Result<Vec<SessionHead>> {
        self.store()?.sessions(Some(&self.project), limit)
    }

    /// The sessions of all projects, most recently written first.
    pub fn sessions_of_all_projects(&self, limit: usize) -> Result<Vec<SessionHead>> {
        self.store()?.sessions(None, limit)
    }

    /// Creates a session with a copy of another's pad: for sub-agents and handoffs.
    pub fn fork(&self, from: &SessionId) -> Result<SessionId> {
        let writes = self.copies(from)?;
        self.mint(&writes)
    }

    /// Like [`Self::fork`], but under a given id, which must not exist.
    pub fn fork_as(&self, from: &SessionId, id: &SessionId) -> Result<()> {
        let writes = self.copies(from)?;
        if self.create(id, &writes)? {
            return Ok(());
        }
        Err(Error::refused(message!(
            "Session {session} already exists.",
            session = id.to_string()
        ))
        .hint("choose another id, or leave it out to get a new one."))
    }

    fn copies(&self, from: &SessionId) -> Result<Vec<Write>> {
        self.needs(Group::Pad)?;
        let pad = self.existing_session(from)?.pad;
        let log = self.sessions(from)?.log(from)?;
        // The host goes on with its list in the copy.
        let plan_action = if is_mirrored(&log) { ACTION } else { "fork" };
        let action = |space| match space {
            Space::Plan => plan_action,
            Space::Notes | Space::Refs => "fork",
        };
        Ok(Space::ALL
            .into_iter()
            .map(|space| pad.content(space))
            .filter(|content| content.used() > 0)
            .map(|content| Write::new(action(content.space()), content))
            .collect())
    }

    /// Creates a session under a generated id.
    fn mint(&self, writes: &[Write]) -> Result<SessionId> {
        // An id is taken only if this process created another session in the same millisecond.
        for later in 0..1_000 {
            let id = SessionId::minted(self.now() + later, std::process::id());
            if self.create(&id, writes)? {
                return Ok(id);
            }
        }
        Err(Error::store("No session id is free. Nothing was changed."))
    }

    /// Creates a session; false if the id is taken.
    pub(super) fn create(&self, id: &SessionId, writes: &[Write]) -> Result<bool> {
        let mut free = true;
        self.sessions(id)?
            .update(id, &self.project, self.now(), &mut |view| {
                free = view.session().is_none();
                Ok(if free { writes.to_vec() } else { Vec::new() })
            })?;
        Ok(free)
    }

    /// What is kept as a text for another agent that takes over the work.
    pub fn handoff(&self, session: &SessionId) -> Result<String> {
        Ok(prompts::handoff(session, &self.kept(session)?))
    }

    /// What is kept as a text for the agent that wrote it.
    pub fn recap(&self, session: &SessionId) -> Result<String> {
        Ok(prompts::recap(session, &self.kept(session)?))
    }

    fn kept(&self, session: &SessionId) -> Result<Kept> {
        let list = || self.list_notes(session, None, NotePage::first(arguments::MAX_LIMIT));
        Ok(Kept {
            pad: (self.offers(Group::Pad).then(|| self.pad(session))).transpose()?,
            notes: self.offers(Group::Notes).then(list).transpose()?,
        })
    }
}
