//! Disks that fail, are full, or can't be written.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::load::{Came, Kind, OTHERS, Writer, examine};
use super::report::Section;
use super::{Place, Run};

const KINDS: [Kind; 5] = [
    Kind::Pad,
    Kind::Notes,
    Kind::Outputs,
    Kind::Context,
    Kind::Inject,
];

pub(crate) fn run(run: &Run) -> Section {
    let mut section = Section {
        title: "Disks",
        about: "Commands of all kinds (pad, notes, outputs, `context add`, `inject`), one process each. An injector makes \
                calls of the system fail at random (`open`, `write`, `pwrite`, `fsync`, `fdatasync`, `ftruncate`, `rename`), \
                one in 2 to one in 40. After each command the files are opened again without it, as after a kill. An answer \
                is true: what it says is saved is there, and where it says that nothing was changed, nothing was."
            .to_owned(),
        ..Section::default()
    };
    for (what, error, number) in [("I/O errors", 5, 2), ("no space left", 28, 3)] {
        failing(run, &mut section, what, error, number);
    }
    full(run, &mut section);
    read_only(run, &mut section);
    section
}

/// Each command meets some errors of the system.
fn failing(run: &Run, section: &mut Section, what: &str, error: i32, suite: u64) {
    let place = run.place(&format!("failing-{error}"));
    let mut writers = writers_in(&place);
    let mut random = run.random(suite);
    // The first of each without faults, so that there is something to lose.
    for writer in &mut writers {
        let came = writer.write(&place, &mut random, &|_| {});
        section.must(matches!(came, Came::Answered(_)), || format!("{came:?}"));
    }
    let before = run.injected();
    let (mut refused, mut answered) = (0, 0);
    let rounds = run.times(1_000, 60);
    for round in 0..rounds {
        let at = random.below(KINDS.len() as u64) as usize;
        let one_in = [2, 5, 10, 40][random.below(4) as usize];
        let seed = random.next();
        let was = state(&place, &writers[at]);
        let came = writers[at].write(&place, &mut random, &|command: &mut Command| {
            let faults = [
                ("FAULT_ONE_IN", one_in.to_string()),
                ("FAULT_ERRNO", error.to_string()),
                ("FAULT_SEED", seed.to_string()),
            ];
            run.inject(command, &faults);
        });
        match &came {
            Came::Answered(_) => answered += 1,
            Came::Nothing => section.must(false, || format!("{what} {round}: a process died")),
            Came::Refused(words) => {
                refused += 1;
                let is_error = words.contains("Error: ") && !words.contains("panicked");
                section.must(is_error, || format!("{what} {round}: {words:?}"));
                if words.contains("Nothing was changed") {
                    let now = state(&place, &writers[at]);
                    section.must(was == now, || {
                        format!(
                            "{what} {round}: {:?} changed, but said: {words}",
                            writers[at].kind
                        )
                    });
                }
            }
        }
        let mut all: Vec<&mut Writer> = writers.iter_mut().collect();
        for wrong in examine(&place, &mut all) {
            section.must(false, || format!("{what} {round}: {wrong}"));
        }
    }
    let met = run.injected() - before;
    section.must(met > 0 && refused > 0 && answered > 0, || {
        format!("{what}: the faults missed")
    });
    section.row(
        &format!("commands with {what} at random"),
        rounds,
        format!(
            "{met} faults met; {answered} answered and all there, {refused} refused and said so"
        ),
    );
}

