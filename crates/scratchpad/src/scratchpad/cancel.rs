//! Cancelling a call from another thread.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::model::error::{Error, Result};

/// Whether anybody still waits for a call's answer. Clones refer to the same call.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    is_cancelled: bool,
    reaction: Option<Box<dyn FnOnce() + Send>>,
}

impl Cancel {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels the call: a search over an output is killed, everything else finishes.
    pub fn cancel(&self) {
        let reaction = {
            let mut state = self.state();
            state.is_cancelled = true;
            state.reaction.take()
        };
        // Without the lock, because it may take others.
        if let Some(react) = reaction {
            react();
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.state().is_cancelled
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            return Err(Error::refused("The call was cancelled."));
        }
        Ok(())
    }

    /// Calls `react` when the call is cancelled, or at once if it already is, until the result is dropped.
    pub(super) fn on_cancel(&self, react: impl FnOnce() + Send + 'static) -> Reaction<'_> {
        {
            let mut state = self.state();
            if !state.is_cancelled {
                state.reaction = Some(Box::new(react));
                return Reaction(self);
            }
        }
        react();
        Reaction(self)
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Cancel")
            .field(&self.is_cancelled())
            .finish()
    }
}

/// What is done when a call is cancelled.
pub(super) struct Reaction<'a>(&'a Cancel);

impl Drop for Reaction<'_> {
    fn drop(&mut self) {
        self.0.state().reaction = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_reaction_happens_once_and_only_while_it_is_wanted() {
        let count = Arc::new(AtomicUsize::new(0));
        let react = |count: &Arc<AtomicUsize>| {
            let count = count.clone();
            move || {
                count.fetch_add(1, Ordering::Relaxed);
            }
        };
        let cancel = Cancel::default();
        drop(cancel.on_cancel(react(&count)));
        let _wanted = cancel.on_cancel(react(&count));
        cancel.clone().cancel();
        cancel.cancel();
        assert_eq!(count.load(Ordering::Relaxed), 1);
        assert!(cancel.check().is_err());
        // It comes too late, so it happens at once.
        drop(cancel.on_cancel(react(&count)));
        assert_eq!(count.load(Ordering::Relaxed), 2);
    }
}
