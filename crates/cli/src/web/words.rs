//! What the page needs of the program around it: languages, times, and what only the command line knows.

use scratchpad::model::host::Host;
use scratchpad::model::host::hook::{HookSettings, NotesNow};
use scratchpad::model::id::{Millis, ProjectId};
use scratchpad::model::settings::language::Language;
use scratchpad::model::text::message::Message;

/// A value in a text.
#[derive(Clone, Debug)]
pub enum Value {
    /// As it is.
    Text(String),
    /// Written as the language writes numbers.
    Number(u64),
}

/// How a host is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostState {
    /// As it should be.
    Good,
    /// Not a failure, but worth reading.
    Note,
    /// Something is wrong.
    Bad,
}

/// What was found in one host, in the person's language.
#[derive(Clone, Debug)]
pub struct HostFindings {
    /// What each is about, how it is, and what was found.
    pub findings: Vec<(String, HostState, String)>,
    /// The host's name for people.
    pub title: String,
}

/// The program around the page.
pub trait Surroundings: Send + Sync {
    /// Does this with all words in a language.
    fn speaking(&self, language: Language, act: &mut dyn FnMut());
    /// The language of the person who started the server.
    fn language(&self) -> Language;
    /// The text with this key.
    fn text(&self, key: &str, values: &[(&'static str, Value)]) -> String;
    /// A message of the library.
    fn message(&self, message: &Message) -> String;
    /// A date and a time of day.
    fn moment(&self, at: Millis) -> String;
    /// How long ago that was.
    fn age(&self, at: Millis) -> String;
    /// A time of day, as agents are told it.
    fn clock(&self, at: Millis) -> String;
    /// The guidance that the hook of a host gives at a start.
    fn guidance(&self, host: &'static Host) -> String;
    /// The person's context notes in a project.
    fn context_notes(&self, project: &ProjectId) -> NotesNow;
    /// The settings of hooks.
    fn hook_settings(&self) -> HookSettings;
    /// The hosts that are here.
    fn hosts(&self) -> Vec<HostFindings>;
}
