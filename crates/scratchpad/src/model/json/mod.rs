//! JSON: text in pieces of any size, read in constant memory, and values that are the arguments of a tool.
//!
//! The proxy and the server look into messages that are too large to hold, and must not change a byte of what they pass
//! on, so neither can parse and serialize. Everything that reads JSON text byte by byte is here: [`Walk`] follows the
//! structure and calls a [`Visitor`], [`Unescape`] turns the inside of a string into text, [`Compact`] drops whitespace,
//! and all of them find the end of a string with [`StringEnd`].

pub mod arguments;
mod compact;
mod schema;
mod string;
mod unescape;
mod walk;
pub mod whole;

pub use compact::Compact;
pub(crate) use schema::inline_schema;
pub use string::StringEnd;
pub use unescape::{InvalidString, Unescape};
pub use walk::{Container, Leaf, Member, Visitor, Walk};
