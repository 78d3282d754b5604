//! The parsed facts about a message: its kind, and the positions of the parts that may be replaced.

use std::ops::Range;

use super::id::Id;

/// One message.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// Its position in the line.
    pub(super) span: Range<u64>,
    pub(super) id: Option<Id>,
    /// The position of the id.
    pub(super) id_at: Range<u64>,
    pub(super) method: Option<String>,
    pub(super) params: Params,
    pub(super) result: Option<Answer>,
    /// Whether it is an error answer.
    pub(super) is_error: bool,
    /// A key that matters occurs twice, and parsers disagree about which one counts.
    pub(super) is_odd: bool,
}

/// The parameters that matter.
#[derive(Clone, Debug, Default)]
pub(super) struct Params {
    pub(super) name: Option<String>,
    pub(super) uri: Option<String>,
    pub(super) task_id: Option<String>,
    /// The request that a notification is about.
    pub(super) request_id: Option<Id>,
    /// The position of that id.
    pub(super) request_id_at: Range<u64>,
    /// The protocol revision that the request names.
    pub(super) protocol_version: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) thread_id: Option<String>,
    /// The name by which the client introduces itself.
    pub(super) client: Option<String>,
    /// The host's id for the call.
    pub(super) call_id: Option<String>,
    /// The strings among a call's arguments, at any depth, if they are looked for.
    pub(super) strings: Vec<Argument>,
}

/// A string among the arguments of a call.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    /// Where it is, including quotes.
    pub(super) span: Range<u64>,
    /// The key nearest to it.
    pub(super) name: String,
}

/// The parts of a result that matter.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) is_error: bool,
    /// An intermediate step, not the final result.
    pub(super) is_partial: bool,
    /// The strings of text blocks that may be too large, including quotes.
    pub(super) texts: Vec<Range<u64>>,
    pub(super) structure: Option<Structure>,
    pub(super) tools: Option<Tools>,
    /// More pages follow.
    pub(super) has_more: bool,
    /// The protocol revision of the session.
    pub(super) protocol_version: Option<String>,
}

/// Structured content.
#[derive(Debug)]
pub(super) struct Structure {
    /// What to remove, including a comma.
    pub(super) span: Range<u64>,
    pub(super) value: Range<u64>,
    /// The string in `{"result": STRING}`, including quotes, if there is no other member.
    pub(super) wrapped: Option<Range<u64>>,
}

/// A page of tools.
#[derive(Debug, Default)]
pub(super) struct Tools {
    pub(super) listed: Vec<ListedTool>,
    pub(super) is_empty: bool,
    /// Its closing bracket.
    pub(super) end: u64,
}

/// A tool of the upstream.
#[derive(Debug, Default)]
pub(super) struct ListedTool {
    pub(super) name: Option<String>,
    pub(super) span: Range<u64>,
    /// The comma before it.
    pub(super) comma: Option<u64>,
    /// The output schema to remove, including a comma.
    pub(super) schema: Option<Range<u64>>,
    pub(super) is_odd: bool,
}
