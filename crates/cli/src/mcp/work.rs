//! Runs what touches the store on a thread of its own, and survives what goes wrong there.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::THREADS;
use scratchpad::model::error::{Error, Result};

/// As many permits as there may be calls under way.
const MOST: u32 = 1_024;

/// The calls that are under way.
#[derive(Clone)]
pub(super) struct Work {
    calls: Arc<Semaphore>,
    /// Held by the write that is under way; those who wait get it in the order they came.
    writing: Arc<Mutex<()>>,
}

/// What a call must wait for: a host may send several at once and expects their order to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// It reads: the writes that came before it. Nothing waits for it, however slow it is.
    Read,
    /// It writes: the writes that came before it.
    Write,
}

impl Work {
    pub(super) fn new() -> Self {
        Self {
            calls: Arc::new(Semaphore::new(MOST as usize)),
            writing: Arc::default(),
        }
    }

    /// Does one thing on a thread of its own, unless it was cancelled before it began.
    ///
    /// What has begun is finished: a write is never given up half-way.
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

    /// Waits until nothing is under way, but not forever.
    pub(super) async fn finished(&self, patience: Duration) {
        let all = self.calls.acquire_many(MOST);
        // Whoever is not done by then is told nothing; what it writes is still whole.
        let _ = tokio::time::timeout(patience, all).await;
    }
}

/// What is told when a call panicked: the panic itself went to stderr.
fn failed_inside() -> Error {
    Error::store("The call failed inside: this is a bug in scratchpad, and stderr says more.")
        .hint("look at what is kept before you try again; other calls work as before.")
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
            assert!(failed.unwrap_err().to_string().contains("failed inside"));
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
