//! The MCP sessions of the older protocol era: limited in number, and dropped when idle for too long.
//!
//! What was written in a session stays when it ends; its client gets 404 and starts a new one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_core::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::WorkerTransport;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker,
};
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};
use tokio::time::Instant;

use crate::mcp::unique_ids::UniqueIds;

/// The maximum number of MCP sessions, at about 55 kB each.
pub(super) const MAX_SESSIONS: usize = 1_000;
/// A session to which its client never came back, perhaps because it hung up before it knew the id, ends after this time.
const FIRST_USE: Duration = Duration::from_mins(1);

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

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a session; if there are too many, the least recently used one ends.
    fn begin(&self, id: &str) {
        let surplus = {
            let mut uses = self.uses();
            // Before the new one is there, which must not be the one to go.
            let surplus = uses.surplus(MAX_SESSIONS - 1);
            uses.begin(id, Instant::now());
            surplus
        };
        if let Some(surplus) = surplus {
            // On a task of its own: the request that begins the new session may be dropped while this waits, and nothing
            // else would close the old one.
            let sessions = self.clone();
            tokio::spawn(async move { sessions.close(&surplus, "too many sessions").await });
        }
    }

    /// Marks a session as in use for the lifetime of an answer; `None` if there is no such session.
    pub(super) fn using(&self, id: &str) -> Option<Using> {
        self.uses().begin_use(id)?;
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

/// The SDK's own sessions, each registered before its client can know of it.
impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = UniqueIds<WorkerTransport<LocalSessionWorker>>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.manager.create_session().await?;
        self.begin(&id);
        Ok((id, UniqueIds::new(transport)))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.manager.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.manager.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.uses().0.remove(&**id);
        self.manager.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.manager.create_stream(id, message).await
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.manager.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.manager.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.manager.resume(id, last_event_id).await
    }
}

/// The sessions by id.
#[derive(Default)]
struct Uses(HashMap<String, Use>);

struct Use {
    /// Its client has come back with the id.
    is_known: bool,
    /// Requests in flight, including open streams.
    under_way: usize,
    /// When the last of them ended.
    last: Instant,
}

impl Uses {
    fn begin(&mut self, id: &str, now: Instant) {
        let new = Use {
            is_known: false,
            under_way: 0,
            last: now,
        };
        self.0.insert(id.to_owned(), new);
    }

    fn begin_use(&mut self, id: &str) -> Option<()> {
        let used = self.0.get_mut(id)?;
        used.is_known = true;
        used.under_way += 1;
        Some(())
    }

    fn end_of_use(&mut self, id: &str, now: Instant) {
        if let Some(used) = self.0.get_mut(id) {
            used.under_way = used.under_way.saturating_sub(1);
            used.last = now;
        }
    }

    /// The sessions that are not in use.
    fn unused(&self) -> impl Iterator<Item = (&String, &Use)> {
        self.0.iter().filter(|(_, used)| used.under_way == 0)
    }

    /// Removes the least recently used session if there are more than `most`. If for more than a quarter of them no client ever
    /// came back, it is one of these.
    fn surplus(&mut self, most: usize) -> Option<String> {
        if self.0.len() <= most {
            return None;
        }
        let strangers = self.unused().filter(|(_, used)| !used.is_known).count();
        let are_many = strangers > most / 4;
        let (id, _) = self
            .unused()
            .min_by_key(|(_, used)| (are_many && used.is_known, used.last))?;
        let id = id.clone();
        self.0.remove(&id);
        Some(id)
    }

    /// Removes the sessions that have been idle for this long.
    fn idle(&mut self, idle: Duration, now: Instant) -> Vec<String> {
        let found: Vec<String> = self
            .unused()
            .filter(|(_, used)| used.ends(idle) <= now)
            .map(|(id, _)| id.clone())
            .collect();
        for id in &found {
            self.0.remove(id);
        }
        found
    }

    /// The next time at which a session may expire.
    fn due(&self, idle: Duration, now: Instant) -> Instant {
        let first = self.unused().map(|(_, used)| used.ends(idle)).min();
        // A session that begins in the meantime may expire sooner than those there are.
        let soonest = now + idle.min(FIRST_USE);
        first.unwrap_or(soonest).min(soonest)
    }
}

