//! All projects. With one alone there is nothing to choose.

use askama::Template;
use axum::response::Response;

use crate::web::ask::{Ask, go_to, page};
use crate::web::html::{Frame, of_project, short_name, shown};
use scratchpad::model::error::Result;
use scratchpad::model::id::Millis;

#[derive(Template)]
#[template(path = "home.html")]
struct View {
    p: Frame,
    projects: Vec<Row>,
}

struct Row {
    address: String,
    name: String,
    path: String,
    sessions: usize,
    updated: Millis,
}

pub(in crate::web) fn show(ask: &Ask) -> Result<Response> {
    let found = ask.pad().projects()?;
    if let [only] = found.as_slice() {
        return Ok(go_to(&of_project(&only.id)));
    }
    let projects = found.into_iter().map(|head| Row {
        address: of_project(&head.id),
        name: if head.name.is_empty() {
            short_name(&head.id)
        } else {
            shown(&head.name)
        },
        path: shown(head.id.as_str()),
        sessions: head.sessions,
        updated: head.used,
    });
    page(&View {
        projects: projects.collect(),
        p: ask.frame("home", None),
    })
}
