//! A repository that was moved, or whose worktrees were projects of their own, keeps what it had: as soon as a store is
//! opened, that is looked after, and said in one line.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::app::App;
use super::i18n::text;
use super::{env, ui};
use scratchpad::hosts::notes::ContextNotes;
use scratchpad::model::error::Result;
use scratchpad::model::id::ProjectId;
use scratchpad::model::settings::store_url::StoreUrl;
use scratchpad::project::Project;
use scratchpad::scratchpad::{Arrival, Care, Here, arrive, system_time};
use scratchpad::store::Store;

/// Whether to look after a repository's earlier places when the store is opened.
#[derive(Clone)]
pub(super) enum Arriving {
    /// Not at events at which a person waits for a reply.
    Never,
    /// And say on stderr what was found.
    Aloud,
    /// Without running git, for who reads it here.
    Quietly(Arc<OnceLock<Arrival>>),
}

/// Adds to a function that opens a store that the repository is looked after.
pub(super) fn arriving(
    app: &App,
    id: &ProjectId,
    open: impl Fn() -> Result<Arc<dyn Store>> + Send + Sync + 'static,
) -> impl Fn() -> Result<Arc<dyn Store>> + Send + Sync + 'static {
    let is_named = app.settings.project.id.chosen().is_some();
    let arriving = if is_named {
        Arriving::Never
    } else {
        app.arriving.clone()
    };
    let prefix = match &app.settings.store.url {
        StoreUrl::Embedded | StoreUrl::EmbeddedAt(_) => String::new(),
        StoreUrl::Postgres(_) => format!("{}:", env::machine()),
    };
    let care = match arriving {
        Arriving::Quietly(_) => Care::Quick,
        Arriving::Never | Arriving::Aloud => Care::Thorough,
    };
    let here = Here {
        project: app.project.clone(),
        id: id.clone(),
        prefix,
        care,
    };
    let timeout = app.settings.store.busy_timeout();
    move || {
        let store = open()?;
        if matches!(arriving, Arriving::Never) {
            return Ok(store);
        }
        take_context_notes(&here.project, timeout, &arriving);
        match arrive(store.as_ref(), &here, system_time()) {
            Ok(arrival) if arrival.from.is_empty() => {}
            Ok(arrival) => match &arriving {
                Arriving::Quietly(found) => {
                    // A store is opened once; what a second opening found would be nothing.
                    let _ = found.set(arrival);
                }
                Arriving::Never | Arriving::Aloud => ui::remark(&said(&here, &arrival)),
            },
            // On a read-only disk, say. The next command looks again.
            Err(error) => tracing::debug!("the repository was not looked after: {error}"),
        }
        Ok(store)
    }
}

/// Moves the context notes of a worktree to those of its repository.
pub(super) fn take_context_notes(project: &Project, timeout: Duration, arriving: &Arriving) {
    let taken = ContextNotes::take_from_worktree(project, timeout);
    match (taken, arriving) {
        (Ok(count), Arriving::Aloud) if count > 0 => {
            let file = ContextNotes::of(project, timeout).file();
            let file = file.display().to_string();
            ui::remark(&text!(
                "project-context-arrived",
                count = count,
                file = file
            ));
        }
        // `context` says what is wrong with a file.
        (Ok(_) | Err(_), _) => {}
    }
}

fn said(here: &Here, arrival: &Arrival) -> String {
    text!(
        "project-arrived",
        from = names(arrival),
        project = here.id.as_str(),
        sessions = arrival.moved.sessions,
        notes = arrival.moved.notes,
        outputs = arrival.moved.outputs
    )
}

/// The same for an agent.
pub(super) fn said_to_agents(arrival: &Arrival) -> String {
    format!(
        "This project's notes, outputs and sessions now include those that were kept for {}.",
        names(arrival)
    )
}

fn names(arrival: &Arrival) -> String {
    let names: Vec<&str> = arrival.from.iter().map(ProjectId::as_str).collect();
    names.join(", ")
}
