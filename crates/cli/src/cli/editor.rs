//! A person's editor, for a text that has several lines.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Command, ExitStatus};

use tempfile::NamedTempFile;

use super::env;
use scratchpad::child;
use scratchpad::disk::private::{cannot, plain};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::text::message::{Message, message};

/// A text that was edited, and the file in which it still is.
pub(super) struct Edited {
    pub(super) text: String,
    file: NamedTempFile,
}

/// Whether a person is here to edit something.
pub(super) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Opens a text in the person's editor; `None` if they left it as it was.
///
/// One line break at the end is added for the editor, and taken away.
pub(super) fn edit(text: &str) -> Result<Option<Edited>> {
    let failed = |error: &io::Error| {
        Error::store(message!(
            "Can't write the text for the editor: {error}.",
            error = error.to_string()
        ))
    };
    // Only this user can read it, as everything here.
    let file = tempfile::Builder::new()
        .prefix("scratchpad-")
        .suffix(".md")
        .tempfile()
        .map_err(|error| failed(&error))?;
    let before = if text.is_empty() {
        String::new()
    } else {
        format!("{text}\n")
    };
    file.as_file()
        .write_all(before.as_bytes())
        .map_err(|error| failed(&error))?;
    run(&file)?;
    // Editors replace the file, so it is read by its path.
    let after = std::fs::read(file.path()).map_err(|error| cannot("read", file.path(), &error))?;
    let after = String::from_utf8(after).map_err(|_| Error::refused("It is not UTF-8 text."))?;
    if after == before {
        return Ok(None);
    }
    let text = after.strip_suffix('\n').unwrap_or(&after).to_owned();
    Ok(Some(Edited { text, file }))
}

fn run(file: &NamedTempFile) -> Result<()> {
    let chosen = ["VISUAL", "EDITOR"].into_iter().find_map(env::variable);
    let usual = if cfg!(windows) { "notepad" } else { "vi" };
    let editor = chosen.unwrap_or_else(|| usual.to_owned());
    let mut command = if cfg!(windows) {
        let mut command = Command::new(&editor);
        command.arg(file.path());
        command
    } else {
        // It is a command line, as in other programs.
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("{editor} \"$@\""), &editor])
            .arg(file.path());
        shell
    };
    let ended = command.status();
    if ended.as_ref().is_ok_and(ExitStatus::success) {
        return Ok(());
    }
    let why = ended.map_or_else(|error| plain(&error), how);
    Err(Error::refused(message!(
        "The editor {editor} failed: {why}.",
        editor = &editor,
        why
    ))
    .hint("set VISUAL or EDITOR to an editor that waits until the file is closed."))
}

/// How an editor ended that did not succeed.
fn how(status: ExitStatus) -> Message {
    match child::signal_of(status) {
        Some(signal) => message!("ended by signal {signal}", signal = signal.to_string()),
        None => message!(
            "exit code {code}",
            code = child::exit_code(status).to_string()
        ),
    }
}

impl Edited {
    /// Does something with the text. If that fails, the text is kept in a file, which the error names.
    pub(super) fn used<T>(self, use_it: impl FnOnce(&str) -> Result<T>) -> Result<T> {
        let failed = match use_it(&self.text) {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        let path = self.file.path().display().to_string();
        match self.file.keep() {
            Ok(_) => Err(failed.and(message!("Your text is in {path}.", path))),
            Err(_) => Err(failed),
        }
    }
}
