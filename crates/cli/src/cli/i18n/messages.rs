//! The library's messages in the user's language.
//!
//! The library builds a [`Message`] from an English template and its values. Here the template is looked up in the
//! catalogue, and the German pattern is filled with the same values. A missing template stays English.

use std::collections::HashMap;
use std::sync::OnceLock;

use scratchpad::model::error::Error;
use scratchpad::model::text::message::{Message, Translation};

use super::{Language, number_in, spoken};

/// A gettext catalogue: each `msgid` is an English template, each `msgstr` its German pattern.
pub(super) const GERMAN: &str = include_str!("de/messages.po");

/// The message in the user's language.
pub(in crate::cli) fn translated(message: &Message) -> String {
    match spoken() {
        Language::English => message.english().into_owned(),
        Language::German => message.translated(&German),
    }
}

/// An error and its hint on one line, for a warning.
pub(in crate::cli) fn in_one_line(error: &Error) -> String {
    let what = translated(error.message());
    match error.next_step() {
        Some(hint) => format!("{what} ({})", translated(hint)),
        None => what,
    }
}

pub(super) struct German;

impl Translation for German {
    fn pattern<'a>(&'a self, template: &'a str) -> &'a str {
        catalogue().get(template).map_or(template, String::as_str)
    }

    fn number(&self, number: u64) -> String {
        number_in(Language::German, number)
    }

    fn time_format(&self) -> &'static str {
        "%d.%m.%Y um %H:%M:%S UTC"
    }
}

/// The German patterns by template, parsed when the first message is translated.
fn catalogue() -> &'static HashMap<String, String> {
    static CATALOGUE: OnceLock<HashMap<String, String>> = OnceLock::new();
    CATALOGUE.get_or_init(|| entries(GERMAN).into_iter().collect())
}

/// The entries of a catalogue. Supports the part of the format that ours uses: single-line strings and comments.
pub(super) fn entries(catalogue: &str) -> Vec<(String, String)> {
    let mut entries = Vec::new();
    let mut template = None;
    for line in catalogue.lines() {
        if let Some(text) = line.strip_prefix("msgid ") {
            template = Some(unquoted(text));
        } else if let Some(text) = line.strip_prefix("msgstr ") {
            entries.extend(template.take().map(|template| (template, unquoted(text))));
        }
    }
    // The first entry of a catalogue, with an empty template, is its header.
    entries.retain(|(template, _)| !template.is_empty());
    entries
}

/// Removes the quotation marks and escapes.
fn unquoted(text: &str) -> String {
    let text = text.trim();
    let text = text.strip_prefix('"').unwrap_or(text);
    let text = text.strip_suffix('"').unwrap_or(text);
    let mut chars = text.chars();
    let mut plain = String::new();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('n') => plain.push('\n'),
                other => plain.extend(other),
            },
            char => plain.push(char),
        }
    }
    plain
}
