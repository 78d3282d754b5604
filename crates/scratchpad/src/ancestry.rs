//! The ancestors of this process: how a server finds the host whose hooks announced the session.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use crate::model::session::process;
use crate::model::session::process::{MOST_ANCESTORS, Process};

/// The ancestors of this process, nearest first; empty if the system can't list them.
pub fn ancestors() -> Vec<Process> {
    up_to(|_| false)
}

/// The ancestors up to the host. A hook needs no more, and must be fast.
pub fn ancestors_to_host() -> Vec<Process> {
    up_to(Process::is_host)
}

fn up_to(is_last: impl Fn(&Process) -> bool) -> Vec<Process> {
    let own = std::process::id();
    if cfg!(windows) {
        let rows = process::from_powershell(&said_by_powershell(process::POWERSHELL));
        return process::ancestors_in(&rows, own);
    }
    if cfg!(target_os = "linux") {
        return by_proc(own, is_last);
    }
    process::ancestors_in(&process::from_ps(&said_by("ps", &process::PS)), own)
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

fn by_proc(own: u32, is_last: impl Fn(&Process) -> bool) -> Vec<Process> {
    let row = |id: u32| {
        // One read is enough: the kernel returns the whole line, and only its first fields are used.
        let mut bytes = [0; 1_024];
        let mut file = File::open(format!("/proc/{id}/stat")).ok()?;
        let read = file.read(&mut bytes).ok()?;
        process::from_proc_stat(&String::from_utf8_lossy(bytes.get(..read)?))
    };
    let mut found: Vec<Process> = Vec::new();
    let mut next = row(own).map(|row| row.parent);
    while let Some(row) = next.and_then(row) {
        let is_over = is_last(&row.process) || found.len() + 1 == MOST_ANCESTORS;
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
    use crate::model::session::process::host_of;

    /// Tests the macOS code path with the local `ps`.
    #[test]
    #[cfg(target_os = "linux")]
    fn ps_tells_the_same_ancestors() {
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
        let to_host = super::ancestors_to_host();
        assert!(ancestors.starts_with(&to_host));
        assert_eq!(host_of(&to_host), host_of(&ancestors));
    }
}
