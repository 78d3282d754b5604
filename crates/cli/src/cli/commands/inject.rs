//! `inject`: what agents should know, in the files that their hosts read.

use std::path::Path;

use clap::Args;
use serde_json::{Value, json};

use super::{context, install};
use crate::cli::app::App;
use crate::cli::i18n::{in_one_line, number, text, translated};
use crate::cli::{Done, Global, env, ui};
use scratchpad::hosts::git::Sharing;
use scratchpad::hosts::inject::{
    FilePlan, FileStep, Goal, InjectOutcome, Injector, Mode, RegionSize, RegionState, Selection,
    TargetFile,
};
use scratchpad::model::context::pack::DEFAULT_PROFILE;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host;
use scratchpad::model::host::Host;
use scratchpad::model::host::instructions::HookedHosts;
use scratchpad::model::host::path::Reach;
use scratchpad::model::settings::layers::Origin;
use scratchpad::model::text::diff;
use scratchpad::model::text::message::message;
use scratchpad::model::tool::Group;

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad inject                       the files that are here, and those of hosts that are wired
  scratchpad inject --tool claude --dry-run
  scratchpad inject --status
  scratchpad inject --uninstall

Only the text between <!-- scratchpad:start --> and <!-- scratchpad:end --> is ever changed, and \
--uninstall restores each file byte for byte.")]
// One flag each is what a person types.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(in crate::cli) struct InjectArgs {
    /// Write to the files of this project (the default)
    #[arg(long, conflicts_with = "global")]
    project: bool,
    /// Write to your own files for all projects, with the context notes for all
    #[arg(long)]
    global: bool,
    #[arg(long = "tool", value_name = "TOOL", help = format!("Only for this host; may be given several times: {}", host::names(Host::has_instructions).join(", ")))]
    tools: Vec<String>,
    /// For every known host
    #[arg(long, conflicts_with = "tools")]
    all: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Remove what was written
    #[arg(long)]
    uninstall: bool,
    /// Show which files are current, stale, damaged or without a region
    #[arg(long, conflicts_with_all = ["dry_run", "uninstall"])]
    status: bool,
}

pub(in crate::cli) fn run(args: &InjectArgs, global: &Global) -> Result<Done> {
    let app = App::find(global)?;
    let reach = if args.global {
        Reach::Global
    } else {
        Reach::Project
    };
    let named = args.tools.iter().map(|name| host::with_instructions(name));
    let named: Vec<_> = named.collect::<Result<_>>()?;
    let selection = match (args.all, named.is_empty()) {
        (true, _) => Selection::All,
        (false, true) => Selection::Detected,
        (false, false) => Selection::Named(named),
    };
    let (injector, problems) = injector(&app, reach);
    let goal = if args.uninstall {
        Goal::Uninstall
    } else {
        Goal::Inject
    };
    let mode = if args.dry_run {
        Mode::Rehearse
    } else {
        Mode::Apply
    };
    if goal == Goal::Inject {
        warn_of_all(&problems);
    }
    if args.status {
        return status(&injector, &selection, global);
    }
    let files = match (goal, selection) {
        (Goal::Uninstall, Selection::All | Selection::Detected) => {
            injector.targets(&Selection::Present)?
        }
        (_, Selection::Detected) => match with_present(&injector, &Selection::Ready)? {
            ready if ready.is_empty() => chosen(&injector, global)?,
            ready => ready,
        },
        (_, selection) => injector.targets(&selection)?,
    };
    let outcomes = injector.run(files, goal, mode)?;
    report(&outcomes, &injector, mode, global)?;
    let has_failed = outcomes.iter().any(|outcome| outcome.plan.is_err());
    Ok(if has_failed {
        Done::WithErrorReply
    } else {
        Done::Well
    })
}

