//! `config`: settings, where they come from, and how to change them.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value as Json, json};

use crate::cli::app::App;
use crate::cli::env;
use crate::cli::i18n::text;
use crate::cli::{Done, Global, settings, ui};
use scratchpad::disk::private;
use scratchpad::disk::replace::replace_private;
use scratchpad::model::error::Result;
use scratchpad::model::settings::file::with_value;
use scratchpad::model::settings::layers::{Known, Origin, Setting, shown};
use scratchpad::model::settings::schema::{property_in, schema};
use scratchpad::model::settings::{StoreSettings, project_file};

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad config show
  scratchpad config set pad.notes_max_chars 8000
  SCRATCHPAD_PAD_NOTES_MAX_CHARS=8000 scratchpad config show
  scratchpad --config pad.notes_max_chars=8000 session show

Precedence: default < your file < the project's file < environment < --config. The project's file \
belongs to whoever wrote the repository, so it may not set where your data goes.")]
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
        /// Write to the project's file instead
        #[arg(long)]
        project: bool,
    },
    /// Print where settings and data are kept
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
        ConfigCommand::Schema => ui::print(&format!("{:#}\n", schema())),
    }?;
    Ok(Done::Well)
}

fn show(global: &Global) -> Result<()> {
    let app = App::find(global)?;
    let settings = shown(&app.settings);
    if global.json {
        let schema = schema();
        let settings: Vec<Json> = settings
            .into_iter()
            .map(|(name, value)| {
                let origin = app.origins.of(name).to_string();
                let about = property_in(&schema, name).get("description");
                json!({"key": name, "value": value, "origin": origin, "about": about})
            })
            .collect();
        let problems = app.problems.iter().map(ToString::to_string);
        let problems: Vec<String> = problems.collect();
        return ui::print_json(&json!({"settings": settings, "problems": problems}));
    }
    let rows = settings
        .into_iter()
        .map(|(name, value)| {
            let origin = match app.origins.of(name) {
                Origin::Default => text!("config-origin-default"),
                other => other.to_string(),
            };
            vec![name.to_owned(), in_words(&value), origin]
        })
        .collect();
    let header = [
        text!("config-column-setting"),
        text!("config-column-value"),
        text!("config-column-origin"),
    ];
    ui::print_long(&ui::table(&header.each_ref().map(String::as_str), rows))
}

/// A value as one would type it on the command line.
fn in_words(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(in_words).collect();
            items.join("; ")
        }
        other => other.to_string(),
    }
}

fn set(name: &str, text: &str, in_project: bool, global: &Global) -> Result<()> {
    let setting = Known::named(name)?.read(text)?;
    let file = written(&setting, in_project, global)?;
    let (name, value) = (setting.name(), setting.shown());
    if global.json {
        return ui::print_json(
            &json!({"key": name, "value": value, "file": file.display().to_string()}),
        );
    }
    let value = in_words(&value);
    let file = file.display().to_string();
    ui::print(&(text!("config-set", name = name, value = value, file = file) + "\n"))
}

/// Writes a setting into the user's file, or the project's, and returns its path.
pub(in crate::cli) fn written(
    setting: &Setting,
    in_project: bool,
    global: &Global,
) -> Result<PathBuf> {
    let (file, origin) = if in_project {
        project_file::check(setting.name())?;
        project_file::check_value(setting)?;
        let project = env::project(global)?;
        project.make_directory()?;
        let file = project.config_file();
        project.check_inside(&file)?;
        project.check_inside(&file.with_extension("lock"))?;
        let origin = Origin::ProjectFile(file.display().to_string());
        (file, origin)
    } else {
        let file = env::directories()?.configuration.join("config.toml");
        private::create_dir(file.parent().unwrap_or(Path::new(".")))?;
        let origin = Origin::UserFile(file.display().to_string());
        (file, origin)
    };
    // Two processes that each set a key must both succeed.
    let _turn = private::take_turn(
        &file.with_extension("lock"),
        StoreSettings::default().busy_timeout(),
    )?;
    let old = settings::read(&file)?.unwrap_or_default();
    replace_private(&file, with_value(&old, setting, &origin)?.as_bytes())?;
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
    let row = |name: String, path: &Path| vec![name, path.display().to_string()];
    let header = [text!("config-column-what"), text!("config-column-where")];
    // A part of a path is of no use.
    ui::print(&ui::uncut_table(
        &header.each_ref().map(String::as_str),
        vec![
            row(text!("config-path-user"), &user),
            row(text!("config-path-project"), &project),
            row(text!("config-path-data"), &directories.data),
        ],
    ))
}
