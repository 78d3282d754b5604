//! The text between the markers, and that the notes can be read back from it.

use super::*;
use proptest::prelude::*;
use snapbox::{assert_data_eq, str};

use crate::model::context::pack::PackSource;

fn pack(id: &str, parts: [&str; 6]) -> Pack {
    Pack {
        id: id.to_owned(),
        name: format!("About {id}"),
        weight: 0,
        source: PackSource::User,
        parts: parts.map(str::to_owned),
    }
}

fn full() -> InstructionFacts {
    InstructionFacts {
        switched_off: Vec::new(),
        profile: "Backend developer".to_owned(),
        notes: vec![
            "Deploys are frozen".to_owned(),
            "Ask\r\nbefore\nyou push".to_owned(),
        ],
        project: Some(ProjectFacts {
            name: "shop".to_owned(),
            version_control: Some(VersionControl {
                system: "git",
                branch: Some("main".to_owned()),
                remote: Some("origin".to_owned()),
            }),
            toolchain: Toolchain {
                languages: vec!["Rust", "TypeScript"],
                build_tools: vec!["cargo", "npm"],
                test: Some("make test".to_owned()),
            },
        }),
        tools: vec!["session_scratchpad", "add_note"],
        packs: vec![
            pack(
                "one",
                [
                    "Be brief.\n",
                    "- no unwrap",
                    "\r\nIt is a shop.\r\n",
                    "",
                    "",
                    "E1: restart",
                ],
            ),
            pack(
                "two",
                [
                    "",
                    "- no panic",
                    "It has carts.",
                    "Use the builder.",
                    "The book",
                    "",
                ],
            ),
        ],
        max_bytes: 100_000,
    }
}

