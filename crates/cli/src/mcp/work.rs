//! Runs store access on blocking threads, and turns a panic there into an error.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::THREADS;
use scratchpad::Cancel;
use scratchpad::model::error::{Error, Result};
use scratchpad::scratchpad::probing::MAX_CALLS as MAX_PROBES;

/// More permits than there can be calls in flight.
const MOST: u32 = 1_024;
/// The number of threads for reads, so that a write always finds one.
const READERS: usize = THREADS - 1;

/// The calls in flight.
#[derive(Clone)]
pub(super) struct Work {
    calls: Arc<Semaphore>,
    /// Serializes writes; the mutex is fair, so they run in the order in which they arrived.
    writing: Arc<Mutex<()>>,
    reading: Arc<Semaphore>,
    probing: Arc<Semaphore>,
}

/// What a call waits for. A host may send several at once and expects them to take effect in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// A read waits for the writes before it. Nothing waits for a read, however slow.
    Read,
    /// A read that runs what an agent wrote, for seconds if need be. It has a thread of its own.
    Probe,
    /// A write waits for the writes before it.
    Write,
}

/// What a call holds until it is done: its turn to write, or its place among the reads.
type Place = (Option<OwnedMutexGuard<()>>, Option<OwnedSemaphorePermit>);

impl Work {
    pub(super) fn new() -> Self {
        Self {
            calls: Arc::new(Semaphore::new(MOST as usize)),
            writing: Arc::default(),
            reading: Arc::new(Semaphore::new(READERS)),
            probing: Arc::new(Semaphore::new(MAX_PROBES)),
        }
    }

    /// Runs one call on a blocking thread, unless it is cancelled before it starts. `work` gets what tells it of a later
    /// cancellation.
    ///
    /// A call that has started always finishes: a write is never abandoned halfway. But nobody waits for it once it is
    /// cancelled.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        turn: Turn,
        cancelled: CancellationToken,
        work: impl FnOnce(Cancel) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let permit: Option<OwnedSemaphorePermit> = self.calls.clone().acquire_owned().await.ok();
        let place = tokio::select! {
            biased;
            () = cancelled.cancelled() => return Err(was_cancelled()),
            place = self.place(turn) => place,
        };
        let cancel = Cancel::default();
        let told = cancel.clone();
        let job = tokio::task::spawn_blocking(move || {
            let _until_done = (permit, place);
            if cancel.is_cancelled() {
                return Err(was_cancelled());
            }
            work(cancel)
        });
        tokio::select! {
            done = job => done.unwrap_or_else(|_| Err(failed_inside())),
            () = cancelled.cancelled() => {
                told.cancel();
                Err(was_cancelled())
            }
        }
    }

    /// Waits for the writes before the call, and for a thread.
    async fn place(&self, turn: Turn) -> Place {
        let writing = self.writing.clone().lock_owned().await;
        let readers = match turn {
            Turn::Write => return (Some(writing), None),
            Turn::Read => &self.reading,
            Turn::Probe => &self.probing,
        };
        drop(writing);
        (None, readers.clone().acquire_owned().await.ok())
    }

    /// Waits until no call is in flight, with a timeout.
    pub(super) async fn finished(&self, timeout: Duration) {
        let all = self.calls.acquire_many(MOST);
        // A call that takes longer gets no answer; its write is still atomic.
        let _ = tokio::time::timeout(timeout, all).await;
    }
}

fn was_cancelled() -> Error {
    Error::refused("The call was cancelled.")
}

/// The error for a call that panicked; the panic message is on stderr.
fn failed_inside() -> Error {
    Error::store("Internal error. This is a bug in scratchpad; see stderr for details.")
        .hint("check what was saved before you retry; other calls still work.")
}

const _: () = assert!(THREADS <= MOST as usize);

#[cfg(test)]
mod tests {
    use super::*;

    fn wait<T>(future: impl Future<Output = T>) -> T {
        crate::mcp::runtime().unwrap().block_on(future)
    }

    #[test]
    fn a_panic_is_an_error_and_the_next_call_works() {
        wait(async {
            let work = Work::new();
            let token = CancellationToken::new();
            let failed: Result<()> = work
                .run(Turn::Write, token.clone(), |_| panic!("on purpose"))
                .await;
            assert!(failed.unwrap_err().to_string().contains("Internal error"));
            assert_eq!(work.run(Turn::Write, token, |_| Ok(7)).await.unwrap(), 7);
        });
    }

    #[test]
    fn what_was_cancelled_before_it_began_is_not_done() {
        wait(async {
            let token = CancellationToken::new();
            token.cancel();
            let answer: Result<()> = Work::new()
                .run(Turn::Read, token, |_| panic!("it was done"))
                .await;
            assert!(answer.unwrap_err().to_string().contains("cancelled"));
        });
    }

    #[test]
    fn the_end_waits_for_what_is_under_way() {
        wait(async {
            let work = Work::new();
            let (begun, is_begun) = std::sync::mpsc::channel::<()>();
            let (go, may_go) = std::sync::mpsc::channel::<()>();
            let slow = tokio::spawn({
                let work = work.clone();
                async move {
                    let job = move |_| {
                        begun.send(()).unwrap();
                        may_go.recv().unwrap();
                        Ok(())
                    };
                    work.run(Turn::Read, CancellationToken::new(), job).await
                }
            });
            tokio::task::yield_now().await;
            tokio::task::spawn_blocking(move || is_begun.recv())
                .await
                .unwrap()
                .unwrap();
            let early = tokio::time::timeout(Duration::ZERO, work.finished(Duration::from_mins(1)));
            assert!(early.await.is_err());
            go.send(()).unwrap();
            work.finished(Duration::from_mins(1)).await;
            assert!(slow.await.unwrap().is_ok());
        });
    }
}
