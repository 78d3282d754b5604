//! Parses what the relay needs to know about a message: its recipient, and the positions of the parts that may be
//! replaced.

use std::ops::Range;

use super::id::Id;
use super::message::{Answer, Argument, ListedTool, Message, Structure, Tools};
use memchr::memmem;
use scratchpad::model::json::{Container, Leaf, Member, Visitor, Walk};
use scratchpad::model::output::pass::PREFIX;

/// The maximum number of texts to replace in one result: each is an open file until all are read. The rest pass
/// unchanged.
const MAX_TEXTS: usize = 128;

/// The maximum number of messages to parse in a batch.
const MAX_MESSAGES: usize = 1_024;
/// The maximum number of strings to note of one call's arguments.
const MAX_STRINGS: usize = 1_024;
/// The maximum number of tools on a page; a page with more passes unchanged.
const MAX_TOOLS: usize = 10_000;

/// The parts of one line: a message, or several in a batch.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) messages: Vec<Message>,
    /// There are more than [`MAX_MESSAGES`].
    pub(super) is_cut: bool,
    /// Texts of up to this many bytes are ignored.
    shortest: u64,
    /// Whether arguments of calls are followed.
    follows_arguments: bool,
    block: Block,
    structure: StructureMembers,
    /// The member being read.
    current: Member,
    /// A first member to remove: the removal extends to the next member, to include the comma.
    open: Option<Open>,
}

#[derive(Debug, Default)]
struct Block {
    has_type: bool,
    is_text: bool,
    text: Option<Range<u64>>,
    is_odd: bool,
}

/// The members of structured content that matter.
#[derive(Debug, Default)]
struct StructureMembers {
    count: usize,
    /// The string under `result`.
    result: Option<Range<u64>>,
}

#[derive(Clone, Copy, Debug)]
enum Open {
    Structure,
    Schema,
}

/// The containers whose content matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Batch,
    Message,
    Params,
    Meta,
    Arguments,
    /// What the client says of itself.
    Client,
    Result,
    Structure,
    Content,
    Block,
    Tools,
    Tool,
}

impl Outline {
    /// Starts a line; texts of up to `shortest` bytes are ignored.
    pub(super) fn begin(shortest: u64) -> Walk<Self> {
        Walk::new(Self {
            shortest,
            ..Self::default()
        })
    }

    /// The outline of a whole line; `None` if it is not JSON.
    pub(super) fn of(line: &[u8], shortest: u64) -> Option<Self> {
        let mut walk = Self::begin(shortest);
        walk.push(line);
        walk.end()
    }

    /// The outline of a whole line from the client. Arguments are followed only if one of them may be a reference to an
    /// output: nearly no line has one. A solidus may be escaped.
    pub(super) fn of_client(line: &[u8]) -> Option<Self> {
        let scheme = PREFIX.split('/').next().unwrap_or(PREFIX);
        let mut walk = Walk::new(Self {
            shortest: u64::MAX,
            follows_arguments: memmem::find(line, scheme.as_bytes()).is_some(),
            ..Self::default()
        });
        walk.push(line);
        walk.end()
    }

    /// The ids of the requests in it.
    pub(super) fn requests(&self) -> Vec<Id> {
        let requests = self
            .messages
            .iter()
            .filter(|message| message.method.is_some());
        requests.filter_map(|message| message.id.clone()).collect()
    }

    fn message(&mut self) -> Option<&mut Message> {
        self.messages.last_mut()
    }

    fn answer(&mut self) -> Option<&mut Answer> {
        self.message()?.result.as_mut()
    }

    fn tool(&mut self) -> Option<&mut ListedTool> {
        self.answer()?.tools.as_mut()?.listed.last_mut()
    }

    fn odd(&mut self) {
        if let Some(message) = self.message() {
            message.is_odd = true;
        }
    }

    /// The range to remove for the member that ends here, including a comma.
    fn removed(&mut self, end: u64, which: Open) -> Range<u64> {
        if let Some(comma) = self.current.comma {
            comma..end
        } else {
            self.open = Some(which);
            self.current.start..end
        }
    }

    /// Called at the end of a member that may be removed.
    fn end_removable(&mut self, within: Role, key: &[u8], value: Range<u64>) {
        match (within, key) {
            (Role::Result, b"structuredContent") => {
                let span = self.removed(value.end, Open::Structure);
                let members = std::mem::take(&mut self.structure);
                let wrapped = members.result.filter(|_| members.count == 1);
                let Some(answer) = self.answer() else { return };
                let structure = Structure {
                    span,
                    value,
                    wrapped,
                };
                if answer.structure.replace(structure).is_some() {
                    self.odd();
                }
            }
            (Role::Tool, b"outputSchema") => {
                let range = self.removed(value.end, Open::Schema);
                let Some(tool) = self.tool() else { return };
                tool.is_odd |= tool.schema.replace(range).is_some();
            }
            _ => {}
        }
    }
}

