//! The verbs: one method each, and every rule applied here, whichever edge called.

mod copy;
mod hooks;
mod notes;
mod outputs;
pub mod probing;
mod prune;
mod session;
mod session_log;
mod sessions;
mod tools;

use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

pub use copy::{Copied, Copy, Progress, Step};
pub use hooks::Hooked;
pub use notes::ImportedNotes;
pub use outputs::{Kept, Whose};
pub use session::{CallFacts, SessionFinder};
pub use session_log::Imported;
pub use sessions::Written;
pub use tools::tools;

use crate::model::error::Result;
use crate::model::id::{Millis, ProjectId, SessionId};
use crate::model::note::NoteLimits;
use crate::model::output::OutputLimits;
use crate::model::output::offload::Offload;
use crate::model::pad::Limits;
use crate::model::settings::StoreSettings;
use crate::store::session_log::SessionLogFile;
use crate::store::sqlite;
use crate::store::sqlite::Sqlite;
use crate::store::{Check, Sessions, Store};

/// The clock.
pub type Clock = Arc<dyn Fn() -> Millis + Send + Sync>;

/// Opens the store when it is needed.
type Opener = dyn Fn() -> Result<Arc<dyn Store>> + Send + Sync;

/// The working memory of agents: open it once, call it from any thread.
#[derive(Clone)]
pub struct Scratchpad {
    opener: Arc<Opener>,
    store: Arc<OnceLock<Arc<dyn Store>>>,
    journal: Option<(SessionId, Arc<SessionLogFile>)>,
    limits: Limits,
    note_limits: NoteLimits,
    offload: Offload,
    output_limits: OutputLimits,
    program: Option<Arc<Path>>,
    project: ProjectId,
    project_is_forced: bool,
    author: String,
    clock: Clock,
    /// The moment in the newest id that was made up here.
    minted: Arc<AtomicI64>,
}

impl Scratchpad {
    /// Opens the store in a data directory and creates both where they are missing.
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

    /// The same on a store that is opened by its first use.
    #[doc(hidden)]
    pub fn on(opener: impl Fn() -> Result<Arc<dyn Store>> + Send + Sync + 'static) -> Self {
        Self {
            opener: Arc::new(opener),
            store: Arc::default(),
            journal: None,
            limits: Limits::default(),
            note_limits: NoteLimits::default(),
            offload: Offload::default(),
            output_limits: OutputLimits::default(),
            program: None,
            project: ProjectId::new(""),
            project_is_forced: false,
            author: String::new(),
            clock: Arc::new(system_time),
            minted: Arc::default(),
        }
    }

    /// New sessions belong to this project.
    #[must_use]
    pub fn in_project(mut self, project: ProjectId) -> Self {
        self.project = project;
        self
    }

    /// All sessions are taken to be of this project, wherever they began.
    #[must_use]
    #[doc(hidden)]
    pub fn forced_into_project(mut self, project: ProjectId) -> Self {
        self.project_is_forced = true;
        self.in_project(project)
    }

    /// The author of what is written here. Replies leave this name out.
    #[must_use]
    #[doc(hidden)]
    pub fn with_author(mut self, author: impl Into<String>) -> Self {
        self.author = author.into();
        self
    }

    /// Budgets other than the usual ones.
    #[must_use]
    #[doc(hidden)]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Limits of notes other than the usual ones.
    #[must_use]
    #[doc(hidden)]
    pub fn with_note_limits(mut self, limits: NoteLimits) -> Self {
        self.note_limits = limits;
        self
    }

    /// Which texts become outputs, and how long those are kept, if not as usual.
    #[must_use]
    #[doc(hidden)]
    pub fn with_outputs(mut self, offload: Offload, limits: OutputLimits) -> Self {
        self.offload = offload;
        self.output_limits = limits;
        self
    }

    /// The path of the `scratchpad` program, which runs searches and expressions over outputs in a process with limits
    /// on time and memory.
    ///
    /// Without it they run in this process, and nothing stops one that never ends.
    #[must_use]
    pub fn with_program(mut self, program: impl AsRef<Path>) -> Self {
        self.program = Some(program.as_ref().into());
        self
    }

    /// A clock other than the system's.
    #[must_use]
    #[doc(hidden)]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// A session-log file as the home of one session, which is named in the answer.
    ///
    /// All other sessions, and all notes and outputs, stay in the store.
    #[doc(hidden)]
    pub fn with_journal(mut self, journal: SessionLogFile) -> Result<(Self, SessionId)> {
        let session = journal.session_id()?;
        self.journal = Some((session.clone(), Arc::new(journal)));
        Ok((self, session))
    }

    /// The budgets.
    #[doc(hidden)]
    pub fn limits(&self) -> &Limits {
        &self.limits
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

    /// A new id for a session. The first write to it creates the session.
    ///
    /// Unique among all that this value and its clones return, even within one millisecond.
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

    /// How the store is.
    #[doc(hidden)]
    pub fn store_checks(&self) -> Result<Vec<Check>> {
        Ok(self.store()?.checks())
    }

    fn now(&self) -> Millis {
        (self.clock)()
    }

    /// Takes out the name of whoever reads it.
    fn unless_own(&self, author: &mut String) {
        if *author == self.author {
            author.clear();
        }
    }

    fn store(&self) -> Result<&dyn Store> {
        if let Some(store) = self.store.get() {
            return Ok(store.as_ref());
        }
        let opened = (self.opener)()?;
        // Of two threads that come here at once, one's store is used and the other's closed.
        Ok(self.store.get_or_init(|| opened).as_ref())
    }

    /// Whether a session is kept in a session log instead of the store.
    fn is_in_session_log(&self, id: &SessionId) -> bool {
        matches!(&self.journal, Some((session, _)) if session == id)
    }

    /// Where a session lives.
    fn sessions(&self, id: &SessionId) -> Result<&dyn Sessions> {
        match &self.journal {
            Some((session, journal)) if session == id => Ok(journal.as_ref()),
            _ => Ok(self.store()?),
        }
    }
}

/// The time that the system tells.
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
