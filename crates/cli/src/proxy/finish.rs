//! Finishes what was kept, off the way of answers: syncing and pruning.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use super::Warn;
use scratchpad::Scratchpad;

/// A thread that settles outputs when it is woken.
pub(super) struct Settler(Mutex<Option<(SyncSender<()>, JoinHandle<()>)>>);

impl Settler {
    /// Starts it.
    pub(super) fn new(pad: Scratchpad, warn: Warn) -> Self {
        let (wake, woken) = sync_channel(1);
        let work = move || finish(&pad, &warn, &woken);
        let thread = std::thread::Builder::new().spawn(work).ok();
        Self(Mutex::new(thread.map(|thread| (wake, thread))))
    }

    /// Something was kept.
    pub(super) fn wake(&self) {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((wake, _)) = inner.as_ref() {
            match wake.try_send(()) {
                // It will see what was kept when it gets there.
                Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
            }
        }
    }

    /// Waits until all that was kept is settled.
    pub(super) fn finish(&self) {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((wake, thread)) = inner {
            drop(wake);
            // A panic in there went to stderr; there is nothing to add.
            let _ = thread.join();
        }
    }
}

fn finish(pad: &Scratchpad, warn: &Warn, woken: &Receiver<()>) {
    while woken.recv().is_ok() {
        if let Err(error) = pad.sync_outputs() {
            warn(&error.to_string());
        }
    }
}
