//! A message that arrives in pieces.

use std::fs::File;
use std::io::{self, Read, Write};

use super::SHOWN_CHARS;
use crate::proxy::body::{Body, MAX_MEMORY_BYTES};
use crate::proxy::id::Id;
use crate::proxy::outline::Outline;
use scratchpad::model::text::bytes::read_piece;
use scratchpad::model::text::quantity::shortened;

/// A buffer for a message: in memory at first, then in an unnamed temporary file.
#[derive(Default)]
pub(super) struct Gather {
    memory: Vec<u8>,
    file: Option<File>,
}

impl Gather {
    pub(super) fn is_empty(&self) -> bool {
        self.memory.is_empty() && self.file.is_none()
    }

    pub(super) fn push(&mut self, piece: &[u8]) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            return file.write_all(piece);
        }
        self.memory.extend_from_slice(piece);
        if self.memory.len() > MAX_MEMORY_BYTES {
            let mut file = tempfile::tempfile()?;
            file.write_all(&std::mem::take(&mut self.memory))?;
            self.file = Some(file);
        }
        Ok(())
    }

    /// Reads JSON as one line: line breaks become spaces.
    pub(super) fn read(&mut self, mut from: impl Read) -> io::Result<()> {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let piece = read_piece(&mut from, &mut buffer)?;
            if piece.is_empty() {
                return Ok(());
            }
            for byte in piece.iter_mut() {
                if matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
            self.push(piece)?;
        }
    }

    /// What has arrived so far.
    pub(super) fn body(&self) -> Body<'_> {
        match &self.file {
            None => Body::Memory(&self.memory),
            Some(file) => Body::File(file),
        }
    }

    /// The message's outline; empty if the message is in a file.
    pub(super) fn outline(&self) -> Outline {
        Outline::of(&self.memory, u64::MAX).unwrap_or_default()
    }

    /// Whether the message answers one of these requests.
    pub(super) fn answers(&self, requests: &[Id]) -> bool {
        let outline = self.outline();
        let mut ids = outline
            .messages
            .iter()
            .filter_map(|message| message.id.as_ref());
        ids.any(|id| requests.contains(id))
    }

    /// The beginning of the message, for a warning.
    pub(super) fn beginning(&self) -> String {
        shortened(&String::from_utf8_lossy(&self.memory), SHOWN_CHARS)
    }
}
