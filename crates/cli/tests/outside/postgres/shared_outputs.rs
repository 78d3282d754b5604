//! Outputs of a shared store: in rows, in a directory, in a bucket. And, by the same rules, of the embedded one.

use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::support::postgres::{Schema, parsed, psql};
use crate::support::s3::{BUCKET, S3};
use crate::support::{Machine, tree};
use scratchpad::model::output::{Kind, Origin};
use scratchpad::model::settings::outputs_url::OutputsUrl;
use scratchpad::model::text::hash::sha256_hex;
use scratchpad::store::postgres::{Postgres, Settings, Timeout};
use scratchpad::store::sqlite::Sqlite;
use scratchpad::store::{Governed, OutputDraft, OutputFilter, Outputs, Removal};
use scratchpad::{OutputId, ProjectId, SessionId};

const PATIENCE: Duration = Duration::from_secs(30);
/// More than one object, many blocks.
const LARGE: usize = 20 << 20;

/// Text that looks like a log, and no two of which are alike.
fn log(seed: u32, bytes: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes + 100);
    let mut number = seed;
    while text.len() < bytes {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        writeln!(
            text,
            "{number:08x} INFO request of {seed} took {} ms",
            number >> 20
        )
        .unwrap();
    }
    text.truncate(bytes);
    text
}

/// Bytes that can't be compressed.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let mut noise: Vec<u8> = (0..=bytes / 8).flat_map(|_| next()).collect();
    noise.truncate(bytes);
    noise
}

fn keep(store: &dyn Outputs, at: i64, content: &[u8]) -> OutputId {
    let mut staged = store.stage().unwrap();
    staged.write_all(content).unwrap();
    let draft = OutputDraft {
        origin: Origin {
            upstream: "",
            tool: "tool",
        },
        session: &SessionId::new("s").unwrap(),
        project: Some(&ProjectId::new("p")),
        kind: Kind::Json,
        lines: 7,
        preview: "",
        is_pinned: false,
        at,
        room: None,
        entries: &[],
    };
    store.keep(&draft, staged).unwrap()
}

fn read(store: &dyn Outputs, id: &OutputId) -> Option<Vec<u8>> {
    let (mut content, bytes) = store.read(id).unwrap()?;
    let mut whole = Vec::new();
    content.read_to_end(&mut whole).unwrap();
    assert_eq!(whole.len() as u64, bytes);
    Some(whole)
}

fn listed(store: &dyn Outputs) -> Vec<OutputId> {
    let outputs = store.outputs(OutputFilter::Everything).unwrap();
    outputs.into_iter().map(|output| output.id).collect()
}

