use super::*;
use crate::model::host::hook::{Task, TaskCall, ToolResult};
use crate::model::host::with_hooks;
use crate::model::id::SessionId;
use crate::model::pad::plan::ItemState;
use crate::model::text::tokens;

/// A conversation with one host, told event by event.
struct Talk {
    host: &'static Host,
    pad: Pad,
    revision: u64,
    hook_state: HookState,
    settings: HookSettings,
    /// What the person was shown last.
    receipt: Option<String>,
}

impl Talk {
    fn with(name: &str) -> Self {
        Self {
            host: with_hooks(name).unwrap(),
            pad: Pad::default(),
            revision: 0,
            hook_state: HookState::default(),
            settings: HookSettings::default(),
            receipt: None,
        }
    }

    fn writes(&mut self, plan: &str) {
        plan.clone_into(&mut self.pad.plan);
        self.revision += 1;
    }

    fn hears(&mut self, kind: EventKind) -> Answer {
        let event = Event {
            name: "x".to_owned(),
            session: SessionId::new("s").unwrap(),
            is_sub_agent: false,
            directory: None,
            transcript: None,
            original: None,
            replied_ago: None,
            kind,
        };
        let facts = HookFacts {
            pad: &self.pad,
            revision: self.revision,
            hook_state: &self.hook_state,
            start: "",
            context: None,
            settings: &self.settings,
            clock: &|at| format!("at {at}"),
        };
        let decision = decide(self.host, &event, &facts);
        self.hook_state = decision.hook_state;
        self.receipt = decision
            .receipt
            .map(|it| it.message().english().into_owned());
        decision.answer
    }

    /// The host's task tool was called.
    fn lists(&mut self, tasks: &[(&str, ItemState)]) {
        let tasks = tasks.iter().map(|(text, state)| Task {
            id: String::new(),
            text: (*text).to_owned(),
            state: *state,
        });
        let call = TaskCall::Whole(tasks.collect());
        let plan = self.pad.plan.clone();
        if let Some(new) = self.hook_state.mirror.hear(&call, Some(&plan), 2_000, 7) {
            self.writes(&new);
            self.hook_state.revision = self.revision;
        }
    }

    fn block(&self) -> Answer {
        Answer::Context(block::render(&self.pad).unwrap())
    }
}

#[test]
fn the_block_is_given_when_it_changed_and_when_the_host_forgot_it() {
    let mut talk = Talk::with("claude");
    assert_eq!(
        talk.hears(EventKind::Start(StartReason::Begin)),
        Answer::Nothing
    );
    assert_eq!(talk.hears(EventKind::Prompt), Answer::Nothing);
    talk.writes("one");
    assert_eq!(talk.hears(EventKind::Prompt), talk.block());
    assert_eq!(talk.hears(EventKind::Prompt), Answer::Nothing);
    talk.writes("two");
    talk.writes("one");
    // Written, and yet as it was.
    assert_eq!(talk.hears(EventKind::Prompt), Answer::Nothing);
    talk.writes("three");
    assert_eq!(talk.hears(EventKind::Prompt), talk.block());
    talk.writes("one");
    assert_eq!(talk.hears(EventKind::Prompt), talk.block());
    assert_eq!(
        talk.hears(EventKind::Compaction),
        Answer::Summary(SUMMARY.to_owned())
    );
    assert_eq!(
        talk.hears(EventKind::Start(StartReason::Compaction)),
        talk.block()
    );
    assert_eq!(talk.hears(EventKind::Prompt), Answer::Nothing);
    assert_eq!(
        talk.hears(EventKind::Start(StartReason::Begin)),
        talk.block()
    );
    // A host without an event after a compaction: the next prompt.
    talk.hears(EventKind::Compaction);
    assert_eq!(talk.hears(EventKind::Prompt), talk.block());
}

const MIRRORED: &str = "\
[Session Scratchpad - your persistent working memory]
Plan (from your task list, at 7):
- [>] fix
- [ ] docs
(1 done: not shown; action get shows all)
[End Scratchpad]";

const LIST: [(&str, ItemState); 3] = [
    ("read", ItemState::Done),
    ("fix", ItemState::Active),
    ("docs", ItemState::Pending),
];

