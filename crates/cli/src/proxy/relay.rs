//! Relays messages between client and upstream, and changes a few of them.
//!
//! A result is recognized by the id of its request.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::body::{Body, Edit, changed, part};
use super::finish::Finisher;
use super::id::Id;
use super::lines::LineWriter;
use super::local_tools::{self, Era, LocalCalls, Names};
use super::message::{Message, Params};
use super::outline::Outline;
use super::pending::{Answered, Outlook, Pending, Rename, Request};
use super::shorten::{Call, Changes, Trouble, extended, shortened};
use super::{Proxy, Warn};
use scratchpad::model::error::Error;
use scratchpad::model::id::SessionId;
use scratchpad::model::session::which::session_in_metadata;
use scratchpad::model::tool::Reply;
use scratchpad::model::tool::call::ToolCall;
use scratchpad::{CallFacts, Cancel};

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
    pending: Mutex<Pending>,
    names: Mutex<Names>,
    local_calls: LocalCalls,
    finisher: Option<Finisher>,
}

/// What to do with a line from the client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// Forward it unchanged.
    On,
    /// Forward this line instead: a message is left out, or has another id.
    Instead(Vec<u8>),
    /// Forward nothing.
    Nowhere,
}

/// What to do with a message from the client.
enum Passage {
    Unchanged,
    /// With another id at this position.
    Edited(Edit),
    Nowhere,
}

