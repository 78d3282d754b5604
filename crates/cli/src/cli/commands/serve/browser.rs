//! Opening the person's browser.

use std::process::{Command, Stdio};

use crate::cli::env;

/// Opens an address; false if nothing here can.
pub(super) fn open(address: &str) -> bool {
    let chosen = env::variable("BROWSER").filter(|name| !name.contains('%'));
    let chosen = chosen.and_then(|names| names.split(':').next().map(str::to_owned));
    let usual: &[&str] = if cfg!(target_os = "macos") {
        &["open"]
    } else if cfg!(windows) {
        &["explorer"]
    } else {
        &["xdg-open", "wslview"]
    };
    let all = chosen
        .iter()
        .map(String::as_str)
        .chain(usual.iter().copied());
    all.filter(|program| !program.is_empty())
        .any(|program| start(program, address))
}

/// Starts a program and does not wait for it: some stay as long as the browser.
fn start(program: &str, address: &str) -> bool {
    let mut command = Command::new(program);
    command
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        return false;
    };
    std::thread::spawn(move || child.wait());
    true
}
