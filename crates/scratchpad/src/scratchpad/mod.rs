//! The verbs, one method each. Every rule is applied here, whichever edge called.

mod cancel;
mod copy;
mod digest;
mod earlier;
mod forget;
mod given;
mod hooks;
mod kept;
mod ledger;
mod mirror;
mod note_lines;
mod notes;
mod outputs;
pub mod passing;
mod pins;
pub mod probing;
mod projects;
mod prompt;
mod prune;
mod retention;
mod search;
mod secrets;
mod session;
mod session_log;
mod sessions;
mod shortened;
mod sources;
mod status;
mod tools;
mod watch;

use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

pub use cancel::Cancel;
pub use copy::{Copied, Copy, Progress, Step};
pub use earlier::{Connection, NamedSession};
pub use forget::{InUse, TextPlaces, forms};
pub use given::{AskedOf, Given};
pub use hooks::{HookReply, Hooked};
pub use kept::{Deleted, Whose};
pub use ledger::{OWN, StatsScope, as_shown};
pub use notes::ImportedNotes;
pub use outputs::Kept;
pub use projects::{Arrival, Care, Here, arrive};
pub use retention::{Expired, Expiring};
pub use search::{Found, FoundIn};
pub use secrets::{StoredSecrets, Variables};
pub use session::{CallFacts, SessionFinder};
pub use session_log::Imported;
pub use sessions::Written;
pub use shortened::Purpose;
pub use status::{Glance, KnownSession, NoteCounts};
pub use tools::{Window, tools};

use crate::model::error::Result;
use crate::model::host::Host;
use crate::model::id::{Millis, ProjectId, SessionId};
use crate::model::note::NoteLimits;
use crate::model::output::OutputLimits;
use crate::model::output::offload::Offload;
use crate::model::output::pass::Passing;
use crate::model::pad::Limits;
use crate::model::pad::nudge::NudgeSettings;
use crate::model::settings::{RetentionSettings, StoreSettings};
use crate::model::tool::Group;
use crate::model::tool::surface::switched_off;
use crate::store::session_log::SessionLogFile;
use crate::store::sqlite;
use crate::store::sqlite::Sqlite;
use crate::store::{Check, Sessions, Store};

/// Returns the current time.
pub type Clock = Arc<dyn Fn() -> Millis + Send + Sync>;

/// Opens the store on first use.
type Opener = dyn Fn() -> Result<Arc<dyn Store>> + Send + Sync;

/// The store whose timeouts one call shares, if it has such; opened on first use.
type StoreOfCall = OnceLock<Option<Arc<dyn Store>>>;

/// The working memory of agents. Open it once and call it from any thread.
#[derive(Clone)]
pub struct Scratchpad {
    opener: Arc<Opener>,
    store: Arc<OnceLock<Arc<dyn Store>>>,
    /// The store for the call that this value is for, and when that began.
    call: Option<(Instant, Arc<StoreOfCall>)>,
    journal: Option<(SessionId, Arc<SessionLogFile>)>,
    limits: Limits,
    note_limits: NoteLimits,
    offload: Offload,
    passing: Passing,
    output_limits: OutputLimits,
    nudges: NudgeSettings,
    retention: RetentionSettings,
    secrets: secrets::Secrets,
    switched_off: Vec<Group>,
    program: Option<Arc<Path>>,
    root: Option<Arc<Path>>,
    /// Where hooks note facts; none if there are no digests.
    facts: Option<Arc<Path>>,
    has_digests: bool,
    probes: probing::Queue,
    cancel: Cancel,
    /// The revision at which the caller saw the session that it writes to.
    seen: Option<u64>,
    project: ProjectId,
    project_is_forced: bool,
    author: String,
    /// The host whose model sees what is answered here, as far as the environment tells.
    host: Option<&'static Host>,
    /// The host whose client introduced itself.
    client: Arc<OnceLock<&'static Host>>,
    clock: Clock,
    /// The timestamp in the last id generated here.
    minted: Arc<AtomicI64>,
}

