//! `man`: man pages, from the same source as the help.

use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::StyledStr;
use clap::{Arg, Args, Command};
use serde_json::json;

use crate::cli::i18n;
use crate::cli::i18n::text;
use crate::cli::{Done, Global, ui, usage};
use scratchpad::disk::private::cannot;
use scratchpad::model::error::Result;

#[derive(Args)]
#[command(after_help = "\
Example:
  scratchpad man ~/.local/share/man/man1

It writes one page for each command: scratchpad.1, scratchpad-session.1, scratchpad-session-show.1.")]
pub(in crate::cli) struct ManArgs {
    /// The directory; it is created if it is missing
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub(in crate::cli) fn run(args: &ManArgs, global: &Global) -> Result<Done> {
    let directory = &args.directory;
    fs::create_dir_all(directory)
        .map_err(|error| cannot("create the directory", directory, &error))?;
    let whole = usage::whole();
    let mut names = Vec::new();
    write_pages(directory, &whole, "scratchpad", &mut names)?;
    if global.json {
        ui::print_json(&json!({"directory": directory.display().to_string(), "files": names}))?;
    } else {
        let directory = directory.display().to_string();
        let said = text!("terminal-man", count = names.len(), directory = directory);
        ui::show(&format!("{said}\n"))?;
    }
    Ok(Done::Well)
}

/// Writes the page of a command, which is called as `spoken`, and those of its subcommands.
fn write_pages(
    directory: &Path,
    command: &Command,
    spoken: &str,
    names: &mut Vec<String>,
) -> Result<()> {
    let file = format!("{}.1", page_name(spoken));
    let path = directory.join(&file);
    fs::write(&path, page(command, spoken)).map_err(|error| cannot("write", &path, &error))?;
    names.push(file);
    for inner in shown(command) {
        let spoken = format!("{spoken} {}", inner.get_name());
        write_pages(directory, inner, &spoken, names)?;
    }
    Ok(())
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    let commands = command.get_subcommands();
    commands.filter(|inner| !inner.is_hide_set())
}

/// The name of the page of a command that is called as `spoken`.
fn page_name(spoken: &str) -> String {
    spoken.replace(' ', "-")
}

/// The usage of a command without the words that call it.
fn usage_of(command: &Command, spoken: &str) -> String {
    let usage = i18n::localized_marks(&command.clone().render_usage().to_string());
    let usage = usage.split_once(' ').map_or("", |(_, usage)| usage).trim();
    let usage = usage.strip_prefix(spoken).unwrap_or(usage);
    usage.trim().to_owned()
}

/// A page in roff, the language of man pages.
fn page(command: &Command, spoken: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let about = said(command.get_about());
    let name = page_name(spoken);
    let mut page = format!(
        ".TH {} 1 \"\" \"scratchpad {version}\"\n.SH NAME\n{} \\- {}\n",
        name.to_uppercase(),
        roff(&name),
        roff(&about)
    );
    page.push_str(
        &[
            ".SH SYNOPSIS\n.B ",
            &roff(spoken),
            "\n",
            &roff(&usage_of(command, spoken)),
            "\n",
        ]
        .concat(),
    );
    let arguments: Vec<&Arg> = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
        .collect();
    if !arguments.is_empty() {
        page.push_str(".SH OPTIONS\n");
        page.extend(arguments.into_iter().map(option));
    }
    let commands: Vec<String> = shown(command)
        .map(|inner| {
            let about = said(inner.get_about());
            let page = format!("{name}-{}", inner.get_name());
            [".TP\n.BR ", &roff(&page), " (1)\n", &roff(&about), "\n"].concat()
        })
        .collect();
    if !commands.is_empty() {
        page.push_str(".SH COMMANDS\n");
        page.extend(commands);
    }
    if let Some(after) = command.get_after_help() {
        page.push_str(&[".SH NOTES\n.nf\n", &roff(&after.to_string()), "\n.fi\n"].concat());
    }
    page
}

fn option(argument: &Arg) -> String {
    let mut names = Vec::new();
    names.extend(argument.get_short().map(|short| format!("-{short}")));
    names.extend(argument.get_long().map(|long| format!("--{long}")));
    let takes_a_value = argument.get_action().takes_values();
    let values = argument.get_value_names().unwrap_or_default();
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    let values = if takes_a_value {
        values.join(" ")
    } else {
        String::new()
    };
    let head = match (names.is_empty(), values.is_empty()) {
        (true, _) => [".I ", &roff(&values)].concat(),
        (false, true) => [".B ", &roff(&names.join(", "))].concat(),
        (false, false) => [
            ".BI \"",
            &roff(&names.join(", ")),
            " \" ",
            &roff(&values.replace(' ', "\\ ")),
        ]
        .concat(),
    };
    [
        ".TP\n",
        &head,
        "\n",
        &roff(&said(argument.get_help())),
        "\n",
    ]
    .concat()
}

fn said(help: Option<&StyledStr>) -> String {
    help.map(ToString::to_string).unwrap_or_default()
}

/// A text that roff prints as it is: backslashes and dashes are escaped, and no line begins with a request.
fn roff(text: &str) -> String {
    let escaped = text.replace('\\', "\\e").replace('-', "\\-");
    let lines = escaped.lines().map(|line| {
        if line.starts_with(['.', '\'']) {
            format!("\\&{line}")
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_can_not_be_taken_for_a_request() {
        assert_eq!(
            roff("a\\b --c\n.SH NAME\n'quoted"),
            "a\\eb \\-\\-c\n\\&.SH NAME\n\\&'quoted"
        );
    }
}
