//! Agent hosts: the programs that run agents. One file for each, with everything that is known about it.
//!
//! A new host is a file and a line in [`HOSTS`]. Whatever commands, hooks, sessions and the proxy need to know about
//! hosts is derived from that list.

mod amp;
mod any;
mod claude;
mod cline;
mod codex;
mod copilot;
mod crush;
mod cursor;
mod droid;
pub mod edit;
mod extension;
mod gemini;
mod goose;
pub mod hook;
pub mod install;
pub mod instructions;
mod kiro;
mod openclaw;
mod opencode;
pub mod path;
mod pi;
mod qwen;
mod vscode;
mod windsurf;
pub mod wrap;
mod zed;

use serde_json::Value;

use crate::model::error::{Error, Result};
use crate::model::output::ledger::shown::Shows;
use crate::model::text::message::{message, quoted};
use crate::model::text::nearest::did_you_mean;
use crate::model::text::quantity::shortened;
use crate::model::transcript::TranscriptFormat;
use hook::HostHooks;
use install::InstallPart;
use instructions::{InstructionFile, InstructionFiles};
use path::{HostPath, Reach};

/// A host and everything that is known about it.
#[derive(Debug)]
pub struct Host {
    /// Its name in commands, in the rules for outputs, and in the store.
    pub name: &'static str,
    /// Other names that are accepted for it.
    pub aliases: &'static [&'static str],
    /// Its name for people.
    pub title: &'static str,
    /// Paths that exist if the person has it.
    pub marks: &'static [HostPath],
    /// Paths in a project that exist if it is used there.
    pub project_marks: &'static [&'static str],
    /// The prefixes of its processes' names.
    pub processes: &'static [&'static str],
    /// How its calls are recognised.
    pub signs: Signs,
    /// Whether the model sees the `instructions` of an MCP server.
    pub passes_instructions: bool,
    /// What it shows its model of large results.
    pub shows: Shows,
    /// Where it writes what was said.
    pub transcripts: &'static [Transcripts],
    /// The paths of the MCP servers in its configuration files; `*` is any key.
    pub server_keys: &'static [&'static [&'static str]],
    /// What `install` writes for all projects of the person.
    pub user: &'static [InstallPart],
    /// What `install --project` writes into a repository.
    pub project: &'static [InstallPart],
    /// What the person has to do after `install`, in sentences.
    pub todo: &'static str,
    /// The file in which it records which hooks the person approved, if it runs no others.
    pub approvals: Option<HostPath>,
    /// Its hooks.
    pub hooks: HostHooks,
    /// The instruction files that it reads.
    pub instructions: InstructionFiles,
}

/// Transcripts of conversations.
#[derive(Debug)]
pub struct Transcripts {
    /// The directory that they are below.
    pub place: HostPath,
    /// What is in their paths, and how these end.
    pub within: &'static str,
    pub ends: &'static [&'static str],
    pub format: TranscriptFormat,
}

impl Transcripts {
    /// Whether a file is one.
    pub fn has(&self, path: &str) -> bool {
        let path = path.replace('\\', "/");
        path.contains(self.within) && self.ends.iter().any(|end| path.ends_with(end))
    }
}

/// How a host's calls are recognised.
#[derive(Debug)]
pub struct Signs {
    /// The environment variable with the session.
    pub session: Option<&'static str>,
    /// The environment variables that it sets for its hooks.
    pub hooks: &'static [&'static str],
    /// The beginnings of the names by which its MCP clients introduce themselves.
    pub clients: &'static [&'static str],
    /// The order in which hosts are tried: lower ranks first, because some hosts set the variables of others too.
    pub rank: u8,
    /// Whether an event can only be from this host.
    pub event: fn(&Value) -> bool,
}

/// The defaults for what is unknown about a host.
const UNKNOWN: Host = Host {
    name: "",
    aliases: &[],
    title: "",
    marks: &[],
    project_marks: &[],
    processes: &[],
    signs: Signs {
        session: None,
        hooks: &[],
        clients: &[],
        rank: 0,
        event: |_| false,
    },
    passes_instructions: false,
    shows: Shows::ALL,
    transcripts: &[],
    server_keys: &[],
    user: &[],
    project: &[],
    todo: "",
    approvals: None,
    hooks: HostHooks::NONE,
    instructions: InstructionFiles::NONE,
};

/// All hosts.
pub static HOSTS: [&Host; 20] = [
    &claude::HOST,
    &claude::LOCAL,
    &codex::HOST,
    &gemini::HOST,
    &qwen::HOST,
    &copilot::HOST,
    &opencode::HOST,
    &pi::HOST,
    &cline::HOST,
    &cursor::HOST,
    &vscode::HOST,
    &windsurf::HOST,
    &zed::HOST,
    &goose::HOST,
    &amp::HOST,
    &crush::HOST,
    &droid::HOST,
    &kiro::HOST,
    &openclaw::HOST,
    &any::HOST,
];

