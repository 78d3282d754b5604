//! `audit`: what filled the windows of past conversations, from the transcripts of hosts. It installs and changes nothing,
//! and prints no content: names, counts, sizes.

mod screen;

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::Args;
use serde_json::{Value, json};

use crate::cli::{Done, Global, env, ui};
use scratchpad::hosts::transcripts;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host::{HOSTS, Host, names};
use scratchpad::model::id::Millis;
use scratchpad::model::output::age;
use scratchpad::model::text::message::{message, quoted};
use scratchpad::model::text::nearest::did_you_mean;
use scratchpad::model::transcript::ToolName;
use scratchpad::model::transcript::audit::{Audit, Range};

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad audit
  scratchpad audit claude --since 30d
  scratchpad audit codex ~/.codex/sessions/2026/11

It reads the transcripts that hosts keep, changes nothing, and prints nothing of what they say: names, counts and sizes. \
What outputs would have saved is a range, because no one knows what an agent would have read again. docs/savings.md says how \
it is counted.")]
pub(in crate::cli) struct AuditArgs {
    #[arg(help = format!("The host: {} [default: all that are here]", names(has_transcripts).join(", ")))]
    host: Option<String>,
    /// A transcript or a directory of them [default: where the host keeps them]
    path: Option<PathBuf>,
    /// Only files that changed within this time, like 30d
    #[arg(long, value_name = "AGE", value_parser = age::given)]
    since: Option<Millis>,
}

fn has_transcripts(host: &Host) -> bool {
    !host.transcripts.is_empty()
}

/// What was read, host by host.
struct Report {
    hosts: Vec<(&'static Host, Audit)>,
    all: Audit,
}

pub(in crate::cli) fn run(args: &AuditArgs, global: &Global) -> Result<Done> {
    let hosts: Vec<&'static Host> = match &args.host {
        Some(name) => vec![named(name)?],
        None => HOSTS
            .into_iter()
            .filter(|host| has_transcripts(host))
            .collect(),
    };
    if let Some(path) = &args.path
        && !path.exists()
    {
        return Err(Error::not_found(message!(
            "{path} not found.",
            path = path.display().to_string()
        )));
    }
    let places = env::places(&env::project(global)?);
    let since = args.since.and_then(|age| {
        let age = Duration::from_millis(u64::try_from(age).ok()?);
        SystemTime::now().checked_sub(age)
    });
    let mut report = Report {
        hosts: Vec::new(),
        all: Audit::default(),
    };
    for host in hosts {
        let files = transcripts::find(host, &places, args.path.as_deref(), since);
        if files.is_empty() {
            continue;
        }
        let found = transcripts::audit(&files);
        report.all.join(found.clone());
        report.hosts.push((host, found));
    }
    if global.json {
        ui::print_json(&report.to_json())?;
    } else {
        ui::print_long(&report.screen())?;
    }
    Ok(Done::Well)
}

fn named(name: &str) -> Result<&'static Host> {
    let mut hosts = HOSTS.into_iter().filter(|host| has_transcripts(host));
    hosts
        .find(|host| host.name == name || host.aliases.contains(&name))
        .ok_or_else(|| {
            let names = names(has_transcripts);
            Error::usage(message!("Unknown host {name}.", name = quoted(name))).hint(
                did_you_mean(name, names.iter().copied()).unwrap_or_else(|| {
                    message!("the hosts are {names}.", names = names.join(", "))
                }),
            )
        })
}

impl Report {
    /// The servers whose large results would have saved most, with how many of them there were.
    fn servers(&self) -> Vec<(String, i64, u64)> {
        let mut servers: Vec<(String, i64, u64)> = Vec::new();
        for (name, tool) in &self.all.tools {
            if name.server.is_empty() || tool.large == 0 {
                continue;
            }
            match servers
                .iter_mut()
                .find(|(server, ..)| *server == name.server)
            {
                Some((_, tokens, large)) => {
                    *tokens = tokens.saturating_add(tool.range.used);
                    *large += tool.large;
                }
                None => servers.push((name.server.to_string(), tool.range.used, tool.large)),
            }
        }
        servers.retain(|(_, tokens, _)| *tokens > 0);
        servers.sort_by_key(|(_, tokens, _)| std::cmp::Reverse(*tokens));
        servers
    }

    /// The tools that had better be exempted: what they gave was used nearly whole.
    fn exempt(&self) -> Vec<String> {
        let mut tools: Vec<(&ToolName<'_>, i64)> = Vec::new();
        for (_, audit) in &self.hosts {
            let bad = audit.tools.iter().filter(|(_, tool)| tool.range.used < 0);
            tools.extend(bad.map(|(name, tool)| (name, tool.range.used)));
        }
        tools.sort_by_key(|(_, used)| *used);
        let mut rules: Vec<String> = Vec::new();
        for (name, _) in tools {
            let server = if name.server.is_empty() {
                "*"
            } else {
                &name.server
            };
            let rule = format!("{server}/{}: never", name.tool);
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        rules
    }

    fn to_json(&self) -> Value {
        let hosts: Vec<Value> = self
            .hosts
            .iter()
            .map(|(host, audit)| {
                let mut data = as_json(audit);
                if let Some(fields) = data.as_object_mut() {
                    fields.insert("host".to_owned(), Value::from(host.name));
                }
                data
            })
            .collect();
        let mut data = as_json(&self.all);
        if let Some(fields) = data.as_object_mut() {
            let servers: Vec<Value> = self
                .servers()
                .into_iter()
                .map(|(server, used, large)| json!({"server": server, "tokens": used, "large": large}))
                .collect();
            fields.insert("hosts".to_owned(), Value::from(hosts));
            fields.insert("servers".to_owned(), Value::from(servers));
            fields.insert("outputs.rules".to_owned(), json!(self.exempt()));
        }
        data
    }
}

fn as_json(audit: &Audit) -> Value {
    let tools: Vec<Value> = audit
        .tools
        .iter()
        .map(|(name, tool)| {
            json!({
                "server": name.server, "tool": name.tool, "calls": tool.calls, "repeated": tool.repeated,
                "results": tool.results, "tokens": tool.tokens, "sent": tool.sent, "cut": tool.cut,
                "lost_bytes": tool.lost, "large": tool.large, "range": range_as_json(tool.range),
            })
        })
        .collect();
    let models: Vec<Value> = audit
        .models()
        .map(|(model, requests, factor)| {
            let factor = factor
                .map(|it| json!({"median": it.median, "spread": it.spread, "samples": it.samples}));
            json!({"model": model, "requests": requests, "factor": factor})
        })
        .collect();
    json!({
        "files": audit.files, "damaged_files": audit.damaged_files, "damaged_lines": audit.damaged_lines,
        "requests": audit.requests, "input_tokens": audit.input, "output_tokens": audit.output,
        "compactions": audit.compactions,
        "sent": {"results": audit.results, "said": audit.said, "listed": audit.listed, "added": audit.added, "whole": audit.whole()},
        "tools": tools, "models": models, "range": range_as_json(audit.range()),
    })
}

fn range_as_json(range: Range) -> Value {
    json!({"least": range.least, "used": range.used, "most": range.most})
}
