//! `project`: which projects there are, and what they are called.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::i18n::{number, text};
use crate::cli::{Done, Global, ui};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::id::ProjectId;
use scratchpad::model::text::bytes::one_line;
use scratchpad::model::text::message::message;
use scratchpad::model::text::nearest::nearest;
use scratchpad::model::text::quantity::shortened;
use scratchpad::store::ProjectHead;

/// The longest name, in characters.
const NAME_CHARS: usize = 80;

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad project list
  scratchpad project rename shop
  scratchpad project rename \"The old shop\" ~/work/shop

A repository is one project, with all its worktrees, wherever it is moved to. `scratchpad session list --all` \
lists the sessions of all projects.")]
pub(in crate::cli) struct ProjectArgs {
    #[command(subcommand)]
    command: ProjectCommand,
}

#[derive(Subcommand)]
enum ProjectCommand {
    /// List the projects that something is kept for, the last used first
    List,
    /// Give a project a name for lists
    Rename(RenameArgs),
}

#[derive(Args)]
struct RenameArgs {
    /// Its new name; "" for the name of its directory
    name: String,
    /// The project, by its path or its name [default: this one]
    project: Option<String>,
}

pub(in crate::cli) fn run(args: &ProjectArgs, global: &Global) -> Result<Done> {
    let app = App::find(global)?;
    match &args.command {
        ProjectCommand::List => list(&app, global)?,
        ProjectCommand::Rename(args) => rename(args, &app, global)?,
    }
    Ok(Done::Well)
}

fn list(app: &App, global: &Global) -> Result<()> {
    let pad = app.scratchpad_for_a_moment()?;
    let projects = pad.projects()?;
    let here = pad.project();
    if global.json {
        let projects: Vec<Value> = projects.iter().map(|it| as_json(it, here)).collect();
        return ui::print_json(&json!({ "projects": projects }));
    }
    if projects.is_empty() {
        ui::remark(&text!("project-none"));
        return Ok(());
    }
    let row = |project: &ProjectHead| {
        let star = if project.id == *here { "* " } else { "  " };
        vec![
            format!("{star}{}", shown_name(project)),
            number(project.sessions),
            number(project.notes),
            number(project.outputs),
            ui::age(project.used),
            one_line(project.id.as_str()),
        ]
    };
    let header = [
        format!("  {}", text!("project-column-project")),
        text!("project-column-sessions"),
        text!("project-column-notes"),
        text!("project-column-outputs"),
        text!("project-column-used"),
        text!("project-column-path"),
    ];
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    ui::print_long(&ui::table(&header, projects.iter().map(row).collect()))
}

fn as_json(project: &ProjectHead, here: &ProjectId) -> Value {
    json!({
        "project": project.id.as_str(),
        "name": shown_name(project),
        "here": project.id == *here,
        "sessions": project.sessions,
        "notes": project.notes,
        "outputs": project.outputs,
        "used": project.used,
    })
}

/// The name that it was given, else that of its directory.
fn shown_name(project: &ProjectHead) -> String {
    if project.name.is_empty() {
        directory_name(&project.id)
    } else {
        project.name.clone()
    }
}

fn directory_name(id: &ProjectId) -> String {
    let parts = id.as_str().rsplit(['/', '\\']);
    let name = parts.map(str::trim).find(|part| !part.is_empty());
    one_line(name.unwrap_or(id.as_str()))
}

fn rename(args: &RenameArgs, app: &App, global: &Global) -> Result<()> {
    let pad = app.scratchpad_for_a_moment()?;
    let project = match &args.project {
        Some(project) => found(project, &pad.projects()?)?,
        None => pad.project().clone(),
    };
    let name = one_line(args.name.trim());
    if name.chars().count() > NAME_CHARS {
        return Err(Error::refused(message!(
            "The name has {count} characters, the limit is {limit}. Nothing was changed.",
            count = name.chars().count().to_string(),
            limit = NAME_CHARS.to_string()
        ))
        .hint("choose a shorter name."));
    }
    let name = Some(name).filter(|name| !name.is_empty());
    pad.name_project(&project, name.as_deref())?;
    let shown = name.clone().unwrap_or_else(|| directory_name(&project));
    if global.json {
        return ui::print_json(&json!({"project": project.as_str(), "name": shown}));
    }
    let path = project.as_str();
    ui::remark(&match name {
        Some(name) => text!("project-named", project = path, name = name),
        None => text!("project-unnamed", project = path, name = shown),
    });
    Ok(())
}

/// The project that a person means: by its id, a path, or a name that only one has.
fn found(meant: &str, projects: &[ProjectHead]) -> Result<ProjectId> {
    let path = std::fs::canonicalize(meant).unwrap_or_else(|_| meant.into());
    let is_path =
        |it: &&ProjectHead| it.id.as_str() == meant || path.to_str() == Some(it.id.as_str());
    if let Some(found) = projects.iter().find(is_path) {
        return Ok(found.id.clone());
    }
    let named: Vec<&ProjectHead> = projects
        .iter()
        .filter(|it| shown_name(it) == meant)
        .collect();
    match named.as_slice() {
        [one] => Ok(one.id.clone()),
        [] => {
            let ids = projects.iter().map(|it| it.id.as_str());
            let near = nearest(meant, ids, 3).join(", ");
            let error = Error::not_found(message!(
                "Project {project} not found.",
                project = shortened(&one_line(meant), NAME_CHARS)
            ));
            Err(if near.is_empty() {
                error.hint("`scratchpad project list` lists the projects.")
            } else {
                error.hint(message!("the nearest: {ids}.", ids = near))
            })
        }
        several => {
            let ids: Vec<&str> = several.iter().map(|it| it.id.as_str()).collect();
            Err(Error::refused(message!(
                "Several projects are called {name}: {ids}.",
                name = shortened(&one_line(meant), NAME_CHARS),
                ids = ids.join(", ")
            ))
            .hint("give the path of one."))
        }
    }
}
