//! The requests that have no answer yet, and cancelled ones that may still get theirs.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::id::Id;
use super::shorten::Call;

/// How many cancelled requests are remembered. Most servers never answer them.
const MAX_CANCELLED: usize = 1_024;

pub(super) enum Request {
    /// A call of a tool.
    Call(Call),
    /// A list of tools.
    List,
    /// Anything else.
    Other,
}

/// A request and its sequence number: ids may be reused after the answer.
struct Noted {
    number: u64,
    request: Request,
    /// The client's id, if the request was passed on under another.
    client_id: Option<Id>,
}

/// The requests that the next line from the upstream may answer.
#[derive(Clone, Copy)]
pub(super) struct Outlook {
    /// Shorter texts are not replaced.
    pub(super) shortest: u64,
    /// A list of tools is among them, or an id must be changed or an answer left out.
    pub(super) has_edits: bool,
    /// How many requests had been registered by then.
    pub(super) noted: u64,
}

/// What a message from the upstream answers.
pub(super) enum Answered {
    /// A pending request; with the client's id, if that is another.
    Request(Request, Option<Id>),
    /// A request that was cancelled, whose id is in use again: the client would take this for the new answer.
    Reused,
    Nothing,
}

/// Whether a request may be passed on under another id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rename {
    Allowed,
    /// Its bytes can't be changed.
    Impossible,
}

#[derive(Default)]
pub(super) struct Pending {
    /// By the id that the upstream knows.
    requests: HashMap<Id, Noted>,
    /// How many calls have each threshold. Every line asks for the lowest, however many are pending.
    thresholds: BTreeMap<u64, usize>,
    lists: usize,
    /// The ids of requests that were passed on under another, by the client's id.
    renamed: HashMap<Id, Id>,
    cancelled: Cancelled,
    /// How many have been registered so far.
    noted: u64,
    /// Why the upstream will not answer.
    ended: Option<String>,
}

impl Pending {
    /// Registers a request. Returns the id to pass it on under, if that is not its own; an error if the upstream has
    /// ended.
    ///
    /// The id of a cancelled request may still get that request's answer, so the next with this id gets another.
    pub(super) fn register(
        &mut self,
        id: &Id,
        request: Request,
        rename: Rename,
    ) -> Result<Option<Id>, String> {
        if let Some(reason) = &self.ended {
            return Err(reason.clone());
        }
        self.noted += 1;
        let number = self.noted;
        let other = (rename == Rename::Allowed && self.cancelled.reuse(id))
            .then(|| Id::text(&format!("scratchpad-{number}")));
        let client_id = other.as_ref().map(|_| id.clone());
        if let Some(other) = &other {
            self.renamed.insert(id.clone(), other.clone());
        }
        self.count(&request, true);
        let noted = Noted {
            number,
            request,
            client_id,
        };
        let before = self
            .requests
            .insert(other.clone().unwrap_or_else(|| id.clone()), noted);
        if let Some(before) = before {
            self.count(&before.request, false);
        }
        Ok(other)
    }

    /// Removes a request that the client cancels. Returns the id that the upstream knows it by, if it is pending.
    pub(super) fn cancel(&mut self, id: &Id) -> Option<Id> {
        let known = self.renamed.get(id).unwrap_or(id).clone();
        let number = self.remove(&known)?.number;
        self.cancelled.add(known.clone(), number);
        if known != *id {
            // Its own id is still that of the one before.
            self.cancelled.add(id.clone(), number);
        }
        Some(known)
    }

    /// Notes that a cancelled request will get no answer.
    pub(super) fn forget_cancelled(&mut self, id: &Id) {
        self.cancelled.remove(id);
    }

    /// Removes and returns what an answer belongs to, if it was registered before the answer arrived.
    pub(super) fn answer(&mut self, id: &Id, noted: u64) -> Answered {
        match self.requests.get(id) {
            Some(found) if found.number > noted => Answered::Nothing,
            Some(_) => match self.remove(id) {
                Some(found) => Answered::Request(found.request, found.client_id),
                None => Answered::Nothing,
            },
            None if self.cancelled.was_sent(id, noted)
                && self.cancelled.remove(id) == Some(true) =>
            {
                Answered::Reused
            }
            None => Answered::Nothing,
        }
    }

