//! `doctor`: which hosts are wired, and what is wrong.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::files;
use super::files::{File, Reach};
use super::prove::prove;
use crate::cli::app::App;
use crate::cli::commands::{guidance, hook};
use crate::cli::i18n::{text, translated};
use crate::cli::{Done, Global, env, ui};
use scratchpad::Scratchpad;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host::hook::host;
use scratchpad::model::host::install::{Program, State, WIRINGS, Wiring, codex_approval};
use scratchpad::model::output::reply::moment;
use scratchpad::store::Attended;

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad doctor
  scratchpad doctor --prove claude")]
pub(in crate::cli) struct DoctorArgs {
    /// Play a compaction through a host's hook command, and show what its agent would get
    #[arg(long, value_name = "HOST")]
    prove: Option<String>,
}

/// One thing that was looked at.
struct Finding {
    about: String,
    is_well: bool,
    words: String,
}

pub(in crate::cli) fn run_doctor(args: &DoctorArgs, global: &Global) -> Result<Done> {
    if let Some(name) = &args.prove {
        return prove(name, global);
    }
    let app = App::find(global)?;
    let pad = app.pad_for_a_moment()?;
    let program = Program {
        path: env::own_path()?,
        guidance: guidance::standard(&app),
    };
    let mut findings = vec![
        finding(&text!("doctor-version"), true, env!("CARGO_PKG_VERSION")),
        store(&pad),
    ];
    findings.extend(engine(&pad));
    findings.extend([server(&program), log(&app)]);
    let in_project = Reach::Project(app.project.root.clone());
    for host in WIRINGS {
        // What the project's files wire need not stand in the person's own.
        if is_wired(host, &in_project, &program) && !is_wired(host, &Reach::User, &program) {
            findings.extend(wired(host, &in_project, &program, &pad)?);
        } else if files::is_found(host, &Reach::User) {
            findings.extend(wired(host, &Reach::User, &program, &pad)?);
        }
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

fn store(pad: &Scratchpad) -> Finding {
    match pad.sessions_of_all_projects(usize::MAX) {
        Ok(sessions) => finding(
            &text!("doctor-store"),
            true,
            text!("doctor-sessions", count = sessions.len()),
        ),
        Err(error) => finding(
            &text!("doctor-store"),
            false,
            translated(&error.to_string()),
        ),
    }
}

/// What the engine says of itself; a store that can't be opened is told of already.
fn engine(pad: &Scratchpad) -> Vec<Finding> {
    let checks = pad.store_checks().unwrap_or_default();
    checks
        .into_iter()
        .map(|check| {
            let about = format!("{}, {}", text!("doctor-store"), translated(check.about));
            match check.found {
                Ok(words) => finding(&about, true, translated(&words)),
                Err(error) => {
                    let hint = error
                        .next_step()
                        .map(|hint| format!(" {}", translated(hint)));
                    let words = translated(&error.to_string()) + &hint.unwrap_or_default();
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
        // An old failure is no present one.
        Some(line) => finding(
            &text!("doctor-log"),
            true,
            text!("doctor-log-last", line = line),
        ),
    }
}

/// Starts the server as a host would, and asks it for its tools.
fn server(program: &Program) -> Finding {
    let ask = || -> Result<usize> {
        let failed = |error: std::io::Error| Error::store(format!("{}: {error}.", program.path));
        let mut child = Command::new(&program.path)
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let mut stdin = child.stdin.take();
        let stdout = child.stdout.take();
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.into_iter().flat_map(|it| BufReader::new(it).lines()) {
                if line.is_ok_and(|line| sender.send(line).is_err()) {
                    break;
                }
            }
        });
        let mut say = |message: Value| {
            let line = format!("{message}\n");
            stdin
                .as_mut()
                .map_or(Ok(()), |pipe| pipe.write_all(line.as_bytes()))
        };
        // A server that says nothing in time lists no tools, which is the finding.
        let hear = || receiver.recv_timeout(PATIENCE).ok();
        say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "doctor", "version": "1"}}}))
        .map_err(failed)?;
        hear();
        say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).map_err(failed)?;
        say(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).map_err(failed)?;
        let answer = hear().and_then(|line| serde_json::from_str::<Value>(&line).ok());
        drop(stdin);
        // Its answer is here, or its time is over: how it ends says nothing more.
        let _ = child.kill();
        let _ = child.wait();
        let tools =
            answer.and_then(|answer| Some(answer.pointer("/result/tools")?.as_array()?.len()));
        tools.ok_or_else(|| Error::store("the MCP server did not list its tools."))
    };
    match ask() {
        Ok(tools) => finding(
            &text!("doctor-server"),
            true,
            text!(
                "doctor-answers",
                path = program.path.as_str(),
                count = tools
            ),
        ),
        Err(error) => finding(
            &text!("doctor-server"),
            false,
            translated(&error.to_string()),
        ),
    }
}

