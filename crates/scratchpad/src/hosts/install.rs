//! Writes our parts to the files of hosts, and removes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::files::{HostFile, files_of};
use super::inject::Mode;
use super::places::Places;
use super::undo::{Undo, UndoRecord};
use crate::disk::private;
use crate::model::error::Result;
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
    pub host: &'static Host,
    pub path: PathBuf,
    /// The titles of our parts in it.
    pub parts: Message,
    pub outcome: FileOutcome,
    /// Its content before; `None` if there was no file.
    pub before: Option<String>,
    /// Its content after, or as it would be; `None` for no file.
    pub after: Option<String>,
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
    ) -> Result<Vec<FileChange>> {
        let mut record = self.record(mode)?;
        let mut changes = Vec::new();
        for host in hosts {
            for file in files_of(host, &self.places, self.reach)? {
                let new = file.added(program)?;
                let outcome = if file.text.as_ref() == Some(&new) {
                    FileOutcome::Already
                } else if mode == Mode::Rehearse {
                    FileOutcome::WouldWrite
                } else {
                    write(&mut record, &file, &new)?;
                    FileOutcome::Wrote
                };
                changes.push(change(host, file, outcome, Some(new)));
            }
        }
        Ok(changes)
    }

    /// Removes our parts from the files of these hosts.
    pub fn uninstall(&self, hosts: &[&'static Host], mode: Mode) -> Result<Vec<FileChange>> {
        let mut record = self.record(mode)?;
        let mut changes = Vec::new();
        for host in hosts {
            for file in files_of(host, &self.places, self.reach)? {
                let undo = record.undo(&file)?;
                let new = match &undo {
                    Undo::Nothing => {
                        changes.push(change(host, file, FileOutcome::NothingOfOurs, None));
                        continue;
                    }
                    Undo::Restore(text) | Undo::Edit(text) => text.clone(),
                };
                let outcome = match (mode, &undo, &new) {
                    (Mode::Rehearse, ..) => FileOutcome::WouldChange,
                    (_, _, None) => FileOutcome::Removed,
                    (_, Undo::Restore(_), _) => FileOutcome::Restored,
                    _ => FileOutcome::RemovedEntries,
                };
                if mode == Mode::Apply {
                    take_back(&mut record, &file, new.as_deref())?;
                }
                changes.push(change(host, file, outcome, new));
            }
        }
        Ok(changes)
    }

    fn record(&self, mode: Mode) -> Result<UndoRecord> {
        match mode {
            Mode::Apply => UndoRecord::open(&self.data, self.timeout),
            Mode::Rehearse => UndoRecord::read(&self.data),
        }
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
            Reach::Global if only_there(PartKind::is_instructions) => Some(message!(
                "{host} has no file for rules that apply to all projects: paste the output of `scratchpad guidance` into its settings, or run `scratchpad install {name} --project` in a repository.",
                host = title,
                name
            )),
            Reach::Project if only_there(PartKind::is_server) => Some(message!(
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

fn change(
    host: &'static Host,
    file: HostFile,
    outcome: FileOutcome,
    after: Option<String>,
) -> FileChange {
    FileChange {
        host,
        parts: file.titles(),
        path: file.path,
        outcome,
        before: file.text,
        after,
    }
}

/// Writes a file, after recording what was there.
fn write(record: &mut UndoRecord, file: &HostFile, new: &str) -> Result<()> {
    record.add_file(file, new)?;
    record.save()?;
    record.make_directory(file.path.parent().unwrap_or(Path::new(".")))?;
    file.replace(new)
}

fn take_back(record: &mut UndoRecord, file: &HostFile, new: Option<&str>) -> Result<()> {
    match new {
        Some(text) => file.replace(text)?,
        None => file.remove()?,
    }
    record.remove_file(&file.path);
    if new.is_none() {
        record.remove_empty(file.path.parent().unwrap_or(Path::new(".")));
    }
    record.save()
}

/// The hosts whose hooks give their agents the context notes in this project.
///
/// Only those whose hooks have run: if a host does not run them, its agent would be left without the notes.
pub fn hooked_hosts(places: &Places, scratchpad: &dyn Fn() -> Result<Scratchpad>) -> HookedHosts {
    let has_hooks = |host: &'static Host| {
        [Reach::Global, Reach::Project].into_iter().any(|reach| {
            let files = files_of(host, places, reach).unwrap_or_default();
            files.iter().any(HostFile::has_our_hooks)
        })
    };
    let has_called = |host: &Host| {
        host.hooks.delivery != Delivery::AfterTools
            && scratchpad().is_ok_and(|it| matches!(it.last_attended(host), Ok(Some(_))))
    };
    let hosts = HOSTS.into_iter().filter(|host| host.has_hooks());
    HookedHosts(
        hosts
            .filter(|host| has_hooks(host) && has_called(host))
            .collect(),
    )
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
