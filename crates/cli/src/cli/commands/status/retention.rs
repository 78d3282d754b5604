//! What goes when, as far as `retention` says so.

use serde_json::{Value, json};

use crate::cli::i18n::text;
use crate::cli::ui;
use scratchpad::Scratchpad;
use scratchpad::model::error::Result;
use scratchpad::model::id::Millis;
use scratchpad::scratchpad::system_time;

/// What goes first of one kind, and after how many days.
#[derive(Default)]
struct Rule {
    days: u64,
    next: Option<(String, Millis)>,
}

/// What goes by itself.
#[derive(Default)]
pub(super) struct Retention {
    sessions: Rule,
    notes: Rule,
}

impl Retention {
    pub(super) fn of(pad: &Scratchpad) -> Result<Self> {
        let days = pad.retention();
        let session = pad.expiring_sessions()?.pop();
        let note = pad.expiring_notes()?.pop();
        Ok(Self {
            sessions: Rule {
                days: days.sessions_days,
                next: session.map(|it| (it.what.to_string(), it.at)),
            },
            notes: Rule {
                days: days.notes_days,
                next: note.map(|it| (it.what.1.to_string(), it.at)),
            },
        })
    }

    /// A line for each kind of which something goes at some time.
    pub(super) fn lines(&self) -> Vec<String> {
        let sessions = self.sessions.next.as_ref().map(|(id, at)| {
            let (days, when) = (self.sessions.days, when(*at));
            text!(
                "status-retention-sessions",
                days = days,
                when = when,
                id = id.as_str()
            )
        });
        let notes = self.notes.next.as_ref().map(|(id, at)| {
            let (days, when) = (self.notes.days, when(*at));
            text!(
                "status-retention-notes",
                days = days,
                when = when,
                id = id.as_str()
            )
        });
        sessions.into_iter().chain(notes).collect()
    }

    pub(super) fn to_json(&self) -> Value {
        let rule = |rule: &Rule| {
            let (next, at) = rule.next.clone().unzip();
            json!({"days": rule.days, "next": next, "at": at})
        };
        json!({"sessions": rule(&self.sessions), "notes": rule(&self.notes)})
    }
}

fn when(at: Millis) -> String {
    if at <= system_time() {
        text!("status-retention-due")
    } else {
        ui::moment(at)
    }
}
