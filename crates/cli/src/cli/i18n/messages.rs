//! What the layers below say in English, for the person in their language.
//!
//! Errors and replies are made where the rules are, in English, because agents read them too. Here, at the edge, a
//! text is looked up among the English messages of the catalogue, what stands at their places is taken over, and
//! the same message of the other language is filled with it. A text that is not there stays English.

use std::sync::OnceLock;

use fluent_bundle::FluentValue;
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};

use super::{Language, message_in, spoken};

/// What the layers below say, in the order they are tried: the most specific first.
const ENGLISH: &str = include_str!("en/said.ftl");

/// The end of an error's message after which all is as it was.
const UNCHANGED: &str = " Nothing was changed.";

/// A message as its fixed pieces and the names of what stands between them.
#[derive(Debug)]
pub(super) struct Said {
    key: &'static str,
    /// One more than names.
    pieces: Vec<String>,
    names: Vec<&'static str>,
}

/// The text in the person's language, where the catalogue has it.
pub(in crate::cli) fn translated(text: &str) -> String {
    match spoken() {
        Language::English => text.to_owned(),
        language @ Language::German => {
            translated_into(language, text).unwrap_or_else(|| text.to_owned())
        }
    }
}

/// An answer about notes: its first line is ours, and a last one about what is left out; the rest is theirs.
pub(in crate::cli) fn translated_ends(text: &str) -> String {
    let mut paragraphs: Vec<String> = text.split("\n\n").map(str::to_owned).collect();
    if let Some(first) = paragraphs.first_mut() {
        *first = match first.split_once('\n') {
            None => translated(first),
            Some((line, rest)) => format!("{}\n{rest}", translated(line)),
        };
    }
    let is_ours =
        |text: &str| text.ends_with("or search by text or tag.") || text.ends_with("or by tag.");
    if let Some(last) = paragraphs.last_mut().filter(|last| is_ours(last)) {
        *last = translated(last);
    }
    paragraphs.join("\n\n")
}

fn translated_into(language: Language, text: &str) -> Option<String> {
    if let Some(before) = text.strip_suffix(UNCHANGED) {
        let unchanged = message_in(language, "said-unchanged", Vec::new())?;
        return Some(format!(
            "{} {unchanged}",
            translated_into(language, before)?
        ));
    }
    if let Some(found) = whole(language, text) {
        return Some(found);
    }
    // Several sentences, each of its own.
    let sentences = text.match_indices(". ").find_map(|(at, _)| {
        let (first, rest) = text.split_at_checked(at + 1)?;
        let rest = rest.trim_start();
        Some(format!(
            "{} {}",
            whole(language, first)?,
            translated_into(language, rest)?
        ))
    });
    // Or a place, and what is wrong there.
    sentences.or_else(|| {
        text.match_indices(": ").find_map(|(at, _)| {
            let (place, rest) = text.split_at_checked(at + 2)?;
            Some(format!("{place}{}", whole(language, rest)?))
        })
    })
}

fn whole(language: Language, text: &str) -> Option<String> {
    catalogue().iter().find_map(|said| {
        let values = said.values(text)?;
        let values = said.names.iter().zip(values).map(|(name, value)| {
            let value = match *name {
                // A phrase or a message of ours within a message.
                "count" | "what" => {
                    translated_into(language, value).unwrap_or_else(|| local(value))
                }
                _ => local(value),
            };
            (*name, FluentValue::from(value))
        });
        message_in(language, said.key, values.collect())
    })
}

/// A number as it is written elsewhere than in English, and names joined as there.
fn local(value: &str) -> String {
    let is_grouped = value.contains(',')
        && value.split(',').skip(1).all(|group| group.len() == 3)
        && value
            .chars()
            .all(|char| char.is_ascii_digit() || char == ',');
    if is_grouped {
        return value.replace(',', ".");
    }
    value.replace("` or `", "` oder `")
}

impl Said {
    /// What stands at the places of the message, if the text is this message.
    fn values<'a>(&self, text: &'a str) -> Option<Vec<&'a str>> {
        let (first, others) = self.pieces.split_first()?;
        let mut rest = text.strip_prefix(first.as_str())?;
        let mut values = Vec::new();
        for (position, piece) in others.iter().enumerate() {
            let is_last = position + 1 == others.len();
            let at = if is_last {
                rest.strip_suffix(piece.as_str())?.len()
            } else {
                rest.find(piece.as_str())?
            };
            let (value, behind) = rest.split_at_checked(at)?;
            values.push(value);
            rest = behind.strip_prefix(piece.as_str())?;
        }
        rest.is_empty().then_some(values)
    }

    #[cfg(test)]
    pub(super) fn key(&self) -> &str {
        self.key
    }

    #[cfg(test)]
    pub(super) fn pieces(&self) -> &[String] {
        &self.pieces
    }

    /// How much of it is fixed.
    fn weight(&self) -> usize {
        self.pieces.iter().map(String::len).sum()
    }
}

pub(super) fn catalogue() -> &'static [Said] {
    static CATALOGUE: OnceLock<Vec<Said>> = OnceLock::new();
    CATALOGUE.get_or_init(|| {
        let parsed = fluent_syntax::parser::parse(ENGLISH);
        // A test sees to it that there is nothing wrong.
        let resource = parsed.unwrap_or_else(|(resource, _)| resource);
        let mut all: Vec<Said> = resource
            .body
            .iter()
            .filter_map(|entry| match entry {
                Entry::Message(message) => said(message.id.name, message.value.as_ref()?),
                _ => None,
            })
            .collect();
        all.sort_by_key(|said| std::cmp::Reverse(said.weight()));
        all
    })
}

fn said(key: &'static str, pattern: &Pattern<&'static str>) -> Option<Said> {
    let mut pieces = vec![String::new()];
    let mut names = Vec::new();
    for element in &pattern.elements {
        match element {
            PatternElement::TextElement { value }
            | PatternElement::Placeable {
                expression: Expression::Inline(InlineExpression::StringLiteral { value }),
            } => pieces.last_mut()?.push_str(value),
            PatternElement::Placeable {
                expression: Expression::Inline(InlineExpression::VariableReference { id }),
            } => {
                names.push(id.name);
                pieces.push(String::new());
            }
            PatternElement::Placeable { .. } => return None,
        }
    }
    Some(Said { key, pieces, names })
}
