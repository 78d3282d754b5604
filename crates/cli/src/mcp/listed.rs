//! The tools, resources and prompts as protocol types.

use std::sync::Arc;

use rmcp::model::{
    CallToolResult, ContentBlock, MetaObject, Prompt, PromptArgument, Resource, ResourceTemplate,
    Tool as McpTool, ToolAnnotations,
};
use serde_json::{Map, Value};

use scratchpad::model::tool::prompts;
use scratchpad::model::tool::{Effect, Group, Reply, Tool};

/// The URI of the pad.
pub(super) const PAD_URI: &str = "scratchpad://session/pad";
/// The URI prefix of outputs.
pub(super) const OUTPUT_URI: &str = "scratchpad://output/";

/// Whether replies contain structured data beside the text, and tools its schema.
///
/// Hosts show the model the data instead of the text, or both. Either way it costs context window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Structure {
    /// Text only; it contains the same information.
    #[default]
    Text,
    /// Both.
    TextAndData,
}

/// A tool's list entry.
pub(super) fn tool(tool: &Tool, structure: Structure) -> McpTool {
    let mut meta = MetaObject::new();
    // Hosts with a tool search would otherwise defer these tools, but working memory must always be loaded.
    meta.0
        .insert("anthropic/alwaysLoad".to_owned(), Value::Bool(true));
    let listed = McpTool::new(
        tool.name,
        tool.description,
        Arc::new(object(&tool.input_schema)),
    )
    .with_annotations(annotations(tool.effect))
    .with_meta(meta);
    match structure {
        Structure::Text => listed,
        Structure::TextAndData => {
            listed.with_raw_output_schema(Arc::new(object(&tool.output_schema)))
        }
    }
}

fn object(schema: &Value) -> Map<String, Value> {
    schema.as_object().cloned().unwrap_or_default()
}

fn annotations(effect: Effect) -> ToolAnnotations {
    let closed = ToolAnnotations::new().open_world(false);
    match effect {
        Effect::Reads => closed.read_only(true),
        Effect::Adds => closed.read_only(false).destructive(false).idempotent(false),
        Effect::Replaces => closed.read_only(false).destructive(true).idempotent(true),
        Effect::Depends => closed.read_only(false).destructive(true).idempotent(false),
    }
}

/// A reply as a protocol result.
pub(super) fn result(reply: Reply, structure: Structure) -> CallToolResult {
    let blocks: Vec<ContentBlock> = reply.blocks().map(ContentBlock::text).collect();
    let mut result = if reply.is_error {
        CallToolResult::error(blocks)
    } else {
        CallToolResult::success(blocks)
    };
    if structure == Structure::TextAndData {
        result.structured_content = reply.structured;
    }
    result
}

/// The resources of the offered groups.
pub(super) fn resources(offers: impl Fn(Group) -> bool) -> Vec<Resource> {
    let pad = Resource::new(PAD_URI, "pad")
        .with_title("Session scratchpad")
        .with_description("Notes, plan and refs of this session.")
        .with_mime_type("text/plain");
    offers(Group::Pad).then_some(pad).into_iter().collect()
}

/// The templates of resources that are read by id.
pub(super) fn templates(offers: impl Fn(Group) -> bool) -> Vec<ResourceTemplate> {
    let output = ResourceTemplate::new(format!("{OUTPUT_URI}{{id}}"), "output")
        .with_title("Kept output")
        .with_description("The text of an output, 256 KiB at a time: ?offset=BYTES reads on.");
    offers(Group::Outputs)
        .then_some(output)
        .into_iter()
        .collect()
}

/// The prompts of the offered groups.
pub(super) fn prompts(offers: impl Fn(Group) -> bool) -> Vec<Prompt> {
    let (handoff, recap) = match (offers(Group::Pad), offers(Group::Notes)) {
        (true, true) => (
            "Hand over the work: pad and notes as text for another agent",
            "Summarize where the work stands, from pad and notes",
        ),
        (true, false) => (
            "Hand over the work: the pad as text for another agent",
            "Summarize where the work stands, from the pad",
        ),
        (false, true) => (
            "Hand over the work: the notes as text for another agent",
            "Summarize where the work stands, from the notes",
        ),
        (false, false) => return Vec::new(),
    };
    let session = PromptArgument::new("session")
        .with_description("The session to take over [default: this one]")
        .with_required(false);
    vec![
        Prompt::new(prompts::HANDOFF, Some(handoff), Some(vec![session])),
        Prompt::new(prompts::RECAP, Some(recap), None),
    ]
}
