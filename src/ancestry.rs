//! The processes above this one: how a server finds the host that its hooks were called by.

use crate::model::process::{self, MOST_ANCESTORS, Process};

/// The ancestors of this process, nearest first; none where the system does not tell.
pub fn ancestors() -> Vec<Process> {
    let own = std::process::id();
    if cfg!(windows) {
        let arguments = [
            "-NoProfile",
            "-NonInteractive",
            "-Command",
            process::POWERSHELL,
        ];
        return process::ancestors_in(
            &process::from_powershell(&said_by("powershell", &arguments)),
            own,
        );
    }
    if cfg!(target_os = "linux") {
        return by_proc(own);
    }
    process::ancestors_in(&process::from_ps(&said_by("ps", &process::PS)), own)
}

fn by_proc(own: u32) -> Vec<Process> {
    let row = |id: u32| {
        let bytes = std::fs::read(format!("/proc/{id}/stat")).ok()?;
        process::from_proc_stat(&String::from_utf8_lossy(&bytes))
    };
    let mut found = Vec::new();
    let mut next = row(own).map(|row| row.parent);
    while let Some(row) = next.and_then(row) {
        found.push(row.process);
        next = (found.len() < MOST_ANCESTORS).then_some(row.parent);
    }
    found
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
    #[test]
    #[cfg(target_os = "linux")]
    fn the_nearest_ancestor_is_the_parent() {
        let parent = std::os::unix::process::parent_id();
        let ancestors = super::ancestors();
        assert_eq!(ancestors[0].id, parent);
        assert_eq!(ancestors.last().unwrap().id, 1);
    }
}
