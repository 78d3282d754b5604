//! Gives each request an id of its own between the client and the SDK.
//!
//! A client may use the id of a cancelled request again while that one still runs. The SDK knows requests by their ids
//! alone: it would answer the second with what the first returns.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions, JsonRpcMessage,
    RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{OriginatingRequestId, RoleServer};
use rmcp::transport::Transport;

/// A transport whose requests have unique ids, and whose answers have those of the client.
pub(super) struct UniqueIds<T> {
    inner: T,
    ids: Arc<Mutex<Ids>>,
}

#[derive(Default)]
struct Ids {
    last: u64,
    /// The client's ids of the requests without an answer, by ours.
    theirs: HashMap<RequestId, RequestId>,
    /// The reverse, without cancelled ones.
    ours: HashMap<RequestId, RequestId>,
}

impl Ids {
    fn of_request(&mut self, their_id: RequestId) -> RequestId {
        self.last += 1;
        // A subscription keeps its id, which is a number or a text without a line break.
        let id = RequestId::String(format!("{}\n{their_id}", self.last).into());
        self.theirs.insert(id.clone(), their_id.clone());
        self.ours.insert(their_id, id.clone());
        id
    }

    fn of_cancelled(&mut self, their_id: &RequestId) -> Option<RequestId> {
        let id = self.ours.remove(their_id)?;
        self.theirs.remove(&id);
        Some(id)
    }

    fn of_answer(&mut self, id: &RequestId) -> Option<RequestId> {
        let their_id = self.theirs.remove(id)?;
        self.ours.remove(&their_id);
        Some(their_id)
    }
}

impl<T> UniqueIds<T> {
    pub(super) fn new(inner: T) -> Self {
        Self {
            inner,
            ids: Arc::default(),
        }
    }

    fn ids(&self) -> MutexGuard<'_, Ids> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn received(&self, message: &mut ClientJsonRpcMessage) {
        match message {
            // The id of a subscription is in all its notifications.
            JsonRpcMessage::Request(request)
                if !matches!(
                    request.request,
                    ClientRequest::SubscriptionsListenRequest(_)
                ) =>
            {
                request.id = self.ids().of_request(request.id.clone());
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &mut notification.notification
                    && let Some(id) = &mut cancelled.params.request_id
                    && let Some(known) = self.ids().of_cancelled(id)
                {
                    *id = known;
                }
            }
            _ => {}
        }
    }

    fn sent(&self, message: &mut ServerJsonRpcMessage) {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&mut response.id),
            JsonRpcMessage::Error(error) => error.id.as_mut(),
            // A question to the client goes where the answer to its request will go.
            JsonRpcMessage::Request(request) => {
                let within = request.request.extensions_mut();
                if let Some(OriginatingRequestId(id)) = within.get_mut()
                    && let Some(their_id) = self.ids().theirs.get(id)
                {
                    *id = their_id.clone();
                }
                None
            }
            JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = id
            && let Some(their_id) = self.ids().of_answer(id)
        {
            *id = their_id;
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for UniqueIds<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        mut message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.sent(&mut message);
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let mut message = self.inner.receive().await?;
        self.received(&mut message);
        Some(message)
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// What the SDK gets for a message of the client.
    fn received(ids: &UniqueIds<()>, message: Value) -> ClientJsonRpcMessage {
        let mut message = serde_json::from_value(message).unwrap();
        ids.received(&mut message);
        message
    }

    fn request(ids: &UniqueIds<()>, id: &Value, method: &str) -> RequestId {
        let request =
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"notifications": {}}});
        match received(ids, request) {
            JsonRpcMessage::Request(request) => request.id,
            other => panic!("{other:?}"),
        }
    }

    fn cancelled(ids: &UniqueIds<()>, id: &Value) -> Value {
        let method = "notifications/cancelled";
        let params = json!({"requestId": id});
        let message = received(
            ids,
            json!({"jsonrpc": "2.0", "method": method, "params": params}),
        );
        serde_json::to_value(message).unwrap()["params"]["requestId"].clone()
    }

    /// The id that the client gets with an answer.
    fn answered(ids: &UniqueIds<()>, id: &RequestId) -> Value {
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": {}});
        let mut answer = serde_json::from_value(answer).unwrap();
        ids.sent(&mut answer);
        serde_json::to_value(answer).unwrap()["id"].clone()
    }

    #[test]
    fn an_id_used_again_is_another_request() {
        let ids = UniqueIds::new(());
        for id in [json!(7), json!("7")] {
            let first = request(&ids, &id, "ping");
            assert_eq!(cancelled(&ids, &id), json!(first));
            let second = request(&ids, &id, "ping");
            assert_ne!(first, second);
            assert_ne!(answered(&ids, &first), id);
            assert_eq!(answered(&ids, &second), id);
            // There is nothing left to cancel.
            assert_eq!(cancelled(&ids, &id), id);
        }
        let rest = ids.ids();
        assert!(rest.theirs.is_empty() && rest.ours.is_empty());
    }

    #[test]
    fn a_subscription_keeps_its_id() {
        let ids = UniqueIds::new(());
        let listening = request(&ids, &json!("a"), "subscriptions/listen");
        assert_eq!(json!(listening), "a");
        assert_eq!(cancelled(&ids, &json!("a")), "a");
        assert_eq!(answered(&ids, &listening), "a");
    }
}
