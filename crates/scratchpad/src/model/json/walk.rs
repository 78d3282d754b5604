//! Walks through JSON in pieces of any size, keeping next to nothing of it.
//!
//! Structure is checked; what stands in strings and numbers is the sender's business. Offsets count from
//! the first byte of the message, so that whoever looks can come back for a part.

use std::ops::Range;

/// The deepest nesting whose brackets are matched; below it they are only counted.
const MAX_DEPTH: usize = 512;
/// As much of a key, a number or a string is shown to the visitor.
const MAX_SHOWN_BYTES: usize = 1_024;

/// An object or an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Object,
    Array,
}

/// A value that is neither.
#[derive(Debug)]
pub(super) struct Leaf<'a> {
    /// Where it stands, quotes included.
    pub(super) span: Range<u64>,
    /// As it was sent, quotes included; nothing where it is too long to be a name or an id.
    pub(super) raw: Option<&'a [u8]>,
}

/// Where the current member of an object, or element of an array, begins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spot {
    /// Its first byte: of its key, where it has one.
    pub(super) start: u64,
    /// The comma before it.
    pub(super) comma: Option<u64>,
}

/// Who looks on.
///
/// A container for which `enter` answers nothing is passed over, with all that is in it.
pub(super) trait Visitor {
    /// What a container is to the visitor.
    type Place: Copy;

    /// A container begins, as the value of `key` in `within`; nothing for the outermost.
    fn enter(
        &mut self,
        within: Option<Self::Place>,
        key: &[u8],
        shape: Shape,
    ) -> Option<Self::Place>;

    /// A member or an element begins.
    fn member(&mut self, place: Self::Place, spot: Spot);

    /// A value that is no container.
    fn leaf(&mut self, place: Self::Place, key: &[u8], leaf: &Leaf<'_>);

    /// A container ended that stood in `within`, whether it was looked into or not.
    fn leave(
        &mut self,
        within: Option<Self::Place>,
        place: Option<Self::Place>,
        key: &[u8],
        span: Range<u64>,
    );
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    String {
        is_key: bool,
        escaped: bool,
    },
    Scalar,
    /// Within more containers than are followed.
    Deep,
    Done,
    Broken,
}

struct Frame<P> {
    shape: Shape,
    place: Option<P>,
    /// Where the keys within it begin in [`Walk::keys`]; its own stands before.
    keys: usize,
    start: u64,
    comma: Option<u64>,
}

/// The walk through one message.
pub(super) struct Walk<V: Visitor> {
    visitor: V,
    state: State,
    at: u64,
    frames: Vec<Frame<V::Place>>,
    /// How many containers are open below the deepest frame.
    deeper: u64,
    /// The keys on the way to where the walk is, one behind the other.
    keys: Vec<u8>,
    token: Vec<u8>,
    token_start: u64,
    token_is_whole: bool,
}

impl<V: Visitor> Walk<V> {
    pub(super) fn new(visitor: V) -> Self {
        Self {
            visitor,
            state: State::Value,
            at: 0,
            frames: Vec::with_capacity(8),
            deeper: 0,
            keys: Vec::with_capacity(64),
            token: Vec::with_capacity(64),
            token_start: 0,
            token_is_whole: true,
        }
    }

    /// Goes on with the next piece.
    pub(super) fn push(&mut self, mut piece: &[u8]) {
        while let Some((&byte, rest)) = piece.split_first() {
            if let State::String { is_key, escaped } = self.state {
                piece = self.string(piece, is_key, escaped);
                continue;
            }
            self.step(byte);
            if self.state == State::Broken {
                return;
            }
            self.at += 1;
            piece = rest;
        }
    }

    /// What the visitor found, if the message was one JSON value and no more.
    pub(super) fn end(self) -> Option<V> {
        (self.state == State::Done).then_some(self.visitor)
    }

    /// What the visitor found so far.
    pub(super) fn so_far(&self) -> &V {
        &self.visitor
    }

    fn place(&self) -> Option<V::Place> {
        self.frames.last().and_then(|frame| frame.place)
    }

    /// Where the keys of the innermost container begin.
    fn first_key(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.keys)
    }

    fn forget_key(&mut self) {
        self.keys.truncate(self.first_key());
    }

