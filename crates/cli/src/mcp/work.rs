//! Runs store access on blocking threads, and turns a panic there into an error.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::THREADS;
use scratchpad::model::error::{Error, Result};

/// More permits than there can be calls in flight.
const MOST: u32 = 1_024;

/// The calls in flight.
#[derive(Clone)]
pub(super) struct Work {
    calls: Arc<Semaphore>,
    /// Serializes writes; the mutex is fair, so they run in the order in which they arrived.
    writing: Arc<Mutex<()>>,
}

/// What a call waits for. A host may send several at once and expects them to take effect in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// A read waits for the writes before it. Nothing waits for a read, however slow.
    Read,
    /// A write waits for the writes before it.
    Write,
}

impl Work {
    pub(super) fn new() -> Self {
        Self {
            calls: Arc::new(Semaphore::new(MOST as usize)),
            writing: Arc::default(),
        }
    }

    /// Runs one call on a blocking thread, unless it is cancelled before it starts.
    ///
    /// A call that has started always finishes: a write is never abandoned halfway.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        turn: Turn,
        cancelled: CancellationToken,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let permit: Option<OwnedSemaphorePermit> = self.calls.clone().acquire_owned().await.ok();
        let writing = self.writing.clone().lock_owned().await;
        let writing = (turn == Turn::Write).then_some(writing);
        let job = move || {
            let _until_done = (permit, writing);
            if cancelled.is_cancelled() {
                return Err(Error::refused("The call was cancelled."));
            }
            work()
        };
        tokio::task::spawn_blocking(job)
            .await
            .unwrap_or_else(|_| Err(failed_inside()))
    }

    /// Waits until no call is in flight, with a timeout.
    pub(super) async fn finished(&self, patience: Duration) {
        let all = self.calls.acquire_many(MOST);
        // A call that takes longer gets no answer; its write is still atomic.
        let _ = tokio::time::timeout(patience, all).await;
    }
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
                .run(Turn::Write, token.clone(), || panic!("on purpose"))
                .await;
            assert!(failed.unwrap_err().to_string().contains("Internal error"));
            assert_eq!(work.run(Turn::Write, token, || Ok(7)).await.unwrap(), 7);
        });
    }

    #[test]
    fn what_was_cancelled_before_it_began_is_not_done() {
        wait(async {
            let token = CancellationToken::new();
            token.cancel();
            let answer: Result<()> = Work::new()
                .run(Turn::Read, token, || panic!("it was done"))
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
                    let job = move || {
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
