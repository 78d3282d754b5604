//! Arbitrary messages through the relay, compared with a simple model of what may change.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Read, Seek};
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::Proxy;
use super::body::Body;
use super::outline::Outline;
use super::relay::Relay;
use scratchpad::model::id::SessionId;
use scratchpad::model::output::OutputLimits;
use scratchpad::model::output::offload::Offload;
use scratchpad::model::text::hash::sha256_hex;
use scratchpad::{Scratchpad, SessionFinder};

const THRESHOLD: usize = 20;

/// A relay whose client is a file.
struct Bench {
    home: tempfile::TempDir,
    relay: Arc<Relay>,
    client: File,
}

impl Bench {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let offload = Offload {
            threshold: THRESHOLD as u64,
            ..Offload::default()
        };
        let scratchpad = Scratchpad::open(home.path())
            .unwrap()
            .with_outputs(offload, OutputLimits::default());
        let proxy = Proxy {
            scratchpad,
            finder: SessionFinder::for_network(None).unwrap(),
            session: SessionId::new("s").unwrap(),
            upstream: "u".to_owned(),
            hidden: Vec::new(),
        };
        let client = tempfile::tempfile().unwrap();
        let warn = Arc::new(|text: &str| panic!("{text}"));
        let relay = Arc::new(Relay::new(proxy, client.try_clone().unwrap(), warn));
        Self {
            home,
            relay,
            client,
        }
    }

    fn answer(&mut self, request: &Value, answer: &str, spooled: bool) -> String {
        let request = request.to_string();
        let outline = Outline::of(request.as_bytes(), u64::MAX).unwrap();
        self.relay.route(&outline, Some(request.as_bytes()));
        self.client.set_len(0).unwrap();
        self.client.rewind().unwrap();
        if spooled {
            let mut file = tempfile::tempfile().unwrap();
            std::io::Write::write_all(&mut file, answer.as_bytes()).unwrap();
            self.relay.pass(Body::File(&file)).unwrap();
        } else {
            self.relay.pass(Body::Memory(answer.as_bytes())).unwrap();
        }
        let mut seen = String::new();
        self.client.rewind().unwrap();
        self.client.read_to_string(&mut seen).unwrap();
        seen
    }

    fn kept(&self, id: &str) -> String {
        std::fs::read_to_string(self.home.path().join("outputs").join(id)).unwrap()
    }
}

thread_local! {
    /// Shared by all cases of a test.
    static BENCH: RefCell<Bench> = RefCell::new(Bench::new());
}

/// The relayed answer to this request, held in memory or in a file.
fn answered(request: &Value, answer: &str, spooled: bool) -> String {
    BENCH.with_borrow_mut(|bench| bench.answer(request, answer, spooled))
}

fn call() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t"}})
}

/// A call from a script that the agent runs.
fn call_of_a_script() -> Value {
    let mut call = call();
    call["params"]["_meta"] = json!({"callId": "exec-67730789-8b12-48ee-8a28-bfef49d80aee"});
    call
}

fn blanks() -> impl Strategy<Value = String> {
    "[ \t]{0,2}"
}

fn string() -> impl Strategy<Value = String> {
    r#""([a-z ä🦀{}\[\],:]|\\["\\/bfnrt]|\\u00[0-7][0-9a-f]|\\ud83e\\udd80){0,40}""#
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        "\"[a-z]{1,3}\"",
        r#""\\u00[67][1-9]x""#,
        Just("\"id\"".to_owned()),
        Just("\"text\"".to_owned()),
        Just("\"content\"".to_owned()),
        Just("\"structuredContent\"".to_owned()),
    ]
}

/// A JSON value in any valid spelling.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
        string(),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let element = (blanks(), inner.clone(), blanks()).prop_map(|(a, b, c)| a + &b + &c);
        prop_oneof![
            prop::collection::vec(element, 0..4).prop_map(|all| format!("[{}]", all.join(","))),
            members(prop::collection::vec((key(), inner), 0..4)),
        ]
    })
}

