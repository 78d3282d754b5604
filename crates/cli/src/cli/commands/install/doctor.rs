//! `doctor`: which hosts are wired, and what is wrong.

use clap::Args;
use serde_json::{Value, json};

use super::program;
use super::prove::prove;
use crate::cli::app::App;
use crate::cli::commands::hook;
use crate::cli::i18n::{in_one_line, text, translated};
use crate::cli::{Done, Global, env, ui};
use scratchpad::Scratchpad;
use scratchpad::hosts::checks::{checked_parts, has_a_part, tools_of_server};
use scratchpad::hosts::files;
use scratchpad::hosts::places::Places;
use scratchpad::model::error::Result;
use scratchpad::model::host::install::{HookApproval, PartState, Program};
use scratchpad::model::host::path::Reach;
use scratchpad::model::host::{HOSTS, Host};
use scratchpad::model::tool::surface::switched_off;
use scratchpad::store::Attended;

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad doctor
  scratchpad doctor --prove claude")]
pub(in crate::cli) struct DoctorArgs {
    /// Replay a compaction through a host's hook command, and show what its agent would get
    #[arg(long, value_name = "HOST")]
    prove: Option<String>,
}

/// The result of one check.
struct Finding {
    about: String,
    is_well: bool,
    words: String,
}

pub(in crate::cli) fn run_doctor(args: &DoctorArgs, global: &Global) -> Result<Done> {
    if let Some(name) = &args.prove {
        return prove(name, global);
    }
    let app = App::find_silently(global)?;
    let pad = app.scratchpad_for_a_moment()?;
    let places = env::places(&app.project);
    let mut findings = vec![
        finding(&text!("doctor-version"), true, env!("CARGO_PKG_VERSION")),
        store(&pad),
    ];
    findings.extend(settings(&app));
    findings.extend(engine(&pad));
    let program = program(&app, Reach::Global)?;
    findings.extend([server(&program), log(&app)]);
    for host in HOSTS.into_iter().filter(|host| host.is_installable()) {
        let has = |reach| has_a_part(host, &places, reach, &program);
        // What is in the project's files need not be in the user's.
        let reach = if has(Reach::Project) && !has(Reach::Global) {
            Reach::Project
        } else if places.has(host) {
            Reach::Global
        } else {
            continue;
        };
        let program = super::program(&app, reach)?;
        findings.extend(of_host(host, &places, reach, &program, &pad)?);
    }
    let is_well = findings.iter().all(|it| it.is_well);
    if global.json {
        let findings: Vec<Value> = findings
            .iter()
            .map(|it| json!({"about": it.about, "ok": it.is_well, "text": it.words}))
            .collect();
        ui::print_json(&json!({"ok": is_well, "findings": findings}))?;
    } else {
        let (ok, not) = (text!("doctor-ok"), text!("doctor-not"));
        let width = ok.len().max(not.len()) + 1;
        let mut text = String::new();
        for it in &findings {
            let mark = if it.is_well { &ok } else { &not };
            text.push_str(&[&format!("{mark:<width$}"), &it.about, ": ", &it.words, "\n"].concat());
        }
        ui::show(&text)?;
    }
    Ok(if is_well {
        Done::Well
    } else {
        Done::WithErrorReply
    })
}

fn finding(about: &str, is_well: bool, words: impl Into<String>) -> Finding {
    Finding {
        about: about.to_owned(),
        is_well,
        words: words.into(),
    }
}

/// The settings that are ignored, and what they switch off.
fn settings(app: &App) -> impl Iterator<Item = Finding> {
    let about = text!("doctor-settings");
    let problems = app.problems.iter();
    let off = app.settings.switched_off().into_iter().map(switched_off);
    let found = problems
        .map(|problem| (false, in_one_line(problem)))
        .chain(off.map(|error| (true, translated(error.message()))));
    found.map(move |(is_well, words)| finding(&about, is_well, words))
}

fn store(pad: &Scratchpad) -> Finding {
    match pad.sessions_of_all_projects(usize::MAX) {
        Ok(sessions) => finding(
            &text!("doctor-store"),
            true,
            text!("doctor-sessions", count = sessions.len()),
        ),
        Err(error) => finding(&text!("doctor-store"), false, translated(error.message())),
    }
}

