//! The content of outputs: blocks in rows, or in objects if there is an object store and more than one block.
//!
//! Object names are never reused, so removing an object can't race with storing the same content again. Before an
//! object is written, and once it is no longer needed, a row schedules its removal: a kill at any point leaves such a
//! row, and the next prune does the rest.

pub(super) mod blocks;
pub mod objects;

use std::io::Read;
use std::ops::Range;

use super::Postgres;
use super::connection::Transaction;
use super::errors::Failure;
use super::values::{count, get, params, whole};
use crate::model::error::{Error, Result};
use crate::model::text::message::message;
use blocks::{BLOCK_BYTES, Index, Packed, Source};
use objects::Objects;

/// The number of blocks in a part of an object.
const PART_BLOCKS: usize = 64;
/// The number of blocks written by one statement.
const ROWS_AT_ONCE: usize = 16;
/// The maximum number of objects that one sweep removes.
const SWEPT_AT_ONCE: i64 = 1_000;

/// Compressed content, stored in its object already if it gets one.
pub(super) struct Ready {
    packed: Packed,
    pub(super) object: Option<String>,
}

impl Ready {
    /// The encoded index of the blocks.
    pub(super) fn index(&self) -> String {
        self.packed.index.encoded()
    }
}

/// The number of parts of an object with this much content.
fn parts(bytes: u64) -> usize {
    let part = (PART_BLOCKS * BLOCK_BYTES) as u64;
    usize::try_from(bytes.div_ceil(part)).unwrap_or(usize::MAX)
}

impl Postgres {
    /// The object store, if there is one.
    fn objects(&self) -> Result<Option<&Objects>> {
        if let Some(objects) = self.objects.get() {
            return Ok(objects.as_ref());
        }
        let (url, variables) = &self.outputs;
        let new = Objects::new(url, variables, self.timeout())?;
        Ok(self.objects.get_or_init(|| new).as_ref())
    }

    /// Compresses content, and stores it if it goes into an object.
    pub(super) fn prepare(&self, hash: &str, bytes: u64, content: &mut dyn Read) -> Result<Ready> {
        let mut packed = Packed::of(content, &self.settings.staging)?;
        let blocks = packed.index.len();
        let objects = self.objects()?.filter(|_| blocks > 1);
        let Some(objects) = objects else {
            return Ok(Ready {
                packed,
                object: None,
            });
        };
        let parts = parts(bytes);
        let name: String = self.writing(|transaction| {
            let row = transaction.query_one(
                "INSERT INTO output_object (name, parts, due)
                 VALUES ($1 || '.' || gen_random_uuid(), $2, now() + interval '1 hour') RETURNING name",
                params![hash, whole(parts)],
            )?;
            get(&row, 0)
        })?;
        for part in 0..parts {
            let start = part * PART_BLOCKS;
            let content = packed.blocks(start..blocks.min(start + PART_BLOCKS))?;
            objects.put(&name, part, content.concat())?;
        }
        Ok(Ready {
            packed,
            object: Some(name),
        })
    }

    /// Attaches prepared content to an output that has none.
    pub(super) fn attach(
        transaction: &Transaction<'_>,
        id: &str,
        ready: &mut Ready,
    ) -> Result<(), Failure> {
        if let Some(name) = &ready.object {
            let sql = "DELETE FROM output_object WHERE name = $1 AND due > now()";
            if transaction.execute(sql, params![name.as_str()])? == 0 {
                let late = "Storing it took more than an hour. Nothing was changed.";
                return Err(Error::store(late).into());
            }
            return Ok(());
        }
        let blocks = ready.packed.index.len();
        for start in (0..blocks).step_by(ROWS_AT_ONCE) {
            let some = start..blocks.min(start + ROWS_AT_ONCE);
            let numbers: Vec<i64> = some.clone().map(whole).collect();
            let content = ready.packed.blocks(some)?;
            transaction.execute(
                "INSERT INTO output_block (output, number, content)
                 SELECT $1, number, content FROM unnest($2, $3) AS block (number, content)",
                params![id, numbers, content],
            )?;
        }
        Ok(())
    }

    /// Schedules the removal of a prepared object that is not needed.
    pub(super) fn let_go(transaction: &Transaction<'_>, name: &str) -> Result<(), Failure> {
        let sql = "UPDATE output_object SET due = now() WHERE name = $1";
        transaction.execute(sql, params![name]).map(drop)
    }

