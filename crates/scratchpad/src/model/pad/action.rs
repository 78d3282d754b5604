//! What each action does to the pad.
//!
//! [`apply`] is the one place that knows the rules. It is pure: it returns what the pad would become.

use super::plan::{ItemName, ItemState, marked};
use super::{Content, Limits, MAX_INPUT_BYTES, Pad, Space, Unit};
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::text::message::{counted, message, number, quoted};
use crate::model::text::nearest::did_you_mean;
use crate::model::text::quantity::shortened;
use crate::model::text::tokens;

/// A write to the pad.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Replace the notes; an overlong text is truncated.
    SetNotes(String),
    /// Append to the notes on a new line; refused if the result is over the limit.
    AppendNotes(String),
    /// Replace the plan; an overlong text is truncated.
    SetPlan(String),
    /// Set the state of plan items.
    Mark {
        items: Vec<ItemName>,
        state: ItemState,
    },
    /// Add one ref as the newest; a duplicate moves to the end.
    AddRef(String),
    RemoveRef(String),
    /// Replace all refs; those over the limit are dropped.
    SetRefs {
        /// Oldest first.
        refs: Vec<String>,
        /// How many of the given items were not strings.
        not_strings: usize,
    },
    /// The old form of replacing, with a token budget; an overlong text is truncated.
    ReplaceByTokens(String),
    /// The old form of appending, with a token budget; refused if the result is over it.
    AppendByTokens(String),
}

impl Action {
    /// The name recorded in revisions.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SetNotes(_) => "set_notes",
            Self::AppendNotes(_) => "append_notes",
            Self::SetPlan(_) => "set_plan",
            Self::Mark { .. } => "mark",
            Self::AddRef(_) => "refs.add",
            Self::RemoveRef(_) => "refs.remove",
            Self::SetRefs { .. } => "refs.set",
            Self::ReplaceByTokens(_) => "replace",
            Self::AppendByTokens(_) => "append",
        }
    }

    pub fn space(&self) -> Space {
        match self {
            Self::SetPlan(_) | Self::Mark { .. } => Space::Plan,
            Self::AddRef(_) | Self::RemoveRef(_) | Self::SetRefs { .. } => Space::Refs,
            _ => Space::Notes,
        }
    }

    /// The size of its input.
    pub fn bytes(&self) -> usize {
        match self {
            Self::SetNotes(text)
            | Self::AppendNotes(text)
            | Self::SetPlan(text)
            | Self::AddRef(text)
            | Self::RemoveRef(text)
            | Self::ReplaceByTokens(text)
            | Self::AppendByTokens(text) => text.len(),
            Self::SetRefs { refs, .. } => refs.iter().map(String::len).sum(),
            Self::Mark { items, .. } => items.iter().map(ItemName::bytes).sum(),
        }
    }

    /// The whole input, if applying the action would lose a part of it.
    ///
    /// It depends on the action alone, so it can be saved before the pad is locked.
    pub fn overflow(&self, limits: &Limits) -> Option<String> {
        match self {
            Self::SetNotes(text) if chars(text) > limits.notes_max_chars => Some(text.clone()),
            Self::SetPlan(text) if chars(text) > limits.plan_max_chars => Some(text.clone()),
            Self::ReplaceByTokens(text) if tokens::estimate(text) > limits.token_budget => {
                Some(text.clone())
            }
            Self::SetRefs { refs, .. } if refs.len() > limits.max_refs => {
                Some(serde_json::Value::from(refs.clone()).to_string())
            }
            _ => None,
        }
    }
}

/// What the pad becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The new content of the one space that changes.
    pub content: Content,
    /// How much of the budget `content` uses.
    pub used: usize,
    pub max: usize,
    /// The unit of `used` and `max`.
    pub unit: Unit,
    /// The size of the input, if it was truncated.
    pub cut_from: Option<usize>,
    /// Refs that were dropped to make room, oldest first.
    pub dropped: Vec<String>,
}

