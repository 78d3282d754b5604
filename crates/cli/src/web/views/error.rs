//! What went wrong, in a page of its own.

use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::web::ask::{Ask, page_as};
use crate::web::html::{Frame, shown};
use scratchpad::model::error::{Error, ErrorKind};

#[derive(Template)]
#[template(path = "error.html")]
struct View {
    p: Frame,
    what: String,
    hint: String,
}

pub(in crate::web) fn show(ask: &Ask, error: &Error) -> Response {
    let status = match error.kind() {
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Usage | ErrorKind::Refused => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::Busy => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::Store => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let p = ask.frame("", None);
    let (what, hint) = p.error(error);
    let view = View {
        what: shown(&what),
        hint: shown(&hint),
        p,
    };
    page_as(status, &view).unwrap_or_else(|_| status.into_response())
}
