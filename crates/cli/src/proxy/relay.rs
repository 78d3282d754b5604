//! Relays messages between client and upstream, and changes a few of them.
//!
//! A result is recognized by the id of its request.

mod after;
mod answers;
pub(super) mod expand;
mod local;

use std::fs::File;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::body::{Edit, changed, part};
use super::finish::Finisher;
use super::id::Id;
use super::lines::LineWriter;
use super::local_tools::{self, LocalCalls, Names};
use super::message::{Message, Params};
use super::outline::Outline;
use super::pending::{Pending, Rename, Request};
use super::shorten::Call;
use super::{Proxy, Warn};
use expand::Onward;

/// JSON-RPC's code for requests that the upstream can no longer answer.
const UPSTREAM_GONE: i64 = -32_000;

/// One client and one upstream.
pub(super) struct Relay {
    proxy: Proxy,
    warn: Warn,
    pub(super) client: LineWriter<File>,
    pending: Mutex<Pending>,
    names: Mutex<Names>,
    local_calls: LocalCalls,
    /// The calls whose references are being replaced.
    held_calls: LocalCalls,
    onward: OnceLock<Onward>,
    finisher: Option<Finisher>,
    is_list_counted: AtomicBool,
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
            held_calls: LocalCalls::default(),
            onward: OnceLock::new(),
            finisher,
            is_list_counted: AtomicBool::new(false),
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
                    None if self.local_calls.cancel(id) || self.held_calls.cancel(id) => {
                        Passage::Nowhere
                    }
                    _ => Passage::Unchanged,
                }
            }
            (Some(method), Some(id)) => {
                if let Some(tool) = self.local_tool(message) {
                    self.answer_locally(message, id, tool, part);
                    return Passage::Nowhere;
                }
                if self.refuses_hidden(message, id) || self.holds(message, id, part) {
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
        if let Some(client) = &params.client {
            self.proxy.scratchpad.learn_client(client);
        }
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
            ("tools/list", _) if offload.enabled || !self.proxy.hidden.is_empty() => Request::List,
            _ => Request::Other,
        }
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
}
