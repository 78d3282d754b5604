//! The MCP sessions of the older protocol era: limited in number, and dropped when idle for too long.
//!
//! What was written in a session stays when it ends; its client gets 404 and starts a new one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::time::Instant;

/// The maximum number of MCP sessions, at about 55 kB each.
pub(super) const MAX_SESSIONS: usize = 1_000;

#[derive(Clone)]
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    uses: Arc<Mutex<Uses>>,
    idle: Duration,
}

impl Sessions {
    /// Sessions end when unused for `idle`.
    pub(super) fn new(idle: Duration) -> Self {
        let mut manager = LocalSessionManager::default();
        // The SDK's own timeout ignores open streams.
        manager.session_config.keep_alive = None;
        Self {
            manager: Arc::new(manager),
            uses: Arc::default(),
            idle,
        }
    }

    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        self.manager.clone()
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a session; if there are too many, the least recently used one ends.
    pub(super) async fn begin(&self, id: &str) {
        let surplus = {
            let mut uses = self.uses();
            uses.begin(id, Instant::now());
            uses.surplus(MAX_SESSIONS)
        };
        if let Some(surplus) = surplus {
            self.close(&surplus, "too many sessions").await;
        }
    }

    /// Forgets a session that its client has ended.
    pub(super) fn ended(&self, id: &str) {
        self.uses().0.remove(id);
    }

    /// Marks a session as in use for the lifetime of an answer; `None` if there is no such session.
    pub(super) fn using(&self, id: &str) -> Option<Using> {
        self.uses().0.get_mut(id)?.under_way += 1;
        Some(Using {
            uses: self.uses.clone(),
            id: id.to_owned(),
        })
    }

    /// Ends idle sessions, in an endless loop.
    pub(super) async fn reap(self) {
        loop {
            let due = self.uses().due(self.idle, Instant::now());
            tokio::time::sleep_until(due).await;
            let idle = self.uses().idle(self.idle, Instant::now());
            for id in idle {
                self.close(&id, "idle").await;
            }
        }
    }

    async fn close(&self, id: &str, why: &str) {
        tracing::info!("closing MCP session {id}: {why}");
        // It is gone either way.
        let _ = self.manager.close_session(&id.into()).await;
    }
}

/// The sessions by id.
#[derive(Default)]
struct Uses(HashMap<String, Use>);

struct Use {
    /// Requests in flight, including open streams.
    under_way: usize,
    /// When the last of them ended.
    last: Instant,
}

impl Uses {
    fn begin(&mut self, id: &str, now: Instant) {
        let new = Use {
            under_way: 0,
            last: now,
        };
        self.0.insert(id.to_owned(), new);
    }

    fn end_of_use(&mut self, id: &str, now: Instant) {
        if let Some(used) = self.0.get_mut(id) {
            used.under_way = used.under_way.saturating_sub(1);
            used.last = now;
        }
    }

    /// The sessions that are not in use, with the time of their last use.
    fn unused(&self) -> impl Iterator<Item = (&String, Instant)> {
        self.0
            .iter()
            .filter(|(_, used)| used.under_way == 0)
            .map(|(id, used)| (id, used.last))
    }

    /// Removes the least recently used session if there are more than `most`.
    fn surplus(&mut self, most: usize) -> Option<String> {
        if self.0.len() <= most {
            return None;
        }
        let (id, _) = self.unused().min_by_key(|(_, last)| *last)?;
        let id = id.clone();
        self.0.remove(&id);
        Some(id)
    }

    /// Removes the sessions that have been idle for this long.
    fn idle(&mut self, idle: Duration, now: Instant) -> Vec<String> {
        let found: Vec<String> = self
            .unused()
            .filter(|(_, last)| *last + idle <= now)
            .map(|(id, _)| id.clone())
            .collect();
        for id in &found {
            self.0.remove(id);
        }
        found
    }

    /// The next time at which a session may expire.
    fn due(&self, idle: Duration, now: Instant) -> Instant {
        let first = self.unused().map(|(_, last)| last).min();
        first.unwrap_or(now) + idle
    }
}

/// Marks a session as in use until dropped.
pub(super) struct Using {
    uses: Arc<Mutex<Uses>>,
    id: String,
}

impl Drop for Using {
    fn drop(&mut self) {
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        uses.end_of_use(&self.id, Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Duration = Duration::from_secs(10);

    /// Three sessions started one second apart; the first is in use.
    fn three() -> (Uses, Instant) {
        let start = Instant::now();
        let mut uses = Uses::default();
        for (second, id) in ["a", "b", "c"].into_iter().enumerate() {
            uses.begin(id, start + Duration::from_secs(second as u64));
        }
        uses.0.get_mut("a").unwrap().under_way += 1;
        (uses, start)
    }

    #[test]
    fn the_one_unused_for_longest_makes_room_but_none_in_use() {
        let (mut uses, start) = three();
        assert_eq!(uses.surplus(3), None);
        assert_eq!(uses.surplus(2).as_deref(), Some("b"));
        uses.end_of_use("a", start + IDLE);
        assert_eq!(uses.surplus(1).as_deref(), Some("c"));
        assert_eq!(uses.surplus(0).as_deref(), Some("a"));
    }

    #[test]
    fn what_nobody_uses_is_idle_after_its_time_and_what_was_used_stays() {
        let (mut uses, start) = three();
        let after = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(uses.due(IDLE, start), after(11));
        assert_eq!(uses.idle(IDLE, after(10)), [] as [&str; 0]);
        assert_eq!(uses.idle(IDLE, after(11)), ["b"]);
        // In use throughout, then idle for a while.
        assert_eq!(uses.idle(IDLE, after(60)), ["c"]);
        assert_eq!(uses.due(IDLE, after(60)), after(70));
        uses.end_of_use("a", after(60));
        assert_eq!(uses.idle(IDLE, after(69)), [] as [&str; 0]);
        assert_eq!(uses.idle(IDLE, after(70)), ["a"]);
    }
}
