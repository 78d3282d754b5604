//! Tool results, and which of their texts are too large for the context window.

use serde_json::Value;

use crate::model::host::HOSTS;
use crate::model::output::tool as output_tools;
use crate::model::pad::tool as pad_tool;

/// The result of a tool call, in the host's own shape.
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// The host's name for the tool.
    pub tool: String,
    /// The arguments of the call.
    pub input: Value,
    pub response: Value,
    /// The id of the call, on hosts where it shows whether the model or a script called.
    pub call_id: Option<String>,
}

/// Our own commands, whose output is meant for the agent as it is.
const OWN_COMMANDS: [&str; 3] = ["scratchpad output", "scratchpad run", "scratchpad call"];

/// Tools that read a file: its text is on disk already.
const FILE_READERS: [&str; 5] = ["Read", "read_file", "read", "view", "read_many_files"];

impl ToolResult {
    /// Whether this is the text of a file that the agent read.
    pub fn is_file(&self) -> bool {
        FILE_READERS.contains(&self.tool.as_str())
    }
}

/// Whether a result is ours, or the host has already replaced it by a reference: it must not be kept again.
///
/// `own_files` is the directory of outputs.
pub fn is_left_alone(result: &ToolResult, own_files: &str) -> bool {
    let own_tools = [output_tools::READ, output_tools::LIST, pad_tool::NAME];
    let tool = result.tool.replace(['-', '.'], "_");
    if own_tools.iter().any(|own| tool.contains(own)) || tool.contains("scratchpad_") {
        return true;
    }
    if result.response.get("isImage") == Some(&Value::Bool(true)) {
        return true;
    }
    let input = result.input.to_string();
    (!own_files.is_empty() && input.contains(own_files))
        || OWN_COMMANDS.iter().any(|command| input.contains(command))
}

/// The texts in a result with more bytes than this, in order.
pub fn large_texts(response: &Value, threshold: u64) -> Vec<&str> {
    let mut found = Vec::new();
    collect(response, threshold, &mut found);
    found
}

fn collect<'a>(value: &'a Value, threshold: u64, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) if is_large(text, threshold) => found.push(text),
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect(item, threshold, found)),
        Value::Object(fields) if !is_binary(value) => fields
            .values()
            .for_each(|field| collect(field, threshold, found)),
        _ => {}
    }
}

/// The result with its large texts replaced by these, in order; those without a replacement stay.
pub fn with_texts(
    response: &mut Value,
    threshold: u64,
    texts: &mut dyn Iterator<Item = Option<String>>,
) {
    match response {
        Value::String(text) if is_large(text, threshold) => {
            if let Some(Some(new)) = texts.next() {
                *text = new;
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| with_texts(item, threshold, texts)),
        value if is_binary(value) => {}
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|field| with_texts(field, threshold, texts)),
        _ => {}
    }
}

fn is_large(text: &str, threshold: u64) -> bool {
    text.len() as u64 > threshold && !is_stub(text)
}

/// Whether this is a host's own reference to a result that it has stored itself.
fn is_stub(text: &str) -> bool {
    let mut stubs = HOSTS.iter().flat_map(|host| host.hooks.stubs);
    stubs.any(|stub| text.starts_with(stub))
}

/// Images, audio and other binary content in Base64.
fn is_binary(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str);
    value.get("inlineData").is_some() || matches!(kind, Some("image" | "audio" | "resource"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn result(tool: &str, input: Value) -> ToolResult {
        ToolResult {
            tool: tool.to_owned(),
            input,
            response: Value::Null,
            call_id: None,
        }
    }

    #[test]
    fn large_texts_are_replaced_where_they_stand() {
        let long = "x".repeat(10);
        let mut response = json!({"stdout": long, "stderr": "short", "blocks": [{"type": "text", "text": long},
            {"type": "image", "data": long}], "stub": "<persisted-output> xxxxxxxxxxxxx"});
        assert_eq!(large_texts(&response, 9), [&long, &long]);
        assert_eq!(large_texts(&response, 10), [] as [&str; 0]);
        with_texts(
            &mut response,
            9,
            &mut [None, Some("two".to_owned())].into_iter(),
        );
        assert_eq!(
            response,
            json!({"stdout": long, "stderr": "short", "blocks": [{"type": "text", "text": "two"},
            {"type": "image", "data": long}], "stub": "<persisted-output> xxxxxxxxxxxxx"})
        );
    }

    #[test]
    fn our_own_tools_and_files_are_left_alone() {
        for tool in [
            "mcp__scratchpad__scratchpad_read",
            "mcp__scratchpad__search_notes",
            "scratchpad-session-scratchpad",
            "mcp_memory_scratchpad_list",
        ] {
            assert!(
                is_left_alone(&result(tool, Value::Null), "/data/outputs"),
                "{tool}"
            );
        }
        let shell = |command: &str| result("Bash", json!({"command": command}));
        for command in [
            "grep x /data/outputs/ab/abc.txt",
            "scratchpad output read 0123456789ab",
            "/usr/bin/scratchpad run -- make",
        ] {
            assert!(is_left_alone(&shell(command), "/data/outputs"), "{command}");
        }
        assert!(!is_left_alone(&shell("make test"), "/data/outputs"));
    }
}
