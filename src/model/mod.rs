//! Types and pure functions: no file, no clock, no environment.
//!
//! Every rule about text (budgets, the block, ids, configuration keys) lives and is tested here.

pub mod action;
pub mod arguments;
pub mod block;
pub mod config;
mod context_lines;
pub mod context_notes;
pub mod error;
pub mod guidance;
pub mod hash;
pub mod id;
pub mod interchange;
pub mod keys;
pub mod language;
pub mod mcp_config;
pub mod nearest;
pub mod note;
pub mod note_lines;
pub mod note_replies;
pub mod note_tools;
pub mod offload;
pub mod output;
pub mod output_find;
pub mod output_grep;
pub mod output_json;
pub mod output_replies;
pub mod output_slice;
pub mod output_tools;
pub mod pad;
pub mod pad_tool;
pub mod page;
pub mod prompts;
pub mod quantity;
pub mod reference;
pub mod resolve;
pub mod revision;
pub mod search;
pub mod shape;
pub mod show;
pub mod store_url;
pub mod surface;
pub mod survey;
pub mod tokens;
pub mod tool;
pub mod xml_call;
