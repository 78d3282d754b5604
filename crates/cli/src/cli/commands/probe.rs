//! `probe`, hidden: runs a search or an expression over stdin, within the limits of a process.

use std::io;

use crate::cli::{Done, ui};
use scratchpad::model::error::Result;
use scratchpad::model::output::probe::Probe;

#[derive(clap::Args)]
pub(in crate::cli) struct ProbeArgs {
    /// The memory limit in bytes
    memory: u64,
}

pub(in crate::cli) fn run(args: &ProbeArgs) -> Result<Done> {
    let ProbeArgs { memory } = args;
    #[cfg(unix)]
    bound_this_process(*memory);
    // Elsewhere there are no limits, only the parent's timeout.
    #[cfg(not(unix))]
    let _ = memory;
    let mut stdin = io::stdin().lock();
    let probe = Probe::from_line(&mut stdin)?;
    match ui::with_stdout(|out| probe.run(stdin, out)) {
        Ok(found) => {
            ui::complain(&serde_json::json!(found).to_string());
            Ok(Done::Well)
        }
        Err(error) => {
            let failure = serde_json::json!([error.message(), error.next_step()]);
            ui::complain(&failure.to_string());
            Ok(Done::WithErrorReply)
        }
    }
}

/// The parent process enforces the timeout; these limits hold even if it dies.
#[cfg(unix)]
fn bound_this_process(memory: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    use scratchpad::scratchpad::probing::MAX_TIME;

    let limit = |most| Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    // If a limit can't be set, the parent's timeout remains.
    let _ = setrlimit(Resource::As, limit(memory));
    let _ = setrlimit(Resource::Cpu, limit(MAX_TIME.as_secs() + 1));
    let _ = setrlimit(Resource::Core, limit(0));
}