/// The engine's own findings. A store that can't be opened has been reported already.
fn engine(pad: &Scratchpad) -> Vec<Finding> {
    let checks = pad.store_checks().unwrap_or_default();
    checks
        .into_iter()
        .map(|check| {
            let about = format!("{}, {}", text!("doctor-store"), translated(&check.about));
            match check.found {
                Ok(words) => finding(&about, true, translated(&words)),
                Err(error) => {
                    let hint = error
                        .next_step()
                        .map(|hint| format!(" {}", translated(hint)));
                    let words = translated(error.message()) + &hint.unwrap_or_default();
                    finding(&about, false, words)
                }
            }
        })
        .collect()
}

fn log(app: &App) -> Finding {
    let path = app.directories.data.join(hook::LOG);
    let last = files::read(&path)
        .ok()
        .flatten()
        .and_then(|text| text.lines().last().map(str::to_owned));
    match last {
        None => finding(&text!("doctor-log"), true, text!("doctor-log-empty")),
        // An old failure says nothing about now.
        Some(line) => finding(
            &text!("doctor-log"),
            true,
            text!("doctor-log-last", line = line),
        ),
    }
}

fn server(program: &Program) -> Finding {
    let about = text!("doctor-server");
    match tools_of_server(program) {
        Ok(tools) => finding(
            &about,
            true,
            text!(
                "doctor-answers",
                path = program.path.as_str(),
                count = tools
            ),
        ),
        Err(error) => finding(&about, false, translated(error.message())),
    }
}

fn of_host(
    host: &'static Host,
    places: &Places,
    reach: Reach,
    program: &Program,
    pad: &Scratchpad,
) -> Result<Vec<Finding>> {
    let option = match reach {
        Reach::Global => "",
        Reach::Project => " --project",
    };
    let install = format!("scratchpad install {}{option}", host.name);
    let mut findings = Vec::new();
    let mut has_hooks = false;
    let mut approval = None;
    for part in checked_parts(host, places, reach, program)? {
        let path = part.path.display().to_string();
        let install = install.as_str();
        let about = format!("{}, {}", host.title, translated(&part.kind.title()));
        if part.kind.is_hooks() && part.state == Ok(PartState::Installed) {
            has_hooks = true;
            approval = part.approval.map(|found| approved(host, found));
        }
        findings.push(match part.state {
            Ok(PartState::Installed) => finding(&about, true, text!("doctor-wired", path = path)),
            Ok(PartState::Different) => finding(
                &about,
                false,
                text!("doctor-different", path = path, command = install),
            ),
            Ok(PartState::Missing) => finding(
                &about,
                false,
                text!("doctor-missing", path = path, command = install),
            ),
            Ok(PartState::Taken) => finding(
                &about,
                false,
                text!("doctor-taken", path = path, command = install),
            ),
            Err(error) => {
                let error = translated(error.message());
                finding(&about, false, format!("{path}: {error}"))
            }
        });
    }
    findings.extend(approval);
    if has_hooks && host.has_hooks() {
        findings.push(last_event(host, pad.last_attended(host)?));
        if host.hooks.hides_scripts && pad.offload().enabled {
            let about = text!("doctor-code-mode", host = host.title);
            findings.push(finding(&about, true, text!("doctor-code-mode-rule")));
        }
    }
    Ok(findings)
}

/// Whether the user approved our hooks, for hosts that ask.
fn approved(host: &Host, found: HookApproval) -> Finding {
    let about = text!("doctor-approval", host = host.title);
    match (found.open, found.off) {
        (0, 0) => finding(&about, true, text!("doctor-approved")),
        (0, off) => finding(&about, false, text!("doctor-off", count = off)),
        (open, _) => finding(&about, false, text!("doctor-not-approved", count = open)),
    }
}

/// The last event from the host's hooks, and what its agent got.
fn last_event(host: &Host, last: Option<Attended>) -> Finding {
    let about = text!("doctor-last-event", host = host.title);
    let Some(last) = last else {
        return finding(&about, true, text!("doctor-none"));
    };
    let given = match (last.attention.given_chars, last.attention.given.as_str()) {
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
    finding(&about, true, words)
}
