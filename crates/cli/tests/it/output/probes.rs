//! Searches and expressions that agents write: whatever they are, they end, and nothing else is affected.

use std::fs;
use std::process::Command;

use crate::support::Machine;
use crate::support::client::Client;
use crate::support::outputs::{keep, read, texts};
use serde_json::json;
use snapbox::{assert_data_eq, str};

/// What is said of an expression that fails, one line.
fn refused(machine: &Machine, id: &str, expression: &str) -> String {
    let reply = read(machine, id, &json!({"json": expression}));
    assert_eq!(reply["isError"], true, "{expression}: {reply}");
    format!("{expression}: {}\n", texts(&reply)[0].replace('\n', " "))
}

/// A machine with an array of 5,001 numbers, and the array's id.
fn numbers() -> (Machine, String) {
    let machine = Machine::new();
    let text = format!("[{}1]", "1,".repeat(5_000));
    let id = keep(&machine, "t", text.as_bytes());
    (machine, id)
}

#[test]
#[ignore = "heavy: waits for time limits"]
fn an_expression_that_never_ends_is_stopped() {
    let (machine, id) = numbers();
    let all = ["def f: f; f", "[repeat(1)]"].map(|text| refused(&machine, &id, text));
    assert_data_eq!(
        all.concat(),
        str![[r#"
def f: f; f: `json` was stopped: it took longer than 5 seconds. Nothing was changed. Hint: ask for less: limit(10; …), or a narrower path.
[repeat(1)]: `json` was stopped: it took longer than 5 seconds. Nothing was changed. Hint: ask for less: limit(10; …), or a narrower path.

"#]]
    );
}

#[test]
fn an_expression_that_explodes_or_reaches_out_is_stopped() {
    let (machine, id) = numbers();
    let all = [
        "repeat(\"x\" * 1000000)",
        "\"x\" * 4000000000",
        "1, halt_error",
        "import \"/etc/passwd\" as $data; $data",
    ]
    .map(|text| refused(&machine, &id, text));
    assert_data_eq!(
        all.concat(),
        str![[r#"
repeat("x" * 1000000): `json` was stopped: its result is larger than 67,108,864 bytes. Nothing was changed. Hint: ask for less: limit(10; …), or a narrower path.
"x" * 4000000000: `json` was stopped: it needed too much memory, or something is nested too deep. Nothing was changed. Hint: ask for less: limit(10; …), or a narrower path.
1, halt_error: `json` halted with 5. Nothing was changed.
import "/etc/passwd" as $data; $data: `json` is not a valid jq filter at character 9, before "/etc/passwd": expected no file. Nothing was changed. Hint: JSONPath starts with `$`: $[0:3], $.items[?@.id==7]; a jq filter: length, [.[]|.name]|unique.

"#]]
    );
    // A filter has no access to secrets.
    let mut command = machine.command(&[
        "call",
        "scratchpad_read",
        &json!({"id": id, "json": "env | length"}).to_string(),
    ]);
    let answer = machine
        .answer(command.env("SECRET", "x").output().unwrap())
        .ok();
    assert!(answer.starts_with("0\n"), "{answer}");
}

#[test]
#[ignore = "heavy: waits for a time limit"]
fn a_pattern_that_takes_too_long_is_stopped() {
    let machine = Machine::new();
    let id = keep(&machine, "t", "A".repeat(300_000).as_bytes());
    // Finding each match requires looking at everything that follows it.
    let reply = read(&machine, &id, &json!({"grep": ".*[^A-Z]|[A-Z]"}));
    assert_eq!(reply["isError"], true, "{reply}");
    assert_data_eq!(
        texts(&reply)[0],
        str![[r#"
`grep` was stopped: it took longer than 5 seconds. Nothing was changed.
Hint: ask for less: a simpler pattern, or `lines`.
"#]]
    );
}

#[test]
#[ignore = "heavy: waits for time limits"]
fn a_query_that_never_ends_is_stopped() {
    let (machine, id) = numbers();
    let endless =
        "with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r";
    let reply = read(&machine, &id, &json!({"sql": endless}));
    assert_data_eq!(
        texts(&reply)[0],
        str![[r#"
`sql` was stopped: it took longer than 5 seconds. Nothing was changed.
Hint: ask for less: limit, or a narrower where; a join needs a condition.
"#]]
    );
}

#[test]
fn a_query_that_explodes_or_reaches_out_is_stopped() {
    let (machine, id) = numbers();
    let file = machine.home().join("made.db");
    let all = [
        "select hex(zeroblob(900000000))".to_owned(),
        "select zeroblob(100000000), * from t limit 5".to_owned(),
        format!("attach '{}' as x", file.display()),
        format!("vacuum into '{}'", file.display()),
        "select 1; select 2".to_owned(),
        format!("select * from o_{}", "0".repeat(12)),
    ]
    .map(|query| {
        let reply = read(&machine, &id, &json!({"sql": query}));
        assert_eq!(reply["isError"], true, "{reply}");
        format!("{}\n", texts(&reply)[0])
    });
    assert!(!file.exists());
    assert_data_eq!(
        all.concat(),
        str![[r#"
`sql`: string or blob too big. Nothing was changed.
Hint: t has: value (1).
`sql` was stopped: it needed too much memory, or something is nested too deep. Nothing was changed.
Hint: ask for less: limit, or a narrower where; a join needs a condition.
`sql` only reads: one SELECT. Nothing was changed.
Hint: like select state, count(*) from t group by 1 order by 2 desc.
`sql` only reads: one SELECT. Nothing was changed.
Hint: like select state, count(*) from t group by 1 order by 2 desc.
`sql` takes one statement; more were given. Nothing was changed.
Hint: like select state, count(*) from t group by 1 order by 2 desc.
Output 000000000000 not found: it was never kept here.

"#]]
    );
}

#[test]
fn a_server_outlives_every_probe() {
    let (machine, id) = numbers();
    let mut client = Client::greeted(&mut machine.command(&["mcp"]));
    let mut ask = |expression: &str| {
        client.call("scratchpad_read", json!({"id": id, "json": expression}))[0].clone()
    };
    for nested in [
        format!("{}{}", "[".repeat(2_000), "]".repeat(2_000)),
        format!("{}1", "-".repeat(3_999)),
        format!("$[?{}@{}]", "!(".repeat(1_300), ")".repeat(1_300)),
    ] {
        let answer = ask(&nested);
        assert!(
            answer.contains("nested too deep") || answer.contains("nesting depth"),
            "{answer}"
        );
    }
    assert_eq!(ask("[limit(2; .[])], halt, 7"), "[1,1]\n");
    assert_eq!(ask(". == \"\0\""), "false\n");
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_whose_program_was_replaced_still_searches() {
    let machine = Machine::new();
    let id = keep(&machine, "t", "a needle\n".repeat(1_000).as_bytes());
    let command = machine.command(&["mcp"]);
    let copy = machine.home().join("copy");
    // Written by another process: no child of this one may hold a program open that is to run.
    let program = command.get_program();
    let copying = Command::new("cp").arg(program).arg(&copy).status();
    assert!(copying.unwrap().success());
    let mut copied = Command::new(&copy);
    copied
        .args(command.get_args())
        .current_dir(command.get_current_dir().unwrap())
        .env_clear();
    copied.envs(
        command
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let mut client = Client::greeted(&mut copied);
    fs::remove_file(&copy).unwrap();
    let found = client.call(
        "scratchpad_read",
        json!({"id": id, "grep": "needle", "limit": 10}),
    );
    assert_eq!(found[0], "1:a needle");
}
