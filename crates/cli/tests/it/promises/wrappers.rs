//! Which process of a tree has the session: the host, whatever wrappers are between it and its hooks or its server, and
//! never a process that two agents run in.

#![cfg(target_os = "linux")]

use crate::hosts::binding::{HOST, done, in_host, sessions};
use crate::support::Machine;

/// Programs under other names, and wrappers: `deep` is four processes, `logging` is a script with an agent in its name.
const PROGRAMS: &str = r#"
for name in claude agent orchestrate tmux code; do ln -s "$(command -v timeout)" "$PWD/$name"; done
printf '#!/bin/bash\n"$@"\nexit\n' | tee claude-log.sh >logging
chmod +x logging claude-log.sh
deep="timeout 50 $PWD/logging timeout 50 bash ./logging"
agent() { "$PWD/$1" 50 bash -hc "$HOST_FUNCTIONS
$2"; }
"#;

fn run(machine: &Machine, script: &str) {
    let functions = HOST.replace('\'', r"'\''");
    let script = format!("export HOST_FUNCTIONS='{functions}'\n{PROGRAMS}\n{script}");
    done(machine, in_host(machine, &script));
}

#[test]
fn a_wrapper_around_the_hook_or_the_server_or_both_leaves_the_session_with_its_host() {
    let turn = "hook SessionStart a startup; hook UserPromptSubmit a; tool one";
    for host in [
        "export CALLS=claude; agent claude",
        // By its name alone it can't be distinguished from a wrapper.
        "export CALLS=qwen; agent agent",
    ] {
        for wrappers in [
            ":",
            "export BETWEEN_HOOK='timeout 50'",
            "export BETWEEN_SERVER='timeout 50'",
            "export BETWEEN_HOOK='timeout 50' BETWEEN_SERVER='timeout 50'",
            "export BETWEEN_HOOK=$deep",
            "export BETWEEN_SERVER=$deep",
            "export BETWEEN_HOOK=$deep BETWEEN_SERVER=$deep",
            "export BETWEEN_HOOK=$PWD/claude-log.sh BETWEEN_SERVER=$PWD/claude-log.sh",
        ] {
            let machine = Machine::new();
            run(&machine, &format!("{wrappers}; {host} 'server; {turn}'"));
            assert_eq!(sessions(&machine), ["a: one / "], "{host} {wrappers}");
        }
    }
}

#[test]
fn a_host_that_is_known_by_its_name_is_found_by_its_first_call() {
    let script = "export BETWEEN_HOOK=$deep BETWEEN_SERVER=$deep; agent claude 'server; hook SessionStart a startup; tool one'";
    let machine = Machine::new();
    run(&machine, script);
    assert_eq!(sessions(&machine), ["a: one / "]);
}

#[test]
fn behind_a_wrapper_too_clear_begins_another_session_and_the_end_takes_the_process_back() {
    let machine = Machine::new();
    run(
        &machine,
        "export CALLS=qwen BETWEEN_HOOK=$deep; agent agent 'server; hook SessionStart a startup
            hook UserPromptSubmit a; tool one; hook SessionStart b clear; hook UserPromptSubmit b; hook SessionEnd a
            tool two; hook SessionEnd b; tool three'",
    );
    assert_eq!(
        sessions(&machine),
        ["a: one / ", "b: two / ", "own: three / "]
    );
}

#[test]
fn two_agents_under_one_terminal_or_editor_or_script_never_share_a_pad() {
    let announced = "hook SessionStart a startup; hook UserPromptSubmit a; touch announced";
    // The other agent calls no hooks. It runs after the announcement, while the announced agent is running and after it ended.
    for shared in ["orchestrate", "tmux", "code"] {
        for (name, calls) in [("agent", "qwen"), ("claude", "claude")] {
            for wrappers in [":", "export BETWEEN_HOOK=$deep BETWEEN_SERVER=$deep"] {
                let script = format!(
                    "{wrappers}
                    export CALLS={calls} NAME={name} HOST_FUNCTIONS
                    declare -f agent >functions
                    ./{shared} 50 bash -c '. ./functions
                        agent $NAME \"server; {announced}; until [ -e over ]; do sleep 0.01; done; tool mine\" &
                        until [ -e announced ]; do sleep 0.01; done
                        agent $NAME \"server; tool other\"
                        touch over
                        wait
                        agent $NAME \"server; tool last\"'"
                );
                let machine = Machine::new();
                run(&machine, &script);
                assert_eq!(
                    sessions(&machine),
                    ["a: mine / ", "own: last / ", "own: other / "],
                    "{shared} {name} {wrappers}"
                );
            }
        }
    }
}

#[test]
fn an_agent_in_the_shell_of_another_keeps_to_its_own_pad() {
    let machine = Machine::new();
    run(
        &machine,
        "ln -s \"$(command -v timeout)\" codex
        declare -f agent >functions; export HOST_FUNCTIONS
        agent claude 'server; hook SessionStart a startup; hook UserPromptSubmit a
            . ./functions; agent codex \"server; tool inner\"; tool outer'",
    );
    assert_eq!(sessions(&machine), ["a: outer / ", "own: inner / "]);
}
