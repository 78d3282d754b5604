//! An earlier session that a new connection can continue, described for the agent.

use serde_json::json;

use super::tool::get_reply;
use super::{Limits, Pad};
use crate::model::id::{Millis, SessionId};
use crate::model::reply::Reply;
use crate::model::text::message::{Message, counted, message, quoted};
use crate::model::text::quantity::shortened;

const MINUTE: Millis = 60_000;
const HOUR: Millis = 60 * MINUTE;
const DAY: Millis = 24 * HOUR;

/// The most characters of a plan's line to show.
const LINE_CHARS: usize = 80;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    pub session: SessionId,
    /// The time since its pad was written.
    pub age: Millis,
    pub pad: Pad,
}

impl Earlier {
    /// What it contains, and the call that takes it over.
    pub fn message(&self) -> Message {
        let call = json!({"action": "continue", "session": self.session.as_str()});
        message!(
            "Going on with earlier work? The last session here was written {age} ago: {line}. Take it over with {call}",
            age = age(self.age),
            line = quoted(shortened(self.pad.title(), LINE_CHARS)),
            call = call.to_string()
        )
    }
}

/// The reply to `get` for an empty pad, with an earlier session to continue.
pub fn with_earlier(reply: Reply, earlier: &Earlier) -> Reply {
    Reply {
        message: Message::joined([reply.message, earlier.message()], " "),
        ..reply
    }
}

/// The reply to `continue`.
pub fn continued_reply(session: &SessionId, pad: &Pad, revision: u64, limits: &Limits) -> Reply {
    let taken = message!(
        "Session {session} goes on in this conversation.",
        session = session.to_string()
    );
    let reply = get_reply(pad, revision, limits);
    Reply {
        message: Message::joined([taken, reply.message], "\n"),
        ..reply
    }
}

fn age(age: Millis) -> Message {
    match age {
        DAY.. => counted(age / DAY, "{number} day", "{number} days"),
        HOUR.. => counted(age / HOUR, "{number} hour", "{number} hours"),
        _ => counted((age / MINUTE).max(1), "{number} minute", "{number} minutes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_session_is_described_by_its_age_and_the_first_line_of_its_plan() {
        let shown = |since, plan: &str, notes: &str| {
            let pad = Pad {
                plan: plan.to_owned(),
                notes: notes.to_owned(),
                ..Pad::default()
            };
            (age(since).english().into_owned(), pad.title().to_owned())
        };
        let expected = |age: &str, line: &str| (age.to_owned(), line.to_owned());
        assert_eq!(
            shown(2 * DAY + HOUR, "\n - [ ] fix it\n- [ ] test it", "found"),
            expected("2 days", "- [ ] fix it")
        );
        assert_eq!(
            shown(HOUR, " \n", "found\nmore"),
            expected("1 hour", "found")
        );
        assert_eq!(shown(0, "", ""), expected("1 minute", ""));
    }
}
