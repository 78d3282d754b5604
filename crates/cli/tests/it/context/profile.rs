//! Packs and profiles: which working rules `inject` writes.

use std::fs;
use std::path::Path;

use crate::support::Machine;
use snapbox::{assert_data_eq, str};

fn pack(place: &Path, id: &str, about: &str, parts: &[(&str, &str)]) {
    let directory = place.join("packs").join(id);
    fs::create_dir_all(&directory).unwrap();
    fs::write(
        directory.join("pack.toml"),
        format!("id = \"{id}\"\n{about}"),
    )
    .unwrap();
    for (name, text) in parts {
        fs::write(directory.join(name), text).unwrap();
    }
}

fn profile(place: &Path, id: &str, text: &str) {
    fs::create_dir_all(place.join("profiles")).unwrap();
    fs::write(place.join("profiles").join(format!("{id}.toml")), text).unwrap();
}

fn furnished() -> Machine {
    let machine = Machine::new();
    let project = machine.project().join(".scratchpad");
    pack(
        &machine.home(),
        "rust",
        "name = \"Rust\"\nweight = 10\n",
        &[("constraints.md", "- mine"), ("patterns.md", "Use `?`.")],
    );
    pack(
        &machine.home(),
        "mail",
        "",
        &[("context.md", "Mail goes out by night.\n")],
    );
    pack(
        &project,
        "rust",
        "name = \"Rust here\"\nweight = 10\n",
        &[
            ("constraints.md", "- no unwrap"),
            ("errors.md", "E1: <!-- open"),
        ],
    );
    profile(
        &machine.home(),
        "backend",
        "name = \"Backend developer\"\npacks = [\"base\", \"rust\", \"gone\"]\n",
    );
    machine
}

