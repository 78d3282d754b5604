//! Untrusted files lead nowhere: links in a repository, other users' directories, endless files.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;

use crate::support::Machine;
use crate::support::http::{HttpServer, write_private};
use serde_json::json;
use snapbox::{assert_data_eq, str};

#[test]
fn a_link_in_the_repository_leads_nobody_out_of_it() {
    let machine = Machine::new();
    let theirs = machine.project().join("../private");
    let text = "notes: [x]\nalias: ls\n";
    fs::write(&theirs, text).unwrap();
    symlink("../private", machine.project().join("CLAUDE.md")).unwrap();
    assert_data_eq!(
        machine
            .run(&["inject", "--tool", "claude", "--tool", "codex"])
            .err,
        str![[r#"
Error: [ROOT]/project/CLAUDE.md leads outside the project, by a link to [ROOT]/private. Nothing was changed.
Hint: replace the link with a file, if you want it there.

"#]]
    );
    assert!(
        machine.project().join("AGENTS.md").is_file(),
        "the others are done"
    );

    fs::create_dir(machine.project().join(".scratchpad")).unwrap();
    let notes = machine.project().join(".scratchpad/scratch.yaml");
    symlink("../../private", &notes).unwrap();
    let answer = machine.run(&["context", "add", "y"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.err.contains("outside the project"), "{}", answer.err);

    fs::remove_dir_all(machine.project().join(".scratchpad")).unwrap();
    fs::create_dir(machine.project().join("../elsewhere")).unwrap();
    symlink("../elsewhere", machine.project().join(".scratchpad")).unwrap();
    let answer = machine.run(&["context", "add", "y"]);
    assert!(answer.err.contains("outside the project"), "{}", answer.err);
    let elsewhere = fs::read_dir(machine.project().join("../elsewhere")).unwrap();
    assert_eq!(elsewhere.count(), 0);

    symlink("../private", machine.project().join(".mcp.json")).unwrap();
    let answer = machine.run(&["install", "claude", "--project"]);
    assert_ne!(answer.code, Some(0));
    assert!(answer.err.contains("outside the project"), "{}", answer.err);
    assert_eq!(fs::read_to_string(&theirs).unwrap(), text);
}

#[test]
#[ignore = "heavy: 65 MB"]
fn a_session_log_without_end_is_refused() {
    let machine = Machine::new();
    let path = machine.project().join("log.jsonl");
    let line = format!(
        "{{\"type\":\"custom\",\"customType\":\"openclaw:scratchpad:notes\",\"data\":\"{}\"}}\n",
        "x".repeat(1 << 20)
    );
    let mut file = fs::File::create(&path).unwrap();
    for _ in 0..65 {
        file.write_all(line.as_bytes()).unwrap();
    }
    drop(file);
    let before = fs::metadata(&path).unwrap().len();
    for arguments in [
        &["session", "show", "--journal", "log.jsonl"][..],
        &["session", "set-notes", "y", "--journal", "log.jsonl"],
        &["session", "import", "log.jsonl", "--session", "s"],
    ] {
        assert_data_eq!(
            machine.run(arguments).seen(),
            str![[r#"
exit 1
--- stdout
--- stderr
Error: The session log holds more of this pad than the limit of 67,108,864 bytes. Nothing was changed.
Hint: start a new file with the end of this one: `tail -n 1000 OLD > NEW`; the last entry of each space counts.

"#]]
        );
    }
    assert_eq!(fs::metadata(&path).unwrap().len(), before);
}

#[test]
fn no_log_tells_a_token_and_the_usual_one_tells_no_content() {
    let machine = Machine::new();
    let (token, wrong) = ("0123456789abcdef0123", "wrong-0123456789abcdef");
    write_private(&machine.project().join("token"), token);
    let said = |level: &[&str]| {
        let mut server = HttpServer::start(&machine, &[&["--token-file", "token"], level].concat());
        let call = |token: &str| {
            let header = format!("Bearer {token}");
            let arguments = json!({"action": "set_notes", "content": "a secret", "session": "s"});
            server
                .call_alone(&[("Authorization", &header)], arguments)
                .status
        };
        assert_eq!((call(token), call(wrong)), (200, 401));
        server.child.kill().unwrap();
        let mut said = String::new();
        server.said.read_to_string(&mut said).unwrap();
        said
    };
    let everything = said(&["--log", "trace"]);
    assert!(!everything.is_empty());
    for secret in [token, wrong] {
        assert!(!everything.contains(secret), "{everything}");
    }
    assert!(!said(&[]).contains("secret"));
}

#[test]
fn nesting_without_end_is_an_error_and_no_crash() {
    const DEPTH: usize = 100_000;
    let machine = Machine::new();
    let deep = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let write = |path: &str, text: String| fs::write(machine.project().join(path), text).unwrap();
    fs::create_dir(machine.project().join(".scratchpad")).unwrap();
    write(".mcp.json", format!("{{\"mcpServers\":{deep}}}"));
    write("servers.toml", format!("mcp_servers = {deep}"));
    write(".scratchpad/scratch.yaml", format!("notes: {deep}"));
    write("log.jsonl", format!("{{\"openclaw:scratchpad\":{deep}}}\n"));
    for (arguments, code) in [
        (&["proxy", "--wrap", ".mcp.json"][..], 1),
        (&["proxy", "--wrap", "servers.toml"], 1),
        (&["context", "list"], 1),
        // A line that can't be parsed belongs to another program.
        (&["session", "show", "--journal", "log.jsonl"], 0),
        (&["call", "add_note", &deep[..DEPTH], "--session", "s"], 2),
    ] {
        let answer = machine.run(arguments);
        assert_eq!(answer.code, Some(code), "{}", answer.err);
    }
    write(".scratchpad/config.toml", format!("a = {deep}"));
    let answer = machine.run(&["session", "list"]);
    assert!(answer.err.contains("is not valid TOML"), "{answer:?}");
    assert_eq!(answer.code, Some(0));
    fs::remove_file(machine.project().join(".scratchpad/config.toml")).unwrap();
    let event = format!(
        "{{\"session_id\":\"s\",\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":{deep}}}"
    );
    assert_eq!(
        machine.run_with(&["hook", "claude"], event.as_bytes()).ok(),
        ""
    );
}
