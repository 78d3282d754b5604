//! The worktrees of a repository share what its project has; submodules and what only claims to be a worktree do not.

use std::fs;

use serde_json::json;
use snapbox::{assert_data_eq, str};

use super::repositories::{Desk, texts};

#[test]
fn the_worktrees_of_a_repository_are_one_project() {
    let desk = Desk::new();
    desk.repository("shop");
    desk.git("shop", &["worktree", "add", "--quiet", "../fix"]);
    desk.keep("shop", "of main");
    desk.keep("fix", "of the fix");
    let all = (texts(&["of main", "of the fix"]), 2, 2);
    for directory in ["shop", "fix"] {
        assert_eq!(desk.kept(directory), all, "{directory}");
    }
    fs::create_dir_all(desk.path("fix/src")).unwrap();
    assert_eq!(desk.kept("fix/src"), all);
    let listed = desk.run("fix", &["session", "list", "--json"]);
    assert_eq!(listed.json()["sessions"][0]["project"], "[ROOT]/shop");
}

#[test]
fn a_repository_without_commits_keeps_everything_when_it_is_moved() {
    let desk = Desk::new();
    fs::create_dir_all(desk.path("new")).unwrap();
    desk.git("new", &["init", "--quiet"]);
    desk.note("new", "first").ok();
    fs::rename(desk.path("new"), desk.path("newer")).unwrap();
    assert_eq!(desk.notes("newer"), ["first"]);
}

#[test]
fn a_submodule_is_a_project_of_its_own() {
    let desk = Desk::new();
    desk.repository("library");
    desk.repository("shop");
    desk.git(
        "shop",
        &["submodule", "--quiet", "add", "../library", "part"],
    );
    desk.note("shop", "of the shop").ok();
    desk.note("shop/part", "of the part").ok();
    assert_eq!(desk.notes("shop"), ["of the shop"]);
    assert_eq!(desk.notes("shop/part"), ["of the part"]);
    desk.git(
        "shop/part",
        &["worktree", "add", "--quiet", "../../part-fix"],
    );
    assert_eq!(desk.notes("part-fix"), ["of the part"]);

    fs::rename(desk.path("shop"), desk.path("store")).unwrap();
    assert_eq!(desk.notes("store"), ["of the shop"]);
    assert_eq!(desk.notes("store/part"), ["of the part"]);
}

#[test]
fn a_bare_clone_and_its_worktrees_are_one_project() {
    let desk = Desk::new();
    desk.repository("origin");
    fs::create_dir_all(desk.path("around")).unwrap();
    for bare in ["shop.git", "around/.bare"] {
        let at = desk.path(bare);
        let clone = ["clone", "--quiet", "--bare", ".", at.to_str().unwrap()];
        desk.git("origin", &clone);
    }
    desk.git(
        "shop.git",
        &["worktree", "add", "--quiet", "../one", "-b", "one"],
    );
    desk.git(
        "shop.git",
        &["worktree", "add", "--quiet", "../two", "-b", "two"],
    );
    desk.note("one", "of the clone").ok();
    for directory in ["two", "shop.git", "shop.git/refs"] {
        assert_eq!(desk.notes(directory), ["of the clone"], "{directory}");
    }
    // A common way to put the worktrees side by side.
    fs::write(desk.path("around/.git"), "gitdir: ./.bare\n").unwrap();
    desk.git("around", &["worktree", "add", "--quiet", "main"]);
    desk.note("around/main", "of what is around").ok();
    assert_eq!(desk.notes("around"), ["of what is around"]);
    let listed = desk.run("around/main", &["session", "list", "--json"]);
    assert_eq!(listed.json()["sessions"], json!([]));
    fs::rename(desk.path("shop.git"), desk.path("store.git")).unwrap();
    desk.git("store.git", &["worktree", "repair", "../one", "../two"]);
    assert_eq!(desk.notes("one"), ["of the clone"]);
}

