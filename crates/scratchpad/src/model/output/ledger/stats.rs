//! Sums over the ledger: net, signed, never clamped.

use std::collections::{BTreeMap, BTreeSet};

use super::size::Size;
use super::{LedgerRow, Side, What};

/// How often something happened, and how large it was in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    pub times: u64,
    pub size: Size,
}

/// The amounts of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums(BTreeMap<What, Amount>);

impl Sums {
    pub fn add(&mut self, what: What, times: u64, size: Size) {
        let sum = self.0.entry(what).or_default();
        sum.times = sum.times.saturating_add(times);
        sum.size += size;
    }

    pub fn of(&self, what: What) -> Amount {
        self.0.get(&what).copied().unwrap_or_default()
    }

    /// Two kinds as one.
    pub fn both(&self, one: What, other: What) -> Amount {
        let (one, other) = (self.of(one), self.of(other));
        let mut size = one.size;
        size += other.size;
        Amount {
            times: one.times.saturating_add(other.times),
            size,
        }
    }

    /// What was won in tokens, less what was spent: below zero if it cost more than it saved.
    pub fn net(&self) -> i64 {
        self.balance(|size| size.tokens)
    }

    /// The same in bytes.
    pub fn net_bytes(&self) -> i64 {
        self.balance(|size| size.bytes)
    }

    fn balance(&self, amount: impl Fn(Size) -> u64) -> i64 {
        self.0.iter().fold(0, |net: i64, (what, sum)| {
            let amount = i64::try_from(amount(sum.size)).unwrap_or(i64::MAX);
            match what.side() {
                Side::Won => net.saturating_add(amount),
                Side::Spent => net.saturating_sub(amount),
                Side::Neither => net,
            }
        })
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// By what the sums are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Tool,
    Host,
    Day,
}

/// A tool, by the name that rules for outputs know it by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LedgerTool {
    pub upstream: String,
    pub tool: String,
}

impl LedgerTool {
    /// As a rule names it: `UPSTREAM/TOOL`.
    pub fn pattern(&self) -> String {
        let upstream = if self.upstream.is_empty() {
            "*"
        } else {
            &self.upstream
        };
        format!("{upstream}/{}", self.tool)
    }
}

/// What the ledger says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub sums: Sums,
    pub sessions: usize,
    /// The hosts that are known by name.
    pub hosts: BTreeSet<String>,
    /// Whether some results are of hosts that are not known: of those, all counts as shown.
    pub has_unknown_host: bool,
    tools: BTreeMap<LedgerTool, Sums>,
    by_host: BTreeMap<String, Sums>,
    days: BTreeMap<i64, Sums>,
    authors: BTreeMap<String, Sums>,
}

impl Stats {
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a LedgerRow>) -> Self {
        let mut stats = Self::default();
        let mut sessions = BTreeSet::new();
        for row in rows {
            stats.add(row);
            sessions.insert(row.session.as_str());
        }
        stats.sessions = sessions.len();
        stats
    }

    fn add(&mut self, row: &LedgerRow) {
        let entry = &row.entry;
        let (what, times, size) = (entry.what, entry.times, entry.size);
        self.sums.add(what, times, size);
        if entry.host.is_empty() {
            self.has_unknown_host |= what == What::Kept;
        } else {
            self.hosts.insert(entry.host.clone());
        }
        let host = self.by_host.entry(entry.host.clone()).or_default();
        host.add(what, times, size);
        let author = self.authors.entry(row.author.clone()).or_default();
        author.add(what, times, size);
        let day = self.days.entry(row.day).or_default();
        day.add(what, times, size);
        if !entry.tool.is_empty() {
            let tool = LedgerTool {
                upstream: entry.upstream.clone(),
                tool: entry.tool.clone(),
            };
            self.tools.entry(tool).or_default().add(what, times, size);
        }
    }

    /// The sums of each tool, the one that cost most first.
    pub fn tools(&self) -> Vec<(&LedgerTool, &Sums)> {
        let mut tools: Vec<_> = self.tools.iter().collect();
        tools.sort_by_key(|(_, sums)| sums.net());
        tools
    }

    pub fn by_host(&self) -> impl Iterator<Item = (&String, &Sums)> {
        self.by_host.iter()
    }

    /// The sums of each author; all under no name if the store does not record authors.
    pub fn by_author(&self) -> impl Iterator<Item = (&String, &Sums)> {
        self.authors.iter()
    }

    /// The sums of each day, the first one first.
    pub fn days(&self) -> impl Iterator<Item = (i64, &Sums)> {
        self.days.iter().map(|(day, sums)| (*day, sums))
    }

    /// The tool whose results cost more than they saved, and most of all.
    pub fn worst(&self) -> Option<(&LedgerTool, &Sums)> {
        let mut tools = self.tools().into_iter();
        tools.find(|(_, sums)| sums.net() < 0 && sums.of(What::Kept).times > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::id::{ProjectId, SessionId};
    use crate::model::output::ledger::Entry;

    fn row(day: i64, tool: &str, what: What, tokens: u64) -> LedgerRow {
        LedgerRow {
            day,
            session: SessionId::new(format!("s{day}")).unwrap(),
            author: String::new(),
            entry: Entry {
                what,
                project: ProjectId::new("p"),
                host: "claude".to_owned(),
                upstream: "github".to_owned(),
                tool: tool.to_owned(),
                times: 1,
                size: Size {
                    bytes: tokens * 4,
                    tokens,
                },
            },
        }
    }

    #[test]
    fn the_net_is_signed_and_what_the_host_cuts_is_no_gain() {
        let rows = [
            row(1, "list", What::Kept, 10_000),
            row(1, "list", What::CutByHost, 90_000),
            row(1, "list", What::Reference, 200),
            row(2, "get", What::Kept, 1_000),
            row(2, "get", What::Reference, 200),
            row(2, "get", What::ReadWhole, 1_100),
            row(2, "", What::Listed, 230),
        ];
        let stats = Stats::of(&rows);
        assert_eq!(stats.sums.net(), 10_000 - 200 + 1_000 - 200 - 1_100 - 230);
        assert_eq!(stats.sums.net_bytes(), stats.sums.net() * 4);
        assert_eq!((stats.sessions, stats.hosts.len()), (2, 1));
        let (worst, sums) = stats.worst().unwrap();
        assert_eq!((worst.pattern().as_str(), sums.net()), ("github/get", -300));
        let days: Vec<(i64, i64)> = stats.days().map(|(day, sums)| (day, sums.net())).collect();
        assert_eq!(days, [(1, 9_800), (2, -530)]);
        assert_eq!(Stats::of(&[]).worst(), None);
        let good = Stats::of(&rows[..3]);
        assert_eq!(good.worst(), None);
    }
}
