//! Turns each request of a client into one call on the scratchpad.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, Prompt,
    PromptMessage, Resource, ResourceContents, ResourceTemplate, Role, ServerCapabilities,
    ServerConfig, Tool as McpTool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::hang_up;
use super::listed;
use super::listed::{PAD_URI, Structure};
use super::requests::{is_sessionless, refused};
use super::resources::OutputPage;
use super::source::Source;
use super::work::{Turn, Work};
use super::{Server, http};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::id::SessionId;
use scratchpad::model::output::tool as output_tools;
use scratchpad::model::pad::block;
use scratchpad::model::pad::tool;
use scratchpad::model::session::which::session_in_metadata;
use scratchpad::model::text::message::{message, quoted};
use scratchpad::model::tool::call::{ToolCall, unknown_tool};
use scratchpad::model::tool::guidance::guidance;
use scratchpad::model::tool::prompts;
use scratchpad::model::tool::{Group, Reply, Tool};
use scratchpad::{CallFacts, Connection, NamedSession, Scratchpad, SessionFinder, Window};

/// The state that all sessions of one server share.
#[derive(Clone)]
pub(super) struct Shared {
    inner: Arc<Inner>,
}

struct Inner {
    scratchpad: Scratchpad,
    finder: SessionFinder,
    tools: Vec<Tool>,
    listed: Vec<McpTool>,
    structure: Structure,
    message_file: Option<PathBuf>,
    instructions: String,
    closing: CancellationToken,
    work: Work,
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
    fn reader_for(&self, call_id: Option<&str>) -> Option<&'static str> {
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

    fn offers(&self, group: Group) -> bool {
        self.inner.tools.iter().any(|tool| tool.group == group)
    }
}

/// Serves one client.
pub(super) struct Handler {
    shared: Shared,
    own: Own,
}

/// What a request says about its session, apart from the `session` argument.
#[derive(Clone)]
struct Whose {
    header: Option<Result<SessionId>>,
    metadata: Option<String>,
    own: Option<SessionId>,
    /// The connection, and the client's name for itself, if the process serves just one client.
    connection: Option<(Arc<Connection>, String)>,
    shared: Shared,
}

impl Whose {
    /// The session of the request.
    fn session(self, scratchpad: &Scratchpad, argument: Option<SessionId>) -> Result<SessionId> {
        let named = self.named_session(scratchpad, argument)?;
        Ok(named.session)
    }

    /// Runs a tool call. Its reply is for this window, unless something else reads it.
    fn run(
        self,
        scratchpad: &Scratchpad,
        call: ToolCall,
        window: Option<Window<'_>>,
    ) -> Result<Reply> {
        let connection = self.connection.clone();
        let named = self.named_session(scratchpad, call.session.clone())?;
        let group = call.group();
        let reply = match connection {
            Some((connection, client)) => scratchpad.run_on(&connection, &client, &named, call),
            None => scratchpad.run_tool(&named.session, call),
        }?;
        Ok(match window {
            Some(window) => scratchpad.reply_for(group, &named.session, window, reply),
            None => reply,
        })
    }

    fn named_session(
        self,
        scratchpad: &Scratchpad,
        argument: Option<SessionId>,
    ) -> Result<NamedSession> {
        let header = match (&argument, self.header) {
            (None, Some(header)) => Some(header?),
            _ => None,
        };
        let call = CallFacts {
            argument,
            header,
            metadata: self.metadata,
            continued: self.connection.and_then(|(it, _)| it.continued()),
            connection: self.own,
        };
        scratchpad
            .named_session(&self.shared.inner.finder, call)?
            .ok_or_else(|| no_session(scratchpad))
    }
}

/// The error for a request without a session: it must not share a pad with others.
fn no_session(scratchpad: &Scratchpad) -> Error {
    let new = scratchpad.new_session_id();
    Error::refused("No session: the call names none, and this connection has none.").hint(
        message!("add \"session\" to the arguments of each call (\"{new}\" for a new one), or have the client send the header {header}.", new = new.to_string(), header = http::SESSION_HEADER),
    )
}

/// The session of calls that name none.
enum Own {
    /// This process's one connection.
    OfProcess(Arc<Connection>),
    /// The MCP session's own, for requests that belong to an MCP session.
    OfMcpSession(SessionId),
}

