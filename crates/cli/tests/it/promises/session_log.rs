//! Session logs: files that belong to another program, which reads what we append. The real reader's
//! run is in `outside::clients::pi`.

use std::collections::HashSet;

use crate::support::Machine;
use serde_json::Value;

const TREE: &str = r#"{"type":"session","version":3,"id":"01a1f034","timestamp":"2026-11-01T09:00:00.000Z","cwd":"/p"}
{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-11-01T09:00:01.000Z","message":{"role":"user","content":"go"}}
{"type":"message","id":"a0000002","parentId":"a0000001","timestamp":"2026-11-01T09:00:02.000Z","message":{"role":"assistant","content":[]}}
{"type":"message","id":"a0000003","parentId":"a0000001","timestamp":"2026-11-01T09:00:03.000Z","message":{"role":"assistant","content":[]}}
"#;

#[test]
fn entries_continue_the_active_branch_of_the_log_with_an_id_and_a_timestamp() {
    let machine = Machine::new();
    let log = machine.project().join("log.jsonl");
    std::fs::write(&log, TREE).unwrap();
    for text in ["one", "two", "three"] {
        machine
            .run(&["session", "--journal", "log.jsonl", "set-plan", text])
            .ok();
    }
    let text = std::fs::read_to_string(&log).unwrap();
    let ours = text.strip_prefix(TREE).expect("other lines are untouched");
    let mut ids = HashSet::from(["a0000001", "a0000002", "a0000003"].map(str::to_owned));
    // The branch that was written last is the active one.
    let mut last = "a0000003".to_owned();
    for line in ours.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let id = entry["id"].as_str().unwrap().to_owned();
        assert!(id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_eq!(entry["type"], "custom");
        assert_eq!(entry["customType"], "openclaw:scratchpad:plan");
        assert_eq!(entry["parentId"], last.as_str());
        let timestamp = entry["timestamp"].as_str().unwrap();
        assert!(
            timestamp.starts_with("20") && timestamp.ends_with('Z'),
            "{timestamp}"
        );
        assert!(ids.insert(id.clone()), "{id} is in the file twice");
        last = id;
    }
    assert_eq!(ids.len(), 6);
}
