//! One client over stdin and stdout, one message per line.
//!
//! The SDK's own line reader silently drops what it can't parse, and shuts down on an early notification. Here every
//! request gets an answer.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, ServerInitializeError, serve_server_with_ct};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::envelope::{IdFinder, refusal, without_mark};
use super::requests::Requests;
use super::resources;
use super::source::Source;
use super::unique_ids::UniqueIds;
use super::values::too_many;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::pad::MAX_INPUT_BYTES;
use scratchpad::model::text::message::message;
use scratchpad::model::text::quantity::grouped;

/// The maximum length of a line: no tool takes more.
const MAX_LINE_BYTES: usize = MAX_INPUT_BYTES;
/// A buffer that has grown beyond this is freed after its line.
const KEPT_LINE_BYTES: usize = 256 * 1024;
/// The maximum number of requests in flight; beyond it, reading stops (backpressure).
const MAX_IN_FLIGHT: usize = 256;
/// The maximum total size of these requests and their answers, not counting the last one.
const MAX_IN_FLIGHT_BYTES: usize = 2 * MAX_LINE_BYTES;
/// The size that an answer is expected to have, until it is known.
const ANSWER_BYTES: usize = 32 * 1024;
/// The maximum number of subscriptions.
const MAX_LISTENERS: usize = 64;
/// The maximum number of refusals waiting to be written.
const MAX_REFUSALS: usize = 32;
/// The timeout for calls in flight when stdin closes: longer than the busy timeout of the database.
const LAST_ANSWERS: Duration = Duration::from_secs(30);

/// Serves until stdin closes, and answers the requests in flight.
pub(super) async fn serve(source: impl Source) -> Result<()> {
    let (read, write) = rmcp::transport::io::stdio_pipes();
    let lines = UniqueIds::new(Lines::new(read, write, source.closing()));
    let failed = |error: &dyn std::fmt::Display| {
        Error::store(message!(
            "The server failed: {error}.",
            error = error.to_string()
        ))
    };
    match serve_server_with_ct(Requests(source), lines, CancellationToken::new()).await {
        Ok(running) => running
            .waiting()
            .await
            .map(drop)
            .map_err(|error| failed(&error)),
        // A client that disconnects before `initialize` is not an error.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(failed(&error)),
    }
}

/// Messages as lines of JSON.
struct Lines<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Finds the id in a line that is too long to keep.
    too_long: Option<IdFinder>,
    write: Arc<tokio::sync::Mutex<W>>,
    in_flight: Arc<InFlight>,
    refusals: JoinSet<()>,
    closing: CancellationToken,
    /// The deadline for answers, once stdin has closed.
    ended: Option<Instant>,
}

/// The requests in flight.
#[derive(Default)]
struct InFlight {
    ids: Mutex<Ids>,
    fewer: Notify,
}

#[derive(Default)]
struct Ids {
    /// Calls with the sizes of their requests and answers in bytes.
    calls: HashMap<RequestId, usize>,
    /// Subscriptions, which may last as long as the session.
    listeners: HashSet<RequestId>,
}

