//! `mcp`: serves the tools to agent hosts.

mod token;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::guidance::SurfaceArgs;
use crate::cli::app::App;
use crate::cli::i18n::translated;
use crate::cli::log;
use crate::cli::log::LogLevel;
use crate::cli::{Done, Global, env, ui};
use crate::mcp::{HttpOptions, Server, Structure};
use crate::server::Endpoint;
use scratchpad::SessionFinder;
use scratchpad::model::error::Result;
use scratchpad::model::text::message::{Message, message};
use scratchpad::store::session_log::SessionLogFile;
use token::OwnToken;

#[derive(Args)]
#[command(after_help = "\
Examples:
  claude mcp add scratchpad -- scratchpad mcp
  scratchpad mcp --http 127.0.0.1:8765        answers at http://127.0.0.1:8765/mcp
  scratchpad mcp --unix ~/pad.socket
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
    #[arg(long, value_name = "ADDR", group = "endpoint")]
    http: Option<SocketAddr>,
    /// Serve over HTTP at this socket instead, for programs of this user alone
    #[cfg(unix)]
    #[arg(long, value_name = "PATH", group = "endpoint")]
    unix: Option<PathBuf>,
    /// Require the token in this file [default: one made for you]
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Require no token: every user of this machine can read and change every pad
    #[arg(long, requires = "http", conflicts_with = "token_file")]
    no_token: bool,
    /// A name that clients may use for this server, besides localhost and its address
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// Close an MCP session that is idle for this long; what it wrote stays
    #[arg(long, value_name = "SECONDS", requires = "endpoint", default_value_t = 3_600,
        value_parser = clap::value_parser!(u32).range(1..))]
    idle_timeout: u32,
    /// What to log to stderr
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "error")]
    log: LogLevel,
}

pub(in crate::cli) fn run(args: &McpArgs, global: &Global) -> Result<Done> {
    let _log = log::start(args.log);
    let app = App::find(global)?;
    let (http, remarks) = args.http(&app)?.unzip();
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
        server.serve_http(options, |endpoint| {
            ui::remark(&translated(&listening(endpoint)));
            for remark in remarks.into_iter().flatten() {
                ui::remark(&translated(&remark));
            }
        })?;
    } else {
        server.serve_stdio()?;
    }
    Ok(Done::Well)
}

impl McpArgs {
    /// How to serve over HTTP, and what to say when that begins; `None` for stdio.
    fn http(&self, app: &App) -> Result<Option<(HttpOptions, Vec<Message>)>> {
        let mut remarks = Vec::new();
        let Some(endpoint) = self.endpoint() else {
            return Ok(None);
        };
        let mut token = None;
        if let Endpoint::Tcp(address) = endpoint {
            token = self.token(app, &mut remarks)?;
            remarks.extend(unreachable(address, &self.allow_host));
        }
        let options = HttpOptions {
            endpoint,
            token,
            hosts: self.allow_host.clone(),
            idle: Duration::from_secs(self.idle_timeout.into()),
        };
        Ok(Some((options, remarks)))
    }

    fn endpoint(&self) -> Option<Endpoint> {
        #[cfg(unix)]
        if let Some(path) = &self.unix {
            return Some(Endpoint::Unix(path.clone()));
        }
        self.http.map(Endpoint::Tcp)
    }

    /// The token that clients must send.
    fn token(&self, app: &App, remarks: &mut Vec<Message>) -> Result<Option<String>> {
        if self.no_token {
            return Ok(None);
        }
        if let Some(path) = &self.token_file {
            return token::read(path).map(Some);
        }
        let own = OwnToken::find(&app.directories.data)?;
        let path = own.path.display().to_string();
        if own.is_new {
            remarks.push(message!(
                "Clients must send this token, shown once: {token}",
                token = own.text.clone()
            ));
            remarks.push(message!("It is kept in {path}", path));
        } else {
            remarks.push(message!("Clients must send the token in {path}", path));
        }
        Ok(Some(own.text))
    }
}

fn listening(endpoint: &Endpoint) -> Message {
    match endpoint {
        Endpoint::Tcp(address) => {
            message!("Listening on {url}", url = format!("http://{address}/mcp"))
        }
        #[cfg(unix)]
        Endpoint::Unix(path) => message!(
            "Listening on the socket {path}, at {url}",
            path = path.display().to_string(),
            url = "http://localhost/mcp"
        ),
    }
}

/// The warning for an unspecified address such as 0.0.0.0: the server can't know which names clients use for it.
fn unreachable(address: SocketAddr, names: &[String]) -> Option<Message> {
    (address.ip().is_unspecified() && names.is_empty()).then(|| {
        message!("Requests from other machines are refused (403) until you allow the name they use: --allow-host NAME")
    })
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
