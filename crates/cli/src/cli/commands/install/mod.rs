//! `install`, `uninstall`, `doctor` and `plugin`: our entries in the hosts' own configuration files.

mod doctor;
mod prove;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::{guidance, inject};
use crate::cli::app::App;
use crate::cli::i18n::{text, translated};
use crate::cli::{Done, Global, env, ui};
use scratchpad::hosts::inject::Mode;
use scratchpad::hosts::install::{FileChange, FileOutcome, Installer, hooked_hosts, write_plugin};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host;
use scratchpad::model::host::Host;
use scratchpad::model::host::install::Program;
use scratchpad::model::host::instructions::HookedHosts;
use scratchpad::model::host::path::Reach;
use scratchpad::model::text::diff;
use scratchpad::model::text::message::{Message, message};
use scratchpad::model::tool::skill::skill;

pub(in crate::cli) use doctor::{DoctorArgs, run_doctor};

/// How long to wait for another installer.
const TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Args)]
struct Choice {
    /// The hosts: claude, codex, gemini, qwen, copilot, opencode, cline, cursor, vscode, windsurf, zed, goose
    #[arg(value_name = "HOST")]
    hosts: Vec<String>,
    /// Every host found here
    #[arg(long, conflicts_with = "hosts")]
    all: bool,
    /// The repository's files instead of your own
    #[arg(long)]
    project: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad install claude
  scratchpad install --all --dry-run

Everything else in the files is left alone, comments and layout included. What was there before is kept in \
the data directory, so that `scratchpad uninstall` can restore it byte for byte.")]
pub(in crate::cli) struct InstallArgs {
    #[command(flatten)]
    choice: Choice,
}

#[derive(Args)]
#[command(after_help = "\
A file that has not changed since is restored as it was; from any other, only scratchpad's entries are removed.")]
pub(in crate::cli) struct UninstallArgs {
    #[command(flatten)]
    choice: Choice,
}

#[derive(Args)]
#[command(after_help = "\
Example:
  scratchpad plugin ./scratchpad-plugin
  claude plugin marketplace add ./scratchpad-plugin
  claude plugin install scratchpad@scratchpad
  gemini extensions install ./scratchpad-plugin/gemini-extension")]
pub(in crate::cli) struct PluginArgs {
    /// The directory to write to
    directory: PathBuf,
}

impl Choice {
    fn installer(&self, global: &Global) -> Result<Installer> {
        Ok(Installer {
            reach: if self.project {
                Reach::Project
            } else {
                Reach::Global
            },
            places: env::places(&env::project(global)?),
            data: env::directories()?.data,
            timeout: TIMEOUT,
        })
    }

    fn mode(&self) -> Mode {
        if self.dry_run {
            Mode::Rehearse
        } else {
            Mode::Apply
        }
    }

    fn hosts(&self, installer: &Installer) -> Result<Vec<&'static Host>> {
        if self.all {
            return Ok(installer.found());
        }
        if self.hosts.is_empty() {
            let names = host::names(Host::is_installable).join(", ");
            return Err(Error::usage("No host given.").hint(message!(
                "name one or more, or use --all for those found here: {names}.",
                names
            )));
        }
        self.hosts
            .iter()
            .map(|name| host::installable(name))
            .collect()
    }
}

pub(in crate::cli) fn run(args: &InstallArgs, global: &Global) -> Result<Done> {
    let installer = args.choice.installer(global)?;
    let program = program(&App::find(global)?)?;
    let hosts = args.choice.hosts(&installer)?;
    let changes = installer.install(&hosts, &program, args.choice.mode())?;
    let todo: Vec<(&str, Vec<Message>)> = hosts
        .iter()
        .map(|host| (host.title, installer.left_to_do(host)))
        .filter(|(_, sentences)| !sentences.is_empty())
        .collect();
    report(&changes, &todo, args.choice.mode(), global)
}

/// How hosts start this program.
fn program(app: &App) -> Result<Program> {
    Ok(Program {
        path: env::own_path()?,
        guidance: guidance::standard(app),
    })
}

