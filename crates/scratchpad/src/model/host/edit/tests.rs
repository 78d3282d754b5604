use super::*;
use proptest::prelude::*;
use serde_json::json;
use snapbox::{assert_data_eq, str};

fn hook(command: &str) -> Json {
    json!({"hooks": [{"type": "command", "command": command}]})
}

fn is_ours(item: &Json) -> bool {
    item.to_string().contains("ours")
}

#[test]
fn a_value_goes_where_the_file_has_room_and_comes_out_again() {
    let files = [
        "{}",
        "{}\n",
        "{\n}\n",
        "{\"a\":1}",
        "{\n  \"a\": 1\n}\n",
        "{\n\t\"a\": 1,\n\t\"mcpServers\": {}\n}",
        "{\r\n    \"mcpServers\": {\r\n        \"x\": {\"command\": \"y\"}\r\n    }\r\n}\r\n",
        "{\n  // first\n  \"a\": 1, // one\n  \"mcpServers\": {\n    \"x\": {} // theirs\n    /* end */\n  },\n}\n",
        "\u{feff}{\n  \"mcpServers\": { \"x\": {} }\n}\n",
        "{\n  \"mcpServers\": {\n    \"x\": {},\n  }\n}\n",
    ];
    let path = ["mcpServers", "scratchpad"];
    let value = json!({"command": "s", "args": ["mcp"]});
    for file in files {
        let with = put(file, Format::Json, &path, &value).unwrap();
        assert_eq!(
            get(&with, Format::Json, &path).unwrap(),
            Some(value.clone()),
            "{with}"
        );
        assert_eq!(put(&with, Format::Json, &path, &value).unwrap(), with);
        let had_servers = file.contains("mcpServers");
        let back = take(
            &with,
            Format::Json,
            if had_servers { &path } else { &path[..1] },
        )
        .unwrap();
        let plain = |text: &str| text.replace("{\n}", "{}");
        assert_eq!(plain(&back), plain(file), "{with}");
    }
}

#[test]
fn what_is_put_looks_like_the_rest() {
    let file = "{\n    // mine\n    \"theme\": \"dark\", // yes\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": []}\n        ]\n    }\n}\n";
    let with = put_item(file, &["hooks", "Stop"], &hook("ours"), &is_ours).unwrap();
    let with = put_item(&with, &["hooks", "Start"], &hook("ours"), &is_ours).unwrap();
    let with = put(
        &with,
        Format::Json,
        &["mcpServers", "s"],
        &json!({"args": ["a", "b"]}),
    )
    .unwrap();
    assert_data_eq!(
        &with,
        str![[r#"
{
    // mine
    "theme": "dark", // yes
    "hooks": {
        "Stop": [
            {"hooks": []},
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "ours"
                    }
                ]
            }
        ],
        "Start": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "ours"
                    }
                ]
            }
        ]
    },
    "mcpServers": {
        "s": {
            "args": ["a", "b"]
        }
    }
}

"#]]
    );
    // An older entry of ours is replaced in place; a list of other entries stays.
    let newer = put_item(&with, &["hooks", "Stop"], &hook("ours, newer"), &is_ours).unwrap();
    assert_eq!(newer, with.replacen("\"ours\"", "\"ours, newer\"", 1));
    let back = take_items(&with, &["hooks", "Stop"], &is_ours).unwrap();
    let back = take(&back, Format::Json, &["hooks", "Start"]).unwrap();
    let back = take(&back, Format::Json, &["mcpServers"]).unwrap();
    assert_eq!(back, file);
}

