//! `setup`: everything from finding the hosts to proof that they work, with one question.

mod chosen;
mod plan;

use clap::Args;
use serde_json::{Value, json};

use super::doctor::not_ignored;
use super::nudges::{self, Nudges};
use super::prove::{Obstacle, proof};
use super::report::Results;
use super::{Choice, program};
use crate::cli::app::App;
use crate::cli::i18n::{in_one_line, text, translated};
use crate::cli::ui::Paint;
use crate::cli::{Done, Global, ui};
use chosen::{Answer, read_answer};
use plan::{looked_for, plan};
use scratchpad::hosts::checks::tools_of_server;
use scratchpad::hosts::inject::Mode;
use scratchpad::hosts::install::{HostChanges, Installer};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host::Host;
use scratchpad::model::host::hook::has_recorded_compaction;
use scratchpad::model::host::install::Program;
use scratchpad::model::host::path::Reach;
use scratchpad::model::text::message::Message;

#[derive(Args)]
#[command(after_help = "\
Example:
  scratchpad setup

It finds the agent hosts of this machine, says what it would write and change, asks once, sets them up, and \
replays a compaction in each to prove that it works. `scratchpad uninstall --all` undoes it; hints are switched off by \
`scratchpad install --nudges off`.")]
pub(in crate::cli) struct SetupArgs {
    /// Don't ask: set up every host that is found
    #[arg(long)]
    yes: bool,
    /// Hints for an agent that forgets its pad, in your settings
    #[arg(long, value_name = "HOW", value_enum)]
    nudges: Option<Nudges>,
}

/// What became of a host.
struct Outcome {
    host: &'static Host,
    state: State,
    /// What is left to the person.
    todo: Vec<Message>,
}

enum State {
    /// Set up, and a plan came back after a compaction.
    Proved,
    /// Set up; it has no hooks to prove.
    ToolsOnly,
    /// Set up; it sends no events around a compaction that could be replayed.
    Unprovable,
    /// Set up, but something keeps it from working.
    Waiting(String),
    Failed(Error),
}

pub(in crate::cli) fn run_setup(args: &SetupArgs, global: &Global) -> Result<Done> {
    let installer = Choice::default().installer(global)?;
    let app = App::find(global)?;
    let found = not_ignored(installer.found(), &app);
    if found.is_empty() {
        return nothing_found(&installer, global);
    }
    let program = program(&app, Reach::Global)?;
    let rehearsed = installer.install(&found, &program, Mode::Rehearse)?;
    let answer = if args.yes {
        Answer {
            hosts: found,
            hints: args.nudges == Some(Nudges::Gentle),
        }
    } else {
        let plan = plan(&rehearsed, &Results::of(&app, &program), args.nudges);
        match asked(&plan, &found, args, global)? {
            Some(answer) => answer,
            None => return Ok(Done::Well),
        }
    };
    let changes = installer.install(&answer.hosts, &program, Mode::Apply)?;
    let nudges = answer.hints.then_some(Nudges::Gentle).or(args.nudges);
    if let Some(nudges) = nudges {
        nudges::set(nudges, Mode::Apply, global)?;
    }
    let outcomes: Vec<Outcome> = changes
        .into_iter()
        .map(|changes| outcome(changes, &installer, global))
        .collect();
    report(&outcomes, &program, nudges, global)
}