/// The id of the call on hosts where it says whether the model or a script called.
fn call_id(context: &RequestContext<RoleServer>) -> Option<&str> {
    context.meta.0.get("callId")?.as_str()
}

impl Handler {
    pub(super) fn of_process(shared: Shared, session: SessionId) -> Self {
        let own = Own::OfProcess(Arc::new(Connection::new(session)));
        Self { shared, own }
    }

    pub(super) fn of_mcp_session(shared: Shared, session: SessionId) -> Self {
        let own = Own::OfMcpSession(session);
        Self { shared, own }
    }

    fn whose(&self, context: &RequestContext<RoleServer>) -> Whose {
        let value = |key: &str| context.meta.0.get(key)?.as_str().map(str::to_owned);
        Whose {
            header: http::named_session(&context.extensions),
            metadata: session_in_metadata(value),
            own: match &self.own {
                Own::OfProcess(connection) => Some(connection.own().clone()),
                Own::OfMcpSession(session) => (http::has_session(&context.extensions)
                    && !is_sessionless(context))
                .then(|| session.clone()),
            },
            connection: match &self.own {
                Own::OfProcess(connection) => {
                    let client = context.client_info();
                    let name = client.map(|client| client.name).unwrap_or_default();
                    Some((connection.clone(), name))
                }
                Own::OfMcpSession(_) => None,
            },
            shared: self.shared.clone(),
        }
    }