/// The files that the person chooses, where none is there and no host is wired.
fn chosen(injector: &Injector, global: &Global) -> Result<Vec<TargetFile>> {
    let mut offered = injector.targets(&Selection::Detected)?;
    if offered.is_empty() {
        offered = injector.targets(&Selection::All)?;
    }
    let in_words = |target: &TargetFile| {
        format!(
            "{} ({})",
            shown(&target.path, injector),
            ids(target).join(", ")
        )
    };
    let named: Vec<String> = offered.iter().map(in_words).collect();
    if global.json || !ui::can_ask() {
        return Err(Error::usage(message!(
            "There is no instruction file yet, and no host is wired: choose what to write. Nothing was changed. Possible: {files}.",
            files = named.join("; ")
        ))
        .hint("name a host, for example `scratchpad inject --tool claude`, or use --all."));
    }
    let lines = (1..)
        .zip(&named)
        .map(|(number, file)| format!("  {number}. {file}\n"));
    let question = [
        text!("inject-choose"),
        "\n".to_owned(),
        lines.collect(),
        text!("inject-which"),
    ];
    let answer = ui::ask(&question.concat())?;
    let words = answer
        .split([' ', ','])
        .map(str::trim)
        .filter(|word| !word.is_empty());
    let mut files: Vec<TargetFile> = Vec::new();
    for word in words {
        let number = word.parse::<usize>().ok();
        let picked = match number.and_then(|number| offered.get(number.checked_sub(1)?)) {
            Some(target) => vec![target.clone()],
            None => injector.targets(&Selection::Named(vec![host::with_instructions(word)?]))?,
        };
        files.extend(picked);
    }
    Ok(files)
}

/// The groups of tools that the files say nothing of.
fn switched_off(app: &App, reach: Reach) -> Vec<Group> {
    let mut off = app.settings.switched_off();
    // A project's choice applies to that project only.
    off.retain(|group| {
        let origin = app.origins.of(&format!("{}.enabled", group.name()));
        reach == Reach::Project || !matches!(origin, Origin::ProjectFile(_))
    });
    off
}

/// The injector, and the errors of what could not be read for it.
pub(in crate::cli) fn injector(app: &App, reach: Reach) -> (Injector, Vec<Error>) {
    let settings = &app.settings;
    let notes = context::notes(app, reach);
    let profile = match app.origins.of("profile") {
        // A project's choice applies to that project only.
        Origin::ProjectFile(_) if reach == Reach::Global => DEFAULT_PROFILE,
        _ => settings.profile.as_str(),
    };
    let (facts, problems) = scratchpad::hosts::gathered(
        reach,
        &app.project,
        &notes,
        &app.directories.configuration,
        profile,
        settings.inject.max_bytes,
        switched_off(app, reach),
    );
    let injector = Injector {
        reach,
        places: env::places(&app.project),
        facts,
        notes,
        hooked: install::hooked(app),
        data: app.directories.data.clone(),
        timeout: settings.store.busy_timeout(),
    };
    (injector, problems)
}

/// The files of a selection, and files that already have a region.
fn with_present(injector: &Injector, selection: &Selection) -> Result<Vec<TargetFile>> {
    let mut files = injector.targets(selection)?;
    for target in injector.targets(&Selection::Present)? {
        if files.iter().all(|other| !other.is_same(&target)) {
            files.push(target);
        }
    }
    Ok(files)
}

/// What [`refresh`] did, and whom it need not reach.
#[derive(Default)]
pub(in crate::cli) struct Refreshed {
    /// The files that changed.
    pub(in crate::cli) changed: Vec<String>,
    /// The number of files with a region.
    pub(in crate::cli) regions: usize,
    /// The hosts whose hooks give agents the context notes.
    pub(in crate::cli) hooked: HookedHosts,
}

