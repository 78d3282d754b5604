//! `doctor --prove`: replays a compaction through a host's hook command.

use serde_json::{Value, json};

use super::doctor::not_approved;
use crate::cli::i18n::text;
use crate::cli::{Done, Global, env, ui};
use scratchpad::Scratchpad;
use scratchpad::hosts::checks::{Compaction, PlayedEvent, checked_parts};
use scratchpad::hosts::places::Places;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host;
use scratchpad::model::host::Host;
use scratchpad::model::host::install::{PartState, Program};
use scratchpad::model::host::path::Reach;
use scratchpad::model::text::message::message;

const PLAN: &str = "1. written before the compaction";

/// What keeps the host from doing the same.
pub(super) enum Obstacle {
    None,
    NotInstalled,
    NotApproved(String),
}

fn obstacle(host: &'static Host, places: &Places, program: &Program) -> Obstacle {
    let reaches = [Reach::Global, Reach::Project].into_iter();
    let parts = reaches.filter_map(|reach| checked_parts(host, places, reach, program).ok());
    let mut hooks = parts
        .flatten()
        .filter(|part| part.kind.is_hooks() && part.state != Ok(PartState::Missing))
        .peekable();
    if hooks.peek().is_none() {
        return Obstacle::NotInstalled;
    }
    let reason = hooks
        .filter_map(|part| part.approval)
        .find_map(not_approved);
    reason.map_or(Obstacle::None, Obstacle::NotApproved)
}

/// The replay in five lines.
fn scene(host: &Host, played: &[PlayedEvent], is_well: bool, obstacle: &Obstacle) -> Vec<String> {
    let of = |played: Option<&PlayedEvent>| {
        played.map_or_else(Default::default, |it| {
            (it.event.clone(), it.command.clone())
        })
    };
    let (before, _) = of(played.first());
    let (after, command) = of(played.last());
    let title = host.title;
    let text = if is_well {
        PLAN.to_owned()
    } else {
        text!("doctor-scene-nothing")
    };
    let verdict = match obstacle {
        _ if !is_well => text!("doctor-lost"),
        Obstacle::None => text!("doctor-proved"),
        Obstacle::NotInstalled => {
            text!("doctor-proved-uninstalled", host = title, name = host.name)
        }
        Obstacle::NotApproved(reason) => {
            text!("doctor-proved-but", host = title, reason = reason.as_str())
        }
    };
    vec![
        text!("doctor-scene-write", host = title, plan = PLAN),
        text!("doctor-scene-compact", host = title, event = before),
        text!(
            "doctor-scene-call",
            host = title,
            event = after,
            command = command
        ),
        text!("doctor-scene-answer", text = text),
        verdict,
    ]
}

/// What a replay showed.
pub(super) struct Proof {
    played: Vec<PlayedEvent>,
    /// Whether the plan came back.
    pub(super) is_well: bool,
    pub(super) obstacle: Obstacle,
}

/// Replays a recorded compaction through the hook command that the host would run, on a temporary store.
pub(super) fn proof(host: &'static Host, global: &Global) -> Result<Proof> {
    let project = env::project(global)?;
    let compaction = Compaction::of(host, &project.root.to_string_lossy())?;
    let home = tempfile::tempdir().map_err(|error| {
        Error::store(message!(
            "Can't create a directory: {error}.",
            error = error.to_string()
        ))
    })?;
    let pad = Scratchpad::open(home.path())?;
    let plan = json!({"action": "set_plan", "content": PLAN});
    pad.call(&compaction.session, "session_scratchpad", &plan);
    let program = Program {
        path: env::own_path()?,
        ..Program::default()
    };
    let places = env::places(&project);
    let played = compaction.play(host, &places, &program, home.path())?;
    Ok(Proof {
        is_well: played.last().is_some_and(|it| it.answer.contains(PLAN)),
        obstacle: obstacle(host, &places, &program),
        played,
    })
}

/// Shows the replay.
pub(super) fn prove(name: &str, global: &Global) -> Result<Done> {
    let host = host::with_hooks(name)?;
    let Proof {
        played,
        is_well,
        obstacle,
    } = proof(host, global)?;
    if global.json {
        let events: Vec<Value> = played
            .iter()
            .map(|it| json!({"event": it.event, "command": it.command, "answer": it.answer}))
            .collect();
        ui::print_json(&json!({"ok": is_well, "events": events}))?;
    } else {
        let lines = scene(host, &played, is_well, &obstacle);
        ui::show(&(lines.join("\n") + "\n"))?;
    }
    Ok(if is_well {
        Done::Well
    } else {
        Done::WithErrorReply
    })
}
