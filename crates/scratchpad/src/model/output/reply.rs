//! Replies about outputs: the text of a part stays exact, and what is said about it goes into the remark.

use serde_json::{Value, json};

use super::OutputHead;
use super::find::Hits;
use super::page::Shown;
use super::probe::{Found, Probe};
use super::slice::SliceResult;
use super::tool::ReadCall;
use crate::model::id::Millis;
use crate::model::reply::Reply;
use crate::model::text::bytes::{one_line, shown};
use crate::model::text::message::{Message, counted, message, number};
use crate::model::text::quantity::{self, counted as counted_text, grouped, shortened};

/// A part of an output; the remark says where it is and how to continue.
pub fn part(call: &ReadCall, total: u64, found: SliceResult) -> Reply {
    let id = &call.id;
    let size = bytes(total);
    let part = match found {
        SliceResult::Part(part) if total > 0 => part,
        found => {
            let id = id.to_string();
            let text = match found {
                SliceResult::PastTheEnd(Some(lines)) => message!(
                    "Out of range: output {id} has {size} in {lines}.",
                    id,
                    size,
                    lines = counted(lines, "{number} line", "{number} lines")
                ),
                _ => message!("Out of range: output {id} has {size}.", id, size),
            };
            let id = &call.id;
            return Reply::new(text, json!({"id": id.as_str(), "total_bytes": total}));
        }
    };
    let (start, end) = (part.bytes.start, part.bytes.end);
    let mut remark = vec![match part.lines {
        _ if (start, end) == (0, total) => {
            message!("All of output {id}: {size}.", id = id.to_string(), size)
        }
        Some((first, last, lines)) if !part.shortened => {
            message!(
                "Lines {range} of {total}.",
                range = format!("{first}-{last}"),
                total = number(lines)
            )
        }
        _ => message!(
            "Bytes {range} of {total}.",
            range = format!("{start}-{end}"),
            total = total.to_string()
        ),
    }];
    let asked_for_more = part.lines.is_none() || part.shortened;
    let next = (end < total && asked_for_more).then_some(end);
    if let Some(next) = next {
        remark.push(go_on(call, next));
    }
    if !part.is_exact {
        remark.push(NOT_TEXT.into());
    }
    let mut data = json!({
        "id": id.as_str(), "total_bytes": total, "offset": start, "end": end, "next_offset": next,
    });
    if let (Some((_, _, lines)), Some(fields)) = (part.lines, data.as_object_mut()) {
        fields.insert("total_lines".to_owned(), Value::from(lines));
    }
    Reply::new(part.text, data).with_remark(Message::joined(remark, " "))
}

fn bytes(number: u64) -> Message {
    counted(number, "{number} byte", "{number} bytes")
}

fn go_on(call: &ReadCall, next: u64) -> Message {
    message!("Next: {call}", call = call.going_on(next).to_string())
}

const NOT_TEXT: &str = "Bytes that are not UTF-8 are shown as \\xNN.";

/// What a probe found: one page of matches, values or rows.
pub fn found(call: &ReadCall, probe: &Probe, total: u64, found: &Found, shown: &Shown) -> Reply {
    let counts = match probe {
        Probe::Grep { .. } => "matches",
        Probe::Json(_) | Probe::Text(_) => "results",
        Probe::Sql { .. } => "rows",
    };
    let data = json!({
        "id": call.id.as_str(), "total_bytes": total, counts: found.count, "next_offset": shown.next,
    });
    if found.count > 0 {
        return page(call, probe, found, shown, data);
    }
    let id = call.id.to_string();
    let size = bytes(total);
    let reply = match probe {
        Probe::Grep { .. } => message!("No match in output {id} ({size}).", id, size),
        Probe::Json(_) | Probe::Text(_) => {
            message!("The expression matches nothing in output {id}.", id)
        }
        Probe::Sql { .. } => message!("The query gives no rows."),
    };
    Reply::new(
        found
            .about
            .iter()
            .fold(reply, |reply, about| reply.and(about.clone())),
        data,
    )
}

fn page(call: &ReadCall, probe: &Probe, what: &Found, found: &Shown, data: Value) -> Reply {
    if found.bytes.is_empty() {
        return Reply::new(
            message!(
                "Out of range: the answer has {size} bytes.",
                size = number(found.total)
            ),
            data,
        );
    }
    let Found { count, about } = what;
    let what = match probe {
        Probe::Grep { .. } => counted(*count, "{number} match", "{number} matches"),
        Probe::Json(_) | Probe::Text(_) => counted(*count, "{number} result", "{number} results"),
        Probe::Sql { .. } => counted(*count, "{number} row", "{number} rows"),
    };
    let mut remark = vec![match found.next {
        None => message!("{what}.", what),
        Some(next) => {
            let (start, total) = (next - found.bytes.len() as u64, found.total);
            message!(
                "{what}; bytes {range} of {total} of this answer.",
                what,
                range = format!("{start}-{next}"),
                total = total.to_string()
            )
        }
    }];
    remark.extend(about.clone());
    let text = shown(&found.bytes);
    // Such a line comes from the search, or only looks like it: the remark is right for both.
    let is_part = |line: &str| {
        let digits = line.trim_start_matches(|char: char| char.is_ascii_digit());
        digits.len() < line.len() && digits.starts_with('@')
    };
    if matches!(probe, Probe::Grep { .. }) && text.lines().any(is_part) {
        remark.push("N@B: part of the long line N from byte B.".into());
    }
    if let Some(next) = found.next {
        remark.push(go_on(call, next));
    }
    Reply::new(text.into_owned(), data).with_remark(Message::joined(remark, " "))
}