/// What the person wants; `None` for nothing.
fn asked(
    plan: &str,
    found: &[&'static Host],
    args: &SetupArgs,
    global: &Global,
) -> Result<Option<Answer>> {
    if global.json || !ui::can_ask() {
        if !global.json {
            ui::print(plan)?;
        }
        return Err(Error::refused("Not confirmed.")
            .hint("run it on a terminal, or pass --yes to set up every host that was found."));
    }
    ui::print(plan)?;
    let names: Vec<&str> = found.iter().map(|host| host.name).collect();
    let question = text!("setup-question", names = names.join(" "));
    let answer = read_answer(&ui::ask(&question)?, found)?;
    if let Some(answer) = answer {
        let hints = answer.hints || args.nudges == Some(Nudges::Gentle);
        return Ok(Some(Answer { hints, ..answer }));
    }
    ui::print(&format!("{}\n", text!("setup-nothing-done")))?;
    Ok(None)
}

fn nothing_found(installer: &Installer, global: &Global) -> Result<Done> {
    if global.json {
        ui::print_json(&json!({"hosts": []}))?;
    } else {
        ui::print(&looked_for(&installer.places))?;
    }
    Ok(Done::WithErrorReply)
}

/// Proves what was installed.
fn outcome(changes: HostChanges, installer: &Installer, global: &Global) -> Outcome {
    let host = changes.host;
    let state = match changes.files {
        Err(error) => State::Failed(error),
        Ok(_) if !host.has_hooks() => State::ToolsOnly,
        Ok(_) if !has_recorded_compaction(host) => State::Unprovable,
        Ok(_) => match proof(host, global) {
            Err(error) => State::Failed(error),
            Ok(proof) if !proof.is_well => State::Waiting(text!("setup-lost")),
            Ok(proof) => match proof.obstacle {
                Obstacle::None => State::Proved,
                Obstacle::NotInstalled => State::Waiting(text!("setup-lost")),
                Obstacle::NotApproved(reason) => State::Waiting(reason),
            },
        },
    };
    Outcome {
        todo: installer.left_to_do(host),
        host,
        state,
    }
}

impl Outcome {
    fn is_set_up(&self) -> bool {
        !matches!(self.state, State::Failed(_))
    }

    fn line(&self) -> String {
        let title = self.host.title;
        let (paint, words) = match &self.state {
            State::Proved => (Paint::Good, text!("setup-proved")),
            State::ToolsOnly => (Paint::Good, text!("setup-tools-only")),
            State::Unprovable => (Paint::Good, text!("setup-unprovable")),
            State::Waiting(reason) => (
                Paint::Warning,
                text!("setup-waiting", reason = reason.as_str()),
            ),
            State::Failed(error) => (Paint::Bad, in_one_line(error)),
        };
        let todo = translated(&Message::joined(self.todo.clone(), " "));
        let is_said = matches!(self.state, State::Waiting(_) | State::Failed(_));
        let words = if todo.is_empty() || is_said {
            words
        } else {
            format!("{words}. {todo}")
        };
        let laid = ui::labelled("", 2, &ui::escaped(&format!("{title}: {words}")));
        format!("{}\n", paint.over_lines(laid.trim_end()))
    }

    fn to_json(&self) -> Value {
        let problem = match &self.state {
            State::Proved | State::ToolsOnly | State::Unprovable => None,
            State::Waiting(reason) => Some(reason.clone()),
            State::Failed(error) => Some(error.to_string()),
        };
        json!({
            "host": self.host.name,
            "set_up": self.is_set_up(),
            "proved": matches!(self.state, State::Proved),
            "problem": problem,
        })
    }
}

fn report(
    outcomes: &[Outcome],
    program: &Program,
    nudges: Option<Nudges>,
    global: &Global,
) -> Result<Done> {
    let tools = tools_of_server(program);
    let is_well = tools.is_ok() && outcomes.iter().all(Outcome::is_set_up);
    if global.json {
        let hosts: Vec<Value> = outcomes.iter().map(Outcome::to_json).collect();
        let (tools, problem) = match &tools {
            Ok(tools) => (Some(tools), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let server = json!({"tools": tools, "problem": problem});
        let nudges = nudges::as_json(nudges);
        ui::print_json(&json!({"hosts": hosts, "server": server, "nudges": nudges}))?;
    } else {
        let mut lines: Vec<String> = outcomes.iter().map(Outcome::line).collect();
        lines.push(match &tools {
            Ok(count) => ui::labelled("", 2, &text!("setup-server", count = *count)),
            Err(error) => {
                let laid = ui::labelled("", 2, &ui::escaped(&in_one_line(error)));
                format!("{}\n", Paint::Bad.over_lines(laid.trim_end()))
            }
        });
        let titles: Vec<&str> = outcomes
            .iter()
            .filter(|it| it.is_set_up())
            .map(|it| it.host.title)
            .collect();
        if !titles.is_empty() {
            let next = text!("setup-next", hosts = titles.join(", "));
            lines.push(ui::labelled("", 0, &next));
        }
        ui::print(&lines.concat())?;
    }
    Ok(if is_well {
        Done::Well
    } else {
        Done::WithErrorReply
    })
}
