//! The views of the page: what each shows, and what its forms do.

use crate::support::Machine;
use crate::support::outputs::keep;
use crate::support::page::{PageServer, encoded, project_path};

fn session(machine: &Machine, words: &[&str]) {
    let arguments = [&["session"], words, &["--session", "s"]].concat();
    machine.run(&arguments).ok();
}

fn shown(machine: &Machine) -> String {
    machine.run(&["session", "show", "--session", "s"]).ok()
}

#[test]
fn the_page_of_a_project_says_what_its_agents_work_on() {
    let machine = Machine::new();
    let server = PageServer::start(&machine);
    assert!(server.page("/").contains("Nothing is kept yet."));
    session(
        &machine,
        &[
            "set-plan",
            "- [x] read\n- [>] fix the cache key\n- [ ] test",
        ],
    );
    // With one project there is nothing to choose.
    let answer = server.get("/");
    assert_eq!(
        answer.header("location"),
        Some(project_path(&machine).as_str())
    );
    let page = server.page(&project_path(&machine));
    for part in ["fix the cache key", "1 of 3", "Sessions today"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let german = server.send(&server.request(
        "GET",
        &project_path(&machine),
        &[("Accept-Language", "fr, de-AT;q=0.8")],
        "",
    ));
    for part in ["<html lang=\"de\"", "1 von 3", "Sitzungen heute"] {
        assert!(german.body.contains(part), "{part}: {}", german.body);
    }
}

#[test]
fn what_is_written_undone_and_restored_on_the_page_is_a_revision() {
    let machine = Machine::new();
    session(&machine, &["set-notes", "one two three"]);
    session(&machine, &["set-notes", "one 2 three"]);
    let server = PageServer::start(&machine);
    let diff = server.page("/s/s/r/2");
    assert!(
        diff.contains("one <del>two</del><ins>2</ins> three"),
        "{diff}"
    );
    let written = server.post(
        "/s/s/write",
        &[("space", "notes"), ("text", "a\r\nb"), ("seen", "2")],
    );
    assert_eq!(written.header("location"), Some("/s/s?done=saved"));
    assert!(
        shown(&machine).contains("a\nb") || shown(&machine).contains("  a"),
        "{}",
        shown(&machine)
    );
    assert_eq!(server.post("/s/s/undo", &[("seen", "3")]).status, 303);
    assert!(server.page("/s/s").contains("one 2 three"));
    assert_eq!(
        server
            .post("/s/s/restore", &[("seen", "4"), ("revision", "1")])
            .status,
        303
    );
    let page = server.page("/s/s");
    assert!(
        page.contains("one two three") && page.contains("<code>restore</code>"),
        "{page}"
    );
}

#[test]
fn an_edit_over_a_newer_revision_changes_nothing_and_shows_both_texts() {
    let machine = Machine::new();
    session(&machine, &["set-notes", "first"]);
    session(&machine, &["set-notes", "by the agent"]);
    session(&machine, &["set-plan", "- [ ] a"]);
    let server = PageServer::start(&machine);
    let answer = server.post(
        "/s/s/write",
        &[("space", "notes"), ("text", "by me"), ("seen", "1")],
    );
    assert_eq!(answer.status, 409);
    for part in ["by the agent", "by me", "revision 2 of the notes"] {
        assert!(answer.body.contains(part), "{part}: {}", answer.body);
    }
    assert!(shown(&machine).contains("by the agent"));
    assert_eq!(server.post("/s/s/undo", &[("seen", "2")]).status, 409);
    // Another space was written meanwhile: that is no conflict.
    let answer = server.post(
        "/s/s/write",
        &[("space", "notes"), ("text", "by me"), ("seen", "2")],
    );
    assert_eq!(answer.status, 303);
    assert!(shown(&machine).contains("by me"));
}

#[test]
fn a_plan_is_ticked_off_on_the_page() {
    let machine = Machine::new();
    session(&machine, &["set-plan", "- [ ] read\n- [>] fix\n- [ ] test"]);
    let server = PageServer::start(&machine);
    let mark = |item: &str, seen: &str, state: &str| {
        let fields = [
            ("space", "mark"),
            ("item", item),
            ("state", state),
            ("seen", seen),
        ];
        assert_eq!(server.post("/s/s/write", &fields).status, 303);
    };
    mark("2", "1", "done");
    let page = server.page("/s/s");
    assert!(
        page.contains("1 of 3") && page.contains("1 done or dropped"),
        "{page}"
    );
    mark("2", "2", "pending");
    assert!(server.page("/s/s").contains("0 of 3"));
}

#[test]
fn the_page_shows_what_the_agent_gets_to_the_last_character() {
    let machine = Machine::new();
    machine.run(&["context", "add", "Deploys are frozen"]).ok();
    machine.run(&["note", "add", "a note"]).ok();
    session(&machine, &["set-plan", "- [x] read\n- [>] fix the cache"]);
    let server = PageServer::start(&machine);
    let page = server.page("/s/s/given?host=claude-code");
    let event =
        r#"{"session_id":"s","hook_event_name":"SessionStart","source":"compact","cwd":"."}"#;
    let hook = machine
        .run_with(&["hook", "claude-code", "--tools"], event.as_bytes())
        .ok();
    let hook: serde_json::Value = serde_json::from_str(&hook).unwrap();
    let given = hook["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    let escaped = given
        .replace('&', "&#38;")
        .replace('<', "&#60;")
        .replace('>', "&#62;");
    let escaped = escaped.replace('"', "&#34;").replace('\'', "&#39;");
    assert!(page.contains(&escaped), "{escaped}\n\n{page}");
    let size = format!("{} characters", given.chars().count());
    assert!(page.contains(&size), "{size}");
    // Nothing was written by looking.
    assert!(page.contains("nothing of the pad yet"), "{page}");
    let page = server.page("/s/s/given?host=claude-code");
    assert!(page.contains("revision 1 of 1"), "{page}");
}

#[test]
fn notes_are_found_pinned_edited_and_deleted_after_a_look_at_what_goes() {
    let machine = Machine::new();
    let add = |text: &str, tag: &str| {
        let answer = machine
            .run(&["note", "add", text, "--tag", tag, "--json"])
            .json();
        answer["note_id"].as_str().unwrap().to_owned()
    };
    let (first, second) = (
        add("deploys need the VPN", "ops"),
        add("tests need a database", "dev"),
    );
    let server = PageServer::start(&machine);
    let notes = format!("{}/notes", project_path(&machine));
    let found = server.page(&format!("{notes}?q=vpn"));
    assert!(
        found.contains(&first) && !found.contains(&second),
        "{found}"
    );
    let found = server.page(&format!("{notes}?tag=dev"));
    assert!(
        !found.contains(&first) && found.contains(&second),
        "{found}"
    );

    assert_eq!(
        server
            .post(&notes, &[("what", "pin"), ("note", &first)])
            .status,
        303
    );
    assert!(
        server
            .page(&project_path(&machine))
            .contains("deploys need the VPN")
    );

    let both = [("what", "delete"), ("note", &first), ("note", &second)];
    let list = server.post(&notes, &both);
    assert!(list.body.contains("Delete 2 notes?"), "{}", list.body);
    assert!(server.page(&notes).contains(&first));
    let sure = [&both[..2], &[("sure", "yes")]].concat();
    assert_eq!(server.post(&notes, &sure).status, 303);
    let left = server.page(&notes);
    assert!(!left.contains(&first) && left.contains(&second), "{left}");

    let root = machine.project().canonicalize().unwrap();
    let project = root.to_str().unwrap();
    let page = server.page(&format!("/n/{second}?project={}", encoded(project)));
    let seen = page
        .split("name=\"seen\" value=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let edit = |text: &str| {
        let fields = [
            ("what", "edit"),
            ("project", project),
            ("seen", seen),
            ("tags", "dev, ci"),
            ("text", text),
        ];
        server.post(&format!("/n/{second}"), &fields)
    };
    assert_eq!(edit("tests need PostgreSQL").status, 303);
    let listed = machine.run(&["note", "list"]).ok();
    assert!(
        listed.contains("tests need PostgreSQL") && listed.contains("ci"),
        "{listed}"
    );
    let late = edit("over it");
    assert_eq!(late.status, 409);
    assert!(late.body.contains("tests need PostgreSQL") && late.body.contains("over it"));
}

#[test]
fn an_output_is_read_as_lines_a_tree_or_a_table_and_searched() {
    let machine = Machine::new();
    let log: String = (1..=2_000).map(|n| format!("line {n}\n")).collect();
    let log = keep(
        &machine,
        "cargo test",
        (log + "error: it failed\n").as_bytes(),
    );
    let rows: Vec<_> = (0..300)
        .map(|n| serde_json::json!({"id": n, "name": format!("n{}", 999 - n), "deep": {"a": [n]}}))
        .collect();
    let json = keep(
        &machine,
        "api",
        serde_json::to_string(&rows).unwrap().as_bytes(),
    );
    let csv: String = (0..500)
        .map(|n| format!("{n},\"a, {}\"\n", 1_000 - n))
        .collect();
    let csv = keep(&machine, "export", format!("id,name\n{csv}").as_bytes());
    let server = PageServer::start(&machine);

    let page = server.page(&format!("/o/{log}"));
    assert!(
        page.contains("id=\"L500\"") && !page.contains("id=\"L501\""),
        "{page}"
    );
    let next = page
        .split("class=\"pages\"><a href=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let page = server.page(&next.replace("&#38;", "&"));
    assert!(
        page.contains("id=\"L501\"") && page.contains("line 501<"),
        "{page}"
    );
    let page = server.page(&format!("/o/{log}?lines=-1"));
    assert!(
        page.contains("id=\"L2001\"")
            && page.contains("<b class=\"bad\">error</b>: it <b class=\"bad\">failed</b>"),
        "{page}"
    );
    let page = server.page(&format!("/o/{log}?grep=line+19.9%24"));
    assert!(
        page.contains("line 1909") && !page.contains("line 1800"),
        "{page}"
    );
    assert!(
        server
            .page(&format!("/o/{log}?grep=%28"))
            .contains("role=\"alert\"")
    );

    let page = server.page(&format!("/o/{json}"));
    assert!(
        page.contains("300 entries") && page.contains("%5B99%5D") && !page.contains("%5B100%5D"),
        "{page}"
    );
    let page = server.page(&format!("/o/{json}?view=tree&path=%5B7%2C%22deep%22%5D"));
    assert!(page.contains("<code>$[7].deep</code>"), "{page}");
    let page = server.page(&format!("/o/{json}?view=table&sort=name"));
    let (first, last) = (
        page.find("<td>n700</td>").unwrap(),
        page.find("<td>n701</td>").unwrap(),
    );
    assert!(first < last && !page.contains("<td>n999</td>"), "{page}");

    let page = server.page(&format!("/o/{csv}"));
    assert!(
        page.contains("<td>a, 1000</td>") && page.contains("<td>199</td>"),
        "{page}"
    );
    assert!(!page.contains("<td>200</td>"));
    let page = server.page(&format!("/o/{csv}?view=table&sort=id&down=1"));
    assert!(
        page.contains("<td>499</td>") && !page.contains("<td>299</td>"),
        "{page}"
    );

    let raw = server.get(&format!("/o/{csv}/raw"));
    assert_eq!(raw.body.lines().count(), 501);
    let outputs = format!("{}/outputs", project_path(&machine));
    let found = server.page(&format!("{outputs}?q=line+1234"));
    assert!(found.contains(&log) && !found.contains(&json), "{found}");
    let root = machine.project().canonicalize().unwrap();
    let fields = [("project", root.to_str().unwrap())];
    assert_eq!(
        server.post(&format!("/o/{json}/delete"), &fields).status,
        303
    );
    assert_eq!(server.get(&format!("/o/{json}")).status, 404);
}

#[test]
fn the_health_page_says_how_store_and_hosts_are() {
    let machine = Machine::new();
    session(&machine, &["set-notes", "x"]);
    let server = PageServer::start(&machine);
    let page = server.page("/health");
    assert!(page.contains("Good") && page.contains("Hosts"), "{page}");
}