impl Visitor for Outline {
    type Role = Role;

    fn enter(&mut self, within: Option<Role>, key: &[u8], container: Container) -> Option<Role> {
        let role = match (within, key, container) {
            (None, _, Container::Array) => Role::Batch,
            (Some(Role::Batch), _, _) if self.messages.len() >= MAX_MESSAGES => {
                self.is_cut = true;
                return None;
            }
            (None | Some(Role::Batch), _, Container::Object) => {
                self.messages.push(Message::default());
                Role::Message
            }
            (Some(Role::Message), b"params", Container::Object) => Role::Params,
            (Some(Role::Params), b"_meta", Container::Object) => Role::Meta,
            (Some(Role::Params), b"arguments", _) if self.follows_arguments => {
                let message = self.message()?;
                message.is_odd |= !message.params.strings.is_empty();
                Role::Arguments
            }
            (Some(Role::Arguments), ..) => Role::Arguments,
            (Some(Role::Params), b"clientInfo", Container::Object)
            | (Some(Role::Meta), b"io.modelcontextprotocol/clientInfo", Container::Object) => {
                Role::Client
            }
            (Some(Role::Message), b"result", Container::Object) => {
                let message = self.message()?;
                message.is_odd |= message.result.replace(Answer::default()).is_some();
                Role::Result
            }
            (Some(Role::Message), b"error", _) => {
                self.message()?.is_error = true;
                return None;
            }
            (Some(Role::Result), b"structuredContent", Container::Object) => {
                self.structure = StructureMembers::default();
                Role::Structure
            }
            (Some(Role::Result), b"content", Container::Array) => {
                let has_texts = !self.answer()?.texts.is_empty();
                if has_texts {
                    self.odd();
                }
                Role::Content
            }
            (Some(Role::Content), _, Container::Object) => {
                self.block = Block::default();
                Role::Block
            }
            (Some(Role::Result), b"tools", Container::Array) => {
                let twice = self
                    .answer()?
                    .tools
                    .replace(Tools {
                        is_empty: true,
                        ..Tools::default()
                    })
                    .is_some();
                if twice {
                    self.odd();
                }
                Role::Tools
            }
            (Some(Role::Tools), _, Container::Object) => {
                let comma = self.current.comma;
                let tools = self.answer()?.tools.as_mut()?;
                if tools.listed.len() >= MAX_TOOLS {
                    self.odd();
                    return None;
                }
                tools.listed.push(ListedTool {
                    comma,
                    ..ListedTool::default()
                });
                Role::Tool
            }
            _ => return None,
        };
        Some(role)
    }

    fn member(&mut self, role: Role, member: Member) {
        if role == Role::Structure {
            // `current` remains the structure itself, which may be removed.
            self.structure.count += 1;
            return;
        }
        self.current = member;
        if let (Role::Tools, Some(tools)) =
            (role, self.answer().and_then(|answer| answer.tools.as_mut()))
        {
            tools.is_empty = false;
        }
        match self.open.take() {
            Some(Open::Structure) => {
                if let Some(structure) = self.answer().and_then(|answer| answer.structure.as_mut())
                {
                    structure.span.end = member.start;
                }
            }
            Some(Open::Schema) => {
                if let Some(range) = self.tool().and_then(|tool| tool.schema.as_mut()) {
                    range.end = member.start;
                }
            }
            None => {}
        }
    }

    fn leaf(&mut self, role: Role, key: &[u8], leaf: &Leaf<'_>) {
        match role {
            Role::Message => self.message_leaf(key, leaf),
            Role::Params => self.params_leaf(key, leaf),
            Role::Meta => self.meta_leaf(key, leaf),
            Role::Arguments => self.argument(key, leaf),
            Role::Client if key == b"name" => {
                if let Some(message) = self.message() {
                    message.params.client = leaf.text();
                }
            }
            Role::Result => self.result_leaf(key, leaf),
            Role::Block => match key {
                b"type" => {
                    self.block.is_odd |= std::mem::replace(&mut self.block.has_type, true);
                    self.block.is_text = leaf.text().as_deref() == Some("text");
                }
                b"text" => {
                    let is_text = leaf.is_string().then(|| leaf.span.clone());
                    self.block.is_odd |= self.block.text.is_some();
                    self.block.text = is_text;
                }
                _ => {}
            },
            Role::Tool if key == b"name" => {
                if let Some(tool) = self.tool() {
                    tool.is_odd |= tool.name.is_some();
                    tool.name = leaf.text();
                }
            }
            Role::Tool => self.end_removable(role, key, leaf.span.clone()),
            Role::Structure => {
                let is_result = key == b"result" && leaf.is_string();
                self.structure.result = is_result.then(|| leaf.span.clone());
            }
            Role::Batch | Role::Client | Role::Content | Role::Tools => {}
        }
    }

