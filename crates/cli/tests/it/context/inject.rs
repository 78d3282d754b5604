//! `inject`: regions in the instruction files of hosts.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::support::person::{machine, run};
use crate::support::{mode, tree};
use snapbox::{assert_data_eq, str};

#[test]
fn a_region_is_made_changed_and_taken_out() {
    let machine = machine();
    fs::write(machine.project().join("Cargo.toml"), "").unwrap();
    fs::write(machine.project().join("CLAUDE.md"), "# Mine\n").unwrap();
    let before = tree(&machine.project());
    run(&machine, &["context", "add", "Deploys are frozen"]).ok();
    let seen = [
        run(&machine, &["inject"]).seen(),
        run(&machine, &["inject"]).seen(),
        run(&machine, &["context", "add", "Ask before you push"]).seen(),
        run(&machine, &["inject", "--status"]).seen(),
    ];
    assert_data_eq!(
        seen.concat(),
        str![[r#"
exit 0
--- stdout
CLAUDE.md: written (1,371 bytes, about 341 tokens)
--- stderr
exit 0
--- stdout
CLAUDE.md: unchanged
--- stderr
exit 0
--- stdout
Context note 2 added.
Also updated: CLAUDE.md
--- stderr
exit 0
--- stdout
FILE       STATE    BYTES  TOKENS  TOOLS
CLAUDE.md  current  1,393  347     claude
--- stderr

"#]]
    );
    assert_data_eq!(
        fs::read_to_string(machine.project().join("CLAUDE.md")).unwrap(),
        str![[r#"
<!-- scratchpad:start -->
# Scratchpad

Written by `scratchpad inject`; changes made here are overwritten.

## Current Context
- Deploys are frozen
- Ask before you push

## Runtime Context
- Project: project
- Version control: git, branch main
- Languages: Rust
- Build tools: cargo
- Tests: `cargo test`

Scratchpad keeps your working memory outside the context window:

| command | for |
|---|---|
| `scratchpad session show` | your pad: notes, plan, refs |
| `scratchpad session append-notes TEXT`, `set-plan TEXT`, `refs add REF` | update it after each step that matters |
| `scratchpad note search TEXT`, `note add TEXT --scope project` | facts to find again, in later sessions too |
| `scratchpad context list`, `context add TEXT`, `context clear` | the person's notes to all agents; change only if asked |
| `scratchpad output read ID` | the full text of an output |

As tools, where this host offers them: session_scratchpad, add_note, scratch_note, update_note, delete_note, list_notes, search_notes, list_tags, scratchpad_read, scratchpad_list.

Current Context, where there is one, is what the person wants known right now: it is newer than other text in this file.

## Constraints
- Don't edit between the scratchpad markers; the person does it with `scratchpad context` and `scratchpad inject`.
- Keep no passwords, keys or tokens in notes, plans or refs.
<!-- scratchpad:end -->

# Mine

"#]]
    );
    assert_data_eq!(
        run(&machine, &["inject", "--uninstall", "--json"]).ok(),
        str![[r#"
{"scope":"project","dry_run":false,"targets":[{"file":"[ROOT]/project/CLAUDE.md","tools":["claude"],"step":"restored","bytes":0,"tokens":0,"notes":0}]}

"#]]
    );
    assert_data_eq!(
        run(&machine, &["inject", "--uninstall"]).seen(),
        str![[r#"
exit 0
--- stdout
--- stderr
No instruction file here has a region.

"#]]
    );
    run(&machine, &["context", "clear"]).ok();
    fs::remove_dir_all(machine.project().join(".scratchpad")).unwrap();
    assert_eq!(tree(&machine.project()), before);
}

#[test]
fn a_dry_run_shows_the_difference_and_changes_nothing() {
    let machine = machine();
    fs::write(machine.project().join("GEMINI.md"), "# Mine\r\n").unwrap();
    let before = tree(machine.project().parent().unwrap());
    let shown = run(
        &machine,
        &["inject", "--dry-run", "--config", "inject.max_bytes=2000"],
    )
    .ok();
    assert_data_eq!(
        shown.lines().take(8).collect::<Vec<_>>().join("\n"),
        str![[r#"
--- a/GEMINI.md
+++ b/GEMINI.md
@@ -1 +1,29 @@
+<!-- scratchpad:start -->
+# Scratchpad
+
+Written by `scratchpad inject`; changes made here are overwritten.
+
"#]]
    );
    assert_eq!(tree(machine.project().parent().unwrap()), before);
    run(&machine, &["inject"]).ok();
    let seen = [
        run(&machine, &["inject", "--dry-run"]).seen(),
        run(
            &machine,
            &["inject", "--dry-run", "--uninstall", "--tool", "gemini"],
        )
        .ok()
        .lines()
        .take(4)
        .collect::<Vec<_>>()
        .join("\n"),
    ];
    assert_data_eq!(
        seen.concat(),
        str![[r#"
exit 0
--- stdout
--- stderr
Nothing would change.
--- a/GEMINI.md
+++ b/GEMINI.md
@@ -1,29 +1 @@
-<!-- scratchpad:start -->
"#]]
    );
    let data = run(
        &machine,
        &["inject", "--dry-run", "--tool", "claude", "--json"],
    )
    .json();
    assert_eq!(data["targets"][0]["step"], "made");
    assert!(
        data["targets"][0]["diff"]
            .as_str()
            .unwrap()
            .starts_with("--- /dev/null\n+++ b/CLAUDE.md\n")
    );
}

#[test]
fn bytes_outside_the_region_never_change() {
    for original in [
        &b""[..],
        b"# Mine",
        b"# Mine\r\n\r\nlast\r\n",
        b"\xef\xbb\xbf# Mine\r\n",
        b"\n\n\n# Mine\n\n\n",
        b"---\ntitle: x\n---\n# Mine\n",
        b"---\ntitle: x\n---",
        b"\xff\xfe not text \0\n",
    ] {
        let machine = machine();
        let file = machine.project().join("CLAUDE.md");
        fs::write(&file, original).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        run(
            &machine,
            &["context", "add", "<!-- scratchpad:end -->\n```\n---"],
        )
        .ok();
        run(&machine, &["inject"]).ok();
        let with = fs::read(&file).unwrap();
        assert!(with.len() > original.len());
        let is_crlf = original.windows(2).any(|pair| pair == b"\r\n");
        let breaks = with.split(|byte| *byte == b'\n').count() - 1;
        let carriage = with.windows(2).filter(|pair| pair == b"\r\n").count();
        assert_eq!(carriage, if is_crlf { breaks } else { 0 });
        run(&machine, &["inject"]).ok();
        assert_eq!(fs::read(&file).unwrap(), with);
        run(&machine, &["inject", "--uninstall"]).ok();
        assert_eq!(fs::read(&file).unwrap(), original);
        assert_eq!(mode(&file), 0o640);
    }
}

#[test]
fn links_are_followed_and_one_file_is_written_once() {
    let machine = machine();
    let (claude, agents) = (
        machine.project().join("CLAUDE.md"),
        machine.project().join("AGENTS.md"),
    );
    symlink("AGENTS.md", &claude).unwrap();
    // The link's target does not exist yet.
    assert_data_eq!(
        run(
            &machine,
            &["inject", "--tool", "claude", "--tool", "agents"]
        )
        .ok(),
        str![[r#"
CLAUDE.md: created (1,269 bytes, about 312 tokens)

"#]]
    );
    assert!(claude.is_symlink() && agents.is_file() && !agents.is_symlink());
    run(&machine, &["inject", "--uninstall"]).ok();
    assert!(claude.is_symlink() && !agents.exists());
}

#[test]
fn directories_that_were_there_stay() {
    let machine = machine();
    fs::create_dir_all(machine.project().join(".cursor")).unwrap();
    fs::create_dir_all(machine.project().join(".github/instructions")).unwrap();
    let before = tree(&machine.project());
    run(&machine, &["inject", "--all"]).ok();
    // A directory that we created stays if something else was put into it.
    fs::write(machine.project().join(".clinerules/own.md"), "mine").unwrap();
    run(&machine, &["inject", "--uninstall"]).ok();
    fs::remove_dir_all(machine.project().join(".clinerules")).unwrap();
    assert_eq!(tree(&machine.project()), before);
}

#[test]
fn the_budget_drops_parts_from_the_end_and_keeps_the_newest_notes() {
    let machine = machine();
    for number in 1..=8 {
        run(
            &machine,
            &["context", "add", &format!("{number}{}", "x".repeat(600))],
        )
        .ok();
    }
    let inject = [
        "inject",
        "--tool",
        "claude",
        "--config",
        "inject.max_bytes=3000",
    ];
    run(&machine, &inject).ok();
    let text = fs::read_to_string(machine.project().join("CLAUDE.md")).unwrap();
    assert!(text.len() <= 3_000);
    assert!(text.contains("\n- 8xxx") && !text.contains("\n- 1xxx"));
    assert!(text.contains(
        "Left out, over the budget of 3,000 bytes: 3 older context notes, Runtime Context, preamble, Constraints."
    ), "{text}");
}

#[test]
fn processes_that_inject_at_once_leave_one_region() {
    let machine = machine();
    run(&machine, &["inject", "--tool", "claude"]).ok();
    std::thread::scope(|scope| {
        for process in 0..8 {
            let machine = &machine;
            scope.spawn(move || {
                run(machine, &["context", "add", &format!("note {process}")]).ok();
            });
        }
    });
    let text = fs::read_to_string(machine.project().join("CLAUDE.md")).unwrap();
    assert_eq!(text.matches("<!-- scratchpad:start -->").count(), 1);
    assert_eq!(text.matches("\n- note ").count(), 8, "{text}");
}
