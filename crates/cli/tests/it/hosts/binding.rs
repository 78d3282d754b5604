//! Which session a process belongs to, announced by the hooks of the host above it.

#![cfg(target_os = "linux")]

use crate::support::Machine;

/// What a host does, as a shell script; `timeout` is the host: a process that stays, and no shell.
///
/// `$BETWEEN_HOOK` and `$BETWEEN_SERVER` are wrappers, `$CALLS` is the host that the hook is called for. A hook gives up when the store
/// is locked for long, as on a busy machine, and says so in its log; then it is called again.
pub(crate) const HOST: &str = r#"
hook_once() { printf '{"session_id":"%s","hook_event_name":"%s","source":"%s","prompt":"x","cwd":"%s","transcript_path":"%s"}' "$2" "$1" "$3" "$PWD" "$4" | $BETWEEN_HOOK scratchpad hook ${CALLS:-claude}; }
gave_up() { cat "$SCRATCHPAD_HOME/hook.log" 2>/dev/null | grep -c "Another process locked"; }
hook() {
    local before
    for _ in 1 2 3 4 5; do
        before=$(gave_up)
        hook_once "$@"
        [ "$(gave_up)" = "$before" ] && return
    done
}
plan() { scratchpad session set-plan "$1" 2>&1; }
server() {
    coproc SERVER { $BETWEEN_SERVER scratchpad mcp; }
    # The shell forgets these when the server ends.
    exec 3>&"${SERVER[1]}" 4<&"${SERVER[0]}"
    echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' >&3
    read -r _ <&4
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&3
}
tool() {
    printf '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"session_scratchpad","arguments":{"action":"set_notes","content":"%s"%s}%s}}\n' "$1" "$3" "$2" >&3
    read -r _ <&4
}
own() { tool "$2" "" ",\"session\":\"$1\""; }
"#;

pub(crate) fn in_host(machine: &Machine, script: &str) -> std::process::Child {
    in_host_with(machine, script, &[])
}

/// A host that was started with these words on its command line.
fn in_host_with(machine: &Machine, script: &str, words: &[&str]) -> std::process::Child {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_scratchpad"));
    let path = format!("{}:/usr/bin:/bin", binary.parent().unwrap().display());
    std::process::Command::new("timeout")
        // `-c` alone would be Claude Code's `--continue`.
        .args(["60", "bash", "-hc", &format!("{HOST}\n{script}"), "bash"])
        .args(words)
        .current_dir(machine.project())
        .env_clear()
        .env("PATH", path)
        .env("SCRATCHPAD_HOME", machine.home())
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap()
}

pub(crate) fn done(machine: &Machine, host: std::process::Child) -> String {
    machine.answer(host.wait_with_output().unwrap()).ok()
}

/// Every session with its pad, in one line each.
pub(crate) fn sessions(machine: &Machine) -> Vec<String> {
    let listed = machine.run(&["session", "list", "--json"]).json();
    let mut lines: Vec<String> = listed["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| {
            let id = session["session"].as_str().unwrap();
            let pad = machine
                .run(&["session", "show", "--json", "--session", id])
                .json();
            let id = if id.starts_with("session_") {
                "own"
            } else {
                id
            };
            format!(
                "{id}: {} / {}",
                pad["notes"].as_str().unwrap(),
                pad["plan"].as_str().unwrap()
            )
        })
        .collect();
    lines.sort();
    lines
}

