//! What a result would have cost as an output: with the reference that our own code makes of it.

use std::io::Cursor;
use std::path::Path;
use std::sync::LazyLock;

use super::Range;
use crate::model::id::OutputId;
use crate::model::output::describe::Description;
use crate::model::output::ledger::size::Size;
use crate::model::output::offload::Offload;
use crate::model::output::reference::{Reference, ReferenceFacts};
use crate::model::output::{OutputLimits, tool};

/// Lines that are read with one that is used, before and after it.
const AROUND: u32 = 5;
/// An id, where usual ones are, and a call that reads lines.
const ID: &str = "3fa9c1d2e4b5";
const FILE: &str = "/home/ada/.local/share/scratchpad/outputs/3fa9c1d2e4b5";
const CALL: &str =
    r#"{"name":"scratchpad_read","arguments":{"id":"3fa9c1d2e4b5","lines":"1200-1280"}}"#;
const REMARK: &str = "Lines 1200-1280 of 2400.";

static CALL_AND_REMARK: LazyLock<u64> =
    LazyLock::new(|| Size::of(CALL).tokens + Size::of(REMARK).tokens);
static LIST: LazyLock<u64> = LazyLock::new(|| {
    let tools = tool::definitions().into_iter().map(|tool| {
        serde_json::json!({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema})
    });
    Size::of(&tools.collect::<serde_json::Value>().to_string()).tokens
});

/// The list of the two tools that read outputs.
pub(super) fn list() -> u64 {
    *LIST
}

/// Whether a result of this size becomes an output by default.
pub(super) fn is_large(bytes: usize) -> bool {
    bytes as u64 > Offload::default().threshold
}

/// A large result, and which of its lines turned up again.
#[derive(Debug)]
pub(super) struct Priced {
    whole: Size,
    reference: u64,
    /// Where its lines end.
    ends: Vec<u32>,
    /// Whether a line was used; empty if all are taken to be.
    used: Vec<bool>,
}

impl Priced {
    /// `None` if no reference can be made of it.
    pub(super) fn new(tool: &str, text: &str, is_traced: bool) -> Option<Self> {
        let description = Description::of(&mut Cursor::new(text.as_bytes())).ok()?;
        let reference = Reference::new(&ReferenceFacts {
            id: &OutputId::new(ID).ok()?,
            tool,
            description: &description,
            preview_chars: OutputLimits::default().preview_chars(),
            reader: tool::READ.into(),
            file: Some(Path::new(FILE)),
        });
        let ends: Vec<u32> = memchr::memchr_iter(b'\n', text.as_bytes())
            .chain([text.len()])
            .map(|end| u32::try_from(end).unwrap_or(u32::MAX))
            .collect();
        let used = if is_traced {
            vec![false; ends.len()]
        } else {
            Vec::new()
        };
        Some(Self {
            whole: Size::of(text),
            reference: Size::of(&reference.text).tokens,
            ends,
            used,
        })
    }

    /// A line turned up again.
    pub(super) fn use_line(&mut self, line: u32) {
        if let Some(used) = self.used.get_mut(line as usize) {
            *used = true;
        }
    }

    /// What keeping it would have saved, each time that it was sent.
    pub(super) fn range(&self) -> Range {
        let signed = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        let page = OutputLimits::default().read_max_bytes as u64;
        let all = self.whole.tokens + self.whole.bytes.div_ceil(page) * *CALL_AND_REMARK;
        let most = signed(self.whole.tokens).saturating_sub(signed(self.reference));
        Range {
            least: most.saturating_sub(signed(all)),
            used: most.saturating_sub(signed(self.used_parts().min(all))),
            most,
        }
    }

    /// What it costs to read the lines that were used, with those around them.
    fn used_parts(&self) -> u64 {
        if self.used.is_empty() {
            return u64::MAX;
        }
        let (mut calls, mut bytes, mut read_to) = (0_u64, 0_u64, None);
        let lines = (0_u32..).zip(&self.used);
        for (line, _) in lines.filter(|(_, used)| **used) {
            let from = line.saturating_sub(AROUND);
            let goes_on = read_to.is_some_and(|to| from <= to);
            calls += u64::from(!goes_on);
            let start = read_to.filter(|_| goes_on).unwrap_or(from);
            let to = line.saturating_add(AROUND + 1);
            bytes += u64::from(self.end_before(to).saturating_sub(self.end_before(start)));
            read_to = Some(to);
        }
        let read = self.whole.part(bytes).tokens;
        read.saturating_add(calls.saturating_mul(*CALL_AND_REMARK))
    }

    /// Where the lines before this one end.
    fn end_before(&self, line: u32) -> u32 {
        let Some(last) = line.checked_sub(1) else {
            return 0;
        };
        let end = self.ends.get(last as usize).or(self.ends.last());
        end.copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_is_used_the_less_is_saved_and_all_of_it_is_a_loss() {
        let text: String = (0..1_000)
            .map(|n| format!("line {n} of a result\n"))
            .collect::<Vec<_>>()
            .concat();
        let range = |lines: &[u32]| {
            let mut priced = Priced::new("grep", &text, true).unwrap();
            for line in lines {
                priced.use_line(*line);
            }
            priced.range()
        };
        let none = range(&[]);
        assert_eq!(none.used, none.most);
        assert!(none.least < 0 && none.most > 5_000, "{none:?}");
        let (one, near, far) = (range(&[500]), range(&[500, 503]), range(&[0, 999]));
        assert!(far.used < near.used && near.used < one.used && one.used < none.used);
        let every: Vec<u32> = (0..1_000).collect();
        assert!(range(&every).used >= none.least);
        let unknown = Priced::new("grep", &text, false).unwrap().range();
        assert_eq!(unknown.used, unknown.least);
    }
}
