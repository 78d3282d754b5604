//! What the relay must know of a message: who it is for, and where the parts stand that may be replaced.

use std::ops::Range;

use super::id::Id;
use super::message::{Answer, ListedTool, Message, Structure, Tools};
use super::walk::{Leaf, Shape, Spot, Visitor, Walk};

/// The most texts of one result that are replaced, for each is an open file until all are read; those behind
/// pass as they came.
const MAX_TEXTS: usize = 128;

/// The most messages of a batch that are looked at.
const MAX_MESSAGES: usize = 1_024;
/// The most tools of a page; one with more passes as it came.
const MAX_TOOLS: usize = 10_000;

/// The parts of one line: a message, or several in a batch.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) messages: Vec<Message>,
    /// There are more messages than were looked at.
    pub(super) is_cut: bool,
    /// Texts that are no longer than this are not noted.
    shortest: u64,
    block: Block,
    /// The member that is being read.
    spot: Spot,
    /// A first member that is to go; the next one says where it ends, its comma included.
    open: Option<Open>,
}

#[derive(Debug, Default)]
struct Block {
    has_type: bool,
    is_text: bool,
    text: Option<Range<u64>>,
    is_odd: bool,
}

#[derive(Clone, Copy, Debug)]
enum Open {
    Structure,
    Schema,
}

/// The containers that are looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Batch,
    Message,
    Params,
    Meta,
    Result,
    Content,
    Block,
    Tools,
    Tool,
}

impl Outline {
    /// Begins to look at a line; texts of up to `shortest` bytes are not noted.
    pub(super) fn begin(shortest: u64) -> Walk<Self> {
        Walk::new(Self {
            shortest,
            ..Self::default()
        })
    }

    /// The outline of a whole line; nothing if it is no JSON message.
    pub(super) fn of(line: &[u8], shortest: u64) -> Option<Self> {
        let mut walk = Self::begin(shortest);
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

    /// What goes with the member that ends here.
    fn removed(&mut self, end: u64, which: Open) -> Range<u64> {
        if let Some(comma) = self.spot.comma {
            comma..end
        } else {
            self.open = Some(which);
            self.spot.start..end
        }
    }

    /// A value of a member that is to go ended.
    fn end_removable(&mut self, within: Place, key: &[u8], value: Range<u64>) {
        match (within, key) {
            (Place::Result, b"structuredContent") => {
                let span = self.removed(value.end, Open::Structure);
                let Some(answer) = self.answer() else { return };
                let structure = Structure { span, value };
                if answer.structure.replace(structure).is_some() {
                    self.odd();
                }
            }
            (Place::Tool, b"outputSchema") => {
                let range = self.removed(value.end, Open::Schema);
                let Some(tool) = self.tool() else { return };
                tool.is_odd |= tool.schema.replace(range).is_some();
            }
            _ => {}
        }
    }
}

impl Visitor for Outline {
    type Place = Place;

    fn enter(&mut self, within: Option<Place>, key: &[u8], shape: Shape) -> Option<Place> {
        let place = match (within, key, shape) {
            (None, _, Shape::Array) => Place::Batch,
            (Some(Place::Batch), _, _) if self.messages.len() >= MAX_MESSAGES => {
                self.is_cut = true;
                return None;
            }
            (None | Some(Place::Batch), _, Shape::Object) => {
                self.messages.push(Message::default());
                Place::Message
            }
            (Some(Place::Message), b"params", Shape::Object) => Place::Params,
            (Some(Place::Params), b"_meta", Shape::Object) => Place::Meta,
            (Some(Place::Message), b"result", Shape::Object) => {
                let message = self.message()?;
                message.is_odd |= message.result.replace(Answer::default()).is_some();
                Place::Result
            }
            (Some(Place::Message), b"error", _) => {
                self.message()?.is_error = true;
                return None;
            }
            (Some(Place::Result), b"content", Shape::Array) => {
                let has_texts = !self.answer()?.texts.is_empty();
                if has_texts {
                    self.odd();
                }
                Place::Content
            }
            (Some(Place::Content), _, Shape::Object) => {
                self.block = Block::default();
                Place::Block
            }
            (Some(Place::Result), b"tools", Shape::Array) => {
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
                Place::Tools
            }
            (Some(Place::Tools), _, Shape::Object) => {
                let tools = self.answer()?.tools.as_mut()?;
                if tools.listed.len() >= MAX_TOOLS {
                    self.odd();
                    return None;
                }
                tools.listed.push(ListedTool::default());
                Place::Tool
            }
            _ => return None,
        };
        Some(place)
    }

