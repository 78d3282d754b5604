use proptest::prelude::*;
use snapbox::{assert_data_eq, str};

use super::*;

const PLAN: &str = "Goal: the cache is right.
- [x] read the parser
  it is in src/parse.rs
- [>] fix the cache key
  - [X] find it
  - [ ] test it
1. [!] ask about ports
2) [-] rewrite it all
+ [ ] write the docs
- a plain line
-[ ] no box
- [?] no box either
- [ ]no box
```
- [ ] code
```";

fn states(plan: &str) -> Vec<(ItemState, &str)> {
    items(plan).iter().map(|it| (it.state, it.text)).collect()
}

fn names(words: &[&str]) -> Vec<ItemName> {
    words.iter().map(|word| ItemName::read(word)).collect()
}

#[test]
fn boxes_of_all_lists_are_items_and_other_lines_are_prose() {
    use ItemState::{Active, Blocked, Done, Dropped, Pending};
    assert_eq!(
        states(PLAN),
        [
            (Done, "read the parser"),
            (Active, "fix the cache key"),
            (Done, "find it"),
            (Pending, "test it"),
            (Blocked, "ask about ports"),
            (Dropped, "rewrite it all"),
            (Pending, "write the docs"),
        ]
    );
    assert_eq!(states("1. read\n2. write\n"), []);
    assert_eq!(states("- [ ]\r\n- [x] b\r\n"), [(Pending, ""), (Done, "b")]);
}

