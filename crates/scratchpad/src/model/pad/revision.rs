//! Revisions: past states of a space, and how to undo a write.

use super::{Content, Space};
use crate::model::error::{Error, Result};
use crate::model::id::{Millis, OutputId};
use crate::model::text::message::{message, number as digits};

/// One past state of a space, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionHead {
    /// Counts the writes of the session from 1.
    pub number: u64,
    pub space: Space,
    pub action: String,
    pub at: Millis,
    /// The revision that this one undid.
    pub undoes: Option<u64>,
    /// How much of the space's budget was used, in its unit.
    pub used: usize,
    /// Empty if the store does not record authors, or if it was you.
    pub author: String,
    /// The output that holds the whole text, if it was cut.
    pub spilled: Option<OutputId>,
}

/// A write to one space, as the store records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The space's new content.
    pub content: Content,
    /// The action's name, shown in the history.
    pub action: String,
    /// The revision that this write undoes.
    pub undoes: Option<u64>,
    /// The output that holds the whole text, if it was cut: it is kept as long as a revision names it.
    pub spilled: Option<OutputId>,
}

impl Write {
    /// An ordinary write, which undoes nothing.
    pub fn new(action: &str, content: Content) -> Self {
        Self {
            content,
            action: action.to_owned(),
            undoes: None,
            spilled: None,
        }
    }
}

/// The output with the whole text of a revision, if that was cut.
pub fn spilled_at(log: &[RevisionHead], number: u64) -> Option<OutputId> {
    let head = log.iter().find(|head| head.number == number)?;
    head.spilled.clone()
}

/// What one undo does: it reverts `target` by giving its space the content of `source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undo {
    pub target: u64,
    pub space: Space,
    /// The revision with the space's previous content; `None` if the space was empty.
    pub source: Option<u64>,
}

/// Finds what to undo: the newest write that is not undone yet.
///
/// An undo is itself a write, so it loses nothing, and repeating it goes further back.
pub fn plan_undo(log: &[RevisionHead]) -> Result<Undo> {
    let undone: std::collections::HashSet<u64> =
        log.iter().filter_map(|head| head.undoes).collect();
    let target = log
        .iter()
        .rev()
        .find(|head| head.undoes.is_none() && !undone.contains(&head.number))
        .ok_or_else(|| {
            Error::refused("Nothing to undo: no write is left.")
                .hint("`scratchpad session history` lists the revisions, `session restore REV` brings one back.")
        })?;
    let source = log
        .iter()
        .rev()
        .find(|head| head.space == target.space && head.number < target.number)
        .map(|head| head.number);
    let is_first = log.first().is_some_and(|head| head.number == 1);
    let has_all = log
        .iter()
        .zip(1..)
        .take_while(|(head, _)| head.number <= target.number)
        .all(|(head, number)| head.number == number);
    if source.is_none() && !(is_first && has_all) {
        return Err(Error::refused(message!(
            "What was there before revision {number} was thinned out (`retention.revisions`).",
            number = digits(target.number)
        ))
        .hint("`scratchpad session history` lists what is kept, `session restore REV` brings one back."));
    }
    Ok(Undo {
        target: target.number,
        space: target.space,
        source,
    })
}

