//! The page in a real browser: Chromium, driven by `tests/page/browser.mjs` with `playwright-core`, and looked at by `axe`.
//!
//! `SCREENSHOTS=docs` keeps the pictures of docs/page.md, with `SCREENSHOTS_ALL=1` one of each view at each size in both schemes;
//! without it they are taken and thrown away.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::Machine;
use crate::support::clients::{installed, root};
use crate::support::outputs::keep;
use crate::support::page::{PageServer, project_path};

const PLAN: &str = "\
- [x] Reproduce the stale cache on main
- [x] Write the failing test in tests/cache.rs
- [>] Fix the cache key: include the locale
- [ ] Run the whole suite
  - [ ] and once with the feature `slow`
- [!] Ask Mira about the CDN's TTL
- [ ] Update the changelog
- [-] Rename CacheKey";
const NOTES: &str = "\
Root cause: key is built in src/cache/key.rs:41 from path and query only, so /de and /en share an entry.

- API is at /v2, tests need a database: docker compose up db
- The TTL comes from the CDN config, not from us
- Don't touch src/cache/legacy.rs: it goes in 3.0";

/// A project as it is after some weeks: 200 sessions, notes at their limit, outputs of each kind, one of 100 MB.
fn lived_in(machine: &Machine, large: usize) -> (String, String, String, String) {
    let tasks = [
        "- [x] Read the ADR\n- [>] Move the retry loop into the client\n- [ ] Tests for timeouts",
        "- [x] Bisect\n- [x] Fix off-by-one in pagination\n- [x] Changelog",
        "Investigate why CI is slow on macOS",
        "- [x] Draft schema\n- [!] Waiting for a review of the migration\n- [ ] Backfill",
        "- [>] Upgrade axum to 0.8 and fix the breaking changes in the extractors",
    ];
    let mut lines = String::new();
    for number in 0..200 {
        let plan = tasks[number % tasks.len()];
        let (id, call) = (
            format!("old-{number:03}"),
            json!({"action": "set_plan", "content": plan}),
        );
        lines.push_str(&format!("{id}\t{call}\n"));
    }
    let library = scratchpad::Scratchpad::open(machine.home()).unwrap();
    let project = machine.project().canonicalize().unwrap();
    let library = library.in_project(scratchpad::ProjectId::new(project.to_str().unwrap()));
    for line in lines.lines() {
        let (id, call) = line.split_once('\t').unwrap();
        let call = serde_json::from_str(call).unwrap();
        let session = scratchpad::SessionId::new(id).unwrap();
        library.call(&session, "session_scratchpad", &call);
    }
    let notes = [
        (
            "Deploys need the VPN; staging is `make deploy-staging`, production only from main.",
            vec!["deploy", "ops"],
        ),
        (
            "src/auth.rs:120-140 checks the token twice on purpose: the first check is for the old clients.",
            vec!["auth"],
        ),
        (
            "The flaky test is tests/sync.rs::reconnects: it needs port 7411 free.",
            vec!["tests", "flaky"],
        ),
        (
            "Money is in cents everywhere except invoices.total, which is a decimal string.",
            vec!["billing"],
        ),
    ];
    let session = scratchpad::SessionId::new("7f3a91c2-fix-cache").unwrap();
    let add = |content: &str, tags: &[&str], scope: &str| {
        let call = json!({"content": content, "tags": tags, "scope": scope});
        library.call(&session, "add_note", &call);
    };
    let at_limit = "Everything there is to know about the release process. ".repeat(80);
    add(
        &at_limit.chars().take(4_000).collect::<String>(),
        &["release", "long"],
        "project",
    );
    for number in 0..60 {
        add(
            &format!(
                "Finding {number}: the importer skips rows whose column {number} is empty, see docs/import.md."
            ),
            &["import"],
            "project",
        );
    }
    for (content, tags) in notes {
        add(content, &tags, "project");
    }
    add(
        "CacheKey::new is called from three places; only the one in middleware matters.",
        &["cache"],
        "session",
    );
    let listed = machine.run(&["note", "search", "VPN", "--json"]).json();
    machine
        .run(&[
            "note",
            "pin",
            listed["notes"][0]["id"]
                .as_str()
                .or(listed["notes"][0]["note_id"].as_str())
                .unwrap(),
        ])
        .ok();

    let write = |words: &[&str]| {
        machine
            .run(&[&["session"], words, &["--session", "7f3a91c2-fix-cache"]].concat())
            .ok()
    };
    write(&[
        "set-plan",
        "- [ ] Reproduce the stale cache on main\n- [ ] Fix it",
    ]);
    write(&[
        "set-notes",
        "Root cause: key is built in src/cache/key.rs:41 from the path only.",
    ]);
    write(&["set-plan", PLAN]);
    write(&["set-notes", NOTES]);
    let log: String = (1..=4_000)
        .map(|n| match n % 97 {
            0 => format!(
                "\u{1b}[33mwarning\u{1b}[0m: unused variable `entry_{n}` in src/cache/mod.rs:{n}\n"
            ),
            50 => format!("test cache::key_{n} ... \u{1b}[31mFAILED\u{1b}[0m\n"),
            _ => format!("test cache::case_{n} ... ok\n"),
        })
        .collect();
    let log = keep(
        machine,
        "cargo test",
        (log + "error: test failed, to rerun pass `--test cache`\n").as_bytes(),
    );
    let rows: Vec<_> = (0..400)
        .map(|n| json!({"id": 4_100 + n, "title": format!("Cache returns the wrong locale for /{n}"), "state": if n % 3 == 0 {"closed"} else {"open"}, "labels": ["bug", "cache"], "author": {"login": "mira", "id": n}, "comments": n % 17}))
        .collect();
    let tree = keep(
        machine,
        "github/search_issues",
        json!({"total_count": 400, "incomplete_results": false, "items": rows})
            .to_string()
            .as_bytes(),
    );
    let csv: String = (0..900)
        .map(|n| {
            format!(
                "{},{}.{:02} EUR,\"Invoice, {n}\",{}\n",
                10_000 + n,
                n * 7 % 913,
                n % 100,
                if n % 4 == 0 { "open" } else { "paid" }
            )
        })
        .collect();
    let table = keep(
        machine,
        "query",
        format!("number,amount,subject,state\n{csv}").as_bytes(),
    );
    let line = "2026-11-19T09:14:03Z INFO  gateway request id=7f3a91c2 path=/v2/orders status=200 took=12ms\n";
    let large = keep(
        machine,
        "kubectl logs",
        line.repeat(large / line.len()).as_bytes(),
    );
    for reference in [
        "src/cache/key.rs:41",
        "tests/cache.rs",
        "https://github.com/acme/shop/issues/412",
        &format!("scratchpad://output/{log}"),
    ] {
        write(&["refs", "add", reference]);
    }
    machine
        .run(&["context", "add", "Deploys are frozen until Monday"])
        .ok();
    let event = |name: &str, more: &str| {
        let directory = machine.project().display().to_string();
        let event = format!(
            r#"{{"session_id":"7f3a91c2-fix-cache","hook_event_name":"{name}","cwd":"{directory}"{more}}}"#
        );
        machine
            .run_with(&["hook", "claude-code", "--tools"], event.as_bytes())
            .ok();
    };
    event("SessionStart", r#","source":"compact""#);
    (log, tree, table, large)
}

#[test]
#[ignore = "needs what scripts/install-clients installs, and a browser"]
fn the_page_works_in_a_browser_by_keyboard_in_both_schemes_and_without_a_script() {
    let machine = Machine::new();
    let empty = Machine::new();
    let size = if std::env::var_os("SCREENSHOTS").is_some() {
        100 << 20
    } else {
        3 << 20
    };
    let variables = [("SCRATCHPAD_OUTPUTS_MAX_TOTAL_BYTES", "500000000")];
    let (log, tree, table, large) = lived_in(&machine, size);
    let server = PageServer::launch(&machine, &variables);
    let nothing = PageServer::launch(&empty, &[]);
    let pictures = tempfile::tempdir().unwrap();
    let pictures = std::env::var_os("SCREENSHOTS")
        .map_or_else(|| pictures.path().to_owned(), |to| root().join(to));
    let told = json!({
        "link": server.link, "empty": nothing.link, "project": project_path(&machine),
        "session": "7f3a91c2-fix-cache", "log": log, "tree": tree, "table": table, "large": large,
        "program": env!("CARGO_BIN_EXE_scratchpad"), "home": machine.home(), "directory": machine.project(),
        "pictures": pictures, "all": std::env::var_os("SCREENSHOTS_ALL").is_some(),
    });
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page/browser.mjs");
    let output = Command::new("node")
        .arg(script)
        .arg(told.to_string())
        .env("PACKAGES", installed("page").join("page/node_modules"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{wrong}");
    print!("{said}");
}
