use super::*;

/// The events of these lines, in short.
fn events(format: TranscriptFormat, lines: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for line in lines {
        let read = format.read(line.as_bytes(), &mut |event| found.push(short(&event)));
        if read.is_err() {
            found.push("damaged".to_owned());
        }
    }
    found
}

fn short(event: &Event<'_>) -> String {
    match event {
        Event::Request(used) => format!(
            "request {} {} {}+{}",
            used.id, used.model, used.input, used.output
        ),
        Event::Model(model) => format!("model {model}"),
        Event::Call { id, tool, written } => {
            format!("call {id} {}/{} {written}", tool.server, tool.tool)
        }
        Event::Result { id, text, lost, .. } => format!("result {id} {text:?} lost {lost}"),
        Event::Said(text) => format!("said {text}"),
        Event::Added(text) => format!("added {text}"),
        Event::Listed { tools, .. } => format!("listed {tools}"),
        Event::Compaction => "compaction".to_owned(),
        Event::Conversation(id) => format!("conversation {id}"),
    }
}

#[test]
fn what_is_damaged_or_unknown_is_skipped() {
    for format in [
        TranscriptFormat::Claude,
        TranscriptFormat::Codex,
        TranscriptFormat::Gemini,
        TranscriptFormat::Qwen,
        TranscriptFormat::Copilot,
        TranscriptFormat::OpenCode,
    ] {
        let lines = [
            "{",
            "\"half",
            r#"{"type":"new-kind","data":{"x":[1]},"payload":7}"#,
            "{}",
        ];
        let found = events(format, &lines);
        assert_eq!(found, ["damaged", "damaged"], "{format:?}");
    }
}

#[test]
fn claude_code_repeats_the_usage_of_a_message_and_answers_as_blocks_or_text() {
    let lines = [
        r#"{"type":"user","message":{"role":"user","content":"do \"it\""}}"#,
        r#"{"type":"assistant","message":{"id":"m1","model":"claude-x","content":[{"type":"text","text":"I will."}],"usage":{"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":20,"output_tokens":1}}}"#,
        r#"{"type":"assistant","message":{"id":"m1","model":"claude-x","content":[{"type":"tool_use","id":"t1","name":"mcp__git_hub__list","input":{"a":1}}],"usage":{"input_tokens":3,"cache_creation_input_tokens":10,"cache_read_input_tokens":20,"output_tokens":9}}}"#,
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"plain"}]}}"#,
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}]}}"#,
        r#"{"type":"system","subtype":"compact_boundary"}"#,
        r#"{"type":"assistant","message":{"model":"<synthetic>","content":[],"usage":{"input_tokens":0}}}"#,
    ];
    assert_eq!(
        events(TranscriptFormat::Claude, &lines),
        [
            "added do \"it\"",
            "request m1 claude-x 33+1",
            "said I will.",
            "request m1 claude-x 33+9",
            "call t1 git_hub/list {\"a\":1}",
            "result t1 \"plain\" lost 0",
            "result t2 \"a\\nb\" lost 0",
            "compaction",
        ]
    );
}

#[test]
fn older_transcripts_of_codex_have_sums_and_joined_names() {
    let lines = [
        r#"{"type":"turn_context","payload":{"model":"gpt-x"}}"#,
        r#"{"type":"response_item","payload":{"type":"function_call","name":"github__list","arguments":"{}","call_id":"c"}}"#,
        r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"head…512 tokens truncated…tail"}}"#,
        r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":700,"output_tokens":9},"last_token_usage":{"input_tokens":300,"output_tokens":4}}}}"#,
        r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#,
        r#"{"type":"compacted","payload":{"message":"x"}}"#,
    ];
    assert_eq!(
        events(TranscriptFormat::Codex, &lines),
        [
            "model gpt-x",
            "call c github/list {}",
            "result c \"head…512 tokens truncated…tail\" lost 2048",
            "request sum-700-9  300+4",
            "compaction",
        ]
    );
}

