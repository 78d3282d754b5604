//! A text in the log of the hooks.

use std::fs;
use std::path::Path;

use crate::cli::commands::hook::LOG;
use scratchpad::disk::private::{cannot, check_regular};
use scratchpad::disk::replace::replace_private;
use scratchpad::model::error::Result;
use scratchpad::model::text::rewrite::without;

fn read(directory: &Path) -> Result<String> {
    let path = directory.join(LOG);
    check_regular(&path)?;
    match fs::read(&path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(cannot("read", &path, &error)),
    }
}

/// How many lines of the log contain a text. A line of the log has no line breaks of what it tells.
pub(super) fn lines_with(directory: &Path, text: &str) -> Result<usize> {
    let text = in_one_line(text);
    let log = read(directory)?;
    Ok(log.lines().filter(|line| line.contains(&text)).count())
}

pub(super) fn forget(directory: &Path, text: &str) -> Result<()> {
    match without(&read(directory)?, &in_one_line(text)) {
        Some(log) => replace_private(&directory.join(LOG), log.as_bytes()),
        None => Ok(()),
    }
}

fn in_one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
