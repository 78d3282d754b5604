//! Wiring hosts, and taking it back.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::Answer;
use crate::support::person::Person;

const PROGRAM: &str = env!("CARGO_BIN_EXE_scratchpad");
const HOSTS: [&str; 14] = [
    "claude", "codex", "gemini", "qwen", "copilot", "opencode", "pi", "cline", "cursor", "vscode",
    "windsurf", "zed", "goose", "openclaw",
];

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn set_read_only(path: &Path, is_read_only: bool) {
    let mut permissions = fs::metadata(path).unwrap().permissions();
    permissions.set_readonly(is_read_only);
    fs::set_permissions(path, permissions).unwrap();
}

/// Claude Code and Codex have two files each; Claude Code's second one has content.
fn with_two_hosts() -> Person {
    let person = Person::new();
    person.write(".claude.json", "{\"numStartups\": 3}");
    person.write(".claude/settings.json", "{\"theme\": \"dark\"}\n");
    person.write(".codex/config.toml", "model = \"x\"\n");
    person
}

#[test]
fn all_files_of_a_host_are_written_or_none_and_the_message_says_which_host() {
    let person = with_two_hosts();
    let before = person.everything();
    let second = person.home().join(".claude/settings.json");
    set_read_only(&second, true);
    let answer = person.run(&["install", "claude", "codex"]);
    assert_eq!(answer.code, Some(1));
    assert_eq!(
        answer.err,
        "Error: Claude Code: [ROOT]/person/.claude/settings.json is read-only. Nothing was changed.\nHint: make it writable.\n"
    );
    assert!(answer.out.starts_with("Codex\n  wrote "), "{}", answer.out);
    assert!(!answer.out.contains("Claude Code"), "{}", answer.out);
    assert_eq!(person.read(".claude.json"), "{\"numStartups\": 3}");
    assert!(
        person
            .read(".codex/config.toml")
            .contains("[mcp_servers.scratchpad]")
    );
    set_read_only(&second, false);
    person.run(&["uninstall", "claude", "codex"]).ok();
    assert_eq!(person.everything(), before);
    assert!(!person.machine.home().join("undo.json").exists());
}

#[test]
fn a_host_without_files_has_none_after_it_failed() {
    let person = Person::new();
    person.write(".cline/hooks/PostToolUse", "#!/bin/sh\necho scratchpad\n");
    let before = person.everything();
    let file = person.home().join(".cline/hooks/PostToolUse");
    set_read_only(&file, true);
    assert_eq!(person.run(&["install", "cline"]).code, Some(1));
    assert_eq!(person.everything(), before);
    assert!(!person.machine.home().join("undo.json").exists());
}

#[test]
fn all_files_of_a_host_are_taken_back_or_none() {
    let person = with_two_hosts();
    let before = person.everything();
    person.run(&["install", "claude", "codex"]).ok();
    let installed = person.everything();
    let second = person.home().join(".claude/settings.json");
    set_read_only(&second, true);
    let answer = person.run(&["uninstall", "claude", "codex"]);
    assert_eq!(answer.code, Some(1));
    assert!(
        answer.err.starts_with("Error: Claude Code: "),
        "{}",
        answer.err
    );
    for (path, text) in &installed {
        let of_claude = path.contains(".claude");
        assert_eq!(
            person.everything().get(path) == Some(text),
            of_claude || !path.contains(".codex/"),
            "{path}"
        );
    }
    set_read_only(&second, false);
    person.run(&["uninstall", "claude"]).ok();
    assert_eq!(person.everything(), before);
}

#[test]
fn a_broken_file_of_one_host_does_not_stop_the_others() {
    let person = with_two_hosts();
    person.write(".claude/settings.json", "{");
    person.write(".gemini/settings.json", "[1]");
    fs::create_dir_all(person.home().join(".qwen/settings.json")).unwrap();
    let answer = person.run(&["install", "--all"]);
    assert_eq!(answer.code, Some(1));
    for host in ["Claude Code", "Gemini CLI", "Qwen Code"] {
        let named = answer.err.matches(&format!("Error: {host}: ")).count();
        assert_eq!(named, 1, "{}", answer.err);
    }
    assert!(answer.out.starts_with("Codex\n"), "{}", answer.out);
    let answer = person.run(&["install", "--all", "--json"]);
    let data = json_of(&answer.out);
    let failed: Vec<&Value> = data["failed"].as_array().unwrap().iter().collect();
    let hosts: Vec<&str> = failed
        .iter()
        .map(|it| it["host"].as_str().unwrap())
        .collect();
    assert_eq!(hosts, ["claude", "gemini", "qwen"]);
    assert_eq!(person.run(&["uninstall", "--all"]).code, Some(1));
    assert_eq!(person.read(".codex/config.toml"), "model = \"x\"\n");
}

