//! Calls with references to outputs among their arguments: they are sent on once the references are replaced.
//!
//! A filter may take seconds, and nothing else waits for it. What can't be passed is answered here, and nothing of the
//! call is sent: a server would take the reference for the text.

use std::ops::Range;
use std::sync::Arc;

use super::super::body::{Edit, changed, part};
use super::super::id::Id;
use super::super::local_tools::{self, Era};
use super::super::message::{Argument, Message, Params};
use super::super::outline::Outline;
use super::super::pending::Rename;
use super::{Relay, UPSTREAM_GONE, lock};
use scratchpad::Cancel;
use scratchpad::model::error::{Error, ErrorKind, Result};
use scratchpad::model::output::Origin;
use scratchpad::model::output::pass::{PREFIX, Passed};
use scratchpad::model::pad::tool as pad_tool;
use scratchpad::model::text::message::{Message as Said, message, number};
use scratchpad::model::tool::Reply;
use scratchpad::scratchpad::passing::PASS_A_PART;

/// The most references in one call.
pub(in crate::proxy) const MAX_REFERENCES: usize = 64;

/// How calls reach the upstream that are sent later than they came.
pub(in crate::proxy) struct Onward {
    /// Sends a line.
    pub(in crate::proxy) send: Box<dyn Fn(Vec<u8>) + Send + Sync>,
    /// The most bytes of a message that servers are known to take.
    pub(in crate::proxy) most: usize,
}

/// A call whose references are not replaced yet.
struct Held {
    id: Id,
    /// Where its id is in the message.
    id_at: Range<u64>,
    tool: String,
    params: Params,
    message: Vec<u8>,
    arguments: Vec<Argument>,
    is_odd: bool,
}

/// The references among the arguments of a call; their places are in the message, which is `whole`.
fn references(message: &Message, whole: &[u8]) -> Vec<Argument> {
    let start = message.span.start;
    let within = message.params.strings.iter().map(|argument| Argument {
        span: argument.span.start - start..argument.span.end - start,
        name: argument.name.clone(),
    });
    let is_reference = |argument: &Argument| {
        let raw = part(whole, &argument.span);
        let text = raw.and_then(|raw| serde_json::from_slice::<String>(raw).ok());
        text.is_some_and(|text| text.starts_with(PREFIX))
    };
    within.filter(is_reference).collect()
}

/// A line with all references in it replaced by the same JSON, whatever they name. For tests.
pub(in crate::proxy) fn replaced(line: &[u8], with: &[u8]) -> Option<Vec<u8>> {
    let mut edits = Vec::new();
    for message in &Outline::of_client(line)?.messages {
        for argument in references(message, part(line, &message.span)?) {
            let start = message.span.start;
            edits.push(Edit {
                span: argument.span.start + start..argument.span.end + start,
                with: with.to_vec(),
            });
        }
    }
    changed(line, None, &edits)
}

impl Relay {
    /// Sets how held calls are sent on. Until then, none is held.
    pub(in crate::proxy) fn send_held_by(&self, onward: Onward) {
        // It is set once, at the start.
        let _ = self.onward.set(onward);
    }

    /// Takes a call whose arguments have references; `part` is its message. False if it has none.
    pub(super) fn holds(self: &Arc<Self>, message: &Message, id: &Id, part: Option<&[u8]>) -> bool {
        let Some(held) = self.held(message, id, part) else {
            return false;
        };
        let (number, cancel) = self.held_calls.begin(id.clone());
        let relay = self.clone();
        let work = move || {
            relay.send_or_refuse(&held, number, cancel);
            relay.held_calls.end();
        };
        if let Err(error) = std::thread::Builder::new().spawn(work) {
            self.held_calls.answers(number);
            self.held_calls.end();
            let text = format!("The call can't be sent: {error}.");
            self.send(&local_tools::error(id, UPSTREAM_GONE, &text));
        }
        true
    }

    fn held(&self, message: &Message, id: &Id, whole: Option<&[u8]>) -> Option<Held> {
        let scratchpad = &self.proxy.scratchpad;
        let tool = message.params.name.as_ref()?;
        // The pad keeps references; it does not want what they stand for.
        let is_pad = matches!(tool.as_str(), pad_tool::NAME | pad_tool::DOTTED_NAME);
        let is_call = message.method.as_deref() == Some("tools/call");
        let passes = scratchpad.offload().enabled && scratchpad.passing().is_on();
        if !is_call || is_pad || !passes || self.onward.get().is_none() {
            return None;
        }
        let whole = whole?;
        let arguments = references(message, whole);
        let start = message.span.start;
        let within = |span: &Range<u64>| span.start - start..span.end - start;
        (!arguments.is_empty()).then(|| Held {
            id: id.clone(),
            id_at: within(&message.id_at),
            tool: tool.clone(),
            params: message.params.clone(),
            message: whole.to_vec(),
            arguments,
            is_odd: message.is_odd,
        })
    }

    fn send_or_refuse(&self, held: &Held, number: u64, cancel: Cancel) {
        let mut edits = None;
        let reply = local_tools::guarded(|| {
            edits = Some(self.edits(held, cancel)?);
            Ok(Reply::new("", serde_json::Value::Null))
        });
        // A call that was cancelled is neither sent nor answered.
        if !self.held_calls.answers(number) {
            return;
        }
        match edits {
            Some(edits) => self.send_on(held, edits),
            None => self.send(&local_tools::answer(
                Era::of(&held.params),
                &held.id,
                &reply,
            )),
        }
    }

