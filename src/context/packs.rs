//! Packs and profiles on disk: the person's, the project's, and what is built in.

use std::fs;
use std::path::{Path, PathBuf};

use crate::model::error::{Error, ErrorKind, Result};
use crate::model::nearest::did_you_mean;
use crate::model::pack::{DEFAULT_PROFILE, PACK_FILE, PARTS, Pack, Profile, Source, one_of_each};
use crate::project::{DIRECTORY, Project};
use crate::store::files::read_small_text;

/// The most bytes of one file of a pack.
const MAX_FILE_BYTES: usize = 256 * 1024;
/// As many packs or profiles of one place as are looked at.
const MAX_ENTRIES: usize = 500;

/// All packs and profiles that can be chosen from, and what is wrong with others.
pub struct Shelf {
    /// One of each id, sorted.
    pub packs: Vec<Pack>,
    /// One of each id, sorted.
    pub profiles: Vec<Profile>,
    /// What could not be read.
    pub problems: Vec<Error>,
}

impl Shelf {
    /// Reads the person's directory of settings, and a project's.
    pub fn read(configuration: &Path, project: Option<&Project>) -> Self {
        let mut problems = Vec::new();
        let mut packs: Vec<Pack> = Pack::base().into_iter().collect();
        let mut profiles = vec![Profile::default_one()];
        let mut places = vec![(configuration.to_owned(), Source::User)];
        places.extend(project.map(|project| (project.root.join(DIRECTORY), Source::Project)));
        for (place, source) in places {
            for path in entries(&place.join("packs")) {
                match pack(&path, source) {
                    Ok(pack) => packs.extend(pack),
                    Err(error) => problems.push(error),
                }
            }
            for path in entries(&place.join("profiles")) {
                match profile(&path, source) {
                    Ok(profile) => profiles.extend(profile),
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

    /// The profile of that id, or an error with the nearest one.
    pub fn profile(&self, id: &str) -> Result<&Profile> {
        let found = self.profiles.iter().find(|profile| profile.id == id);
        found.ok_or_else(|| {
            let ids = self.profiles.iter().map(|profile| profile.id.as_str());
            Error::new(ErrorKind::NotFound, format!("There is no profile {id:?}.")).hint(
                did_you_mean(id, ids)
                    .unwrap_or_else(|| "`scratchpad profile list` shows them.".to_owned()),
            )
        })
    }

    /// What a profile chooses; what it asks for in vain becomes a problem.
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
            Error::not_found(format!(
                "The profile {id} asks for the pack {pack:?}, which there is not."
            ))
        }));
        let name = if profile.id == DEFAULT_PROFILE && profile.source == Source::BuiltIn {
            String::new()
        } else {
            profile.name
        };
        (name, packs)
    }
}

/// What a directory holds, sorted; nothing if there is none.
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

fn pack(directory: &Path, source: Source) -> Result<Option<Pack>> {
    let file = directory.join(PACK_FILE);
    let Some(text) = read_small_text(&file, MAX_FILE_BYTES)? else {
        return Ok(None);
    };
    let mut pack = Pack::parse(&text, source).map_err(|error| error.within(file.display()))?;
    for (slot, (_, name)) in pack.parts.iter_mut().zip(PARTS) {
        let path = directory.join(name);
        *slot = read_small_text(&path, MAX_FILE_BYTES)?.unwrap_or_default();
    }
    Ok(Some(pack))
}

fn profile(path: &Path, source: Source) -> Result<Option<Profile>> {
    let id = path.file_stem().map(|name| name.to_string_lossy());
    let Some(id) = id.filter(|_| path.extension().is_some_and(|end| end == "toml")) else {
        return Ok(None);
    };
    let Some(text) = read_small_text(path, MAX_FILE_BYTES)? else {
        return Ok(None);
    };
    let profile = Profile::parse(&id, &text, source);
    profile
        .map(Some)
        .map_err(|error| error.within(path.display()))
}
