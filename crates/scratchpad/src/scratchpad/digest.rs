//! The digest of a session: facts that hooks note as they happen, and the note that is made of them.
//!
//! Facts are in a file of this machine and not in the store: noting one must cost a tool call next to nothing. The store
//! gets the note, before a compaction and at the end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Scratchpad;
use crate::disk::spool;
use crate::model::error::{Error, Result};
use crate::model::host::Host;
use crate::model::host::hook::digest::{HEAD, MAX_BYTES, TAG};
use crate::model::host::hook::{
    Answer, Event, EventKind, Fact, Facts, HookState, kept_in, large_texts,
};
use crate::model::id::SessionId;
use crate::model::note::{Note, NoteId, Scope};
use crate::model::output::{Origin, tool};
use crate::model::pad::plan::items;
use crate::model::text::hash::sha256_hex;
use crate::model::text::message::message;
use crate::model::tool::Group;
use crate::store::{Binding, HookCall, NoteChange, NoteProject, Scopes, SessionNote};

/// How long the facts of a session are kept after the last one.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(30 * 24);

#[doc(hidden)]
impl Scratchpad {
    /// Has hooks note facts in files in this directory. Without it there are no digests.
    #[must_use]
    pub fn with_facts_in(mut self, directory: impl AsRef<Path>) -> Self {
        self.facts = Some(directory.as_ref().into());
        self
    }

    /// Has hooks note no facts and write no digests. Facts that are there still go with their session.
    #[must_use]
    pub fn without_digests(mut self) -> Self {
        self.has_digests = false;
        self
    }

    /// Notes what an event tells of the work, and makes the digest where the session may soon be forgotten.
    ///
    /// For after the answer, which does not depend on it.
    pub fn follow(&self, host: &Host, event: &Event, answer: &Answer) -> Result<()> {
        let Some(file) = self.facts_of(&event.session) else {
            return Ok(());
        };
        match &event.kind {
            EventKind::Tool(result) => {
                let mut facts = host.hooks.work.facts_of(result);
                match answer {
                    Answer::Result { text, .. } => facts.extend(kept_in(text.split("\n\n"))),
                    _ => facts.extend(kept_in(large_texts(&result.response, 0))),
                }
                self.add_facts(&file, facts)
            }
            EventKind::ToolFailed(call) => {
                self.add_facts(&file, host.hooks.work.facts_of_failure(call))
            }
            EventKind::Compacted(summary) => {
                let fact = self.keep_summary(host, event, summary)?;
                self.add_facts(&file, Vec::from_iter(fact))?;
                self.keep_digest(host, event)
            }
            EventKind::Compaction | EventKind::End => self.keep_digest(host, event),
            _ => Ok(()),
        }
    }

    /// What a conversation that goes on in a new process is told of its session; empty if nothing is known.
    ///
    /// The digest is made again: the host may have been killed, without an event at the end.
    pub fn digest_at_resume(&self, host: &Host, event: &Event) -> Result<String> {
        if self.facts_of(&event.session).is_none() {
            return Ok(String::new());
        }
        self.keep_digest(host, event)?;
        let note = self.digest_note(&event.session)?;
        Ok(note.map(|note| note.content).unwrap_or_default())
    }

    /// Removes the facts of a session.
    pub(super) fn forget_facts(&self, session: &SessionId) -> Result<()> {
        match &self.facts {
            Some(directory) => spool::remove(&file_in(directory, session)),
            None => Ok(()),
        }
    }

    /// The file with the facts of a session; `None` if there are no digests.
    fn facts_of(&self, session: &SessionId) -> Option<PathBuf> {
        let directory = self.facts.as_deref()?;
        (self.has_digests && self.offers(Group::Notes)).then(|| file_in(directory, session))
    }

    fn add_facts(&self, file: &Path, facts: Vec<Fact>) -> Result<()> {
        let mut lines = String::new();
        for fact in facts {
            let line = serde_json::to_string(&self.storable(fact)).map_err(|error| {
                Error::store(message!(
                    "Can't write what a hook saw: {error}.",
                    error = error.to_string()
                ))
            })?;
            lines.push_str(&line);
            lines.push('\n');
        }
        if lines.is_empty() {
            return Ok(());
        }
        spool::append(file, &lines)
    }

    /// The fact as it is written down: without secrets, and with a path as it is called in the project.
    fn storable(&self, fact: Fact) -> Fact {
        let clean = |text: String| self.cleaned(&text).0.into_owned();
        match fact {
            Fact::Changed(path) => Fact::Changed(clean(self.within_project(&path))),
            Fact::Failed(command, why) => Fact::Failed(clean(command), clean(why)),
            Fact::Passed(command) => Fact::Passed(clean(command)),
            Fact::Committed(id, subject) => Fact::Committed(id, clean(subject)),
            Fact::Kept(id, what) => Fact::Kept(id, clean(what)),
            Fact::Summary(id) => Fact::Summary(id),
        }
    }

