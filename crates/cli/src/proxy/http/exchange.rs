//! One exchange with the server: a message is sent, and what it answers is passed on.

use std::io;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ureq::http::{HeaderValue, Response};
use ureq::{Agent, Body as ResponseBody};

use super::gather::Gather;
use super::headers;
use super::response::{is_json, is_stream, refusal};
use super::sse::{Events, Said};
use super::{Agreed, Content, Http, lock};
use crate::proxy::id::Id;
use crate::proxy::message::Message;
use crate::proxy::outline::Outline;
use scratchpad::model::text::bytes::read_piece;

/// The delay before a broken stream is requested again, unless the server sets one.
const PAUSE: Duration = Duration::from_secs(1);
/// The minimum of that delay, whatever the server sets.
const SHORTEST_PAUSE: Duration = Duration::from_millis(500);
/// The maximum of that delay.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A stream that lasted this long did not fail.
const LASTING: Duration = Duration::from_secs(20);
/// How long the server may not take what is sent.
const WRITE_TIMEOUT: Duration = Duration::from_mins(1);

/// How long the server may take.
#[derive(Clone, Copy)]
pub(super) enum ResponseTimeout {
    /// To acknowledge a message.
    Acknowledge(Duration),
    /// Between two signs of life while a request is pending.
    Silence(Duration),
}

impl Http {
    /// Sends requests and passes on the answers, or says why there are none. `open` are the requests that still have no
    /// answer.
    pub(super) fn ask(
        &self,
        agent: &Agent,
        outline: &Outline,
        content: Content,
        open: &mut Vec<Id>,
    ) -> Result<(), String> {
        let silence = self.address.silence;
        let unreachable = |error: ureq::Error| match error {
            ureq::Error::Timeout(ureq::Timeout::PerRead) => {
                format!("was silent for {} s.", silence.as_secs())
            }
            error => format!("can't be reached: {error}."),
        };
        let mut response = self
            .post(agent, outline, content, ResponseTimeout::Silence(silence))
            .map_err(unreachable)?;
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
                .pass_answer_stream(agent, open, response)
                .map_err(|error| unreachable(error.into()));
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
            .map_err(|error| unreachable(error.into()))?;
        // A protocol error with a known id is an answer like any other.
        if !status.is_success() && !message.answers(open) {
            return Err(format!("answered {status}: {}", message.beginning()));
        }
        self.pass(message, open)
            .map_err(|error| unreachable(error.into()))
    }

    /// Passes on an answer that is a stream. A broken stream is resumed if its events have ids.
    fn pass_answer_stream(
        &self,
        agent: &Agent,
        open: &mut Vec<Id>,
        response: Response<ResponseBody>,
    ) -> io::Result<()> {
        let mut events = Events::default();
        let mut read = self.pass_events(response, &mut events, open);
        while self.relay.awaits(open) && events.last_id().is_some() {
            let pause = pause(&events, PAUSE);
            self.calls.pause_while(pause, || self.relay.awaits(open));
            if !self.relay.awaits(open) {
                break;
            }
            let silence = Some(self.address.silence);
            let Ok(Some(resumed)) = self.get(agent, events.last_id(), silence) else {
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

    pub(super) fn post(
        &self,
        agent: &Agent,
        outline: &Outline,
        content: Content,
        timeout: ResponseTimeout,
    ) -> Result<Response<ResponseBody>, ureq::Error> {
        let mut request = agent.post(&self.address.url);
        let agreed = lock(&self.agreed).clone();
        if let Some(own) = request.headers_mut() {
            for (name, value) in headers::standard(outline, agreed.session, agreed.version) {
                own.insert(name, value);
            }
            own.extend(headers::of_post());
            own.extend(self.address.headers.iter().cloned());
        }
        let config = request.config().timeout_per_write(Some(WRITE_TIMEOUT));
        let config = match timeout {
            ResponseTimeout::Acknowledge(time) => config.timeout_recv_response(Some(time)),
            ResponseTimeout::Silence(time) => config.timeout_per_read(Some(time)),
        };
        let request = config.build();
        match content {
            Content::Memory(bytes) => request.send(&bytes),
            Content::File(file) => request.send(file),
        }
    }

    /// Opens a stream of the server's own messages, or resumes a stream; `None` if the server has none.
    fn get(
        &self,
        agent: &Agent,
        last_id: Option<&str>,
        silence: Option<Duration>,
    ) -> Result<Option<Response<ResponseBody>>, ureq::Error> {
        let mut request = agent.get(&self.address.url);
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
        let request = request.config().timeout_per_read(silence).build();
        let response = request.call()?;
        Ok(is_stream(&response).then_some(response))
    }

    /// Passes on the server's own messages as long as it offers a stream of them.
    pub(super) fn listen(&self) {
        let agent = self.agents.take();
        let mut events = Events::default();
        let mut rest = PAUSE;
        loop {
            let (since, before) = (Instant::now(), self.said.load(Ordering::Relaxed));
            match self.get(&agent, events.last_id(), None) {
                Ok(None) => return,
                Ok(Some(response)) => {
                    // A broken stream is requested again.
                    let _ = self.pass_events(response, &mut events, &mut Vec::new());
                }
                Err(_) => {}
            }
            let is_good = since.elapsed() >= LASTING || self.said.load(Ordering::Relaxed) != before;
            if is_good {
                rest = PAUSE;
                std::thread::sleep(pause(&events, PAUSE));
            } else {
                std::thread::sleep(pause(&events, rest).max(rest));
                rest = (rest * 2).min(LONGEST_PAUSE);
            }
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
            self.calls.heard(open);
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
}

/// The delay before a stream is requested again: the server's, or `otherwise`.
fn pause(events: &Events, otherwise: Duration) -> Duration {
    events
        .retry_ms()
        .map_or(otherwise, Duration::from_millis)
        .clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
}
