//! Finds instruction files, plans the change of each, and applies it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::files::{HostFile, files_of};
use super::git;
use super::git::Sharing;
use super::notes::ContextNotes;
use super::places::Places;
use super::undo::UndoRecord;
use crate::disk::files::{followed, read_small};
use crate::disk::private::cannot;
use crate::disk::replace::{remove_leftovers, replace_shared};
use crate::model::context::instructions::{InstructionFacts, instructions, notes_in};
use crate::model::context::region;
use crate::model::context::region::Remainder;
use crate::model::error::{Error, Result};
use crate::model::host::instructions::HookedHosts;
use crate::model::host::path::Reach;
use crate::model::host::{HOSTS, Host};
use crate::model::text::message::message;
use crate::model::text::tokens;
use crate::project::Project;

/// The largest instruction file that is read.
const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;

#[derive(Clone, Debug)]
pub enum Selection {
    /// The hosts that seem to be used here.
    Detected,
    /// Of hosts that seem to be used here: files that exist, and files of hosts that call scratchpad.
    Ready,
    All,
    Named(Vec<&'static Host>),
    /// The hosts whose file has our region.
    Present,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Write the region to each.
    Inject,
    /// Remove the region.
    Uninstall,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Apply,
    /// Only report what would be done.
    Rehearse,
}

/// A file and the hosts that read it.
#[derive(Clone, Debug)]
pub struct TargetFile {
    /// The selected hosts.
    pub hosts: Vec<&'static Host>,
    /// Its path as the first of them has it.
    pub path: PathBuf,
    /// The file itself, with links resolved.
    file: PathBuf,
    front_matter: &'static str,
}

impl TargetFile {
    /// Whether both are the same file.
    pub fn is_same(&self, other: &Self) -> bool {
        self.file == other.file
    }
}

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStep {
    /// Create it.
    Make,
    /// Insert or replace the region.
    Change,
    /// Leave it as it is.
    Keep,
    /// Remove the region.
    Restore,
    /// Delete it: it holds nothing but the region.
    Delete,
}

/// A file, before and after.
#[derive(Clone, Debug)]
pub struct FilePlan {
    pub step: FileStep,
    /// Its content; `None` if there is no file.
    pub before: Option<Vec<u8>>,
    /// Its new content; `None` to delete it.
    pub after: Option<Vec<u8>>,
    /// How git shares it, if notes go into it and the person was not warned yet.
    pub warning: Sharing,
}

/// The result for one file.
#[derive(Debug)]
pub struct InjectOutcome {
    pub target: TargetFile,
    pub plan: Result<FilePlan>,
}

/// The state of a file's region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegionState {
    /// Up to date.
    Current,
    /// Out of date.
    Stale,
    /// No region.
    Absent,
    /// The file can't be read, or its markers don't match.
    Damaged(Error),
}

/// The size of a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionSize {
    /// Bytes, with the markers.
    pub bytes: usize,
    /// Estimated tokens.
    pub tokens: usize,
    /// The number of context notes.
    pub notes: usize,
}

impl RegionSize {
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
    pub reach: Reach,
    pub places: Places,
    /// What goes into the files.
    pub facts: InstructionFacts,
    /// The source of the notes in the facts.
    pub notes: ContextNotes,
    /// The hosts whose agents get the notes from a hook.
    pub hooked: HookedHosts,
    /// The data directory, for the undo record.
    pub data: PathBuf,
    /// The timeout for the lock of the undo record.
    pub timeout: Duration,
}

impl Injector {
    /// The files of a selection, without duplicates.
    pub fn targets(&self, selection: &Selection) -> Result<Vec<TargetFile>> {
        let mut targets: Vec<TargetFile> = Vec::new();
        for host in HOSTS {
            let is_meant = match selection {
                Selection::Detected => self.detects(host) && !self.has_private_twin(host),
                Selection::All => !is_private_twin(host),
                Selection::Ready => !is_private_twin(host) && !self.has_private_twin(host),
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
                None => targets.push(TargetFile {
                    hosts: vec![host],
                    path,
                    file,
                    front_matter: found.front_matter,
                }),
            }
        }
        match selection {
            Selection::Present => targets.retain(|target| holds_region(&target.file)),
            Selection::Ready => {
                targets.retain(|target| target.file.exists() || self.wires(&target.hosts));
                for target in &mut targets {
                    if target.hosts.iter().any(|host| self.detects(host)) {
                        target.hosts.retain(|host| self.detects(host));
                    }
                }
            }
            _ => {}
        }
        Ok(targets)
    }

