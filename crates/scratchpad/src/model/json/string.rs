//! Where a JSON string ends.

/// Finds the closing quote of a string that comes in pieces, from behind its opening quote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StringEnd {
    /// The next byte is escaped by a backslash that ended the previous piece.
    is_escaped: bool,
}

impl StringEnd {
    /// Splits a piece into the part that belongs to the string, closing quote included, and what follows the string.
    ///
    /// The second part is `None` while the string goes on in the next piece.
    #[inline]
    pub fn split<'a>(&mut self, piece: &'a [u8]) -> (&'a [u8], Option<&'a [u8]>) {
        let mut from = usize::from(self.is_escaped);
        loop {
            let Some(rest) = piece.get(from..) else {
                self.is_escaped = true;
                return (piece, None);
            };
            self.is_escaped = false;
            let Some(found) = memchr::memchr2(b'"', b'\\', rest) else {
                return (piece, None);
            };
            if rest.get(found) == Some(&b'"') {
                // `from + found` is the index of the quote, so this never panics.
                let (string, rest) = piece.split_at(from + found + 1);
                return (string, Some(rest));
            }
            from += found + 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_ends_at_its_first_unescaped_quote_however_it_is_cut() {
        for (text, inside) in [
            (r#"" x"#, 1),
            (r#"a"b"#, 2),
            (r#"a\"b"c"#, 5),
            (r#"a\\"c"#, 4),
            (r#"\\\"\\" ""#, 7),
        ] {
            for at in 0..=text.len() {
                let mut end = StringEnd::default();
                let (first, second) = text.as_bytes().split_at(at);
                let mut rests = Vec::new();
                let mut taken = 0;
                for piece in [first, second] {
                    if rests.is_empty() {
                        let (string, rest) = end.split(piece);
                        taken += string.len();
                        rests.extend(rest);
                    }
                }
                assert_eq!((taken, rests.len()), (inside, 1), "{text} {at}");
            }
        }
        let mut end = StringEnd::default();
        assert_eq!(end.split(b"no end\\"), (b"no end\\".as_slice(), None));
        assert_eq!(end.split(b""), (b"".as_slice(), None));
        assert_eq!(end.split(b"\""), (b"\"".as_slice(), None));
    }
}
