//! Help and usage errors in the user's language.
//!
//! The English text is where the options are declared. For another language the command line is built again with the
//! text of its catalogue, but only when help or a usage error has to be shown.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use std::net::AddrParseError;
use std::num::ParseIntError;

use fluent_bundle::FluentArgs;
use scratchpad::model::host::{self, Host};

use super::{bundle, message, spoken, translated};
use scratchpad::model::error::Error;
use scratchpad::model::settings::language::Language;

/// The message with the text that all commands share.
const SHARED: &str = "help-options";

/// The command line in the user's language. Its arguments must have been built.
pub(in crate::cli) fn localized(command: Command) -> Command {
    match spoken() {
        Language::English => command,
        Language::German => with_words(command, &["help".to_owned()]),
    }
}

/// The command with the text of its key, falling back to its parents' keys.
fn with_words(command: Command, keys: &[String]) -> Command {
    let Some(key) = keys.last() else {
        return command;
    };
    let words = |attribute: &str| {
        let mut above = keys.iter().rev().map(String::as_str).chain([SHARED]);
        above.find_map(|key| word(key, Some(attribute)))
    };
    let mut command = command.mut_args(|argument: Arg| match words(argument.get_id().as_str()) {
        Some(help) => with_values(argument, help),
        None => argument,
    });
    if let Some(about) = word(key, None) {
        command = command.about(about);
    }
    if let Some(after) = word(key, Some("after")) {
        command = command.after_help(after);
    }
    let names: Vec<String> = command
        .get_subcommands()
        .map(|inner| inner.get_name().to_owned())
        .collect();
    for name in names {
        let inner: Vec<String> = keys
            .iter()
            .cloned()
            .chain([format!("{key}-{name}")])
            .collect();
        command = command.mut_subcommand(name, |subcommand| with_words(subcommand, &inner));
    }
    let template = template(&command);
    command.help_template(template)
}

/// The argument with this help, and behind it its default and possible values, which clap would add in English.
fn with_values(argument: Arg, help: String) -> Arg {
    if !argument.get_action().takes_values() {
        return argument.help(help);
    }
    let mut parts = vec![help];
    let mut add = |mark, values: Vec<String>| {
        let mark = word("help-headings", Some(mark)).unwrap_or_default();
        if !values.is_empty() {
            parts.push(format!("{mark} {}]", values.join(", ")));
        }
    };
    let defaults = argument.get_default_values().iter();
    if !argument.is_hide_default_value_set() {
        let defaults = defaults.map(|value| value.to_string_lossy().into_owned());
        add("mark-default", defaults.collect());
    }
    if !argument.is_hide_possible_values_set() {
        let values = argument.get_possible_values();
        let values = values.iter().filter(|value| !value.is_hide_set());
        add(
            "mark-values",
            values.map(|value| value.get_name().to_owned()).collect(),
        );
    }
    argument
        .help(parts.join(" "))
        .hide_default_value(true)
        .hide_possible_values(true)
}

/// The help template. The headings are ours because clap has them in English only.
fn template(command: &Command) -> String {
    let heading = |name: &str| word("help-headings", Some(name)).unwrap_or_default();
    let mut parts = vec![format!(
        "{{about-with-newline}}\n{} {{usage}}",
        heading("usage")
    )];
    if command.get_subcommands().any(|inner| !inner.is_hide_set()) {
        parts.push(format!("{}\n{{subcommands}}", heading("commands")));
    }
    if command.get_positionals().next().is_some() {
        parts.push(format!("{}\n{{positionals}}", heading("arguments")));
    }
    parts.push(format!("{}\n{{options}}", heading("options")));
    parts.join("\n\n") + "{after-help}"
}

/// The German for `KEY` or `KEY.ATTRIBUTE`.
#[cfg(test)]
pub(super) fn german(key: &str) -> Option<String> {
    let (key, attribute) = key
        .split_once('.')
        .map_or((key, None), |(key, name)| (key, Some(name)));
    word_in(Language::German, key, attribute)
}

/// The names of hosts, for the places in the catalogue that list them.
fn hosts() -> FluentArgs<'static> {
    let list = |is_one: fn(&Host) -> bool| host::names(is_one).join(", ");
    let lists = [
        ("installable", list(Host::is_installable)),
        ("audited", list(|host| !host.transcripts.is_empty())),
        ("hooked", list(Host::has_hooks)),
        ("instructed", list(Host::has_instructions)),
    ];
    lists.into_iter().collect()
}

/// A message of the help catalogue, or one of its attributes.
fn word(key: &str, attribute: Option<&str>) -> Option<String> {
    word_in(spoken(), key, attribute)
}

