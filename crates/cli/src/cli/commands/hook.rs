//! `hook`: what an agent host calls at each event. It never fails and never blocks a prompt.

mod conversation;
mod stdin;

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::guidance;
use crate::cli::app::App;
use crate::cli::arrival::{Arriving, said_to_agents};
use crate::cli::env;
use crate::cli::i18n::translated;
use crate::cli::ui;
use clap::Args;
use conversation::{find_reply, original, original_at_start};
use scratchpad::ancestry::ancestors_of_hook;
use scratchpad::disk::private;
use scratchpad::disk::replace::replace_private;
use scratchpad::hosts::notes::ContextNotes;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host;
use scratchpad::model::host::Host;
use scratchpad::model::host::hook::{
    Answer, Event, EventKind, GivenNotes, NO_ANSWER, NotesNow, StartReason, detect,
};
use scratchpad::model::host::install::{NAME, NO_OUTPUTS};
use scratchpad::model::text::message::{message, quoted};
use scratchpad::project::{Project, unique_name};
use scratchpad::store::postgres::Timeout;
use scratchpad::{HookReply, Hooked, Scratchpad};

/// The store's timeout, chosen so that a hook takes less than a quarter of a second in all.
const STORE_TIMEOUT: Duration = Duration::from_millis(150);
/// The maximum size of the log; beyond it, the older half is deleted.
const MAX_LOG_BYTES: u64 = 256 << 10;
/// The log, in the data directory.
pub(in crate::cli) const LOG: &str = "hook.log";

#[derive(Args)]
#[command(after_help = "\
`scratchpad install` writes these calls into the host's files. The answer is in the host's own format; on \
any failure it is empty, the exit code is 0, and a line is added to hook.log in the data directory.")]
pub(in crate::cli) struct HookArgs {
    #[arg(help = format!("The host: {} [default: detected]", host::names(Host::has_hooks).join(", ")))]
    host: Option<String>,
    /// The event, for hosts that don't name it on stdin
    event: Option<String>,
    /// The host offers the tools: explain them if the host does not
    #[arg(long)]
    tools: bool,
    /// Leave large results of tools alone
    #[arg(long)]
    no_outputs: bool,
    /// The name of scratchpad's MCP server in the host's settings [default: scratchpad]
    #[arg(long)]
    name: Option<String>,
}

/// Answers if the program was called as a hook, before anything else is set up.
pub(in crate::cli) fn run_early() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != "hook" {
        return None;
    }
    let words: Vec<OsString> = words.collect();
    let is_for_clap = |word: &OsString| {
        ["--help", "-h", "--version", "-V"]
            .iter()
            .any(|it| word == it)
    };
    if words.iter().any(is_for_clap) {
        return None;
    }
    let mut called = Called::read(&words);
    // A panic must not block a prompt either.
    let answered = catch_unwind(AssertUnwindSafe(|| answer(&mut called))).unwrap_or_else(|_| {
        Err(Error::store(
            "Internal error. This is a bug; please report it.",
        ))
    });
    if let Err(error) = answered {
        say(&called, "", &Answer::Nothing, None);
        log(&called, &error);
    }
    Some(ExitCode::SUCCESS)
}

/// Prints an answer, and a line for the person where the host shows one.
fn say(called: &Called, event: &str, answer: &Answer, notice: Option<String>) {
    let text = called.known().map_or_else(
        || NO_ANSWER.to_owned(),
        |host| host.hooks.say(event, answer, notice),
    );
    let mut out = std::io::stdout().lock();
    // If the host closed the pipe, it does not want the answer.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// The command line of a hook.
struct Called {
    host: Option<Result<&'static Host>>,
    event: Option<String>,
    offers_tools: bool,
    offloads: bool,
    /// The name of our MCP server there.
    server: String,
    unknown: Option<String>,
}

impl Called {
    fn read(words: &[OsString]) -> Self {
        let mut names = Vec::new();
        let mut offers_tools = false;
        let mut offloads = true;
        let mut server = NAME.to_owned();
        let mut unknown = None;
        let mut words = words.iter().map(|word| word.to_string_lossy());
        while let Some(word) = words.next() {
            match word.as_ref() {
                "--tools" => offers_tools = true,
                NO_OUTPUTS => offloads = false,
                "--name" => server = words.next().map_or(server, Into::into),
                flag if flag.starts_with('-') => unknown = Some(flag.to_owned()),
                name => names.push(name.to_owned()),
            }
        }
        let mut names = names.into_iter();
        let host = names.next().map(|name| host::with_hooks(&name));
        let event = names.next();
        Self {
            host,
            event,
            offers_tools,
            offloads,
            server,
            unknown: unknown.or_else(|| names.next()),
        }
    }

    fn known(&self) -> Option<&'static Host> {
        self.host.clone()?.ok()
    }
}