/// Somebody else's server with our name, in each kind of file.
const THEIRS: [(&str, &str, &str); 4] = [
    (
        "claude",
        ".claude.json",
        "{\"mcpServers\": {\"scratchpad\": {\"command\": \"npx\", \"args\": [\"-y\", \"other-scratchpad\", \"mcp\"]}}}",
    ),
    (
        "codex",
        ".codex/config.toml",
        "[mcp_servers.scratchpad]\nurl = \"https://pads.example/mcp\"\n",
    ),
    (
        "opencode",
        ".config/opencode/opencode.json",
        "{\"mcp\": {\"scratchpad\": {\"type\": \"local\", \"command\": [\"python\", \"scratchpad.py\"]}}}",
    ),
    (
        "goose",
        ".config/goose/config.yaml",
        "extensions:\n  scratchpad:\n    cmd: /usr/bin/scratchpadder\n    args: [\"mcp\"]\n",
    ),
];

#[test]
fn a_server_of_somebody_else_with_our_name_is_never_overwritten() {
    for (host, file, text) in THEIRS {
        let person = Person::new();
        person.write(file, text);
        let before = person.everything();
        let answer = person.run(&["install", host]);
        assert_eq!(answer.code, Some(1), "{host}");
        assert!(answer.err.contains(file), "{}", answer.err);
        assert!(
            answer
                .err
                .contains("another MCP server called \"scratchpad\""),
            "{}",
            answer.err
        );
        assert!(answer.err.contains("--name "), "{}", answer.err);
        let doctor = person.run(&["doctor"]);
        assert_eq!(doctor.code, Some(1));
        assert!(
            doctor
                .out
                .contains(&format!("scratchpad install {host} --name NAME")),
            "{}",
            doctor.out
        );
        person.run(&["uninstall", host]).ok();
        assert_eq!(person.everything(), before, "{host}");
    }
}

#[test]
fn our_server_takes_another_name_and_keeps_it() {
    for (host, file, text) in THEIRS {
        let person = Person::new();
        person.write(file, text);
        let before = person.everything();
        person.run(&["install", host, "--name", "memory"]).ok();
        let installed = person.everything();
        let again = person.run(&["install", host]).ok();
        assert!(!again.contains("wrote"), "{again}");
        assert_eq!(person.everything(), installed, "{host}");
        let doctor = person.run(&["doctor"]).out;
        assert!(
            !doctor.contains("not in ") && !doctor.contains("another copy"),
            "{doctor}"
        );
        person.run(&["uninstall", host]).ok();
        assert_eq!(person.everything(), before, "{host}");
    }
}

#[test]
fn hooks_know_the_name_of_our_server() {
    let person = Person::new();
    person
        .run(&["install", "claude", "opencode", "--name", "memory"])
        .ok();
    let settings = json_of(&person.read(".claude/settings.json"));
    let before_tool = &settings["hooks"]["PreToolUse"][0];
    assert_eq!(before_tool["matcher"], "mcp__memory__.*");
    let command = before_tool["hooks"][0]["command"].as_str().unwrap();
    assert!(
        command.ends_with(" hook claude --tools --name memory"),
        "{command}"
    );
    let plugin = person.read(".config/opencode/plugins/scratchpad.js");
    assert!(plugin.contains("tool.startsWith(\"memory_\")"), "{plugin}");
    assert!(
        plugin.contains("\"--tools\", \"--name\", \"memory\""),
        "{plugin}"
    );
    // A sub-agent's call of our tool is given its session; calls of other tools are not.
    for (tool, is_ours) in [
        ("mcp__memory__add_note", true),
        ("mcp__scratchpad__add_note", false),
    ] {
        let event = json!({"session_id": "s", "agent_id": "a", "cwd": "/", "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": {"content": "x"}});
        let arguments = ["hook", "claude", "--tools", "--name", "memory"];
        let answer = person
            .machine
            .run_with(&arguments, event.to_string().as_bytes());
        assert_eq!(
            answer.out.contains("s.a"),
            is_ours,
            "{tool}: {}",
            answer.out
        );
    }
    // Under its usual name again, it is not listed twice.
    person
        .run(&["install", "claude", "--name", "scratchpad"])
        .ok();
    let servers = json_of(&person.read(".claude.json"))["mcpServers"].clone();
    assert_eq!(
        servers.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["scratchpad"]
    );
    for name in ["", "1st", "a b", "x".repeat(33).as_str()] {
        assert_eq!(
            person.run(&["install", "claude", "--name", name]).code,
            Some(2),
            "{name}"
        );
    }
}

