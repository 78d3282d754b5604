//! One client over stdin and stdout, a message a line.
//!
//! The SDK's own line reader drops what it can't read without an answer, and ends the server on
//! a notification that comes too early; a client of ours gets an answer to every request instead.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, ServerInitializeError, serve_server_with_ct};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::envelope::IdFinder;
use super::requests::Requests;
use super::source::Source;
use crate::model::error::{Error, Result};
use crate::model::pad::MAX_INPUT_BYTES;
use crate::model::quantity::grouped;

/// The longest line: what no tool takes, none needs.
const MAX_LINE_BYTES: usize = MAX_INPUT_BYTES;
/// A buffer that grew beyond this is given back after its line.
const KEPT_LINE_BYTES: usize = 256 * 1024;
/// The most requests under way; then reading waits, and with it the client.
const MAX_UNDER_WAY: usize = 256;
/// The most requests that listen for changes.
const MAX_LISTENERS: usize = 64;
/// The most refusals that wait to be written.
const MAX_REFUSALS: usize = 32;

/// Serves until stdin ends, and answers what was asked by then.
pub(super) async fn serve(source: impl Source) -> Result<()> {
    let (read, write) = rmcp::transport::io::stdio_pipes();
    let lines = Lines::new(read, write, source.closing());
    let failed =
        |error: &dyn std::fmt::Display| Error::store(format!("The server failed: {error}."));
    match serve_server_with_ct(Requests(source), lines, CancellationToken::new()).await {
        Ok(running) => running
            .waiting()
            .await
            .map(drop)
            .map_err(|error| failed(&error)),
        // A client that goes without a word did nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(failed(&error)),
    }
}

/// Messages as lines of JSON.
struct Lines<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Looks for the id in a line that is too long to keep.
    too_long: Option<IdFinder>,
    write: Arc<tokio::sync::Mutex<W>>,
    under_way: Arc<UnderWay>,
    refusals: JoinSet<()>,
    closing: CancellationToken,
}

/// The requests that have no answer yet.
#[derive(Default)]
struct UnderWay {
    ids: Mutex<Ids>,
    fewer: Notify,
}

#[derive(Default)]
struct Ids {
    calls: HashSet<RequestId>,
    /// Those who listen for changes, which may take as long as the session.
    listeners: HashSet<RequestId>,
}

impl UnderWay {
    fn ids(&self) -> MutexGuard<'_, Ids> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a request in, or says why not.
    fn begin(&self, id: &RequestId, request: &ClientRequest) -> Result<(), String> {
        let mut ids = self.ids();
        if ids.calls.contains(id) || ids.listeners.contains(id) {
            return Err(format!("The id {id} is that of a request under way."));
        }
        if !matches!(request, ClientRequest::SubscriptionsListenRequest(_)) {
            ids.calls.insert(id.clone());
        } else if ids.listeners.len() < MAX_LISTENERS {
            ids.listeners.insert(id.clone());
        } else {
            return Err(format!(
                "{MAX_LISTENERS} requests listen for changes already."
            ));
        }
        Ok(())
    }