    /// Detaches the content of outputs, whose rows the caller has locked.
    pub(super) fn detach(transaction: &Transaction<'_>, ids: &Vec<String>) -> Result<(), Failure> {
        let sql = "DELETE FROM output_block WHERE output = ANY ($1)";
        transaction.execute(sql, params![*ids])?;
        let sql = "SELECT object, bytes FROM output WHERE id = ANY ($1) AND object IS NOT NULL";
        for row in transaction.query(sql, params![*ids])? {
            let name: String = get(&row, 0)?;
            transaction.execute(
                "INSERT INTO output_object (name, parts, due) VALUES ($1, $2, now())",
                params![name, whole(parts(count(&row, 1)?))],
            )?;
        }
        Ok(())
    }

    /// Removes unneeded objects; returns their number. Safe to run concurrently.
    pub(super) fn sweep(&self) -> Result<usize> {
        let due = self.reading(|connection| {
            let sql =
                "SELECT name, parts FROM output_object WHERE due <= now() ORDER BY due LIMIT $1";
            let rows = connection.query(sql, params![SWEPT_AT_ONCE])?;
            let due = |row| Ok((get(row, 0)?, count(row, 1)?));
            rows.iter()
                .map(due)
                .collect::<Result<Vec<(String, usize)>, Failure>>()
        })?;
        let Some(objects) = self.objects()?.filter(|_| !due.is_empty()) else {
            return Ok(0);
        };
        for (name, parts) in &due {
            objects.delete(name, *parts)?;
            self.writing(|transaction| {
                let sql = "DELETE FROM output_object WHERE name = $1";
                transaction.execute(sql, params![name.as_str()])
            })?;
        }
        Ok(due.len())
    }

    /// Checks that objects can be stored, read and removed; returns where. `None` without an object store.
    pub(super) fn probe_objects(&self) -> Result<Option<String>> {
        let Some(objects) = self.objects()? else {
            return Ok(None);
        };
        let name: String = self.reading(|connection| {
            get(
                &connection.query_one("SELECT 'probe.' || gen_random_uuid()", params![])?,
                0,
            )
        })?;
        objects.probe(&name)?;
        Ok(Some(objects.to_string()))
    }
}

/// Where the blocks of an output are stored.
pub(super) struct Content {
    pub(super) store: Postgres,
    pub(super) id: String,
    pub(super) object: Option<String>,
    pub(super) index: Index,
}

impl Content {
    fn in_rows(&self, blocks: &Range<usize>) -> Result<Vec<Vec<u8>>> {
        self.store.reading(|connection| {
            let rows = connection.query(
                "SELECT content FROM output_block WHERE output = $1 AND number >= $2 AND number < $3 ORDER BY number",
                params![self.id.as_str(), whole(blocks.start), whole(blocks.end)],
            )?;
            rows.iter().map(|row| get(row, 0)).collect()
        })
    }

    fn in_object(&self, name: &str, blocks: &Range<usize>) -> Result<Vec<Vec<u8>>> {
        let Some(objects) = self.store.objects()? else {
            return Err(Error::store(message!(
                "Output {id} is in object storage, but `store.outputs` is not set here.",
                id = &self.id
            ))
            .hint("set it to the value it has where the output was kept."));
        };
        let mut fetched = Vec::new();
        let mut next = blocks.start;
        while next < blocks.end {
            let part = next / PART_BLOCKS;
            let first = part * PART_BLOCKS;
            let some = next..blocks.end.min(first + PART_BLOCKS);
            let start: u64 = self.index.sizes(first..next).sum();
            let length: u64 = self.index.sizes(some.clone()).sum();
            let Some(content) = objects.get(name, part, start..start + length)? else {
                break;
            };
            let mut rest = content.as_slice();
            for bytes in self.index.sizes(some.clone()) {
                let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(rest.len());
                let (block, behind) = rest.split_at(bytes);
                fetched.push(block.to_vec());
                rest = behind;
            }
            next = some.end;
        }
        Ok(fetched)
    }
}

impl Source for Content {
    fn fetch(&self, blocks: Range<usize>) -> Result<Vec<Vec<u8>>> {
        match &self.object {
            Some(name) => self.in_object(name, &blocks),
            None => self.in_rows(&blocks),
        }
    }

    fn is_damaged(&self) {
        let marked = self.store.writing(|transaction| {
            let sql =
                "UPDATE output SET damaged = true WHERE id = $1 AND coalesce(object, '') = $2";
            let object = self.object.as_deref().unwrap_or_default();
            transaction.execute(sql, params![self.id.as_str(), object])
        });
        // Best effort: the reader gets an error anyway, and lists show the output until a reader can mark it.
        let _ = marked;
    }
}
