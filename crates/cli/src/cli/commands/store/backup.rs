//! `store backup`: everything in one file.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::{Bar, as_text, ended};
use crate::cli::app::App;
use crate::cli::i18n::text;
use crate::cli::{Done, Global, ui};
use scratchpad::Copy;
use scratchpad::disk::private::cannot;
use scratchpad::disk::replace::confirm;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::text::message::message;
use scratchpad::scratchpad::system_time;
use scratchpad::store::sqlite::{FILE_NAME, Sqlite};

#[derive(Args)]
pub(super) struct BackupArgs {
    /// The file to write; nothing may be there yet
    file: PathBuf,
}

pub(super) fn run(args: &BackupArgs, global: &Global) -> Result<Done> {
    let file =
        std::path::absolute(&args.file).map_err(|error| cannot("find", &args.file, &error))?;
    if file.symlink_metadata().is_ok() {
        return Err(
            Error::refused(message!("{file} exists already.", file = file.display()))
                .hint("choose another name, or move it away."),
        );
    }
    let app = App::find(global)?;
    let from = app.open(app.settings.store.url.clone())?;
    let directory = file.parent().unwrap_or(Path::new("/"));
    let place = tempfile::Builder::new()
        .prefix(".scratchpad-backup-")
        .tempdir_in(directory)
        .map_err(|error| cannot("write in", directory, &error))?;
    make_private(place.path())?;
    let database = place.path().join(FILE_NAME);
    let to = Sqlite::open(&database, app.settings.store.busy_timeout())?;
    let copy = Copy {
        from: from.as_ref(),
        to: &to,
        rename: &str::to_owned,
        at: system_time(),
    };
    let mut bar = Bar::new();
    let copied = copy.run(&mut |step, done, all| bar.show(step, done, all));
    bar.clear();
    let copied = copied?;
    to.pack()?;
    Sqlite::open(&database, app.settings.store.busy_timeout())?.check_packed()?;
    let bytes = fs::metadata(&database).map_or(0, |found| found.len());
    put(&database, &file)?;
    if global.json {
        ui::print_json(&json!({
            "file": file.display().to_string(), "file_bytes": bytes, "as_of": copied.as_of,
            "sessions": copied.source.sessions, "revisions": copied.source.revisions,
            "notes": copied.source.notes, "outputs": copied.source.outputs, "bytes": copied.source.bytes,
            "lost_outputs": copied.lost, "removed_outputs": copied.removed,
        }))?;
    } else {
        let written = text!(
            "store-backup",
            file = file.display().to_string(),
            bytes = bytes
        );
        ui::print(&(as_text(&copied) + &written + "\n"))?;
    }
    Ok(ended(&copied))
}

/// Puts the finished file in its place, where nothing may write to it by mistake.
fn put(database: &Path, file: &Path) -> Result<()> {
    let failed = |error| cannot("write", file, &error);
    let mut permissions = fs::metadata(database).map_err(failed)?.permissions();
    permissions.set_readonly(true);
    fs::set_permissions(database, permissions).map_err(failed)?;
    // Unlike a rename, a link replaces nothing that came to be there meanwhile.
    fs::hard_link(database, file)
        .or_else(|_| fs::rename(database, file))
        .map_err(failed)?;
    confirm(file)
}

#[cfg(unix)]
fn make_private(directory: &Path) -> Result<()> {
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(directory, permissions)
        .map_err(|error| cannot("write in", directory, &error))
}

/// It is as private as the directory around it.
#[cfg(not(unix))]
fn make_private(_: &Path) -> Result<()> {
    Ok(())
}
