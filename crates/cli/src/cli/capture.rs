//! Text that arrives in parts: buffered in memory while it is small, then staged in the store.
//!
//! Even if the store fails, nothing is lost: the caller gets a reference or the text itself.

use std::io::{Read, Write};

use super::app::OpenSession;
use super::i18n::{in_one_line, text};
use super::ui;
use scratchpad::disk::private::plain;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::output::Origin;
use scratchpad::model::output::reference::Reader;
use scratchpad::model::text::bytes::read_piece;
use scratchpad::model::text::message::message;
use scratchpad::store::Staged;

/// The buffer's maximum, whatever the threshold.
const HELD_MAX_BYTES: u64 = 1 << 20;

/// The chunk size for printing staged content.
const CHUNK_BYTES: usize = 64 << 10;

pub(super) struct Captured<'a> {
    opened: &'a OpenSession,
    threshold: u64,
    so_far: SoFar,
}

enum SoFar {
    Held(Vec<u8>),
    Staged(Staged),
    /// Everything is printed: offloading is off, or the store failed.
    Printed(Option<Error>),
}

impl<'a> Captured<'a> {
    /// Keeps what exceeds the threshold; without a threshold, keeps nothing.
    pub(super) fn new(opened: &'a OpenSession, threshold: Option<u64>) -> Self {
        Self {
            opened,
            threshold: threshold.unwrap_or(u64::MAX),
            so_far: match threshold {
                Some(_) => SoFar::Held(Vec::new()),
                None => SoFar::Printed(None),
            },
        }
    }

    /// Takes the next part. Fails only if printing fails too.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<()> {
        if let SoFar::Held(held) = &mut self.so_far {
            held.extend_from_slice(bytes);
            if held.len() as u64 <= self.threshold.min(HELD_MAX_BYTES) {
                return Ok(());
            }
            let held = std::mem::take(held);
            match self.opened.scratchpad.stage_output() {
                Ok(staged) => self.so_far = SoFar::Staged(staged),
                Err(error) => self.so_far = SoFar::Printed(Some(error)),
            }
            return self.take_large(&held);
        }
        self.take_large(bytes)
    }

    fn take_large(&mut self, bytes: &[u8]) -> Result<()> {
        let SoFar::Staged(staged) = &mut self.so_far else {
            return ui::print_bytes(bytes);
        };
        let before = staged.bytes();
        let Err(error) = staged.write_all(bytes) else {
            return Ok(());
        };
        let written = usize::try_from(staged.bytes() - before).unwrap_or_default();
        give_back(staged)?;
        self.so_far = SoFar::Printed(Some(Error::store(message!(
            "Can't write the output to the store: {error}.",
            error = plain(&error)
        ))));
        // `written` never exceeds `bytes.len()`: this does not panic.
        let (_, rest) = bytes.split_at(written);
        ui::print_bytes(rest)
    }

    /// Prints what was taken, or the reference to it.
    pub(super) fn finish(self, origin: Origin<'_>) -> Result<()> {
        match self.so_far {
            SoFar::Held(held) => ui::print_bytes(&held),
            SoFar::Staged(staged) if staged.bytes() <= self.threshold => give_back(&staged),
            SoFar::Staged(staged) => keep(self.opened, origin, staged),
            SoFar::Printed(error) => {
                if let Some(error) = error {
                    warn(&error);
                }
                Ok(())
            }
        }
    }
}

fn keep(opened: &OpenSession, origin: Origin<'_>, staged: Staged) -> Result<()> {
    // Opened first: if keeping fails, the store drops the content, but this reader still has it.
    let (bytes, mut content) = (staged.bytes(), staged.reader()?);
    let kept = opened.session_quietly().and_then(|session| {
        opened
            .scratchpad
            .keep_staged(&session, origin, staged, Reader::CommandLine)
    });
    match kept {
        Ok(reference) => ui::show(&format!("{}\n", reference.text.trim_end()))?,
        Err(error) => {
            print_all(&mut content, bytes)?;
            warn(&error);
            return Ok(());
        }
    }
    // The reference is printed and valid; the next command can do the rest.
    if let Err(error) = opened.scratchpad.sync_outputs() {
        ui::remark(&text!("output-not-tidied", error = in_one_line(&error)));
    }
    Ok(())
}

fn give_back(staged: &Staged) -> Result<()> {
    print_all(&mut staged.reader()?, staged.bytes())
}

fn print_all(content: &mut impl Read, bytes: u64) -> Result<()> {
    let mut content = content.take(bytes);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match read_piece(&mut content, &mut chunk) {
            Ok([]) => return Ok(()),
            Ok(piece) => ui::print_bytes(piece)?,
            Err(error) => {
                return Err(Error::store(message!(
                    "Can't read back the output: {error}.",
                    error = plain(&error)
                )));
            }
        }
    }
}

fn warn(error: &Error) {
    ui::remark(&text!("output-not-kept", error = in_one_line(error)));
}
