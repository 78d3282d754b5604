//! What somebody sees who is not logged in: how to get a link.

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;

use crate::web::ask::{Ask, page_as};
use crate::web::html::Frame;
use scratchpad::model::error::Result;

#[derive(Template)]
#[template(path = "login.html")]
struct View {
    p: Frame,
    /// A link was used that is no longer good.
    was_link: bool,
}

pub(in crate::web) fn show(ask: &Ask) -> Result<Response> {
    let was_link = ask.path.first().is_some_and(|part| part == "login");
    let p = ask.frame("", None);
    page_as(StatusCode::UNAUTHORIZED, &View { p, was_link })
}
