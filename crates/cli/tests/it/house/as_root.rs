//! What another user created is not trusted. Creating such files needs root; `scripts/test` runs these tests as root.

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

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs root: another user"]
fn a_server_on_a_socket_hangs_up_on_another_user() {
    use crate::support::http::HttpServer;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    let machine = Machine::new();
    let socket = machine.project().join("pad.socket");
    let mut server = HttpServer::launch(&machine, &["mcp", "--unix", "pad.socket"], &[]);
    // As if the kernel had accepted the other user's connection.
    for path in [&machine.project(), machine.project().parent().unwrap()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o666)).unwrap();
    let ask = move || {
        let mut stream = UnixStream::connect(&socket).unwrap();
        // The server may have closed the connection already.
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    };
    let own = ask.clone();
    let foreign = std::thread::spawn(move || {
        let stranger = rustix::process::Uid::from_raw(STRANGER);
        rustix::thread::set_thread_res_uid(stranger, stranger, stranger).unwrap();
        ask()
    });
    assert_eq!(foreign.join().unwrap(), "");
    assert!(own().starts_with("HTTP/1.1 404"));
    server.tell_to_end();
    assert!(server.child.wait().unwrap().success());
}