/// What a writer's writes change: the pad, the notes, the outputs' rows, the context notes.
fn state(place: &Place, writer: &Writer) -> String {
    let count = |sql: &str| -> i64 {
        let database = rusqlite::Connection::open(place.database()).unwrap();
        database.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    match writer.kind {
        Kind::Pad | Kind::PadByServer => count("SELECT count(*) FROM revision").to_string(),
        Kind::Notes | Kind::NotesByServer => count("SELECT count(*) FROM note").to_string(),
        Kind::Outputs => count("SELECT count(*) FROM output").to_string(),
        Kind::Context => std::fs::read_to_string(place.project.join(".scratchpad/scratch.yaml"))
            .unwrap_or_default(),
        Kind::Inject => {
            std::fs::read_to_string(place.project.join("CLAUDE.md")).unwrap_or_default()
        }
    }
}

/// A small file system of its own, where the system lets us have one.
struct Tmpfs(PathBuf);

impl Tmpfs {
    fn mount(path: &Path, size: &str) -> Option<Self> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(path)
            .output();
        mounted
            .is_ok_and(|answer| answer.status.success())
            .then(|| Self(path.to_owned()))
    }

    fn remount_read_only(&self) -> bool {
        let mounted = Command::new("mount")
            .args(["-o", "remount,ro"])
            .arg(&self.0)
            .output();
        mounted.is_ok_and(|answer| answer.status.success())
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        // What can't be taken away now goes with the machine.
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

/// A writer of each kind, in a place where others have a file.
fn writers_in(place: &Place) -> Vec<Writer> {
    std::fs::write(place.project.join("CLAUDE.md"), OTHERS).unwrap();
    let numbered = (0..).zip(KINDS);
    numbered
        .map(|(number, kind)| Writer::new(kind, number))
        .collect()
}

/// Writes until nothing fits any more, then frees space with our own commands.
fn full(run: &Run, section: &mut Section) {
    let root = run.directory("full");
    let Some(_disk) = Tmpfs::mount(&root, "4m") else {
        section.row(
            "a file system without a free byte",
            0,
            "not possible here: no file system may be mounted",
        );
        return;
    };
    let place = Place::new(&root);
    let mut writers = writers_in(&place);
    let mut random = run.random(4);
    let (mut answered, mut refused) = (0, 0);
    // Each is refused a few times before all is full.
    while refused < 40 {
        for writer in &mut writers {
            match writer.write(&place, &mut random, &|_| {}) {
                Came::Answered(_) => answered += 1,
                Came::Refused(words) => {
                    refused += 1;
                    section.must(words.contains("Error: "), || format!("full: {words:?}"));
                }
                Came::Nothing => section.must(false, || "full: a process died".to_owned()),
            }
        }
    }
    // A little room, in which the last process closes the database: what processes share is gone then, and once all is full
    // again, it can't be re-created.
    let outputs = place.home.join("outputs");
    for entry in std::fs::read_dir(outputs).unwrap().take(30) {
        place
            .command(&[
                "output",
                "delete",
                entry.unwrap().file_name().to_str().unwrap(),
            ])
            .output()
            .unwrap();
    }
    let is_closed = !place.home.join("scratchpad.db-wal").exists();
    section.must(is_closed, || "full: the database was not closed".to_owned());
    let filler = std::fs::File::create(root.join("filler"));
    if let Ok(mut filler) = filler {
        while std::io::Write::write_all(&mut filler, &[0; 512]).is_ok() {}
    }
    let mut said = Vec::new();
    for arguments in [
        &["output", "list", "--all"][..],
        &["output", "stats"],
        &["note", "list", "--session", "writer-1"],
        &["session", "show", "--session", "writer-0"],
        &["output", "prune"],
        &["output", "clear", "--all"],
    ] {
        let answer = place.command(arguments).output().unwrap();
        let words = arguments.join(" ");
        section.must(answer.status.success(), || {
            format!(
                "with no byte free, `{words}`: {}",
                String::from_utf8_lossy(&answer.stderr)
            )
        });
        said.push(format!("`{words}`"));
    }
    let outputs = std::fs::read_dir(place.home.join("outputs"))
        .unwrap()
        .count();
    section.must(outputs == 0, || {
        format!("{outputs} outputs are left after they were cleared")
    });
    writers.retain(|writer| writer.kind != Kind::Outputs);
    let mut all: Vec<&mut Writer> = writers.iter_mut().collect();
    for wrong in examine(&place, &mut all) {
        section.must(false, || format!("full: {wrong}"));
    }
    let came = writers[0].write(&place, &mut random, &|_| {});
    section.must(matches!(came, Came::Answered(_)), || {
        format!("after space was freed: {came:?}")
    });
    section.row(
        "writes on a file system of 4 MB until nothing fits",
        answered + refused,
        format!("{answered} answered and all there, {refused} refused and said so"),
    );
    section.row(
        "on it, without a free byte",
        said.len(),
        format!("all answer: {}; then writes go on", said.join(", ")),
    );
}

/// A file system that turns read-only: reads succeed, writes are refused.
fn read_only(run: &Run, section: &mut Section) {
    let root = run.directory("read-only");
    let Some(disk) = Tmpfs::mount(&root, "8m") else {
        section.row(
            "a file system that can't be written",
            0,
            "not possible here: no file system may be mounted",
        );
        return;
    };
    let place = Place::new(&root);
    let mut writers = writers_in(&place);
    let mut random = run.random(5);
    for writer in &mut writers {
        let came = writer.write(&place, &mut random, &|_| {});
        section.must(matches!(came, Came::Answered(_)), || format!("{came:?}"));
    }
    if !disk.remount_read_only() {
        section.row(
            "a file system that can't be written",
            0,
            "not possible here",
        );
        return;
    }
    let mut refused = 0;
    for writer in writers
        .iter_mut()
        .filter(|writer| writer.kind != Kind::Inject)
    {
        let kind = writer.kind;
        match writer.write(&place, &mut random, &|_| {}) {
            Came::Refused(words) => {
                refused += 1;
                section.must(words.contains("Error: "), || {
                    format!("read-only: {words:?}")
                });
            }
            // An output that can't be kept passes as it came.
            Came::Answered(_) if kind == Kind::Outputs => refused += 1,
            came => section.must(false, || format!("read-only, {kind:?}: {came:?}")),
        }
    }
    let mut read = 0;
    for arguments in [
        &["session", "show", "--session", "writer-0"][..],
        &["note", "list", "--session", "writer-1"],
        &["output", "list", "--all"],
        &["context", "list"],
    ] {
        let answer = place.command(arguments).output().unwrap();
        let words = arguments.join(" ");
        section.must(answer.status.success(), || {
            format!(
                "read-only, `{words}`: {}",
                String::from_utf8_lossy(&answer.stderr)
            )
        });
        read += 1;
    }
    section.row(
        "writes on a file system that turned read-only",
        refused,
        "refused and said so; an output passes as it came",
    );
    section.row("reads on it", read, "all answer");
}
