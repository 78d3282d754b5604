//! What `doctor` finds in one host.

use super::{Finding, program};
use crate::cli::app::App;
use crate::cli::i18n::{text, translated};
use crate::cli::ui;
use scratchpad::Scratchpad;
use scratchpad::hosts::checks::{CheckedPart, checked_parts};
use scratchpad::hosts::places::Places;
use scratchpad::model::error::Result;
use scratchpad::model::host::Host;
use scratchpad::model::host::hook::Receipt;
use scratchpad::model::host::install::{HookApproval, PartState};
use scratchpad::model::host::path::Reach;
use scratchpad::store::LastHookCall;

/// The findings about one host. `pad` is the store, if it works.
pub(super) fn of_host(
    host: &'static Host,
    app: &App,
    places: &Places,
    reach: Reach,
    pad: Option<&Scratchpad>,
) -> Result<Vec<Finding>> {
    let parts = checked_parts(host, places, reach, &program(app, reach)?)?;
    if parts
        .iter()
        .all(|part| part.state == Ok(PartState::Missing))
    {
        let words = text!("doctor-unwired", host = host.name);
        return Ok(vec![Finding::failure(host.title, words)]);
    }
    let mut findings = Vec::new();
    let mut approval = None;
    let mut has_hooks = false;
    for part in parts {
        if part.kind.is_hooks() && part.state == Ok(PartState::Installed) {
            has_hooks = true;
            approval = part.approval.map(|found| approved(host, found));
        }
        findings.push(of_part(host, reach, part));
    }
    findings.extend(approval);
    if let Some(pad) = pad.filter(|_| has_hooks && host.has_hooks()) {
        findings.push(last_event(host, pad.last_hook_call(host)?));
        let receipt = pad.last_receipt(host)?;
        findings.extend(receipt.map(|receipt| given_back(host, &receipt)));
        if host.hooks.hides_scripts && pad.offload().enabled {
            let about = text!("doctor-code-mode", host = host.title);
            findings.push(Finding::note(&about, text!("doctor-code-mode-rule")));
        }
    }
    Ok(findings)
}

fn of_part(host: &Host, reach: Reach, part: CheckedPart) -> Finding {
    let option = match reach {
        Reach::Global => "",
        Reach::Project => " --project",
    };
    let install = format!("scratchpad install {}{option}", host.name);
    let path = part.path.display().to_string();
    let about = format!("{}, {}", host.title, translated(&part.kind.title()));
    let words = match part.state {
        Ok(PartState::Installed) => {
            return Finding::ok(&about, text!("doctor-wired", path = path));
        }
        Ok(PartState::Different) => text!("doctor-different", path = path, command = install),
        Ok(PartState::Missing) => text!("doctor-missing", path = path, command = install),
        Ok(PartState::Taken) => text!("doctor-taken", path = path, command = install),
        Err(error) => format!("{path}: {}", translated(error.message())),
    };
    Finding::failure(&about, words)
}

/// Whether the user approved our hooks, for hosts that ask.
fn approved(host: &Host, found: HookApproval) -> Finding {
    let about = text!("doctor-approval", host = host.title);
    match not_approved(found) {
        None => Finding::ok(&about, text!("doctor-approved")),
        Some(words) => Finding::failure(&about, words),
    }
}

/// What keeps the host from running our hooks.
pub(in super::super) fn not_approved(found: HookApproval) -> Option<String> {
    match (found.open, found.off) {
        (0, 0) => None,
        (0, off) => Some(text!("doctor-off", count = off)),
        (open, _) => Some(text!("doctor-not-approved", count = open)),
    }
}

/// What the agent was given back after the last compaction or resume.
fn given_back(host: &Host, receipt: &Receipt) -> Finding {
    let words = text!(
        "doctor-receipt",
        receipt = translated(&receipt.message()),
        event = receipt.event.as_str(),
        time = ui::moment(receipt.at)
    );
    Finding::ok(&text!("doctor-last-receipt", host = host.title), words)
}

/// The last event from the host's hooks, and what its agent got.
fn last_event(host: &Host, last: Option<LastHookCall>) -> Finding {
    let about = text!("doctor-last-event", host = host.title);
    let Some(last) = last else {
        return Finding::note(&about, text!("doctor-none"));
    };
    let given = match (last.hook_state.given_chars, last.hook_state.given.as_str()) {
        (0, _) => text!("doctor-no-block"),
        (chars, "") => text!("doctor-block-gone", chars = chars),
        (chars, hash) => text!("doctor-block", chars = chars, hash = hash),
    };
    let words = text!(
        "doctor-event",
        event = last.event,
        session = last.session.to_string(),
        time = ui::moment(last.at),
        given = given
    );
    Finding::ok(&about, words)
}
