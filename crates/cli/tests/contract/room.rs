//! What every engine must do about the room for outputs, and about the ids of removed ones.

use super::{Open, draft, id, keep, keep_draft, read};
use scratchpad::OutputId;
use scratchpad::model::output::room::Room;
use scratchpad::model::output::{IN_USE, Origin, OutputLimits};
use scratchpad::model::text::hash::sha256_hex;
use scratchpad::store::transfer::RemovedOutput;
use scratchpad::store::{Governed, OutputDraft, OutputFilter, Prunable, Removal, Store};
use std::io::Write as _;

pub(crate) fn room_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = &*open(directory.path());
    let session = &id("s");
    let limits = OutputLimits {
        max_total_bytes: 10,
        max_bytes_per_upstream: 60,
        ..OutputLimits::default()
    };
    let now = 10 * IN_USE;
    let try_to_keep = |upstream: &str, at: i64, content: &[u8]| {
        let mut staged = store.stage().unwrap();
        staged.write_all(content).unwrap();
        let tool = "tool";
        let draft = OutputDraft {
            origin: Origin { upstream, tool },
            room: Some(Room::new(&limits, at)),
            ..draft(tool, session, at)
        };
        store.keep(&draft, staged)
    };
    let listed = || store.outputs(OutputFilter::Everything).unwrap().len();

    // A pinned text does not count.
    let pin = OutputDraft {
        is_pinned: true,
        ..draft("set_notes", session, now)
    };
    keep_draft(store, &pin, &[b'p'; 500]);
    // Nor does one that is no longer in use.
    try_to_keep("fs", now - IN_USE, &[b'o'; 60]).unwrap();
    try_to_keep("fs", now, &[b'a'; 60]).unwrap();
    let refused = try_to_keep("fs", now, b"b").unwrap_err().to_string();
    assert!(refused.contains("max_bytes_per_upstream"), "{refused}");
    // Equal content does not count twice, and each upstream has its own limit.
    try_to_keep("fs", now, &[b'a'; 60]).unwrap();
    try_to_keep("web", now, &[b'c'; 40]).unwrap();
    let refused = try_to_keep("web", now, b"d").unwrap_err().to_string();
    assert!(refused.contains("max_total_bytes"), "{refused}");
    assert_eq!(listed(), 4);

    // The oldest output over the limit of its upstream is found, and none that is in use.
    let everything = Governed {
        author: "",
        forsaken: now + 1,
    };
    let in_use = now - IN_USE + 1;
    for (used, bytes, found) in [(in_use, 120, 0), (now + 1, 59, 2), (in_use, 119, 1)] {
        let looked = store.prune(now, &|outputs: &dyn Prunable| {
            let beyond = outputs.beyond(everything, used, bytes)?;
            assert_eq!(beyond.len(), found, "{used} {bytes}");
            Ok(Vec::new())
        });
        assert_eq!(looked.unwrap().outputs, 0);
    }
    let pruned = store.prune(now, &|outputs: &dyn Prunable| {
        outputs.beyond(everything, in_use, 119)
    });
    assert_eq!((pruned.unwrap().bytes, listed()), (60, 3));
}

pub(crate) fn ids_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = &*open(directory.path());
    let hash = |content: &[u8]| sha256_hex(content);
    let start = |content: &[u8], digits: usize| OutputId::new(&hash(content)[..digits]).unwrap();
    let remove = |id: &OutputId| {
        let gone = store.remove(std::slice::from_ref(id), 2, Removal::Any);
        assert_eq!(gone.unwrap().len(), 1);
    };

    // A text that is kept again after its removal gets its old id.
    for _ in 0..2 {
        let id = keep(store, "s", 1, b"again");
        assert_eq!(id, start(b"again", 12));
        remove(&id);
    }
    assert_eq!(
        store.removed_outputs().unwrap(),
        [RemovedOutput {
            id: start(b"again", 12),
            at: 2,
            sha256: Some(hash(b"again")),
        }]
    );

    // An id that another text had, or may have had, is never reused.
    for (content, sha256) in [
        (b"one".as_slice(), Some(hash(b"another"))),
        (b"two".as_slice(), None),
    ] {
        let removed = RemovedOutput {
            id: start(content, 12),
            at: 7,
            sha256,
        };
        store.take_removed(&[removed]).unwrap();
        let id = keep(store, "s", 8, content);
        assert_eq!(id, start(content, 16));
        assert_eq!(read(store, &start(content, 12)), None);
        assert_eq!(store.removed(&start(content, 12)).unwrap(), Some(7));
        remove(&id);
        assert_eq!(keep(store, "s", 9, content), id);
    }

    // After many removals the hash is forgotten, but not that the id was used.
    let many: Vec<RemovedOutput> = (0..10_010_u64)
        .map(|number| RemovedOutput {
            id: OutputId::new(&format!("{number:012x}")).unwrap(),
            at: 100 + i64::try_from(number).unwrap(),
            sha256: Some(format!("{number:064x}")),
        })
        .collect();
    store.take_removed(&many).unwrap();
    remove(&keep(store, "s", 1, b"one more"));
    let left = store.removed_outputs().unwrap();
    assert!(left.len() > many.len());
    let known = left.iter().filter(|removed| removed.sha256.is_some());
    assert!((10_000..=10_001).contains(&known.count()));
    assert_eq!(store.removed(&many[0].id).unwrap(), Some(100));
}