#[test]
fn a_mirrored_plan_is_given_only_where_the_conversation_may_have_lost_the_list() {
    let mirrored = Answer::Context(MIRRORED.to_owned());
    let mut talk = Talk::with("claude");
    talk.hears(EventKind::Start(StartReason::Begin));
    talk.lists(&LIST);
    assert_eq!(talk.hears(EventKind::Prompt), Answer::Nothing);
    talk.hears(EventKind::Compaction);
    assert_eq!(
        talk.hears(EventKind::Start(StartReason::Compaction)),
        mirrored
    );
    assert_eq!(talk.hears(EventKind::Prompt), Answer::Nothing);
    for reason in [StartReason::Resume, StartReason::Fork] {
        assert_eq!(talk.hears(EventKind::Start(reason)), mirrored);
    }
    // Where no event follows a compaction.
    talk.hears(EventKind::Compaction);
    assert_eq!(talk.hears(EventKind::Prompt), mirrored);
    assert_eq!(talk.hears(EventKind::Prompt), Answer::Nothing);
    // What else is in the pad comes without it.
    talk.pad.notes = "found".to_owned();
    talk.revision += 1;
    let notes =
        "[Session Scratchpad - your persistent working memory]\nNotes:\nfound\n[End Scratchpad]";
    assert_eq!(
        talk.hears(EventKind::Prompt),
        Answer::Context(notes.to_owned())
    );
    assert_eq!(talk.hears(EventKind::Prompt), Answer::Nothing);
}

#[test]
fn a_list_that_was_finished_before_a_compaction_does_not_come_back() {
    let mut talk = Talk::with("codex");
    talk.lists(&LIST);
    talk.lists(&[
        ("read", ItemState::Done),
        ("fix", ItemState::Done),
        ("docs", ItemState::Dropped),
    ]);
    talk.hears(EventKind::Compaction);
    let after = talk.hears(EventKind::Start(StartReason::Compaction));
    assert_eq!(after, Answer::Nothing);
    assert_eq!(talk.receipt, None);
}

#[test]
fn where_each_request_has_the_pad_a_mirrored_plan_is_in_it_from_a_compaction_to_the_next_call_of_the_tool()
 {
    let mirrored = Answer::Context(MIRRORED.to_owned());
    let mut talk = Talk::with("opencode");
    talk.lists(&LIST);
    assert_eq!(talk.hears(EventKind::ModelCall(None)), Answer::Nothing);
    talk.hears(EventKind::Compaction);
    assert_eq!(talk.hears(EventKind::ModelCall(None)), mirrored);
    assert_eq!(talk.hears(EventKind::ModelCall(None)), mirrored);
    talk.lists(&LIST);
    assert_eq!(talk.hears(EventKind::ModelCall(None)), Answer::Nothing);
}

#[test]
fn the_person_is_shown_what_was_given_back_after_a_compaction_or_a_resume() {
    let mut talk = Talk::with("claude");
    talk.writes("- [x] read\n- [ ] fix");
    for (reason, is_shown) in [
        (StartReason::Begin, false),
        (StartReason::Compaction, true),
        (StartReason::Resume, true),
        (StartReason::Fork, false),
    ] {
        talk.hears(EventKind::Start(reason));
        let shown =
            "Scratchpad gave back revision 1: plan 1 open of 2; about 43 tokens.".to_owned();
        assert_eq!(talk.receipt, is_shown.then_some(shown), "{reason:?}");
    }
}

#[test]
fn the_block_is_repeated_after_the_configured_number_of_turns() {
    let mut talk = Talk::with("codex");
    talk.settings.inject_every_turns = 3;
    talk.writes("one");
    let given: Vec<bool> = (0..7)
        .map(|_| talk.hears(EventKind::Prompt) == talk.block())
        .collect();
    assert_eq!(given, [true, false, false, true, false, false, true]);
}

