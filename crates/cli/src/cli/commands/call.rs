//! `call`: any tool, without MCP.

use clap::Args;
use serde_json::Value;

use crate::cli::app::OpenSession;
use crate::cli::{Done, Global, ui};
use scratchpad::Window;
use scratchpad::model::error::{Error, ErrorKind, Result};
use scratchpad::model::output::tool::READ;
use scratchpad::model::text::message::{message, quoted};
use scratchpad::model::tool::call::{ToolCall, tool_named};
use scratchpad::model::tool::xml::XmlCall;
use scratchpad::model::tool::{Group, Reply};

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad call session_scratchpad '{\"action\":\"set_plan\",\"content\":\"1. read 2. write\"}'
  echo '{\"query\":\"cache\"}' | scratchpad call search_notes -
  scratchpad call add_note '{\"content\":\"Deploys need the VPN\",\"tags\":[\"deploy\"]}' --json
  scratchpad call --xml < call.xml

--json prints the whole reply as MCP gives it. The exit code is 1 if the reply is an error.

The XML form: <tool><tool_name>add_note</tool_name><arguments><content>…</content> \
<tags><tag>a</tag></tags></arguments></tool>")]
pub(in crate::cli) struct CallArgs {
    /// The tool's name; not needed with --xml, which names it
    #[arg(required_unless_present = "xml")]
    tool: Option<String>,
    /// Its arguments as a JSON object; - reads stdin
    #[arg(value_name = "JSON")]
    arguments: Option<String>,
    /// Read the call as XML from stdin
    #[arg(long, conflicts_with = "arguments")]
    xml: bool,
}

pub(in crate::cli) fn run(args: &CallArgs, global: &Global) -> Result<Done> {
    let (tool, arguments) = if args.xml {
        xml_call(args.tool.as_deref())?
    } else {
        (
            args.tool.clone().unwrap_or_default(),
            json_arguments(args.arguments.as_deref())?,
        )
    };
    let mut is_slice = false;
    let reply = match ToolCall::parse(&tool, &arguments) {
        Ok(call) => {
            let opened = OpenSession::open(global, None, call.session.clone())?;
            let session = opened.session_to_write()?;
            let group = call.group();
            is_slice = group == Group::Outputs;
            let window = Window {
                tool: &tool,
                reader: READ,
            };
            let reply = opened.scratchpad.run_tool(&session, call);
            if reply.is_ok() {
                opened.say_if_new();
            }
            reply.map(|it| opened.scratchpad.reply_for(group, &session, window, it))
        }
        Err(error) => Err(error),
    };
    let reply = reply.unwrap_or_else(Reply::from);
    if global.json {
        ui::print_json(&reply.to_json())?;
    } else {
        match &reply.remark {
            // A slice is exact to the byte.
            Some(_) if is_slice => ui::show(&reply.text())?,
            _ => ui::show(&format!("{}\n", reply.text()))?,
        }
        if let Some(remark) = &reply.remark {
            ui::remark(&remark.english());
        }
    }
    Ok(if reply.is_error {
        Done::WithErrorReply
    } else {
        Done::Well
    })
}

fn json_arguments(given: Option<&str>) -> Result<Value> {
    let text = match given {
        None => return Ok(Value::Object(serde_json::Map::new())),
        Some("-") => ui::read_stdin()?,
        Some(text) => text.to_owned(),
    };
    serde_json::from_str(&text).map_err(|error| {
        Error::usage(message!(
            "The arguments are not JSON: {error}. Nothing was changed.",
            error = error.to_string()
        ))
        .hint("pass an object, for example '{\"action\":\"get\"}'.")
    })
}

fn as_usage(error: Error) -> Error {
    error.as_kind(ErrorKind::Usage)
}

fn xml_call(tool: Option<&str>) -> Result<(String, Value)> {
    let call = XmlCall::parse(&ui::read_stdin()?).map_err(as_usage)?;
    if let Some(tool) = tool
        && tool != call.tool
    {
        return Err(Error::usage(message!(
            "The XML calls {called}, the command line {tool}. Nothing was changed.",
            called = quoted(&call.tool),
            tool = quoted(tool)
        )));
    }
    let schema = tool_named(&call.tool)
        .map(|tool| tool.input_schema)
        .unwrap_or_default();
    let arguments = call.arguments(&schema).map_err(as_usage)?;
    Ok((call.tool, arguments))
}
