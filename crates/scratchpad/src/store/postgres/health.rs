//! How a server is.

use std::time::{Duration, Instant};

use super::values::{get, params};
use super::{Postgres, schema};
use crate::model::error::{Error, Result};
use crate::store::{Check, Health};

/// How many round trips tell the latency.
const ROUNDS: usize = 9;

impl Health for Postgres {
    fn checks(&self) -> Vec<Check> {
        let check = |about, found| Check { about, found };
        vec![
            check("server", self.server_found()),
            check("latency", self.latency()),
            check("search index", self.text_index()),
            check("objects", self.objects_found()),
        ]
    }
}

impl Postgres {
    fn server_found(&self) -> Result<String> {
        let (version, tls): (String, bool) = self.reading(|connection| {
            let sql =
                "SELECT EXISTS (SELECT FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl)";
            let row = connection.query_one(sql, params![])?;
            Ok((connection.server.version.clone(), get(&row, 0)?))
        })?;
        Ok(format!(
            "{}, PostgreSQL {version}, {}, schema {:?} of version {}",
            self.place(),
            if tls { "TLS" } else { "not encrypted" },
            self.settings.url.schema,
            schema::VERSION
        ))
    }

    fn latency(&self) -> Result<String> {
        let mut times = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let start = Instant::now();
            self.reading(|connection| connection.query("SELECT 1", params![]).map(drop))?;
            times.push(start.elapsed());
        }
        times.sort_unstable();
        let median = times.get(ROUNDS / 2).copied().unwrap_or(Duration::ZERO);
        Ok(format!(
            "{:.1} ms a round trip",
            median.as_secs_f64() * 1_000.0
        ))
    }

    fn text_index(&self) -> Result<String> {
        let there: bool = self.reading(|connection| {
            let sql = "SELECT EXISTS (SELECT FROM pg_indexes WHERE schemaname = current_schema() AND indexname = 'note_by_text')";
            get(&connection.query_one(sql, params![])?, 0)
        })?;
        if there {
            return Ok("there, by pg_trgm".to_owned());
        }
        Err(Error::store("Searches have no index, and are slower.")
            .hint("an administrator may run `CREATE EXTENSION pg_trgm`; see docs/postgres.md."))
    }

    fn objects_found(&self) -> Result<String> {
        Ok(match self.probe_objects()? {
            Some(place) => format!("{place} stored, read and removed one"),
            None => "in the database".to_owned(),
        })
    }
}
