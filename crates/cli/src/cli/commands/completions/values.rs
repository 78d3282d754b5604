//! What an argument can be: its fixed values, or the names of what is there now.

use clap::Arg;
use serde_json::Value as Json;

use super::candidates::Candidate;
use crate::cli::app::App;
use crate::cli::{Global, usage};
use scratchpad::model::host;
use scratchpad::model::host::hook::has_recorded_compaction;
use scratchpad::model::host::{HOSTS, Host};
use scratchpad::model::note::page::NotePage;
use scratchpad::model::output::reply::tools_of;
use scratchpad::model::pad::plan::ItemState;
use scratchpad::model::settings::language::Language;
use scratchpad::model::settings::layers::known;
use scratchpad::model::settings::schema::{property_in, schema};
use scratchpad::{Scratchpad, Whose, tools};

/// The most names of one kind: nobody reads more.
const MOST: usize = 50;

/// What there may be names of.
enum Kind {
    Sessions,
    Notes,
    Outputs,
    Hosts(fn(&Host) -> bool),
    Settings,
    /// A setting and `=`.
    Overrides,
    Commands,
    /// What the setting that was named before can be.
    SettingValues,
    Languages,
    ItemStates,
    Tools,
    Other,
}

/// What this argument of the command can be, after those that were given without a name.
pub(super) fn values_of(path: &[String], given: &[String], argument: &Arg) -> Vec<Candidate> {
    let fixed = argument.get_possible_values();
    if !fixed.is_empty() {
        let shown = fixed.iter().filter(|value| !value.is_hide_set());
        return shown
            .map(|value| {
                let about = value.get_help().map(ToString::to_string);
                Candidate::new(value.get_name(), &about.unwrap_or_default())
            })
            .collect();
    }
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match kind(&path, argument.get_id().as_str()) {
        Kind::Sessions => stored(&sessions),
        Kind::Notes => stored(&notes),
        Kind::Outputs => stored(&outputs),
        Kind::Hosts(is_one) => hosts(is_one),
        Kind::Settings => settings(""),
        Kind::Overrides => settings("="),
        Kind::Commands => commands(),
        Kind::SettingValues => setting_values(given.first().map_or("", String::as_str)),
        Kind::Languages => bare(Language::ALL.map(Language::code)),
        Kind::ItemStates => bare(ItemState::ALL.map(ItemState::name)),
        Kind::Tools => tools_to_call(),
        Kind::Other => Vec::new(),
    }
}

fn kind(path: &[&str], argument: &str) -> Kind {
    match (path, argument) {
        (_, "session") | (["session", "delete"], "ids") | (["session", "fork"], "from") => {
            Kind::Sessions
        }
        (["note", ..], "id" | "before") => Kind::Notes,
        (["output", "read"], "id") | (["output", "delete"], "ids") => Kind::Outputs,
        (["install" | "uninstall"], "hosts") | (["doctor"], "ignore" | "check") => {
            Kind::Hosts(Host::is_installable)
        }
        (["doctor"], "prove") => Kind::Hosts(has_recorded_compaction),
        (["hook"], "host") => Kind::Hosts(Host::has_hooks),
        (["inject"], "tool" | "tools") => Kind::Hosts(Host::has_instructions),
        (["config", "set"], "key") => Kind::Settings,
        (["config", "set"], "value") => Kind::SettingValues,
        (_, "lang") => Kind::Languages,
        (["session", "mark"], "state") => Kind::ItemStates,
        (["call"], "tool") => Kind::Tools,
        (_, "config") => Kind::Overrides,
        (["help"], "path") => Kind::Commands,
        _ => Kind::Other,
    }
}

fn hosts(is_one: fn(&Host) -> bool) -> Vec<Candidate> {
    let names = host::names(is_one);
    let hosts = HOSTS.into_iter().filter(|host| names.contains(&host.name));
    hosts
        .map(|host| Candidate::new(host.name, host.title))
        .collect()
}

fn settings(behind: &str) -> Vec<Candidate> {
    let settings = known().iter();
    settings
        .map(|setting| Candidate::new(format!("{}{behind}", setting.name), ""))
        .collect()
}

/// The values of a setting that has only a few.
fn setting_values(name: &str) -> Vec<Candidate> {
    let schema = schema();
    let property = property_in(&schema, name);
    if property.get("type").and_then(Json::as_str) == Some("boolean") {
        return bare(["true", "false"]);
    }
    let values = property.get("enum").and_then(Json::as_array);
    bare(values.into_iter().flatten().filter_map(Json::as_str))
}

fn tools_to_call() -> Vec<Candidate> {
    let tools = tools().into_iter();
    tools
        .map(|tool| Candidate::new(tool.name, tool.description))
        .collect()
}

/// Words that need no explanation.
fn bare<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<Candidate> {
    let words = words.into_iter();
    words.map(|word| Candidate::new(word, "")).collect()
}

fn commands() -> Vec<Candidate> {
    let whole = usage::whole();
    let shown = whole.get_subcommands().filter(|inner| !inner.is_hide_set());
    shown
        .map(|inner| {
            let about = inner.get_about().map(ToString::to_string);
            Candidate::new(inner.get_name(), &about.unwrap_or_default())
        })
        .collect()
}

/// Names from the store. Where it can't be read there are none: a key that is pressed is no place for errors.
fn stored(names: &dyn Fn(&Scratchpad) -> Option<Vec<Candidate>>) -> Vec<Candidate> {
    let open = || {
        let app = App::find_silently(&Global::default()).ok()?;
        let file = app.file_of(&app.settings.store.url);
        // Nothing is created by pressing a key.
        if file.is_some_and(|file| !file.exists()) {
            return None;
        }
        names(&app.scratchpad_for_a_moment().ok()?)
    };
    open().unwrap_or_default()
}

fn sessions(pad: &Scratchpad) -> Option<Vec<Candidate>> {
    let heads = pad.sessions_of_project(MOST).ok()?;
    let known = heads.into_iter();
    Some(
        known
            .map(|head| Candidate::new(head.id.as_str(), head.pad.title()))
            .collect(),
    )
}

fn notes(pad: &Scratchpad) -> Option<Vec<Candidate>> {
    let session = match pad.newest_session().ok()? {
        Some(session) => session,
        None => pad.new_session_id(),
    };
    let found = pad.list_notes(&session, None, NotePage::first(MOST)).ok()?;
    let notes = found.notes.into_iter();
    Some(
        notes
            .map(|note| Candidate::new(note.id.to_string(), &note.content))
            .collect(),
    )
}

fn outputs(pad: &Scratchpad) -> Option<Vec<Candidate>> {
    let outputs = pad.all_outputs(Whose::Project).ok()?;
    let newest = outputs.iter().take(MOST);
    Some(
        newest
            .map(|output| Candidate::new(output.id.as_str(), &tools_of(output)))
            .collect(),
    )
}
