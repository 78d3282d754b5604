//! The digest: a session's facts in one note, for whoever looks back.

use std::collections::VecDeque;

use super::facts::Fact;
use crate::model::text::quantity::counted;

/// The tag of the note.
pub const TAG: &str = "digest";
/// Its first line, by which it is told from an agent's own notes with that tag.
pub const HEAD: &str = "Digest of this session, from what hooks saw:";
/// The most bytes of a digest.
pub const MAX_BYTES: usize = 2_048;
/// How many facts of one kind are remembered, the latest.
const MAX_EACH: usize = 64;
/// The title of what is not a fact that hooks saw. It is in the pad as well.
const PLAN: &str = "Open in the plan";

/// All that is known of a session's work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The files that were changed and how often, the latest last.
    files: Latest<(String, u32)>,
    /// Commands that failed and did not succeed since, and why.
    failing: Latest<(String, String)>,
    /// Commands that failed and then succeeded, and why they had failed.
    mended: Latest<(String, String)>,
    commits: Latest<(String, String)>,
    /// Outputs, and what each is.
    outputs: Latest<(String, String)>,
    /// Outputs with the host's summaries.
    summaries: Latest<String>,
}

/// The latest few.
type Latest<T> = VecDeque<T>;

fn push<T>(latest: &mut Latest<T>, item: T) {
    if latest.len() == MAX_EACH {
        latest.pop_front();
    }
    latest.push_back(item);
}

/// Takes out what has this name.
fn taken<T>(latest: &mut Latest<(String, T)>, name: &str) -> Option<(String, T)> {
    let at = latest.iter().position(|(known, _)| known == name)?;
    latest.remove(at)
}

impl Facts {
    /// Adds what happened next.
    pub fn add(&mut self, fact: Fact) {
        match fact {
            Fact::Changed(path) => {
                let times = taken(&mut self.files, &path).map_or(0, |(_, times)| times);
                push(&mut self.files, (path, times.saturating_add(1)));
            }
            Fact::Failed(command, error) => {
                // It is no longer mended.
                taken(&mut self.mended, &command);
                taken(&mut self.failing, &command);
                push(&mut self.failing, (command, error));
            }
            Fact::Passed(command) => {
                if let Some(failed) = taken(&mut self.failing, &command) {
                    push(&mut self.mended, failed);
                }
            }
            Fact::Committed(id, subject) => {
                // An amended commit takes the place of the one before it.
                if self
                    .commits
                    .back()
                    .is_some_and(|(_, last)| *last == subject)
                {
                    self.commits.pop_back();
                }
                push(&mut self.commits, (id, subject));
            }
            Fact::Kept(id, about) => {
                taken(&mut self.outputs, &id);
                push(&mut self.outputs, (id, about));
            }
            Fact::Summary(output) => push(&mut self.summaries, output),
        }
    }

    /// The text of the digest, with the open items of the plan; `None` if there is nothing to say beside them.
    pub fn digest(&self, open_items: &[String], max_bytes: usize) -> Option<String> {
        let pair = |(id, text): &(String, String)| format!("{id} {text}");
        let sections = [
            ("Commits", newest(&self.commits, pair)),
            (PLAN, open_items.to_vec()),
            ("Failed, then passed", newest(&self.mended, with_reason)),
            ("Files changed", newest(&self.files, with_times)),
            ("Outputs kept", newest(&self.outputs, pair)),
            (
                "Outputs with the host's summaries",
                newest(&self.summaries, String::clone),
            ),
        ];
        let sections = sections.map(|(title, lines)| Section {
            title,
            lines,
            hidden: 0,
        });
        let is_filled = |section: &Section| !section.lines.is_empty();
        let mut sections: Vec<Section> = sections.into_iter().filter(is_filled).collect();
        if sections.iter().all(|section| section.title == PLAN) {
            return None;
        }
        let mut text = rendered(&sections);
        while text.len() > max_bytes {
            // What there is most of is shortened first.
            let longest = sections.iter_mut().max_by_key(|section| section.bytes())?;
            longest.lines.pop()?;
            longest.hidden += 1;
            text = rendered(&sections);
        }
        Some(text)
    }
}

/// A line for each, the latest first.
fn newest<T>(latest: &Latest<T>, line: impl Fn(&T) -> String) -> Vec<String> {
    latest.iter().rev().map(line).collect()
}

fn with_reason((command, error): &(String, String)) -> String {
    if error.is_empty() {
        command.clone()
    } else {
        format!("{command} ({error})")
    }
}

fn with_times((path, times): &(String, u32)) -> String {
    if *times == 1 {
        path.clone()
    } else {
        format!("{path} ({times} times)")
    }
}

struct Section {
    title: &'static str,
    lines: Vec<String>,
    hidden: usize,
}

impl Section {
    fn bytes(&self) -> usize {
        self.lines.iter().map(|line| line.len() + 3).sum()
    }
}

