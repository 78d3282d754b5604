//! The two tools that the proxy adds: names, definitions and answers.

use std::collections::{HashMap, HashSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::id::Id;
use super::message::{Params, Tools};
use scratchpad::Cancel;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::output::tool::{LIST, READ, definitions};
use scratchpad::model::tool::{Reply, Tool};
use scratchpad::scratchpad::probing::MAX_CALLS;

/// The maximum number of concurrent calls of local tools; beyond it, the client waits. Searches alone never get there: before,
/// they are refused.
const MAX_UNDER_WAY: usize = MAX_CALLS + 16;

/// What the description of the tool that reads says of passing outputs on.
const PASSING: &str =
    " Any tool here takes \"scratchpad://output/ID\" (or ?json=FILTER, ?lines=A-B) as an argument.";

/// Which local tools the client is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// None: outputs are off.
    Nothing,
    /// Those that read outputs.
    Reading,
    /// The same, and arguments may be references to outputs.
    ReadingAndPassing,
}

/// The names of the local tools. They get a prefix if the upstream has a tool of the same name.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The upstream's tool names that end with one of ours.
    taken: HashSet<String>,
    prefix: String,
}

impl Names {
    /// Adds the upstream's names. A prefix is never removed again, because references contain it.
    pub(super) fn learn(&mut self, tools: &Tools) {
        let listed = tools.listed.iter().filter_map(|tool| tool.name.as_ref());
        self.taken.extend(
            listed
                .filter(|name| [READ, LIST].iter().any(|tool| name.ends_with(tool)))
                .cloned(),
        );
        let mut number = 1_usize;
        while [READ, LIST]
            .iter()
            .any(|tool| self.taken.contains(&format!("{}{tool}", self.prefix)))
        {
            self.prefix = match number {
                1 => "sp_".to_owned(),
                number => format!("sp{number}_"),
            };
            number += 1;
        }
    }

    /// The local tool for a name, with any prefix it may have had.
    pub(super) fn local(&self, name: &str) -> Option<&'static str> {
        let tool = [READ, LIST].into_iter().find(|tool| name.ends_with(tool))?;
        let prefix = name.strip_suffix(tool)?;
        let is_prefix = prefix.is_empty()
            || prefix
                .strip_prefix("sp")
                .and_then(|rest| rest.strip_suffix('_'))
                .is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()));
        (is_prefix && !self.taken.contains(name)).then_some(tool)
    }

    /// The name of the tool that reads an output.
    pub(super) fn read_tool(&self) -> String {
        format!("{}{READ}", self.prefix)
    }

    /// The local tools as JSON, to append to the upstream's list.
    pub(super) fn listed(&self, is_first: bool, offer: Offer) -> Vec<u8> {
        let tools: Vec<String> = definitions()
            .iter()
            .map(|tool| listed(tool, &self.prefix, offer).to_string())
            .collect();
        let comma = if is_first { "" } else { "," };
        format!("{comma}{}", tools.join(",")).into_bytes()
    }
}

/// A tool as `scratchpad mcp` lists it.
fn listed(tool: &Tool, prefix: &str, offer: Offer) -> Value {
    let more = match offer {
        Offer::ReadingAndPassing if tool.name == READ => PASSING,
        _ => "",
    };
    json!({
        "name": format!("{prefix}{}", tool.name),
        "description": format!("{}{more}", tool.description),
        "inputSchema": tool.input_schema,
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
        "_meta": {"anthropic/alwaysLoad": true},
    })
}

/// The protocol era of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// The session started with `initialize`.
    Sessions,
    /// Each request names its protocol revision, and each result its type.
    Alone,
}

impl Era {
    pub(super) fn of(params: &Params) -> Self {
        if params.protocol_version.is_some() {
            Self::Alone
        } else {
            Self::Sessions
        }
    }
}

/// The answer to a call of a local tool, as its era requires.
pub(super) fn answer(era: Era, id: &Id, reply: &Reply) -> Vec<u8> {
    let content: Vec<Value> = reply
        .blocks()
        .map(|text| json!({"type": "text", "text": text}))
        .collect();
    let mut result = json!({"content": content, "isError": reply.is_error});
    if era == Era::Alone
        && let Some(result) = result.as_object_mut()
    {
        result.insert("resultType".to_owned(), Value::from("complete"));
    }
    line(id, "result", &result)
}

/// Runs a call; an error or a panic becomes a reply.
pub(super) fn guarded(run: impl FnOnce() -> Result<Reply>) -> Reply {
    let replied = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    let failed = "Internal error. This is a bug in scratchpad; see stderr for details.";
    replied
        .unwrap_or_else(|_| Err(Error::store(failed)))
        .unwrap_or_else(Reply::from)
}

/// An error answer.
pub(super) fn error(id: &Id, code: i64, text: &str) -> Vec<u8> {
    line(id, "error", &json!({"code": code, "message": text}))
}