    fn member(&mut self, place: Place, spot: Spot) {
        self.spot = spot;
        if let (Place::Tools, Some(tools)) = (
            place,
            self.answer().and_then(|answer| answer.tools.as_mut()),
        ) {
            tools.is_empty = false;
        }
        match self.open.take() {
            Some(Open::Structure) => {
                if let Some(structure) = self.answer().and_then(|answer| answer.structure.as_mut())
                {
                    structure.span.end = spot.start;
                }
            }
            Some(Open::Schema) => {
                if let Some(range) = self.tool().and_then(|tool| tool.schema.as_mut()) {
                    range.end = spot.start;
                }
            }
            None => {}
        }
    }

    fn leaf(&mut self, place: Place, key: &[u8], leaf: &Leaf<'_>) {
        match place {
            Place::Message => self.message_leaf(key, leaf),
            Place::Params => self.params_leaf(key, leaf),
            Place::Meta => self.meta_leaf(key, leaf),
            Place::Result => self.result_leaf(key, leaf),
            Place::Block => match key {
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
            Place::Tool if key == b"name" => {
                if let Some(tool) = self.tool() {
                    tool.is_odd |= tool.name.is_some();
                    tool.name = leaf.text();
                }
            }
            Place::Tool => self.end_removable(place, key, leaf.span.clone()),
            Place::Batch | Place::Content | Place::Tools => {}
        }
    }

    fn leave(&mut self, within: Option<Place>, place: Option<Place>, key: &[u8], span: Range<u64>) {
        match place {
            Some(Place::Message) => {
                if let Some(message) = self.message() {
                    message.span = span;
                }
            }
            Some(Place::Block) => {
                let block = std::mem::take(&mut self.block);
                let shortest = self.shortest;
                // Its bytes as sent are at least as many as those of the text itself.
                if let Some(text) = block.text.filter(|_| block.is_text && !block.is_odd)
                    && text.end - text.start > shortest.saturating_add(2)
                    && let Some(answer) = self.answer()
                    && answer.texts.len() < MAX_TEXTS
                {
                    answer.texts.push(text);
                }
            }
            Some(Place::Tools) => {
                if let Some(tools) = self.answer().and_then(|answer| answer.tools.as_mut()) {
                    tools.end = span.end - 1;
                }
            }
            Some(Place::Tool) => {
                if let Some(tool) = self.tool().filter(|tool| tool.is_odd) {
                    (tool.name, tool.schema) = (None, None);
                }
            }
            Some(_) => {}
            None => {
                if let Some(within) = within {
                    self.end_removable(within, key, span);
                }
            }
        }
        if matches!(place, Some(Place::Result | Place::Tool)) {
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
            b"requestId" => params.request_id = leaf.raw.and_then(Id::new),
            _ => {}
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
            // Where it is empty, most clients ask for no more.
            b"nextCursor" => {
                answer.has_more |= !matches!(leaf.raw, Some(b"null" | b"\"\""));
            }
            b"protocolVersion" => answer.protocol_version = leaf.text(),
            _ => self.end_removable(Place::Result, key, leaf.span.clone()),
        }
    }
}

impl Leaf<'_> {
    fn is_string(&self) -> bool {
        self.raw.is_none_or(|raw| raw.starts_with(b"\""))
    }

