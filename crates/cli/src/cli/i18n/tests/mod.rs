//! The catalogues are complete: every key in every language, with the same placeholders, and every key is used.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use clap::{Command, CommandFactory};
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use regex::Regex;

use super::*;
use crate::cli::Cli;

mod templates;

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

/// Messages of the command line that are the same in German.
const EQUAL_KEYS: [&str; 28] = [
    "audit-column-tokens",
    "config-set",
    "doctor-ok",
    "doctor-receipt",
    "doctor-wired",
    "inject-column-bytes",
    "inject-column-tokens",
    "output-column-bytes",
    "output-column-id",
    "page-column-host",
    "page-column-plan",
    "page-column-revision",
    "page-hosts",
    "page-live",
    "page-number",
    "page-plan",
    "page-refs",
    "page-revision",
    "page-text",
    "profile-column-bytes",
    "profile-column-name",
    "search-column-id",
    "session-column-branch",
    "session-column-host",
    "session-column-revision",
    "session-column-title",
    "stats-column-host",
    "status-hosts",
];

#[test]
fn no_german_of_the_command_line_is_english() {
    let patterns = |source: &'static str| -> BTreeMap<String, String> {
        let resource = fluent_syntax::parser::parse(source).unwrap();
        let messages = resource.body.into_iter().filter_map(|entry| match entry {
            Entry::Message(message) => {
                Some((message.id.name.to_owned(), format!("{:?}", message.value)))
            }
            _ => None,
        });
        messages.collect()
    };
    let mut equal = BTreeSet::new();
    for catalogue in &CATALOGUES {
        let english = patterns(catalogue.english);
        let german = patterns(catalogue.german);
        equal.extend(
            english
                .into_iter()
                .filter(|(key, pattern)| german.get(key) == Some(pattern))
                .map(|(key, _)| key),
        );
    }
    assert_eq!(equal, BTreeSet::from(EQUAL_KEYS.map(str::to_owned)));
}

#[test]
fn the_code_names_every_message_and_no_other() {
    let sources: String = templates::files()
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    let said: BTreeSet<String> = sources
        .split("text!(")
        .skip(1)
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
        .map(str::to_owned)
        .chain(said_by_the_page(&sources))
        .collect();
    let known: BTreeSet<String> = CATALOGUES
        .iter()
        .flat_map(|catalogue| keys(catalogue.english).into_keys())
        .collect();
    assert!(said.len() > 50, "{said:?}");
    assert_eq!(said, known);
}

