//! The sums as lines.

use super::{By, Shown};
use crate::cli::i18n::{signed, text};
use crate::cli::ui;
use scratchpad::model::output::ledger::What;
use scratchpad::model::output::ledger::stats::{Amount, LedgerTool, Sums};

/// A line: what it is, the tokens, and a remark.
type Line = (String, i64, String);

impl Shown {
    pub(super) fn screen(&self) -> String {
        let mut screen = format!("{}\n", self.heading());
        if self.stats.sums.is_empty() {
            return screen + &text!("stats-nothing") + "\n";
        }
        screen.push('\n');
        screen.push_str(&laid_out(&self.lines()));
        if let Some(by) = self.by {
            screen.push('\n');
            screen.push_str(&self.table(by));
        }
        if let Some((tool, sums)) = self.stats.worst() {
            screen.push('\n');
            screen.push_str(&self.worst(tool, sums));
        }
        screen.push('\n');
        if self.stats.has_unknown_host {
            screen.push_str(&text!("stats-unknown-host"));
            screen.push('\n');
        }
        screen + &text!("stats-estimates") + "\n"
    }

    fn heading(&self) -> String {
        let days = self.days;
        match &self.session {
            Some(session) => text!("stats-of-session", session = session.as_str()),
            None if self.everywhere => {
                text!(
                    "stats-everywhere",
                    days = days,
                    sessions = self.stats.sessions
                )
            }
            None => text!(
                "stats-of-project",
                days = days,
                sessions = self.stats.sessions
            ),
        }
    }

    fn lines(&self) -> Vec<Line> {
        let sums = &self.stats.sums;
        let cut = sums.of(What::CutByHost).size.tokens;
        let kept = sums.of(What::Kept);
        let results = text!("stats-results", count = kept.times);
        let results = if cut > 0 {
            format!("{results}; {}", text!("stats-cut", tokens = cut))
        } else {
            results
        };
        let mut lines = vec![(text!("stats-kept"), won(kept), results)];
        let passed = sums.of(What::Passed);
        if passed.times > 0 {
            let count = text!("stats-arguments", count = passed.times);
            lines.push((text!("stats-passed"), won(passed), count));
        }
        let read = sums.both(What::Read, What::ReadWhole);
        let whole = sums.of(What::ReadWhole).times;
        let calls = text!("stats-calls", count = read.times);
        let calls = if whole > 0 {
            format!("{calls}, {}", text!("stats-whole", count = whole))
        } else {
            calls
        };
        let (listed, injected) = (sums.of(What::Listed), sums.of(What::Injected));
        lines.extend([
            (
                text!("stats-references"),
                spent(sums.of(What::Reference)),
                String::new(),
            ),
            (text!("stats-read"), spent(read), calls),
            (
                text!("stats-listed"),
                spent(listed),
                text!("stats-lists", count = listed.times),
            ),
            (
                text!("stats-injected"),
                spent(injected),
                text!("stats-times", count = injected.times),
            ),
            (text!("stats-net"), sums.net(), text!("stats-in-tokens")),
        ]);
        lines
    }

    fn table(&self, by: By) -> String {
        let rows = self
            .split()
            .into_iter()
            .map(|(name, sums)| {
                let name = if name.is_empty() {
                    text!("stats-unknown")
                } else {
                    name
                };
                let gain = won(sums.of(What::Kept)).saturating_add(won(sums.of(What::Passed)));
                let cost = sums.net().saturating_sub(gain);
                vec![name, signed(gain), signed(cost), signed(sums.net())]
            })
            .collect();
        let first = match by {
            By::Tool => text!("stats-column-tool"),
            By::Host => text!("stats-column-host"),
            By::Day => text!("stats-column-day"),
            By::Author => text!("stats-column-author"),
        };
        let header = [
            first,
            text!("stats-column-kept"),
            text!("stats-column-cost"),
            text!("stats-column-net"),
        ];
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        ui::table(&header, rows)
    }

    fn worst(&self, tool: &LedgerTool, sums: &Sums) -> String {
        let worst = text!(
            "stats-worst",
            tool = tool.pattern(),
            kept = sums.of(What::Kept).times,
            whole = sums.of(What::ReadWhole).times,
            net = signed(sums.net())
        );
        let rules = format!("'{}'", self.advice(tool).replace('\'', r"'\''"));
        let better = text!("stats-better", rules = rules);
        // A server names its tools as it likes.
        format!("{}\n{}\n", ui::escaped(&worst), ui::escaped(&better))
    }
}

fn won(amount: Amount) -> i64 {
    i64::try_from(amount.size.tokens).unwrap_or(i64::MAX)
}

fn spent(amount: Amount) -> i64 {
    -won(amount)
}

/// The numbers below each other, and the remarks.
fn laid_out(lines: &[Line]) -> String {
    let width = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let numbers: Vec<String> = lines.iter().map(|(_, number, _)| signed(*number)).collect();
    let labels = width(&mut lines.iter().map(|(label, ..)| label.chars().count()));
    let digits = width(&mut numbers.iter().map(|number| number.chars().count()));
    lines
        .iter()
        .zip(numbers)
        .map(|((label, _, remark), number)| {
            let line = format!("{label:labels$}  {number:>digits$}  {remark}");
            format!("{}\n", line.trim_end())
        })
        .collect::<Vec<_>>()
        .concat()
}
