//! The answer to a refused message. It needs the message's id, or the sender would wait forever, so the id is found
//! even in a message that is too large to keep or that can't be parsed.

use std::ops::Range;

use rmcp::model::{ErrorData, RequestId};
use serde::de::IgnoredAny;
use serde_json::Value;

use scratchpad::model::json::{Container, Leaf, Member, Visitor, Walk};

/// The longest id that is answered.
const MAX_ID_BYTES: usize = 256;

/// The answer to a message that is not valid in the protocol; `None` for a notification.
pub(super) fn refusal(message: &[u8]) -> Option<(ErrorData, Option<RequestId>)> {
    if serde_json::from_slice::<IgnoredAny>(message).is_err() {
        return Some((
            ErrorData::parse_error("The message is not valid JSON.", None),
            None,
        ));
    }
    if is_notification(message) {
        return None;
    }
    let error = ErrorData::invalid_request("The message is not JSON-RPC 2.0.", None);
    Some((error, IdFinder::find(message)))
}

fn is_notification(message: &[u8]) -> bool {
    serde_json::from_slice::<Value>(message).is_ok_and(|message| {
        message.get("id").is_none()
            && message.get("method").is_some_and(Value::is_string)
            && message.get("jsonrpc") == Some(&Value::from("2.0"))
    })
}

/// The line without a byte order mark, which some clients write.
pub(super) fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line)
}

/// Finds the `id` of a message that arrives in pieces, in constant memory.
pub(super) struct IdFinder(Walk<FirstId>);

impl Default for IdFinder {
    fn default() -> Self {
        Self(Walk::new(FirstId(None)))
    }
}

impl IdFinder {
    /// The id of a whole message.
    pub(super) fn find(message: &[u8]) -> Option<RequestId> {
        let mut finder = Self::default();
        finder.push(message);
        finder.found()
    }

    /// Continues with the next piece.
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.0.push(piece);
    }

    /// The id, if it was in the pieces so far.
    pub(super) fn found(self) -> Option<RequestId> {
        self.0.so_far().0.clone()
    }
}

/// The first valid `id` in the outermost object.
struct FirstId(Option<RequestId>);

impl Visitor for FirstId {
    type Role = ();

    fn enter(&mut self, within: Option<()>, _: &[u8], container: Container) -> Option<()> {
        (within.is_none() && container == Container::Object).then_some(())
    }

    fn member(&mut self, (): (), _: Member) {}

    fn leaf(&mut self, (): (), key: &[u8], leaf: &Leaf<'_>) {
        if key == b"id" && self.0.is_none() {
            let raw = leaf.raw.filter(|raw| raw.len() <= MAX_ID_BYTES);
            self.0 = raw.and_then(|raw| serde_json::from_slice(raw).ok());
        }
    }

    fn leave(&mut self, _: Option<()>, _: Option<()>, _: &[u8], _: Range<u64>) {}
}

/// Whether a message opens a session or a stream. It may say several times what it is: parsers differ on which one counts.
pub(super) fn is_opening(message: &[u8]) -> bool {
    let mut walk = Walk::new(Opening(false));
    walk.push(message);
    walk.so_far().0
}

struct Opening(bool);

impl Visitor for Opening {
    type Role = ();

    fn enter(&mut self, within: Option<()>, _: &[u8], container: Container) -> Option<()> {
        (within.is_none() && container == Container::Object).then_some(())
    }

    fn member(&mut self, (): (), _: Member) {}

    fn leaf(&mut self, (): (), key: &[u8], leaf: &Leaf<'_>) {
        if key == b"method" {
            let method = leaf.raw.and_then(|raw| serde_json::from_slice(raw).ok());
            self.0 |= method.is_some_and(|method: String| {
                ["initialize", "subscriptions/listen"].contains(&method.as_str())
            });
        }
    }

    fn leave(&mut self, _: Option<()>, _: Option<()>, _: &[u8], _: Range<u64>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(message: &str) -> String {
        IdFinder::find(message.as_bytes()).map_or("none".to_owned(), |id| id.to_string())
    }

    #[test]
    fn a_byte_order_mark_hides_no_id() {
        let line = "\u{feff}{\"id\":7,";
        assert_eq!(found(line), "none");
        let id = IdFinder::find(without_mark(line.as_bytes()));
        assert_eq!(id.unwrap().to_string(), "7");
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
        assert_eq!(found(r#"{"\u0069d":7,"x":"#), "7");
        assert_eq!(found(r#"{"id":null,"id":7}"#), "7");
        assert_eq!(found(r#"{"x":1 "id":7}"#), "none");
        assert_eq!(found(&format!(r#"{{"id":"{}"}}"#, "x".repeat(300))), "none");
    }

    #[test]
    fn an_opening_is_known_wherever_it_says_so() {
        for (message, expected) in [
            (r#"{"method":"initialize"}"#, true),
            (
                r#"{"params":{"method":"initialize"},"method":"ping"}"#,
                false,
            ),
            (r#"{"method":"ping","method":"initialize","x":{}}"#, true),
            (r#"{"method":"\u0069nitialize","params":{"x":[1]}}"#, true),
            (r#"{"method":7,"a":"initialize"}"#, false),
            (r#"[{"method":"initialize"}]"#, false),
        ] {
            assert_eq!(is_opening(message.as_bytes()), expected, "{message}");
        }
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