/// What every place must do. `stored` says how many files or objects there are for large outputs.
fn contract(open: &dyn Fn(&Path) -> Arc<dyn Outputs>, stored: &dyn Fn() -> Option<usize>) {
    let directory = tempfile::tempdir().unwrap();
    let (store, other) = (open(directory.path()), open(directory.path()));

    // Content of any size reads back unchanged, from any machine and any offset.
    let (large, noise) = (log(1, LARGE), noise(600_000));
    let contents: [&[u8]; 5] = [b"", b"\xff\0", &large[..256 * 1024], &noise, &large];
    for (at, content) in (1..).zip(contents) {
        let id = keep(&*store, at, content);
        assert_eq!(id.as_str(), &sha256_hex(content)[..12]);
        assert!(read(&*other, &id).unwrap() == content);
    }
    let whole = keep(&*other, 6, &large);
    let (mut content, bytes) = store.read(&whole).unwrap().unwrap();
    assert_eq!(bytes, large.len() as u64);
    for (at, length) in [
        (LARGE - 40, 40),
        (0, 10),
        (17 << 20, 300_000),
        (262_140, 10),
    ] {
        content.seek(SeekFrom::Start(at as u64)).unwrap();
        let mut part = vec![0; length];
        content.read_exact(&mut part).unwrap();
        assert!(part == large[at..at + length]);
    }
    assert_eq!(content.seek(SeekFrom::End(5)).unwrap(), bytes + 5);
    assert_eq!(
        content.read(&mut [0; 9]).unwrap(),
        0,
        "past the end there is nothing"
    );

    // Kept by two, it is there once, and is the newest.
    let outputs = store.outputs(OutputFilter::Everything).unwrap();
    assert_eq!(outputs.len(), contents.len());
    let newest = &outputs[0];
    assert_eq!((&newest.id, newest.kept, newest.used), (&whole, 6, 6));
    assert_eq!(
        (newest.lines, newest.kind, newest.tools[0].as_str()),
        (7, Kind::Json, "tool")
    );
    // Two parts of the large one, one of the noise.
    assert!(stored().is_none_or(|count| count == 3), "{:?}", stored());
    assert_eq!(
        store
            .outputs(OutputFilter::Project(&ProjectId::new("p")))
            .unwrap()
            .len(),
        5
    );
    assert_eq!(
        store
            .outputs(OutputFilter::Project(&ProjectId::new("q")))
            .unwrap()
            .len(),
        0
    );

    // A use is remembered, but not each of them.
    store.touch(&whole, 50_000).unwrap();
    store.touch(&newest.id, 70_000).unwrap();
    store.touch(&newest.id, 70_001).unwrap();
    assert_eq!(
        other.outputs(OutputFilter::Everything).unwrap()[0].used,
        70_000
    );

    // What is removed is gone, and known to be; a prune removes what it is told to, and no more.
    let empty = listed(&*store).pop().unwrap();
    let gone = store
        .remove(&[empty.clone(), whole.clone()], 80_000, Removal::Any)
        .unwrap();
    assert_eq!(gone.len(), 2);
    assert_eq!(
        store
            .remove(std::slice::from_ref(&whole), 80_001, Removal::Any)
            .unwrap(),
        []
    );
    assert_eq!(read(&*other, &whole), None);
    assert_eq!(other.removed(&whole).unwrap(), Some(80_000));
    assert!(stored().is_none_or(|count| count == 1), "{:?}", stored());
    let ours = Governed {
        author: "ann@here",
        forsaken: 0,
    };
    let pruned = other.prune(90_000, &|outputs| {
        let all = outputs.least_used(ours, 0..90_000, u64::MAX)?;
        let bytes: u64 = all.iter().map(|output| output.bytes).sum();
        assert_eq!(outputs.bytes(ours)?, bytes);
        Ok(all
            .into_iter()
            .filter(|output| output.bytes == 600_000)
            .collect())
    });
    assert_eq!((pruned.unwrap().outputs, listed(&*store).len()), (1, 2));
    assert!(stored().is_none_or(|count| count == 0), "{:?}", stored());

    // And it can be kept again.
    assert_eq!(keep(&*store, 6, &large), whole);
    assert!(read(&*store, &whole).unwrap() == large);
}

fn postgres(schema: &Schema, directory: &Path) -> Postgres {
    Postgres::open(Settings {
        url: parsed(&schema.url()),
        timeout: Timeout::Each(PATIENCE),
        author: "ann@here".to_owned(),
        machine: "here".to_owned(),
        staging: directory.join("staging"),
    })
    .unwrap()
}

#[test]
fn the_embedded_store_keeps_outputs_of_any_size() {
    let open = |directory: &Path| -> Arc<dyn Outputs> {
        Arc::new(Sqlite::open(&directory.join("scratchpad.db"), PATIENCE).unwrap())
    };
    contract(&open, &|| None);
}

#[test]
fn rows_keep_outputs_of_any_size() {
    let Some(schema) = Schema::new() else { return };
    contract(&|directory| Arc::new(postgres(&schema, directory)), &|| {
        None
    });
}

#[test]
fn a_shared_directory_keeps_large_outputs() {
    let Some(schema) = Schema::new() else { return };
    let place = tempfile::tempdir().unwrap();
    let files = || {
        tree(place.path())
            .keys()
            .filter(|name| !name.ends_with('/'))
            .count()
    };
    let url = OutputsUrl::Directory(place.path().to_owned());
    let open = |directory: &Path| -> Arc<dyn Outputs> {
        Arc::new(postgres(&schema, directory).with_outputs(url.clone(), Vec::new()))
    };
    contract(&open, &|| Some(files()));
}

#[test]
fn a_bucket_keeps_large_outputs() {
    let Some(schema) = Schema::new() else { return };
    let server = S3::start();
    let url = OutputsUrl::parse(&format!("s3://{BUCKET}/team/a")).unwrap();
    let open = |directory: &Path| -> Arc<dyn Outputs> {
        Arc::new(postgres(&schema, directory).with_outputs(url.clone(), server.variables()))
    };
    contract(&open, &|| Some(server.names().len()));
    assert!(
        server
            .names()
            .iter()
            .all(|name| name.starts_with("team/a/")),
        "{:?}",
        server.names()
    );
}

