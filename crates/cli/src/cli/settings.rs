//! Reads the layers of configuration from where they are.

use std::path::Path;

use super::Global;
use super::env;
use super::env::Directories;
use scratchpad::disk::files;
use scratchpad::model::error::{Error, ErrorKind, Result};
use scratchpad::model::settings::keys::{KEYS, Key};
use scratchpad::model::settings::{Config, Origin};
use scratchpad::project::Project;

/// The most a configuration file may hold: a project's is somebody else's.
const MAX_FILE_BYTES: usize = 1024 * 1024;

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
        if let Some(text) = env::variable(&name) {
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

/// The settings as far as they can be read, for what has to be said before a command runs.
pub(super) fn load_leniently() -> Option<Config> {
    let global = Global::default();
    let project = env::project(&global).ok()?;
    load(&env::directories().ok()?, &project, &global).ok()
}

/// The text of a configuration file, if there is one.
pub(super) fn read(path: &Path) -> Result<Option<String>> {
    files::read_small_text(path, MAX_FILE_BYTES).map_err(|error| match error.kind() {
        ErrorKind::Refused => error.as_kind(ErrorKind::Usage),
        _ => error,
    })
}
