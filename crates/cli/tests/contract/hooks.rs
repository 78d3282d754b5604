//! What every engine must do with the state that hooks record.

use scratchpad::model::error::Error;
use scratchpad::model::host::hook::HookState;
use scratchpad::model::pad::Content;
use scratchpad::model::pad::revision::Write;
use scratchpad::model::session::process::Process;
use scratchpad::store::{Attended, Binding, Heard, HookCall, Store};
use serde_json::json;

use super::{Open, id, project};

/// Hooks: the recorded state of a session, and which process belongs to it.
pub(crate) fn hooks_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let process = |id, started: &str| Process {
        id,
        started: started.to_owned(),
        name: "host".to_owned(),
    };
    let host = process(7, "monday");
    let call = |session: &str, binding: Binding, at, seen: &mut Vec<(String, u64)>| {
        let session = id(session);
        let call = HookCall {
            host: "codex",
            event: "Stop",
            session: &session,
            at,
        };
        // Another process sees this one's writes.
        open(directory.path())
            .attend(&call, &mut |session, hook_state| {
                let plan = session.map_or(String::new(), |session| session.pad.plan.clone());
                seen.push((plan, hook_state.given_at));
                let after = HookState {
                    given_at: hook_state.given_at + 1,
                    ..hook_state.clone()
                };
                (after, binding.clone()).into()
            })
            .unwrap();
    };
    let mut seen = Vec::new();
    call("a", Binding::Begins(host.clone()), 1, &mut seen);
    let plan = Write::new("set_plan", Content::Plan("go".to_owned()));
    let writes = vec![plan];
    store
        .update(&id("a"), &project("p"), 2, &mut |_| Ok(writes.clone()))
        .unwrap();
    call("a", Binding::Stays, 3, &mut seen);
    call("b", Binding::Stays, 4, &mut seen);
    let expected = [("", 0), ("go", 1), ("", 0)].map(|(plan, turns)| (plan.to_owned(), turns));
    assert_eq!(seen, expected);

    let calls = store.last_calls_about(&[id("a"), id("nobody"), id("b")]);
    let mut calls: Vec<_> = calls.unwrap().into_iter().collect();
    calls.sort_by_key(|call| call.at);
    let calls: Vec<_> = calls
        .into_iter()
        .map(|call| (call.session, call.host, call.event, call.at))
        .collect();
    let stopped = |session, at| (id(session), "codex".to_owned(), "Stop".to_owned(), at);
    assert_eq!(calls, [stopped("a", 3), stopped("b", 4)]);

    writing_contract(open);
    receipt_contract(open);

    let last = store.last_hook_call("codex").unwrap().unwrap();
    assert_eq!((last.session, last.at), (id("b"), 4));
    assert_eq!(store.last_hook_call("gemini").unwrap(), None);

    // A later process with the same pid is a different one.
    let bound = |process: &Process| store.bound(std::slice::from_ref(process));
    assert_eq!(bound(&host).unwrap(), Some(id("a")));
    assert_eq!(bound(&process(7, "tuesday")).unwrap(), None);
    let chain = [process(1, "monday"), host.clone(), process(9, "monday")];
    assert_eq!(store.bound(&chain).unwrap(), Some(id("a")));
    assert_eq!(store.bound(&[]).unwrap(), None);
    let processes = |session: &str| {
        let found = store.bound_to(&id(session)).unwrap().into_iter();
        found.map(|it| (it.id, it.started)).collect::<Vec<_>>()
    };
    assert_eq!(processes("a"), [(7, "monday".to_owned())]);
    assert_eq!(processes("b"), []);

    // Only those that exist, in the project, and of the host that called last.
    let of_host = |host: &str, of: &str| {
        let found = store.sessions_of_host(host, &project(of), 5).unwrap();
        found.into_iter().map(|it| it.id).collect::<Vec<_>>()
    };
    assert_eq!(of_host("codex", "p"), [id("a")]);
    assert_eq!(of_host("codex", "q"), []);
    assert_eq!(of_host("gemini", "p"), []);
    call("b", Binding::Begins(host.clone()), 5, &mut seen);
    call("a", Binding::Ends(host.clone()), 6, &mut seen);
    assert_eq!(bound(&host).unwrap(), Some(id("b")));
    call("b", Binding::Ends(host.clone()), 7, &mut seen);
    assert_eq!(bound(&host).unwrap(), None);
}