#[test]
fn a_damaged_block_is_reported_skipped_pruned_and_healed() {
    let Some(schema) = Schema::new() else { return };
    let (directory, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let rows = postgres(&schema, directory.path());
    let url = OutputsUrl::Directory(place.path().to_owned());
    let files = rows.clone().with_outputs(url, Vec::new());
    let (in_rows, in_files) = (log(1, 700_000), log(2, 700_000));
    let (first, second) = (keep(&rows, 1, &in_rows), keep(&files, 2, &in_files));

    let set = format!("SET search_path = {};", schema.name);
    psql(
        &schema.server,
        &format!(
            "{set} UPDATE output_block SET content = set_byte(content, 50, 255 - get_byte(content, 50)) WHERE number = 1"
        ),
    );
    let tree_of = tree(place.path());
    let (name, bytes) = tree_of
        .iter()
        .find(|(name, _)| !name.ends_with('/'))
        .unwrap();
    let mut bytes = bytes.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(place.path().join(name), bytes).unwrap();

    for (id, content) in [(&first, &in_rows), (&second, &in_files)] {
        let (mut reader, _) = files.read(id).unwrap().unwrap();
        let mut start = vec![0; 1000];
        reader.read_exact(&mut start).unwrap();
        assert!(start == content[..1000], "what is whole is read");
        let error = reader.read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
    }
    assert_eq!(listed(&files), []);

    // The same text again is whole again.
    assert_eq!(keep(&files, 3, &in_files), second);
    assert!(read(&files, &second).unwrap() == in_files);
    let pruned = files.prune(4, &|_| Ok(Vec::new())).unwrap();
    assert_eq!((pruned.outputs, listed(&files)), (1, vec![second]));
    assert_eq!(
        tree(place.path())
            .keys()
            .filter(|name| !name.ends_with('/'))
            .count(),
        1
    );

    // A machine without the setting gets an error that says so.
    let error = rows
        .read(&listed(&rows)[0])
        .unwrap()
        .unwrap()
        .0
        .read(&mut [0; 9])
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`store.outputs` is not set here"),
        "{error}"
    );
}

