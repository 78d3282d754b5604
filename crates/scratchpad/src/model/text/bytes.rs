//! Bytes as text: character boundaries, and how bytes that are not UTF-8 are shown.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::ops::Range;

use super::imitation::ends_line;

/// Reads once into the buffer and returns what was read; empty at the end. Interrupted reads are retried.
///
/// A reader that claims more than the buffer holds is an error: carrying on would lose bytes silently.
pub fn read_piece<'a>(
    from: &mut (impl Read + ?Sized),
    buffer: &'a mut [u8],
) -> io::Result<&'a mut [u8]> {
    loop {
        match from.read(buffer) {
            Ok(read) => {
                let error = || io::Error::from(io::ErrorKind::InvalidData);
                return buffer.get_mut(..read).ok_or_else(error);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The bytes as text, with those that are not UTF-8 escaped as `\xNN`.
pub fn shown(bytes: &[u8]) -> Cow<'_, str> {
    let Err(_) = std::str::from_utf8(bytes) else {
        // It is valid, so nothing is replaced.
        return String::from_utf8_lossy(bytes);
    };
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string can't fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    Cow::Owned(text)
}

/// Untrusted text on one line, so that none of it can pass for a line that Scratchpad wrote.
pub fn one_line(text: &str) -> String {
    text.replace(|char: char| char.is_control() || ends_line(char), " ")
}

/// The character that contains this offset strictly inside it, if any. Bytes that are not UTF-8 are in no character.
fn character_around(content: &[u8], at: usize) -> Option<Range<usize>> {
    (1..4).find_map(|back| {
        let start = at.checked_sub(back)?;
        let length = match content.get(start)? {
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 3,
            0xF0.. => 4,
            _ => return None,
        };
        let character = content.get(start..start + length)?;
        (back < length && std::str::from_utf8(character).is_ok()).then_some(start..start + length)
    })
}

/// The offset, or the start of the character it is inside.
pub fn boundary_before(content: &[u8], at: usize) -> usize {
    let at = at.min(content.len());
    character_around(content, at).map_or(at, |character| character.start)
}

/// The offset, or the end of the character it is inside.
pub fn boundary_after(content: &[u8], at: usize) -> usize {
    let at = at.min(content.len());
    character_around(content, at).map_or(at, |character| character.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Claims to have read one byte more than the buffer holds, after one interruption.
    struct Liar(bool);

    impl Read for Liar {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if !std::mem::replace(&mut self.0, true) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            Ok(buffer.len() + 1)
        }
    }

    #[test]
    fn a_reader_that_claims_too_much_is_an_error_and_not_the_end() {
        let mut buffer = [0; 4];
        let error = read_piece(&mut Liar(false), &mut buffer).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        let mut text = b"abcdef".as_slice();
        assert_eq!(read_piece(&mut text, &mut buffer).unwrap(), b"abcd");
        assert_eq!(read_piece(&mut text, &mut buffer).unwrap(), b"ef");
        assert_eq!(read_piece(&mut text, &mut buffer).unwrap(), b"");
    }

    #[test]
    fn what_is_no_text_says_so() {
        assert!(matches!(
            shown("größer".as_bytes()),
            Cow::Borrowed("größer")
        ));
        assert_eq!(shown(b"caf\xe9 \xff\x00"), "caf\\xe9 \\xff\0");
    }

    #[test]
    fn nothing_ends_a_line_in_one_line() {
        assert_eq!(one_line("a\r\nb\u{85}c\u{2028}d\te"), "a  b c d e");
    }

    #[test]
    fn places_lie_between_characters() {
        let text = "a€b".as_bytes();
        assert_eq!(
            [0, 1, 2, 3, 4, 9].map(|at| boundary_before(text, at)),
            [0, 1, 1, 1, 4, 5]
        );
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|at| boundary_after(text, at)),
            [0, 1, 4, 4, 4, 5]
        );
        let no_text = b"a\x80\x80\xe2\x82z\xf0\x9f\xa6\x80\x80";
        assert_eq!(
            [1, 2, 4, 5, 7, 9, 10].map(|at| boundary_before(no_text, at)),
            [1, 2, 4, 5, 6, 6, 10]
        );
    }
}
