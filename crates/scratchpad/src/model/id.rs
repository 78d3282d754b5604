//! Ids as types: a value of one of them has been validated.

use std::fmt;

use super::error::{Error, Result};
use super::text::quantity::shortened;
use crate::model::text::message::{message, number, quoted};

/// A point in time: milliseconds since 1970-01-01 UTC.
pub type Millis = i64;

/// Names one session: one agent conversation.
///
/// Hosts choose these, so they are free text within limits: 1 to 200 printable ASCII characters, no
/// spaces. A valid id is safe in a message, a log line and a terminal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(String);

impl SessionId {
    /// The longest id, in characters.
    pub const MAX_CHARS: usize = 200;

    /// Validates an id.
    pub fn new(id: impl Into<String>) -> Result<Self> {
        let id = id.into();
        let rule = || {
            message!(
                "a session id is 1 to {max} printable ASCII characters without spaces",
                max = Self::MAX_CHARS.to_string()
            )
        };
        if id.is_empty() {
            return Err(Error::refused(message!(
                "The session id is empty: {rule}.",
                rule = rule()
            )));
        }
        let chars = id.chars().count();
        if chars > Self::MAX_CHARS {
            return Err(Error::refused(message!(
                "The session id has {given} characters: {rule}.",
                given = number(chars),
                rule = rule()
            )));
        }
        if let Some(bad) = id.chars().find(|char| !char.is_ascii_graphic()) {
            return Err(Error::refused(message!(
                "The session id {id} has the character {bad}: {rule}.",
                id = quoted(&id),
                bad = quoted(bad),
                rule = rule()
            )));
        }
        Ok(Self(id))
    }

    /// A generated id, unique among the processes of this machine at this millisecond.
    pub fn minted(at: Millis, process: u32) -> Self {
        Self(format!("session_{at}_{process}"))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Names one project: the directory tree an agent works in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProjectId(String);

impl ProjectId {
    /// The project with this name, which is usually its root directory.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Names one output: the first hex digits of its content's SHA-256.
///
/// Twelve digits, or more if two contents share them. A value of this type is safe in a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OutputId(String);

impl OutputId {
    /// The length of the shortest id.
    pub const MIN_DIGITS: usize = 12;
    /// The length of a whole SHA-256.
    pub const MAX_DIGITS: usize = 64;

    /// Validates an id; upper case is converted to lower.
    pub fn new(id: &str) -> Result<Self> {
        let hex = id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if hex && (Self::MIN_DIGITS..=Self::MAX_DIGITS).contains(&id.len()) {
            return Ok(Self(id.to_ascii_lowercase()));
        }
        let shown = shortened(id, 80);
        Err(Error::refused(message!(
            "{id} is not an output id: an id is 12 to 64 hex digits, {chars} characters were given.",
            id = quoted(&shown),
            chars = number(id.chars().count())
        )))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OutputId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use snapbox::{IntoData, assert_data_eq, str};

    #[test]
    fn ids_of_real_hosts_pass() {
        for id in [
            "9f0f1f6e-5b4a-4c58-9f5e-5cf4d0c0a111",
            "session_1794735714000",
            "agent:main/7+a=b",
        ] {
            assert_eq!(SessionId::new(id).unwrap().as_str(), id);
        }
    }

    #[test]
    fn bad_session_ids_are_refused_with_limit_and_value() {
        let errors: Vec<String> = ["", "a b", "a\nb", "ключ", &"x".repeat(10_240)]
            .map(|id| SessionId::new(id).unwrap_err().to_string())
            .into();
        assert_data_eq!(errors.join("\n"), str![[r#"
The session id is empty: a session id is 1 to 200 printable ASCII characters without spaces. Nothing was changed.
The session id "a b" has the character ' ': a session id is 1 to 200 printable ASCII characters without spaces. Nothing was changed.
The session id "a\nb" has the character '\n': a session id is 1 to 200 printable ASCII characters without spaces. Nothing was changed.
The session id "ключ" has the character 'к': a session id is 1 to 200 printable ASCII characters without spaces. Nothing was changed.
The session id has 10,240 characters: a session id is 1 to 200 printable ASCII characters without spaces. Nothing was changed.
"#]].raw());
    }

    #[test]
    fn output_ids_are_hex_of_the_right_length_and_never_a_path() {
        assert_eq!(
            OutputId::new("ABCDEF012345").unwrap().as_str(),
            "abcdef012345"
        );
        let errors: Vec<String> = ["../x", "abc", "", "zzzzzzzzzzzz"]
            .map(|id| OutputId::new(id).unwrap_err().to_string())
            .into();
        assert_data_eq!(
            errors.join("\n"),
            str![[r#"
"../x" is not an output id: an id is 12 to 64 hex digits, 4 characters were given. Nothing was changed.
"abc" is not an output id: an id is 12 to 64 hex digits, 3 characters were given. Nothing was changed.
"" is not an output id: an id is 12 to 64 hex digits, 0 characters were given. Nothing was changed.
"zzzzzzzzzzzz" is not an output id: an id is 12 to 64 hex digits, 12 characters were given. Nothing was changed.
"#]]
        );
    }
}
