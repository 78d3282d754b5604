//! Verbs that delete for good.

use super::Scratchpad;
use crate::ancestry;
use crate::model::error::{Error, Result};
use crate::model::id::SessionId;
use crate::model::note::Scope;
use crate::model::session::process::Process;
use crate::model::text::message::message;
use crate::store::{DeletedSession, Scopes};

/// Whether a session may be deleted while a process uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InUse {
    Refuse,
    Delete,
}

#[doc(hidden)]
impl Scratchpad {
    /// Deletes all notes of a session, not those of its project; returns how many there were.
    pub fn clear_session_notes(&self, session: &SessionId) -> Result<usize> {
        self.existing_session(session)?;
        self.clear(session, Scope::Session)
    }

    /// Deletes all notes of the project, not those of its sessions; returns how many there were.
    pub fn clear_project_notes(&self) -> Result<usize> {
        self.clear(&self.new_session_id(), Scope::Project)
    }

    fn clear(&self, session: &SessionId, scope: Scope) -> Result<usize> {
        let project = &self.project;
        self.store()?
            .clear_notes(Scopes { session, project }, scope)
    }

    /// A running process of this machine that uses a session, other than this one.
    pub fn process_with(
        &self,
        session: &SessionId,
        except: Option<u32>,
    ) -> Result<Option<Process>> {
        let bound = self.store()?.bound_to(session)?;
        Ok(bound
            .into_iter()
            .filter(|process| Some(process.id) != except)
            .find(|process| ancestry::is_running(process.id, &process.started)))
    }

    /// Deletes a session: its pad with all revisions, its notes, and the outputs that only it keeps.
    pub fn delete_session(&self, session: &SessionId, in_use: InUse) -> Result<DeletedSession> {
        self.existing_session(session)?;
        if in_use == InUse::Refuse
            && let Some(process) = self.process_with(session, None)?
        {
            return Err(Error::refused(message!(
                "Session {session} is in use by a running agent (process {process}).",
                session = session.to_string(),
                process = process.id.to_string()
            ))
            .hint("end that agent first, or delete it all the same with --force."));
        }
        let deleted = self.store()?.delete_session(session, self.now())?;
        self.forget_facts(session)?;
        // Gone meanwhile.
        deleted.ok_or_else(|| {
            Error::not_found(message!(
                "Session {session} not found.",
                session = session.to_string()
            ))
        })
    }
}
