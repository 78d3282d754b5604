//! Long texts on a terminal go through a pager.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Command, Stdio};

use super::{is_json, is_rich, print, screen};
use crate::cli::env;
use scratchpad::model::error::Result;

/// Prints verbatim, through a pager if it is longer than the screen.
pub(in crate::cli) fn print_long(text: &str) -> Result<()> {
    if is_long(text) && page(text) {
        return Ok(());
    }
    print(text)
}

/// Like [`print_long`], with control sequences escaped.
pub(in crate::cli) fn show_long(text: &str) -> Result<()> {
    print_long(&super::escaped(text))
}

fn is_long(text: &str) -> bool {
    let rows = screen().map_or(usize::MAX, |screen| screen.rows);
    !is_json()
        && is_rich(&io::stdout())
        && io::stdin().is_terminal()
        && env::variable("NO_PAGER").is_none()
        && text.lines().count() >= rows
}

/// Whether a pager showed it.
fn page(text: &str) -> bool {
    let chosen = env::variable("PAGER");
    let command = chosen.as_deref().unwrap_or("less").trim();
    if command == "cat" {
        return false;
    }
    let mut pager = if cfg!(windows) {
        Command::new(command)
    } else {
        // It is a command line, as in other programs.
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec {command}")]);
        shell
    };
    if env::variable("LESS").is_none() {
        // Quit if it fits after all, pass colours, and leave the text on the screen.
        pager.env("LESS", "FRX");
    }
    let Ok(mut child) = pager.stdin(Stdio::piped()).spawn() else {
        return false;
    };
    if let Some(mut pipe) = child.stdin.take() {
        // A person who quits has seen enough.
        let _ = pipe.write_all(text.as_bytes());
    }
    // 126 and 127: the shell did not find it.
    child
        .wait()
        .is_ok_and(|status| !matches!(status.code(), Some(126 | 127)))
}
