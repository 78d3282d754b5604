//! `json-slice`, hidden: evaluates an expression over the JSON on stdin, within the limits of a process.

use std::io::{self, Read};

use clap::Args;

use super::{Done, terminal};
use crate::model::error::{Error, Result};
use crate::model::output_json;
use crate::pad::json_slice::{MAX_BYTES, MAX_TIME};

/// The most memory: parsed, JSON takes some ten times its size.
#[cfg(unix)]
const MAX_MEMORY: u64 = 2 << 30;

#[derive(Args)]
pub(super) struct JsonSliceArgs {
    expression: String,
}

pub(super) fn run(args: &JsonSliceArgs) -> Result<Done> {
    #[cfg(unix)]
    bound_this_process();
    let mut content = Vec::new();
    io::stdin()
        .lock()
        .take(MAX_BYTES)
        .read_to_end(&mut content)
        .map_err(|error| Error::store(format!("Can't read stdin: {error}.")))?;
    let done = terminal::with_stdout(|out| output_json::evaluate(&args.expression, &content, out));
    match done {
        Ok(()) => Ok(Done::Well),
        Err(error) => {
            // For the process that asked: the message, then the hint, a line each.
            terminal::complain(&format!(
                "{}\n{}\n",
                error.to_string().replace('\n', " "),
                error.next_step().unwrap_or_default()
            ));
            Ok(Done::WithErrorReply)
        }
    }
}

/// Whoever started this process stops it; should that one die, these limits do.
#[cfg(unix)]
fn bound_this_process() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = |most| Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    // Where a limit can't be set, the time limit from outside is left.
    let _ = setrlimit(Resource::As, limit(MAX_MEMORY));
    let _ = setrlimit(Resource::Cpu, limit(MAX_TIME.as_secs() + 1));
    let _ = setrlimit(Resource::Core, limit(0));
}
