//! Reads the layers of configuration from where they are.

use std::fs;
use std::path::Path;

use super::Global;
use super::surroundings::{self, Directories};
use crate::model::config::{Config, Origin};
use crate::model::error::{Error, Result};
use crate::model::keys::{KEYS, Key};
use crate::model::quantity::grouped;
use crate::project::Project;
use crate::store::private::cannot;

/// The most a configuration file may hold: a project's is somebody else's.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Default < user file < project file < environment < flag.
pub(super) fn load(
    directories: &Directories,
    project: &Project,
    global: &Global,
) -> Result<Config> {
    let mut config = Config::default();
    let user = directories.configuration.join("config.toml");
    if let Some(text) = read(&user)? {
        config.set_from_file(&text, &Origin::UserFile(user.display().to_string()))?;
    }
    let own = project.config_file();
    if let Some(text) = read(&own)? {
        config.set_from_file(&text, &Origin::ProjectFile(own.display().to_string()))?;
    }
    for key in KEYS {
        let name = key.variable();
        if let Some(text) = surroundings::variable(&name) {
            let value = key
                .read(&text)
                .map_err(|error| error.hint(format!("it came from {name}.")))?;
            config.set(key, value, Origin::Environment(name));
        }
    }
    for setting in &global.config {
        let (name, text) = setting.split_once('=').ok_or_else(|| {
            Error::usage(format!("--config takes KEY=VALUE; {setting:?} was given."))
        })?;
        let key = Key::named(name.trim())?;
        config.set(key, key.read(text)?, Origin::Flag);
    }
    Ok(config)
}

/// The text of a configuration file, if there is one.
pub(super) fn read(path: &Path) -> Result<Option<String>> {
    let Ok(found) = fs::metadata(path) else {
        return Ok(None);
    };
    if !found.is_file() {
        return Err(Error::usage(format!(
            "{} is not a regular file.",
            path.display()
        )));
    }
    if found.len() > MAX_FILE_BYTES {
        return Err(Error::usage(format!(
            "{} has {} bytes, the limit is {}.",
            path.display(),
            grouped(found.len()),
            grouped(MAX_FILE_BYTES)
        )));
    }
    let bytes = fs::read(path).map_err(|error| cannot("read", path, &error))?;
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| Error::usage(format!("{} is not UTF-8 text.", path.display())))
}