    fn within_project(&self, path: &str) -> String {
        let root = self.root.as_deref();
        let inside = root.and_then(|root| Path::new(path).strip_prefix(root).ok());
        inside.map_or_else(|| path.to_owned(), |inside| inside.display().to_string())
    }

    /// Keeps the host's summary of a conversation as an output.
    fn keep_summary(&self, host: &Host, event: &Event, summary: &str) -> Result<Option<Fact>> {
        if !self.offers(Group::Outputs) {
            return Ok(None);
        }
        let mut staged = self.stage_output()?;
        std::io::Write::write_all(&mut staged, summary.as_bytes()).map_err(|error| {
            Error::store(message!(
                "Can't write the text to keep: {error}.",
                error = error.to_string()
            ))
        })?;
        let origin = Origin {
            upstream: host.name,
            tool: &event.name,
        };
        let kept = self.keep_staged(&event.session, origin, staged, tool::READ)?;
        self.sync_outputs()?;
        Ok(Some(Fact::Summary(kept.id.to_string())))
    }

    fn open_items(&self, session: &SessionId) -> Result<Vec<String>> {
        if !self.offers(Group::Pad) {
            return Ok(Vec::new());
        }
        let plan = self.session(session)?.map(|found| found.pad.plan);
        let plan = plan.unwrap_or_default();
        let open = items(&plan).into_iter().filter(|item| item.state.is_open());
        Ok(open
            .map(|item| format!("[{}] {}", item.state.mark(), item.text))
            .collect())
    }

    /// Writes the digest of a session, in the place of the one before. Without facts, nothing is written.
    fn keep_digest(&self, host: &Host, event: &Event) -> Result<()> {
        let session = &event.session;
        let Some(file) = self.facts_of(session) else {
            return Ok(());
        };
        let lines = spool::lines(&file)?;
        if lines.is_empty() {
            return Ok(());
        }
        let mut facts = Facts::default();
        // A line that another version wrote, or that a full disk cut, says nothing.
        let noted = lines
            .iter()
            .filter_map(|line| serde_json::from_str(line).ok());
        noted.for_each(|fact: Fact| facts.add(fact));
        if let Some(directory) = file.parent() {
            spool::sweep(directory, FORGOTTEN_AFTER);
        }
        let max_bytes = MAX_BYTES.min(self.note_limits.max_chars);
        match facts.digest(&self.open_items(session)?, max_bytes) {
            Some(text) => self.put_digest(host, event, &text),
            None => Ok(()),
        }
    }

    fn put_digest(&self, host: &Host, event: &Event, text: &str) -> Result<()> {
        let (text, _) = self.cleaned(text);
        let text = text.as_ref();
        let store = self.store()?;
        let session = &event.session;
        let project = self.project_of(session)?;
        if let Some(note) = self.digest_note(session)? {
            let scopes = Scopes {
                session,
                project: &project,
            };
            let change = NoteChange {
                content: Some(text.to_owned()),
                ..NoteChange::default()
            };
            if note.content != text {
                store.change_note(scopes, note.id, &change, self.now())?;
            }
            return Ok(());
        }
        let (note, _) = store.add_session_note(&SessionNote {
            session,
            project: NoteProject::OfSession(&project),
            scope: Scope::Session,
            content: text,
            tags: &[TAG.to_owned()],
            at: self.now(),
        })?;
        let call = HookCall {
            host: host.name,
            event: &event.name,
            session,
            at: self.now(),
        };
        store.attend(&call, &mut |_, hook_state| {
            let after = HookState {
                digest: Some(note.id.0),
                ..hook_state.clone()
            };
            (after, Binding::Stays).into()
        })
    }

    /// The note with the digest, unless it was deleted or somebody made another note of it.
    fn digest_note(&self, session: &SessionId) -> Result<Option<Note>> {
        let Some(id) = self.hook_state(session)?.digest else {
            return Ok(None);
        };
        let project = self.project_of(session)?;
        let scopes = Scopes {
            session,
            project: &project,
        };
        let found = self.store()?.note(scopes, NoteId(id))?;
        Ok(found.filter(|note| note.content.starts_with(HEAD)))
    }
}

/// Ids may have characters that no file name has.
fn file_in(directory: &Path, session: &SessionId) -> PathBuf {
    let hash = sha256_hex(session.as_str().as_bytes());
    directory.join(format!("{}.jsonl", hash.get(..32).unwrap_or(&hash)))
}
