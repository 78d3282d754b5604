//! Relays messages between client and upstream, and changes a few of them.
//!
//! A result is recognized by the id of its request.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::body::{Body, Edit, batch_of, part};
use super::finish::Finisher;
use super::id::Id;
use super::lines::LineWriter;
use super::local_tools::{self, Era, LocalCalls, Names};
use super::message::{Message, Params};
use super::outline::Outline;
use super::shorten::{Call, Changes, Trouble, extended, shortened};
use super::{Proxy, Warn};
use scratchpad::CallFacts;
use scratchpad::model::error::Error;
use scratchpad::model::id::SessionId;
use scratchpad::model::session::which::session_in_metadata;
use scratchpad::model::tool::Reply;
use scratchpad::model::tool::call::ToolCall;

/// JSON-RPC's code for requests that the upstream can no longer answer.
const UPSTREAM_GONE: i64 = -32_000;
/// JSON-RPC's code for invalid parameters.
const INVALID_PARAMS: i64 = -32_602;
/// The timeout for calls of local tools after the client is gone.
const LOCAL_CALLS_TIMEOUT: Duration = Duration::from_secs(5);

/// One client and one upstream.
pub(super) struct Relay {
    proxy: Proxy,
    warn: Warn,
    pub(super) client: LineWriter<File>,
    waiting: Mutex<Waiting>,
    names: Mutex<Names>,
    local_calls: LocalCalls,
    finisher: Option<Finisher>,
}

/// The requests that have no answer yet.
#[derive(Default)]
struct Waiting {
    requests: HashMap<Id, Noted>,
    /// How many have been registered so far.
    noted: u64,
    /// Why the upstream will not answer.
    ended: Option<String>,
}

/// A request and its sequence number: ids may be reused after the answer.
struct Noted {
    number: u64,
    request: Request,
}

/// The requests that the next line from the upstream may answer.
#[derive(Clone, Copy)]
struct Outlook {
    /// Shorter texts are not replaced.
    shortest: u64,
    /// A list of tools is among them.
    has_list: bool,
    /// How many requests had been registered by then.
    noted: u64,
}

enum Request {
    /// A call of a tool.
    Call(Call),
    /// A list of tools.
    List,
    /// Anything else.
    Other,
}

