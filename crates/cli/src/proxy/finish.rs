//! Syncs and prunes outputs on a separate thread, so that answers do not wait for it.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use super::Warn;
use scratchpad::Scratchpad;

/// A thread that syncs and prunes outputs when it is woken.
pub(super) struct Finisher(Mutex<Option<(SyncSender<()>, JoinHandle<()>)>>);

impl Finisher {
    pub(super) fn new(scratchpad: Scratchpad, warn: Warn) -> Self {
        let (wake, woken) = sync_channel(1);
        let work = move || finish(&scratchpad, &warn, &woken);
        let thread = std::thread::Builder::new().spawn(work).ok();
        Self(Mutex::new(thread.map(|thread| (wake, thread))))
    }

    /// Called after an output was kept.
    pub(super) fn wake(&self) {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((wake, _)) = inner.as_ref() {
            match wake.try_send(()) {
                // If the channel is full, the thread has not woken yet and will see this output too.
                Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
            }
        }
    }

    /// Waits until everything kept is synced.
    pub(super) fn finish(&self) {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((wake, thread)) = inner {
            drop(wake);
            // A panic in the thread was printed to stderr.
            let _ = thread.join();
        }
    }
}

fn finish(scratchpad: &Scratchpad, warn: &Warn, woken: &Receiver<()>) {
    while woken.recv().is_ok() {
        if let Err(error) = scratchpad.sync_outputs() {
            warn(&error.to_string());
        }
    }
}
