//! `scratchpad_read`: each way to slice an output, and what is said beside the slice.

use crate::support::Machine;
use crate::support::outputs::{call, keep, read, texts};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// 3,000 lines that each have their number.
fn numbers() -> String {
    let lines: Vec<_> = (1..=3_000).map(|number| number.to_string()).collect();
    lines.join("\n") + "\n"
}

/// The text blocks of a slice of an output.
fn slice(machine: &Machine, id: &str, slice: &Value) -> Vec<String> {
    let reply = read(machine, id, slice);
    assert_eq!(reply["isError"], false, "{reply}");
    texts(&reply).into_iter().map(str::to_owned).collect()
}

#[test]
fn lines_are_read_from_a_range_and_from_the_end() {
    let machine = Machine::new();
    let id = keep(&machine, "seq", numbers().as_bytes());
    let lines = |range| slice(&machine, &id, &json!({"lines": range}));
    assert_eq!(
        lines("120-122"),
        ["120\n121\n122\n", "Lines 120-122 of 3,000."]
    );
    assert_eq!(lines("-2"), ["2999\n3000\n", "Lines 2999-3000 of 3,000."]);
}

#[test]
fn grep_finds_lines_with_those_around_them() {
    let machine = Machine::new();
    let id = keep(&machine, "seq", numbers().as_bytes());
    let found = slice(&machine, &id, &json!({"grep": "^10[01]0$", "context": 1}));
    assert_eq!(
        found,
        [
            "999-999\n1000:1000\n1001-1001\n--\n1009-1009\n1010:1010\n1011-1011\n",
            "2 matches."
        ]
    );
}

#[test]
fn json_is_read_by_jsonpath_and_by_jq() {
    let machine = Machine::new();
    let rows: Vec<Value> = (0..800).map(|row| json!({"id": row})).collect();
    let id = keep(&machine, "rows", json!(rows).to_string().as_bytes());
    let json = |expression| slice(&machine, &id, &json!({"json": expression}))[0].clone();
    assert_eq!(json("$[3:5].id"), "3\n4\n");
    assert_eq!(json("map(.id) | add"), "319600\n");
}

#[test]
fn sql_answers_over_rows_of_json_csv_and_lines() {
    let machine = Machine::new();
    let rows: Vec<Value> = (0..800)
        .map(|row| json!({"id": row, "open": row % 4 == 0}))
        .collect();
    let json = keep(&machine, "rows", json!(rows).to_string().as_bytes());
    let query = "select open, count(*) as n from t group by open";
    assert_eq!(
        slice(&machine, &json, &json!({"sql": query})),
        ["open,n\n0,600\n1,200\n", "2 rows. t: 800 rows."]
    );
    let names: Vec<String> = (0..800).map(|row| format!("{row},Ann {row}\n")).collect();
    let csv = format!("id,name\n{}", names.concat());
    let csv = keep(&machine, "names", csv.as_bytes());
    let query = format!("select name from t join o_{json} r using (id) where r.open and id > 790");
    assert_eq!(
        slice(&machine, &csv, &json!({"sql": query})),
        [
            "name\nAnn 792\nAnn 796\n",
            "2 rows. t: 800 rows. o_[ID]: 800 rows."
                .replace("[ID]", &json)
                .as_str()
        ]
    );
    let lines = keep(&machine, "seq", numbers().as_bytes());
    let query = "select max(n) as n from t where line regexp '9$'";
    assert_eq!(
        slice(&machine, &lines, &json!({"sql": query}))[0],
        "n\n2999\n"
    );
}

#[test]
fn the_answer_to_a_query_is_read_page_by_page() {
    let machine = Machine::new();
    let id = keep(&machine, "seq", numbers().as_bytes());
    let query = "select n from t";
    let (mut offset, mut whole) = (json!(0), String::new());
    while !offset.is_null() {
        let reply = read(&machine, &id, &json!({"sql": query, "offset": offset}));
        whole.push_str(texts(&reply)[0]);
        assert_eq!(reply["structuredContent"]["rows"], 3_000);
        offset = reply["structuredContent"]["next_offset"].clone();
    }
    assert_eq!(whole, format!("n\n{}", numbers()));
}

