//! Writes our parts to the files of hosts, and removes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::files::{self, HostFile, files_of, own_server};
use super::inject::Mode;
use super::places::Places;
use super::undo::{Undo, UndoRecord, WrittenFile};
use crate::disk::private;
use crate::model::error::{Error, Result};
use crate::model::host::hook::Delivery;
use crate::model::host::install::{PartKind, Program, plugin_files};
use crate::model::host::instructions::HookedHosts;
use crate::model::host::path::Reach;
use crate::model::host::{HOSTS, Host};
use crate::model::text::message::{Message, message};
use crate::scratchpad::Scratchpad;

#[derive(Clone, Debug)]
pub struct Installer {
    pub reach: Reach,
    pub places: Places,
    /// The data directory, for the undo record.
    pub data: PathBuf,
    /// The timeout for the lock of the undo record.
    pub timeout: Duration,
    /// The name that the person chose for our server.
    pub server: Option<String>,
}

/// What was done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// Our parts were written.
    Wrote,
    /// It had our parts already.
    Already,
    /// Our parts would be written.
    WouldWrite,
    /// It has nothing of ours.
    NothingOfOurs,
    /// It would be restored, removed, or lose our entries.
    WouldChange,
    /// It was deleted: there was no file before, or it held nothing else.
    Removed,
    /// It was restored byte for byte.
    Restored,
    /// Our entries were removed; it had other changes since.
    RemovedEntries,
}

/// One file, before and after.
#[derive(Clone, Debug)]
pub struct FileChange {
    pub path: PathBuf,
    /// The titles of our parts in it.
    pub parts: Message,
    pub outcome: FileOutcome,
    /// Its content before; `None` if there was no file.
    pub before: Option<String>,
    /// Its content after, or as it would be; `None` for no file.
    pub after: Option<String>,
}

/// What was done to the files of a host: all that is to be done, or on an error nothing.
#[derive(Debug)]
pub struct HostChanges {
    pub host: &'static Host,
    pub files: Result<Vec<FileChange>>,
}

/// A file with what is to be done to it.
struct Planned {
    file: HostFile,
    outcome: FileOutcome,
    new: Option<String>,
}

