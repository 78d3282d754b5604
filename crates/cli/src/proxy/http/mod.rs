//! An upstream over Streamable HTTP, in both eras of the protocol. The client stays on pipes.
//!
//! Each message is one POST with the client's own bytes. In the older era the server assigns a session id, which
//! every later request repeats, and may send messages of its own on a separate stream.

mod address;
mod gather;
mod headers;
mod response;
mod sse;

use std::fs::File;
use std::io::{self, Seek};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ureq::http::{HeaderValue, Response};
use ureq::{Agent, Body as ResponseBody};

use super::body::Body;
use super::id::Id;
use super::lines::{Line, LineReader, Spooled, copy_beginning, spool};
use super::message::Message;
use super::outline::Outline;
use super::process::{stdin, stdout};
use super::relay::{Relay, Route};
use super::{Proxy, Warn};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::text::bytes::read_piece;

pub use address::Address;
use gather::Gather;
use response::{is_json, is_stream, refusal};
use scratchpad::model::text::message::message;
use sse::{Events, Said};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// The timeout for the server to acknowledge a notification.
const ACKNOWLEDGE: Duration = Duration::from_secs(30);
/// The delay before a broken stream is requested again, unless the server sets one.
const PAUSE: Duration = Duration::from_secs(1);
/// The maximum of that delay.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// The maximum number of requests in flight; beyond it, the client waits.
const MAX_UNDER_WAY: usize = 64;
/// How much of an error page to show.
const SHOWN_CHARS: usize = 300;

impl Proxy {
    /// Forwards messages between the client and a server over HTTP until the client is gone.
    pub fn run_url(self, address: Address, warn: Warn) -> Result<()> {
        let failed = |error: std::io::Error| {
            Error::store(message!(
                "Can't start the proxy: {error}.",
                error = error.to_string()
            ))
        };
        let (stdin, stdout) = (stdin().map_err(failed)?, stdout().map_err(failed)?);
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would send the headers, with their secrets, elsewhere.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .user_agent(concat!(
                env!("CARGO_PKG_NAME"),
                "/",
                env!("CARGO_PKG_VERSION")
            ))
            .build();
        let http = Arc::new(Http {
            agent: config.new_agent(),
            grace: address.grace,
            address,
            relay: Arc::new(Relay::new(self, stdout, warn)),
            agreed: Mutex::default(),
            under_way: Mutex::default(),
            fewer: Condvar::new(),
            said: AtomicU64::new(0),
        });
        http.from_client(stdin);
        http.drain();
        http.end();
        http.relay.finish();
        Ok(())
    }
}

struct Http {
    agent: Agent,
    address: Address,
    grace: Duration,
    relay: Arc<Relay>,
    agreed: Mutex<Agreed>,
    under_way: Mutex<usize>,
    fewer: Condvar,
    /// How many messages the server has sent.
    said: AtomicU64,
}

/// What `initialize` negotiated, in the older era.
#[derive(Clone, Default)]
struct Agreed {
    begun: bool,
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
}

