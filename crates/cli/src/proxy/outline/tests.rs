//! Outlines of messages, parsed whole and in pieces.

use super::*;
use crate::proxy::body::part;

#[test]
fn a_request_is_known_by_id_method_and_name() {
    let line = br#" {"params":{"arguments":{"name":"no","id":3},"na\u006de":"grep","_meta":{"callId":"exec-1","sessionId":"s","x":[1]}},"method":"tools/call","id":"a\"b","jsonrpc":"2.0"}"#;
    let outline = Outline::of(line, 0).unwrap();
    let [message] = outline.messages.as_slice() else {
        panic!("{outline:?}")
    };
    assert_eq!(message.method.as_deref(), Some("tools/call"));
    assert_eq!(message.params.name.as_deref(), Some("grep"));
    assert_eq!(message.params.session_id.as_deref(), Some("s"));
    assert_eq!(message.params.call_id.as_deref(), Some("exec-1"));
    assert_eq!(message.id.as_ref().unwrap().raw(), br#""a\"b""#);
    assert!(!message.is_odd);
}

#[test]
fn a_structure_that_only_wraps_a_string_is_known() {
    for (structure, wrapped) in [
        (r#"{"result":"a, \"b\""}"#, Some(r#""a, \"b\"""#)),
        (r#"{ "result" : "x" }"#, Some("\"x\"")),
        (r#"{"re\u0073ult":"x"}"#, Some("\"x\"")),
        (r#"{"result":"x","more":1}"#, None),
        (r#"{"more":{},"result":"x"}"#, None),
        (r#"{"result":"x","result":"y"}"#, None),
        (r#"{"result":["x"]}"#, None),
        (r#"{"result":{"result":"x"}}"#, None),
        (r#"{"result":1}"#, None),
        (r#"["result","x"]"#, None),
        ("{}", None),
    ] {
        for line in [
            format!(r#"{{"id":1,"result":{{"structuredContent":{structure},"content":[]}}}}"#),
            format!(r#"{{"id":1,"result":{{"content":[],"structuredContent":{structure}}}}}"#),
        ] {
            let outline = Outline::of(line.as_bytes(), 0).unwrap();
            let found = outline.messages[0].result.as_ref().unwrap();
            let found = found.structure.as_ref().unwrap();
            let text = |span: &Range<u64>| {
                let part = part(line.as_bytes(), span).unwrap();
                String::from_utf8(part.to_vec()).unwrap()
            };
            assert_eq!(
                found.wrapped.as_ref().map(text).as_deref(),
                wrapped,
                "{line}"
            );
            assert_eq!(text(&found.value), structure, "{line}");
            let left = line.replace(&text(&found.span), "");
            assert_eq!(left, r#"{"id":1,"result":{"content":[]}}"#, "{line}");
        }
    }
}

#[test]
fn what_is_not_json_has_no_outline() {
    for line in [
        "",
        "x",
        "{",
        "{]",
        "[}",
        r#"{"a":1,}"#,
        r#"{"a" 1}"#,
        "[1,]",
        "{}{}",
        r#"{"a":1"#,
        "{\"a",
        ",",
        "[1 2]",
    ] {
        assert!(Outline::of(line.as_bytes(), 0).is_none(), "{line}");
    }
    assert!(Outline::of("[".repeat(600).as_bytes(), 0).is_none());
}

#[test]
fn an_answer_is_known_however_deep_it_nests() {
    for depth in [500, 509, 510, 511, 512, 513, 600, 100_000] {
        for [open, close] in [["[", "]"], [r#"{"a":"#, "}"]] {
            let deep = format!(r#"{}"]}}",1 {}"#, open.repeat(depth), close.repeat(depth))
                .replace(r#",1 }"#, " }");
            let line = format!(r#"{{"result":{{"a":{deep},"isError":true}},"id":7}}"#);
            let outline = Outline::of(line.as_bytes(), 0).unwrap();
            let [message] = outline.messages.as_slice() else {
                panic!("{outline:?}")
            };
            assert_eq!(message.id.as_ref().unwrap().raw(), b"7", "{depth}");
            assert!(message.result.as_ref().unwrap().is_error, "{depth}");
            let torn = line.get(..line.len() - 1).unwrap();
            assert!(Outline::of(torn.as_bytes(), 0).is_none(), "{depth}");
        }
    }
}

#[test]
fn a_key_that_comes_twice_is_odd() {
    for line in [
        r#"{"id":1,"id":2,"result":{}}"#,
        r#"{"id":1,"result":{},"result":{}}"#,
        r#"{"id":1,"result":{"structuredContent":1,"structuredContent":{}}}"#,
        r#"{"id":1,"result":{"tools":[],"tools":[]}}"#,
        r#"{"id":1,"method":"a","method":"b"}"#,
    ] {
        assert!(
            Outline::of(line.as_bytes(), 0).unwrap().messages[0].is_odd,
            "{line}"
        );
    }
}

#[test]
fn pieces_are_like_the_whole() {
    let line = br#"{"result":{"structuredContent":{"a":[1,-2.5e3]},"content":[{"text":"a\"\\","type":"text"}],"tools":[{"outputSchema":{},"name":"t"}]},"id":12}"#;
    let whole = format!("{:?}", Outline::of(line, 0));
    for at in 0..=line.len() {
        let mut walk = Outline::begin(0);
        walk.push(&line[..at]);
        walk.push(&line[at..]);
        assert_eq!(format!("{:?}", walk.end()), whole, "{at}");
    }
    assert!(whole.contains("span: 11..48"), "{whole}");
}
