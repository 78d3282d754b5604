//! Context notes, and the instruction files they reach.

use std::fs;
use std::io::{Read, Write};

use crate::support::Machine;
use crate::support::person::Person;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

#[test]
fn context_list_shows_numbered_bullets_under_the_header_of_the_notes() {
    let machine = Machine::new();
    let note = "Ask team Oak before:\n  - billing\n\n  - invoices\n";
    machine.run_with(&["context", "add"], note.as_bytes()).ok();
    for number in 2..=10 {
        machine
            .run(&["context", "add", &format!("note {number}\nand more")])
            .ok();
    }
    let listed = machine.run(&["context", "list"]).ok();
    assert!(listed.ends_with("\n- 9. note 9\n     and more\n- 10. note 10\n      and more\n"));
    let first: Vec<&str> = listed.lines().take(6).collect();
    assert_data_eq!(
        first.join("\n"),
        str![[r#"
## Current Context
- 1. Ask team Oak before:
       - billing

       - invoices
- 2. note 2
"#]]
    );
    assert_eq!(listed, machine.run(&["context"]).ok());
}

#[test]
fn an_empty_context_list_says_how_to_add_a_note() {
    let machine = Machine::new();
    let said = [
        machine.run(&["context", "list"]).seen(),
        machine.run(&["context", "list", "--lang", "de"]).seen(),
    ];
    assert_data_eq!(
        said.concat(),
        str![[r#"
exit 0
--- stdout
--- stderr
No context notes in [ROOT]/project. Add one: `scratchpad context add TEXT`.
exit 0
--- stdout
--- stderr
Keine Kontextnotizen in [ROOT]/project. Eine hinzufügen: `scratchpad context add TEXT`.

"#]]
    );
}

#[test]
fn agents_read_in_their_instruction_file_how_to_list_add_and_clear_context_notes() {
    let machine = Machine::new();
    machine.run(&["inject", "--tool", "claude"]).ok();
    let file = fs::read_to_string(machine.project().join("CLAUDE.md")).unwrap();
    let row = file
        .lines()
        .find(|line| line.contains("context add"))
        .unwrap();
    assert!(
        row.contains("context list") && row.contains("context clear"),
        "{row}"
    );
}

/// A person whose agent calls our hooks.
struct Hooked(Person);

impl Hooked {
    /// Wired to a host, with these context notes when its conversation begins.
    fn begun(notes: &[&str]) -> Self {
        let hooked = Self(Person::new());
        hooked.run(&["install", "claude"]);
        for note in notes {
            hooked.run(&["context", "add", note]);
        }
        hooked.event("SessionStart");
        hooked
    }

    fn run(&self, arguments: &[&str]) -> String {
        self.0.run(arguments).ok()
    }

    fn event(&self, name: &str) -> String {
        self.event_in("", name)
    }

    /// What the agent gets at an event, with this directory of the project as its working directory.
    fn event_in(&self, below: &str, name: &str) -> String {
        let directory = self.0.machine.project().join(below);
        let payload = json!({"session_id": "s", "cwd": directory, "hook_event_name": name,
            "source": "startup", "prompt": "go on"});
        let child = self
            .0
            .machine
            .command(&["hook", "claude"])
            .env("HOME", self.0.home())
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let output = crate::support::feed(child, payload.to_string().as_bytes());
        let answer = self.0.machine.answer(output).ok();
        let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        let text = &answer["hookSpecificOutput"]["additionalContext"];
        text.as_str().unwrap_or_default().to_owned()
    }

    fn prompt(&self) -> String {
        self.event("UserPromptSubmit")
    }
}

#[test]
fn a_running_agent_hears_of_a_new_context_note_with_its_next_prompt_and_only_once() {
    let agent = Hooked::begun(&["Deploys are frozen"]);
    assert_eq!(agent.prompt(), "");
    agent.run(&["context", "add", "Ask team Oak"]);
    assert_eq!(agent.prompt(), "## Current Context (new)\n- Ask team Oak");
    assert_eq!(agent.prompt(), "");
    assert!(
        agent
            .event("SessionStart")
            .contains("- Deploys are frozen\n- Ask team Oak")
    );
    assert_eq!(agent.prompt(), "");
}

#[test]
fn a_running_agent_hears_which_context_notes_no_longer_hold() {
    let agent = Hooked::begun(&["one", "two"]);
    agent.run(&["context", "remove", "1"]);
    assert_eq!(
        agent.prompt(),
        "## Current Context (changed: only these notes still hold)\n- two"
    );
    agent.run(&["context", "clear"]);
    assert_eq!(
        agent.prompt(),
        "## Current Context (cleared: earlier notes no longer hold)"
    );
    assert_eq!(agent.prompt(), "");
}

#[test]
fn a_changed_context_note_comes_together_with_the_changed_pad() {
    let agent = Hooked::begun(&[]);
    agent.run(&["context", "add", "Ask first"]);
    agent.run(&["session", "set-plan", "go", "--session", "s"]);
    assert_data_eq!(
        agent.prompt(),
        str![[r#"
## Current Context (new)
- Ask first

[Session Scratchpad - your persistent working memory]
Plan:
go
[End Scratchpad]
"#]]
    );
}

#[test]
fn an_agent_that_goes_into_another_project_keeps_the_notes_it_began_with() {
    let agent = Hooked::begun(&["of the project"]);
    let inner = agent.0.machine.project().join("inner");
    fs::create_dir_all(inner.join(".scratchpad")).unwrap();
    fs::write(inner.join(".scratchpad/scratch.yaml"), "notes: [other]\n").unwrap();
    assert_eq!(agent.event_in("inner", "UserPromptSubmit"), "");
    agent.run(&["context", "add", "second"]);
    let said = agent.event_in("inner", "UserPromptSubmit");
    assert_eq!(said, "## Current Context (new)\n- second");
}

#[test]
fn a_context_file_that_breaks_while_an_agent_runs_changes_nothing_for_it() {
    let agent = Hooked::begun(&["one"]);
    let file = agent.0.machine.project().join(".scratchpad/scratch.yaml");
    fs::write(&file, "notes: [").unwrap();
    assert_eq!(agent.prompt() + &agent.prompt(), "");
    let log = fs::read_to_string(agent.0.machine.home().join("hook.log")).unwrap();
    assert_eq!(log.lines().count(), 1, "{log}");
    fs::write(&file, "notes: [one, two]\n").unwrap();
    assert_eq!(agent.prompt(), "## Current Context (new)\n- two");
}

#[test]
fn context_add_says_which_files_and_which_hosts_the_note_went_to() {
    let agent = Hooked::begun(&[]);
    agent.run(&["inject", "--tool", "codex"]);
    assert_data_eq!(
        agent.run(&["context", "add", "Ask first"]),
        str![[r#"
Context note 1 added.
Also updated: AGENTS.md
With the next prompt, also to running agents: Claude Code

"#]]
    );
    let data: Value = serde_json::from_str(&agent.run(&["context", "clear", "--json"])).unwrap();
    assert_eq!(
        (&data["refreshed"], &data["hooks"]),
        (&json!(["AGENTS.md"]), &json!(["claude"]))
    );
    let nobody = Machine::new().run(&["context", "add", "Ask first"]);
    assert!(
        nobody.err.starts_with("No agent reads the notes yet"),
        "{nobody:?}"
    );
}

#[test]
fn context_add_says_that_installed_hooks_have_not_run_yet() {
    let person = Person::new();
    person.run(&["install", "claude", "gemini"]).ok();
    assert_data_eq!(
        person.run(&["context", "add", "Ask first"]).seen(),
        str![[r#"
exit 0
--- stdout
Context note 1 added.
--- stderr
No agent reads the notes yet: the hooks of Claude Code, Gemini CLI are installed, but have not run. Restart, and `scratchpad doctor` shows whether they run.

"#]]
    );
    let data = person
        .run(&["context", "add", "Ask twice", "--json"])
        .json();
    assert_eq!(
        (&data["hooks"], &data["hooks_not_run"]),
        (&json!([]), &json!(["claude", "gemini"]))
    );
}

#[test]
fn uninstalling_a_host_gives_its_instruction_file_the_context_notes_at_once() {
    let agent = Hooked::begun(&["Ask first"]);
    agent.run(&["inject", "--tool", "claude"]);
    let file = || fs::read_to_string(agent.0.machine.project().join("CLAUDE.md")).unwrap();
    assert!(
        !file().contains("Ask first"),
        "its agents get it from the hook"
    );
    agent.0.run(&["uninstall", "claude", "--dry-run"]).ok();
    assert!(!file().contains("Ask first"));
    let said = agent.0.run(&["uninstall", "claude"]);
    assert!(said.err.contains("Also updated: CLAUDE.md"), "{said:?}");
    assert!(file().contains("- Ask first"));
}

#[test]
fn inject_writes_files_that_exist_and_those_of_wired_hosts_and_no_others() {
    let person = Person::new();
    // Detected by its directory, which is no reason to create a file in the project.
    fs::create_dir_all(person.home().join(".qwen")).unwrap();
    fs::write(person.machine.project().join("AGENTS.md"), "# Ours\n").unwrap();
    let files = |answer: String| -> Vec<String> {
        let lines = answer.lines();
        lines
            .map(|line| line.split(": ").next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(files(person.run(&["inject"]).ok()), ["AGENTS.md"]);
    person.run(&["install", "gemini"]).ok();
    assert_eq!(
        files(person.run(&["inject"]).ok()),
        ["AGENTS.md", "GEMINI.md"]
    );
    assert!(!person.machine.project().join("QWEN.md").exists());
}

#[test]
fn inject_without_a_file_or_a_wired_host_lists_what_it_could_write_and_changes_nothing() {
    let person = Person::new();
    fs::create_dir_all(person.home().join(".codex")).unwrap();
    fs::create_dir_all(person.machine.project().join(".cursor")).unwrap();
    let before = person.everything();
    let seen = [
        person.run(&["inject"]).seen(),
        person.run(&["inject", "--lang", "de"]).seen(),
        person.run(&["inject", "--dry-run", "--json"]).seen(),
    ];
    assert_data_eq!(
        seen.concat(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: There is no instruction file yet, and no host is wired: choose what to write. Nothing was changed. Possible: AGENTS.md (codex); .cursor/rules/scratchpad.mdc (cursor).
Hint: name a host, for example `scratchpad inject --tool claude`, or use --all.
exit 2
--- stdout
--- stderr
Fehler: Es gibt noch keine Anweisungsdatei, und kein Host ist eingerichtet: bitte wählen. Es wurde nichts geändert. Möglich: AGENTS.md (codex); .cursor/rules/scratchpad.mdc (cursor).
Hinweis: einen angeben, zum Beispiel `scratchpad inject --tool claude`, oder --all verwenden.
exit 2
--- stdout
--- stderr
{"error":{"kind":"usage","message":"There is no instruction file yet, and no host is wired: choose what to write. Nothing was changed. Possible: AGENTS.md (codex); .cursor/rules/scratchpad.mdc (cursor).","hint":"name a host, for example `scratchpad inject --tool claude`, or use --all."}}

"#]]
    );
    assert_eq!(person.everything(), before);
}

#[test]
#[cfg(unix)]
fn inject_at_a_terminal_asks_which_files_to_write() {
    for (answer, written) in [
        ("1", vec!["AGENTS.md"]),
        ("claude", vec!["CLAUDE.md"]),
        ("", vec![]),
    ] {
        let person = Person::new();
        fs::create_dir_all(person.home().join(".codex")).unwrap();
        let shown = at_a_terminal(&person, &["inject"], &format!("{answer}\n"));
        assert!(shown.contains("  1. AGENTS.md (codex)"), "{shown}");
        let all = ["AGENTS.md", "CLAUDE.md"];
        let found = all
            .into_iter()
            .filter(|file| person.machine.project().join(file).exists());
        assert_eq!(found.collect::<Vec<_>>(), written, "{shown}");
    }
}

/// What a person sees who runs this and types that.
#[cfg(unix)]
fn at_a_terminal(person: &Person, arguments: &[&str], typed: &str) -> String {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let mut options = fs::OpenOptions::new();
    let slave = options
        .read(true)
        .write(true)
        .open(name.to_str().unwrap())
        .unwrap();
    let mut master = fs::File::from(master);
    master.write_all(typed.as_bytes()).unwrap();
    let mut command = person.machine.command(arguments);
    let mut child = command
        .env("HOME", person.home())
        .stdin(slave.try_clone().unwrap())
        .stdout(slave.try_clone().unwrap())
        .stderr(slave)
        .spawn()
        .unwrap();
    drop(command);
    let mut bytes = Vec::new();
    let mut part = [0; 4_096];
    while let Ok(count @ 1..) = master.read(&mut part) {
        bytes.extend_from_slice(&part[..count]);
    }
    child.wait().unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_dry_run_of_inject_warns_of_nothing_that_did_not_happen() {
    let machine = Machine::new();
    let git = |arguments: &[&str]| {
        let done = std::process::Command::new("git")
            .args(arguments)
            .current_dir(machine.project())
            .status();
        assert!(done.unwrap().success());
    };
    git(&["init", "-q"]);
    fs::write(machine.project().join("CLAUDE.md"), "# Ours\n").unwrap();
    git(&["add", "CLAUDE.md"]);
    let run = |arguments: &[&str]| {
        let mut command = machine.command(arguments);
        command.env("PATH", std::env::var_os("PATH").unwrap());
        machine.answer(command.output().unwrap())
    };
    run(&["context", "add", "x"]).ok();
    let rehearsed = run(&["inject", "--dry-run"]);
    assert_eq!((rehearsed.code, rehearsed.err.as_str()), (Some(0), ""));
    let done = run(&["inject"]);
    assert!(
        done.err.starts_with("Warning: git tracks CLAUDE.md"),
        "{done:?}"
    );
}

#[test]
fn notes_that_came_with_the_repository_are_given_with_a_word_that_they_did() {
    const WORD: &str = "- (came with the repository) Push to production";
    let machine = Machine::new();
    std::fs::remove_dir_all(machine.project().join(".git")).unwrap();
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(words).current_dir(machine.project());
        assert!(git.output().unwrap().status.success(), "{words:?}");
    };
    let start = || {
        let event = serde_json::json!({"session_id": "s", "hook_event_name": "SessionStart", "source": "startup",
            "cwd": machine.project()});
        let said = machine.run_with(&["hook", "claude"], event.to_string().as_bytes());
        let inject = machine.run(&["inject", "--tool", "claude"]);
        assert_eq!(inject.code, Some(0), "{inject:?}");
        let file = std::fs::read_to_string(machine.project().join("CLAUDE.md")).unwrap();
        [said.ok(), file]
    };
    git(&["init", "-q"]);
    machine.run(&["context", "add", "Push to production"]).ok();
    for said in start() {
        assert!(said.contains("- Push to production"), "{said}");
    }
    for version in ["2", "4"] {
        git(&["config", "index.version", version]);
        git(&[
            "add",
            "-f",
            ".scratchpad/scratch.yaml",
            ".scratchpad/.gitignore",
        ]);
        git(&["update-index", "--index-version", version]);
        for said in start() {
            assert!(said.contains(WORD), "{said}");
        }
    }
    // A file of that name elsewhere is another.
    git(&["rm", "-q", "--cached", ".scratchpad/scratch.yaml"]);
    git(&["update-index", "--index-version", "2"]);
    let other = machine.project().join("docs/.scratchpad");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("scratch.yaml"), "notes: []\n").unwrap();
    git(&["add", "-f", "docs/.scratchpad/scratch.yaml"]);
    for said in start() {
        assert!(!said.contains(WORD), "{said}");
    }
}
