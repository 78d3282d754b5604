//! Sessions and notes that nobody used for a long time go by themselves, if a person says so.
//!
//! Only from an embedded store: in a shared one they are a team's, and one member's settings must not delete them.

use super::Scratchpad;
use crate::model::error::Result;
use crate::model::id::{Millis, ProjectId, SessionId};
use crate::model::note::page::NotePage;
use crate::model::note::{Note, NoteId, Scope};
use crate::model::settings::RetentionSettings;
use crate::store::Scopes;

const DAY: Millis = 24 * 60 * 60 * 1_000;

/// Something that goes at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expiring<T> {
    pub what: T,
    pub at: Millis,
}

/// What went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expired {
    pub sessions: usize,
    pub notes: usize,
}

#[doc(hidden)]
impl Scratchpad {
    pub fn retention(&self) -> RetentionSettings {
        self.retention
    }

    /// Deletes the sessions and notes whose time is up, and clears what they leave in the files of the store.
    pub fn expire(&self) -> Result<Expired> {
        let now = self.now();
        let mut expired = Expired::default();
        for session in self.expiring_sessions()? {
            if session.at > now {
                continue;
            }
            let gone = self.store()?.delete_session(&session.what, now)?;
            expired.sessions += usize::from(gone.is_some());
        }
        let nobody = self.new_session_id();
        for note in self.expiring_notes()? {
            let (project, id) = note.what;
            if note.at > now {
                continue;
            }
            let scopes = Scopes {
                session: &nobody,
                project: &project,
            };
            let gone = self.store()?.delete_note(scopes, id)?;
            expired.notes += usize::from(gone.is_some());
        }
        if expired != Expired::default() {
            self.scrub()?;
        }
        Ok(expired)
    }

    /// The sessions of all projects that go at some time, except those of running agents; the first to go last.
    pub fn expiring_sessions(&self) -> Result<Vec<Expiring<SessionId>>> {
        let Some(days) = self.days_here(self.retention.sessions_days)? else {
            return Ok(Vec::new());
        };
        let known = self.known_sessions(self.sessions_of_all_projects(usize::MAX)?)?;
        let mut expiring: Vec<Expiring<SessionId>> = known
            .into_iter()
            .filter(|session| !session.is_running)
            .map(|session| Expiring {
                at: session.seen().saturating_add(days),
                what: session.head.id,
            })
            .collect();
        expiring.sort_by_key(|session| std::cmp::Reverse(session.at));
        Ok(expiring)
    }

    /// The notes of all projects that go at some time; the first to go last. Pinned notes stay, and so do those whose
    /// lines are still in their files. Whether they are can be seen in this project alone: in others, notes with lines
    /// stay.
    pub fn expiring_notes(&self) -> Result<Vec<Expiring<(ProjectId, NoteId)>>> {
        let Some(days) = self.days_here(self.retention.notes_days)? else {
            return Ok(Vec::new());
        };
        let nobody = self.new_session_id();
        let mut expiring = Vec::new();
        for project in self.store()?.projects_with_notes()? {
            for note in self.unpinned_notes(&nobody, &project)? {
                expiring.push(Expiring {
                    at: note.updated.saturating_add(days),
                    what: (project.clone(), note.id),
                });
            }
        }
        expiring.sort_by_key(|note| std::cmp::Reverse(note.at));
        Ok(expiring)
    }

    fn unpinned_notes(&self, nobody: &SessionId, project: &ProjectId) -> Result<Vec<Note>> {
        let store = self.store()?;
        let scopes = Scopes {
            session: nobody,
            project,
        };
        let pinned = store.pinned(scopes)?;
        let with_lines = store.visible_sources(scopes, usize::MAX)?;
        let stale: Vec<NoteId> = if *project == self.project {
            let judged = self.check_sources(nobody)?.into_iter();
            let stale = judged.filter(|(_, source)| source.verdict.is_stale());
            stale.map(|(id, _)| id).collect()
        } else {
            Vec::new()
        };
        let stays = |note: &Note| {
            let has_lines = with_lines.iter().any(|(id, _)| *id == note.id);
            note.scope != Scope::Project
                || pinned.iter().any(|pinned| pinned.id == note.id)
                || (has_lines && !stale.contains(&note.id))
        };
        let mut found = store
            .newest_notes(scopes, NotePage::first(usize::MAX))?
            .notes;
        found.retain(|note| !stays(note));
        Ok(found)
    }

    /// A time in milliseconds, if it is set and this store is this person's alone.
    fn days_here(&self, days: u64) -> Result<Option<Millis>> {
        let days = Millis::try_from(days).unwrap_or(Millis::MAX);
        let is_own = days > 0 && self.store()?.directory().is_some();
        Ok(is_own.then(|| days.saturating_mul(DAY)))
    }
}