/// Updates existing regions.
pub(in crate::cli) fn refresh(app: &App, reaches: &[Reach]) -> Result<Refreshed> {
    let mut refreshed = Refreshed::default();
    let mut warned = Vec::new();
    for reach in reaches {
        let (injector, mut problems) = injector(app, *reach);
        if *reach == Reach::Global && injector.places.home.is_none() {
            continue;
        }
        refreshed.hooked = injector.hooked.clone();
        let files = injector.targets(&Selection::Present)?;
        if files.is_empty() {
            continue;
        }
        refreshed.regions += files.len();
        problems.retain(|problem| !warned.contains(problem));
        warn_of_all(&problems);
        warned.extend(problems);
        for outcome in &injector.run(files, Goal::Inject, Mode::Apply)? {
            let name = shown(&outcome.target.path, &injector);
            match &outcome.plan {
                Ok(plan) => {
                    warn_of_sharing(&name, &outcome.target, plan);
                    if plan.step != FileStep::Keep {
                        refreshed.changed.push(name);
                    }
                }
                Err(error) => ui::warn(&in_one_line(error)),
            }
        }
    }
    Ok(refreshed)
}

/// Brings regions up to date with hooks that were added or removed: who has lost them finds the context
/// notes in the file.
pub(in crate::cli) fn refresh_after_hooks(global: &Global) -> Result<()> {
    let refreshed = refresh(
        &App::find_silently(global)?,
        &[Reach::Project, Reach::Global],
    )?;
    if !refreshed.changed.is_empty() {
        ui::remark(&text!(
            "inject-refreshed",
            files = refreshed.changed.join(", ")
        ));
    }
    Ok(())
}

/// Warns about packs and notes that could not be read and so are not written.
pub(in crate::cli) fn warn_of_all(problems: &[Error]) {
    for problem in problems {
        ui::warn(&in_one_line(problem));
    }
}

/// The path, relative to the project if it is inside.
fn shown(path: &Path, injector: &Injector) -> String {
    let below = path.strip_prefix(&injector.places.project).unwrap_or(path);
    below.display().to_string()
}

fn ids(target: &TargetFile) -> Vec<&'static str> {
    target.hosts.iter().map(|host| host.name).collect()
}

fn report(
    outcomes: &[InjectOutcome],
    injector: &Injector,
    mode: Mode,
    global: &Global,
) -> Result<()> {
    let mut lines = String::new();
    let mut data: Vec<Value> = Vec::new();
    for InjectOutcome { target, plan } in outcomes {
        let name = shown(&target.path, injector);
        let plan = match plan {
            Ok(plan) => plan,
            Err(error) => {
                ui::print_error(error);
                data.push(json!({
                    "file": target.path.display().to_string(), "tools": ids(target), "step": "failed",
                    "error": error.to_string(), "hint": error.next_step().map(ToString::to_string),
                }));
                continue;
            }
        };
        if mode == Mode::Apply {
            warn_of_sharing(&name, target, plan);
        }
        let size = RegionSize::of(plan.after.as_deref().unwrap_or_default());
        let mut entry = json!({
            "file": target.path.display().to_string(), "tools": ids(target), "step": step_name(plan.step),
            "bytes": size.bytes, "tokens": size.tokens, "notes": size.notes,
        });
        if mode == Mode::Rehearse {
            let change = diff::unified(&name, plan.before.as_deref(), plan.after.as_deref());
            lines.push_str(&change);
            if let Value::Object(fields) = &mut entry {
                fields.insert("diff".to_owned(), change.into());
            }
        } else {
            lines.push_str(&outcome_in_words(plan.step, &name, size));
            lines.push('\n');
        }
        data.push(entry);
    }
    if global.json {
        return ui::print_json(&json!({
            "scope": injector.reach.name(), "dry_run": mode == Mode::Rehearse, "targets": data,
        }));
    }
    if outcomes.is_empty() {
        ui::remark(&text!("inject-nothing-there"));
    } else if mode == Mode::Rehearse && lines.is_empty() {
        ui::remark(&text!("inject-nothing-to-do"));
    }
    ui::show(&lines)
}