/// What a host gave back last is known whatever its other sessions did since.
fn receipt_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let call = |host: &str, session: &str, at: i64, revision: Option<u64>| {
        let session = id(session);
        let call = HookCall {
            host,
            event: "SessionStart",
            session: &session,
            at,
        };
        store
            .attend(&call, &mut |_, state| {
                let receipt = revision.map(|revision| {
                    let receipt = json!({
                        "at": at, "event": "SessionStart \0", "revision": revision, "plan": "None",
                        "notes_chars": 1, "refs": 0, "tokens": 9,
                    });
                    serde_json::from_value(receipt).unwrap()
                });
                let receipt = receipt.or_else(|| state.receipt.clone());
                let after = HookState {
                    receipt,
                    ..state.clone()
                };
                (after, Binding::Stays).into()
            })
            .unwrap();
    };
    let last = |host: &str| {
        let receipt = store.last_receipt(host).unwrap();
        receipt.map(|receipt| (receipt.at, receipt.revision))
    };
    call("claude", "given-a", 1, None);
    assert_eq!(last("claude"), None);
    call("claude", "given-a", 2, Some(7));
    call("claude", "given-b", 3, None);
    assert_eq!(last("claude"), Some((2, 7)));
    call("claude", "given-b", 4, Some(8));
    // A call without a receipt leaves the one before it.
    call("claude", "given-a", 5, None);
    assert_eq!(last("claude"), Some((4, 8)));
    call("goose", "given-c", 6, Some(9));
    assert_eq!(last("claude"), Some((4, 8)));
    assert_eq!(last("cline"), None);
}

/// A hook call that writes to its session: all of it or nothing, and the session is created if needed.
fn writing_contract(open: Open<'_, dyn Store>) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let session = id("mirrored");
    let call = HookCall {
        host: "qwen",
        event: "PostToolUse",
        session: &session,
        at: 5,
    };
    let write = |plan: &str| Write::new("mirror", Content::Plan(plan.to_owned()));
    let hear = |plan: &str, binding: Binding| {
        let mut seen = None;
        store
            .attend_writing(&call, &project("p"), &mut |view, state| {
                let log: Vec<String> = view.log()?.into_iter().map(|head| head.action).collect();
                let before = view.session().map(|session| session.pad.plan.clone());
                seen = Some((before, log, state.given_at));
                Ok(Attended {
                    heard: Heard {
                        hook_state: HookState {
                            given_at: state.given_at + 1,
                            ..state.clone()
                        },
                        binding: binding.clone(),
                        entries: Vec::new(),
                    },
                    writes: (!plan.is_empty())
                        .then(|| write(plan))
                        .into_iter()
                        .collect(),
                })
            })
            .unwrap();
        let (before, log, given_at) = seen.unwrap();
        (before.unwrap_or_default(), log.join(" "), given_at)
    };
    let expected =
        |before: &str, log: &str, given_at| (before.to_owned(), log.to_owned(), given_at);
    assert_eq!(hear("one", Binding::Stays), expected("", "", 0));
    assert_eq!(hear("", Binding::Stays), expected("one", "mirror", 1));
    assert_eq!(hear("two", Binding::Stays), expected("one", "mirror", 2));
    let found = store.session(&session).unwrap().unwrap();
    assert_eq!((found.pad.plan.as_str(), found.revision), ("two", 2));
    assert_eq!(found.project, Some(project("p")));

    let refused = store.attend_writing(&call, &project("p"), &mut |_, _| Err(Error::refused("no")));
    refused.unwrap_err();
    let states = store
        .last_calls_about(std::slice::from_ref(&session))
        .unwrap();
    assert_eq!(states[0].hook_state.given_at, 3);
    assert_eq!(store.session(&session).unwrap().unwrap().revision, 2);
}
