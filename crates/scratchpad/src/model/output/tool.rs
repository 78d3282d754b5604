//! The tools that read and list outputs, and their arguments.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::find::Query;
use super::probe::Probe;
use super::slice::{LineRange, Slice};
use crate::model::definition::{Effect, Group, Tool};
use crate::model::error::{Error, Result};
use crate::model::id::OutputId;
use crate::model::json::arguments;
use crate::model::json::arguments::{MAX_LIMIT, checked_limit};
use crate::model::text::message::message;

/// The tool that reads an output.
pub const READ: &str = "scratchpad_read";
/// The tool that lists outputs.
pub const LIST: &str = "scratchpad_list";
/// The one tool that does both, for `--compact`.
pub const COMPACT_NAME: &str = "outputs";

/// The page size of what a search or an expression finds, unless `limit` asks for more.
pub const PAGE_BYTES: usize = 8 * 1024;

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct ReadArguments {
    /// output
    id: String,
    /// "120-180"; "-40": last 40
    lines: Option<String>,
    /// regex
    grep: Option<String>,
    /// for grep
    ignore_case: Option<bool>,
    /// lines around
    context: Option<u64>,
    /// JSONPath ($..id) or jq (map(.id))
    json: Option<String>,
    /// select .. from t, its rows
    sql: Option<String>,
    /// bytes
    offset: Option<u64>,
    /// bytes
    limit: Option<u64>,
}

