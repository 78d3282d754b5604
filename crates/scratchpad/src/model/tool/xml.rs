//! Tool calls in XML, as some agents write them.
//!
//! `<tool><server_name>…</server_name><tool_name>add_note</tool_name><arguments><content>…</content>
//! <tags><tag>a</tag></tags></arguments></tool>`

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::{Map, Value};

use crate::model::error::{Error, Result};
use crate::model::text::message::message;
use crate::model::text::quantity::shortened;

/// `tool > arguments > tags > tag`.
const MAX_DEPTH: usize = 4;

/// A call parsed from XML. Its arguments are untyped until [`Self::arguments`] applies the tool's schema.
#[derive(Clone, Debug, PartialEq)]
pub struct XmlCall {
    pub tool: String,
    arguments: Vec<Element>,
}

/// An element with its text and its children.
#[derive(Clone, Debug, Default, PartialEq)]
struct Element {
    name: String,
    text: String,
    children: Vec<Element>,
}

impl XmlCall {
    pub fn parse(xml: &str) -> Result<Self> {
        let root = read(xml)?;
        if root.name != "tool" {
            return Err(refused(&format!(
                "the root element is <{}>, it must be <tool>",
                root.name
            )));
        }
        root.holds_no_text()?;
        let mut tool = None;
        let mut arguments = None;
        for child in root.children {
            let slot = match child.name.as_str() {
                "tool_name" => &mut tool,
                "arguments" => &mut arguments,
                "server_name" => continue,
                other => {
                    return Err(refused(&format!(
                        "<tool> has no element <{other}>; it has server_name, tool_name and arguments"
                    )));
                }
            };
            if slot.is_some() {
                return Err(refused(&format!("<{}> appears twice", child.name)));
            }
            *slot = Some(child);
        }
        let tool = tool.unwrap_or_default();
        let tool = tool.only_text()?;
        if tool.trim().is_empty() {
            return Err(refused("<tool_name> is missing"));
        }
        let arguments = arguments.unwrap_or_default();
        arguments.holds_no_text()?;
        Ok(Self {
            tool: tool.trim().to_owned(),
            arguments: arguments.children,
        })
    }

    /// The arguments as JSON, with the types of the tool's schema.
    ///
    /// A text that is not a valid number or boolean stays a string: the tool's own check then reports it.
    pub fn arguments(&self, schema: &Value) -> Result<Value> {
        let mut arguments = Map::new();
        for element in &self.arguments {
            let property = schema
                .get("properties")
                .and_then(|known| known.get(&element.name));
            let kind = property
                .and_then(|known| known.get("type"))
                .and_then(Value::as_str);
            let is_choice = property.is_some_and(|known| known.get("enum").is_some());
            let value = if kind == Some("array") {
                element.holds_no_text()?;
                let items = element
                    .children
                    .iter()
                    .map(|item| item.only_text().map(Value::from));
                Value::Array(items.collect::<Result<_>>()?)
            } else {
                let text = element.only_text()?;
                let number = || text.trim().parse::<u64>().ok().map(Value::from);
                let flag = || text.trim().parse::<bool>().ok().map(Value::from);
                match kind {
                    Some("integer") => number().unwrap_or_else(|| Value::from(text)),
                    Some("boolean") => flag().unwrap_or_else(|| Value::from(text)),
                    _ if is_choice => Value::from(text.trim()),
                    _ => Value::from(text),
                }
            };
            if arguments.insert(element.name.clone(), value).is_some() {
                return Err(refused(&format!("<{}> appears twice", element.name)));
            }
        }
        Ok(Value::Object(arguments))
    }
}

impl Element {
    /// The text of an element. Child elements are an error, so that markup in a text is never dropped.
    fn only_text(&self) -> Result<&str> {
        match self.children.first() {
            None => Ok(&self.text),
            Some(child) => Err(refused(&format!(
                "<{}> must hold text and holds <{}>; write &lt; for <, or use CDATA",
                self.name, child.name
            ))),
        }
    }

    /// Refuses text where only elements are allowed, so that it is never dropped.
    fn holds_no_text(&self) -> Result<()> {
        if self.text.trim().is_empty() {
            return Ok(());
        }
        Err(refused(&format!(
            "<{}> must hold elements and holds the text {:?}",
            self.name,
            shortened(self.text.trim(), 40)
        )))
    }
}

fn refused(what: &str) -> Error {
    Error::refused(message!("The XML call can't be read: {what}.", what)).hint(
        "the form is <tool><tool_name>add_note</tool_name><arguments><content>…</content></arguments></tool>.",
    )
}

/// Parses the root element. A document type is refused, because it could define entities.
fn read(xml: &str) -> Result<Element> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let mut open: Vec<Element> = Vec::new();
    let mut root: Option<Element> = None;
    loop {
        let position = reader.buffer_position();
        let malformed =
            |what: &dyn std::fmt::Display| refused(&format!("{what} (at byte {position})"));
        match reader.read_event().map_err(|error| malformed(&error))? {
            Event::Start(_) | Event::Empty(_) if open.len() == MAX_DEPTH || root.is_some() => {
                return Err(malformed(&"an element is not allowed here"));
            }
            Event::Start(start) => {
                open.push(Element {
                    name: start.local_name().into_inner().to_owned(),
                    ..Element::default()
                });
            }
            Event::Empty(start) => {
                let element = Element {
                    name: start.local_name().into_inner().to_owned(),
                    ..Element::default()
                };
                close(element, &mut open, &mut root);
            }
            Event::End(_) => {
                if let Some(element) = open.pop() {
                    close(element, &mut open, &mut root);
                }
            }
            Event::Text(text) => {
                append(&text.into_inner(), &mut open).map_err(|what| malformed(&what))?;
            }
            Event::CData(text) => {
                append(&text.into_inner(), &mut open).map_err(|what| malformed(&what))?;
            }
            Event::GeneralRef(reference) => {
                let char = character(&reference).ok_or_else(|| {
                    malformed(&"an entity other than &lt; &gt; &amp; &quot; &apos; and numbers is refused")
                })?;
                append(char.encode_utf8(&mut [0; 4]), &mut open)
                    .map_err(|what| malformed(&what))?;
            }
            Event::DocType(_) => return Err(malformed(&"a document type is refused")),
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
    match (root, open.as_slice()) {
        (Some(root), []) => Ok(root),
        (_, [.., unclosed]) => Err(refused(&format!("<{}> is not closed", unclosed.name))),
        (None, []) => Err(refused("no element found")),
    }
}

fn close(element: Element, open: &mut [Element], root: &mut Option<Element>) {
    match open.last_mut() {
        Some(parent) => parent.children.push(element),
        None => *root = Some(element),
    }
}

fn append(text: &str, open: &mut [Element]) -> std::result::Result<(), &'static str> {
    match open.last_mut() {
        Some(element) => element.text.push_str(text),
        None if text.trim().is_empty() => {}
        None => return Err("text is not allowed outside the root element"),
    }
    Ok(())
}

/// The character of a predefined entity or a numeric reference.
fn character(reference: &quick_xml::events::BytesRef<'_>) -> Option<char> {
    if let Ok(Some(char)) = reference.resolve_char_ref() {
        return Some(char);
    }
    match reference.borrow().into_inner().as_ref() {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}
