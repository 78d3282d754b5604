//! Turns each request of a client into one call on the scratchpad.

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
use super::http;
use super::listed;
use super::listed::PAD_URI;
use super::requests::refused;
use super::resources::{OutputPage, PAD_ROOM};
use super::shared::Shared;
use super::source::Source;
use super::whose::{Own, Whose};
use super::work::Turn;
use scratchpad::model::error::{Error, Result};
use scratchpad::model::id::SessionId;
use scratchpad::model::pad::block;
use scratchpad::model::pad::block::PlanView;
use scratchpad::model::text::message::{message, quoted};
use scratchpad::model::tool::call::{ToolCall, unknown_tool};
use scratchpad::model::tool::prompts;
use scratchpad::model::tool::{Group, Reply};
use scratchpad::{Connection, Scratchpad, Window};

/// Serves one client.
pub(super) struct Handler {
    shared: Shared,
    own: Own,
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
        Whose::of(&self.own, &self.shared, context)
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
        // What a call was asked is in memory until it is done, even if it was cancelled.
        let place = http::body_place(&context.extensions);
        let run = (self.shared.inner.work).run(turn, cancelled.clone(), move |cancel| {
            let _until_done = place;
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
        // It may wait for long, and be large.
        drop(arguments);
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
                let pad = scratchpad.pad(&session)?;
                Ok(block::render_within(&pad, &PlanView::Whole, PAD_ROOM).unwrap_or_default())
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
        if !self.shared.offers_tool(&call.name) {
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