#[test]
fn what_earlier_versions_kept_for_each_worktree_becomes_the_repositorys() {
    let desk = Desk::new();
    desk.repository("shop");
    desk.git("shop", &["worktree", "add", "--quiet", "../fix"]);
    desk.keep("shop", "of main");
    desk.kept_as("shop", "elsewhere");
    desk.keep("shop", "of the fix");
    desk.kept_as("shop", "fix");
    desk.kept_as("elsewhere", "shop");
    let first = desk.run("shop", &["project", "list"]);
    assert_data_eq!(
        first.err,
        str![[r#"
Now part of [ROOT]/shop: 1 session, 1 note and 1 output kept as [ROOT]/fix, which is the same repository.

"#]]
    );
    let all = (texts(&["of main", "of the fix"]), 2, 2);
    assert_eq!(desk.kept("shop"), all);
    assert_eq!(desk.kept("fix"), all);
    let found = desk.run("fix", &["note", "search", "fix"]).ok();
    assert!(found.contains("of the fix"), "{found}");
    // An older program that still runs in the worktree writes as it did.
    desk.kept_as("shop", "fix");
    let german = desk.run("fix", &["project", "list", "--lang", "de"]).err;
    assert!(
        german.contains("2 Sitzungen, 2 Notizen und 2 Ausgaben"),
        "{german}"
    );
    assert_eq!(desk.kept("shop"), all);
}

#[test]
fn a_conversation_that_begins_hears_what_became_its_projects() {
    let desk = Desk::new();
    desk.repository("shop");
    desk.git("shop", &["worktree", "add", "--quiet", "../fix"]);
    desk.keep("shop", "of the fix");
    desk.kept_as("shop", "fix");
    let start = json!({
        "hook_event_name": "SessionStart", "session_id": "c", "source": "startup",
        "cwd": desk.path("fix").to_str().unwrap(), "transcript_path": ""
    });
    let mut hook = desk.machine.command(&["hook", "claude", "--tools"]);
    hook.stdin(std::process::Stdio::piped());
    let answer = crate::support::feed(hook.spawn().unwrap(), start.to_string().as_bytes());
    let answer = desk.machine.answer(answer).ok();
    let expected = "This project's notes, outputs and sessions now include those that were kept for [ROOT]/fix.";
    assert!(answer.contains(expected), "{answer}");
    assert!(answer.contains("Project notes: 1"), "{answer}");
}

#[test]
fn a_directory_that_only_says_it_is_a_worktree_gets_nothing_of_the_repository() {
    let desk = Desk::new();
    desk.repository("private");
    desk.git("private", &["worktree", "add", "--quiet", "../fix"]);
    desk.note("private", "secret").ok();
    let git = desk.path("private/.git");
    let git = git.to_str().unwrap();
    for (number, text) in [
        format!("gitdir: {git}\n"),
        format!("gitdir: {git}/worktrees/fix\n"),
        "gitdir: ../private/.git/worktrees/fix\n".to_owned(),
    ]
    .iter()
    .enumerate()
    {
        let name = format!("unpacked{number}");
        fs::create_dir_all(desk.path(&name)).unwrap();
        fs::write(desk.path(&name).join(".git"), text).unwrap();
        assert_eq!(desk.notes(&name), texts(&[]), "{text}");
    }
    // A repository whose common directory is somewhere else, and one that claims a worktree.
    desk.repository("claims");
    fs::write(desk.path("claims/.git/commondir"), git).unwrap();
    assert_eq!(desk.notes("claims"), texts(&[]));
    fs::remove_file(desk.path("claims/.git/commondir")).unwrap();
    let claim = desk.path("claims/.git/worktrees/x");
    fs::create_dir_all(&claim).unwrap();
    fs::write(claim.join("gitdir"), format!("{git}\n")).unwrap();
    assert_eq!(desk.notes("claims"), texts(&[]));
    assert_eq!(desk.notes("private"), ["secret"]);
}

#[test]
fn worktrees_share_their_context_notes() {
    let desk = Desk::new();
    desk.repository("shop");
    desk.git("shop", &["worktree", "add", "--quiet", "../fix"]);
    desk.run("fix", &["context", "add", "Deploys are frozen"])
        .ok();
    for directory in ["shop", "fix"] {
        let listed = desk.run(directory, &["context", "list", "--json"]).json();
        assert_eq!(
            listed["notes"],
            json!(["Deploys are frozen"]),
            "{directory}"
        );
    }
    assert!(!desk.path("fix/.scratchpad").exists());
    let prompt = json!({
        "hook_event_name": "SessionStart", "session_id": "c", "source": "startup",
        "cwd": desk.path("fix").to_str().unwrap(), "transcript_path": ""
    });
    let mut hook = desk.machine.command(&["hook", "claude"]);
    hook.stdin(std::process::Stdio::piped());
    let answer = crate::support::feed(hook.spawn().unwrap(), prompt.to_string().as_bytes());
    let answer = desk.machine.answer(answer).ok();
    assert!(answer.contains("Deploys are frozen"), "{answer}");
}

#[test]
fn context_notes_that_a_worktree_had_of_its_own_become_the_repositorys() {
    let desk = Desk::new();
    desk.repository("shop");
    desk.git("shop", &["worktree", "add", "--quiet", "../fix"]);
    desk.run("shop", &["context", "add", "of both"]).ok();
    let own = desk.path("fix/.scratchpad/scratch.yaml");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(&own, "notes:\n  - of both\n  - of the fix\n").unwrap();
    assert_data_eq!(
        desk.run("fix", &["context"]).err,
        str![[r#"
2 context notes of this worktree moved to those of its repository, in [ROOT]/shop/.scratchpad/scratch.yaml.

"#]]
    );
    for directory in ["shop", "fix"] {
        let listed = desk.run(directory, &["context", "list", "--json"]).json();
        assert_eq!(listed["notes"], json!(["of both", "of the fix"]));
    }
    assert!(!own.exists());
}
