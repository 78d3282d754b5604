//! The files of a host, as they are and as they shall be.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::env;
use scratchpad::disk::private::cannot;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host::install::{Base, Part, Place, Program, Wiring};
use scratchpad::project::Project;

/// Whose files are meant.
pub(super) enum Reach {
    User,
    Project(PathBuf),
}

/// A file of a host with what we have in it.
pub(super) struct File {
    pub(super) path: PathBuf,
    /// Nothing where there is no file.
    pub(super) text: Option<String>,
    pub(super) parts: Vec<&'static Part>,
}

/// How to undo what was written.
pub(super) enum Undo {
    /// There is nothing of ours.
    Nothing,
    /// To what was found before; nothing for no file.
    Restore(Option<String>),
    /// By removing our entries; nothing for no file.
    Edit(Option<String>),
}

/// The files of a host; several things may stand in one.
pub(super) fn of(host: &'static Wiring, reach: &Reach) -> Result<Vec<File>> {
    let parts = match reach {
        Reach::User => host.user,
        Reach::Project(_) => host.project,
    };
    let mut files: Vec<File> = Vec::new();
    for part in parts {
        let path = chosen(part, reach)?;
        if let Some(file) = files.iter_mut().find(|file| file.path == path) {
            file.parts.push(part);
        } else {
            let text = read(&path)?;
            files.push(File {
                path,
                text,
                parts: vec![part],
            });
        }
    }
    Ok(files)
}

/// Whether a person has a host, or a project uses it.
pub(super) fn is_found(host: &Wiring, reach: &Reach) -> bool {
    match reach {
        Reach::User => {
            let mut marks = host.marks.iter();
            marks.any(|place| located(*place, reach).is_ok_and(|path| path.exists()))
        }
        Reach::Project(root) => host.project.iter().any(|part| {
            let directory = Path::new(part.place.path).parent();
            let directory = directory.filter(|it| !it.as_os_str().is_empty());
            directory.is_some_and(|it| root.join(it).is_dir())
        }),
    }
}

/// The file that a thing stands in, else the one that it goes into.
fn chosen(part: &Part, reach: &Reach) -> Result<PathBuf> {
    let mut first = None;
    for path in part.preferred {
        let place = Place { path, ..part.place };
        let path = located(place, reach)?;
        if !path.is_file() {
            continue;
        }
        if read(&path)?.is_some_and(|text| part.what.is_there(&text)) {
            return Ok(path);
        }
        first.get_or_insert(path);
    }
    first.map_or_else(|| located(part.place, reach), Ok)
}

pub(super) fn located(place: Place, reach: &Reach) -> Result<PathBuf> {
    let base = match (place.base, reach) {
        (Base::Project, Reach::Project(root)) => root.clone(),
        (Base::Project, Reach::User) => PathBuf::new(),
        (Base::Configuration, _) => env::configurations()?,
        (Base::Application, _) => env::applications()?,
        (Base::Home(None), _) => match env::absolute_variable("CLAUDE_CONFIG_DIR") {
            // Claude Code keeps this one there as well.
            Some(directory) if place.path == ".claude.json" => directory,
            _ => env::home()?,
        },
        (Base::Home(Some((variable, below))), _) => match env::absolute_variable(variable) {
            Some(directory) => directory,
            None => env::home()?.join(below),
        },
    };
    let path = base.join(place.path);
    if let (Base::Project, Reach::Project(root)) = (place.base, reach) {
        Project { root: root.clone() }.check_inside(&path)?;
    }
    Ok(path)
}

pub(super) fn read(path: &Path) -> Result<Option<String>> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot("read", path, &error)),
    };
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| Error::refused(format!("{} is not UTF-8 text.", path.display())))
}

impl File {
    /// What we have in it, in words.
    pub(super) fn titles(&self) -> String {
        let titles: Vec<String> = self.parts.iter().map(|part| part.what.title()).collect();
        titles.join(", ")
    }

    /// Whether hooks of ours are in it, of whichever version.
    pub(super) fn has_our_hooks(&self) -> bool {
        let text = self.text.as_deref().unwrap_or_default();
        let mut parts = self.parts.iter();
        parts.any(|part| part.what.is_hooks() && part.what.is_there(text))
    }

    #[cfg(unix)]
    pub(super) fn is_executable(&self) -> bool {
        self.parts.iter().any(|part| part.what.is_executable())
    }

    /// Its text with what is ours.
    pub(super) fn added(&self, program: &Program) -> Result<String> {
        let mut text = self.text.clone().unwrap_or_default();
        for part in &self.parts {
            if part.what.is_whole_file() && !text.is_empty() && !text.contains("scratchpad") {
                return Err(Error::refused(format!(
                    "There is a file {} already, which is not ours.",
                    self.path.display()
                ))
                .hint("move it away, or call scratchpad from it yourself."));
            }
            text = part
                .what
                .added(&text, program)
                .map_err(|error| error.within(self.path.display()))?;
        }
        Ok(text)
    }

    /// Its text without what is ours; `before` is the text as we found it.
    pub(super) fn removed(&self, before: &str) -> Result<Option<String>> {
        let mut text = self.text.clone();
        for part in &self.parts {
            let Some(left) = text else { break };
            text = part
                .what
                .removed(&left, before)
                .map_err(|error| error.within(self.path.display()))?;
        }
        Ok(text)
    }
}