impl PartialEq for Host {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Host {}

impl Host {
    /// Whether it calls hooks.
    pub fn has_hooks(&self) -> bool {
        !self.hooks.events.is_empty()
    }

    /// Whether `install` has something to write for it.
    pub fn is_installable(&self) -> bool {
        !self.user.is_empty() || !self.project.is_empty()
    }

    /// Whether it reads an instruction file of a project.
    pub fn has_instructions(&self) -> bool {
        self.instructions.project.is_some()
    }

    /// What `install` writes, for the project or for all projects.
    pub fn parts(&self, reach: Reach) -> &'static [InstallPart] {
        match reach {
            Reach::Project => self.project,
            Reach::Global => self.user,
        }
    }

    /// The instruction file, for the project or for all projects.
    pub fn instruction_file(&self, reach: Reach) -> Option<InstructionFile> {
        match reach {
            Reach::Project => self.instructions.project,
            Reach::Global => self.instructions.global,
        }
    }

    /// The entry for its private instruction file, if it has one.
    pub fn private_twin(&self) -> Option<&'static Self> {
        let name = self.instructions.private_twin?;
        HOSTS.into_iter().find(|host| host.name == name)
    }
}

fn called(name: &str) -> Option<&'static Host> {
    HOSTS
        .into_iter()
        .find(|host| host.name == name || host.aliases.contains(&name))
}

/// The host with this name, if `install` supports it.
pub fn installable(name: &str) -> Result<&'static Host> {
    called(name)
        .filter(|host| host.is_installable())
        .ok_or_else(|| {
            let names = names(Host::is_installable);
            Error::usage(message!("Unknown host {name}.", name = quoted(name))).hint(
                did_you_mean(name, names.iter().copied()).unwrap_or_else(|| {
                    message!("the hosts are {names}.", names = names.join(", "))
                }),
            )
        })
}

/// The host with this name, if it calls hooks.
pub fn with_hooks(name: &str) -> Result<&'static Host> {
    called(name).filter(|host| host.has_hooks()).ok_or_else(|| {
        let names = names(Host::has_hooks);
        Error::usage(message!(
            "{name} is not a host with hooks.",
            name = quoted(name)
        ))
        .hint(
            did_you_mean(name, names.iter().copied())
                .unwrap_or_else(|| message!("the hosts are {names}.", names = names.join(", "))),
        )
    })
}

/// The host with this name, if it reads an instruction file.
pub fn with_instructions(name: &str) -> Result<&'static Host> {
    called(name)
        .filter(|host| host.has_instructions())
        .ok_or_else(|| {
            Error::usage(message!(
                "Unknown tool {tool}. Nothing was changed.",
                tool = quoted(shortened(name, 80))
            ))
            .hint(message!(
                "the known ones are {tools}.",
                tools = names(Host::has_instructions).join(", ")
            ))
        })
}

/// The names of the hosts that satisfy a condition.
pub fn names(is_one: fn(&Host) -> bool) -> Vec<&'static str> {
    let hosts = HOSTS.into_iter().filter(|host| is_one(host));
    hosts.map(|host| host.name).collect()
}

/// The prefixes of the names of processes that run agents.
pub fn process_names() -> Vec<&'static str> {
    let names = HOSTS.iter().flat_map(|host| host.processes);
    names.copied().collect()
}

/// The environment variables in which hosts name their session, in the order in which they are tried.
pub fn session_variables() -> impl Iterator<Item = &'static str> {
    by_rank().into_iter().filter_map(|host| host.signs.session)
}

/// The environment variables that move the directories of hosts.
pub fn directory_variables() -> Vec<&'static str> {
    let mut found = Vec::new();
    for host in HOSTS {
        for mark in host.marks {
            if let path::HostDirectory::Own { variable, .. } = mark.base
                && !found.contains(&variable)
            {
                found.push(variable);
            }
        }
    }
    found
}

/// The host with this name.
pub fn known(name: &str) -> Option<&'static Host> {
    HOSTS.into_iter().find(|host| host.name == name)
}

/// The host whose MCP client introduces itself by this name.
pub fn of_client(client: &str) -> Option<&'static Host> {
    let begins = |host: &&Host| {
        host.signs
            .clients
            .iter()
            .any(|name| client.starts_with(name))
    };
    HOSTS.into_iter().find(begins)
}

/// The host that set the environment of this process, as far as that can be seen.
pub fn around(is_set: impl Fn(&str) -> bool) -> Option<&'static Host> {
    let mut hosts = by_rank().into_iter();
    hosts.find(|host| host.signs.hooks.iter().any(|name| is_set(name)))
}

/// The hosts in the order in which their variables are tried.
fn by_rank() -> Vec<&'static Host> {
    let mut hosts = HOSTS.to_vec();
    hosts.sort_by_key(|host| host.signs.rank);
    hosts
}

#[cfg(test)]
mod tests;
