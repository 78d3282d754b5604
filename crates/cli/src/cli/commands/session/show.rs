//! `session show`: the pad as it stands, or a space as it once was.

use clap::Args;
use serde_json::json;

use crate::cli::language::text;
use crate::cli::workplace::Desk;
use crate::cli::{Global, terminal};
use crate::model::error::Result;
use crate::model::pad::{Content, Space};
use crate::model::pad_tool;

/// Show the pad
#[derive(Args)]
pub(super) struct ShowArgs {
    /// Show what a space held at this revision (see `session history`)
    #[arg(long, value_name = "REV")]
    revision: Option<u64>,
}

pub(super) fn run(args: &ShowArgs, desk: &Desk, global: &Global) -> Result<()> {
    let id = desk.session_to_read()?;
    if let Some(number) = args.revision {
        let content = desk.pad.revision(&id, number)?;
        if global.json {
            let space = content.space().name();
            return terminal::print_json(&json!({
                "session": id.as_str(), "revision": number, "space": space, "content": as_json(content),
            }));
        }
        return terminal::show(&(as_text(&content) + "\n"));
    }
    let session = desk.pad.existing_session(&id)?;
    let limits = desk.pad.limits();
    if global.json {
        let data = pad_tool::pad_json(&session.pad, session.revision, limits);
        return terminal::print_json_of(&id, data);
    }
    let mut parts = vec![text!(
        "session-shown",
        id = id.as_str(),
        revision = session.revision.to_string()
    )];
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
    terminal::show(&(parts.join("\n\n") + "\n"))
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