/// The revisions to remove once there are more than `most`: of the older half those that stand closest, for their age, so
/// that the past gets sparser instead of ending somewhere. The first stays, and the newest of each space, since it is what
/// the pad holds; of the older half too, since it is what undoing the newer half leads to.
pub fn to_thin(log: &[RevisionHead], most: usize) -> Vec<u64> {
    let Some(excess) = log.len().checked_sub(most).filter(|excess| *excess > 0) else {
        return Vec::new();
    };
    let newest = log.last().map_or(0, |head| head.number);
    let old = log.len() - most / 2;
    let newest_of = |space: Space, among: &[RevisionHead]| {
        let found = among.iter().rev().find(|head| head.space == space);
        found.map(|head| head.number)
    };
    let older_half = log.get(..old).unwrap_or_default();
    let stay: Vec<u64> = Space::ALL
        .iter()
        .flat_map(|space| [newest_of(*space, log), newest_of(*space, older_half)])
        .flatten()
        .collect();
    // How far apart its neighbours are, for its age.
    let mut candidates: Vec<(u64, usize, u64)> = log
        .windows(3)
        .take(old.saturating_sub(2))
        .enumerate()
        .filter_map(|(at, three)| match three {
            [before, head, after] if !stay.contains(&head.number) => {
                let gap = after.number.saturating_sub(before.number);
                let age = newest.saturating_sub(head.number).max(1);
                Some((gap.saturating_mul(1 << 20) / age, at, head.number))
            }
            _ => None,
        })
        .collect();
    candidates.sort_unstable();
    let mut gone = std::collections::BTreeMap::new();
    for (_, at, number) in candidates {
        if gone.len() >= excess + most / 16 {
            break;
        }
        // Not two neighbours: the gap would be larger than it was measured.
        if !gone.contains_key(&(at + 1))
            && !at.checked_sub(1).is_some_and(|it| gone.contains_key(&it))
        {
            gone.insert(at, number);
        }
    }
    gone.into_values().collect()
}

/// The error for a revision number that the session does not have.
pub fn no_such_revision(number: u64, newest: u64) -> Error {
    let message = if newest == 0 {
        message!(
            "No revision {number}: nothing was written yet.",
            number = digits(number)
        )
    } else if (1..=newest).contains(&number) {
        message!(
            "Revision {number} was thinned out (`retention.revisions`).",
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
            spilled: None,
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
            "Nothing to undo: no write is left. Nothing was changed."
        );
    }

    #[test]
    fn the_past_gets_sparser_and_what_the_pad_holds_stays() {
        let mut log = vec![head(1, Space::Notes, None), head(2, Space::Plan, None)];
        for number in 3..=5_000 {
            log.push(head(number, Space::Refs, None));
            let gone = to_thin(&log, 100);
            log.retain(|head| !gone.contains(&head.number));
            assert!(log.len() <= 100);
        }
        let numbers: Vec<u64> = log.iter().map(|head| head.number).collect();
        assert_eq!(numbers[..2], [1, 2]);
        assert!(numbers.ends_with(&(4_951..=5_000).collect::<Vec<_>>()));
        let in_the_middle = numbers
            .iter()
            .filter(|number| (500..4_500).contains(*number));
        assert!(in_the_middle.count() > 4, "{numbers:?}");
        assert!(log.len() > 50);
        assert_eq!(to_thin(&log[..1], 1), [] as [u64; 0]);
    }

    #[test]
    fn undoing_the_newer_half_finds_what_was_there_before() {
        let mut log = vec![head(1, Space::Plan, None), head(2, Space::Notes, None)];
        for number in 3..=200 {
            // Notes are replaced late, after many writes of the plan.
            let space = if number == 195 {
                Space::Notes
            } else {
                Space::Plan
            };
            log.push(head(number, space, None));
            let gone = to_thin(&log, 20);
            log.retain(|head| !gone.contains(&head.number));
        }
        let until = log.iter().position(|head| head.number == 195).unwrap();
        let undo = plan_undo(&log[..=until]).unwrap();
        assert_eq!((undo.target, undo.source), (195, Some(2)));
    }

    #[test]
    fn what_was_thinned_out_is_not_undone_to_nothing() {
        let log = [head(1, Space::Plan, None), head(7, Space::Notes, None)];
        assert_eq!(
            plan_undo(&log).unwrap_err().to_string(),
            "What was there before revision 7 was thinned out (`retention.revisions`). Nothing was changed."
        );
        let log = [head(1, Space::Plan, None), head(2, Space::Notes, None)];
        assert_eq!(plan_undo(&log).unwrap().source, None);
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
