//! The body of an answer: what it holds until it is sent, and what becomes of one that nobody reads.
//!
//! The SDK gives an answer as a whole. It is passed on in small parts, so that what nobody reads stays here, where it is
//! counted.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};
use tokio::task::AbortHandle;

use super::turns::Turn;
use crate::server::guests::Guest;

/// The maximum size of the parts in which an answer is passed on.
const PART_BYTES: usize = 32 * 1024;
/// The size above which what is left of an answer is counted.
const LARGE_BYTES: usize = 64 * 1024;
/// The maximum size of what is left of all large answers; beyond it, the one that has been left for longest is given up.
const MAX_UNREAD_BYTES: usize = 32 * 1024 * 1024;

/// The large answers that are not read to their end.
#[derive(Clone)]
pub(super) struct Answers {
    unread: Arc<Mutex<AllUnread>>,
    /// The time limit for reading one.
    limit: Duration,
}

#[derive(Default)]
struct AllUnread {
    last: u64,
    bytes: usize,
    /// Their sizes, in the order in which they began.
    sizes: BTreeMap<u64, (usize, Guest)>,
}

impl Answers {
    pub(super) fn new(limit: Duration) -> Self {
        Self {
            unread: Arc::default(),
            limit,
        }
    }

    fn unread(&self) -> MutexGuard<'_, AllUnread> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an answer until the result is dropped. If that is too much, the connections of others are closed.
    fn add(&self, bytes: usize, guest: &Guest) -> Unread {
        let mut unread = self.unread();
        while unread.bytes + bytes > MAX_UNREAD_BYTES
            && let Some((_, (size, slow))) = unread.sizes.pop_first()
        {
            unread.bytes -= size;
            slow.cut();
        }
        unread.last += 1;
        unread.bytes += bytes;
        let number = unread.last;
        unread.sizes.insert(number, (bytes, guest.clone()));
        let (limit, slow) = (self.limit, guest.clone());
        let timeout = tokio::spawn(async move {
            tokio::time::sleep(limit).await;
            slow.cut();
        });
        Unread {
            answers: self.clone(),
            number,
            timeout: timeout.abort_handle(),
        }
    }
}

/// A large answer that is not read to its end.
struct Unread {
    answers: Answers,
    number: u64,
    timeout: AbortHandle,
}

impl Drop for Unread {
    fn drop(&mut self) {
        self.timeout.abort();
        let mut unread = self.answers.unread();
        if let Some((bytes, guest)) = unread.sizes.remove(&self.number) {
            unread.bytes -= bytes;
            drop(unread);
            drop(guest);
        }
    }
}

/// The body of an answer.
pub(super) struct Answer<H> {
    body: Body,
    /// The SDK has given all of it.
    is_whole: bool,
    left: VecDeque<Bytes>,
    unread: Option<Unread>,
    answers: Answers,
    guest: Guest,
    /// The call's place, until the call is done.
    place: Option<Turn>,
    _held: H,
}

impl<H> Answer<H> {
    /// `held` is dropped after the last part.
    pub(super) fn new(
        body: Body,
        answers: Answers,
        guest: Guest,
        place: Option<Turn>,
        held: H,
    ) -> Self {
        Self {
            body,
            is_whole: false,
            left: VecDeque::new(),
            unread: None,
            answers,
            guest,
            place,
            _held: held,
        }
    }

    fn left_bytes(&self) -> usize {
        self.left.iter().map(Bytes::len).sum()
    }

    fn add(&mut self, data: Bytes) {
        if data.is_empty() {
            return;
        }
        self.left.push_back(data);
        let left = self.left_bytes();
        if left > LARGE_BYTES && self.unread.is_none() {
            self.unread = Some(self.answers.add(left, &self.guest));
        }
    }

    fn next_part(&mut self) -> Option<Bytes> {
        let first = self.left.front_mut()?;
        let part = first.split_to(first.len().min(PART_BYTES));
        if first.is_empty() {
            self.left.pop_front();
        }
        if self.left.is_empty() {
            self.unread = None;
        }
        Some(part)
    }
}

