mod bad_input;
mod call;
mod config;
mod language;
mod language_hosts;
mod terminal;
