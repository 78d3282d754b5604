//! Settings: layers, origins, errors.

use std::fs;

use crate::support::{Machine, mode};
use snapbox::{assert_data_eq, str};

fn project_file(machine: &Machine, text: &str) {
    let directory = machine.project().join(".scratchpad");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("config.toml"), text).unwrap();
}

#[test]
fn each_layer_goes_over_the_one_before_and_show_names_it() {
    let machine = Machine::new();
    fs::create_dir_all(machine.home()).unwrap();
    let user = "[pad]\nnotes_max_chars = 1\nplan_max_chars = 1\nmax_refs = 1\ntoken_budget = 1\n";
    fs::write(machine.home().join("config.toml"), user).unwrap();
    project_file(
        &machine,
        "pad.plan_max_chars = 2\npad.max_refs = 2\npad.token_budget = 2\n",
    );
    let mut command = machine.command(&["config", "show", "--config", "pad.token_budget=4"]);
    command
        .env("SCRATCHPAD_PAD_MAX_REFS", "3")
        .env("SCRATCHPAD_PAD_TOKEN_BUDGET", "3");
    assert_data_eq!(
        machine.answer(command.output().unwrap()).ok(),
        str![[r#"
SETTING                         VALUE     FROM
language                        auto      default
profile                         default   default
project.id                      auto      default
author                          auto      default
store.url                       sqlite:   default
store.outputs                   database  default
store.search                    index     default
store.busy_timeout_ms           30000     default
pad.enabled                     true      default
pad.notes_max_chars             1         [ROOT]/home/config.toml
pad.plan_max_chars              2         [ROOT]/project/.scratchpad/config.toml
pad.max_refs                    3         SCRATCHPAD_PAD_MAX_REFS
pad.ref_max_chars               4000      default
pad.token_budget                4         --config
plan.mirror                     true      default
notes.enabled                   true      default
notes.digest                    true      default
notes.max_chars                 4000      default
notes.max_tags                  10        default
outputs.enabled                 true      default
outputs.threshold               4096      default
outputs.rules                             default
outputs.code_mode               leave     default
outputs.pass                    same      default
outputs.pass_max_bytes          1048576   default
outputs.preview_length          400       default
outputs.include_preview         true      default
outputs.read_max_bytes          32768     default
outputs.max_age                 24h       default
outputs.max_total_bytes         52428800  default
outputs.max_bytes_per_upstream  0         default
proxy.hide                                default
inject.max_bytes                16384     default
retention.revisions             1000      default
retention.sessions_days         0         default
retention.notes_days            0         default
secrets.mode                    mask      default
secrets.patterns                          default
secrets.allow                             default
doctor.ignore                             default
inject_every_turns              0         default
nudge_after_turns               0         default
nudge_on_plan                   0         default
nudge_after_compaction          0         default
nudge_turns_since_last_use      0         default
nudge_at_tools                  false     default

"#]]
    );
}

#[test]
fn a_setting_of_some_words_takes_no_other() {
    let machine = Machine::new();
    assert_data_eq!(
        machine
            .run(&["config", "set", "outputs.code_mode", "off"])
            .seen(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: `outputs.code_mode` takes leave or keep; "off" was given.

"#]]
    );
    let schema = machine.run(&["config", "schema"]).json();
    let words = &schema["properties"]["outputs"]["properties"]["code_mode"]["enum"];
    assert_eq!(words.to_string(), r#"["leave","keep"]"#);
}

#[test]
fn a_setting_takes_effect() {
    let machine = Machine::new();
    let set = machine.run(&["config", "set", "pad.notes_max_chars", "5"]);
    assert_data_eq!(
        set.seen(),
        str![[r"
exit 0
--- stdout
pad.notes_max_chars = 5 in [ROOT]/home/config.toml
--- stderr

"]]
    );
    let reply = machine
        .run(&["session", "set-notes", "123456", "--session", "s", "--json"])
        .json();
    assert_eq!((&reply["used"], &reply["max"]), (&5.into(), &5.into()));
    assert_eq!(mode(&machine.home().join("config.toml")), 0o600);
}

#[test]
fn setting_keeps_comments_layout_and_other_values() {
    let machine = Machine::new();
    fs::create_dir_all(machine.home()).unwrap();
    let file = machine.home().join("config.toml");
    fs::write(
        &file,
        "# mine\n[pad]\n  notes_max_chars = 9   # long notes\n\nmax_refs=3\n",
    )
    .unwrap();
    machine
        .run(&["config", "set", "pad.notes_max_chars", "8_000"])
        .ok();
    machine
        .run(&["config", "set", "store.busy_timeout_ms", "100"])
        .ok();
    assert_data_eq!(
        fs::read_to_string(&file).unwrap(),
        str![[r"
# mine
[pad]
  notes_max_chars = 8000   # long notes

max_refs=3

[store]
busy_timeout_ms = 100

"]]
    );
}

#[test]
fn a_projects_settings_are_kept_apart_from_private_notes() {
    let machine = Machine::new();
    machine
        .run(&["config", "set", "--project", "pad.max_refs", "7"])
        .ok();
    let directory = machine.project().join(".scratchpad");
    assert_data_eq!(
        fs::read_to_string(directory.join("config.toml")).unwrap(),
        str![[r"
[pad]
max_refs = 7

"]]
    );
    assert_data_eq!(
        fs::read_to_string(directory.join(".gitignore")).unwrap(),
        str![[r#"
# Private notes stay out of git; settings, packs and profiles may be shared.
*
!config.toml
!packs/
!packs/**
!profiles/
!profiles/*

"#]]
    );
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let machine = Machine::new();
    let set = |key: &str, value: &str| machine.run(&["config", "set", key, "--", value]).err;
    let all = [
        set("pad.notes_max_chars", "0"),
        set("pad.notes_max_chars", "-5"),
        set("pad.notes_max_chars", "many"),
        set("pad.notes_max_chars", "99999999999999999999"),
        set("pad.note_max_chars", "5"),
        set("zzz", "5"),
        set("store.url", ""),
        machine
            .run(&["config", "set", "--project", "store.url", "sqlite:/tmp/x"])
            .err,
        machine
            .run(&["config", "show", "--config", "pad.max_refs"])
            .err,
    ];
    assert_data_eq!(
        all.concat(),
        str![[r#"
Error: `pad.notes_max_chars` takes a whole number from 1 to 1,000,000; 0 was given.
Error: `pad.notes_max_chars` takes a whole number from 1 to 1,000,000; "-5" was given.
Error: `pad.notes_max_chars` takes a whole number from 1 to 1,000,000; "many" was given.
Error: `pad.notes_max_chars` takes a whole number from 1 to 1,000,000; "99999999999999999999" was given.
Error: Unknown setting "pad.note_max_chars".
Hint: did you mean `pad.notes_max_chars` or `pad.ref_max_chars`?
Error: Unknown setting "zzz".
Hint: `scratchpad config show` lists the settings.
Error: `store.url` has no scheme.
Hint: use `sqlite:` for a database in the data directory, `sqlite:/PATH` for one elsewhere, or `postgres://USER:PASSWORD@HOST/DATABASE`.
Error: A project may not set `store.url`: it chooses where your data goes.
Hint: set it for yourself: `scratchpad config set store.url VALUE`.
Error: --config takes KEY=VALUE; "pad.max_refs" was given.

"#]]
    );
    assert!(!machine.home().join("config.toml").exists());
}

#[test]
fn a_bad_file_is_named_with_line_and_column() {
    let machine = Machine::new();
    fs::create_dir_all(machine.home()).unwrap();
    let with = |text: &str| {
        fs::write(machine.home().join("config.toml"), text).unwrap();
        machine.run(&["session", "list"])
    };
    // What can be ignored is a warning.
    let warnings = [
        "[pad]\nnotes_max_chars = \n",
        "[pad]\nnotes_max_char = 5\n",
        "pad = 5\n",
        "[pad]\nmax_refs = -1\n",
        "[pad]\nmax_refs = \"x\"\n",
    ]
    .map(|text| {
        let answer = with(text);
        assert_eq!((answer.code, answer.out.as_str()), (Some(0), ""), "{text}");
        let none = "No session in [ROOT]/project yet.\n";
        let warning = answer.err.strip_suffix(none);
        warning.expect(text).to_owned()
    });
    assert_data_eq!(
        warnings.concat(),
        str![[r#"
Warning: [ROOT]/home/config.toml is not valid TOML: line 2, column 19: string values must be quoted, expected literal string. It is ignored.
Warning: [ROOT]/home/config.toml: Unknown setting "pad.notes_max_char". It is ignored. (did you mean `pad.notes_max_chars` or `pad.ref_max_chars`?)
Warning: [ROOT]/home/config.toml: Unknown setting "pad". It is ignored. (did you mean `pad.enabled` or `pad.max_refs`?)
Warning: [ROOT]/home/config.toml: `pad.max_refs` takes a whole number from 1 to 10,000; -1 was given. It is ignored.
Warning: [ROOT]/home/config.toml: `pad.max_refs` takes a whole number from 1 to 10,000; "x" was given. It is ignored.

"#]]
    );
    assert_data_eq!(
        with("[store]\nurl = \"mysql://me:secret@host/db\"\n").seen(),
        str![[r#"
exit 2
--- stdout
--- stderr
Error: [ROOT]/home/config.toml: `store.url` has the scheme "mysql", which this version can't open.
Hint: use `sqlite:` for a database in the data directory, `sqlite:/PATH` for one elsewhere, or `postgres://USER:PASSWORD@HOST/DATABASE`.

"#]]
    );
}

#[test]
fn a_project_may_not_say_where_data_goes() {
    let machine = Machine::new();
    project_file(&machine, "[store]\nurl = \"sqlite:/tmp/stolen.db\"\n");
    assert_data_eq!(
        machine.run(&["session", "list"]).seen(),
        str![[r#"
exit 0
--- stdout
--- stderr
Warning: [ROOT]/project/.scratchpad/config.toml: A project may not set `store.url`: it chooses where your data goes. It is ignored. (set it for yourself: `scratchpad config set store.url VALUE`.)
No session in [ROOT]/project yet.

"#]]
    );
}

#[test]
fn a_store_elsewhere_is_used() {
    let machine = Machine::new();
    let file = machine.project().join("elsewhere.db");
    let url = format!("store.url=sqlite:{}", file.display());
    machine
        .run(&[
            "session",
            "set-notes",
            "x",
            "--session",
            "s",
            "--config",
            &url,
        ])
        .ok();
    assert_eq!(mode(&file), 0o600);
    assert!(!machine.database().exists());
}

#[test]
fn paths_and_schema_are_printed() {
    let machine = Machine::new();
    assert_data_eq!(
        machine.run(&["config", "path"]).ok(),
        str![[r"
WHAT                    WHERE
your settings           [ROOT]/home/config.toml
the project's settings  [ROOT]/project/.scratchpad/config.toml
data                    [ROOT]/home

"]]
    );
    let schema: serde_json::Value =
        serde_json::from_str(&machine.run(&["config", "schema"]).ok()).unwrap();
    let notes = &schema["properties"]["pad"]["properties"]["notes_max_chars"];
    assert_eq!(
        (&notes["minimum"], &notes["default"]),
        (&1.into(), &4_000.into())
    );
    assert_eq!(schema["additionalProperties"], false);
}

#[test]
fn data_is_for_its_owner_alone() {
    let machine = Machine::new();
    machine
        .run_with(
            &["session", "set-notes", "--session", "s"],
            "x".repeat(5_000).as_bytes(),
        )
        .ok();
    let outputs = machine.home().join("outputs");
    let output = fs::read_dir(&outputs)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    assert_eq!((mode(&machine.home()), mode(&outputs)), (0o700, 0o700));
    assert_eq!((mode(&machine.database()), mode(&output)), (0o600, 0o600));
}

#[test]
fn help_says_of_every_command_what_it_is_for() {
    let machine = Machine::new();
    let help = machine.run(&["--help"]).ok();
    let commands = help
        .split("Commands:\n")
        .nth(1)
        .unwrap()
        .split("\n\n")
        .next()
        .unwrap();
    assert_data_eq!(
        commands,
        str![[r#"
  status       Show what is going on here, on one screen
  session      A session's pad: notes, plan and refs, with every past revision
  note         Notes: tagged, searchable, kept with the session or its project
  search       Find a text in pads, notes and outputs at once
  stats        Show what was kept out of the context window, and what that cost
  audit        Read your hosts' transcripts: what filled the window, and what outputs would save
  forget       Forget a text: remove it from all that is kept, for good
  secrets      Secrets that are stored already
  context      Context notes: what you want every agent in this project to know
  inject       Write context notes and working rules into the instruction files of agent hosts
  profile      Profiles: which packs of working rules are written
  project      Projects: which there are, and what they are called
  prompt       Read the user's text from stdin and print the message for the agent: pad, then text
  call         Run a tool as an agent would, and print its reply
  output       Outputs: large texts, kept whole, read in parts
  mcp          Serve the tools to an agent host, over stdin and stdout or over HTTP
  serve        Serve the page on which you see what your agents remember
  proxy        Run in front of an MCP server and keep its large results out of the context window
  run          Run a command; a large output is kept, and a reference is printed instead
  hook         Answer an agent host's event from stdin; called by hosts
  setup        Find the agent hosts here, set them up, and prove that they work
  install      Set up agent hosts: the MCP server and the hooks, in the host's own files
  uninstall    Undo what `install` wrote
  doctor       Show which hosts are set up, and what is wrong
  statusline   Print one short line for the status line of a host
  plugin       Write a plugin for Claude Code, Codex, Copilot CLI and Gemini CLI
  guidance     Print instructions on these tools for the system prompt of an agent
  store        The store: copy or back up everything
  config       Settings: what they are, where each comes from, how to change one
  completions  Print completions for a shell
  help         Show the help of a command
  man          Write man pages into a directory
"#]]
    );
    for line in commands.lines() {
        let (name, summary) = line.trim().split_once(' ').unwrap();
        let own = machine.run(&[name, "--help"]).ok();
        assert_eq!(own.lines().next(), Some(summary.trim()));
    }
}
