//! What the process is surrounded by: environment and directories. Nothing else reads them.

use std::env;
use std::path::{Path, PathBuf};

use super::Global;
use crate::model::error::{Error, Result};
use crate::model::resolve::{HOST_VARIABLES, SessionFacts};
use crate::project::Project;

/// The directories of this person.
pub(super) struct Directories {
    pub(super) data: PathBuf,
    pub(super) configuration: PathBuf,
}

/// A variable that is set to something.
pub(super) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn path_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// An absolute path from a variable; the base-directory rules say to ignore a relative one.
fn absolute_variable(name: &str) -> Option<PathBuf> {
    path_variable(name).filter(|path| path.is_absolute())
}

/// Where data and configuration lie: `SCRATCHPAD_HOME`, else the platform's places.
pub(super) fn directories() -> Result<Directories> {
    if let Some(home) = path_variable("SCRATCHPAD_HOME") {
        let home = std::path::absolute(&home).unwrap_or(home);
        return Ok(Directories {
            data: home.clone(),
            configuration: home,
        });
    }
    let in_home = |below: &str| absolute_variable("HOME").map(|home| home.join(below));
    let (data, configuration) = if cfg!(windows) {
        (
            absolute_variable("LOCALAPPDATA"),
            absolute_variable("APPDATA"),
        )
    } else if cfg!(target_os = "macos") {
        let support = in_home("Library/Application Support");
        (support.clone(), support)
    } else {
        (
            absolute_variable("XDG_DATA_HOME").or_else(|| in_home(".local/share")),
            absolute_variable("XDG_CONFIG_HOME").or_else(|| in_home(".config")),
        )
    };
    match (data, configuration) {
        (Some(data), Some(configuration)) => Ok(Directories {
            data: data.join("scratchpad"),
            configuration: configuration.join("scratchpad"),
        }),
        _ => Err(
            Error::usage("There is no home directory to keep data in: HOME is not set.")
                .hint("say where to keep it: SCRATCHPAD_HOME=DIR."),
        ),
    }
}

/// The project: the one that is named, else the one around the working directory.
pub(super) fn project(global: &Global) -> Result<Project> {
    match &global.project_dir {
        Some(root) => Project::at(root),
        None => Project::containing(Path::new(".")),
    }
}

/// Everything that may tell the session, except what the store knows.
pub(super) fn session_facts(global: &Global) -> SessionFacts {
    SessionFacts {
        call: None,
        flag: global.session.clone(),
        environment: variable("SCRATCHPAD_SESSION"),
        bound: None,
        host_variable: HOST_VARIABLES
            .into_iter()
            .find_map(|name| variable(name).map(|id| (name, id))),
    }
}
