//! The messages on their way to the server: what is sent at once, what waits, and what a cancellation ends.
//!
//! The thread that reads from the client never waits for the server.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ureq::Agent;

use super::Content;
use super::agents::Agents;
use crate::proxy::id::Id;
use crate::proxy::outline::Outline;

/// The maximum number of messages that wait, and of bytes that they hold in memory.
const MAX_WAITING: usize = 512;
const MAX_WAITING_BYTES: usize = 64 << 20;
/// The maximum number of threads, those of cancelled requests included: one may still be connecting.
const MAX_THREADS: usize = 256;
/// How long a request waits for the notifications before it to be acknowledged, `initialized` above all.
const NOTIFIED_TIMEOUT: Duration = Duration::from_secs(2);

/// What kind of message it is: kinds don't wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    Requests,
    /// Answers to the server's requests, and cancellations.
    Answers,
    /// In order.
    Notifications,
}

impl Lane {
    const ALL: [Self; 3] = [Self::Requests, Self::Answers, Self::Notifications];

    /// The maximum number under way; beyond it, messages wait.
    fn most(self) -> usize {
        match self {
            Self::Requests => 64,
            Self::Answers => 16,
            Self::Notifications => 1,
        }
    }
}

/// A message to send.
pub(super) struct Job {
    pub(super) lane: Lane,
    pub(super) outline: Outline,
    pub(super) content: Content,
    /// The requests in it that have no answer yet.
    pub(super) open: Vec<Id>,
    /// How many notifications came before it.
    after: u64,
}

impl Job {
    pub(super) fn new(lane: Lane, outline: Outline, content: Content) -> Self {
        let open = outline.requests();
        Self {
            lane,
            outline,
            content,
            open,
            after: 0,
        }
    }

    fn bytes(&self) -> usize {
        match &self.content {
            Content::Memory(bytes) => bytes.len(),
            Content::File(_) => 0,
        }
    }
}

/// A job that may be sent now.
pub(super) struct Started {
    pub(super) number: u64,
    pub(super) job: Job,
    pub(super) agent: Agent,
}

/// What became of a request that the client cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cancelled {
    /// It had not been sent, and never will be.
    Unsent,
    /// It had been sent, or is not known.
    Sent,
}

#[derive(Default)]
pub(super) struct Calls {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    waiting_bytes: usize,
    running: HashMap<u64, Running>,
    begun: u64,
    threads: usize,
    notifications: u64,
    notified: u64,
}

struct Running {
    lane: Lane,
    open: Vec<Id>,
    agent: Agent,
}

impl Calls {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message to those that wait. If there are too many, returns its requests, which are not sent.
    pub(super) fn add(&self, mut job: Job) -> Result<(), Vec<Id>> {
        let mut state = self.state();
        let bytes = job.bytes();
        let is_full = state.waiting.len() >= MAX_WAITING
            || (bytes > 0 && state.waiting_bytes.saturating_add(bytes) > MAX_WAITING_BYTES);
        if is_full {
            return Err(job.open);
        }
        job.after = state.notifications;
        state.notifications += u64::from(job.lane == Lane::Notifications);
        state.waiting_bytes += bytes;
        state.waiting.push_back(job);
        Ok(())
    }

    /// The next message that may be sent now.
    pub(super) fn next(&self, agents: &Agents) -> Option<Started> {
        let mut state = self.state();
        let job = state.next()?;
        state.begun += 1;
        state.threads += 1;
        let (number, agent) = (state.begun, agents.take());
        let running = Running {
            lane: job.lane,
            open: job.open.clone(),
            agent: agent.clone(),
        };
        state.running.insert(number, running);
        Some(Started { number, job, agent })
    }

    /// Ends a message; returns whether its agent is still good: that of a cancelled request is not.
    pub(super) fn end(&self, number: u64) -> bool {
        let mut state = self.state();
        state.threads = state.threads.saturating_sub(1);
        let ended = state.running.remove(&number);
        if ended
            .as_ref()
            .is_some_and(|ended| ended.lane == Lane::Notifications)
        {
            state.notified += 1;
        }
        self.changed.notify_all();
        ended.is_some()
    }

    /// Frees the place of a request that was cancelled, and ends its connection unless others share it.
    pub(super) fn cancel(&self, id: &Id) -> Cancelled {
        let mut state = self.state();
        let waiting = state
            .waiting
            .iter_mut()
            .position(|job| job.open.contains(id));
        if let Some(at) = waiting {
            if let Some(job) = state.waiting.get_mut(at) {
                job.open.retain(|open| open != id);
                if !job.open.is_empty() {
                    return Cancelled::Sent;
                }
            }
            let bytes = state.waiting.remove(at).map_or(0, |job| job.bytes());
            state.waiting_bytes = state.waiting_bytes.saturating_sub(bytes);
            return Cancelled::Unsent;
        }
        let running = state
            .running
            .iter_mut()
            .find(|(_, running)| running.open.contains(id));
        let Some((&number, running)) = running else {
            return Cancelled::Sent;
        };
        running.open.retain(|open| open != id);
        if running.open.is_empty()
            && let Some(running) = state.running.remove(&number)
        {
            drop(state);
            running.agent.shutdown();
            self.changed.notify_all();
        }
        Cancelled::Sent
    }

    /// Waits until the notifications before a request are acknowledged, but not for long.
    pub(super) fn wait_for_notifications(&self, job: &Job) {
        let earlier = |state: &mut State| state.notified < job.after;
        let state = self.state();
        drop(
            self.changed
                .wait_timeout_while(state, NOTIFIED_TIMEOUT, earlier),
        );
    }

    /// Pauses for this long, or until the condition no longer holds, which is looked at when a message ends.
    pub(super) fn pause_while(&self, pause: Duration, condition: impl Fn() -> bool) {
        let state = self.state();
        drop(
            self.changed
                .wait_timeout_while(state, pause, |_| condition()),
        );
    }

    /// Waits for the end of a message, but not longer than this; false if there is none.
    pub(super) fn wait(&self, timeout: Duration) -> bool {
        let state = self.state();
        if state.waiting.is_empty() && state.running.is_empty() {
            return false;
        }
        drop(self.changed.wait_timeout(state, timeout));
        true
    }
}

impl State {
    fn next(&mut self) -> Option<Job> {
        if self.threads >= MAX_THREADS {
            return None;
        }
        let has_place = Lane::ALL.map(|lane| {
            let running = self.running.values();
            running.filter(|running| running.lane == lane).count() < lane.most()
        });
        let may_start = |job: &Job| {
            Lane::ALL
                .iter()
                .zip(has_place)
                .any(|(lane, has_place)| *lane == job.lane && has_place)
        };
        let at = self.waiting.iter().position(may_start)?;
        let job = self.waiting.remove(at)?;
        self.waiting_bytes = self.waiting_bytes.saturating_sub(job.bytes());
        Some(job)
    }
}
