//! `completions`: what a shell needs to complete commands, options, and the names of what is there.
//!
//! The scripts are short: each asks `scratchpad complete` for the words that fit, so that all shells know the same.

mod candidates;
mod values;

use clap::{Args, ValueEnum};

use crate::cli::{Done, ui};
use scratchpad::model::error::Result;

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad completions bash > ~/.local/share/bash-completion/completions/scratchpad
  scratchpad completions zsh > ~/.zfunc/_scratchpad
  scratchpad completions fish > ~/.config/fish/completions/scratchpad.fish
  scratchpad completions nushell | save -f ($nu.default-config-dir | path join autoload scratchpad.nu)
  scratchpad completions powershell >> $PROFILE

They know hosts, settings, sessions, notes and outputs.")]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    Nushell,
    Powershell,
}

impl Shell {
    fn script(self) -> &'static str {
        match self {
            Self::Bash => include_str!("scripts/bash.sh"),
            Self::Zsh => include_str!("scripts/zsh.sh"),
            Self::Fish => include_str!("scripts/fish.fish"),
            Self::Nushell => include_str!("scripts/nushell.nu"),
            Self::Powershell => include_str!("scripts/powershell.ps1"),
        }
    }
}

pub(in crate::cli) fn run(args: &CompletionsArgs) -> Result<Done> {
    ui::print(args.shell.script())?;
    Ok(Done::Well)
}

/// Prints the words that fit, for the scripts.
#[derive(Args)]
pub(in crate::cli) struct CompleteArgs {
    /// The word at the cursor, if it is not the last of the others
    #[arg(long)]
    word: Option<String>,
    /// The words of the command line, without the program
    #[arg(last = true)]
    words: Vec<String>,
}

pub(in crate::cli) fn complete(args: &CompleteArgs) -> Result<Done> {
    let mut words = args.words.clone();
    let current = match &args.word {
        Some(word) => word.clone(),
        None => words.pop().unwrap_or_default(),
    };
    let lines: String = candidates::candidates(&words, &current)
        .into_iter()
        .map(|candidate| candidate.line())
        .collect();
    ui::print(&lines)?;
    Ok(Done::Well)
}
