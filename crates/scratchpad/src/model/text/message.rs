//! A message: a template and its values, so that it can be translated reliably.
//!
//! Templates are English, and the English text is the template with its values filled in. A translation is
//! looked up by the template. Text from elsewhere (the operating system, a parser, a note) is verbatim: the
//! same in every language.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::quantity::{grouped, moment};

/// A text for a person or an agent.
///
/// It can be serialised, so that one Scratchpad process can send it to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// A template with named places in braces, and a value for each place.
    Template {
        template: Cow<'static, str>,
        values: Vec<(Cow<'static, str>, Value)>,
    },
    /// Text that is not translated.
    Verbatim(String),
    /// Several messages with a separator between them.
    Joined {
        parts: Vec<Message>,
        separator: Cow<'static, str>,
    },
}

/// The value of a placeholder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// A number, with digits grouped as the language does.
    Number(u64),
    /// A time, in milliseconds since 1970, shown in UTC.
    Time(i64),
    /// Verbatim text, or a message, which is translated too.
    Message(Message),
}

/// The language that a message is written in.
pub trait Translation {
    /// The pattern for a template, with the same placeholders; the template itself if there is none.
    fn pattern<'a>(&'a self, template: &'a str) -> &'a str;

    /// Formats a number.
    fn number(&self, number: u64) -> String;

    /// A date and time of day in UTC, as `strftime` writes it.
    fn time_format(&self) -> &'static str;
}

/// The language of the templates.
pub struct English;

impl Translation for English {
    fn pattern<'a>(&'a self, template: &'a str) -> &'a str {
        template
    }

    fn number(&self, number: u64) -> String {
        grouped(number)
    }

    fn time_format(&self) -> &'static str {
        "%Y-%m-%dT%H:%M:%SZ"
    }
}

/// A message from a template and a value for each of its placeholders.
///
/// In `message!("{path} is damaged ({why}).", path = shown, why)`, `why` is short for `why = why`.
#[doc(hidden)]
#[macro_export]
macro_rules! message {
    (@value $name:ident) => { $crate::model::text::message::Value::from($name) };
    (@value $name:ident = $value:expr) => { $crate::model::text::message::Value::from($value) };
    ($template:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::model::text::message::Message::Template {
            template: std::borrow::Cow::Borrowed($template),
            values: vec![$((std::borrow::Cow::Borrowed(stringify!($name)), $crate::model::text::message::message!(@value $name $(= $value)?))),*],
        }
    };
}
pub use message;

/// A number as a value, with its digits grouped.
pub fn number(number: impl TryInto<u64>) -> Value {
    Value::Number(number.try_into().unwrap_or(u64::MAX))
}

/// A text as a value, in quotation marks and with control characters escaped.
pub fn quoted(text: impl fmt::Debug) -> Value {
    format!("{text:?}").into()
}

/// Counts something: `counted(lines, "{number} line", "{number} lines")`.
pub fn counted(count: impl TryInto<u64>, one: &'static str, many: &'static str) -> Message {
    let count = count.try_into().unwrap_or(u64::MAX);
    Message::Template {
        template: Cow::Borrowed(if count == 1 { one } else { many }),
        values: vec![(Cow::Borrowed("number"), Value::Number(count))],
    }
}

impl Message {
    /// Several messages, joined.
    pub fn joined(parts: impl IntoIterator<Item = Self>, separator: &'static str) -> Self {
        Self::Joined {
            parts: parts.into_iter().collect(),
            separator: Cow::Borrowed(separator),
        }
    }

    /// This message and another, as sentences of one text.
    #[must_use]
    pub fn and(self, next: impl Into<Self>) -> Self {
        Self::joined([self, next.into()], " ")
    }

