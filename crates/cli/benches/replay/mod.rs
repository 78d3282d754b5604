//! An agent that answers fixed questions about frozen outputs: what it reads and writes for that.

#![allow(dead_code, reason = "the bench counts, the test verifies")]

use std::path::{Path, PathBuf};

use scratchpad::Kept;
use scratchpad::model::output::ledger::stats::Stats;
use scratchpad::model::output::tool::READ;
use scratchpad::scratchpad::StatsScope;
use scratchpad::{ProjectId, Scratchpad, SessionId, Whose};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// Where a person's outputs lie: so that a reference costs the same on every machine.
const USUAL_HOME: &str = "/home/ada/.local/share/scratchpad";

/// The directory of the frozen outputs.
pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/corpus/outputs")
}

/// All frozen outputs with their questions.
pub(crate) fn frozen() -> Vec<Frozen> {
    serde_json::from_str(include_str!("questions.json")).expect("the questions")
}

/// One frozen output, and what an agent wants to know of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Frozen {
    pub(crate) file: String,
    /// The hash of its content: a change is noticed.
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) case: Case,
    pub(crate) questions: Vec<Question>,
}

/// Whether keeping the output is a good idea.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Case {
    Usual,
    Bad,
}

/// What an agent wants to know, and all of what its answer says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    pub(crate) ask: String,
    pub(crate) how: How,
    pub(crate) needles: Vec<String>,
}

/// How the agent comes to an answer.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum How {
    /// By these slices; the last one has the answer.
    Reads(Vec<Map<String, Value>>),
    /// By all of it, from page to page.
    Whole,
    /// It is in the reference or in what was read before.
    Seen,
}

/// What came into the window.
pub(crate) struct Replayed {
    pub(crate) original: String,
    pub(crate) reference: String,
    /// The same as it is on this machine, where the file has another path.
    pub(crate) reference_here: String,
    pub(crate) answers: Vec<Answer>,
}

/// What a question cost, and whether it was worth it.
pub(crate) struct Answer {
    pub(crate) calls: Vec<Call>,
    pub(crate) is_right: bool,
}

/// One call: what the agent writes, and what it reads.
pub(crate) struct Call {
    pub(crate) written: String,
    pub(crate) read: String,
}

/// An agent with an empty memory of its own.
pub(crate) struct Agent {
    home: TempDir,
    pad: Scratchpad,
    session: SessionId,
}

impl Agent {
    pub(crate) fn new(program: &str) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let pad = Scratchpad::open(home.path())
            .expect("the store opens")
            .in_project(ProjectId::new("p"))
            .with_program(program);
        let session = SessionId::new("bench").expect("an id");
        Self { home, pad, session }
    }

    /// What the ledger says of all that was replayed.
    pub(crate) fn stats(&self) -> Stats {
        let scope = StatsScope {
            session: Some(&self.session),
            of: Whose::Project,
            since: None,
            everybody: false,
        };
        self.pad.stats(scope).expect("the ledger")
    }

    /// Keeps an output and answers its questions in turn.
    pub(crate) fn replay(&self, frozen: &Frozen) -> Replayed {
        let original = std::fs::read_to_string(directory().join(&frozen.file)).expect("an output");
        let kept = self
            .pad
            .keep_output(&self.session, &frozen.tool, original.as_bytes());
        let Ok(Kept::As(reference)) = kept else {
            panic!("{}: not kept: {kept:?}", frozen.file);
        };
        let id = reference.id.as_str();
        assert_eq!(id, frozen.id, "{} is not what it was", frozen.file);
        let home = self.home.path().display().to_string();
        let reference_here = reference.text;
        let reference = reference_here.replace(&home, USUAL_HOME);
        let mut seen = reference.clone();
        let mut answers = Vec::new();
        for question in &frozen.questions {
            let holds = |text: &str| question.needles.iter().all(|needle| text.contains(needle));
            let answer = match &question.how {
                How::Reads(slices) => {
                    let calls: Vec<Call> = slices
                        .iter()
                        .map(|slice| self.read(id, slice.clone()).0)
                        .collect();
                    let is_right = calls.last().is_some_and(|call| holds(&call.read));
                    Answer { calls, is_right }
                }
                How::Whole => self.read_whole(id, |whole| whole == original && holds(whole)),
                How::Seen => Answer {
                    calls: Vec::new(),
                    is_right: holds(&seen),
                },
            };
            seen.extend(answer.calls.iter().map(|call| call.read.as_str()));
            answers.push(answer);
        }
        Replayed {
            original,
            reference,
            reference_here,
            answers,
        }
    }

    /// Reads from page to page, as the replies say.
    fn read_whole(&self, id: &str, is_right: impl Fn(&str) -> bool) -> Answer {
        let (mut calls, mut whole, mut slice) = (Vec::new(), String::new(), Map::new());
        loop {
            let (call, text, next) = self.read(id, slice);
            calls.push(call);
            whole.push_str(&text);
            let Some(offset) = next else {
                let is_right = is_right(&whole);
                return Answer { calls, is_right };
            };
            slice = Map::from_iter([("offset".to_owned(), json!(offset))]);
        }
    }

    /// One call, its text, and from where to go on.
    fn read(&self, id: &str, slice: Map<String, Value>) -> (Call, String, Option<u64>) {
        let mut arguments = Map::from_iter([("id".to_owned(), json!(id))]);
        arguments.extend(slice);
        let arguments = Value::Object(arguments);
        let reply = self.pad.call(&self.session, READ, &arguments);
        let next = reply.structured.as_ref();
        let next = next.and_then(|data| data.get("next_offset")?.as_u64());
        let call = Call {
            written: json!({"name": READ, "arguments": arguments}).to_string(),
            read: reply.blocks().collect::<Vec<_>>().join("\n"),
        };
        (call, reply.text().into_owned(), next)
    }
}
