//! The files of ours that hold a text.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::cli::app::App;
use scratchpad::disk::find::contains;
use scratchpad::scratchpad::forms;

/// The files in the directories of data and of the store that contain a text.
pub(super) fn files_with(app: &App, text: &str) -> Vec<String> {
    let forms = forms(text);
    let mut files = Vec::new();
    let store = app.file_of(&app.settings.store.url);
    gather(&app.directories.data, &mut files);
    // Elsewhere the directory may be somebody's home, so only what belongs to the database is looked at.
    if let Some(database) = store.filter(|path| !path.starts_with(&app.directories.data)) {
        let name = database.to_string_lossy().into_owned();
        files.extend([name.clone(), format!("{name}-wal")]);
        gather(&database.with_file_name("outputs"), &mut files);
    }
    let unique: BTreeSet<String> = files.into_iter().collect();
    let holds = |file: &String| {
        fs::File::open(file).is_ok_and(|mut file| contains(&mut file, &forms).unwrap_or(false))
    };
    unique.into_iter().filter(holds).collect()
}

/// The regular files in a directory and below.
fn gather(directory: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            gather(&entry.path(), files);
        } else if kind.is_file() {
            files.push(entry.path().to_string_lossy().into_owned());
        }
    }
}
