//! An upstream over Streamable HTTP, in both eras of the protocol. The client stays on pipes.
//!
//! Each message is one POST with the client's own bytes. In the older era the server assigns a session id, which
//! every later request repeats, and may send messages of its own on a separate stream.

mod address;
mod agents;
mod calls;
mod exchange;
mod gather;
mod headers;
mod response;
mod sse;

use std::fs::File;
use std::io::{self, Seek};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ureq::Agent;
use ureq::http::HeaderValue;

use super::body::Body;
use super::lines::{Line, LineReader, Spooled, copy_beginning, spool};
use super::message::Message;
use super::outline::Outline;
use super::process::{stdin, stdout};
use super::relay::expand::Onward;
use super::relay::{Relay, Route};
use super::{Proxy, Warn};
use scratchpad::model::error::{Error, Result};

pub use address::Address;
use agents::Agents;
use calls::{Calls, Cancelled, GivenUp, Job, Lane, Started};
use exchange::ResponseTimeout;
use response::refusal;
use scratchpad::model::text::message::message;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// The timeout for the server to acknowledge a notification.
const ACKNOWLEDGE: Duration = Duration::from_secs(30);
/// The longest message that a server is sent with references replaced: the Python SDK takes 4 MiB.
const MAX_BODY: usize = 7 << 19;
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
            agents: Agents::new(config),
            calls: Calls::default(),
            grace: address.grace,
            address,
            relay: Arc::new(Relay::new(self, stdout, warn)),
            agreed: Mutex::default(),
            said: AtomicU64::new(0),
        });
        let sender = Arc::downgrade(&http);
        http.relay.send_held_by(Onward {
            send: Box::new(move |line| {
                if let Some(http) = sender.upgrade() {
                    let outline = Outline::of(&line, u64::MAX).unwrap_or_default();
                    http.send(outline, Content::Memory(line));
                }
            }),
            most: MAX_BODY,
        });
        http.from_client(stdin);
        http.relay.send_the_rest();
        http.drain();
        http.end();
        http.relay.finish();
        Ok(())
    }
}

struct Http {
    agents: Agents,
    calls: Calls,
    address: Address,
    grace: Duration,
    relay: Arc<Relay>,
    agreed: Mutex<Agreed>,
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
                    let outline = Outline::of_client(line).unwrap_or_default();
                    match self.relay.route(&outline, Some(line)) {
                        Route::On => self.send(outline, Content::Memory(line.to_vec())),
                        Route::Instead(line) => {
                            let outline = Outline::of(&line, u64::MAX).unwrap_or_default();
                            self.send(outline, Content::Memory(line));
                        }
                        Route::Nowhere => {}
                    }
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

    /// Sends a message, or puts it behind those that are under way: reading goes on.
    fn send(self: &Arc<Self>, outline: Outline, content: Content) {
        let first = outline.messages.first();
        let cancelled = first
            .filter(|message| message.method.as_deref() == Some("notifications/cancelled"))
            .map(|message| message.params.request_id.clone());
        if let Some(Some(id)) = &cancelled
            && self.calls.cancel(id) == Cancelled::Unsent
        {
            self.relay.forget_cancelled(std::slice::from_ref(id));
            return;
        }
        let is_notification = |message: &Message| message.id.is_none();
        let lane = if !outline.requests().is_empty() {
            Lane::Requests
        } else if cancelled.is_none() && outline.messages.iter().all(is_notification) {
            Lane::Notifications
        } else {
            Lane::Answers
        };
        if let Err(open) = self.calls.add(Job::new(lane, outline, content)) {
            let reason = "The MCP server behind the proxy has too many messages to answer; this one was not sent.";
            self.relay.refuse_because(&open, reason);
            self.relay.warn(&format!(
                "{}: a message was not sent, because too many others wait.",
                self.relay.upstream()
            ));
        }
        self.start();
    }

    /// Starts threads for the messages that may be sent now, and sees to those that may not.
    fn start(self: &Arc<Self>) {
        self.start_all();
        if !self.calls.begin_watch() {
            return;
        }
        let http = self.clone();
        let watch = move || {
            while http.calls.watch() {
                http.start_all();
            }
        };
        if let Err(error) = std::thread::Builder::new().spawn(watch) {
            self.calls.end_watch();
            self.relay
                .warn(&format!("Messages wait longer than they should: {error}."));
        }
    }

    fn start_all(self: &Arc<Self>) {
        while let Some(GivenUp { open, agent }) = self.calls.give_up() {
            let upstream = self.relay.upstream();
            let reason = format!(
                "The MCP server behind the proxy ({upstream}) did not answer this, and too many other requests have no answer either."
            );
            self.relay.refuse_because(&open, &reason);
            agent.shutdown();
        }
        while let Some(started) = self.calls.next(&self.agents) {
            let (number, open) = (started.number, started.job.open.clone());
            let http = self.clone();
            let work = move || {
                http.work(started);
                http.start();
            };
            if let Err(error) = std::thread::Builder::new().spawn(work) {
                self.calls.end(number);
                let reason = format!("The message can't be sent: {error}.");
                self.relay.refuse_because(&open, &reason);
                self.relay.warn(&reason);
            }
        }
    }

    fn work(self: &Arc<Self>, started: Started) {
        let Started {
            number,
            mut job,
            agent,
        } = started;
        if job.lane == Lane::Requests {
            self.calls.wait_for_notifications(&job);
            let all = job.open.clone();
            let asked = self.ask(&agent, &job.outline, job.content, &mut job.open);
            let reason = asked
                .err()
                .unwrap_or_else(|| "ended its answer without one.".to_owned());
            let upstream = self.relay.upstream();
            let reason = format!("The MCP server behind the proxy ({upstream}) {reason}");
            self.relay.refuse_because(&job.open, &reason);
            self.relay.forget_cancelled(&all);
        } else {
            self.notify(&agent, &job.outline, job.content);
        }
        if self.calls.end(number) {
            self.agents.give(agent);
        }
    }

    /// Sends a message that needs no answer.
    fn notify(self: &Arc<Self>, agent: &Agent, outline: &Outline, content: Content) {
        let method = outline
            .messages
            .first()
            .and_then(|message| message.method.as_deref());
        let sent = self.post(
            agent,
            outline,
            content,
            ResponseTimeout::Acknowledge(ACKNOWLEDGE),
        );
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

    /// Waits for answers as long as the server keeps sending.
    fn drain(&self) {
        let mut until = Instant::now() + self.grace;
        let mut said = self.said.load(Ordering::Relaxed);
        while self
            .calls
            .wait(until.saturating_duration_since(Instant::now()))
        {
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
        let mut request = self.agents.take().delete(&self.address.url);
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
