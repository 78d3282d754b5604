//! Child processes: starting them, forwarding signals, waiting for them and terminating them.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The process group of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The group of this process: Ctrl-C in a terminal signals both.
    Shared,
    /// A group of its own, shared with everything that it starts: they are signalled together, and a terminal reaches
    /// them only through this process.
    Own,
}

/// Our ends of a child's pipes, for those its command asked for.
pub struct Pipes {
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
}

/// A running child. Clones refer to the same child, so that one thread can wait for it while others signal it.
#[derive(Clone)]
pub struct Supervised {
    child: Arc<Mutex<Child>>,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no groups"))]
    group: Group,
}

pub fn spawn(mut command: Command, group: Group) -> io::Result<(Supervised, Pipes)> {
    #[cfg(unix)]
    if group == Group::Own {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    }
    // `command` may hold our ends of pipes, which close when it is dropped on return.
    let mut child = command.spawn()?;
    let pipes = Pipes {
        stdin: child.stdin.take(),
        stdout: child.stdout.take(),
        stderr: child.stderr.take(),
    };
    let child = Arc::new(Mutex::new(child));
    Ok((Supervised { child, group }, pipes))
}

/// The exit code for a status: 128 + N for signal N, as in shells.
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| signal_of(status).map(|signal| signal.saturating_add(128)));
    u8::try_from(code.unwrap_or(1)).unwrap_or(1)
}

/// The signal that terminated a process, if any.
#[cfg(unix)]
pub fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// There are no signals here.
#[cfg(not(unix))]
pub fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}

impl Supervised {
    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(unix)]
mod signals {
    use std::io::{self, IsTerminal};
    use std::process::ExitStatus;
    use std::sync::Arc;