    /// The text in English.
    pub fn english(&self) -> Cow<'_, str> {
        match self {
            Self::Verbatim(text) => Cow::Borrowed(text),
            _ => Cow::Owned(self.translated(&English)),
        }
    }

    /// The text in the language of a translation.
    pub fn translated(&self, translation: &dyn Translation) -> String {
        let mut text = String::new();
        self.write(translation, &mut text);
        text
    }

    fn write(&self, translation: &dyn Translation, out: &mut String) {
        match self {
            Self::Template { template, values } => {
                fill(translation.pattern(template), values, translation, out);
            }
            Self::Verbatim(text) => out.push_str(text),
            Self::Joined { parts, separator } => {
                for (position, part) in parts.iter().enumerate() {
                    if position > 0 {
                        out.push_str(separator);
                    }
                    part.write(translation, out);
                }
            }
        }
    }
}

/// Writes the pattern with its values filled in. Braces around anything but the name of a value are plain text.
fn fill(
    pattern: &str,
    values: &[(Cow<'static, str>, Value)],
    translation: &dyn Translation,
    out: &mut String,
) {
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let place = after.split_once('}').and_then(|(name, behind)| {
            let (_, value) = values.iter().find(|(given, _)| *given == name)?;
            Some((value, behind))
        });
        rest = match place {
            Some((Value::Number(number), behind)) => {
                out.push_str(&translation.number(*number));
                behind
            }
            Some((Value::Time(at), behind)) => {
                out.push_str(&moment(*at, translation.time_format()));
                behind
            }
            Some((Value::Message(message), behind)) => {
                message.write(translation, out);
                behind
            }
            None => {
                out.push('{');
                after
            }
        };
    }
    out.push_str(rest);
}

/// The English text.
impl fmt::Display for Message {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.english())
    }
}

/// A template without placeholders.
impl From<&'static str> for Message {
    fn from(template: &'static str) -> Self {
        Self::Template {
            template: Cow::Borrowed(template),
            values: Vec::new(),
        }
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::Verbatim(text)
    }
}

/// A path as a message, to put in front of what is wrong with it.
impl From<std::path::Display<'_>> for Message {
    fn from(path: std::path::Display<'_>) -> Self {
        Self::Verbatim(path.to_string())
    }
}

impl From<std::path::Display<'_>> for Value {
    fn from(path: std::path::Display<'_>) -> Self {
        Self::Message(path.into())
    }
}

impl From<std::io::Error> for Value {
    fn from(error: std::io::Error) -> Self {
        error.to_string().into()
    }
}

impl From<Message> for Value {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Message(Message::Verbatim(text))
    }
}

/// Verbatim; to have a value translated, pass a [`Message`].
impl From<&str> for Value {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        text.clone().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_by_name_and_other_braces_are_text() {
        let text = "a {count} b";
        let message = message!(
            "{count} of {text}; {other}, {} and {count",
            count = number(4_000_u32),
            text
        );
        assert_eq!(
            message.to_string(),
            "4,000 of a {count} b; {other}, {} and {count"
        );
    }

    #[test]
    fn one_is_singular_and_all_else_plural() {
        let lines = |count: u64| counted(count, "{number} line", "{number} lines").to_string();
        assert_eq!(
            [0, 1, 1_000].map(lines),
            ["0 lines", "1 line", "1,000 lines"]
        );
    }

    #[test]
    fn messages_within_messages_are_translated_and_verbatim_text_is_not() {
        struct Backwards;
        impl Translation for Backwards {
            fn pattern<'a>(&'a self, template: &'a str) -> &'a str {
                match template {
                    "{what} at {place}." => "{place}: {what}!",
                    "{number} lines" => "{number} senil",
                    other => other,
                }
            }

            fn number(&self, number: u64) -> String {
                grouped(number).replace(',', ".")
            }

            fn time_format(&self) -> &'static str {
                "%d.%m.%Y"
            }
        }
        let what = counted(1_234, "{number} line", "{number} lines");
        let message = message!("{what} at {place}.", what, place = "{number} lines");
        let message = message.and(message!("Since {time}.", time = Value::Time(86_400_000)));
        assert_eq!(
            message.translated(&Backwards),
            "{number} lines: 1.234 senil! Since 02.01.1970."
        );
        assert_eq!(
            message.to_string(),
            "1,234 lines at {number} lines. Since 1970-01-02T00:00:00Z."
        );
    }
}