    /// What replaces the references of a call.
    fn edits(&self, held: &Held, cancel: Cancel) -> Result<Vec<Edit>> {
        let unsent = |error: Error| {
            let upstream = self.upstream();
            error.and(message!("Nothing was sent to {upstream}.", upstream))
        };
        let refused = |why: Said| Err(unsent(Error::new(ErrorKind::Refused, why)));
        if held.is_odd {
            return refused("A key of this call occurs twice.".into());
        }
        if held.arguments.len() > MAX_REFERENCES {
            return refused(message!(
                "This call has more than {most} references.",
                most = number(MAX_REFERENCES)
            ));
        }
        let scratchpad = self.proxy.scratchpad.clone().cancelled_by(cancel);
        let session = self.session(
            held.params.session_id.as_ref(),
            held.params.thread_id.as_ref(),
            None,
        )?;
        let to = Origin {
            upstream: self.upstream(),
            tool: &held.tool,
        };
        let most = self.onward.get().map_or(0, |onward| onward.most);
        let mut bytes = held.message.len();
        let mut edits = Vec::with_capacity(held.arguments.len());
        for argument in &held.arguments {
            let name = Said::Verbatim(format!("`{}`", argument.name));
            let within = |error: Error| unsent(error).within(name.clone());
            let raw = part(&held.message, &argument.span).unwrap_or_default();
            let text: String = serde_json::from_slice(raw).unwrap_or_default();
            let passed = Passed::parse(&text).map_err(within)?;
            let with = scratchpad.passed(&session, &passed, to).map_err(within)?;
            bytes += with.len();
            if bytes > most {
                let why = message!(
                    "The call would have more than {most} bytes, which servers don't take.",
                    most = number(most)
                );
                let error = Error::new(ErrorKind::Refused, why);
                return Err(within(error).hint(PASS_A_PART));
            }
            edits.push(Edit {
                span: argument.span.clone(),
                with,
            });
        }
        Ok(edits)
    }

    /// Sends a call with its references replaced, unless the upstream has ended.
    fn send_on(&self, held: &Held, mut edits: Vec<Edit>) {
        let Ok(renamed) = self.note("tools/call", &held.id, &held.params, Rename::Allowed) else {
            return;
        };
        edits.extend(renamed.map(|other| Edit {
            span: held.id_at.clone(),
            with: other.raw().to_vec(),
        }));
        edits.sort_by_key(|edit| edit.span.start);
        let line = changed(&held.message, None, &edits);
        drop(edits);
        if let (Some(mut line), Some(onward)) = (line, self.onward.get()) {
            line.push(b'\n');
            (onward.send)(line);
        } else {
            lock(&self.pending).refuse(&held.id);
            let text = "The call can't be put together. This is a bug; please report it.";
            self.send(&local_tools::error(&held.id, UPSTREAM_GONE, text));
        }
    }

    /// Waits until held calls are sent or answered, at the end.
    pub(in crate::proxy) fn send_the_rest(&self) {
        self.held_calls.finished(super::after::LOCAL_CALLS_TIMEOUT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// Arguments of any shape, some of whose strings are references.
    fn arguments() -> impl Strategy<Value = Value> {
        let reference = Just(json!("scratchpad://output/0123456789ab?json=.a"));
        let leaf = prop_oneof![
            reference,
            "\\PC{0,9}".prop_map(Value::from),
            "(see )?scratchpad:(//output)?".prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(4, 30, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::vec(("(a|scratchpad://output/x|ä)", inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// The arguments, with a text where there is a reference.
    fn expected(arguments: &Value, text: &str) -> Value {
        match arguments {
            Value::String(string) if string.starts_with(PREFIX) => json!(text),
            Value::Array(items) => items.iter().map(|item| expected(item, text)).collect(),
            Value::Object(members) => {
                let members = members.iter();
                Value::Object(
                    members
                        .map(|(key, value)| (key.clone(), expected(value, text)))
                        .collect(),
                )
            }
            other => other.clone(),
        }
    }

    proptest! {
        /// For any text and any call the server parses the same string, and all other bytes are equal.
        #[test]
        fn the_server_parses_the_text_and_every_other_byte_is_as_it_was(arguments in arguments(), text in "(\\PC|[\u{0}-\u{1f}\"\\\\]){0,40}", pretty: bool) {
            let call = |arguments: &Value| json!({
                "id": 1, "method": "tools/call",
                "params": {"name": "scratchpad://output/x", "_meta": {"a": "scratchpad://output/x"}, "arguments": {"a": arguments}},
            });
            let written = |call: &Value| if pretty {
                serde_json::to_string_pretty(call).unwrap().replace('\n', " ")
            } else {
                call.to_string()
            };
            let line = written(&call(&arguments));
            let sent = replaced(line.as_bytes(), &serde_json::to_vec(&text).unwrap()).unwrap();
            let parsed: Value = serde_json::from_slice(&sent).unwrap();
            prop_assert_eq!(&parsed, &call(&expected(&arguments, &text)));
            prop_assert_eq!(String::from_utf8(sent).unwrap(), written(&parsed));
        }
    }
}
