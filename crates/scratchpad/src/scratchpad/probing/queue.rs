//! How many probes run at once, in how much memory, and which is next.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::model::error::{Error, Result};
use crate::model::id::SessionId;
use crate::model::text::message::{message, number};
use crate::scratchpad::cancel::Cancel;

/// The sum of the memory limits of the probes that run at once.
pub(super) const MAX_MEMORY: u64 = 4 << 30;
/// The share of one session, so that another's probe finds room.
pub(super) const MAX_MEMORY_OF_ONE: u64 = 3 << 30;
/// The maximum number of probes that wait; further ones are refused.
pub(super) const MAX_WAITING: usize = 60;
/// The maximum number of one session's probes that wait.
const MAX_WAITING_OF_ONE: usize = 40;

/// The probes of this process. Clones are the same queue.
#[derive(Clone, Debug, Default)]
pub(in crate::scratchpad) struct Queue(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    probes: Mutex<Probes>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Probes {
    running: Vec<Entry>,
    /// In the order in which they came.
    waiting: Vec<Entry>,
    last_number: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    number: u64,
    session: Option<SessionId>,
    memory: u64,
}

impl Queue {
    /// Waits for room to run a probe with this memory limit. `way` is what the probe is called.
    pub(super) fn enter(
        &self,
        way: &'static str,
        session: Option<&SessionId>,
        memory: u64,
        cancel: &Cancel,
    ) -> Result<Place> {
        let number = self.0.probes().join(way, session, memory)?;
        let inner = self.0.clone();
        let _woken = cancel.on_cancel(move || inner.wake());
        let mut probes = self.0.probes();
        while !probes.starts(number) {
            if let Err(cancelled) = cancel.check() {
                probes.leave(number);
                self.0.changed.notify_all();
                return Err(cancelled);
            }
            probes = (self.0.changed.wait(probes)).unwrap_or_else(PoisonError::into_inner);
        }
        drop(probes);
        // There may be room for the next one too.
        self.0.changed.notify_all();
        Ok(Place {
            inner: self.0.clone(),
            number,
        })
    }
}

impl Inner {
    fn probes(&self) -> MutexGuard<'_, Probes> {
        self.probes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        // Under the lock, or a thread that is just about to wait would miss it.
        let _probes = self.probes();
        self.changed.notify_all();
    }
}

impl Probes {
    /// Joins the end of the queue; returns the number there.
    fn join(&mut self, way: &'static str, session: Option<&SessionId>, memory: u64) -> Result<u64> {
        let own = |entry: &&Entry| entry.session.as_ref() == session;
        let of_one = self.waiting.iter().filter(own).count();
        if self.waiting.len() >= MAX_WAITING || of_one >= MAX_WAITING_OF_ONE {
            return Err(too_many(way, self.waiting.len()));
        }
        self.last_number += 1;
        self.waiting.push(Entry {
            number: self.last_number,
            session: session.cloned(),
            memory,
        });
        Ok(self.last_number)
    }

    /// Starts the probe with this number if it is its turn.
    fn starts(&mut self, number: u64) -> bool {
        let next = self.next().filter(|at| {
            let entry = self.waiting.get(*at);
            entry.is_some_and(|entry| entry.number == number)
        });
        if let Some(at) = next {
            let entry = self.waiting.remove(at);
            self.running.push(entry);
        }
        next.is_some()
    }

    /// The place in the queue of the probe that runs next: one of the session that runs the fewest; `None` if there is
    /// no room for it.
    fn next(&self) -> Option<usize> {
        let used: u64 = self.running.iter().map(|entry| entry.memory).sum();
        let of_session = |session: &Option<SessionId>| -> u64 {
            let own = self.running.iter().filter(|it| it.session == *session);
            own.map(|entry| entry.memory).sum()
        };
        let (at, next) = (self.waiting.iter().enumerate())
            .filter(|(_, it)| of_session(&it.session) + it.memory <= MAX_MEMORY_OF_ONE)
            .min_by_key(|(_, it)| (of_session(&it.session), it.number))?;
        // No smaller one overtakes it, or a large one might wait forever.
        (used + next.memory <= MAX_MEMORY).then_some(at)
    }

    fn leave(&mut self, number: u64) {
        self.waiting.retain(|entry| entry.number != number);
        self.running.retain(|entry| entry.number != number);
    }
}

/// The error for a probe that is not run because of those that wait.
pub fn too_many(way: &'static str, waiting: usize) -> Error {
    Error::refused(message!(
        "`{way}` was not run: {waiting} searches are waiting already.",
        way,
        waiting = number(waiting)
    ))
    .hint("wait for their answers, or cancel them, and call again.")
}

