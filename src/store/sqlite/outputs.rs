//! Outputs: content as one plain file each, named by its id; what is known of it in SQL.

use std::path::PathBuf;

use rusqlite::{OptionalExtension, params};

use super::Sqlite;
use crate::model::error::{Error, Result};
use crate::model::hash::sha256_hex;
use crate::model::id::{OutputId, SessionId};
use crate::model::output::{FoundOutputs, OutputHead};
use crate::store::private::{self, cannot};
use crate::store::{OutputDraft, Outputs};

impl Outputs for Sqlite {
    fn keep(&self, draft: &OutputDraft<'_>) -> Result<OutputId> {
        let hash = sha256_hex(draft.content);
        private::create_dir(&self.outputs)?;
        for id in self.candidates(&hash)? {
            private::replace(&self.file_of(&id), draft.content)?;
            if self.insert(&id, &hash, draft)? {
                return Ok(id);
            }
        }
        Err(Error::store(format!(
            "No id is free for an output with the hash {hash}."
        )))
    }

    fn read(&self, id: &OutputId) -> Result<Option<Vec<u8>>> {
        let Some(hash) = self.hash_of(id)? else {
            return Ok(None);
        };
        let path = self.file_of(id);
        let content = std::fs::read(&path).map_err(|error| cannot("read", &path, &error))?;
        if sha256_hex(&content) != hash {
            return Err(Error::store(format!(
                "Output {id} is damaged: {} does not hold what was kept.",
                path.display()
            )));
        }
        Ok(Some(content))
    }

    fn outputs(&self, session: &SessionId, limit: usize) -> Result<FoundOutputs> {
        self.outputs_of(session, limit)
            .map_err(|error| self.explain(&error))
    }
}

impl Sqlite {
    fn outputs_of(&self, session: &SessionId, limit: usize) -> rusqlite::Result<FoundOutputs> {
        let connection = self.connection();
        let (total, bytes) = connection.query_row(
            "SELECT count(*), coalesce(sum(bytes), 0) FROM output WHERE session = ?1",
            [session.as_str()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let outputs = connection
            .prepare_cached(
                "SELECT id, bytes, tool, session, created FROM output WHERE session = ?1
                 ORDER BY created DESC, rowid DESC LIMIT ?2",
            )?
            .query_map(params![session.as_str(), limit], |row| {
                let (id, session): (String, String) = (row.get(0)?, row.get(3)?);
                let (Ok(id), Ok(session)) = (OutputId::new(&id), SessionId::new(session)) else {
                    // A row that somebody else wrote; there is nothing to say about it.
                    return Ok(None);
                };
                Ok(Some(OutputHead {
                    id,
                    bytes: row.get(1)?,
                    tool: row.get(2)?,
                    session,
                    created: row.get(4)?,
                }))
            })?
            .filter_map(Result::transpose)
            .collect::<rusqlite::Result<Vec<OutputHead>>>()?;
        Ok(FoundOutputs {
            total,
            bytes,
            outputs,
        })
    }

    fn file_of(&self, id: &OutputId) -> PathBuf {
        self.outputs.join(id.as_str())
    }

    /// The ids to try, shortest first: the one it has already, else those that nothing else has.
    fn candidates(&self, hash: &str) -> Result<Vec<OutputId>> {
        let kept: Option<String> = self
            .connection()
            .query_row("SELECT id FROM output WHERE sha256 = ?1", [hash], |row| {
                row.get(0)
            })
            .optional()
            .map_err(|error| self.explain(&error))?;
        if let Some(id) = kept {
            return Ok(vec![OutputId::new(&id)?]);
        }
        let mut free = Vec::new();
        for digits in (OutputId::MIN_DIGITS..=OutputId::MAX_DIGITS).step_by(4) {
            let id = OutputId::new(hash.get(..digits).unwrap_or(hash))?;
            if self.hash_of(&id)?.is_none() {
                free.push(id);
            }
        }
        Ok(free)
    }

    fn hash_of(&self, id: &OutputId) -> Result<Option<String>> {
        self.connection()
            .query_row(
                "SELECT sha256 FROM output WHERE id = ?1",
                [id.as_str()],
                |row| row.get(0),
            )
            .optional()
            .map_err(|error| self.explain(&error))
    }

    /// Records the output; false if another content took the id in the meantime.
    fn insert(&self, id: &OutputId, hash: &str, draft: &OutputDraft<'_>) -> Result<bool> {
        self.connection()
            .execute(
                "INSERT INTO output (id, sha256, bytes, tool, session, created, used)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
                 ON CONFLICT (id) DO UPDATE SET used = excluded.used WHERE sha256 = excluded.sha256",
                params![
                    id.as_str(),
                    hash,
                    draft.content.len(),
                    draft.tool,
                    draft.session.as_str(),
                    draft.at
                ],
            )
            .map(|changed| changed > 0)
            .map_err(|error| self.explain(&error))
    }
}