    /// Goes through a string to its end, or to that of the piece; answers what is left.
    fn string<'a>(&mut self, piece: &'a [u8], is_key: bool, escaped: bool) -> &'a [u8] {
        let watched = self.place().is_some();
        let (taken, ended, escaped) = end_of_string(piece, escaped);
        let (text, rest) = piece.split_at_checked(taken).unwrap_or((piece, &[]));
        if watched {
            self.show(text);
        }
        self.at += text.len() as u64;
        self.state = State::String { is_key, escaped };
        if ended && is_key {
            self.state = State::Colon;
            if watched {
                self.forget_key();
                match inner(&self.token).filter(|_| self.token_is_whole) {
                    Some(raw) if !raw.contains(&b'\\') => self.keys.extend_from_slice(raw),
                    Some(_) => {
                        let key = serde_json::from_slice::<String>(&self.token);
                        self.keys
                            .extend_from_slice(key.unwrap_or_default().as_bytes());
                    }
                    None => {}
                }
                self.begin_member(self.token_start);
            }
        } else if ended {
            self.end_leaf();
        }
        rest
    }

    fn step(&mut self, byte: u8) {
        let blank = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        match (self.state, byte) {
            (State::Scalar, b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'-' | b'.') => {
                self.show(&[byte]);
            }
            (State::Scalar, _) => {
                self.end_leaf();
                self.step(byte);
            }
            _ if blank => {}
            (State::Deep, b'"') => self.begin_token(byte, false),
            (State::Deep, b'{' | b'[') => self.deeper += 1,
            (State::Deep, b'}' | b']') => {
                self.deeper -= 1;
                self.after_value();
            }
            (State::Deep, _) => {}
            (State::ValueOrEnd, b']')
            | (State::KeyOrEnd, b'}')
            | (State::CommaOrEnd, b']' | b'}') => {
                self.close(byte);
            }
            (State::Value | State::ValueOrEnd, _) => self.begin_value(byte),
            (State::Key | State::KeyOrEnd, b'"') => self.begin_token(byte, true),
            (State::Colon, b':') => self.state = State::Value,
            (State::CommaOrEnd, b',') => {
                let Some(frame) = self.frames.last_mut() else {
                    self.state = State::Broken;
                    return;
                };
                frame.comma = Some(self.at);
                self.state = match frame.shape {
                    Shape::Object => State::Key,
                    Shape::Array => State::Value,
                };
            }
            _ => self.state = State::Broken,
        }
    }

    fn begin_value(&mut self, byte: u8) {
        if self
            .frames
            .last()
            .is_some_and(|frame| frame.shape == Shape::Array && frame.place.is_some())
        {
            self.forget_key();
            self.begin_member(self.at);
        }
        match byte {
            b'{' => self.open(Shape::Object),
            b'[' => self.open(Shape::Array),
            b'"' => self.begin_token(byte, false),
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                self.begin_token(byte, false);
                self.state = State::Scalar;
            }
            _ => self.state = State::Broken,
        }
    }

    fn begin_member(&mut self, start: u64) {
        if let Some(frame) = self.frames.last()
            && let Some(place) = frame.place
        {
            let comma = frame.comma;
            self.visitor.member(place, Spot { start, comma });
        }
    }

    fn begin_token(&mut self, byte: u8, is_key: bool) {
        self.token.clear();
        self.token_start = self.at;
        self.token_is_whole = true;
        self.show(&[byte]);
        self.state = State::String {
            is_key,
            escaped: false,
        };
    }

    fn show(&mut self, text: &[u8]) {
        let room = MAX_SHOWN_BYTES.saturating_sub(self.token.len());
        match text.get(..room) {
            Some(shown) if shown.len() < text.len() => {
                self.token_is_whole = false;
                self.token.extend_from_slice(shown);
            }
            _ => self.token.extend_from_slice(text),
        }
    }

    /// A leaf ends at `self.at`, which is the offset behind it.
    fn end_leaf(&mut self) {
        if let Some(place) = self.place() {
            let leaf = Leaf {
                span: self.token_start..self.at,
                raw: self.token_is_whole.then_some(self.token.as_slice()),
            };
            let key = self.keys.get(self.first_key()..).unwrap_or_default();
            self.visitor.leaf(place, key, &leaf);
        }
        self.after_value();
    }

    fn after_value(&mut self) {
        self.state = if self.deeper > 0 {
            State::Deep
        } else if self.frames.is_empty() {
            State::Done
        } else {
            State::CommaOrEnd
        };
    }

    fn open(&mut self, shape: Shape) {
        if self.frames.len() >= MAX_DEPTH {
            self.deeper = 1;
            self.state = State::Deep;
            return;
        }
        let within = self.place();
        let mut place = None;
        if self.frames.is_empty() || within.is_some() {
            let key = self.keys.get(self.first_key()..).unwrap_or_default();
            place = self.visitor.enter(within, key, shape);
        }
        self.frames.push(Frame {
            shape,
            place,
            keys: self.keys.len(),
            start: self.at,
            comma: None,
        });
        self.state = match shape {
            Shape::Object => State::KeyOrEnd,
            Shape::Array => State::ValueOrEnd,
        };
    }

    fn close(&mut self, byte: u8) {
        let expected = match self.frames.last().map(|frame| frame.shape) {
            Some(Shape::Object) => b'}',
            Some(Shape::Array) => b']',
            None => 0,
        };
        let Some(frame) = self.frames.pop().filter(|_| byte == expected) else {
            self.state = State::Broken;
            return;
        };
        let within = self.place();
        if within.is_some() || frame.place.is_some() {
            let span = frame.start..self.at + 1;
            self.keys.truncate(frame.keys);
            let key = self.keys.get(self.first_key()..).unwrap_or_default();
            self.visitor.leave(within, frame.place, key, span);
        }
        self.after_value();
    }
}

/// How much of a piece belongs to a string, whether the string ends there, and whether the next byte is escaped.
fn end_of_string(piece: &[u8], escaped: bool) -> (usize, bool, bool) {
    let mut at = usize::from(escaped);
    while let Some(rest) = piece.get(at..) {
        let Some(found) = memchr::memchr2(b'"', b'\\', rest) else {
            return (piece.len(), false, false);
        };
        if rest.get(found) == Some(&b'"') {
            return (at + found + 1, true, false);
        }
        at += found + 2;
    }
    (piece.len(), false, at > piece.len())
}

/// What stands between the quotes.
fn inner(token: &[u8]) -> Option<&[u8]> {
    token.strip_prefix(b"\"")?.strip_suffix(b"\"")
}
