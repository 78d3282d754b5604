//! Separated values (RFC 4180): records whose fields may be quoted, and then contain anything.

use std::borrow::Cow;

use super::table::Cell;
use crate::model::output::csv::{SEPARATORS, is_name};
use crate::model::text::bytes::shown;

/// How much of a text is looked at.
const SNIFFED: usize = 64 * 1024;
/// The most digits that a decimal number keeps.
const EXACT_DIGITS: usize = 15;

/// The separator and the names of the columns, if a text is a table of separated values.
pub(super) fn header(text: &[u8]) -> Option<(u8, Vec<String>)> {
    let complete = match text.split_at_checked(SNIFFED) {
        Some((start, _)) => start.get(..memchr::memrchr(b'\n', start)?)?,
        None => text,
    };
    SEPARATORS.into_iter().find_map(|separator| {
        let separator = u8::try_from(separator).ok()?;
        let mut records = Records::new(complete, separator);
        let names: Vec<String> = (records.next()?.iter())
            .map(|field| shown(field).into_owned())
            .collect();
        let titled = names.iter().filter(|name| is_name(name)).count();
        let is_header = names.len() >= 2
            && titled > 0
            && names.iter().all(|name| name.is_empty() || is_name(name));
        if !is_header {
            return None;
        }
        let (mut fitting, mut all) = (0_usize, 0_usize);
        for record in records {
            all += 1;
            fitting += usize::from(record.len() == names.len());
        }
        // A record here and there may be ragged.
        (all > 0 && fitting * 10 >= all * 9).then_some((separator, names))
    })
}

/// The records of a text.
pub(super) struct Records<'a> {
    rest: &'a [u8],
    separator: u8,
}

impl<'a> Records<'a> {
    pub(super) fn new(text: &'a [u8], separator: u8) -> Self {
        Self {
            rest: text,
            separator,
        }
    }

    /// The next field, and whether it is the last of its record.
    fn field(&mut self) -> (Cow<'a, [u8]>, bool) {
        let quoted = match self.rest.strip_prefix(b"\"") {
            Some(rest) => {
                self.rest = rest;
                Some(self.quoted())
            }
            None => None,
        };
        let end = memchr::memchr2(self.separator, b'\n', self.rest).unwrap_or(self.rest.len());
        let (plain, after) = self.rest.split_at_checked(end).unwrap_or((self.rest, &[]));
        let is_last = after.first() != Some(&self.separator);
        self.rest = after.get(1..).unwrap_or_default();
        let plain = match plain.strip_suffix(b"\r") {
            Some(line) if is_last => line,
            _ => plain,
        };
        let field = match quoted {
            None => Cow::Borrowed(plain),
            Some(text) if plain.is_empty() => text,
            // Something after the closing quote: it belongs to the field.
            Some(text) => Cow::Owned([&*text, plain].concat()),
        };
        (field, is_last)
    }

    /// The content of a quoted field, up to its closing quote.
    fn quoted(&mut self) -> Cow<'a, [u8]> {
        let mut whole = Vec::new();
        loop {
            let end = memchr::memchr(b'"', self.rest).unwrap_or(self.rest.len());
            let (part, after) = self.rest.split_at_checked(end).unwrap_or((self.rest, &[]));
            self.rest = after.get(1..).unwrap_or_default();
            match self.rest.strip_prefix(b"\"") {
                Some(rest) if !after.is_empty() => {
                    whole.extend_from_slice(part);
                    whole.push(b'"');
                    self.rest = rest;
                }
                _ if whole.is_empty() => return Cow::Borrowed(part),
                _ => {
                    whole.extend_from_slice(part);
                    return Cow::Owned(whole);
                }
            }
        }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Vec<Cow<'a, [u8]>>;

    fn next(&mut self) -> Option<Self::Item> {
        // Blank lines are no records.
        while let Some(rest) = self
            .rest
            .strip_prefix(b"\n")
            .or_else(|| self.rest.strip_prefix(b"\r\n"))
        {
            self.rest = rest;
        }
        if self.rest.is_empty() {
            return None;
        }
        let mut record = Vec::new();
        loop {
            let (field, is_last) = self.field();
            record.push(field);
            if is_last {
                return Some(record);
            }
        }
    }
}

/// A field as a cell: a number only if SQL writes it with the same digits; nothing is NULL.
pub(super) fn cell(field: &[u8]) -> Cell<'_> {
    let text = shown(field);
    if text.is_empty() {
        return Cell::Null;
    }
    match number(&text) {
        Some(number) => number,
        None => Cell::Text(text),
    }
}

fn number(text: &str) -> Option<Cell<'static>> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|at| at.is_ascii_digit());
    let has_zeros = whole.len() > 1 && whole.starts_with('0');
    if !are_digits(whole) || !are_digits(decimals) || has_zeros || text == "-0" {
        return None;
    }
    if digits.len() == whole.len() {
        return text.parse().ok().map(Cell::Integer);
    }
    let is_exact = whole.len() + decimals.len() <= EXACT_DIGITS;
    is_exact.then(|| text.parse().ok().map(Cell::Real))?
}
