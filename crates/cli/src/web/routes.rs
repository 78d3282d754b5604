//! Which request is answered by which view.

use std::sync::Arc;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::ask::{Ask, LANGUAGE, THEME, go_to};
use super::guard::with_headers;
use super::html::Theme;
use super::{Site, assets, views};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::settings::language::Language;
use scratchpad::scratchpad::system_time;

/// The most bytes of a form.
const MOST_BYTES: usize = 1 << 20;
/// Where a login link leads.
const ONCE: &str = "/login/once/";

pub(super) fn router(site: &Arc<Site>) -> Router {
    let site = site.clone();
    Router::new().fallback(move |request: Request| {
        let site = site.clone();
        async move { with_headers(answer(site, request).await) }
    })
}

async fn answer(site: Arc<Site>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if let Some(refused) = site.refusal(&parts.method, &parts.headers) {
        return refused;
    }
    if !matches!(parts.method, Method::GET | Method::HEAD | Method::POST) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let path = parts.uri.path();
    if let Some(asset) = path.strip_prefix("/assets/").and_then(assets::named) {
        return asset;
    }
    if let Some(code) = path.strip_prefix(ONCE)
        && site.links.take(code, system_time())
    {
        let secret = site.logins.begin(system_time());
        let cookie = [(header::SET_COOKIE, site.cookie_line(&secret))];
        return (cookie, go_to("/")).into_response();
    }
    let login = site.login(&parts.headers).map(str::to_owned);
    if path == "/stream" {
        return match login {
            Some(_) => site.live.stream(&site.scratchpad),
            None => StatusCode::UNAUTHORIZED.into_response(),
        };
    }
    let Ok(body) = to_bytes(body, MOST_BYTES).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let ask = Ask::new(site, parts.method, &parts.uri, &parts.headers, &body);
    if ask.method == Method::POST && ask.path == ["logout"] {
        let secret = login.unwrap_or_default();
        ask.site.logins.end(&secret);
        let cookie = [(header::SET_COOKIE, ask.site.cookie_line(""))];
        return (cookie, go_to("/")).into_response();
    }
    let answered = tokio::task::spawn_blocking(move || in_language(&ask)).await;
    answered.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// The answer, with all words in the language of the request.
fn in_language(ask: &Ask) -> Response {
    let mut answer = None;
    ask.site.surroundings.speaking(ask.language, &mut || {
        let found = if ask.is_logged_in {
            of_view(ask)
        } else {
            views::login::show(ask)
        };
        answer = Some(found.unwrap_or_else(|error| views::error::show(ask, &error)));
    });
    answer.unwrap_or_else(|| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

fn of_view(ask: &Ask) -> Result<Response> {
    use views::{given, health, home, notes, one_note, outputs, project, session, viewer};
    let path: Vec<&str> = ask.path.iter().map(String::as_str).collect();
    let is_post = ask.method == Method::POST;
    match (is_post, path.as_slice()) {
        (false, []) => home::show(ask),
        (false, ["p", project]) => project::show(ask, project),
        (false, ["p", project, "notes"]) => notes::show(ask, project),
        (false, ["p", project, "outputs"]) => outputs::show(ask, project),
        (true, ["p", project, "notes"]) => notes::change(ask, project),
        (false, ["s", id]) => session::show(ask, id),
        (false, ["s", id, "given"]) => given::show(ask, id),
        (false, ["s", id, "r", number]) => session::revision(ask, id, number),
        (true, ["s", id, what]) => session::change(ask, id, what),
        (false, ["n", id]) => one_note::show(ask, id),
        (true, ["n", id]) => one_note::change(ask, id),
        (false, ["o", id]) => viewer::show(ask, id),
        (false, ["o", id, "raw"]) => viewer::raw(ask, id),
        (true, ["o", id, "delete"]) => outputs::delete(ask, id),
        (false, ["health"]) => health::show(ask),
        (true, ["look"]) => Ok(look(ask)),
        _ => Err(Error::not_found("There is no such page.")),
    }
}

/// Keeps in the browser how the page is to look.
fn look(ask: &Ask) -> Response {
    let (theme, language) = (ask.form.get("theme"), ask.form.get("language"));
    let (name, value) = match Language::of_locale(language) {
        Some(language) => (LANGUAGE, language.code()),
        None => (THEME, Theme::named(theme).name()),
    };
    let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000");
    // Only to pages of ours: `//host` would be another's.
    let back = ask.form.get("back");
    let is_ours = back.starts_with('/') && !back.starts_with("//") && !back.contains('\\');
    let back = if is_ours && !back.contains(char::is_control) {
        back
    } else {
        "/"
    };
    ([(header::SET_COOKIE, cookie)], go_to(back)).into_response()
}
