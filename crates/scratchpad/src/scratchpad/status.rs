//! Verbs for a person who looks at what is there.

use super::Scratchpad;
use crate::model::error::Result;
use crate::model::host::HOSTS;
use crate::model::id::{Millis, SessionId};
use crate::model::note::page::NotePage;
use crate::model::output::ledger::stats::Sums;
use crate::model::pad::Pad;
use crate::model::pad::plan;
use crate::store::{LastHookCall, SessionHead};

/// A session, with what its host told of it.
#[derive(Clone, Debug)]
pub struct KnownSession {
    pub head: SessionHead,
    /// The last call of its host; none for a session that only commands or the library wrote.
    pub call: Option<LastHookCall>,
    /// Whether a running process of this machine uses it.
    pub is_running: bool,
}

impl KnownSession {
    /// The line that people know it by: how far its plan is and the item at hand, or else the first line of its pad.
    pub fn title(&self) -> String {
        let pad = &self.head.pad;
        match plan::progress(&pad.plan) {
            Some((count, at_hand)) => {
                let (done, wanted) = (count.done, count.wanted());
                format!("{done}/{wanted} {}", at_hand.unwrap_or("done"))
            }
            None => pad.title().to_owned(),
        }
    }

    /// How many items its plan had, if all of them are done.
    pub fn finished(&self) -> Option<usize> {
        match plan::progress(&self.head.pad.plan) {
            Some((count, None)) => Some(count.done),
            _ => None,
        }
    }

    /// The host's name for people; empty if no host is known.
    pub fn host(&self) -> &str {
        let Some(call) = &self.call else { return "" };
        let known = HOSTS.into_iter().find(|host| host.name == call.host);
        // A server without hooks knows its client by the name that it gave.
        let client = call.host.strip_prefix("mcp ").unwrap_or(&call.host);
        known.map_or(client, |host| host.title)
    }

    /// The branch that was checked out when its last turn began; empty if that is not known.
    pub fn branch(&self) -> &str {
        let call = self.call.as_ref();
        call.map_or("", |call| call.hook_state.branch.as_str())
    }

    /// The linked worktree in which that was; empty for the main one, and if that is not known.
    pub fn worktree(&self) -> &str {
        let call = self.call.as_ref();
        call.map_or("", |call| call.hook_state.worktree.as_str())
    }

    /// When it was last written or its host last called.
    pub fn seen(&self) -> Millis {
        let called = self.call.as_ref().map_or(0, |call| call.at);
        self.head.updated.max(called)
    }
}

/// A session in one line.
#[derive(Clone, Debug)]
pub struct Glance {
    pub pad: Pad,
    /// How many outputs it keeps, and their total size.
    pub outputs: u64,
    pub bytes: u64,
    /// What the ledger says of it.
    pub sums: Sums,
}

/// The notes of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteCounts {
    pub notes: usize,
    /// The tags with their counts, the most used first.
    pub tags: Vec<(String, usize)>,
}

#[doc(hidden)]
impl Scratchpad {
    /// These sessions with what their hosts told of them.
    pub fn known_sessions(&self, heads: Vec<SessionHead>) -> Result<Vec<KnownSession>> {
        let ids: Vec<SessionId> = heads.iter().map(|head| head.id.clone()).collect();
        let mut calls = self.store()?.last_calls_about(&ids)?;
        let mut known = Vec::new();
        for head in heads {
            let call = calls.iter().position(|call| call.session == head.id);
            let call = call.map(|place| calls.swap_remove(place));
            let is_running = call.is_some() && self.process_with(&head.id, None)?.is_some();
            known.push(KnownSession {
                head,
                call,
                is_running,
            });
        }
        Ok(known)
    }

    /// The branch and the linked worktree of a session's last turn, as far as its host or server told.
    pub fn checkout_of(&self, session: &SessionId) -> Result<(String, String)> {
        let calls = self
            .store()?
            .last_calls_about(std::slice::from_ref(session))?;
        let state = calls.into_iter().next().map(|call| call.hook_state);
        Ok(state.map_or_else(Default::default, |state| (state.branch, state.worktree)))
    }

    /// What a status line says of a session.
    pub fn session_at_a_glance(&self, session: &SessionId) -> Result<Glance> {
        let store = self.store()?;
        let (outputs, bytes) = store.kept_by(session)?;
        Ok(Glance {
            pad: self.shown_pad(session)?,
            outputs,
            bytes,
            sums: store.booked_of(session)?,
        })
    }

    /// How many notes the project has, and which tags are on them.
    pub fn project_notes(&self) -> Result<NoteCounts> {
        let nobody = self.new_session_id();
        let found = self.list_notes(&nobody, None, NotePage::first(1))?;
        let tags = self.list_tags(&nobody)?.into_iter();
        let mut tags: Vec<(String, usize)> = tags.map(|it| (it.tag, it.count)).collect();
        tags.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(NoteCounts {
            notes: found.total,
            tags,
        })
    }
}