#[test]
fn older_transcripts_of_gemini_are_one_json() {
    let line = r#"{"sessionId":"s","messages":[{"id":"1","type":"user","content":"go"},{"id":"2","type":"gemini","model":"g","content":"ok","tokens":{"input":5,"output":1,"cached":2,"thoughts":1,"total":7},"toolCalls":[{"id":"c","name":"mcp_git_list_all","args":{},"result":[{"functionResponse":{"id":"c","name":"x","response":{"output":"out"}}}]}]}]}"#;
    assert_eq!(
        events(TranscriptFormat::Gemini, &[line]),
        [
            "conversation s",
            "added go",
            "request 2 g 5+2",
            "said ok",
            "call c git/list_all {}",
            "result c \"out\" lost 0",
        ]
    );
}

#[test]
fn opencode_has_rows_of_messages_and_parts() {
    let lines = [
        r#"{"id":"m","sessionID":"s","role":"assistant","modelID":"big","tokens":{"input":5,"output":1,"reasoning":2,"cache":{"read":7,"write":3}}}"#,
        r#"{"sessionID":"s","type":"tool","callID":"c","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"a\nb"}}"#,
    ];
    assert_eq!(
        events(TranscriptFormat::OpenCode, &lines),
        [
            "conversation s",
            "request m big 15+3",
            "conversation s",
            "call c /bash {\"command\":\"ls\"}",
            "result c \"a\\nb\" lost 0",
        ]
    );
}

/// A conversation of Claude Code with one large result, of which a line is used, and two requests after it.
fn conversation(result: &str, said: &str) -> Vec<String> {
    let request = |id: &str, input: u64, block: serde_json::Value| {
        serde_json::json!({"type": "assistant", "message": {"id": id, "model": "claude-x", "content": [block],
            "usage": {"input_tokens": input, "output_tokens": 10}}})
    };
    let call = serde_json::json!({"type": "tool_use", "id": "t1", "name": "mcp__github__get", "input": {"n": 1}});
    let text = |text: &str| serde_json::json!({"type": "text", "text": text});
    let answer = serde_json::json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": result}]}});
    [
        request("m1", 20_000, call),
        answer,
        request("m2", 40_000, text(said)),
        request("m3", 40_100, text("Done.")),
    ]
    .map(|line| line.to_string())
    .into()
}

fn audited(lines: &[String]) -> audit::Audit {
    let mut known = std::collections::HashSet::new();
    let lines = lines.iter().map(String::as_bytes);
    audit::Audit::of_lines(TranscriptFormat::Claude, lines, &mut |key| {
        known.insert(key)
    })
}

#[test]
fn what_would_have_been_saved_is_a_range_and_forks_count_once() {
    let result: String = (0..2_000)
        .map(|n| format!("line {n} of the whole file is here, {}\n", n * 7))
        .collect::<Vec<_>>()
        .concat();
    let line = result.lines().nth(700).unwrap();
    let audit = audited(&conversation(&result, &format!("The line is: {line}")));
    assert_eq!((audit.requests, audit.input), (3, 100_100));
    let tool = &audit.tools[&ToolName::of("github", "get")];
    assert_eq!((tool.calls, tool.results, tool.large), (1, 1, 1));
    assert_eq!(tool.sent, tool.tokens * 2, "sent twice");
    let range = tool.range;
    assert!(
        range.least < 0 && 0 < range.used && range.used < range.most,
        "{range:?}"
    );
    assert!(range.most > i64::try_from(tool.sent).unwrap() * 95 / 100);

    let mut twice = conversation(&result, "x");
    twice.extend(conversation(&result, "x"));
    assert_eq!(audited(&twice).input, 100_100);
    let small = audited(&conversation("short", "x"));
    assert_eq!(small.range(), audit::Range::default());
    // Each line of it is used again.
    let all = audited(&conversation(&result, &result));
    assert!(all.tools[&ToolName::of("github", "get")].range.used < 0);
}