impl Installer {
    pub fn found(&self) -> Vec<&'static Host> {
        let is_found = |host: &&Host| match self.reach {
            Reach::Global => self.places.has(host),
            Reach::Project => self.places.is_used_in_project(host),
        };
        let hosts = HOSTS.into_iter().filter(|host| host.is_installable());
        hosts.filter(is_found).collect()
    }

    /// Writes our parts to the files of these hosts.
    pub fn install(
        &self,
        hosts: &[&'static Host],
        program: &Program,
        mode: Mode,
    ) -> Result<Vec<HostChanges>> {
        self.for_each(hosts, program, mode, planned_install, write)
    }

    /// Removes our parts from the files of these hosts.
    pub fn uninstall(
        &self,
        hosts: &[&'static Host],
        program: &Program,
        mode: Mode,
    ) -> Result<Vec<HostChanges>> {
        self.for_each(hosts, program, mode, planned_uninstall, take_back)
    }

    /// Each host for itself: what fails in one does not stop the others.
    fn for_each(
        &self,
        hosts: &[&'static Host],
        program: &Program,
        mode: Mode,
        plan: PlanFile,
        apply: ApplyPlan,
    ) -> Result<Vec<HostChanges>> {
        let mut record = match mode {
            Mode::Apply => UndoRecord::open(&self.data, self.timeout)?,
            Mode::Rehearse => UndoRecord::read(&self.data)?,
        };
        let mut changes = |host| -> Result<Vec<FileChange>> {
            let files = files_of(host, &self.places, self.reach)?;
            let program = self.named(&files, program);
            let planned = files
                .into_iter()
                .map(|file| plan(file, &record, &program, mode));
            let planned: Vec<Planned> = planned.collect::<Result<_>>()?;
            if mode == Mode::Apply {
                apply_all(&mut record, &planned, &program, apply)?;
            }
            Ok(planned.into_iter().map(FileChange::from).collect())
        };
        let changes = hosts.iter().map(|host| HostChanges {
            host,
            files: changes(host),
        });
        Ok(changes.collect())
    }

    /// The program with the name that the person chose for our server, else the one that it has in these files.
    fn named(&self, files: &[HostFile], program: &Program) -> Program {
        let mut program = program.clone();
        let name = self
            .server
            .clone()
            .or_else(|| own_server(files, &program).map(|(name, _)| name));
        program.server = name.unwrap_or(program.server);
        program
    }

    /// Whether a host has a status line that ours does not replace; `None` if it has none to fill.
    pub fn has_foreign_status_line(&self, host: &'static Host) -> Result<Option<bool>> {
        let files = files_of(host, &self.places, self.reach)?;
        let mut lines = files.iter().flat_map(|file| {
            let text = file.text.as_deref().unwrap_or_default();
            let lines = file.parts.iter().filter(|part| part.kind.is_optional());
            lines.map(move |part| part.kind.has_foreign_status_line(text))
        });
        Ok(lines.next())
    }

    /// What `install` leaves for the person to do.
    pub fn left_to_do(&self, host: &Host) -> Vec<Message> {
        let (here, there) = match self.reach {
            Reach::Global => (host.user, host.project),
            Reach::Project => (host.project, host.user),
        };
        let only_there = |is_it: fn(&PartKind) -> bool| {
            let mut here = here.iter();
            there.iter().any(|part| is_it(&part.kind)) && !here.any(|part| is_it(&part.kind))
        };
        let (title, name) = (host.title, host.name);
        let more = match self.reach {
            Reach::Global if !host.has_hooks() && only_there(PartKind::is_instructions) => {
                Some(message!(
                    "{host} has no file for rules that apply to all projects: paste the output of `scratchpad guidance` into its settings, or run `scratchpad install {name} --project` in a repository.",
                    host = title,
                    name
                ))
            }
            Reach::Project if only_there(PartKind::brings_tools) => Some(message!(
                "{host} has no MCP servers for a single project: run `scratchpad install {name}` too.",
                host = title,
                name
            )),
            _ => None,
        };
        let own = Some(host.todo).filter(|todo| !todo.is_empty());
        own.map(Message::from).into_iter().chain(more).collect()
    }
}

type PlanFile = fn(HostFile, &UndoRecord, &Program, Mode) -> Result<Planned>;
type ApplyPlan = fn(&mut UndoRecord, &Planned, &Program) -> Result<()>;

impl From<Planned> for FileChange {
    fn from(Planned { file, outcome, new }: Planned) -> Self {
        Self {
            parts: file.titles(&[
                file.text.as_deref().unwrap_or_default(),
                new.as_deref().unwrap_or_default(),
            ]),
            path: file.path,
            outcome,
            before: file.text,
            after: new,
        }
    }
}

fn planned_install(
    file: HostFile,
    record: &UndoRecord,
    program: &Program,
    mode: Mode,
) -> Result<Planned> {
    // A server in a file that is as we left it is ours, whatever the program was called then.
    if !record.has(&file) {
        file.check_names(program)?;
    }
    let new = file.added(program)?;
    let outcome = match mode {
        _ if file.text.as_ref() == Some(&new) => FileOutcome::Already,
        Mode::Rehearse => FileOutcome::WouldWrite,
        Mode::Apply => FileOutcome::Wrote,
    };
    let new = Some(new);
    Ok(Planned { file, outcome, new })
}

fn planned_uninstall(
    file: HostFile,
    record: &UndoRecord,
    program: &Program,
    mode: Mode,
) -> Result<Planned> {
    let (new, outcome) = match record.undo(&file, program)? {
        Undo::Nothing => (None, FileOutcome::NothingOfOurs),
        Undo::Restore(new) | Undo::Edit(new) if mode == Mode::Rehearse => {
            (new, FileOutcome::WouldChange)
        }
        Undo::Restore(None) | Undo::Edit(None) => (None, FileOutcome::Removed),
        Undo::Restore(new) => (new, FileOutcome::Restored),
        Undo::Edit(new) => (new, FileOutcome::RemovedEntries),
    };
    Ok(Planned { file, outcome, new })
}

/// Changes the files of a host, all or none.
fn apply_all(
    record: &mut UndoRecord,
    planned: &[Planned],
    program: &Program,
    apply: ApplyPlan,
) -> Result<()> {
    let mut known = Vec::new();
    for planned in planned {
        if matches!(
            planned.outcome,
            FileOutcome::Already | FileOutcome::NothingOfOurs
        ) {
            continue;
        }
        known.push((planned, record.of_file(&planned.file.path)));
        if let Err(error) = apply(record, planned, program) {
            return Err(rolled_back(record, known, error));
        }
    }
    Ok(())
}

/// Puts back what was there. What can't be put back is named in the error, and stays in the record.
fn rolled_back(
    record: &mut UndoRecord,
    known: Vec<(&Planned, Option<WrittenFile>)>,
    mut error: Error,
) -> Error {
    for (distance, (planned, known)) in known.into_iter().rev().enumerate() {
        let path = &planned.file.path;
        // The last one failed: usually before it was changed.
        let is_written = distance > 0 || files::read(path).is_ok_and(|found| found == planned.new);
        match if is_written {
            put_back(record, planned)
        } else {
            Ok(())
        } {
            Ok(()) => record.reset(path, known),
            Err(failed) => {
                error = error.and(message!(
                    "{path} could not be put back: {failed}",
                    path = path.display(),
                    failed = &failed
                ));
            }
        }
        if planned.file.text.is_none() {
            record.remove_empty(path.parent().unwrap_or(Path::new(".")));
        }
    }
    match record.save() {
        Ok(()) => error,
        Err(failed) => error.and(&failed),
    }
}

fn put_back(record: &mut UndoRecord, Planned { file, new, .. }: &Planned) -> Result<()> {
    if file.text.is_some() {
        record.make_directory(file.path.parent().unwrap_or(Path::new(".")))?;
    }
    file.with_text(new.clone()).replace(file.text.as_deref())
}

/// Writes a file, after recording what was there.
fn write(record: &mut UndoRecord, planned: &Planned, program: &Program) -> Result<()> {
    let Planned { file, new, .. } = planned;
    record.add_file(file, new.as_deref().unwrap_or_default(), program)?;
    record.save()?;
    record.make_directory(file.path.parent().unwrap_or(Path::new(".")))?;
    file.replace(new.as_deref())
}

fn take_back(record: &mut UndoRecord, planned: &Planned, _: &Program) -> Result<()> {
    let Planned { file, new, .. } = planned;
    file.replace(new.as_deref())?;
    record.remove_file(&file.path);
    if new.is_none() {
        record.remove_empty(file.path.parent().unwrap_or(Path::new(".")));
    }
    record.save()
}

/// The hosts whose hooks give their agents the context notes in this project.
///
/// Those whose hooks never ran are separate: if a host does not run them, its agent would be left without the notes.
pub fn hooked_hosts(places: &Places, scratchpad: &dyn Fn() -> Result<Scratchpad>) -> HookedHosts {
    let has_hooks = |host: &'static Host| {
        [Reach::Global, Reach::Project].into_iter().any(|reach| {
            let files = files_of(host, places, reach).unwrap_or_default();
            files.iter().any(HostFile::has_our_hooks)
        })
    };
    let has_called = |host: &&'static Host| {
        scratchpad().is_ok_and(|it| matches!(it.last_hook_call(host), Ok(Some(_))))
    };
    let gives_notes =
        |host: &&'static Host| host.has_hooks() && host.hooks.delivery != Delivery::AfterTools;
    let hosts = HOSTS.into_iter().filter(gives_notes);
    let (calling, silent) = hosts.filter(|host| has_hooks(host)).partition(has_called);
    HookedHosts { calling, silent }
}

/// Writes the plugin directory; returns the paths in it.
pub fn write_plugin(
    directory: &Path,
    program: &Program,
    version: &str,
    about: &str,
    skill: &str,
) -> Result<Vec<&'static str>> {
    let files = plugin_files(program, version, about, skill);
    for (below, text) in &files {
        let path = directory.join(below);
        let above = path.parent().unwrap_or(directory);
        fs::create_dir_all(above)
            .map_err(|error| private::cannot("create the directory", above, &error))?;
        fs::write(&path, text).map_err(|error| private::cannot("write", &path, &error))?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}