impl<H: Unpin> http_body::Body for Answer<H> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        // One ahead, because the call is done when the SDK has no more, not when the client has read all.
        while !self.is_whole && self.left.len() < 2 {
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => {
                    // The SDK sends no trailers.
                    if let Ok(data) = frame.into_data() {
                        self.add(data);
                    }
                }
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(None) => {
                    self.is_whole = true;
                    self.place = None;
                }
                Poll::Pending => break,
            }
        }
        match self.next_part() {
            Some(part) => Poll::Ready(Some(Ok(Frame::data(part)))),
            None if self.is_whole => Poll::Ready(None),
            None => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty() && (self.is_whole || self.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        let (left, rest) = (self.left_bytes() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(rest.lower() + left);
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper + left);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::http::turns::{Asker, Turns};
    use crate::mcp::paused_runtime;
    use crate::server::guests::{Guests, Stay};
    use http_body::Body as _;

    const LIMIT: Duration = Duration::from_secs(30);
    const MIB: usize = 1024 * 1024;

    fn answer(answers: &Answers, stay: &Stay, bytes: usize, place: Option<Turn>) -> Answer<()> {
        let body = Body::from(vec![b'x'; bytes]);
        let guest = stay.guest().clone();
        Answer::new(body, answers.clone(), guest, place, ())
    }

    /// The size of the next part; `None` at the end.
    async fn part(answer: &mut Answer<()>) -> Option<usize> {
        let frame = std::future::poll_fn(|context| Pin::new(&mut *answer).poll_frame(context));
        Some(frame.await?.unwrap().into_data().unwrap().len())
    }

    fn is_cut(stay: &Stay) -> bool {
        let cut = std::pin::pin!(stay.guest().is_cut());
        cut.poll(&mut Context::from_waker(std::task::Waker::noop()))
            .is_ready()
    }

    #[test]
    fn an_answer_is_passed_on_whole_in_parts_and_its_call_is_done_at_the_first() {
        paused_runtime().block_on(async {
            let (answers, stay) = (Answers::new(LIMIT), Guests::new(9).enter(None).await);
            let turns = Turns::new(1);
            let place = turns.enter(Asker::default()).await;
            let mut whole = answer(&answers, &stay, MIB + 1, Some(place));
            assert_eq!(whole.size_hint().exact(), Some(MIB as u64 + 1));
            assert_eq!(part(&mut whole).await, Some(PART_BYTES));
            // The next call need not wait until this answer is read.
            turns.enter(Asker::default()).await;
            let mut sum = PART_BYTES;
            while let Some(bytes) = part(&mut whole).await {
                sum += bytes;
            }
            assert_eq!(sum, MIB + 1);
            assert!(whole.is_end_stream() && answers.unread().sizes.is_empty());
            assert_eq!(answers.unread().bytes, 0);
            tokio::time::sleep(2 * LIMIT).await;
            assert!(!is_cut(&stay), "it was read in time");
        });
    }

    #[test]
    fn one_that_nobody_reads_is_given_up_in_time_or_when_there_are_too_many() {
        paused_runtime().block_on(async {
            let (answers, guests) = (Answers::new(LIMIT), Guests::new(9));
            let (first, second) = (guests.enter(None).await, guests.enter(None).await);
            let mut oldest = answer(&answers, &first, 20 * MIB, None);
            part(&mut oldest).await.unwrap();
            tokio::time::sleep(LIMIT / 2).await;
            let mut next = answer(&answers, &second, 10 * MIB, None);
            part(&mut next).await.unwrap();
            assert!(!is_cut(&first));
            let third = guests.enter(None).await;
            let mut newest = answer(&answers, &third, 10 * MIB, None);
            part(&mut newest).await.unwrap();
            assert!(is_cut(&first) && !is_cut(&second));
            assert_eq!(answers.unread().bytes, 20 * MIB);
            drop((oldest, newest));
            assert_eq!(answers.unread().bytes, 10 * MIB);
            tokio::time::sleep(LIMIT + Duration::from_secs(1)).await;
            assert!(is_cut(&second) && !is_cut(&third));
        });
    }
}
