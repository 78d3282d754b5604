//! One request, and the answers there are.

use std::sync::Arc;

use askama::Template;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::Site;
use super::fields::{Fields, percent_decoded};
use super::html::{Frame, Theme};
use super::logins::cookie;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::id::ProjectId;
use scratchpad::model::settings::language::Language;
use scratchpad::model::text::message::message;
use scratchpad::{Scratchpad, SessionId};

/// The cookies with what a person chose.
pub(super) const THEME: &str = "scratchpad-theme";
pub(super) const LANGUAGE: &str = "scratchpad-language";

/// One request.
pub(super) struct Ask {
    pub(super) site: Arc<Site>,
    pub(super) method: Method,
    /// The parts of the path, decoded.
    pub(super) path: Vec<String>,
    pub(super) query: Fields,
    pub(super) form: Fields,
    pub(super) language: Language,
    theme: Theme,
    address: String,
    pub(super) is_logged_in: bool,
}

impl Ask {
    pub(super) fn new(
        site: Arc<Site>,
        method: Method,
        uri: &axum::http::Uri,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Self {
        let parts = uri.path().split('/').filter(|part| !part.is_empty());
        let is_logged_in = site.login(headers).is_some();
        Self {
            language: language(headers).unwrap_or_else(|| site.surroundings.language()),
            theme: Theme::named(cookie(headers, THEME)),
            path: parts.map(percent_decoded).collect(),
            query: Fields::parse(uri.query().unwrap_or_default()),
            form: Fields::parse(&String::from_utf8_lossy(body)),
            address: uri
                .path_and_query()
                .map_or("/", |it| it.as_str())
                .to_owned(),
            is_logged_in,
            method,
            site,
        }
    }

    /// The frame of a page of this project, or of none.
    pub(super) fn frame(&self, here: &'static str, project: Option<ProjectId>) -> Frame {
        let mut frame = Frame {
            site: self.site.clone(),
            language: self.language,
            theme: self.theme,
            project,
            here,
            address: self.address.clone(),
            done: None,
            is_logged_in: self.is_logged_in,
        };
        let done = match self.query.get("done") {
            "saved" => Some("page-done-saved"),
            "undone" => Some("page-done-undone"),
            "restored" => Some("page-done-restored"),
            "deleted" => Some("page-done-deleted"),
            "promoted" => Some("page-done-promoted"),
            "pinned" => Some("page-done-pinned"),
            "unpinned" => Some("page-done-unpinned"),
            _ => None,
        };
        frame.done = done.map(|key| frame.t(key));
        frame
    }

    pub(super) fn pad(&self) -> &Scratchpad {
        &self.site.scratchpad
    }

    /// The scratchpad for work in a project.
    pub(super) fn pad_in(&self, project: &ProjectId) -> Scratchpad {
        self.site.scratchpad.clone().in_project(project.clone())
    }
}

/// The language that a person chose, else the first of the browser's that there is.
fn language(headers: &HeaderMap) -> Option<Language> {
    let chosen = Language::of_locale(cookie(headers, LANGUAGE));
    let accepted = headers.get(header::ACCEPT_LANGUAGE);
    let accepted = accepted.and_then(|value| value.to_str().ok()).unwrap_or("");
    let mut accepted = accepted.split([',', ';']).map(str::trim);
    chosen.or_else(|| accepted.find_map(Language::of_locale))
}

/// A page.
pub(super) fn page(template: &impl Template) -> Result<Response> {
    page_as(StatusCode::OK, template)
}

pub(super) fn page_as(status: StatusCode, template: &impl Template) -> Result<Response> {
    let text = template.render().map_err(|error| {
        Error::store(message!(
            "The page could not be made: {error}.",
            error = error.to_string()
        ))
    })?;
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    Ok((status, kind, text).into_response())
}

/// Leads on to another page of ours, after something was changed.
pub(super) fn go_to(address: &str) -> Response {
    (
        StatusCode::SEE_OTHER,
        [(header::LOCATION, address.to_owned())],
    )
        .into_response()
}

/// A session's id as it is in an address.
pub(super) fn session_id(text: &str) -> Result<SessionId> {
    SessionId::new(text)
}
