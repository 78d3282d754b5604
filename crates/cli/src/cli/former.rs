//! The project that the working directory was in before the nearest mark counted: what was kept there is named, so that
//! nothing seems lost.

use super::app::App;
use super::i18n::text;
use super::{Global, env, ui};
use scratchpad::hosts::notes::ContextNotes;
use scratchpad::model::error::Result;
use scratchpad::project::Project;

/// Says where earlier sessions and their notes are; `command` lists them there.
pub(super) fn remark_on_sessions(global: &Global, command: &str) {
    let has_sessions = |project: &Project| -> Result<bool> {
        let app = App::find_silently(global)?;
        let former = app.id_of(project);
        let scratchpad = app.scratchpad_for_a_moment()?.in_project(former.clone());
        Ok(former != app.id_of(&app.project) && !scratchpad.sessions_of_project(1)?.is_empty())
    };
    remark(global, command, has_sessions);
}

/// Says where earlier context notes are.
pub(super) fn remark_on_context_notes(app: &App, global: &Global) {
    let timeout = app.settings.store.busy_timeout();
    remark(global, "context", |project| {
        Ok(!ContextNotes::of(project, timeout).list()?.is_empty())
    });
}

fn remark(global: &Global, command: &str, has_any: impl Fn(&Project) -> Result<bool>) {
    let Some(project) = env::former_project(global) else {
        return;
    };
    // Only a hint: what can't be read there is not this command's failure.
    if has_any(&project).unwrap_or(false) {
        let project = project.root.display().to_string();
        ui::remark(&text!(
            "project-former",
            project = project,
            command = command
        ));
    }
}