impl InFlight {
    fn ids(&self) -> MutexGuard<'_, Ids> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_full(&self) -> bool {
        let calls = &self.ids().calls;
        calls.len() >= MAX_IN_FLIGHT || calls.values().sum::<usize>() >= MAX_IN_FLIGHT_BYTES
    }

    /// Registers a request of this size, or returns the reason why not.
    fn begin(&self, id: &RequestId, request: &ClientRequest, bytes: usize) -> Result<(), String> {
        let mut ids = self.ids();
        if ids.calls.contains_key(id) || ids.listeners.contains(id) {
            return Err(format!(
                "The id {id} belongs to a request that is still running."
            ));
        }
        if !matches!(request, ClientRequest::SubscriptionsListenRequest(_)) {
            let answer = match request {
                ClientRequest::ReadResourceRequest(_) => resources::PAGE_BYTES,
                _ => ANSWER_BYTES,
            };
            ids.calls.insert(id.clone(), bytes + answer);
        } else if ids.listeners.len() < MAX_LISTENERS {
            ids.listeners.insert(id.clone());
        } else {
            return Err(format!(
                "{MAX_LISTENERS} requests already listen for changes."
            ));
        }
        Ok(())
    }

    /// Notes the size of the answer to a request, which is in memory no more.
    fn answered(&self, id: &RequestId, bytes: usize) {
        if let Some(size) = self.ids().calls.get_mut(id) {
            *size = bytes;
        }
    }

    /// Removes a request; returns whether it was in flight.
    fn end(&self, id: &RequestId) -> bool {
        let mut ids = self.ids();
        let known = ids.calls.remove(id).is_some() || ids.listeners.remove(id);
        self.fewer.notify_one();
        known
    }
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    fn new(read: R, write: W, closing: CancellationToken) -> Self {
        Self {
            read: BufReader::with_capacity(64 * 1024, read),
            line: Vec::new(),
            too_long: None,
            write: Arc::new(tokio::sync::Mutex::new(write)),
            in_flight: Arc::default(),
            refusals: JoinSet::new(),
            closing,
            ended: None,
        }
    }

    /// Reads the next line into `self.line`; returns false at EOF. The last line may lack its line break.
    ///
    /// Cancel safe: what was read is kept, and the next call continues there.
    async fn read_line(&mut self) -> io::Result<bool> {
        if self.line.capacity() > KEPT_LINE_BYTES && self.line.is_empty() {
            self.line = Vec::new();
        }
        loop {
            let piece = self.read.fill_buf().await?;
            if piece.is_empty() {
                return Ok(self.too_long.is_some() || !self.line.is_empty());
            }
            let end = memchr::memchr(b'\n', piece);
            // `end` is at most the length of `piece`: this never panics.
            let (text, _) = piece.split_at(end.unwrap_or(piece.len()));
            let taken = text.len() + usize::from(end.is_some());
            if let Some(finder) = &mut self.too_long {
                finder.push(text);
            } else if self.line.len() + text.len() > MAX_LINE_BYTES {
                let mut finder = IdFinder::default();
                finder.push(without_mark(&self.line));
                finder.push(text);
                self.too_long = Some(finder);
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(text);
            }
            self.read.consume(taken);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// The message in `self.line`, if there is one.
    fn message(&mut self) -> Option<ClientJsonRpcMessage> {
        if let Some(finder) = self.too_long.take() {
            let limit = grouped(MAX_LINE_BYTES);
            let error = format!("The message is larger than {limit} bytes. Nothing was changed.");
            self.refuse(ErrorData::invalid_request(error, None), finder.found());
            return None;
        }
        let line = without_mark(self.line.trim_ascii());
        if line.is_empty() {
            self.line.clear();
            return None;
        }
        let parsed = parse(line);
        let bytes = line.len();
        self.line.clear();
        match parsed {
            Parsed::Message(message) => self.admitted(*message, bytes),
            Parsed::Refused(error, id) => {
                self.refuse(error, id);
                None
            }
            Parsed::Nothing => None,
        }
    }

    /// The message, if it is for the handler: a request, or the cancellation of one in flight.
    ///
    /// The server sends no requests, so there are no answers to wait for; other notifications are ignored.
    fn admitted(
        &mut self,
        message: ClientJsonRpcMessage,
        bytes: usize,
    ) -> Option<ClientJsonRpcMessage> {
        match &message {
            JsonRpcMessage::Request(request) => {
                let Err(error) = self.in_flight.begin(&request.id, &request.request, bytes) else {
                    return Some(message);
                };
                let id = request.id.clone();
                self.refuse(ErrorData::invalid_request(error, None), Some(id));
                None
            }
            JsonRpcMessage::Notification(notification) => {
                let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                else {
                    return None;
                };
                let id = cancelled.params.request_id.as_ref()?;
                self.in_flight.end(id).then_some(message)
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => None,
        }
    }

    /// Waits for the answers to requests in flight; the SDK itself waits only a few seconds.
    ///
    /// Cancel safe: the deadline does not change.
    async fn last_answers(&mut self) {
        let until = *self
            .ended
            .get_or_insert_with(|| Instant::now() + LAST_ANSWERS);
        while !self.in_flight.ids().calls.is_empty() {
            let fewer = self.in_flight.fewer.notified();
            if tokio::time::timeout_at(until, fewer).await.is_err() {
                break;
            }
        }
    }

    /// Answers with an error without calling the handler.
    fn refuse(&mut self, error: ErrorData, id: Option<RequestId>) {
        // A separate task, because reading can be cancelled at any time, but writing a line must not be.
        let line = serde_json::to_vec(&ServerJsonRpcMessage::error(error, id));
        let write = write_line(self.write.clone(), line.unwrap_or_default());
        self.refusals.spawn(async move {
            // If this can't be written, there is nowhere left to report to.
            let _ = write.await;
        });
    }
}

pub(super) enum Parsed {
    /// A message of the protocol.
    Message(Box<ClientJsonRpcMessage>),
    /// Not a message; this is the answer.
    Refused(ErrorData, Option<RequestId>),
    /// A notification of another protocol, which needs no answer.
    Nothing,
}

pub(super) fn parse(line: &[u8]) -> Parsed {
    if let Some(error) = too_many(line) {
        let error = ErrorData::invalid_request(error, None);
        return Parsed::Refused(error, IdFinder::find(line));
    }
    match serde_json::from_slice(line) {
        Ok(message) => Parsed::Message(Box::new(message)),
        Err(_) => refusal(line).map_or(Parsed::Nothing, |(error, id)| Parsed::Refused(error, id)),
    }
}

async fn write_line<W: AsyncWrite + Send + Unpin + 'static>(
    write: Arc<tokio::sync::Mutex<W>>,
    mut line: Vec<u8>,
) -> io::Result<()> {
    line.push(b'\n');
    let mut write = write.lock().await;
    write.write_all(&line).await?;
    write.flush().await
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let in_flight = self.in_flight.clone();
        let line = serde_json::to_vec(&message);
        if let (Some(id), Ok(line)) = (&id, &line) {
            in_flight.answered(id, line.len());
        }
        let write = self.write.clone();
        // It is in flight until its answer is written, so that a client that does not read can't fill the memory.
        async move {
            let written = write_line(write, line?).await;
            if let Some(id) = id {
                in_flight.end(&id);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            while self.refusals.len() >= MAX_REFUSALS {
                self.refusals.join_next().await;
            }
            while self.refusals.try_join_next().is_some() {}
            while self.in_flight.is_full() {
                self.in_flight.fewer.notified().await;
            }
            if !self.read_line().await.unwrap_or(false) {
                // This ends the subscriptions.
                self.closing.cancel();
                self.last_answers().await;
                return None;
            }
            if let Some(message) = self.message() {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        while self.refusals.join_next().await.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// The requests in these bytes, and the answers given without the handler.
    fn read(bytes: &[u8]) -> (Vec<ClientJsonRpcMessage>, String) {
        crate::mcp::runtime().unwrap().block_on(async {
            let (ours, theirs) = tokio::io::duplex(1024 * 1024);
            let bytes = io::Cursor::new(bytes.to_vec());
            let mut lines = Lines::new(bytes, ours, CancellationToken::new());
            // There is no handler here to answer.
            lines.ended = Some(Instant::now());
            let mut messages = Vec::new();
            while let Some(message) = lines.receive().await {
                messages.push(message);
            }
            lines.close().await.unwrap();
            drop(lines);
            let mut answers = String::new();
            let mut theirs = BufReader::new(theirs);
            while theirs.read_line(&mut answers).await.unwrap() > 0 {}
            (messages, answers)
        })
    }

    #[test]
    fn the_end_waits_for_the_last_answer_and_a_last_line_needs_no_break() {
        crate::mcp::paused_runtime().block_on(async {
            let (ours, _theirs) = tokio::io::duplex(1024);
            let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
            let mut lines = Lines::new(ping.as_bytes(), ours, CancellationToken::new());
            let asked = lines.receive().await.unwrap();
            assert!(matches!(asked, JsonRpcMessage::Request(_)));
            let most = LAST_ANSWERS.saturating_sub(Duration::from_millis(1));
            let early = tokio::time::timeout(most, lines.receive());
            assert!(early.await.is_err(), "it ended without an answer");
            let error = ErrorData::invalid_request("no", None);
            let answer = ServerJsonRpcMessage::error(error, Some(RequestId::Number(7)));
            lines.send(answer).await.unwrap();
            assert!(lines.receive().await.is_none());
        });
    }

    #[test]
    fn large_messages_take_turns() {
        crate::mcp::paused_runtime().block_on(async {
            let (ours, _theirs) = tokio::io::duplex(1024);
            let text = "x".repeat(MAX_LINE_BYTES / 4 * 3);
            let line = |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{text}"}}"#);
            let four = (0..4).map(line).collect::<Vec<_>>().join("\n");
            let mut lines = Lines::new(io::Cursor::new(four), ours, CancellationToken::new());
            for _ in 0..3 {
                assert!(lines.receive().await.is_some());
            }
            let fourth = tokio::time::timeout(Duration::from_hours(1), lines.receive());
            assert!(fourth.await.is_err(), "all four are in memory");
            let error = ErrorData::invalid_request("no", None);
            let answer = ServerJsonRpcMessage::error(error, Some(RequestId::Number(0)));
            lines.send(answer).await.unwrap();
            assert!(lines.receive().await.is_some());
        });
    }

    proptest! {
        #[test]
        fn whatever_comes_before_it_a_request_is_read(
            garbage in prop::collection::vec(prop_oneof![
                prop::collection::vec(any::<u8>(), 0..60),
                r#"[{}\[\]",:\\a-z0-9. ]{0,60}"#.prop_map(String::into_bytes),
                r#"\{"jsonrpc":"2.0","id":([0-9]|"a"|null),"method":"[a-z/]{0,9}"(,"params":(\{\}|\[\]|7))?\}"#
                    .prop_map(String::into_bytes),
            ], 0..8)
        ) {
            let mut bytes = garbage.join(&b'\n');
            bytes.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\",\"id\":\"the one\",\"method\":\"ping\"}\n");
            let (messages, answers) = read(&bytes);
            let last = serde_json::to_value(messages.last().unwrap()).unwrap();
            prop_assert_eq!(&last["id"], "the one");
            for line in answers.lines() {
                let answer: Value = serde_json::from_str(line).unwrap();
                prop_assert!(answer["error"]["code"].is_i64());
            }
        }
    }
}