    /// Applies the goal to each file. One that fails doesn't stop the others.
    pub fn run(
        &self,
        targets: Vec<TargetFile>,
        goal: Goal,
        mode: Mode,
    ) -> Result<Vec<InjectOutcome>> {
        let planned = |target: TargetFile, facts: &InstructionFacts, record: &UndoRecord| {
            let plan = self.plan(&target, facts, goal, record);
            InjectOutcome { target, plan }
        };
        let record = UndoRecord::read(&self.data)?;
        let outcomes: Vec<InjectOutcome> = targets
            .into_iter()
            .map(|target| planned(target, &self.facts, &record))
            .collect();
        let is_idle = |outcome: &InjectOutcome| match &outcome.plan {
            Ok(plan) => plan.step == FileStep::Keep && plan.warning == Sharing::Private,
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

    /// The facts with the notes reread; with the old notes if they can't be read any more.
    fn renewed(&self) -> InstructionFacts {
        let mut facts = self.facts.clone();
        if let (Reach::Project, Ok(notes)) = (self.reach, self.notes.for_agents()) {
            facts.notes = notes;
        }
        facts
    }

    /// The state and size of a file's region.
    pub fn status(&self, target: &TargetFile) -> (RegionState, RegionSize) {
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

    fn inspected(&self, target: &TargetFile) -> Result<Option<(Vec<u8>, String)>> {
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
        target: &TargetFile,
        facts: &InstructionFacts,
        goal: Goal,
        record: &UndoRecord,
    ) -> Result<FilePlan> {
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
            let project = Project::rooted(root);
            project.check_inside(&target.path)?;
        }
        let before = read_small(&target.file, MAX_FILE_BYTES)?;
        let (step, after) = match goal {
            Goal::Inject => {
                let text = self.text_for(target, facts);
                let after = region::CONTEXT.placed(before.as_deref(), &text, target.front_matter);
                let after = after.map_err(within)?;
                let step = match &before {
                    None => FileStep::Make,
                    Some(before) if *before == after => FileStep::Keep,
                    Some(_) => FileStep::Change,
                };
                (step, Some(after))
            }
            Goal::Uninstall => {
                let file = before.as_deref().unwrap_or_default();
                match region::CONTEXT
                    .removed(file, target.front_matter)
                    .map_err(within)?
                {
                    Remainder::Untouched => (FileStep::Keep, before.clone()),
                    Remainder::File(rest) => (FileStep::Restore, Some(rest)),
                    Remainder::Nothing => (FileStep::Delete, None),
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
        Ok(FilePlan {
            step,
            before,
            after,
            warning,
        })
    }

    /// The text for a file's region. It leaves out the notes if hooks provide them.
    fn text_for(&self, target: &TargetFile, facts: &InstructionFacts) -> String {
        let mut readers: Vec<&Host> = target.hosts.clone();
        if readers.iter().any(|host| self.detects(host)) {
            readers.retain(|host| self.detects(host));
        }
        if self.hooked.give_notes(&readers) {
            return instructions(&InstructionFacts {
                notes: Vec::new(),
                ..facts.clone()
            });
        }
        instructions(facts)
    }

    /// Whether a host seems to be used, by the person or in the project.
    fn detects(&self, host: &Host) -> bool {
        self.places.has(host)
            || self.reach == Reach::Project && self.places.is_used_in_project(host)
    }

    /// Whether one of these hosts has our entries, in the person's files or the project's.
    fn wires(&self, hosts: &[&'static Host]) -> bool {
        let reaches = [Reach::Global, Reach::Project];
        hosts.iter().any(|host| {
            let files =
                reaches.map(|reach| files_of(host, &self.places, reach).unwrap_or_default());
            files.iter().flatten().any(HostFile::is_wired)
        })
    }

    /// Whether the host's private file is in use instead.
    fn has_private_twin(&self, host: &Host) -> bool {
        let twin = host.private_twin();
        let file = twin.and_then(|twin| twin.instruction_file(self.reach));
        file.and_then(|file| self.places.path(file.place).ok())
            .is_some_and(|path| holds_region(&path))
    }
}

/// Whether this is the private file of another host, which has to be asked for by name.
fn is_private_twin(host: &Host) -> bool {
    let mut twins = HOSTS.iter().filter_map(|other| other.private_twin());
    twins.any(|twin| twin == host)
}

fn holds_region(file: &Path) -> bool {
    match read_small(file, MAX_FILE_BYTES) {
        // Mismatched markers are ours too, and have to be reported.
        Ok(Some(file)) => !matches!(region::CONTEXT.find(&file), Ok(None)),
        _ => false,
    }
}

fn no_such_file(host: &Host, reach: Reach) -> Error {
    Error::usage(message!(
        "{host} has no instruction file for --{reach}. Nothing was changed.",
        host = host.title,
        reach = reach.name()
    ))
}

fn apply(target: &TargetFile, plan: &FilePlan, record: &mut UndoRecord) -> Result<()> {
    let file = &target.file;
    let parent = file.parent().unwrap_or(Path::new("."));
    match (plan.step, &plan.after) {
        (FileStep::Keep, _) => {}
        (FileStep::Delete, _) | (_, None) => {
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
