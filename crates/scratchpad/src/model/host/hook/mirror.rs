//! The host's task list, kept as the plan while the agent has none of its own.
//!
//! The host shows its own list in the conversation, so the plan that mirrors it is given back only where a conversation
//! may have lost it: after compaction, resume and fork.

use std::hash::{DefaultHasher, Hasher as _};

use serde::{Deserialize, Serialize};

use super::tasks::{Task, TaskCall};
use crate::model::id::Millis;
use crate::model::pad::plan::{ItemName, ItemState, is_anything_open, items, marked};
use crate::model::text::quantity::counted;

/// The name of the action of a revision that the mirror wrote.
pub const ACTION: &str = "mirror";
/// How many tasks are remembered by their ids.
const MAX_TASKS: usize = 100;

/// What is known of the mirrored list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mirror {
    /// When the host's list last changed.
    pub at: Millis,
    /// A hash of the plan as it was written; empty if none was.
    plan: String,
    /// The latest revision of the session that is known to have the mirror's plan; 0 if none is. With it, the log of a long
    /// session need not be read at each call.
    pub revision: u64,
    /// Whether the conversation may have lost the list.
    is_due: bool,
    /// The tasks, on hosts that send changes of single ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<Task>,
}

impl Mirror {
    /// Whether no list was mirrored.
    pub fn is_empty(&self) -> bool {
        self.plan.is_empty() && self.tasks.is_empty()
    }

    /// Whether this plan is a mirrored list.
    pub fn owns(&self, plan: &str) -> bool {
        !plan.is_empty() && self.plan == hash(plan)
    }

    /// Whether this plan, a mirrored one, is to be given back.
    pub(super) fn is_due(&self, plan: &str) -> bool {
        self.is_due && is_anything_open(plan)
    }

    /// The conversation may have lost the list.
    pub(super) fn lose(&mut self) {
        self.is_due = !self.plan.is_empty();
    }

    /// The conversation has the list again.
    pub(super) fn give(&mut self) {
        self.is_due = false;
    }

    /// Notes a call of the host's task tool. `plan` is the plan if the mirror wrote it, or empty, or `None` if it is the
    /// agent's own. Returns the plan to write, if it changes.
    pub fn hear(
        &mut self,
        call: &TaskCall,
        plan: Option<&str>,
        max_chars: usize,
        at: Millis,
    ) -> Option<String> {
        let new = self.listed(call, plan.unwrap_or_default(), max_chars);
        // The call is in the conversation.
        self.give();
        let old = plan?;
        if new == old {
            return None;
        }
        self.plan = hash(&new);
        self.at = at;
        Some(new)
    }

    /// The list after a call.
    fn listed(&mut self, call: &TaskCall, plan: &str, max_chars: usize) -> String {
        match call {
            TaskCall::Whole(tasks) if tasks.is_empty() => {
                for task in self.tasks.iter_mut().filter(|task| task.state.is_open()) {
                    task.state = ItemState::Dropped;
                }
                return given_up(plan);
            }
            TaskCall::Whole(tasks) => {
                let have_ids = tasks.iter().all(|task| !task.id.is_empty());
                self.tasks = if have_ids { tasks.clone() } else { Vec::new() };
                return rendered(tasks, max_chars);
            }
            TaskCall::New(task) => {
                self.tasks.retain(|known| known.id != task.id);
                self.tasks.push(task.clone());
            }
            TaskCall::Change { id, text, state } => {
                let Some(task) = self.tasks.iter_mut().find(|task| task.id == *id) else {
                    return plan.to_owned();
                };
                if let Some(text) = text {
                    task.text.clone_from(text);
                }
                task.state = state.unwrap_or(task.state);
            }
        }
        let excess = self.tasks.len().saturating_sub(MAX_TASKS);
        self.tasks.drain(..excess);
        rendered(&self.tasks, max_chars)
    }
}

/// An emptied list: what was open is dropped. It is not cleared, because a late or mistaken call must not lose it.
fn given_up(plan: &str) -> String {
    let open = items(plan).into_iter().enumerate();
    let open: Vec<ItemName> = open
        .filter(|(_, item)| item.state.is_open())
        .map(|(index, _)| ItemName::Number(index + 1))
        .collect();
    if open.is_empty() {
        return plan.to_owned();
    }
    marked(plan, &open, ItemState::Dropped).unwrap_or_else(|_| plan.to_owned())
}

