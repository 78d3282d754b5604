//! The arguments of the seven note tools, and of the one that replaces them with `--compact`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::page::NotePage;
use super::source::{LineSpan, given_lines};
use super::{MAX_TAG_CHARS, NoteId, NoteLimits, Scope};
use crate::model::definition::{Effect, Group, Tool};
use crate::model::error::{Error, Result};
use crate::model::json::arguments;
use crate::model::json::arguments::{MAX_LIMIT, checked_limit};
use crate::model::text::message::message;

#[derive(Debug, Deserialize, JsonSchema)]
struct AddArguments {
    content: String,
    tags: Option<Vec<String>>,
    /// project: for later sessions
    scope: Option<Scope>,
    /// path:line-line, 8
    sources: Option<Vec<String>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ScratchArguments {
    content: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct UpdateArguments {
    /// of the note
    id: String,
    content: Option<String>,
    tags: Option<Vec<String>>,
    sources: Option<Vec<String>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct DeleteArguments {
    /// of the note
    id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ListArguments {
    /// with this tag
    tag: Option<String>,
    /// default 20
    #[schemars(extend("maximum" = MAX_LIMIT))]
    limit: Option<u64>,
    /// page after this id
    before: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct SearchArguments {
    /// text, part of a word, or id
    query: Option<String>,
    /// all must match
    tags: Option<Vec<String>>,
    /// default 20
    #[schemars(extend("maximum" = MAX_LIMIT))]
    limit: Option<u64>,
    /// page after this id
    before: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct TagsArguments {}

/// A parsed call of a note tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteCall {
    /// Add a note.
    Add {
        content: String,
        tags: Vec<String>,
        scope: Scope,
        /// Lines that it speaks of, beside those that its text names.
        sources: Vec<LineSpan>,
    },
    /// Change a note's text, its tags, its sources, or several of these.
    Update {
        id: NoteId,
        /// Unchanged if `None`.
        content: Option<String>,
        /// Unchanged if `None`.
        tags: Option<Vec<String>>,
        /// Unchanged if this and the text are `None`.
        sources: Option<Vec<LineSpan>>,
    },
    /// Delete a note.
    Delete { id: NoteId },
    /// List notes, newest first.
    List {
        /// Only notes with this tag.
        tag: Option<String>,
        page: NotePage,
    },
    /// Search notes, best first.
    Search {
        query: Option<String>,
        /// Only notes with all of these tags.
        tags: Vec<String>,
        page: NotePage,
    },
    /// List the tags in use.
    Tags,
}

impl NoteCall {
    /// Whether the call changes stored data.
    pub fn writes(&self) -> bool {
        match self {
            Self::Add { .. } | Self::Update { .. } | Self::Delete { .. } => true,
            Self::List { .. } | Self::Search { .. } | Self::Tags => false,
        }
    }
}

/// The one tool that replaces the seven with `--compact`.
pub const COMPACT_NAME: &str = "notes";

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum CompactAction {
    Add,
    Update,
    Delete,
    Search,
    Tags,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct CompactArguments {
    action: CompactAction,
    id: Option<String>,
    content: Option<String>,
    tags: Option<Vec<String>>,
    scope: Option<Scope>,
    query: Option<String>,
    limit: Option<u64>,
    before: Option<String>,
}

/// The definitions that agents read.
pub fn definitions(limits: &NoteLimits) -> Vec<Tool> {
    let mut tools = vec![
        tool::<AddArguments>(
            "add_note",
            "Keep a fact. Search first: update, don't repeat.",
            Effect::Adds,
        ),
        tool::<ScratchArguments>("scratch_note", "Add a note without tags.", Effect::Adds),
        tool::<UpdateArguments>(
            "update_note",
            "Replace a note's content, tags or sources.",
            Effect::Replaces,
        ),
        tool::<DeleteArguments>("delete_note", "Delete a note.", Effect::Replaces),
        tool::<ListArguments>("list_notes", "List notes, newest first.", Effect::Reads),
        tool::<SearchArguments>("search_notes", "Find notes.", Effect::Reads),
        tool::<TagsArguments>("list_tags", "List tags with counts.", Effect::Reads),
    ];
    for tool in &mut tools {
        let schema = &mut tool.input_schema;
        let content = format!("{} chars", limits.max_chars);
        arguments::set(schema, "content", "description", content);
        if matches!(tool.name, "add_note" | "update_note") {
            let tags = format!("{} of {MAX_TAG_CHARS} chars", limits.max_tags);
            arguments::set(schema, "tags", "description", tags);
        }
        // Taken and not listed: each word of the list is in every window.
        if tool.name == "update_note" {
            arguments::unlist(schema, "sources");
        }
    }
    tools
}

/// The definition of the one tool for `--compact`.
pub fn compact_definition(limits: &NoteLimits) -> Tool {
    let mut tool = tool::<CompactArguments>(
        COMPACT_NAME,
        "Facts to find again. Search (query, tags; the newest without), then add (scope project: for later sessions), update, delete.",
        Effect::Depends,
    );
    let content = format!("{} chars", limits.max_chars);
    arguments::set(&mut tool.input_schema, "content", "description", content);
    tool
}

fn tool<T: JsonSchema>(name: &'static str, description: &'static str, effect: Effect) -> Tool {
    Tool {
        name,
        description,
        input_schema: arguments::schema::<T>(),
        output_schema: output_schema(name),
        group: Group::Notes,
        effect,
    }
}

/// The schema of a tool's structured content.
fn output_schema(tool: &str) -> Value {
    let text_or_null = json!({"type": ["string", "null"]});
    let number = json!({"type": "integer"});
    let notes = json!({"type": "array", "items": {"type": "object"}});
    let (properties, required): (Value, &[&str]) = match tool {
        "list_notes" => (
            json!({
                "note_count": number, "tag_filter": text_or_null, "notes": notes,
                "next_before": {"type": "string"},
            }),
            &["note_count", "notes"],
        ),
        "search_notes" => (
            json!({
                "result_count": number, "query": text_or_null,
                "tags": {"type": "array", "items": {"type": "string"}},
                "match": {"type": "string", "enum": ["substring", "words"]}, "notes": notes,
                "next_before": {"type": "string"},
            }),
            &["result_count", "match", "notes"],
        ),
        "list_tags" => (
            json!({"tags": {"type": "array", "items": {"type": "object"}}}),
            &["tags"],
        ),
        COMPACT_NAME => (json!({}), &[]),
        _ => (
            json!({"note_id": {"type": "string"}, "total_notes": number, "total_tags": number}),
            &["note_id", "total_notes", "total_tags"],
        ),
    };
    json!({"type": "object", "properties": properties, "required": required})
}

/// Parses a call of the one tool.
fn compact_call(given: &Value) -> Result<NoteCall> {
    let CompactArguments {
        action,
        id,
        content,
        tags,
        scope,
        query,
        limit,
        before,
    } = parse(COMPACT_NAME, given)?;
    let needs = |action: &str, argument: &str| {
        Error::refused(message!(
            "{COMPACT_NAME} {action} needs `{argument}`.",
            COMPACT_NAME = COMPACT_NAME.to_string(),
            action,
            argument
        ))
    };
    Ok(match action {
        CompactAction::Add => NoteCall::Add {
            content: content.ok_or_else(|| needs("add", "content"))?,
            tags: tags.unwrap_or_default(),
            scope: scope.unwrap_or_default(),
            sources: Vec::new(),
        },
        CompactAction::Update => {
            let id = id.ok_or_else(|| needs("update", "id"))?;
            if content.is_none() && tags.is_none() {
                return Err(nothing_to_replace(
                    "notes update",
                    "`content`, `tags` or both",
                ));
            }
            NoteCall::Update {
                id: NoteId::parse(&id)?,
                content,
                tags,
                sources: None,
            }
        }
        CompactAction::Delete => NoteCall::Delete {
            id: NoteId::parse(&id.ok_or_else(|| needs("delete", "id"))?)?,
        },
        CompactAction::Search => NoteCall::Search {
            query,
            tags: tags.unwrap_or_default(),
            page: page(COMPACT_NAME, limit, before.as_deref())?,
        },
        CompactAction::Tags => NoteCall::Tags,
    })
}

/// Parses a call of a note tool; `None` if the tool is not one of them.
pub fn note_call(tool: &str, given: &Value) -> Option<Result<NoteCall>> {
    Some(match tool {
        "add_note" => parse(tool, given).and_then(
            |AddArguments {
                 content,
                 tags,
                 scope,
                 sources,
             }| {
                Ok(NoteCall::Add {
                    content,
                    tags: tags.unwrap_or_default(),
                    scope: scope.unwrap_or_default(),
                    sources: given_lines(&sources.unwrap_or_default())?,
                })
            },
        ),
        "scratch_note" => parse(tool, given).map(|ScratchArguments { content }| NoteCall::Add {
            content,
            tags: Vec::new(),
            scope: Scope::Session,
            sources: Vec::new(),
        }),
        "update_note" => parse(tool, given).and_then(|given| update_call(tool, given)),
        "delete_note" => parse(tool, given).and_then(|DeleteArguments { id }| {
            Ok(NoteCall::Delete {
                id: NoteId::parse(&id)?,
            })
        }),
        "list_notes" => parse(tool, given).and_then(|ListArguments { tag, limit, before }| {
            Ok(NoteCall::List {
                tag,
                page: page(tool, limit, before.as_deref())?,
            })
        }),
        "search_notes" => parse(tool, given).and_then(
            |SearchArguments {
                 query,
                 tags,
                 limit,
                 before,
             }| {
                Ok(NoteCall::Search {
                    query,
                    tags: tags.unwrap_or_default(),
                    page: page(tool, limit, before.as_deref())?,
                })
            },
        ),
        "list_tags" => parse(tool, given).map(|TagsArguments {}| NoteCall::Tags),
        COMPACT_NAME => compact_call(given),
        _ => return None,
    })
}

fn parse<T: JsonSchema + serde::de::DeserializeOwned>(tool: &str, given: &Value) -> Result<T> {
    arguments::parse(tool, given, &["session"])
}

fn page(tool: &str, limit: Option<u64>, before: Option<&str>) -> Result<NotePage> {
    Ok(NotePage {
        after: before.map(NoteId::parse).transpose()?,
        limit: checked_limit(tool, limit)?,
    })
}

fn update_call(tool: &str, given: UpdateArguments) -> Result<NoteCall> {
    let UpdateArguments {
        id,
        content,
        tags,
        sources,
    } = given;
    if content.is_none() && tags.is_none() && sources.is_none() {
        return Err(nothing_to_replace(tool, "`content`, `tags` or `sources`"));
    }
    Ok(NoteCall::Update {
        id: NoteId::parse(&id)?,
        content,
        tags,
        sources: sources.as_deref().map(given_lines).transpose()?,
    })
}

fn nothing_to_replace(tool: &str, arguments: &'static str) -> Error {
    Error::refused(message!("{tool} needs {arguments}.", tool, arguments))
        .hint("what is given is replaced, the rest stays.")
}
