//! A plan's items and their states: marks in its text, so that history, undo and export need nothing else.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::error::{Error, Result};
use crate::model::text::fence::Fences;
use crate::model::text::message::{Message, counted, message, number as digits, quoted};
use crate::model::text::nearest::did_you_mean;
use crate::model::text::quantity::shortened;

/// The most characters of an item to show in a sentence.
const ITEM_CHARS: usize = 80;
/// The most items to name in an error.
const NAMED: usize = 5;

/// The state of an item: the character in its box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ItemState {
    Pending,
    Active,
    Done,
    Blocked,
    Dropped,
}

impl ItemState {
    pub const ALL: [Self; 5] = [
        Self::Pending,
        Self::Active,
        Self::Done,
        Self::Blocked,
        Self::Dropped,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Done => "done",
            Self::Blocked => "blocked",
            Self::Dropped => "dropped",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// The character in the box.
    pub fn mark(self) -> char {
        match self {
            Self::Pending => ' ',
            Self::Active => '>',
            Self::Done => 'x',
            Self::Blocked => '!',
            Self::Dropped => '-',
        }
    }

    fn of_mark(mark: char) -> Option<Self> {
        // As others write it.
        if mark == 'X' {
            return Some(Self::Done);
        }
        Self::ALL.into_iter().find(|state| state.mark() == mark)
    }

    /// Whether there is still something to do.
    pub fn is_open(self) -> bool {
        !matches!(self, Self::Done | Self::Dropped)
    }
}

/// A line of a plan that has a box: `- [ ] text`, or `1. [ ] text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    pub state: ItemState,
    pub text: &'a str,
    /// Where in the plan the character in its box is. It has one byte.
    mark_at: usize,
    /// The bytes before its bullet or number.
    indent: usize,
}

/// How a call names an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemName {
    /// Counted from 1, in the order of the plan.
    Number(usize),
    /// The beginning of its text.
    Beginning(String),
}

impl ItemName {
    pub fn read(word: &str) -> Self {
        let word = word.trim();
        match word.parse() {
            Ok(number) => Self::Number(number),
            Err(_) => Self::Beginning(word.to_owned()),
        }
    }

    /// The size of the name as it was given.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Number(_) => size_of::<usize>(),
            Self::Beginning(text) => text.len(),
        }
    }
}

/// What a line of a plan is.
enum LineKind<'a> {
    Item(Item<'a>),
    /// In a code fence, where nothing is an item.
    Code,
    Prose,
}

fn lines(plan: &str) -> impl Iterator<Item = (&str, LineKind<'_>)> {
    let mut fences = Fences::default();
    let mut start = 0;
    plan.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        let kind = if fences.covers(line) {
            LineKind::Code
        } else {
            item(line, at).map_or(LineKind::Prose, LineKind::Item)
        };
        (line, kind)
    })
}

/// The item in a line that begins at this byte of the plan.
fn item(line: &str, at: usize) -> Option<Item<'_>> {
    let indent = leading_blanks(line);
    let after_bullet = bullet(line.get(indent..)?)?;
    let boxed = after_bullet.trim_start_matches([' ', '\t']);
    let mut after_bracket = boxed.strip_prefix('[')?.chars();
    let state = ItemState::of_mark(after_bracket.next()?)?;
    let text = after_bracket.as_str().strip_prefix(']')?;
    if boxed.len() == after_bullet.len()
        || !(text.is_empty() || text.starts_with(char::is_whitespace))
    {
        return None;
    }
    Some(Item {
        state,
        text: text.trim(),
        mark_at: at + line.len() - boxed.len() + 1,
        indent,
    })
}

/// What follows the bullet or the number of a list item.
fn bullet(line: &str) -> Option<&str> {
    let after_digits = line.trim_start_matches(|char: char| char.is_ascii_digit());
    if (1..=9).contains(&(line.len() - after_digits.len())) {
        return after_digits.strip_prefix(['.', ')']);
    }
    line.strip_prefix(['-', '*', '+'])
}

