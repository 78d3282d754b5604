//! Verbs on pinned notes.

use super::Scratchpad;
use crate::model::error::{Error, Result};
use crate::model::id::SessionId;
use crate::model::note::page::NotePage;
use crate::model::note::start::{check_pin, told_at_start};
use crate::model::note::{Note, NoteId, Scope};
use crate::model::text::message::message;
use crate::model::tool::Group;
use crate::store::Scopes;

#[doc(hidden)]
impl Scratchpad {
    /// Pins a note of the project: every new conversation there is given it whole.
    pub fn pin_note(&self, session: &SessionId, id: NoteId) -> Result<Note> {
        self.needs(Group::Notes)?;
        let note = self.existing_note(session, id)?;
        if note.scope == Scope::Session {
            return Err(Error::refused(message!(
                "Not pinned: {id} belongs to its session.",
                id = id.to_string()
            ))
            .hint(message!(
                "`scratchpad note promote {id}` moves it to the project.",
                id = id.to_string()
            )));
        }
        check_pin(&note, &self.pinned_notes(session)?)?;
        self.set_pin(session, id, true)?;
        Ok(note)
    }

    /// Unpins a note; returns whether it was pinned.
    pub fn unpin_note(&self, session: &SessionId, id: NoteId) -> Result<bool> {
        self.needs(Group::Notes)?;
        self.existing_note(session, id)?;
        let was_pinned = self.pinned_notes(session)?.iter().any(|note| note.id == id);
        self.set_pin(session, id, false)?;
        Ok(was_pinned)
    }

    fn set_pin(&self, session: &SessionId, id: NoteId, is_pinned: bool) -> Result<()> {
        let project = self.project_of(session)?;
        let scopes = Scopes {
            session,
            project: &project,
        };
        let since = is_pinned.then(|| self.now());
        // A note that was deleted just now needs no pin.
        self.store()?.pin(scopes, id, since).map(|_| ())
    }

    /// The pinned notes of the session's project, in the order in which they were pinned.
    pub fn pinned_notes(&self, session: &SessionId) -> Result<Vec<Note>> {
        let project = self.project_of(session)?;
        let mut notes = self.store()?.pinned(Scopes {
            session,
            project: &project,
        })?;
        for note in &mut notes {
            self.unless_own(&mut note.author);
        }
        Ok(notes)
    }

    /// What a new conversation is told of its project's notes; empty if there are none.
    pub fn notes_at_start(&self, session: &SessionId) -> Result<String> {
        if !self.offers(Group::Notes) {
            return Ok(String::new());
        }
        let project = self.project_of(session)?;
        // The session's own notes are not the project's.
        let nobody = self.new_session_id();
        let scopes = Scopes {
            session: &nobody,
            project: &project,
        };
        let store = self.store()?;
        let total = store.newest_notes(scopes, NotePage::first(1))?.total;
        if total == 0 {
            return Ok(String::new());
        }
        let changed = self.changed_at_source(scopes)?;
        Ok(told_at_start(
            &store.pinned(scopes)?,
            total,
            &store.tags(scopes)?,
            changed,
        ))
    }
}
