//! `proxy --wrap|--unwrap`: puts the servers of a host's MCP configuration behind the proxy, and undoes it.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::i18n::translated;
use crate::cli::{Done, Global, env, ui};
use scratchpad::disk::private::cannot;
use scratchpad::disk::replace::replace_private;
use scratchpad::model::error::{Error, ErrorKind, Result};
use scratchpad::model::host::wrap::{Format, Rewritten, Server, Way, WrapOutcome, rewrite};
use scratchpad::model::text::diff;
use scratchpad::model::text::message::{Message, message};

/// Whether to write the file or show what would change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Write,
    Show,
}

pub(super) fn run(file: &Path, way: Way, mode: Mode, global: &Global) -> Result<Done> {
    let format = format_of(file)?;
    let text = read(file)?;
    let rewritten = rewrite(&text, format, way, &env::program()?)
        .map_err(|error| error.within(file.display()))?;
    let is_changed = rewritten.text != text;
    if is_changed && mode == Mode::Write {
        write(file, &text, &rewritten.text)?;
    }
    let diff = (mode == Mode::Show).then(|| {
        let (old, new) = (text.as_bytes(), rewritten.text.as_bytes());
        diff::unified(&file.display().to_string(), Some(old), Some(new))
    });
    report(file, &rewritten, is_changed, diff.as_deref(), global)?;
    Ok(Done::Well)
}

/// The format, by the file's extension.
fn format_of(file: &Path) -> Result<Format> {
    let ending = file
        .extension()
        .map(|it| it.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("toml") => Ok(Format::Toml),
        Some("yaml" | "yml") => Err(Error::refused(message!("{file} is YAML, which can't be rewritten byte for byte.", file = file.display().to_string()))
        .hint(
            "do it by hand: where it says `cmd: npx` and `args: [-y, server]`, write `cmd: scratchpad` and \
             `args: [proxy, --name, NAME, --, npx, -y, server]`.",
        )),
        _ => Ok(Format::Json),
    }
}

fn read(file: &Path) -> Result<String> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Error::not_found(message!(
            "{file} does not exist. Nothing was changed.",
            file = file.display().to_string()
        )),
        _ => cannot("read", file, &error),
    };
    let found = fs::metadata(file).map_err(failed)?;
    if !found.is_file() {
        let what = if found.is_dir() {
            message!("a directory")
        } else {
            message!("not a regular file")
        };
        return Err(Error::refused(message!(
            "{file} is {what}.",
            file = file.display().to_string(),
            what
        )));
    }
    let bytes = fs::read(file).map_err(failed)?;
    String::from_utf8(bytes).map_err(|error| {
        Error::refused(message!(
            "{file} is not UTF-8: invalid byte at offset {at}.",
            file = file.display().to_string(),
            at = error.utf8_error().valid_up_to().to_string()
        ))
    })
}

fn write(file: &Path, old: &str, new: &str) -> Result<()> {
    let found = fs::metadata(file).map_err(|error| cannot("read", file, &error))?;
    if found.permissions().readonly() {
        // Its directory may allow replacing it, but the file is marked read-only.
        return Err(Error::refused(message!(
            "{file} is read-only.",
            file = file.display().to_string()
        ))
        .as_kind(ErrorKind::Store)
        .hint("make it writable."));
    }
    // The host may have written the file in the meantime: its changes must not be lost.
    if read(file)? != old {
        return Err(Error::refused(message!(
            "{path} was changed by another program in the meantime.",
            path = file.display().to_string()
        ))
        .as_kind(ErrorKind::Busy)
        .hint("try again."));
    }
    replace_private(file, new.as_bytes())
}

fn report(
    file: &Path,
    rewritten: &Rewritten,
    is_changed: bool,
    diff: Option<&str>,
    global: &Global,
) -> Result<()> {
    if global.json {
        let servers: Vec<Value> = rewritten.servers.iter().map(as_json).collect();
        return ui::print_json(&json!({
            "file": file.display().to_string(), "changed": is_changed && diff.is_none(), "diff": diff, "servers": servers,
        }));
    }
    let mut lines: Vec<String> = rewritten.servers.iter().map(line).collect();
    if lines.is_empty() {
        lines.push(translated(&message!(
            "{file} has no servers yet.",
            file = file.display()
        )));
    }
    match diff {
        None => ui::show(&(lines.join("\n") + "\n")),
        Some(diff) => {
            ui::show(diff)?;
            ui::remark(&lines.join("\n"));
            Ok(())
        }
    }
}

/// The outcome in one word, and a remark.
fn in_words(outcome: &WrapOutcome) -> (Message, Option<Message>) {
    match outcome {
        WrapOutcome::Wrapped => (message!("wrapped"), None),
        WrapOutcome::WrappedRemote => (
            message!("wrapped"),
            Some(message!(
                "by its URL; if it needs the host to sign in, unwrap it: the proxy can't"
            )),
        ),
        WrapOutcome::Already => (
            message!("already"),
            Some(message!("it goes through the proxy")),
        ),
        WrapOutcome::Own => (
            message!("skipped"),
            Some(message!("it is scratchpad itself")),
        ),
        WrapOutcome::Restored => (message!("unwrapped"), None),
        WrapOutcome::Unwrapped => (
            message!("unwrapped"),
            Some(message!(
                "it was edited since, so its layout may differ from before"
            )),
        ),
        WrapOutcome::Direct => (
            message!("already"),
            Some(message!("it does not go through the proxy")),
        ),
        WrapOutcome::Skipped(reason) => (message!("skipped"), Some(reason.clone())),
    }
}

fn line(server: &Server) -> String {
    let (word, remark) = in_words(&server.outcome);
    let project = server.project.as_ref();
    let project = project.map_or(String::new(), |project| format!(" in {project}"));
    let remark = remark.map_or(String::new(), |remark| format!(": {}", translated(&remark)));
    format!("{} {}{project}{remark}", translated(&word), server.name)
}

fn as_json(server: &Server) -> Value {
    let (word, remark) = in_words(&server.outcome);
    let remark = remark.map(|remark| remark.to_string());
    json!({"name": server.name, "project": server.project, "outcome": word.english(), "remark": remark})
}
