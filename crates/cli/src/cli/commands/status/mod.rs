//! `status`: what is going on here, on one screen.

mod retention;
mod screen;

use clap::Args;
use serde_json::{Value, json};

use retention::Retention;

use super::hook;
use super::install::{HostFindings, hosts};
use super::session::list::as_json;
use crate::cli::app::App;
use crate::cli::follow::follow;
use crate::cli::i18n::{in_one_line, text};
use crate::cli::{Done, Global, ui};
use scratchpad::hosts::files;
use scratchpad::model::error::Result;
use scratchpad::model::id::Millis;
use scratchpad::model::output::ledger::stats::Sums;
use scratchpad::project::unique_name;
use scratchpad::scratchpad::{NoteCounts, StatsScope, system_time};
use scratchpad::store::LastHookCall;
use scratchpad::{KnownSession, OutputStats, Scratchpad, Whose};

/// How many sessions fit on the screen with everything else.
const MOST_SESSIONS: usize = 5;
/// Savings are of this long.
const SAVINGS_OF: Millis = 30 * 24 * 60 * 60 * 1_000;
/// A failure of a hook is worth reading for this long.
const RECENT: Millis = 24 * 60 * 60 * 1_000;

#[derive(Args, Default)]
#[command(after_help = "\
Example:
  scratchpad status --follow

It shows the sessions, notes and outputs of the project, the hosts that are set up, and what is wrong. \
On a terminal, `scratchpad` alone shows the same. `scratchpad doctor` checks everything.")]
pub(in crate::cli) struct StatusArgs {
    /// Show it again whenever it changes, until Ctrl-C
    #[arg(long)]
    follow: bool,
}

/// What there is to show.
struct Status {
    project: String,
    branch: Option<String>,
    /// The linked worktree that we are in; empty in the main one.
    worktree: String,
    /// This and what follows: `None` if it can't be read.
    sessions: Option<SomeSessions>,
    notes: Option<NoteCounts>,
    outputs: Option<OutputStats>,
    retention: Retention,
    savings: Option<Sums>,
    hosts: Vec<HostStatus>,
    problems: Vec<String>,
}

/// The sessions that fit on the screen.
struct SomeSessions {
    shown: Vec<KnownSession>,
    has_more: bool,
}

/// A host, and what it did last.
struct HostStatus {
    findings: HostFindings,
    last: Option<LastHookCall>,
    /// Whether one of its agents has written to a pad in this project.
    has_written: bool,
    /// Whether the store says something about it.
    is_readable: bool,
}

pub(in crate::cli) fn run(args: &StatusArgs, global: &Global) -> Result<Done> {
    if args.follow {
        follow(|| rendered(global))?;
    } else {
        ui::print(&rendered(global)?)?;
    }
    Ok(Done::Well)
}

fn rendered(global: &Global) -> Result<String> {
    let status = Status::find(global)?;
    Ok(if global.json {
        ui::json_text(&status.to_json())
    } else {
        status.screen()
    })
}

impl Status {
    /// Looks at everything; what can't be read is a problem to show.
    fn find(global: &Global) -> Result<Self> {
        let (app, fatal) = App::find_despite(global)?;
        let problems = fatal.iter().chain(&app.problems);
        let mut status = Self {
            project: app.project.root.display().to_string(),
            branch: app.project.branch(),
            worktree: app.project.worktree().map(unique_name).unwrap_or_default(),
            sessions: None,
            notes: None,
            outputs: None,
            retention: Retention::default(),
            savings: None,
            hosts: Vec::new(),
            problems: problems.map(in_one_line).collect(),
        };
        // Which store it would be, those settings say.
        let pad = if fatal.is_empty() {
            let pad = app.scratchpad_for_a_moment();
            pad.and_then(|pad| status.look_into(&pad).map(|()| pad))
                .inspect_err(|error| status.problems.push(in_one_line(error)))
                .ok()
        } else {
            None
        };
        for findings in hosts(&app, pad.as_ref()) {
            let host = HostStatus::of(findings, pad.as_ref());
            status.problems.extend(host.problems());
            status.hosts.push(host);
        }
        status.problems.extend(failed_hook(&app));
        Ok(status)
    }

