//! The environment and the directories of this process. Nothing else reads them.

use std::env;
use std::path::{Path, PathBuf};

use super::Global;
use scratchpad::ancestry;
use scratchpad::hosts::places::Places;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host::directory_variables;
use scratchpad::model::host::install::NAME;
use scratchpad::model::host::process_names;
use scratchpad::model::session::announce::likely_host;
use scratchpad::model::settings::passwords::Passwords;
use scratchpad::model::text::message::message;
use scratchpad::project::{Marks, Project};

/// The user's directories.
pub(super) struct Directories {
    pub(super) data: PathBuf,
    pub(super) configuration: PathBuf,
}

/// A variable, if it is set and not empty. Invalid UTF-8 is kept as replacement characters, which checks refuse.
pub(super) fn variable(name: &str) -> Option<String> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(|value| value.to_string_lossy().into_owned())
}

/// The variables whose names start with `prefix`, with their values.
pub(super) fn variables(prefix: &str) -> Vec<(String, String)> {
    env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| name.starts_with(prefix))
        .collect()
}

fn path_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// An absolute path from a variable; the base-directory rules say to ignore a relative one.
pub(super) fn absolute_variable(name: &str) -> Option<PathBuf> {
    path_variable(name).filter(|path| path.is_absolute())
}

/// Whether this word is on the command line, before it is parsed.
pub(super) fn flag_before_parsing(name: &str) -> bool {
    env::args_os()
        .skip(1)
        .take_while(|argument| argument != "--")
        .any(|argument| argument == name)
}

/// The value of an option before the command line is parsed: parse errors are messages too.
pub(super) fn option_before_parsing(name: &str) -> Option<String> {
    let mut arguments = env::args_os()
        .skip(1)
        .take_while(|argument| argument != "--");
    while let Some(argument) = arguments.next() {
        let argument = argument.to_string_lossy();
        if argument == name {
            return arguments
                .next()
                .map(|value| value.to_string_lossy().into_owned());
        }
        let value = argument
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('='));
        if let Some(value) = value {
            return Some(value.to_owned());
        }
    }
    None
}

/// The directories for data and configuration: `SCRATCHPAD_HOME`, or else the platform's defaults.
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
        _ => Err(Error::usage(
            "No home directory to keep data in: HOME is not set to an absolute path.",
        )
        .hint("choose a directory with SCRATCHPAD_HOME=DIR.")),
    }
}

/// The name of this machine.
pub(super) fn machine() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    #[cfg(not(unix))]
    let name = variable("COMPUTERNAME").unwrap_or_default();
    if name.is_empty() {
        "localhost".to_owned()
    } else {
        name
    }
}

/// The user's login name.
fn user() -> String {
    let user = ["USER", "LOGNAME", "USERNAME"]
        .into_iter()
        .find_map(variable);
    #[cfg(unix)]
    let user = user.unwrap_or_else(|| rustix::process::getuid().as_raw().to_string());
    #[cfg(not(unix))]
    let user = user.unwrap_or_else(|| "somebody".to_owned());
    user
}

/// The default author: `user@machine`.
pub(super) fn author() -> String {
    format!("{}@{}", user(), machine())
}

/// The passwords of servers, and the path of a password file that was ignored because others can read it.
pub(super) fn passwords() -> (Passwords, Option<PathBuf>) {
    let mut passwords = Passwords {
        given: variable("PGPASSWORD"),
        user: user(),
        ..Passwords::default()
    };
    let in_home = || Some(home().ok()?.join(".pgpass"));
    let Some(path) = path_variable("PGPASSFILE").or_else(in_home) else {
        return (passwords, None);
    };
    if passwords.given.is_some() || !path.is_file() {
        return (passwords, None);
    }
    if is_open_to_others(&path) {
        return (passwords, Some(path));
    }
    // An unreadable file counts as empty, as in every other client.
    passwords.listed = std::fs::read_to_string(&path).unwrap_or_default();
    (passwords, None)
}

#[cfg(unix)]
fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> bool {
    false
}

/// Where hosts keep their files.
pub(super) fn places(project: &Project) -> Places {
    let home = home().ok();
    let below_home = |path: &str| home.as_ref().map(|home| home.join(path));
    // Not the same as our own configuration directory on every system.
    let configuration = absolute_variable(if cfg!(windows) {
        "APPDATA"
    } else {
        "XDG_CONFIG_HOME"
    })
    .or_else(|| below_home(".config"));
    let application = if cfg!(target_os = "macos") {
        below_home("Library/Application Support")
    } else {
        configuration.clone()
    };
    // Hosts resolve a relative path against the working directory too.
    let moved = |name| Some((name, std::path::absolute(path_variable(name)?).ok()?));
    Places {
        project: project.root.clone(),
        moved: directory_variables()
            .into_iter()
            .filter_map(moved)
            .collect(),
        home,
        configuration,
        application,
    }
}

