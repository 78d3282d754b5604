//! `doctor`: which hosts are wired, and what is wrong.

mod host;
mod ignore;

use clap::Args;
use serde_json::{Value, json};

use super::program;
use super::prove::prove;
use crate::cli::app::App;
use crate::cli::commands::hook;
use crate::cli::i18n::{in_one_line, text, translated};
use crate::cli::ui::Paint;
use crate::cli::{Done, Global, env, ui};
use crate::web::HostState;
use host::of_host;
use ignore::{ignored, is_ignored};
use scratchpad::Scratchpad;
use scratchpad::hosts::checks::{has_a_part, tools_of_server};
use scratchpad::hosts::files;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host::install::Program;
use scratchpad::model::host::path::Reach;
use scratchpad::model::host::{HOSTS, Host};
use scratchpad::model::tool::surface::switched_off;

pub(super) use host::not_approved;
pub(super) use ignore::not_ignored;

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad doctor
  scratchpad doctor --prove claude
  scratchpad doctor --ignore qwen")]
pub(in crate::cli) struct DoctorArgs {
    /// Replay a compaction through a host's hook command, and show what its agent would get
    #[arg(long, value_name = "HOST", conflicts_with_all = ["ignore", "check"])]
    prove: Option<String>,
    /// Leave out a host that you don't use; kept in your settings
    #[arg(long, value_name = "HOST")]
    ignore: Vec<String>,
    /// Check a host again that was left out
    #[arg(long, value_name = "HOST")]
    check: Vec<String>,
}

/// How a check went.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Ok,
    /// Not a failure, but worth reading.
    Note,
    Failure,
}

/// The result of one check.
struct Finding {
    about: String,
    mark: Mark,
    words: String,
}

impl Finding {
    fn ok(about: &str, words: impl Into<String>) -> Self {
        Self::new(about, Mark::Ok, words)
    }

    fn note(about: &str, words: impl Into<String>) -> Self {
        Self::new(about, Mark::Note, words)
    }

    fn failure(about: &str, words: impl Into<String>) -> Self {
        Self::new(about, Mark::Failure, words)
    }

    fn new(about: &str, mark: Mark, words: impl Into<String>) -> Self {
        Self {
            about: about.to_owned(),
            mark,
            words: words.into(),
        }
    }

    fn of_error(about: &str, error: &Error) -> Self {
        Self::failure(about, in_one_line(error))
    }
}

pub(in crate::cli) fn run_doctor(args: &DoctorArgs, global: &Global) -> Result<Done> {
    if let Some(name) = &args.prove {
        return prove(name, global);
    }
    if !(args.ignore.is_empty() && args.check.is_empty()) {
        return ignore::change(&args.ignore, &args.check, global);
    }
    report(&findings(global)?, global)
}

/// All findings. What fails is one of them, and the others are still looked for.
fn findings(global: &Global) -> Result<Vec<Finding>> {
    let (app, fatal) = App::find_despite(global)?;
    let mut findings = vec![Finding::ok(
        &text!("doctor-version"),
        env!("CARGO_PKG_VERSION"),
    )];
    let about = text!("doctor-settings");
    let problems = fatal.iter().chain(&app.problems);
    findings.extend(problems.map(|problem| Finding::of_error(&about, problem)));
    let off = app.settings.switched_off().into_iter().map(switched_off);
    findings.extend(off.map(|error| Finding::note(&about, translated(error.message()))));
    if let Some(mark) = app.project.mark_of_others() {
        let path = mark.display().to_string();
        findings.push(Finding::note(
            &text!("doctor-project"),
            text!("doctor-mark-of-others", path = path),
        ));
    }
    let pad = if fatal.is_empty() {
        let pad = app.scratchpad_for_a_moment();
        findings.push(store(pad.as_ref()));
        pad.ok()
    } else {
        // Which store it would be, those settings say.
        findings.push(Finding::note(
            &text!("doctor-store"),
            text!("doctor-unchecked"),
        ));
        None
    };
    findings.extend(pad.iter().flat_map(engine));
    let pad = pad.filter(|pad| pad.sessions_of_all_projects(1).is_ok());
    match program(&app, Reach::Global) {
        Ok(program) => findings.push(server(&program)),
        Err(error) => findings.push(Finding::of_error(&text!("doctor-server"), &error)),
    }
    findings.push(log(&app));
    let hosts = hosts(&app, pad.as_ref()).into_iter();
    findings.extend(hosts.flat_map(|it| it.findings));
    Ok(findings)
}

/// What was found in one host.
pub(in crate::cli::commands) struct HostFindings {
    pub(in crate::cli::commands) host: &'static Host,
    /// Whether anything of ours is in its files.
    pub(in crate::cli::commands) is_set_up: bool,
    findings: Vec<Finding>,
}

