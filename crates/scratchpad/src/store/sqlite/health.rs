//! How the embedded store is.

use std::fs;

use super::{Sqlite, schema};
use crate::model::error::{Error, Result};
use crate::model::text::quantity::grouped;
use crate::store::{Check, Health};

/// Less free space than this is too little.
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
                about: "file",
                found: Ok(self.file_found()),
            },
            Check {
                about: "integrity",
                found: self.integrity(),
            },
        ];
        #[cfg(unix)]
        checks.push(Check {
            about: "disk",
            found: self.disk(),
        });
        checks
    }
}

impl Sqlite {
    fn file_found(&self) -> String {
        let bytes = fs::metadata(&self.path).map_or(0, |found| found.len());
        format!(
            "{}, {} bytes, schema {}, SQLite {}",
            self.path.display(),
            grouped(bytes),
            schema::VERSION,
            rusqlite::version()
        )
    }

    fn integrity(&self) -> Result<String> {
        let said: String = self
            .connection()
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .map_err(|error| self.explain(&error))?;
        if said == "ok" {
            return Ok("quick check passed".to_owned());
        }
        Err(Error::store(format!("{} is damaged: {said}.", self.path.display()))
            .hint("copy the file away before anything else; `sqlite3 FILE .recover` may save its content."))
    }

    #[cfg(unix)]
    fn disk(&self) -> Result<String> {
        let directory = self.path.parent().unwrap_or(&self.path);
        let disk = rustix::fs::statvfs(directory).map_err(|error| {
            Error::store(format!("Can't look at {}: {error}.", directory.display()))
        })?;
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        let said = format!("{} bytes are free", grouped(free));
        if free < LITTLE_BYTES {
            return Err(Error::store(format!("Only {said}.")).hint("free some space."));
        }
        Ok(said)
    }
}
