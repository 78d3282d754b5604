//! Syncs and prunes outputs on a separate thread, so that answers do not wait for it.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::Warn;
use scratchpad::Scratchpad;

/// Work that no answer waits for.
pub(super) type Job = Box<dyn FnOnce() + Send>;

/// A thread that syncs and prunes outputs when it is woken.
pub(super) struct Finisher {
    thread: Mutex<Option<(SyncSender<()>, JoinHandle<()>)>>,
    todo: Arc<Mutex<Todo>>,
}

#[derive(Default)]
struct Todo {
    /// Whether an output was kept since the last sync.
    has_outputs: bool,
    jobs: Vec<Job>,
}

impl Finisher {
    pub(super) fn new(scratchpad: Scratchpad, warn: Warn) -> Self {
        let (wake, woken) = sync_channel(1);
        let todo = Arc::default();
        let work = {
            let todo = Arc::clone(&todo);
            move || finish(&scratchpad, &warn, &woken, &todo)
        };
        let thread = std::thread::Builder::new().spawn(work).ok();
        Self {
            thread: Mutex::new(thread.map(|thread| (wake, thread))),
            todo,
        }
    }

    /// Called after an output was kept.
    pub(super) fn wake(&self) {
        self.todo(|todo| todo.has_outputs = true);
    }

    /// Does something on the thread.
    pub(super) fn later(&self, job: Job) {
        self.todo(|todo| todo.jobs.push(job));
    }

    fn todo(&self, add: impl FnOnce(&mut Todo)) {
        add(&mut self.todo.lock().unwrap_or_else(PoisonError::into_inner));
        let inner = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((wake, _)) = inner.as_ref() {
            match wake.try_send(()) {
                // If the channel is full, the thread has not woken yet and will see this too.
                Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
            }
        }
    }

    /// Waits until everything is done.
    pub(super) fn finish(&self) {
        let inner = (self.thread.lock())
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some((wake, thread)) = inner {
            drop(wake);
            // A panic in the thread was printed to stderr.
            let _ = thread.join();
        }
    }
}

fn finish(scratchpad: &Scratchpad, warn: &Warn, woken: &Receiver<()>, todo: &Mutex<Todo>) {
    while woken.recv().is_ok() {
        let todo = std::mem::take(&mut *todo.lock().unwrap_or_else(PoisonError::into_inner));
        todo.jobs.into_iter().for_each(|job| job());
        if todo.has_outputs
            && let Err(error) = scratchpad.sync_outputs()
        {
            warn(&error.to_string());
        }
    }
}
