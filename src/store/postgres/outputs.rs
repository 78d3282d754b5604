//! Outputs in SQL, with their content.

use std::io::{Cursor, Read as _};
use std::path::PathBuf;

use tokio_postgres::Row;

use super::Postgres;
use super::connection::{Connection, Transaction};
use super::errors::Failure;
use super::values::{count, escaped, get, params, text, whole};
use crate::model::error::{Error, Result};
use crate::model::hash::sha256_hex;
use crate::model::id::{Millis, OutputId, SessionId};
use crate::model::output::{Kind, OutputHead, Pruned};
use crate::store::{OutputDraft, Outputs, Shelf, Staged, Stored};

/// A use is written down if the last one was so long ago: reading often must not mean writing often.
const TOUCH_EVERY: Millis = 60_000;
/// How many removed outputs are remembered.
const REMEMBERED: i64 = 10_000;

impl Outputs for Postgres {
    fn stage(&self) -> Result<Staged> {
        Staged::new_in(&self.settings.staging)
    }

    fn keep(&self, draft: &OutputDraft<'_>, staged: Staged) -> Result<OutputId> {
        let mut content = Vec::new();
        let mut reader = staged.reader()?;
        reader
            .read_to_end(&mut content)
            .map_err(|error| Error::store(format!("Can't read what is to be kept: {error}.")))?;
        let hash = sha256_hex(&content);
        self.writing(|transaction| self.keep_in(transaction, draft, &hash, &content))
    }

    /// Nothing to do: what was kept is durable already.
    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn read(&self, id: &OutputId) -> Result<Option<(Box<dyn Stored>, u64)>> {
        let content = self.reading(|connection| {
            let sql = "SELECT content FROM output WHERE id = $1";
            let row = connection.query_opt(sql, params![id.as_str()])?;
            row.map(|row| get::<Vec<u8>>(&row, 0)).transpose()
        })?;
        Ok(content.map(|content| {
            let bytes = content.len() as u64;
            let stored: Box<dyn Stored> = Box::new(Cursor::new(content));
            (stored, bytes)
        }))
    }

    fn file(&self, _: &OutputId) -> Option<PathBuf> {
        None
    }

    fn directory(&self) -> Option<PathBuf> {
        None
    }

    fn touch(&self, id: &OutputId, at: Millis) -> Result<()> {
        self.reading(|connection| {
            let sql = "UPDATE output SET used = $2 WHERE id = $1 AND abs(used - $2) > $3";
            connection.execute(sql, params![id.as_str(), at, TOUCH_EVERY])?;
            Ok(())
        })
    }

    fn outputs(&self, on: Shelf<'_>) -> Result<Vec<OutputHead>> {
        self.reading(|connection| heads(connection, on))
    }

    fn remove(&self, ids: &[OutputId], at: Millis) -> Result<Vec<OutputHead>> {
        self.writing(|transaction| {
            let mut gone = heads(transaction, Shelf::Everything)?;
            gone.retain(|head| ids.contains(&head.id));
            remove(transaction, &gone, at)?;
            Ok(gone)
        })
    }

    fn removed(&self, id: &OutputId) -> Result<Option<Millis>> {
        self.reading(|connection| {
            let sql = "SELECT at FROM output_removed WHERE id = $1";
            let row = connection.query_opt(sql, params![id.as_str()])?;
            row.map(|row| get(&row, 0)).transpose()
        })
    }

    fn prune(&self, at: Millis, choose: &dyn Fn(&[OutputHead]) -> Vec<OutputId>) -> Result<Pruned> {
        let gone = self.writing(|transaction| {
            transaction.batch("LOCK TABLE output IN SHARE ROW EXCLUSIVE MODE")?;
            transaction.execute("UPDATE output SET used = $1 WHERE used > $1", params![at])?;
            transaction.execute(
                "UPDATE output_keep SET kept = $1 WHERE kept > $1",
                params![at],
            )?;
            let mut gone = heads(transaction, Shelf::Everything)?;
            let chosen = choose(&gone);
            gone.retain(|head| chosen.contains(&head.id));
            remove(transaction, &gone, at)?;
            Ok(gone)
        })?;
        Ok(Pruned {
            outputs: gone.len(),
            bytes: gone.iter().map(|output| output.bytes).sum(),
            strays: 0,
        })
    }
}

