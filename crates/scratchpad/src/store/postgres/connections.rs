//! The connection pool of a server. It grows when several threads work at once.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::connection::Connection;
use super::errors::Failure;

/// The maximum number of connections of a process. If all are in use, callers wait.
const MOST: usize = 8;

/// The connections of one store, opened as needed.
#[derive(Default)]
pub(super) struct Connections {
    pool: Mutex<Pool>,
    returned: Condvar,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    in_use: usize,
}

/// How long a call may take.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Until when it waits for a connection.
    pub(super) place: Instant,
    /// Until when it works with it.
    pub(super) work: Instant,
    /// How long its transactions wait for others, if that is not the timeout of the connection.
    pub(super) locks: Option<Duration>,
}

impl Connections {
    /// Adds an idle connection.
    pub(super) fn add(&self, connection: Connection) {
        self.pool().idle.push(connection);
    }

    /// Runs `work` on a connection of its own, within the limits.
    pub(super) fn with<T>(
        &self,
        limits: Limits,
        connect: impl FnOnce() -> Result<Connection, Failure>,
        work: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let _place = self.one_more(limits.place)?;
        let idle = self.pool().idle.pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connect()?,
        };
        connection.use_until(limits.work);
        connection.wait_for_locks(limits.locks);
        let done = work(&connection);
        if !connection.is_broken() {
            self.add(connection);
        }
        done
    }

    /// Waits for a free place in the pool.
    fn one_more(&self, deadline: Instant) -> Result<Place<'_>, Failure> {
        let mut pool = self.pool();
        while pool.in_use >= MOST {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Failure::AllInUse);
            }
            let waited = self.returned.wait_timeout(pool, left);
            pool = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        pool.in_use += 1;
        Ok(Place(self))
    }

    /// Closes idle connections: if one was lost, they probably were too.
    pub(super) fn close_idle(&self) {
        let idle = std::mem::take(&mut self.pool().idle);
        drop(idle);
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        // The pool is consistent at any time, so a panic elsewhere does no harm.
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the pool, freed on drop, even if its user panics.
struct Place<'a>(&'a Connections);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.pool().in_use -= 1;
        self.0.returned.notify_one();
    }
}
