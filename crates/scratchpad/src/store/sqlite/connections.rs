//! Connections to one database: one at first, more where several threads work at once.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use rusqlite::Connection;

/// The most connections; who comes when all are busy waits for the first.
const MOST: usize = 8;

/// The connections of one store, opened as they are needed.
pub(super) struct Connections {
    first: Mutex<Connection>,
    others: [OnceLock<Mutex<Connection>>; MOST - 1],
}

impl Connections {
    /// Begins with one.
    pub(super) fn new(first: Connection) -> Self {
        Self {
            first: Mutex::new(first),
            others: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    /// A connection that nobody uses, else a new one, else the first when it is free.
    ///
    /// A panic elsewhere rolled its transaction back, so the next may go on with that connection.
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
                    // Where another thread filled the slot meanwhile, this connection closes.
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
