//! How the store and the hosts are.

use askama::Template;
use axum::response::Response;

use crate::web::HostState;
use crate::web::ask::{Ask, page};
use crate::web::html::{Frame, shown};
use scratchpad::model::error::Result;
use scratchpad::store::Check;

#[derive(Template)]
#[template(path = "health.html")]
struct View {
    p: Frame,
    store: Vec<Row>,
    hosts: Vec<(String, Vec<Row>)>,
    version: &'static str,
}

/// One finding.
struct Row {
    about: String,
    state: &'static str,
    text: String,
}

impl Row {
    fn of_check(p: &Frame, check: &Check) -> Self {
        let (state, text) = match &check.found {
            Ok(found) => ("good", p.message(found)),
            Err(error) => {
                let (what, hint) = p.error(error);
                ("bad", format!("{what} {hint}"))
            }
        };
        Self {
            about: shown(&p.message(&check.about)),
            state,
            text: shown(&text),
        }
    }
}

pub(in crate::web) fn show(ask: &Ask) -> Result<Response> {
    let p = ask.frame("health", None);
    let store = ask.pad().store_checks()?;
    let hosts = ask.site.surroundings.hosts().into_iter().map(|host| {
        let rows = host.findings.into_iter().map(|(about, state, text)| Row {
            about: shown(&about),
            state: match state {
                HostState::Good => "good",
                HostState::Note => "note",
                HostState::Bad => "bad",
            },
            text: shown(&text),
        });
        (host.title, rows.collect())
    });
    page(&View {
        store: store.iter().map(|check| Row::of_check(&p, check)).collect(),
        hosts: hosts.collect(),
        version: env!("CARGO_PKG_VERSION"),
        p,
    })
}
