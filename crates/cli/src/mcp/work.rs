//! Runs store access on blocking threads, and turns a panic there into an error.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::THREADS;
use scratchpad::Cancel;
use scratchpad::model::error::{Error, Result};
use scratchpad::scratchpad::probing::{MAX_CALLS as MAX_PROBES, too_many};

/// The maximum number of calls under way, with those that nobody waits for any more; further ones are refused. Both stdio
/// (256) and HTTP (128) let fewer clients wait.
const MOST: u32 = 384;
/// How long a search waits for a thread: those that were refused or cancelled free theirs at once.
const THREAD_WAIT: Duration = Duration::from_secs(1);
/// The number of threads for reads, so that a write always finds one.
const READERS: usize = THREADS - 1;

/// The calls in flight.
#[derive(Clone)]
pub(super) struct Work {
    calls: Arc<Semaphore>,
    /// Room for one more call. Not `calls`, from which the end of the server takes all.
    room: Arc<Semaphore>,
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
    /// A read that runs what an agent wrote, for seconds if need be. It has a thread of its own, and a name.
    Probe(&'static str),
    /// A write waits for the writes before it.
    Write,
}

/// What a call holds until it is done: its turn to write, or its place among the reads.
type Place = (Option<OwnedMutexGuard<()>>, Option<OwnedSemaphorePermit>);

impl Work {
    pub(super) fn new() -> Self {
        Self {
            calls: Arc::new(Semaphore::new(MOST as usize)),
            room: Arc::new(Semaphore::new(MOST as usize)),
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
        let room = (self.room.clone().try_acquire_owned()).map_err(|_| too_many_calls())?;
        let permit: Option<OwnedSemaphorePermit> = self.calls.clone().acquire_owned().await.ok();
        let place = tokio::select! {
            biased;
            () = cancelled.cancelled() => return Err(was_cancelled()),
            place = self.place(turn) => place?,
        };
        let cancel = Cancel::default();
        let told = cancel.clone();
        let job = tokio::task::spawn_blocking(move || {
            let _until_done = (room, permit, place);
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
    async fn place(&self, turn: Turn) -> Result<Place> {
        let writing = self.writing.clone().lock_owned().await;
        Ok(match turn {
            Turn::Write => (Some(writing), None),
            Turn::Read => {
                drop(writing);
                (None, self.reading.clone().acquire_owned().await.ok())
            }
            Turn::Probe(way) => {
                drop(writing);
                let thread = self.probing.clone().acquire_owned();
                let thread = tokio::time::timeout(THREAD_WAIT, thread).await;
                (None, thread.map_err(|_| too_many(way, MAX_PROBES))?.ok())
            }
        })
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

fn too_many_calls() -> Error {
    Error::refused("Too many calls are under way.").hint("call again when some are done.")
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

    /// Lets the other tasks run until they hold all permits: the runtime polls only some of them in a turn.
    async fn until_taken(permits: &Semaphore) {
        while permits.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
    }

    /// Waits for a search that goes on until it is cancelled.
    async fn until_cancelled(work: Work, token: CancellationToken) -> Result<()> {
        let job = |cancel: Cancel| {
            while !cancel.is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        };
        work.run(Turn::Probe("grep"), token, job).await
    }

    #[test]
    fn a_search_that_finds_no_thread_is_refused_and_a_cancelled_one_makes_room() {
        wait(async {
            let (work, token) = (Work::new(), CancellationToken::new());
            let first = CancellationToken::new();
            tokio::spawn(until_cancelled(work.clone(), first.clone()));
            for _ in 1..MAX_PROBES {
                tokio::spawn(until_cancelled(work.clone(), token.clone()));
            }
            until_taken(&work.probing).await;
            let search = || work.run(Turn::Probe("grep"), CancellationToken::new(), |_| Ok(7));
            let error = search().await.unwrap_err().to_string();
            assert!(error.contains("64 searches are waiting"), "{error}");
            first.cancel();
            assert_eq!(search().await.unwrap(), 7);
            token.cancel();
            work.finished(Duration::from_mins(1)).await;
        });
    }

    #[test]
    fn calls_beyond_those_that_may_be_under_way_are_refused() {
        wait(async {
            let work = Work::new();
            let writing = work.writing.clone().lock_owned().await;
            for _ in 0..MOST {
                let work = work.clone();
                tokio::spawn(async move {
                    let job = |_: Cancel| Ok(());
                    work.run(Turn::Write, CancellationToken::new(), job).await
                });
            }
            until_taken(&work.room).await;
            let write = || work.run(Turn::Write, CancellationToken::new(), |_| Ok(7));
            let error = write().await.unwrap_err().to_string();
            assert!(error.contains("Too many calls"), "{error}");
            drop(writing);
            work.finished(Duration::from_mins(1)).await;
            assert_eq!(write().await.unwrap(), 7);
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