/// A message to send.
enum Content {
    Memory(Vec<u8>),
    File(File),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Http {
    fn from_client(self: &Arc<Self>, client: File) {
        let mut reader = LineReader::new(client);
        // A read error means that the client is gone.
        while let Ok(Some(line)) = reader.next() {
            match line {
                Line::Whole(line) if line.trim_ascii().is_empty() => {}
                Line::Whole(line) => {
                    let outline = Outline::of(line, u64::MAX).unwrap_or_default();
                    let content = match self.relay.route(&outline, Some(line)) {
                        Route::On => line.to_vec(),
                        Route::Only(batch) => batch,
                        Route::Nowhere => continue,
                    };
                    self.send(outline, Content::Memory(content));
                }
                Line::Long(head) => match spool(head, &mut reader) {
                    Ok(Spooled::Whole(file)) => self.send_file(file),
                    Ok(Spooled::Partly(file, bytes, error)) => {
                        if self
                            .lose(file.as_ref(), &bytes, &mut reader, &error)
                            .is_err()
                        {
                            return;
                        }
                    }
                    Err(_) => return,
                },
            }
        }
    }

    /// Reads a message that could not be spooled to its end, and answers its requests with an error.
    fn lose(
        &self,
        file: Option<&File>,
        bytes: &[u8],
        reader: &mut LineReader<File>,
        error: &io::Error,
    ) -> io::Result<()> {
        let mut walk = Outline::begin(u64::MAX);
        let mut take = |piece: &[u8]| {
            walk.push(piece);
            Ok(())
        };
        copy_beginning(file, bytes, &mut take)?;
        reader.rest(take)?;
        let outline = walk.end().unwrap_or_default();
        let reason = format!("The message is too large to be sent from here: {error}.");
        self.relay.warn(&reason);
        self.relay.register(&outline);
        self.relay.refuse_because(&outline.requests(), &reason);
        Ok(())
    }

    fn send_file(self: &Arc<Self>, mut file: File) {
        let mut walk = Outline::begin(u64::MAX);
        let body = Body::File(&file);
        let read = body.len().and_then(|length| {
            body.pieces(0..length, |piece| {
                walk.push(piece);
                Ok(())
            })
        });
        let outline = walk.end().unwrap_or_default();
        if read.and_then(|()| file.rewind()).is_ok()
            && self.relay.route(&outline, None) != Route::Nowhere
        {
            self.send(outline, Content::File(file));
        }
    }

    /// Sends a message: requests concurrently, everything else in order.
    fn send(self: &Arc<Self>, outline: Outline, content: Content) {
        let mut open = outline.requests();
        if open.is_empty() {
            self.notify(&outline, content);
            return;
        }
        let under_way = UnderWay::begin(self);
        let work = move || {
            let http = &under_way.0;
            let reason = match http.ask(&outline, content, &mut open) {
                Ok(()) => "ended its answer without one.".to_owned(),
                Err(reason) => reason,
            };
            let upstream = http.relay.upstream();
            let reason = format!("The MCP server behind the proxy ({upstream}) {reason}");
            http.relay.refuse_because(&open, &reason);
        };
        if let Err(error) = std::thread::Builder::new().spawn(work) {
            self.relay.warn(&format!("Can't send a request: {error}."));
        }
    }

    /// Sends a message that needs no answer.
    fn notify(self: &Arc<Self>, outline: &Outline, content: Content) {
        let method = outline
            .messages
            .first()
            .and_then(|message| message.method.as_deref());
        let sent = self.post(outline, content, Some(ACKNOWLEDGE));
        match sent {
            Ok(response) if response.status().is_success() => {
                if method == Some("notifications/initialized") {
                    let http = self.clone();
                    std::thread::spawn(move || http.listen());
                }
            }
            Ok(mut response) => {
                let why = refusal(&mut response);
                self.relay.warn(&format!(
                    "{} did not accept a message: {why}",
                    self.relay.upstream()
                ));
            }
            Err(error) => {
                self.relay.warn(&format!(
                    "{} can't be reached: {error}.",
                    self.relay.upstream()
                ));
            }
        }
    }

    /// Sends requests and passes on the answers, or says why there are none. `open` are the requests that still have no
    /// answer.
    fn ask(
        &self,
        outline: &Outline,
        content: Content,
        open: &mut Vec<Id>,
    ) -> std::result::Result<(), String> {
        let unreachable = |error: &dyn std::fmt::Display| format!("can't be reached: {error}.");
        let mut response = self
            .post(outline, content, None)
            .map_err(|error| unreachable(&error))?;
        let begins = |message: &Message| message.method.as_deref() == Some("initialize");
        let begins = outline.messages.iter().any(begins);
        let status = response.status();
        if begins && status.is_success() {
            *lock(&self.agreed) = Agreed {
                begun: true,
                session: response.headers().get(headers::SESSION).cloned(),
                version: None,
            };
        }
        if is_stream(&response) {
            return self
                .pass_answer_stream(open, response)
                .map_err(|error| unreachable(&error));
        }
        if !is_json(&response) {
            return if status.is_success() {
                Ok(())
            } else {
                Err(format!("answered {}", refusal(&mut response)))
            };
        }
        let mut message = Gather::default();
        message
            .read(response.body_mut().as_reader())
            .map_err(|error| unreachable(&error))?;
        // A protocol error with a known id is an answer like any other.
        if !status.is_success() && !message.answers(open) {
            return Err(format!("answered {status}: {}", message.beginning()));
        }
        self.pass(message, open)
            .map_err(|error| unreachable(&error))
    }

    /// Passes on an answer that is a stream. A broken stream is resumed if its events have ids.
    fn pass_answer_stream(
        &self,
        open: &mut Vec<Id>,
        response: Response<ResponseBody>,
    ) -> io::Result<()> {
        let mut events = Events::default();
        let mut read = self.pass_events(response, &mut events, open);
        while self.relay.awaits(open) && events.last_id().is_some() {
            std::thread::sleep(pause(&events, PAUSE));
            let Ok(Some(resumed)) = self.get(events.last_id()) else {
                break;
            };
            let before = self.said.load(Ordering::Relaxed);
            read = self.pass_events(resumed, &mut events, open);
            if self.said.load(Ordering::Relaxed) == before {
                break;
            }
        }
        read
    }

    fn post(
        &self,
        outline: &Outline,
        content: Content,
        patience: Option<Duration>,
    ) -> std::result::Result<Response<ResponseBody>, ureq::Error> {
        let mut request = self.agent.post(&self.address.url);
        let agreed = lock(&self.agreed).clone();
        if let Some(own) = request.headers_mut() {
            for (name, value) in headers::standard(outline, agreed.session, agreed.version) {
                own.insert(name, value);
            }
            own.extend(headers::of_post());
            own.extend(self.address.headers.iter().cloned());
        }
        let request = request.config().timeout_recv_response(patience).build();
        match content {
            Content::Memory(bytes) => request.send(&bytes),
            Content::File(file) => request.send(file),
        }
    }

    /// Opens a stream of the server's own messages, or resumes a stream; `None` if the server has none.
    fn get(
        &self,
        last_id: Option<&str>,
    ) -> std::result::Result<Option<Response<ResponseBody>>, ureq::Error> {
        let mut request = self.agent.get(&self.address.url);
        let agreed = lock(&self.agreed).clone();
        if let Some(own) = request.headers_mut() {
            let last = last_id.and_then(|id| HeaderValue::try_from(id).ok());
            let more = headers::agreed(agreed.session, agreed.version);
            for (name, value) in more.chain(last.map(|id| (headers::LAST_EVENT, id))) {
                own.insert(name, value);
            }
            own.extend(headers::of_get());
            own.extend(self.address.headers.iter().cloned());
        }
        let response = request.call()?;
        Ok(is_stream(&response).then_some(response))
    }

    /// Passes on the server's own messages as long as it offers a stream of them.
    fn listen(&self) {
        let mut events = Events::default();
        let mut rest = PAUSE;
        loop {
            match self.get(events.last_id()) {
                Ok(None) => return,
                Ok(Some(response)) => {
                    let before = self.said.load(Ordering::Relaxed);
                    // A broken stream is requested again.
                    let _ = self.pass_events(response, &mut events, &mut Vec::new());
                    if self.said.load(Ordering::Relaxed) != before {
                        rest = PAUSE;
                    }
                }
                Err(_) => rest = (rest * 2).min(LONGEST_PAUSE),
            }
            std::thread::sleep(pause(&events, rest));
        }
    }

    /// Passes on each event of a stream as a line.
    fn pass_events(
        &self,
        mut response: Response<ResponseBody>,
        events: &mut Events,
        open: &mut Vec<Id>,
    ) -> io::Result<()> {
        let mut reader = response.body_mut().as_reader();
        let mut buffer = vec![0; 64 * 1024];
        let mut message = Gather::default();
        loop {
            let piece = read_piece(&mut reader, &mut buffer)?;
            if piece.is_empty() {
                return Ok(());
            }
            let mut complete = Vec::new();
            events.push(piece, |said| {
                match said {
                    Said::Data(piece) => message.push(piece)?,
                    Said::End => complete.push(std::mem::take(&mut message)),
                    Said::Other => message = Gather::default(),
                }
                Ok::<_, io::Error>(())
            })?;
            for message in complete {
                if !message.is_empty() {
                    self.pass(message, open)?;
                }
            }
        }
    }

    /// Passes a message on. The answer to `initialize` has the negotiated protocol version.
    fn pass(&self, mut message: Gather, open: &mut Vec<Id>) -> io::Result<()> {
        self.said.fetch_add(1, Ordering::Relaxed);
        let mut agreed = lock(&self.agreed);
        if agreed.begun && agreed.version.is_none() {
            let outline = message.outline();
            let mut results = outline
                .messages
                .iter()
                .filter_map(|message| message.result.as_ref());
            let version = results.find_map(|result| result.protocol_version.as_deref());
            agreed.version = version.and_then(|version| HeaderValue::try_from(version).ok());
        }
        drop(agreed);
        message.push(b"\n")?;
        let answered = self.relay.pass(message.body())?;
        open.retain(|id| !answered.contains(id));
        Ok(())
    }

    /// Waits for answers as long as the server keeps sending.
    fn drain(&self) {
        let mut until = Instant::now() + self.grace;
        let mut said = self.said.load(Ordering::Relaxed);
        let mut under_way = lock(&self.under_way);
        while *under_way > 0 {
            let left = until.saturating_duration_since(Instant::now());
            let (guard, _) = self
                .fewer
                .wait_timeout(under_way, left)
                .unwrap_or_else(PoisonError::into_inner);
            under_way = guard;
            let now = self.said.load(Ordering::Relaxed);
            if now != said {
                said = now;
                until = Instant::now() + self.grace;
            } else if Instant::now() >= until {
                return;
            }
        }
    }

    /// Ends the session, if the server created one.
    fn end(&self) {
        let agreed = lock(&self.agreed).clone();
        if agreed.session.is_none() {
            return;
        }
        let mut request = self.agent.delete(&self.address.url);
        if let Some(own) = request.headers_mut() {
            own.extend(headers::agreed(agreed.session, agreed.version));
            own.extend(self.address.headers.iter().cloned());
        }
        // The server may refuse, or be gone.
        let _ = request
            .config()
            .timeout_global(Some(Duration::from_secs(2)))
            .build()
            .call();
    }
}

/// A request in flight.
struct UnderWay(Arc<Http>);

impl UnderWay {
    /// Starts a request; blocks while there are too many.
    fn begin(http: &Arc<Http>) -> Self {
        let full = |count: &mut usize| *count >= MAX_UNDER_WAY;
        let under_way = http.fewer.wait_while(lock(&http.under_way), full);
        *under_way.unwrap_or_else(PoisonError::into_inner) += 1;
        Self(http.clone())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        *lock(&self.0.under_way) -= 1;
        self.0.fewer.notify_all();
    }
}

fn pause(events: &Events, otherwise: Duration) -> Duration {
    events
        .retry_ms()
        .map_or(otherwise, Duration::from_millis)
        .min(LONGEST_PAUSE)
}