/// The user's home directory.
pub(super) fn home() -> Result<PathBuf> {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    absolute_variable(name)
        .ok_or_else(|| Error::usage(message!("{name} is not set to an absolute path.", name)))
}

/// A path as people write it: below their home with `~`.
pub(super) fn shown(path: &Path) -> String {
    let home = home().ok();
    let below = home.as_ref().and_then(|home| path.strip_prefix(home).ok());
    below.map_or_else(
        || path.display().to_string(),
        |below| Path::new("~").join(below).display().to_string(),
    )
}

/// The path of this program, as the person called it.
///
/// Links are not resolved: Homebrew, Nix and mise keep each version in a directory of its own, and only the link to it
/// survives an update.
pub(super) fn own_path() -> Result<String> {
    let own = env::current_exe().map_err(|error| {
        Error::store(message!(
            "Can't find the path of this program: {error}.",
            error = error.to_string()
        ))
    })?;
    as_called(&own)
        .unwrap_or(own)
        .into_os_string()
        .into_string()
        .map_err(|own| {
            Error::refused(message!(
                "The path of this program is not UTF-8: {own}.",
                own = own.display().to_string()
            ))
            .hint("put it on PATH.")
        })
}

/// The path by which this program was called, if it is at that path.
fn as_called(own: &Path) -> Option<PathBuf> {
    let own = own.canonicalize().ok()?;
    let is_it = |path: &PathBuf| path.canonicalize().is_ok_and(|path| path == own);
    let called = PathBuf::from(env::args_os().next()?);
    let name = called.file_name()?;
    // mise and asdf start the version that is chosen, which is next to their directory of shims.
    let is_shim = |path: &PathBuf| {
        let directory = path.parent();
        let tools = directory
            .filter(|it| it.ends_with("shims"))
            .and_then(Path::parent);
        is_executable(path) && tools.is_some_and(|tools| own.starts_with(tools))
    };
    let on_path = || directories_on_path().map(|directory| directory.join(name));
    if let Some(shim) = on_path().find(is_shim) {
        return Some(shim);
    }
    if called.components().count() > 1 {
        return std::path::absolute(&called).ok().filter(is_it);
    }
    on_path().find(|path| path.is_absolute() && is_it(path))
}

fn directories_on_path() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = env::split_paths(&path).collect();
    directories.into_iter()
}

/// The project that was named, or else the one that contains the working directory.
pub(super) fn project(global: &Global) -> Result<Project> {
    if let Some(root) = &global.project_dir {
        Project::at(root)
    } else {
        project_around(&host_directory().unwrap_or_else(|| PathBuf::from(".")))
    }
}

/// The host's working directory, if it started this process in our plugin's directory. Copilot CLI does, and gives no
/// other hint.
fn host_directory() -> Option<PathBuf> {
    let plugin = absolute_variable("COPILOT_PLUGIN_ROOT")?;
    let own = env::current_dir().ok()?;
    if plugin.canonicalize().ok()? != own.canonicalize().ok()? {
        return None;
    }
    let ancestors = ancestry::ancestors();
    ancestry::working_directory(likely_host(&ancestors, &process_names())?)
}

/// The path for starting this same program again, even if an update has replaced its file.
pub(super) fn this_program() -> std::io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        Ok(PathBuf::from("/proc/self/exe"))
    } else {
        std::env::current_exe()
    }
}

/// The project that contains a directory.
pub(super) fn project_around(directory: &Path) -> Result<Project> {
    Project::containing(directory, &marks())
}

/// The project that the working directory was in by an earlier rule, if that was another one.
pub(super) fn former_project(global: &Global) -> Option<Project> {
    if global.project_dir.is_some() {
        return None;
    }
    let directory = host_directory().unwrap_or_else(|| PathBuf::from("."));
    let project = project_around(&directory).ok()?;
    project
        .formerly_containing(&directory, &marks())
        .unwrap_or_default()
}

fn marks() -> Marks {
    Marks {
        home: home().ok(),
        not_marks: directories()
            .map_or_else(|_| Vec::new(), |own| vec![own.data, own.configuration]),
    }
}

/// The command for a host's configuration: the bare name if it is on `PATH`, or else this program's path.
pub(super) fn program() -> Result<String> {
    if is_on_path() {
        return Ok(NAME.to_owned());
    }
    own_path()
}

/// Whether a program is where `npx` unpacks what it runs, and where npm may remove it.
pub(super) fn is_cached_by_npx(program: &str) -> bool {
    Path::new(program)
        .components()
        .any(|part| part.as_os_str() == "_npx")
}

/// Whether the bare name starts this program, or another version of it.
pub(super) fn is_on_path() -> bool {
    let name = format!("{NAME}{}", env::consts::EXE_SUFFIX);
    directories_on_path().any(|directory| is_executable(&directory.join(&name)))
}

fn is_executable(path: &Path) -> bool {
    let Ok(found) = path.metadata() else {
        return false;
    };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    found.is_file() && may_run
}
