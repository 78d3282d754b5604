//! The state that all sessions of one server share.

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::model::Tool as McpTool;
use tokio_util::sync::CancellationToken;

use super::Server;
use super::listed;
use super::listed::Structure;
use super::work::Work;
use scratchpad::model::id::SessionId;
use scratchpad::model::output::tool as output_tools;
use scratchpad::model::pad::tool;
use scratchpad::model::tool::guidance::guidance;
use scratchpad::model::tool::{Group, Tool};
use scratchpad::{Scratchpad, SessionFinder};

/// The state that all sessions of one server share.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) scratchpad: Scratchpad,
    pub(super) finder: SessionFinder,
    pub(super) tools: Vec<Tool>,
    pub(super) listed: Vec<McpTool>,
    pub(super) structure: Structure,
    pub(super) message_file: Option<PathBuf>,
    pub(super) instructions: String,
    pub(super) closing: CancellationToken,
    pub(super) work: Work,
}

impl Shared {
    pub(super) fn new(server: Server, closing: CancellationToken) -> Self {
        let tools = server.surface.tools();
        let inner = Inner {
            listed: tools
                .iter()
                .map(|tool| listed::tool(tool, server.structure))
                .collect(),
            instructions: guidance(&server.surface),
            tools,
            scratchpad: server.scratchpad,
            finder: server.finder,
            structure: server.structure,
            message_file: server.message_file,
            closing,
            work: Work::new(),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Cancelled when the server ends.
    pub(super) fn closing(&self) -> CancellationToken {
        self.inner.closing.clone()
    }

    pub(super) fn work(&self) -> &Work {
        &self.inner.work
    }

    pub(super) fn new_session_id(&self) -> SessionId {
        self.inner.scratchpad.new_session_id()
    }

    /// The tool with which a model reads the outputs that large replies become. None if the reply must stay whole: without
    /// such a tool, for a program that reads the data beside the text, or for a script.
    pub(super) fn reader_for(&self, call_id: Option<&str>) -> Option<&'static str> {
        let Inner {
            scratchpad,
            tools,
            structure,
            ..
        } = &*self.inner;
        if *structure == Structure::TextAndData || scratchpad.offload().leaves(call_id) {
            return None;
        }
        let mut names = tools.iter().map(|tool| tool.name);
        names.find(|name| [output_tools::READ, output_tools::COMPACT_NAME].contains(name))
    }

    /// Whether a tool is offered, under either name of the pad's: hosts may replace the dot.
    pub(super) fn offers_tool(&self, name: &str) -> bool {
        let is_pad = matches!(name, tool::NAME | tool::DOTTED_NAME);
        (is_pad && self.offers(Group::Pad)) || self.inner.tools.iter().any(|tool| tool.name == name)
    }

    pub(super) fn offers(&self, group: Group) -> bool {
        self.inner.tools.iter().any(|tool| tool.group == group)
    }
}
