//! The first hour of a new user, played in a terminal: set up, a prompt, a compaction, a look, deleting, taking it all back.
//!
//! Every screen is compared, at two widths and in both languages; `docs/first-hour.svg` is made from the same screens.

#![cfg(target_os = "linux")]

mod svg;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use snapbox::{Data, assert_data_eq};
use tempfile::TempDir;

use crate::support::terminal::{Terminal, plain};
use crate::support::{ROOT, tree};

const SESSION: &str = "9f0f1f6e-5b4a-4c58-9f5e-5cf4d0c0a111";
const PLAN: &str = "- [x] find the wrong cache key\n- [>] fix it in src/cache.rs\n- [ ] test it";

const LAID_OUT: [&str; 2] = ["scratchpad setup", "scratchpad status"];

/// A new user with three hosts, and a repository to work in.
struct NewUser {
    directory: TempDir,
    columns: u16,
    language: &'static str,
}

/// A command and what it showed, in colour.
struct Screen {
    title: String,
    seen: String,
}

impl NewUser {
    fn new(columns: u16, language: &'static str) -> Self {
        let user = Self {
            directory: tempfile::tempdir().unwrap(),
            columns,
            language,
        };
        for (path, text) in [
            (".claude.json", "{\n  \"numStartups\": 7\n}\n"),
            (".codex/config.toml", "model = \"gpt\"\n"),
            (".gemini/settings.json", "{ \"theme\": \"dark\" } // mine\n"),
            ("shop/.git/HEAD", "ref: refs/heads/fix-cache\n"),
        ] {
            let path = user.home().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        user
    }

    fn home(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    fn in_home(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.home().join("shop"))
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/usr/bin:/bin")
            .env("LANG", self.language)
            .env("TERM", "xterm-256color")
            .env("TZ", "UTC");
        command
    }

    /// What the user sees who calls this, and types a line where they are asked.
    fn types(&self, arguments: &[&str], line: Option<(&str, &str)>) -> Screen {
        let mut command = self.in_home(Path::new(env!("CARGO_BIN_EXE_scratchpad")));
        command.args(arguments);
        let mut terminal = Terminal::start(command, self.columns, 60);
        if let Some((question, line)) = line {
            terminal.until(question);
            terminal.type_line(line);
        }
        let (seen, is_success) = terminal.finish();
        assert!(is_success, "{arguments:?}: {seen}");
        Screen {
            title: format!("scratchpad {}", arguments.join(" ")),
            seen: seen.replace(&self.home().display().to_string(), "~"),
        }
    }

    /// Calls the hook that `setup` wrote for this event, and returns what the agent gets.
    fn hook(&self, event: &str, more: &Value) -> String {
        let settings = fs::read_to_string(self.home().join(".claude/settings.json")).unwrap();
        let settings: Value = serde_json::from_str(&settings).unwrap();
        let call = &settings["hooks"][event][0]["hooks"][0]["command"];
        let mut told = json!({
            "session_id": SESSION, "hook_event_name": event, "cwd": self.home().join("shop"),
        });
        let fields = told.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        let mut shell = self.in_home(Path::new("sh"));
        let mut child = shell
            .args(["-c", call.as_str().unwrap()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(told.to_string().as_bytes()).unwrap();
        drop(stdin);
        let answer = child.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
        let text = &answer["hookSpecificOutput"]["additionalContext"];
        text.as_str().unwrap_or_default().to_owned()
    }

    /// The agent writes its plan, and is compacted in the middle of it.
    fn work_of_the_agent(&self) -> Screen {
        self.hook("SessionStart", &json!({"source": "startup"}));
        self.hook(
            "UserPromptSubmit",
            &json!({"prompt": "Why is the cart stale?"}),
        );
        let plan = json!({"action": "set_plan", "content": PLAN}).to_string();
        self.types(
            &["call", "session_scratchpad", &plan, "--session", SESSION],
            None,
        );
        self.hook("PreCompact", &json!({"trigger": "auto"}));
        let given = self.hook("SessionStart", &json!({"source": "compact"}));
        Screen {
            title: "(compaction; the agent gets back)".to_owned(),
            seen: format!("{given}\n"),
        }
    }
}

/// Everything from `setup` to `uninstall`.
fn first_hour(columns: u16, language: &'static str) -> Vec<Screen> {
    let user = NewUser::new(columns, language);
    let before = tree(&user.home());
    // The whole question, so that the answer is echoed behind it.
    let question = "claude codex gemini] ";
    let mut screens = vec![user.types(&["setup"], Some((question, "y")))];
    screens.push(user.work_of_the_agent());
    screens.push(user.types(&["status"], None));
    user.hook("SessionEnd", &json!({"reason": "exit"}));
    screens.push(user.types(&["session", "delete", "9f0f"], None));
    screens.push(user.types(&["uninstall", "--all"], None));

    // Nothing is left but our own directories.
    let is_ours = |path: &String| {
        path.contains("/scratchpad") || path.starts_with(".local") || path.starts_with(".config")
    };
    let mut after = tree(&user.home());
    after.retain(|path, _| !is_ours(path));
    assert_eq!(
        after.keys().collect::<Vec<_>>(),
        before.keys().collect::<Vec<_>>()
    );
    assert_eq!(after, before, "every file is as it was, to the byte");
    screens
}

/// The screens below each other, without colours.
fn written(screens: &[Screen]) -> String {
    let screens = screens.iter();
    let parts = screens.map(|screen| format!("$ {}\n{}\n", screen.title, plain(&screen.seen)));
    parts.collect()
}

fn compared(columns: u16, language: &'static str) -> Vec<Screen> {
    let screens = first_hour(columns, language);
    let name = format!("{}-{columns}.txt", &language[..2]);
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/first-hour")
        .join(name);
    // What is laid out for the terminal fits it; sentences are left to it.
    for screen in screens
        .iter()
        .filter(|screen| LAID_OUT.contains(&screen.title.as_str()))
    {
        for line in plain(&screen.seen).lines() {
            let is_one_word = !line.trim().contains(' ');
            let is_question = line.ends_with("] y");
            let fits = line.chars().count() <= usize::from(columns);
            assert!(fits || is_one_word || is_question, "{columns}: {line}");
        }
    }
    assert_data_eq!(written(&screens), Data::read_from(&file, None));
    screens
}

#[test]
fn at_80_columns_in_english() {
    let screens = compared(80, "en_US.UTF-8");
    let file = Path::new(ROOT).join("docs/first-hour.svg");
    let made = svg::recording(&screens);
    if std::env::var_os("SNAPSHOTS").is_some_and(|wish| wish == "overwrite") {
        fs::write(file, made).unwrap();
    } else {
        let there = fs::read_to_string(file).unwrap();
        assert!(
            made == there,
            "docs/first-hour.svg is not what the first hour shows: make it anew with SNAPSHOTS=overwrite"
        );
    }
}

#[test]
fn at_50_columns_in_english() {
    compared(50, "en_US.UTF-8");
}

#[test]
fn at_80_columns_in_german() {
    compared(80, "de_DE.UTF-8");
}

#[test]
fn at_50_columns_in_german() {
    compared(50, "de_DE.UTF-8");
}
