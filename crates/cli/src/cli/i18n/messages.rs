//! The library's messages in the user's language.
//!
//! The library builds a [`Message`] from an English template and its values. Here the template is looked up in the
//! catalogue, and the German pattern is filled with the same values. A missing template stays English.

use std::collections::HashMap;
use std::sync::OnceLock;

use scratchpad::model::error::Error;
use scratchpad::model::text::message::{self, Message, Translation};

use super::{Language, number_in, spoken};

/// English for people: some templates name the tools of agents, where a person types a command.
pub(super) const ENGLISH: &str = include_str!("en/messages.po");

/// A gettext catalogue: each `msgid` is an English template, each `msgstr` its German pattern.
pub(super) const GERMAN: &str = include_str!("de/messages.po");

/// The message in the user's language.
pub(in crate::cli) fn translated(message: &Message) -> String {
    match spoken() {
        Language::English => message.translated(&English),
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

/// The templates' own English, except for those in [`ENGLISH`].
struct English;

impl Translation for English {
    fn pattern<'a>(&'a self, template: &'a str) -> &'a str {
        static CATALOGUE: Catalogue = Catalogue::new();
        let catalogue = CATALOGUE.get_or_init(|| read(ENGLISH));
        catalogue.get(template).map_or(template, String::as_str)
    }

    fn number(&self, number: u64) -> String {
        number_in(Language::English, number)
    }

    fn time_format(&self) -> &'static str {
        message::English.time_format()
    }
}

pub(super) struct German;

impl Translation for German {
    fn pattern<'a>(&'a self, template: &'a str) -> &'a str {
        static CATALOGUE: Catalogue = Catalogue::new();
        let catalogue = CATALOGUE.get_or_init(|| read(GERMAN));
        catalogue.get(template).map_or(template, String::as_str)
    }

    fn number(&self, number: u64) -> String {
        number_in(Language::German, number)
    }

    fn time_format(&self) -> &'static str {
        "%d.%m.%Y um %H:%M:%S UTC"
    }
}

/// Patterns by template, parsed when the first message is translated.
type Catalogue = OnceLock<HashMap<String, String>>;

fn read(catalogue: &str) -> HashMap<String, String> {
    entries(catalogue).into_iter().collect()
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
