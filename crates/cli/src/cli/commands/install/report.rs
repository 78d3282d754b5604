//! What `install` and `uninstall` did, in words.

use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::i18n::{number, text, translated};
use crate::cli::{Done, Global, env, ui};
use scratchpad::hosts::inject::Mode;
use scratchpad::hosts::install::{FileChange, FileOutcome, HostChanges, Installer};
use scratchpad::model::error::{Error, ErrorKind, Result};
use scratchpad::model::host::Host;
use scratchpad::model::host::hook::Delivery;
use scratchpad::model::host::install::Program;
use scratchpad::model::host::path::Reach;
use scratchpad::model::text::diff;
use scratchpad::model::text::message::Message;

/// What to say of a host after its files.
pub(super) enum Left<'a> {
    ByInstall {
        installer: &'a Installer,
        has_pad: bool,
        results: Results,
    },
    ByUninstall,
}

/// What becomes of large results.
pub(super) enum Results {
    Stay,
    /// Those above this many bytes become references.
    Offloaded {
        threshold: u64,
        directory: String,
    },
}

impl Results {
    pub(super) fn of(app: &App, program: &Program) -> Self {
        let offload = &app.settings.outputs.offload;
        if !(offload.enabled && program.offloads) {
            return Self::Stay;
        }
        let file = app.file_of(&app.settings.store.url);
        let directory = file.map(|file| env::shown(&file.with_file_name("outputs")));
        Self::Offloaded {
            threshold: offload.threshold,
            directory: directory.unwrap_or_else(|| text!("install-results-shared")),
        }
    }

    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Stay => text!("install-results-stay"),
            Self::Offloaded {
                threshold,
                directory,
            } => text!(
                "install-results",
                bytes = number(usize::try_from(*threshold).unwrap_or(usize::MAX)),
                directory = directory.as_str()
            ),
        }
    }
}

impl Left<'_> {
    /// What the person is left to do, for programs.
    fn todo(&self, host: &Host) -> Vec<Message> {
        match self {
            Self::ByInstall { installer, .. } => installer.left_to_do(host),
            Self::ByUninstall => Vec::new(),
        }
    }

    /// What changed for the agent, and what to do next.
    fn lines(&self, host: &'static Host) -> Vec<String> {
        let Self::ByInstall {
            installer,
            has_pad,
            results,
        } = self
        else {
            return vec![text!("install-restart", host = host.title)];
        };
        let pad = match host.hooks.delivery {
            _ if !has_pad => text!("install-pad-off"),
            _ if !host.has_hooks() => text!("install-pad-tools"),
            Delivery::AfterTools => text!("install-pad-after-tools"),
            Delivery::WithPrompts | Delivery::WithRequests => text!("install-pad"),
        };
        let results = host.hooks.replaces_results.then(|| results.in_words());
        let next = if !has_pad {
            text!("install-next-no-pad", host = host.title)
        } else if host.has_hooks() {
            text!("install-next", host = host.title)
        } else {
            text!("install-next-tools", host = host.title)
        };
        let option = match installer.reach {
            Reach::Global => "",
            Reach::Project => " --project",
        };
        let undo = format!("scratchpad uninstall {}{option}", host.name);
        let undo = text!("install-undo", command = undo);
        [pad]
            .into_iter()
            .chain(results)
            .chain([next, undo])
            .collect()
    }
}

/// Prints what was done to each host.
pub(super) fn report(
    changes: &[HostChanges],
    left: &Left<'_>,
    mode: Mode,
    global: &Global,
) -> Result<Done> {
    for failed in failed(changes) {
        ui::print_error(&failed);
    }
    if global.json {
        print_json(changes, left, mode)?;
    } else {
        let blocks: Vec<String> = changes
            .iter()
            .filter_map(|it| block(it.host, it.files.as_deref().ok()?, left, mode))
            .collect();
        ui::show(&if changes.is_empty() {
            text!("install-no-host") + "\n"
        } else {
            blocks.join("\n")
        })?;
    }
    let mut failed = failed(changes).peekable();
    if failed.peek().is_none() {
        return Ok(Done::Well);
    }
    let is_usage = failed.all(|error| error.kind() == ErrorKind::Usage);
    Ok(if is_usage {
        Done::WithCode(2)
    } else {
        Done::WithErrorReply
    })
}