pub(in crate::cli) fn run_uninstall(args: &UninstallArgs, global: &Global) -> Result<Done> {
    let installer = args.choice.installer(global)?;
    let hosts = args.choice.hosts(&installer)?;
    let changes = installer.uninstall(&hosts, args.choice.mode())?;
    let done = report(&changes, &[], args.choice.mode(), global)?;
    if args.choice.mode() == Mode::Apply {
        inject::refresh_after_hooks(global)?;
    }
    Ok(done)
}

/// In a dry run, the change as a diff.
fn shown(change: &FileChange, mode: Mode) -> Option<String> {
    let is_one = matches!(
        change.outcome,
        FileOutcome::WouldWrite | FileOutcome::WouldChange | FileOutcome::Already
    );
    (mode == Mode::Rehearse && is_one).then(|| {
        diff::unified(
            &change.path.display().to_string(),
            change.before.as_deref().map(str::as_bytes),
            change.after.as_deref().map(str::as_bytes),
        )
    })
}

/// The outcome for a file: a word for programs, a sentence for people.
fn in_words(outcome: FileOutcome) -> (&'static str, String) {
    match outcome {
        FileOutcome::Wrote => ("wrote", text!("install-wrote")),
        FileOutcome::Already => ("already", text!("install-already")),
        FileOutcome::WouldWrite => ("would write", text!("install-would-write")),
        FileOutcome::NothingOfOurs => ("nothing of ours in", text!("install-nothing")),
        FileOutcome::WouldChange => ("would change", text!("install-would-change")),
        FileOutcome::Removed => ("removed", text!("install-removed")),
        FileOutcome::Restored => ("restored", text!("install-restored")),
        FileOutcome::RemovedEntries => {
            ("removed our entries from", text!("install-removed-entries"))
        }
    }
}

fn report(
    changes: &[FileChange],
    todo: &[(&str, Vec<Message>)],
    mode: Mode,
    global: &Global,
) -> Result<Done> {
    if global.json {
        let changes: Vec<Value> = changes
            .iter()
            .map(|it| {
                let (outcome, _) = in_words(it.outcome);
                let path = it.path.display().to_string();
                json!({"host": it.host.name, "file": path, "parts": it.parts.english(), "outcome": outcome, "diff": shown(it, mode)})
            })
            .collect();
        let todo: Vec<Value> = todo
            .iter()
            .map(|(host, sentences)| json!({"host": host, "text": Message::joined(sentences.iter().cloned(), " ").english()}))
            .collect();
        ui::print_json(&json!({"files": changes, "todo": todo}))?;
        return Ok(Done::Well);
    }
    let mut text = String::new();
    for change in changes {
        let parts = translated(&change.parts);
        let remark = if parts.is_empty() {
            String::new()
        } else {
            format!(": {parts}")
        };
        let (_, outcome) = in_words(change.outcome);
        let path = change.path.display().to_string();
        text.push_str(&[&outcome, " ", &path, &remark, "\n"].concat());
        text.push_str(&shown(change, mode).unwrap_or_default());
    }
    if changes.is_empty() && todo.is_empty() {
        text.push_str(&(text!("install-no-host") + "\n"));
    }
    for (host, sentences) in todo {
        let sentences = translated(&Message::joined(sentences.iter().cloned(), " "));
        text.push_str(&["\n", host, ": ", &sentences, "\n"].concat());
    }
    ui::show(&text)?;
    Ok(Done::Well)
}

/// The hosts whose installed hooks give agents the context notes.
pub(in crate::cli) fn hooked(app: &App) -> HookedHosts {
    hooked_hosts(&env::places(&app.project), &|| {
        app.scratchpad_for_a_moment()
    })
}

pub(in crate::cli) fn run_plugin(args: &PluginArgs, global: &Global) -> Result<Done> {
    let program = Program {
        path: env::program()?,
        ..Program::default()
    };
    let paths = write_plugin(
        &args.directory,
        &program,
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_DESCRIPTION"),
        &skill(&guidance::offered(&App::find(global)?.settings)),
    )?;
    if global.json {
        ui::print_json(
            &json!({"directory": args.directory.display().to_string(), "files": paths}),
        )?;
    } else {
        let directory = args.directory.display().to_string();
        let wrote = text!("install-plugin", directory = directory);
        ui::show(&format!("{wrote}\n  {}\n", paths.join("\n  ")))?;
    }
    Ok(Done::Well)
}
