//! Follows the structure of JSON text that comes in pieces of any size.

use std::ops::Range;

use super::StringEnd;

/// Brackets are matched up to this depth; below it they are only counted.
const MAX_DEPTH: usize = 512;
/// Keys, numbers and strings longer than this are not shown to the visitor.
const MAX_SHOWN_BYTES: usize = 1_024;

/// An object or an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
}

/// A string, number, boolean or `null`.
#[derive(Debug)]
pub struct Leaf<'a> {
    /// Where it is, quotes included.
    pub span: Range<u64>,
    /// Its bytes, quotes included; `None` if it is too long to be a name or an id.
    pub raw: Option<&'a [u8]>,
}

impl Leaf<'_> {
    /// Whether it is a string. Nothing else is too long to be shown.
    pub fn is_string(&self) -> bool {
        self.raw.is_none_or(|raw| raw.starts_with(b"\""))
    }

    /// The text of a string that is short enough to be a name.
    pub fn text(&self) -> Option<String> {
        serde_json::from_slice(self.raw?).ok()
    }
}

/// Where a member of an object, or an element of an array, begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Member {
    /// Its first byte: of the key, if it has one.
    pub start: u64,
    /// The comma before it.
    pub comma: Option<u64>,
}

/// Sees the parts of the text that it asks for.
///
/// Offsets count from the first byte of the text, so that the visitor can come back for a part. Keys are decoded; one
/// that is too long or that is not valid is shown as empty.
pub trait Visitor {
    /// What a container means to the visitor.
    type Role: Copy;

    /// A container begins, as the value of `key` in `within`, or as the outermost. Nothing inside it is shown if this
    /// returns `None`.
    fn enter(
        &mut self,
        within: Option<Self::Role>,
        key: &[u8],
        container: Container,
    ) -> Option<Self::Role>;

    /// A member or an element of a container begins.
    fn member(&mut self, role: Self::Role, member: Member);

    /// A value in a container that is not a container itself.
    fn leaf(&mut self, role: Self::Role, key: &[u8], leaf: &Leaf<'_>);

    /// A container inside `within` ended; `role` is what `enter` returned for it.
    fn leave(
        &mut self,
        within: Option<Self::Role>,
        role: Option<Self::Role>,
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
        end: StringEnd,
    },
    Scalar,
    /// Below [`MAX_DEPTH`].
    Deep,
    Done,
    Broken,
}

struct Frame<R> {
    container: Container,
    role: Option<R>,
    /// Where the keys inside it begin in [`Walk::keys`]; its own key is in front of them.
    keys: usize,
    start: u64,
    comma: Option<u64>,
}

/// A pass over one JSON text.
///
/// Structure is checked. What is inside strings and numbers is not: the text is passed on to a parser, or was written by
/// one.
pub struct Walk<V: Visitor> {
    visitor: V,
    state: State,
    at: u64,
    frames: Vec<Frame<V::Role>>,
    /// The number of open containers below the deepest frame.
    deeper: u64,
    /// The keys on the path to the current position, concatenated.
    keys: Vec<u8>,
    token: Vec<u8>,
    token_start: u64,
    token_is_whole: bool,
}

impl<V: Visitor> Walk<V> {
    /// Starts at the first byte of a text.
    pub fn new(visitor: V) -> Self {
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

    /// Continues with the next piece.
    pub fn push(&mut self, mut piece: &[u8]) {
        while let Some((&byte, rest)) = piece.split_first() {
            match self.state {
                State::String { is_key, end } => piece = self.string(piece, is_key, end),
                State::Scalar => piece = self.scalar(piece),
                State::Broken => return,
                _ => {
                    self.step(byte);
                    self.at += 1;
                    piece = rest;
                }
            }
        }
    }

    /// The visitor, if the text was exactly one JSON value.
    pub fn end(self) -> Option<V> {
        (self.state == State::Done).then_some(self.visitor)
    }

    /// The visitor before the end, or of a text that is not JSON from some point on.
    pub fn so_far(&self) -> &V {
        &self.visitor
    }

    /// The role of the innermost container, if its content is shown.
    fn role(&self) -> Option<V::Role> {
        self.frames
            .last()
            .filter(|_| self.deeper == 0)
            .and_then(|frame| frame.role)
    }

    fn forget_key(&mut self) {
        self.keys.truncate(first_key(&self.frames));
    }

    /// Takes a string up to its end or that of the piece; returns the rest of the piece.
    fn string<'a>(&mut self, piece: &'a [u8], is_key: bool, mut end: StringEnd) -> &'a [u8] {
        let (text, rest) = end.split(piece);
        let is_shown = self.role().is_some();
        if is_shown {
            self.show(text);
        }
        self.at += text.len() as u64;
        let Some(rest) = rest else {
            self.state = State::String { is_key, end };
            return &[];
        };
        if is_key {
            self.state = State::Colon;
            if is_shown {
                self.end_key();
            }
        } else {
            self.end_leaf();
        }
        rest
    }

    fn end_key(&mut self) {
        self.forget_key();
        match inside_quotes(&self.token).filter(|_| self.token_is_whole) {
            Some(raw) if !raw.contains(&b'\\') => self.keys.extend_from_slice(raw),
            Some(_) => {
                if let Ok(key) = serde_json::from_slice::<String>(&self.token) {
                    self.keys.extend_from_slice(key.as_bytes());
                }
            }
            None => {}
        }
        self.begin_member(self.token_start);
    }