fn rendered(sections: &[Section]) -> String {
    let mut lines = vec![HEAD.to_owned()];
    for section in sections {
        lines.push(format!("{}:", section.title));
        lines.extend(section.lines.iter().map(|line| format!("- {line}")));
        if section.hidden > 0 {
            lines.push(format!("- and {}", counted(section.hidden, "more", "more")));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use snapbox::{assert_data_eq, str};

    fn of(facts: impl IntoIterator<Item = Fact>) -> Facts {
        let mut all = Facts::default();
        facts.into_iter().for_each(|fact| all.add(fact));
        all
    }

    fn failed(command: &str, error: &str) -> Fact {
        Fact::Failed(command.to_owned(), error.to_owned())
    }

    fn passed(command: &str) -> Fact {
        Fact::Passed(command.to_owned())
    }

    #[test]
    fn a_digest_says_what_happened_and_nothing_else() {
        let facts = of([
            Fact::Changed("src/a.rs".to_owned()),
            failed("cargo test", "error: a is not b"),
            failed("make", ""),
            Fact::Changed("src/b.rs".to_owned()),
            Fact::Changed("src/a.rs".to_owned()),
            passed("cargo test"),
            passed("ls"),
            Fact::Committed("1a2b3c4".to_owned(), "fix it".to_owned()),
            Fact::Committed("5d6e7f8".to_owned(), "fix it".to_owned()),
            Fact::Committed("9a9a9a9".to_owned(), "docs".to_owned()),
            Fact::Kept("3b1a00000000".to_owned(), "Bash: 34,000 bytes".to_owned()),
            Fact::Summary("33ab00000000".to_owned()),
        ]);
        let text = facts.digest(&["[>] write the docs".to_owned()], MAX_BYTES);
        assert_data_eq!(
            text.unwrap(),
            str![[r"
Digest of this session, from what hooks saw:
Commits:
- 9a9a9a9 docs
- 5d6e7f8 fix it
Open in the plan:
- [>] write the docs
Failed, then passed:
- cargo test (error: a is not b)
Files changed:
- src/a.rs (2 times)
- src/b.rs
Outputs kept:
- 3b1a00000000 Bash: 34,000 bytes
Outputs with the host's summaries:
- 33ab00000000
"]]
        );
    }

    #[test]
    fn without_facts_there_is_no_digest() {
        let nothing = of([passed("ls"), failed("make", "error")]);
        let open = ["[ ] docs".to_owned()];
        assert_eq!(nothing.digest(&open, MAX_BYTES), None);
    }

    #[test]
    fn a_command_that_failed_again_is_not_mended() {
        let facts = of([
            failed("make", "error 1"),
            passed("make"),
            failed("make", "error 2"),
        ]);
        assert_eq!(facts.digest(&[], MAX_BYTES), None);
        let mut mended = facts;
        mended.add(passed("make"));
        let text = mended.digest(&[], MAX_BYTES).unwrap();
        assert!(
            text.ends_with("Failed, then passed:\n- make (error 2)"),
            "{text}"
        );
    }

    #[test]
    fn a_long_digest_keeps_the_latest_of_each_and_counts_the_rest() {
        let files =
            (0..200).map(|number| Fact::Changed(format!("src/a/long/path/of/file_{number}.rs")));
        let facts = of(files.chain([Fact::Committed("1a2b3c4".to_owned(), "fix".to_owned())]));
        let text = facts.digest(&[], 400).unwrap();
        assert_data_eq!(
            text,
            str![[r"
Digest of this session, from what hooks saw:
Commits:
- 1a2b3c4 fix
Files changed:
- src/a/long/path/of/file_199.rs
- src/a/long/path/of/file_198.rs
- src/a/long/path/of/file_197.rs
- src/a/long/path/of/file_196.rs
- src/a/long/path/of/file_195.rs
- src/a/long/path/of/file_194.rs
- src/a/long/path/of/file_193.rs
- src/a/long/path/of/file_192.rs
- src/a/long/path/of/file_191.rs
- and 55 more
"]]
        );
    }

    fn any_fact() -> impl Strategy<Value = Fact> {
        let word = "[a-c]{1,2}|\\PC{1,160}";
        prop_oneof![
            word.prop_map(Fact::Changed),
            (word, word).prop_map(|(command, error)| Fact::Failed(command, error)),
            word.prop_map(Fact::Passed),
            (word, word).prop_map(|(id, subject)| Fact::Committed(id, subject)),
            (word, word).prop_map(|(id, about)| Fact::Kept(id, about)),
            word.prop_map(Fact::Summary),
        ]
    }

    proptest! {
        /// However much happened, a digest has at most so many bytes, and what is remembered is bounded too.
        #[test]
        fn a_digest_stays_short(
            all in proptest::collection::vec(any_fact(), 0..400),
            items in proptest::collection::vec("\\PC{1,300}", 0..10),
        ) {
            let facts = of(all);
            if let Some(text) = facts.digest(&items, MAX_BYTES) {
                prop_assert!(text.len() <= MAX_BYTES, "{}", text.len());
            }
            for length in [facts.files.len(), facts.failing.len(), facts.mended.len(), facts.commits.len()] {
                prop_assert!(length <= MAX_EACH);
            }
        }
    }
}
