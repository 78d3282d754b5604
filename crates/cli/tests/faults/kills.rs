//! `kill -9` at any moment.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::Duration;

use super::load::{Came, MIXED, OTHERS, Writer, examine};
use super::report::Section;
use super::{Random, Run};

/// One kill in this many hits all processes, so that the next one starts alone.
const ALL_ONE_IN: u64 = 8;

pub(crate) fn run(run: &Run) -> Section {
    let place = run.place("kills");
    std::fs::write(place.project.join("CLAUDE.md"), OTHERS).unwrap();
    let events = run.times(1_000, 50);
    let mut random = run.random(1);
    let mut section = Section {
        title: "Killed at any moment",
        about: "Eight processes write without a pause: two MCP servers (pad, notes) and six that run one command after the \
                other (pad, notes, outputs twice, `context add`, `inject`). At a random moment one of them gets `kill -9`; \
                one time in eight, all. Then the files are opened again: every write that was answered is there, no write is \
                there by half, counters agree with what they count, SQLite's integrity check is clean, and text that others \
                wrote in the instruction file is untouched."
            .to_owned(),
        ..Section::default()
    };
    let writers: Vec<Mutex<Writer>> = (0..)
        .zip(MIXED)
        .map(|(number, kind)| Mutex::new(Writer::new(kind, number)))
        .collect();
    let slots: Vec<_> = writers
        .iter()
        .map(|writer| writer.lock().unwrap().slot.clone())
        .collect();
    // Who writes holds it shared; who examines holds it alone, between two writes of each.
    let turn = RwLock::new(());
    let (done, waiting) = (AtomicBool::new(false), AtomicBool::new(false));
    let refused = Mutex::new(Vec::new());
    let mut hit = 0;
    std::thread::scope(|scope| {
        for (number, writer) in writers.iter().enumerate() {
            let (place, turn, done, waiting, refused) = (&place, &turn, &done, &waiting, &refused);
            let mut random = Random(run.seed ^ (number as u64) << 32);
            scope.spawn(move || {
                while !done.load(Ordering::SeqCst) {
                    while waiting.load(Ordering::SeqCst) {
                        std::thread::sleep(Duration::from_micros(300));
                    }
                    let _writing = turn.read().unwrap();
                    if let Came::Refused(words) =
                        writer.lock().unwrap().write(place, &mut random, &|_| {})
                    {
                        refused.lock().unwrap().push(words);
                    }
                }
                writer.lock().unwrap().bury();
            });
        }
        for event in 1..=events {
            std::thread::sleep(Duration::from_micros(random.below(60_000)));
            let victims = match random.below(ALL_ONE_IN) {
                0 => (0..slots.len()).collect(),
                _ => vec![random.below(slots.len() as u64) as usize],
            };
            for victim in victims {
                if let Some(child) = slots[victim].lock().unwrap().as_mut() {
                    hit += usize::from(matches!(child.try_wait(), Ok(None)));
                    child.kill().unwrap();
                }
            }
            waiting.store(true, Ordering::SeqCst);
            let alone = turn.write().unwrap();
            let mut all: Vec<_> = writers
                .iter()
                .map(|writer| writer.lock().unwrap())
                .collect();
            let mut all: Vec<&mut Writer> = all.iter_mut().map(|writer| &mut **writer).collect();
            for wrong in examine(&place, &mut all) {
                section.must(false, || format!("after kill {event}: {wrong}"));
            }
            drop(alone);
            waiting.store(false, Ordering::SeqCst);
        }
        done.store(true, Ordering::SeqCst);
        // A server waits for its next call: its writer ends it.
        for slot in &slots {
            if let Some(child) = slot.lock().unwrap().as_mut() {
                child.kill().unwrap();
            }
        }
    });
    let mut writers: Vec<Writer> = writers
        .into_iter()
        .map(|writer| writer.into_inner().unwrap())
        .collect();
    let answered: usize = writers.iter().map(|writer| writer.answered.len()).sum();
    let silent: usize = writers.iter().map(|writer| writer.silent.len()).sum();
    let refused = refused.into_inner().unwrap();
    section.must(refused.is_empty(), || {
        format!(
            "{} writes were refused, such as: {}",
            refused.len(),
            refused[0]
        )
    });
    section.must(answered > 0 && silent > 0, || "the kills missed".to_owned());
    // Nothing is left behind: after a prune each file is an output.
    let pruned = place.command(&["output", "prune"]).output().unwrap();
    section.must(pruned.status.success(), || format!("prune: {pruned:?}"));
    let outputs = std::fs::read_dir(place.home.join("outputs")).unwrap();
    let litter = outputs
        .filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .file_name()
                .to_string_lossy()
                .starts_with('.')
        })
        .count();
    section.must(litter == 0, || {
        format!("{litter} temporary files are left after a prune")
    });
    let mut all: Vec<&mut Writer> = writers.iter_mut().collect();
    for wrong in examine(&place, &mut all) {
        section.must(false, || wrong);
    }
    let lost = section.broken.len();
    section.row(
        "moments with a kill, each followed by an examination",
        events,
        format!("{lost} violations"),
    );
    section.row(
        "processes killed",
        hit,
        format!("{silent} writes without an answer: each there whole, or not at all"),
    );
    section.row("writes that were answered", answered, "all there");
    section.row("writes refused", refused.len(), "-");
    section
}