fn leading_blanks(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The items of a plan, in its order; none if no line has a box.
pub fn items(plan: &str) -> Vec<Item<'_>> {
    let items = lines(plan).filter_map(|(_, kind)| match kind {
        LineKind::Item(item) => Some(item),
        LineKind::Code | LineKind::Prose => None,
    });
    items.collect()
}

/// Whether some item is not yet done or dropped.
pub fn is_anything_open(plan: &str) -> bool {
    items(plan).iter().any(|item| item.state.is_open())
}

/// The plan with these items in this state. Nothing else of it changes.
pub fn marked(plan: &str, names: &[ItemName], state: ItemState) -> Result<String> {
    let items = items(plan);
    if items.is_empty() {
        let error = if plan.trim().is_empty() {
            Error::refused("There is no plan to mark.")
        } else {
            Error::refused("No line of the plan has a box to mark.")
        };
        return Err(error.hint(
            "write it with set_plan as lines like `- [ ] fix the cache key`; the marks are [ ] pending, [>] active, [x] done, [!] blocked, [-] dropped.",
        ));
    }
    let mut new = plan.to_owned();
    for name in names {
        let item = find(&items, name)?;
        new.replace_range(
            item.mark_at..=item.mark_at,
            state.mark().encode_utf8(&mut [0; 4]),
        );
    }
    Ok(new)
}

fn find<'a, 'b>(items: &'b [Item<'a>], name: &ItemName) -> Result<&'b Item<'a>> {
    match name {
        ItemName::Number(number) => number
            .checked_sub(1)
            .and_then(|index| items.get(index))
            .ok_or_else(|| {
                Error::refused(message!(
                    "No plan item {number}: the plan has {count}.",
                    number = digits(*number),
                    count = counted(items.len(), "{number} item", "{number} items")
                ))
                .hint("action get shows the plan; items are counted from 1.")
            }),
        ItemName::Beginning(beginning) => find_by_beginning(items, beginning),
    }
}

fn find_by_beginning<'a, 'b>(items: &'b [Item<'a>], beginning: &str) -> Result<&'b Item<'a>> {
    if beginning.is_empty() {
        return Err(Error::refused(
            "A plan item is named by its number or its beginning; an empty text was given.",
        ));
    }
    let folded = beginning.to_lowercase();
    let texts: Vec<String> = items.iter().map(|item| item.text.to_lowercase()).collect();
    let that = |fits: &dyn Fn(&String) -> bool| -> Vec<usize> {
        let numbered = texts.iter().enumerate();
        numbered
            .filter(|(_, text)| fits(text))
            .map(|(index, _)| index)
            .collect()
    };
    let found = match that(&|text| *text == folded).as_slice() {
        [only] => vec![*only],
        _ => that(&|text| text.starts_with(&folded)),
    };
    let shown = quoted(shortened(beginning, ITEM_CHARS));
    match found.as_slice() {
        [only] => items
            .get(*only)
            .ok_or_else(|| Error::store("A plan item is missing.")),
        [] => {
            let near = did_you_mean(beginning, items.iter().map(|item| item.text));
            Err(Error::refused(message!(
                "No plan item begins with {beginning}.",
                beginning = shown
            ))
            .hint(near.unwrap_or_else(|| "action get shows the plan.".into())))
        }
        several => {
            let named = several.iter().take(NAMED).filter_map(|index| {
                let text = shortened(items.get(*index)?.text, ITEM_CHARS);
                Some(format!("{} {text}", index + 1))
            });
            Err(Error::refused(message!(
                "{count} plan items begin with {beginning}: {items}.",
                count = several.len().to_string(),
                beginning = shown,
                items = named.collect::<Vec<_>>().join("; ")
            ))
            .hint("name one by its number, or write more of its beginning."))
        }
    }
}

/// How many items there are, by their state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub total: usize,
    pub done: usize,
    pub dropped: usize,
}

