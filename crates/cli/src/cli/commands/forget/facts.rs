//! A text in what hooks noted for digests.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::cli::app::FACTS;
use scratchpad::disk::private::{cannot, check_regular};
use scratchpad::disk::replace::replace_private;
use scratchpad::model::error::Result;
use scratchpad::scratchpad::forms;

/// Removes the facts with this text. A fact that a hook appends at this moment may go too: a digest has one line less then.
pub(super) fn forget(data: &Path, text: &str) -> Result<()> {
    let directory = data.join(FACTS);
    let entries = match fs::read_dir(&directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(cannot("read", &directory, &error)),
    };
    let forms = forms(text);
    for entry in entries {
        let path = entry
            .map_err(|error| cannot("read", &directory, &error))?
            .path();
        check_regular(&path)?;
        let facts = fs::read(&path).map_err(|error| cannot("read", &path, &error))?;
        if let Some(rest) = without(&facts, &forms) {
            replace_private(&path, &rest)?;
        }
    }
    Ok(())
}

/// The lines in which none of these occurs; `None` if that is all of them.
fn without(lines: &[u8], forms: &BTreeSet<Vec<u8>>) -> Option<Vec<u8>> {
    let has = |line: &&[u8]| {
        forms
            .iter()
            .any(|form| memchr::memmem::find(line, form).is_some())
    };
    let all: Vec<&[u8]> = lines.split_inclusive(|byte| *byte == b'\n').collect();
    let rest: Vec<&[u8]> = all.iter().copied().filter(|line| !has(line)).collect();
    (rest.len() < all.len()).then(|| rest.concat())
}
