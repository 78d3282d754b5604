//! A clock that jumps.

use std::process::Command;

use super::Run;
use super::load::{Came, Kind, Writer};
use super::report::Section;

pub(crate) fn run(run: &Run) -> Section {
    let place = run.place("clock");
    let mut random = run.random(6);
    let mut section = Section {
        title: "A clock that jumps back",
        about: "Each look at the wall clock finds it up to two hours behind, at random: within one server, and from one command \
                to the next."
            .to_owned(),
        ..Section::default()
    };
    let mut ids: Vec<(u64, u64)> = Vec::new();
    let mut last = 0;
    for (kind, count) in [
        (Kind::NotesByServer, run.times(1_000, 100)),
        (Kind::Notes, run.times(200, 20)),
    ] {
        let mut writer = Writer::new(kind, ids.len());
        for _ in 0..count {
            let seed = random.next().to_string();
            let came = writer.write(&place, &mut random, &|command: &mut Command| {
                run.inject(
                    command,
                    &[
                        ("FAULT_CLOCK", "7200000".to_owned()),
                        ("FAULT_SEED", seed.clone()),
                    ],
                );
            });
            section.must(matches!(came, Came::Answered(_)), || format!("{came:?}"));
        }
        writer.bury();
        for record in &writer.answered {
            let id: u64 = record
                .id
                .trim_start_matches("note_")
                .trim_end_matches('.')
                .parse()
                .unwrap();
            section.must(id > last, || {
                format!("note_{id} was given after note_{last}")
            });
            ids.push((last, id));
            last = id;
        }
    }
    // Where the clock had gone back, ids continue from the highest one ever given, plus one.
    let bumped = ids.iter().filter(|(before, id)| before + 1 == *id).count();
    section.must(bumped > ids.len() / 2, || {
        "the clock did not jump".to_owned()
    });
    section.row(
        "notes added",
        ids.len(),
        "each id above all before it, none twice",
    );
    let mut sessions = Vec::new();
    for _ in 0..run.times(100, 10) {
        let mut command = place.command(&["session", "fork", "writer-0"]);
        run.inject(
            &mut command,
            &[
                ("FAULT_CLOCK", "7200000".to_owned()),
                ("FAULT_SEED", random.next().to_string()),
            ],
        );
        // The session exists once something is on its pad.
        if sessions.is_empty() {
            let made = place
                .command(&["session", "set-notes", "x", "--session", "writer-0"])
                .output()
                .unwrap();
            section.must(made.status.success(), || format!("{made:?}"));
        }
        let answer = command.output().unwrap();
        section.must(answer.status.success(), || format!("{answer:?}"));
        sessions.push(String::from_utf8_lossy(&answer.stdout).into_owned());
    }
    let count = sessions.len();
    sessions.sort_unstable();
    sessions.dedup();
    section.must(sessions.len() == count, || {
        format!(
            "{} sessions got an id that was taken",
            count - sessions.len()
        )
    });
    section.row("sessions forked", count, "each has an id of its own");
    section
}
