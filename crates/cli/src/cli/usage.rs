//! Help and usage errors, which clap makes, as their reader needs them.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use super::{Cli, i18n, ui};
use scratchpad::model::text::nearest::nearest;

/// Help, or the usage error, for a command line that starts with the program's name; `None` if it is right.
pub(super) fn answer(words: &[OsString]) -> Option<clap::Error> {
    let mut command = whole();
    let mut error = command.try_get_matches_from_mut(words).err()?;
    name_wrong_option(&mut error, &command, words);
    if let Some(hint) = i18n::hint_of(&error) {
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![hint.into()]),
        );
    }
    Some(error)
}

/// The command line with every option of every command, in the user's language.
pub(super) fn whole() -> Command {
    let mut command = Cli::command();
    // Arguments are declared lazily, per command; here all of them are needed.
    command.build();
    let command = command.mut_subcommands(|inner| match inner.get_name() {
        "hook" => without_shared_options(inner),
        _ => inner,
    });
    if ui::is_json() {
        command
    } else {
        i18n::localized(command)
    }
}

/// Hooks parse their own command line, to save time, and refuse the options that all other commands share.
fn without_shared_options(command: Command) -> Command {
    command.mut_args(|argument| {
        let is_shared = argument.is_global_set();
        argument.hide(is_shared)
    })
}

/// Names the option that was mistyped, with the nearest one, also where clap took it for the text of the command and
/// complains about the word behind it.
fn name_wrong_option(error: &mut clap::Error, command: &Command, words: &[OsString]) {
    if error.kind() != ErrorKind::UnknownArgument {
        return;
    }
    let words: Vec<&str> = words
        .iter()
        .skip(1)
        .map_while(|word| word.to_str())
        .collect();
    let known = options(command, &words);
    let Some(wrong) = words
        .iter()
        .take_while(|word| **word != "--")
        .filter(|word| word.starts_with("--") && !word.contains(char::is_whitespace))
        .map(|word| word.split_once('=').map_or(*word, |(name, _)| name))
        .find(|name| !known.iter().any(|known| known == name))
    else {
        return;
    };
    let named = |name: &str| ContextValue::String(name.to_owned());
    error.insert(ContextKind::InvalidArg, named(wrong));
    // Both begin with dashes, which makes any two look alike; the first letter is hardly ever the wrong one.
    let first = wrong.get(..3).unwrap_or(wrong);
    let alike = known.iter().filter(|known| known.starts_with(first));
    if let Some(near) = nearest(wrong, alike.map(String::as_str), 1).first() {
        // Only one tip: clap would also explain how to pass it as text.
        error.insert(ContextKind::Suggested, ContextValue::None);
        error.insert(ContextKind::SuggestedArg, named(near));
    }
}

/// The options of the command that these words call.
fn options(command: &Command, words: &[&str]) -> Vec<String> {
    let mut called = command;
    for word in words {
        called = called.find_subcommand(word).unwrap_or(called);
    }
    let arguments = called.get_arguments();
    arguments
        .filter_map(|argument| Some(format!("--{}", argument.get_long()?)))
        .collect()
}