/// Reads the event and answers it. On an error, nothing has been printed yet.
fn answer(called: &mut Called) -> Result<()> {
    if let Some(unknown) = &called.unknown {
        return Err(Error::usage(message!(
            "Unknown argument {unknown}.",
            unknown = quoted(unknown)
        )));
    }
    let payload = stdin::event()?;
    if called.host.is_none() {
        let is_set = |name: &str| env::variable(name).is_some();
        called.host = detect(&is_set, &payload).map(Ok);
    }
    let host = called
        .host
        .clone()
        .unwrap_or_else(|| Err(Error::usage("No host was named, and none was detected.")))?;
    let Some(mut event) = Event::read(host, &payload, called.event.as_deref(), &called.server)?
    else {
        say(called, "", &Answer::Nothing, None);
        return Ok(());
    };
    drop(payload);
    let mut app = App::around(event.directory.as_deref().map(Path::new))?;
    if !called.offloads {
        app.settings.outputs.offload.leave(host.name);
    }
    let settings = app.settings.hooks.clone();
    if let EventKind::Start(_) = event.kind {
        app.problems.iter().for_each(|problem| log(called, problem));
    }
    match event.kind {
        // A reply matters only for the plan nudge; without it, the store need not be opened.
        EventKind::Reply { .. } if settings.nudges.on_plan == 0 => {
            say(called, "", &Answer::Nothing, None);
            return Ok(());
        }
        _ => find_reply(&mut event),
    }
    let arrived = Arc::default();
    if matches!(event.kind, EventKind::Start(_)) {
        app.arriving = Arriving::Quietly(Arc::clone(&arrived));
    }
    let scratchpad = app.scratchpad_within(Timeout::All(STORE_TIMEOUT))?;
    let scratchpad = scratchpad.seen_in(Some(host));
    let start = match &event.kind {
        EventKind::Start(reason) => {
            scratchpad.open_store()?;
            let arrival = arrived.get().map(said_to_agents).unwrap_or_default();
            let guidance = said_at_start(called, host, &app);
            let notes = notes_at_start(called, host, &scratchpad, &event, *reason);
            [guidance, arrival, notes]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join("\n\n")
        }
        _ => String::new(),
    };
    let ancestors = match &event.kind {
        EventKind::Start(_) | EventKind::End => ancestors_of_hook(),
        // On other systems this is too slow to do at every prompt.
        EventKind::Prompt if cfg!(target_os = "linux") => ancestors_of_hook(),
        _ => Vec::new(),
    };
    let (original, original_at_start) = match &event.kind {
        // A sub-agent's event may name its parent's transcript.
        EventKind::Start(_) if !event.is_sub_agent => (
            original(&event),
            original_at_start(host, &event, &ancestors),
        ),
        _ => (None, None),
    };
    // Read before the transaction of the store, which others wait for.
    let begins_a_turn = matches!(event.kind, EventKind::Start(_) | EventKind::Prompt);
    let branch = begins_a_turn.then(|| app.project.branch().unwrap_or_default());
    let worktree = app.project.worktree().map(unique_name).unwrap_or_default();
    let HookReply { answer, receipt } = scratchpad.hooked(&Hooked {
        host,
        event: &event,
        ancestors: &ancestors,
        original: original.as_ref(),
        original_at_start: original_at_start.as_ref(),
        start: &start,
        offers_tools: called.offers_tools,
        mirrors_tasks: app.settings.plan.mirror,
        clock: &ui::clock,
        context: &|given| notes_now(called, &app, &event.kind, given),
        settings: &settings,
        branch: branch.as_deref(),
        worktree: &worktree,
    })?;
    let notice = receipt.as_ref().map(translated);
    say(called, &event.name, &answer, notice);
    // The agent has its answer; only now sync what was kept.
    if matches!(answer, Answer::Result { .. })
        && let Err(error) = scratchpad.sync_outputs()
    {
        log(called, &error);
    }
    // Hosts that wait for the end of the process may have stopped waiting, so this comes last.
    if let Err(error) = scratchpad.follow(host, &event, &answer) {
        log(called, &error);
    }
    // The process exits now: closing the store properly would only take time.
    std::mem::forget(scratchpad);
    Ok(())
}

