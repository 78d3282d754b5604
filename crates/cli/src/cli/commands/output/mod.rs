//! `output`: large texts that are kept whole and read in parts.

mod tidy;

use std::io;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::app::{App, OpenSession};
use crate::cli::capture::Captured;
use crate::cli::i18n::{number, text, translated};
use crate::cli::{Done, Global, ui};
use scratchpad::Scratchpad;
use scratchpad::Whose;
use scratchpad::model::error::{Error, ErrorKind, Result};
use scratchpad::model::output::Origin;
use scratchpad::model::output::find::Query;
use scratchpad::model::output::reply::{Listed, preview_line, tools_of};
use scratchpad::model::output::tool;
use scratchpad::model::output::tool::OutputCall;
use scratchpad::model::text::bytes::read_piece;
use scratchpad::model::text::message::message;
use scratchpad::store::Removal;

/// The longest preview in a table, in characters.
const PREVIEW_CHARS: usize = 60;

#[derive(Args)]
#[command(after_help = "\
Examples:
  cargo test 2>&1 | scratchpad output put --tool \"cargo test\"
  scratchpad output list --query \"connection refused\"
  scratchpad output read 3fa9c1d2e4b5 --lines -40
  scratchpad output read 3fa9c1d2e4b5 --grep 'panicked at' --context 3
  scratchpad output read 3fa9c1d2e4b5 --expr '$.items[0:3]'
  scratchpad output read 3fa9c1d2e4b5 --expr 'group_by(.state) | map({state: .[0].state, n: length})'
  scratchpad output read 3fa9c1d2e4b5 --sql 'select state, count(*) from t group by state'

Outputs are kept for 24 hours and up to 50 MiB in all: `outputs.max_age` and \
`outputs.max_total_bytes` set that. What was used within the last hour stays.")]
pub(in crate::cli) struct OutputArgs {
    #[command(subcommand)]
    command: OutputCommand,
}

#[derive(Subcommand)]
enum OutputCommand {
    /// Keep stdin if it is large, and print a reference; print it unchanged if it is small
    Put {
        /// The tool that produced it, for the list of outputs and for rules
        #[arg(long, value_name = "NAME", default_value = "put")]
        tool: String,
        /// Keep it even if it is small
        #[arg(long)]
        always: bool,
    },
    /// Print an output byte for byte, or a slice of it
    Read(ReadArgs),
    /// List outputs, most recently kept first
    List {
        /// Only those that contain this text
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        query: Option<String>,
        /// Only those from tools whose names contain this
        #[arg(long, value_name = "NAME")]
        tool: Option<String>,
        /// How many to list
        #[arg(long, default_value_t = 20, value_name = "N", value_parser = ui::at_least_one)]
        limit: usize,
        /// Include all projects
        #[arg(long)]
        all: bool,
    },
    /// Delete outputs, and say of each whether it existed
    Delete {
        /// Their ids
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Also those that a pad was cut from
        #[arg(long)]
        force: bool,
    },
    /// Remove outputs that are too old, over the size limit, damaged or orphaned, and say why the others stay; also happens by itself
    Prune,
    /// Delete all outputs of the project, except those that a pad was cut from
    Clear {
        /// Include all projects
        #[arg(long)]
        all: bool,
        /// Also those that a pad was cut from
        #[arg(long)]
        force: bool,
    },
    /// Show how much is kept
    Stats,
}

#[derive(Args)]
struct ReadArgs {
    /// The id, as the reference shows it
    id: String,
    /// Lines: 120-180, 120-, 120, or -40 for the last 40
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    lines: Option<String>,
    /// Lines that match a regular expression
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    grep: Option<String>,
    /// Lines to show around each match
    #[arg(long, value_name = "N", requires = "grep")]
    context: Option<u64>,
    /// Ignore case
    #[arg(long, short, requires = "grep")]
    ignore_case: bool,
    /// The result of an expression over JSON: JSONPath if it starts with $, else a jq filter
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    expr: Option<String>,
    /// The rows that a query gives, as CSV: a SELECT over the table t, which has the output's rows
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    sql: Option<String>,
    /// Start at this byte
    #[arg(long, value_name = "BYTES")]
    offset: Option<u64>,
    /// At most this many bytes
    #[arg(long, value_name = "BYTES")]
    limit: Option<u64>,
}

pub(in crate::cli) fn run(args: OutputArgs, global: &Global) -> Result<Done> {
    match args.command {
        OutputCommand::Put { tool, always } => put(&tool, always, global),
        OutputCommand::Read(args) => read(args, global),
        OutputCommand::List {
            query,
            tool,
            limit,
            all,
        } => list(query.as_deref(), tool.as_deref(), limit, all, global),
        OutputCommand::Delete { ids, force } => tidy::delete(&ids, removal(force), global),
        OutputCommand::Prune => tidy::prune(global),
        OutputCommand::Clear { all, force } => tidy::clear(all, removal(force), global),
        OutputCommand::Stats => tidy::stats(global),
    }
}

fn removal(force: bool) -> Removal {
    if force {
        Removal::Any
    } else {
        Removal::Unpinned
    }
}

fn pad(global: &Global) -> Result<Scratchpad> {
    App::find(global)?.scratchpad_for_a_moment()
}

