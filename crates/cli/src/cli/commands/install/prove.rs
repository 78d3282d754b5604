//! `doctor --prove`: replays a compaction through a host's hook command.

use serde_json::{Value, json};

use crate::cli::i18n::text;
use crate::cli::{Done, Global, env, ui};
use scratchpad::Scratchpad;
use scratchpad::hosts::checks::Compaction;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host;
use scratchpad::model::host::install::Program;
use scratchpad::model::text::message::message;

/// Replays a recorded compaction through the hook command that the host would run, on a temporary store.
pub(super) fn prove(name: &str, global: &Global) -> Result<Done> {
    let host = host::with_hooks(name)?;
    let project = env::project(global)?;
    let compaction = Compaction::of(host, &project.root.to_string_lossy())?;
    let home = tempfile::tempdir().map_err(|error| {
        Error::store(message!(
            "Can't create a directory: {error}.",
            error = error.to_string()
        ))
    })?;
    let pad = Scratchpad::open(home.path())?;
    let plan = json!({"action": "set_plan", "content": "1. written before the compaction"});
    pad.call(&compaction.session, "session_scratchpad", &plan);
    let program = Program {
        path: env::own_path()?,
        ..Program::default()
    };
    let played = compaction.play(host, &env::places(&project), &program, home.path())?;
    let is_well = played
        .last()
        .is_some_and(|it| it.answer.contains("written before"));
    if global.json {
        let events: Vec<Value> = played
            .iter()
            .map(|it| json!({"event": it.event, "command": it.command, "answer": it.answer}))
            .collect();
        ui::print_json(&json!({"ok": is_well, "events": events}))?;
    } else {
        for it in &played {
            let answer = it.answer.trim_end();
            ui::show(&format!("{}: {}\n{answer}\n", it.event, it.command))?;
        }
        let verdict = if is_well {
            text!("doctor-proved")
        } else {
            text!("doctor-lost")
        };
        ui::show(&format!("{verdict}\n"))?;
    }
    Ok(if is_well {
        Done::Well
    } else {
        Done::WithErrorReply
    })
}
