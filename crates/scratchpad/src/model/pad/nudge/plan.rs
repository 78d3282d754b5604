//! Recognises a plan in a reply.

use std::collections::BTreeSet;

use crate::model::text::fence::Fences;

/// The fewest items, steps or boxes that make a plan.
const ENOUGH: usize = 3;
/// Words that number the parts of a plan: `Step 1`, `Phase 2`.
const KINDS: [&str; 3] = ["step", "phase", "stage"];
/// Words after which a step is announced. After others, as in "I finished step 1", it is only mentioned.
const LEADING_ON: [&str; 8] = [
    "and", "first", "second", "third", "then", "next", "finally", "lastly",
];

/// Whether a reply looks like a plan: three or more numbered items, steps or boxes, outside code.
///
/// Steps also count in prose ("Step 1: read it, then Step 2: …"), each once, and as numbered rows of a Markdown table with a
/// column of steps.
pub fn looks_like_a_plan(reply: &str) -> bool {
    let mut fences = Fences::default();
    let mut table = Table::None;
    let (mut numbered, mut boxes, mut rows) = (0, 0, 0);
    let mut steps = BTreeSet::new();
    for line in reply.lines().map(str::trim) {
        if fences.covers(line) {
            continue;
        }
        table = table.then(line);
        rows = rows.max(table.rows());
        numbered += usize::from(is_numbered(line));
        boxes += usize::from(is_box(line));
        steps.extend(steps_in(line));
    }
    [numbered, boxes, rows, steps.len()]
        .iter()
        .any(|found| *found >= ENOUGH)
}

/// `1. text` or `1) text`
fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let digits = line.len() - rest.len();
    (1..=3).contains(&digits)
        && (rest.strip_prefix(['.', ')']))
            .and_then(|rest| rest.strip_prefix(' '))
            .is_some_and(|rest| !rest.trim().is_empty())
}

/// `- [ ] text` or `* [x] text`
fn is_box(line: &str) -> bool {
    let item = ["- ", "* ", "+ "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    item.is_some_and(|item| {
        ["[ ]", "[x]", "[X]"]
            .iter()
            .any(|mark| item.starts_with(mark))
    })
}

/// The steps that begin a clause or a table cell of a line: `## Phase 2: text`, `…, then **Step 2** …`.
fn steps_in(line: &str) -> Vec<(&'static str, &str)> {
    let mut before = None;
    let mut words = line.split_whitespace().peekable();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let named = kind_of(word.trim_start_matches(is_markup));
        let leads = word.starts_with('|') || before.is_none_or(leads_on);
        if let (Some(kind), Some(number), true) =
            (named, words.peek().and_then(|word| number(word)), leads)
        {
            found.push((kind, number));
        }
        before = Some(word);
    }
    found
}

fn kind_of(word: &str) -> Option<&'static str> {
    KINDS
        .into_iter()
        .find(|kind| kind.eq_ignore_ascii_case(word))
}

fn is_markup(char: char) -> bool {
    matches!(char, '#' | '*' | '-' | '_' | '|' | '>' | '+')
}

/// Whether a step may follow this word: it ends a clause or a cell, is only markup, or announces a step.
fn leads_on(word: &str) -> bool {
    let bare = word.trim_matches(is_markup);
    bare.is_empty()
        || word.ends_with('|')
        || bare.ends_with(['.', ',', ';', ':', '!', '?', '–', '—', '→'])
        || LEADING_ON
            .iter()
            .any(|leading| leading.eq_ignore_ascii_case(bare))
}

/// `1` of `1:`, `1.2` of `1.2`; `None` for `3D`.
fn number(word: &str) -> Option<&str> {
    let rest = word.trim_start_matches(|char: char| char.is_ascii_digit() || char == '.');
    let number = word.strip_suffix(rest)?.trim_end_matches('.');
    let is_whole = !rest.starts_with(char::is_alphanumeric);
    (is_whole && number.starts_with(|char: char| char.is_ascii_digit())).then_some(number)
}

/// What is known so far about a Markdown table.
enum Table {
    None,
    /// The line may be the header of a table of steps.
    Header,
    /// In a table of steps: the number of consecutively numbered rows, and the last number.
    Rows(usize, Option<u32>),
}

impl Table {
    fn then(self, line: &str) -> Self {
        if !line.contains('|') {
            return Self::None;
        }
        match self {
            Self::Header if cells(line).all(is_rule) => Self::Rows(0, None),
            Self::Rows(rows, last) => {
                let number: Option<u32> = cells(line).next().and_then(|cell| cell.parse().ok());
                match (number, last) {
                    // Numbers with gaps are measurements rather than steps.
                    (Some(number), Some(last)) if last.checked_add(1) != Some(number) => Self::None,
                    (Some(number), _) => Self::Rows(rows + 1, Some(number)),
                    (None, _) => Self::Rows(rows, last),
                }
            }
            Self::None | Self::Header if cells(line).any(is_heading_of_steps) => Self::Header,
            Self::None | Self::Header => Self::None,
        }
    }