impl Count {
    pub fn of(items: &[Item<'_>]) -> Self {
        let of = |state| items.iter().filter(|item| item.state == state).count();
        Self {
            total: items.len(),
            done: of(ItemState::Done),
            dropped: of(ItemState::Dropped),
        }
    }

    /// All but what was dropped.
    pub fn wanted(self) -> usize {
        self.total - self.dropped
    }

    pub fn open(self) -> usize {
        self.total - self.done - self.dropped
    }

    fn closed(self) -> usize {
        self.done + self.dropped
    }
}

/// How far the plan is, in one sentence.
pub fn summary(plan: &str) -> Message {
    let items = items(plan);
    let count = Count::of(&items);
    let active = items.iter().filter(|item| item.state == ItemState::Active);
    let active: Vec<String> = active
        .map(|item| shortened(item.text.trim_end_matches('.'), ITEM_CHARS))
        .collect();
    let (done, total) = (digits(count.done), digits(count.total));
    if active.is_empty() {
        return message!("Plan: {done} of {total} done.", done, total);
    }
    message!(
        "Plan: {done} of {total} done, active: {items}.",
        done,
        total,
        items = active.join("; ")
    )
}

/// How far the plan is, and the item at hand: the active one, else the first that is open. `None` without
/// boxes, and if everything was dropped.
pub fn progress(plan: &str) -> Option<(Count, Option<&str>)> {
    let items = items(plan);
    let count = Count::of(&items);
    let active = items.iter().find(|item| item.state == ItemState::Active);
    let open = || items.iter().find(|item| item.state.is_open());
    let at_hand = active.or_else(open).map(|item| item.text);
    (count.wanted() > 0).then_some((count, at_hand))
}

/// What stands over a plan: how far it is, if it has boxes.
pub fn heading(plan: &str) -> String {
    match Count::of(&items(plan)) {
        Count { total: 0, .. } => "Plan:".to_owned(),
        Count { total, done, .. } => format!("Plan ({done} of {total} done):"),
    }
}

/// The plan without what is done or dropped, which one line at the end counts; without boxes, the plan as it is.
///
/// What is indented below an item belongs to it, and is left out with it. All other prose is kept.
pub fn open_part(plan: &str) -> String {
    let count = Count::of(&items(plan));
    if count.closed() == 0 {
        return plan.to_owned();
    }
    let mut shown = String::new();
    let mut hidden = Hidden::default();
    for (line, kind) in lines(plan) {
        if !hidden.covers(line, &kind) {
            shown.push_str(line);
        }
    }
    let shown = shown.trim_matches('\n');
    let line_break = if shown.is_empty() { "" } else { "\n" };
    format!("{shown}{line_break}{}", left_out(count))
}

/// Tells, line by line, what belongs to an item that is left out.
#[derive(Default)]
struct Hidden {
    /// The indentation of the item that is left out.
    below: Option<usize>,
    /// Whether the code that the last line was in is left out.
    code: Option<bool>,
}

impl Hidden {
    fn covers(&mut self, line: &str, kind: &LineKind<'_>) -> bool {
        if let (LineKind::Code, Some(is_hidden)) = (kind, self.code) {
            return is_hidden;
        }
        self.below = match kind {
            LineKind::Item(item) => (!item.state.is_open()).then_some(item.indent),
            LineKind::Code | LineKind::Prose => self
                .below
                .filter(|indent| !line.trim().is_empty() && leading_blanks(line) > *indent),
        };
        let is_hidden = self.below.is_some();
        self.code = matches!(kind, LineKind::Code).then_some(is_hidden);
        is_hidden
    }
}

fn left_out(count: Count) -> String {
    let Count { done, dropped, .. } = count;
    let counts = match (done, dropped) {
        (done, 0) => format!("{done} done"),
        (0, dropped) => format!("{dropped} dropped"),
        (done, dropped) => format!("{done} done, {dropped} dropped"),
    };
    format!("({counts}: not shown; action get shows all)")
}

#[cfg(test)]
mod tests;