/// Computes what the pad becomes, or why the action is refused.
pub fn apply(pad: &Pad, action: &Action, limits: &Limits) -> Result<Outcome> {
    check_size(action.bytes())?;
    match action {
        Action::SetNotes(text) => Ok(cut_to_chars(text, limits.notes_max_chars, Content::Notes)),
        Action::SetPlan(text) => Ok(cut_to_chars(text, limits.plan_max_chars, Content::Plan)),
        Action::AppendNotes(text) => append_notes(&pad.notes, text, limits),
        Action::Mark { items, state } => mark(&pad.plan, items, *state, limits),
        Action::AddRef(reference) => add_ref(&pad.refs, reference, limits),
        Action::RemoveRef(reference) => remove_ref(&pad.refs, reference, limits),
        Action::SetRefs { refs, .. } => set_refs(refs, limits),
        Action::ReplaceByTokens(text) => Ok(cut_to_tokens(text, limits.token_budget)),
        Action::AppendByTokens(text) => append_by_tokens(&pad.notes, text, limits.token_budget),
    }
}

/// Refuses input that is too large for any budget.
fn check_size(bytes: usize) -> Result<()> {
    if bytes <= MAX_INPUT_BYTES {
        return Ok(());
    }
    Err(Error::refused(message!(
        "The text has {given} bytes, the limit of one call is {max}.",
        given = number(bytes),
        max = number(MAX_INPUT_BYTES)
    ))
    .hint("keep it in a file and add the path as a ref."))
}

/// Characters are Unicode scalar values.
fn chars(text: &str) -> usize {
    text.chars().count()
}

fn cut_to_chars(text: &str, max: usize, content: fn(String) -> Content) -> Outcome {
    let given = chars(text);
    Outcome {
        content: content(text.chars().take(max).collect()),
        used: given.min(max),
        max,
        unit: Unit::Chars,
        cut_from: (given > max).then_some(given),
        dropped: Vec::new(),
    }
}

fn cut_to_tokens(text: &str, max: usize) -> Outcome {
    let given = tokens::estimate(text);
    let kept = text
        .get(..tokens::prefix_within(text, max))
        .unwrap_or(text)
        .to_owned();
    Outcome {
        used: tokens::estimate(&kept),
        content: Content::Notes(kept),
        max,
        unit: Unit::Tokens,
        cut_from: (given > max).then_some(given),
        dropped: Vec::new(),
    }
}

/// Appends on a new line; appending an empty text changes nothing.
fn appended(notes: &str, text: &str) -> String {
    match (notes, text) {
        ("", text) => text.to_owned(),
        (notes, "") => notes.to_owned(),
        (notes, text) => format!("{notes}\n{text}"),
    }
}

fn append_notes(notes: &str, text: &str, limits: &Limits) -> Result<Outcome> {
    let max = limits.notes_max_chars;
    let whole = appended(notes, text);
    let (there, used) = (chars(notes), chars(&whole));
    if there > max {
        return Err(other_budget_rules(there, limits));
    }
    if used > max {
        return Err(Error::refused(message!("Notes not appended: {there} characters kept and {given} given make {sum}, the limit is {max}.", there = number(there), given = number(chars(text)), sum = number(used), max = number(max)))
        .hint("rewrite them shorter with set_notes, or append less."));
    }
    Ok(fitting(Content::Notes(whole), used, max, Unit::Chars))
}

/// The old form may leave more than the actions allow: its budget is in tokens.
fn other_budget_rules(there: usize, limits: &Limits) -> Error {
    Error::refused(message!(
        "Notes not appended: they already have {there} characters, and append_notes goes up to {max}. Only a call with `mode` goes beyond, up to {budget} tokens.",
        there = number(there),
        max = number(limits.notes_max_chars),
        budget = number(limits.token_budget)
    ))
    .hint("rewrite them shorter with set_notes, or go on with `mode` \"append\".")
}

