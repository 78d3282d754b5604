//! Imports a pad from session-log files, and exports it to them.

use std::io::BufRead;

use super::{Scratchpad, Written};
use crate::disk::lines::{Lines, MAX_LINE_BYTES};
use crate::model::error::{Error, Result};
use crate::model::id::SessionId;
use crate::model::pad::action;
use crate::model::pad::action::Action;
use crate::model::pad::revision::Write;
use crate::model::pad::session_log::{MARK, SessionLog, check_log_bytes, encode};
use crate::model::pad::{Content, Pad, Space};
use crate::model::text::message::message;
use crate::model::tool::Group;

#[derive(Clone, Debug)]
pub struct Imported {
    /// The resulting actions, and what each did.
    pub written: Vec<(Action, Written)>,
    /// Lines that could not be parsed and were skipped.
    pub malformed: usize,
}

#[doc(hidden)]
impl Scratchpad {
    /// Imports the final pad of a session-log file: all spaces that it has, or none.
    pub fn import(&self, session: &SessionId, file: &mut impl BufRead) -> Result<Imported> {
        self.needs(Group::Pad)?;
        let mut log = SessionLog::default();
        let (mut too_long, mut bytes) = (0, 0);
        let mut lines = Lines::new(file, MAX_LINE_BYTES);
        while let Some(line) = lines.next().map_err(|error| {
            Error::store(message!(
                "The file could not be read: {error}. Nothing was changed.",
                error = error.to_string()
            ))
        })? {
            match line {
                Some(line) => {
                    let is_ours = memchr::memmem::find(line, MARK.as_bytes()).is_some();
                    bytes += if is_ours { line.len() } else { 0 };
                    check_log_bytes(bytes)?;
                    log.push(line);
                }
                None => too_long += 1,
            }
        }

        let mut pending = Vec::new();
        for content in log.contents() {
            let given = as_action(content);
            let (action, marks) = self.cleaned_action(&given);
            let action = action.into_owned();
            let outcome = action::apply(&Pad::default(), &action, &self.limits)?;
            let spilled = self.spill(session, &action)?;
            pending.push((action, outcome, spilled, marks));
        }
        let writes: Vec<Write> = pending
            .iter()
            .map(|(_, outcome, ..)| Write::new("import", outcome.content.clone()))
            .collect();
        let mut first = 0;
        if !writes.is_empty() {
            let newest =
                self.sessions(session)?
                    .update(session, &self.project, self.now(), &mut |_| {
                        Ok(writes.clone())
                    })?;
            first = newest + 1 - writes.len() as u64;
        }
        let written = (first..)
            .zip(pending)
            .map(|(revision, (action, outcome, spilled, marks))| {
                let written = Written {
                    outcome,
                    revision,
                    spilled,
                    marks,
                };
                (action, written)
            })
            .collect();
        Ok(Imported {
            written,
            malformed: log.malformed + too_long,
        })
    }

    /// The pad as lines of a session-log file, one for each space that is not empty.
    pub fn export(&self, session: &SessionId) -> Result<String> {
        let pad = self.existing_session(session)?.pad;
        let at = self.now();
        Ok(Space::ALL
            .into_iter()
            .map(|space| pad.content(space))
            .filter(|content| content.used() > 0)
            .map(|content| encode(&Write::new("export", content), at) + "\n")
            .collect())
    }
}

/// The action that imports a content. Blank refs are dropped.
fn as_action(content: Content) -> Action {
    match content {
        Content::Notes(text) => Action::SetNotes(text),
        Content::Plan(text) => Action::SetPlan(text),
        Content::Refs(refs) => Action::SetRefs {
            refs: refs
                .into_iter()
                .filter(|reference| !reference.trim().is_empty())
                .collect(),
            not_strings: 0,
        },
    }
}