/// An object of these members, each key once, with arbitrary whitespace.
fn members(all: impl Strategy<Value = Vec<(String, String)>>) -> impl Strategy<Value = String> {
    (all, prop::collection::vec(blanks(), 20)).prop_map(|(all, blanks)| {
        let mut seen = std::collections::HashSet::new();
        let mut blank = blanks.iter().cycle();
        let mut next = || blank.next().unwrap().as_str();
        let all: Vec<String> = all
            .iter()
            .filter(|(key, _)| seen.insert(serde_json::from_str::<String>(key).unwrap()))
            .map(|(key, value)| [next(), key, next(), ":", next(), value, next()].concat())
            .collect();
        format!("{{{}}}", all.join(","))
    })
}

/// An object with some of these members and others, in any order.
fn shuffled(
    own: Vec<(&'static str, BoxedStrategy<Option<String>>)>,
) -> impl Strategy<Value = String> {
    let own: Vec<_> = own
        .into_iter()
        .map(|(key, value)| value.prop_map(move |value| Some((format!("\"{key}\""), value?))))
        .collect();
    let others = prop::collection::vec(("\"x[a-z]{1,2}\"", value()), 0..3);
    let all = (own, others)
        .prop_map(|(own, others)| own.into_iter().flatten().chain(others).collect::<Vec<_>>());
    members(all.prop_shuffle())
}

fn always(text: &str) -> BoxedStrategy<Option<String>> {
    Just(Some(text.to_owned())).boxed()
}

fn maybe(value: impl Strategy<Value = String> + 'static) -> BoxedStrategy<Option<String>> {
    prop::option::of(value).boxed()
}

fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::sample::select(texts).prop_map(str::to_owned)
}

fn block() -> impl Strategy<Value = String> {
    let kind = one_of(&["\"text\"", "\"text\"", "\"te\\u0078t\"", "\"image\""]);
    prop_oneof![
        4 => shuffled(vec![("type", maybe(kind)), ("text", maybe(string()))]),
        1 => value(),
    ]
}

fn result() -> impl Strategy<Value = String> {
    let content =
        prop::collection::vec(block(), 0..4).prop_map(|all| format!("[{}]", all.join(" ,")));
    shuffled(vec![
        ("content", maybe(content)),
        ("structuredContent", maybe(value())),
        ("isError", maybe(one_of(&["true", "false", "false"]))),
        (
            "resultType",
            maybe(one_of(&[
                "\"complete\"",
                "\"complete\"",
                "\"input_required\"",
            ])),
        ),
    ])
}

