//! The frozen outputs of `scripts/bench saved`: their questions are answered, so its figures mean something.

#[path = "../../../benches/replay/mod.rs"]
mod replay;

use std::collections::BTreeSet;
use std::fs;

use replay::{Agent, How, directory, frozen};
use scratchpad::model::output::ledger::What;
use scratchpad::model::output::ledger::size::Size;
use scratchpad::model::output::ledger::stats::Sums;
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

#[test]
fn the_ledger_of_the_replay_has_the_numbers_of_the_bench() {
    let agent = Agent::new(env!("CARGO_BIN_EXE_scratchpad"));
    let mut expected = Sums::default();
    for frozen in frozen() {
        let replayed = agent.replay(&frozen);
        let before = expected.net_bytes();
        expected.add(What::Kept, 1, Size::of(&replayed.original));
        expected.add(What::Reference, 1, Size::of(&replayed.reference_here));
        for call in replayed.answers.iter().flat_map(|answer| &answer.calls) {
            let mut size = Size::of(&call.written);
            size += Size::of(&call.read);
            expected.add(What::Read, 1, size);
        }
        let stats = agent.stats();
        let file = &frozen.file;
        assert_eq!(
            stats.sums.net_bytes() - before,
            expected.net_bytes() - before,
            "{file}"
        );
        assert_eq!(stats.sums.net(), expected.net(), "{file}");
        let reads = stats.sums.both(What::Read, What::ReadWhole);
        assert_eq!(reads, expected.of(What::Read), "{file}");
    }
    let stats = agent.stats();
    for what in [What::Kept, What::Reference] {
        assert_eq!(stats.sums.of(what), expected.of(what));
    }
    // The bad cases are not hidden: a table that is read whole is the worst tool.
    let (worst, sums) = stats.worst().unwrap();
    assert!(
        sums.net() < 0 && sums.of(What::ReadWhole).times > 0,
        "{worst:?}"
    );
}
