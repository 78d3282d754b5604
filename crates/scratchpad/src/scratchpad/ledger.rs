//! What is added to the ledger, and what it says.

use std::fs::File;

use super::{Scratchpad, Whose};
use crate::model::error::Result;
use crate::model::host::hook::Answer;
use crate::model::host::{Host, of_client};
use crate::model::id::{OutputId, SessionId};
use crate::model::output::Origin;
use crate::model::output::ledger::size::Size;
use crate::model::output::ledger::stats::Stats;
use crate::model::output::ledger::{Entry, LedgerFilter, What, day_of};
use crate::model::output::slice::Slice;
use crate::model::output::tool::{OutputCall, READ, ReadCall};
use crate::model::text::quantity::shortened;
use crate::model::tool::{Group, Reply, Tool};
use crate::store::OutputFilter;

/// What rows for our own tools name as their upstream.
pub const OWN: &str = "scratchpad";

/// The longest name of a tool in the ledger, in characters.
const NAME_MAX_CHARS: usize = 200;

/// Which part of the ledger is meant.
#[derive(Clone, Copy, Debug)]
pub struct StatsScope<'a> {
    /// One session, whatever its project.
    pub session: Option<&'a SessionId>,
    pub of: Whose,
    /// Only what is younger than this, in milliseconds: whole days.
    pub since: Option<i64>,
    /// Other authors' rows too.
    pub everybody: bool,
}

#[doc(hidden)]
impl Scratchpad {
    /// Sets the host whose model sees what is answered here.
    #[must_use]
    pub fn seen_in(mut self, host: Option<&'static Host>) -> Self {
        self.host = host;
        self
    }

    /// Takes the name by which a client introduced itself; all clones know it then. The first one stays.
    pub fn learn_client(&self, client: &str) {
        if let Some(host) = of_client(client) {
            // Known already.
            let _ = self.client.set(host);
        }
    }

