//! What another user put in the way leads nowhere. Making that user's files needs root; `scripts/test` runs these as root.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;

use crate::support::Machine;
use snapbox::{assert_data_eq, str};

/// Neither the person who runs the program nor the system.
const STRANGER: u32 = 54_321;

#[test]
#[ignore = "needs root: files of another user"]
fn what_a_stranger_put_above_the_directory_is_not_a_project() {
    let machine = Machine::new();
    let above = machine.project().parent().unwrap().to_owned();
    fs::remove_dir(machine.project().join(".git")).unwrap();
    let mark = above.join(".scratchpad");
    fs::create_dir(&mark).unwrap();
    fs::write(mark.join("config.toml"), "[pad]\nnotes_max_chars = 3\n").unwrap();
    let write = || {
        machine
            .run(&["session", "set-notes", "four", "--session", "s"])
            .ok()
    };
    assert!(write().starts_with("Notes cut to 3 chars"));
    chown(&mark, Some(STRANGER), None).unwrap();
    assert_eq!(write(), "Notes saved (4 / 4000 chars).\n");
}

#[test]
#[ignore = "needs root: files of another user"]
fn data_is_not_kept_in_a_place_of_somebody_else() {
    let machine = Machine::new();
    let root = machine.project().parent().unwrap().to_owned();
    // Everybody may go there, as in a directory for temporary files.
    for path in [&root, &machine.project()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    fs::create_dir(machine.home()).unwrap();
    fs::set_permissions(machine.home(), fs::Permissions::from_mode(0o777)).unwrap();
    chown(machine.home(), Some(STRANGER), None).unwrap();
    // A copy that any user may run.
    let program = root.join("scratchpad");
    fs::copy(env!("CARGO_BIN_EXE_scratchpad"), &program).unwrap();
    let answer = std::process::Command::new(program)
        .args(["session", "set-notes", "secret", "--session", "s"])
        .current_dir(machine.project())
        .env_clear()
        .env("SCRATCHPAD_HOME", machine.home())
        .uid(STRANGER + 1)
        .output()
        .unwrap();
    assert_data_eq!(
        machine.answer(answer).seen(),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: [ROOT]/home belongs to another user (uid 54321), who could read and change what is kept there. Nothing was changed.
Hint: choose a directory of your own with SCRATCHPAD_HOME=DIR.

"#]]
    );
    assert_eq!(fs::read_dir(machine.home()).unwrap().count(), 0);
}
