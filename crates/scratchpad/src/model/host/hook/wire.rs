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
    /// The id of the tool's call, where it tells who called.
    pub(super) call: &'static str,
    pub(super) reply: &'static str,
    pub(super) transcript: &'static str,
    pub(super) original: &'static str,
    /// How many seconds ago the agent last replied, in a conversation that goes on.
    pub(super) replied_ago: &'static str,
    pub(super) sub_agent: SubAgent,
    /// The text of the first message of a model request.
    pub(super) first_message: &'static str,
}

/// How a host tells that an event is a sub-agent's, and which session that has.
#[derive(Debug)]
pub(super) enum SubAgent {
    /// It does not, or not where a call of ours is made: what counts is the session that is named.
    Untold,
    /// By an id, which is its session.
    Id(&'static str),
    /// By an id within the session of who started it.
    IdWithin(&'static str),
    /// By who started it. It has no tools of ours, so nothing that happens to it concerns us.
    WithoutTools(&'static str),
}

/// Claude Code.
pub(super) const CLAUDE: Wire = Wire {
    event: "/hook_event_name",
    session: "/session_id",
    directory: "/cwd",
    source: "/source",
    prompt: "/prompt",
    tool: "/tool_name",
    input: "/tool_input",
    response: "/tool_response",
    call: "",
    reply: "/last_assistant_message",
    transcript: "/transcript_path",
    original: "",
    replied_ago: "/seconds_since_last_response",
    sub_agent: SubAgent::IdWithin("/agent_id"),
    first_message: "",
};

/// VS Code, which runs Claude Code's hooks too.
pub(super) const VS_CODE: Wire = Wire {
    event: "/hookEventName",
    session: "/sessionId",
    sub_agent: SubAgent::Untold,
    ..CLAUDE
};

/// Codex, where a sub-agent is known by its id beyond its agent, and a script by the ids of its calls.
pub(super) const CODEX: Wire = Wire {
    call: "/tool_use_id",
    sub_agent: SubAgent::Id("/agent_id"),
    ..CLAUDE
};

/// Qwen Code tells a sub-agent, but its hooks can't change a call.
pub(super) const QWEN: Wire = Wire {
    sub_agent: SubAgent::Untold,
    ..CLAUDE
};

pub(super) const GEMINI: Wire = Wire {
    reply: "/prompt_response",
    sub_agent: SubAgent::Untold,
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
    call: "",
    reply: "",
    transcript: "/transcriptPath",
    original: "",
    replied_ago: "",
    sub_agent: SubAgent::Id("/agentId"),
    first_message: "",
};

/// Copilot CLI with Claude Code's event names, as in a plugin.
pub(super) const COPILOT_PLUGIN: Wire = Wire {
    response: "/tool_result/text_result_for_llm",
    call: "",
    ..CODEX
};

pub(super) const CLINE: Wire = Wire {
    event: "/hookName",
    // What it resumes by; each start, each sub-agent and each teammate has a task of its own.
    session: "/sessionContext/rootSessionId",
    directory: "/workspaceRoots/0",
    source: "",
    prompt: "/userPromptSubmit/prompt",
    tool: "/tool_result/name",
    input: "/tool_result/input",
    response: "/tool_result/output",
    call: "",
    reply: "/turn/outputText",
    transcript: "",
    original: "",
    replied_ago: "",
    sub_agent: SubAgent::WithoutTools("/parent_agent_id"),
    first_message: "",
};

/// Cline where it tells the task alone.
pub(super) const CLINE_TASK: Wire = Wire {
    session: "/taskId",
    ..CLINE
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
    call: "",
    reply: "/reply",
    transcript: "",
    original: "/original",
    replied_ago: "",
    sub_agent: SubAgent::Untold,
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
