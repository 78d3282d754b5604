//! The content of outputs: blocks in rows, or, where there is a place for them and they are many, in objects.
//!
//! An object has a name that no other ever gets, so that who removes one can't meet who stores the same content
//! anew. Before it is there, and from when nobody needs it, a row says that it is to be removed: a kill at any point
//! leaves such a row, and the next prune does the rest.

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

/// How many blocks are one part of an object.
const PART_BLOCKS: usize = 64;
/// How many blocks are written by one statement.
const ROWS_AT_ONCE: usize = 16;
/// How many objects one sweep removes.
const SWEPT_AT_ONCE: i64 = 1_000;

/// Content that is packed, and in its object if it gets one.
pub(super) struct Ready {
    packed: Packed,
    pub(super) object: Option<String>,
}

impl Ready {
    /// What is known of the blocks, as it is stored.
    pub(super) fn index(&self) -> String {
        self.packed.index.encoded()
    }
}

/// How many parts an object of so much content has.
fn parts(bytes: u64) -> usize {
    let part = (PART_BLOCKS * BLOCK_BYTES) as u64;
    usize::try_from(bytes.div_ceil(part)).unwrap_or(usize::MAX)
}

impl Postgres {
    /// The place for objects, if there is one.
    fn objects(&self) -> Result<Option<&Objects>> {
        if let Some(objects) = self.objects.get() {
            return Ok(objects.as_ref());
        }
        let (url, variables) = &self.outputs;
        let new = Objects::new(url, variables, self.timeout())?;
        Ok(self.objects.get_or_init(|| new).as_ref())
    }

    /// Packs content, and stores it where it goes into an object.
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

    /// Makes prepared content that of an output which has none.
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

    /// Lets an object go that was prepared and is not needed.
    pub(super) fn let_go(transaction: &Transaction<'_>, name: &str) -> Result<(), Failure> {
        let sql = "UPDATE output_object SET due = now() WHERE name = $1";
        transaction.execute(sql, params![name]).map(drop)
    }

    /// Takes the content from outputs, of which the caller holds the rows.
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

    /// Removes objects that nobody needs; answers how many. Two that do it at once are in nobody's way.
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

    /// Whether objects can be stored, read and removed, and where that is; none if all is in the database.
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

/// Where the blocks of one output are.
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
                "Output {id} is in object storage, and `store.outputs` does not say here which.",
                id = &self.id
            ))
            .hint("set it as it is set where the output was kept."));
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
        // Whoever reads it is told anyway; a list shows it until somebody can mark it.
        let _ = marked;
    }
}
