//! Outputs end to end: found again, pruned, damaged, switched off.

use std::fs;

use crate::support::Machine;
use crate::support::outputs::{call, keep, log, rows, texts};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

#[test]
fn outputs_are_listed_and_searched_inside() {
    let machine = Machine::new();
    keep(&machine, "cargo test", log().as_bytes());
    keep(&machine, "github/list_issues", rows().as_bytes());
    let texts_of = |arguments: Value| {
        let reply = call(&machine, "scratchpad_list", &arguments);
        format!("{arguments}\n{}\n", texts(&reply).join("\n--\n"))
    };
    let all = [
        texts_of(json!({})),
        texts_of(json!({"limit": 1})),
        texts_of(json!({"tool": "GitHub"})),
        texts_of(json!({"query": "connection REFUSED"})),
        texts_of(json!({"query": "größer"})),
        texts_of(json!({"query": "nowhere"})),
        texts_of(json!({"query": ""})),
    ];
    assert_data_eq!(
        all.concat(),
        str![[r#"
{}
2 outputs (545,803 of at most 52,428,800 bytes), newest first:
eb375f8f1bfe 271,901 bytes, 1 line, json, [..], github/list_issues
  [Array with 800 items] each {id: number, title: string, state: string, labels: [2 × string], user: {…
31b671165f0f 273,902 bytes, 5,000 lines, text, [..], cargo test
  1:2026-11-15T10:00:00Z INFO  worker 1: all is well so 2:2026-11-15T10:00:00Z INFO  worker 2: all is …
{"limit":1}
1 of 2 outputs (545,803 of at most 52,428,800 bytes), newest first:
eb375f8f1bfe 271,901 bytes, 1 line, json, [..], github/list_issues
  [Array with 800 items] each {id: number, title: string, state: string, labels: [2 × string], user: {…
{"tool":"GitHub"}
1 output (271,901 of at most 52,428,800 bytes), newest first:
eb375f8f1bfe 271,901 bytes, 1 line, json, [..], github/list_issues
  [Array with 800 items] each {id: number, title: string, state: string, labels: [2 × string], user: {…
{"query":"connection REFUSED"}
1 output with a match, newest first:
31b671165f0f 273,902 bytes, 5,000 lines, text, [..], cargo test
  1 match, line 2817: 2026-11-15T10:00:00Z ERROR db: connection refused (needle 7f3a)
{"query":"größer"}
1 output with a match, newest first:
eb375f8f1bfe 271,901 bytes, 1 line, json, [..], github/list_issues
  800 matches, line 1: [{"id":0,"title":"Issue 0: größer lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ipsum
{"query":"nowhere"}
No outputs found.
{"query":""}
`query` takes a text of 1 to 200 characters; 0 were given. Nothing was changed.

"#]]
    );
    assert_data_eq!(
        machine.run(&["output", "list", "--query", "needle"]).seen(),
        str![[r#"
exit 0
--- stdout
ID            BYTES    LINES  KIND  KEPT[..]TOOL        MATCHES  LINE   FIRST
31b671165f0f  273,902  5,000  text  [..]  cargo test  1        2,817  2026-11-15T10:00:00Z ERROR db: connection refused (needle 7f3a)
--- stderr

"#]]
    );
    assert_data_eq!(
        machine.run(&["output", "stats"]).seen(),
        str![[r#"
exit 0
--- stdout
WHAT          HOW MUCH
this project  2 outputs, 545,803 bytes
all projects  2 outputs, 545,803 bytes
size limit    52,428,800 bytes
age limit     24 hours
oldest        [..]
newest        [..]
largest       273,902 bytes
--- stderr

"#]]
    );
}

#[test]
fn another_project_sees_its_own_outputs_and_reads_others_by_id() {
    let machine = Machine::new();
    let id = keep(&machine, "t", &[b'x'; 5_000]);
    let other = machine.home().join("other");
    fs::create_dir_all(&other).unwrap();
    let run = |arguments: &[&str]| {
        machine.answer(
            machine
                .command(arguments)
                .current_dir(&other)
                .output()
                .unwrap(),
        )
    };
    assert_eq!(run(&["output", "list", "--json"]).json()["output_count"], 0);
    assert_eq!(
        run(&["output", "list", "--all", "--json"]).json()["output_count"],
        1
    );
    assert_eq!(run(&["output", "read", &id]).ok().len(), 5_000);
    // The pad of another session stays its own, cut texts too.
    let long = "n".repeat(5_000);
    machine
        .run(&["session", "set-notes", &long, "--session", "a"])
        .ok();
    let seen_by = |session: &str| {
        let reply = machine.run(&[
            "call",
            "scratchpad_list",
            "{}",
            "--json",
            "--session",
            session,
        ]);
        reply.json()["structuredContent"]["output_count"].clone()
    };
    assert_eq!((seen_by("a"), seen_by("b")), (json!(2), json!(1)));
}

#[test]
fn ids_are_checked_before_anything_and_unknown_ones_are_named() {
    let machine = Machine::new();
    let id = keep(&machine, "t", &[b'x'; 5_000]);
    let near = format!("{}0", &id[..11]);
    let mut seen = String::new();
    for bad in [
        "../x",
        "abc",
        "a/b/c/d/e/f/g",
        ".....",
        "zzzzzzzzzzzz",
        "000000000000",
        near.as_str(),
    ] {
        let answer = machine.run(&["output", "read", bad]);
        seen.push_str(&format!("{bad} {}\n{}", answer.code.unwrap(), answer.err));
    }
    assert_data_eq!(
        seen.replace(&id, "[ID]").replace(&near, "[NEAR]"),
        str![[r#"
../x 1
Error: "../x" is not an output id: an id is 12 to 64 hex digits, 4 characters were given. Nothing was changed.
abc 1
Error: "abc" is too short to name one: give the whole id, or at least 4 of its digits. Nothing was changed.
Hint: `scratchpad output list` shows the ids.
a/b/c/d/e/f/g 1
Error: "a/b/c/d/e/f/g" is not an output id: an id is 12 to 64 hex digits, 13 characters were given. Nothing was changed.
..... 1
Error: "....." is not an output id: an id is 12 to 64 hex digits, 5 characters were given. Nothing was changed.
zzzzzzzzzzzz 1
Error: "zzzzzzzzzzzz" is not an output id: an id is 12 to 64 hex digits, 12 characters were given. Nothing was changed.
000000000000 1
Error: Output 000000000000 not found: it was never kept here.
[NEAR] 1
Error: Output [NEAR] not found: it was never kept here.
Hint: the nearest: [ID].

"#]]
    );
    assert_eq!(
        machine
            .run(&["output", "read", &id.to_uppercase()])
            .ok()
            .len(),
        5_000
    );
    assert_data_eq!(
        machine
            .run(&["output", "delete", &id, "000000000000"])
            .seen()
            .replace(&id, "[ID]"),
        str![[r#"
exit 1
--- stdout
Deleted output [ID] (5,000 bytes).
Output 000000000000 not found.
--- stderr

"#]]
    );
    assert_data_eq!(
        machine
            .run(&["output", "read", &id])
            .seen()
            .replace(&id, "[ID]"),
        str![[r#"
exit 1
--- stdout
--- stderr
Error: Output [ID] is no longer kept: it was removed at [..].
Hint: rerun what produced it.

"#]]
    );
}

#[test]
fn the_old_and_the_surplus_go_by_themselves() {
    let machine = Machine::new();
    let first = keep(&machine, "t", &[b'a'; 5_000]);
    let second = keep(&machine, "t", &[b'b'; 5_000]);
    // Two hours ago nobody used them.
    let age = |hours: i64| {
        let moved = rusqlite::Connection::open(machine.database()).unwrap();
        let past = hours * 3_600_000;
        moved
            .execute("UPDATE output SET used = used - ?1", [past])
            .unwrap();
        moved
            .execute("UPDATE output_keep SET kept = kept - ?1", [past])
            .unwrap();
    };
    age(2);
    machine
        .run(&["output", "read", &first, "--limit", "1"])
        .ok();
    let limit = "outputs.max_total_bytes=8000";
    machine
        .run_with(&["--config", limit, "output", "put"], &[b'c'; 5_000])
        .ok();
    let ids = |machine: &Machine| -> Vec<String> {
        let list = machine.run(&["output", "list", "--json"]).json();
        let outputs = list["outputs"].as_array().unwrap().clone();
        outputs
            .iter()
            .map(|output| output["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(
        !ids(&machine).contains(&second),
        "the least recently used stays"
    );
    assert!(
        ids(&machine).contains(&first),
        "what was read just now went"
    );
    age(30);
    assert_data_eq!(
        machine.run(&["output", "prune"]).ok(),
        str![[r#"
Removed 2 outputs (10,000 bytes).

"#]]
    );
    assert_eq!(
        fs::read_dir(machine.home().join("outputs"))
            .unwrap()
            .count(),
        0
    );
    let gone = machine.run(&["output", "read", &first]);
    assert!(gone.err.contains("is no longer kept"), "{gone:?}");
}

#[test]
fn damaged_and_leftover_files_are_reported_skipped_and_removed() {
    let machine = Machine::new();
    let outputs = machine.home().join("outputs");
    let ids: Vec<String> = [b'a', b'b', b'c']
        .map(|byte| keep(&machine, "t", &[byte; 5_000]))
        .into();
    fs::remove_file(outputs.join(&ids[0])).unwrap();
    fs::write(outputs.join(&ids[1]), [b'x'; 5_000]).unwrap();
    // A killed process leaves these.
    fs::write(outputs.join(".staged-xyz"), "half").unwrap();
    fs::write(outputs.join("0123456789ab"), "no row").unwrap();
    fs::write(outputs.join("of somebody else"), "stays").unwrap();
    let mut seen = String::new();
    for id in &ids[..2] {
        seen.push_str(
            &machine
                .run(&["output", "read", id])
                .seen()
                .replace(id, "[ID]"),
        );
    }
    seen.push_str(
        &machine
            .run(&["output", "list"])
            .seen()
            .replace(&ids[2], "[ID]"),
    );
    seen.push_str(&machine.run(&["output", "prune"]).seen());
    assert_data_eq!(
        seen,
        str![[r#"
exit 1
--- stdout
--- stderr
Error: Output [ID] is damaged: [ROOT]/home/outputs/[ID] is gone.
Hint: rerun what produced it.
exit 1
--- stdout
--- stderr
Error: Output [ID] is damaged: [ROOT]/home/outputs/[ID] does not match what was kept.
Hint: rerun what produced it.
exit 0
--- stdout
ID            BYTES  LINES  KIND  KEPT[..]TOOL  PREVIEW
[ID]  5,000  1      text  [..]  t     1:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccc…
--- stderr
exit 0
--- stdout
Removed 2 outputs (10,000 bytes), and 2 files left behind.
1 output stays (5,000 bytes): used within the last hour.
--- stderr

"#]]
    );
    let mut left: Vec<String> = fs::read_dir(&outputs)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    let mut expected = vec![ids[2].clone(), "of somebody else".to_owned()];
    expected.sort();
    assert_eq!(left, expected);
    // Kept again, it is whole again.
    assert_eq!(keep(&machine, "t", &[b'b'; 5_000]), ids[1]);
    assert_eq!(machine.run(&["output", "read", &ids[1]]).ok().len(), 5_000);
    machine.run(&["output", "clear"]).ok();
    assert_eq!(
        machine.run(&["output", "stats", "--json"]).json()["outputs"],
        0
    );
}

#[test]
fn where_nothing_can_be_kept_everything_passes_whole() {
    let machine = Machine::new();
    let text = "y".repeat(100_000);
    let off = ["--config", "outputs.enabled=false"];
    let put = machine.run_with(&[off[0], off[1], "output", "put"], text.as_bytes());
    assert_eq!(put.ok(), text);
    assert!(!machine.home().join("outputs").exists());
    let list = machine.run(&[off[0], off[1], "call", "scratchpad_list", "{}"]);
    assert_data_eq!(
        list.seen(),
        str![[r#"
exit 1
--- stdout
Outputs are switched off (`outputs.enabled` is false). Nothing was changed.
Hint: `scratchpad config show` says where that is set.
--- stderr

"#]]
    );
    let notes = machine.run_with(
        &[off[0], off[1], "session", "set-notes", "-"],
        text.as_bytes(),
    );
    assert_data_eq!(
        notes.seen(),
        str![[r#"
exit 0
--- stdout
Notes cut to 4000 chars (100000 given): rewrite shorter. The rest is not kept: outputs are switched off (`outputs.enabled`).
--- stderr
Session: session_[..] (new)

"#]]
    );
    let guidance = machine.run(&[off[0], off[1], "guidance"]).ok();
    assert!(!guidance.contains("scratchpad_read"), "{guidance}");

    // A store that fails: the text passes, and a warning says why.
    fs::create_dir_all(machine.home()).unwrap();
    fs::write(machine.home().join("outputs"), "in the way").unwrap();
    let put = machine.run_with(&["output", "put"], text.as_bytes());
    assert_eq!((put.code, put.out.as_str()), (Some(0), text.as_str()));
    assert_data_eq!(
        put.err,
        str![[r#"
Warning: the output was not kept and is printed whole: Can't create the directory [ROOT]/home/outputs: file exists. Nothing was changed. (create it yourself, or choose another directory with SCRATCHPAD_HOME=DIR.)

"#]]
    );
}
