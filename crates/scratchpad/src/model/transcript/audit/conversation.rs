//! One conversation: what is in its window, and how often it is sent.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher as _};

use super::priced::{Priced, is_large};
use super::{Audit, Range};
use crate::model::output::ledger::size::Size;
use crate::model::transcript::traces::Traces;
use crate::model::transcript::{Event, ToolName, Usage};

#[derive(Debug, Default)]
pub(super) struct Conversation {
    id: String,
    /// What turns name as their model.
    model: String,
    /// The calls that have no result yet.
    calls: HashMap<u64, ToolName<'static>>,
    /// Calls that were made, with their arguments.
    made: HashSet<u64>,
    /// The requests so far.
    requests: u64,
    current: Option<Request>,
    known: HashSet<u64>,
    /// Whether requests have ids of their own, and not only sums.
    has_ids: bool,
    results: Vec<Sent>,
    traces: Traces,
    said: u64,
    added: u64,
    listed: u64,
    /// What was added since the last request, apart from what the model wrote.
    new: u64,
}

/// A request; the largest of what its lines say counts.
#[derive(Debug)]
struct Request {
    key: u64,
    is_new: bool,
    model: String,
    input: u64,
    output: u64,
    /// The last count before it and our estimate of what came since, if nothing else did.
    before: Option<(u64, u64)>,
}

/// A result in the window.
#[derive(Debug)]
struct Sent {
    tool: ToolName<'static>,
    tokens: u64,
    /// How many requests came before it.
    after: u64,
    priced: Option<Priced>,
}

impl Conversation {
    pub(super) fn hear(
        &mut self,
        event: Event<'_>,
        audit: &mut Audit,
        seen: &mut dyn FnMut(u64) -> bool,
    ) {
        match event {
            Event::Request(usage) => self.request(&usage, audit, seen),
            Event::Model(model) => self.model = model.into_owned(),
            Event::Call { id, tool, written } => self.call(&id, tool, &written, audit),
            Event::Result {
                id,
                tool,
                text,
                lost,
            } => {
                self.result(&id, tool, &text, lost, audit, seen);
            }
            Event::Said(text) => {
                self.said += Size::of(&text).tokens;
                self.trace(&text);
            }
            Event::Added(text) => {
                let tokens = Size::of(&text).tokens;
                self.added += tokens;
                self.new += tokens;
            }
            Event::Listed { text, .. } => self.listed = Size::of(&text).tokens,
            Event::Compaction => {
                audit.compactions += 1;
                self.end(audit, seen);
            }
            Event::Conversation(id) => {
                if self.id != id {
                    self.end(audit, seen);
                    self.id = id.into_owned();
                }
            }
        }
    }

    fn request(&mut self, usage: &Usage<'_>, audit: &mut Audit, seen: &mut dyn FnMut(u64) -> bool) {
        let is_sum = usage.id.starts_with("sum-");
        if is_sum && self.has_ids {
            return;
        }
        self.has_ids |= !is_sum && !usage.id.is_empty();
        let key = if usage.id.is_empty() {
            hash(&(&self.id, "request", self.requests))
        } else if is_sum {
            hash(&(&self.id, &usage.id))
        } else {
            hash(&usage.id)
        };
        if let Some(current) = self.current.as_mut().filter(|current| current.key == key) {
            current.input = current.input.max(usage.input);
            current.output = current.output.max(usage.output);
            return;
        }
        if !self.known.insert(key) {
            return;
        }
        let before = self.current.as_ref();
        let before = before.map(|last| (last.input.saturating_add(last.output), self.new));
        self.close(audit);
        self.requests += 1;
        self.send(audit);
        self.new = 0;
        let model = if usage.model.is_empty() {
            Cow::Borrowed(self.model.as_str())
        } else {
            Cow::Borrowed(usage.model.as_ref())
        };
        self.current = Some(Request {
            key,
            is_new: seen(key),
            model: model.into_owned(),
            input: usage.input,
            output: usage.output,
            before,
        });
    }

