//! What `install` writes: which of a host's files hold what, and how those files change.
//!
//! Which parts a host has is in the host's own file. Files are only computed here, and read and written
//! elsewhere.

mod approval;
mod content;
mod plugin;

use serde_json::{Map, Value};

use super::hook::EventName;
use super::path::HostPath;
use super::wrap::{Format, get, put, put_item, take, take_items};
use crate::model::context::region::{Remainder, TOOLS};
use crate::model::error::{Error, Result};
use crate::model::host::edit::yaml;
use crate::model::text::message::{Message, counted, message, quoted};
use content::{is_our_status_line, own_path};

pub use approval::{HookApproval, codex_approval};
pub(super) use content::{
    MCP_SERVERS, call_within_milliseconds, call_within_seconds, extension, file, for_own_tools,
    hooks, manifest, plain_server, region, rule, script, server, status_line, typed_server,
};
pub use content::{NAME, NO_OUTPUTS, Program, checked_name, is_ours};
pub use plugin::plugin_files;

/// One thing that is installed, and the file that it goes into.
#[derive(Debug)]
pub struct InstallPart {
    /// The file.
    pub place: HostPath,
    /// Paths that the host prefers, in its order. The first of them that exists is used.
    pub preferred: &'static [&'static str],
    /// What it is.
    pub kind: PartKind,
}

/// What is installed.
#[derive(Debug)]
pub enum PartKind {
    /// The entry of our MCP server.
    Server {
        /// The format of the file.
        format: Format,
        /// The path of the servers' table.
        servers: &'static [&'static str],
        /// Makes the entry.
        entry: fn(&Program) -> Value,
    },
    /// The entry of our MCP server in a YAML file.
    Extension {
        /// The top-level key of the servers' mapping.
        servers: &'static str,
        /// Makes the entry.
        entry: fn(&Program) -> Value,
    },
    /// Hooks, in a list for each event.
    Hooks {
        /// The path of the events' table.
        path: &'static [&'static str],
        /// The events, by the host's name for each.
        events: &'static [(&'static str, EventName)],
        /// Makes the hook entry for an event.
        item: fn(&Program, event: &str) -> Value,
    },
    /// A whole file of ours.
    File {
        /// Makes the text.
        text: fn(&Program) -> String,
        holds: FileContent,
    },
    /// What the settings say of our extension: fields that must be true for it to run.
    Entry {
        path: &'static [&'static str],
        allowed: &'static [&'static [&'static str]],
    },
    /// Instructions for using the tools, for hosts without hooks: a whole file of ours.
    Rule {
        /// Tells the host when the file applies.
        front_matter: &'static str,
    },
    /// The same instructions, as a region in a file of the person's.
    Region,
    /// The command that fills the host's status line: only for who asks for it, and only where there is none.
    StatusLine {
        path: &'static [&'static str],
        entry: fn(&Program) -> Value,
    },
}

/// What a whole file of ours is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileContent {
    /// It names the hooks.
    Hooks,
    /// The host runs it as a program, as a hook.
    Script,
    /// An extension that brings the tools and the hooks.
    Extension,
    /// What the host reads about an extension.
    Manifest,
}

impl PartKind {
    /// The name of the part, for people.
    pub fn title(&self) -> Message {
        match self {
            Self::Server { .. } | Self::Extension { .. } => message!("MCP server"),
            Self::Hooks { events, .. } => counted(events.len(), "{number} hook", "{number} hooks"),
            Self::File { holds, .. } => match holds {
                FileContent::Hooks | FileContent::Script => message!("hooks"),
                FileContent::Extension => message!("tools and hooks"),
                FileContent::Manifest => message!("plugin"),
            },
            Self::Entry { .. } => message!("plugin"),
            Self::Rule { .. } | Self::Region => message!("instructions"),
            Self::StatusLine { .. } => message!("status line"),
        }
    }

    /// Whether it is the MCP server.
    pub fn is_server(&self) -> bool {
        matches!(self, Self::Server { .. } | Self::Extension { .. })
    }

    /// Whether the host gets the tools by it.
    pub fn brings_tools(&self) -> bool {
        let is_extension = |holds: &FileContent| *holds == FileContent::Extension;
        self.is_server() || matches!(self, Self::File { holds, .. } if is_extension(holds))
    }

    /// Whether it is instructions for using the tools.
    pub fn is_instructions(&self) -> bool {
        matches!(self, Self::Rule { .. } | Self::Region)
    }