#[test]
fn toml_keeps_what_else_is_in_it() {
    let file = "# mine\nmodel = \"x\" # yes\n\n[mcp_servers.other]\ncommand = 'y'\n";
    let path = ["mcp_servers", "scratchpad"];
    let value = json!({"command": "s", "args": ["mcp"]});
    let with = put(file, Format::Toml, &path, &value).unwrap();
    assert_data_eq!(
        &with,
        str![[r#"
# mine
model = "x" # yes

[mcp_servers.other]
command = 'y'

[mcp_servers.scratchpad]
command = "s"
args = ["mcp"]

"#]]
    );
    assert_eq!(put(&with, Format::Toml, &path, &value).unwrap(), with);
    assert_eq!(take(&with, Format::Toml, &path).unwrap(), file);
    assert_eq!(
        put("", Format::Toml, &path, &value).unwrap(),
        "[mcp_servers.scratchpad]\ncommand = \"s\"\nargs = [\"mcp\"]\n"
    );
}

#[test]
fn a_file_that_can_t_hold_it_is_refused() {
    for (file, path) in [
        ("[]", ["a", "b"]),
        ("{\"a\": 1}", ["a", "b"]),
        ("{", ["a", "b"]),
    ] {
        assert!(
            put(file, Format::Json, &path, &json!({})).is_err(),
            "{file}"
        );
    }
    assert!(put_item("{\"a\": {}}", &["a"], &json!({}), &is_ours).is_err());
}

#[test]
fn comments_beside_an_entry_stay_when_it_goes() {
    let cases = [
        // The comma is outside the comment.
        (
            r#"{"theirs": 1 /* x, y */, "scratchpad": 2}"#,
            r#"{"theirs": 1 /* x, y */}"#,
        ),
        (
            r#"{"scratchpad": 2, /* x */ "theirs": 1}"#,
            r#"{/* x */ "theirs": 1}"#,
        ),
        (
            r#"{/* a */ "scratchpad": 2 /* b */, /* c */ "theirs": 1}"#,
            r#"{/* a */ /* b *//* c */ "theirs": 1}"#,
        ),
        (
            "{\n  \"scratchpad\": 2, // ours\n  // about theirs\n  \"theirs\": 1\n}",
            "{\n  // ours\n  // about theirs\n  \"theirs\": 1\n}",
        ),
        (
            "{\n  \"theirs\": 1, // one\n  \"scratchpad\": 2 // two\n}",
            "{\n  \"theirs\": 1 // one\n  // two\n}",
        ),
        // A line comment's line still ends.
        (
            "{\n  \"theirs\": 1, // one\n  \"scratchpad\": 2}",
            "{\n  \"theirs\": 1 // one\n  }",
        ),
        ("{ // why\n  \"scratchpad\": 2}", "{ // why\n  }"),
        ("{ // why\n  \"scratchpad\": 2\n}", "{ // why\n}"),
        ("{\"scratchpad\": 2 /* why */}", "{ /* why */}"),
        ("{ \"scratchpad\": 2, }", "{}"),
    ];
    for (with, without) in cases {
        assert_eq!(
            take(with, Format::Json, &["scratchpad"]).unwrap(),
            without,
            "{with}"
        );
    }
}

/// Brackets with entries between them, and in each gap whatever the bytes select.
fn written(bytes: &[u8], [open, close]: [&str; 2], entries: &[&str]) -> String {
    let gaps = [
        "",
        " ",
        "\n  ",
        "\r\n\t",
        "/* , { */",
        "// ]},\n",
        " // x \r\n  ",
        "\n\n/**/ ",
        "\n",
    ];
    let mut bytes = bytes.iter().map(|byte| usize::from(*byte));
    let mut next = || bytes.next().unwrap_or_default();
    let mut text = open.to_owned();
    let count = next() % (entries.len() + 1);
    for (at, entry) in entries.iter().take(count).enumerate() {
        text += gaps[next() % gaps.len()];
        text += entry;
        text += gaps[next() % gaps.len()];
        if at + 1 < count || next() % 3 == 0 {
            text += ",";
        }
    }
    text += gaps[next() % gaps.len()];
    text += gaps[next() % gaps.len()];
    text + close
}

/// An empty table or list may come back without the whitespace in it.
fn plain(text: &str, [open, close]: [&str; 2]) -> String {
    let empty = |inside: &str| inside.trim().is_empty();
    match text
        .split_once(open)
        .and_then(|(_, rest)| rest.rsplit_once(close))
    {
        Some((inside, after)) if empty(inside) => format!("{open}{close}{after}"),
        _ => text.to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 16))]

    #[test]
    fn taking_out_what_was_put_in_gives_back_every_byte(
        bytes in prop::collection::vec(any::<u8>(), 0..24),
        own_lines in any::<bool>(),
    ) {
        let end = if own_lines { "\n" } else { "" };
        let brackets = ["{", "}"];
        let entries = [r#""a": {"x": 1}"#, r#""b": [1 /* , */, 2]"#, "'c': 'd,'"];
        let file = written(&bytes, brackets, &entries) + end;
        let with = put(&file, Format::Json, &["ours"], &hook("ours")).unwrap();
        prop_assert_eq!(get(&with, Format::Json, &["ours"]).unwrap(), Some(hook("ours")));
        let back = take(&with, Format::Json, &["ours"]).unwrap();
        prop_assert_eq!(plain(&back, brackets), plain(&file, brackets), "{}", with);

        let list = ["[", "]"];
        let items = [r#"{"x": 1}"#, "[1 /* , */, 2]", "'d,'"];
        let file = format!("{{ \"hooks\": {} }}{end}", written(&bytes, list, &items));
        let with = put_item(&file, &["hooks"], &hook("ours"), &is_ours).unwrap();
        let back = take_items(&with, &["hooks"], &is_ours).unwrap();
        prop_assert_eq!(plain(&back, list), plain(&file, list), "{}", with);
    }

    #[test]
    fn taking_an_entry_out_leaves_the_others_and_every_comment(
        bytes in prop::collection::vec(any::<u8>(), 0..24),
        at in 0..3usize,
    ) {
        let entries = [r#""a": 1"#, r#""b": 2"#, r#""c": 3"#];
        let file = written(&bytes, ["{", "}"], &entries);
        let name = ["a", "b", "c"][at];
        let rest = take(&file, Format::Json, &[name]).unwrap();
        for other in ["a", "b", "c"].into_iter().filter(|other| *other != name) {
            prop_assert_eq!(
                get(&rest, Format::Json, &[other]).unwrap(),
                get(&file, Format::Json, &[other]).unwrap(),
                "{} -> {}", file, rest
            );
        }
        prop_assert_eq!(get(&rest, Format::Json, &[name]).unwrap(), None);
        for comment in ["/* , { */", "// ]},", "// x", "/**/"] {
            prop_assert_eq!(rest.matches(comment).count(), file.matches(comment).count());
        }
    }
}
