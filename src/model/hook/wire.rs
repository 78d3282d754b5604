//! Where each host puts what we need, in the JSON that it sends: one table of JSON pointers for each shape.

use serde_json::Value;

/// Pointers into a payload; an empty one means that the host does not say.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) event: &'static str,
    pub(super) session: &'static str,
    pub(super) directory: &'static str,
    pub(super) source: &'static str,
    pub(super) prompt: &'static str,
    pub(super) tool: &'static str,
    pub(super) input: &'static str,
    pub(super) response: &'static str,
    pub(super) reply: &'static str,
    pub(super) transcript: &'static str,
    pub(super) original: &'static str,
    /// Who started this agent, if it is a sub-agent with a conversation of its own in the process of the other.
    pub(super) parent: &'static str,
    /// The text of the first message of a model request.
    pub(super) first_message: &'static str,
}

/// Claude Code, and those who took over its names: Codex and Qwen Code.
pub(super) const CLAUDE: Wire = Wire {
    event: "/hook_event_name",
    session: "/session_id",
    directory: "/cwd",
    source: "/source",
    prompt: "/prompt",
    tool: "/tool_name",
    input: "/tool_input",
    response: "/tool_response",
    reply: "/last_assistant_message",
    transcript: "/transcript_path",
    original: "",
    parent: "",
    first_message: "",
};

/// VS Code, which runs Claude Code's hooks too.
pub(super) const VS_CODE: Wire = Wire {
    event: "/hookEventName",
    session: "/sessionId",
    ..CLAUDE
};

pub(super) const GEMINI: Wire = Wire {
    reply: "/prompt_response",
    first_message: "/llm_request/messages/0/content",
    ..CLAUDE
};

/// Copilot CLI with its own event names, which stand in the command and not in the payload.
pub(super) const COPILOT: Wire = Wire {
    event: "",
    session: "/sessionId",
    directory: "/cwd",
    source: "/source",
    prompt: "/prompt",
    tool: "/toolName",
    input: "/toolArgs",
    response: "/toolResult/textResultForLlm",
    reply: "",
    transcript: "/transcriptPath",
    original: "",
    parent: "/parentAgentId",
    first_message: "",
};

/// Copilot CLI with Claude Code's event names, as in a plugin.
pub(super) const COPILOT_PLUGIN: Wire = Wire {
    response: "/tool_result/text_result_for_llm",
    ..CLAUDE
};

pub(super) const CLINE: Wire = Wire {
    event: "/hookName",
    session: "/taskId",
    directory: "/workspaceRoots/0",
    source: "",
    prompt: "/userPromptSubmit/prompt",
    tool: "/tool_result/name",
    input: "/tool_result/input",
    response: "/tool_result/output",
    reply: "/turn/outputText",
    transcript: "",
    original: "",
    parent: "",
    first_message: "",
};

/// What our own plugin for `OpenCode` sends.
pub(super) const OPENCODE: Wire = Wire {
    event: "/event",
    session: "/sessionID",
    directory: "/directory",
    source: "/source",
    prompt: "/prompt",
    tool: "/tool",
    input: "/args",
    response: "/output",
    reply: "/reply",
    transcript: "",
    original: "/original",
    parent: "",
    first_message: "",
};

impl Wire {
    /// The text at a pointer, unless it is empty.
    pub(super) fn text<'a>(payload: &'a Value, pointer: &str) -> Option<&'a str> {
        Self::value(payload, pointer)?
            .as_str()
            .filter(|text| !text.is_empty())
    }

    pub(super) fn value<'a>(payload: &'a Value, pointer: &str) -> Option<&'a Value> {
        if pointer.is_empty() {
            return None;
        }
        payload.pointer(pointer)
    }
}