/// A request that was answered with an error instead of being forwarded.
struct Refused;

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
            pending: Mutex::default(),
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
        let mut edits = Vec::new();
        for message in &outline.messages {
            let part = line.and_then(|line| part(line, &message.span));
            match self.passage(message, part) {
                Passage::Unchanged => passed.push(&message.span),
                Passage::Edited(edit) => {
                    passed.push(&message.span);
                    edits.push(edit);
                }
                Passage::Nowhere => {}
            }
        }
        if passed.is_empty() && !outline.messages.is_empty() {
            return Route::Nowhere;
        }
        let is_whole = passed.len() == outline.messages.len();
        if is_whole && edits.is_empty() {
            return Route::On;
        }
        let Some(line) = line else { return Route::On };
        let spans = (!is_whole).then_some(passed.as_slice());
        // What can't be put together passes as it came.
        changed(line, spans, &edits).map_or(Route::On, Route::Instead)
    }

    fn passage(self: &Arc<Self>, message: &Message, part: Option<&[u8]>) -> Passage {
        let rename = match part {
            Some(_) if !message.is_odd => Rename::Allowed,
            _ => Rename::Impossible,
        };
        match (message.method.as_deref(), &message.id) {
            (Some("notifications/cancelled"), None) => {
                let Some(id) = &message.params.request_id else {
                    return Passage::Unchanged;
                };
                // A cancelled request needs no answer.
                match lock(&self.pending).cancel(id) {
                    Some(known) if known != *id && rename == Rename::Allowed => {
                        Passage::Edited(Edit {
                            span: message.params.request_id_at.clone(),
                            with: known.raw().to_vec(),
                        })
                    }
                    None if self.local_calls.cancel(id) => Passage::Nowhere,
                    _ => Passage::Unchanged,
                }
            }
            (Some(method), Some(id)) => {
                if let Some(tool) = self.local_tool(message) {
                    self.answer_locally(message, id, tool, part);
                    return Passage::Nowhere;
                }
                match self.note(method, id, &message.params, rename) {
                    Err(Refused) => Passage::Nowhere,
                    Ok(None) => Passage::Unchanged,
                    Ok(Some(other)) => Passage::Edited(Edit {
                        span: message.id_at.clone(),
                        with: other.raw().to_vec(),
                    }),
                }
            }
            _ => Passage::Unchanged,
        }
    }

    /// Registers the requests of a line that is forwarded in any case.
    pub(super) fn register(&self, outline: &Outline) {
        for message in &outline.messages {
            if let (Some(method), Some(id)) = (&message.method, &message.id) {
                // It is answered in any case.
                let _ = self.note(method, id, &message.params, Rename::Impossible);
            }
        }
    }

    /// Registers a request, or answers it with an error if the upstream has ended. Returns the id to forward it under,
    /// if that is another.
    fn note(
        &self,
        method: &str,
        id: &Id,
        params: &Params,
        rename: Rename,
    ) -> Result<Option<Id>, Refused> {
        let request = self.request(method, params);
        let registered = lock(&self.pending).register(id, request, rename);
        registered
            .inspect_err(|reason| self.send(&local_tools::error(id, UPSTREAM_GONE, reason)))
            .map_err(|_| Refused)
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
        let era = Era::of(&message.params);
        let (number, cancel) = self.local_calls.begin(id.clone());
        let (relay, call) = (self.clone(), id.clone());
        let work = move || {
            let who = (session_id.as_ref(), thread_id.as_ref());
            let reply = relay.reply(tool, &arguments, who, cancel);
            if relay.local_calls.answers(number) {
                relay.send(&local_tools::answer(era, &call, &reply));
            }
            relay.local_calls.end();
        };
        // A separate thread, because a slow search must not block other messages.
        if let Err(error) = std::thread::Builder::new().spawn(work) {
            self.local_calls.answers(number);
            self.local_calls.end();
            let text = format!("{tool} can't be answered: {error}.");
            self.send(&local_tools::error(id, UPSTREAM_GONE, &text));
        }
    }

    /// Runs a call of a local tool for the session and the thread that it names.
    fn reply(
        &self,
        tool: &str,
        arguments: &Value,
        (session_id, thread_id): (Option<&String>, Option<&String>),
        cancel: Cancel,
    ) -> Reply {
        let scratchpad = self.proxy.scratchpad.clone().cancelled_by(cancel);
        local_tools::guarded(|| {
            let call = ToolCall::parse(tool, arguments)?;
            let session = self.session(session_id, thread_id, call.session.clone())?;
            scratchpad.run_tool(&session, call)
        })
    }

    /// Answers those of the requests that are still pending with an error.
    pub(super) fn refuse_because(&self, requests: &[Id], reason: &str) {
        for id in requests {
            let refused = lock(&self.pending).refuse(id);
            if let Some(id) = refused {
                self.send(&local_tools::error(&id, UPSTREAM_GONE, reason));
            }
        }
    }

    /// Whether one of the requests is still pending.
    pub(super) fn awaits(&self, requests: &[Id]) -> bool {
        let pending = lock(&self.pending);
        requests.iter().any(|id| pending.has(id))
    }

    /// Notes that cancelled requests will get no answer.
    pub(super) fn forget_cancelled(&self, requests: &[Id]) {
        let mut pending = lock(&self.pending);
        for id in requests {
            pending.forget_cancelled(id);
        }
    }

    /// Writes a message to the client, which may be gone.
    fn send(&self, line: &[u8]) {
        let _ = self.client.write(line);
    }

    fn outlook(&self) -> Option<Outlook> {
        lock(&self.pending).outlook()
    }

    /// Whether a long line from the upstream must be read to its end before it can be forwarded.
    pub(super) fn wants_whole(&self) -> bool {
        lock(&self.pending).wants_whole()
    }

    /// Passes a message from the upstream on; returns the ids that it answers.
    pub(super) fn pass(&self, body: Body<'_>) -> io::Result<Vec<Id>> {
        let Some(outlook) = self.outlook() else {
            return self.write(body, &[]).map(|()| Vec::new());
        };
        if let Body::Memory(line) = body
            && line.len() as u64 <= outlook.shortest
            && !outlook.has_edits
        {
            // Too short to contain a text to replace, so it is written first and parsed afterwards.
            let written = self.client.write(line);
            let mut answered = Vec::new();
            for message in Outline::of(line, outlook.shortest)
                .unwrap_or_default()
                .messages
            {
                self.answered(&message, outlook.noted);
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
        let is_alone = outline.messages.len() == 1;
        for message in outline.messages {
            let request = match self.answered(&message, outlook.noted) {
                Answered::Reused if is_alone => return Ok(Vec::new()),
                Answered::Request(request, client_id) => {
                    changes.rename(&message, client_id.as_ref());
                    Some(request)
                }
                Answered::Reused | Answered::Nothing => None,
            };
            match self.changes(&message, body, request) {
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
            self.answered(message, u64::MAX);
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

    /// Removes and returns what a message answers, if it was registered before the message arrived.
    fn answered(&self, message: &Message, noted: u64) -> Answered {
        // A request from the upstream itself may have the same id.
        let is_answer = message.method.is_none() && (message.result.is_some() || message.is_error);
        match message.id.as_ref().filter(|_| is_answer) {
            Some(id) => lock(&self.pending).answer(id, noted),
            None => Answered::Nothing,
        }
    }

    fn changes(
        &self,
        message: &Message,
        body: Body<'_>,
        request: Option<Request>,
    ) -> Result<Changes, Trouble> {
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
        let pending = lock(&self.pending).end(reason);
        for id in &pending {
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