    /// Whether the request was under way; it is no more.
    fn end(&self, id: &RequestId) -> bool {
        let mut ids = self.ids();
        let known = ids.calls.remove(id) || ids.listeners.remove(id);
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
            under_way: Arc::default(),
            refusals: JoinSet::new(),
            closing,
        }
    }

    /// Reads the next line into `self.line`; false at the end.
    ///
    /// May be dropped while it waits: what was read stays, and the next call goes on from there.
    async fn read_line(&mut self) -> io::Result<bool> {
        if self.line.capacity() > KEPT_LINE_BYTES && self.line.is_empty() {
            self.line = Vec::new();
        }
        loop {
            let piece = self.read.fill_buf().await?;
            if piece.is_empty() {
                return Ok(false);
            }
            let end = memchr::memchr(b'\n', piece);
            let (text, taken) = match end {
                Some(end) => (piece.get(..end).unwrap_or_default(), end + 1),
                None => (piece, piece.len()),
            };
            if let Some(finder) = &mut self.too_long {
                finder.push(text);
            } else if self.line.len() + text.len() > MAX_LINE_BYTES {
                let mut finder = IdFinder::default();
                finder.push(&self.line);
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

    /// What the line in `self.line` asks for, if anything.
    fn message(&mut self) -> Option<ClientJsonRpcMessage> {
        if let Some(finder) = self.too_long.take() {
            let limit = grouped(MAX_LINE_BYTES);
            let error = format!("The message has more than {limit} bytes. Nothing was changed.");
            self.refuse(ErrorData::invalid_request(error, None), finder.found());
            return None;
        }
        let line = self.line.trim_ascii();
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        if line.is_empty() {
            self.line.clear();
            return None;
        }
        let parsed = serde_json::from_slice::<ClientJsonRpcMessage>(line);
        let refusal = match &parsed {
            Ok(_) => None,
            Err(_) if serde_json::from_slice::<serde::de::IgnoredAny>(line).is_err() => {
                Some((ErrorData::parse_error("This is not JSON.", None), None))
            }
            // A notification that we don't know needs no answer.
            Err(_) if is_notification(line) => None,
            Err(_) => Some((
                ErrorData::invalid_request("This is no JSON-RPC 2.0 message.", None),
                IdFinder::find(line),
            )),
        };
        self.line.clear();
        if let Some((error, id)) = refusal {
            self.refuse(error, id);
        }
        self.admitted(parsed.ok()?)
    }

    /// The message, if it is for the handler: requests, and the cancelling of one that is under way.
    ///
    /// No answer is awaited from the client, and its other notifications say nothing to us.
    fn admitted(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &message {
            JsonRpcMessage::Request(request) => {
                let Err(error) = self.under_way.begin(&request.id, &request.request) else {
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
                self.under_way.end(id).then_some(message)
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => None,
        }
    }

    /// Answers an error without the handler.
    fn refuse(&mut self, error: ErrorData, id: Option<RequestId>) {
        // A task of its own: reading may be interrupted at any time, a line half written never.
        let write = write_line(self.write.clone(), &ServerJsonRpcMessage::error(error, id));
        self.refusals.spawn(async move {
            // Nobody is left to tell if it can't be written.
            let _ = write.await;
        });
    }
}

fn is_notification(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|message| {
        message.get("id").is_none()
            && message.get("method").is_some_and(Value::is_string)
            && message.get("jsonrpc") == Some(&Value::from("2.0"))
    })
}

fn write_line<W: AsyncWrite + Send + Unpin + 'static>(
    write: Arc<tokio::sync::Mutex<W>>,
    message: &ServerJsonRpcMessage,
) -> impl Future<Output = io::Result<()>> + Send + use<W> {
    let line = serde_json::to_vec(message);
    async move {
        let mut line = line?;
        line.push(b'\n');
        let mut write = write.lock().await;
        write.write_all(&line).await?;
        write.flush().await
    }
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
        let under_way = self.under_way.clone();
        let written = write_line(self.write.clone(), &message);
        // Until its answer is written: a client that reads nothing must not fill our memory.
        async move {
            let written = written.await;
            if let Some(id) = id {
                under_way.end(&id);
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
            while self.under_way.ids().calls.len() >= MAX_UNDER_WAY {
                self.under_way.fewer.notified().await;
            }
            // What has no line break at the end was not sent whole.
            if !self.read_line().await.unwrap_or(false) {
                // Who listens for changes waits for nothing any more.
                self.closing.cancel();
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

    /// The requests that come out of these bytes, and whatever was answered without the handler.
    fn read(bytes: &[u8]) -> (Vec<ClientJsonRpcMessage>, String) {
        crate::mcp::runtime().unwrap().block_on(async {
            let (ours, theirs) = tokio::io::duplex(1024 * 1024);
            let bytes = io::Cursor::new(bytes.to_vec());
            let mut lines = Lines::new(bytes, ours, CancellationToken::new());
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
