//! Notes in a file of JSON Lines, read one by one.

use std::io::BufRead;

use crate::disk::lines::{Lines, MAX_LINE_BYTES};
use crate::model::error::{Error, Result};
use crate::model::note::NoteLimits;
use crate::model::note::jsonl;
use crate::model::note::jsonl::NoteLine;
use crate::model::text::message::{message, number};
use crate::model::text::quantity::grouped;

/// Reads notes from lines; errors name the line number.
pub(super) struct NoteLines<'a> {
    lines: Lines<&'a mut dyn BufRead>,
    limits: &'a NoteLimits,
    number: usize,
    waiting: std::vec::IntoIter<NoteLine>,
}

impl<'a> NoteLines<'a> {
    pub(super) fn new(file: &'a mut dyn BufRead, limits: &'a NoteLimits) -> Self {
        Self {
            lines: Lines::new(file, MAX_LINE_BYTES),
            limits,
            number: 0,
            waiting: Vec::new().into_iter(),
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<NoteLine>> {
        loop {
            if let Some(note) = self.waiting.next() {
                return Ok(Some(note));
            }
            self.number += 1;
            let place = message!("Line {line}", line = number(self.number));
            let line = match self.lines.next() {
                Err(error) => {
                    return Err(Error::refused(message!(
                        "{place}: {error}.",
                        place,
                        error = error.to_string()
                    )));
                }
                Ok(None) => return Ok(None),
                Ok(Some(None)) => {
                    let limit = grouped(MAX_LINE_BYTES);
                    return Err(Error::refused(message!(
                        "{place} has more than {limit} bytes.",
                        place,
                        limit
                    )));
                }
                Ok(Some(Some(line))) => line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line),
            };
            let notes = jsonl::parse(line, self.limits).map_err(|error| error.within(place))?;
            self.waiting = notes.into_iter();
        }
    }
}

/// Some programs write it at the start of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
