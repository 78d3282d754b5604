//! The catalogues are complete: every key in every language, with the same placeholders, and every key is used.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use clap::{Command, CommandFactory};
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};

use super::*;
use crate::cli::Cli;

/// The commands whose whole help is translated; for the others, only the summary is.
const TRANSLATED: [&str; 11] = [
    "session",
    "note",
    "context",
    "inject",
    "profile",
    "output",
    "install",
    "uninstall",
    "doctor",
    "plugin",
    "store",
];

/// Keys with the names of their placeholders; attributes come after a dot.
type Keys = BTreeMap<String, BTreeSet<String>>;

fn keys(source: &str) -> Keys {
    let resource = fluent_syntax::parser::parse(source)
        .unwrap_or_else(|(_, errors)| panic!("{errors:?}\n{source}"));
    let mut keys = Keys::new();
    for entry in &resource.body {
        let Entry::Message(message) = entry else {
            assert!(matches!(entry, Entry::Comment(_)), "{entry:?}");
            continue;
        };
        let mut add = |key: String, pattern: &Pattern<&str>| {
            let mut names = BTreeSet::new();
            collect(pattern, &mut names);
            assert!(
                keys.insert(key.clone(), names).is_none(),
                "{key} is there twice"
            );
        };
        if let Some(value) = &message.value {
            add(message.id.name.to_owned(), value);
        }
        for attribute in &message.attributes {
            let key = format!("{}.{}", message.id.name, attribute.id.name);
            add(key, &attribute.value);
        }
    }
    keys
}

fn collect(pattern: &Pattern<&str>, names: &mut BTreeSet<String>) {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression } = element else {
            continue;
        };
        let inline = match expression {
            Expression::Inline(inline) => inline,
            Expression::Select { selector, variants } => {
                for variant in variants {
                    collect(&variant.value, names);
                }
                selector
            }
        };
        if let InlineExpression::VariableReference { id } = inline {
            names.insert(id.name.to_owned());
        }
    }
}

#[test]
fn every_message_is_in_every_language_with_the_same_places() {
    for catalogue in &CATALOGUES {
        let (english, german) = (keys(catalogue.english), keys(catalogue.german));
        assert_eq!(english, german, "{}", catalogue.area);
        let is_own = |key: &String| key.starts_with(&format!("{}-", catalogue.area));
        assert!(english.keys().all(is_own), "{}", catalogue.area);
        for language in Language::ALL {
            assert!(bundle(language, catalogue.area).is_some());
        }
    }
}

fn sources() -> String {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut open = vec![crates.join("cli/src"), crates.join("scratchpad/src")];
    let mut text = String::new();
    while let Some(path) = open.pop() {
        let own = Path::new("cli").join("i18n");
        if path.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|end| end == "rs")
            && !path.parent().unwrap().ends_with(&own)
        {
            text += &fs::read_to_string(&path).unwrap();
        }
    }
    text
}

#[test]
fn the_code_names_every_message_and_no_other() {
    let sources = sources();
    let said: BTreeSet<String> = sources
        .split("text!(")
        .skip(1)
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
        .map(str::to_owned)
        .collect();
    let known: BTreeSet<String> = CATALOGUES
        .iter()
        .flat_map(|catalogue| keys(catalogue.english).into_keys())
        .collect();
    assert!(said.len() > 50, "{said:?}");
    assert_eq!(said, known);
}

/// The names of a template's placeholders.
fn places(text: &str) -> BTreeSet<&str> {
    let is_name = |name: &&str| {
        !name.is_empty()
            && name
                .chars()
                .all(|char| char.is_ascii_lowercase() || char == '_')
    };
    text.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
        .filter(is_name)
        .collect()
}

#[test]
fn the_german_of_a_message_has_the_same_places() {
    let mut seen = BTreeSet::new();
    for (template, german) in messages::entries(messages::GERMAN) {
        assert_eq!(places(&template), places(&german), "{template}");
        assert!(seen.insert(template.clone()), "twice: {template}");
    }
    assert!(seen.len() > 300);
}

#[test]
fn no_german_is_without_its_template() {
    // Joins continued lines as the compiler does.
    let mut joined = String::new();
    for (number, part) in sources().split("\\\n").enumerate() {
        joined += if number == 0 { part } else { part.trim_start() };
    }
    let stale: Vec<String> = messages::entries(messages::GERMAN)
        .into_iter()
        .map(|(template, _)| template)
        .filter(|template| !joined.contains(&format!("{template:?}")))
        // This one comes from the help code, which is not among these sources.
        .filter(|template| template != "not a whole number")
        .collect();
    assert_eq!(stale, [] as [String; 0]);
}

#[test]
fn a_message_with_nested_values_is_german_throughout() {
    use scratchpad::model::text::message::{counted, message, quoted};

    let message = message!(
        "No ref equals {reference}; there {count}.",
        reference = quoted("{count} notes"),
        count = counted(1_234, "is {number} ref", "are {number} refs")
    );
    assert_eq!(
        message
            .and("Nothing was changed.")
            .translated(&messages::German),
        "Kein Verweis lautet \"{count} notes\"; hier gibt es 1.234 Verweise. Nichts wurde geändert."
    );
}

/// The keys that the help catalogue must have, with the English text.
fn help_keys(command: &Command, key: &str, words: &mut BTreeMap<String, String>, is_whole: bool) {
    words.insert(
        key.to_owned(),
        command.get_about().unwrap_or_default().to_string(),
    );
    if is_whole {
        if let Some(after) = command.get_after_help() {
            words.insert(format!("{key}.after"), after.to_string());
        }
        for argument in command.get_arguments() {
            let shared = argument.is_global_set()
                || ["help", "version"].contains(&argument.get_id().as_str());
            // A global option is explained once.
            let key = match argument.get_id().as_str() {
                "journal" => "help-session",
                _ if shared => "help-options",
                _ => key,
            };
            let help = argument.get_help().unwrap_or_default().to_string();
            words.insert(format!("{key}.{}", argument.get_id()), help);
        }
    }
    for inner in command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
    {
        let name = inner.get_name();
        let is_whole = key != "help" && is_whole || TRANSLATED.contains(&name);
        if key == "help" || is_whole {
            help_keys(inner, &format!("{key}-{name}"), words, is_whole);
        }
    }
}

#[test]
fn the_help_of_translated_commands_is_in_every_language() {
    let mut command = Cli::command();
    command.build();
    let mut english = BTreeMap::new();
    help_keys(&command, "help", &mut english, true);
    let german = keys(HELP.german);
    let is_help =
        |key: &&String| !key.starts_with("help-headings.") && !key.starts_with("help-errors.");
    let missing: Vec<String> = english
        .iter()
        .filter(|(key, _)| !german.contains_key(*key))
        .map(|(key, words)| format!("{key} = {words}"))
        .collect();
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
    let stale: Vec<&String> = german
        .keys()
        .filter(is_help)
        .filter(|key| !english.contains_key(*key))
        .collect();
    assert_eq!(stale, [] as [&String; 0]);
}