    /// What is in the window is sent.
    fn send(&self, audit: &mut Audit) {
        audit.said += self.said;
        audit.added += self.added;
        audit.listed += self.listed;
    }

    /// Counts a request, now that all its lines are read.
    fn close(&mut self, audit: &mut Audit) {
        let Some(last) = self.current.take().filter(|last| last.is_new) else {
            return;
        };
        audit.requests += 1;
        audit.input = audit.input.saturating_add(last.input);
        audit.output = audit.output.saturating_add(last.output);
        let model = audit.models.entry(last.model).or_default();
        model.requests += 1;
        if let Some((before, added)) = last.before {
            model.samples.add(last.input.saturating_sub(before), added);
        }
    }

    fn call(&mut self, id: &str, tool: ToolName<'_>, written: &str, audit: &mut Audit) {
        let tool = tool.into_owned();
        // Some hosts write a call again with its result.
        if self.calls.contains_key(&hash(&id)) && !id.is_empty() {
            return;
        }
        self.said += Size::of(written).tokens;
        self.trace(written);
        let is_first = self.made.insert(hash(&(&tool, written)));
        let sum = audit.tools.entry(tool.clone()).or_default();
        sum.calls += 1;
        sum.repeated += u64::from(!is_first);
        self.calls.insert(hash(&id), tool);
    }

    fn result(
        &mut self,
        id: &str,
        tool: Option<ToolName<'_>>,
        text: &str,
        lost: u64,
        audit: &mut Audit,
        seen: &mut dyn FnMut(u64) -> bool,
    ) {
        let known = self.calls.get(&hash(&id)).cloned();
        let tool = known.or_else(|| tool.map(ToolName::into_owned));
        let tool = tool.unwrap_or_default();
        let is_new = id.is_empty() || seen(hash(&(id, "result")));
        if !is_new {
            return;
        }
        let tokens = Size::of(text).tokens;
        self.new += tokens;
        let sum = audit.tools.entry(tool.clone()).or_default();
        sum.results += 1;
        sum.tokens += tokens;
        sum.cut += u64::from(lost > 0);
        sum.lost = sum.lost.saturating_add(lost);
        let priced = is_large(text.len())
            .then(|| {
                let number = u32::try_from(self.results.len()).unwrap_or(u32::MAX);
                let is_traced = self.traces.add(number, text);
                Priced::new(&tool.tool, text, is_traced)
            })
            .flatten();
        sum.large += u64::from(priced.is_some());
        self.results.push(Sent {
            tool,
            tokens,
            after: self.requests,
            priced,
        });
    }

    /// Notes which results turn up in what the model wrote.
    fn trace(&mut self, text: &str) {
        let results = &mut self.results;
        self.traces.find(text, |result, line| {
            let sent = results.get_mut(result as usize);
            if let Some(priced) = sent.and_then(|sent| sent.priced.as_mut()) {
                priced.use_line(line);
            }
        });
    }

    /// The window is emptied, or the conversation ends.
    pub(super) fn end(&mut self, audit: &mut Audit, _: &mut dyn FnMut(u64) -> bool) {
        self.close(audit);
        for sent in self.results.drain(..) {
            let times = self.requests.saturating_sub(sent.after);
            let tokens = sent.tokens.saturating_mul(times);
            audit.results = audit.results.saturating_add(tokens);
            let sum = audit.tools.entry(sent.tool).or_default();
            sum.sent = sum.sent.saturating_add(tokens);
            if let Some(priced) = sent.priced {
                let times = i64::try_from(times).unwrap_or(i64::MAX);
                let once = priced.range();
                sum.range.add(Range {
                    least: once.least.saturating_mul(times),
                    used: once.used.saturating_mul(times),
                    most: once.most.saturating_mul(times),
                });
            }
        }
        self.traces.clear();
        (self.said, self.added, self.new) = (0, 0, 0);
        self.calls.clear();
    }
}

fn hash(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
