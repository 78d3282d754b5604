//! What is kept, for how long, and what its reference says.

use std::fs;

use crate::support::outputs::{call, keep, put, read, texts};
use crate::support::{Machine, mode};
use serde_json::{Value, json};

fn list(machine: &Machine, arguments: &Value) -> Value {
    call(machine, "scratchpad_list", arguments)["structuredContent"].clone()
}

/// Text that is large enough to be kept.
fn large(letter: &str) -> String {
    letter.repeat(5_000)
}

/// Changes the times at which all outputs were used and kept.
fn set_age(machine: &Machine, used: &str, kept: &str) {
    let database = rusqlite::Connection::open(machine.database()).unwrap();
    database
        .execute_batch(&format!(
            "UPDATE output SET used = {used}; UPDATE output_keep SET kept = {kept}"
        ))
        .unwrap();
}

#[test]
fn a_text_passes_up_to_the_threshold_and_is_kept_above_it() {
    let machine = Machine::new();
    let edge = "x".repeat(4_096);
    assert_eq!(put(&machine, "t", edge.as_bytes()), edge);
    assert!(put(&machine, "t", (edge + "x").as_bytes()).starts_with("[Output "));
    machine
        .run(&["config", "set", "outputs.threshold_bytes", "10"])
        .ok();
    assert_eq!(put(&machine, "t", b"ten bytes!"), "ten bytes!");
    assert!(put(&machine, "t", b"ten bytes!!").starts_with("[Output "));
}

#[test]
fn the_id_of_an_output_is_the_beginning_of_its_sha_256() {
    let machine = Machine::new();
    assert_eq!(
        keep(&machine, "t", "x".repeat(4_097).as_bytes()),
        "3e97197f4b8d"
    );
}

#[test]
fn equal_text_is_stored_once_and_a_second_keep_refreshes_its_age() {
    let machine = Machine::new();
    let id = keep(&machine, "t", large("x").as_bytes());
    set_age(&machine, "1000", "1000");
    assert_eq!(list(&machine, &json!({}))["outputs"][0]["kept"], 1_000);
    assert_eq!(keep(&machine, "t", large("x").as_bytes()), id);
    let all = list(&machine, &json!({}));
    assert_eq!(all["output_count"], 1);
    assert!(all["outputs"][0]["kept"].as_i64().unwrap() > 1_000);
    machine.run(&["output", "prune"]).ok();
    assert_eq!(list(&machine, &json!({}))["output_count"], 1);
}

#[test]
fn an_output_has_a_type_and_a_preview_of_what_is_inside() {
    let machine = Machine::new();
    let object = json!({"total": 3, "text": large("x")}).to_string();
    let array = json!(vec![json!({"id": 1}); 900]).to_string();
    let csv = "name,age\n".to_owned() + &"Ann,30\n".repeat(900);
    let markdown = "# Title\n\n".to_owned() + &"- a point\n".repeat(600);
    let text = "first line\n".to_owned() + &"between\n".repeat(900) + "last line\n";
    for (text, kind, inside) in [
        (object, "json", &["total", "text"][..]),
        (array, "json", &["[Array with 900 items]", "id: number"]),
        (csv, "csv", &["900 rows", "name", "age"]),
        (markdown, "markdown", &["# Title"]),
        (text, "text", &["first line", "last line"]),
    ] {
        let id = keep(&machine, "t", text.as_bytes());
        let all = list(&machine, &json!({}));
        let outputs = all["outputs"].as_array().unwrap();
        let output = outputs.iter().find(|output| output["id"] == id.as_str());
        let output = output.unwrap();
        assert_eq!(output["kind"], kind);
        let preview = output["preview"].as_str().unwrap();
        assert!(preview.chars().count() <= 400, "{preview}");
        for part in inside {
            assert!(preview.contains(part), "{part}: {preview}");
        }
    }
}

#[test]
fn a_reference_has_no_preview_where_none_is_wanted() {
    for setting in ["outputs.preview_length=0", "outputs.include_preview=false"] {
        let machine = Machine::new();
        let arguments = ["--config", setting, "output", "put"];
        let reference = machine.run_with(&arguments, large("x").as_bytes()).ok();
        assert!(!reference.contains("xxx"), "{reference}");
        assert!(reference.contains("output read"), "{reference}");
    }
}

#[test]
fn a_reference_is_at_most_1024_bytes_and_has_the_call_and_the_file() {
    let machine = Machine::new();
    machine
        .run(&["config", "set", "outputs.preview_length", "500"])
        .ok();
    let tool = "t".repeat(300);
    let reference = put(&machine, &tool, "line \u{1F980}\n".repeat(2_000).as_bytes());
    assert!(reference.len() <= 1_024, "{}: {reference}", reference.len());
    let id = reference.split_whitespace().nth(1).unwrap();
    let read = reference.find(&format!("Read: scratchpad output read {id}"));
    let file = machine.home().join("outputs").join(id);
    let file = reference.find(
        &format!("File: {}", file.display())
            .replace(machine.home().parent().unwrap().to_str().unwrap(), "[ROOT]"),
    );
    let order = [reference.find("Preview:"), read, file];
    assert!(
        order.iter().all(Option::is_some) && order.is_sorted(),
        "{reference}"
    );
}

