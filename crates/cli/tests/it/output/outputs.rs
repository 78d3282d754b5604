//! Outputs end to end: kept whole, read by parts.

use std::fs;

use crate::support::outputs::{keep, log, put, read, rows, texts};
use crate::support::{Machine, mode};
use serde_json::json;
use snapbox::{IntoData, assert_data_eq, str};

#[test]
fn up_to_the_threshold_a_text_passes_and_above_it_becomes_a_reference() {
    let machine = Machine::new();
    let small = "x".repeat(4_096);
    assert_eq!(put(&machine, "t", small.as_bytes()), small);
    let large = "x".repeat(4_097);
    let reference = put(&machine, "t", large.as_bytes());
    assert!(reference.starts_with("[Output "), "{reference}");
    let id = reference.split_whitespace().nth(1).unwrap();
    let file = machine.home().join("outputs").join(id);
    assert_eq!(fs::read_to_string(&file).unwrap(), large);
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    assert_eq!(machine.run(&["output", "read", id]).ok(), large);
    // The same text is the same output.
    assert_eq!(keep(&machine, "other", large.as_bytes()), id);
    assert_eq!(
        machine.run(&["output", "list", "--json"]).json()["output_count"],
        1
    );
}

#[test]
fn a_reference_says_what_it_is_what_is_inside_and_how_to_read_it() {
    let machine = Machine::new();
    let object = format!("{{\"total\":800,\"next\":null,\"items\":{}}}", rows());
    let lines: Vec<String> = (0..200)
        .map(|n| format!("{{\"n\":{n},\"text\":\"some words here\"}}\n"))
        .collect();
    let markdown = format!("# Title\n\n{}", "Some prose. ".repeat(500));
    let all = [
        put(&machine, "github/list_issues", rows().as_bytes()),
        put(&machine, "github/search", object.as_bytes()),
        put(&machine, "cargo test", log().as_bytes()),
        put(&machine, "events", lines.concat().as_bytes()),
        put(&machine, "fetch\npage", markdown.as_bytes()),
        put(&machine, "cat", &[0xff_u8, 0, 1].repeat(3_000)),
    ];
    assert_data_eq!(
        all.concat(),
        str![[r#"
[Output eb375f8f1bfe of github/list_issues: 271,901 bytes, 1 line, json]
Preview: [Array with 800 items] each {id: number, title: string, state: string, labels: [2 × string], user: {name: string}}
Read: scratchpad output read eb375f8f1bfe --expr '$[0:3]'; or --lines, --grep, --expr, --sql, --offset and --limit.
File: [ROOT]/home/outputs/eb375f8f1bfe
[Output bbddcbaa3782 of github/search: 271,935 bytes, 1 line, json]
Preview: {total: number, next: null, items: [800 × {id: number, title: string, state: string, labels: [2 × string], user: {1 key}}]}
Read: scratchpad output read bbddcbaa3782 --expr '$.items[0:3]'; or --lines, --grep, --expr, --sql, --offset and --limit.
File: [ROOT]/home/outputs/bbddcbaa3782
[Output 31b671165f0f of cargo test: 273,902 bytes, 5,000 lines, text]
Preview:
1:2026-11-15T10:00:00Z INFO  worker 1: all is well so
2:2026-11-15T10:00:00Z INFO  worker 2: all is well so
3:2026-11-15T10:00:00Z INFO  worker 3: all is well so
2817:2026-11-15T10:00:00Z ERROR db: connection refused (needle 7f3a)
4999:2026-11-15T10:00:00Z INFO  worker 4999: all is well so
5000:2026-11-15T10:00:00Z INFO  worker 5000: all is well so
1 line looks like an error.
Read: scratchpad output read 31b671165f0f --lines 2812-2832; or --lines, --grep, --expr, --sql, --offset and --limit.
File: [ROOT]/home/outputs/31b671165f0f
[Output 3775417bab86 of events: 6,890 bytes, 200 lines, JSON Lines]
Preview: JSON Lines, the first {n: number, text: string}
Read: scratchpad output read 3775417bab86 --lines 1-50; or --lines, --grep, --expr, --sql, --offset and --limit.
File: [ROOT]/home/outputs/3775417bab86
[Output adbcf691dc76 of fetch page: 6,009 bytes, 3 lines, markdown]
Preview:
1:# Title
Read: scratchpad output read adbcf691dc76 --grep WORD; or --lines, --grep, --expr, --sql, --offset and --limit.
File: [ROOT]/home/outputs/adbcf691dc76
[Output feb15f15e0b8 of cat: 9,000 bytes, 1 line, not UTF-8]
Preview:
1:/xff  /xff  /xff  /xff  /xff  /xff  /xff  /xff  /xff  /xff  /xff  /xff  /xff  /x…ff  /xff  /xff  /xff  /xff  /xff  /xff  
Read: scratchpad output read feb15f15e0b8 --grep WORD; or --lines, --grep, --expr, --sql, --offset and --limit.
File: [ROOT]/home/outputs/feb15f15e0b8

"#]]
    );
}

#[test]
fn a_needle_is_found_in_one_small_call() {
    let machine = Machine::new();
    let (rows, log) = (rows(), log());
    assert!(
        rows.len() > 265_000 && log.len() > 270_000,
        "{} {}",
        rows.len(),
        log.len()
    );
    let rows_reference = put(&machine, "rows", rows.as_bytes());
    let log_reference = put(&machine, "log", log.as_bytes());
    assert!(rows_reference.len() <= 1_024 && log_reference.len() <= 1_024);
    let id = |reference: &str| reference.split_whitespace().nth(1).unwrap().to_owned();
    let (rows_id, log_id) = (id(&rows_reference), id(&log_reference));

    let cases = [
        (&rows_id, json!({"json": "$[?@.id == 617]"}), "\"id\":617"),
        (
            &rows_id,
            json!({"json": "map(select(.state == \"closed\")) | length"}),
            "115",
        ),
        (
            &rows_id,
            json!({"grep": "\"id\":617\\b"}),
            "\"title\":\"Issue 617",
        ),
        (
            &log_id,
            json!({"grep": "needle"}),
            "2817:2026-11-15T10:00:00Z ERROR db: connection refused (needle 7f3a)",
        ),
        (&log_id, json!({"lines": "2816-2818"}), "needle 7f3a"),
    ];
    for (id, slice, needle) in cases {
        let reply = read(&machine, id, &slice);
        let size: usize = texts(&reply).iter().map(|text| text.len()).sum();
        assert!(texts(&reply)[0].contains(needle), "{slice}: {reply}");
        assert!(size <= 1_024, "{slice} costs {size} bytes");
    }

    // Following the remarks from page to page gives the exact bytes.
    for (id, text) in [(&rows_id, &rows), (&log_id, &log)] {
        let (mut whole, mut offset) = (String::new(), Some(0));
        while let Some(at) = offset {
            let reply = read(&machine, id, &json!({"offset": at}));
            assert!(texts(&reply)[0].len() <= 32 * 1024);
            whole.push_str(texts(&reply)[0]);
            offset = reply["structuredContent"]["next_offset"].as_u64();
        }
        assert!(whole == **text, "pages of {id} are not the whole");
    }
}

#[test]
fn what_a_search_finds_comes_in_pages_that_make_the_whole() {
    let machine = Machine::new();
    let id = keep(&machine, "log", log().as_bytes());
    for (slice, unit, count) in [
        (json!({"grep": "INFO"}), "matches", 4_999),
        (
            json!({"grep": "ERROR|worker 1..:|worker 3..:", "context": 2}),
            "matches",
            201,
        ),
    ] {
        let mut whole = String::new();
        let mut next = slice.clone();
        let mut pages = 0;
        loop {
            let reply = read(&machine, &id, &next);
            assert_eq!(reply["structuredContent"][unit], count);
            assert!(texts(&reply)[0].len() <= 8 * 1024);
            whole.push_str(texts(&reply)[0]);
            pages += 1;
            // Taken from the remark, not from the structure.
            match texts(&reply)[1].split_once("Next: ") {
                Some((_, call)) => next = serde_json::from_str(call).unwrap(),
                None => break,
            }
        }
        assert!(pages > 1);
        let lines = if slice["context"].is_null() {
            4_999
        } else {
            whole.lines().count()
        };
        assert_eq!(whole.lines().count(), lines);
        let all = machine
            .run(&[
                "output",
                "read",
                &id,
                "--grep",
                slice["grep"].as_str().unwrap(),
                "--context",
                if slice["context"].is_null() { "0" } else { "2" },
            ])
            .ok();
        assert!(
            whole == all,
            "the pages are not what the command line shows"
        );
    }
}

#[test]
fn a_read_gives_the_part_alone_and_beside_it_what_there_is_to_say() {
    let machine = Machine::new();
    let padding = "-".repeat(5_000);
    let text = format!("one\ntwo\nthree\n{padding}\nlast café\n");
    let id = keep(&machine, "t", text.as_bytes());
    let json = format!("{{\"n\":[1,2,{{\"deep\":true}}],\"pad\":\"{padding}\"}}");
    let json_id = keep(&machine, "t", json.as_bytes());
    let odd_id = keep(
        &machine,
        "t",
        &[b"caf\xe9 ".repeat(1_000), b"\nend".to_vec()].concat(),
    );
    let mut seen = String::new();
    let cases = [
        (&id, json!({"lines": "2-3"})),
        (&id, json!({"lines": "-1"})),
        (&id, json!({"lines": "7-9"})),
        (&id, json!({"lines": "9-3"})),
        (&id, json!({"offset": 4, "limit": 3})),
        (&id, json!({"offset": 99_999})),
        (&id, json!({"limit": 0})),
        (&id, json!({"lines": "1-2", "offset": 4})),
        (&id, json!({"grep": "T", "json": "."})),
        (&id, json!({"context": 3})),
        (&id, json!({"grep": "^T", "ignore_case": true})),
        (&id, json!({"grep": "caf.", "context": 1})),
        (&id, json!({"grep": "nowhere"})),
        (&id, json!({"grep": "a[b"})),
        (&id, json!({"json": "length"})),
        (&json_id, json!({"json": "$.n[*]"})),
        (&json_id, json!({"json": ".n | length"})),
        (&json_id, json!({"json": "$.nothing"})),
        (&json_id, json!({"json": "$.n["})),
        (&json_id, json!({"json": ".n | nope"})),
        (&odd_id, json!({"limit": 6})),
        (&odd_id, json!({"grep": "end"})),
    ];
    for (id, slice) in cases {
        let reply = read(&machine, id, &slice);
        let blocks = texts(&reply).join("\n--\n").replace('\n', "\n  ");
        seen.push_str(&format!(
            "{slice}\n  {}\n",
            blocks.replace(&padding, "[5,000 dashes]")
        ));
    }
    assert_data_eq!(seen, str![[r#"
{"lines":"2-3"}
  two
  three
  
  --
  Lines 2-3 of 5.
{"lines":"-1"}
  last café
  
  --
  Lines 5-5 of 5.
{"lines":"7-9"}
  Out of range: output 2e22218b63c3 has 5,026 bytes in 5 lines.
{"lines":"9-3"}
  `lines` must be like "120-180" or "-40" (the last 40); "9-3" was given. Nothing was changed.
{"offset":4,"limit":3}
  two
  --
  Bytes 4-7 of 5026. Next: {"id":"2e22218b63c3","limit":3,"offset":7}
{"offset":99999}
  Out of range: output 2e22218b63c3 has 5,026 bytes.
{"limit":0}
  scratchpad_read: `limit` must be at least 1. Nothing was changed.
{"lines":"1-2","offset":4}
  scratchpad_read: `lines` can't be combined with `offset` or `limit`: slice one way. Nothing was changed.
{"grep":"T","json":"."}
  scratchpad_read: `lines`, `grep`, `json` and `sql` can't be combined: slice one way. Nothing was changed.
{"context":3}
  scratchpad_read: `context` and `ignore_case` go with `grep`. Nothing was changed.
{"grep":"^T","ignore_case":true}
  2:two
  3:three
  
  --
  2 matches.
{"grep":"caf.","context":1}
  4@14-----------------------------------------------------------------------------------------------------------------------------------------------------------------
  5:last café
  
  --
  1 match. N@B: part of the long line N from byte B.
{"grep":"nowhere"}
  No match in output 2e22218b63c3 (5,026 bytes).
{"grep":"a[b"}
  `grep` is invalid at character 2, before "[b": unclosed character class. Nothing was changed.
  Hint: it is a regular expression: put a backslash before each of \ . + * ? ( ) [ ] { } | ^ $ that is meant literally.
{"json":"length"}
  This output is not JSON or JSON Lines (byte offset 0: value expected). Nothing was changed.
  Hint: slice it by `grep` or `lines`.
{"json":"$.n[*]"}
  1
  2
  {"deep":true}
  
  --
  3 results.
{"json":".n | length"}
  3
  
  --
  1 result.
{"json":"$.nothing"}
  The expression matches nothing in output 8b5d7344b8f2.
{"json":"$.n["}
  `json` is not valid JSONPath at its end. Nothing was changed.
  Hint: like $[0:3], $.items[*].name, $..id, $[?@.state=='open'].
{"json":".n | nope"}
  `json` is not a valid jq filter at character 6, before "nope": unknown filter. Nothing was changed.
  Hint: JSONPath starts with `$`: $[0:3], $.items[?@.id==7]; a jq filter: length, [.[]|.name]|unique.
{"limit":6}
  caf\xe9 c
  --
  Bytes 0-6 of 5004. Next: {"id":"0eb064bb3c27","limit":6,"offset":6} Bytes that are not UTF-8 are shown as \xNN.
{"grep":"end"}
  2:end
  
  --
  1 match.

"#]].raw());
}

#[test]
fn that_nothing_was_found_is_said_beside_an_empty_stdout() {
    let machine = Machine::new();
    let put = ["output", "put", "--always", "--tool", "t"];
    let reference = machine.run_with(&put, b"x").ok();
    assert_data_eq!(
        reference.lines().next().unwrap(),
        str!["[Output 2d711642b726 of t: 1 byte, 1 line, text]"]
    );
    assert_eq!(machine.run_with(&put, b"").ok(), "");
    let read = ["output", "read", "2d711642b726"];
    assert_data_eq!(
        machine.run(&[&read[..], &["--grep", "y"]].concat()).seen(),
        str![[r#"
exit 0
--- stdout
--- stderr
No match in output 2d711642b726 (1 byte).

"#]]
    );
    assert_data_eq!(
        machine.run(&[&read[..], &["--lines", "7"]].concat()).seen(),
        str![[r#"
exit 0
--- stdout
--- stderr
Out of range: output 2d711642b726 has 1 byte in 1 line.

"#]]
    );
}
