//! Writes instruction files: which there are, what each becomes, and the change itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::git;
use super::git::Sharing;
use super::notes::ContextNotes;
use super::places::Places;
use super::undo::UndoRecord;
use crate::disk::files::{followed, read_small, remove_leftovers, replace_shared};
use crate::disk::private::cannot;
use crate::model::context::instructions::{Facts, instructions, notes_in};
use crate::model::context::region;
use crate::model::context::region::Remainder;
use crate::model::error::{Error, Result};
use crate::model::host::instructions::HookedHosts;
use crate::model::host::path::Reach;
use crate::model::host::{HOSTS, Host};
use crate::model::text::message::message;
use crate::model::text::tokens;
use crate::project::Project;

/// The most bytes of a file that a region goes into.
const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;

/// Which hosts are meant.
#[derive(Clone, Debug)]
pub enum Selection {
    /// Those that seem to be used here.
    Detected,
    /// All of them.
    All,
    /// These.
    Named(Vec<&'static Host>),
    /// All whose file has a region of ours.
    Present,
}

/// What to do with the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Give each its region.
    Inject,
    /// Take it out.
    Uninstall,
}

/// Whether to do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Do it.
    Apply,
    /// Only say what would be done.
    Rehearse,
}

/// A file and the hosts that read it.
#[derive(Clone, Debug)]
pub struct Target {
    /// The hosts that were meant.
    pub hosts: Vec<&'static Host>,
    /// The path that the first of them knows it by.
    pub path: PathBuf,
    /// The file itself, behind all links.
    file: PathBuf,
    front_matter: &'static str,
}

impl Target {
    /// Whether both are one file.
    pub fn is_same(&self, other: &Self) -> bool {
        self.file == other.file
    }
}

/// What becomes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is made.
    Make,
    /// Its region is put in, or replaced.
    Change,
    /// It stays as it is.
    Keep,
    /// Its region is taken out.
    Restore,
    /// It goes: it held nothing but the region.
    Delete,
}

/// A file, before and after.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is done.
    pub step: Step,
    /// What it holds; nothing where there is no file.
    pub before: Option<Vec<u8>>,
    /// What it is to hold.
    pub after: Option<Vec<u8>>,
    /// How git shares it, where notes go into it and the person was not told.
    pub warning: Sharing,
}

/// What there is to say about one file.
#[derive(Debug)]
pub struct Outcome {
    /// The file.
    pub target: Target,
    /// What was done, or why not.
    pub plan: Result<Plan>,
}

/// How the region of a file stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegionState {
    /// It says what it should.
    Current,
    /// It says something else.
    Stale,
    /// There is none.
    Absent,
    /// The file can't be read, or its markers don't match.
    Damaged(Error),
}

/// The size of a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionSize {
    /// In bytes, with its markers.
    pub bytes: usize,
    /// In tokens, estimated.
    pub tokens: usize,
    /// How many context notes are in it.
    pub notes: usize,
}

impl RegionSize {
    /// The size of the region in a file.
    pub fn of(file: &[u8]) -> Self {
        let Some(range) = region::CONTEXT.find(file).ok().flatten() else {
            return Self::default();
        };
        let text = String::from_utf8_lossy(file.get(range).unwrap_or_default());
        Self {
            bytes: text.len(),
            tokens: tokens::estimate(&text),
            notes: notes_in(file).map_or(0, |notes| notes.len()),
        }
    }
}

/// Everything needed to write instruction files.
pub struct Injector {
    /// Whose files are meant.
    pub reach: Reach,
    /// Where they are.
    pub places: Places,
    /// What goes into them.
    pub facts: Facts,
    /// Where the notes among the facts come from.
    pub notes: ContextNotes,
    /// The hosts whose agents get the notes by a hook.
    pub hooked: HookedHosts,
    /// Where to remember what was done.
    pub data: PathBuf,
    /// How long to wait for other processes.
    pub timeout: Duration,
}

