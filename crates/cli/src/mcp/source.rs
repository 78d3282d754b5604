//! What a server offers: the memory, or a test suite's data. Both share the code that reads, refuses and answers
//! requests (`requests`).

#![expect(
    deprecated,
    reason = "older revisions have methods that the newest has not"
)]

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, ConstString, ErrorData,
    GetPromptRequestParams, GetPromptResponse, Prompt, Resource, ResourceContents,
    ResourceTemplate, ServerConfig, SetLevelRequestMethod, SetLevelRequestParams,
    SubscribeRequestMethod, Tool as McpTool, UnsubscribeRequestMethod,
};
use rmcp::service::{RequestContext, RoleServer};
use tokio_util::sync::CancellationToken;

use super::requests::method_not_found;
use scratchpad::model::error::Result;

/// What a server offers to one client.
#[doc(hidden)]
pub trait Source: Send + Sync + 'static {
    fn config(&self) -> ServerConfig;

    /// Cancelled when the server ends.
    fn closing(&self) -> CancellationToken;

    fn tools(&self) -> Vec<McpTool>;

    fn resources(&self) -> Vec<Resource>;

    fn templates(&self) -> Vec<ResourceTemplate>;

    fn prompts(&self) -> Vec<Prompt>;

    fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CallToolResponse, ErrorData>> + Send;

    fn read_resource(
        &self,
        uri: &str,
        context: &RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<Vec<ResourceContents>>> + Send;

    fn get_prompt(
        &self,
        asked: GetPromptRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<GetPromptResponse, ErrorData>> + Send;

    /// Completions for what the user has typed.
    fn complete(
        &self,
        asked: CompleteRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<Vec<String>>> + Send;

    /// A tool with arguments that clients mirror in headers.
    fn tool_with_headers(&self, _name: &str) -> Option<McpTool> {
        None
    }

    fn set_level(&self, _asked: &SetLevelRequestParams) -> Result<(), ErrorData> {
        Err(method_not_found(SetLevelRequestMethod::VALUE))
    }

    fn subscribe(&self, _uri: &str) -> Result<(), ErrorData> {
        Err(method_not_found(SubscribeRequestMethod::VALUE))
    }

    fn unsubscribe(&self, _uri: &str) -> Result<(), ErrorData> {
        Err(method_not_found(UnsubscribeRequestMethod::VALUE))
    }
}
