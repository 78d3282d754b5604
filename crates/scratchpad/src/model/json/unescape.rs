//! The text of a JSON string, without its escapes, in pieces of any size.

/// Why a string is no text that can be kept: a lone surrogate, an escape nobody knows, or bytes that are
/// no UTF-8. Its message passes as it came.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoText;

/// Turns the inside of a JSON string into its text.
#[derive(Debug, Default)]
pub(super) struct Unescape {
    state: State,
    /// The text that is ready.
    ready: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Plain,
    Escape,
    /// In `\u0041`: the high surrogate before it, the digits so far and how many they are.
    Hex {
        high: Option<u16>,
        code: u16,
        digits: u8,
    },
    /// Behind a high surrogate: a backslash must follow.
    Low(u16),
    /// Behind that backslash: `u` must follow.
    LowEscape(u16),
}

impl Unescape {
    /// Takes the next piece; `ready` is the text so far.
    pub(super) fn push(&mut self, mut piece: &[u8]) -> Result<(), NoText> {
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

    /// Takes text up to an escape that is not simple; answers what is left.
    fn plain<'a>(&mut self, mut piece: &'a [u8]) -> &'a [u8] {
        loop {
            let plain = memchr::memchr(b'\\', piece).unwrap_or(piece.len());
            let (text, rest) = piece.split_at_checked(plain).unwrap_or((piece, &[]));
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

    fn escape(&mut self, byte: u8) -> Result<(), NoText> {
        self.state = match (self.state, byte) {
            (State::Escape, b'u') => State::Hex {
                high: None,
                code: 0,
                digits: 0,
            },
            (State::Escape, _) => {
                self.ready.push(simple(byte).ok_or(NoText)?);
                State::Plain
            }
            (State::Low(high), b'\\') => State::LowEscape(high),
            (State::LowEscape(high), b'u') => State::Hex {
                high: Some(high),
                code: 0,
                digits: 0,
            },
            (State::Hex { high, code, digits }, _) => {
                let digit = char::from(byte).to_digit(16).ok_or(NoText)?;
                let code = code << 4 | u16::try_from(digit).map_err(|_| NoText)?;
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
            _ => return Err(NoText),
        };
        Ok(())
    }

    fn unit(&mut self, high: Option<u16>, code: u16) -> Result<State, NoText> {
        if high.is_none() && (0xd800..0xdc00).contains(&code) {
            return Ok(State::Low(code));
        }
        let units = high.into_iter().chain([code]);
        for char in char::decode_utf16(units) {
            let char = char.map_err(|_| NoText)?;
            let mut bytes = [0; 4];
            self.ready
                .extend_from_slice(char.encode_utf8(&mut bytes).as_bytes());
        }
        Ok(State::Plain)
    }

    /// Gives the whole characters that are ready to `take`, and forgets them.
    pub(super) fn drain<E>(&mut self, take: impl FnOnce(&[u8]) -> Result<(), E>) -> Result<(), E>
    where
        E: From<NoText>,
    {
        let whole = match std::str::from_utf8(&self.ready) {
            Ok(text) => text.len(),
            // A character that goes on in the next piece.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return Err(NoText.into()),
        };
        take(self.ready.get(..whole).unwrap_or_default())?;
        self.ready.drain(..whole);
        Ok(())
    }

    /// The string ended: nothing may be open.
    pub(super) fn end(self) -> Result<(), NoText> {
        if self.state == State::Plain && self.ready.is_empty() {
            Ok(())
        } else {
            Err(NoText)
        }
    }
}

/// The character that one letter behind a backslash stands for.
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
    fn text(raw: &[u8], at: usize) -> Result<String, NoText> {
        let mut unescape = Unescape::default();
        let mut text = Vec::new();
        let (first, second) = raw.split_at(at.min(raw.len()));
        for piece in [first, second] {
            unescape.push(piece)?;
            unescape.drain(|ready| {
                text.extend_from_slice(ready);
                Ok::<_, NoText>(())
            })?;
        }
        unescape.end()?;
        Ok(String::from_utf8(text).unwrap())
    }

    #[test]
    fn what_is_no_text_is_refused() {
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
                assert_eq!(text(raw.as_bytes(), at), Err(NoText), "{raw} {at}");
            }
        }
        assert_eq!(text(b"a\xff", 1), Err(NoText));
        assert_eq!(text(b"a\xc3", 1), Err(NoText));
    }

    proptest! {
        #[test]
        fn the_text_is_what_any_parser_reads(
            raw in r#"([a-zä🦀 ]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}|\\ud83e\\uDD80){0,30}"#,
            at in 0_usize..90,
        ) {
            let expected = serde_json::from_str::<String>(&format!("\"{raw}\"")).map_err(|_| NoText);
            prop_assert_eq!(text(raw.as_bytes(), at), expected);
        }
    }
}
