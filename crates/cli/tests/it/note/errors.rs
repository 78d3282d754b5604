//! Wrong calls of the note tools: each answer says what, the limit and the value, and what to do.

use crate::support::Machine;
use serde_json::json;
use snapbox::{IntoData, assert_data_eq, str};

#[test]
fn wrong_arguments_get_an_error_that_says_what_is_right() {
    let machine = Machine::new();
    let kept = machine.run(&["note", "add", "kept", "--session", "s"]).ok();
    let kept = kept.split(' ').nth(1).unwrap();
    let many: Vec<String> = (0..11).map(|number| number.to_string()).collect();
    let calls = [
        ("add_note", json!({})),
        ("add_note", json!({"content": ""})),
        ("add_note", json!({"content": " \n\t "})),
        ("add_note", json!({"content": "x".repeat(4_001)})),
        ("add_note", json!({"content": 7})),
        ("add_note", json!({"content": "x", "tags": many})),
        ("add_note", json!({"content": "x", "tags": [""]})),
        (
            "add_note",
            json!({"content": "x", "tags": ["t".repeat(200)]}),
        ),
        ("add_note", json!({"content": "x", "tags": ["a\u{7}b"]})),
        ("add_note", json!({"content": "x", "tags": "a"})),
        ("add_note", json!({"content": "x", "tags": ["a", 7]})),
        ("add_note", json!({"content": "x", "scope": "world"})),
        ("add_note", json!({"text": "x"})),
        ("scratch_note", json!({"content": null})),
        ("update_note", json!({"id": "note_1"})),
        ("update_note", json!({"content": "x"})),
        ("update_note", json!({"id": "7", "content": "x"})),
        ("update_note", json!({"id": "note_../../x", "content": "x"})),
        ("delete_note", json!({"id": "note_99999999999999999999"})),
        ("list_notes", json!({"limit": 0})),
        ("list_notes", json!({"limit": -1})),
        ("list_notes", json!({"limit": 5_000})),
        ("list_notes", json!({"limit": "5"})),
        ("search_notes", json!({"query": ["x"]})),
        ("list_tags", json!({"tag": "x"})),
    ];
    let mut all = String::new();
    for (tool, arguments) in calls {
        let answer = machine.run(&["call", tool, &arguments.to_string(), "--session", "s"]);
        assert_eq!(answer.code, Some(1), "{tool} {arguments}");
        let shown: String = arguments.to_string().chars().take(60).collect();
        all += &format!(
            "{tool} {shown}\n  {}\n",
            answer
                .out
                .trim_end()
                .replace(kept, "note_KEPT")
                .replace('\n', "\n  ")
        );
    }
    assert_data_eq!(
        all,
        str![[r#"
add_note {}
  add_note needs `content`. Nothing was changed.
add_note {"content":""}
  Note not saved: the content is blank. Nothing was changed.
  Hint: give the fact to keep as `content`.
add_note {"content":" \n\t "}
  Note not saved: the content is blank. Nothing was changed.
  Hint: give the fact to keep as `content`.
add_note {"content":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
  Note not saved: 4,001 characters, the limit is 4,000. Nothing was changed.
  Hint: split it into shorter notes.
add_note {"content":7}
  add_note: `content` must be a string; the number 7 was given. Nothing was changed.
add_note {"content":"x","tags":["0","1","2","3","4","5","6","7","8","
  Note not saved: 11 tags, the limit is 10. Nothing was changed.
  Hint: keep the tags you will search by.
add_note {"content":"x","tags":[""]}
  Note not saved: a tag is blank. Nothing was changed.
  Hint: leave it out.
add_note {"content":"x","tags":["tttttttttttttttttttttttttttttttttttt
  Note not saved: a tag has 200 characters, the limit is 100. Nothing was changed.
  Hint: a tag is a word or two: put the rest in the content.
add_note {"content":"x","tags":["a\u0007b"]}
  Note not saved: the tag "a\u{7}b" has the character U+0007, which no tag may have. Nothing was changed.
  Hint: a tag is one line of text.
add_note {"content":"x","tags":"a"}
  add_note: `tags` must be an array; "a" was given. Nothing was changed.
add_note {"content":"x","tags":["a",7]}
  add_note: `tags` must be an array of strings; the number 7 is in it. Nothing was changed.
add_note {"content":"x","scope":"world"}
  add_note: `scope` must be one of session, project; "world" was given. Nothing was changed.
add_note {"text":"x"}
  add_note has no argument "text". Nothing was changed.
  Hint: it takes content, tags, scope, sources.
scratch_note {"content":null}
  scratch_note needs `content`. Nothing was changed.
update_note {"id":"note_1"}
  update_note needs `content`, `tags` or `sources`. Nothing was changed.
  Hint: what is given is replaced, the rest stays.
update_note {"content":"x"}
  update_note needs `id`. Nothing was changed.
update_note {"id":"7","content":"x"}
  "7" is not a note id: an id is note_ and digits. Nothing was changed.
  Hint: list_notes and search_notes show the ids.
update_note {"id":"note_../../x","content":"x"}
  "note_../../x" is not a note id: an id is note_ and digits. Nothing was changed.
  Hint: list_notes and search_notes show the ids.
delete_note {"id":"note_99999999999999999999"}
  note_9223372036854775807 not found here. Nothing was changed.
  Hint: the nearest ids: note_KEPT.
list_notes {"limit":0}
  list_notes: `limit` must be 1 to 1000; 0 was given. Nothing was changed.
list_notes {"limit":-1}
  list_notes: `limit` must be a positive whole number; the number -1 was given. Nothing was changed.
list_notes {"limit":5000}
  list_notes: `limit` must be 1 to 1000; 5000 was given. Nothing was changed.
list_notes {"limit":"5"}
  list_notes: `limit` must be a positive whole number; "5" was given. Nothing was changed.
search_notes {"query":["x"]}
  search_notes: `query` must be a string; an array was given. Nothing was changed.
list_tags {"tag":"x"}
  list_tags has no argument "tag". Nothing was changed.
  Hint: it takes no arguments.

"#]]
        .raw()
    );
    let left = machine
        .run(&["note", "list", "--json", "--session", "s"])
        .json();
    assert_eq!(left["note_count"], 1, "nothing was changed");
}

#[test]
fn an_unknown_id_names_the_nearest() {
    let machine = Machine::new();
    let call = |arguments: &str| machine.run(&["call", "delete_note", arguments, "--session", "s"]);
    assert_data_eq!(
        call(r#"{"id":"note_5"}"#).out,
        str![[r#"
note_5 not found here. Nothing was changed.
Hint: this session and its project have no notes yet.

"#]]
    );
    let reply = machine.run(&["note", "add", "kept", "--session", "s"]).ok();
    let id = reply.split(' ').nth(1).unwrap();
    assert_eq!(
        call(r#"{"id":"note_5"}"#).out,
        format!("note_5 not found here. Nothing was changed.\nHint: the nearest ids: {id}.\n")
    );
}

#[test]
fn xml_that_is_no_call_is_refused() {
    let machine = Machine::new();
    let documents = [
        "",
        "not xml",
        "<tool>",
        "<tool></toool>",
        "<call><tool_name>list_tags</tool_name></call>",
        "<tool><arguments/></tool>",
        "<tool><tool_name>list_tags</tool_name><extra/></tool>",
        "<tool><tool_name>list_tags</tool_name></tool><tool/>",
        "<tool><tool_name>&unknown;</tool_name></tool>",
        "<!DOCTYPE tool [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><tool><tool_name>&b;</tool_name></tool>",
        "<tool><tool_name>add_note</tool_name><arguments><content>use <b>bold</b></content></arguments></tool>",
        "<tool><tool_name>add_note</tool_name><arguments><content>a</content><tags>a,b</tags></arguments></tool>",
        "<tool><tool_name>add_note</tool_name><arguments>stray<content>a</content></arguments></tool>",
        "<tool><tool_name>add_note</tool_name><arguments><content>a</content><content>b</content></arguments></tool>",
        "<tool><tool_name>list_tags</tool_name><tool_name>add_note</tool_name></tool>",
        "<tool><a><b><c><d/></c></b></a></tool>",
        "<tool><a><b><c><d><e></e></d></c></b></a></tool>",
    ];
    let mut all = String::new();
    for document in documents {
        let answer = machine.run_with(&["call", "--xml", "--session", "s"], document.as_bytes());
        assert_eq!(answer.code, Some(2), "{document}");
        all += &format!("{document}\n  {}\n", answer.err.lines().next().unwrap());
    }
    assert_data_eq!(all, str![[r#"

  Error: The XML call can't be read: no element found. Nothing was changed.
not xml
  Error: The XML call can't be read: text is not allowed outside the root element (at byte 0). Nothing was changed.
<tool>
  Error: The XML call can't be read: <tool> is not closed. Nothing was changed.
<tool></toool>
  Error: The XML call can't be read: ill-formed document: expected `</tool>`, but `</toool>` was found (at byte 6). Nothing was changed.
<call><tool_name>list_tags</tool_name></call>
  Error: The XML call can't be read: the root element is <call>, it must be <tool>. Nothing was changed.
<tool><arguments/></tool>
  Error: The XML call can't be read: <tool_name> is missing. Nothing was changed.
<tool><tool_name>list_tags</tool_name><extra/></tool>
  Error: The XML call can't be read: <tool> has no element <extra>; it has server_name, tool_name and arguments. Nothing was changed.
<tool><tool_name>list_tags</tool_name></tool><tool/>
  Error: The XML call can't be read: an element is not allowed here (at byte 45). Nothing was changed.
<tool><tool_name>&unknown;</tool_name></tool>
  Error: The XML call can't be read: an entity other than &lt; &gt; &amp; &quot; &apos; and numbers is refused (at byte 17). Nothing was changed.
<!DOCTYPE tool [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><tool><tool_name>&b;</tool_name></tool>
  Error: The XML call can't be read: a document type is refused (at byte 0). Nothing was changed.
<tool><tool_name>add_note</tool_name><arguments><content>use <b>bold</b></content></arguments></tool>
  Error: The XML call can't be read: <content> must hold text and holds <b>; write &lt; for <, or use CDATA. Nothing was changed.
<tool><tool_name>add_note</tool_name><arguments><content>a</content><tags>a,b</tags></arguments></tool>
  Error: The XML call can't be read: <tags> must hold elements and holds the text "a,b". Nothing was changed.
<tool><tool_name>add_note</tool_name><arguments>stray<content>a</content></arguments></tool>
  Error: The XML call can't be read: <arguments> must hold elements and holds the text "stray". Nothing was changed.
<tool><tool_name>add_note</tool_name><arguments><content>a</content><content>b</content></arguments></tool>
  Error: The XML call can't be read: <content> appears twice. Nothing was changed.
<tool><tool_name>list_tags</tool_name><tool_name>add_note</tool_name></tool>
  Error: The XML call can't be read: <tool_name> appears twice. Nothing was changed.
<tool><a><b><c><d/></c></b></a></tool>
  Error: The XML call can't be read: an element is not allowed here (at byte 15). Nothing was changed.
<tool><a><b><c><d><e></e></d></c></b></a></tool>
  Error: The XML call can't be read: an element is not allowed here (at byte 15). Nothing was changed.

"#]].raw());
}
