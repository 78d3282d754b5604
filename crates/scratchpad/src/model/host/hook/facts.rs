//! Facts about the work, as events tell them: files changed, commands run, commits made.
//!
//! Facts are what happened, not what it means: nothing here is guessed, and no text of the conversation is looked at.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tool_result::{ToolResult, large_texts};
use crate::model::output::reference::named_output;
use crate::model::text::quantity::shortened;

/// The most characters kept of a path, of a command, and of a line of text.
const PATH_CHARS: usize = 200;
const COMMAND_CHARS: usize = 160;
const LINE_CHARS: usize = 160;
/// How much of a result is searched for commits.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// The most facts of one call: a patch may change many files.
const MAX_FACTS: usize = 50;

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fact {
    /// A file was changed.
    Changed(String),
    /// A command failed, and the first line that says why; empty if none does.
    Failed(String, String),
    /// A command succeeded.
    Passed(String),
    /// A commit was made: its id and its subject.
    Committed(String, String),
    /// The result of a call was kept as an output: its id, and what it is.
    Kept(String, String),
    /// The host's summary of the conversation was kept as this output.
    Summary(String),
}

/// A host's tools that change files and run commands. Verified with the real programs.
#[derive(Debug)]
pub struct WorkTools {
    /// Tools that run a command, which is the argument `command`.
    pub(in crate::model::host) shells: &'static [&'static str],
    /// Tools that change one file, and the argument with its path.
    pub(in crate::model::host) edits: &'static [(&'static str, &'static str)],
    /// Tools that apply a patch with `*** Update File:` lines, and the argument with it.
    pub(in crate::model::host) patches: &'static [(&'static str, &'static str)],
    pub(in crate::model::host) exit: Exit,
}

/// How a host tells hooks whether a command succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::model::host) enum Exit {
    /// Not at all.
    Unsaid,
    /// A command that fails is an event of its own.
    ByEvent,
    /// The result has `exit code` and the number.
    InText,
    /// The result has it only if it is not zero, and the command's output after this.
    UnlessZero(&'static str),
}

impl WorkTools {
    pub(in crate::model::host) const NONE: Self = Self {
        shells: &[],
        edits: &[],
        patches: &[],
        exit: Exit::Unsaid,
    };

    /// What a call that returned says about the work.
    pub fn facts_of(&self, call: &ToolResult) -> Vec<Fact> {
        let tool = call.tool.as_str();
        let argument = |name: &str| call.input.get(name).and_then(Value::as_str);
        let of = |tools: &[(&str, &'static str)]| {
            let found = tools.iter().find(|(name, _)| *name == tool);
            found.and_then(|(_, name)| argument(name))
        };
        if let Some(path) = of(self.edits) {
            return Vec::from_iter(changed(path));
        }
        if let Some(patch) = of(self.patches) {
            return patched(patch).take(MAX_FACTS).collect();
        }
        match argument("command") {
            Some(command) if self.shells.contains(&tool) => self.ran(command, call),
            _ => Vec::new(),
        }
    }

    /// What a call that failed says, with the host's error.
    pub fn facts_of_failure(&self, call: &ToolResult) -> Vec<Fact> {
        let command = call.input.get("command").and_then(Value::as_str);
        let is_shell = self.shells.contains(&call.tool.as_str());
        let (Some(command), true) = (command, is_shell) else {
            return Vec::new();
        };
        let error = call.response.as_str().unwrap_or_default();
        Vec::from_iter(failed(command, error))
    }

    fn ran(&self, command: &str, call: &ToolResult) -> Vec<Fact> {
        // It goes on, and how it ends is told to nobody.
        if call.input.get("run_in_background") == Some(&Value::Bool(true)) {
            return Vec::new();
        }
        let texts = large_texts(&call.response, 0);
        let texts: Vec<&str> = texts.into_iter().map(beginning).collect();
        let outcome = match self.exit {
            Exit::Unsaid => None,
            Exit::ByEvent => Some(0),
            Exit::InText => texts.iter().find_map(|text| exit_code(text)),
            Exit::UnlessZero(mark) => texts
                .iter()
                .find(|text| text.contains(mark))
                .map(|text| exit_code(text).unwrap_or(0)),
        };
        let mut facts = Vec::new();
        match outcome {
            Some(0) => facts.extend(one_line(command, COMMAND_CHARS).map(Fact::Passed)),
            Some(_) => facts.extend(failed(command, &texts.join("\n"))),
            None => {}
        }
        if command.contains("commit") && outcome.unwrap_or(0) == 0 {
            let commits = texts
                .iter()
                .flat_map(|text| text.lines())
                .filter_map(commit);
            facts.extend(commits.take(MAX_FACTS));
        }
        facts
    }
}

impl Default for WorkTools {
    fn default() -> Self {
        Self::NONE
    }
}

/// The outputs whose references are among these texts.
pub fn kept_in<'a>(texts: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = Fact> {
    let kept = texts.into_iter().filter_map(|text| {
        let id = named_output(text)?;
        let (head, _) = text.split_once(']')?;
        let (_, about) = head.split_once(" of ")?;
        Some(Fact::Kept(
            id.to_string(),
            one_line(about, LINE_CHARS).unwrap_or_default(),
        ))
    });
    kept.take(MAX_FACTS)
}

fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT_BYTES))
        .unwrap_or(text)
}

fn changed(path: &str) -> Option<Fact> {
    one_line(path, PATH_CHARS).map(Fact::Changed)
}

/// The files that a patch in the form of `apply_patch` changes.
fn patched(patch: &str) -> impl Iterator<Item = Fact> {
    const HEADS: [&str; 4] = [
        "*** Update File: ",
        "*** Add File: ",
        "*** Delete File: ",
        "*** Move to: ",
    ];
    let paths = patch
        .lines()
        .filter_map(|line| HEADS.iter().find_map(|head| line.strip_prefix(head)));
    paths.filter_map(changed)
}

fn failed(command: &str, output: &str) -> Option<Fact> {
    let command = one_line(command, COMMAND_CHARS)?;
    let line = first_error(output).and_then(|line| one_line(line, LINE_CHARS));
    Some(Fact::Failed(command, line.unwrap_or_default()))
}

/// The first line that reports an error, or else the first line at all.
fn first_error(output: &str) -> Option<&str> {
    const WORDS: [&str; 5] = ["error", "fail", "panicked", "fatal", "exception"];
    let is_frame = |line: &str| {
        let line = line.trim();
        // What hosts put around the output.
        line.is_empty()
            || line.starts_with("Exit code")
            || (line.starts_with('<') && line.ends_with('>'))
    };
    let lines = || {
        let lines = output.lines().filter(|line| !is_frame(line));
        lines.map(|line| line.strip_prefix("Output: ").unwrap_or(line))
    };
    let reports = |line: &&str| {
        let line = line.to_ascii_lowercase();
        WORDS.iter().any(|word| line.contains(word))
    };
    lines().find(reports).or_else(|| lines().next())
}

