//! Noticing commits on a server.
//!
//! No `NOTIFY` in a write: such commits wait for each other in the whole server. A snapshot's text changes whenever a
//! transaction that writes begins or ends, and asking for it reads no table.

use std::time::Duration;

use super::Postgres;
use super::values::{get, params};
use crate::model::error::Result;
use crate::store::{Watch, Watcher};

const PAUSE: Duration = Duration::from_secs(1);

struct OnServer {
    store: Postgres,
    snapshot: String,
}

impl Watch for Postgres {
    fn watcher(&self) -> Result<Box<dyn Watcher>> {
        Ok(Box::new(OnServer {
            snapshot: self.snapshot_now()?,
            store: self.clone(),
        }))
    }
}

impl Postgres {
    fn snapshot_now(&self) -> Result<String> {
        self.reading(|connection| {
            let sql = "SELECT pg_current_snapshot()::text";
            get(&connection.query_one(sql, params![])?, 0)
        })
    }
}

impl Watcher for OnServer {
    fn has_changed(&mut self) -> Result<bool> {
        let now = self.store.snapshot_now()?;
        let has_changed = now != self.snapshot;
        self.snapshot = now;
        Ok(has_changed)
    }

    fn pause(&self) -> Duration {
        PAUSE
    }
}
