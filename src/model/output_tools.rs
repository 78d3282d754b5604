//! The tools that read and list outputs: their arguments and their replies.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments;
use super::error::{Error, Result};
use super::id::{Millis, OutputId};
use super::note_tools::checked_limit;
use super::output::OutputHead;
use super::output_slice::{Found, LineRange, READ_MAX_BYTES, Slice, cut};
use super::quantity::{counted, grouped};
use super::tool::{Effect, Group, Reply, Tool};

/// The tool that reads an output.
pub const READ: &str = "scratchpad_read";
/// The tool that lists outputs.
pub const LIST: &str = "scratchpad_list";
/// The one tool that does both, for people who count tokens.
pub const COMPACT_NAME: &str = "outputs";

#[derive(Debug, Deserialize, JsonSchema)]
struct ReadArguments {
    id: String,
    lines: Option<String>,
    offset: Option<u64>,
    limit: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ListArguments {
    limit: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct CompactArguments {
    id: Option<String>,
    lines: Option<String>,
    offset: Option<u64>,
    limit: Option<u64>,
}

/// What a call asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputCall {
    /// A part of an output.
    Read {
        /// Which output.
        id: OutputId,
        /// Which part.
        slice: Slice,
    },
    /// What is kept.
    List {
        /// How many.
        limit: usize,
    },
}

/// What agents are told about the tools for outputs.
pub fn definitions() -> Vec<Tool> {
    vec![
        tool::<ReadArguments>(
            READ,
            "Read a kept output, or a part of it: lines \"120-180\" or \"-40\" (the last 40), or offset and limit in bytes.",
        ),
        tool::<ListArguments>(LIST, "List kept outputs, newest first."),
    ]
}

/// What agents are told about the one tool for outputs.
pub fn compact_definition() -> Tool {
    tool::<CompactArguments>(
        COMPACT_NAME,
        "Kept outputs. With id: read it, or lines \"120-180\" or \"-40\" (last 40), or offset, limit in bytes. Without: list.",
    )
}

fn tool<T: JsonSchema>(name: &'static str, description: &'static str) -> Tool {
    let number = json!({"type": "integer"});
    let properties = match name {
        READ => json!({
            "id": {"type": "string"}, "total_bytes": number, "offset": number, "end": number,
            "next_offset": {"type": ["integer", "null"]}, "total_lines": number,
        }),
        LIST => json!({
            "output_count": number, "total_bytes": number,
            "outputs": {"type": "array", "items": {"type": "object"}},
        }),
        _ => json!({}),
    };
    Tool {
        name,
        description,
        input_schema: arguments::schema::<T>(),
        output_schema: json!({"type": "object", "properties": properties}),
        group: Group::Outputs,
        effect: Effect::Reads,
    }
}

/// Reads a call of a tool for outputs; nothing if the tool is not one of them.
pub fn output_call(tool: &str, given: &Value) -> Option<Result<OutputCall>> {
    Some(match tool {
        READ => {
            arguments::parse(tool, given, &["session"]).and_then(|given| read_call(tool, &given))
        }
        LIST => arguments::parse(tool, given, &["session"])
            .and_then(|ListArguments { limit }| list_call(tool, limit)),
        COMPACT_NAME => arguments::parse(tool, given, &["session"]).and_then(
            |CompactArguments {
                 id,
                 lines,
                 offset,
                 limit,
             }| match id {
                Some(id) => read_call(
                    tool,
                    &ReadArguments {
                        id,
                        lines,
                        offset,
                        limit,
                    },
                ),
                None if lines.is_some() || offset.is_some() => {
                    Err(Error::refused(format!("{tool} needs `id` to read a part.")))
                }
                None => list_call(tool, limit),
            },
        ),
        _ => return None,
    })
}

fn list_call(tool: &str, limit: Option<u64>) -> Result<OutputCall> {
    Ok(OutputCall::List {
        limit: checked_limit(tool, limit)?,
    })
}

fn read_call(tool: &str, given: &ReadArguments) -> Result<OutputCall> {
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let slice = match (&given.lines, given.offset, given.limit) {
        (None, None, None) => Slice::Whole,
        (None, _, Some(0)) => {
            return Err(Error::refused(format!(
                "{tool}: `limit` must be at least 1."
            )));
        }
        (None, offset, limit) => Slice::Bytes {
            offset: whole(offset.unwrap_or(0)),
            limit: limit.map_or(usize::MAX, whole),
        },
        (Some(lines), None, None) => Slice::Lines(LineRange::parse(lines)?),
        (Some(_), ..) => {
            return Err(Error::refused(format!(
                "{tool}: `lines` can't go with `offset` or `limit`: slice one way."
            )));
        }
    };
    Ok(OutputCall::Read {
        id: OutputId::new(&given.id)?,
        slice,
    })
}

/// A part of an output: the text alone, and beside it where it lies and how to go on.
pub fn read_reply(id: &OutputId, content: &[u8], slice: &Slice) -> Reply {
    let total = content.len();
    let size = counted(total, "byte", "bytes");
    let part = match cut(content, slice, READ_MAX_BYTES) {
        Found::Part(part) if total > 0 => part,
        found => {
            let lines = match found {
                Found::PastTheEnd(Some(lines)) => {
                    format!(" in {}", counted(lines, "line", "lines"))
                }
                _ => String::new(),
            };
            let text = format!("Nothing there: output {id} has {size}{lines}.");
            return Reply::new(text, json!({"id": id.as_str(), "total_bytes": total}));
        }
    };
    let (start, end) = (part.bytes.start, part.bytes.end);
    let mut remark = vec![match part.lines {
        _ if (start, end) == (0, total) => format!("All of output {id}: {size}."),
        Some((first, last, lines)) if !part.shortened => {
            format!("Lines {first}-{last} of {}.", grouped(lines))
        }
        _ => format!("Bytes {start}-{end} of {total}."),
    }];
    let asked_for_more = part.lines.is_none() || part.shortened;
    let next = (end < total && asked_for_more).then_some(end);
    if let Some(next) = next {
        remark.push(format!("Go on: {{\"id\":\"{id}\",\"offset\":{next}}}"));
    }
    if matches!(part.text, std::borrow::Cow::Owned(_)) {
        remark.push("What is not UTF-8 is shown as \u{fffd}.".to_owned());
    }
    let mut data = json!({
        "id": id.as_str(), "total_bytes": total, "offset": start, "end": end, "next_offset": next,
    });
    if let (Some((_, _, lines)), Some(fields)) = (part.lines, data.as_object_mut()) {
        fields.insert("total_lines".to_owned(), Value::from(lines));
    }
    Reply::new(part.text, data).with_remark(remark.join(" "))
}

/// What is kept, newest first.
pub fn list_reply(found: &[OutputHead], limit: usize) -> Reply {
    let bytes: u64 = found.iter().map(|output| output.bytes).sum();
    let outputs_shown: Vec<&OutputHead> = found.iter().take(limit).collect();
    let all = counted(found.len(), "output", "outputs");
    let mut lines = vec![match (found.len(), outputs_shown.len()) {
        (0, _) => "No outputs are kept.".to_owned(),
        (total, shown) if shown < total => {
            format!("{shown} of {all} ({} bytes), newest first:", grouped(bytes))
        }
        _ => format!("{all} ({} bytes), newest first:", grouped(bytes)),
    }];
    lines.extend(outputs_shown.iter().map(|output| {
        format!(
            "{} {} bytes {} {}",
            output.id,
            grouped(output.bytes),
            moment(output.kept),
            output.tool
        )
    }));
    let outputs: Vec<Value> = outputs_shown.into_iter().map(head_json).collect();
    Reply::new(
        lines.join("\n"),
        json!({"output_count": found.len(), "total_bytes": bytes, "outputs": outputs}),
    )
}

fn head_json(output: &OutputHead) -> Value {
    json!({
        "id": output.id.as_str(),
        "bytes": output.bytes,
        "tool": output.tool,
        "session": output.session.as_str(),
        "kept": output.kept,
    })
}

/// A time as agents and people read it.
pub fn moment(at: Millis) -> String {
    jiff::Timestamp::from_millisecond(at).map_or_else(
        |_| "-".to_owned(),
        |time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use snapbox::{assert_data_eq, str};

    fn read(content: &[u8], arguments: &Value) -> String {
        let mut given = json!({"id": "abcdef012345"});
        given
            .as_object_mut()
            .unwrap()
            .extend(arguments.as_object().unwrap().clone());
        let reply = match output_call(READ, &given).unwrap() {
            Ok(OutputCall::Read { id, slice }) => read_reply(&id, content, &slice),
            Ok(OutputCall::List { .. }) => panic!("a list"),
            Err(error) => Reply::from(error),
        };
        let blocks: Vec<&str> = reply.blocks().collect();
        format!(
            "{given}\n  {}\n",
            blocks.join("\n--\n").replace('\n', "\n  ")
        )
    }

    #[test]
    fn a_read_gives_the_part_alone_and_beside_it_how_to_go_on() {
        let text = b"one\ntwo\nthree\n";
        let all = [
            read(text, &json!({})),
            read(text, &json!({"lines": "2-3"})),
            read(text, &json!({"lines": "-1"})),
            read(text, &json!({"lines": "7-9"})),
            read(text, &json!({"offset": 4, "limit": 3})),
            read(text, &json!({"offset": 8})),
            read(text, &json!({"offset": 99})),
            read(text, &json!({"limit": 0})),
            read(text, &json!({"lines": "1-2", "offset": 4})),
            read(text, &json!({"lines": "x"})),
            read(b"", &json!({})),
            read(b"caf\xe9", &json!({})),
        ];
        assert_data_eq!(
            all.concat(),
            str![[r#"
{"id":"abcdef012345"}
  one
  two
  three
  
  --
  All of output abcdef012345: 14 bytes.
{"id":"abcdef012345","lines":"2-3"}
  two
  three
  
  --
  Lines 2-3 of 3.
{"id":"abcdef012345","lines":"-1"}
  three
  
  --
  Lines 3-3 of 3.
{"id":"abcdef012345","lines":"7-9"}
  Nothing there: output abcdef012345 has 14 bytes in 3 lines.
{"id":"abcdef012345","offset":4,"limit":3}
  two
  --
  Bytes 4-7 of 14. Go on: {"id":"abcdef012345","offset":7}
{"id":"abcdef012345","offset":8}
  three
  
  --
  Bytes 8-14 of 14.
{"id":"abcdef012345","offset":99}
  Nothing there: output abcdef012345 has 14 bytes.
{"id":"abcdef012345","limit":0}
  scratchpad_read: `limit` must be at least 1. Nothing was changed.
{"id":"abcdef012345","lines":"1-2","offset":4}
  scratchpad_read: `lines` can't go with `offset` or `limit`: slice one way. Nothing was changed.
{"id":"abcdef012345","lines":"x"}
  `lines` must be like "120-180" or "-40" (the last 40); "x" was given. Nothing was changed.
{"id":"abcdef012345"}
  Nothing there: output abcdef012345 has 0 bytes.
{"id":"abcdef012345"}
  caf�
  --
  All of output abcdef012345: 4 bytes. What is not UTF-8 is shown as �.

"#]]
        );
    }

    #[test]
    fn what_is_too_long_comes_in_parts_that_make_the_whole() {
        let text = "größer\n".repeat(10_000);
        let id = OutputId::new("abcdef012345").unwrap();
        let (mut whole, mut slice, mut parts) = (String::new(), Slice::Whole, 0);
        loop {
            let reply = read_reply(&id, text.as_bytes(), &slice);
            assert!(reply.text.len() <= READ_MAX_BYTES);
            whole.push_str(&reply.text);
            parts += 1;
            match reply.structured.unwrap()["next_offset"].as_u64() {
                None => break,
                Some(next) => {
                    let next = usize::try_from(next).unwrap();
                    assert!(
                        reply
                            .remark
                            .unwrap()
                            .contains(&format!("\"offset\":{next}}}"))
                    );
                    slice = Slice::Bytes {
                        offset: next,
                        limit: usize::MAX,
                    };
                }
            }
        }
        assert!(whole == text, "the parts are not the whole");
        assert_eq!(parts, 3);
    }
}
