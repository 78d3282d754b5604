//! Reads the layers of configuration from where they are.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
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
            let value = key.read(&text).map_err(|error| error.within(&name))?;
            config.set(key, value, Origin::Environment(name));
        }
    }
    for setting in &global.config {
        let (name, text) = setting.split_once('=').ok_or_else(|| {
            Error::usage(format!("--config takes KEY=VALUE; {setting:?} was given."))
        })?;
        let in_flag = |error: Error| error.within("--config");
        let key = Key::named(name.trim()).map_err(in_flag)?;
        config.set(key, key.read(text).map_err(in_flag)?, Origin::Flag);
    }
    Ok(config)
}

/// The text of a configuration file, if there is one.
pub(super) fn read(path: &Path) -> Result<Option<String>> {
    let failed = |error| cannot("read", path, &error);
    match fs::metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(failed(error)),
        // Opening a pipe would wait for its other end.
        Ok(found) if !found.is_file() => {
            return Err(Error::usage(format!(
                "{} is not a regular file.",
                path.display()
            )));
        }
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    // Whatever size a file says it has: no more than this is ever read.
    let file = File::open(path).map_err(failed)?;
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::usage(format!(
            "{} has more than {} bytes, which is the limit.",
            path.display(),
            grouped(MAX_FILE_BYTES)
        )));
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| Error::usage(format!("{} is not UTF-8 text.", path.display())))
}
