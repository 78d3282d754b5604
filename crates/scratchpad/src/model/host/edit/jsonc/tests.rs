use super::*;
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
    // An older one of ours is replaced where it stands; a list of others stays.
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