    /// Takes a number or a word up to its end or that of the piece; returns the rest of the piece.
    fn scalar<'a>(&mut self, piece: &'a [u8]) -> &'a [u8] {
        let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let end = piece.iter().position(|byte| !is_inside(byte));
        // The index of a byte in `piece`, or its length: this never panics.
        let (text, rest) = piece.split_at(end.unwrap_or(piece.len()));
        if self.role().is_some() {
            self.show(text);
        }
        self.at += text.len() as u64;
        if end.is_some() {
            self.end_leaf();
        }
        rest
    }

    fn step(&mut self, byte: u8) {
        match (self.state, byte) {
            (State::Deep, b'"') => self.begin_string(false),
            (State::Deep, b'{' | b'[') => self.deeper += 1,
            (State::Deep, b'}' | b']') => {
                self.deeper -= 1;
                self.after_value();
            }
            (State::Deep, _) | (_, b' ' | b'\t' | b'\r' | b'\n') => {}
            (State::ValueOrEnd, b']')
            | (State::KeyOrEnd, b'}')
            | (State::CommaOrEnd, b']' | b'}') => self.close(byte),
            (State::Value | State::ValueOrEnd, _) => self.begin_value(byte),
            (State::Key | State::KeyOrEnd, b'"') => self.begin_string(true),
            (State::Colon, b':') => self.state = State::Value,
            (State::CommaOrEnd, b',') => {
                let Some(frame) = self.frames.last_mut() else {
                    self.state = State::Broken;
                    return;
                };
                frame.comma = Some(self.at);
                self.state = match frame.container {
                    Container::Object => State::Key,
                    Container::Array => State::Value,
                };
            }
            _ => self.state = State::Broken,
        }
    }

    fn begin_value(&mut self, byte: u8) {
        let is_element = |frame: &Frame<_>| frame.container == Container::Array;
        if self.role().is_some() && self.frames.last().is_some_and(is_element) {
            self.forget_key();
            self.begin_member(self.at);
        }
        match byte {
            b'{' => self.open(Container::Object),
            b'[' => self.open(Container::Array),
            b'"' => self.begin_string(false),
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                self.begin_token(byte);
                self.state = State::Scalar;
            }
            _ => self.state = State::Broken,
        }
    }

    fn begin_member(&mut self, start: u64) {
        if let Some(frame) = self.frames.last()
            && let Some(role) = frame.role
        {
            let comma = frame.comma;
            self.visitor.member(role, Member { start, comma });
        }
    }

    fn begin_string(&mut self, is_key: bool) {
        self.begin_token(b'"');
        self.state = State::String {
            is_key,
            end: StringEnd::default(),
        };
    }

    fn begin_token(&mut self, byte: u8) {
        self.token.clear();
        self.token.push(byte);
        self.token_start = self.at;
        self.token_is_whole = true;
    }

    /// Keeps the next part of a token for the visitor.
    fn show(&mut self, text: &[u8]) {
        let room = MAX_SHOWN_BYTES.saturating_sub(self.token.len());
        self.token_is_whole &= text.len() <= room;
        // Bounded by the length of `text`: this never panics.
        let (shown, _) = text.split_at(room.min(text.len()));
        self.token.extend_from_slice(shown);
    }

    /// A leaf ends in front of `self.at`.
    fn end_leaf(&mut self) {
        if let Some(role) = self.role() {
            let leaf = Leaf {
                span: self.token_start..self.at,
                raw: self.token_is_whole.then_some(self.token.as_slice()),
            };
            self.visitor
                .leaf(role, key(&self.keys, &self.frames), &leaf);
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

    fn open(&mut self, container: Container) {
        if self.frames.len() >= MAX_DEPTH {
            self.deeper = 1;
            self.state = State::Deep;
            return;
        }
        let within = self.role();
        let mut role = None;
        if self.frames.is_empty() || within.is_some() {
            let key = key(&self.keys, &self.frames);
            role = self.visitor.enter(within, key, container);
        }
        self.frames.push(Frame {
            container,
            role,
            keys: self.keys.len(),
            start: self.at,
            comma: None,
        });
        self.state = match container {
            Container::Object => State::KeyOrEnd,
            Container::Array => State::ValueOrEnd,
        };
    }

    fn close(&mut self, byte: u8) {
        let expected = match self.frames.last().map(|frame| frame.container) {
            Some(Container::Object) => b'}',
            Some(Container::Array) => b']',
            None => 0,
        };
        let Some(frame) = self.frames.pop().filter(|_| byte == expected) else {
            self.state = State::Broken;
            return;
        };
        let within = self.role();
        if within.is_some() || frame.role.is_some() {
            let span = frame.start..self.at + 1;
            self.keys.truncate(frame.keys);
            let key = key(&self.keys, &self.frames);
            self.visitor.leave(within, frame.role, key, span);
        }
        self.after_value();
    }
}

/// Where the key of the current member of the innermost container begins.
fn first_key<R>(frames: &[Frame<R>]) -> usize {
    frames.last().map_or(0, |frame| frame.keys)
}

/// The key of the current member of the innermost container; empty in an array.
#[expect(
    clippy::indexing_slicing,
    reason = "a frame notes how long `keys` was when it opened, and `keys` is not truncated below that while it is open"
)]
fn key<'a, R>(keys: &'a [u8], frames: &[Frame<R>]) -> &'a [u8] {
    &keys[first_key(frames)..]
}

fn inside_quotes(token: &[u8]) -> Option<&[u8]> {
    token.strip_prefix(b"\"")?.strip_suffix(b"\"")
}
