//! `store copy`: copies everything from one store to another.

mod backup;

use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::app::App;
use crate::cli::i18n::text;
use crate::cli::{Done, Global, env, ui};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::settings::store_url::StoreUrl;
use scratchpad::model::text::message::{message, quoted};
use scratchpad::project::Project;
use scratchpad::scratchpad::system_time;
use scratchpad::{Copied, Copy, Step};

/// How often the progress bar is redrawn.
const DRAW_EVERY: Duration = Duration::from_millis(100);
/// The width of the progress bar.
const BAR: u64 = 24;

#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(in crate::cli) struct StoreArgs {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Subcommand)]
enum StoreCommand {
    /// Copy all sessions, notes and outputs of one store into another, and compare
    #[command(after_help = "\
Examples:
  scratchpad store copy sqlite: .
  scratchpad store copy . sqlite:/backup/pad.db

A store is `sqlite:`, `sqlite:/PATH`, `postgres://…`, or `.`, the one in your settings. An interrupted copy resumes when it \
is run again. What differs in TO is left alone and reported. FROM is only read; if an older version wrote it, it is migrated when \
it is opened, as by every command.")]
    Copy(CopyArgs),
    /// Write everything into one file, and verify it
    #[command(after_help = "\
Examples:
  scratchpad store backup ~/pads-2026-11-19.db
  scratchpad store copy sqlite:/home/ann/pads-2026-11-19.db .

The store may be in use: the file has what it held when the backup began. To get it back, copy the file into a store.")]
    Backup(backup::BackupArgs),
}

#[derive(Args)]
struct CopyArgs {
    /// The store to read from
    from: String,
    /// The store to write to
    to: String,
    /// The name of a project in TO [default: its repository in a shared store, its directory in an embedded one]
    #[arg(long, value_name = "OLD=NEW")]
    rename_project: Vec<String>,
}

pub(in crate::cli) fn run(args: &StoreArgs, global: &Global) -> Result<Done> {
    match &args.command {
        StoreCommand::Copy(args) => copy(args, global),
        StoreCommand::Backup(args) => backup::run(args, global),
    }
}

fn copy(args: &CopyArgs, global: &Global) -> Result<Done> {
    let app = App::find(global)?;
    let url = |name: &str, given: &str| {
        let url = if given == "." {
            app.settings.store.url.clone()
        } else {
            StoreUrl::parse(given).map_err(|error| error.within(name.to_owned()))?
        };
        Ok::<_, Error>((url.to_string(), url))
    };
    let (from_shown, from_url) = url("FROM", &args.from)?;
    let (to_shown, to_url) = url("TO", &args.to)?;
    if let Some(path) = app.file_of(&from_url).filter(|path| !path.exists()) {
        return Err(Error::not_found(message!(
            "Store {path} does not exist.",
            path = path.display().to_string()
        )));
    }
    let mut renames = Vec::new();
    for rename in &args.rename_project {
        let pair = rename.split_once('=').ok_or_else(|| {
            Error::usage(message!(
                "--rename-project takes OLD=NEW; {given} was given.",
                given = quoted(rename)
            ))
        })?;
        renames.push(pair);
    }
    let is_shared = |url: &StoreUrl| matches!(url, StoreUrl::Postgres(_));
    let names = Names {
        app: &app,
        from_shared: is_shared(&from_url),
        to_shared: is_shared(&to_url),
    };
    let rename = |project: &str| {
        let given = renames.iter().find(|(old, _)| *old == project);
        given.map_or_else(|| names.there(project), |(_, new)| (*new).to_owned())
    };
    let (from, to) = (app.open(from_url)?, app.open(to_url)?);
    let copy = Copy {
        from: from.as_ref(),
        to: to.as_ref(),
        rename: &rename,
        at: system_time(),
    };
    let mut bar = Bar::new();
    let copied = copy.run(&mut |step, done, all| bar.show(step, done, all));
    bar.clear();
    let copied = copied?;
    if global.json {
        ui::print_json(&as_json(&copied, &from_shown, &to_shown))?;
    } else {
        ui::print(&as_text(&copied))?;
    }
    Ok(ended(&copied))
}

fn ended(copied: &Copied) -> Done {
    if copied.differing.is_empty() && copied.lost.is_empty() {
        Done::Well
    } else {
        Done::WithErrorReply
    }
}

