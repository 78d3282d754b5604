//! `install`, `uninstall`, `doctor` and `plugin`: agent hosts, wired to us and back.

mod doctor;
mod files;
mod ledger;
mod prove;

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::guidance;
use crate::cli::app::App;
use crate::cli::i18n::{text, translated};
use crate::cli::{Done, Global, env, ui};
use files::{File, Reach, Undo};
use ledger::Ledger;
use scratchpad::disk::private;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host::hook;
use scratchpad::model::host::hook::Delivery;
use scratchpad::model::host::install::{
    Part, Program, WIRINGS, What, Wiring, plugin_files, wiring,
};
use scratchpad::model::host::targets;
use scratchpad::model::text::diff;

pub(in crate::cli) use doctor::{DoctorArgs, run_doctor};

#[derive(Args)]
struct Choice {
    /// The hosts: claude, codex, gemini, qwen, copilot, opencode, cline, cursor, vscode, windsurf, zed, goose
    #[arg(value_name = "HOST")]
    hosts: Vec<String>,
    /// Every host that is found
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

Everything else in the files stays as it is, comments and layout too. What was there before is kept in the
data directory, so that `scratchpad uninstall` can bring it back to the byte.")]
pub(in crate::cli) struct InstallArgs {
    #[command(flatten)]
    choice: Choice,
}

#[derive(Args)]
#[command(after_help = "\
A file that nobody changed since is brought back as it was; in any other only our entries are removed.")]
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
    /// The directory to write
    directory: PathBuf,
}

impl Choice {
    fn reach(&self, global: &Global) -> Result<Reach> {
        Ok(if self.project {
            Reach::Project(env::project(global)?.root)
        } else {
            Reach::User
        })
    }

    fn chosen(&self, reach: &Reach) -> Result<Vec<&'static Wiring>> {
        if self.all {
            let found = WIRINGS.iter().filter(|host| files::is_found(host, reach));
            return Ok(found.collect());
        }
        if self.hosts.is_empty() {
            let names: Vec<&str> = WIRINGS.iter().map(|host| host.name).collect();
            return Err(Error::usage("No host was named.").hint(format!(
                "name some, or give --all for those that are found: {}.",
                names.join(", ")
            )));
        }
        self.hosts.iter().map(|name| wiring(name)).collect()
    }
}

/// What became of one file.
struct Change {
    host: &'static str,
    path: String,
    parts: String,
    what: &'static str,
    diff: Option<String>,
}

pub(in crate::cli) fn run(args: &InstallArgs, global: &Global) -> Result<Done> {
    let reach = args.choice.reach(global)?;
    let program = Program {
        path: env::own_path()?,
        guidance: guidance::standard(&App::find(global)?),
    };
    let hosts = args.choice.chosen(&reach)?;
    let mut ledger = Ledger::open()?;
    let mut changes = Vec::new();
    for host in &hosts {
        for file in files::of(host, &reach)? {
            let new = file.added(&program)?;
            let what = if file.text.as_ref() == Some(&new) {
                "already"
            } else if args.choice.dry_run {
                "would write"
            } else {
                ledger.write(&file, &new)?;
                "wrote"
            };
            changes.push(change(host, &file, what, Some(&new), args.choice.dry_run));
        }
    }
    let todo: Vec<(&str, Vec<String>)> = hosts
        .iter()
        .map(|host| (host.title, left_to_do(host, &reach)))
        .filter(|(_, sentences)| !sentences.is_empty())
        .collect();
    report(&changes, &todo, global)
}

pub(in crate::cli) fn run_uninstall(args: &UninstallArgs, global: &Global) -> Result<Done> {
    let reach = args.choice.reach(global)?;
    let mut ledger = Ledger::open()?;
    let mut changes = Vec::new();
    let hosts = args.choice.chosen(&reach)?;
    for host in &hosts {
        for file in files::of(host, &reach)? {
            let undo = ledger.undo(&file)?;
            let new = match &undo {
                Undo::Nothing => {
                    changes.push(change(host, &file, "nothing of ours in", None, false));
                    continue;
                }
                Undo::Restore(text) | Undo::Edit(text) => text.clone(),
            };
            let what = match (args.choice.dry_run, &undo, &new) {
                (true, ..) => "would change",
                (_, _, None) => "removed",
                (_, Undo::Restore(_), _) => "restored",
                _ => "removed our entries from",
            };
            if !args.choice.dry_run {
                ledger.take_back(&file, new.as_deref())?;
            }
            changes.push(change(
                host,
                &file,
                what,
                new.as_deref(),
                args.choice.dry_run,
            ));
        }
    }
    ledger.tidy();
    report(&changes, &[], global)
}