    fn rows(&self) -> usize {
        match self {
            Self::Rows(rows, _) => *rows,
            Self::None | Self::Header => 0,
        }
    }
}

/// The cells of a row, without emphasis and the dot of `1.`.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.trim_matches('|')
        .split('|')
        .map(|cell| cell.trim_matches(|char| matches!(char, ' ' | '*' | '_' | '.')))
}

/// `---`, `:--:`
fn is_rule(cell: &str) -> bool {
    cell.contains('-') && cell.chars().all(|char| matches!(char, '-' | ':'))
}

/// `Step`, `Phases`, `Step #`
fn is_heading_of_steps(cell: &str) -> bool {
    let word = cell.split(' ').next().unwrap_or_default();
    kind_of(word)
        .or_else(|| kind_of(word.strip_suffix(['s', 'S'])?))
        .is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_recognised_by_its_items() {
        for plan in [
            "I will:\n1. read\n2. write\n3. test",
            "1) a\n\n2) b\n\n3) c",
            "## Phase 1: look\ntext\n## Phase 2: do\n## Phase 3: end",
            "**Step 1** a\n**Step 2** b\n- step 3: c",
            "- [ ] a\n- [x] b\n* [ ] c",
            "```\ncode\n```\n1. a\n2. b\n3. c",
            "````md\n```\ncode\n```\n````\n1. a\n2. b\n3. c",
        ] {
            assert!(looks_like_a_plan(plan), "{plan}");
        }
        for other in [
            "",
            "1. one\n2. two",
            "```\n1. a\n2. b\n3. c\n```",
            "~~~\n```\n1. a\n2. b\n3. c",
            "````\n```\n1. a\n2. b\n3. c\n```\n````",
            "1.5 times\n2.5 times\n3.5 times",
            "stepping 1\nsteps 2\nstep by step",
            "- a\n- b\n- c",
            "2024. a\n2025. b\n2026. c",
            "1. a\n- [ ] b\nStep 3",
        ] {
            assert!(!looks_like_a_plan(other), "{other}");
        }
    }

    #[test]
    fn a_plan_in_prose_is_recognised_by_its_steps() {
        for plan in [
            "Step 1 is to read the parser, then Step 2 to write the test, then Step 3 to fix it.",
            "I suggest: step 1, read it; step 2, write a test. Finally, step 3: fix it.",
            "First **Phase 1** (look around), and **Phase 2** (the change),\nthen **Phase 3**.",
            "Stage 1.1: a. Stage 1.2: b. Stage 1.3: c.",
            "Step 1 → read. Step 2 → write → Step 3 → test.",
        ] {
            assert!(looks_like_a_plan(plan), "{plan}");
        }
        for other in [
            "I finished step 1, step 2 and step 3.",
            "As in step 1, the cache of step 2 is cold; see step 3, or go back to step 1.",
            "Step 1 failed. Step 1 failed again. Step 1 works now.",
            "Phase 3D, Stage 4th, Step x. One step, then a second step, then a third step.",
            "The footstep 1, misstep 2, and Instep 3.",
            "`Step 1` and `Step 2`, then `Step 3` are keys of the file.",
            "```\nStep 1: a, then Step 2: b, then Step 3: c\n```",
        ] {
            assert!(!looks_like_a_plan(other), "{other}");
        }
    }

    #[test]
    fn a_plan_in_a_table_is_recognised_by_its_rows() {
        for plan in [
            "| Step | What |\n|---|---|\n| 1 | read |\n| 2 | write |\n| 3 | test |",
            "The plan:\n\n| # | **Steps** | Who |\n|--:|:-:|---|\n| 1. | read | me |\n| **2** | write | me |\n|3|test|you|\n",
            "| | What |\n|---|---|\n| Step 1 | read |\n|Step 2|write|\n| **Step 3** | test |",
            "Phase | Goal\n--- | ---\n1 | look\n2 | change\n3 | test",
        ] {
            assert!(looks_like_a_plan(plan), "{plan}");
        }
        for other in [
            "| # | Name |\n|---|---|\n| 1 | Ada |\n| 2 | Bob |\n| 3 | Cid |",
            "| Step | Loss |\n|---|---|\n| 100 | 0.5 |\n| 200 | 0.4 |\n| 300 | 0.3 |",
            "| Step | Time |\n|---|---|\n| parse | 3 ms |\n| compile | 9 ms |\n| link | 1 ms |",
            "| Step | What |\n| 1 | no rule below the header |\n| 2 | b |\n| 3 | c |",
            "| Step | What |\n|---|---|\n| 1 | a |\n| 2 | b |\n\n| 3 | not in the table |",
            "| Stepper | Size |\n|---|---|\n| 1 | a |\n| 2 | b |\n| 3 | c |",
            "```\n| Step | What |\n|---|---|\n| 1 | a |\n| 2 | b |\n| 3 | c |\n```",
            "a || b\nStep | a\nStep || b",
        ] {
            assert!(!looks_like_a_plan(other), "{other}");
        }
    }
}
