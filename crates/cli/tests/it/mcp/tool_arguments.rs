//! Whatever arguments an agent gives a tool: a reply, never a panic, and nothing changed where it is an error.

use proptest::prelude::*;
use scratchpad::model::tool::surface::{Form, Surface};
use scratchpad::{Scratchpad, SessionId};

use crate::support::cases;
use serde_json::{Map, Value};

/// Any JSON, with what tools know a little more often.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
        prop::sample::select(vec![
            "set_notes",
            "get",
            "refs.set",
            "add",
            "search",
            "tags",
            "note_1",
            "abcdef012345",
            "1-2",
            "-3",
            "../x",
            "project",
            "",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn arguments() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "action", "content", "ref", "items", "mode", "id", "tags", "tag", "scope", "query",
        "limit", "offset", "lines", "session", "other",
    ]);
    prop_oneof![
        9 => prop::collection::btree_map(name, json(), 0..5).prop_map(|map| {
            let map: Map<String, Value> = map.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            Value::Object(map)
        }),
        1 => json(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(64)))]

    #[test]
    fn any_arguments_get_a_reply(calls in prop::collection::vec(arguments(), 1..6)) {
        let directory = tempfile::tempdir().unwrap();
        let pad = Scratchpad::open(directory.path()).unwrap();
        let session = SessionId::new("s").unwrap();
        let compact = Surface { form: Form::Compact, ..Surface::default() };
        let mut tools = Surface::default().tools();
        tools.extend(compact.tools());
        for call in &calls {
            for tool in &tools {
                let before = pad.pad(&session).unwrap();
                let reply = pad.call(&session, tool.name, call);
                prop_assert!(reply.is_error || reply.structured.is_some());
                prop_assert!(!reply.text().is_empty());
                if reply.is_error {
                    prop_assert_eq!(pad.pad(&session).unwrap(), before);
                }
            }
        }
    }
}