    /// Removes a request that is still pending; returns the client's id of it.
    pub(super) fn refuse(&mut self, id: &Id) -> Option<Id> {
        let found = self.remove(id)?;
        Some(found.client_id.unwrap_or_else(|| id.clone()))
    }

    pub(super) fn has(&self, id: &Id) -> bool {
        self.requests.contains_key(id)
    }

    /// `None` if no request is pending.
    pub(super) fn outlook(&self) -> Option<Outlook> {
        if self.requests.is_empty() && self.cancelled.reused == 0 {
            return None;
        }
        let lowest = self.thresholds.keys().next();
        Some(Outlook {
            shortest: lowest.copied().unwrap_or(u64::MAX),
            has_edits: self.has_edits(),
            noted: self.noted,
        })
    }

    /// Whether a long line must be read to its end before it can be forwarded.
    pub(super) fn wants_whole(&self) -> bool {
        !self.thresholds.is_empty() || self.has_edits()
    }

    fn has_edits(&self) -> bool {
        self.lists > 0 || !self.renamed.is_empty() || self.cancelled.reused > 0
    }

    /// Refuses all pending and later requests; returns the client's ids of the pending ones.
    pub(super) fn end(&mut self, reason: &str) -> Vec<Id> {
        let all = std::mem::take(self);
        self.ended = Some(reason.to_owned());
        let requests = all.requests.into_iter();
        requests
            .map(|(id, noted)| noted.client_id.unwrap_or(id))
            .collect()
    }

    fn remove(&mut self, id: &Id) -> Option<Noted> {
        let found = self.requests.remove(id)?;
        self.count(&found.request, false);
        if let Some(client_id) = &found.client_id {
            self.renamed.remove(client_id);
        }
        Some(found)
    }

    fn count(&mut self, request: &Request, is_new: bool) {
        let change = |count: &mut usize| {
            *count = if is_new {
                *count + 1
            } else {
                count.saturating_sub(1)
            };
        };
        match request {
            Request::Call(call) => {
                let count = self.thresholds.entry(call.threshold).or_default();
                change(count);
                if *count == 0 {
                    self.thresholds.remove(&call.threshold);
                }
            }
            Request::List => change(&mut self.lists),
            Request::Other => {}
        }
    }
}

/// Requests that were cancelled before they were answered.
#[derive(Default)]
struct Cancelled {
    /// Whether the id is in use again, and the number of its request.
    ids: HashMap<Id, (bool, u64)>,
    /// Oldest first; those that were removed since are still in it.
    order: VecDeque<(Id, u64)>,
    reused: usize,
}

impl Cancelled {
    fn add(&mut self, id: Id, number: u64) {
        if self.ids.contains_key(&id) {
            return;
        }
        self.ids.insert(id.clone(), (false, number));
        self.order.push_back((id, number));
        while self.order.len() > MAX_CANCELLED {
            if let Some((oldest, number)) = self.order.pop_front()
                && self.ids.get(&oldest).is_some_and(|found| found.1 == number)
            {
                self.remove(&oldest);
            }
        }
    }

    /// Whether the request of an id was registered before an answer arrived.
    fn was_sent(&self, id: &Id, noted: u64) -> bool {
        self.ids.get(id).is_some_and(|found| found.1 <= noted)
    }

    /// Removes an id; returns whether it was in use again.
    fn remove(&mut self, id: &Id) -> Option<bool> {
        let (is_reused, _) = self.ids.remove(id)?;
        self.reused -= usize::from(is_reused);
        Some(is_reused)
    }

    /// Whether an id is one of a cancelled request; from now on it is in use again.
    fn reuse(&mut self, id: &Id) -> bool {
        let Some((is_reused, _)) = self.ids.get_mut(id) else {
            return false;
        };
        self.reused += usize::from(!std::mem::replace(is_reused, true));
        true
    }
}
