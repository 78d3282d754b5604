//! Health checks of the embedded store.

use std::fs;

use super::{Sqlite, schema};
use crate::model::error::{Error, Result};
use crate::model::text::message::{Message, message, number};
use crate::store::{Check, Health};

/// Warn if less space than this is free.
#[cfg(unix)]
const LITTLE_BYTES: u64 = 100 << 20;

impl Health for Sqlite {
    fn checks(&self) -> Vec<Check> {
        #[cfg_attr(
            not(unix),
            expect(unused_mut, reason = "elsewhere free space is not known")
        )]
        let mut checks = vec![
            Check {
                about: "file".into(),
                found: Ok(self.file_found()),
            },
            Check {
                about: "integrity".into(),
                found: self.integrity(),
            },
        ];
        #[cfg(unix)]
        checks.push(Check {
            about: "disk".into(),
            found: self.disk(),
        });
        checks
    }
}

impl Sqlite {
    fn file_found(&self) -> Message {
        let bytes = fs::metadata(&self.path).map_or(0, |found| found.len());
        message!(
            "{path}, {bytes} bytes, schema {version}, SQLite {sqlite}",
            path = self.path.display(),
            bytes = number(bytes),
            version = schema::VERSION.to_string(),
            sqlite = rusqlite::version()
        )
    }

    pub(super) fn integrity(&self) -> Result<Message> {
        let said: String = self
            .connection()?
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .map_err(|error| self.explain(&error))?;
        if said == "ok" {
            return Ok("quick check passed".into());
        }
        Err(Error::store(message!(
            "{path} is damaged: {said}.",
            path = self.path.display().to_string(),
            said
        ))
        .hint("back up the file first; `sqlite3 FILE .recover` may recover its content."))
    }

    #[cfg(unix)]
    fn disk(&self) -> Result<Message> {
        let directory = self.path.parent().unwrap_or(&self.path);
        let disk = rustix::fs::statvfs(directory).map_err(|error| {
            Error::store(message!(
                "Can't inspect {directory}: {error}.",
                directory = directory.display().to_string(),
                error = error.to_string()
            ))
        })?;
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        let said = message!("{bytes} bytes are free", bytes = number(free));
        if free < LITTLE_BYTES {
            return Err(Error::store(message!("Only {said}.", said)).hint("free some space."));
        }
        Ok(said)
    }
}
