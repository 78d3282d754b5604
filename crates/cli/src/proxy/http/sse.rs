//! An incremental parser for server-sent events, which does not buffer their data.

/// The maximum length of a field name, an event id or a retry time.
const MAX_FIELD_BYTES: usize = 1_024;

/// A parsed part of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said<'a> {
    /// A piece of the current event's data.
    Data(&'a [u8]),
    /// The event is complete.
    End,
    /// The event is complete and is not a message.
    Other,
}

/// The parser's state.
#[derive(Debug, Default)]
pub(super) struct Events {
    field: Vec<u8>,
    part: Part,
    /// The value of a field other than `data`.
    value: Vec<u8>,
    has_data: bool,
    is_other: bool,
    after_return: bool,
    last_id: Option<String>,
    retry_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Field,
    /// After the colon; one space here is not part of the value.
    Colon,
    Value,
}

impl Events {
    /// The id of the last event, to resume from.
    pub(super) fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// The delay that the server asks for before a reconnect.
    pub(super) fn retry_ms(&self) -> Option<u64> {
        self.retry_ms
    }

    /// Takes the next piece of the stream.
    pub(super) fn push<E>(
        &mut self,
        mut piece: &[u8],
        mut take: impl FnMut(Said<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some((&byte, rest)) = piece.split_first() {
            if std::mem::take(&mut self.after_return) && byte == b'\n' {
                piece = rest;
                continue;
            }
            match (self.part, byte) {
                (_, b'\n' | b'\r') => {
                    self.after_return = byte == b'\r';
                    self.end_line(&mut take)?;
                    piece = rest;
                }
                (Part::Field, b':') => {
                    self.part = Part::Colon;
                    piece = rest;
                }
                (Part::Field, _) => {
                    // The stream may start with a byte order mark.
                    if self.field.len() < MAX_FIELD_BYTES && !matches!(byte, 0xef | 0xbb | 0xbf) {
                        self.field.push(byte);
                    }
                    piece = rest;
                }
                (Part::Colon, _) => {
                    self.begin_value(&mut take)?;
                    piece = if byte == b' ' { rest } else { piece };
                }
                (Part::Value, _) => {
                    let end = memchr::memchr2(b'\n', b'\r', piece).unwrap_or(piece.len());
                    // `end` is at most the length of `piece`: this never panics.
                    let (value, rest) = piece.split_at(end);
                    if self.field == b"data" {
                        take(Said::Data(value))?;
                    } else if self.value.len() + value.len() <= MAX_FIELD_BYTES {
                        self.value.extend_from_slice(value);
                    }
                    piece = rest;
                }
            }
        }
        Ok(())
    }

    fn begin_value<E>(
        &mut self,
        take: &mut impl FnMut(Said<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.part = Part::Value;
        if self.field == b"data" && std::mem::replace(&mut self.has_data, true) {
            // Several `data` lines are one text. In JSON, the line break between them can be a space.
            take(Said::Data(b" "))?;
        }
        Ok(())
    }

    fn end_line<E>(&mut self, take: &mut impl FnMut(Said<'_>) -> Result<(), E>) -> Result<(), E> {
        if self.part == Part::Colon || (self.part == Part::Field && self.field == b"data") {
            self.begin_value(take)?;
        }
        let is_blank = self.part == Part::Field && self.field.is_empty();
        let value = String::from_utf8_lossy(&self.value).into_owned();
        match self.field.as_slice() {
            b"id" if !value.contains('\0') => self.last_id = Some(value),
            b"retry" => self.retry_ms = value.parse().ok().or(self.retry_ms),
            b"event" => self.is_other = value != "message",
            _ => {}
        }
        self.field.clear();
        self.value.clear();
        self.part = Part::Field;
        if is_blank {
            let is_other = std::mem::take(&mut self.is_other);
            if std::mem::take(&mut self.has_data) {
                take(if is_other { Said::Other } else { Said::End })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The data of each event of a stream that arrives in two pieces.
    fn events(stream: &[u8], at: usize) -> (Vec<String>, Events) {
        let mut events = Events::default();
        let (mut all, mut data) = (Vec::new(), Vec::new());
        let (first, second) = stream.split_at(at);
        for piece in [first, second] {
            events
                .push(piece, |said| {
                    match said {
                        Said::Data(piece) => data.extend_from_slice(piece),
                        Said::End => {
                            all.push(String::from_utf8(std::mem::take(&mut data)).unwrap());
                        }
                        Said::Other => data.clear(),
                    }
                    Ok::<_, ()>(())
                })
                .unwrap();
        }
        (all, events)
    }

    #[test]
    fn the_data_of_an_event_is_the_text_of_its_data_lines() {
        let stream = b"\xef\xbb\xbf: hello\n\nevent: message\nid: 7\ndata: {\"a\":1}\n\nevent: ping\ndata: x\n\ndata:{\rdata: \"b\":2\r\ndata:  }\r\n\r\nid:8\nretry: 250\n\ndata\n\ndata: half";
        for at in 0..=stream.len() {
            let (all, events) = events(stream, at);
            assert_eq!(all, [r#"{"a":1}"#, r#"{ "b":2  }"#, ""], "{at}");
            assert_eq!(events.last_id(), Some("8"));
            assert_eq!(events.retry_ms(), Some(250));
        }
    }
}
