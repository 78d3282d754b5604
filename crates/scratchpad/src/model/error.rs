//! The error type: what failed, in words for the reader, and what to do next.

use std::fmt;

use super::text::message::{Message, Value};

/// Ends a message about input that broke a rule.
const UNCHANGED: &str = "Nothing was changed.";

/// What kind of failure this is. Edges choose exit codes and log levels by it, never by the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command line or a setting is wrong; nothing was tried.
    Usage,
    /// The input breaks a rule; nothing was changed.
    Refused,
    /// What was asked for does not exist.
    NotFound,
    /// The store or a file could not be read or written.
    Store,
    /// Somebody else changed it since the caller saw it; nothing was changed.
    Conflict,
    /// The store was still locked by another process at the timeout.
    Busy,
}

/// A failure with a message and, if there is one, the next step.
///
/// Messages are part of the interface: they say what failed, the limit and the value, and that
/// nothing was changed. Tests compare their wording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: Message,
    /// Boxed, to keep `Result` small.
    hint: Option<Box<Message>>,
}

/// The result of anything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, message: impl Into<Message>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
        }
    }

    /// A wrong command line or setting.
    pub fn usage(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// Input that breaks a rule. Adds the sentence that nothing was changed.
    pub fn refused(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::Refused, message.into().and(UNCHANGED))
    }

    /// Something that does not exist.
    pub fn not_found(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// A failure of the store or a file.
    pub fn store(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::Store, message)
    }

    /// Adds a hint: the next step to take.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Message>) -> Self {
        self.hint = Some(Box::new(hint.into()));
        self
    }

    /// Changes the kind.
    #[must_use]
    pub fn as_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// Puts the place where it occurred in front of the message.
    #[must_use]
    pub fn within(mut self, place: impl Into<Message>) -> Self {
        self.message = Message::joined([place.into(), self.message], ": ");
        self
    }

    /// Appends a sentence to the message.
    #[must_use]
    pub fn and(mut self, sentence: impl Into<Message>) -> Self {
        self.message = self.message.and(sentence);
        self
    }

    /// What kind of failure this is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What failed.
    pub fn message(&self) -> &Message {
        &self.message
    }

    /// What to do about it, if known.
    pub fn next_step(&self) -> Option<&Message> {
        self.hint.as_deref()
    }

    /// The message and the hint as one text: `… Hint: …`, with `separator` before the hint.
    pub fn explained(self, separator: &'static str) -> Message {
        match self.hint {
            Some(hint) => {
                let hint = Message::from("Hint:").and(*hint);
                Message::joined([self.message, hint], separator)
            }
            None => self.message,
        }
    }
}

/// The message alone, in English; for the hint see [`Error::next_step`].
impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(formatter)
    }
}

impl std::error::Error for Error {}

/// The message, to be embedded in another one; drops the hint.
impl From<&Error> for Message {
    fn from(error: &Error) -> Self {
        error.message.clone()
    }
}

impl From<&Error> for Value {
    fn from(error: &Error) -> Self {
        Self::Message(error.into())
    }
}

impl From<Error> for Value {
    fn from(error: Error) -> Self {
        Self::Message(error.message)
    }
}