/// A listed output, with the matches of a search.
pub type Listed = (OutputHead, Option<Hits>);

/// The outputs found, newest first. `max_bytes` is the limit for all outputs together.
pub fn listed(found: &[Listed], limit: usize, max_bytes: u64) -> Reply {
    let bytes: u64 = found.iter().map(|(output, _)| output.bytes).sum();
    let shown = found.get(..limit.min(found.len())).unwrap_or_default();
    let is_search = found.iter().any(|(_, hits)| hits.is_some());
    let mut lines = Vec::new();
    if found.is_empty() {
        lines.push("No outputs found.".to_owned());
    } else {
        let what = match (is_search, counted_text(found.len(), "output", "outputs")) {
            (true, count) => format!("{count} with a match"),
            (false, count) => format!(
                "{count} ({} of at most {} bytes)",
                grouped(bytes),
                grouped(max_bytes)
            ),
        };
        let part = match shown.len() {
            all if all == found.len() => String::new(),
            first => format!("{} of ", grouped(first)),
        };
        lines.push(format!("{part}{what}, newest first:"));
    }
    lines.extend(shown.iter().map(|(output, hits)| {
        let line = format!(
            "{} {}, {}, {}, {}, {}",
            output.id,
            counted_text(output.bytes, "byte", "bytes"),
            counted_text(output.lines, "line", "lines"),
            output.kind.name(),
            moment(output.kept),
            tools_of(output)
        );
        match hits {
            Some(hits) => {
                let count = counted_text(hits.count, "match", "matches");
                format!("{line}\n  {count}, line {}: {}", hits.line, hits.around)
            }
            None if output.preview.is_empty() => line,
            None => format!("{line}\n  {}", preview_line(output, PREVIEW_CHARS)),
        }
    }));
    let outputs: Vec<Value> = shown.iter().map(head_json).collect();
    Reply::new(
        lines.join("\n"),
        json!({
            "output_count": found.len(), "total_bytes": bytes, "max_total_bytes": max_bytes,
            "outputs": outputs,
        }),
    )
}

/// The longest preview in a list, in characters.
const PREVIEW_CHARS: usize = 100;
/// The most tools that a list names for one output.
const MAX_TOOLS: usize = 3;

/// The tools that produced an output, the latest first.
pub fn tools_of(output: &OutputHead) -> String {
    let (shown, more) = output
        .tools
        .split_at_checked(MAX_TOOLS)
        .unwrap_or((&output.tools, &[]));
    let names: Vec<String> = shown.iter().map(|tool| one_line(tool)).collect();
    let names = names.join("; ");
    match more.len() {
        0 => names,
        more => format!("{names}; {more} more"),
    }
}

/// The preview of an output on one line.
pub fn preview_line(output: &OutputHead, chars: usize) -> String {
    shortened(&one_line(&output.preview), chars)
}

fn head_json((output, hits): &Listed) -> Value {
    let mut head = json!({
        "id": output.id.as_str(),
        "bytes": output.bytes,
        "lines": output.lines,
        "kind": output.kind.name(),
        "tool": output.tools.first(),
        "tools": output.tools,
        "session": output.session.as_str(),
        "kept": output.kept,
        "used": output.used,
    });
    if let (Some(hits), Some(fields)) = (hits, head.as_object_mut()) {
        fields.insert("matches".to_owned(), Value::from(hits.count));
        fields.insert("first_line".to_owned(), Value::from(hits.line));
        fields.insert("first_match".to_owned(), Value::from(hits.around.as_str()));
    }
    if let (false, Some(fields)) = (output.preview.is_empty(), head.as_object_mut()) {
        fields.insert("preview".to_owned(), Value::from(output.preview.as_str()));
    }
    if let (Some(session), Some(fields)) = (&output.pinned_by, head.as_object_mut()) {
        fields.insert("pinned_by".to_owned(), Value::from(session.as_str()));
    }
    if let (false, Some(fields)) = (output.author.is_empty(), head.as_object_mut()) {
        fields.insert("author".to_owned(), Value::from(output.author.as_str()));
    }
    head
}

/// Formats a time for agents.
pub fn moment(at: Millis) -> String {
    quantity::moment(at, "%Y-%m-%dT%H:%M:%SZ")
}
