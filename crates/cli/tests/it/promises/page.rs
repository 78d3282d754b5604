//! `serve`: who is let in, and that the page is live.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::support::Machine;
use crate::support::page::{PageServer, form, project_path};

#[test]
fn the_page_is_only_for_who_has_a_link_which_opens_once() {
    let machine = Machine::new();
    machine.run(&["session", "set-plan", "a secret plan"]).ok();
    let mut server = PageServer::launch(&machine, &[]);
    for path in [
        "/",
        "/health",
        &project_path(&machine),
        "/stream",
        "/login/once/x",
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 401, "{path}");
        assert!(!answer.body.contains("secret"), "{path}");
    }
    let path = server.link_path();
    let opened = server.get(&path);
    assert_eq!((opened.status, opened.header("location")), (303, Some("/")));
    let cookie = opened.header("set-cookie").unwrap().to_owned();
    assert!(
        cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"),
        "{cookie}"
    );
    assert!(!path.contains(cookie.split(['=', ';']).nth(1).unwrap()));
    assert_eq!(server.get(&path).status, 401);

    cookie
        .split(';')
        .next()
        .unwrap()
        .clone_into(&mut server.cookie);
    assert!(
        server
            .page(&project_path(&machine))
            .contains("a secret plan")
    );
    assert_eq!(server.post("/logout", &[]).status, 303);
    assert_eq!(server.get("/").status, 401);
}

#[test]
fn a_second_serve_gets_a_new_link_for_the_server_that_is_there() {
    let machine = Machine::new();
    let server = PageServer::launch(&machine, &[]);
    let said = machine.command(&["serve", "--open", "--listen", &server.address]);
    let mut command = said;
    let answer = machine.answer(command.env("BROWSER", "true").output().unwrap());
    assert!(
        answer.err.contains("A server is running there already"),
        "{answer:?}"
    );
    let path = answer
        .out
        .trim()
        .split(&server.address)
        .nth(1)
        .unwrap()
        .to_owned();
    assert_eq!(server.get(&path).status, 303);
    assert_eq!(server.get(&path).status, 401);
}

#[test]
fn only_a_form_of_the_page_changes_anything_and_only_under_its_own_name() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-notes", "as it was", "--session", "s"])
        .ok();
    let server = PageServer::start(&machine);
    let body = form(&[("space", "notes"), ("text", "changed"), ("seen", "1")]);
    let origin = format!("http://{}", server.address);
    let other_port = "http://127.0.0.1:1";
    for headers in [
        vec![],
        vec![("Origin", origin.as_str())],
        vec![("Origin", "null"), ("Sec-Fetch-Site", "same-origin")],
        vec![
            ("Origin", "https://evil.example"),
            ("Sec-Fetch-Site", "same-origin"),
        ],
        vec![("Origin", other_port), ("Sec-Fetch-Site", "same-origin")],
        vec![("Origin", origin.as_str()), ("Sec-Fetch-Site", "same-site")],
        vec![
            ("Origin", origin.as_str()),
            ("Sec-Fetch-Site", "cross-site"),
        ],
    ] {
        let answer = server.send(&server.request("POST", "/s/s/write", &headers, &body));
        assert_eq!(answer.status, 403, "{headers:?}");
    }
    let evil = [("Host", "evil.example")];
    assert_eq!(
        server.send(&server.request("GET", "/", &evil, "")).status,
        403
    );
    let shown = machine.run(&["session", "show", "--session", "s"]).ok();
    assert!(shown.contains("as it was"), "{shown}");
    assert_eq!(
        server
            .send(&server.request(
                "PUT",
                "/s/s/write",
                &[("Origin", &origin), ("Sec-Fetch-Site", "same-origin")],
                ""
            ))
            .status,
        405
    );
}

#[test]
fn every_answer_forbids_what_the_page_does_not_need() {
    let machine = Machine::new();
    let server = PageServer::start(&machine);
    let stylesheet = server.page("/health");
    let stylesheet = stylesheet
        .split("href=\"")
        .find(|it| it.contains(".css"))
        .unwrap();
    let stylesheet = stylesheet.split('"').next().unwrap();
    for path in ["/", "/health", "/nothing", stylesheet] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; "),
            "{policy}"
        );
        assert!(policy.ends_with("require-trusted-types-for 'script'; trusted-types fragment"));
        assert!(!policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path}");
        }
        let kept = answer.header("cache-control").unwrap();
        assert_eq!(
            kept.contains("immutable"),
            path == stylesheet,
            "{path}: {kept}"
        );
    }
}

#[test]
fn the_page_listens_only_where_nobody_else_comes() {
    let machine = Machine::new();
    let answer = machine.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(
        answer.err.contains("can be reached from other machines"),
        "{answer:?}"
    );
}

#[test]
fn a_write_by_any_process_is_announced_at_once() {
    let machine = Machine::new();
    machine
        .run(&["session", "set-plan", "- [ ] a", "--session", "s"])
        .ok();
    let server = PageServer::start(&machine);
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_mins(1)))
        .unwrap();
    stream
        .write_all(server.request("GET", "/stream", &[], "").as_bytes())
        .unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    lines.find(|line| line == "event: hello").unwrap();
    // What was written before the watcher began.
    lines.find(|line| line == "event: changed").unwrap();
    for arguments in [
        &["session", "set-plan", "- [x] a", "--session", "s"][..],
        &["note", "add", "noted"],
        &[
            "call",
            "session_scratchpad",
            r#"{"action":"set_notes","content":"n","session":"t"}"#,
        ],
    ] {
        machine.run(arguments).ok();
        let written = Instant::now();
        lines.find(|line| line == "event: changed").unwrap();
        // Two looks fit into this; a busy machine gets more time than the promise of 0.4 s.
        assert!(
            written.elapsed() < Duration::from_secs(4),
            "{arguments:?}: {:?}",
            written.elapsed()
        );
    }
    assert!(server.page(&project_path(&machine)).contains("All done"));
}
