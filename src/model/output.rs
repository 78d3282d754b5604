//! Outputs: what is known of a kept text without reading it, and how long it is kept.

use super::id::{Millis, OutputId, SessionId};

/// What kind of text an output is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// One JSON object or array.
    Json,
    /// Text with headings, lists or tables of Markdown.
    Markdown,
    /// Anything else.
    #[default]
    Text,
}

impl Kind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Text => "text",
        }
    }

    /// The kind of that name; what is unknown is text.
    pub fn named(name: &str) -> Self {
        match name {
            "json" => Self::Json,
            "markdown" => Self::Markdown,
            _ => Self::Text,
        }
    }
}

/// What is known of a kept output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputHead {
    /// Its id.
    pub id: OutputId,
    /// Its size.
    pub bytes: u64,
    /// How many lines it has.
    pub lines: u64,
    /// What kind of text it is.
    pub kind: Kind,
    /// What made it: a tool, or the action whose text was cut.
    pub tool: String,
    /// The session that kept it last.
    pub session: SessionId,
    /// When it was kept last: its age counts from here.
    pub kept: Millis,
    /// When it was last kept or read.
    pub used: Millis,
    /// Who kept it last; empty where the store does not say, or says that it is you.
    pub author: String,
}

/// What a prune removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// How many outputs.
    pub outputs: usize,
    /// How many bytes they had.
    pub bytes: u64,
    /// How many files that belonged to no output.
    pub strays: usize,
}

/// How long outputs are kept, and how much of them is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputLimits {
    /// The longest preview, in characters.
    pub preview_chars: usize,
    /// The most bytes that one answer holds.
    pub read_bytes: usize,
    /// How old an output may become, in milliseconds.
    pub max_age: Millis,
    /// How many bytes all of them may have.
    pub max_total_bytes: u64,
}

impl Default for OutputLimits {
    fn default() -> Self {
        Self {
            preview_chars: 200,
            read_bytes: 32 * 1024,
            max_age: 24 * 60 * 60 * 1_000,
            max_total_bytes: 50 * 1024 * 1024,
        }
    }
}

/// What was used within this time is in use: it is not pruned.
pub const IN_USE: Millis = 60 * 60 * 1_000;

/// What others kept is theirs to prune; what nobody used for so long is everybody's.
pub const FORSAKEN: Millis = 7 * 24 * 60 * 60 * 1_000;

/// The outputs that the limits of an author are about: their own, and what others have forsaken.
pub fn governed_by(author: &str, outputs: &[OutputHead], now: Millis) -> Vec<OutputHead> {
    let is_governed = |output: &&OutputHead| {
        output.author.is_empty()
            || output.author == author
            || now.saturating_sub(output.used) > FORSAKEN
    };
    outputs.iter().filter(is_governed).cloned().collect()
}

/// Which outputs have to go: the too old, then the least recently used until the rest fits.
///
/// What is in use stays, unless there is ten times as much as there may be.
pub fn to_prune(outputs: &[OutputHead], limits: &OutputLimits, now: Millis) -> Vec<OutputId> {
    let in_use = |output: &OutputHead| now.saturating_sub(output.used) < IN_USE;
    let mut total: u64 = outputs.iter().map(|output| output.bytes).sum();
    let mut order: Vec<&OutputHead> = outputs.iter().collect();
    order.sort_by_key(|output| (output.used, output.kept));
    let mut gone = Vec::new();
    let mut rest = Vec::new();
    for output in order {
        if !in_use(output) && now.saturating_sub(output.kept) > limits.max_age {
            total -= output.bytes;
            gone.push(output.id.clone());
        } else {
            rest.push(output);
        }
    }
    let tenfold = limits.max_total_bytes.saturating_mul(10);
    for output in rest {
        let limit = if in_use(output) {
            tenfold
        } else {
            limits.max_total_bytes
        };
        if total > limit {
            total -= output.bytes;
            gone.push(output.id.clone());
        }
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOUR: Millis = 60 * 60 * 1_000;

    fn output(number: usize, bytes: u64, kept_hours_ago: i64, used_hours_ago: i64) -> OutputHead {
        OutputHead {
            id: OutputId::new(&format!("{number:012x}")).unwrap(),
            bytes,
            lines: 1,
            kind: Kind::Text,
            tool: "tool".to_owned(),
            session: SessionId::new("s").unwrap(),
            kept: -kept_hours_ago * HOUR,
            used: -used_hours_ago * HOUR,
            author: String::new(),
        }
    }

    fn pruned(outputs: &[OutputHead]) -> Vec<usize> {
        let limits = OutputLimits {
            max_total_bytes: 100,
            ..OutputLimits::default()
        };
        to_prune(outputs, &limits, 0)
            .iter()
            .map(|id| usize::from_str_radix(id.as_str(), 16).unwrap())
            .collect()
    }

    #[test]
    fn the_old_go_first_then_the_least_recently_used_and_what_is_in_use_stays() {
        let old_but_read_now = output(1, 10, 30, 0);
        let old = output(2, 10, 30, 2);
        let young = output(3, 60, 5, 5);
        let younger = output(4, 60, 4, 3);
        assert_eq!(pruned(&[old_but_read_now, old, young, younger]), [2, 3]);
        let in_use = [output(1, 500, 0, 0), output(2, 400, 0, 0)];
        assert_eq!(pruned(&in_use), Vec::<usize>::new());
        let too_much = [output(1, 500, 0, 0), output(2, 600, 0, 0)];
        assert_eq!(pruned(&too_much), [1]);
    }

    #[test]
    fn what_others_kept_is_theirs_until_they_forsake_it() {
        let of = |number, author: &str, used_hours_ago| OutputHead {
            author: author.to_owned(),
            ..output(number, 10, used_hours_ago, used_hours_ago)
        };
        let outputs = [
            of(1, "", 30),
            of(2, "ann", 30),
            of(3, "bob", 30),
            of(4, "bob", 200),
        ];
        let governed = governed_by("ann", &outputs, 0);
        assert_eq!(pruned(&governed), [4, 1, 2]);
    }

    proptest! {
        #[test]
        fn what_is_left_fits_or_is_in_use(
            facts in prop::collection::vec((1_u64..80, 0_i64..40, 0_i64..40), 0..30)
        ) {
            let outputs: Vec<OutputHead> = facts
                .iter()
                .enumerate()
                .map(|(number, (bytes, kept, used))| output(number, *bytes, *kept.max(used), *used))
                .collect();
            let gone = pruned(&outputs);
            let left: Vec<&OutputHead> = outputs
                .iter()
                .enumerate()
                .filter(|(number, _)| !gone.contains(number))
                .map(|(_, output)| output)
                .collect();
            let total: u64 = left.iter().map(|output| output.bytes).sum();
            let in_use = |output: &&&OutputHead| output.used == 0;
            let others = left.iter().filter(|output| !in_use(output)).count();
            prop_assert!(total <= 1_000);
            prop_assert!(total <= 100 || others == 0, "{} are left with {} bytes", others, total);
            prop_assert!(left.iter().all(|output| output.kept >= -24 * HOUR || output.used == 0));
            let all: u64 = outputs.iter().map(|output| output.bytes).sum();
            if all <= 1_000 {
                prop_assert!(gone.iter().all(|number| outputs[*number].used < 0));
            }
        }
    }
}