fn failed(changes: &[HostChanges]) -> impl Iterator<Item = Error> {
    changes.iter().filter_map(|it| {
        let error = it.files.as_ref().err()?;
        Some(error.clone().within(it.host.title.to_owned()))
    })
}

/// What is said of one host.
fn block(host: &'static Host, files: &[FileChange], left: &Left<'_>, mode: Mode) -> Option<String> {
    let mut text = format!("{}\n", host.title);
    for change in files {
        let parts = translated(&change.parts);
        let (_, outcome) = in_words(change.outcome);
        let path = change.path.display().to_string();
        text.push_str(&["  ", &outcome, " ", &path, ": ", &parts, "\n"].concat());
        text.push_str(&shown(change, mode).unwrap_or_default());
    }
    let is_changed = files.iter().any(|it| {
        !matches!(
            it.outcome,
            FileOutcome::Already | FileOutcome::NothingOfOurs
        )
    });
    let mut lines = Vec::new();
    if is_changed && mode == Mode::Apply {
        lines.extend(left.lines(host));
    }
    let todo = left.todo(host);
    if !todo.is_empty() {
        lines.push(translated(&Message::joined(todo, " ")));
    }
    for line in lines {
        text.push_str(&["  ", &line, "\n"].concat());
    }
    (!files.is_empty() || !text.is_empty()).then_some(text)
}

fn print_json(changes: &[HostChanges], left: &Left<'_>, mode: Mode) -> Result<()> {
    let mut files: Vec<Value> = Vec::new();
    let mut failed: Vec<Value> = Vec::new();
    let mut todo: Vec<Value> = Vec::new();
    for HostChanges { host, files: found } in changes {
        match found {
            Ok(changes) => files.extend(changes.iter().map(|it| {
                let (outcome, _) = in_words(it.outcome);
                let path = it.path.display().to_string();
                json!({"host": host.name, "file": path, "parts": it.parts.english(), "outcome": outcome, "diff": shown(it, mode)})
            })),
            Err(error) => failed.push(json!({
                "host": host.name, "error": error.to_string(), "hint": error.next_step().map(ToString::to_string),
            })),
        }
        let sentences = left.todo(host);
        if !sentences.is_empty() && found.is_ok() {
            let text = Message::joined(sentences, " ");
            todo.push(json!({"host": host.title, "text": text.english()}));
        }
    }
    ui::print_json(&json!({"files": files, "failed": failed, "todo": todo}))
}

/// In a dry run, the change as a diff.
fn shown(change: &FileChange, mode: Mode) -> Option<String> {
    let is_one = matches!(
        change.outcome,
        FileOutcome::WouldWrite | FileOutcome::WouldChange | FileOutcome::Already
    );
    (mode == Mode::Rehearse && is_one).then(|| {
        diff::unified(
            &change.path.display().to_string(),
            change.before.as_deref().map(str::as_bytes),
            change.after.as_deref().map(str::as_bytes),
        )
    })
}

/// The outcome for a file: a word for programs, a sentence for people.
fn in_words(outcome: FileOutcome) -> (&'static str, String) {
    match outcome {
        FileOutcome::Wrote => ("wrote", text!("install-wrote")),
        FileOutcome::Already => ("already", text!("install-already")),
        FileOutcome::WouldWrite => ("would write", text!("install-would-write")),
        FileOutcome::NothingOfOurs => ("nothing of ours in", text!("install-nothing")),
        FileOutcome::WouldChange => ("would change", text!("install-would-change")),
        FileOutcome::Removed => ("removed", text!("install-removed")),
        FileOutcome::Restored => ("restored", text!("install-restored")),
        FileOutcome::RemovedEntries => {
            ("removed our entries from", text!("install-removed-entries"))
        }
    }
}