#[test]
fn the_content_is_a_plain_file_for_its_owner_alone() {
    let machine = Machine::new();
    let id = keep(&machine, "t", large("x").as_bytes());
    let file = machine.home().join("outputs").join(id);
    assert_eq!(fs::read_to_string(&file).unwrap(), large("x"));
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn scratchpad_list_finds_outputs_by_what_is_inside_by_tool_and_as_many_as_asked_for() {
    let machine = Machine::new();
    let one = keep(&machine, "cargo test", (large("x") + "needle").as_bytes());
    let two = keep(&machine, "github/search", large("y").as_bytes());
    let ids = |arguments| {
        let all = list(&machine, &arguments);
        let outputs = all["outputs"].as_array().unwrap().clone();
        let ids = outputs.iter().map(|output| output["id"].as_str().unwrap());
        ids.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(ids(json!({})), [two.as_str(), one.as_str()]);
    assert_eq!(ids(json!({"query": "NEEDLE"})), [one.as_str()]);
    assert_eq!(ids(json!({"tool": "github"})), [two.as_str()]);
    assert_eq!(ids(json!({"limit": 1})), [two.as_str()]);
    let stats = list(&machine, &json!({}));
    assert_eq!(
        (&stats["total_bytes"], &stats["max_total_bytes"]),
        (&json!(10_006), &json!(52_428_800))
    );
}

#[test]
fn delete_says_whether_the_output_was_there() {
    let machine = Machine::new();
    let id = keep(&machine, "t", large("x").as_bytes());
    let deleted = machine.run(&["output", "delete", &id]).ok();
    assert_eq!(deleted, format!("Deleted output {id} (5,000 bytes).\n"));
    let gone = machine.run(&["output", "delete", &id]);
    assert_eq!(gone.code, Some(1));
    assert_eq!(gone.out, format!("Output {id} not found.\n"));
}

#[test]
fn what_is_older_than_a_day_goes_and_what_was_used_within_the_hour_stays() {
    let machine = Machine::new();
    let old = keep(&machine, "t", large("x").as_bytes());
    set_age(&machine, "used - 25 * 3600000", "kept - 25 * 3600000");
    let new = keep(&machine, "t", large("y").as_bytes());
    machine.run(&["output", "prune"]).ok();
    let all = list(&machine, &json!({}));
    assert_eq!(all["output_count"], 1);
    assert_eq!(all["outputs"][0]["id"], new.as_str());
    assert!(!machine.home().join("outputs").join(&old).exists());

    // Of the rest the least recently used goes first, and none of the last hour.
    let tight = [
        "--config",
        "outputs.max_total_bytes=4000",
        "output",
        "prune",
    ];
    machine
        .run(&[&tight[..], &["--session", "s"]].concat())
        .ok();
    assert_eq!(list(&machine, &json!({}))["output_count"], 1);
}

#[test]
fn the_limit_of_age_is_said_as_it_is_set() {
    let machine = Machine::new();
    for (setting, said) in [
        ("outputs.max_age=24h", "24 hours"),
        ("outputs.maxAgeMs=60000", "1 minute"),
        ("outputs.max_age=90m", "90 minutes"),
    ] {
        let stats = machine.run(&["output", "stats", "--config", setting]).ok();
        let line = stats.lines().find(|line| line.starts_with("age limit"));
        assert!(line.unwrap().ends_with(&format!(" {said}")), "{stats}");
    }
}

#[test]
fn switched_off_everything_passes_whole_and_nothing_is_kept() {
    let machine = Machine::new();
    machine
        .run(&["config", "set", "outputs.enabled", "false"])
        .ok();
    assert_eq!(put(&machine, "t", large("x").as_bytes()), large("x"));
    assert!(!machine.home().join("outputs").exists());
    let list = call(&machine, "scratchpad_list", &json!({}));
    assert_eq!(list["isError"], true, "{list}");
}

#[test]
fn content_that_is_damaged_or_missing_is_said_skipped_and_removed() {
    let machine = Machine::new();
    let gone = keep(&machine, "t", large("x").as_bytes());
    let damaged = keep(&machine, "t", large("y").as_bytes());
    let whole = keep(&machine, "t", large("z").as_bytes());
    let file = |id| machine.home().join("outputs").join(id);
    fs::remove_file(file(&gone)).unwrap();
    fs::write(file(&damaged), "other").unwrap();
    for id in [&gone, &damaged] {
        let reply = read(&machine, id, &json!({}));
        assert_eq!(reply["isError"], true, "{reply}");
        assert!(texts(&reply)[0].contains(id.as_str()), "{reply}");
    }
    let all = list(&machine, &json!({}));
    assert_eq!(all["outputs"].as_array().unwrap().len(), 1, "{all}");
    machine.run(&["output", "prune"]).ok();
    assert!(!file(&damaged).exists());
    assert_eq!(machine.run(&["output", "read", &whole]).ok(), large("z"));
}