impl Use {
    /// When it expires if it is not used again.
    fn ends(&self, idle: Duration) -> Instant {
        let timeout = if self.is_known {
            idle
        } else {
            idle.min(FIRST_USE)
        };
        self.last + timeout
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
    use rmcp::transport::Transport as _;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    const IDLE: Duration = Duration::from_secs(10);

    /// Three sessions started one second apart; the first is in use.
    fn three() -> (Uses, Instant) {
        let start = Instant::now();
        let mut uses = Uses::default();
        for (second, id) in ["a", "b", "c"].into_iter().enumerate() {
            uses.begin(id, start + Duration::from_secs(second as u64));
        }
        uses.begin_use("a").unwrap();
        (uses, start)
    }

    #[test]
    fn the_session_that_makes_room_is_closed_even_if_nobody_waits_for_the_new_one() {
        crate::mcp::paused_runtime().block_on(async {
            let sessions = Sessions::new(IDLE);
            let (first, mut transport) = sessions.create_session().await.unwrap();
            // The one unused for longest makes room.
            tokio::time::advance(Duration::from_secs(1)).await;
            let mut others = Vec::new();
            for _ in 1..MAX_SESSIONS {
                others.push(sessions.create_session().await.unwrap());
            }
            assert!(sessions.has_session(&first).await.unwrap());
            {
                // The request for one more is dropped as soon as it has to wait.
                let mut more = pin!(sessions.create_session());
                let mut context = Context::from_waker(Waker::noop());
                others.extend(match more.as_mut().poll(&mut context) {
                    Poll::Ready(created) => created.ok(),
                    Poll::Pending => None,
                });
            }
            let before = Instant::now();
            assert!(transport.receive().await.is_none(), "it goes on");
            assert_eq!(before.elapsed(), Duration::ZERO, "it ended by its timeout");
            assert!(!sessions.has_session(&first).await.unwrap());
            let (newest, _) = others.last().unwrap();
            assert!(sessions.has_session(newest).await.unwrap());
        });
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
        assert_eq!(uses.due(IDLE, start), after(10));
        assert_eq!(uses.idle(IDLE, after(10)), [] as [&str; 0]);
        assert_eq!(uses.idle(IDLE, after(11)), ["b"]);
        // In use throughout, then idle for a while.
        assert_eq!(uses.idle(IDLE, after(60)), ["c"]);
        assert_eq!(uses.due(IDLE, after(60)), after(70));
        uses.end_of_use("a", after(60));
        assert_eq!(uses.idle(IDLE, after(69)), [] as [&str; 0]);
        assert_eq!(uses.idle(IDLE, after(70)), ["a"]);
    }

    #[test]
    fn one_whose_client_never_came_back_makes_room_first_and_ends_soon() {
        let (mut uses, start) = three();
        let after = |seconds| start + Duration::from_secs(seconds);
        uses.end_of_use("a", after(3));
        uses.begin_use("b").unwrap();
        uses.end_of_use("b", after(4));
        // The newest, but nobody has used it.
        assert_eq!(uses.surplus(2).as_deref(), Some("c"));
        // Few like this are left to come back.
        uses.begin("new", after(5));
        for number in 0..4 {
            let id = format!("known {number}");
            uses.begin(&id, after(5));
            uses.begin_use(&id).unwrap();
            uses.end_of_use(&id, after(5));
        }
        assert_eq!(uses.surplus(6).as_deref(), Some("a"));
        uses.0.clear();
        uses.begin("a", after(3));
        uses.begin_use("a").unwrap();
        uses.end_of_use("a", after(3));
        uses.begin("d", after(5));
        let hour = Duration::from_hours(1);
        assert_eq!(uses.idle(hour, after(64)), [] as [&str; 0]);
        assert_eq!(uses.idle(hour, after(65)), ["d"]);
        assert_eq!(uses.idle(hour, after(3_603)), ["a"]);
    }
}