fn change(host: &Wiring, file: &File, what: &'static str, new: Option<&str>, show: bool) -> Change {
    let path = file.path.display().to_string();
    let diff = show.then(|| {
        let before = file.text.as_deref().map(str::as_bytes);
        diff::unified(&path, before, new.map(str::as_bytes))
    });
    Change {
        host: host.name,
        parts: file.titles(),
        path,
        what,
        diff,
    }
}

/// What became of a file, for the person.
fn outcome(what: &str) -> String {
    match what {
        "wrote" => text!("install-wrote"),
        "already" => text!("install-already"),
        "would write" => text!("install-would-write"),
        "nothing of ours in" => text!("install-nothing"),
        "would change" => text!("install-would-change"),
        "removed" => text!("install-removed"),
        "restored" => text!("install-restored"),
        _ => text!("install-removed-entries"),
    }
}

/// What `install` leaves to the person, in sentences.
fn left_to_do(host: &Wiring, reach: &Reach) -> Vec<String> {
    let (here, there) = match reach {
        Reach::User => (host.user, host.project),
        Reach::Project(_) => (host.project, host.user),
    };
    let only_there = |is_it: fn(&What) -> bool| {
        let has = |parts: &[Part]| parts.iter().any(|part| is_it(&part.what));
        has(there) && !has(here)
    };
    let (title, name) = (host.title, host.name);
    let more = match reach {
        Reach::User if only_there(What::is_instructions) => format!(
            "{title} keeps rules for all projects in no file: paste what `scratchpad guidance` prints into its settings, \
             or run `scratchpad install {name} --project` in a repository."
        ),
        Reach::Project(_) if only_there(What::is_server) => {
            format!(
                "{title} has MCP servers for all projects only: run `scratchpad install {name}` too."
            )
        }
        _ => String::new(),
    };
    let sentences = [host.todo.to_owned(), more].into_iter();
    sentences.filter(|it| !it.is_empty()).collect()
}

fn report(changes: &[Change], todo: &[(&str, Vec<String>)], global: &Global) -> Result<Done> {
    if global.json {
        let changes: Vec<Value> = changes
            .iter()
            .map(|it| {
                json!({"host": it.host, "file": it.path, "parts": it.parts, "outcome": it.what, "diff": it.diff})
            })
            .collect();
        let todo: Vec<Value> = todo
            .iter()
            .map(|(host, sentences)| json!({"host": host, "text": sentences.join(" ")}))
            .collect();
        ui::print_json(&json!({"files": changes, "todo": todo}))?;
        return Ok(Done::Well);
    }
    let mut text = String::new();
    for change in changes {
        let remark = if change.parts.is_empty() {
            String::new()
        } else {
            format!(": {}", change.parts)
        };
        let outcome = outcome(change.what);
        text.push_str(&[&outcome, " ", &change.path, &remark, "\n"].concat());
        text.push_str(change.diff.as_deref().unwrap_or_default());
    }
    if changes.is_empty() && todo.is_empty() {
        text.push_str(&(text!("install-no-host") + "\n"));
    }
    for (host, sentences) in todo {
        let sentences: Vec<String> = sentences.iter().map(|it| translated(it)).collect();
        text.push_str(&["\n", host, ": ", &sentences.join(" "), "\n"].concat());
    }
    ui::show(&text)?;
    Ok(Done::Well)
}

/// The hosts whose hooks tell their agents the context notes, here.
///
/// Only those that have called: one that does not run its hooks would leave its agent without the notes.
pub(in crate::cli) fn wired(app: &App) -> targets::Wiring {
    let reaches = [Reach::User, Reach::Project(app.project.root.clone())];
    let has_hooks = |host: &'static Wiring| {
        reaches.iter().any(|reach| {
            let files = files::of(host, reach).unwrap_or_default();
            files.iter().any(File::has_our_hooks)
        })
    };
    let has_called = |host: &Wiring| {
        let last = hook::host(host.name).and_then(|host| match host.delivery {
            Delivery::AfterTools => Ok(None),
            _ => app.pad_for_a_moment()?.last_attended(host),
        });
        matches!(last, Ok(Some(_)))
    };
    let hooked = WIRINGS
        .iter()
        .filter(|host| has_hooks(host) && has_called(host));
    targets::Wiring {
        hooked: hooked.map(|host| host.name).collect(),
    }
}

pub(in crate::cli) fn run_plugin(args: &PluginArgs, global: &Global) -> Result<Done> {
    let program = Program {
        path: env::program()?,
        ..Program::default()
    };
    let files = plugin_files(
        &program,
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_DESCRIPTION"),
    );
    for (path, text) in &files {
        write_new(&args.directory.join(path), text)?;
    }
    let paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
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

fn write_new(path: &Path, text: &str) -> Result<()> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)
            .map_err(|error| private::cannot("make the directory", directory, &error))?;
    }
    std::fs::write(path, text).map_err(|error| private::cannot("write", path, &error))
}