impl Scratchpad {
    /// Opens the store in a data directory. Creates either if it is missing.
    pub fn open(data_directory: impl AsRef<Path>) -> Result<Self> {
        let path = data_directory.as_ref().join(sqlite::FILE_NAME);
        let scratchpad = Self::on(move || {
            Ok(Arc::new(Sqlite::open(
                &path,
                StoreSettings::default().busy_timeout(),
            )?))
        });
        scratchpad.store()?;
        Ok(scratchpad)
    }

    /// Like [`Self::open`], but opens the store on first use.
    #[doc(hidden)]
    pub fn on(opener: impl Fn() -> Result<Arc<dyn Store>> + Send + Sync + 'static) -> Self {
        Self {
            opener: Arc::new(opener),
            store: Arc::default(),
            call: None,
            journal: None,
            limits: Limits::default(),
            note_limits: NoteLimits::default(),
            offload: Offload::default(),
            passing: Passing::default(),
            output_limits: OutputLimits::default(),
            nudges: NudgeSettings::default(),
            retention: RetentionSettings::default(),
            secrets: secrets::Secrets::default(),
            switched_off: Vec::new(),
            program: None,
            root: None,
            facts: None,
            has_digests: true,
            probes: probing::Queue::default(),
            cancel: Cancel::default(),
            seen: None,
            project: ProjectId::new(""),
            project_is_forced: false,
            author: String::new(),
            host: None,
            client: Arc::default(),
            clock: Arc::new(system_time),
            minted: Arc::default(),
        }
    }

    /// Sets the project that new sessions belong to.
    #[must_use]
    pub fn in_project(mut self, project: ProjectId) -> Self {
        self.project = project;
        self
    }

    /// Treats all sessions as belonging to this project, wherever they started.
    #[must_use]
    #[doc(hidden)]
    pub fn forced_into_project(mut self, project: ProjectId) -> Self {
        self.project_is_forced = true;
        self.in_project(project)
    }

    /// Sets the author of everything written here. Replies leave this name out.
    #[must_use]
    #[doc(hidden)]
    pub fn with_author(mut self, author: impl Into<String>) -> Self {
        self.author = author.into();
        self
    }

    #[must_use]
    #[doc(hidden)]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    #[must_use]
    #[doc(hidden)]
    pub fn with_note_limits(mut self, limits: NoteLimits) -> Self {
        self.note_limits = limits;
        self
    }

    /// Sets which texts become outputs, and how long outputs are kept.
    #[must_use]
    #[doc(hidden)]
    pub fn with_outputs(mut self, offload: Offload, limits: OutputLimits) -> Self {
        self.offload = offload;
        self.output_limits = limits;
        self
    }

    /// Sets where outputs may be passed on by reference.
    #[must_use]
    #[doc(hidden)]
    pub fn with_passing(mut self, passing: Passing) -> Self {
        self.passing = passing;
        self
    }

    /// Sets how often [`Self::prompt`] reminds an agent of its pad; by default, never.
    #[must_use]
    pub fn with_nudges(mut self, nudges: NudgeSettings) -> Self {
        self.nudges = nudges;
        self
    }

    /// Sets how much of the past is kept.
    #[must_use]
    #[doc(hidden)]
    pub fn with_retention(mut self, retention: RetentionSettings) -> Self {
        self.retention = retention;
        self
    }

    /// Switches a group of tools off, with all that belongs to it: calls of its tools are refused, and without the pad
    /// there is no block and no nudge. What is stored stays.
    #[must_use]
    pub fn without(mut self, group: Group) -> Self {
        if group == Group::Outputs {
            self.offload.enabled = false;
        } else {
            self.switched_off.push(group);
        }
        self
    }

    /// Sets the path of the `scratchpad` program, which searches outputs and evaluates expressions over them in a child
    /// process with time and memory limits.
    ///
    /// Without it they run in this process, and nothing stops one that never finishes.
    #[must_use]
    pub fn with_program(mut self, program: impl AsRef<Path>) -> Self {
        self.program = Some(program.as_ref().into());
        self
    }

