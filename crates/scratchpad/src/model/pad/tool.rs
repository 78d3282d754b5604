//! The tool `session_scratchpad`: its arguments and its replies.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::action::{Action, Outcome};
use super::block;
use super::plan::{ItemName, ItemState, summary};
use super::{Content, Limits, Pad, Space};
use crate::model::definition::{Effect, Group, Tool};
use crate::model::error::{Error, Result};
use crate::model::id::{OutputId, SessionId};
use crate::model::json::arguments;
use crate::model::reply::Reply;
use crate::model::text::message::{Message, counted, message};
use crate::model::text::quantity::shortened;

/// The tool's name. Without a dot: hosts rename or refuse names that have one.
pub const NAME: &str = "session_scratchpad";
/// The name with a dot, for hosts that accept it.
pub const DOTTED_NAME: &str = "session.scratchpad";

/// The definition that agents read.
pub fn definition(limits: &Limits) -> Tool {
    Tool {
        name: NAME,
        description: "Your working memory, survives compaction. Plan (`- [ ]` lines), findings, decisions, pointers; no file contents, history, guesses.",
        input_schema: input_schema(limits),
        output_schema: output_schema(),
        group: Group::Pad,
        effect: Effect::Adds,
    }
}

/// The schema of the arguments. `content` and `items` have no bounds: what is too long is cut with a warning and kept whole.
fn input_schema(limits: &Limits) -> Value {
    let mut schema = arguments::schema::<PadArguments>();
    let content = format!("{}; empty clears", content_line(limits));
    arguments::set(&mut schema, "content", "description", content);
    let reference = format!("path, link or id, {} chars", limits.ref_max_chars);
    arguments::set(&mut schema, "ref", "description", reference);
    let items = format!("all refs, {}; mark: number or beginning", limits.max_refs);
    arguments::set(&mut schema, "items", "description", items);
    schema
}

fn content_line(limits: &Limits) -> String {
    format!(
        "notes {} chars, plan {}",
        limits.notes_max_chars, limits.plan_max_chars
    )
}

/// The schema of the structured reply to a write or to `get`.
fn output_schema() -> Value {
    let text = json!({"type": "string"});
    let text_or_null = json!({"type": ["string", "null"]});
    let number = json!({"type": "integer"});
    json!({
        "type": "object",
        "properties": {
            "revision": number,
            "space": text, "used": number, "max": number, "unit": text,
            "truncated": {"type": "boolean"}, "spilled_output": text_or_null, "dropped": text_or_null,
            "notes": text, "plan": text, "refs": {"type": "array", "items": text},
            "spaces": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["revision"],
    })
}

/// A shorter definition for `--compact`.
pub fn compact_definition(limits: &Limits) -> Tool {
    let mut input_schema = arguments::without_lines(arguments::schema::<PadArguments>());
    arguments::set(
        &mut input_schema,
        "content",
        "description",
        content_line(limits),
    );
    Tool {
        description: "Memory that survives compaction. refs.add, refs.remove: ref. refs.set, mark: items.",
        input_schema,
        ..definition(limits)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct PadArguments {
    /// set_* replaces
    action: Option<ActionName>,
    content: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    items: Option<Vec<String>>,
    /// for mark
    state: Option<ItemState>,
    /// instead of action: content into notes
    mode: Option<Mode>,
}

/// How the old form, a call without `action`, changes the notes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Replace,
    Append,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Append => "append",
        }
    }
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
enum ActionName {
    #[serde(rename = "set_notes")]
    SetNotes,
    #[serde(rename = "append_notes")]
    AppendNotes,
    #[serde(rename = "set_plan")]
    SetPlan,
    #[serde(rename = "mark")]
    Mark,
    #[serde(rename = "refs.add")]
    RefsAdd,
    #[serde(rename = "refs.remove")]
    RefsRemove,
    #[serde(rename = "refs.set")]
    RefsSet,
    #[serde(rename = "get")]
    Get,
    #[serde(rename = "continue")]
    Continue,
}

/// What a call of `session_scratchpad` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PadCall {
    Write(Action),
    Get,
    /// Takes over a session for the connection.
    Continue(SessionId),
}

