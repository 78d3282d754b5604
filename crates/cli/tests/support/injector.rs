//! The fault injector (`tests/faults/injector.c`), for tests that end a process at an exact point.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// More system calls than any command makes.
const MOST_CALLS: u32 = 3_000;

/// The library to preload, built once per test binary.
pub fn injector() -> &'static Path {
    static BUILT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let build = || {
        let directory = tempfile::tempdir().unwrap();
        let library = directory.path().join("injector.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/injector.c");
        let built = Command::new("cc")
            .args(["-O1", "-shared", "-fPIC", "-o"])
            .arg(&library)
            .args([source, "-ldl"])
            .status();
        assert!(built.expect("a C compiler").success());
        (directory, library)
    };
    &BUILT.get_or_init(build).1
}

/// Lets the process kill itself before its system call of this number on files under a directory (all files and
/// sockets if that is empty).
pub fn kill_at(command: &mut Command, under: &str, call: u32) {
    command
        .env("LD_PRELOAD", injector())
        .env("FAULT_UNDER", under)
        .env("FAULT_KILL_AT", call.to_string());
}

/// Calls `run` with 1, 2, 3, … until it returns that the process survived all its calls; returns how many
/// processes were killed.
pub fn at_every_call(mut run: impl FnMut(u32) -> bool) -> u32 {
    let whole = (1..MOST_CALLS).find(|call| run(*call));
    whole.expect("a process makes fewer calls than this") - 1
}