fn append_by_tokens(notes: &str, text: &str, max: usize) -> Result<Outcome> {
    let whole = appended(notes, text);
    let used = tokens::estimate(&whole);
    if used > max {
        let current = tokens::estimate(notes);
        // Keep this wording: agents in the field match on it.
        return Err(Error::new(
            ErrorKind::Refused,
            message!(
                "Append would exceed {max} token budget (current: {current}, append: {given}). Use mode 'replace' to rewrite, or reduce content.",
                max = max.to_string(),
                current = current.to_string(),
                given = used.saturating_sub(current).to_string()
            ),
        ));
    }
    Ok(fitting(Content::Notes(whole), used, max, Unit::Tokens))
}

fn fitting(content: Content, used: usize, max: usize, unit: Unit) -> Outcome {
    Outcome {
        content,
        used,
        max,
        unit,
        cut_from: None,
        dropped: Vec::new(),
    }
}

/// The plan keeps its length, so it is not cut, whatever its limit is by now.
fn mark(plan: &str, items: &[ItemName], state: ItemState, limits: &Limits) -> Result<Outcome> {
    let plan = marked(plan, items, state)?;
    let used = chars(&plan);
    Ok(fitting(
        Content::Plan(plan),
        used,
        limits.plan_max_chars,
        Unit::Chars,
    ))
}

fn check_ref(reference: &str, limits: &Limits) -> Result<()> {
    if reference.trim().is_empty() {
        return Err(
            Error::refused("A ref is empty: give a path, a link or an id.")
                .hint("to clear all refs, set an empty list."),
        );
    }
    let given = chars(reference);
    if given > limits.ref_max_chars {
        return Err(Error::refused(message!(
            "A ref has {given} characters, the limit is {max}.",
            given = number(given),
            max = number(limits.ref_max_chars)
        ))
        .hint(
            "a ref points to something: put long text in the notes, or in a file and add its path.",
        ));
    }
    Ok(())
}

fn add_ref(refs: &[String], reference: &str, limits: &Limits) -> Result<Outcome> {
    check_ref(reference, limits)?;
    let mut kept: Vec<String> = refs
        .iter()
        .filter(|other| *other != reference)
        .cloned()
        .collect();
    kept.push(reference.to_owned());
    let excess = kept.len().saturating_sub(limits.max_refs);
    let dropped = kept.drain(..excess).collect();
    let used = kept.len();
    Ok(Outcome {
        dropped,
        ..fitting(Content::Refs(kept), used, limits.max_refs, Unit::Items)
    })
}

fn remove_ref(refs: &[String], reference: &str, limits: &Limits) -> Result<Outcome> {
    check_ref(reference, limits)?;
    let kept: Vec<String> = refs
        .iter()
        .filter(|other| *other != reference)
        .cloned()
        .collect();
    if kept.len() == refs.len() {
        let near = did_you_mean(reference, refs.iter().map(String::as_str));
        let shown = shortened(reference, 200);
        return Err(Error::refused(message!(
            "No ref equals {reference}; there {count}.",
            reference = quoted(&shown),
            count = counted(refs.len(), "is {number} ref", "are {number} refs")
        ))
        .hint(near.unwrap_or_else(|| "a ref is removed by its exact text.".into())));
    }
    let used = kept.len();
    Ok(fitting(
        Content::Refs(kept),
        used,
        limits.max_refs,
        Unit::Items,
    ))
}

fn set_refs(refs: &[String], limits: &Limits) -> Result<Outcome> {
    for reference in refs {
        check_ref(reference, limits)?;
    }
    let kept: Vec<String> = refs.iter().take(limits.max_refs).cloned().collect();
    Ok(Outcome {
        cut_from: (refs.len() > limits.max_refs).then_some(refs.len()),
        ..fitting(
            Content::Refs(kept.clone()),
            kept.len(),
            limits.max_refs,
            Unit::Items,
        )
    })
}

#[cfg(test)]
mod tests;
