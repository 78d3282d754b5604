//! What SPEC.md promises, one sentence a test: `cargo test --test it promises -- --list` is the table.
//!
//! A promise is tested the way its reader meets it: through the program, or through the library's public interface.

mod agents;
mod code_mode;
mod command_line;
mod commands;
mod context;
mod context_file;
mod context_for_all;
mod database;
mod doctor;
mod editor;
mod forgery;
mod hooks;
mod hostile_clients;
mod hosts;
mod http;
mod install;
mod languages;
mod large_notes;
mod note_tools;
mod notes;
mod output_slices;
mod output_store;
mod outputs;
mod pad;
mod pad_life;
mod pad_tool;
mod plan;
mod projects;
mod proxied;
mod proxy;
mod restarts;
mod search;
mod searches;
mod secrets;
mod served;
mod session_log;
mod sessions;
mod settings;
mod setup;
mod shortened;
mod skill;
mod status;
mod switched_off;
mod wrappers;