/// The tasks as a plan of at most so many characters: what is closed goes first, then the end.
fn rendered(tasks: &[Task], max_chars: usize) -> String {
    let mut lines: Vec<(bool, String)> = tasks
        .iter()
        .map(|task| {
            let line = format!("- [{}] {}", task.state.mark(), task.text);
            (task.state.is_open(), line)
        })
        .collect();
    let chars = |lines: &[(bool, String)]| -> usize {
        lines.iter().map(|(_, line)| line.chars().count() + 1).sum()
    };
    while chars(&lines) > max_chars + 1 {
        let closed = lines.iter().position(|(is_open, _)| !is_open);
        let Some(closed) = closed else { break };
        lines.remove(closed);
    }
    let mut hidden = 0;
    while chars(&lines) + left_out(hidden).chars().count() > max_chars && !lines.is_empty() {
        lines.pop();
        hidden += 1;
    }
    let mut lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
    lines.extend((hidden > 0).then(|| left_out(hidden)));
    lines.join("\n").chars().take(max_chars).collect()
}

fn left_out(hidden: usize) -> String {
    if hidden == 0 {
        return String::new();
    }
    format!(
        "({} not kept here)",
        counted(hidden, "more task", "more tasks")
    )
}

/// Collisions are harmless: that one plan is given at fewer events.
fn hash(plan: &str) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(plan.as_bytes());
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 2_000;

    fn task(id: &str, text: &str, state: ItemState) -> Task {
        Task {
            id: id.to_owned(),
            text: text.to_owned(),
            state,
        }
    }

    fn whole(list: &[(&str, ItemState)]) -> TaskCall {
        let tasks = list.iter().map(|(text, state)| task("", text, *state));
        TaskCall::Whole(tasks.collect())
    }

    #[test]
    fn a_whole_list_replaces_the_plan_and_an_equal_one_writes_nothing() {
        let mut mirror = Mirror::default();
        let list = whole(&[("read", ItemState::Done), ("fix", ItemState::Active)]);
        let plan = mirror.hear(&list, Some(""), MAX, 5).unwrap();
        assert_eq!(plan, "- [x] read\n- [>] fix");
        assert!(mirror.owns(&plan) && !mirror.owns("- [ ] other"));
        assert_eq!(mirror.hear(&list, Some(&plan), MAX, 6), None);
        assert_eq!(mirror.at, 5);
    }

    #[test]
    fn an_emptied_list_marks_what_was_open_and_clears_nothing() {
        let mut mirror = Mirror::default();
        let list = whole(&[("read", ItemState::Done), ("fix", ItemState::Active)]);
        let plan = mirror.hear(&list, Some(""), MAX, 5).unwrap();
        let after = mirror.hear(&whole(&[]), Some(&plan), MAX, 6).unwrap();
        assert_eq!(after, "- [x] read\n- [-] fix");
        assert_eq!(mirror.hear(&whole(&[]), Some(&after), MAX, 7), None);
        mirror.lose();
        assert!(!mirror.is_due(&after));
    }

    #[test]
    fn an_agents_own_plan_is_not_touched() {
        let mut mirror = Mirror::default();
        let list = whole(&[("read", ItemState::Pending)]);
        assert_eq!(mirror.hear(&list, None, MAX, 5), None);
        assert!(!mirror.owns("- [ ] read"));
    }

    #[test]
    fn single_tasks_are_known_by_their_ids() {
        let mut mirror = Mirror::default();
        let mut plan = String::new();
        let mut hear = |call: TaskCall| {
            if let Some(new) = mirror.hear(&call, Some(&plan), MAX, 5) {
                plan = new;
            }
            plan.clone()
        };
        hear(TaskCall::New(task("1", "read", ItemState::Pending)));
        hear(TaskCall::New(task("2", "fix", ItemState::Pending)));
        let change = |id: &str, text: Option<&str>, state| TaskCall::Change {
            id: id.to_owned(),
            text: text.map(str::to_owned),
            state,
        };
        hear(change("1", None, Some(ItemState::Done)));
        hear(change("2", Some("fix it"), None));
        assert_eq!(
            hear(change("7", None, Some(ItemState::Done))),
            "- [x] read\n- [ ] fix it"
        );
    }

    #[test]
    fn a_list_that_is_too_long_loses_what_is_closed_and_then_its_end() {
        let many: Vec<Task> = (0..40)
            .map(|number| {
                let state = if number % 2 == 0 {
                    ItemState::Done
                } else {
                    ItemState::Pending
                };
                task("", &format!("task {number}"), state)
            })
            .collect();
        for max in [0, 5, 40, 100, 300, 10_000] {
            let plan = rendered(&many, max);
            assert!(plan.chars().count() <= max, "{max}: {plan}");
        }
        assert_eq!(rendered(&many, 10_000).lines().count(), 40);
        let plan = rendered(&many, 100);
        assert_eq!(
            plan,
            "- [ ] task 1\n- [ ] task 3\n- [ ] task 5\n- [ ] task 7\n- [ ] task 9\n(15 more tasks not kept here)"
        );
    }
}