#[test]
fn what_is_done_or_dropped_is_left_out_and_counted() {
    assert_eq!(heading(PLAN), "Plan (2 of 7 done):");
    assert_data_eq!(
        open_part(PLAN),
        str![[r"
Goal: the cache is right.
- [>] fix the cache key
  - [ ] test it
1. [!] ask about ports
+ [ ] write the docs
- a plain line
-[ ] no box
- [?] no box either
- [ ]no box
```
- [ ] code
```
(2 done, 1 dropped: not shown; action get shows all)
"]]
    );
    assert_eq!(
        open_part("- [x] a\n- [x] b"),
        "(2 done: not shown; action get shows all)"
    );
    assert_eq!(heading("- [x] a\n- [-] b"), "Plan (1 of 2 done):");
}

#[test]
fn a_plan_without_boxes_is_shown_as_it_is() {
    for plan in [
        "",
        "1. read\n2. write",
        "- a\n  \n\n- b\n",
        "[x] not a list",
    ] {
        assert_eq!(heading(plan), "Plan:");
        assert_eq!(open_part(plan), plan);
    }
}

#[test]
fn items_are_marked_by_number_and_by_beginning_several_at_once() {
    let marked = marked(
        PLAN,
        &names(&["4", "ASK ABOUT", "write the docs"]),
        ItemState::Done,
    );
    let marked = marked.unwrap();
    assert_eq!(
        marked,
        PLAN.replace("- [ ] test it", "- [x] test it")
            .replace("[!]", "[x]")
            .replace("+ [ ]", "+ [x]")
    );
    let sentence = summary(&marked);
    assert_eq!(
        sentence.english(),
        "Plan: 5 of 7 done, active: fix the cache key."
    );
}

#[test]
fn marking_one_active_leaves_the_other_active() {
    let plan = marked("- [>] a.\n- [ ] b", &names(&["2"]), ItemState::Active).unwrap();
    assert_eq!(plan, "- [>] a.\n- [>] b");
    assert_eq!(summary(&plan).english(), "Plan: 0 of 2 done, active: a; b.");
    assert_eq!(summary("- [x] a").english(), "Plan: 1 of 1 done.");
}

#[test]
fn a_text_that_is_all_of_one_item_names_that_one() {
    let plan = "- [ ] fix it\n- [ ] fix it well";
    assert_eq!(
        marked(plan, &names(&["Fix it"]), ItemState::Done).unwrap(),
        "- [x] fix it\n- [ ] fix it well"
    );
}

#[test]
fn a_name_that_fits_none_or_several_is_refused() {
    let cases: [(&str, &[&str]); 7] = [
        ("", &["1"]),
        ("1. read", &["1"]),
        ("- [ ] read\n- [ ] write", &["3"]),
        ("- [ ] read", &["0"]),
        ("- [ ] fix a\n- [ ] fix b", &["fix"]),
        ("- [ ] fix the cache\n- [ ] write", &["1", "fix teh cache"]),
        ("- [ ] read", &[""]),
    ];
    let said = cases.map(|(plan, words)| {
        let error = marked(plan, &names(words), ItemState::Done).unwrap_err();
        let hint = error.next_step().map(|hint| hint.english().into_owned());
        format!("{words:?} {error} {}\n", hint.unwrap_or_default())
    });
    assert_data_eq!(
        said.concat(),
        str![[r#"
["1"] There is no plan to mark. Nothing was changed. write it with set_plan as lines like `- [ ] fix the cache key`; the marks are [ ] pending, [>] active, [x] done, [!] blocked, [-] dropped.
["1"] No line of the plan has a box to mark. Nothing was changed. write it with set_plan as lines like `- [ ] fix the cache key`; the marks are [ ] pending, [>] active, [x] done, [!] blocked, [-] dropped.
["3"] No plan item 3: the plan has 2 items. Nothing was changed. action get shows the plan; items are counted from 1.
["0"] No plan item 0: the plan has 1 item. Nothing was changed. action get shows the plan; items are counted from 1.
["fix"] 2 plan items begin with "fix": 1 fix a; 2 fix b. Nothing was changed. name one by its number, or write more of its beginning.
["1", "fix teh cache"] No plan item begins with "fix teh cache". Nothing was changed. did you mean `fix the cache` or `write`?
[""] A plan item is named by its number or its beginning; an empty text was given. Nothing was changed. 

"#]]
    );
}

/// Lines as agents write them, most with a box, some nearly.
fn plans() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => r"[ \t]{0,3}([-*+]|[0-9]{1,3}[.)]) {1,2}\[[ xX>!-]\] [a-zäß\[\] ]{0,12}\r?",
        1 => r"[-*+\[\] x`~a-z0-9.]{0,12}",
        1 => "\\PC{0,8}",
    ];
    proptest::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"))
}

fn any_state() -> impl Strategy<Value = ItemState> {
    proptest::sample::select(ItemState::ALL.to_vec())
}

proptest! {
    /// Marking sets the state of that item, and changes nothing else in the text.
    #[test]
    fn marking_changes_one_character(plan in plans(), at in 0_usize..12, state in any_state()) {
        let before = items(&plan);
        let name = [ItemName::Number(at + 1)];
        let Ok(after) = marked(&plan, &name, state) else {
            prop_assert!(at >= before.len());
            return Ok(());
        };
        prop_assert_eq!(after.len(), plan.len());
        let read = items(&after);
        prop_assert_eq!(read.len(), before.len());
        for (number, (old, new)) in before.iter().zip(&read).enumerate() {
            prop_assert_eq!(old.text, new.text);
            prop_assert_eq!(new.state, if number == at { state } else { old.state });
        }
        let differs = plan.bytes().zip(after.bytes()).filter(|(one, other)| one != other).count();
        prop_assert!(differs <= 1);
        let Some(old) = before.get(at) else { unreachable!() };
        let back = marked(&after, &name, old.state).unwrap();
        prop_assert_eq!(back.replace("[X]", "[x]"), plan.replace("[X]", "[x]"));
    }

    /// The open part has the open items, in order, and no other.
    #[test]
    fn the_open_part_has_what_is_open(plan in plans()) {
        let part = open_part(&plan);
        let open: Vec<String> = items(&plan)
            .iter()
            .filter(|item| item.state.is_open())
            .map(|item| item.text.to_owned())
            .collect();
        let shown: Vec<String> = items(&part).iter().map(|item| item.text.to_owned()).collect();
        prop_assert_eq!(shown, open);
    }
}
