//! Sessions and outputs as rows of a list.

use crate::web::html::{Frame, of_session, shown};
use scratchpad::KnownSession;
use scratchpad::model::id::Millis;
use scratchpad::model::output::OutputHead;
use scratchpad::model::output::reply::preview_line;
use scratchpad::model::pad::{Pad, plan};
use scratchpad::model::text::quantity::shortened;

/// The longest title in a list, in characters.
const TITLE_CHARS: usize = 160;

/// A session in a list.
pub(in crate::web) struct SessionRow {
    pub(in crate::web) address: String,
    pub(in crate::web) title: String,
    /// How many items of the plan are done, of how many.
    pub(in crate::web) progress: Option<(usize, usize)>,
    pub(in crate::web) host: String,
    pub(in crate::web) branch: String,
    pub(in crate::web) at: Millis,
    pub(in crate::web) is_running: bool,
    pub(in crate::web) is_fresh: bool,
}

impl SessionRow {
    pub(in crate::web) fn new(known: &KnownSession) -> Self {
        let pad = &known.head.pad;
        let progress = plan::progress(&pad.plan);
        Self {
            address: of_session(known.head.id.as_str()),
            title: title(pad),
            progress: progress.map(|(count, _)| (count.done, count.wanted())),
            host: shown(known.host()),
            branch: shown(known.branch()),
            at: known.seen(),
            is_running: known.is_running,
            is_fresh: Frame::is_fresh(known.head.updated),
        }
    }
}

/// What a session works on: the item at hand, else the first line of its pad.
pub(in crate::web) fn title(pad: &Pad) -> String {
    let title = match plan::progress(&pad.plan) {
        Some((_, at_hand)) => at_hand.unwrap_or_default(),
        None => pad.title(),
    };
    let one_line = title.split_whitespace().collect::<Vec<_>>().join(" ");
    shown(&shortened(&one_line, TITLE_CHARS))
}

/// An output in a list.
pub(in crate::web) struct OutputRow {
    pub(in crate::web) id: String,
    pub(in crate::web) tools: String,
    pub(in crate::web) kind: &'static str,
    pub(in crate::web) bytes: u64,
    pub(in crate::web) lines: u64,
    pub(in crate::web) kept: Millis,
    pub(in crate::web) preview: String,
    pub(in crate::web) is_pinned: bool,
    /// How often a text was found in it.
    pub(in crate::web) hits: Option<u64>,
}

impl OutputRow {
    pub(in crate::web) fn new(head: &OutputHead, hits: Option<u64>) -> Self {
        Self {
            id: head.id.to_string(),
            tools: shown(&head.tools.join(", ")),
            kind: head.kind.name(),
            bytes: head.bytes,
            lines: head.lines,
            kept: head.kept,
            preview: shown(&preview_line(head, TITLE_CHARS)),
            is_pinned: head.pinned_by.is_some(),
            hits,
        }
    }
}
