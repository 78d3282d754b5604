//! JSON text and values.

pub mod arguments;