fn put(tool: &str, always: bool, global: &Global) -> Result<Done> {
    let opened = OpenSession::open_to_stay(global)?;
    let threshold = match opened.scratchpad.offload().threshold("put", tool) {
        Some(_) if always => Some(0),
        other => other,
    };
    // Without a threshold, everything is passed through.
    let mut captured = Captured::new(&opened, threshold);
    let mut stdin = io::stdin().lock();
    let mut part = vec![0; 64 << 10];
    loop {
        match read_piece(&mut stdin, &mut part) {
            Ok([]) => break,
            Ok(piece) => captured.take(piece)?,
            Err(error) => {
                return Err(Error::store(message!(
                    "Can't read stdin: {error}.",
                    error = error.to_string()
                )));
            }
        }
    }
    captured.finish(Origin {
        upstream: "put",
        tool,
    })?;
    Ok(Done::Well)
}

fn read(args: ReadArgs, global: &Global) -> Result<Done> {
    let pad = pad(global)?;
    let slices = [&args.lines, &args.grep, &args.expr, &args.sql];
    let slices = slices.iter().any(|way| way.is_some());
    if !slices && args.offset.is_none() && args.limit.is_none() && !global.json {
        let id = pad.meant_output(&args.id)?;
        let (mut content, _) = pad.output(&id)?;
        if let Err(error) = ui::show_bytes(&mut content)
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            return Err(Error::store(message!(
                "Can't print output {id}: {error}.",
                id = id.to_string(),
                error
            )));
        }
        return Ok(Done::Well);
    }
    let id = match pad.meant_output(&args.id) {
        Ok(id) => id.to_string(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(error),
        // What is no id at all is refused in the words of the tool.
        Err(_) => args.id,
    };
    let mut arguments = json!({"id": id});
    let given = [
        ("lines", args.lines.map(Value::from)),
        ("grep", args.grep.map(Value::from)),
        ("context", args.context.map(Value::from)),
        ("ignore_case", args.ignore_case.then_some(Value::from(true))),
        ("json", args.expr.map(Value::from)),
        ("sql", args.sql.map(Value::from)),
        ("offset", args.offset.map(Value::from)),
        ("limit", args.limit.map(Value::from)),
    ];
    if let Some(fields) = arguments.as_object_mut() {
        let given = given
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        fields.extend(given);
    }
    let Some(call) = tool::output_call(tool::READ, &arguments) else {
        return Err(Error::usage("There is no tool that reads outputs."));
    };
    let OutputCall::Read(call) = call? else {
        return Err(Error::usage("This call reads nothing."));
    };
    // A person has no context window to fill; JSON is for programs that page.
    let max = if global.json { None } else { Some(usize::MAX) };
    let reply = pad.read_output(&call, max)?;
    if global.json {
        ui::print_json(&reply.to_json())?;
    } else {
        match &reply.remark {
            Some(remark) => {
                ui::show(&translated(&reply.message))?;
                ui::remark(&translated(remark));
            }
            // Nothing was found: the message is a remark, not content.
            None => ui::remark(&translated(&reply.message)),
        }
    }
    Ok(Done::Well)
}

fn list(
    query: Option<&str>,
    tool: Option<&str>,
    limit: usize,
    all: bool,
    global: &Global,
) -> Result<Done> {
    let opened = OpenSession::open(global, None, None)?;
    let query = query.map(Query::new).transpose()?;
    // The same that `output stats` counts.
    let outputs = match opened.named_session()? {
        _ if all => opened.scratchpad.all_outputs(Whose::Everybody)?,
        Some(session) => opened.scratchpad.list_outputs(&session)?,
        None => opened.scratchpad.all_outputs(Whose::Project)?,
    };
    let found = opened
        .scratchpad
        .find_outputs(outputs, query.as_ref(), tool)?;
    if global.json {
        let reply = opened.scratchpad.outputs_listed(&found, limit);
        ui::print_json(&reply.structured.unwrap_or_default())?;
        return Ok(Done::Well);
    }
    if found.is_empty() {
        ui::remark(&text!("output-none"));
        return Ok(Done::Well);
    }
    let rows = found.iter().take(limit).map(row).collect();
    let mut header = vec![
        text!("output-column-id"),
        text!("output-column-bytes"),
        text!("output-column-lines"),
        text!("output-column-kind"),
        text!("output-column-kept"),
        text!("output-column-tool"),
    ];
    if query.is_none() {
        header.push(text!("output-column-preview"));
    } else {
        header.extend([
            text!("output-column-matches"),
            text!("output-column-line"),
            text!("output-column-first"),
        ]);
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    ui::print_long(&ui::table(&header, rows))?;
    if found.len() > limit {
        ui::remark(&text!(
            "output-more",
            count = found.len() - limit,
            limit = found.len()
        ));
    }
    Ok(Done::Well)
}

fn row((output, hits): &Listed) -> Vec<String> {
    let mut row = vec![
        output.id.to_string(),
        number(output.bytes),
        number(output.lines),
        output.kind.name().to_owned(),
        ui::age(output.kept),
        tools_of(output),
    ];
    match hits {
        Some(hits) => row.extend([number(hits.count), number(hits.line), hits.around.clone()]),
        None => row.push(preview_line(output, PREVIEW_CHARS)),
    }
    row
}
