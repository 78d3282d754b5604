//! The messages on their way to the server: what is sent at once, what waits, and what a cancellation ends.
//!
//! The thread that reads from the client never waits for the server. A request that the server does not answer holds its place
//! for a moment only, and gives up its thread when all are taken: a dead call must not make the server unusable.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ureq::Agent;

use super::Content;
use super::agents::Agents;
use crate::proxy::id::Id;
use crate::proxy::outline::Outline;

/// The maximum number of messages of a kind that wait.
const MAX_WAITING: usize = 512;
/// The maximum number of threads, those of cancelled requests included: one may still be connecting.
const MAX_THREADS: usize = 256;
/// Threads that requests leave to messages of other kinds.
const KEPT_THREADS: usize = 32;
/// A message that has been under way for this long holds no place any more, only its thread.
const LONG: Duration = Duration::from_secs(2);
/// How long the server must have been silent about a request that is given up because all threads are taken.
const SILENT: Duration = Duration::from_mins(1);
/// How long requests wait for a notification before them to be acknowledged, `initialized` above all, from the moment it is sent.
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

    /// The maximum number under way, without those that take long; beyond it, messages wait.
    fn most(self) -> usize {
        match self {
            Self::Requests => 64,
            Self::Answers => 16,
            Self::Notifications => 1,
        }
    }

    /// The maximum number of bytes that those that wait hold in memory.
    fn max_waiting_bytes(self) -> usize {
        match self {
            Self::Requests => 64 << 20,
            Self::Answers | Self::Notifications => 16 << 20,
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
    running: HashMap<u64, Running>,
    begun: u64,
    threads: usize,
    notifications: u64,
    notified: u64,
    is_watched: bool,
}

struct Running {
    lane: Lane,
    open: Vec<Id>,
    agent: Agent,
    since: Instant,
    /// When the server last sent something.
    heard: Instant,
}

impl Running {
    /// Whether it holds a place. Notifications stay in order, however long one takes.
    fn holds_place(&self, now: Instant) -> bool {
        self.lane == Lane::Notifications || now < self.since + LONG
    }
}

/// Requests that were given up, and the agent that waits for their answers.
pub(super) struct GivenUp {
    pub(super) open: Vec<Id>,
    pub(super) agent: Agent,
}

impl Calls {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message to those that wait. If there are too many of its kind, returns its requests, which are not sent.
    pub(super) fn add(&self, mut job: Job) -> Result<(), Vec<Id>> {
        let mut state = self.state();
        let (of_lane, waiting_bytes) = state.waiting_in(job.lane);
        let bytes = job.bytes();
        let is_full = of_lane >= MAX_WAITING
            || (bytes > 0 && waiting_bytes.saturating_add(bytes) > job.lane.max_waiting_bytes());
        if is_full {
            return Err(job.open);
        }
        job.after = state.notifications;
        state.notifications += u64::from(job.lane == Lane::Notifications);
        state.waiting.push_back(job);
        Ok(())
    }

    /// The next message that may be sent now.
    pub(super) fn next(&self, agents: &Agents) -> Option<Started> {
        let now = Instant::now();
        let mut state = self.state();
        let job = state.next(now)?;
        let agent = agents.take();
        let number = state.begin(&job, agent.clone(), now);
        drop(state);
        // Those that wait for a notification wait from now on.
        self.changed.notify_all();
        Some(Started { number, job, agent })
    }

    /// Gives up the request about which the server has been silent for longest, if requests wait and all threads are taken.
    pub(super) fn give_up(&self) -> Option<GivenUp> {
        self.state().give_up(Instant::now())
    }

    /// Notes that the server sent something about these requests.
    pub(super) fn heard(&self, open: &[Id]) {
        let Some(first) = open.first() else { return };
        let mut state = self.state();
        let mut running = state.running.values_mut();
        if let Some(running) = running.find(|running| running.open.contains(first)) {
            running.heard = Instant::now();
        }
    }

    /// Whether messages wait and nobody watches them yet: then the caller does.
    pub(super) fn begin_watch(&self) -> bool {
        let mut state = self.state();
        !state.waiting.is_empty() && !std::mem::replace(&mut state.is_watched, true)
    }

    /// Ends a watch that did not begin.
    pub(super) fn end_watch(&self) {
        self.state().is_watched = false;
    }

    /// Waits until a message under way ends, or does not hold its place or its thread any more. False if nothing waits, which
    /// ends the watch.
    pub(super) fn watch(&self) -> bool {
        let now = Instant::now();
        let mut state = self.state();
        if state.waiting.is_empty() {
            state.is_watched = false;
            return false;
        }
        let pause = state.next_change(now).saturating_duration_since(now);
        drop(self.changed.wait_timeout(state, pause));
        true
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
            state.waiting.remove(at);
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

    /// Waits until the notifications before a request are acknowledged, unless the server takes too long for one.
    pub(super) fn wait_for_notifications(&self, job: &Job) {
        let until = Instant::now() + NOTIFIED_TIMEOUT;
        let mut state = self.state();
        while state.notified < job.after {
            let now = Instant::now();
            let until = until.min(state.notified_by().unwrap_or(until));
            if now >= until {
                return;
            }
            let waited = self.changed.wait_timeout(state, until - now);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
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
    /// The number of messages of a kind that wait, and the bytes that they hold in memory.
    fn waiting_in(&self, lane: Lane) -> (usize, usize) {
        let of_lane = self.waiting.iter().filter(|job| job.lane == lane);
        of_lane.fold((0, 0), |(count, bytes), job| {
            (count + 1, bytes + job.bytes())
        })
    }

    /// Takes the next message that may be sent out of those that wait.
    fn next(&mut self, now: Instant) -> Option<Job> {
        let free = Lane::ALL.map(|lane| {
            let held = self.running.values();
            let held = held.filter(|it| it.lane == lane && it.holds_place(now));
            let kept = if lane == Lane::Requests {
                KEPT_THREADS
            } else {
                0
            };
            held.count() < lane.most() && self.threads + kept < MAX_THREADS
        });
        let may_start = |job: &Job| {
            let mut lanes = Lane::ALL.iter().zip(free);
            lanes.any(|(lane, is_free)| *lane == job.lane && is_free)
        };
        let at = self.waiting.iter().position(may_start)?;
        self.waiting.remove(at)
    }

    fn begin(&mut self, job: &Job, agent: Agent, now: Instant) -> u64 {
        self.begun += 1;
        self.threads += 1;
        let running = Running {
            lane: job.lane,
            open: job.open.clone(),
            agent,
            since: now,
            heard: now,
        };
        self.running.insert(self.begun, running);
        self.begun
    }

    fn has_thread(&self) -> bool {
        self.threads + KEPT_THREADS < MAX_THREADS
    }

    /// The number of the request about which the server has been silent for longest, and since when.
    fn most_silent(&self) -> Option<(u64, Instant)> {
        let requests = self
            .running
            .iter()
            .filter(|(_, it)| it.lane == Lane::Requests);
        let times = requests.map(|(number, it)| (*number, it.heard));
        times.min_by_key(|(_, heard)| *heard)
    }

    fn give_up(&mut self, now: Instant) -> Option<GivenUp> {
        let waits = self.waiting.iter().any(|job| job.lane == Lane::Requests);
        // The thread of one that was cancelled or given up ends soon.
        let one_ends = self.threads > self.running.len();
        if !waits || one_ends || self.has_thread() {
            return None;
        }
        let (number, heard) = self.most_silent()?;
        if now < heard + SILENT {
            return None;
        }
        let Running { open, agent, .. } = self.running.remove(&number)?;
        Some(GivenUp { open, agent })
    }

    /// When what waits may be sent, if no message under way ends before.
    fn next_change(&self, now: Instant) -> Instant {
        let places = self.running.values().map(|it| it.since + LONG);
        let place = places.filter(|until| *until > now).min();
        let silent = self.most_silent().map(|(_, heard)| heard + SILENT);
        let soonest = match (self.has_thread(), place, silent) {
            (true, Some(place), _) => place,
            (false, _, Some(silent)) => silent,
            _ => now + LONG,
        };
        // Otherwise a thread does not end.
        if soonest <= now { now + LONG } else { soonest }
    }

    /// Until when requests wait for the notification under way.
    fn notified_by(&self) -> Option<Instant> {
        let mut running = self.running.values();
        let notification = running.find(|it| it.lane == Lane::Notifications)?;
        Some(notification.since + NOTIFIED_TIMEOUT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(waiting: usize) -> State {
        let mut state = State::default();
        state
            .waiting
            .extend((0..waiting).map(|_| job(Lane::Requests)));
        state
    }

    fn job(lane: Lane) -> Job {
        Job::new(lane, Outline::default(), Content::Memory(b"{}".to_vec()))
    }

    /// Begins all that may be sent now; returns how many.
    fn begin_all(state: &mut State, now: Instant) -> usize {
        let mut begun = 0;
        while let Some(job) = state.next(now) {
            state.begin(&job, Agent::new_with_defaults(), now);
            begun += 1;
        }
        begun
    }

    #[test]
    fn requests_that_take_long_hold_no_place_but_leave_threads_for_others() {
        let mut state = state(1_000);
        let start = Instant::now();
        let mut begun = Vec::new();
        for round in 0..5 {
            begun.push(begin_all(&mut state, start + LONG * round));
            assert_eq!(begin_all(&mut state, start + LONG * round), 0);
        }
        assert_eq!(begun, [64, 64, 64, 32, 0]);
        for _ in 0..20 {
            state.waiting.push_back(job(Lane::Answers));
            state.waiting.push_back(job(Lane::Notifications));
        }
        assert_eq!(begin_all(&mut state, start + LONG * 5), 16 + 1);
        // Further notifications wait for the first, however long it takes.
        assert_eq!(begin_all(&mut state, start + LONG * 6), 4);
    }

    #[test]
    fn of_requests_without_an_answer_the_most_silent_is_given_up_when_all_threads_are_taken() {
        let mut state = state(224);
        let start = Instant::now();
        for round in 0..4 {
            begin_all(&mut state, start + LONG * round);
        }
        assert!(state.give_up(start + SILENT * 9).is_none(), "nothing waits");
        state.waiting.push_back(job(Lane::Requests));
        assert!(state.give_up(start + LONG * 29).is_none());
        assert_eq!(state.next_change(start + LONG * 4), start + SILENT);
        let first = *state.running.keys().min().unwrap();
        for (number, running) in &mut state.running {
            if *number != first {
                running.heard += LONG;
            }
        }
        assert!(state.give_up(start + SILENT).is_some());
        assert!(!state.running.contains_key(&first));
        let later = start + SILENT * 2;
        assert!(state.give_up(later).is_none(), "its thread is about to end");
        state.threads -= 1;
        assert_eq!(begin_all(&mut state, later), 1);
    }

    #[test]
    fn kinds_of_messages_do_not_take_each_others_room_to_wait() {
        let calls = Calls::default();
        let add = |lane| calls.add(job(lane)).is_ok();
        let added = |lane| (0..600).filter(|_| add(lane)).count();
        assert_eq!(Lane::ALL.map(added), [512, 512, 512]);
    }
}
