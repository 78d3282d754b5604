//! `note export` and `note import`: notes as JSON Lines.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, IsTerminal, Seek, Write};
use std::path::Path;

use serde_json::json;

use crate::cli::app::OpenSession;
use crate::cli::i18n::text;
use crate::cli::{Global, ui};
use scratchpad::disk::private::{cannot, plain};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::note::Scope;
use scratchpad::model::text::message::message;

pub(super) fn export(opened: &OpenSession, scope: Scope) -> Result<()> {
    let session = if scope == Scope::Session || opened.is_session_named()? {
        opened.session_to_look()?
    } else {
        // The project's notes are the same for any session.
        opened.scratchpad.new_session_id()
    };
    let count = if io::stdout().is_terminal() {
        let mut text = Vec::new();
        let count = opened.scratchpad.export_notes(&session, scope, &mut text)?;
        ui::show(&String::from_utf8_lossy(&text))?;
        count
    } else {
        let mut out = BufWriter::new(Unhurt(io::stdout().lock()));
        let count = opened.scratchpad.export_notes(&session, scope, &mut out)?;
        out.flush().map_err(|error| {
            Error::store(message!(
                "Can't write the notes: {error}.",
                error = plain(&error)
            ))
        })?;
        count
    };
    ui::remark(&text!("note-exported", count = count, scope = scope.name()));
    Ok(())
}

/// A writer to a pipe that ignores a closed pipe.
struct Unhurt<W>(W);

impl<W: Write> Write for Unhurt<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}

pub(super) fn import(
    opened: &OpenSession,
    file: &Path,
    scope: Scope,
    global: &Global,
) -> Result<()> {
    let mut source = BufReader::new(seekable(file)?);
    let session = if scope == Scope::Session || opened.is_session_named()? {
        Some(opened.session_to_write()?)
    } else {
        None
    };
    let live = ui::is_rich(&io::stderr());
    let mut progress = |read: usize| {
        if live {
            // Only a progress line: nothing depends on it.
            let _ = write!(io::stderr(), "\r{}", text!("note-read", count = read));
        }
    };
    let imported = match &session {
        Some(session) => opened
            .scratchpad
            .import_notes(session, scope, &mut source, &mut progress),
        None => opened
            .scratchpad
            .import_project_notes(&mut source, &mut progress),
    };
    if live {
        // Clears the progress line before the answer or the error; if that fails, the line is merely in the way.
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    let count = imported?;
    if count.added > 0 {
        opened.say_if_new();
    }
    if global.json {
        let data = json!({"scope": scope.name(), "added": count.added, "known": count.known});
        return match &session {
            Some(session) => ui::print_json_of(session, data),
            None => ui::print_json(&data),
        };
    }
    let (added, scope) = (count.added, scope.name());
    let said = match count.known {
        0 => text!("note-imported", count = added, scope = scope),
        known => text!(
            "note-imported-known",
            count = added,
            scope = scope,
            known = known
        ),
    };
    ui::print(&(said + "\n"))
}

/// Opens the file to import; input from a pipe is spooled to a temporary file first.
///
/// An import holds the write lock, so it must not wait for its source.
fn seekable(file: &Path) -> Result<File> {
    let failed = |error| cannot("read", file, &error);
    let mut pipe: Box<dyn io::Read> = if file.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        let opened = File::open(file).map_err(failed)?;
        if opened.metadata().map_err(failed)?.is_file() {
            return Ok(opened);
        }
        Box::new(opened)
    };
    let mut stored = tempfile::tempfile().map_err(failed)?;
    io::copy(&mut pipe, &mut stored).map_err(failed)?;
    stored.rewind().map_err(failed)?;
    Ok(stored)
}