    /// Cancels the searches of this value when `cancel` says so. For the calls of one request: clones share all else.
    #[must_use]
    #[doc(hidden)]
    pub fn cancelled_by(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    #[must_use]
    #[doc(hidden)]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Keeps one session in a session-log file; also returns the id of that session.
    ///
    /// All other sessions, and all notes and outputs, stay in the store.
    #[doc(hidden)]
    pub fn with_journal(mut self, journal: SessionLogFile) -> Result<(Self, SessionId)> {
        let session = journal.session_id()?;
        self.journal = Some((session.clone(), Arc::new(journal)));
        Ok((self, session))
    }

    #[doc(hidden)]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether this group is switched on.
    #[doc(hidden)]
    pub fn offers(&self, group: Group) -> bool {
        match group {
            Group::Outputs => self.offload.enabled,
            Group::Pad | Group::Notes => !self.switched_off.contains(&group),
        }
    }

    /// Refuses what needs a group that is switched off.
    fn needs(&self, group: Group) -> Result<()> {
        if self.offers(group) {
            return Ok(());
        }
        Err(switched_off(group))
    }

    /// Which texts become outputs.
    #[doc(hidden)]
    pub fn offload(&self) -> &Offload {
        &self.offload
    }

    /// The project that new sessions belong to.
    #[doc(hidden)]
    pub fn project(&self) -> &ProjectId {
        &self.project
    }

    /// Generates a session id. The first write to it creates the session.
    ///
    /// Unique among the ids that this value and its clones return, even within one millisecond.
    pub fn new_session_id(&self) -> SessionId {
        let now = self.now();
        let next = |last: Millis| now.max(last.saturating_add(1));
        let last = self
            .minted
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
                Some(next(last))
            })
            .unwrap_or_else(|last| last);
        SessionId::minted(next(last), std::process::id())
    }

    /// Opens the store, if it is not open yet.
    #[doc(hidden)]
    pub fn open_store(&self) -> Result<()> {
        self.store().map(drop)
    }

    /// The health of the store.
    #[doc(hidden)]
    pub fn store_checks(&self) -> Result<Vec<Check>> {
        Ok(self.store()?.checks())
    }

    fn now(&self) -> Millis {
        (self.clock)()
    }

    /// Clears the author if it is the reader.
    fn unless_own(&self, author: &mut String) {
        if *author == self.author {
            author.clear();
        }
    }

    /// The same scratchpad for one call that began at this time, maybe before it was its turn: everything that it waits
    /// for in the store has one timeout.
    #[must_use]
    #[doc(hidden)]
    pub fn since(&self, began: Instant) -> Self {
        Self {
            call: Some((began, Arc::default())),
            ..self.clone()
        }
    }

    fn store(&self) -> Result<&dyn Store> {
        let shared = self.shared_store()?;
        if let Some((began, store)) = &self.call
            && let Some(store) = store.get_or_init(|| shared.since(*began))
        {
            return Ok(store.as_ref());
        }
        Ok(shared)
    }

    fn shared_store(&self) -> Result<&dyn Store> {
        if let Some(store) = self.store.get() {
            return Ok(store.as_ref());
        }
        let opened = (self.opener)()?;
        // If two threads race here, one store is used and the other is closed.
        Ok(self.store.get_or_init(|| opened).as_ref())
    }

    /// Whether a session is kept in a session log instead of the store.
    fn is_in_session_log(&self, id: &SessionId) -> bool {
        matches!(&self.journal, Some((session, _)) if session == id)
    }

    /// Where a session is kept: its session log or the store.
    fn sessions(&self, id: &SessionId) -> Result<&dyn Sessions> {
        match &self.journal {
            Some((session, journal)) if session == id => Ok(journal.as_ref()),
            _ => Ok(self.store()?),
        }
    }
}

/// The system time.
pub fn system_time() -> Millis {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| {
            Millis::try_from(elapsed.as_millis()).unwrap_or(Millis::MAX)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_made_in_one_moment_differ() {
        let scratchpad = Scratchpad::on(|| Err(crate::model::error::Error::store("none")))
            .with_clock(Arc::new(|| 7));
        let process = std::process::id();
        let ids = [
            scratchpad.new_session_id(),
            scratchpad.clone().new_session_id(),
        ];
        assert_eq!(
            ids,
            [SessionId::minted(7, process), SessionId::minted(8, process)]
        );
    }
}
