//! The frozen outputs of `scripts/bench saved`: their questions are answered, so its figures mean something.

#[path = "../../../benches/replay/mod.rs"]
mod replay;

use std::collections::BTreeSet;
use std::fs;

use replay::{Agent, How, directory, frozen};
use scratchpad::model::output::reference;

#[test]
fn every_question_is_answered_by_its_calls() {
    let agent = Agent::new(env!("CARGO_BIN_EXE_scratchpad"));
    let mut wrong = Vec::new();
    for frozen in frozen() {
        let replayed = agent.replay(&frozen);
        let size = replayed.reference.len();
        if size > reference::MAX_BYTES {
            wrong.push(format!("{}: a reference of {size} bytes", frozen.file));
        }
        assert!((2..=4).contains(&frozen.questions.len()), "{}", frozen.file);
        for (question, answer) in frozen.questions.iter().zip(&replayed.answers) {
            if !answer.is_right {
                wrong.push(format!("{}: no answer: {}", frozen.file, question.ask));
            }
            let in_reference = |needle: &String| replayed.reference.contains(needle);
            if matches!(question.how, How::Reads(_)) && question.needles.iter().all(in_reference) {
                wrong.push(format!("{}: no call needed: {}", frozen.file, question.ask));
            }
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
}

#[test]
fn every_frozen_output_has_questions() {
    let there: BTreeSet<String> = fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let asked: BTreeSet<String> = frozen().into_iter().map(|frozen| frozen.file).collect();
    assert_eq!(there, asked);
}
