//! The connection pool of a database. It grows when several threads work at once.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use rusqlite::Connection;

/// The maximum number of connections. If all are busy, callers wait for the first.
const MOST: usize = 8;

/// The connections of one store, opened as needed.
pub(super) struct Connections {
    first: Mutex<Connection>,
    others: [OnceLock<Mutex<Connection>>; MOST - 1],
}

impl Connections {
    pub(super) fn new(first: Connection) -> Self {
        Self {
            first: Mutex::new(first),
            others: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    /// An idle connection, else a new one, else the first once it is free.
    ///
    /// Ignores mutex poisoning: the panic rolled its transaction back, so the connection is still good.
    pub(super) fn take(
        &self,
        connect: impl Fn() -> rusqlite::Result<Connection>,
    ) -> MutexGuard<'_, Connection> {
        if let Some(free) = if_free(&self.first) {
            return free;
        }
        for slot in &self.others {
            let connection = match slot.get() {
                Some(connection) => connection,
                None => match connect() {
                    // If another thread filled the slot first, this connection is closed.
                    Ok(new) => slot.get_or_init(|| Mutex::new(new)),
                    Err(_) => break,
                },
            };
            if let Some(free) = if_free(connection) {
                return free;
            }
        }
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn if_free(connection: &Mutex<Connection>) -> Option<MutexGuard<'_, Connection>> {
    match connection.try_lock() {
        Ok(free) => Some(free),
        Err(TryLockError::Poisoned(free)) => Some(free.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
