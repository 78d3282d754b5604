//! Handles protocol requests: passes each to the source, and turns the reply into an answer of the client's era.

#![expect(
    deprecated,
    reason = "older revisions have methods that the newest has not"
)]

use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CompletionInfo, ConstString, CustomRequest, CustomResult, DiscoverResult, ErrorCode, ErrorData,
    GetPromptRequestParams, GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerConfig,
    SetLevelRequestMethod, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    Tool as McpTool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use serde_json::json;

use super::source::Source;
use scratchpad::model::error::{Error, ErrorKind};
use scratchpad::model::tool::Reply;

/// How long a client may cache a list; lists do not change while the server runs.
const LIST_TTL_MS: u64 = 60 * 60 * 1_000;

/// Answers one client with what a source offers.
pub(super) struct Requests<S>(pub(super) S);

impl<S: Source> ServerHandler for Requests<S> {
    fn get_info(&self) -> ServerConfig {
        self.0.config()
    }

    fn get_tool(&self, name: &str) -> Option<McpTool> {
        self.0.tool_with_headers(name)
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()).with_ttl_ms(LIST_TTL_MS))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut result = ListToolsResult::with_all_items(self.0.tools());
        (result.ttl_ms, result.cache_scope) = kept_for(LIST_TTL_MS, &context);
        Ok(result)
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.0.call_tool(call, &context).await
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut result = ListResourcesResult::with_all_items(self.0.resources());
        (result.ttl_ms, result.cache_scope) = kept_for(LIST_TTL_MS, &context);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut result = ListResourceTemplatesResult::with_all_items(self.0.templates());
        (result.ttl_ms, result.cache_scope) = kept_for(LIST_TTL_MS, &context);
        Ok(result)
    }

    async fn read_resource(
        &self,
        asked: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents =
            self.0
                .read_resource(&asked.uri, &context)
                .await
                .map_err(|error| match error.kind() {
                    ErrorKind::NotFound | ErrorKind::Refused => {
                        let which = json!({"uri": asked.uri});
                        ErrorData::resource_not_found(
                            Reply::from(error).text().into_owned(),
                            Some(which),
                        )
                    }
                    _ => ErrorData::internal_error(Reply::from(error).text().into_owned(), None),
                })?;
        let mut result = ReadResourceResult::new(contents);
        (result.ttl_ms, result.cache_scope) = kept_for(0, &context);
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut result = ListPromptsResult::with_all_items(self.0.prompts());
        (result.ttl_ms, result.cache_scope) = kept_for(LIST_TTL_MS, &context);
        Ok(result)
    }

    async fn get_prompt(
        &self,
        asked: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.0.get_prompt(asked, &context).await
    }

    async fn complete(
        &self,
        asked: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let mut ids = self
            .0
            .complete(asked, &context)
            .await
            .map_err(|error| refused(&error))?;
        let total = u32::try_from(ids.len()).ok();
        let more = ids.len() > CompletionInfo::MAX_VALUES;
        ids.truncate(CompletionInfo::MAX_VALUES);
        CompletionInfo::with_pagination(ids, total, more)
            .map(CompleteResult::new)
            .map_err(|error| ErrorData::internal_error(error, None))
    }

    async fn set_level(
        &self,
        asked: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_sessionless(&context) {
            return Err(method_not_found(SetLevelRequestMethod::VALUE));
        }
        self.0.set_level(&asked)
    }

    async fn subscribe(
        &self,
        asked: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.subscribe(&asked.uri)
    }

    async fn unsubscribe(
        &self,
        asked: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.unsubscribe(&asked.uri)
    }

    /// Subscriptions are accepted but never notified, because no list ever changes.
    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::new())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let closing = self.0.closing();
        tokio::select! {
            () = subscription.cancelled() => {}
            () = closing.cancelled() => {}
        }
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        // The SDK reports a known method with malformed parameters as an unknown method.
        let known = KNOWN_METHODS.contains(&method.as_str())
            || (method == "initialize" && !is_sessionless(&context));
        Err(if known {
            ErrorData::invalid_params(format!("{method}: wrong parameters."), None)
        } else {
            method_not_found(&method)
        })
    }
}

/// Whether the request belongs to the era without sessions.
pub fn is_sessionless(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// How long a client may cache an answer, and in which scope. Older protocol revisions have no such fields.
fn kept_for(
    ttl_ms: u64,
    context: &RequestContext<RoleServer>,
) -> (Option<u64>, Option<CacheScope>) {
    if is_sessionless(context) {
        (Some(ttl_ms), Some(CacheScope::Private))
    } else {
        (None, None)
    }
}

/// The SDK's own error contains only the name.
pub(super) fn method_not_found(method: &str) -> ErrorData {
    let text = format!("Method not found: {method}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None)
}

/// Methods that take parameters.
const KNOWN_METHODS: [&str; 10] = [
    "completion/complete",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

pub(super) fn refused(error: &Error) -> ErrorData {
    let text = Reply::from(error.clone()).text().into_owned();
    match error.kind() {
        ErrorKind::Store | ErrorKind::Busy => ErrorData::internal_error(text, None),
        _ => ErrorData::invalid_params(text, None),
    }
}
