//! Many processes on one database.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::load::{Came, Kind, OTHERS, Writer, examine};
use super::report::{Section, percentile};
use super::{Random, Run};

const PROCESSES: usize = 32;
const KINDS: [Kind; 4] = [
    Kind::PadByServer,
    Kind::NotesByServer,
    Kind::Notes,
    Kind::Outputs,
];

pub(crate) fn run(run: &Run) -> Section {
    let place = run.place("crowd");
    std::fs::write(place.project.join("CLAUDE.md"), OTHERS).unwrap();
    let length = Duration::from_secs(run.times(60, 6) as u64);
    let mut section = Section {
        title: "Many at once",
        about: format!(
            "{PROCESSES} processes write to one database without a pause for {} seconds: half of them MCP servers (pad, notes), \
             half one command after the other (`note add`, `output put`; their times hold the start of a process). Each write \
             is on disk when it is answered.",
            length.as_secs()
        ),
        ..Section::default()
    };
    let times: Vec<Mutex<Vec<Duration>>> = KINDS.iter().map(|_| Mutex::default()).collect();
    let refused = Mutex::new(Vec::new());
    let until = Instant::now() + length;
    let mut writers: Vec<Writer> = std::thread::scope(|scope| {
        let writing: Vec<_> = (0..PROCESSES)
            .map(|number| {
                let (place, times, refused) = (&place, &times[number % KINDS.len()], &refused);
                let mut random = Random(run.seed ^ (number as u64) << 40);
                scope.spawn(move || {
                    let mut writer = Writer::new(KINDS[number % KINDS.len()], number);
                    let mut mine = Vec::new();
                    while Instant::now() < until {
                        let started = Instant::now();
                        match writer.write(place, &mut random, &|_| {}) {
                            Came::Answered(_) => mine.push(started.elapsed()),
                            other => refused.lock().unwrap().push(format!("{other:?}")),
                        }
                    }
                    writer.bury();
                    times.lock().unwrap().extend(mine);
                    writer
                })
            })
            .collect();
        writing
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .collect()
    });
    let answered: usize = writers.iter().map(|writer| writer.answered.len()).sum();
    let refused = refused.into_inner().unwrap();
    section.must(refused.is_empty(), || {
        format!(
            "{} writes were refused, such as {}",
            refused.len(),
            refused[0]
        )
    });
    let mut all: Vec<&mut Writer> = writers.iter_mut().collect();
    for wrong in examine(&place, &mut all) {
        section.must(false, || wrong);
    }
    let mut ids: Vec<&str> = writers
        .iter()
        .flat_map(|writer| &writer.answered)
        .map(|record| record.id.as_str())
        .collect();
    ids.retain(|id| id.starts_with("note_"));
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    section.must(ids.len() == count, || {
        format!("{} ids of notes were given twice", count - ids.len())
    });
    section.row(
        "writes",
        answered,
        format!("{} lost, {} refused", section.broken.len(), refused.len()),
    );
    for (kind, times) in KINDS.iter().zip(times) {
        let mut times = times.into_inner().unwrap();
        let name = match kind {
            Kind::PadByServer => "pad, by a server",
            Kind::NotesByServer => "note, by a server",
            Kind::Notes => "note, by a command",
            _ => "output, by a command",
        };
        let found = format!(
            "median {}, p99 {}, longest {}",
            percentile(&mut times, 50),
            percentile(&mut times, 99),
            percentile(&mut times, 100)
        );
        section.row(name, times.len(), found);
    }
    section
}
