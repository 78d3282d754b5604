use super::*;
use snapbox::{assert_data_eq, str};

fn limits() -> Limits {
    Limits::default()
}

fn notes(text: &str) -> Pad {
    Pad {
        notes: text.to_owned(),
        ..Pad::default()
    }
}

fn refs(count: usize) -> Pad {
    Pad {
        refs: (1..=count).map(|number| format!("ref {number}")).collect(),
        ..Pad::default()
    }
}

#[test]
fn set_notes_cuts_between_scalars_and_says_how_much_was_given() {
    // One letter of two scalars: the budget counts scalars, and may split the letter.
    let text = "e\u{301}".repeat(2_001);
    let action = Action::SetNotes(text.clone());
    let outcome = apply(&notes("old"), &action, &limits()).unwrap();
    assert_eq!(outcome.content, Content::Notes("e\u{301}".repeat(2_000)));
    assert_eq!((outcome.used, outcome.cut_from), (4_000, Some(4_002)));
    assert_eq!(action.overflow(&limits()), Some(text));
}

#[test]
fn a_text_of_exactly_its_budget_is_not_cut() {
    for (action, max) in [
        (Action::SetNotes("ß".repeat(4_000)), 4_000),
        (Action::SetPlan("ß".repeat(2_000)), 2_000),
    ] {
        let outcome = apply(&Pad::default(), &action, &limits()).unwrap();
        assert_eq!(
            (outcome.used, outcome.max, outcome.cut_from),
            (max, max, None)
        );
        assert_eq!(action.overflow(&limits()), None);
    }
}

#[test]
fn append_starts_a_new_line_except_on_an_empty_pad() {
    let append = |before: &str, text: &str| {
        let action = Action::AppendNotes(text.to_owned());
        apply(&notes(before), &action, &limits()).unwrap().content
    };
    assert_eq!(append("", "a"), Content::Notes("a".to_owned()));
    assert_eq!(append("a", "b"), Content::Notes("a\nb".to_owned()));
    assert_eq!(append("a\n", "b"), Content::Notes("a\n\nb".to_owned()));
    assert_eq!(append("a", ""), Content::Notes("a".to_owned()));
}

#[test]
fn append_is_refused_only_above_the_budget() {
    let append = |count| {
        let action = Action::AppendNotes("y".repeat(count));
        apply(&notes(&"x".repeat(3_900)), &action, &limits())
    };
    assert_eq!(append(99).unwrap().used, 4_000);
    let error = append(100).unwrap_err();
    assert_data_eq!(
        error.to_string(),
        str![
            "Notes not appended: 3,900 characters kept and 100 given make 4,001, the limit is 4,000. Nothing was changed."
        ]
    );
}

#[test]
fn the_fifty_first_ref_pushes_out_the_oldest() {
    let outcome = apply(&refs(50), &Action::AddRef("new".to_owned()), &limits()).unwrap();
    let Content::Refs(kept) = &outcome.content else {
        panic!("refs expected");
    };
    assert_eq!(
        (kept.len(), kept[0].as_str(), kept[49].as_str()),
        (50, "ref 2", "new")
    );
    assert_eq!(outcome.dropped, ["ref 1"]);
}

#[test]
fn a_duplicate_ref_moves_to_the_end_and_nothing_is_dropped() {
    let outcome = apply(&refs(50), &Action::AddRef("ref 1".to_owned()), &limits()).unwrap();
    let Content::Refs(kept) = &outcome.content else {
        panic!("refs expected");
    };
    assert_eq!(
        (kept.len(), kept[0].as_str(), kept[49].as_str()),
        (50, "ref 2", "ref 1")
    );
    assert!(outcome.dropped.is_empty());
}

#[test]
fn a_ref_is_never_cut() {
    let long = "x".repeat(4_000);
    let outcome = apply(&Pad::default(), &Action::AddRef(long.clone()), &limits()).unwrap();
    assert_eq!(outcome.content, Content::Refs(vec![long]));
    let too_long = Action::AddRef("x".repeat(4_001));
    let error = apply(&Pad::default(), &too_long, &limits()).unwrap_err();
    assert_data_eq!(
        error.to_string(),
        str!["A ref has 4,001 characters, the limit is 4,000. Nothing was changed."]
    );
}

#[test]
fn setting_refs_keeps_the_first_fifty_and_spills_the_list() {
    let given = refs(60).refs;
    let action = Action::SetRefs {
        refs: given.clone(),
        not_strings: 0,
    };
    let outcome = apply(&refs(3), &action, &limits()).unwrap();
    assert_eq!(outcome.content, Content::Refs(given[..50].to_vec()));
    assert_eq!(outcome.cut_from, Some(60));
    assert_eq!(
        action.overflow(&limits()),
        Some(serde_json::json!(given).to_string())
    );
}

#[test]
fn removing_needs_the_exact_text() {
    let remove = |text: &str| apply(&refs(3), &Action::RemoveRef(text.to_owned()), &limits());
    assert_eq!(remove("ref 2").unwrap().used, 2);
    let error = remove("Ref 2").unwrap_err();
    assert_data_eq!(
        format!(
            "{error}\n{}",
            error
                .next_step()
                .map(ToString::to_string)
                .unwrap_or_default()
        ),
        str![[r#"
No ref equals "Ref 2"; there are 3 refs. Nothing was changed.
did you mean `ref 2` or `ref 1`?
"#]]
    );
}

#[test]
fn input_over_the_size_limit_is_refused() {
    let action = Action::SetNotes("x".repeat(MAX_INPUT_BYTES + 1));
    let error = apply(&Pad::default(), &action, &limits()).unwrap_err();
    assert_data_eq!(
        error.to_string(),
        str![
            "The text has 16,777,217 bytes, the limit of one call is 16,777,216. Nothing was changed."
        ]
    );
}

#[test]
fn the_old_form_has_a_token_budget() {
    let long = "lorem ipsum dolor ".repeat(2_000);
    let replace = Action::ReplaceByTokens(long.clone());
    let outcome = apply(&Pad::default(), &replace, &limits()).unwrap();
    assert_eq!(outcome.unit, Unit::Tokens);
    assert!(
        outcome.used <= 2_000 && outcome.used > 1_990,
        "{}",
        outcome.used
    );
    assert_eq!(outcome.cut_from, Some(tokens::estimate(&long)));

    let Content::Notes(full) = outcome.content else {
        panic!("notes expected");
    };
    let append = Action::AppendByTokens("one two three four five six seven".to_owned());
    let error = apply(&notes(&full), &append, &limits()).unwrap_err();
    assert_data_eq!(
        error.to_string(),
        str![
            "Append would exceed 2000 token budget (current: 2000, append: 8). Use mode 'replace' to rewrite, or reduce content."
        ]
    );
}
