//! `session show`: the pad as it stands, or a space as it once was.

use clap::Args;
use serde_json::json;

use crate::cli::app::OpenSession;
use crate::cli::follow::follow;
use crate::cli::i18n::text;
use crate::cli::{Global, ui};
use scratchpad::model::error::Result;
use scratchpad::model::id::SessionId;
use scratchpad::model::pad::tool;
use scratchpad::model::pad::{Content, Space};

/// Show the pad
#[derive(Args)]
pub(super) struct ShowArgs {
    /// Show what a space held at this revision (see `session history`)
    #[arg(long, value_name = "REV")]
    revision: Option<u64>,
    /// Show it again whenever it changes, until Ctrl-C
    #[arg(long, conflicts_with = "revision")]
    follow: bool,
}

pub(super) fn run(args: &ShowArgs, opened: &OpenSession, global: &Global) -> Result<()> {
    let id = opened.session_to_read()?;
    if let Some(number) = args.revision {
        let content = opened.scratchpad.revision(&id, number)?;
        if global.json {
            let space = content.space().name();
            return ui::print_json(&json!({
                "session": id.as_str(), "revision": number, "space": space, "content": as_json(content),
            }));
        }
        return ui::show(&(as_text(&content) + "\n"));
    }
    if args.follow {
        return follow(|| rendered(&id, opened, global));
    }
    let shown = rendered(&id, opened, global)?;
    if global.json {
        return ui::print(&shown);
    }
    ui::print_long(&shown)
}

/// The pad as it is now, as stdout takes it.
fn rendered(id: &SessionId, opened: &OpenSession, global: &Global) -> Result<String> {
    let pad = &opened.scratchpad;
    let session = pad.existing_session(id)?;
    let (branch, worktree) = pad.checkout_of(id)?;
    let limits = opened.scratchpad.limits();
    if global.json {
        let mut data = tool::pad_json(&session.pad, session.revision, limits);
        if let Some(data) = data.as_object_mut() {
            for (name, value) in [("branch", &branch), ("worktree", &worktree)] {
                let value = json!((!value.is_empty()).then_some(value));
                data.insert(name.to_owned(), value);
            }
        }
        return Ok(ui::json_text_of(id, data));
    }
    let mut parts = vec![text!(
        "session-shown",
        id = id.as_str(),
        revision = session.revision.to_string()
    )];
    let own = pad.checkout();
    if !branch.is_empty() && (&branch, &worktree) != (&own.0, &own.1) {
        parts.push(if worktree.is_empty() {
            text!("session-on-branch", branch = branch)
        } else {
            text!("session-on-branch-in", branch = branch, worktree = worktree)
        });
    }
    for space in Space::ALL {
        let content = session.pad.content(space);
        if content.used() == 0 {
            continue;
        }
        let head = text!(
            "session-space",
            space = space.name(),
            used = content.used().to_string(),
            max = limits.of(space).0.to_string()
        );
        parts.push(format!("{head}\n{}", as_text(&content)));
    }
    if session.pad.is_empty() {
        parts.push(text!("session-empty"));
    }
    Ok(ui::escaped(&(parts.join("\n\n") + "\n")))
}

pub(super) fn as_text(content: &Content) -> String {
    match content {
        Content::Notes(text) | Content::Plan(text) => text.clone(),
        Content::Refs(refs) => refs
            .iter()
            .map(|reference| format!("- {reference}"))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

fn as_json(content: Content) -> serde_json::Value {
    match content {
        Content::Notes(text) | Content::Plan(text) => text.into(),
        Content::Refs(refs) => refs.into(),
    }
}
