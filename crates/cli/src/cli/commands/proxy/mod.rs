//! `proxy`: runs in front of any MCP server and turns its large results into outputs.

mod wrap;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use crate::cli::app::App;
use crate::cli::{Done, Global, env, ui};
use crate::proxy::{Address, Command, NotStarted, Proxy, Warn};
use scratchpad::SessionFinder;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host::wrap::Way;
use scratchpad::model::settings::hidden::Hidden;
use scratchpad::model::text::message::message;

#[derive(Args)]
#[command(after_help = "\
Examples:
  claude mcp add files -- scratchpad proxy -- npx -y @modelcontextprotocol/server-filesystem .
  scratchpad proxy --url https://example.com/mcp --header 'Authorization: Bearer ${TOKEN}'
  scratchpad proxy --hide 'delete_*' -- npx -y server-name
  scratchpad proxy --wrap .mcp.json --dry-run
  scratchpad proxy --unwrap .mcp.json

All messages pass unchanged, except that texts above 4,096 bytes in tool results are kept and \
replaced by a short reference, and the tools scratchpad_read and scratchpad_list are added to the \
server's. Rules for single tools are in the setting outputs.rules.

A wrapped entry holds all that is needed to unwrap it: the file is restored byte for byte.")]
pub(in crate::cli) struct ProxyArgs {
    /// The server: a program and its arguments
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "rewrite")]
    command: Vec<OsString>,
    /// The address of a server over HTTP instead
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "rewrite"])]
    url: Option<String>,
    /// With --url: a header to send with each message; ${VARIABLE} in it is expanded
    #[arg(long, value_name = "NAME: VALUE")]
    header: Vec<String>,
    /// The server's name, for rules [default: its program's, or its host's]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// A tool of the server to leave out of its list, with * for anything, as often as needed; its calls are refused
    #[arg(long, value_name = "TOOL", conflicts_with = "rewrite")]
    hide: Vec<String>,
    /// How long the server may be silent once the client is gone, before it is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    grace: u64,
    /// With --url: how long the server may be silent while a request is pending
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = clap::value_parser!(u64).range(1..=604_800))]
    timeout: u64,
    /// Rewrite an MCP configuration file so that its servers go through the proxy
    #[arg(long, value_name = "FILE", group = "rewrite")]
    wrap: Option<PathBuf>,
    /// Undo --wrap
    #[arg(long, value_name = "FILE", group = "rewrite")]
    unwrap: Option<PathBuf>,
    /// With --wrap or --unwrap: print what would change, as a diff, and write nothing
    #[arg(long, requires = "rewrite")]
    dry_run: bool,
}

pub(in crate::cli) fn run(args: ProxyArgs, global: &Global) -> Result<Done> {
    let mode = if args.dry_run {
        wrap::Mode::Show
    } else {
        wrap::Mode::Write
    };
    if let Some(file) = &args.wrap {
        return wrap::run(file, Way::Wrap, mode, global);
    }
    if let Some(file) = &args.unwrap {
        return wrap::run(file, Way::Unwrap, mode, global);
    }
    let grace = Duration::from_secs(args.grace);
    let warn: Warn = Arc::new(|text: &str| ui::remark(&format!("scratchpad: {text}")));
    if let Some(url) = &args.url {
        let headers = args.header.iter().map(|header| filled(header));
        let headers = headers.collect::<Result<Vec<_>>>()?;
        let silence = Duration::from_secs(args.timeout);
        let address = Address::parse(url, &headers, grace, silence)?;
        let name = args.name.unwrap_or_else(|| address.host());
        proxy(name, &args.hide, global)?.run_url(address, warn)?;
        return Ok(Done::Well);
    }
    if !args.header.is_empty() {
        return Err(Error::usage("--header needs --url.")
            .hint("a server that is a command takes its secrets from the environment."));
    }
    let mut words = args.command.into_iter();
    let Some(program) = words.next() else {
        return Err(Error::usage("No server given.").hint(
            "pass its command after `--`, as in `scratchpad proxy -- npx server-name`, or use --url or --wrap.",
        ));
    };
    let name = args.name.unwrap_or_else(|| {
        let stem = Path::new(&program).file_stem();
        stem.unwrap_or(&program).to_string_lossy().into_owned()
    });
    let command = Command {
        program,
        arguments: words.collect(),
        grace,
    };
    match proxy(name, &args.hide, global)?.run_command(&command, warn) {
        Ok(code) => Ok(Done::WithCode(code)),
        Err(NotStarted(error, code)) => {
            ui::print_error(&error);
            Ok(Done::WithCode(code))
        }
    }
}

/// Replaces each `${NAME}` with the environment variable: others can read a command line, so it must hold no secrets.
fn filled(text: &str) -> Result<String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) = after.split_once('}').ok_or_else(|| {
            Error::usage("A header has `${` without `}`.").hint("write ${NAME} for a variable.")
        })?;
        let value = env::variable(name).ok_or_else(|| {
            Error::usage(message!(
                "A header uses the variable {name}, which is not set.",
                name
            ))
        })?;
        filled.push_str(before);
        filled.push_str(&value);
        rest = after;
    }
    Ok(filled + rest)
}

fn proxy(upstream: String, hide: &[String], global: &Global) -> Result<Proxy> {
    let app = App::find(global)?;
    let mut hidden = app.settings.proxy.hide.clone();
    for pattern in hide {
        hidden.push(Hidden::parse(pattern)?);
    }
    let scratchpad = app.scratchpad()?;
    if scratchpad.offload().enabled {
        app.prune_in_background(&scratchpad);
    }
    let finder = SessionFinder::new(global.session.clone(), env::variable)?.with_processes();
    let session = scratchpad.new_session_id();
    Ok(Proxy {
        scratchpad,
        finder,
        session,
        upstream,
        hidden,
    })
}
