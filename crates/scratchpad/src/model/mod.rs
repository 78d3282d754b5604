//! Types and pure functions: no file, no clock, no environment.
//!
//! Every rule about text (budgets, the block, ids, configuration keys) lives and is tested here.

pub mod context;
pub mod definition;
pub mod error;
pub mod host;
pub mod id;
pub mod json;
pub mod note;
pub mod output;
pub mod pad;
pub mod reply;
pub mod secrets;
pub mod session;
pub mod settings;
pub mod text;
pub mod tool;
pub mod transcript;
