//! Health checks of the server.

use std::time::{Duration, Instant};

use super::values::{get, params};
use super::{Postgres, schema};
use crate::model::error::{Error, Result};
use crate::model::text::message::{Message, message, quoted};
use crate::store::{Check, Health};

/// The number of round trips for measuring latency.
const ROUNDS: usize = 9;

impl Health for Postgres {
    fn checks(&self) -> Vec<Check> {
        let check = |about: &'static str, found| Check {
            about: about.into(),
            found,
        };
        vec![
            check("server", self.server_found()),
            check("latency", self.latency()),
            check("search index", self.text_index()),
            check("objects", self.objects_found()),
        ]
    }
}

impl Postgres {
    fn server_found(&self) -> Result<Message> {
        let (version, tls): (String, bool) = self.reading(|connection| {
            let sql =
                "SELECT EXISTS (SELECT FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl)";
            let row = connection.query_one(sql, params![])?;
            Ok((connection.server.version.clone(), get(&row, 0)?))
        })?;
        let encryption = Message::from(if tls { "TLS" } else { "not encrypted" });
        Ok(message!(
            "{place}, PostgreSQL {version}, {encryption}, schema {schema} of version {known}",
            place = self.place(),
            version,
            encryption,
            schema = quoted(&self.settings.url.schema),
            known = schema::VERSION.to_string()
        ))
    }

    fn latency(&self) -> Result<Message> {
        let mut times = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let start = Instant::now();
            self.reading(|connection| connection.query("SELECT 1", params![]).map(drop))?;
            times.push(start.elapsed());
        }
        times.sort_unstable();
        let median = times.get(ROUNDS / 2).copied().unwrap_or(Duration::ZERO);
        Ok(message!(
            "{time} ms per round trip",
            time = format!("{:.1}", median.as_secs_f64() * 1_000.0)
        ))
    }

    fn text_index(&self) -> Result<Message> {
        let there: bool = self.reading(|connection| {
            let sql = "SELECT EXISTS (SELECT FROM pg_indexes WHERE schemaname = current_schema() AND indexname = 'note_by_text')";
            get(&connection.query_one(sql, params![])?, 0)
        })?;
        if there {
            return Ok("present (pg_trgm)".into());
        }
        Err(Error::store("Searches have no index and are slower.")
            .hint("an administrator can run `CREATE EXTENSION pg_trgm`; see docs/postgres.md."))
    }

    fn objects_found(&self) -> Result<Message> {
        Ok(match self.probe_objects()? {
            Some(place) => message!("{place} stored, read and removed one", place),
            None => "in the database".into(),
        })
    }
}
