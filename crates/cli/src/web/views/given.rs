//! What the agent gets: the very text, for its host or another.

use askama::Template;
use axum::response::Response;

use super::session::known;
use crate::web::ask::{Ask, page, session_id};
use crate::web::html::{Frame, of_session, shown};
use scratchpad::model::error::Result;
use scratchpad::model::host::{HOSTS, Host};
use scratchpad::model::id::{Millis, ProjectId};
use scratchpad::model::text::tokens;
use scratchpad::scratchpad::AskedOf;

#[derive(Template)]
#[template(path = "given.html")]
struct View {
    p: Frame,
    address: String,
    host: &'static str,
    hosts: Vec<(&'static str, &'static str)>,
    compacted: Text,
    prompted: Text,
    /// What of the pad is in it, and what there was no room for.
    receipt: String,
    /// The host's last call: the event, and when.
    last: Option<(String, Millis)>,
    /// What was given back last, and when.
    gave_back: Option<(String, Millis)>,
    /// The revision that the agent has.
    has: u64,
    revision: u64,
}

/// A text with its size.
struct Text {
    shown: String,
    chars: usize,
    tokens: usize,
}

impl Text {
    fn new(text: &str) -> Self {
        Self {
            shown: shown(text),
            chars: text.chars().count(),
            tokens: tokens::estimate(text),
        }
    }
}

pub(in crate::web) fn show(ask: &Ask, id: &str) -> Result<Response> {
    let id = session_id(id)?;
    let (session, known) = known(ask, &id)?;
    let project = session
        .project
        .clone()
        .unwrap_or_else(|| ProjectId::new(""));
    let hosts: Vec<&'static Host> = HOSTS.into_iter().filter(|it| it.has_hooks()).collect();
    let own = known.as_ref().and_then(|it| it.call.as_ref());
    let named = |name: &str| hosts.iter().copied().find(|host| host.name == name);
    let host = named(ask.query.get("host"))
        .or_else(|| own.and_then(|call| named(&call.host)))
        .or_else(|| hosts.first().copied());
    let Some(host) = host else {
        return super::session::show(ask, id.as_str());
    };
    let around = &ask.site.surroundings;
    let given = ask.pad_in(&project).given(
        &id,
        &AskedOf {
            host,
            guidance: &around.guidance(host),
            context: &around.context_notes(&project),
            settings: &around.hook_settings(),
            clock: &|at| around.clock(at),
        },
    )?;
    let p = ask.frame("session", Some(project));
    let last = given.last.as_ref();
    let gave_back = last.and_then(|call| call.hook_state.receipt.as_ref());
    page(&View {
        address: of_session(id.as_str()),
        host: host.name,
        hosts: hosts.iter().map(|host| (host.name, host.title)).collect(),
        compacted: Text::new(&given.after_compaction),
        prompted: Text::new(&given.with_next_prompt),
        receipt: given.receipt.map(|it| p.message(&it)).unwrap_or_default(),
        last: last.map(|call| (shown(&call.event), call.at)),
        gave_back: gave_back.map(|it| (p.message(&it.message()), it.at)),
        has: last.map_or(0, |call| call.hook_state.given_revision),
        revision: session.revision,
        p,
    })
}