fn step_name(step: FileStep) -> &'static str {
    match step {
        FileStep::Make => "made",
        FileStep::Change => "changed",
        FileStep::Keep => "kept",
        FileStep::Restore => "restored",
        FileStep::Delete => "deleted",
    }
}

fn outcome_in_words(step: FileStep, file: &str, size: RegionSize) -> String {
    let RegionSize { bytes, tokens, .. } = size;
    match step {
        FileStep::Make => text!("inject-made", file = file, bytes = bytes, tokens = tokens),
        FileStep::Change => text!(
            "inject-changed",
            file = file,
            bytes = bytes,
            tokens = tokens
        ),
        FileStep::Keep => text!("inject-kept", file = file),
        FileStep::Restore => text!("inject-restored", file = file),
        FileStep::Delete => text!("inject-deleted", file = file),
    }
}

/// Warns, when notes are first written to a file, that others will see it.
fn warn_of_sharing(name: &str, target: &TargetFile, plan: &FilePlan) {
    let Some(shared) = sharing_in_words(name, plan.warning) else {
        return;
    };
    let twin = target.hosts.iter().find_map(|host| {
        let twin = host.private_twin()?;
        let path = twin.instructions.project?.place.path;
        Some(text!("inject-shared-twin", file = path, tool = twin.name))
    });
    let mut said = vec![shared];
    said.extend(twin);
    said.push(text!("inject-shared-hook"));
    ui::warn(&said.join(" "));
}

/// The warning that a file with notes is shared, if it is.
pub(in crate::cli) fn sharing_in_words(name: &str, sharing: Sharing) -> Option<String> {
    match sharing {
        Sharing::Private => None,
        Sharing::Tracked => Some(text!("inject-shared-tracked", file = name)),
        Sharing::Untracked => Some(text!("inject-shared-untracked", file = name)),
    }
}

fn status(injector: &Injector, selection: &Selection, global: &Global) -> Result<Done> {
    let files = match selection {
        Selection::Detected => with_present(injector, selection)?,
        other => injector.targets(other)?,
    };
    let mut rows = Vec::new();
    let mut data: Vec<Value> = Vec::new();
    for target in &files {
        let (state, size) = injector.status(target);
        let reason = match &state {
            RegionState::Damaged(error) => Some(error.message().clone()),
            _ => None,
        };
        let (name, said) = match state {
            RegionState::Current => ("current", text!("inject-state-current")),
            RegionState::Stale => ("stale", text!("inject-state-stale")),
            RegionState::Absent => ("absent", text!("inject-state-absent")),
            RegionState::Damaged(_) => ("damaged", text!("inject-state-damaged")),
        };
        if !global.json
            && let Some(reason) = &reason
        {
            ui::warn(&translated(reason));
        }
        data.push(json!({
            "file": target.path.display().to_string(), "tools": ids(target), "state": name,
            "bytes": size.bytes, "tokens": size.tokens, "notes": size.notes,
            "reason": reason.map(|reason| reason.to_string()),
        }));
        let size_in = |unit: usize| match size.bytes {
            0 => "-".to_owned(),
            _ => number(unit),
        };
        rows.push(vec![
            shown(&target.path, injector),
            said,
            size_in(size.bytes),
            size_in(size.tokens),
            ids(target).join(", "),
        ]);
    }
    if global.json {
        ui::print_json(&json!({"scope": injector.reach.name(), "targets": data}))?;
        return Ok(Done::Well);
    }
    if files.is_empty() {
        ui::remark(&text!("inject-nothing-there"));
        return Ok(Done::Well);
    }
    let header = [
        text!("inject-column-file"),
        text!("inject-column-state"),
        text!("inject-column-bytes"),
        text!("inject-column-tokens"),
        text!("inject-column-tools"),
    ];
    ui::print(&ui::table(&header.each_ref().map(String::as_str), rows))?;
    Ok(Done::Well)
}
