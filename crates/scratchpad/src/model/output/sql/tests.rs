use std::collections::BTreeMap;

use proptest::prelude::*;
use snapbox::{IntoData, assert_data_eq, str};

use super::*;

/// What a query over some outputs gives: the answer, and what is said beside it.
fn asked_of(query: &str, tables: &[(&str, &str)]) -> String {
    let sources: Vec<Source> = (tables.iter())
        .map(|(table, text)| Source {
            table: (*table).to_owned(),
            bytes: text.len() as u64,
        })
        .collect();
    let content: Vec<&str> = tables.iter().map(|(_, text)| *text).collect();
    let mut out = Vec::new();
    let done = check_length(query)
        .and_then(|()| evaluate(query, &sources, &mut content.concat().as_bytes(), &mut out));
    let beside = match done {
        Ok(found) => format!("({}; {})\n", found.count, found.about.unwrap()),
        Err(error) => format!("{}\n", error.explained("\n")),
    };
    String::from_utf8(out).unwrap() + &beside
}

fn asked(query: &str, text: &str) -> String {
    asked_of(query, &[("t", text)])
}

#[test]
fn rows_come_from_each_format() {
    let all = "select * from t limit 3";
    let array = r#"[{"id":1,"name":"a","user":{"login": "x"},"tags":[ 1, 2 ]},{"id":2.50,"ok":true},7,null]"#;
    let wide = r#"{"total":2,"page":{"items":[{"a":1},{"a":2}]},"few":[9]}"#;
    let entries = r#"{"x":{"n":1,"key":"own"},"y":{"n":2}}"#;
    let answers = [
        asked("select * from t", array),
        asked("select user->>'login' as login from t where id = 1", array),
        asked(all, wide),
        asked(all, entries),
        asked(all, r#"{"a":1,"b":"two"}"#),
        asked(
            "select a, length(b) from t",
            "{\"a\":1}\n\n{\"a\":2,\"b\":\"\\u00e4\"}\n",
        ),
        asked(
            "select sum(price*n) as s, max(name) as m from t",
            "name,price,n\n\"a,\"\"b\"\"\nc\",155.90,2\nd,0.10,1\n",
        ),
        asked(all, "id;name\n1;x\n2;y\n"),
        asked(all, "id\tname\n1\tx\n2\ty"),
        asked(
            "select n, line from t where line regexp '^b'",
            "a\r\nb1\r\nb2",
        ),
        asked(
            "select regexp_extract(line, 'id=(\\d+)', 1) as id, count(*) as n from t group by 1 order by 1 desc",
            "id=7 x\nid=7 y\nid=12\nnone\n",
        ),
        asked(
            "select count(*) as n, sum(e.value) as s from doc, json_each(doc.text, '$.few') e",
            wide,
        ),
        asked_of(
            "select t.name, o_0123456789ab.city from t join o_0123456789ab using (id)",
            &[
                ("t", "id,name\n1,Ann\n2,Bob\n"),
                ("o_0123456789ab", r#"[{"id":2,"city":"Ulm"}]"#),
            ],
        ),
    ];
    assert_data_eq!(
        answers.join("\n"),
        str![[r#"
id,name,user,tags,ok,value
1,a,"{""login"":""x""}","[1,2]",,
2.5,,,,1,
,,,,,7
,,,,,
(4; t: 4 rows.)

login
x
(1; t: 4 rows.)

a
1
2
(2; t: 2 rows.)

key,n,key_2
x,1,own
y,2,
(2; t: 2 rows.)

a,b
1,two
(1; t: 1 row.)

a,length(b)
1,
2,1
(2; t: 2 rows.)

s,m
311.9,d
(1; t: 2 rows.)

id,name
1,x
2,y
(2; t: 2 rows.)

id,name
1,x
2,y
(2; t: 2 rows.)

n,line
2,b1
3,b2
(2; t: 3 rows.)

id,n
7,2
12,1
,1
(3; t: 4 rows.)

n,s
1,9
(1; t: 2 rows.)

name,city
Bob,Ulm
(1; t: 2 rows. o_0123456789ab: 1 row.)

"#]]
        .raw()
    );
}

#[test]
fn what_is_odd_stays_exact_or_is_said() {
    let all = "select * from t";
    let many: Vec<String> = (0..501).map(|key| format!("\"k{key}\":{key}")).collect();
    let many = format!("[{{{}}}]", many.join(","));
    let answers = [
        // A byte order mark, CRLF, and digits that SQL would change.
        asked(
            all,
            "\u{feff}zip,n,f\r\n00123,1e5,+5\r\n-0,12345678901234567890,0.12345678901234567\r\n",
        ),
        // Records that are too short or too long, once in a while.
        asked(
            "select * from t where c is null or c4 is not null",
            &format!("a,b,c\n{}1,2\n1,2,3,4\n", "x,y,z\n".repeat(30)),
        ),
        // Headers that are empty or not unique.
        asked(all, "id,,Id,id\n1,2,3,4\n"),
        // One column, a log with a comma in each line, and prose are no tables.
        asked(all, "name\nAnn\n"),
        asked(
            "select count(*) as n from t",
            "2026-11-15 10:00:00,123 INFO a\n2026-11-15 10:00:00,124 INFO b\n",
        ),
        asked("select n from t", "So, it began\nAnd, it went\n"),
        asked(
            all,
            r#"[{"n":10000000000000000000000},{"n":1e400},{"n":-0},{"n":1e2},{"n":"NaN"},{"n":"\ud800"}]"#,
        ),
        asked(all, r#"[{"":1,"a\u0000b":2,"A\u0000B":3,"q\"":""}]"#),
        asked("select k0, k499 from t", &many),
        asked("select k500 from t", many.trim_end_matches("}]")),
        asked(all, "[]"),
        asked(all, "{}"),
        asked(all, ""),
        asked("select count(*) as n from t", "[{\"a\":1}\n{\"a\":2}"),
        asked(
            "select x'00ff' as b, null as n, '' as e, 0.1 + 0.2 as r, 1e22 as big, ' s' as s",
            "x",
        ),
    ];
    assert_data_eq!(
        answers.join("\n"),
        str![[r#"
zip,n,f
00123,1e5,+5
-0,12345678901234567890,0.12345678901234567
(2; t: 2 rows.)

a,b,c,c4
1,2,,
1,2,3,4
(2; t: 32 rows.)

id,c2,Id_2,id_3
1,2,3,4
(1; t: 1 row.)

n,line
1,name
2,Ann
(2; t: 2 rows.)

n
2
(1; t: 2 rows.)

n
1
2
(2; t: 2 rows.)

n
10000000000000000000000
1e400
0
100.0
NaN
\ud800
(6; t: 6 rows.)

c1,a b,A B_2,"q"""
1,2,3,""
(1; t: 1 row.)

k0,k499
0,499
(1; t: 1 row; 1 of its keys are no columns, because 500 is the limit: doc.text has them.)

`sql`: no such column: k500. Nothing was changed.
Hint: t has: n, line (2).

value
(0; t: 0 rows.)

value

(1; t: 1 row.)

n,line
(0; t: 0 rows.)

n
2
(1; t: 2 rows.)

b,n,e,r,big,s
x'00ff',,"",0.3,1e22," s"
(1; t: 1 row.)

"#]]
        .raw()
    );
}

#[test]
fn mistakes_are_explained_with_the_columns() {
    let rows = r#"[{"id":1,"title":"a","state":"open"}]"#;
    let answers = [
        asked("select states from t", rows),
        asked("select \"states\" from t", rows),
        asked("select id form t", rows),
        asked("select id from issues", rows),
        asked("select nope(id) from t", rows),
        asked("select id regexp '[' from t", rows),
        asked("select count(*), from t", rows),
        asked("-- nothing", rows),
        asked("", rows),
        asked(&"x".repeat(5_000), rows),
    ];
    assert_data_eq!(answers.join("\n"), str![[r#"
`sql`: no such column: states. Nothing was changed.
Hint: t has: id, title, state (3).

`sql`: no such column: "states" - should this be a string literal in single-quotes?. Nothing was changed.
Hint: t has: id, title, state (3).

`sql`: near "t": syntax error, at character 16. Nothing was changed.
Hint: t has: id, title, state (3).

`sql`: no such table: issues. Nothing was changed.
Hint: t has: id, title, state (3). another output is o_ and its id; doc(text) is all of this one.

`sql`: no such function: nope. Nothing was changed.
Hint: t has: id, title, state (3).

id regexp '['
`sql`: regex parse error:
    [
    ^
error: unclosed character class. Nothing was changed.
Hint: t has: id, title, state (3).

`sql`: near "from": syntax error, at character 18. Nothing was changed.
Hint: t has: id, title, state (3).

`sql` has no statement. Nothing was changed.
Hint: like select state, count(*) from t group by 1 order by 2 desc.

`sql` takes a query of 1 to 4,000 characters; 0 were given. Nothing was changed.

`sql` takes a query of 1 to 4,000 characters; 5,000 were given. Nothing was changed.

"#]].raw());
}

#[test]
fn a_query_reads_and_does_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("made.db").display().to_string();
    let attacks = [
        format!("attach '{file}' as x"),
        format!("vacuum into '{file}'"),
        "vacuum".to_owned(),
        "pragma temp_store_directory = '/'".to_owned(),
        "pragma writable_schema = 1".to_owned(),
        "select * from pragma_database_list".to_owned(),
        "select * from pragma_table_info('t')".to_owned(),
        "create table x (a)".to_owned(),
        "create temp table x (a)".to_owned(),
        "create view x as select 1".to_owned(),
        "create trigger x after insert on t begin select 1; end".to_owned(),
        "create virtual table x using dbstat".to_owned(),
        "insert into t values (1)".to_owned(),
        "update t set a = 2".to_owned(),
        "delete from t".to_owned(),
        "drop table t".to_owned(),
        "alter table t rename to u".to_owned(),
        "reindex".to_owned(),
        "analyze".to_owned(),
        "begin".to_owned(),
        "savepoint x".to_owned(),
        "detach main".to_owned(),
        "select 1; select 2".to_owned(),
        "select 1; drop table t".to_owned(),
        "select load_extension('/x.so')".to_owned(),
        format!("select writefile('{file}', 'x')"),
        "select readfile('/etc/passwd')".to_owned(),
        "select edit('x')".to_owned(),
        "select * from fsdir('/')".to_owned(),
        "explain select 1; drop table t".to_owned(),
    ];
    for attack in attacks {
        let answer = asked(&attack, "[{\"a\":1}]");
        assert!(
            answer.contains("Nothing was changed."),
            "{attack}: {answer}"
        );
        assert!(!answer.contains("root:"), "{attack}: {answer}");
    }
    assert_eq!(directory.path().read_dir().unwrap().count(), 0);
}

#[test]
fn others_are_named_by_their_ids() {
    let ids = |query: &str| others(query).map(|ids| ids.iter().map(ToString::to_string).collect());
    let named: Vec<String> =
        ids("select * from t, o_0123456789ab a, o_0123456789ab, o_0123, o_0123456789AB").unwrap();
    assert_eq!(named, ["0123456789ab"]);
    let many: Vec<String> = (0..9).map(|id| format!("o_00000000000{id}")).collect();
    let refused: Result<Vec<String>> = ids(&many.join(","));
    assert_data_eq!(
        refused.unwrap_err().to_string(),
        str!["`sql` reads at most 8 other outputs; this query names 9. Nothing was changed."]
    );
}

/// A row of the model: a key, and a number or nothing.
type Row = (String, Option<i64>);

proptest! {
    /// Grouped by hand, random rows give what the query gives, in each format.
    #[test]
    fn groups_are_those_of_a_plain_model(rows in proptest::collection::vec(("[a-c,\" ä]{1,3}", proptest::option::of(-9_i64..9)), 1..30)) {
        let mut groups: BTreeMap<String, (u64, i64)> = BTreeMap::new();
        for (key, number) in &rows {
            let group = groups.entry(key.clone()).or_default();
            group.0 += 1;
            group.1 += number.unwrap_or(0);
        }
        let expected: Vec<String> = (groups.iter())
            .map(|(key, (count, sum))| format!("{},{count},{sum}\n", quoted(key)))
            .collect();
        let expected = format!("key,n,s\n{}({}; t: {}.)\n", expected.concat(), groups.len(), counted(rows.len(), "{number} row", "{number} rows"));
        let query = "select k as key, count(*) as n, coalesce(sum(n), 0) as s from t group by k order by k";
        for text in [json_of(&rows), lines_of(&rows), csv_of(&rows)] {
            prop_assert_eq!(asked(query, &text), expected.clone(), "{}", text);
        }
    }

    /// Whatever the bytes, a query over them ends with an answer or an error.
    #[test]
    fn no_bytes_make_it_fail(content: Vec<u8>, query in "(select [*a-z0-9,() ]{0,20} from t|\\PC{0,30})") {
        let source = [Source::own(content.len() as u64)];
        let _ = evaluate(&query, &source, &mut content.as_slice(), &mut Vec::new());
    }

    /// Fields that are written by the rules are read back, whatever they contain.
    #[test]
    fn fields_are_read_as_they_were_written(rows in proptest::collection::vec(proptest::collection::vec("[a,;\"\r\n\t ä]{0,5}", 3), 1..9)) {
        let text: Vec<String> = rows.iter().map(|row| row.iter().map(|field| quoted_always(field)).collect::<Vec<_>>().join(",") + "\n").collect();
        let text = text.concat();
        let found: Vec<Vec<String>> = csv::Records::new(text.as_bytes(), b',')
            .map(|record| record.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect())
            .collect();
        prop_assert_eq!(found, rows);
    }

    /// The parts of JSON are those that another parser finds.
    #[test]
    fn parts_of_json_are_those_that_serde_finds(keys in proptest::collection::vec("\\PC{0,5}", 0..5), text in "\\PC{0,9}", number: i64) {
        let value = serde_json::json!({"s": text, "n": [number, [text], {"k": [1, 2, {}]}], "e": {}, "o": keys});
        for written in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            for (name, expected) in value.as_object().unwrap() {
                let found = json::members(written.as_bytes()).find(|(key, _)| json::text(key) == *name);
                let found: serde_json::Value = serde_json::from_slice(found.unwrap().1).unwrap();
                prop_assert_eq!(&found, expected);
            }
            let (_, array) = json::members(written.as_bytes()).find(|(key, _)| json::text(key) == "o").unwrap();
            let found: Vec<String> = json::items(array).map(|item| json::text(item).into_owned()).collect();
            prop_assert_eq!(&found, &keys);
        }
    }
}

fn quoted_always(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// As answers have it.
fn quoted(text: &str) -> String {
    if text.contains(['"', ',']) || text.starts_with(' ') || text.ends_with(' ') {
        return quoted_always(text);
    }
    text.to_owned()
}

fn json_of(rows: &[Row]) -> String {
    let rows: Vec<_> = (rows.iter())
        .map(|(key, number)| serde_json::json!({"k": key, "n": number}))
        .collect();
    serde_json::json!(rows).to_string()
}

fn lines_of(rows: &[Row]) -> String {
    let rows = rows
        .iter()
        .map(|(key, number)| serde_json::json!({"k": key, "n": number}).to_string() + "\n");
    rows.collect()
}

fn csv_of(rows: &[Row]) -> String {
    let rows = rows.iter().map(|(key, number)| {
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        format!("{},{number}\n", quoted_always(key))
    });
    "k,n\n".to_owned() + &rows.collect::<String>()
}
