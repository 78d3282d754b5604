//! The connection pool of a database. It grows when several threads work at once.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Instant;

use rusqlite::Connection;

use super::files::Files;
use super::in_use::DatabaseConnection;

/// The maximum number of connections. If all are busy, callers wait for one.
const MOST: usize = 8;

/// A connection, and the files that it has open.
pub(super) struct Open {
    pub(super) connection: DatabaseConnection,
    pub(super) files: Files,
}

/// The connections of one store, opened as needed.
pub(super) struct Connections {
    first: Mutex<Open>,
    others: [OnceLock<Mutex<Open>>; MOST - 1],
    /// Held to wait for a connection, and to announce that one is free.
    turn: Mutex<()>,
    freed: Condvar,
}

/// A connection that nobody else uses meanwhile.
pub(super) struct Taken<'a> {
    // Dropped in this order: the connection is free when that is announced.
    open: MutexGuard<'a, Open>,
    _place: Place<'a>,
}

/// Announces that a connection is free.
struct Place<'a>(&'a Connections);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        // Who found no connection is waiting by now, not between looking and waiting.
        drop(self.0.turn.lock());
        self.0.freed.notify_one();
    }
}

impl Taken<'_> {
    pub(super) fn open(&mut self) -> &mut Open {
        &mut self.open
    }
}

impl Deref for Taken<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.open.connection
    }
}

impl DerefMut for Taken<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.open.connection
    }
}

impl Connections {
    pub(super) fn new(first: Open) -> Self {
        Self {
            first: Mutex::new(first),
            others: std::array::from_fn(|_| OnceLock::new()),
            turn: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// An idle connection, else a new one, else the first that is free before the deadline.
    ///
    /// Ignores mutex poisoning: the panic rolled its transaction back, so the connection is still good.
    pub(super) fn take(
        &self,
        deadline: Instant,
        connect: impl Fn() -> rusqlite::Result<Open>,
    ) -> Option<Taken<'_>> {
        let taken = |open| Taken {
            open,
            _place: Place(self),
        };
        if let Some(free) = self.idle(&connect) {
            return Some(taken(free));
        }
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(free) = self.idle(&connect) {
                return Some(taken(free));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let waited = self.freed.wait_timeout(turn, left);
            (turn, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn idle(&self, connect: impl Fn() -> rusqlite::Result<Open>) -> Option<MutexGuard<'_, Open>> {
        if let Some(free) = if_free(&self.first) {
            return Some(free);
        }
        for slot in &self.others {
            let open = match slot.get() {
                Some(open) => open,
                None => match connect() {
                    // If another thread filled the slot first, this connection is closed.
                    Ok(new) => slot.get_or_init(|| Mutex::new(new)),
                    Err(_) => break,
                },
            };
            if let Some(free) = if_free(open) {
                return Some(free);
            }
        }
        None
    }
}

fn if_free(open: &Mutex<Open>) -> Option<MutexGuard<'_, Open>> {
    match open.try_lock() {
        Ok(free) => Some(free),
        Err(TryLockError::Poisoned(free)) => Some(free.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
