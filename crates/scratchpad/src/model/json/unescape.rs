//! Decodes a JSON string that comes in pieces of any size.

/// A string that has no text: it contains a lone surrogate, an unknown escape, or bytes that are not UTF-8.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidString;

/// Decodes the inside of a JSON string.
#[derive(Debug, Default)]
pub struct Unescape {
    state: State,
    /// Text that was decoded and not yet drained; it may end inside a character.
    ready: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Plain,
    Escape,
    /// Inside `\u0041`: the high surrogate in front of it, the value and the number of the digits so far.
    Hex {
        high: Option<u16>,
        code: u16,
        digits: u8,
    },
    /// After a high surrogate: a backslash must follow.
    Low(u16),
    /// After that backslash: `u` must follow.
    LowEscape(u16),
}

impl Unescape {
    /// Decodes the next piece.
    pub fn push(&mut self, mut piece: &[u8]) -> Result<(), InvalidString> {
        while let Some((&byte, rest)) = piece.split_first() {
            if self.state == State::Plain {
                piece = self.plain(piece);
            } else {
                self.escape(byte)?;
                piece = rest;
            }
        }
        Ok(())
    }

    /// Decodes up to an escape that is not a single letter, or that the piece cuts; returns the rest.
    fn plain<'a>(&mut self, mut piece: &'a [u8]) -> &'a [u8] {
        loop {
            let plain = memchr::memchr(b'\\', piece).unwrap_or(piece.len());
            // The index of a byte in `piece`, or its length: this never panics.
            let (text, rest) = piece.split_at(plain);
            self.ready.extend_from_slice(text);
            match rest {
                [] => return rest,
                [_, byte, rest @ ..] if simple(*byte).is_some() => {
                    self.ready.extend(simple(*byte));
                    piece = rest;
                }
                [_, rest @ ..] => {
                    self.state = State::Escape;
                    return rest;
                }
            }
        }
    }

    fn escape(&mut self, byte: u8) -> Result<(), InvalidString> {
        self.state = match (self.state, byte) {
            (State::Escape, b'u') => State::Hex {
                high: None,
                code: 0,
                digits: 0,
            },
            (State::Escape, _) => {
                self.ready.push(simple(byte).ok_or(InvalidString)?);
                State::Plain
            }
            (State::Low(high), b'\\') => State::LowEscape(high),
            (State::LowEscape(high), b'u') => State::Hex {
                high: Some(high),
                code: 0,
                digits: 0,
            },
            (State::Hex { high, code, digits }, _) => {
                let digit = char::from(byte).to_digit(16).ok_or(InvalidString)?;
                let code = code << 4 | u16::try_from(digit).map_err(|_| InvalidString)?;
                if digits < 3 {
                    State::Hex {
                        high,
                        code,
                        digits: digits + 1,
                    }
                } else {
                    self.unit(high, code)?
                }
            }
            _ => return Err(InvalidString),
        };
        Ok(())
    }

    fn unit(&mut self, high: Option<u16>, code: u16) -> Result<State, InvalidString> {
        if high.is_none() && (0xd800..0xdc00).contains(&code) {
            return Ok(State::Low(code));
        }
        let units = high.into_iter().chain([code]);
        for char in char::decode_utf16(units) {
            let char = char.map_err(|_| InvalidString)?;
            let mut bytes = [0; 4];
            self.ready
                .extend_from_slice(char.encode_utf8(&mut bytes).as_bytes());
        }
        Ok(State::Plain)
    }

    /// Passes the whole characters decoded so far to `take`.
    pub fn drain<E>(&mut self, take: impl FnOnce(&[u8]) -> Result<(), E>) -> Result<(), E>
    where
        E: From<InvalidString>,
    {
        let whole = match std::str::from_utf8(&self.ready) {
            Ok(text) => text.len(),
            // The last character continues in the next piece.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return Err(InvalidString.into()),
        };
        // Never more than there is, by `from_utf8`: this does not panic.
        let (text, _) = self.ready.split_at(whole);
        take(text)?;
        self.ready.drain(..whole);
        Ok(())
    }

    /// The string ended; fails inside an escape or a character.
    pub fn end(self) -> Result<(), InvalidString> {
        if self.state == State::Plain && self.ready.is_empty() {
            Ok(())
        } else {
            Err(InvalidString)
        }
    }
}

/// What a single letter after a backslash stands for.
fn simple(byte: u8) -> Option<u8> {
    Some(match byte {
        b'"' | b'\\' | b'/' => byte,
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 0x08,
        b'f' => 0x0c,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text of a string that comes in two pieces.
    fn text(raw: &[u8], at: usize) -> Result<String, InvalidString> {
        let mut unescape = Unescape::default();
        let mut text = Vec::new();
        let (first, second) = raw.split_at(at.min(raw.len()));
        for piece in [first, second] {
            unescape.push(piece)?;
            unescape.drain(|ready| {
                text.extend_from_slice(ready);
                Ok::<_, InvalidString>(())
            })?;
        }
        unescape.end()?;
        Ok(String::from_utf8(text).unwrap())
    }

    #[test]
    fn a_string_without_text_is_an_error() {
        for raw in [
            r"\ud800",
            r"\udc00",
            r"\ud800\ud800",
            r"\ud800x",
            r"\ud800\n",
            r"\x",
            r"\u12g4",
            r"\u12",
            "\\",
        ] {
            for at in 0..raw.len() {
                assert_eq!(text(raw.as_bytes(), at), Err(InvalidString), "{raw} {at}");
            }
        }
        assert_eq!(text(b"a\xff", 1), Err(InvalidString));
        assert_eq!(text(b"a\xc3", 1), Err(InvalidString));
    }

    proptest! {
        #[test]
        fn the_text_is_what_any_parser_reads(
            raw in r#"([a-zä🦀 ]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}|\\ud83e\\uDD80){0,30}"#,
            at in 0_usize..90,
        ) {
            let expected = serde_json::from_str::<String>(&format!("\"{raw}\"")).map_err(|_| InvalidString);
            prop_assert_eq!(text(raw.as_bytes(), at), expected);
        }
    }
}
