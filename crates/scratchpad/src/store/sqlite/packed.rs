//! Output content inside the database: a backup is one file.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, Write as _};

use rusqlite::{Connection, params};

use super::Sqlite;
use super::outputs::rows;
use crate::disk::private::cannot;
use crate::model::error::Result;
use crate::model::id::OutputId;
use crate::store::{OutputFilter, Outputs as _};

/// How much of an output is in one row.
const PART_BYTES: u64 = 1 << 20;

const TABLE: &str = "CREATE TABLE output_content (
    output TEXT NOT NULL,
    part INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (output, part)
) STRICT, WITHOUT ROWID";

impl Sqlite {
    /// Puts the content of all outputs into the database, and removes their files, the log and the index of the log: the
    /// database is then one file, of which everything can be copied into another store.
    pub fn pack(self) -> Result<()> {
        let packed = self.pack_outputs();
        let (path, outputs) = (self.path.clone(), self.outputs.clone());
        drop(self);
        packed?;
        if outputs.exists() {
            fs::remove_dir_all(&outputs).map_err(|error| cannot("remove", &outputs, &error))?;
        }
        let file = File::open(&path).and_then(|file| file.sync_all());
        file.map_err(|error| cannot("write", &path, &error))
    }

    fn pack_outputs(&self) -> Result<()> {
        let connection = self.connection()?;
        let failed = |error: rusqlite::Error| self.explain(&error);
        let transaction = self.begin(&connection).map_err(failed)?;
        transaction.execute_batch(TABLE).map_err(failed)?;
        for row in rows(&transaction, OutputFilter::Everything).map_err(failed)? {
            let path = self.file_of(&row.head.id);
            let mut file = File::open(&path).map_err(|error| cannot("read", &path, &error))?;
            for number in 0.. {
                let mut part = Vec::new();
                (&mut file)
                    .take(PART_BYTES)
                    .read_to_end(&mut part)
                    .map_err(|error| cannot("read", &path, &error))?;
                if part.is_empty() {
                    break;
                }
                let added: rusqlite::Result<usize> = transaction
                    .prepare_cached("INSERT INTO output_content VALUES (?1, ?2, ?3)")
                    .and_then(|mut add| add.execute(params![row.head.id.as_str(), number, part]));
                added.map_err(failed)?;
            }
        }
        transaction.commit().map_err(failed)?;
        connection
            .pragma_update(None, "journal_mode", "DELETE")
            .map_err(failed)
    }

    /// Reads a packed database again: all of it, and the content of every output.
    pub fn check_packed(&self) -> Result<()> {
        self.integrity()?;
        let kept = rows(&*self.connection()?, OutputFilter::Everything)
            .map_err(|error| self.explain(&error))?;
        // What is read is compared with its hash.
        kept.iter()
            .try_for_each(|row| self.read(&row.head.id).map(drop))
    }
}

/// The content of an output that is inside the database, in an unnamed temporary file.
pub(super) fn unpacked(
    id: &OutputId,
    connection: &Connection,
) -> rusqlite::Result<Option<io::Result<File>>> {
    if !connection.table_exists(None, "output_content")? {
        return Ok(None);
    }
    let mut parts = connection
        .prepare_cached("SELECT content FROM output_content WHERE output = ?1 ORDER BY part")?;
    let mut file = match tempfile::tempfile() {
        Ok(file) => file,
        Err(error) => return Ok(Some(Err(error))),
    };
    let mut found = parts.query([id.as_str()])?;
    while let Some(part) = found.next()? {
        let part = part.get_ref(0)?.as_blob()?;
        if let Err(error) = file.write_all(part) {
            return Ok(Some(Err(error)));
        }
    }
    Ok(Some(file.rewind().map(|()| file)))
}
