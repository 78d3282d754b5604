//! MCP configuration files of hosts, rewritten so that their servers go through the proxy, and back.
//!
//! Only the bytes of a wrapped server change, by splices at its tokens, and the tokens are moved as they were written.
//! A wrapped server holds everything needed to undo it, so no backup is kept: the spelling of the proxy's arguments
//! records what was absent or spelled differently before (see `entry` and `remote`).

mod entry;
mod remote;
mod shapes;

use super::edit::splice::{Edit, Source};
use crate::model::error::{Error, Result};
use crate::model::host::edit::{splice, tree};
use crate::model::text::message::{Message, message};

pub use entry::is_us;

pub use super::edit::{Format, get, put, put_item, take, take_items};

/// Which way to rewrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Servers go through the proxy.
    Wrap,
    /// Servers are started as before.
    Unwrap,
}

/// A rewritten file, and the outcome for each server in it.
#[derive(Debug)]
pub struct Rewritten {
    /// The whole text.
    pub text: String,
    /// The servers, in the order of the text.
    pub servers: Vec<Server>,
}

/// One server of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// The project that it is configured for, in a file that holds several.
    pub project: Option<String>,
    pub outcome: WrapOutcome,
}

/// The outcome for one server.
#[derive(Debug, PartialEq, Eq)]
pub enum WrapOutcome {
    /// Its command now runs behind the proxy.
    Wrapped,
    /// Its URL is now called by the proxy.
    WrappedRemote,
    /// It was behind the proxy already.
    Already,
    /// It is Scratchpad itself, which needs no proxy.
    Own,
    /// It is as it was before it was wrapped, byte for byte.
    Restored,
    /// It is started directly again, but was edited meanwhile, so its layout may differ.
    Unwrapped,
    /// It was not behind the proxy.
    Direct,
    /// It was left alone, for this reason.
    Skipped(Message),
}

/// Rewrites the text of a file. `program` is what starts this program.
pub fn rewrite(text: &str, format: Format, way: Way, program: &str) -> Result<Rewritten> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.strip_suffix(bare).unwrap_or_default();
    let root = tree::read(bare, format)?;
    let found = root
        .table()
        .and_then(shapes::servers)
        .ok_or_else(no_servers)?;
    let source = Source {
        text: bare,
        format,
        program,
    };
    let mut edits: Vec<Edit> = Vec::new();
    let mut servers = Vec::new();
    for server in found {
        let answer = match (server.entry, way) {
            (None, _) => Err(skipped("it is not a table of settings")),
            (Some(entry), Way::Wrap) => entry::wrap(&source, server.name, entry),
            (Some(entry), Way::Unwrap) => entry::unwrap(&source, entry),
        };
        let outcome = match answer {
            Ok((outcome, new)) => {
                edits.extend(new);
                outcome
            }
            Err(outcome) => outcome,
        };
        servers.push(Server {
            name: server.name.to_owned(),
            project: server.project.map(str::to_owned),
            outcome,
        });
    }
    Ok(Rewritten {
        text: format!("{mark}{}", splice::applied(bare, edits)?),
        servers,
    })
}

fn skipped(reason: impl Into<Message>) -> WrapOutcome {
    WrapOutcome::Skipped(reason.into())
}

fn no_servers() -> Error {
    let keys = shapes::known_keys();
    Error::refused("no MCP servers in it.")
        .hint(message!("servers are expected under {keys}.", keys))
}

#[cfg(test)]
mod tests;