#[test]
fn our_server_is_known_at_another_path_and_behind_a_wrapper() {
    for entry in [
        json!({"command": "/opt/homebrew/bin/scratchpad", "args": ["mcp"]}),
        json!({"command": "scratchpad", "args": ["mcp", "--compact"]}),
        json!({"command": "direnv", "args": ["exec", ".", "/usr/bin/scratchpad", "mcp"]}),
    ] {
        let person = Person::new();
        person.write(
            ".claude.json",
            &json!({"mcpServers": {"scratchpad": entry}}).to_string(),
        );
        person.run(&["install", "claude"]).ok();
        let servers = &json_of(&person.read(".claude.json"))["mcpServers"];
        assert_eq!(servers["scratchpad"]["command"], PROGRAM, "{entry}");
    }
}

#[test]
fn the_files_of_a_project_have_the_name_of_the_program_and_no_path_of_this_machine() {
    let person = Person::new();
    let before = person.everything();
    let answer = person.run(&[&["install"], &HOSTS[..], &["--project"]].concat());
    assert!(
        answer.err.contains("`scratchpad` is not on PATH"),
        "{}",
        answer.err
    );
    let mut commands = 0;
    for (path, text) in person.everything() {
        if before.contains_key(&path) {
            continue;
        }
        assert!(!text.contains(PROGRAM), "{path}: {text}");
        commands += text.matches("\"scratchpad\"").count();
    }
    assert!(commands >= 8, "{commands}");
    let doctor = person.run(&["doctor"]).out;
    assert!(!doctor.contains("another copy"), "{doctor}");
}

/// Runs the program that is found under a name or path.
#[cfg(unix)]
fn run_as(person: &Person, called: &str, path: &Path, arguments: &[&str]) -> Answer {
    let mut command = std::process::Command::new(called);
    command
        .args(arguments)
        .current_dir(person.machine.project())
        .env_clear()
        .env("SCRATCHPAD_HOME", person.machine.home())
        .env("HOME", fs::canonicalize(person.home()).unwrap())
        .env("PATH", path);
    person.machine.answer(command.output().unwrap())
}