#[test]
fn what_a_kill_leaves_in_object_storage_is_removed_when_its_time_is_over() {
    let Some(schema) = Schema::new() else { return };
    let (directory, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let url = OutputsUrl::Directory(place.path().to_owned());
    let store = postgres(&schema, directory.path()).with_outputs(url, Vec::new());
    let id = keep(&store, 1, &log(1, 700_000));
    // As it is when a process is killed after it stored the object, and before it wrote the row.
    let set = format!("SET search_path = {};", schema.name);
    let forget =
        "INSERT INTO output_object SELECT object, 1, now() + interval '1 hour' FROM output;
        DELETE FROM output_keep; DELETE FROM output;";
    psql(&schema.server, &format!("{set} {forget}"));
    assert_eq!(
        store.prune(2, &|_| Ok(Vec::new())).unwrap().strays,
        0,
        "it may still be written"
    );
    assert_eq!(tree(place.path()).len(), 2);
    psql(
        &schema.server,
        &format!("{set} UPDATE output_object SET due = now()"),
    );
    assert_eq!(store.prune(3, &|_| Ok(Vec::new())).unwrap().strays, 1);
    let files = tree(place.path())
        .keys()
        .filter(|name| !name.ends_with('/'))
        .count();
    assert_eq!((files, read(&store, &id)), (0, None));
}

#[test]
fn an_unreachable_bucket_is_reported_and_nothing_is_kept() {
    let Some(schema) = Schema::new() else { return };
    let directory = tempfile::tempdir().unwrap();
    let url = OutputsUrl::parse("s3://pads").unwrap();
    let settings = |endpoint: &str| {
        vec![
            ("AWS_ENDPOINT_URL".to_owned(), endpoint.to_owned()),
            ("AWS_ACCESS_KEY_ID".to_owned(), "key".to_owned()),
            ("AWS_SECRET_ACCESS_KEY".to_owned(), "hidden".to_owned()),
        ]
    };
    for (endpoint, why) in [
        ("https://127.0.0.1:9", "s3://pads"),
        ("http://127.0.0.1:9", "AWS_ALLOW_HTTP"),
    ] {
        let store =
            postgres(&schema, directory.path()).with_outputs(url.clone(), settings(endpoint));
        let mut staged = store.stage().unwrap();
        staged.write_all(&log(1, 700_000)).unwrap();
        let session = SessionId::new("s").unwrap();
        let draft = OutputDraft {
            origin: Origin {
                upstream: "",
                tool: "tool",
            },
            session: &session,
            project: None,
            kind: Kind::Text,
            lines: 1,
            preview: "",
            is_pinned: false,
            at: 1,
            room: None,
            entries: &[],
        };
        let error = store.keep(&draft, staged).unwrap_err().to_string();
        assert!(error.contains(why) && !error.contains("hidden"), "{error}");
        assert_eq!(listed(&store), []);
        keep(&store, 2, b"what is small needs no bucket");
        store.remove(&listed(&store), 3, Removal::Any).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_large_output_is_kept_and_read_in_little_memory() {
    use std::process::{Command, Stdio};

    let Some(schema) = Schema::new() else { return };
    let machine = Machine::new();
    let place = tempfile::tempdir().unwrap();
    // The program may have no more than 48 MiB of data.
    let run = |arguments: &[&str], outputs: &str, stdin: &[u8]| {
        let plain = machine.command(arguments);
        let mut command = Command::new("sh");
        command
            .args(["-c", "ulimit -d 49152 && exec \"$0\" \"$@\""])
            .arg(plain.get_program())
            .args(plain.get_args())
            .current_dir(machine.project())
            .env_clear()
            .env("SCRATCHPAD_HOME", machine.home())
            .env("SCRATCHPAD_STORE_URL", schema.url())
            .env("SCRATCHPAD_STORE_OUTPUTS", outputs)
            .env("SCRATCHPAD_OUTPUTS_MAX_TOTAL_BYTES", "1000000000")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        machine.answer(crate::support::feed(command.spawn().unwrap(), stdin))
    };
    let directory = format!("file://{}", place.path().display());
    for (seed, outputs) in [(1, "database"), (2, directory.as_str())] {
        let content = log(seed, 100 << 20);
        let reference = run(&["output", "put", "--session", "s"], outputs, &content).ok();
        let id = reference.split_whitespace().nth(1).unwrap();
        let end = run(&["output", "read", id, "--lines", "-1"], outputs, b"").ok();
        let end = end.lines().next().unwrap();
        assert!(content.ends_with(end.as_bytes()) && end.len() > 9, "{end}");
    }
}

#[test]
fn doctor_looks_at_the_server_and_at_object_storage() {
    let Some(schema) = Schema::new() else { return };
    let machine = Machine::new();
    let server = S3::start();
    let findings = |endpoint: &str| {
        let mut command = machine.command(&["doctor", "--json"]);
        command
            .env("SCRATCHPAD_STORE_URL", schema.url())
            .env("SCRATCHPAD_STORE_OUTPUTS", format!("s3://{BUCKET}/team"))
            .env("HOME", machine.home())
            .envs(server.variables())
            .env("AWS_ENDPOINT_URL", endpoint);
        let answer = machine.answer(command.output().unwrap());
        let shown: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
        let lines = shown["findings"].as_array().unwrap().iter().map(|it| {
            format!(
                "{} {}: {}\n",
                it["ok"],
                it["about"].as_str().unwrap(),
                it["text"].as_str().unwrap()
            )
        });
        lines
            .filter(|line| line.contains(" store"))
            .collect::<String>()
    };
    snapbox::assert_data_eq!(
        findings(&server.address),
        snapbox::str![[r#"
true store: 0 sessions
true store, server: postgres://[..], PostgreSQL [..], schema "[..]" of version [..]
true store, latency: [..] ms per round trip
true store, search index: present (pg_trgm)
true store, objects: s3://pads/team stored, read and removed one

"#]]
    );
    assert_eq!(server.names(), [] as [&str; 0], "the probe is gone");
    let shown = findings("http://127.0.0.1:9");
    assert!(
        shown.contains("false store, objects: Can't write to s3://pads"),
        "{shown}"
    );
}