    use rustix::process::{
        Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
    };
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXFSZ};
    use signal_hook::iterator::Signals;

    use super::{Group, Supervised};

    /// The signals that ask a process to terminate.
    pub const ENDING: &[i32] = &[SIGHUP, SIGINT, SIGTERM];
    /// The signals to forward to a command.
    pub const ALL: &[i32] = &[SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];

    impl Supervised {
        /// Waits until it exits. It can be signalled meanwhile: a process that is not reaped keeps its id.
        pub fn wait(&self) -> io::Result<ExitStatus> {
            let id = Pid::from_child(&self.child());
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(id), options) {}
            self.child().wait()
        }

        /// Sends a signal; false if it has exited.
        fn signal(&self, signal: Signal) -> bool {
            let mut child = self.child();
            if !matches!(child.try_wait(), Ok(None)) {
                return false;
            }
            let id = Pid::from_child(&child);
            // Fails if it is exiting right now, which is fine.
            let _ = match self.group {
                Group::Own => kill_process_group(id, signal),
                Group::Shared => kill_process(id, signal),
            };
            true
        }

        /// Asks it to terminate.
        pub fn terminate(&self) {
            self.signal(Signal::TERM);
        }

        /// Kills it.
        pub fn kill(&self) {
            self.signal(Signal::KILL);
        }

        /// Asks everything that it left behind in its own group to terminate.
        pub fn terminate_group(&self) {
            if self.group == Group::Own {
                let id = Pid::from_child(&self.child());
                // Usually there is nothing left.
                let _ = kill_process_group(id, Signal::TERM);
            }
        }

        /// Starts to forward these signals to it, and calls `heard` with each and whether it was still running.
        ///
        /// Call this after `spawn`, not before: the child must inherit ignored signals, as under `nohup`. Without
        /// handlers (if they can't be installed) the signals act on this process as usual.
        pub fn forward(&self, signals: &[i32], mut heard: impl FnMut(i32, bool) + Send + 'static) {
            let Ok(mut signals) = Signals::new(signals) else {
                return;
            };
            let child = self.clone();
            // In a shared group, the terminal sends Ctrl-C and Ctrl-\ to the child too.
            let has_keys = self.group == Group::Shared
                && (io::stdin().is_terminal()
                    || io::stdout().is_terminal()
                    || io::stderr().is_terminal());
            std::thread::spawn(move || {
                for number in signals.forever() {
                    let is_key = has_keys && matches!(number, SIGINT | SIGQUIT);
                    let is_running = match Signal::from_named_raw(number) {
                        Some(signal) if !is_key => child.signal(signal),
                        _ => matches!(child.child().try_wait(), Ok(None)),
                    };
                    heard(number, is_running);
                }
            });
        }
    }

    /// Whether a signal is SIGTERM.
    pub fn is_terminate(signal: i32) -> bool {
        signal == SIGTERM
    }

    /// Makes a write beyond the limit for file sizes (`ulimit -f`) fail instead of ending this process.
    pub fn survive_file_size_limit() {
        // Without a handler the signal acts as usual.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    }

    /// Applies a signal's default action to this process.
    pub fn act_by_default(signal: i32) {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
}

#[cfg(not(unix))]
mod signals {
    use std::io;
    use std::process::ExitStatus;
    use std::time::Duration;

    use super::Supervised;

    /// None: a console notifies all of its processes itself.
    pub const ENDING: &[i32] = &[];
    /// None: a console notifies all of its processes itself.
    pub const ALL: &[i32] = &[];

    const LONGEST_PAUSE: Duration = Duration::from_millis(20);

    impl Supervised {
        /// Waits until it exits. Polls, so that other threads can kill it meanwhile.
        pub fn wait(&self) -> io::Result<ExitStatus> {
            let mut pause = Duration::from_millis(1);
            loop {
                if let Some(status) = self.child().try_wait()? {
                    return Ok(status);
                }
                std::thread::sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }

        /// Kills it: there is no way to ask.
        pub fn terminate(&self) {
            self.kill();
        }

        /// Kills it.
        pub fn kill(&self) {
            // Fails if it is exiting right now, which is fine.
            let _ = self.child().kill();
        }

        /// There are no groups.
        pub fn terminate_group(&self) {}

        /// There are no signals.
        pub fn forward(&self, _signals: &[i32], _heard: impl FnMut(i32, bool) + Send + 'static) {}
    }

    /// There are no signals.
    pub fn is_terminate(_signal: i32) -> bool {
        false
    }

    /// There is no such limit.
    pub fn survive_file_size_limit() {}

    /// There are no signals.
    pub fn act_by_default(_signal: i32) {}
}

pub use signals::{ALL, ENDING, act_by_default, is_terminate, survive_file_size_limit};

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, group: Group) -> (Supervised, Pipes) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command.stdout(std::process::Stdio::piped());
        spawn(command, group).unwrap()
    }

    #[test]
    fn the_exit_code_is_that_of_a_shell() {
        let (child, _) = shell("exit 7", Group::Shared);
        assert_eq!(exit_code(child.wait().unwrap()), 7);
        let (child, _) = shell("kill -TERM $$", Group::Shared);
        assert_eq!(exit_code(child.wait().unwrap()), 128 + 15);
    }

    #[test]
    fn it_can_be_ended_while_another_thread_waits_for_it() {
        let (child, _) = shell("sleep 60", Group::Own);
        let waiting = std::thread::spawn({
            let child = child.clone();
            move || child.wait().unwrap()
        });
        child.kill();
        assert_eq!(signal_of(waiting.join().unwrap()), Some(9));
        // A child that has exited is not signalled again.
        child.terminate();
    }

    #[test]
    fn what_it_left_behind_in_its_group_ends_with_it() {
        use std::io::Read;
        let (child, pipes) = shell("sleep 60 & exit 0", Group::Own);
        assert_eq!(exit_code(child.wait().unwrap()), 0);
        child.terminate_group();
        // The pipe closes only when the last process of the group is gone.
        let mut rest = String::new();
        pipes.stdout.unwrap().read_to_string(&mut rest).unwrap();
    }
}