#[test]
fn all_parts_come_in_order() {
    assert_data_eq!(
        instructions(&full()),
        str![[r#"
# Scratchpad

Written by `scratchpad inject`; changes made here are overwritten.

**Developer Profile:** Backend developer

## Current Context
- Deploys are frozen
- Ask before you push

## Runtime Context
- Project: shop
- Version control: git, branch main, remote origin
- Languages: Rust, TypeScript
- Build tools: cargo, npm
- Tests: `make test`

Scratchpad keeps your working memory outside the context window:

| command | for |
|---|---|
| `scratchpad session show` | your pad: notes, plan, refs |
| `scratchpad session append-notes TEXT`, `set-plan TEXT`, `refs add REF` | update it after each step that matters |
| `scratchpad note search TEXT`, `note add TEXT --scope project` | facts to find again, in later sessions too |
| `scratchpad context list`, `context add TEXT`, `context clear` | the person's notes to all agents; change only if asked |
| `scratchpad output read ID` | the full text of an output |

As tools, where this host offers them: session_scratchpad, add_note.

Be brief.

## Constraints
- no unwrap

- no panic

## About one
It is a shop.

## About two
It has carts.

## Canonical Patterns
Use the builder.

## Recommended Learning
The book

## Known Errors
E1: restart
"#]]
    );
    let least = InstructionFacts {
        max_bytes: 100_000,
        ..InstructionFacts::default()
    };
    let text = instructions(&least);
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings, ["# Scratchpad", "## Runtime Context"]);
}

#[test]
fn over_the_budget_parts_go_from_the_end_and_then_the_oldest_notes() {
    let with = |max_bytes| {
        let facts = InstructionFacts {
            max_bytes,
            ..full()
        };
        let text = instructions(&facts);
        assert!(
            text.len() + region::CONTEXT.overhead() <= max_bytes,
            "{}",
            text.len()
        );
        text.lines().last().unwrap_or_default().to_owned()
    };
    let whole = instructions(&full()).len() + region::CONTEXT.overhead();
    assert_eq!(with(whole), "E1: restart");
    let shown = grouped(whole - 1);
    assert_eq!(
        with(whole - 1),
        format!(
            "Left out, over the budget of {shown} bytes: \
             Canonical Patterns, Recommended Learning, Known Errors."
        )
    );
    assert_eq!(
        with(400),
        "Left out, over the budget of 400 bytes: Runtime Context, preamble, Constraints, \
         About one, About two, Canonical Patterns, 2 more."
    );
    let many = InstructionFacts {
        notes: (1..=1_000).map(|number| format!("note {number}")).collect(),
        max_bytes: 2_000,
        ..InstructionFacts::default()
    };
    let text = instructions(&many);
    assert!(text.contains("\n- note 1000\n") && !text.contains("- note 1\n"));
    assert!(
        text.ends_with("older context notes, Runtime Context."),
        "{text}"
    );
}

#[test]
fn long_names_do_not_break_the_least_budget() {
    let name = "🦀".repeat(300);
    let named = |_| Pack {
        name: name.clone(),
        ..pack("a", ["", "", "x", "", "", ""])
    };
    let facts = InstructionFacts {
        profile: name.clone(),
        notes: vec![name.clone(); 3],
        packs: (0..8).map(named).collect(),
        max_bytes: 2_000,
        ..full()
    };
    let bytes = instructions(&facts).len() + region::CONTEXT.overhead();
    assert!(bytes <= 2_000, "{bytes}");
}

#[test]
fn a_list_of_a_pack_is_no_list_of_notes() {
    let facts = InstructionFacts {
        packs: vec![pack(
            "a",
            ["## Current Context\n- theirs", "", "", "", "", ""],
        )],
        max_bytes: 100_000,
        ..InstructionFacts::default()
    };
    let file = region::CONTEXT
        .placed(None, &instructions(&facts), "")
        .unwrap();
    assert_eq!(notes_in(&file).unwrap(), [] as [String; 0]);
}

#[test]
fn a_note_is_cut_between_characters() {
    assert_eq!(as_injected(&"x".repeat(500)), "x".repeat(500));
    assert_eq!(
        as_injected(&"x".repeat(501)),
        format!("{}...", "x".repeat(500))
    );
    assert_eq!(
        as_injected(&format!("x{}", "ü".repeat(250))),
        format!("x{}...", "ü".repeat(249))
    );
}

fn notes() -> impl Strategy<Value = Vec<String>> {
    let pieces = prop::sample::select(vec![
        "<!-- scratchpad:end -->",
        "<!-- scratchpad:start -->",
        "<!--",
        "-->",
        "<\\!--",
        "--\\>",
        "\\",
        "<!-->",
        "\n",
        "\r\n",
        "\r",
        "\u{2028}",
        "```",
        "---",
        "# h",
        "- ",
        "## Current Context",
        "ü",
        " ",
        "text",
        "\u{1b}[2J",
    ]);
    let note = prop::collection::vec(pieces, 1..60).prop_map(|pieces| pieces.concat());
    prop::collection::vec(note, 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 4))]

    #[test]
    fn notes_come_back_from_a_region_and_the_file_from_an_uninstall(
        notes in notes(),
        file in "(\u{feff})?(---\r?\na: b\n---\n?)?[a-z#`<>!\\- \r\n]{0,80}",
    ) {
        let facts = InstructionFacts { notes: notes.clone(), max_bytes: 1_000_000, ..InstructionFacts::default() };
        let text = instructions(&facts);
        let once = region::CONTEXT.placed(Some(file.as_bytes()), &text, "").unwrap();
        prop_assert_eq!(&region::CONTEXT.placed(Some(&once), &text, "").unwrap(), &once);
        let expected: Vec<String> = notes.iter().map(|note| as_injected(note)).collect();
        prop_assert_eq!(notes_in(&once).unwrap(), expected);
        let hidden = text.matches("<!--").count() + text.matches("-->").count();
        prop_assert_eq!(hidden, 0);
        prop_assert_eq!(region::CONTEXT.removed(&once, "").unwrap(), region::Remainder::File(file.into_bytes()));
    }
}
