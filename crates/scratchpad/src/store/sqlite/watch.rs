//! Noticing commits: `SQLite` counts, for each connection, those of all others.

use std::path::PathBuf;
use std::time::Duration;

use super::files::{Files, Since};
use super::in_use::DatabaseConnection;
use super::{Sqlite, connected, explain};
use crate::model::error::Result;
use crate::store::{Watch, Watcher};

/// A look takes some microseconds.
const PAUSE: Duration = Duration::from_millis(150);

struct OnFile {
    connection: DatabaseConnection,
    files: Files,
    path: PathBuf,
    timeout: Duration,
    version: i64,
}

impl Watch for Sqlite {
    fn watcher(&self) -> Result<Box<dyn Watcher>> {
        // A connection that writes does not see its own commits, so this one only looks.
        let files = Files::at(&self.path);
        let connection = connected(&self.path, self.timeout)?;
        let mut watcher = OnFile {
            connection,
            files,
            path: self.path.clone(),
            timeout: self.timeout,
            version: 0,
        };
        watcher.version = watcher.read()?;
        Ok(Box::new(watcher))
    }
}

impl OnFile {
    fn read(&self) -> Result<i64> {
        self.connection
            .query_row("PRAGMA data_version", [], |row| row.get(0))
            .map_err(|error| explain(&error, &self.path, self.timeout))
    }
}

impl Watcher for OnFile {
    fn has_changed(&mut self) -> Result<bool> {
        if self.files.check(&self.path)? == Since::Replaced {
            self.files = Files::at(&self.path);
            self.connection = connected(&self.path, self.timeout)?;
            self.version = self.read()?;
            return Ok(true);
        }
        let now = self.read()?;
        let has_changed = now != self.version;
        self.version = now;
        Ok(has_changed)
    }

    fn pause(&self) -> Duration {
        PAUSE
    }
}