impl Injector {
    /// The files of a selection, each once.
    pub fn targets(&self, selection: &Selection) -> Result<Vec<Target>> {
        let mut targets: Vec<Target> = Vec::new();
        for host in HOSTS {
            let is_meant = match selection {
                Selection::Detected => self.detects(host) && !self.has_private_twin(host),
                // A private file is for who asks for it.
                Selection::All => {
                    let mut twins = HOSTS.iter().filter_map(|other| other.private_twin());
                    twins.all(|twin| twin != host)
                }
                Selection::Present => true,
                Selection::Named(named) => named.contains(&host),
            };
            if !is_meant {
                continue;
            }
            let Some(found) = host.instruction_file(self.reach) else {
                if matches!(selection, Selection::Named(_)) {
                    return Err(no_such_file(host, self.reach));
                }
                continue;
            };
            let path = self.places.path(found.place)?;
            let file = followed(&path);
            match targets.iter_mut().find(|target| target.file == file) {
                Some(target) => target.hosts.push(host),
                None => targets.push(Target {
                    hosts: vec![host],
                    path,
                    file,
                    front_matter: found.front_matter,
                }),
            }
        }
        if matches!(selection, Selection::Present) {
            targets.retain(|target| holds_region(&target.file));
        }
        Ok(targets)
    }

    /// Brings each file to where it should be. A file that fails does not keep the others from it.
    pub fn run(&self, targets: Vec<Target>, goal: Goal, mode: Mode) -> Result<Vec<Outcome>> {
        let planned = |target: Target, facts: &Facts, record: &UndoRecord| {
            let plan = self.plan(&target, facts, goal, record);
            Outcome { target, plan }
        };
        let record = UndoRecord::read(&self.data)?;
        let outcomes: Vec<Outcome> = targets
            .into_iter()
            .map(|target| planned(target, &self.facts, &record))
            .collect();
        let is_idle = |outcome: &Outcome| match &outcome.plan {
            Ok(plan) => plan.step == Step::Keep && plan.warning == Sharing::Private,
            Err(_) => true,
        };
        if mode == Mode::Rehearse || outcomes.iter().all(is_idle) {
            return Ok(outcomes);
        }
        // Another process may have changed files and notes since: plan again under the lock.
        let mut record = UndoRecord::open(&self.data, self.timeout)?;
        let facts = self.renewed();
        let outcomes = outcomes
            .into_iter()
            .map(|outcome| {
                let mut outcome = planned(outcome.target, &facts, &record);
                if let Ok(plan) = &outcome.plan
                    && let Err(error) = apply(&outcome.target, plan, &mut record)
                {
                    outcome.plan = Err(error);
                }
                outcome
            })
            .collect();
        record.save()?;
        Ok(outcomes)
    }

    /// The facts with the notes as they are now; as they were, if they can't be read any more.
    fn renewed(&self) -> Facts {
        let mut facts = self.facts.clone();
        if let (Reach::Project, Ok(notes)) = (self.reach, self.notes.nonblank()) {
            facts.notes = notes;
        }
        facts
    }

    /// How the region of a file stands, and its size.
    pub fn status(&self, target: &Target) -> (RegionState, RegionSize) {
        match self.inspected(target) {
            Err(error) => (RegionState::Damaged(error), RegionSize::default()),
            Ok(None) => (RegionState::Absent, RegionSize::default()),
            Ok(Some((file, text))) => {
                let state = match region::CONTEXT.placed(Some(&file), &text, target.front_matter) {
                    Ok(new) if new == file => RegionState::Current,
                    _ => RegionState::Stale,
                };
                (state, RegionSize::of(&file))
            }
        }
    }

    fn inspected(&self, target: &Target) -> Result<Option<(Vec<u8>, String)>> {
        let Some(file) = read_small(&target.file, MAX_FILE_BYTES)? else {
            return Ok(None);
        };
        let found = region::CONTEXT
            .find(&file)
            .map_err(|error| error.within(target.path.display()))?;
        Ok(found.map(|_| (file, self.text_for(target, &self.facts))))
    }

