//! What every engine must do for somebody who looks on.

use std::io::Read as _;

use super::{Open, id, keep, notes, project, put};
use scratchpad::model::note::Scope;
use scratchpad::store::{Scopes, Store, Watcher};

pub(crate) fn watch_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let other = open(directory.path());
    put(&*store, "s", 1, &[notes("a")]);
    let mut watcher = store.watcher().unwrap();
    let quiet = |watcher: &mut Box<dyn Watcher>| {
        // Other tests may write to the same server: then it says once more that there is something.
        crate::support::wait_until("nothing new", || !watcher.has_changed().unwrap());
    };
    quiet(&mut watcher);
    let scopes = Scopes {
        session: &id("s"),
        project: &project("p"),
    };
    let writes: [(&str, &dyn Fn()); 4] = [
        ("its own write", &|| _ = put(&*store, "s", 2, &[notes("b")])),
        ("another's write", &|| {
            _ = put(&*other, "t", 3, &[notes("c")]);
        }),
        ("a note", &|| {
            drop(other.add_note(scopes, Scope::Project, "n", &[], 4).unwrap());
        }),
        ("an output", &|| drop(keep(&*other, "s", 5, b"kept"))),
    ];
    for (what, write) in writes {
        write();
        assert!(watcher.has_changed().unwrap(), "{what} was not noticed");
        quiet(&mut watcher);
    }
    // Reading is no change.
    let (mut content, bytes) = {
        let ids = store.output_ids("", 9).unwrap();
        store.peek(&ids[0]).unwrap().unwrap()
    };
    let mut text = String::new();
    content.read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), bytes), ("kept", 4));
    store.session(&id("s")).unwrap();
    quiet(&mut watcher);
}