/// Parses the arguments of `session_scratchpad`, including the old form, which has no `action`.
pub fn pad_call(arguments: &Value) -> Result<PadCall> {
    let (arguments, not_strings) = without_odd_items(arguments);
    let given: PadArguments = arguments::parse(NAME, &arguments, &["session"])?;
    let Some(action) = given.action else {
        return old_call(given);
    };
    let name = arguments
        .get("action")
        .and_then(Value::as_str)
        .unwrap_or_default();
    check_mode(action, name, given.mode)?;
    let content = |content: Option<String>| {
        content.ok_or_else(|| missing(name, "content", "a string (\"\" clears)"))
    };
    let reference =
        |reference: Option<String>| reference.ok_or_else(|| missing(name, "ref", "a string"));
    Ok(PadCall::Write(match action {
        ActionName::SetNotes => Action::SetNotes(content(given.content)?),
        ActionName::AppendNotes => Action::AppendNotes(content(given.content)?),
        ActionName::SetPlan => Action::SetPlan(content(given.content)?),
        ActionName::Mark => mark(given)?,
        ActionName::RefsAdd => Action::AddRef(reference(given.reference)?),
        ActionName::RefsRemove => Action::RemoveRef(reference(given.reference)?),
        ActionName::RefsSet => Action::SetRefs {
            refs: given
                .items
                .ok_or_else(|| missing(name, "items", "an array of strings"))?,
            not_strings,
        },
        ActionName::Get => return Ok(PadCall::Get),
        ActionName::Continue => {
            let session = arguments.get("session").and_then(Value::as_str);
            let session = session.ok_or_else(|| missing("continue", "session", "an id"))?;
            return Ok(PadCall::Continue(SessionId::new(session)?));
        }
    }))
}

fn mark(given: PadArguments) -> Result<Action> {
    let items = given.items.filter(|items| !items.is_empty());
    let items = items
        .ok_or_else(|| missing("mark", "items", "plan items by number or by how they begin"))?;
    let state = given.state.ok_or_else(|| {
        let names = ItemState::ALL.map(ItemState::name).join(", ");
        missing("mark", "state", &format!("one of {names}"))
    })?;
    Ok(Action::Mark {
        items: items.iter().map(|item| ItemName::read(item)).collect(),
        state,
    })
}

/// The old form: `content`, and `mode` if it is not `replace`, for the notes.
fn old_call(given: PadArguments) -> Result<PadCall> {
    let is_old = given.content.is_some() || given.mode.is_some();
    let is_new = given.reference.is_some() || given.items.is_some() || given.state.is_some();
    if !is_old || is_new {
        return Err(arguments::missing::<PadArguments>(NAME, "action"));
    }
    let mode = given.mode.unwrap_or_default();
    let Some(content) = given.content else {
        let call = format!("mode {}", mode.name());
        return Err(missing(&call, "content", "a string (\"\" clears)"));
    };
    Ok(PadCall::Write(match mode {
        Mode::Replace => Action::ReplaceByTokens(content),
        Mode::Append => Action::AppendByTokens(content),
    }))
}

/// Refuses a `mode` that contradicts the action. One that agrees is let be: some models fill in every argument.
fn check_mode(action: ActionName, name: &str, mode: Option<Mode>) -> Result<()> {
    let meant = match action {
        ActionName::SetNotes | ActionName::SetPlan | ActionName::RefsSet => Mode::Replace,
        ActionName::AppendNotes | ActionName::RefsAdd => Mode::Append,
        _ => return Ok(()),
    };
    match mode {
        Some(given) if given != meant => Err(Error::refused(message!(
            "{action} can't have mode {mode}.",
            action = name,
            mode = given.name()
        ))
        .hint("leave `mode` out: it is for calls without `action`.")),
        _ => Ok(()),
    }
}

/// The arguments without the `items` that are not strings, and how many those were. Numbers of plan items become strings.
fn without_odd_items(arguments: &Value) -> (Value, usize) {
    let mut arguments = arguments.clone();
    let is_mark = arguments.get("action").and_then(Value::as_str) == Some("mark");
    let Some(items) = arguments.get_mut("items").and_then(Value::as_array_mut) else {
        return (arguments, 0);
    };
    for item in items.iter_mut().filter(|item| is_mark && item.is_u64()) {
        *item = Value::from(item.to_string());
    }
    let given = items.len();
    items.retain(Value::is_string);
    let odd = given - items.len();
    (arguments, odd)
}

fn missing(action: &str, argument: &str, kind: &str) -> Error {
    Error::refused(message!(
        "{action} needs `{argument}`, {kind}.",
        action,
        argument,
        kind
    ))
}