    fn host(&self) -> Option<&'static Host> {
        self.client.get().copied().or(self.host)
    }

    /// Without outputs there is no ledger.
    fn has_ledger(&self) -> bool {
        self.offers(Group::Outputs)
    }

    fn entry(&self, what: What, origin: Origin<'_>, size: Size) -> Entry {
        Entry {
            what,
            project: self.project.clone(),
            host: self.host().map_or("", |host| host.name).to_owned(),
            upstream: shortened(origin.upstream, NAME_MAX_CHARS - 1),
            tool: shortened(origin.tool, NAME_MAX_CHARS - 1),
            times: 1,
            size,
        }
    }

    /// What keeping a result adds: what the host would have shown of it, and the reference.
    pub(super) fn kept_entries(
        &self,
        origin: Origin<'_>,
        content: &mut File,
        bytes: u64,
        reference: &str,
    ) -> Vec<Entry> {
        if !self.has_ledger() {
            return Vec::new();
        }
        // What can't be read here can't be kept either.
        let Ok(whole) = Size::of_reader(content, bytes) else {
            return Vec::new();
        };
        let shown = self.host().map_or(whole, |host| {
            host.shows.of(is_of_server(origin, host), whole)
        });
        let mut entries = vec![self.entry(What::Kept, origin, shown)];
        let cut = whole.less(shown);
        if cut.bytes > 0 {
            entries.push(self.entry(What::CutByHost, origin, cut));
        }
        entries.push(self.entry(What::Reference, origin, Size::of(reference)));
        entries
    }

    /// Adds a call of a reading tool and its answer. Best effort: the agent has its answer.
    pub(super) fn book_read(
        &self,
        session: &SessionId,
        call: &OutputCall,
        written: Size,
        reply: &Reply,
    ) {
        if !self.has_ledger() {
            return;
        }
        let mut size = written;
        size += Size::of(&reply.blocks().collect::<Vec<_>>().join("\n"));
        let entry = match call {
            OutputCall::Read(call) => {
                let what = if ends_whole(call, reply) {
                    What::ReadWhole
                } else {
                    What::Read
                };
                let (upstream, tool) = self.origin_of(&call.id);
                let origin = Origin {
                    upstream: &upstream,
                    tool: &tool,
                };
                self.entry(what, origin, size)
            }
            OutputCall::List { .. } => {
                let origin = Origin {
                    upstream: OWN,
                    tool: "scratchpad_list",
                };
                self.entry(What::Read, origin, size)
            }
        };
        self.book(session, &[entry]);
    }

    /// Whose tool made an output.
    fn origin_of(&self, id: &OutputId) -> (String, String) {
        let found = self
            .store()
            .and_then(|store| store.outputs(OutputFilter::Ids(std::slice::from_ref(id))));
        let head = found.ok().and_then(|found| found.into_iter().next());
        head.map_or_else(
            || (OWN.to_owned(), READ.to_owned()),
            |head| {
                let tool = head.tools.into_iter().next().unwrap_or_default();
                (head.upstream, tool)
            },
        )
    }

    /// What a hook's answer adds.
    pub(super) fn injected(&self, answer: &Answer) -> Option<Entry> {
        let (Answer::Context(text) | Answer::FirstMessage(text)) = answer else {
            return None;
        };
        let nobody = Origin {
            upstream: "",
            tool: "",
        };
        self.has_ledger()
            .then(|| self.entry(What::Injected, nobody, Size::of(text)))
    }

    /// The list of our tools, as a host sends it to the model.
    pub(super) fn listed(&self) -> Option<Entry> {
        let size = Size::of(&as_shown(&self.tools()));
        self.listed_by(OWN, size)
    }

    fn listed_by(&self, upstream: &str, size: Size) -> Option<Entry> {
        let origin = Origin { upstream, tool: "" };
        self.has_ledger()
            .then(|| self.entry(What::Listed, origin, size))
    }

    /// Adds tools that a server lists, once for each session and server.
    pub fn book_listed(&self, session: &SessionId, upstream: &str, tools: &[Tool]) {
        if let Some(entry) = self.listed_by(upstream, Size::of(&as_shown(tools))) {
            self.book(session, &[entry]);
        }
    }

    /// Best effort: whatever is counted here was answered already.
    fn book(&self, session: &SessionId, entries: &[Entry]) {
        if let Ok(store) = self.store() {
            let _ = store.book(session, self.now(), entries);
        }
    }

    /// What the ledger says.
    pub fn stats(&self, scope: StatsScope<'_>) -> Result<Stats> {
        let project = match scope.of {
            Whose::Project if scope.session.is_none() => Some(&self.project),
            _ => None,
        };
        let today = day_of(self.now());
        // Today always counts.
        let since = scope.since;
        let since = since.map(|age| (day_of(self.now() - age) + 1).min(today));
        let mut rows = self.store()?.ledger(LedgerFilter {
            project,
            session: scope.session,
            since,
        })?;
        if !scope.everybody {
            rows.retain(|row| row.author.is_empty() || row.author == self.author);
        }
        Ok(Stats::of(&rows))
    }
}

/// Whether a result is of an MCP server, as opposed to a tool of the host or a command.
fn is_of_server(origin: Origin<'_>, host: &Host) -> bool {
    match origin.upstream {
        "run" | "put" => false,
        upstream => upstream != host.name || origin.tool.starts_with("mcp__"),
    }
}

/// Whether a reply gives an output up to its end, without searching it.
fn ends_whole(call: &ReadCall, reply: &Reply) -> bool {
    let number = |key: &str| reply.structured.as_ref()?.get(key)?.as_u64();
    matches!(call.slice, Slice::Whole | Slice::Bytes { .. })
        && number("end").is_some()
        && number("end") == number("total_bytes")
}

/// Tools as hosts show them to a model.
pub fn as_shown(tools: &[Tool]) -> String {
    let shown: Vec<serde_json::Value> = tools
        .iter()
        .map(|tool| {
            serde_json::json!({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema})
        })
        .collect();
    serde_json::Value::from(shown).to_string()
}
