//! The ancestors of this process: how a server finds the host whose hooks announced the session.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use crate::model::host::process_names;
use crate::model::session::announce::is_last_of_hook;
use crate::model::session::process;
use crate::model::session::process::{MOST_ANCESTORS, Process, ProcessRow};

/// The ancestors of this process, nearest first; empty if the system can't list them.
pub fn ancestors() -> Vec<Process> {
    up_to(|_| false)
}

/// The same, but stops at the last that matters to a hook, which must be fast.
pub fn ancestors_of_hook() -> Vec<Process> {
    let agents = process_names();
    up_to(|row| is_last_of_hook(row, &agents))
}

fn up_to(is_last: impl Fn(&ProcessRow) -> bool) -> Vec<Process> {
    let own = std::process::id();
    if cfg!(target_os = "linux") {
        return by_proc(own, is_last);
    }
    let mut found = if cfg!(windows) {
        let rows = process::from_powershell(&said_by_powershell(process::POWERSHELL));
        process::ancestors_in(&rows, own)
    } else {
        process::ancestors_in(&process::from_ps(&said_by("ps", &process::PS)), own)
    };
    found.iter_mut().for_each(call_after_script);
    found
}

fn call_after_script(process: &mut Process) {
    if process.is_interpreter()
        && let Some(name) = process::script_name(&command_line(process))
    {
        process.name = name;
    }
}

/// This process.
pub fn this_process() -> Option<Process> {
    process_of(std::process::id())
}

/// Whether a process is still running and its id has not been reused.
pub fn is_running(id: u32, started: &str) -> bool {
    process_of(id).is_some_and(|process| process.started == started)
}

fn process_of(id: u32) -> Option<Process> {
    if cfg!(target_os = "linux") {
        return row_of(id).map(|row| row.process);
    }
    let rows = if cfg!(windows) {
        process::from_powershell(&said_by_powershell(process::POWERSHELL))
    } else {
        process::from_ps(&said_by("ps", &process::PS))
    };
    let mut processes = rows.into_iter().map(|row| row.process);
    processes.find(|process| process.id == id)
}

/// The arguments of a process, with its program first; empty if the system can't tell.
pub fn command_line(process: &Process) -> Vec<String> {
    if cfg!(target_os = "linux") {
        let bytes = std::fs::read(format!("/proc/{}/cmdline", process.id)).unwrap_or_default();
        return process::words_of_proc(&bytes);
    }
    let id = process.id.to_string();
    let line = if cfg!(windows) {
        said_by_powershell(&process::powershell_command_line(process.id))
    } else {
        said_by("ps", &["-ww", "-o", "args=", "-p", &id])
    };
    process::words_of_line(&line)
}

/// The working directory of a process; `None` on Windows, which can't be asked.
pub fn working_directory(process: &Process) -> Option<PathBuf> {
    let id = process.id.to_string();
    if cfg!(target_os = "linux") {
        return std::fs::read_link(format!("/proc/{id}/cwd")).ok();
    }
    if cfg!(windows) {
        return None;
    }
    process::directory_of_lsof(&said_by("lsof", &["-a", "-d", "cwd", "-p", &id, "-Fn"]))
}

fn row_of(id: u32) -> Option<ProcessRow> {
    // One read is enough: the kernel returns the whole line, and only its first fields are used.
    let mut bytes = [0; 1_024];
    let mut file = File::open(format!("/proc/{id}/stat")).ok()?;
    let read = file.read(&mut bytes).ok()?;
    process::from_proc_stat(&String::from_utf8_lossy(bytes.get(..read)?))
}

fn by_proc(own: u32, is_last: impl Fn(&ProcessRow) -> bool) -> Vec<Process> {
    let mut found: Vec<Process> = Vec::new();
    let mut next = row_of(own).map(|row| row.parent);
    while let Some(mut row) = next.and_then(row_of) {
        call_after_script(&mut row.process);
        let is_over = is_last(&row) || found.len() + 1 == MOST_ANCESTORS;
        found.push(row.process);
        next = (!is_over).then_some(row.parent);
    }
    found
}

fn said_by_powershell(command: &str) -> String {
    said_by(
        "powershell",
        &["-NoProfile", "-NonInteractive", "-Command", command],
    )
}

fn said_by(program: &str, arguments: &[&str]) -> String {
    std::process::Command::new(program)
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    /// Tests the macOS code path with the local `ps`.
    #[test]
    #[cfg(target_os = "linux")]
    fn ps_lists_the_same_ancestors() {
        use crate::model::session::process;
        use crate::model::session::process::PS;
        let rows = process::from_ps(&super::said_by("ps", &PS));
        let by_ps = process::ancestors_in(&rows, std::process::id());
        let numbers = |found: &[super::Process]| found.iter().map(|it| it.id).collect::<Vec<_>>();
        assert_eq!(numbers(&by_ps), numbers(&super::ancestors()));
        let words = super::said_by("ps", &["-ww", "-o", "args=", "-p", "1"]);
        assert!(!process::words_of_line(&words).is_empty());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_nearest_ancestor_is_the_parent() {
        let parent = std::os::unix::process::parent_id();
        let ancestors = super::ancestors();
        assert_eq!(ancestors[0].id, parent);
        assert_eq!(ancestors.last().unwrap().id, 1);
        assert!(ancestors.starts_with(&super::ancestors_of_hook()));
    }

    /// As in a container whose first process waits for nobody.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_that_ended_does_not_run_though_nobody_waited_for_it() {
        use std::io::Read as _;
        use std::process::{Command, Stdio};
        use std::time::{Duration, Instant};
        let deadline = Instant::now() + Duration::from_mins(1);
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let process = super::process_of(child.id()).unwrap();
        assert!(super::is_running(process.id, &process.started));
        drop(child.stdin.take());
        let mut output = child.stdout.take().unwrap();
        output.read_to_end(&mut Vec::new()).unwrap();
        // Its output is closed a moment before it ends.
        while !std::fs::read_to_string(format!("/proc/{}/stat", process.id))
            .unwrap()
            .contains(") Z ")
        {
            assert!(Instant::now() < deadline, "cat does not end");
            std::thread::yield_now();
        }
        assert!(!super::is_running(process.id, &process.started));
        child.wait().unwrap();
    }
}