impl HostFindings {
    /// What each finding is about, how it is, and what was found.
    pub(in crate::cli::commands) fn for_page(self) -> crate::web::HostFindings {
        let findings = self.findings.into_iter().map(|it| {
            let state = match it.mark {
                Mark::Ok => HostState::Good,
                Mark::Note => HostState::Note,
                Mark::Failure => HostState::Bad,
            };
            (it.about, state, it.words)
        });
        crate::web::HostFindings {
            title: self.host.title.to_owned(),
            findings: findings.collect(),
        }
    }

    /// What is wrong, a sentence each.
    pub(in crate::cli::commands) fn failures(&self) -> impl Iterator<Item = String> {
        let failures = self.findings.iter();
        let failures = failures.filter(|it| it.mark == Mark::Failure);
        failures.map(|it| [&it.about, ": ", &it.words].concat())
    }
}

/// The hosts that are here, unless the person wants to hear nothing of them.
pub(in crate::cli::commands) fn hosts(app: &App, pad: Option<&Scratchpad>) -> Vec<HostFindings> {
    let places = env::places(&app.project);
    let mut found = Vec::new();
    for host in HOSTS.into_iter().filter(|host| host.is_installable()) {
        let has = |reach| {
            program(app, reach).is_ok_and(|program| has_a_part(host, &places, reach, &program))
        };
        // What is in the project's files need not be in the user's.
        let (in_project, in_user) = (has(Reach::Project), has(Reach::Global));
        let reach = if in_project && !in_user {
            Reach::Project
        } else if places.has(host) {
            Reach::Global
        } else {
            continue;
        };
        let findings = if is_ignored(host, app) {
            vec![ignored(host)]
        } else {
            of_host(host, app, &places, reach, pad)
                .unwrap_or_else(|error| vec![Finding::of_error(host.title, &error)])
        };
        found.push(HostFindings {
            host,
            is_set_up: in_project || in_user,
            findings,
        });
    }
    found
}

fn report(findings: &[Finding], global: &Global) -> Result<Done> {
    let is_well = findings.iter().all(|it| it.mark != Mark::Failure);
    if global.json {
        let findings: Vec<Value> = findings
            .iter()
            .map(|it| {
                let state = match it.mark {
                    Mark::Ok => "ok",
                    Mark::Note => "note",
                    Mark::Failure => "failure",
                };
                json!({"about": it.about, "ok": it.mark != Mark::Failure, "state": state, "text": it.words})
            })
            .collect();
        ui::print_json(&json!({"ok": is_well, "findings": findings}))?;
    } else {
        let marks = [
            (Mark::Ok, text!("doctor-ok"), Paint::Good),
            (Mark::Note, text!("doctor-note"), Paint::Warning),
            (Mark::Failure, text!("doctor-not"), Paint::Bad),
        ];
        let width = marks.iter().map(|(_, word, _)| word.chars().count()).max();
        let width = width.unwrap_or(0) + 1;
        let mut text = String::new();
        for it in findings {
            let mut known = marks.iter();
            let mark = known.find(|(mark, _, _)| *mark == it.mark);
            let mark = mark.map_or_else(String::new, |(_, word, paint)| {
                paint.on(&format!("{word:<width$}"))
            });
            let words = ui::escaped(&[&it.about, ": ", &it.words].concat());
            let laid = ui::labelled("", width, &words);
            text.push_str(&mark);
            text.push_str(laid.get(width..).unwrap_or(&laid));
        }
        ui::print_long(&text)?;
    }
    Ok(if is_well {
        Done::Well
    } else {
        Done::WithErrorReply
    })
}

fn store(pad: Result<&Scratchpad, &Error>) -> Finding {
    let about = text!("doctor-store");
    let sessions = pad
        .map_err(Error::clone)
        .and_then(|pad| pad.sessions_of_all_projects(usize::MAX));
    match sessions {
        Ok(sessions) => Finding::ok(&about, text!("doctor-sessions", count = sessions.len())),
        Err(error) => Finding::of_error(&about, &error),
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
                Ok(words) => Finding::ok(&about, translated(&words)),
                Err(error) => Finding::of_error(&about, &error),
            }
        })
        .collect()
}

fn log(app: &App) -> Finding {
    let about = text!("doctor-log");
    match files::read(&app.directories.data.join(hook::LOG)) {
        Err(error) => Finding::of_error(&about, &error),
        Ok(text) => match text.unwrap_or_default().lines().last() {
            None => Finding::ok(&about, text!("doctor-log-empty")),
            // It may be long ago, and says nothing about now.
            Some(line) => Finding::note(&about, text!("doctor-log-last", line = line)),
        },
    }
}

fn server(program: &Program) -> Finding {
    let about = text!("doctor-server");
    match tools_of_server(program) {
        Ok(tools) => {
            let path = program.path.as_str();
            Finding::ok(&about, text!("doctor-answers", path = path, count = tools))
        }
        Err(error) => Finding::of_error(&about, &error),
    }
}
