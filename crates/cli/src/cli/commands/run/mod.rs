//! `run`: runs a command and replaces a large output with a reference.

mod child;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use clap::Args;

use crate::cli::app::{App, OpenSession};
use crate::cli::capture::Captured;
use crate::cli::i18n::translated;
use crate::cli::{Done, Global, ui};
use child::{Event, Running};
use scratchpad::disk::private::plain;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::output::Origin;
use scratchpad::model::text::message::message;

/// The total timeout for processes that the command left behind with its output open.
const GRACE: Duration = Duration::from_millis(500);

/// More than the pipe and the queue can hold when the command ends: anything beyond this is from another process.
const ON_THE_WAY_BYTES: usize = 8 << 20;

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad run -- cargo test
  scratchpad run --tool build --tee -- make -j8
  scratchpad run -- sh -c 'grep -rn TODO src | sort'

When the command has ended, all that it wrote to stdout and stderr is printed to stdout, in the \
order it was written: unchanged up to `outputs.threshold` (4,096 bytes), above that as a reference \
to the kept output. The exit code is the command's; 127 if the command is not found, 126 if it can't be \
run, 128 + N if signal N ended it.")]
pub(in crate::cli) struct RunArgs {
    /// Its name in the list of outputs and in rules [default: the command's name]
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Also show the output on stderr as it arrives
    #[arg(long)]
    tee: bool,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(in crate::cli) fn run(args: &RunArgs, global: &Global) -> Result<Done> {
    if global.json {
        return Err(
            Error::usage("`run` has no JSON output: it prints what the command prints.")
                .hint("`scratchpad output list --json` shows what was kept."),
        );
    }
    let Some((program, arguments)) = args.command.split_first() else {
        return Err(Error::usage("No command given."));
    };
    let tool = args.tool.clone().unwrap_or_else(|| name_of(program));
    let mut command = Command::new(program);
    command.args(arguments);
    let offload = App::find(global)?.settings.outputs.offload;
    let threshold = offload.threshold("run", &tool);
    let Some(threshold) = threshold else {
        return match child::start(command) {
            Ok(running) => Ok(Done::WithCode(pass(&running.events)?)),
            Err(error) => Ok(not_started(program, &error)),
        };
    };
    let opened = OpenSession::open_to_stay(global)?;
    let running = match child::start_captured(command) {
        Ok(running) => running,
        Err(error) => return Ok(not_started(program, &error)),
    };
    let mut captured = Captured::new(&opened, Some(threshold));
    let code = follow(&running, |bytes| {
        if args.tee {
            // If stderr is closed, nobody is watching.
            let _ = io::stderr().lock().write_all(bytes);
        }
        captured.take(bytes)
    })?;
    let origin = Origin {
        upstream: "run",
        tool: &tool,
    };
    if let Err(error) = captured.finish(origin) {
        ui::print_error(&error);
        return Ok(Done::WithCode(code.max(1)));
    }
    Ok(Done::WithCode(code))
}

fn name_of(program: &OsString) -> String {
    let path = Path::new(program);
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Waits for a command whose output is not captured.
fn pass(events: &Receiver<Event>) -> Result<u8> {
    loop {
        match events.recv() {
            Ok(Event::Ended(code)) => return Ok(code),
            Ok(_) => {}
            Err(_) => return Err(lost()),
        }
    }
}

/// Passes on a command's output until it has ended and everything it wrote has been read.
fn follow(running: &Running, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<u8> {
    let events = &running.events;
    let code = loop {
        match events.recv() {
            Ok(Event::Bytes(bytes)) => take(&bytes)?,
            Ok(Event::Closed) => return pass(events),
            Ok(Event::Ended(code)) => break code,
            Err(_) => return Err(lost()),
        }
    };
    // Everything the command itself wrote is in the pipe already. Processes that it left behind may write forever,
    // hence the timeout.
    let (mut grace, mut left) = (GRACE, ON_THE_WAY_BYTES);
    loop {
        let asked = Instant::now();
        match events.recv_timeout(grace) {
            Ok(Event::Bytes(bytes)) => {
                grace = grace.saturating_sub(asked.elapsed());
                left = left.saturating_sub(bytes.len());
                take(&bytes)?;
            }
            Ok(Event::Closed) => return Ok(code),
            Ok(Event::Ended(_)) => {}
            // On a busy machine the reading thread may not have run yet.
            Err(_) if running.has_more() => grace = GRACE,
            Err(_) => left = 0,
        }
        if left == 0 {
            ui::warn(&translated(&message!(
                "a process that the command left behind still has its output open; what it writes from now on is lost."
            )));
            return Ok(code);
        }
    }
}

fn lost() -> Error {
    Error::store("Can't get the command's exit status.")
}

fn not_started(program: &OsString, error: &io::Error) -> Done {
    let name = program.display();
    let (code, error) = if error.kind() == io::ErrorKind::NotFound {
        let error = Error::not_found(message!(
            "Command `{name}` not found.",
            name = name.to_string()
        ));
        let hint = "for a shell command line, use `scratchpad run -- sh -c 'LINE'`.";
        (127, error.hint(hint))
    } else {
        (
            126,
            Error::store(message!(
                "Can't run `{name}`: {error}.",
                name = name.to_string(),
                error = plain(error)
            )),
        )
    };
    ui::print_error(&error);
    Done::WithCode(code)
}