impl Postgres {
    fn keep_in(
        &self,
        transaction: &Transaction<'_>,
        draft: &OutputDraft<'_>,
        hash: &str,
        content: &[u8],
    ) -> Result<OutputId, Failure> {
        // Who keeps, and who removes, takes turns: an id stands for one content.
        transaction.batch("LOCK TABLE output IN SHARE ROW EXCLUSIVE MODE")?;
        let id = id_for(transaction, hash)?;
        transaction.execute(
            "INSERT INTO output (id, sha256, bytes, lines, kind, created, used, content)
             VALUES ($1, $2, $3, $4, $5, $6, $6, $7)
             ON CONFLICT (id) DO UPDATE SET used = excluded.used",
            params![
                id.as_str(),
                hash,
                whole(content.len()),
                whole(draft.lines),
                draft.kind.name(),
                draft.at,
                content,
            ],
        )?;
        let project = draft.project.map_or("", |project| project.as_str());
        transaction.execute(
            "INSERT INTO output_keep (output, session, project, author, tool, kept)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (output, session, project)
             DO UPDATE SET author = excluded.author, tool = excluded.tool, kept = excluded.kept",
            params![
                id.as_str(),
                draft.session.as_str(),
                escaped(project),
                self.settings.author,
                escaped(draft.tool),
                draft.at,
            ],
        )?;
        Ok(OutputId::new(&id)?)
    }
}

/// The id that this content has, or will have.
fn id_for(transaction: &Transaction<'_>, hash: &str) -> Result<String, Failure> {
    let sql = "SELECT id FROM output WHERE sha256 = $1";
    if let Some(row) = transaction.query_opt(sql, params![hash])? {
        return get(&row, 0);
    }
    for digits in (OutputId::MIN_DIGITS..OutputId::MAX_DIGITS).step_by(4) {
        let id = hash.get(..digits).unwrap_or(hash);
        let taken = transaction.query_opt("SELECT 1 FROM output WHERE id = $1", params![id])?;
        if taken.is_none() {
            return Ok(id.to_owned());
        }
    }
    Ok(hash.to_owned())
}

/// Removes outputs and remembers that they were there.
fn remove(transaction: &Transaction<'_>, gone: &[OutputHead], at: Millis) -> Result<(), Failure> {
    if gone.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = gone.iter().map(|head| head.id.to_string()).collect();
    transaction.execute(
        "DELETE FROM output_keep WHERE output = ANY ($1)",
        params![ids],
    )?;
    transaction.execute("DELETE FROM output WHERE id = ANY ($1)", params![ids])?;
    transaction.execute(
        "INSERT INTO output_removed (id, at) SELECT id, $2 FROM unnest($1) AS gone (id)
         ON CONFLICT (id) DO UPDATE SET at = excluded.at",
        params![ids, at],
    )?;
    transaction.execute(
        "DELETE FROM output_removed WHERE at <
         (SELECT at FROM output_removed ORDER BY at DESC LIMIT 1 OFFSET $1)",
        params![REMEMBERED],
    )?;
    Ok(())
}

/// The outputs on a shelf, last kept first.
fn heads(connection: &Connection, shelf: Shelf<'_>) -> Result<Vec<OutputHead>, Failure> {
    let (filter, session, project) = match shelf {
        Shelf::Seen(sight) => (
            "k.session = $1 OR (k.project = $2 AND k.project <> '')",
            sight.session.as_str(),
            sight.project.as_str(),
        ),
        Shelf::Project(project) => ("k.project = $2", "", project.as_str()),
        Shelf::Everything => ("true", "", ""),
    };
    let sql = format!(
        "SELECT id, bytes, lines, kind, used, tool, session, kept FROM (
             SELECT DISTINCT ON (o.id) o.key, o.id, o.bytes, o.lines, o.kind, o.used, k.tool, k.session, k.kept
             FROM output o JOIN output_keep k ON k.output = o.id
             WHERE {filter} ORDER BY o.id, k.kept DESC
         ) AS last ORDER BY kept DESC, key DESC"
    );
    let rows = connection.query(&sql, params![session, escaped(project)])?;
    rows.iter().map(head).collect()
}

fn head(row: &Row) -> Result<OutputHead, Failure> {
    Ok(OutputHead {
        id: OutputId::new(get(row, 0)?).map_err(|_| Failure::Foreign("an output's id is none"))?,
        bytes: count(row, 1)?,
        lines: count(row, 2)?,
        kind: Kind::named(get(row, 3)?),
        used: get(row, 4)?,
        tool: text(row, 5)?,
        session: SessionId::new(get::<String>(row, 6)?)
            .map_err(|_| Failure::Foreign("a session's id is none"))?,
        kept: get(row, 7)?,
    })
}