/// Maps projects to their names in the target.
struct Names<'a> {
    app: &'a App,
    from_shared: bool,
    to_shared: bool,
}

impl Names<'_> {
    fn there(&self, project: &str) -> String {
        match (self.from_shared, self.to_shared) {
            (false, true) => Self::shared(project),
            (true, false) => self.own(project),
            _ => project.to_owned(),
        }
    }

    /// The name of a directory in a shared store. A name that is not a path was chosen by a person and stays.
    fn shared(project: &str) -> String {
        let path = Path::new(project);
        if !path.is_absolute() {
            return project.to_owned();
        }
        match Project::at(path) {
            Ok(found) => App::shared_id(&found).to_string(),
            Err(_) => format!("{}:{project}", env::machine()),
        }
    }

    /// The directory on this machine for a shared name, as far as it is known.
    fn own(&self, project: &str) -> String {
        let present = &self.app.project;
        if App::shared_id(present).as_str() == project {
            return present.id().to_string();
        }
        let here = format!("{}:", env::machine());
        project.strip_prefix(&here).unwrap_or(project).to_owned()
    }
}

/// Progress: a bar on a terminal, and nothing elsewhere.
struct Bar {
    live: bool,
    drawn: Option<Instant>,
}

impl Bar {
    fn new() -> Self {
        Self {
            live: ui::is_rich(&io::stderr()),
            drawn: None,
        }
    }

    fn show(&mut self, step: Step, done: u64, all: u64) {
        if !self.live {
            return;
        }
        let what = match step {
            Step::Sessions => text!("store-sessions"),
            Step::Notes => text!("store-notes"),
            Step::Outputs => text!("store-outputs"),
            Step::Compare => text!("store-compared"),
        };
        let is_end = done >= all;
        let is_due = self.drawn.is_none_or(|at| at.elapsed() >= DRAW_EVERY);
        if is_due || is_end {
            self.drawn = Some(Instant::now());
            let full = (done * BAR).checked_div(all).unwrap_or(BAR).min(BAR);
            let bar: String = (0..BAR)
                .map(|at| if at < full { '#' } else { '.' })
                .collect();
            let line = text!("store-progress", what = what, done = done, all = all);
            let line = format!("[{bar}] {line}");
            // Only progress: nothing depends on it.
            let _ = write!(io::stderr(), "\r\x1b[K{line}");
        }
    }

    fn clear(&self) {
        if self.live {
            // If the line can't be cleared, it is merely in the way.
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn as_json(copied: &Copied, from: &str, to: &str) -> serde_json::Value {
    let source = &copied.source;
    json!({
        "from": from,
        "to": to,
        "source": {
            "sessions": source.sessions, "revisions": source.revisions, "notes": source.notes,
            "outputs": source.outputs, "bytes": source.bytes,
        },
        "copied": {
            "sessions": copied.sessions, "revisions": copied.revisions, "notes": copied.notes,
            "outputs": copied.outputs, "bytes": copied.bytes,
        },
        "renumbered_notes": copied.renumbered,
        "lost_outputs": copied.lost,
        "removed_outputs": copied.removed,
        "as_of": copied.as_of,
        "differing_sessions": copied.differing,
        "projects": copied.projects,
    })
}

fn as_text(copied: &Copied) -> String {
    let source = &copied.source;
    let mut lines = vec![
        text!(
            "store-copied",
            sessions = copied.sessions,
            revisions = copied.revisions,
            notes = copied.notes,
            outputs = copied.outputs,
            bytes = copied.bytes
        ),
        text!(
            "store-same",
            sessions = source.sessions,
            revisions = source.revisions,
            notes = source.notes,
            outputs = source.outputs,
            bytes = source.bytes
        ),
        text!("store-as-of", time = ui::second(copied.as_of)),
    ];
    if copied.renumbered > 0 {
        lines.push(text!("store-renumbered", notes = copied.renumbered));
    }
    for (old, new) in &copied.projects {
        lines.push(text!(
            "store-project",
            old = old.as_str(),
            new = new.as_str()
        ));
    }
    if !copied.differing.is_empty() {
        let sessions = copied.differing.join(", ");
        lines.push(text!("store-differing", sessions = sessions));
    }
    if !copied.lost.is_empty() {
        let outputs = copied.lost.join(", ");
        lines.push(text!("store-lost", outputs = outputs));
    }
    lines.join("\n") + "\n"
}