/// Room for one probe, until dropped.
#[derive(Debug)]
pub(super) struct Place {
    inner: Arc<Inner>,
    number: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.inner.probes().leave(self.number);
        self.inner.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::thread;
    use std::time::Duration;

    const SMALL: u64 = 1 << 30;

    /// What runs next, in order, if these come at once and each ends before the next begins; `running` go on.
    fn order(running: &[(&str, u64)], waiting: &[(&str, u64)]) -> Vec<u64> {
        let mut probes = Probes::default();
        let session = |name: &str| SessionId::new(name).unwrap();
        for (name, memory) in running {
            let number = probes.join("grep", Some(&session(name)), *memory).unwrap();
            assert!(probes.starts(number));
        }
        let first = probes.last_number;
        for (name, memory) in waiting {
            (probes.join("grep", Some(&session(name)), *memory)).unwrap();
        }
        let mut order = Vec::new();
        while let Some(at) = probes.next() {
            let number = probes.waiting[at].number;
            assert!(probes.starts(number));
            order.push(number - first);
            probes.leave(number);
        }
        order
    }

    #[test]
    fn the_next_is_of_the_session_that_runs_the_fewest() {
        assert_eq!(
            order(&[], &[("a", SMALL), ("b", SMALL), ("a", SMALL)]),
            [1, 2, 3]
        );
        let a = ("a", SMALL);
        assert_eq!(order(&[a, a], &[a, a, ("b", SMALL)]), [3, 1, 2]);
        // A session has no more than its share, even if there is room.
        assert_eq!(order(&[a, a, a], &[a, ("b", SMALL), a]), [2]);
        // A large one is not overtaken by smaller ones that came later.
        let large = 2 * SMALL;
        let next = order(&[("b", SMALL), ("c", large)], &[("a", large), ("d", SMALL)]);
        assert_eq!(next, [] as [u64; 0]);
    }

    #[test]
    fn the_room_is_never_exceeded_and_all_are_served() {
        let queue = Queue::default();
        let in_use = Mutex::new((0, 0));
        thread::scope(|scope| {
            for number in 0..40_u64 {
                let (queue, in_use) = (&queue, &in_use);
                scope.spawn(move || {
                    let session = SessionId::new(format!("s{}", number % 3)).unwrap();
                    let memory = SMALL * (1 + number % 2);
                    let place =
                        (queue.enter("grep", Some(&session), memory, &Cancel::default())).unwrap();
                    {
                        let mut in_use = in_use.lock().unwrap();
                        in_use.0 += memory;
                        assert!(in_use.0 <= MAX_MEMORY, "{}", in_use.0);
                        in_use.1 += 1;
                    }
                    thread::yield_now();
                    in_use.lock().unwrap().0 -= memory;
                    drop(place);
                });
            }
        });
        assert_eq!(*in_use.lock().unwrap(), (0, 40));
    }

    #[test]
    fn whoever_waits_can_be_cancelled_and_too_many_are_refused() {
        let queue = Queue::default();
        let never = Cancel::default();
        let session = SessionId::new("s").unwrap();
        let enter = |cancel: &Cancel| queue.enter("grep", Some(&session), SMALL, cancel);
        let places = [enter(&never), enter(&never), enter(&never)].map(Result::unwrap);
        let (ended, has_ended) = channel();
        let cancels: Vec<Cancel> = (0..MAX_WAITING_OF_ONE).map(|_| Cancel::default()).collect();
        thread::scope(|scope| {
            for cancel in &cancels {
                let ended = ended.clone();
                let enter = &enter;
                scope.spawn(move || ended.send(enter(cancel).map(drop)).unwrap());
            }
            while queue.0.probes().waiting.len() < cancels.len() {
                thread::yield_now();
            }
            let error = enter(&never).unwrap_err().to_string();
            assert!(error.contains("40 searches are waiting already"), "{error}");
            let early = has_ended.recv_timeout(Duration::ZERO);
            assert_eq!(early, Err(RecvTimeoutError::Timeout));
            cancels[1..].iter().for_each(Cancel::cancel);
            for _ in 1..cancels.len() {
                assert!(has_ended.recv().unwrap().is_err());
            }
            drop(places);
            assert_eq!(has_ended.recv().unwrap(), Ok(()));
        });
        let probes = queue.0.probes();
        assert!(probes.running.is_empty() && probes.waiting.is_empty());
    }
}
