//! The verbs: one method each, and every rule applied here, whichever edge called.

mod interchange;
mod sessions;
mod tools;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use interchange::Imported;
pub use sessions::Written;
pub use tools::tools;

use crate::model::error::Result;
use crate::model::id::{Millis, ProjectId, SessionId};
use crate::model::pad::Limits;
use crate::store::journal::Journal;
use crate::store::sqlite::{self, Sqlite};
use crate::store::{Outputs, Sessions};

/// How long a write waits for other processes, unless told otherwise.
const PATIENCE: Duration = Duration::from_secs(30);

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Millis + Send + Sync>;

/// The working memory of agents: open it once, call it from any thread.
#[derive(Clone)]
pub struct Scratchpad {
    sessions: Arc<dyn Sessions>,
    outputs: Arc<dyn Outputs>,
    limits: Limits,
    project: ProjectId,
    clock: Clock,
}

impl Scratchpad {
    /// Opens the store in a data directory, making both if need be.
    pub fn open(data_directory: impl AsRef<Path>) -> Result<Self> {
        let path = data_directory.as_ref().join(sqlite::FILE_NAME);
        Ok(Self::on(Arc::new(Sqlite::open(&path, PATIENCE)?)))
    }

    /// The same on a store that is open already.
    pub fn on<S: Sessions + Outputs + 'static>(store: Arc<S>) -> Self {
        Self {
            sessions: store.clone(),
            outputs: store,
            limits: Limits::default(),
            project: ProjectId::new(""),
            clock: Arc::new(system_time),
        }
    }

    /// New sessions belong to this project.
    #[must_use]
    pub fn in_project(mut self, project: ProjectId) -> Self {
        self.project = project;
        self
    }

    /// Budgets other than the usual ones.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// A clock other than the system's.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// A session-log file as the home of the one session that is named in the answer.
    pub fn with_journal(mut self, journal: Journal) -> Result<(Self, SessionId)> {
        let session = journal.session_id()?;
        self.sessions = Arc::new(journal);
        Ok((self, session))
    }

    /// The budgets.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The project that new sessions belong to.
    pub fn project(&self) -> &ProjectId {
        &self.project
    }

    fn now(&self) -> Millis {
        (self.clock)()
    }
}

fn system_time() -> Millis {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| {
            Millis::try_from(elapsed.as_millis()).unwrap_or(Millis::MAX)
        })
}
