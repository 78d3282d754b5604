//! Where things are kept: SQL and files, and no rule.
//!
//! The traits speak of sessions and outputs, never of an engine, so that a second engine is a
//! second implementation. `crates/cli/tests/contract` says what each must do.

mod hooks;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod session_log;
pub mod sqlite;
pub mod transfer;

use std::io::{Read, Seek};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

pub use crate::disk::staged::Staged;
pub use hooks::{Attend, Attended, Binding, HookCall, Hooks};
pub use transfer::Transfer;

use crate::model::error::Result;
use crate::model::id::{Millis, OutputId, ProjectId, SessionId};
use crate::model::note::jsonl::NoteLine;
use crate::model::note::reply::{FoundNotes, NoteTotals, TagCount};
use crate::model::note::search::Matcher;
use crate::model::note::{Note, NoteId, Scope};
use crate::model::output::{Candidate, Kind, OutputHead, Pruned};
use crate::model::pad::revision::{RevisionHead, Write};
use crate::model::pad::{Content, Pad};
use crate::model::text::message::Message;

/// How long calls on a store may take before they fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    /// Each call on its own.
    Each(Duration),
    /// All calls together, from the first: for a hook, whose prompt waits.
    All(Duration),
}

impl Timeout {
    /// How long one call may take.
    pub fn of_each(self) -> Duration {
        match self {
            Self::Each(timeout) | Self::All(timeout) => timeout,
        }
    }
}

/// A session as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its working memory.
    pub pad: Pad,
    /// The number of its newest revision; 0 before the first write.
    pub revision: u64,
    /// The project it belongs to, where that is known.
    pub project: Option<ProjectId>,
}

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionHead {
    /// Its id.
    pub id: SessionId,
    /// The project it belongs to.
    pub project: ProjectId,
    /// When it was made.
    pub created: Millis,
    /// When it was last written.
    pub updated: Millis,
    /// The number of its newest revision.
    pub revision: u64,
    /// Its working memory.
    pub pad: Pad,
}

/// One session, seen from inside a change: nobody else writes it meanwhile.
pub trait View {
    /// The session, unless it does not exist yet.
    fn session(&self) -> Option<&Session>;
    /// Its revisions, oldest first.
    fn log(&self) -> Result<Vec<RevisionHead>>;
    /// What a revision holds.
    fn revision(&self, number: u64) -> Result<Option<Content>>;
}

/// Decides, from what is there, what to write. It may run more than once.
pub type Change<'a> = dyn FnMut(&dyn View) -> Result<Vec<Write>> + 'a;

/// Keeps sessions and all their revisions.
pub trait Sessions: Send + Sync {
    /// The session, if it exists.
    fn session(&self, id: &SessionId) -> Result<Option<Session>>;

    /// Its revisions, oldest first; none if it does not exist.
    fn log(&self, id: &SessionId) -> Result<Vec<RevisionHead>>;

    /// What a revision holds, if the session has it.
    fn revision(&self, id: &SessionId, number: u64) -> Result<Option<Content>>;

    /// Makes the session if need be and records what `change` decides, all or nothing.
    ///
    /// Changes of one session happen one after the other, whichever processes make them. When
    /// this answers, what it wrote is durable. Answers the number of the newest revision.
    fn update(
        &self,
        id: &SessionId,
        project: &ProjectId,
        at: Millis,
        change: &mut Change<'_>,
    ) -> Result<u64>;

    /// The sessions, last written first: of one project, or all.
    fn sessions(&self, project: Option<&ProjectId>, limit: usize) -> Result<Vec<SessionHead>>;
}

/// What is known of content that is to be kept.
#[derive(Clone, Copy, Debug)]
pub struct OutputDraft<'a> {
    /// What made it: a tool, or the action whose text was cut.
    pub tool: &'a str,
    /// The session that keeps it.
    pub session: &'a SessionId,
    /// The project whose sessions may find it; without one, only the session that keeps it.
    pub project: Option<&'a ProjectId>,
    /// What kind of text it is.
    pub kind: Kind,
    /// How many lines it has.
    pub lines: u64,
    /// Now.
    pub at: Millis,
}

