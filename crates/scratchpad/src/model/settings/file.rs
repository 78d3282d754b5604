//! Configuration files: TOML, read into layers and edited with comments and layout preserved.

use serde_json::Value as Json;
use toml_edit::{Document, DocumentMut, Item, TableLike};

use super::layers::{Known, Layers, Origin, Setting, known};
use super::project_file::says_where_data_is;
use super::{other_names, project_file, refusal};
use crate::model::error::{Error, Result};
use crate::model::text::message::message;

impl Layers {
    /// Sets the values of a file, over those set so far. Returns what was ignored.
    ///
    /// A key that can't be read must not cost an agent its pad, so it is a warning. The exception is what says where
    /// the data is: to go on without it would be to go on elsewhere.
    pub fn set_from_file(&mut self, text: &str, origin: &Origin) -> Result<Vec<Error>> {
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(error) => {
                let error = not_toml(text, &error, origin);
                return if may_say_where_data_is(text, origin) {
                    Err(error)
                } else {
                    Ok(vec![ignored(error)])
                };
            }
        };
        let mut problems = Vec::new();
        self.set_from_table(document.as_table(), "", origin, &mut problems)
            .map_err(|error| error.within(origin.to_string()))?;
        let within = |problem: Error| ignored(problem.within(origin.to_string()));
        Ok(problems.into_iter().map(within).collect())
    }

    fn set_from_table(
        &mut self,
        table: &dyn TableLike,
        prefix: &str,
        origin: &Origin,
        problems: &mut Vec<Error>,
    ) -> Result<()> {
        for (name, item) in table.iter() {
            let name = format!("{prefix}{name}");
            // An unknown section is read too: the whole name of a key says more than that of its section.
            let is_read = |inner: &&dyn TableLike| {
                is_section(&name) || (!inner.is_empty() && Known::named(&name).is_err())
            };
            if let Some(inner) = item.as_table_like().filter(is_read) {
                self.set_from_table(inner, &format!("{name}."), origin, problems)?;
                continue;
            }
            match self.set_from_item(&name, item, origin) {
                Ok(()) => {}
                Err(Refused::Fatal(error)) => return Err(error),
                Err(Refused::Ignored(error)) => problems.push(error),
            }
        }
        Ok(())
    }

    fn set_from_item(&mut self, name: &str, item: &Item, origin: &Origin) -> Result<(), Refused> {
        let known = Known::named(name).map_err(Refused::Ignored)?;
        if matches!(origin, Origin::ProjectFile(_)) {
            project_file::check(&known.name).map_err(Refused::Ignored)?;
        }
        let setting = json(item)
            .map_err(|given| refusal::takes(&known.name, &given))
            .and_then(|value| Setting::new(known, value));
        match setting {
            Ok(setting) => {
                if matches!(origin, Origin::ProjectFile(_)) {
                    project_file::check_value(&setting).map_err(Refused::Ignored)?;
                }
                self.set(setting, origin.clone());
                Ok(())
            }
            Err(error) if says_where_data_is(&known.name) => Err(Refused::Fatal(error)),
            Err(error) => Err(Refused::Ignored(error)),
        }
    }
}

/// Why a key of a file has no effect.
enum Refused {
    Ignored(Error),
    Fatal(Error),
}

/// The warning about something that is left out.
pub fn ignored(error: Error) -> Error {
    error.and("It is ignored.")
}

/// Whether a file that is not TOML may be meant to say where the data is. A project's file can't say it.
fn may_say_where_data_is(text: &str, origin: &Origin) -> bool {
    !matches!(origin, Origin::ProjectFile(_))
        && ["store", "project"].iter().any(|it| text.contains(it))
}

fn is_section(name: &str) -> bool {
    let own = other_names::own_name(name);
    name == other_names::PREFIX
        || known().iter().any(|known| {
            let rest = known.name.strip_prefix(&own);
            rest.is_some_and(|rest| rest.starts_with('.'))
        })
}

/// The value as JSON; for a type that no setting takes, `Err` with the text that the message shows.
fn json(item: &Item) -> Result<Json, String> {
    if let Some(number) = item.as_integer() {
        return Ok(Json::from(number));
    }
    if let Some(text) = item.as_str() {
        return Ok(Json::from(text));
    }
    if let Some(is_on) = item.as_bool() {
        return Ok(Json::from(is_on));
    }
    let texts = item.as_array().and_then(|items| {
        let texts = items.iter().map(|item| item.as_str().map(Json::from));
        texts.collect::<Option<Vec<Json>>>()
    });
    match (texts, item) {
        (Some(texts), _) => Ok(Json::Array(texts)),
        (None, Item::Value(value)) => Err(value.to_string().trim().to_owned()),
        (None, _) => Err("a table".to_owned()),
    }
}

fn not_toml(text: &str, error: &toml_edit::TomlError, origin: &Origin) -> Error {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.get(..start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    Error::usage(message!(
        "{origin} is not valid TOML: line {line}, column {column}: {what}.",
        origin = origin.to_string(),
        line = line.to_string(),
        column = column.to_string(),
        what = error.message().trim_end_matches('.').replace('\n', ", ")
    ))
}

/// The text of a configuration file with one value set; comments and layout are preserved.
pub fn with_value(text: &str, setting: &Setting, origin: &Origin) -> Result<String> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error| not_toml(text, &error, origin))?;
    let (table, name): (&mut dyn TableLike, &str) = match setting.name().split_once('.') {
        None => (document.as_table_mut(), setting.name()),
        Some((section, name)) => {
            let table = document
                .entry(section)
                .or_insert(toml_edit::table())
                .as_table_like_mut()
                .ok_or_else(|| {
                    Error::usage(message!(
                        "{origin}: `{section}` is not a table.",
                        origin = origin.to_string(),
                        section
                    ))
                })?;
            (table, name)
        }
    };
    let new = toml(setting.value());
    match table.get_mut(name) {
        Some(Item::Value(old)) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        _ => {
            table.insert(name, Item::Value(new));
        }
    }
    let changed = document.to_string();
    if text.contains("\r\n") {
        return Ok(changed.replace("\r\n", "\n").replace('\n', "\r\n"));
    }
    Ok(changed)
}

fn toml(value: &Json) -> toml_edit::Value {
    match value {
        Json::Bool(is_on) => toml_edit::Value::from(*is_on),
        Json::Number(number) => toml_edit::Value::from(number.as_i64().unwrap_or(i64::MAX)),
        Json::Array(items) => items.iter().filter_map(Json::as_str).collect(),
        text => toml_edit::Value::from(text.as_str().unwrap_or_default()),
    }
}