/// One answer, with the id as the client wrote it.
fn line(id: &Id, part: &str, value: &Value) -> Vec<u8> {
    let mut line = br#"{"jsonrpc":"2.0","id":"#.to_vec();
    line.extend_from_slice(id.raw());
    line.extend_from_slice(format!(",\"{part}\":{value}}}\n").as_bytes());
    line
}

/// The running calls of local tools.
#[derive(Debug, Default)]
pub(super) struct LocalCalls {
    calls: Mutex<Calls>,
    fewer: Condvar,
}

#[derive(Debug, Default)]
struct Calls {
    /// Those that get an answer, by number: ids may be used again, even at once.
    wanted: HashMap<u64, (Id, Cancel)>,
    running: usize,
    begun: u64,
}

impl LocalCalls {
    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a call, and returns its number and what tells it of its cancellation; blocks while there are too many.
    pub(super) fn begin(&self, id: Id) -> (u64, Cancel) {
        let full = |calls: &mut Calls| calls.running >= MAX_UNDER_WAY;
        let mut calls = self
            .fewer
            .wait_while(self.calls(), full)
            .unwrap_or_else(PoisonError::into_inner);
        calls.running += 1;
        calls.begun += 1;
        let number = calls.begun;
        let cancel = Cancel::default();
        calls.wanted.insert(number, (id, cancel.clone()));
        (number, cancel)
    }

    /// Cancels a call, which then gets no answer; false if there is no such call.
    pub(super) fn cancel(&self, id: &Id) -> bool {
        let mut calls = self.calls();
        let cancelled = calls.wanted.extract_if(|_, (wanted, _)| wanted == id);
        cancelled.inspect(|(_, (_, call))| call.cancel()).count() > 0
    }

    /// Cancels all calls; returns their ids.
    pub(super) fn cancel_all(&self) -> Vec<Id> {
        let mut calls = self.calls();
        let wanted = calls.wanted.drain();
        let cancelled = wanted.map(|(_, (id, call))| {
            call.cancel();
            id
        });
        cancelled.collect()
    }

    /// Whether the answer of a call is still wanted. It can no longer be cancelled.
    pub(super) fn answers(&self, number: u64) -> bool {
        self.calls().wanted.remove(&number).is_some()
    }

    /// Ends a call, after its answer.
    pub(super) fn end(&self) {
        let mut calls = self.calls();
        calls.running = calls.running.saturating_sub(1);
        self.fewer.notify_all();
    }

    /// Waits until all are answered, or until the timeout.
    pub(super) fn finished(&self, timeout: Duration) {
        let some = |calls: &mut Calls| calls.running > 0;
        // Calls that are still running get no answer: a read changes nothing.
        drop(self.fewer.wait_timeout_while(self.calls(), timeout, some));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proxy::message::ListedTool;

    fn tools(names: &[&str]) -> Tools {
        Tools {
            listed: names
                .iter()
                .map(|name| ListedTool {
                    name: Some((*name).to_owned()),
                    ..ListedTool::default()
                })
                .collect(),
            ..Tools::default()
        }
    }

    #[test]
    fn a_call_that_is_cancelled_gets_no_answer_and_its_id_is_free() {
        let calls = LocalCalls::default();
        let id = |raw: &str| Id::new(raw.as_bytes()).unwrap();
        let (first, other) = (calls.begin(id("1")), calls.begin(id("2")));
        assert!(calls.cancel(&id("1")));
        assert!(!calls.cancel(&id("3")));
        let again = calls.begin(id("1"));
        assert!(first.1.is_cancelled() && !again.1.is_cancelled());
        assert!(!calls.answers(first.0));
        assert!(calls.answers(again.0));
        assert!(calls.answers(other.0));
        assert!(!calls.cancel(&id("1")));
        (0..3).for_each(|_| calls.end());
        calls.finished(Duration::ZERO);
    }

    #[test]
    fn ours_give_way_to_the_upstreams_names() {
        let mut names = Names::default();
        names.learn(&tools(&["grep", "my_scratchpad_list"]));
        assert_eq!(names.read_tool(), "scratchpad_read");
        assert_eq!(names.local("scratchpad_list"), Some(LIST));
        assert_eq!(names.local("my_scratchpad_list"), None);
        names.learn(&tools(&["scratchpad_list"]));
        assert_eq!(names.read_tool(), "sp_scratchpad_read");
        assert_eq!(names.local("scratchpad_list"), None);
        assert_eq!(names.local("sp_scratchpad_list"), Some(LIST));
        // An earlier reference names it: still ours, as long as the upstream has no such tool.
        assert_eq!(names.local("scratchpad_read"), Some(READ));
        names.learn(&tools(&["sp_scratchpad_read"]));
        assert_eq!(names.read_tool(), "sp2_scratchpad_read");
        names.learn(&tools(&[]));
        assert_eq!(names.read_tool(), "sp2_scratchpad_read");
    }
}
