//! `search`: through pads, notes and outputs at once.

use snapbox::{assert_data_eq, str};

use crate::support::Machine;

fn filled() -> Machine {
    let machine = Machine::new();
    let run = |arguments: &[&str]| machine.run(arguments).ok();
    run(&[
        "session",
        "set-plan",
        "1. read\n2. fix the VPN check",
        "--session",
        "one",
    ]);
    run(&["session", "refs", "add", "docs/vpn.md", "--session", "two"]);
    run(&[
        "note",
        "add",
        "Deploys need the vpn",
        "--scope",
        "project",
        "--session",
        "one",
    ]);
    run(&["note", "add", "only here: vpn", "--session", "two"]);
    run(&["note", "add", "tagged", "--tag", "VPN", "--session", "two"]);
    run(&["note", "add", "something else", "--session", "two"]);
    let log = format!("{}vpn: connection refused\n", "line\n".repeat(2_000));
    machine
        .run_with(
            &["output", "put", "--tool", "log", "--session", "one"],
            log.as_bytes(),
        )
        .ok();
    machine
}

/// What is found, without the digits of ids.
fn found(machine: &Machine, arguments: &[&str]) -> Vec<String> {
    let found = machine.run(&[&["search"], arguments, &["--json"]].concat());
    let found = found.json()["found"].as_array().unwrap().clone();
    let line = |found: serde_json::Value| {
        let text = |key: &str| found[key].as_str().unwrap().to_owned();
        format!("{}: {}", text("kind"), text("text"))
    };
    let mut lines: Vec<String> = found.into_iter().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn a_search_looks_through_pads_notes_and_outputs_of_the_project() {
    let machine = filled();
    assert_eq!(
        found(&machine, &["vpn"]),
        [
            "note: Deploys need the vpn",
            "note: VPN",
            "note: only here: vpn",
            "output: vpn: connection refused",
            "plan: 2. fix the VPN check",
            "refs: docs/vpn.md",
        ]
    );
    let said = machine.run(&["search", "connection refused"]);
    assert_data_eq!(
        said.seen(),
        str![[r#"
exit 0
--- stdout
ID            WHAT    AGE       FIRST MATCH
[..]  output  just now  vpn: connection refused
--- stderr

"#]]
    );
}

#[test]
fn a_search_everywhere_finds_other_projects_too() {
    let machine = filled();
    let other = machine.project().join("../other/.git");
    std::fs::create_dir_all(&other).unwrap();
    let root = other.parent().unwrap().canonicalize().unwrap();
    let there = ["--project-dir", root.to_str().unwrap()];
    assert_eq!(
        found(&machine, &[&["vpn"][..], &there].concat()),
        [] as [&str; 0]
    );
    let everywhere = found(&machine, &[&["vpn", "--everywhere"][..], &there].concat());
    assert_eq!(everywhere.len(), 6);
    assert_eq!(
        found(&machine, &["vpn", "--everywhere", "--limit", "1"]).len(),
        3
    );
    // That project has no session, but now something to find.
    let note = ["note", "add", "a zebra", "--scope", "project"];
    machine.run(&[&note[..], &there].concat()).ok();
    let log = format!("{}a zebra\n", "line\n".repeat(2_000));
    let put = [&["output", "put"][..], &there].concat();
    machine.run_with(&put, log.as_bytes()).ok();
    let sessions = [&["session", "list", "--json"][..], &there].concat();
    assert_eq!(
        machine.run(&sessions).json()["sessions"],
        serde_json::json!([])
    );
    let wanted = ["note: a zebra", "output: a zebra"];
    assert_eq!(found(&machine, &["zebra", "--everywhere"]), wanted);
    assert_eq!(found(&machine, &["zebra"]), [] as [&str; 0]);
}

#[test]
fn where_nothing_is_found_a_search_says_so() {
    let machine = filled();
    let answer = machine.run(&["search", "nowhere"]);
    assert_eq!((answer.code, answer.out.as_str()), (Some(0), ""));
    assert_eq!(answer.err, "Nothing contains \"nowhere\".\n");
    assert_eq!(machine.run(&["search", " "]).code, Some(1));
}

#[test]
#[cfg(unix)]
fn matches_are_in_colour_on_a_terminal_and_content_can_not_steer_it() {
    use crate::support::terminal::Terminal;
    let machine = filled();
    let hostile = "the vpn \u{1b}[2J is down";
    machine
        .run(&["session", "set-notes", hostile, "--session", "h"])
        .ok();
    for command in [&["search", "vpn"][..], &["note", "search", "vpn"]] {
        let (seen, _) = Terminal::start(machine.command(command), 100, 40).finish();
        assert!(seen.contains("\u{1b}[1;33mvpn\u{1b}[0m"), "{seen:?}");
        assert!(!seen.contains("\u{1b}[2J"), "{seen:?}");
        let mut plain = machine.command(command);
        plain.env("NO_COLOR", "1");
        let (seen, _) = Terminal::start(plain, 100, 40).finish();
        assert!(!seen.contains('\u{1b}'), "{seen:?}");
    }
}