pub fn write_reply(
    action: &Action,
    outcome: &Outcome,
    revision: u64,
    spilled: Option<&OutputId>,
) -> Reply {
    let space = action.space();
    let structured = json!({
        "space": space.name(),
        "used": outcome.used,
        "max": outcome.max,
        "unit": outcome.unit.name(),
        "truncated": outcome.cut_from.is_some(),
        "spilled_output": spilled.map(OutputId::as_str),
        "revision": revision,
    });
    let structured = match structured {
        Value::Object(mut fields) if space == Space::Refs => {
            fields.insert("dropped".to_owned(), json!(outcome.dropped.first()));
            Value::Object(fields)
        }
        other => other,
    };
    Reply::new(
        Message::joined(write_text(action, outcome, spilled), " "),
        structured,
    )
}

/// The sentences of the reply to a write.
fn write_text(action: &Action, outcome: &Outcome, spilled: Option<&OutputId>) -> Vec<Message> {
    // No thousands separators: agents in the field match on some of these sentences.
    if let (Action::Mark { .. }, Content::Plan(plan)) = (action, &outcome.content) {
        return vec![summary(plan)];
    }
    let (used, max) = (outcome.used.to_string(), outcome.max.to_string());
    let given = outcome.cut_from.map(|given| given.to_string());
    let mut text = vec![match (action, given) {
        (Action::ReplaceByTokens(_) | Action::AppendByTokens(_), None) => {
            message!(
                "Scratchpad updated ({used} tokens / {max} budget)",
                used,
                max
            )
        }
        (Action::ReplaceByTokens(_), Some(given)) => message!(
            "Scratchpad truncated to {max} tokens (original: {given}). Consider summarizing.",
            max,
            given
        ),
        (Action::AddRef(_), _) => message!("Ref added ({used} / {max}).", used, max),
        (Action::RemoveRef(_), _) => message!("Ref removed ({used} / {max}).", used, max),
        (Action::SetRefs { .. }, None) => message!("Refs saved ({used} / {max}).", used, max),
        (Action::SetRefs { .. }, Some(given)) => {
            message!("Refs saved: the first {max} of {given}.", max, given)
        }
        (_, None) if action.space() == Space::Plan => {
            message!("Plan saved ({used} / {max} chars).", used, max)
        }
        (_, None) => message!("Notes saved ({used} / {max} chars).", used, max),
        (_, Some(given)) if action.space() == Space::Plan => message!(
            "Plan cut to {max} chars ({given} given): rewrite shorter.",
            max,
            given
        ),
        (_, Some(given)) => message!(
            "Notes cut to {max} chars ({given} given): rewrite shorter.",
            max,
            given
        ),
    }];
    if let Some(oldest) = outcome.dropped.first() {
        let shown = shortened(oldest, 120);
        text.push(match outcome.dropped.len() {
            1 => message!("Oldest dropped: {reference}", reference = shown),
            more => message!(
                "{number} oldest dropped, first: {reference}",
                number = more.to_string(),
                reference = shown
            ),
        });
    }
    if let Action::SetRefs { not_strings, .. } = action
        && *not_strings > 0
    {
        text.push(message!(
            "{items} dropped: not a string.",
            items = counted(*not_strings, "{number} item", "{number} items")
        ));
    }
    if let Some(output) = spilled {
        text.push(message!(
            "All of it is output {id} (scratchpad_read, or `scratchpad output read {id}`).",
            id = output.to_string()
        ));
    } else if outcome.cut_from.is_some() {
        text.push("The rest is not kept: outputs are switched off (`outputs.enabled`).".into());
    }
    text
}

pub fn get_reply(pad: &Pad, revision: u64, limits: &Limits) -> Reply {
    let text = block::render_whole(pad).map_or_else(
        || "The pad is empty. Write it with set_notes, set_plan or refs.add.".into(),
        Message::from,
    );
    Reply::new(text, pad_json(pad, revision, limits))
}

/// The pad as structured content.
pub fn pad_json(pad: &Pad, revision: u64, limits: &Limits) -> Value {
    let spaces: Vec<Value> = Space::ALL
        .into_iter()
        .map(|space| {
            let (max, unit) = limits.of(space);
            json!({
                "space": space.name(),
                "used": pad.content(space).used(),
                "max": max,
                "unit": unit.name(),
            })
        })
        .collect();
    json!({
        "notes": pad.notes,
        "plan": pad.plan,
        "refs": pad.refs,
        "revision": revision,
        "spaces": spaces,
    })
}

#[cfg(test)]
mod tests;