#[test]
fn each_conversation_of_a_process_has_the_pad_that_its_host_announced() {
    let cases: [(&str, &str, &[&str]); 12] = [
        (
            "a start",
            "hook SessionStart a startup; plan one",
            &["a:  / one"],
        ),
        (
            "/clear begins another",
            "hook SessionStart a startup; plan one; hook SessionEnd a; hook SessionStart b clear; plan two",
            &["a:  / one", "b:  / two"],
        ),
        (
            "the end of the old comes after the start of the new",
            "hook SessionStart a startup; hook SessionStart b clear; hook SessionEnd a; plan two",
            &["b:  / two"],
        ),
        (
            "--resume goes back",
            "hook SessionStart a startup; plan one; hook SessionStart b clear; hook SessionStart a resume; plan three",
            &["a:  / three"],
        ),
        (
            "compaction changes nothing",
            "hook SessionStart a startup; hook PreCompact a; hook SessionStart a compact; plan one",
            &["a:  / one"],
        ),
        (
            "a fork has a copy",
            "hook SessionStart a startup; plan one; hook SessionStart b fork >/dev/null; scratchpad session set-notes mine; plan two",
            &["a:  / one", "b: mine / two"],
        ),
        (
            "Claude Code's sub-agent has a session within that of its agent, and does not take over the process",
            r#"server; hook SessionStart a startup; sub() { printf '{"session_id":"a","agent_id":"s","hook_event_name":"%s","source":"%s","tool_name":"mcp__scratchpad__x","tool_input":{}}' "$@" | scratchpad hook claude; }; sub PreCompact; sub SessionStart compact; tool one; sub PreToolUse | grep -q '"a.s"' && own a.s two; tool three"#,
            &["a.s: two / ", "a: three / "],
        ),
        (
            "Copilot CLI's has one of its own",
            r#"server; hook SessionStart a startup; echo '{"sessionId":"s","prompt":"x","agentId":"s","parentAgentId":"a"}' | scratchpad hook copilot userPromptSubmitted; own s one; tool two"#,
            &["a: two / ", "s: one / "],
        ),
        (
            "Codex's is told beside its calls, and is not given the pad of its agent",
            r#"server; hook SessionStart a startup; tool one; echo '{"session_id":"a","agent_id":"s","hook_event_name":"UserPromptSubmit","prompt":"x"}' | scratchpad hook codex | grep -q Notes && tool given; tool two ',"_meta":{"sessionId":"a","threadId":"s"}'"#,
            &["a: one / ", "s: two / "],
        ),
        (
            "Cline's sub-agents and teammates leave the process to the conversation, which is resumed by its own id",
            r#"server; task() { printf '{"taskId":"%s","sessionContext":{"rootSessionId":"a"},"parent_agent_id":%s,"hookName":"agent_start"}' "$@" | scratchpad hook cline; }; task t null; tool one; task u '"t"'; tool two; task v null; tool three"#,
            &["a: three / "],
        ),
        (
            "a hook that was missed is made up for at the next prompt",
            "hook UserPromptSubmit a; plan one",
            &["a:  / one"],
        ),
        (
            "a server that was there before follows, and what a call says of itself goes before",
            r#"server; hook SessionStart a startup; tool one; hook SessionStart b clear; tool two; tool three ',"_meta":{"sessionId":"c"}'"#,
            &["a: one / ", "b: two / ", "c: three / "],
        ),
    ];
    for (name, script, expected) in cases {
        let machine = Machine::new();
        done(&machine, in_host(&machine, script));
        assert_eq!(sessions(&machine), expected, "{name}");
    }
}

