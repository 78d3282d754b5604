//! Storage: SQL and files, no rules.
//!
//! The traits are independent of the engine. `crates/cli/tests/contract` tests what each engine must do.

mod forget;
mod hooks;
mod ledger;
mod pins;
#[cfg(feature = "postgres")]
pub mod postgres;
mod projects;
pub mod session_log;
mod sources;
pub mod sqlite;
pub mod transfer;
mod watch;

use std::io::{Read, Seek};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use crate::disk::staged::Staged;
pub use forget::{DeletedSession, Forget, Rewriting, Scrubbed, TextPlace};
pub use hooks::{Attend, AttendWriting, Attended, Binding, Heard, HookCall, Hooks, LastHookCall};
pub use ledger::Ledger;
pub use pins::Pins;
pub use projects::{MovedRows, ProjectHead, Projects};
pub use sources::Sources;
pub use transfer::Transfer;
pub use watch::{Watch, Watcher};

use crate::model::error::Result;
use crate::model::id::{Millis, OutputId, ProjectId, SessionId};
use crate::model::note::jsonl::NoteLine;
use crate::model::note::page::{FoundNotes, NotePage};
use crate::model::note::reply::{NoteTotals, TagCount};
use crate::model::note::search::Matcher;
use crate::model::note::{Note, NoteId, Scope};
use crate::model::output::ledger::Entry;
use crate::model::output::room::Room;
use crate::model::output::{Candidate, Kind, Origin, OutputHead, Pruned};
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
    pub fn of_each(self) -> Duration {
        match self {
            Self::Each(timeout) | Self::All(timeout) => timeout,
        }
    }
}

/// The current state of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub pad: Pad,
    /// The number of its newest revision; 0 before the first write.
    pub revision: u64,
    /// The project it belongs to, if known.
    pub project: Option<ProjectId>,
}

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionHead {
    pub id: SessionId,
    pub project: ProjectId,
    pub created: Millis,
    pub updated: Millis,
    pub revision: u64,
    pub pad: Pad,
}

/// A session seen from inside a change, which is exclusive.
pub trait View {
    /// The session, unless it does not exist yet.
    fn session(&self) -> Option<&Session>;
    /// Its revisions, oldest first.
    fn log(&self) -> Result<Vec<RevisionHead>>;
    /// The content at a revision.
    fn revision(&self, number: u64) -> Result<Option<Content>>;
}

/// Decides what to write, given the current state. May run more than once.
pub type Change<'a> = dyn FnMut(&dyn View) -> Result<Vec<Write>> + 'a;

/// Stores sessions and all their revisions.
pub trait Sessions: Send + Sync {
    /// The session, if it exists.
    fn session(&self, id: &SessionId) -> Result<Option<Session>>;

    /// Its revisions, oldest first; none if it does not exist.
    fn log(&self, id: &SessionId) -> Result<Vec<RevisionHead>>;

    /// The content at a revision, if the session has it.
    fn revision(&self, id: &SessionId, number: u64) -> Result<Option<Content>>;

    /// Removes past revisions; the newest stays. What the pad holds is not changed. An output with the whole of a text that was
    /// cut stays pinned only if a revision that is left names it. A store that is also other programs' keeps them.
    fn forget_revisions(&self, id: &SessionId, numbers: &[u64]) -> Result<()>;

    /// Creates the session if needed, and records what `change` decides, all or nothing.
    ///
    /// Changes to one session are serialized across processes. Returns the number of the newest revision; by then the
    /// writes are durable.
    fn update(
        &self,
        id: &SessionId,
        project: &ProjectId,
        at: Millis,
        change: &mut Change<'_>,
    ) -> Result<u64>;

    /// The sessions of one project, or all, most recently written first.
    fn sessions(&self, project: Option<&ProjectId>, limit: usize) -> Result<Vec<SessionHead>>;

    /// The ids that begin so, in their order.
    fn session_ids(&self, beginning: &str, limit: usize) -> Result<Vec<SessionId>>;
}

/// The metadata of content to keep.
#[derive(Clone, Copy, Debug)]
pub struct OutputDraft<'a> {
    /// What produced it: a tool, or the action whose text was truncated.
    pub origin: Origin<'a>,
    pub session: &'a SessionId,
    /// The project whose sessions can see it; if `None`, only the session that keeps it.
    pub project: Option<&'a ProjectId>,
    pub kind: Kind,
    pub lines: u64,
    /// What lists show of it.
    pub preview: &'a str,
    /// Whether a revision of the session's pad needs it: then it is never pruned.
    pub is_pinned: bool,
    pub at: Millis,
    /// The room that must be left for it, unless the same content is kept already; `None` for any.
    pub room: Option<Room>,
    /// What this adds to the ledger, in the same transaction.
    pub entries: &'a [Entry],
}

/// Which outputs may be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Only those that no pad's revision needs, and damaged ones.
    Unpinned,
    Any,
}

/// A seekable reader of stored content.
pub trait Stored: Read + Seek + Send {}