#[test]
fn profiles_are_listed_shown_and_used() {
    let machine = furnished();
    let seen = [
        machine.run(&["profile", "list"]).seen(),
        machine.run(&["profile", "show", "backend"]).seen(),
        machine.run(&["profile", "show"]).seen(),
        machine.run(&["inject", "--tool", "claude"]).seen(),
        machine.run(&["profile", "use", "backend"]).seen(),
        machine.run(&["profile", "list", "--json"]).seen(),
        machine.run(&["profile", "show", "--json"]).seen(),
        machine.run(&["profile", "use", "bakend"]).seen(),
        machine.run(&["profile", "use", "zzz"]).seen(),
    ];
    assert_data_eq!(
        seen.concat(),
        str![[r#"
exit 0
--- stdout
  PROFILE  NAME               FROM      PACKS
  backend  Backend developer  yours     rust, base
* default                     built in  rust, base, mail
--- stderr
exit 0
--- stdout
PACK  NAME           WEIGHT  FROM      BYTES
rust  Rust here      10      project   24
base  Working rules  0       built in  297
--- stderr
Warning: The profile backend needs the pack gone, which does not exist.
exit 0
--- stdout
PACK  NAME           WEIGHT  FROM      BYTES
rust  Rust here      10      project   24
base  Working rules  0       built in  297
mail  mail           0       yours     24
--- stderr
exit 0
--- stdout
CLAUDE.md: created (1,337 bytes, about 336 tokens)
--- stderr
exit 0
--- stdout
Profile in use: backend
Also updated: CLAUDE.md
--- stderr
Warning: The profile backend needs the pack "gone", which does not exist.
exit 0
--- stdout
{"profiles":[{"id":"backend","name":"Backend developer","source":"user","packs":["rust","base"],"in_use":true},{"id":"default","name":"","source":"built in","packs":["rust","base","mail"],"in_use":false}],"in_use":"backend"}
--- stderr
exit 0
--- stdout
{"id":"backend","name":"Backend developer","source":"user","packs":[{"id":"rust","name":"Rust here","weight":10,"source":"project","bytes":24},{"id":"base","name":"Working rules","weight":0,"source":"built in","bytes":297}],"missing":["gone"]}
--- stderr
exit 1
--- stdout
--- stderr
Error: Unknown profile "bakend". Nothing was changed.
Hint: did you mean `backend`?
exit 1
--- stdout
--- stderr
Error: Unknown profile "zzz". Nothing was changed.
Hint: `scratchpad profile list` shows them.

"#]]
    );
    let text = fs::read_to_string(machine.project().join("CLAUDE.md")).unwrap();
    let (_, packs) = text.split_once("scratchpad_list.\n").unwrap();
    assert!(text.contains("\n**Developer Profile:** Backend developer\n"));
    assert_data_eq!(
        packs,
        str![[r#"

Current Context, where there is one, is what the person wants known right now: it is newer than other text in this file.

## Constraints
- no unwrap

- Don't edit between the scratchpad markers; the person does it with `scratchpad context` and `scratchpad inject`.
- Keep no passwords, keys or tokens in notes, plans or refs.

## Known Errors
E1: <!-- open
-->
<!-- scratchpad:end -->

"#]]
    );
}

#[test]
fn a_profile_of_the_project_is_for_the_project() {
    let machine = furnished();
    profile(
        &machine.project().join(".scratchpad"),
        "theirs",
        "packs = [\"rust\"]\n",
    );
    machine.run(&["profile", "use", "theirs"]).ok();
    let inject = |reach: &str| {
        let mut command = machine.command(&["inject", reach, "--tool", "claude"]);
        command.env("HOME", machine.home());
        machine.answer(command.output().unwrap()).ok();
    };
    inject("--project");
    inject("--global");
    let project = fs::read_to_string(machine.project().join("CLAUDE.md")).unwrap();
    let global = fs::read_to_string(machine.home().join(".claude/CLAUDE.md")).unwrap();
    assert!(project.contains("- no unwrap") && !project.contains("Mail goes out"));
    assert!(
        global.contains("- mine") && !global.contains("- no unwrap"),
        "{global}"
    );
    assert!(!global.contains("theirs"));
    let ignored = fs::read_to_string(machine.project().join(".scratchpad/.gitignore")).unwrap();
    assert!(ignored.contains("!packs/**"));
}

/// A project is somebody else's repository.
#[test]
fn a_pack_of_the_project_can_neither_fetch_nor_hide_nor_flood() {
    let machine = Machine::new();
    let place = machine.project().join(".scratchpad");
    let secret = machine.project().with_file_name("secret");
    fs::write(&secret, "my key").unwrap();
    for (id, name) in [("thief", "context.md"), ("file", "pack.toml")] {
        pack(&place, id, "", &[("errors.md", "none")]);
        let link = place.join("packs").join(id).join(name);
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(&secret, link).unwrap();
    }
    // A link to a file in the project is as good as a file.
    fs::write(machine.project().join("RULES.md"), "- theirs").unwrap();
    pack(&place, "linked", "name = \"<!-- hide\"", &[]);
    std::os::unix::fs::symlink("../../../RULES.md", place.join("packs/linked/context.md")).unwrap();
    profile(&place, "odd", "name = \"a <!-- b\"\n");
    let mut command = machine.command(&["inject", "--tool", "claude"]);
    command.env("SCRATCHPAD_PROFILE", "odd");
    let answer = machine.answer(command.output().unwrap());
    assert_data_eq!(
        &answer.err,
        str![[r#"
Warning: [ROOT]/project/.scratchpad/packs/file/pack.toml is a link to a place outside the project. (copy the file into the project, or keep the pack next to your settings.)
Warning: [ROOT]/project/.scratchpad/packs/thief/context.md is a link to a place outside the project. (copy the file into the project, or keep the pack next to your settings.)

"#]]
    );
    let region = fs::read_to_string(machine.project().join("CLAUDE.md")).unwrap();
    assert!(!region.contains("my key"), "{region}");
    assert!(
        region.contains("**Developer Profile:** a <\\!-- b\n"),
        "{region}"
    );
    assert!(region.contains("## <\\!-- hide\n- theirs\n"), "{region}");

    fs::remove_dir_all(place.join("packs")).unwrap();
    let long = "x".repeat(256 * 1024);
    for number in 10..30 {
        pack(&place, &format!("p{number}"), "", &[("context.md", &long)]);
    }
    assert_data_eq!(
        machine.run(&["profile", "list"]).seen(),
        str![[r#"
exit 0
--- stdout
  PROFILE  NAME      FROM      PACKS
* default            built in  base, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25
  odd      a <!-- b  project   base, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25
--- stderr
Warning: [ROOT]/project/.scratchpad/packs is larger than the limit of 4,194,304 bytes; packs beyond it are left out.

"#]]
    );
}

#[test]
fn a_profile_that_is_used_comes_into_the_files_for_every_project_too() {
    let machine = furnished();
    let run = |arguments: &[&str]| {
        let mut command = machine.command(arguments);
        command.env("HOME", machine.home());
        machine.answer(command.output().unwrap())
    };
    run(&["inject", "--global", "--tool", "claude"]).ok();
    assert_data_eq!(
        run(&["profile", "use", "backend"]).seen(),
        str![[r#"
exit 0
--- stdout
Profile in use: backend
Also updated: [ROOT]/home/.claude/CLAUDE.md
--- stderr
Warning: The profile backend needs the pack "gone", which does not exist.

"#]]
    );
    let file = fs::read_to_string(machine.home().join(".claude/CLAUDE.md")).unwrap();
    assert!(file.contains("**Developer Profile:** Backend developer"));
}
