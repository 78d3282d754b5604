//! What filled the windows of past conversations, and what outputs would have saved of that.

mod conversation;
mod priced;

use std::collections::BTreeMap;

pub use super::calibrate::Factor;
use super::calibrate::Samples;
use super::{Damaged, ToolName, TranscriptFormat};
use conversation::Conversation;

/// What is known of many transcripts. Figures without a unit are estimated tokens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    pub files: u64,
    /// Files that could not be read, or had no line that could.
    pub damaged_files: u64,
    pub damaged_lines: u64,
    pub requests: u64,
    /// All that was sent and written, by the hosts' own count.
    pub input: u64,
    pub output: u64,
    /// What was in the window, as often as it was sent: results of tools, what the model wrote, the list of tools where
    /// the transcript has it, and everything else that is known.
    pub results: u64,
    pub said: u64,
    pub listed: u64,
    pub added: u64,
    pub compactions: u64,
    pub tools: BTreeMap<ToolName<'static>, ToolAudit>,
    models: BTreeMap<String, ModelAudit>,
}

/// What is known of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolAudit {
    pub calls: u64,
    /// Calls with the same arguments as one before in the same conversation.
    pub repeated: u64,
    pub results: u64,
    /// The tokens of its results, and the same as often as they were sent.
    pub tokens: u64,
    pub sent: u64,
    /// How many its host cut, and how many bytes were lost.
    pub cut: u64,
    pub lost: u64,
    /// Its results above the threshold, and what keeping them would have saved.
    pub large: u64,
    pub range: Range,
}

/// What would have been saved, as often as it would have been sent. No one knows what an agent would have asked, so there
/// are three cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// Everything is read again: always below zero.
    pub least: i64,
    /// What turned up later in the model's own words and calls is read again.
    pub used: i64,
    /// Nothing is read again.
    pub most: i64,
}

impl Range {
    fn add(&mut self, other: Self) {
        self.least = self.least.saturating_add(other.least);
        self.used = self.used.saturating_add(other.used);
        self.most = self.most.saturating_add(other.most);
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct ModelAudit {
    requests: u64,
    samples: Samples,
}

impl Audit {
    /// What all lines of one transcript say. `seen` is told the hash of each request and result, and says whether it is
    /// new: forks and resumed conversations repeat those of others.
    pub fn of_lines<'a>(
        format: TranscriptFormat,
        lines: impl IntoIterator<Item = &'a [u8]>,
        seen: &mut dyn FnMut(u64) -> bool,
    ) -> Self {
        let mut reader = AuditReader::new(format);
        for line in lines {
            reader.line(line, seen);
        }
        reader.finish(seen)
    }

    pub fn join(&mut self, other: Self) {
        self.files += other.files;
        self.damaged_files += other.damaged_files;
        self.damaged_lines += other.damaged_lines;
        self.requests += other.requests;
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.results += other.results;
        self.said += other.said;
        self.listed += other.listed;
        self.added += other.added;
        self.compactions += other.compactions;
        for (name, tool) in other.tools {
            let sum = self.tools.entry(name).or_default();
            sum.calls += tool.calls;
            sum.repeated += tool.repeated;
            sum.results += tool.results;
            sum.tokens += tool.tokens;
            sum.sent += tool.sent;
            sum.cut += tool.cut;
            sum.lost = sum.lost.saturating_add(tool.lost);
            sum.large += tool.large;
            sum.range.add(tool.range);
        }
        for (name, model) in other.models {
            let sum = self.models.entry(name).or_default();
            sum.requests += model.requests;
            sum.samples.join(model.samples);
        }
    }

    /// All that is known to have been in the windows.
    pub fn known(&self) -> u64 {
        self.results + self.said + self.listed + self.added
    }

    /// What shares are of: the host's own count, or ours where that is larger, so that no share is too large.
    pub fn whole(&self) -> u64 {
        self.input.max(self.known()).max(1)
    }

    /// What would have been saved, with the list of our two tools in each request.
    pub fn range(&self) -> Range {
        let mut sum = Range::default();
        for tool in self.tools.values() {
            sum.add(tool.range);
        }
        if sum != Range::default() {
            let list = -i64::try_from(self.requests * priced::list()).unwrap_or(i64::MAX);
            sum.add(Range {
                least: list,
                used: list,
                most: list,
            });
        }
        sum
    }

    /// How many requests each model had, and how it counts, if that can be told.
    pub fn models(&self) -> impl Iterator<Item = (&str, u64, Option<Factor>)> {
        self.models
            .iter()
            .map(|(name, model)| (name.as_str(), model.requests, model.samples.factor()))
    }
}

/// Reads one transcript line by line, in little memory.
#[derive(Debug)]
pub struct AuditReader {
    format: TranscriptFormat,
    audit: Audit,
    conversation: Conversation,
    lines: u64,
}

impl AuditReader {
    pub fn new(format: TranscriptFormat) -> Self {
        Self {
            format,
            audit: Audit {
                files: 1,
                ..Audit::default()
            },
            conversation: Conversation::default(),
            lines: 0,
        }
    }

    pub fn line(&mut self, line: &[u8], seen: &mut dyn FnMut(u64) -> bool) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        self.lines += 1;
        let (conversation, audit) = (&mut self.conversation, &mut self.audit);
        let read = self.format.read(line, &mut |event| {
            conversation.hear(event, audit, seen);
        });
        if read == Err(Damaged) {
            self.audit.damaged_lines += 1;
        }
    }

    /// A line that is too long, or could not be read.
    pub fn damaged(&mut self) {
        self.lines += 1;
        self.audit.damaged_lines += 1;
    }

    pub fn finish(mut self, seen: &mut dyn FnMut(u64) -> bool) -> Audit {
        self.conversation.end(&mut self.audit, seen);
        if self.audit.damaged_lines > 0 && self.audit.damaged_lines >= self.lines {
            self.audit.damaged_files = 1;
        }
        self.audit
    }
}
