//! The stylesheet, the script and the icon, which are part of the program.
//!
//! Their names have a part of their hash, so a browser may keep them for ever.

use std::sync::LazyLock;

use axum::http::header;
use axum::response::{IntoResponse, Response};

use scratchpad::model::text::hash::sha256_hex;

/// A file with its name and type.
pub(super) struct Asset {
    name: String,
    kind: &'static str,
    text: &'static str,
}

fn asset(stem: &str, end: &str, kind: &'static str, text: &'static str) -> Asset {
    let hash = sha256_hex(text.as_bytes());
    let hash = hash.get(..8).unwrap_or_default();
    Asset {
        name: format!("{stem}-{hash}.{end}"),
        kind,
        text,
    }
}

static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("assets/page.css");
    asset("page", "css", "text/css; charset=utf-8", text)
});
static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("assets/page.js");
    asset("page", "js", "text/javascript; charset=utf-8", text)
});
static ICON: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("assets/icon.svg");
    asset("icon", "svg", "image/svg+xml", text)
});

pub(super) fn style() -> &'static str {
    &STYLE.name
}

pub(super) fn script() -> &'static str {
    &SCRIPT.name
}

pub(super) fn icon() -> &'static str {
    &ICON.name
}

/// The file with this name.
pub(super) fn named(name: &str) -> Option<Response> {
    let all: [&Asset; 3] = [&STYLE, &SCRIPT, &ICON];
    let asset = all.into_iter().find(|asset| asset.name == name)?;
    let headers = [
        (header::CONTENT_TYPE, asset.kind),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    Some((headers, asset.text).into_response())
}
