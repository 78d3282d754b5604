//! JSON without the whitespace between its tokens.

use super::StringEnd;

/// Drops the whitespace outside strings, so that two texts can be compared however they are laid out.
///
/// Structure is not checked: text that is not JSON comes out with the same rules.
#[derive(Debug, Default)]
pub struct Compact {
    /// The string that goes on in the next piece.
    string: Option<StringEnd>,
}

impl Compact {
    /// Passes everything in the next piece but whitespace to `take`.
    pub fn push(&mut self, mut piece: &[u8], mut take: impl FnMut(&[u8])) {
        while !piece.is_empty() {
            if let Some(string) = &mut self.string {
                let (inside, rest) = string.split(piece);
                take(inside);
                let Some(rest) = rest else { return };
                self.string = None;
                piece = rest;
            } else {
                let quote = memchr::memchr(b'"', piece);
                self.string = quote.map(|_| StringEnd::default());
                // The index of a byte in `piece`, or its length: this never panics.
                let (tokens, rest) = piece.split_at(quote.map_or(piece.len(), |at| at + 1));
                for run in tokens.split(u8::is_ascii_whitespace) {
                    if !run.is_empty() {
                        take(run);
                    }
                }
                piece = rest;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitespace_goes_outside_strings_however_the_text_is_cut() {
        let text = b" {\n \"a \\\" \\\\\" : [ 1 ,\t\"b\\\\\", \" \" ] }\r\n";
        for at in 0..=text.len() {
            let mut compact = Compact::default();
            let mut seen = Vec::new();
            for piece in [&text[..at], &text[at..]] {
                compact.push(piece, |run| seen.extend_from_slice(run));
            }
            let seen = String::from_utf8(seen).unwrap();
            assert_eq!(seen, r#"{"a \" \\":[1,"b\\"," "]}"#, "{at}");
        }
    }
}