#[test]
fn what_a_host_forgets_is_given_each_time() {
    let mut talk = Talk::with("gemini");
    talk.writes("one");
    assert_eq!(
        talk.hears(EventKind::Start(StartReason::Begin)),
        Answer::Nothing
    );
    assert_eq!(talk.hears(EventKind::Prompt), Answer::Nothing);
    for _ in 0..2 {
        let Answer::FirstMessage(text) =
            talk.hears(EventKind::ModelCall(Some("context".to_owned())))
        else {
            panic!("no message");
        };
        assert!(text.starts_with("context\n\n[Session"), "{text}");
    }
}

#[test]
fn where_only_tools_are_heard_the_block_comes_after_one() {
    let mut talk = Talk::with("cline");
    let tool = || {
        EventKind::Tool(ToolResult {
            tool: "x".to_owned(),
            input: serde_json::Value::Null,
            response: serde_json::Value::Null,
            call_id: None,
        })
    };
    talk.writes("one");
    assert_eq!(
        talk.hears(EventKind::Start(StartReason::Begin)),
        Answer::Nothing
    );
    assert_eq!(talk.hears(tool()), talk.block());
    assert_eq!(talk.hears(tool()), Answer::Nothing);
}

#[test]
fn what_a_compaction_took_in_the_middle_of_a_turn_comes_back_in_that_turn_once() {
    let mut talk = Talk::with("qwen");
    talk.writes("one");
    assert_eq!(talk.hears(EventKind::Prompt), talk.block());
    assert_eq!(talk.hears(EventKind::GoesOn), Answer::Nothing);
    talk.hears(EventKind::Compaction);
    assert_eq!(talk.hears(EventKind::GoesOn), talk.block());
    assert_eq!(talk.hears(EventKind::GoesOn), Answer::Nothing);
    // Written in this turn, it is known to the agent.
    talk.writes("two");
    assert_eq!(talk.hears(EventKind::GoesOn), Answer::Nothing);
    assert_eq!(talk.hears(EventKind::Prompt), talk.block());
}

#[test]
fn a_plan_in_the_reply_is_a_hint_at_the_next_prompt_and_only_there() {
    let mut talk = Talk::with("claude");
    talk.settings.nudges.on_plan = 1;
    talk.hears(EventKind::Prompt);
    let reply = |text: &str| EventKind::Reply {
        text: Some(text.to_owned()),
    };
    talk.hears(reply("1. a\n2. b\n3. c"));
    assert_eq!(
        talk.hears(EventKind::Prompt),
        Answer::Context(
            "[Hint: your last reply was a plan. Call session_scratchpad with set_plan to keep it.]"
                .to_owned()
        )
    );
    assert_eq!(talk.hears(EventKind::Prompt), Answer::Nothing);
}

#[test]
fn an_answer_fits_whatever_is_on_the_pad() {
    let long = |text: &str, chars: usize| -> String { text.chars().cycle().take(chars).collect() };
    let pads = [
        ("latin", "abc def ghi. ", 4_000, 2_000, 50, 200),
        ("chinese", "工作记忆不会丢失", 4_000, 2_000, 50, 100),
        ("huge", "word and word\n", 1_000_000, 300_000, 0, 0),
        ("refs", "src/model/file.rs:120 ", 10, 0, 5_000, 80),
        ("plan", "1. do it\n", 0, 1_000_000, 0, 0),
    ];
    for (name, text, notes, plan, refs, chars) in pads {
        let mut talk = Talk::with("claude");
        talk.pad = Pad {
            notes: long(text, notes),
            plan: long(text, plan),
            refs: (0..refs)
                .map(|number| format!("{number} {}", long(text, chars)))
                .collect(),
        };
        let Answer::Context(said) = talk.hears(EventKind::Prompt) else {
            panic!("{name}: nothing was said");
        };
        assert!(said.chars().count() <= 9_500, "{name}: {}", said.len());
        assert!(tokens::estimate(&said) <= 2_400, "{name}");
        assert!(said.contains("not shown: call session_scratchpad with action get"));
        assert!(said.ends_with(block::END), "{name}");
        // What was written last is there.
        if refs > 0 && name != "chinese" {
            assert!(said.contains(&format!("- {} ", refs - 1)), "{name}");
        }
        // There is no room to spare for one more ref.
        assert!(
            tokens::estimate(&said) > 2_000 || said.chars().count() > 9_000,
            "{name}"
        );
    }
}
