//! `install`, `uninstall`, `doctor` and `plugin`: our entries in the hosts' own configuration files.

mod doctor;
mod nudges;
mod prove;
mod report;
mod setup;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::{guidance, inject};
use crate::cli::app::App;
use crate::cli::i18n::text;
use crate::cli::{Done, Global, env, ui};
use nudges::Nudges;
use scratchpad::hosts::inject::Mode;
use scratchpad::hosts::install::{Installer, hooked_hosts, write_plugin};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host;
use scratchpad::model::host::Host;
use scratchpad::model::host::install::{NAME, Program, checked_name};
use scratchpad::model::host::instructions::HookedHosts;
use scratchpad::model::host::path::Reach;
use scratchpad::model::text::message::message;
use scratchpad::model::tool::skill::skill;

pub(in crate::cli) use doctor::{DoctorArgs, run_doctor};
pub(in crate::cli::commands) use doctor::{HostFindings, hosts};
pub(in crate::cli) use setup::{SetupArgs, run_setup};

/// How long to wait for another installer.
const TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Args, Default)]
struct Choice {
    #[arg(value_name = "HOST", help = format!("The hosts: {}", host::names(Host::is_installable).join(", ")))]
    hosts: Vec<String>,
    /// The name of scratchpad's MCP server in their settings [default: scratchpad]
    #[arg(long, value_parser = checked_name)]
    name: Option<String>,
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
  scratchpad install claude --no-outputs
  scratchpad install claude --nudges gentle

The files of a host are changed all or not at all, and a host that fails doesn't stop the others. Everything else in the files is left alone, comments and layout included. What was there before is kept in \
the data directory, so that `scratchpad uninstall` can restore it byte for byte.")]
pub(in crate::cli) struct InstallArgs {
    #[command(flatten)]
    choice: Choice,
    /// Leave large results of tools alone, instead of replacing them by references
    #[arg(long)]
    no_outputs: bool,
    /// Show plan and outputs in the host's status line, if it has one and it is not taken
    #[arg(long)]
    statusline: bool,
    /// Hints for an agent that forgets its pad, in your settings
    #[arg(long, value_name = "HOW", value_enum)]
    nudges: Option<Nudges>,
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
    /// How hosts start scratchpad [default: its name if that is on PATH, else its path]
    #[arg(long, value_name = "PATH")]
    program: Option<String>,
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
            server: self.name.clone(),
        })
    }

    fn mode(&self) -> Mode {
        if self.dry_run {
            Mode::Rehearse
        } else {
            Mode::Apply
        }
    }

    /// Whether no host is meant: hints are for all hosts, so setting them needs none.
    fn names_none(&self) -> bool {
        !self.all && self.hosts.is_empty()
    }

    fn hosts(&self, installer: &Installer) -> Result<Vec<&'static Host>> {
        if self.all {
            return Ok(installer.found());
        }
        if self.names_none() {
            return Err(no_host_given(&installer.found()));
        }
        self.hosts
            .iter()
            .map(|name| host::installable(name))
            .collect()
    }
}

fn no_host_given(found: &[&Host]) -> Error {
    let error = Error::usage("No host given.");
    if found.is_empty() {
        let names = host::names(Host::is_installable).join(", ");
        return error.hint(message!(
            "none was found here: name one or more of {names}.",
            names
        ));
    }
    let names: Vec<&str> = found.iter().map(|host| host.name).collect();
    error.hint(message!(
        "name one or more, or use --all for those found here: {names}.",
        names = names.join(", ")
    ))
}

pub(in crate::cli) fn run(args: &InstallArgs, global: &Global) -> Result<Done> {
    if let Some(nudges) = args.nudges
        && args.choice.names_none()
    {
        nudges::set(nudges, args.choice.mode(), global)?;
        if global.json {
            ui::print_json(&json!({"nudges": nudges::as_json(Some(nudges))}))?;
        }
        return Ok(Done::Well);
    }
    let installer = args.choice.installer(global)?;
    let app = App::find(global)?;
    let program = Program {
        offloads: !args.no_outputs,
        status_line: args.statusline,
        ..program(&app, installer.reach)?
    };
    let hosts = args.choice.hosts(&installer)?;
    let mode = args.choice.mode();
    if args.statusline {
        warn_of_status_lines(&hosts, &installer);
    }
    let changes = installer.install(&hosts, &program, mode)?;
    if installer.reach == Reach::Project && !env::is_on_path() {
        ui::warn(&text!("install-not-on-path"));
    }
    if installer.reach == Reach::Global && env::is_cached_by_npx(&program.path) {
        ui::warn(&text!("install-from-npx"));
    }
    let left = report::Left::ByInstall {
        installer: &installer,
        has_pad: app.settings.pad.enabled,
        results: report::Results::of(&app, &program),
    };
    let done = report::report(&changes, &left, mode, global)?;
    if let Some(nudges) = args.nudges {
        nudges::set(nudges, mode, global)?;
    }
    Ok(done)
}

/// Says which hosts keep the status line they have, or have none.
fn warn_of_status_lines(hosts: &[&'static Host], installer: &Installer) {
    for host in hosts {
        // Files that can't be read are reported by the installation.
        match installer.has_foreign_status_line(host).unwrap_or_default() {
            Some(false) => {}
            Some(true) => ui::warn(&text!("install-status-line-taken", host = host.title)),
            None => ui::warn(&text!("install-status-line-none", host = host.title)),
        }
    }
}

/// How hosts start this program. The files of a project are for other machines too, so they have its name alone.
fn program(app: &App, reach: Reach) -> Result<Program> {
    Ok(Program {
        path: match reach {
            Reach::Global => env::own_path()?,
            Reach::Project => NAME.to_owned(),
        },
        guidance: guidance::standard(app),
        ..Program::default()
    })
}

pub(in crate::cli) fn run_uninstall(args: &UninstallArgs, global: &Global) -> Result<Done> {
    let installer = args.choice.installer(global)?;
    let hosts = args.choice.hosts(&installer)?;
    let program = Program {
        path: env::own_path()?,
        ..Program::default()
    };
    let mode = args.choice.mode();
    let changes = installer.uninstall(&hosts, &program, mode)?;
    let done = report::report(&changes, &report::Left::ByUninstall, mode, global)?;
    if mode == Mode::Apply {
        inject::refresh_after_hooks(global)?;
    }
    Ok(done)
}

/// The hosts whose installed hooks give agents the context notes.
pub(in crate::cli) fn hooked(app: &App) -> HookedHosts {
    hooked_hosts(&env::places(&app.project), &|| {
        app.scratchpad_for_a_moment()
    })
}

pub(in crate::cli) fn run_plugin(args: &PluginArgs, global: &Global) -> Result<Done> {
    let program = Program {
        path: match &args.program {
            Some(path) => path.clone(),
            None => env::program()?,
        },
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
