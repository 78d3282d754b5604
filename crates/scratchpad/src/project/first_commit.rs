//! The first commit of a repository, which stays when it is copied to another disk. Runs git: not for hooks.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::child;
use crate::child::Group;

/// How long git may take.
const PATIENCE: Duration = Duration::from_secs(1);
/// The most that is read of its answer: a repository may have several first commits.
const MOST_BYTES: u64 = 64 << 10;

/// The oldest commit without parents; `None` if there is none yet, or git can't tell soon.
pub fn first_commit(shared: &Path) -> Option<String> {
    // What was not fetched is not the first.
    if shared.join("shallow").exists() {
        return None;
    }
    let mut git = Command::new("git");
    git.arg("--git-dir")
        .arg(shared)
        .args(["rev-list", "--max-parents=0", "HEAD"])
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        // A partial clone would fetch what is missing.
        .env("GIT_NO_LAZY_FETCH", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let (git, pipes) = child::spawn(git, Group::Own).ok()?;
    let mut answer = pipes.stdout?.take(MOST_BYTES);
    let (said, heard) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = answer.read_to_string(&mut text);
        let _ = said.send(read.map(|_| text));
    });
    let answer = heard.recv_timeout(PATIENCE);
    if answer.is_err() {
        git.kill();
    }
    let has_succeeded = git.wait().is_ok_and(|status| status.success());
    let text = answer.ok()?.ok().filter(|_| has_succeeded)?;
    let last = text.lines().last()?.trim();
    let is_id = last.len() >= 40 && last.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| last.to_owned())
}