#[test]
fn a_fork_in_a_new_process_has_a_copy_of_the_pad_of_its_original() {
    let codex = r#"{"type":"session_meta","payload":{"id":"b","forked_from_id":"a"}}"#;
    let qwen = r#"{"sessionId":"b","type":"user","forkedFrom":{"sessionId":"a"}}"#;
    let recorded =
        |line: &str| format!("echo '{line}' >b.jsonl; hook SessionStart b SOURCE b.jsonl");
    let chosen = |transcripts: &str| {
        format!(
            r#"replied() {{ printf '{{"type":"assistant","timestamp":"%s"}}\n{{"type":"mode"}}\n' "$(date -u -d "$2 seconds ago" +%FT%T.000Z)" >$1.jsonl; }}
            {transcripts}
            printf '{{"session_id":"b","hook_event_name":"SessionStart","source":"fork","transcript_path":"%s/b.jsonl","seconds_since_last_response":100}}' "$PWD" | scratchpad hook claude"#
        )
    };
    let cases: [(&str, &[&str], &str, &[&str]); 10] = [
        (
            "Claude Code, by its command line",
            &["--resume", "a", "--fork-session"],
            "hook SessionStart b fork",
            &["a:  / one", "b:  / one", "z:  / newest"],
        ),
        (
            "the newest, by the transcripts",
            &["--continue", "--fork-session"],
            "touch -d yesterday a.jsonl; touch z.jsonl; hook SessionStart b fork $PWD/b.jsonl",
            &["a:  / one", "b:  / newest", "z:  / newest"],
        ),
        (
            "Codex, by its transcript",
            &["exec", "fork", "a"],
            &recorded(codex).replace("SOURCE", "fork"),
            &["a:  / one", "b:  / one", "z:  / newest"],
        ),
        (
            "Qwen Code, by its transcript",
            &["--resume", "a", "--fork-session"],
            &recorded(qwen).replace("SOURCE", "resume"),
            &["a:  / one", "b:  / one", "z:  / newest"],
        ),
        (
            "a fork of the fork is one of the fork",
            &["--resume", "a", "--fork-session"],
            "hook SessionStart b fork; plan two; hook SessionStart c fork",
            &["a:  / one", "b:  / two", "c:  / two", "z:  / newest"],
        ),
        (
            "what is begun after it is no fork",
            &["--resume", "a", "--fork-session"],
            "hook SessionStart b fork; hook SessionEnd b; hook SessionStart c clear",
            &["a:  / one", "b:  / one", "z:  / newest"],
        ),
        (
            "Claude Code, chosen from a list: by the moment of the last reply",
            &["--resume", "--fork-session"],
            &chosen("replied a 100; replied z 50"),
            &["a:  / one", "b:  / one", "z:  / newest"],
        ),
        (
            "two of the list replied at that moment",
            &["--resume", "--fork-session"],
            &chosen("replied a 100; replied z 101"),
            &["a:  / one", "z:  / newest"],
        ),
        (
            "nobody says of what",
            &["--resume", "--fork-session"],
            "hook SessionStart b fork",
            &["a:  / one", "z:  / newest"],
        ),
        (
            "the original has no pad",
            &["--resume", "q", "--fork-session"],
            "hook SessionStart b fork",
            &["a:  / one", "z:  / newest"],
        ),
    ];
    for (name, words, script, expected) in cases {
        let machine = Machine::new();
        let before =
            "hook SessionStart a startup; plan one; hook SessionStart z clear; plan newest";
        done(&machine, in_host(&machine, before));
        done(&machine, in_host_with(&machine, script, words));
        assert_eq!(sessions(&machine), expected, "{name}");
        // Announced again, as on `--resume`, nothing changes.
        done(&machine, in_host_with(&machine, script, words));
        assert_eq!(sessions(&machine), expected, "{name}, again");
    }
}

#[test]
fn two_agents_in_one_directory_have_a_pad_each() {
    let machine = Machine::new();
    // Each waits until the other has announced itself.
    let wait = |name: &str| format!("until [ -e {name} ]; do sleep 0.01; done");
    let one = format!(
        "server; hook SessionStart a startup; touch one; {}; tool mine",
        wait("two")
    );
    let two = format!(
        "server; hook SessionStart b startup; touch two; {}; tool other",
        wait("one")
    );
    let (one, two) = (in_host(&machine, &one), in_host(&machine, &two));
    done(&machine, one);
    done(&machine, two);
    assert_eq!(sessions(&machine), ["a: mine / ", "b: other / "]);
}

#[test]
fn a_server_that_nobody_announced_shares_no_pad() {
    let machine = Machine::new();
    done(
        &machine,
        in_host(&machine, "hook SessionStart a startup; plan one"),
    );
    done(&machine, in_host(&machine, "server; tool two"));
    assert_eq!(sessions(&machine), ["a:  / one", "own: two / "]);
}

/// A host whose proxied server answers each call with one byte more than the previous one.
const PROXY: &str = r#"
coproc PROXY { scratchpad proxy -- bash -c '
    while read -r _; do
        n=$((n + 1))
        text=$(head -c $((9000 + n)) /dev/zero | tr "\0" x)
        printf "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}}\n" "$text"
    done'; }
exec 3>&"${PROXY[1]}" 4<&"${PROXY[0]}"
large() {
    printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{}%s}}\n' "$1" >&3
    read -r _ <&4
}
"#;

#[test]
fn a_proxy_keeps_each_output_for_the_conversation_that_its_host_announced_last() {
    let machine = Machine::new();
    let script = r#"large; hook SessionStart a startup; large; hook SessionStart b clear; large; hook SessionEnd a
        large; large ',"_meta":{"sessionId":"c"}'"#;
    done(&machine, in_host(&machine, &format!("{PROXY}\n{script}")));
    let listed = machine.run(&["output", "list", "--all", "--json"]).json();
    let mut kept: Vec<(u64, &str)> = listed["outputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|output| {
            let session = output["session"].as_str().unwrap();
            let is_own = session.starts_with("session_");
            let session = if is_own { "own" } else { session };
            (output["bytes"].as_u64().unwrap(), session)
        })
        .collect();
    kept.sort_unstable();
    let sessions = ["own", "a", "b", "b", "c"];
    assert_eq!(kept, (9_001..).zip(sessions).collect::<Vec<_>>());
}
