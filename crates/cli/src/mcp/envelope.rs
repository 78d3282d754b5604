//! What a message that is refused is answered. Its id is found in bytes that are not kept or can't be parsed:
//! without it, its sender would wait forever.

use rmcp::model::{ErrorData, RequestId};
use serde::de::IgnoredAny;
use serde_json::Value;

/// The longest id that is looked at.
const MAX_ID_BYTES: usize = 256;

/// What to answer to a message that is none of the protocol's; nothing to a notification.
pub(super) fn refusal(message: &[u8]) -> Option<(ErrorData, Option<RequestId>)> {
    if serde_json::from_slice::<IgnoredAny>(message).is_err() {
        return Some((ErrorData::parse_error("This is not JSON.", None), None));
    }
    if is_notification(message) {
        return None;
    }
    let error = ErrorData::invalid_request("This is no JSON-RPC 2.0 message.", None);
    Some((error, IdFinder::find(message)))
}

fn is_notification(message: &[u8]) -> bool {
    serde_json::from_slice::<Value>(message).is_ok_and(|message| {
        message.get("id").is_none()
            && message.get("method").is_some_and(Value::is_string)
            && message.get("jsonrpc") == Some(&Value::from("2.0"))
    })
}

/// Looks through a JSON object, piece by piece, for its own `id`. It keeps a few bytes, whatever comes.
#[derive(Debug, Default)]
pub(super) struct IdFinder {
    depth: usize,
    inside_string: bool,
    escaped: bool,
    part: Part,
    token: Vec<u8>,
    found: Option<RequestId>,
}

/// Where in the outer object the next byte stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Key,
    IdValue,
    OtherValue,
}

impl IdFinder {
    /// The id in a whole message.
    pub(super) fn find(message: &[u8]) -> Option<RequestId> {
        let mut finder = Self::default();
        finder.push(message);
        finder.found()
    }

    /// Looks through the next piece.
    pub(super) fn push(&mut self, piece: &[u8]) {
        for byte in piece {
            self.step(*byte);
        }
    }

    /// The id, if it has come by.
    pub(super) fn found(self) -> Option<RequestId> {
        self.found
    }

    fn step(&mut self, byte: u8) {
        if self.inside_string {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.inside_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.inside_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.token.clear();
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_of_member();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.part = if self.token == b"\"id\"" {
                    Part::IdValue
                } else {
                    Part::OtherValue
                };
                self.token.clear();
            }
            b',' if self.depth == 1 => self.end_of_member(),
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.part != Part::OtherValue && self.token.len() <= MAX_ID_BYTES {
            self.token.push(byte);
        }
    }

    fn end_of_member(&mut self) {
        if self.part == Part::IdValue && self.found.is_none() {
            self.found = serde_json::from_slice(&self.token).ok();
        }
        self.part = Part::Key;
        self.token.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(message: &str) -> String {
        IdFinder::find(message.as_bytes()).map_or("none".to_owned(), |id| id.to_string())
    }

    #[test]
    fn the_id_of_the_message_itself_is_found_wherever_it_stands() {
        assert_eq!(found(r#"{"id":7,"method":"x"}"#), "7");
        assert_eq!(
            found(r#"{"params":{"id":1,"a":[{"id":2}]}, "id" : "a,\"}b" }"#),
            r#"a,"}b"#
        );
        assert_eq!(
            found(r#"{"params":"\"id\":9,","jsonrpc":"2.0","id":-3}"#),
            "-3"
        );
        assert_eq!(found(r#"{"a":"id","b":{"id":5}}"#), "none");
        assert_eq!(found(r#"{"id":null}"#), "none");
        assert_eq!(found(r#"{"id":1.5}"#), "none");
        assert_eq!(found(r#"{"id":{"a":1}}"#), "none");
        assert_eq!(found(r#"[{"id":1}]"#), "none");
        assert_eq!(found(r#"{"id":7"#), "none");
        assert_eq!(found(&format!(r#"{{"id":"{}"}}"#, "x".repeat(300))), "none");
    }

    proptest! {
        #[test]
        fn pieces_are_like_the_whole(message in r#"[{}\[\]",:\\id0-9 a]{0,60}"#, at in 0_usize..60) {
            let at = at.min(message.len());
            let mut finder = IdFinder::default();
            finder.push(&message.as_bytes()[..at]);
            finder.push(&message.as_bytes()[at..]);
            prop_assert_eq!(finder.found(), IdFinder::find(message.as_bytes()));
        }
    }
}