/// The keys of the page, which its templates and views name.
fn said_by_the_page(sources: &str) -> Vec<String> {
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let mut all = sources.to_owned();
    for file in fs::read_dir(templates).unwrap() {
        all.push_str(&fs::read_to_string(file.unwrap().path()).unwrap());
    }
    let key = Regex::new("\"(page-[a-z-]*[a-z])\"").unwrap();
    let keys = key.captures_iter(&all).map(|found| found[1].to_owned());
    keys.collect()
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

/// Templates with words that are the same in German.
const EQUAL: [&str; 2] = ["TLS", "{notes}, {tags}"];

/// Whether there is anything to translate: a word that is no place, code or option.
fn has_words(template: &str) -> bool {
    let words = template
        .split('`')
        .step_by(2)
        .flat_map(|part| part.split('{').enumerate())
        .map(|(number, part)| match (number, part.split_once('}')) {
            (0, _) | (_, None) => part,
            (_, Some((_, behind))) => behind,
        })
        .flat_map(str::split_whitespace);
    words
        .filter(|word| !word.starts_with("--"))
        .any(|word| word.contains(char::is_alphabetic))
}

/// Messages that only agents read: errors and answers of tool calls. They stay English.
const ONLY_AGENTS: &str = include_str!("only_agents.txt");

/// Where calls by agents are parsed and answered: nothing else may be only for agents.
const AGENTS_CODE: [&str; 11] = [
    "cli/src/mcp/",
    "cli/src/proxy/",
    "scratchpad/src/model/json/arguments.rs",
    "scratchpad/src/model/note/tool.rs",
    "scratchpad/src/model/output/pass.rs",
    "scratchpad/src/model/output/tool.rs",
    "scratchpad/src/model/pad/action.rs",
    "scratchpad/src/model/pad/tool.rs",
    "scratchpad/src/model/tool/call.rs",
    "scratchpad/src/model/tool/xml.rs",
    "scratchpad/src/scratchpad/passing.rs",
];

fn only_agents() -> BTreeSet<String> {
    let lines = ONLY_AGENTS.lines();
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_message_that_a_person_can_read_has_german() {
    let (made, agents) = (templates::read().templates, only_agents());
    let german: BTreeMap<String, String> =
        messages::entries(messages::GERMAN).into_iter().collect();
    let missing: Vec<String> = made
        .iter()
        .filter(|(template, _)| has_words(template))
        .filter(|(template, _)| !german.contains_key(*template) && !agents.contains(*template))
        .map(|(template, files)| format!("{template:?} in {files:?}"))
        .collect();
    assert!(
        missing.is_empty(),
        "add these to de/messages.po, or to tests/only_agents.txt if no command can show them:\n{}",
        missing.join("\n")
    );
    let equal: Vec<&String> = german
        .iter()
        .filter(|(template, german)| template == german)
        .map(|(template, _)| template)
        .filter(|template| !EQUAL.contains(&template.as_str()))
        .collect();
    assert_eq!(equal, [] as [&String; 0], "this is not German");
    for template in EQUAL {
        assert_eq!(german.get(template).map(String::as_str), Some(template));
    }
    assert!(made.len() > 400, "{}", made.len());
}

/// Words that the glossary of docs/languages.md has another one for, and German that is English word by word.
const NOT_OURS: [&str; 12] = [
    "Verweis",
    "Kennung",
    "Markenzeile",
    "Laufwerk",
    "Unversehrtheit",
    "Nichts wurde",
    "nichts wurde geändert",
    "noch einmal versuchen",
    "versuchen Sie",
    "indem man",
    "Wobei",
    " Token.",
];

#[test]
fn the_german_keeps_to_the_glossary() {
    let catalogues = CATALOGUES.iter().chain([&HELP]).map(|it| it.german);
    for text in catalogues.chain([messages::GERMAN]) {
        for word in NOT_OURS {
            let line = text.lines().find(|line| line.contains(word));
            assert_eq!(
                line, None,
                "{word:?}: see the glossary of docs/languages.md"
            );
        }
    }
}

#[test]
fn what_only_agents_read_is_made_only_where_their_calls_are_answered() {
    let made = templates::read().templates;
    let german: BTreeMap<String, String> =
        messages::entries(messages::GERMAN).into_iter().collect();
    for template in only_agents() {
        let files = made.get(&template);
        let files = files.unwrap_or_else(|| panic!("nothing makes {template:?}"));
        let is_theirs = |file: &String| AGENTS_CODE.iter().any(|code| file.starts_with(code));
        assert!(files.iter().all(is_theirs), "{template:?} is in {files:?}");
        assert!(!german.contains_key(&template), "{template:?} has German");
    }
}

#[test]
fn no_german_is_without_its_template() {
    let literals = templates::read().literals;
    let stale: Vec<String> = messages::entries(messages::GERMAN)
        .into_iter()
        .map(|(template, _)| template)
        .filter(|template| !literals.contains(template))
        .collect();
    assert_eq!(
        stale,
        [] as [String; 0],
        "no code has these templates; a refusal adds \"Nothing was changed.\" by itself"
    );
}

#[test]
fn english_for_people_has_its_template_and_the_same_places_and_names_no_tool() {
    let literals = templates::read().literals;
    for (template, english) in messages::entries(messages::ENGLISH) {
        assert!(literals.contains(&template), "no code has {template:?}");
        assert_eq!(places(&template), places(&english), "{template:?}");
        for tool in ["search_notes", "list_notes", "set_plan", "action get"] {
            assert!(!english.contains(tool), "{english:?}");
        }
    }
}

#[test]
fn no_message_is_put_together_by_format() {
    assert_eq!(templates::read().formatted, [] as [String; 0]);
}

#[test]
fn commands_print_no_text_past_the_catalogues() {
    // A log, as its prefix says.
    let log = "cli/src/cli/commands/proxy/mod.rs: \"scratchpad: {text}\"";
    assert_eq!(templates::read().printed, [log]);
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
        "Keine Ref lautet \"{count} notes\"; hier gibt es 1.234 Refs. Es wurde nichts geändert."
    );
}

/// The keys that the help catalogue must have, with the English text.
fn help_keys(command: &Command, key: &str, words: &mut BTreeMap<String, String>) {
    words.insert(
        key.to_owned(),
        command.get_about().unwrap_or_default().to_string(),
    );
    if let Some(after) = command.get_after_help() {
        words.insert(format!("{key}.after"), after.to_string());
    }
    for argument in command.get_arguments().filter(|inner| !inner.is_hide_set()) {
        let is_shared =
            argument.is_global_set() || ["help", "version"].contains(&argument.get_id().as_str());
        // A global option is explained once.
        let key = match argument.get_id().as_str() {
            "journal" if key.starts_with("help-session") => "help-session",
            "global" if key.starts_with("help-context") => "help-context",
            _ if is_shared => "help-options",
            _ => key,
        };
        let help = argument.get_help().unwrap_or_default().to_string();
        words.insert(format!("{key}.{}", argument.get_id()), help);
    }
    for inner in command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
    {
        help_keys(inner, &format!("{key}-{}", inner.get_name()), words);
    }
}

#[test]
fn the_help_of_every_command_and_option_has_german() {
    let mut command = Cli::command();
    command.build();
    let mut english = BTreeMap::new();
    help_keys(&command, "help", &mut english);
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
    assert!(
        english.values().all(|words| !words.is_empty()),
        "{english:?}"
    );
    let equal: Vec<&String> = english
        .iter()
        .filter(|(key, words)| help::german(key).as_ref() == Some(*words))
        .map(|(key, _)| key)
        .collect();
    assert_eq!(equal, [] as [&String; 0], "this is not German");
}
