//! JSON text and values.

pub mod arguments;
pub mod whole;
