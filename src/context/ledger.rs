//! What injecting has to remember: the directories it made, and the files it warned about.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::error::Result;
use crate::store::{files::read_small, private};

const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The ledger, in the data directory.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Ledger {
    #[serde(skip)]
    file: PathBuf,
    /// Directories that did not exist before.
    pub(super) made: Vec<PathBuf>,
    /// Shared files that notes went into, which the person was told of.
    pub(super) warned: Vec<PathBuf>,
}

impl Ledger {
    /// Reads it; one that is missing or damaged is empty.
    pub(super) fn read(data: &Path) -> Self {
        let file = data.join("injected.json");
        let bytes = read_small(&file, MAX_BYTES).ok().flatten();
        let ledger: Option<Self> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self {
            file,
            ..ledger.unwrap_or_default()
        }
    }

    /// Puts it in place.
    pub(super) fn write(&self) -> Result<()> {
        private::replace(&self.file, serde_json::json!(self).to_string().as_bytes())
    }
}