/// The expected result; the references are taken from `seen`.
fn expected(answer: &Value, seen: &Value) -> Value {
    let mut expected = answer.clone();
    let Some(result) = expected.get_mut("result").and_then(Value::as_object_mut) else {
        return expected;
    };
    let complete = result
        .get("resultType")
        .is_none_or(|kind| kind == "complete");
    if result.get("isError") == Some(&json!(true)) || !complete {
        return expected;
    }
    let mut shortened = false;
    let blocks = result.get_mut("content").and_then(Value::as_array_mut);
    for (at, block) in blocks.into_iter().flatten().enumerate() {
        let long = block["text"].as_str().filter(|text| text.len() > THRESHOLD);
        let (Some(text), "text") = (long, block["type"].as_str().unwrap_or_default()) else {
            continue;
        };
        let id: String = sha256_hex(text.as_bytes()).chars().take(12).collect();
        let reference = &seen["result"]["content"][at]["text"];
        assert!(
            reference
                .as_str()
                .unwrap()
                .starts_with(&format!("[Output {id} ")),
            "{reference}"
        );
        assert_eq!(BENCH.with_borrow(|bench| bench.kept(&id)), text);
        block["text"] = reference.clone();
        shortened = true;
    }
    if shortened {
        result.shift_remove("structuredContent");
    }
    expected
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 3 / 2))]

    #[test]
    fn what_needs_no_change_passes_to_the_byte(
        lines in prop::collection::vec(prop_oneof![value(), "[ -~]{0,40}"], 1..6),
    ) {
        for line in lines {
            // Texts as short as these are never kept.
            let line = line + "\n";
            let list = json!({"id": 2, "method": "tools/list"});
            prop_assert_eq!(answered(&list, &line, false), line.as_str());
        }
    }

    #[test]
    fn a_result_becomes_what_the_rules_say(
        message in shuffled(vec![
            ("jsonrpc", always("\"2.0\"")),
            ("id", always("1")),
            ("result", result().prop_map(Some).boxed()),
        ]),
        spooled in any::<bool>(),
    ) {
        let line = message + "\n";
        let seen = answered(&call(), &line, spooled);
        let seen_value: Value = serde_json::from_str(&seen).unwrap();
        let expected = expected(&serde_json::from_str(&line).unwrap(), &seen_value);
        prop_assert_eq!(seen_value.to_string(), expected.to_string());
        if expected == serde_json::from_str::<Value>(&line).unwrap() {
            prop_assert_eq!(seen, line);
        }
    }

    /// Including its structured content, whatever the tool's schema.
    #[test]
    fn a_result_for_a_script_passes_to_the_byte(
        message in shuffled(vec![
            ("jsonrpc", always("\"2.0\"")),
            ("id", always("1")),
            ("result", result().prop_map(Some).boxed()),
        ]),
        spooled in any::<bool>(),
    ) {
        let line = message + "\n";
        prop_assert_eq!(answered(&call_of_a_script(), &line, spooled), line);
    }

    #[test]
    fn a_list_gains_our_tools_and_loses_schemas(
        tools in prop::collection::vec(
            shuffled(vec![("name", maybe(one_of(&["\"a\"", "\"b\""]))), ("outputSchema", maybe(value()))]),
            0..4,
        ),
        more in prop::option::of(one_of(&["\"c\"", "\"\"", "null"])),
    ) {
        let more = more.map_or(String::new(), |more| format!(",\"nextCursor\":{more}"));
        let line = format!("{{\"id\":2,\"result\":{{\"tools\":[{}]{more}}}}}\n", tools.join(" , "));
        let seen = answered(&json!({"id": 2, "method": "tools/list"}), &line, false);
        let seen: Value = serde_json::from_str(&seen).unwrap();
        let mut expected: Value = serde_json::from_str(&line).unwrap();
        let cursor = expected["result"].get("nextCursor").cloned();
        let last = cursor.is_none_or(|cursor| cursor.is_null() || cursor == "");
        let tools = expected["result"]["tools"].as_array_mut().unwrap();
        for tool in tools.iter_mut().filter(|tool| tool.get("name").is_some()) {
            tool.as_object_mut().unwrap().shift_remove("outputSchema");
        }
        let mut all = seen["result"]["tools"].as_array().unwrap().clone();
        if last {
            let ours = all.split_off(all.len() - 2);
            prop_assert_eq!(&ours[0]["name"], "scratchpad_read");
            prop_assert_eq!(&ours[1]["name"], "scratchpad_list");
        }
        prop_assert_eq!(Value::from(all).to_string(), Value::from(tools.clone()).to_string());
    }
}

/// The bound is generous: it took the hundredfold when each line looked at all that was pending.
#[test]
fn the_cost_of_a_line_does_not_grow_with_what_is_pending() {
    const MANY: usize = 20_000;
    let bench = Bench::new();
    for id in 0..MANY {
        let call = json!({"id": id, "method": "tools/call", "params": {"name": "t"}}).to_string();
        let outline = Outline::of(call.as_bytes(), u64::MAX).unwrap();
        bench.relay.route(&outline, Some(call.as_bytes()));
    }
    let since = std::time::Instant::now();
    let line = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n";
    for _ in 0..MANY {
        bench.relay.pass(Body::Memory(line)).unwrap();
    }
    assert!(since.elapsed().as_secs() < 20, "{:?}", since.elapsed());
}
