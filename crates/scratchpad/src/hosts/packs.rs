//! Packs and profiles: the person's, the project's, and the built-in ones.

use std::fs;
use std::path::{Path, PathBuf};

use crate::disk::files::read_small_text;
use crate::model::context::pack::{
    DEFAULT_PROFILE, PACK_FILE, PARTS, Pack, PackSource, Profile, one_of_each,
};
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::text::message::{message, number, quoted};
use crate::model::text::nearest::did_you_mean;
use crate::project::{DIRECTORY, Project};

/// The largest file of a pack.
const MAX_FILE_BYTES: usize = 256 * 1024;
/// The maximum number of bytes read from one place.
const MAX_PLACE_BYTES: usize = 4 * 1024 * 1024;
/// The maximum number of packs or profiles considered in one place.
const MAX_ENTRIES: usize = 500;

/// All available packs and profiles, and what is wrong with others.
pub struct PackLibrary {
    /// One of each id, sorted.
    pub packs: Vec<Pack>,
    /// One of each id, sorted.
    pub profiles: Vec<Profile>,
    /// What could not be read.
    pub problems: Vec<Error>,
}

impl PackLibrary {
    /// Reads those in the person's configuration directory and in a project.
    pub fn read(configuration: &Path, project: Option<&Project>) -> Self {
        let mut problems = Vec::new();
        let mut packs: Vec<Pack> = Pack::base().into_iter().collect();
        let mut profiles = vec![Profile::default_one()];
        let mut places = vec![Place::new(configuration.to_owned(), PackSource::User, None)];
        places.extend(project.map(|project| {
            let directory = project.root.join(DIRECTORY);
            Place::new(directory, PackSource::Project, Some(&project.root))
        }));
        for mut place in places {
            // Profiles first: they are small, and they select the packs.
            for path in entries(&place.directory.join("profiles")) {
                match place.profile(&path) {
                    Ok(profile) => profiles.extend(profile),
                    Err(error) => problems.push(error),
                }
            }
            for path in entries(&place.directory.join("packs")) {
                if place.room == 0 {
                    problems.push(too_much(&place.directory.join("packs")));
                    break;
                }
                match place.pack(&path) {
                    Ok(pack) => packs.extend(pack),
                    Err(error) => problems.push(error),
                }
            }
        }
        Self {
            packs: one_of_each(packs, |pack| (pack.id.clone(), pack.source)),
            profiles: one_of_each(profiles, |profile| (profile.id.clone(), profile.source)),
            problems,
        }
    }

    /// The profile with that id, or an error that suggests the nearest one.
    pub fn profile(&self, id: &str) -> Result<&Profile> {
        let found = self.profiles.iter().find(|profile| profile.id == id);
        found.ok_or_else(|| {
            let ids = self.profiles.iter().map(|profile| profile.id.as_str());
            Error::new(
                ErrorKind::NotFound,
                message!("Unknown profile {profile}.", profile = quoted(id)),
            )
            .hint(
                did_you_mean(id, ids)
                    .unwrap_or_else(|| "`scratchpad profile list` shows them.".into()),
            )
        })
    }

    /// The name of a profile and the packs it chooses. Missing packs are added to the problems.
    pub fn chosen(&mut self, id: &str) -> (String, Vec<Pack>) {
        let profile = match self.profile(id) {
            Ok(profile) => profile.clone(),
            Err(error) => {
                self.problems.push(error.within("`profile`"));
                Profile::default_one()
            }
        };
        let (packs, missing) = profile.choose(&self.packs);
        self.problems.extend(missing.iter().map(|pack| {
            Error::not_found(message!(
                "The profile {profile} needs the pack {pack}, which does not exist.",
                profile = id.to_string(),
                pack = quoted(pack)
            ))
        }));
        let name = if profile.id == DEFAULT_PROFILE && profile.source == PackSource::BuiltIn {
            String::new()
        } else {
            profile.name
        };
        (name, packs)
    }
}

/// The entries of a directory, sorted; empty if it does not exist.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .take(MAX_ENTRIES)
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths
}

/// A directory that holds packs and profiles.
struct Place<'a> {
    directory: PathBuf,
    source: PackSource,
    /// The directory that all its files must be in. A project is untrusted: a link in it could lead to a private file.
    within: Option<&'a Path>,
    /// The number of bytes that may still be read.
    room: usize,
}

impl<'a> Place<'a> {
    fn new(directory: PathBuf, source: PackSource, within: Option<&'a Path>) -> Self {
        Self {
            directory,
            source,
            within,
            room: MAX_PLACE_BYTES,
        }
    }

    fn pack(&mut self, directory: &Path) -> Result<Option<Pack>> {
        let file = directory.join(PACK_FILE);
        let Some(text) = self.read(&file)? else {
            return Ok(None);
        };
        let pack = Pack::parse(&text, self.source);
        let mut pack = pack.map_err(|error| error.within(file.display()))?;
        for (slot, (_, name)) in pack.parts.iter_mut().zip(PARTS) {
            *slot = self.read(&directory.join(name))?.unwrap_or_default();
        }
        Ok(Some(pack))
    }

    fn profile(&mut self, path: &Path) -> Result<Option<Profile>> {
        let id = path.file_stem().map(|name| name.to_string_lossy());
        let Some(id) = id.filter(|_| path.extension().is_some_and(|end| end == "toml")) else {
            return Ok(None);
        };
        let Some(text) = self.read(path)? else {
            return Ok(None);
        };
        let profile = Profile::parse(&id, &text, self.source);
        profile
            .map(Some)
            .map_err(|error| error.within(path.display()))
    }

    fn read(&mut self, path: &Path) -> Result<Option<String>> {
        let leads_out = |root: &Path| {
            let file = fs::canonicalize(path);
            file.is_ok_and(|file| !file.starts_with(root))
        };
        if self.within.is_some_and(leads_out) {
            return Err(Error::new(
                ErrorKind::Refused,
                message!(
                    "{path} is a link to a place outside the project.",
                    path = path.display().to_string()
                ),
            )
            .hint("copy the file into the project, or keep the pack next to your settings."));
        }
        let text = read_small_text(path, MAX_FILE_BYTES)?;
        self.room = self
            .room
            .saturating_sub(text.as_ref().map_or(0, String::len));
        Ok(text)
    }
}

fn too_much(directory: &Path) -> Error {
    Error::new(
        ErrorKind::Refused,
        message!(
            "{path} is larger than the limit of {max} bytes; packs beyond it are left out.",
            path = directory.display().to_string(),
            max = number(MAX_PLACE_BYTES)
        ),
    )
}