/// The guidance, if the host does not pass the server's instructions on to its agent.
fn said_at_start(called: &Called, host: &Host, app: &App) -> String {
    if called.offers_tools && !host.passes_instructions {
        guidance::standard(app)
    } else {
        String::new()
    }
}

/// What to tell of the project's notes where the conversation does not have it yet, and the agent can look for them.
fn notes_at_start(
    called: &Called,
    host: &Host,
    scratchpad: &Scratchpad,
    event: &Event,
    reason: StartReason,
) -> String {
    if !called.offers_tools || event.is_sub_agent {
        return String::new();
    }
    let told = match reason {
        StartReason::Begin | StartReason::Compaction => scratchpad.notes_at_start(&event.session),
        StartReason::Resume => scratchpad.digest_at_resume(host, event),
        StartReason::Fork => Ok(String::new()),
    };
    told.unwrap_or_else(|error| {
        log(called, &error);
        String::new()
    })
}

/// The context notes, unless they look as they did when they were given. A conversation keeps those of the project in
/// which it began, wherever its agent goes.
fn notes_now(called: &Called, app: &App, kind: &EventKind, given: &GivenNotes) -> Option<NotesNow> {
    let begins = matches!(
        kind,
        EventKind::Start(StartReason::Begin | StartReason::Resume | StartReason::Fork)
    );
    let mut project = app.project.with_context();
    let given_of = Path::new(&given.project);
    if !begins && given_of != project.root && given_of.is_dir() {
        project = Project::rooted(given_of);
    }
    let for_all = ContextNotes::of_person(&app.directories.configuration, STORE_TIMEOUT);
    let notes = ContextNotes::of(&project, STORE_TIMEOUT);
    let stamp = format!("{} {}", for_all.stamp(), notes.stamp());
    let project = project.root.display().to_string();
    if matches!(kind, EventKind::Prompt | EventKind::Tool(_))
        && (&stamp, &project) == (&given.stamp, &given.project)
    {
        return None;
    }
    let listed = for_all.list().inspect_err(|error| log(called, error));
    let of_project = notes.for_agents().inspect_err(|error| {
        // At the start, the settings were logged as the problem of the whole directory.
        if app.project.unreadable().is_none() {
            log(called, error);
        }
    });
    let notes = match (listed, of_project) {
        // What can't be read changes nothing, and at the start the others are given alone.
        (Ok(listed), Ok(of_project)) => Some([listed, of_project].concat()),
        (Ok(readable), Err(_)) | (Err(_), Ok(readable)) if begins => Some(readable),
        _ => None,
    };
    Some(NotesNow {
        project,
        stamp,
        notes,
    })
}

/// Adds a line to the log.
fn log(called: &Called, error: &Error) {
    let Ok(directories) = env::directories() else {
        return;
    };
    let host = called.known().map_or("?", |host| host.name);
    let event = called.event.as_deref().unwrap_or("?");
    let line = format!(
        "{} {host} {event}: {}\n",
        jiff::Timestamp::now()
            .round(jiff::Unit::Second)
            .unwrap_or_default(),
        error.to_string().replace(['\n', '\r'], " ")
    );
    // If even the log can't be written, there is nowhere left to report to; the prompt goes through anyway.
    let _ = append(&directories.data, &line);
}

fn append(directory: &Path, line: &str) -> Result<()> {
    private::create_dir(directory)?;
    let path = directory.join(LOG);
    private::check_regular(&path)?;
    if fs::metadata(&path).is_ok_and(|found| found.len() > MAX_LOG_BYTES) {
        let old = fs::read(&path).unwrap_or_default();
        let half = old.get(old.len() / 2..).unwrap_or_default();
        let start = half.iter().position(|byte| *byte == b'\n').unwrap_or(0);
        replace_private(&path, half.get(start + 1..).unwrap_or_default())?;
    }
    private::options()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(|error| private::cannot("write", &path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;

    #[test]
    fn the_help_names_every_host() {
        let help = HookArgs::augment_args(Command::new("hook"))
            .render_long_help()
            .to_string();
        for name in host::names(Host::has_hooks) {
            assert!(help.contains(name), "{name}");
        }
    }
}
