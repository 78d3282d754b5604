//! What the page needs of the command line.

use std::path::Path;
use std::time::Duration;

use fluent_bundle::FluentValue;

use crate::cli::app::App;
use crate::cli::commands::guidance;
use crate::cli::commands::install::{HostFindings as Found, hosts};
use crate::cli::i18n;
use crate::cli::i18n::translated;
use crate::cli::ui;
use crate::web::{HostFindings, Surroundings, Value};
use scratchpad::Scratchpad;
use scratchpad::hosts::notes::ContextNotes;
use scratchpad::model::host::Host;
use scratchpad::model::host::hook::{HookSettings, NotesNow};
use scratchpad::model::id::{Millis, ProjectId};
use scratchpad::model::settings::language::Language;
use scratchpad::model::text::message::Message;
use scratchpad::project::Project;

/// How long context notes may be locked by somebody who writes them.
const TIMEOUT: Duration = Duration::from_millis(500);

/// This program.
pub(super) struct Program {
    app: App,
    scratchpad: Scratchpad,
}

impl Program {
    pub(super) fn new(app: App, scratchpad: Scratchpad) -> Self {
        Self { app, scratchpad }
    }
}

impl Surroundings for Program {
    fn speaking(&self, language: Language, act: &mut dyn FnMut()) {
        i18n::speaking(language, act);
    }

    fn language(&self) -> Language {
        i18n::spoken()
    }

    fn text(&self, key: &str, values: &[(&'static str, Value)]) -> String {
        let values = values.iter().map(|(name, value)| {
            let value = match value {
                Value::Text(text) => FluentValue::from(text.as_str()),
                Value::Number(number) => FluentValue::from(*number),
            };
            (*name, value)
        });
        i18n::message(key, values.collect())
    }

    fn message(&self, message: &Message) -> String {
        translated(message)
    }

    fn moment(&self, at: Millis) -> String {
        ui::moment(at)
    }

    fn age(&self, at: Millis) -> String {
        ui::age(at)
    }

    fn clock(&self, at: Millis) -> String {
        ui::clock(at)
    }

    fn guidance(&self, host: &'static Host) -> String {
        if host.passes_instructions {
            String::new()
        } else {
            guidance::standard(&self.app)
        }
    }

    fn context_notes(&self, project: &ProjectId) -> NotesNow {
        let own = self.scratchpad.project() == project;
        // The name of a project is its directory, unless it was given another.
        let root = if own {
            self.app.project.root.as_path()
        } else {
            Path::new(project.as_str())
        };
        let for_all = ContextNotes::of_person(&self.app.directories.configuration, TIMEOUT);
        let mut stamp = for_all.stamp();
        let mut notes = for_all.list().unwrap_or_default();
        if root.is_absolute() && root.is_dir() {
            let of_project = ContextNotes::of(&Project::rooted(root), TIMEOUT);
            stamp = format!("{stamp} {}", of_project.stamp());
            notes.extend(of_project.for_agents().unwrap_or_default());
        }
        NotesNow {
            project: root.display().to_string(),
            stamp,
            notes: Some(notes),
        }
    }

    fn hook_settings(&self) -> HookSettings {
        self.app.settings.hooks.clone()
    }

    fn hosts(&self) -> Vec<HostFindings> {
        let found = hosts(&self.app, Some(&self.scratchpad));
        found.into_iter().map(Found::for_page).collect()
    }
}
