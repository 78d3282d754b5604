//! Single cases; whole files of hosts are in `crates/cli/tests/it/proxy/wrap.rs`, random ones in `random`.

mod random;

use super::*;

const PROGRAM: &str = "scratchpad";

fn json(way: Way, text: &str) -> Rewritten {
    rewrite(text, Format::Json, way, PROGRAM).unwrap()
}

/// The text of one server, in a file of one line.
fn file(server: &str) -> String {
    format!(r#"{{"mcpServers": {{"a": {server}}}}}"#)
}

/// What becomes of one server that is wrapped, and whether unwrapping is its inverse.
#[track_caller]
fn wrapped(server: &str) -> String {
    let before = file(server);
    let after = json(Way::Wrap, &before);
    let again = json(Way::Wrap, &after.text);
    assert_eq!(again.text, after.text);
    assert_eq!(again.servers[0].outcome, WrapOutcome::Already);
    let back = json(Way::Unwrap, &after.text);
    assert_eq!(back.text, before);
    assert_eq!(back.servers[0].outcome, WrapOutcome::Restored);
    let (start, end) = before.split_once(server).unwrap();
    let rest = after.text.strip_prefix(start).unwrap();
    rest.strip_suffix(end).unwrap().to_owned()
}

/// Why one server is left alone.
#[track_caller]
fn reason(server: &str) -> String {
    let before = file(server);
    let after = json(Way::Wrap, &before);
    assert_eq!(after.text, before);
    match &after.servers[0].outcome {
        WrapOutcome::Skipped(reason) => reason.to_string(),
        other => panic!("{other:?}"),
    }
}

/// What becomes of one server that is unwrapped.
fn unwrapped(server: &str) -> (String, WrapOutcome) {
    let mut back = json(Way::Unwrap, &file(server));
    let text = back.text.strip_prefix(r#"{"mcpServers": {"a": "#).unwrap();
    let text = text.strip_suffix("}}").unwrap().to_owned();
    (text, back.servers.remove(0).outcome)
}

#[test]
fn a_command_moves_behind_the_proxy_as_it_was_written() {
    assert_eq!(
        wrapped(r#"{"command": "npx", "args": ["-y", "server"]}"#),
        r#"{"command": "scratchpad", "args": ["proxy", "--name", "a", "--", "npx", "-y", "server"]}"#
    );
    assert_eq!(
        wrapped(r#"{"args":[ /*x*/ "-y"],"command":"C:\\\u006epx"}"#),
        r#"{"args":[ /*x*/ "proxy", "--name", "a", "--", "C:\\\u006epx", "-y"],"command":"scratchpad"}"#
    );
    assert_eq!(
        wrapped(r#"{"command": "npx", "args": [ /* none, yet */ ]}"#),
        r#"{"command": "scratchpad", "args": ["proxy", "--name", "a", "--", "npx" /* none, yet */ ]}"#
    );
    assert_eq!(
        wrapped("{command: 'npx', args: ['--'],}"),
        r#"{command: "scratchpad", args: ["proxy", "--name", "a", "--", 'npx', '--'],}"#
    );
}

#[test]
fn absent_args_differ_from_empty_ones() {
    assert_eq!(
        wrapped(r#"{"command": "npx", "env": {}}"#),
        r#"{"command": "scratchpad", "args": ["proxy", "--name=a", "--", "npx"], "env": {}}"#
    );
    assert_eq!(
        wrapped("{\r\n\t\"command\": \"npx\" // why\r\n}"),
        "{\r\n\t\"command\": \"scratchpad\",\r\n\t\"args\": [\"proxy\", \"--name=a\", \"--\", \"npx\"] // why\r\n}"
    );
}

#[test]
fn a_command_of_words_and_one_in_a_table() {
    assert_eq!(
        wrapped(r#"{"command": ["npx", "-y"], "environment": {}}"#),
        r#"{"command": ["scratchpad", "proxy", "--name", "a", "--", "npx", "-y"], "environment": {}}"#
    );
    assert_eq!(
        wrapped(r#"{"command": {"path": "npx", "args": ["-y"]}}"#),
        r#"{"command": {"path": "scratchpad", "args": ["proxy", "--name", "a", "--", "npx", "-y"]}}"#
    );
}

#[test]
fn a_url_becomes_a_command_and_its_key_and_type_come_back() {
    assert_eq!(
        wrapped(r#"{"type" : "http", "url" : "https://a.example/mcp", "disabled": false}"#),
        r#"{"type" : "stdio", "command": "scratchpad", "args" : ["proxy", "--name", "a", "--url", "https://a.example/mcp"], "disabled": false}"#
    );
    assert_eq!(
        wrapped("{\n  \"url\": \"http://localhost:1/mcp\",\n  \"type\": \"streamableHttp\"\n}"),
        "{\n  \"command\": \"scratchpad\",\n  \"args\": [\"proxy\", \"--name=a\", \"--url\", \"http://localhost:1/mcp\"],\n  \"type\": \"stdio\"\n}"
    );
    assert_eq!(
        wrapped(r#"{"httpUrl": "https:\/\/a.example"}"#),
        r#"{"command": "scratchpad", "args": ["proxy", "--url", "https:\/\/a.example", "--name", "a"]}"#
    );
    assert_eq!(
        wrapped(r#"{"serverUrl": "https://a.example"}"#),
        r#"{"command": "scratchpad", "args": ["proxy", "--url", "https://a.example", "--name=a"]}"#
    );
    assert_eq!(
        wrapped(r#"{"url": "https://a.example", "type": "remote", "enabled": true}"#),
        r#"{"command": ["scratchpad", "proxy", "--name", "a", "--url", "https://a.example"], "type": "local", "enabled": true}"#
    );
}

#[test]
fn what_can_not_be_wrapped_is_left_alone_with_the_reason() {
    let reasons = [
        r#"{"type": "sse", "url": "https://a.example/sse"}"#,
        r#"{"type": "ws", "url": "https://a.example"}"#,
        r#"{"url": "https://a.example", "headers": {"Authorization": "Bearer x"}}"#,
        r#"{"url": "https://a.example", "bearer_token_env_var": "KEY"}"#,
        r#"{"url": "https://a.example/?key=1"}"#,
        r#"{"url": "unix:/tmp/a"}"#,
        r#"{"url": 7}"#,
        r#"{"url": "https://a.example", "httpUrl": "https://a.example"}"#,
        r#"{"\u0075rl": "https://a.example"}"#,
        r#"{"command": "npx", "url": "https://a.example"}"#,
        r#"{"command": "npx", "command": "uvx"}"#,
        r#"{"command": "npx", "args": "-y"}"#,
        r#"{"command": 7}"#,
        r#"{"command": []}"#,
        r#"{"settings": {}}"#,
        "7",
    ]
    .map(reason);
    snapbox::assert_data_eq!(
        reasons.join("\n"),
        snapbox::str![[r#"
its `type` is "sse", the older transport, which the proxy does not speak
its `type` "ws" could not be restored exactly
it has `headers`, and secrets in it would show on the proxy's command line
it has `bearer_token_env_var`, and secrets in it would show on the proxy's command line
its URL has a query, a user or a variable, and secrets in it would show on the proxy's command line
its URL does not start with http:// or https://
its URL does not start with http:// or https://
it has more than one URL
the key of its URL is not written "url"
it has both a `command` and a URL
it has `command` twice
its `args` is not a list
its `command` is neither a text nor a list
its `command` is empty
it has neither a `command` nor a URL
it is not a table of settings
"#]]
    );
    let dash = json(
        Way::Wrap,
        r#"{"mcpServers": {"--": {"command": "npx", "args": []}}}"#,
    );
    assert!(
        matches!(&dash.servers[0].outcome, WrapOutcome::Skipped(why) if why.english().contains("a dash"))
    );
}

#[test]
fn our_servers_are_recognised_by_any_path() {
    for command in [
        "scratchpad",
        "/opt/bin/scratchpad",
        r"C:\\bin\\scratchpad.exe",
        "/opt/scratchpad-0.1",
    ] {
        let own = file(&format!(r#"{{"command": "{command}", "args": ["mcp"]}}"#));
        let through = file(&format!(
            r#"{{"command": "{command}", "args": ["proxy", "--", "npx"]}}"#
        ));
        for (text, outcome) in [(own, WrapOutcome::Own), (through, WrapOutcome::Already)] {
            let after = json(Way::Wrap, &text);
            assert_eq!((&after.text, &after.servers[0].outcome), (&text, &outcome));
        }
    }
    let named = file(r#"{"command": "/opt/pad", "args": ["proxy", "--", "npx"]}"#);
    let after = rewrite(&named, Format::Json, Way::Wrap, "/opt/pad").unwrap();
    assert_eq!(after.servers[0].outcome, WrapOutcome::Already);
    // Somebody else's proxy is a server like any other.
    assert_eq!(
        wrapped(r#"{"command": "other", "args": ["proxy", "--url", "x"]}"#),
        r#"{"command": "scratchpad", "args": ["proxy", "--name", "a", "--", "other", "proxy", "--url", "x"]}"#
    );
}

#[test]
fn what_somebody_edited_is_started_directly_all_the_same() {
    let cases = [
        // Reformatted by its host.
        (
            "{\n\"command\": \"scratchpad\",\n\"args\": [\n\"proxy\",\n\"--name\",\n\"a\",\n\"--\",\n\"npx\",\n\"-y\"\n]}",
            "{\n\"command\": \"npx\",\n\"args\": [\n\"-y\"\n]}",
        ),
        (
            "{\"command\": \"scratchpad\", \"args\": [\n\"proxy\", \"--name=a\", \"--\", \"npx\",\n]}",
            r#"{"command": "npx"}"#,
        ),
        (
            r#"{"command": "scratchpad","args": ["proxy", "--name=a", "--", "npx",]}"#,
            r#"{"command": "npx","args": []}"#,
        ),
        // Options of the proxy, and a path.
        (
            r#"{"command": "/bin/scratchpad", "args": ["proxy", "--json", "--", "npx", "-y"]}"#,
            r#"{"command": "npx", "args": ["-y"]}"#,
        ),
        (
            r#"{"command": ["scratchpad", "proxy", "--", "npx", "-y"]}"#,
            r#"{"command": ["npx", "-y"]}"#,
        ),
        // The order of properties, and what stands between them.
        (
            r#"{"args": ["proxy", "--name", "a", "--url", "https://a.example"], "x": 1, "command": "scratchpad"}"#,
            r#"{"url": "https://a.example", "x": 1}"#,
        ),
        (
            r#"{"command": "scratchpad", "x": 1, "args": ["proxy", "--name", "a", "--url", "https://a.example"]}"#,
            r#"{"x": 1, "url": "https://a.example"}"#,
        ),
        (
            r#"{"type": "local", "command": ["scratchpad", "proxy", "--url", "https://a.example"]}"#,
            r#"{"type": "remote", "url": "https://a.example"}"#,
        ),
    ];
    for (edited, direct) in cases {
        assert_eq!(
            unwrapped(edited),
            (direct.to_owned(), WrapOutcome::Unwrapped),
            "{edited}"
        );
    }
    let nothing = r#"{"command": "scratchpad", "args": ["proxy"]}"#;
    let (text, outcome) = unwrapped(nothing);
    assert_eq!(text, nothing);
    assert!(matches!(outcome, WrapOutcome::Skipped(_)));
}

#[test]
fn a_renamed_server_is_restored_exactly() {
    let wrapped = json(Way::Wrap, &file(r#"{"command": "npx"}"#)).text;
    let renamed = wrapped.replacen("\"a\"", "\"b\"", 1);
    assert_eq!(
        json(Way::Unwrap, &renamed).text,
        r#"{"mcpServers": {"b": {"command": "npx"}}}"#
    );
}

#[test]
fn text_that_is_no_configuration_is_refused() {
    let refused = |text: &str, format| {
        let error = rewrite(text, format, Way::Wrap, PROGRAM).unwrap_err();
        format!(
            "{error}\n{}",
            error
                .next_step()
                .map(ToString::to_string)
                .unwrap_or_default()
        )
    };
    snapbox::assert_data_eq!(
        [
            refused("{\"mcpServers\": {\n  \"ä\": }}", Format::Json),
            refused("", Format::Json),
            refused("{\"a\": 1 \"b\": 2}", Format::Json),
            refused(&"[".repeat(100_000), Format::Json),
            refused("a = 1\nb = ", Format::Toml),
            refused(
                "{\"servers\": [1], \"mcp\": {\"allowed\": []}}",
                Format::Json
            ),
            refused("[1]", Format::Json),
        ]
        .join("\n"),
        snapbox::str![[r#"
not valid JSON: line 2, column 8: unexpected close brace. Nothing was changed.

not valid JSON: line 1, column 1: no value found. Nothing was changed.

not valid JSON: line 1, column 8: expected comma. Nothing was changed.

not valid JSON: line 1, column 513: maximum nesting depth exceeded. Nothing was changed.

not valid TOML: line 2, column 5: string values must be quoted, expected literal string. Nothing was changed.

no MCP servers in it. Nothing was changed.
servers are expected under `mcpServers`, `projects.*.mcpServers`, `mcp_servers`, `mcp`, `servers`, `context_servers`, `amp.mcpServers` and `mcp.servers`.
no MCP servers in it. Nothing was changed.
servers are expected under `mcpServers`, `projects.*.mcpServers`, `mcp_servers`, `mcp`, `servers`, `context_servers`, `amp.mcpServers` and `mcp.servers`.
"#]]
    );
    assert_eq!(json(Way::Wrap, r#"{"mcpServers": {}}"#).servers, []);
}
