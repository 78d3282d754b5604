//! What follows answers: counting, and the end.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::{Relay, UPSTREAM_GONE, local_tools, lock};
use scratchpad::model::output::tool::definitions;

/// The timeout for calls of local tools after the client is gone.
pub(super) const LOCAL_CALLS_TIMEOUT: Duration = Duration::from_secs(5);

impl Relay {
    /// Adds the local tools to the ledger, once, after the answer.
    pub(super) fn count_list(self: &Arc<Self>) {
        let (Some(finisher), false) = (&self.finisher, self.is_list_counted.swap(true, Relaxed))
        else {
            return;
        };
        let relay = self.clone();
        finisher.later(Box::new(move || {
            // The call did not fail for this, and the next one finds the session if that is possible.
            if let Ok(session) = relay.session(None, None, None) {
                let pad = &relay.proxy.scratchpad;
                pad.book_listed(&session, relay.upstream(), &definitions());
            }
        }));
    }

    /// The upstream ended: all pending and later requests are answered with this reason.
    pub(in crate::proxy) fn end(&self, reason: &str) {
        let mut pending = lock(&self.pending).end(reason);
        pending.extend(self.held_calls.cancel_all());
        for id in &pending {
            self.send(&local_tools::error(id, UPSTREAM_GONE, reason));
        }
    }

    /// Waits for calls of local tools, and syncs the outputs.
    pub(in crate::proxy) fn finish(&self) {
        self.local_calls.finished(LOCAL_CALLS_TIMEOUT);
        if let Some(finisher) = &self.finisher {
            finisher.finish();
        }
    }
}
