//! Revisions: past states of a space, and how to go back to one.

use super::{Content, Space};
use crate::model::error::{Error, Result};
use crate::model::id::Millis;
use crate::model::text::message::{message, number as digits};

/// One past state of a space, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionHead {
    /// Counts the writes of the session from 1.
    pub number: u64,
    /// The space that was written.
    pub space: Space,
    /// The action that wrote it.
    pub action: String,
    /// When.
    pub at: Millis,
    /// The revision that this one took back.
    pub undoes: Option<u64>,
    /// How much the space held then, counted as its budget counts.
    pub used: usize,
    /// Who wrote it; empty where the store does not say, or says that it is you.
    pub author: String,
}

/// A write to one space, as the store records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// What the space holds from now on.
    pub content: Content,
    /// The action, for the history.
    pub action: String,
    /// The revision that it takes back.
    pub undoes: Option<u64>,
}

impl Write {
    /// A write under the name of its action.
    pub fn new(action: &str, content: Content) -> Self {
        Self {
            content,
            action: action.to_owned(),
            undoes: None,
        }
    }
}

/// What one undo does: takes back `target` by giving its space the content of `source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undo {
    /// The write that is taken back.
    pub target: u64,
    /// The space it wrote.
    pub space: Space,
    /// The revision that holds what the space was before; none if it was empty.
    pub source: Option<u64>,
}

/// Finds what to undo: the newest write that no undo took back yet.
///
/// Undo is itself a write, so nothing is lost by it, and repeating it goes further back.
pub fn plan_undo(log: &[RevisionHead]) -> Result<Undo> {
    let undone: std::collections::HashSet<u64> =
        log.iter().filter_map(|head| head.undoes).collect();
    let target = log
        .iter()
        .rev()
        .find(|head| head.undoes.is_none() && !undone.contains(&head.number))
        .ok_or_else(|| {
            Error::refused("Nothing to undo: no write is left to take back.")
                .hint("`scratchpad session history` lists the revisions, `session restore REV` brings one back.")
        })?;
    let source = log
        .iter()
        .rev()
        .find(|head| head.space == target.space && head.number < target.number)
        .map(|head| head.number);
    Ok(Undo {
        target: target.number,
        space: target.space,
        source,
    })
}

/// The error for a revision number that the session does not have.
pub fn no_such_revision(number: u64, newest: u64) -> Error {
    let message = if newest == 0 {
        message!(
            "No revision {number}: nothing was written yet.",
            number = digits(number)
        )
    } else {
        message!(
            "No revision {number}: the session has 1 to {last}.",
            number = digits(number),
            last = digits(newest)
        )
    };
    Error::refused(message).hint("`scratchpad session history` lists them.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(number: u64, space: Space, undoes: Option<u64>) -> RevisionHead {
        RevisionHead {
            number,
            space,
            action: "set_notes".to_owned(),
            at: 0,
            undoes,
            used: 0,
            author: String::new(),
        }
    }

    #[test]
    fn undo_takes_back_the_newest_write_and_goes_further_each_time() {
        let mut log = vec![
            head(1, Space::Notes, None),
            head(2, Space::Plan, None),
            head(3, Space::Notes, None),
        ];
        let expected = [(3, Some(1)), (2, None), (1, None)];
        for (target, source) in expected {
            let undo = plan_undo(&log).unwrap();
            assert_eq!((undo.target, undo.source), (target, source));
            let number = log.len() as u64 + 1;
            log.push(head(number, undo.space, Some(undo.target)));
        }
        assert_eq!(
            plan_undo(&log).unwrap_err().to_string(),
            "Nothing to undo: no write is left to take back. Nothing was changed."
        );
    }

    #[test]
    fn a_write_after_an_undo_is_undone_to_what_the_undo_left() {
        let log = vec![
            head(1, Space::Notes, None),
            head(2, Space::Notes, None),
            head(3, Space::Notes, Some(2)),
            head(4, Space::Notes, None),
        ];
        let undo = plan_undo(&log).unwrap();
        assert_eq!((undo.target, undo.source), (4, Some(3)));
    }
}
