//! Which words fit at the cursor, from the same command line that parses and documents itself.

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};

use super::values::values_of;
use crate::cli::usage;
use scratchpad::model::text::bytes::one_line;
use scratchpad::model::text::quantity::shortened;

/// The longest explanation of a candidate, in characters.
const ABOUT_CHARS: usize = 70;

/// A word that fits, and what it is.
pub(super) struct Candidate {
    pub(super) word: String,
    pub(super) about: String,
}

impl Candidate {
    pub(super) fn new(word: impl Into<String>, about: &str) -> Self {
        let about = about.lines().next().unwrap_or_default();
        Self {
            word: word.into(),
            about: shortened(&one_line(about), ABOUT_CHARS),
        }
    }

    /// Word and explanation, as the scripts read them.
    pub(super) fn line(&self) -> String {
        [&self.word, "\t", &self.about, "\n"].concat()
    }
}

/// Where the cursor is.
struct Place<'a> {
    command: &'a Command,
    /// The names of the command and its parents, without the program.
    path: Vec<String>,
    /// The option whose value comes next.
    pending: Option<&'a Arg>,
    /// The arguments without a name that came before.
    given: Vec<String>,
    /// After `--`, nothing is an option.
    only_arguments: bool,
}

/// The words that fit after these, beginning with `current`.
pub(super) fn candidates(words: &[String], current: &str) -> Vec<Candidate> {
    let whole = usage::whole();
    let place = place(&whole, words);
    // bash makes words of their own of `=` and what is behind it.
    let current = if current == "=" { "" } else { current };
    let mut found = if let Some(argument) = place.pending {
        values_of(&place.path, &place.given, argument)
    } else if let Some((name, value)) = current
        .split_once('=')
        .filter(|_| current.starts_with("--"))
    {
        let mut values = option(place.command, name)
            .map(|argument| values_of(&place.path, &place.given, argument))
            .unwrap_or_default();
        values.retain(|candidate| candidate.word.starts_with(value));
        for candidate in &mut values {
            candidate.word = format!("{name}={}", candidate.word);
        }
        values
    } else if current.starts_with('-') && !place.only_arguments {
        options(place.command)
    } else {
        arguments(&place)
    };
    found.retain(|candidate| candidate.word.starts_with(current));
    found
}

fn place<'a>(whole: &'a Command, words: &[String]) -> Place<'a> {
    let mut place = Place {
        command: whole,
        path: Vec::new(),
        pending: None,
        given: Vec::new(),
        only_arguments: false,
    };
    for word in words {
        if word == "=" && place.pending.is_some() {
            continue;
        }
        if place.pending.take().is_some() {
            continue;
        }
        if place.only_arguments {
            place.given.push(word.clone());
        } else if word == "--" {
            place.only_arguments = true;
        } else if word.starts_with('-') && word.len() > 1 {
            let argument = option(place.command, word);
            place.pending = argument.filter(|argument| takes_a_value(argument));
        } else if let Some(inner) = place
            .command
            .find_subcommand(word)
            .filter(|_| place.given.is_empty())
        {
            place.command = inner;
            place.path.push(inner.get_name().to_owned());
        } else {
            place.given.push(word.clone());
        }
    }
    place
}

fn takes_a_value(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Set | ArgAction::Append)
}

/// The option that this word names.
fn option<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    let mut arguments = command.get_arguments();
    match word.strip_prefix("--") {
        Some(long) => arguments.find(|argument| argument.get_long() == Some(long)),
        // Of several short ones only the last may take a value.
        None => arguments.find(|argument| argument.get_short() == word.chars().last()),
    }
}

fn options(command: &Command) -> Vec<Candidate> {
    let arguments = command.get_arguments();
    let shown = arguments.filter(|argument| !argument.is_hide_set());
    let named = shown.filter_map(|argument| {
        let about = said(argument.get_help());
        Some(Candidate::new(
            format!("--{}", argument.get_long()?),
            &about,
        ))
    });
    named.collect()
}

/// Subcommands, or values of the argument whose turn it is.
fn arguments(place: &Place<'_>) -> Vec<Candidate> {
    let subcommands = place
        .command
        .get_subcommands()
        .filter(|_| place.given.is_empty());
    let subcommands = subcommands.filter(|inner| !inner.is_hide_set());
    let mut found: Vec<Candidate> = subcommands
        .map(|inner| Candidate::new(inner.get_name(), &said(inner.get_about())))
        .collect();
    let positionals: Vec<&Arg> = place.command.get_positionals().collect();
    // One may be given again and again; then any word may be the last argument.
    let has_many = || positionals.iter().any(|argument| takes_many(argument));
    let again = || positionals.last().filter(|_| has_many());
    let argument = positionals.get(place.given.len()).or_else(again);
    found.extend(
        argument
            .into_iter()
            .flat_map(|argument| values_of(&place.path, &place.given, argument)),
    );
    found
}

fn takes_many(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Append)
}

fn said(help: Option<&StyledStr>) -> String {
    help.map(ToString::to_string).unwrap_or_default()
}
