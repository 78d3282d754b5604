//! Loads the layers of settings.

use std::path::Path;

use super::Global;
use super::env;
use super::env::Directories;
use scratchpad::disk::files;
use scratchpad::model::error::{Error, ErrorKind, Result};
use scratchpad::model::settings::Settings;
use scratchpad::model::settings::environment;
use scratchpad::model::settings::file::ignored;
use scratchpad::model::settings::layers::{Known, Layers, Origin, Origins, known};
use scratchpad::model::settings::project_file::says_where_data_is;
use scratchpad::model::text::message::{message, quoted};
use scratchpad::project::Project;

/// The maximum size of a configuration file: a project's file is untrusted.
const MAX_FILE_BYTES: usize = 1024 * 1024;

/// The settings, where each comes from, and what was ignored.
#[derive(Default)]
pub(super) struct Loaded {
    pub(super) settings: Settings,
    pub(super) origins: Origins,
    /// A hook or a server goes on without these; a person reads a warning.
    pub(super) problems: Vec<Error>,
}

/// Default < user file < project file < environment < flag.
pub(super) fn load(
    directories: &Directories,
    project: &Project,
    global: &Global,
) -> Result<Loaded> {
    let mut layers = Layers::default();
    let mut problems = Vec::new();
    let user_file = directories.configuration.join("config.toml");
    if let Some(text) = read(&user_file)? {
        let origin = Origin::UserFile(user_file.display().to_string());
        problems.extend(layers.set_from_file(&text, &origin)?);
    }
    let project_file = project.config_file();
    let found = project_file
        .exists()
        .then(|| project.check_inside(&project_file))
        .transpose();
    match found.and_then(|_| read(&project_file)) {
        Ok(None) => {}
        Ok(Some(text)) => {
            let origin = Origin::ProjectFile(project_file.display().to_string());
            problems.extend(layers.set_from_file(&text, &origin)?);
        }
        // It may be anybody's, and can't say where the data is.
        Err(error) => problems.push(project.unreadable().unwrap_or_else(|| ignored(error))),
    }
    problems.extend(set_from_environment(&mut layers)?);
    set_from_flags(&mut layers, global)?;
    let (settings, origins) = layers.resolve()?;
    Ok(Loaded {
        settings,
        origins,
        problems,
    })
}

/// Returns what was ignored.
fn set_from_environment(layers: &mut Layers) -> Result<Vec<Error>> {
    let mut problems = Vec::new();
    for setting in known() {
        let name = setting.variable();
        let Some(text) = env::variable(&name) else {
            continue;
        };
        match setting.read(&text) {
            Ok(setting) => layers.set(setting, Origin::Environment(name)),
            Err(error) if says_where_data_is(&setting.name) => return Err(error.within(name)),
            Err(error) => problems.push(ignored(error.within(name))),
        }
    }
    let others = env::variables(environment::PREFIX);
    let others = others.iter().filter(|(_, value)| !value.is_empty());
    problems.extend(others.filter_map(|(name, _)| environment::unread(name).map(ignored)));
    Ok(problems)
}

fn set_from_flags(layers: &mut Layers, global: &Global) -> Result<()> {
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
    Ok(())
}

/// As many of the settings as can be read, for messages shown before a command runs.
pub(super) fn load_leniently() -> Option<Settings> {
    let global = Global::default();
    let project = env::project(&global).ok()?;
    let loaded = load(&env::directories().ok()?, &project, &global).ok()?;
    Some(loaded.settings)
}

/// The text of a configuration file, if there is one.
pub(super) fn read(path: &Path) -> Result<Option<String>> {
    files::read_small_text(path, MAX_FILE_BYTES).map_err(|error| match error.kind() {
        ErrorKind::Refused => error.as_kind(ErrorKind::Usage),
        _ => error,
    })
}
