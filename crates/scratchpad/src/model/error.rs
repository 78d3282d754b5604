//! The one error: what failed, in words made for the reader, and what to do next.

use std::fmt;

use super::text::message::{Message, Value};

/// Ends a message about input that broke a rule.
const UNCHANGED: &str = "Nothing was changed.";

/// What kind of failure this is: edges choose exit codes and log levels by it, never by the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command line or a setting is wrong; nothing was tried.
    Usage,
    /// What was given breaks a rule; nothing was changed.
    Refused,
    /// What was asked for does not exist.
    NotFound,
    /// The store or a file could not be read or written.
    Store,
    /// The store waited for another process longer than it may.
    Busy,
}

/// A failure with a message and, where there is one, the next step.
///
/// Messages are part of the interface: they say what failed, the limit and the value, and that
/// nothing was changed. Tests hold their wording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: Message,
    /// Boxed, so that a result is not much larger than what went well.
    hint: Option<Box<Message>>,
}

/// The result of anything here that can fail.
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

    /// Input that breaks a rule. The message gains the sentence that nothing was changed.
    pub fn refused(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::Refused, message.into().and(UNCHANGED))
    }

    /// Something that does not exist.
    pub fn not_found(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// A store or a file that failed.
    pub fn store(message: impl Into<Message>) -> Self {
        Self::new(ErrorKind::Store, message)
    }

    /// The same error with the next step to take.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Message>) -> Self {
        self.hint = Some(Box::new(hint.into()));
        self
    }

    /// The same error as another kind.
    #[must_use]
    pub fn as_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// The same error with the place it was found in front.
    #[must_use]
    pub fn within(mut self, place: impl Into<Message>) -> Self {
        self.message = Message::joined([place.into(), self.message], ": ");
        self
    }

    /// The same error with one more sentence.
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

    /// What to do about it, if that is known.
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

/// The message alone, in English; the hint is a line of its own, see [`Error::next_step`].
impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(formatter)
    }
}

impl std::error::Error for Error {}

/// The message within another one; the hint is left out.
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