/// The number after the last `exit code` in a text.
fn exit_code(text: &str) -> Option<u32> {
    let folded = text.to_ascii_lowercase();
    let at = folded.rfind("exit code")? + "exit code".len();
    let rest = folded.get(at..)?.trim_start_matches([':', ' ']);
    let digits = rest.split(|char: char| !char.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// What `git commit` prints: `[main 1a2b3c4] subject`, `[main (root-commit) 1a2b3c4] subject`.
fn commit(line: &str) -> Option<Fact> {
    let line = line.strip_prefix("Output: ").unwrap_or(line);
    let (head, subject) = line.strip_prefix('[')?.split_once("] ")?;
    let (branch, id) = head.rsplit_once(' ')?;
    let is_id = (7..=40).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_id || branch.is_empty() {
        return None;
    }
    let subject = one_line(subject, LINE_CHARS)?;
    Some(Fact::Committed(id.to_owned(), subject))
}

/// A text as one line of at most so many characters; `None` if it is blank.
fn one_line(text: &str, max_chars: usize) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| shortened(&words.join(" "), max_chars))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::host::with_hooks;
    use serde_json::json;

    fn call(tool: &str, input: Value, response: Value) -> ToolResult {
        ToolResult {
            tool: tool.to_owned(),
            input,
            response,
            call_id: None,
        }
    }

    fn facts(host: &str, tool: &str, input: Value, response: Value) -> Vec<Fact> {
        let work = &with_hooks(host).unwrap().hooks.work;
        work.facts_of(&call(tool, input, response))
    }

    #[test]
    fn hosts_say_in_different_ways_how_a_command_ended() {
        let passed = vec![Fact::Passed("make test".to_owned())];
        let failed = vec![Fact::Failed(
            "make test".to_owned(),
            "error: a is not b".to_owned(),
        )];
        let input = || json!({"command": "make  test\n"});
        let gemini = |text: &str| {
            let text = format!("<untrusted_context>\n{text}\n</untrusted_context>");
            facts(
                "gemini",
                "run_shell_command",
                input(),
                json!({"llmContent": text, "returnDisplay": "x"}),
            )
        };
        assert_eq!(gemini("Output: ok\nProcess Group PGID: 7"), passed);
        assert_eq!(
            gemini("Output: out\nerror: a is not b\nExit Code: 3"),
            failed
        );
        assert_eq!(gemini("This command was blocked."), []);
        let qwen = |code: u32| {
            let text = format!("Output: out\nerror: a is not b\nExit Code: {code}\nSignal: (none)");
            facts(
                "qwen",
                "run_shell_command",
                input(),
                json!({"llmContent": text}),
            )
        };
        assert_eq!(
            (qwen(0), qwen(2)),
            (
                passed.clone(),
                vec![Fact::Failed(
                    "make test".to_owned(),
                    "error: a is not b".to_owned()
                )]
            )
        );
        let copilot = |code: u32| {
            let text = format!("error: a is not b\n<shellId: 0 completed with exit code {code}>");
            facts("copilot", "bash", input(), json!(text))
        };
        assert_eq!((copilot(0), copilot(1)), (passed.clone(), failed));
        // Codex does not say it, and Claude Code sends only successes here.
        assert_eq!(
            facts("codex", "Bash", input(), json!("error: a is not b")),
            []
        );
        assert_eq!(
            facts("claude", "Bash", input(), json!({"stdout": "error"})),
            passed
        );
    }

    #[test]
    fn a_failure_keeps_the_line_that_says_why() {
        let work = &with_hooks("claude").unwrap().hooks.work;
        let why = |error: &str| {
            let call = call("Bash", json!({"command": "make"}), json!(error));
            let facts = work.facts_of_failure(&call);
            let [Fact::Failed(_, line)] = facts.as_slice() else {
                panic!("{facts:?}")
            };
            line.clone()
        };
        assert_eq!(
            why("Exit code 2\ncompiling\nERROR in a.rs\nmore"),
            "ERROR in a.rs"
        );
        assert_eq!(why("Exit code 1\n\nno such thing"), "no such thing");
        assert_eq!(why("Exit code 1"), "");
        assert_eq!(
            why(&format!("error {}", "ß".repeat(500))).chars().count(),
            161
        );
        let other = call("Edit", json!({"file_path": "a"}), json!("no match"));
        assert_eq!(work.facts_of_failure(&other), []);
    }

    #[test]
    fn edits_and_patches_name_the_files_they_change() {
        let one = |path: &str| vec![Fact::Changed(path.to_owned())];
        let edit = |host: &str, tool: &str, argument: &str| {
            facts(host, tool, json!({argument: "/p/a b.rs"}), json!("ok"))
        };
        for (host, tool, argument) in [
            ("claude", "Write", "file_path"),
            ("claude", "NotebookEdit", "notebook_path"),
            ("gemini", "replace", "file_path"),
            ("qwen", "edit", "file_path"),
            ("opencode", "edit", "filePath"),
            ("copilot", "create", "path"),
        ] {
            assert_eq!(edit(host, tool, argument), one("/p/a b.rs"), "{host}");
        }
        assert_eq!(edit("claude", "Read", "file_path"), []);
        let patch = "*** Begin Patch\n*** Add File: b.txt\n+*** Update File: no\n*** Update File: src/a.rs\n*** Move to: src/c.rs\n@@\n-x\n+y\n*** End Patch";
        assert_eq!(
            facts(
                "codex",
                "apply_patch",
                json!({"command": patch}),
                json!("Exit code: 0")
            ),
            ["b.txt", "src/a.rs", "src/c.rs"].map(|path| Fact::Changed(path.to_owned()))
        );
    }

    #[test]
    fn references_name_the_outputs_that_were_kept() {
        let reference = "[Output 3b1a00000000 of Bash: 34,000 bytes, 500 lines, text]\nPreview: x";
        let kept: Vec<Fact> = kept_in(["[Output x", "plain", reference]).collect();
        let about = "Bash: 34,000 bytes, 500 lines, text".to_owned();
        assert_eq!(kept, [Fact::Kept("3b1a00000000".to_owned(), about)]);
    }

    #[test]
    fn commits_are_read_from_what_git_prints() {
        let said = "[master (root-commit) c1cc5ba] fix the cache key\n 1 file changed\n[feature/x 396e540aa] second\n[1, 2] no\n[main nothex0] no";
        let input = json!({"command": "git commit -m x"});
        let all = facts("claude", "Bash", input, json!({"stdout": said}));
        assert_eq!(
            all,
            [
                Fact::Passed("git commit -m x".to_owned()),
                Fact::Committed("c1cc5ba".to_owned(), "fix the cache key".to_owned()),
                Fact::Committed("396e540aa".to_owned(), "second".to_owned()),
            ]
        );
        // The same in the output of another command is no commit.
        let other = facts(
            "codex",
            "Bash",
            json!({"command": "cat log"}),
            json!("[main c1cc5ba] fix"),
        );
        assert_eq!(other, []);
    }
}
