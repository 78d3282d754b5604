//! `config`: settings, where they come from, and how to change them.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value as Json, json};

use crate::cli::app::App;
use crate::cli::env;
use crate::cli::{Done, Global, settings, ui};
use scratchpad::disk::private;
use scratchpad::model::error::Result;
use scratchpad::model::settings::keys::{Key, Value};
use scratchpad::model::settings::schema;
use scratchpad::model::settings::{Config, Origin, with_value};

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad config show
  scratchpad config set pad.notes_max_chars 8000
  SCRATCHPAD_PAD_NOTES_MAX_CHARS=8000 scratchpad config show
  scratchpad --config pad.notes_max_chars=8000 session show

Default < your file < the project's file < environment < --config. The project's file belongs to
whoever wrote the repository, so it may not say where your data goes.")]
pub(in crate::cli) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// List every setting with its value and where it comes from
    Show,
    /// Change a setting in your file; its comments and layout stay
    Set {
        /// The setting, as `config show` names it
        key: String,
        /// Its new value
        value: String,
        /// In the project's file instead
        #[arg(long)]
        project: bool,
    },
    /// Print where settings and data lie
    Path,
    /// Print a JSON Schema of the file, for editors
    Schema,
}

pub(in crate::cli) fn run(args: ConfigArgs, global: &Global) -> Result<Done> {
    match args.command {
        ConfigCommand::Show => show(global),
        ConfigCommand::Set {
            key,
            value,
            project,
        } => set(&key, &value, project, global),
        ConfigCommand::Path => path(global),
        ConfigCommand::Schema => ui::print(&format!("{:#}\n", schema::schema())),
    }?;
    Ok(Done::Well)
}

fn show(global: &Global) -> Result<()> {
    let config = App::find(global)?.config;
    if global.json {
        let settings: Vec<Json> = config
            .iter()
            .map(|(key, value, origin)| {
                json!({"key": key.name, "value": Json::from(&key.shown(value)), "origin": origin.to_string(), "about": key.about})
            })
            .collect();
        return ui::print_json(&json!({"settings": settings}));
    }
    let rows = config
        .iter()
        .map(|(key, value, origin)| {
            let value = key.shown(value).to_string();
            vec![key.name.to_owned(), value, origin.to_string()]
        })
        .collect();
    ui::print(&ui::table(&["SETTING", "VALUE", "FROM"], rows))
}

fn set(name: &str, text: &str, in_project: bool, global: &Global) -> Result<()> {
    let key = Key::named(name)?;
    let value = key.read(text)?;
    let file = written(key, &value, in_project, global)?;
    let value = key.shown(&value);
    if global.json {
        return ui::print_json(
            &json!({"key": key.name, "value": Json::from(&value), "file": file.display().to_string()}),
        );
    }
    ui::print(&format!("{} = {value} in {}\n", key.name, file.display()))
}

/// Writes a value into the person's file, or the project's, and answers which that is.
pub(in crate::cli) fn written(
    key: &'static Key,
    value: &Value,
    in_project: bool,
    global: &Global,
) -> Result<PathBuf> {
    let (file, origin) = if in_project {
        key.check_project_may_set()?;
        let project = env::project(global)?;
        project.make_directory()?;
        let file = project.config_file();
        let origin = Origin::ProjectFile(file.display().to_string());
        (file, origin)
    } else {
        let file = env::directories()?.configuration.join("config.toml");
        private::create_dir(file.parent().unwrap_or(Path::new(".")))?;
        let origin = Origin::UserFile(file.display().to_string());
        (file, origin)
    };
    // Two processes that set two keys must both succeed.
    let _turn = private::take_turn(
        &file.with_extension("lock"),
        Config::default().busy_timeout(),
    )?;
    let old = settings::read(&file)?.unwrap_or_default();
    private::replace(&file, with_value(&old, key, value, &origin)?.as_bytes())?;
    Ok(file)
}

fn path(global: &Global) -> Result<()> {
    let directories = env::directories()?;
    let user = directories.configuration.join("config.toml");
    let project = env::project(global)?.config_file();
    if global.json {
        let [user, project, data] =
            [user, project, directories.data].map(|path| path.display().to_string());
        return ui::print_json(&json!({"user": user, "project": project, "data": data}));
    }
    let row = |name: &str, path: &Path| vec![name.to_owned(), path.display().to_string()];
    ui::print(&ui::table(
        &["WHAT", "WHERE"],
        vec![
            row("your settings", &user),
            row("the project's settings", &project),
            row("data", &directories.data),
        ],
    ))
}