/// What to do with a line from the client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// Forward it unchanged.
    On,
    /// Forward this batch, which leaves some messages out.
    Only(Vec<u8>),
    /// Forward nothing.
    Nowhere,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Relay {
    pub(super) fn new(proxy: Proxy, client: File, warn: Warn) -> Self {
        let finisher = proxy
            .scratchpad
            .offload()
            .enabled
            .then(|| Finisher::new(proxy.scratchpad.clone(), warn.clone()));
        Self {
            proxy,
            warn,
            client: LineWriter::new(client),
            waiting: Mutex::default(),
            names: Mutex::default(),
            local_calls: LocalCalls::default(),
            finisher,
        }
    }

    pub(super) fn upstream(&self) -> &str {
        &self.proxy.upstream
    }

    pub(super) fn warn(&self, text: &str) {
        (self.warn)(text);
    }

    /// Decides what to do with a line from the client, and registers its requests. `line` is its bytes, if they are in
    /// memory.
    pub(super) fn route(self: &Arc<Self>, outline: &Outline, line: Option<&[u8]>) -> Route {
        if outline.is_cut {
            return Route::On;
        }
        let mut passed = Vec::new();
        for message in &outline.messages {
            let part = line.and_then(|line| part(line, &message.span));
            if self.passes(message, part) {
                passed.push(part);
            }
        }
        if passed.len() == outline.messages.len() {
            return Route::On;
        }
        if passed.is_empty() {
            return Route::Nowhere;
        }
        let parts: Option<Vec<&[u8]>> = passed.into_iter().collect();
        parts.map_or(Route::On, |parts| Route::Only(batch_of(&parts)))
    }

    fn passes(self: &Arc<Self>, message: &Message, part: Option<&[u8]>) -> bool {
        match (message.method.as_deref(), &message.id) {
            (Some("notifications/cancelled"), None) => {
                let Some(id) = &message.params.request_id else {
                    return true;
                };
                // A cancelled request needs no answer.
                lock(&self.waiting).requests.remove(id);
                !self.local_calls.cancel(id)
            }
            (Some(method), Some(id)) => {
                if let Some(tool) = self.local_tool(message) {
                    self.answer_locally(message, id, tool, part);
                    return false;
                }
                self.note(method, id, &message.params)
            }
            _ => true,
        }
    }

    /// Registers the requests of a line that is forwarded in any case.
    pub(super) fn register(&self, outline: &Outline) {
        for message in &outline.messages {
            if let (Some(method), Some(id)) = (&message.method, &message.id) {
                self.note(method, id, &message.params);
            }
        }
    }

    /// Registers a request, or answers it with an error if the upstream has ended.
    fn note(&self, method: &str, id: &Id, params: &Params) -> bool {
        let request = self.request(method, params);
        let mut waiting = lock(&self.waiting);
        let Some(reason) = waiting.ended.clone() else {
            waiting.noted += 1;
            let number = waiting.noted;
            waiting
                .requests
                .insert(id.clone(), Noted { number, request });
            return true;
        };
        drop(waiting);
        self.send(&local_tools::error(id, UPSTREAM_GONE, &reason));
        false
    }

    fn request(&self, method: &str, params: &Params) -> Request {
        let offload = self.proxy.scratchpad.offload();
        match (method, &params.name) {
            ("tools/call", _) if offload.leaves(params.call_id.as_deref()) => Request::Other,
            ("tools/call", Some(tool)) => match offload.threshold(&self.proxy.upstream, tool) {
                Some(threshold) => {
                    Request::Call(Call::new(self.upstream(), tool, threshold, params))
                }
                None => Request::Other,
            },
            ("tools/list", _) if offload.enabled => Request::List,
            _ => Request::Other,
        }
    }

    /// The session of a call, from its metadata and its arguments.
    fn session(
        &self,
        session_id: Option<&String>,
        thread_id: Option<&String>,
        argument: Option<SessionId>,
    ) -> Result<SessionId, Error> {
        let own = &self.proxy.session;
        let call = CallFacts {
            argument,
            metadata: session_in_metadata(|key| match key {
                "sessionId" => session_id.cloned(),
                "threadId" => thread_id.cloned(),
                _ => None,
            }),
            connection: Some(own.clone()),
            ..CallFacts::default()
        };
        let found = self.proxy.scratchpad.session_of(&self.proxy.finder, call)?;
        Ok(found.unwrap_or_else(|| own.clone()))
    }

    /// Which local tool a message calls.
    pub(super) fn local_tool(&self, message: &Message) -> Option<&'static str> {
        let name = message.params.name.as_deref()?;
        (message.method.as_deref() == Some("tools/call") && self.proxy.scratchpad.offload().enabled)
            .then(|| lock(&self.names).local(name))
            .flatten()
    }

    fn answer_locally(
        self: &Arc<Self>,
        message: &Message,
        id: &Id,
        tool: &'static str,
        part: Option<&[u8]>,
    ) {
        let params = part
            .and_then(|part| serde_json::from_slice::<Value>(part).ok())
            .and_then(|mut call| call.get_mut("params").map(Value::take));
        let Some(mut params) = params else {
            let text = format!("{tool}: the call is too large.");
            self.send(&local_tools::error(id, INVALID_PARAMS, &text));
            return;
        };
        let arguments = match params.get_mut("arguments").map(Value::take) {
            None | Some(Value::Null) => Value::Object(serde_json::Map::new()),
            Some(arguments) => arguments,
        };
        let (session_id, thread_id) = (
            message.params.session_id.clone(),
            message.params.thread_id.clone(),
        );
        self.local_calls.begin(id.clone());
        let era = Era::of(&message.params);
        let (relay, call) = (self.clone(), id.clone());
        let work = move || {
            let reply = relay.reply(tool, &arguments, session_id.as_ref(), thread_id.as_ref());
            if !relay.local_calls.is_cancelled(&call) {
                relay.send(&local_tools::answer(era, &call, &reply));
            }
            relay.local_calls.end(&call);
        };
        // A separate thread, because a slow search must not block other messages.
        if let Err(error) = std::thread::Builder::new().spawn(work) {
            self.local_calls.end(id);
            let text = format!("{tool} can't be answered: {error}.");
            self.send(&local_tools::error(id, UPSTREAM_GONE, &text));
        }
    }

    fn reply(
        &self,
        tool: &str,
        arguments: &Value,
        session_id: Option<&String>,
        thread_id: Option<&String>,
    ) -> Reply {
        let run = || {
            let call = ToolCall::parse(tool, arguments)?;
            let session = self.session(session_id, thread_id, call.session.clone())?;
            self.proxy.scratchpad.run_tool(&session, call)
        };
        let replied = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        let failed = "Internal error. This is a bug in scratchpad; see stderr for details.";
        replied
            .unwrap_or_else(|_| Err(Error::store(failed)))
            .unwrap_or_else(Reply::from)
    }

    /// Answers those of the requests that are still pending with an error.
    pub(super) fn refuse_because(&self, requests: &[Id], reason: &str) {
        for id in requests {
            if lock(&self.waiting).requests.remove(id).is_some() {
                self.send(&local_tools::error(id, UPSTREAM_GONE, reason));
            }
        }
    }

    /// Whether one of the requests is still pending.
    pub(super) fn awaits(&self, requests: &[Id]) -> bool {
        let waiting = lock(&self.waiting);
        requests.iter().any(|id| waiting.requests.contains_key(id))
    }

    /// Writes a message to the client, which may be gone.
    fn send(&self, line: &[u8]) {
        let _ = self.client.write(line);
    }

    /// `None` if no request is pending.
    fn outlook(&self) -> Option<Outlook> {
        let waiting = lock(&self.waiting);
        let requests = || waiting.requests.values().map(|noted| &noted.request);
        let shortest = requests().map(|request| match request {
            Request::Call(call) => call.threshold,
            Request::List | Request::Other => u64::MAX,
        });
        Some(Outlook {
            shortest: shortest.min()?,
            has_list: requests().any(|request| matches!(request, Request::List)),
            noted: waiting.noted,
        })
    }

    /// Whether a long line from the upstream must be read to its end before it can be forwarded.
    pub(super) fn wants_whole(&self) -> bool {
        let waiting = lock(&self.waiting);
        waiting
            .requests
            .values()
            .any(|noted| !matches!(noted.request, Request::Other))
    }

    /// Passes a message from the upstream on; returns the ids that it answers.
    pub(super) fn pass(&self, body: Body<'_>) -> io::Result<Vec<Id>> {
        let Some(outlook) = self.outlook() else {
            return self.write(body, &[]).map(|()| Vec::new());
        };
        if let Body::Memory(line) = body
            && line.len() as u64 <= outlook.shortest
            && !outlook.has_list
        {
            // Too short to contain a text to replace, so it is written first and parsed afterwards.
            let written = self.client.write(line);
            let mut answered = Vec::new();
            for message in Outline::of(line, outlook.shortest)
                .unwrap_or_default()
                .messages
            {
                self.take(&message, outlook.noted);
                answered.extend(message.id.filter(|_| message.method.is_none()));
            }
            return written.map(|()| answered);
        }
        let mut walk = Outline::begin(outlook.shortest);
        body.pieces(0..body.len()?, |piece| {
            walk.push(piece);
            Ok::<_, io::Error>(())
        })?;
        let Some(outline) = walk.end() else {
            return self.write(body, &[]).map(|()| Vec::new());
        };
        let mut changes = Changes::default();
        let mut answered = Vec::new();
        for message in outline.messages {
            match self.changes(&message, body, outlook.noted) {
                Ok(more) => changes.add(more),
                Err(Trouble::NoText) => {}
                Err(Trouble::Store(error)) => self.warn(&format!(
                    "A result of {} passes unchanged: {error}",
                    self.proxy.upstream
                )),
            }
            if message.method.is_none() {
                answered.extend(message.id);
            }
        }
        let Changes { mut edits, keeps } = changes;
        edits.sort_by_key(|edit| edit.span.start);
        if !body.allows(&edits)? {
            self.warn(&format!(
                "A result of {} passes unchanged: parts to replace overlap. This is a bug; please report it.",
                self.proxy.upstream
            ));
            edits.clear();
        }
        let written = self.write(body, &edits);
        if let (true, Some(finisher)) = (keeps, &self.finisher) {
            finisher.wake();
        }
        written.map(|()| answered)
    }

    /// Registers the answers in a line that was forwarded without buffering.
    pub(super) fn passed(&self, outline: &Outline) {
        for message in &outline.messages {
            self.take(message, u64::MAX);
        }
    }

    fn write(&self, body: Body<'_>, edits: &[Edit]) -> io::Result<()> {
        if let (Body::Memory(line), []) = (body, edits) {
            return self.client.write(line);
        }
        let mut turn = self.client.turn();
        let mut buffered = BufWriter::with_capacity(64 * 1024, &mut turn);
        let written = body
            .write(edits, &mut buffered)
            .and_then(|()| buffered.flush());
        drop(buffered);
        if written.is_err() {
            // The next message must not continue this line.
            turn.leave_open();
            return written;
        }
        let end = body.len()?;
        let mut is_whole = false;
        body.pieces(end.saturating_sub(1)..end, |last| {
            is_whole = last == b"\n";
            Ok::<_, io::Error>(())
        })?;
        if !is_whole {
            turn.leave_open();
        }
        Ok(())
    }

    /// Removes and returns the request that a message answers, if it was registered before the message arrived.
    fn take(&self, message: &Message, noted: u64) -> Option<Request> {
        // A request from the upstream itself may have the same id.
        if message.method.is_some() || (message.result.is_none() && !message.is_error) {
            return None;
        }
        let id = message.id.as_ref()?;
        let mut waiting = lock(&self.waiting);
        if waiting.requests.get(id)?.number > noted {
            return None;
        }
        waiting.requests.remove(id).map(|noted| noted.request)
    }

    fn changes(&self, message: &Message, body: Body<'_>, noted: u64) -> Result<Changes, Trouble> {
        let request = self.take(message, noted);
        let Some(answer) = message.result.as_ref().filter(|_| !message.is_odd) else {
            return Ok(Changes::default());
        };
        let scratchpad = &self.proxy.scratchpad;
        match request {
            Some(Request::Call(call)) if !answer.is_error && !answer.is_partial => {
                if answer.texts.is_empty() {
                    return Ok(Changes::default());
                }
                let read_tool = lock(&self.names).read_tool();
                let session =
                    self.session(call.session_id.as_ref(), call.thread_id.as_ref(), None)?;
                shortened(scratchpad, &session, &call, &read_tool, answer, body)
            }
            Some(Request::List) => {
                let may_shorten = |tool: &str| {
                    let threshold = scratchpad.offload().threshold(&self.proxy.upstream, tool);
                    threshold.is_some()
                };
                Ok(extended(answer, &mut lock(&self.names), may_shorten))
            }
            _ => Ok(Changes::default()),
        }
    }

    /// The upstream ended: all pending and later requests are answered with this reason.
    pub(super) fn end(&self, reason: &str) {
        let waiting = {
            let mut waiting = lock(&self.waiting);
            waiting.ended = Some(reason.to_owned());
            std::mem::take(&mut waiting.requests)
        };
        for id in waiting.keys() {
            self.send(&local_tools::error(id, UPSTREAM_GONE, reason));
        }
    }

    /// Waits for calls of local tools, and syncs the outputs.
    pub(super) fn finish(&self) {
        self.local_calls.finished(LOCAL_CALLS_TIMEOUT);
        if let Some(finisher) = &self.finisher {
            finisher.finish();
        }
    }
}
