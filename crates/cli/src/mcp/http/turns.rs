//! Places that are shared out by address, then by session: the next free one goes to whoever holds the fewest.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot::{Sender, channel};

/// Who asks for a place. A session is only a name, so addresses come first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Asker {
    /// `None` on a socket of this machine.
    pub(super) address: Option<IpAddr>,
    pub(super) session: Option<Box<str>>,
}

impl Asker {
    /// All sessions of the address.
    fn whole_address(&self) -> Self {
        Self {
            address: self.address,
            session: None,
        }
    }
}

#[derive(Clone)]
pub(super) struct Turns(Arc<Mutex<State>>);

struct State {
    free: usize,
    /// By asker, and for all sessions of an address together.
    held: HashMap<Asker, usize>,
    waiting: VecDeque<(Asker, Sender<Turn>)>,
}

impl Turns {
    pub(super) fn new(places: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            free: places,
            held: HashMap::new(),
            waiting: VecDeque::new(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place.
    pub(super) async fn enter(&self, asker: Asker) -> Turn {
        let (sender, turn) = channel();
        self.state().waiting.push_back((asker, sender));
        self.share_out();
        // The sender is dropped only after a place came through it.
        turn.await.unwrap_or_default()
    }

    /// Whether somebody waits.
    pub(super) fn is_waited_for(&self) -> bool {
        let state = self.state();
        state.waiting.iter().any(|(_, sender)| !sender.is_closed())
    }

    fn share_out(&self) {
        loop {
            let Some((asker, sender)) = self.state().next() else {
                return;
            };
            let turns = Some(self.clone());
            // Whoever has stopped waiting gives the place back by dropping it.
            drop(sender.send(Turn { turns, asker }));
        }
    }
}

impl State {
    /// Takes a free place for whoever is next.
    fn next(&mut self) -> Option<(Asker, Sender<Turn>)> {
        self.waiting.retain(|(_, sender)| !sender.is_closed());
        if self.free == 0 {
            return None;
        }
        let held = |asker: &Asker| self.held.get(asker).copied().unwrap_or(0);
        let rank = |asker: &Asker| (held(&asker.whole_address()), held(asker));
        let waiting = self.waiting.iter().enumerate();
        let (at, _) = waiting.min_by_key(|(at, (asker, _))| (rank(asker), *at))?;
        let next = self.waiting.remove(at)?;
        self.free -= 1;
        for key in [next.0.clone(), next.0.whole_address()] {
            *self.held.entry(key).or_default() += 1;
        }
        Some(next)
    }

    fn leave(&mut self, asker: &Asker) {
        self.free += 1;
        for key in [asker.clone(), asker.whole_address()] {
            if let Some(held) = self.held.get_mut(&key) {
                *held -= 1;
                if *held == 0 {
                    self.held.remove(&key);
                }
            }
        }
    }
}

/// A place, until dropped.
#[derive(Default)]
pub(super) struct Turn {
    turns: Option<Turns>,
    asker: Asker,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = self.turns.take() {
            turns.state().leave(&self.asker);
            turns.share_out();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Option<F::Output> {
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => Some(done),
            Poll::Pending => None,
        }
    }

    fn asker(last: u8, session: &str) -> Asker {
        Asker {
            address: Some(IpAddr::from([10, 0, 0, last])),
            session: Some(session.into()),
        }
    }

    #[test]
    fn the_next_place_goes_to_whoever_holds_the_fewest() {
        let turns = Turns::new(2);
        let (many, few) = (asker(1, "many"), asker(1, "few"));
        let enter = |who: &Asker| turns.enter(who.clone());
        let first = poll(pin!(enter(&many))).unwrap();
        let second = poll(pin!(enter(&many))).unwrap();
        assert!(!turns.is_waited_for());
        let mut third = pin!(enter(&many));
        assert!(poll(third.as_mut()).is_none());
        let mut other = pin!(enter(&few));
        assert!(poll(other.as_mut()).is_none());
        let mut elsewhere = pin!(enter(&asker(2, "many")));
        assert!(poll(elsewhere.as_mut()).is_none());
        {
            // Whoever stops waiting takes no place.
            let mut gone = pin!(enter(&asker(3, "gone")));
            assert!(poll(gone.as_mut()).is_none());
        }
        assert!(turns.is_waited_for());
        drop(first);
        assert!(poll(third.as_mut()).is_none() && poll(other.as_mut()).is_none());
        let elsewhere = poll(elsewhere.as_mut()).unwrap();
        drop(elsewhere);
        assert!(poll(third.as_mut()).is_none());
        let other = poll(other.as_mut()).unwrap();
        drop(second);
        let third = poll(third.as_mut()).unwrap();
        drop((other, third));
        let state = turns.state();
        assert!(state.free == 2 && state.held.is_empty() && state.waiting.is_empty());
    }
}
