//! Hosts whose hooks are an extension of ours, in their own language: what it sends, and what it is answered.
//!
//! The extension calls `scratchpad hook` at each event. The names and fields are ours, the same for every such host.

use serde_json::{Value, json};

use super::hook::answer::{Answer, line};
use super::hook::wire::{SubAgent, Wire};
use super::hook::{Delivery, EventName, HostHooks};
use super::install::Program;

const EVENTS: &[(&str, EventName)] = &[
    ("session.start", EventName::SessionStart),
    ("chat.message", EventName::Prompt),
    ("system.transform", EventName::ModelCall),
    ("session.compacting", EventName::BeforeCompaction),
    ("tool.after", EventName::AfterTool),
    ("text.complete", EventName::ReplyEnd),
    ("session.end", EventName::SessionEnd),
];

const WIRE: Wire = Wire {
    event: "/event",
    session: "/sessionID",
    directory: "/directory",
    source: "/source",
    prompt: "/prompt",
    tool: "/tool",
    input: "/args",
    response: "/output",
    error: "",
    summary: "",
    call: "",
    reply: "/reply",
    transcript: "",
    original: "/original",
    replied_ago: "",
    sub_agent: SubAgent::NotNamed,
    first_message: "",
};

fn answer(_: &str, answer: &Answer) -> String {
    line(&match answer {
        Answer::Context(text) | Answer::Summary(text) => json!({"context": text}),
        Answer::Result { response, .. } => json!({"output": response}),
        _ => json!({}),
    })
}

/// The hooks of such a host.
pub(super) const HOOKS: HostHooks = HostHooks {
    wires: &[&WIRE],
    events: EVENTS,
    answer,
    delivery: Delivery::WithRequests,
    replaces_results: true,
    ..HostHooks::NONE
};

/// A source text with the program, its hook's options and the name of its server filled in.
pub(super) fn filled(source: &str, program: &Program) -> String {
    let options = [&["--tools"], &program.hook_options()[..]].concat();
    let options: Vec<String> = options
        .into_iter()
        .map(|option| Value::from(option).to_string())
        .collect();
    source
        .replace(
            "\"PROGRAM\"",
            &Value::from(program.path.as_str()).to_string(),
        )
        .replace("\"--tools\"", &options.join(", "))
}

/// The whole extension for a host: what all have in common, and its own part.
pub(super) fn whole(host: &str, own: &str, program: &Program) -> String {
    let common = include_str!("extension.js").replace("HOST", host);
    filled(&(common + own), program)
}