    /// The string that it is; nothing if it is none, or too long to be a name.
    fn text(&self) -> Option<String> {
        serde_json::from_slice(self.raw?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_known_by_id_method_and_name() {
        let line = br#" {"params":{"arguments":{"name":"no","id":3},"na\u006de":"grep","_meta":{"callId":"exec-1","sessionId":"s","x":[1]}},"method":"tools/call","id":"a\"b","jsonrpc":"2.0"}"#;
        let outline = Outline::of(line, 0).unwrap();
        let [message] = outline.messages.as_slice() else {
            panic!("{outline:?}")
        };
        assert_eq!(message.method.as_deref(), Some("tools/call"));
        assert_eq!(message.params.name.as_deref(), Some("grep"));
        assert_eq!(message.params.session_id.as_deref(), Some("s"));
        assert_eq!(message.params.call_id.as_deref(), Some("exec-1"));
        assert_eq!(message.id.as_ref().unwrap().raw(), br#""a\"b""#);
        assert!(!message.is_odd);
    }

    #[test]
    fn what_is_no_json_has_no_outline() {
        for line in [
            "",
            "x",
            "{",
            "{]",
            "[}",
            r#"{"a":1,}"#,
            r#"{"a" 1}"#,
            "[1,]",
            "{}{}",
            r#"{"a":1"#,
            "{\"a",
            ",",
            "[1 2]",
        ] {
            assert!(Outline::of(line.as_bytes(), 0).is_none(), "{line}");
        }
        assert!(Outline::of("[".repeat(600).as_bytes(), 0).is_none());
    }

    #[test]
    fn an_answer_is_known_however_deep_it_nests() {
        for depth in [500, 509, 510, 511, 512, 513, 600, 100_000] {
            for [open, close] in [["[", "]"], [r#"{"a":"#, "}"]] {
                let deep = format!(r#"{}"]}}",1 {}"#, open.repeat(depth), close.repeat(depth))
                    .replace(r#",1 }"#, " }");
                let line = format!(r#"{{"result":{{"a":{deep},"isError":true}},"id":7}}"#);
                let outline = Outline::of(line.as_bytes(), 0).unwrap();
                let [message] = outline.messages.as_slice() else {
                    panic!("{outline:?}")
                };
                assert_eq!(message.id.as_ref().unwrap().raw(), b"7", "{depth}");
                assert!(message.result.as_ref().unwrap().is_error, "{depth}");
                let torn = line.get(..line.len() - 1).unwrap();
                assert!(Outline::of(torn.as_bytes(), 0).is_none(), "{depth}");
            }
        }
    }

    #[test]
    fn a_key_that_comes_twice_is_odd() {
        for line in [
            r#"{"id":1,"id":2,"result":{}}"#,
            r#"{"id":1,"result":{},"result":{}}"#,
            r#"{"id":1,"result":{"structuredContent":1,"structuredContent":{}}}"#,
            r#"{"id":1,"result":{"tools":[],"tools":[]}}"#,
            r#"{"id":1,"method":"a","method":"b"}"#,
        ] {
            assert!(
                Outline::of(line.as_bytes(), 0).unwrap().messages[0].is_odd,
                "{line}"
            );
        }
    }

    #[test]
    fn pieces_are_like_the_whole() {
        let line = br#"{"result":{"structuredContent":{"a":[1,-2.5e3]},"content":[{"text":"a\"\\","type":"text"}],"tools":[{"outputSchema":{},"name":"t"}]},"id":12}"#;
        let whole = format!("{:?}", Outline::of(line, 0));
        for at in 0..=line.len() {
            let mut walk = Outline::begin(0);
            walk.push(&line[..at]);
            walk.push(&line[at..]);
            assert_eq!(format!("{:?}", walk.end()), whole, "{at}");
        }
        assert!(whole.contains("span: 11..48"), "{whole}");
    }
}
