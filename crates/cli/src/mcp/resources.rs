//! Outputs as resources: what their URIs ask for, and the answer, one page at a time.

use rmcp::model::ResourceContents;

use super::listed::OUTPUT_URI;
use scratchpad::Scratchpad;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::id::OutputId;
use scratchpad::model::pad::block::Room;
use scratchpad::model::text::message::{message, number};
use scratchpad::model::text::quantity::grouped;

/// The most of an output that one answer has. No context window takes more, and an answer is held in memory.
pub(super) const PAGE_BYTES: usize = 256 * 1024;

/// The most of a pad that one answer has, in the same way: the rest is there for the tool of the pad.
pub(super) const PAD_ROOM: Room = Room {
    chars: PAGE_BYTES,
    tokens: usize::MAX,
};

/// A page of an output.
pub(super) struct OutputPage {
    id: OutputId,
    offset: u64,
}

impl OutputPage {
    /// What a URI asks for: `scratchpad://output/ID` or `scratchpad://output/ID?offset=BYTES`; `None` if it is not about an
    /// output.
    pub(super) fn of(uri: &str) -> Option<Result<Self>> {
        let rest = uri.strip_prefix(OUTPUT_URI)?;
        let (id, offset) = rest
            .split_once("?offset=")
            .map_or((rest, Some(0)), |(id, offset)| (id, offset.parse().ok()));
        Some(OutputId::new(id).and_then(|id| match offset {
            Some(offset) => Ok(Self { id, offset }),
            None => Err(Error::refused("`offset` must be a number of bytes.")),
        }))
    }

    /// The text, and, if there is more, a second one that says where.
    pub(super) fn read(&self, scratchpad: &Scratchpad, uri: &str) -> Result<Vec<ResourceContents>> {
        let (page, total) = scratchpad.output_page(&self.id, self.offset, PAGE_BYTES)?;
        let page = page.ok_or_else(|| {
            Error::refused(message!(
                "Out of range: output {id} has {total} bytes.",
                id = self.id.to_string(),
                total = number(total)
            ))
        })?;
        let mut contents = vec![ResourceContents::text(page.text, uri)];
        let next = page.bytes.end;
        if next < total {
            let uri = format!("{OUTPUT_URI}{}?offset={next}", self.id);
            let (from, to, total) = (grouped(self.offset), grouped(next), grouped(total));
            let text = format!("Bytes {from} to {to} of {total}. Read on: {uri}");
            contents.push(ResourceContents::text(text, uri));
        }
        Ok(contents)
    }
}
