//! `probe`, hidden: runs a search or an expression over stdin, within the limits of a process.

use std::io;

use crate::cli::{Done, ui};
use scratchpad::model::error::Result;
use scratchpad::model::output::probe::Probe;

/// The memory limit. Parsed JSON takes about ten times its size.
#[cfg(unix)]
const MAX_MEMORY: u64 = 2 << 30;

pub(in crate::cli) fn run() -> Result<Done> {
    #[cfg(unix)]
    bound_this_process();
    let mut stdin = io::stdin().lock();
    let probe = Probe::from_line(&mut stdin)?;
    match ui::with_stdout(|out| probe.run(stdin, out)) {
        Ok(count) => {
            ui::complain(&count.to_string());
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
fn bound_this_process() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    use scratchpad::scratchpad::probing::MAX_TIME;

    let limit = |most| Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    // If a limit can't be set, the parent's timeout remains.
    let _ = setrlimit(Resource::As, limit(MAX_MEMORY));
    let _ = setrlimit(Resource::Cpu, limit(MAX_TIME.as_secs() + 1));
    let _ = setrlimit(Resource::Core, limit(0));
}