    /// Whether it is a whole file of ours.
    pub fn is_whole_file(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Rule { .. })
    }

    /// Whether it is about hooks.
    pub fn is_hooks(&self) -> bool {
        match self {
            Self::Hooks { .. } => true,
            Self::File { holds, .. } => *holds != FileContent::Manifest,
            _ => false,
        }
    }

    /// Whether it is written only for who asks for it.
    pub fn is_optional(&self) -> bool {
        matches!(self, Self::StatusLine { .. })
    }

    /// Whether the file has a status line that is not ours.
    pub fn has_foreign_status_line(&self, text: &str) -> bool {
        let Self::StatusLine { path, .. } = self else {
            return false;
        };
        matches!(get(text, Format::Json, path), Ok(Some(line)) if !is_our_status_line(&line))
    }

    /// Whether the host runs it as a program.
    pub fn is_executable(&self) -> bool {
        matches!(self, Self::File { holds, .. } if *holds == FileContent::Script)
    }

    /// The file with the part added.
    pub fn added(&self, text: &str, program: &Program) -> Result<String> {
        match self {
            Self::Server {
                format,
                servers,
                entry,
            } => {
                let path = [*servers, &[program.server.as_str()]].concat();
                put(
                    &self.renamed(text, program)?,
                    *format,
                    &path,
                    &entry(program),
                )
            }
            Self::Extension { servers, entry } => {
                let at = [*servers, program.server.as_str()];
                yaml::put(&self.renamed(text, program)?, at, &entry(program))
            }
            Self::Hooks { path, events, item } => {
                events.iter().try_fold(text.to_owned(), |text, (event, _)| {
                    put_item(
                        &text,
                        &[*path, &[*event][..]].concat(),
                        &item(program, event),
                        &is_ours,
                    )
                })
            }
            Self::File { text, .. } => Ok(text(program)),
            Self::Entry { path, allowed } => {
                allowed.iter().try_fold(text.to_owned(), |text, field| {
                    let path = [*path, *field].concat();
                    put(&text, Format::Json, &path, &Value::Bool(true))
                })
            }
            Self::Rule { front_matter } => Ok(format!("{front_matter}{}\n", program.guidance)),
            Self::StatusLine { path, entry } => {
                if program.status_line && !self.has_foreign_status_line(text) {
                    put(text, Format::Json, path, &entry(program))
                } else {
                    Ok(text.to_owned())
                }
            }
            Self::Region => {
                let file = Some(text.as_bytes()).filter(|file| !file.is_empty());
                TOOLS.placed(file, &program.guidance, "").and_then(utf8)
            }
        }
    }

    /// The file without the part; `None` if the file is no longer needed.
    ///
    /// `before` is the file as we found it: a table that was empty there is kept. A server with our name that is not ours
    /// is kept, too.
    pub fn removed(&self, text: &str, before: &str, program: &Program) -> Result<Option<String>> {
        let mut left = text.to_owned();
        let drop_if_empty = |text: String, format: Format, path: &[&str]| -> Result<String> {
            let is_empty = match get(&text, format, path)? {
                Some(Value::Object(fields)) => fields.is_empty(),
                Some(Value::Array(items)) => items.is_empty(),
                _ => false,
            };
            if is_empty && get(before, format, path).unwrap_or_default().is_none() {
                return take(&text, format, path);
            }
            Ok(text)
        };
        match self {
            Self::Server { .. } | Self::Extension { .. } if self.is_taken(text, program)? => {}
            Self::Server {
                format, servers, ..
            } => {
                left = take(
                    &left,
                    *format,
                    &[*servers, &[program.server.as_str()]].concat(),
                )?;
                for depth in (1..=servers.len()).rev() {
                    left = drop_if_empty(left, *format, servers.get(..depth).unwrap_or_default())?;
                }
            }
            Self::Extension { servers, .. } => {
                left = yaml::take(&left, [*servers, program.server.as_str()], before)?;
            }
            Self::Hooks { path, events, .. } => {
                for (event, _) in *events {
                    let list = [*path, &[*event][..]].concat();
                    left = take_items(&left, &list, &is_ours)?;
                    left = drop_if_empty(left, Format::Json, &list)?;
                }
                left = drop_if_empty(left, Format::Json, path)?;
            }
            Self::StatusLine { path, .. } if self.is_there(text, program) => {
                left = take(&left, Format::Json, path)?;
            }
            Self::StatusLine { .. } => {}
            Self::Entry { path, .. } => {
                left = take(&left, Format::Json, path)?;
                for depth in (1..path.len()).rev() {
                    let above = path.get(..depth).unwrap_or_default();
                    left = drop_if_empty(left, Format::Json, above)?;
                }
            }
            Self::File { .. } | Self::Rule { .. } => return Ok(None),
            Self::Region => {
                return match TOOLS.removed(text.as_bytes(), "")? {
                    Remainder::Untouched => Ok(Some(left)),
                    Remainder::File(rest) => utf8(rest).map(Some),
                    Remainder::Nothing => Ok(None),
                };
            }
        }
        let is_bare = matches!(left.trim(), "" | "{}") && before.trim().is_empty();
        Ok((!is_bare).then_some(left))
    }

    /// The servers in the file, by name.
    fn servers(&self, text: &str) -> Result<Map<String, Value>> {
        let found = match self {
            Self::Server {
                format, servers, ..
            } => get(text, *format, servers)?,
            Self::Extension { servers, .. } => yaml::get(text, servers)?,
            _ => None,
        };
        Ok(match found {
            Some(Value::Object(servers)) => servers,
            _ => Map::new(),
        })
    }

    /// The name of our server in the file, and the path of the program there.
    pub fn own_server(&self, text: &str, program: &Program) -> Option<(String, String)> {
        let servers = self.servers(text).ok()?;
        let ours = |name: &str| {
            let path = own_path(servers.get(name)?, program)?;
            Some((name.to_owned(), path.to_owned()))
        };
        let mut names = [program.server.as_str(), NAME]
            .into_iter()
            .chain(servers.keys().map(String::as_str));
        names.find_map(ours)
    }

    /// Whether somebody else's server has our server's name.
    pub fn is_taken(&self, text: &str, program: &Program) -> Result<bool> {
        let servers = self.servers(text)?;
        let found = servers.get(&program.server);
        Ok(found.is_some_and(|entry| own_path(entry, program).is_none()))
    }

    /// Refuses to replace somebody else's server.
    pub fn check_name(&self, text: &str, program: &Program) -> Result<()> {
        if !self.is_taken(text, program)? {
            return Ok(());
        }
        Err(Error::refused(message!(
            "there is another MCP server called {name}, which does not start scratchpad.",
            name = quoted(&program.server)
        ))
        .hint("choose another name for ours, for example `--name working-memory`."))
    }

    /// The file without our server, if the server has another name there.
    fn renamed(&self, text: &str, program: &Program) -> Result<String> {
        let name = self.own_server(text, program).map(|(name, _)| name);
        match (name, self) {
            (Some(name), _) if name == program.server => Ok(text.to_owned()),
            (
                Some(name),
                Self::Server {
                    format, servers, ..
                },
            ) => take(text, *format, &[*servers, &[name.as_str()]].concat()),
            (Some(name), Self::Extension { servers, .. }) => {
                yaml::take(text, [*servers, name.as_str()], text)
            }
            _ => Ok(text.to_owned()),
        }
    }

    /// Whether the file has the part in some form.
    pub fn is_there(&self, text: &str, program: &Program) -> bool {
        match self {
            Self::Server { .. } | Self::Extension { .. } => {
                self.own_server(text, program).is_some()
            }
            Self::Hooks { path, events, .. } => events.iter().any(|(event, _)| {
                let list = get(text, Format::Json, &[*path, &[*event][..]].concat());
                matches!(list, Ok(Some(Value::Array(items))) if items.iter().any(is_ours))
            }),
            Self::File { .. } | Self::Rule { .. } => text.contains(NAME),
            Self::StatusLine { path, .. } => {
                let line = get(text, Format::Json, path);
                matches!(line, Ok(Some(line)) if is_our_status_line(&line))
            }
            Self::Entry { path, .. } => matches!(get(text, Format::Json, path), Ok(Some(_))),
            Self::Region => !matches!(TOOLS.find(text.as_bytes()), Ok(None)),
        }
    }

    /// The state of the part in the file, for this program.
    pub fn state(&self, text: &str, program: &Program) -> Result<PartState> {
        if self.is_taken(text, program)? {
            return Ok(PartState::Taken);
        }
        let is_installed = self.added(text, program)? == text;
        Ok(match (is_installed, self.is_there(text, program)) {
            (true, _) => PartState::Installed,
            (false, true) => PartState::Different,
            (false, false) => PartState::Missing,
        })
    }
}

/// Regions begin and end at character boundaries, so the text stays valid UTF-8.
fn utf8(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| Error::refused("It is not UTF-8 text."))
}

/// The state of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartState {
    /// Installed.
    Installed,
    /// Installed in another form: by another version, or for another copy of the program.
    Different,
    /// Not installed.
    Missing,
    /// Not installed, and somebody else's server has its name.
    Taken,
}