/// Whether something of ours is there; files that can't be read are no reason to say nothing of the others.
fn is_wired(wiring: &'static Wiring, reach: &Reach, program: &Program) -> bool {
    let files = files::of(wiring, reach).unwrap_or_default();
    files.iter().any(|file| {
        let text = file.text.as_deref().unwrap_or_default();
        let mut states = file.parts.iter().map(|part| part.what.state(text, program));
        states.any(|state| state == Ok(State::Wired))
    })
}

fn wired(
    wiring: &'static Wiring,
    reach: &Reach,
    program: &Program,
    pad: &Scratchpad,
) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut has_hooks = false;
    let mut approval = None;
    for file in files::of(wiring, reach)? {
        let text = file.text.clone().unwrap_or_default();
        for part in &file.parts {
            let path = file.path.display().to_string();
            let about = format!("{}, {}", wiring.title, part.what.title());
            let state = part.what.state(&text, program);
            if part.what.is_hooks() && state == Ok(State::Wired) {
                has_hooks = true;
                approval = approved(wiring, &file)?;
            }
            findings.push(match state {
                Ok(State::Wired) => finding(&about, true, text!("doctor-wired", path = path)),
                Ok(State::Different) => finding(
                    &about,
                    false,
                    text!("doctor-different", path = path, host = wiring.name),
                ),
                Ok(State::Missing) => finding(
                    &about,
                    false,
                    text!("doctor-missing", path = path, host = wiring.name),
                ),
                Err(error) => {
                    let error = translated(&error.to_string());
                    finding(&about, false, format!("{path}: {error}"))
                }
            });
        }
    }
    findings.extend(approval);
    if has_hooks && let Ok(host) = host(wiring.name) {
        findings.push(last_event(wiring, pad.last_attended(host)?));
        if host.hides_scripts && pad.offload().enabled {
            let about = text!("doctor-code-mode", host = wiring.title);
            findings.push(finding(&about, true, text!("doctor-code-mode-rule")));
        }
    }
    Ok(findings)
}

/// Whether the person let the host run the hooks in a file, where it asks.
fn approved(wiring: &Wiring, file: &File) -> Result<Option<Finding>> {
    let Some(place) = wiring.approvals else {
        return Ok(None);
    };
    let config = files::read(&files::located(place, &Reach::User)?)?.unwrap_or_default();
    // The host may know the file by its name without links.
    let names = [Some(file.path.clone()), file.path.canonicalize().ok()];
    let names: Vec<String> = names
        .into_iter()
        .flatten()
        .map(|path| path.display().to_string())
        .collect();
    let hooks = file.text.as_deref().unwrap_or_default();
    let found = codex_approval(hooks, &names, &config)?;
    let about = text!("doctor-approval", host = wiring.title);
    Ok(Some(match (found.open, found.off) {
        (0, 0) => finding(&about, true, text!("doctor-approved")),
        (0, off) => finding(&about, false, text!("doctor-off", count = off)),
        (open, _) => finding(&about, false, text!("doctor-not-approved", count = open)),
    }))
}

/// What the host's hooks said last, and what its agent was given.
fn last_event(wiring: &Wiring, last: Option<Attended>) -> Finding {
    let about = text!("doctor-last-event", host = wiring.title);
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
        time = moment(last.at),
        given = given
    );
    finding(&about, true, words)
}
