//! Loads the layers of settings.

use std::path::Path;

use super::Global;
use super::env;
use super::env::Directories;
use scratchpad::disk::files;
use scratchpad::model::error::{Error, ErrorKind, Result};
use scratchpad::model::settings::Settings;
use scratchpad::model::settings::layers::{Known, Layers, Origin, Origins, known};
use scratchpad::model::text::message::{message, quoted};
use scratchpad::project::Project;

/// The maximum size of a configuration file: a project's file is untrusted.
const MAX_FILE_BYTES: usize = 1024 * 1024;

/// Default < user file < project file < environment < flag.
pub(super) fn load(
    directories: &Directories,
    project: &Project,
    global: &Global,
) -> Result<(Settings, Origins)> {
    let mut layers = Layers::default();
    let user_file = directories.configuration.join("config.toml");
    if let Some(text) = read(&user_file)? {
        layers.set_from_file(&text, &Origin::UserFile(user_file.display().to_string()))?;
    }
    let project_file = project.config_file();
    if let Some(text) = read(&project_file)? {
        let origin = Origin::ProjectFile(project_file.display().to_string());
        layers.set_from_file(&text, &origin)?;
    }
    for setting in known() {
        let name = setting.variable();
        if let Some(text) = env::variable(&name) {
            let setting = setting
                .read(&text)
                .map_err(|error| error.within(name.clone()))?;
            layers.set(setting, Origin::Environment(name));
        }
    }
    for argument in &global.config {
        let (name, text) = argument.split_once('=').ok_or_else(|| {
            Error::usage(message!(
                "--config takes KEY=VALUE; {given} was given.",
                given = quoted(argument)
            ))
        })?;
        let setting = Known::named(name.trim()).and_then(|known| known.read(text));
        layers.set(
            setting.map_err(|error| error.within("--config"))?,
            Origin::Flag,
        );
    }
    layers.settle()
}

/// As many of the settings as can be read, for messages shown before a command runs.
pub(super) fn load_leniently() -> Option<Settings> {
    let global = Global::default();
    let project = env::project(&global).ok()?;
    let (settings, _) = load(&env::directories().ok()?, &project, &global).ok()?;
    Some(settings)
}

/// The text of a configuration file, if there is one.
pub(super) fn read(path: &Path) -> Result<Option<String>> {
    files::read_small_text(path, MAX_FILE_BYTES).map_err(|error| match error.kind() {
        ErrorKind::Refused => error.as_kind(ErrorKind::Usage),
        _ => error,
    })
}
