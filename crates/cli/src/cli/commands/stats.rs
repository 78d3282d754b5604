//! `stats`: what was kept out of the context window, and what that cost.

mod plot;
mod screen;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use crate::cli::app::{App, OpenSession};
use crate::cli::i18n::text;
use crate::cli::{Done, Global, ui};
use scratchpad::Whose;
use scratchpad::disk::replace::replace_private;
use scratchpad::model::error::Result;
use scratchpad::model::id::{Millis, SessionId};
use scratchpad::model::output::age;
use scratchpad::model::output::ledger::stats::{Amount, LedgerTool, Stats, Sums};
use scratchpad::model::output::ledger::{What, start_of};
use scratchpad::model::output::offload::Rule;
use scratchpad::model::text::quantity::moment;
use scratchpad::scratchpad::StatsScope;

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad stats
  scratchpad stats --since 7d --by tool
  scratchpad stats --session 9f0f1f6e
  scratchpad stats --since 60d --plot savings.svg

Counted is what the host would have shown of the results that became outputs, less the references, less what was read \
again, less our tools in the list and what hooks put in. The net can be below zero. Tokens are estimates. \
docs/savings.md says how it is counted, and what is not.")]
pub(in crate::cli) struct StatsArgs {
    /// Count all projects
    #[arg(long)]
    everywhere: bool,
    /// Only this long back, in whole days, like 7d
    #[arg(long, value_name = "AGE", default_value = "30d", value_parser = age::given)]
    since: Millis,
    /// Split the sums
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<By>,
    /// Write a picture of each day (SVG) to this file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Count what other authors of a shared store did too
    #[arg(long)]
    everybody: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    Tool,
    Host,
    Day,
    Author,
}

/// What is shown.
struct Shown {
    stats: Stats,
    session: Option<SessionId>,
    everywhere: bool,
    days: Millis,
    by: Option<By>,
    /// The rules for outputs that there are already.
    rules: Vec<Rule>,
}

pub(in crate::cli) fn run(args: &StatsArgs, global: &Global) -> Result<Done> {
    let rules = App::find_silently(global)?.settings.outputs.offload.rules;
    let opened = OpenSession::open(global, None, None)?;
    let session = match &global.session {
        Some(_) => opened.named_session()?,
        None => None,
    };
    let stats = opened.scratchpad.stats(StatsScope {
        session: session.as_ref(),
        of: if args.everywhere {
            Whose::Everybody
        } else {
            Whose::Project
        },
        since: Some(args.since),
        everybody: args.everybody,
    })?;
    let shown = Shown {
        stats,
        session,
        everywhere: args.everywhere,
        days: args.since.div_euclid(start_of(1)).max(1),
        by: args.by,
        rules,
    };
    if let Some(path) = &args.plot {
        replace_private(path, shown.plot().as_bytes())?;
    }
    if global.json {
        ui::print_json(&shown.to_json())?;
    } else {
        ui::print_long(&shown.screen())?;
        if let Some(path) = &args.plot {
            ui::remark(&text!("stats-plotted", file = path.display().to_string()));
        }
    }
    Ok(Done::Well)
}

impl Shown {
    /// The setting that would help with a tool, in addition to the rules that there are.
    fn advice(&self, tool: &LedgerTool) -> String {
        let new = format!("{}: never", tool.pattern());
        let rules = std::iter::once(new).chain(self.rules.iter().map(Rule::to_string));
        rules.collect::<Vec<_>>().join("; ")
    }

    fn split(&self) -> Vec<(String, &Sums)> {
        let stats = &self.stats;
        match self.by {
            None => Vec::new(),
            Some(By::Tool) => stats
                .tools()
                .into_iter()
                .map(|(tool, sums)| (tool.pattern(), sums))
                .collect(),
            Some(By::Host) => stats
                .by_host()
                .map(|(host, sums)| (host.clone(), sums))
                .collect(),
            Some(By::Day) => stats
                .days()
                .map(|(day, sums)| (moment(start_of(day), "%Y-%m-%d"), sums))
                .collect(),
            Some(By::Author) => stats
                .by_author()
                .map(|(author, sums)| (author.clone(), sums))
                .collect(),
        }
    }

    fn to_json(&self) -> Value {
        let stats = &self.stats;
        let mut data = sums_as_json(&stats.sums);
        let split: Vec<Value> = self
            .split()
            .into_iter()
            .map(|(name, sums)| {
                let mut part = sums_as_json(sums);
                part.insert("name".to_owned(), Value::from(name));
                Value::Object(part)
            })
            .collect();
        let worst = stats.worst().map(|(tool, sums)| {
            json!({
                "tool": tool.pattern(),
                "net": {"tokens": sums.net(), "bytes": sums.net_bytes()},
                "outputs.rules": self.advice(tool),
            })
        });
        data.extend([
            (
                "session".to_owned(),
                Value::from(self.session.as_ref().map(SessionId::to_string)),
            ),
            ("days".to_owned(), Value::from(self.days)),
            ("sessions".to_owned(), Value::from(stats.sessions)),
            ("hosts".to_owned(), json!(stats.hosts)),
            (
                "has_unknown_host".to_owned(),
                Value::from(stats.has_unknown_host),
            ),
            ("worst".to_owned(), Value::from(worst)),
        ]);
        if self.by.is_some() {
            data.insert("by".to_owned(), Value::from(split));
        }
        Value::Object(data)
    }
}

/// The amounts by the names that the store has for them, and the net.
fn sums_as_json(sums: &Sums) -> Map<String, Value> {
    let mut data: Map<String, Value> = What::ALL
        .into_iter()
        .map(|what| (what.name().to_owned(), amount_as_json(sums.of(what))))
        .collect();
    let net = json!({"tokens": sums.net(), "bytes": sums.net_bytes()});
    data.insert("net".to_owned(), net);
    data
}

fn amount_as_json(amount: Amount) -> Value {
    let Amount { times, size } = amount;
    json!({"times": times, "tokens": size.tokens, "bytes": size.bytes})
}
