//! `mcp`: serves the tools to agent hosts.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::guidance::SurfaceArgs;
use crate::cli::app::App;
use crate::cli::i18n::translated;
use crate::cli::log;
use crate::cli::log::LogLevel;
use crate::cli::{Done, Global, env, settings, ui};
use crate::mcp::{HttpOptions, Server, Structure};
use scratchpad::SessionFinder;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::text::message::{Message, message};
use scratchpad::store::session_log::SessionLogFile;

#[derive(Args)]
#[command(after_help = "\
Examples:
  claude mcp add scratchpad -- scratchpad mcp
  scratchpad mcp --http 127.0.0.1:8765        answers at http://127.0.0.1:8765/mcp
  scratchpad mcp --compact --tools pad,notes

The session is the first of: the call's own `session` argument, --session, SCRATCHPAD_SESSION, the \
one the host announces, a new one. Over HTTP, each MCP session gets its own, unless the client sends \
the header Scratchpad-Session.")]
pub(in crate::cli) struct McpArgs {
    #[command(flatten)]
    surface: SurfaceArgs,
    /// Also send structured data, and its schema with each tool; takes more of the context window
    #[arg(long)]
    structured: bool,
    /// Keep the session in this session-log file (JSON Lines)
    #[arg(long, value_name = "FILE", conflicts_with = "session")]
    journal: Option<PathBuf>,
    /// Serve over HTTP at this address instead; port 0 picks a free one
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Require the token in this file; needed for addresses that other machines can reach
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// A name that clients may use for this server, besides localhost and its address
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// Close an MCP session that is idle for this long; what it wrote stays
    #[arg(long, value_name = "SECONDS", requires = "http", default_value_t = 3_600,
        value_parser = clap::value_parser!(u32).range(1..))]
    idle_timeout: u32,
    /// What to log to stderr
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "error")]
    log: LogLevel,
}

pub(in crate::cli) fn run(args: McpArgs, global: &Global) -> Result<Done> {
    log::start(args.log);
    let unreachable = args
        .http
        .and_then(|address| unreachable(address, &args.allow_host));
    let listening = |address: SocketAddr| {
        let url = format!("http://{address}/mcp");
        ui::remark(&translated(&message!("Listening on {url}", url)));
        if let Some(remark) = unreachable {
            ui::remark(&translated(&remark));
        }
    };
    let http = match args.http {
        Some(address) => Some(HttpOptions {
            address,
            token: args.token_file.as_deref().map(token).transpose()?,
            hosts: args.allow_host,
            idle: Duration::from_secs(args.idle_timeout.into()),
        }),
        None => None,
    };
    let app = App::find(global)?;
    let mut flag = global.session.clone();
    let mut pad = app.scratchpad()?;
    if let Some(path) = &args.journal {
        let journal = SessionLogFile::new(path, app.settings.store.busy_timeout())?;
        let (with_journal, session) = pad.with_journal(journal)?;
        pad = with_journal;
        flag = Some(session.to_string());
    }
    let finder = match http {
        Some(_) => SessionFinder::for_network(flag)?,
        None => SessionFinder::new(flag, env::variable)?.with_processes(),
    };
    app.prune_in_background(&pad);
    let server = Server {
        scratchpad: pad,
        finder,
        surface: args.surface.surface(&app.settings)?,
        structure: if args.structured {
            Structure::TextAndData
        } else {
            Structure::Text
        },
        // Over HTTP, clients are not the host that set this variable.
        message_file: match http {
            Some(_) => None,
            None => env::absolute_variable("GOOSE_MOIM_MESSAGE_FILE"),
        },
    };
    if let Some(options) = &http {
        server.serve_http(options, listening)?;
    } else {
        server.serve_stdio()?;
    }
    Ok(Done::Well)
}

/// The warning for an unspecified address such as 0.0.0.0: the server can't know which names clients use for it.
fn unreachable(address: SocketAddr, names: &[String]) -> Option<Message> {
    (address.ip().is_unspecified() && names.is_empty()).then(|| {
        message!("Requests from other machines are refused (403) until you allow the name they use: --allow-host NAME")
    })
}

/// Reads the token, the first line of the file.
fn token(path: &Path) -> Result<String> {
    let text = settings::read(path)?.ok_or_else(|| {
        Error::usage(message!(
            "Token file {path} does not exist.",
            path = path.display().to_string()
        ))
    })?;
    let token = text.lines().next().unwrap_or_default().trim();
    if token.len() < 16 {
        return Err(Error::usage(message!(
            "The token in {path} has {token} characters; it needs at least 16.",
            path = path.display().to_string(),
            token = token.chars().count().to_string()
        ))
        .hint("create one: `head -c 24 /dev/urandom | base64 > FILE`."));
    }
    Ok(token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listening_on_all_addresses_warns_that_names_are_needed() {
        let warns = |address: &str, names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            unreachable(address.parse().unwrap(), &names).is_some()
        };
        assert!(warns("0.0.0.0:80", &[]) && warns("[::]:80", &[]));
        assert!(!warns("0.0.0.0:80", &["pad.example"]));
        assert!(!warns("127.0.0.1:80", &[]) && !warns("192.0.2.7:80", &[]));
    }
}