impl<T: Read + Seek + Send> Stored for T {}

/// Stores texts, content-addressed.
pub trait Outputs: Send + Sync {
    /// Starts a staged file, which collects content before it is kept.
    fn stage(&self) -> Result<Staged>;

    /// Keeps staged content. Keeping the same content again refreshes the same output, which then is of each tool that
    /// kept it, and stays pinned. An id never names other content again, even after a removal.
    ///
    /// Once this returns, killing the process loses nothing; [`Outputs::sync`] makes it durable.
    fn keep(&self, draft: &OutputDraft<'_>, staged: Staged) -> Result<OutputId>;

    /// Keeps several contents, in their order; at once, if that is faster. If one can't be kept, the result is an error, and
    /// others may have been kept.
    fn keep_all(&self, drafts: Vec<(OutputDraft<'_>, Staged)>) -> Result<Vec<OutputId>> {
        let kept = drafts.into_iter();
        kept.map(|(draft, staged)| self.keep(&draft, staged))
            .collect()
    }

    /// Makes kept outputs durable.
    fn sync(&self) -> Result<()>;

    /// A reader of the kept bytes, and their number; an error if they are damaged.
    fn read(&self, id: &OutputId) -> Result<Option<(Box<dyn Stored>, u64)>>;

    /// The same for a person who looks at a part, without reading all of it to see whether it is damaged.
    fn peek(&self, id: &OutputId) -> Result<Option<(Box<dyn Stored>, u64)>> {
        self.read(id)
    }

    /// The file that holds the content, if it is a file on this machine.
    fn file(&self, id: &OutputId) -> Option<PathBuf>;

    fn directory(&self) -> Option<PathBuf>;

    /// Records a use of an output.
    fn touch(&self, id: &OutputId, at: Millis) -> Result<()>;

    /// The outputs that match a filter, most recently kept first, without missing and damaged ones.
    fn outputs(&self, filter: OutputFilter<'_>) -> Result<Vec<OutputHead>>;

    /// How many outputs a session keeps, and their total size, from the database alone: files are not looked at.
    fn kept_by(&self, session: &SessionId) -> Result<(u64, u64)>;

    /// The ids that begin so, in their order.
    fn output_ids(&self, beginning: &str, limit: usize) -> Result<Vec<OutputId>>;

    /// Removes these outputs, as far as they may be removed; returns the removed ones.
    fn remove(&self, ids: &[OutputId], at: Millis, what: Removal) -> Result<Vec<OutputHead>>;

    /// When an output was removed, if it was.
    fn removed(&self, id: &OutputId) -> Result<Option<Millis>>;

    /// Removes missing and damaged outputs, what killed processes left behind, and the outputs that `choose` names.
    /// Calls `choose` until it names none. One process at a time does this.
    fn prune(&self, at: Millis, choose: &Choose<'_>) -> Result<Pruned>;
}

/// The outputs that are not pinned, seen from inside a prune. Long results are truncated.
pub trait Prunable {
    /// Their total size.
    fn bytes(&self, whose: Governed<'_>) -> Result<u64>;

    /// The outputs last kept before one time and last used before another.
    fn old(&self, whose: Governed<'_>, kept: Millis, used: Millis) -> Result<Vec<Candidate>>;

    /// The least recently used of the outputs last used in this range: as many as it takes to free `bytes`, or all.
    fn least_used(
        &self,
        whose: Governed<'_>,
        used: Range<Millis>,
        bytes: u64,
    ) -> Result<Vec<Candidate>>;

    /// The outputs last used before this time that exceed this many bytes of one upstream, counted from its most
    /// recently used.
    fn beyond(&self, whose: Governed<'_>, used: Millis, bytes: u64) -> Result<Vec<Candidate>>;
}

/// Decides which outputs to remove. May run more than once.
pub type Choose<'a> = dyn Fn(&dyn Prunable) -> Result<Vec<Candidate>> + 'a;

/// The outputs that an author's limits apply to.
#[derive(Clone, Copy, Debug)]
pub struct Governed<'a> {
    /// Outputs last kept by this author, or by no named author.
    pub author: &'a str,
    /// Outputs of other authors too, if last used before this.
    pub forsaken: Millis,
}

#[derive(Clone, Copy, Debug)]
pub enum OutputFilter<'a> {
    /// The outputs of a session and of its project.
    Seen(Scopes<'a>),
    /// The outputs of a project, and those that its sessions keep for themselves.
    Project(&'a ProjectId),
    Ids(&'a [OutputId]),
    Everything,
}

/// The result of one health check.
#[derive(Clone, Debug)]
pub struct Check {
    /// What was checked.
    pub about: Message,
    /// What was found, or what is wrong.
    pub found: Result<Message>,
}

/// Health checks.
pub trait Health: Send + Sync {
    /// Checks everything that could be wrong. Leaves nothing behind.
    fn checks(&self) -> Vec<Check>;
}

/// What sorts after every id that begins with this: ids are printable ASCII.
fn after_all_with(beginning: &str) -> String {
    format!("{beginning}\u{7f}")
}

/// Timeouts that several accesses share.
pub trait WithTimeout {
    /// The same store for one call that began at this time: everything that it waits for has one timeout, that of a
    /// single access. `None` if each access has its own.
    fn since(&self, began: Instant) -> Option<Arc<dyn Store>>;
}

/// A complete storage engine.
pub trait Store:
    Sessions
    + Outputs
    + Notes
    + Pins
    + Sources
    + Hooks
    + Projects
    + Ledger
    + Forget
    + Transfer
    + Health
    + Watch
    + WithTimeout
{
}

impl<
    T: Sessions
        + Outputs
        + Notes
        + Pins
        + Sources
        + Hooks
        + Projects
        + Ledger
        + Forget
        + Transfer
        + Health
        + Watch
        + WithTimeout,
> Store for T
{
}

/// A session and its project: whose notes and outputs are visible.
#[derive(Clone, Copy, Debug)]
pub struct Scopes<'a> {
    pub session: &'a SessionId,
    pub project: &'a ProjectId,
}

/// A change to a note; `None` keeps the old value.
#[derive(Clone, Debug, Default)]
pub struct NoteChange {
    pub content: Option<String>,
    pub tags: Option<Vec<String>>,
    /// The new scope.
    pub scope: Option<Scope>,
}

/// Returns the next note to import, or `None` at the end.
pub type NextNote<'a> = dyn FnMut() -> Result<Option<NoteLine>> + 'a;

/// A new note whose session is in the same store.
#[derive(Clone, Copy, Debug)]
pub struct SessionNote<'a> {
    /// The session, which is created if it does not exist.
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
    /// This project, whatever the session's own. A new session is created in it, too.
    Fixed(&'a ProjectId),
    /// The session's own project. A new session is created in this one.
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

/// Stores notes. Every write is durable when it returns.
pub trait Notes: Send + Sync {
    /// Adds a note, and creates its session if needed, in one transaction.
    fn add_session_note(&self, note: &SessionNote<'_>) -> Result<(Note, NoteTotals)>;

    /// Adds a note whose session is stored elsewhere.
    ///
    /// Its id is unique: the current time in milliseconds, or the next free number.
    fn add_note(
        &self,
        scopes: Scopes<'_>,
        scope: Scope,
        content: &str,
        tags: &[String],
        at: Millis,
    ) -> Result<(Note, NoteTotals)>;

    /// Changes a note, if it is visible. Moving a note to the scope it is in writes nothing.
    ///
    /// Its time of change never goes back, so that lists can be read page by page.
    fn change_note(
        &self,
        scopes: Scopes<'_>,
        id: NoteId,
        change: &NoteChange,
        at: Millis,
    ) -> Result<Option<(Note, NoteTotals)>>;

    /// Deletes a note, if it is visible.
    fn delete_note(&self, scopes: Scopes<'_>, id: NoteId) -> Result<Option<NoteTotals>>;

    /// The visible note ids that are nearest to this one.
    fn nearest_notes(&self, scopes: Scopes<'_>, id: NoteId) -> Result<Vec<NoteId>>;

    /// The visible note ids whose digits begin or end so, the newest first.
    fn note_ids(&self, scopes: Scopes<'_>, digits: &str, limit: usize) -> Result<Vec<NoteId>>;

    /// A visible note.
    fn note(&self, scopes: Scopes<'_>, id: NoteId) -> Result<Option<Note>>;

    /// The visible notes: most recently changed first, then highest id.
    ///
    /// Refused if the page begins after a note that is not visible.
    fn newest_notes(&self, scopes: Scopes<'_>, page: NotePage) -> Result<FoundNotes>;

    /// The visible notes that match and have all these folded tags: best match first, then most recently changed, then
    /// highest id. The order and the total are exact.
    ///
    /// Refused if the page begins after a note that is not among them, unless there are none.
    fn find_notes(
        &self,
        scopes: Scopes<'_>,
        matcher: &Matcher,
        tags: &[String],
        page: NotePage,
    ) -> Result<FoundNotes>;

    /// The tags of the visible notes, sorted case-insensitively.
    fn tags(&self, scopes: Scopes<'_>) -> Result<Vec<TagCount>>;

    /// The projects that have notes of their own, by name. They may have no session.
    fn projects_with_notes(&self) -> Result<Vec<ProjectId>>;

    /// Calls `each` with every note of one scope, lowest id first.
    fn each_note(
        &self,
        scopes: Scopes<'_>,
        scope: Scope,
        each: &mut dyn FnMut(&Note) -> Result<()>,
    ) -> Result<()>;

    /// Adds notes, all or none. A note keeps its id if that is free.
    fn import_notes(
        &self,
        scopes: Scopes<'_>,
        scope: Scope,
        at: Millis,
        next: &mut NextNote<'_>,
    ) -> Result<()>;
}