    fn leave(&mut self, within: Option<Role>, role: Option<Role>, key: &[u8], span: Range<u64>) {
        match role {
            Some(Role::Message) => {
                if let Some(message) = self.message() {
                    message.span = span;
                }
            }
            Some(Role::Block) => {
                let block = std::mem::take(&mut self.block);
                let shortest = self.shortest;
                // A text is never longer than its JSON.
                if let Some(text) = block.text.filter(|_| block.is_text && !block.is_odd)
                    && text.end - text.start > shortest.saturating_add(2)
                    && let Some(answer) = self.answer()
                    && answer.texts.len() < MAX_TEXTS
                {
                    answer.texts.push(text);
                }
            }
            Some(Role::Tools) => {
                if let Some(tools) = self.answer().and_then(|answer| answer.tools.as_mut()) {
                    tools.end = span.end - 1;
                }
            }
            Some(Role::Tool) => {
                if let Some(tool) = self.tool() {
                    tool.span = span;
                    if tool.is_odd {
                        (tool.name, tool.schema) = (None, None);
                    }
                }
            }
            Some(Role::Structure) | None => {
                if let Some(within) = within {
                    self.end_removable(within, key, span);
                }
            }
            Some(_) => {}
        }
        if matches!(role, Some(Role::Result | Role::Tool)) {
            self.open = None;
        }
    }
}

impl Outline {
    fn message_leaf(&mut self, key: &[u8], leaf: &Leaf<'_>) {
        let Some(message) = self.message() else {
            return;
        };
        match key {
            b"id" => {
                message.is_odd |= message.id.is_some();
                message.id = leaf.raw.and_then(Id::new);
                message.id_at = leaf.span.clone();
            }
            b"method" => {
                message.is_odd |= message.method.is_some();
                message.method = leaf.text();
            }
            _ => {}
        }
    }

    fn params_leaf(&mut self, key: &[u8], leaf: &Leaf<'_>) {
        let Some(message) = self.message() else {
            return;
        };
        let params = &mut message.params;
        match key {
            b"name" => {
                message.is_odd |= params.name.is_some();
                params.name = leaf.text();
            }
            b"uri" => params.uri = leaf.text(),
            b"taskId" => params.task_id = leaf.text(),
            b"requestId" => {
                params.request_id = leaf.raw.and_then(Id::new);
                params.request_id_at = leaf.span.clone();
            }
            _ => {}
        }
    }

    /// Notes a string that may be a reference: one that is too long to be shown may be one too.
    fn argument(&mut self, key: &[u8], leaf: &Leaf<'_>) {
        let text = leaf.text();
        let is_reference = text.is_none_or(|text| text.starts_with(PREFIX));
        if !leaf.is_string() || !is_reference {
            return;
        }
        let Some(message) = self.message() else {
            return;
        };
        let strings = &mut message.params.strings;
        if strings.len() <= MAX_STRINGS {
            strings.push(Argument {
                span: leaf.span.clone(),
                name: String::from_utf8_lossy(key).into_owned(),
            });
        }
    }

    fn meta_leaf(&mut self, key: &[u8], leaf: &Leaf<'_>) {
        let Some(message) = self.message() else {
            return;
        };
        let params = &mut message.params;
        match key {
            b"io.modelcontextprotocol/protocolVersion" => params.protocol_version = leaf.text(),
            b"sessionId" => params.session_id = leaf.text(),
            b"threadId" => params.thread_id = leaf.text(),
            b"callId" => params.call_id = leaf.text(),
            _ => {}
        }
    }

    fn result_leaf(&mut self, key: &[u8], leaf: &Leaf<'_>) {
        let Some(answer) = self.answer() else { return };
        match key {
            b"isError" => answer.is_error |= leaf.raw == Some(b"true"),
            b"resultType" => answer.is_partial |= leaf.text().as_deref() != Some("complete"),
            // Most clients treat an empty cursor as the end.
            b"nextCursor" => {
                answer.has_more |= !matches!(leaf.raw, Some(b"null" | b"\"\""));
            }
            b"protocolVersion" => answer.protocol_version = leaf.text(),
            _ => self.end_removable(Role::Result, key, leaf.span.clone()),
        }
    }
}

#[cfg(test)]
mod tests;