fn word_in(language: Language, key: &str, attribute: Option<&str>) -> Option<String> {
    let bundle = bundle(language, "help")?;
    let message = bundle.get_message(key)?;
    let pattern = match attribute {
        None => message.value()?,
        Some(name) => message.get_attribute(name)?.value(),
    };
    let text = bundle.format_pattern(pattern, Some(&hosts()), &mut Vec::new());
    Some(text.into_owned())
}

/// Translates the markers that clap itself puts into help.
pub(in crate::cli) fn localized_marks(help: &str) -> String {
    let mut help = help.to_owned();
    for (english, name) in [
        ("[OPTIONS]", "mark-options"),
        ("<COMMAND>", "mark-command"),
        ("[COMMAND]", "mark-command-optional"),
    ] {
        if let Some(word) = word("help-headings", Some(name)) {
            help = help.replace(english, &word);
        }
    }
    help
}

/// A usage error in the user's language; `None` for kinds too rare to translate.
pub(in crate::cli) fn usage_error(error: &clap::Error) -> Option<String> {
    if spoken() == Language::English {
        return None;
    }
    let context = |kind| error.get(kind).map(shown);
    let argument = || context(ContextKind::InvalidArg);
    let (name, values) = match error.kind() {
        ErrorKind::UnknownArgument => ("unknown-argument", vec![argument()?]),
        ErrorKind::InvalidSubcommand => (
            "unknown-command",
            vec![context(ContextKind::InvalidSubcommand)?],
        ),
        ErrorKind::MissingSubcommand => (
            "no-command",
            vec![
                context(ContextKind::InvalidSubcommand)?,
                context(ContextKind::ValidSubcommand)?,
            ],
        ),
        ErrorKind::MissingRequiredArgument => ("missing", vec![argument()?]),
        ErrorKind::TooManyValues => (
            "surplus-value",
            vec![argument()?, context(ContextKind::InvalidValue)?],
        ),
        ErrorKind::InvalidUtf8 => ("no-utf8", Vec::new()),
        ErrorKind::ArgumentConflict => (
            "conflict",
            vec![argument()?, context(ContextKind::PriorArg)?],
        ),
        ErrorKind::InvalidValue if context(ContextKind::InvalidValue)?.is_empty() => {
            ("no-value", vec![argument()?])
        }
        ErrorKind::InvalidValue => (
            "bad-value",
            vec![
                context(ContextKind::InvalidValue)?,
                argument()?,
                context(ContextKind::ValidValue).unwrap_or_default(),
            ],
        ),
        ErrorKind::ValueValidation => {
            let values = vec![
                context(ContextKind::InvalidValue)?,
                argument()?,
                std::error::Error::source(error).map_or_else(String::new, reason),
            ];
            ("wrong-value", values)
        }
        _ => return None,
    };
    let mut text = word("help-errors", Some(name))?;
    // Attributes of help take no Fluent arguments: values are filled in here, in order.
    for value in values {
        text = text.replacen('…', &value, 1);
    }
    let suggested = [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ];
    let near = suggested.into_iter().find_map(context);
    let near = near.filter(|near| !near.is_empty()).map(|near| {
        let tip = word("help-errors", Some("did-you-mean")).unwrap_or_default();
        format!("\n{}", tip.replacen('…', &near, 1))
    });
    let hint =
        hint_of(error).map(|hint| format!("\n{} {hint}", message("terminal-hint", Vec::new())));
    let near = near.or(hint);
    let usage = context(ContextKind::Usage).map(|usage| {
        let heading = word("help-headings", Some("usage")).unwrap_or_default();
        let usage = usage.trim().trim_start_matches("Usage:").trim().to_owned();
        format!("\n\n{heading} {}", localized_marks(&usage))
    });
    let more = word("help-errors", Some("more")).unwrap_or_default();
    Some(format!(
        "{text}{}{}\n\n{more}",
        near.unwrap_or_default(),
        usage.unwrap_or_default()
    ))
}

/// The hint of our own error about a value, if it has one. clap shows the message alone.
pub(in crate::cli) fn hint_of(error: &clap::Error) -> Option<String> {
    let ours = std::error::Error::source(error)?.downcast_ref::<Error>()?;
    ours.next_step().map(translated)
}

/// Why a value was refused, by us or by the number parser.
fn reason(error: &(dyn std::error::Error + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<Error>() {
        translated(error.message())
    } else if error.is::<ParseIntError>() {
        translated(&"not a whole number".into())
    } else if error.is::<AddrParseError>() {
        translated(&"not an IP address and a port".into())
    } else {
        error.to_string()
    }
}

fn shown(value: &ContextValue) -> String {
    match value {
        ContextValue::String(text) => text.clone(),
        ContextValue::Strings(texts) => texts.join(", "),
        ContextValue::StyledStr(text) => text.to_string(),
        ContextValue::StyledStrs(texts) => {
            let texts: Vec<String> = texts.iter().map(StyledStr::to_string).collect();
            texts.join(", ")
        }
        _ => String::new(),
    }
}