    /// Runs a read after the writes before it.
    async fn read<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Scratchpad) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run(Turn::Read, context, work).await
    }

    async fn run<T: Send + 'static>(
        &self,
        turn: Turn,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Scratchpad) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        // Calls that wait for each other behind a locked database must not each wait for it in full.
        let scratchpad = self.shared.inner.scratchpad.since(Instant::now());
        let cancelled = context.ct.child_token();
        let run = (self.shared.inner.work).run(turn, cancelled.clone(), move |cancel| {
            work(&scratchpad.cancelled_by(cancel))
        });
        match turn {
            Turn::Probe(_) => hang_up::cancels(&context.extensions, cancelled, run).await,
            // It ends soon, and a client that lost its connection may ask for the answer again.
            Turn::Read | Turn::Write => run.await,
        }
    }

    async fn call(
        &self,
        call: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Reply> {
        let arguments = Value::Object(call.arguments.unwrap_or_default());
        let tool = call.name;
        let call = ToolCall::parse(&tool, &arguments)?;
        let turn = if call.writes() {
            Turn::Write
        } else if let Some(way) = call.probe() {
            Turn::Probe(way)
        } else {
            Turn::Read
        };
        let whose = self.whose(context);
        let shared = self.shared.clone();
        let reader = self.shared.reader_for(call_id(context));
        self.run(turn, context, move |scratchpad| {
            let tool = tool.as_ref();
            let window = reader.map(|reader| Window { tool, reader });
            let reply = whose.clone().run(scratchpad, call, window);
            // The file belongs to the conversation, whichever session the call named.
            if let Some(file) = &shared.inner.message_file
                && let Err(error) = whose
                    .session(scratchpad, None)
                    .and_then(|session| scratchpad.show_in(file, &session))
            {
                // The agent has its reply, and can read the pad with a tool call.
                tracing::warn!("{error}");
            }
            reply
        })
        .await
    }

    fn offered(&self, name: &str) -> bool {
        let is_pad = matches!(name, tool::NAME | tool::DOTTED_NAME);
        // Accept either name: hosts may replace the dot.
        (is_pad && self.shared.offers(Group::Pad))
            || self.shared.inner.tools.iter().any(|tool| tool.name == name)
    }

    async fn resource(
        &self,
        uri: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<Vec<ResourceContents>> {
        if uri == PAD_URI && self.shared.offers(Group::Pad) {
            let whose = self.whose(context);
            let text = self.read(context, move |scratchpad| {
                let session = match whose.session(scratchpad, None) {
                    Ok(session) => session,
                    // The resource is listed, so reading it must work: it says how to name a session.
                    Err(error) => return Ok(Reply::from(error).text().into_owned()),
                };
                Ok(block::render_whole(&scratchpad.pad(&session)?).unwrap_or_default())
            });
            return Ok(vec![ResourceContents::text(text.await?, uri)]);
        }
        if let Some(page) = OutputPage::of(uri).filter(|_| self.shared.offers(Group::Outputs)) {
            let (page, uri) = (page?, uri.to_owned());
            let read = move |scratchpad: &Scratchpad| page.read(scratchpad, &uri);
            return self.read(context, read).await;
        }
        Err(Error::not_found(message!(
            "Unknown resource {uri}.",
            uri = quoted(uri)
        )))
    }

    async fn prompt(
        &self,
        asked: GetPromptRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<String> {
        let known: &[&str] = if self.shared.offers(Group::Pad) || self.shared.offers(Group::Notes) {
            &[prompts::HANDOFF, prompts::RECAP]
        } else {
            &[]
        };
        if !known.contains(&asked.name.as_str()) {
            return Err(Error::usage(message!(
                "Unknown prompt {asked}.",
                asked = quoted(&asked.name)
            ))
            .hint(message!(
                "the prompts are {known}.",
                known = known.join(", ")
            )));
        }
        let named = asked
            .arguments
            .as_ref()
            .and_then(|arguments| arguments.get("session")?.as_str())
            .filter(|session| !session.is_empty())
            .map(SessionId::new)
            .transpose()?;
        let whose = self.whose(context);
        self.read(context, move |scratchpad| {
            let session = whose.session(scratchpad, named)?;
            match asked.name.as_str() {
                prompts::RECAP => scratchpad.recap(&session),
                _ => scratchpad.handoff(&session),
            }
        })
        .await
    }

    /// The ids that start with what was typed.
    async fn completions(
        &self,
        asked: CompleteRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Vec<String>> {
        let typed = asked.argument.value;
        let ids: Vec<String> = if asked.r#ref.as_resource_uri().is_some() {
            let whose = self.whose(context);
            let found = self
                .read(context, move |scratchpad| {
                    scratchpad.list_outputs(&whose.session(scratchpad, None)?)
                })
                .await?;
            found
                .into_iter()
                .map(|output| output.id.to_string())
                .collect()
        } else if asked.argument.name == "session" {
            let found = self
                .read(context, |scratchpad| scratchpad.sessions_of_project(1_000))
                .await?;
            found
                .into_iter()
                .map(|session| session.id.to_string())
                .collect()
        } else {
            Vec::new()
        };
        Ok(ids
            .into_iter()
            .filter(|id| id.starts_with(&typed))
            .collect())
    }
}

impl Source for Handler {
    fn config(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        let config = ServerConfig::new(capabilities).with_server_info(
            Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
                .with_title("Scratchpad")
                .with_description(env!("CARGO_PKG_DESCRIPTION")),
        );
        match self.shared.inner.instructions.as_str() {
            "" => config,
            instructions => config.with_instructions(instructions),
        }
    }

    fn closing(&self) -> CancellationToken {
        self.shared.closing()
    }

    fn tools(&self) -> Vec<McpTool> {
        self.shared.inner.listed.clone()
    }

    fn resources(&self) -> Vec<Resource> {
        listed::resources(|group| self.shared.offers(group))
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        listed::templates(|group| self.shared.offers(group))
    }

    fn prompts(&self) -> Vec<Prompt> {
        listed::prompts(|group| self.shared.offers(group))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !self.offered(&call.name) {
            let error = unknown_tool(&call.name, &self.shared.inner.tools);
            return Err(ErrorData::invalid_params(
                Reply::from(error).text().into_owned(),
                None,
            ));
        }
        let reply = self.call(call, context).await.unwrap_or_else(Reply::from);
        Ok(listed::result(reply, self.shared.inner.structure).into())
    }

    async fn read_resource(
        &self,
        uri: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<Vec<ResourceContents>> {
        self.resource(uri, context).await
    }

    async fn get_prompt(
        &self,
        asked: GetPromptRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let text = self
            .prompt(asked, context)
            .await
            .map_err(|error| refused(&error))?;
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).into())
    }

    async fn complete(
        &self,
        asked: CompleteRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Vec<String>> {
        self.completions(asked, context).await
    }
}
