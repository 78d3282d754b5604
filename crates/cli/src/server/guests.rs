//! The connections, and which of them makes room when there are too many.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// All connections.
#[derive(Clone)]
pub(crate) struct Guests(Arc<Inner>);

struct Inner {
    most: usize,
    table: Mutex<Table>,
    /// One ended, or has no request in flight any more.
    freed: Notify,
}

#[derive(Default)]
struct Table {
    guests: HashMap<u64, Entry>,
    /// Counts connections and requests, to order them.
    count: u64,
}

struct Entry {
    address: Option<IpAddr>,
    /// Has sent a whole request, with the token where one is needed.
    is_known: bool,
    /// Requests in flight, including their answers.
    under_way: usize,
    last_use: u64,
    cut: CancellationToken,
}

impl Guests {
    /// At most `most` at once.
    pub(crate) fn new(most: usize) -> Self {
        Self(Arc::new(Inner {
            most,
            table: Mutex::default(),
            freed: Notify::new(),
        }))
    }

    /// Adds a connection. If there are too many, another one is closed; if all are in use, this waits.
    pub(crate) async fn enter(&self, address: Option<IpAddr>) -> Stay {
        loop {
            let freed = self.0.freed.notified();
            if let Some(stay) = self.try_enter(address) {
                return stay;
            }
            freed.await;
        }
    }

    fn try_enter(&self, address: Option<IpAddr>) -> Option<Stay> {
        let mut table = self.0.table();
        if table.guests.len() >= self.0.most {
            let gone = table.who_leaves()?;
            if let Some(entry) = table.guests.remove(&gone) {
                entry.cut.cancel();
            }
        }
        let (number, cut) = table.add(address);
        Some(Stay(Guest {
            inner: self.0.clone(),
            address,
            number,
            cut,
        }))
    }
}

impl Inner {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn add(&mut self, address: Option<IpAddr>) -> (u64, CancellationToken) {
        self.count += 1;
        let cut = CancellationToken::new();
        let entry = Entry {
            address,
            is_known: false,
            under_way: 0,
            last_use: self.count,
            cut: cut.clone(),
        };
        self.guests.insert(self.count, entry);
        (self.count, cut)
    }

    /// The connection to close for a new one. First come those that have not sent a whole request, of the address with the
    /// most of them the oldest; then the one unused for longest. `None` if all have a request in flight.
    fn who_leaves(&self) -> Option<u64> {
        let mut strangers = HashMap::<_, usize>::new();
        for entry in self.guests.values().filter(|entry| !entry.is_known) {
            *strangers.entry(entry.address).or_default() += 1;
        }
        let rank = |entry: &Entry| {
            let of_address = strangers.get(&entry.address).copied().unwrap_or(0);
            let of_address = if entry.is_known { 0 } else { of_address };
            (entry.is_known, usize::MAX - of_address, entry.last_use)
        };
        let idle = self.guests.iter().filter(|(_, entry)| entry.under_way == 0);
        idle.min_by_key(|(_, entry)| rank(entry))
            .map(|(number, _)| *number)
    }
}

/// One connection, until dropped.
pub(crate) struct Stay(Guest);

impl Stay {
    pub(crate) fn guest(&self) -> &Guest {
        &self.0
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        self.0.inner.table().guests.remove(&self.0.number);
        self.0.inner.freed.notify_waiters();
    }
}

/// A connection, for whoever serves its requests.
#[derive(Clone)]
pub(crate) struct Guest {
    inner: Arc<Inner>,
    address: Option<IpAddr>,
    number: u64,
    cut: CancellationToken,
}

impl Guest {
    /// Where it comes from; `None` on a socket of this machine.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.address
    }

    /// Closes the connection.
    pub(crate) fn cut(&self) {
        self.cut.cancel();
    }

    /// Waits until the connection is to be closed.
    pub(crate) async fn is_cut(&self) {
        self.cut.cancelled().await;
    }

    /// Marks a request as in flight until the result is dropped. It had the token, where one is needed.
    pub(crate) fn serving(&self) -> Serving {
        if let Some(entry) = self.inner.table().guests.get_mut(&self.number) {
            entry.is_known = true;
            entry.under_way += 1;
        }
        Serving(self.clone())
    }
}

/// A request in flight.
pub(crate) struct Serving(Guest);

impl Drop for Serving {
    fn drop(&mut self) {
        let mut table = self.0.inner.table();
        table.count += 1;
        let now = table.count;
        if let Some(entry) = table.guests.get_mut(&self.0.number) {
            entry.under_way = entry.under_way.saturating_sub(1);
            entry.last_use = now;
        }
        drop(table);
        self.0.inner.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    fn is_in(stay: &Stay) -> bool {
        !stay.0.cut.is_cancelled()
    }

    #[test]
    fn strangers_leave_first_and_of_the_address_with_the_most_of_them_the_oldest() {
        let guests = Guests::new(5);
        let enter = |last| guests.try_enter(Some(address(last))).unwrap();
        let known = enter(1);
        drop(known.guest().serving());
        let (single, first, second) = (enter(2), enter(3), enter(3));
        let busy = enter(4);
        let serving = busy.guest().serving();
        let third = enter(5);
        assert!(!is_in(&first) && is_in(&second) && is_in(&single) && is_in(&known));
        // One each: the oldest.
        let fourth = enter(6);
        assert!(!is_in(&single) && is_in(&second) && is_in(&third));
        drop((first, single, second, third, fourth));
        let rest: Vec<Stay> = (0..3).map(|_| enter(7)).collect();
        let _all: Vec<_> = rest.iter().map(|stay| stay.guest().serving()).collect();
        // No strangers are left.
        let last = enter(8);
        assert!(!is_in(&known) && is_in(&busy));
        let _last = last.guest().serving();
        assert!(
            guests.try_enter(Some(address(9))).is_none(),
            "all are in use"
        );
        drop(serving);
        assert!(guests.try_enter(Some(address(9))).is_some());
        assert!(!is_in(&busy));
    }
}