/// Content that can be read from anywhere in it.
pub trait Stored: Read + Seek + Send {}

impl<T: Read + Seek + Send> Stored for T {}

/// Keeps texts by their content.
pub trait Outputs: Send + Sync {
    /// A place to collect content before it is kept.
    fn stage(&self) -> Result<Staged>;

    /// Keeps what was staged; the same content again is the same output, kept anew.
    ///
    /// When this answers, a kill loses nothing; [`Outputs::sync`] makes it durable.
    fn keep(&self, draft: &OutputDraft<'_>, staged: Staged) -> Result<OutputId>;

    /// Makes what was kept durable.
    fn sync(&self) -> Result<()>;

    /// The kept bytes, exactly, and how many they are; an error if they are not what was kept.
    fn read(&self, id: &OutputId) -> Result<Option<(Box<dyn Stored>, u64)>>;

    /// The file that holds the content, where it is a file on this machine.
    fn file(&self, id: &OutputId) -> Option<PathBuf>;

    /// The directory of those files.
    fn directory(&self) -> Option<PathBuf>;

    /// Remembers that an output was used.
    fn touch(&self, id: &OutputId, at: Millis) -> Result<()>;

    /// The outputs on a filter, last kept first; what is missing or damaged is left out.
    fn outputs(&self, filter: OutputFilter<'_>) -> Result<Vec<OutputHead>>;

    /// Removes these outputs; answers those that were there.
    fn remove(&self, ids: &[OutputId], at: Millis) -> Result<Vec<OutputHead>>;

    /// When an output that is not there any more was removed.
    fn removed(&self, id: &OutputId) -> Result<Option<Millis>>;

    /// Removes what is missing or damaged, what a killed process left behind, and the outputs that
    /// `choose` names, which is asked again until it names none. One process at a time does this.
    fn prune(&self, at: Millis, choose: &Choose<'_>) -> Result<Pruned>;
}

/// All outputs, seen from inside a prune. Of a long answer only the first are given.
pub trait Prunable {
    /// How many bytes they have.
    fn bytes(&self, whose: Governed<'_>) -> Result<u64>;

    /// Those that were last kept before one time, and used before another.
    fn old(&self, whose: Governed<'_>, kept: Millis, used: Millis) -> Result<Vec<Candidate>>;

    /// Of those used in this time the least recently used: so many that they have these bytes, or all.
    fn least_used(
        &self,
        whose: Governed<'_>,
        used: Range<Millis>,
        bytes: u64,
    ) -> Result<Vec<Candidate>>;
}

/// Decides which outputs go. It may run more than once.
pub type Choose<'a> = dyn Fn(&dyn Prunable) -> Result<Vec<Candidate>> + 'a;

/// The outputs that somebody's limits are about.
#[derive(Clone, Copy, Debug)]
pub struct Governed<'a> {
    /// What this author kept last, or nobody who is named.
    pub author: &'a str,
    /// And what others did, if nobody used it since.
    pub forsaken: Millis,
}

/// Which outputs are meant.
#[derive(Clone, Copy, Debug)]
pub enum OutputFilter<'a> {
    /// Those that a session kept, and those of its project.
    Seen(Scopes<'a>),
    /// Those of a project.
    Project(&'a ProjectId),
    /// All.
    Everything,
}

/// Something about an engine that was looked at.
#[derive(Clone, Debug)]
pub struct Check {
    /// What was looked at.
    pub about: Message,
    /// What there is to say about it, or what is wrong.
    pub found: Result<Message>,
}

/// Says how it is.
pub trait Health: Send + Sync {
    /// Looks at everything that could be wrong. What it needs for that, it removes again.
    fn checks(&self) -> Vec<Check>;
}

/// An engine that keeps everything.
pub trait Store: Sessions + Outputs + Notes + Hooks + Transfer + Health {}

impl<T: Sessions + Outputs + Notes + Hooks + Transfer + Health> Store for T {}

/// Whose notes and outputs are meant: those of a session and of its project.
#[derive(Clone, Copy, Debug)]
pub struct Scopes<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// Its project.
    pub project: &'a ProjectId,
}

/// What to change about a note; what is not given stays.
#[derive(Clone, Debug, Default)]
pub struct NoteChange {
    /// The new text.
    pub content: Option<String>,
    /// The new tags.
    pub tags: Option<Vec<String>>,
    /// What it is kept with from now on.
    pub scope: Option<Scope>,
}

/// Gives the next note to import, or why there is none.
pub type NextNote<'a> = dyn FnMut() -> Result<Option<NoteLine>> + 'a;

/// A note of a session that is kept in the same store.
#[derive(Clone, Copy, Debug)]
pub struct SessionNote<'a> {
    /// The session, which is created if the note is the first thing known of it.
    pub session: &'a SessionId,
    pub project: NoteProject<'a>,
    pub scope: Scope,
    pub content: &'a str,
    pub tags: &'a [String],
    pub at: Millis,
}

/// The project that a session's note belongs to.
#[derive(Clone, Copy, Debug)]
pub enum NoteProject<'a> {
    /// This one, whichever project the session belongs to. A session that is created is in it, too.
    Fixed(&'a ProjectId),
    /// The session's own; a session that is created is in this one.
    OfSession(&'a ProjectId),
}

impl<'a> NoteProject<'a> {
    /// The project of a session that does not exist yet.
    pub fn of_new_session(self) -> &'a ProjectId {
        match self {
            Self::Fixed(project) | Self::OfSession(project) => project,
        }
    }
}

/// Keeps notes. Every write answers when it is durable.
pub trait Notes: Send + Sync {
    /// Adds a note, and its session if that does not exist, in one transaction.
    fn add_session_note(&self, note: &SessionNote<'_>) -> Result<(Note, NoteTotals)>;

    /// Adds a note of a session that is kept elsewhere.
    ///
    /// It gets an id that no other note has: this millisecond, or the next free one.
    fn add_note(
        &self,
        scopes: Scopes<'_>,
        scope: Scope,
        content: &str,
        tags: &[String],
        at: Millis,
    ) -> Result<(Note, NoteTotals)>;

    /// Changes a note, if it can be seen; a change that changes nothing writes nothing.
    fn change_note(
        &self,
        scopes: Scopes<'_>,
        id: NoteId,
        change: &NoteChange,
        at: Millis,
    ) -> Result<Option<(Note, NoteTotals)>>;

    /// Deletes a note, if it can be seen.
    fn delete_note(&self, scopes: Scopes<'_>, id: NoteId) -> Result<Option<NoteTotals>>;

    /// The ids next to this one among the notes that can be seen.
    fn nearest_notes(&self, scopes: Scopes<'_>, id: NoteId) -> Result<Vec<NoteId>>;

    /// All notes that can be seen, last changed first.
    fn newest_notes(&self, scopes: Scopes<'_>, limit: usize) -> Result<FoundNotes>;

    /// The notes that match and have all these folded tags, best first, then last changed first,
    /// then highest id first. The order and the total are exact.
    fn find_notes(
        &self,
        scopes: Scopes<'_>,
        matcher: &Matcher,
        tags: &[String],
        limit: usize,
    ) -> Result<FoundNotes>;

    /// The tags in use on the notes that can be seen, sorted without regard to case.
    fn tags(&self, scopes: Scopes<'_>) -> Result<Vec<TagCount>>;

    /// Calls `each` with every note of one scope, oldest id first.
    fn each_note(
        &self,
        scopes: Scopes<'_>,
        scope: Scope,
        each: &mut dyn FnMut(&Note) -> Result<()>,
    ) -> Result<()>;

    /// Adds notes, all or none of them. A note keeps its id where that is free.
    fn import_notes(
        &self,
        scopes: Scopes<'_>,
        scope: Scope,
        at: Millis,
        next: &mut NextNote<'_>,
    ) -> Result<()>;
}
