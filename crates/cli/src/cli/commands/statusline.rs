//! `statusline`: one short line for a host that shows one. It is called many times a minute, so it must be fast.

use std::io::{IsTerminal as _, Read as _};
use std::path::Path;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::i18n::{signed, text};
use crate::cli::{Done, Global, env, i18n, ui};
use scratchpad::SessionFinder;
use scratchpad::model::error::Result;
use scratchpad::model::id::SessionId;
use scratchpad::model::output::ledger::What;
use scratchpad::model::pad::plan;
use scratchpad::model::text::bytes::one_line;
use scratchpad::model::text::escape::for_terminal;
use scratchpad::model::text::quantity::shortened;
use scratchpad::scratchpad::Glance;
use scratchpad::store::Timeout;
use scratchpad::{CallFacts, Scratchpad};

/// The longest step that is shown, in characters.
const STEP_CHARS: usize = 40;
/// The most that a host may send.
const MAX_INPUT_BYTES: u64 = 1 << 20;
/// A line that comes later is of no use.
const STORE_TIMEOUT: Duration = Duration::from_millis(150);

#[derive(Args)]
#[command(after_help = "\
Example:
  scratchpad install claude --statusline

Claude Code passes the session on stdin; without it, the newest session of the project is meant. Whatever goes wrong, \
the line is empty and the exit code is 0.")]
pub(in crate::cli) struct StatuslineArgs {}

pub(in crate::cli) fn run(_: &StatuslineArgs, global: &Global) -> Result<Done> {
    let glance = find(global).unwrap_or_default();
    if global.json {
        ui::print_json(&glance.map_or(Value::Null, |glance| to_json(&glance)))?;
    } else {
        // The host shows it as it is.
        let line = glance.map_or_else(String::new, |glance| line(&glance));
        ui::print(&format!("{}\n", for_terminal(&one_line(&line))))?;
    }
    Ok(Done::Well)
}

fn find(global: &Global) -> Result<Option<Glance>> {
    let told = told();
    let word = |path: &str| told.pointer(path).and_then(Value::as_str);
    let directory = word("/workspace/current_dir").or_else(|| word("/cwd"));
    let app = if directory.is_some() && global.project_dir.is_none() {
        App::around(directory.map(Path::new))?
    } else {
        App::find_silently(global)?
    };
    i18n::remember_setting(&app.settings);
    let pad = app.scratchpad_within(Timeout::All(STORE_TIMEOUT))?;
    let session = match (&global.session, word("/session_id")) {
        (Some(id), _) => Some(SessionId::new(id.as_str())?),
        (None, Some(id)) => Some(SessionId::new(id)?),
        (None, None) => at_hand(&pad)?,
    };
    let Some(session) = session else {
        return Ok(None);
    };
    let glance = pad.session_at_a_glance(&session)?;
    // Closing the store properly would only take time.
    std::mem::forget(pad);
    Ok(Some(glance))
}

/// The session that the environment or the host names, else the newest.
fn at_hand(pad: &Scratchpad) -> Result<Option<SessionId>> {
    let finder = SessionFinder::new(None, env::variable)?;
    match pad.session_of(&finder, CallFacts::default())? {
        Some(session) => Ok(Some(session)),
        None => pad.newest_session(),
    }
}

/// What the host says on stdin.
fn told() -> Value {
    let stdin = std::io::stdin().lock();
    let mut bytes = Vec::new();
    if stdin.is_terminal() || stdin.take(MAX_INPUT_BYTES).read_to_end(&mut bytes).is_err() {
        return Value::Null;
    }
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn line(glance: &Glance) -> String {
    let mut parts = Vec::new();
    match plan::progress(&glance.pad.plan) {
        Some((count, Some(at_hand))) => {
            parts.push(text!(
                "status-line-plan",
                done = count.done,
                total = count.wanted()
            ));
            parts.push(shortened(at_hand, STEP_CHARS));
        }
        Some((count, None)) => {
            parts.push(text!("status-line-plan-done", count = count.done));
        }
        None if glance.pad.is_empty() => parts.push(text!("status-line-empty")),
        None => parts.push(shortened(glance.pad.title(), STEP_CHARS)),
    }
    if glance.outputs > 0 {
        let size = ui::size(glance.bytes);
        parts.push(text!(
            "status-line-kept",
            count = glance.outputs,
            size = size
        ));
    }
    // Before something was kept, there is only the list of tools to show.
    if glance.sums.of(What::Kept).times > 0 {
        parts.push(text!("status-line-net", tokens = signed(glance.sums.net())));
    }
    parts.join(" · ")
}

fn to_json(glance: &Glance) -> Value {
    let progress = plan::progress(&glance.pad.plan);
    let plan = progress.map(
        |(count, at_hand)| json!({"done": count.done, "total": count.wanted(), "at_hand": at_hand}),
    );
    json!({
        "title": glance.pad.title(),
        "plan": plan,
        "outputs": glance.outputs,
        "bytes": glance.bytes,
        "net_tokens": glance.sums.net(),
    })
}