impl ReadArguments {
    fn probe(&self) -> Option<Probe> {
        match (&self.grep, &self.json, &self.sql) {
            (Some(pattern), ..) => Some(Probe::Grep {
                pattern: pattern.clone(),
                ignore_case: self.ignore_case.unwrap_or(false),
                context: self.context.unwrap_or(0),
            }),
            (None, Some(expression), _) => Some(Probe::Json(expression.clone())),
            (None, None, Some(query)) => Some(Probe::Sql {
                query: query.clone(),
                // Known when it is read.
                sources: Vec::new(),
            }),
            (None, None, None) => None,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ListArguments {
    /// text in them
    query: Option<String>,
    /// name or part of it
    tool: Option<String>,
    /// default 20
    #[schemars(extend("maximum" = MAX_LIMIT))]
    limit: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct CompactArguments {
    id: Option<String>,
    lines: Option<String>,
    grep: Option<String>,
    json: Option<String>,
    sql: Option<String>,
    offset: Option<u64>,
    limit: Option<u64>,
    query: Option<String>,
}

/// A parsed call.
#[derive(Clone, Debug)]
pub enum OutputCall {
    Read(ReadCall),
    List {
        /// Only outputs that contain this.
        query: Option<Query>,
        /// Only outputs of tools whose names contain this.
        tool: Option<String>,
        limit: usize,
    },
}

/// A call that reads a part of an output.
#[derive(Clone, Debug)]
pub struct ReadCall {
    pub id: OutputId,
    pub slice: Slice,
    /// The arguments that a call for the next page repeats.
    arguments: Map<String, Value>,
}

impl ReadCall {
    /// The most bytes that the call asks for.
    pub fn limit(&self) -> Option<usize> {
        let limit = self.arguments.get("limit")?.as_u64()?;
        Some(usize::try_from(limit).unwrap_or(usize::MAX))
    }

    /// The arguments of the call that continues at an offset.
    pub fn going_on(&self, offset: u64) -> Value {
        let mut arguments = self.arguments.clone();
        arguments.insert("offset".to_owned(), Value::from(offset));
        Value::Object(arguments)
    }
}

/// The definitions that agents read.
pub fn definitions() -> Vec<Tool> {
    vec![
        tool::<ReadArguments>(READ, "Read a kept output or one slice."),
        tool::<ListArguments>(LIST, "List kept outputs, newest first."),
    ]
}

/// The definition of the one tool for `--compact`.
pub fn compact_definition() -> Tool {
    tool::<CompactArguments>(
        COMPACT_NAME,
        "Kept outputs. With id: read it; lines \"120-180\", \"-40\"; grep; json: JSONPath, jq; sql over rows t. Without: list; query finds.",
    )
}

fn tool<T: JsonSchema>(name: &'static str, description: &'static str) -> Tool {
    let number = json!({"type": "integer"});
    let properties = match name {
        READ => json!({
            "id": {"type": "string"}, "total_bytes": number, "offset": number, "end": number,
            "next_offset": {"type": ["integer", "null"]}, "total_lines": number,
            "matches": number, "results": number, "rows": number,
        }),
        LIST => json!({
            "output_count": number, "total_bytes": number, "max_total_bytes": number,
            "outputs": {"type": "array", "items": {"type": "object"}},
        }),
        _ => json!({}),
    };
    Tool {
        name,
        description,
        input_schema: arguments::schema::<T>(),
        output_schema: json!({"type": "object", "properties": properties}),
        group: Group::Outputs,
        effect: Effect::Reads,
    }
}

/// Parses a call of an output tool; `None` if the tool is not one of them.
pub fn output_call(tool: &str, given: &Value) -> Option<Result<OutputCall>> {
    Some(match tool {
        READ => {
            arguments::parse(tool, given, &["session"]).and_then(|asked| read_call(tool, asked))
        }
        LIST => arguments::parse(tool, given, &["session"])
            .and_then(|asked: ListArguments| list_call(tool, asked)),
        COMPACT_NAME => arguments::parse(tool, given, &["session"])
            .and_then(|asked: CompactArguments| compact_call(tool, asked)),
        _ => return None,
    })
}

fn compact_call(tool: &str, asked: CompactArguments) -> Result<OutputCall> {
    let CompactArguments {
        id,
        lines,
        grep,
        json,
        sql,
        offset,
        limit,
        query,
    } = asked;
    let slices = [&lines, &grep, &json, &sql];
    let slices = slices.iter().any(|way| way.is_some()) || offset.is_some();
    match id {
        Some(_) if query.is_some() => Err(Error::refused(message!(
            "{tool}: `query` searches all outputs, so it can't be combined with `id`; use `grep`.",
            tool
        ))),
        Some(id) => {
            let asked = ReadArguments {
                id,
                lines,
                grep,
                json,
                sql,
                offset,
                limit,
                ..ReadArguments::default()
            };
            read_call(tool, asked)
        }
        None if slices => Err(Error::refused(message!(
            "{tool} needs `id` to read a part.",
            tool
        ))),
        None => {
            let tool_filter = None;
            let asked = ListArguments {
                query,
                tool: tool_filter,
                limit,
            };
            list_call(tool, asked)
        }
    }
}

fn list_call(tool: &str, asked: ListArguments) -> Result<OutputCall> {
    Ok(OutputCall::List {
        query: asked.query.as_deref().map(Query::new).transpose()?,
        tool: asked.tool,
        limit: checked_limit(tool, asked.limit)?,
    })
}

fn read_call(tool: &str, asked: ReadArguments) -> Result<OutputCall> {
    let id = OutputId::new(&asked.id)?;
    let refused = |what: &'static str| Err(Error::refused(what).within(tool.to_owned()));
    if asked.limit == Some(0) {
        return refused("`limit` must be at least 1.");
    }
    let ways = [&asked.lines, &asked.grep, &asked.json, &asked.sql];
    let chosen = ways.iter().filter(|way| way.is_some()).count();
    if chosen > 1 {
        return refused("`lines`, `grep`, `json` and `sql` can't be combined: slice one way.");
    }
    if asked.lines.is_some() && (asked.offset.is_some() || asked.limit.is_some()) {
        return refused("`lines` can't be combined with `offset` or `limit`: slice one way.");
    }
    if asked.grep.is_none() && (asked.context.is_some() || asked.ignore_case.is_some()) {
        return refused("`context` and `ignore_case` go with `grep`.");
    }
    let bytes = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let offset = asked.offset.unwrap_or(0);
    let slice = if let Some(lines) = &asked.lines {
        Slice::Lines(LineRange::parse(lines)?)
    } else if let Some(probe) = asked.probe() {
        probe.check()?;
        Slice::Probe(probe, offset)
    } else if asked.offset.is_none() && asked.limit.is_none() {
        Slice::Whole
    } else {
        Slice::Bytes {
            offset,
            limit: asked.limit.map_or(usize::MAX, bytes),
        }
    };
    let mut arguments = Map::new();
    arguments.insert("id".to_owned(), Value::from(id.as_str()));
    let mut again = |name: &str, value: Value| {
        if !value.is_null() {
            arguments.insert(name.to_owned(), value);
        }
    };
    again("grep", Value::from(asked.grep));
    again("ignore_case", Value::from(asked.ignore_case));
    again("context", Value::from(asked.context));
    again("json", Value::from(asked.json));
    again("sql", Value::from(asked.sql));
    again("limit", Value::from(asked.limit));
    Ok(OutputCall::Read(ReadCall {
        id,
        slice,
        arguments,
    }))
}