    fn plan(
        &self,
        target: &Target,
        facts: &Facts,
        goal: Goal,
        record: &UndoRecord,
    ) -> Result<Plan> {
        let within = |error: Error| {
            let refused = Error::refused(&error);
            match error.next_step() {
                Some(hint) => refused.hint(hint.clone()),
                None => refused,
            }
            .within(target.path.display())
        };
        let root = &self.places.project;
        if self.reach == Reach::Project && goal == Goal::Inject && target.path.starts_with(root) {
            let project = Project { root: root.clone() };
            project.check_inside(&target.path)?;
        }
        let before = read_small(&target.file, MAX_FILE_BYTES)?;
        let (step, after) = match goal {
            Goal::Inject => {
                let text = self.text_for(target, facts);
                let after = region::CONTEXT.placed(before.as_deref(), &text, target.front_matter);
                let after = after.map_err(within)?;
                let step = match &before {
                    None => Step::Make,
                    Some(before) if *before == after => Step::Keep,
                    Some(_) => Step::Change,
                };
                (step, Some(after))
            }
            Goal::Uninstall => {
                let file = before.as_deref().unwrap_or_default();
                match region::CONTEXT
                    .removed(file, target.front_matter)
                    .map_err(within)?
                {
                    Remainder::Untouched => (Step::Keep, before.clone()),
                    Remainder::File(rest) => (Step::Restore, Some(rest)),
                    Remainder::Nothing => (Step::Delete, None),
                }
            }
        };
        let brings_notes = goal == Goal::Inject
            && self.reach == Reach::Project
            && !record.has_warned(&target.file)
            && RegionSize::of(after.as_deref().unwrap_or_default()).notes > 0;
        let warning = if brings_notes {
            git::sharing(&target.file)
        } else {
            Sharing::Private
        };
        Ok(Plan {
            step,
            before,
            after,
            warning,
        })
    }

    /// What a file's region is to say. Where hooks give the notes, the file does not hold them.
    fn text_for(&self, target: &Target, facts: &Facts) -> String {
        let mut readers: Vec<&Host> = target.hosts.clone();
        if readers.iter().any(|host| self.detects(host)) {
            readers.retain(|host| self.detects(host));
        }
        if self.hooked.give_notes(&readers) {
            return instructions(&Facts {
                notes: Vec::new(),
                ..facts.clone()
            });
        }
        instructions(facts)
    }

    /// Whether a host seems to be used here: in the project, or by the person anywhere.
    fn detects(&self, host: &Host) -> bool {
        self.places.has(host)
            || self.reach == Reach::Project && self.places.is_used_in_project(host)
    }

    /// Whether the person chose the file of a host that is not shared.
    fn has_private_twin(&self, host: &Host) -> bool {
        let twin = host.private_twin();
        let file = twin.and_then(|twin| twin.instruction_file(self.reach));
        file.and_then(|file| self.places.path(file.place).ok())
            .is_some_and(|path| holds_region(&path))
    }
}

fn holds_region(file: &Path) -> bool {
    match read_small(file, MAX_FILE_BYTES) {
        // Markers that don't match are ours too: they have to be reported.
        Ok(Some(file)) => !matches!(region::CONTEXT.find(&file), Ok(None)),
        _ => false,
    }
}

fn no_such_file(host: &Host, reach: Reach) -> Error {
    Error::usage(message!(
        "{host} has no instruction file with --{reach}. Nothing was changed.",
        host = host.title,
        reach = reach.name()
    ))
}

fn apply(target: &Target, plan: &Plan, record: &mut UndoRecord) -> Result<()> {
    let file = &target.file;
    let parent = file.parent().unwrap_or(Path::new("."));
    match (plan.step, &plan.after) {
        (Step::Keep, _) => {}
        (Step::Delete, _) | (_, None) => {
            let may_write = fs::metadata(file).is_ok_and(|found| !found.permissions().readonly());
            let denied = std::io::ErrorKind::PermissionDenied;
            let removed = if may_write {
                fs::remove_file(file)
            } else {
                Err(std::io::Error::new(denied, "it is read-only"))
            };
            removed.map_err(|error| cannot("remove", file, &error))?;
            record.remove_empty(parent);
        }
        (_, Some(after)) => {
            remove_leftovers(parent);
            record.make_directory(parent)?;
            if let Err(error) = replace_shared(file, after) {
                record.remove_empty(parent);
                return Err(error);
            }
        }
    }
    if plan.warning != Sharing::Private {
        record.add_warned(file);
    }
    Ok(())
}