    fn look_into(&mut self, pad: &Scratchpad) -> Result<()> {
        let mut heads = pad.sessions_of_project(MOST_SESSIONS + 1)?;
        let has_more = heads.len() > MOST_SESSIONS;
        heads.truncate(MOST_SESSIONS);
        let shown = pad.known_sessions(heads)?;
        self.sessions = Some(SomeSessions { shown, has_more });
        self.notes = Some(pad.project_notes()?);
        self.outputs = Some(pad.output_stats(Whose::Project)?);
        self.retention = Retention::of(pad)?;
        let recent = StatsScope {
            session: None,
            of: Whose::Project,
            since: Some(SAVINGS_OF),
            everybody: false,
        };
        self.savings = Some(pad.stats(recent)?.sums);
        Ok(())
    }

    fn to_json(&self) -> Value {
        let sessions = self.sessions.as_ref();
        let shown: Option<Vec<Value>> = sessions.map(|it| it.shown.iter().map(as_json).collect());
        let notes = self.notes.as_ref().map(notes_as_json);
        let outputs = self
            .outputs
            .as_ref()
            .map(|it| json!({"count": it.outputs, "bytes": it.bytes, "newest": it.newest}));
        let hosts: Vec<Value> = self.hosts.iter().map(HostStatus::to_json).collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "project": self.project,
            "branch": self.branch,
            "worktree": (!self.worktree.is_empty()).then_some(&self.worktree),
            "sessions": shown,
            "has_more": sessions.map(|it| it.has_more),
            "notes": notes,
            "outputs": outputs,
            "retention": self.retention.to_json(),
            "net_tokens": self.savings.as_ref().map(Sums::net),
            "hosts": hosts,
            "problems": self.problems,
        })
    }
}

fn notes_as_json(notes: &NoteCounts) -> Value {
    let tags = notes.tags.iter();
    let tags: Vec<Value> = tags
        .map(|(tag, count)| json!({"tag": tag, "count": count}))
        .collect();
    json!({"count": notes.notes, "tags": tags})
}

impl HostStatus {
    fn of(findings: HostFindings, pad: Option<&Scratchpad>) -> Self {
        let last = pad.and_then(|pad| pad.last_hook_call(findings.host).ok()?);
        let has_written = pad.and_then(|pad| pad.has_written_pad(findings.host).ok());
        Self {
            has_written: has_written.unwrap_or(false),
            is_readable: pad.is_some(),
            findings,
            last,
        }
    }

    /// What is wrong, apart from not being set up, which is a choice.
    fn problems(&self) -> Vec<String> {
        if self.findings.is_set_up {
            self.findings.failures().collect()
        } else {
            Vec::new()
        }
    }

    fn to_json(&self) -> Value {
        let last = self.last.as_ref().map(|call| {
            json!({"event": call.event, "session": call.session.as_str(), "at": call.at, "has_written": self.has_written})
        });
        json!({
            "host": self.findings.host.name,
            "title": self.findings.host.title,
            "set_up": self.findings.is_set_up,
            "problems": self.findings.failures().collect::<Vec<_>>(),
            "last_event": last,
        })
    }
}

/// The last failure of a hook, if it was not long ago.
fn failed_hook(app: &App) -> Option<String> {
    let log = match files::read(&app.directories.data.join(hook::LOG)) {
        Ok(log) => log.unwrap_or_default(),
        Err(error) => return Some(in_one_line(&error)),
    };
    let line = log.lines().last()?;
    let (when, what) = line.split_once(' ').unwrap_or_default();
    let at = when
        .parse()
        .map_or(0, |at: jiff::Timestamp| at.as_millisecond());
    let is_recent = system_time() - at < RECENT;
    is_recent.then(|| text!("status-hook-failed", age = ui::age(at), what = what))
}