#[test]
#[cfg(unix)]
fn the_path_that_is_written_is_the_one_that_the_person_called() {
    use std::os::unix::fs::symlink;
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    // As Homebrew and Nix have it: a link to a directory of the version.
    for directory in ["opt/bin", "tools/shims", "tools/installs/1.0"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    let link = root.join("opt/bin/scratchpad");
    symlink(PROGRAM, &link).unwrap();
    let written = |person: &Person| {
        let server = json_of(&person.read(".claude.json"));
        let hooks = json_of(&person.read(".claude/settings.json"));
        let hook = hooks["hooks"]["Stop"][0]["hooks"][0]["command"]
            .as_str()
            .unwrap()
            .to_owned();
        let server = server["mcpServers"]["scratchpad"]["command"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(hook, format!("{server} hook claude --tools"));
        server
    };
    for called in [link.to_str().unwrap(), "scratchpad"] {
        let person = Person::new();
        run_as(
            &person,
            called,
            &root.join("opt/bin"),
            &["install", "claude"],
        )
        .ok();
        assert_eq!(written(&person), link.to_str().unwrap(), "{called}");
        // By its own path it knows itself again.
        let doctor = person.run(&["doctor"]).out;
        assert!(!doctor.contains("another copy"), "{doctor}");
    }
    // As mise and asdf have it: a shim beside the directory of the versions starts the one that is chosen.
    let version = root.join("tools/installs/1.0/scratchpad");
    fs::copy(PROGRAM, &version).unwrap();
    let shim = root.join("tools/shims/scratchpad");
    symlink("/bin/true", &shim).unwrap();
    let person = Person::new();
    run_as(
        &person,
        version.to_str().unwrap(),
        &root.join("tools/shims"),
        &["install", "claude"],
    )
    .ok();
    assert_eq!(written(&person), shim.to_str().unwrap());
}

#[test]
fn install_says_what_changes_for_the_agent_how_to_see_it_and_how_to_undo_it() {
    let person = Person::new();
    let said = person.run(&["install", "claude"]).ok();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines,
        [
            "Claude Code",
            "  wrote [ROOT]/person/.claude.json: MCP server",
            "  wrote [ROOT]/person/.claude/settings.json: 10 hooks",
            "  Pad: hooks put it in front of the agent's next message when it changed, and give it back after a compaction or a restart.",
            "  Results of tools above 4,096 bytes become short references. The whole text is kept in [ROOT]/home/outputs; the agent reads parts of it with scratchpad_read.",
            "  Next: restart Claude Code and send a message. `scratchpad doctor` then shows its last event, `scratchpad session show` the pad.",
            "  Undo: scratchpad uninstall claude",
            "  VS Code runs these hooks too: don't install others there.",
        ]
    );
    for host in HOSTS {
        let person = Person::new();
        for project in [&[][..], &["--project"]] {
            let said = person.run(&[&["install", host], project].concat()).ok();
            for part in ["Pad: ", "restart ", "scratchpad uninstall "] {
                assert!(said.contains(part), "{host}: {said}");
            }
            let removed = person.run(&[&["uninstall", host], project].concat()).ok();
            assert!(removed.contains("  Restart "), "{removed}");
        }
    }
}

#[test]
fn with_no_outputs_hooks_leave_results_alone() {
    let person = Person::new();
    let said = person.run(&["install", "claude", "--no-outputs"]).ok();
    assert!(
        said.contains("  Results of tools are left alone.\n"),
        "{said}"
    );
    let doctor = person.run(&["doctor"]).out;
    assert!(!doctor.contains("another copy"), "{doctor}");
    let settings = json_of(&person.read(".claude/settings.json"));
    let command = settings["hooks"]["PostToolUse"][0]["hooks"][0]["command"]
        .as_str()
        .unwrap();
    let written: Vec<&str> = command.split(' ').skip(1).collect();
    assert_eq!(written, ["hook", "claude", "--tools", "--no-outputs"]);
    let event = json!({"session_id": "s", "cwd": "/", "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": {"command": "seq"}, "tool_response": {"stdout": "line\n".repeat(2000)}});
    let event = event.to_string();
    let answer = person.machine.run_with(&written, event.as_bytes());
    assert_eq!(answer.out, "", "{answer:?}");
    let answer = person
        .machine
        .run_with(&["hook", "claude", "--tools"], event.as_bytes());
    assert!(answer.out.contains("[Output "), "{answer:?}");
    // Without the option, results become references again.
    person.run(&["install", "claude"]).ok();
    assert!(
        !person
            .read(".claude/settings.json")
            .contains("--no-outputs")
    );
}

/// npm clears that cache when it likes, and the host's settings would name a program that is gone.
#[test]
#[cfg(unix)]
fn a_program_in_the_cache_of_npx_warns_that_it_may_vanish() {
    let person = Person::new();
    let packages = person
        .home()
        .join(".npm/_npx/1f/node_modules/scratchpad-mcp-linux-x64");
    fs::create_dir_all(&packages).unwrap();
    let cached = packages.join("scratchpad");
    std::os::unix::fs::symlink(PROGRAM, &cached).unwrap();
    let install = |program: &Path| {
        let output = std::process::Command::new(program)
            .args(["install", "claude"])
            .current_dir(person.machine.project())
            .env_clear()
            .env("SCRATCHPAD_HOME", person.machine.home())
            .env("HOME", person.home())
            .output();
        person.machine.answer(output.unwrap())
    };
    let answer = install(&cached);
    assert_eq!(answer.code, Some(0));
    assert_eq!(
        answer.err,
        "Warning: The program is in npx's cache, which npm may clear: then hosts don't find it. `npm install --global scratchpad-mcp` and `scratchpad install` put it where it stays.\n"
    );
    assert_eq!(install(Path::new(PROGRAM)).err, "");
}
