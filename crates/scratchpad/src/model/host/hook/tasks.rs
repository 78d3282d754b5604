//! Calls of a host's own task tool, and what they say about its list.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tool_result::ToolResult;
use crate::model::pad::plan::ItemState;

/// A task tool of a host.
#[derive(Debug)]
pub struct TaskTool {
    pub(in crate::model::host) name: &'static str,
    pub(in crate::model::host) form: TaskForm,
}

/// What a call of a task tool holds. Verified with the real programs.
#[derive(Debug)]
pub(in crate::model::host) enum TaskForm {
    /// The whole list, in the arguments: the pointer to it, and the field with the text of an item.
    Whole {
        list: &'static str,
        text: &'static str,
    },
    /// One new task, in the arguments; its id is in the result.
    New,
    /// A change of one task, in the arguments.
    Change,
    /// The whole list, in the result.
    Listing,
}

/// A task on a host's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Empty on hosts that always send the whole list.
    pub id: String,
    pub text: String,
    pub state: ItemState,
}

/// What a call says about the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskCall {
    Whole(Vec<Task>),
    New(Task),
    Change {
        id: String,
        text: Option<String>,
        state: Option<ItemState>,
    },
}

/// What a tool call says about the host's task list, if it was a call of one of these tools that succeeded.
pub fn task_call(tools: &[TaskTool], call: &ToolResult) -> Option<TaskCall> {
    let tool = tools.iter().find(|tool| tool.name == call.tool)?;
    let (input, result) = (&call.input, &call.response);
    match tool.form {
        TaskForm::Whole { list, text } => whole(input.pointer(list)?, text),
        TaskForm::New => Some(TaskCall::New(Task {
            id: id(result.pointer("/task/id"))?,
            text: line(input.get("subject"))?,
            state: ItemState::Pending,
        })),
        TaskForm::Change if result.get("success") == Some(&Value::Bool(false)) => None,
        TaskForm::Change => Some(TaskCall::Change {
            id: id(input.get("taskId"))?,
            text: line(input.get("subject")),
            state: input.get("status").map(state),
        }),
        // An empty answer does not tell a list that was given up from one that the host has forgotten.
        TaskForm::Listing => whole(result.get("tasks")?, "subject")
            .filter(|call| *call != TaskCall::Whole(Vec::new())),
    }
}

fn whole(list: &Value, text: &str) -> Option<TaskCall> {
    let list = list.as_array()?;
    let tasks = list.iter().filter_map(|item| {
        Some(Task {
            id: id(item.get("id")).unwrap_or_default(),
            text: line(item.get(text))?,
            state: item.get("status").map_or(ItemState::Pending, state),
        })
    });
    let tasks: Vec<Task> = tasks.collect();
    // A list in a form that we don't know says nothing.
    (tasks.len() == list.len()).then_some(TaskCall::Whole(tasks))
}

fn id(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// A text as one line; `None` if it is empty.
fn line(value: Option<&Value>) -> Option<String> {
    let words: Vec<&str> = value?.as_str()?.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn state(status: &Value) -> ItemState {
    match status.as_str().unwrap_or_default() {
        "in_progress" => ItemState::Active,
        "completed" => ItemState::Done,
        "blocked" => ItemState::Blocked,
        "cancelled" | "deleted" => ItemState::Dropped,
        _ => ItemState::Pending,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::host::with_hooks;
    use serde_json::json;

    fn call(host: &str, tool: &str, input: Value, response: Value) -> Option<TaskCall> {
        let result = ToolResult {
            tool: tool.to_owned(),
            input,
            response,
            call_id: None,
        };
        task_call(with_hooks(host).unwrap().hooks.task_tools, &result)
    }

    fn task(id: &str, text: &str, state: ItemState) -> Task {
        Task {
            id: id.to_owned(),
            text: text.to_owned(),
            state,
        }
    }

    #[test]
    fn each_host_has_its_own_form_for_the_same_list() {
        let items = |text: &str| {
            json!([{text: "read\n it", "status": "completed"}, {text: "fix", "status": "in_progress"},
                {text: "ask", "status": "blocked"}, {text: "old", "status": "cancelled"}, {text: "docs", "status": "pending"}])
        };
        let expected = TaskCall::Whole(vec![
            task("", "read it", ItemState::Done),
            task("", "fix", ItemState::Active),
            task("", "ask", ItemState::Blocked),
            task("", "old", ItemState::Dropped),
            task("", "docs", ItemState::Pending),
        ]);
        for (host, tool, input) in [
            ("claude", "TodoWrite", json!({"todos": items("content")})),
            ("codex", "update_plan", json!({"plan": items("step")})),
            (
                "gemini",
                "write_todos",
                json!({"todos": items("description")}),
            ),
            ("qwen", "todo_write", json!({"todos": items("content")})),
            ("opencode", "todowrite", json!({"todos": items("content")})),
        ] {
            let read = call(host, tool, input, json!("done"));
            assert_eq!(read.as_ref(), Some(&expected), "{host}");
        }
    }

    #[test]
    fn claude_code_makes_and_changes_single_tasks() {
        let new = call(
            "claude",
            "TaskCreate",
            json!({"subject": "fix", "description": "x"}),
            json!({"task": {"id": "2", "subject": "fix"}}),
        );
        assert_eq!(
            new,
            Some(TaskCall::New(task("2", "fix", ItemState::Pending)))
        );
        let change = |status: Value, success: bool| {
            let input = json!({"taskId": "2", "status": status});
            call("claude", "TaskUpdate", input, json!({"success": success}))
        };
        let changed = TaskCall::Change {
            id: "2".to_owned(),
            text: None,
            state: Some(ItemState::Dropped),
        };
        assert_eq!(change(json!("deleted"), true), Some(changed));
        assert_eq!(change(json!("deleted"), false), None);
        let listing = json!({"tasks": [{"id": "1", "subject": "read", "status": "completed", "blockedBy": []}]});
        assert_eq!(
            call("claude", "TaskList", json!({}), listing),
            Some(TaskCall::Whole(vec![task("1", "read", ItemState::Done)]))
        );
        assert_eq!(
            call("claude", "TaskList", json!({}), json!({"tasks": []})),
            None
        );
    }

    #[test]
    fn other_tools_and_forms_say_nothing() {
        let todos = json!({"todos": [{"content": "read", "status": "pending"}]});
        assert_eq!(call("claude", "Bash", todos.clone(), json!("ok")), None);
        assert_eq!(call("codex", "TodoWrite", todos, json!("ok")), None);
        for input in [
            json!({}),
            json!({"todos": "read"}),
            json!({"todos": ["read"]}),
            json!({"todos": [{"content": " "}]}),
        ] {
            assert_eq!(
                call("claude", "TodoWrite", input.clone(), json!("ok")),
                None,
                "{input}"
            );
        }
    }
}