#[test]
fn an_unknown_column_is_answered_with_the_columns() {
    let machine = Machine::new();
    let csv = format!("id,name\n{}", "1,Ann\n".repeat(900));
    let id = keep(&machine, "names", csv.as_bytes());
    let reply = read(&machine, &id, &json!({"sql": "select nam from t"}));
    assert_eq!(reply["isError"], true, "{reply}");
    assert_data_eq!(
        texts(&reply)[0],
        str![[r#"
`sql`: no such column: nam. Nothing was changed.
Hint: t has: id, name (2).
"#]]
    );
}

#[test]
fn bytes_are_read_on_the_boundaries_of_characters() {
    let machine = Machine::new();
    let id = keep(&machine, "t", "ä".repeat(3_000).as_bytes());
    let part = read(&machine, &id, &json!({"offset": 1, "limit": 4}));
    let text = texts(&part)[0];
    assert!(
        !text.is_empty() && text.chars().all(|char| char == 'ä'),
        "{text}"
    );
}

#[test]
fn an_output_is_read_whole_if_it_fits_and_else_its_first_part_with_how_to_go_on() {
    let machine = Machine::new();
    let numbers = numbers();
    let id = keep(&machine, "seq", numbers.as_bytes());
    let parts = slice(&machine, &id, &json!({}));
    assert!(parts[0] == numbers);
    assert_data_eq!(&parts[1], str!["All of output 2e57c67a8bbe: 13,893 bytes."]);
    machine
        .run(&["config", "set", "outputs.read_max_bytes", "5000"])
        .ok();
    let parts = slice(&machine, &id, &json!({}));
    assert!(numbers.starts_with(&parts[0]) && parts[0].len() <= 5_000);
    assert_data_eq!(
        &parts[1],
        str![[r#"Bytes 0-[..] of 13893. Next: {"id":"2e57c67a8bbe","offset":[..]}"#]]
    );
}

#[test]
fn an_output_is_sliced_in_one_way_at_a_time() {
    let machine = Machine::new();
    let id = keep(&machine, "seq", numbers().as_bytes());
    let both = [
        json!({"lines": "1-2", "grep": "1"}),
        json!({"grep": "1", "json": "."}),
        json!({"json": ".", "sql": "select 1"}),
        json!({"lines": "1-2", "offset": 4}),
    ];
    for both in both {
        let reply = read(&machine, &id, &both);
        assert_eq!(reply["isError"], true, "{reply}");
        assert!(texts(&reply)[0].contains("slice one way"), "{reply}");
    }
}

#[test]
fn past_the_end_of_an_output_is_a_notice_and_no_error() {
    let machine = Machine::new();
    let id = keep(&machine, "seq", numbers().as_bytes());
    let notice = |past| slice(&machine, &id, &past)[0].clone();
    assert_data_eq!(
        notice(json!({"lines": "4000-4001"})),
        str!["Out of range: output 2e57c67a8bbe has 13,893 bytes in 3,000 lines."]
    );
    assert_data_eq!(
        notice(json!({"offset": 99_999})),
        str!["Out of range: output 2e57c67a8bbe has 13,893 bytes."]
    );
}

#[test]
fn a_slice_is_never_kept_as_an_output_again() {
    let machine = Machine::new();
    let id = keep(&machine, "seq", numbers().as_bytes());
    let whole = slice(&machine, &id, &json!({}));
    assert!(whole[0].len() > 4_096);
    let list = call(&machine, "scratchpad_list", &json!({}));
    assert_eq!(list["structuredContent"]["output_count"], 1);
}

#[test]
fn a_bad_id_is_refused_and_an_unknown_one_is_an_error() {
    let machine = Machine::new();
    for (id, said) in [
        ("../x", "is not an output id"),
        ("abc", "is not an output id"),
        ("abcabcabcabc", "not found"),
    ] {
        let reply = read(&machine, id, &json!({}));
        assert_eq!(reply["isError"], true);
        assert!(texts(&reply)[0].contains(said), "{reply}");
    }
    for (id, said) in [("../x", "is not an output id"), ("abc", "is too short")] {
        let refused = machine.run(&["output", "delete", id]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.err.contains(said), "{refused:?}");
    }
}
