//! Which packed copies are out of date.

use rusqlite::{Connection, Result};

use super::page::Entry;

/// The stale copies of a scope: for each note, the version below which its copies are stale.
#[derive(Debug)]
pub(super) struct Stale {
    versions: Vec<(i64, i64)>,
}

impl Stale {
    pub(super) fn load(connection: &Connection, scope: i64) -> Result<Self> {
        let versions = connection
            .prepare_cached("SELECT note, version FROM note_stale WHERE scope = ?1 ORDER BY note")?
            .query_map([scope], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_>>()?;
        Ok(Self { versions })
    }

    pub(super) fn contains(&self, copy: &Entry) -> bool {
        self.versions
            .binary_search_by_key(&copy.key, |(note, _)| *note)
            .ok()
            .and_then(|found| self.versions.get(found))
            .is_some_and(|(_, version)| copy.version < *version)
    }
}

/// The same for a search that may have few hits: notes are looked up one by one at first, later all are loaded.
pub(super) struct StaleWhenNeeded<'a> {
    connection: &'a Connection,
    scope: i64,
    state: State,
}

enum State {
    None,
    Asked(u32),
    Loaded(Stale),
}

impl<'a> StaleWhenNeeded<'a> {
    pub(super) fn new(connection: &'a Connection, scope: i64) -> Result<Self> {
        let any = connection
            .prepare_cached("SELECT 1 FROM note_stale WHERE scope = ?1")?
            .exists([scope])?;
        Ok(Self {
            connection,
            scope,
            state: if any { State::Asked(0) } else { State::None },
        })
    }

    #[inline]
    pub(super) fn contains(&mut self, copy: &Entry) -> Result<bool> {
        /// The number of lookups from which loading all is cheaper.
        const FEW: u32 = 200;
        match &mut self.state {
            State::None => Ok(false),
            State::Loaded(stale) => Ok(stale.contains(copy)),
            State::Asked(times) if *times < FEW => {
                *times += 1;
                self.connection
                    .prepare_cached(
                        "SELECT 1 FROM note_stale WHERE scope = ?1 AND note = ?2 AND version > ?3",
                    )?
                    .exists([self.scope, copy.key, copy.version])
            }
            State::Asked(_) => {
                let stale = Stale::load(self.connection, self.scope)?;
                let contains = stale.contains(copy);
                self.state = State::Loaded(stale);
                Ok(contains)
            }
        }
    }
}
