//! `mcp --http` and `mcp --unix`: who is let in.

use std::fs;

use serde_json::json;
use snapbox::{assert_data_eq, str};

use crate::support::Machine;
use crate::support::http::HttpServer;
#[cfg(unix)]
use crate::support::mode;

const SERVE: [&str; 3] = ["mcp", "--http", "127.0.0.1:0"];

fn status(server: &HttpServer, token: Option<&str>) -> u16 {
    let header = token.map(|token| format!("Bearer {token}"));
    let headers: Vec<(&str, &str)> = header
        .iter()
        .map(|value| ("Authorization", value.as_str()))
        .collect();
    let arguments = json!({"action": "get", "session": "s"});
    server.call_alone(&headers, arguments).status
}

#[test]
fn over_http_a_token_is_made_and_shown_once_and_nobody_is_served_without_it() {
    let machine = Machine::new();
    let mut server = HttpServer::launch(&machine, &SERVE, &[]);
    let shown = server.next_line();
    let token = shown
        .strip_prefix("Clients must send this token, shown once: ")
        .unwrap();
    assert!(token.len() >= 40, "{token}");
    let kept = server.next_line();
    let path = kept.strip_prefix("It is kept in ").unwrap();
    assert_eq!(fs::read_to_string(path).unwrap().trim(), token);
    #[cfg(unix)]
    assert_eq!(mode(path.as_ref()), 0o600);
    assert_eq!(status(&server, None), 401);
    assert_eq!(status(&server, Some(&format!("{token}x"))), 401);
    assert_eq!(status(&server, Some(token)), 200);

    let mut next = HttpServer::launch(&machine, &SERVE, &[]);
    let said = next.next_line();
    assert_eq!(said, format!("Clients must send the token in {path}"));
    assert_eq!(status(&next, None), 401);
    assert_eq!(status(&next, Some(token)), 200);

    // Who wants none says so.
    let open = [SERVE.as_slice(), &["--no-token"]].concat();
    assert_eq!(status(&HttpServer::launch(&machine, &open, &[]), None), 200);
}

#[cfg(unix)]
#[test]
fn a_token_that_other_users_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    let file = machine.project().join("token");
    fs::write(&file, "0123456789abcdef0123\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let refused = machine.run(&[SERVE.as_slice(), &["--token-file", "token"]].concat());
    assert_data_eq!(
        refused.seen(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: Other users of this machine can read the token in token.
Hint: put a new token into it after `chmod 600 token`.

"#]]
    );
    // The program's own token is no exception.
    drop(HttpServer::launch(&machine, &SERVE, &[]));
    let own = machine.home().join("mcp-token");
    fs::set_permissions(&own, fs::Permissions::from_mode(0o604)).unwrap();
    let refused = machine.run(&SERVE);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("Other users of this machine"));
}

#[cfg(unix)]
#[test]
fn a_socket_is_for_its_owner_alone_and_replaced_only_when_nobody_listens() {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixStream;
    let machine = Machine::new();
    let socket = machine.project().join("pad.socket");
    let serve = ["mcp", "--unix", "pad.socket"];
    let refusal = || machine.run(&serve).seen();
    let launch = || {
        let server = HttpServer::launch(&machine, &serve, &[]);
        assert_eq!(mode(&socket), 0o600);
        let mut stream = UnixStream::connect(&socket).unwrap();
        let request = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        stream.write_all(request).unwrap();
        assert_eq!(HttpServer::response(stream).status, 404);
        server
    };

    fs::write(&socket, "mine").unwrap();
    assert_data_eq!(
        refusal(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: pad.socket is not a socket of yours. Nothing was changed.
Hint: choose another path.

"#]]
    );
    assert_eq!(fs::read(&socket).unwrap(), b"mine");
    fs::remove_file(&socket).unwrap();

    let mut killed = launch();
    assert_data_eq!(
        refusal(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: Another server already listens on pad.socket.
Hint: use that one, or choose another path.

"#]]
    );
    killed.child.kill().unwrap();
    killed.child.wait().unwrap();
    assert!(socket.exists());
    let mut ended = launch();
    ended.tell_to_end();
    assert!(ended.child.wait().unwrap().success());
    assert!(!socket.exists());

    fs::set_permissions(machine.project(), fs::Permissions::from_mode(0o777)).unwrap();
    assert_data_eq!(
        refusal(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: Other users can replace files in ., so a socket there is not safe.
Hint: choose a directory of your own, such as $XDG_RUNTIME_DIR.

"#]]
    );
}

#[cfg(unix)]
#[test]
fn a_server_that_says_that_it_listens_can_be_told_to_end() {
    let machine = Machine::new();
    for _ in 0..10 {
        let mut server = HttpServer::launch(&machine, &["mcp", "--unix", "pad.socket"], &[]);
        server.tell_to_end();
        let status = server.child.wait().unwrap();
        assert!(status.success(), "{status}");
        assert!(!machine.project().join("pad.socket").exists());
    }
}
