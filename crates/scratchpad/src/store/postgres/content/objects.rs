//! Object storage: a bucket, or a directory shared by all machines.
//!
//! `object_store` handles both. Its requests go through the proxy's HTTP client, so that the program has one client
//! and one TLS library. Requests block, with a timeout.

use std::fmt;
use std::fs;
use std::future::Future;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use http_body::Body as _;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    ClientConfigKey, ClientOptions, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions,
    RetryConfig,
};
use ureq::http::{Method, Request};

use crate::disk::private::cannot;
use crate::model::error::{Error, Result};
use crate::model::settings::outputs_url::OutputsUrl;
use crate::model::text::message::{Message, message};
use crate::model::text::quantity::shortened;

/// The timeout for connecting.
const CONNECT: Duration = Duration::from_secs(5);
/// The maximum size of a response: more than any part that we write.
const MAX_ANSWER_BYTES: u64 = 64 << 20;
/// The prefix of the environment variables that configure it.
pub const VARIABLES: &str = "AWS_";

/// A store for objects.
pub(crate) struct Objects {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    shown: String,
    /// The directory, if it is one.
    directory: Option<PathBuf>,
}

impl Objects {
    /// The object store that `store.outputs` names; `None` if that is the database. Does not connect yet.
    ///
    /// `variables` are the environment variables with the [prefix](VARIABLES): credentials, region, endpoint.
    pub(crate) fn new(
        url: &OutputsUrl,
        variables: &[(String, String)],
        timeout: Duration,
    ) -> Result<Option<Self>> {
        let (store, prefix, shown): (Arc<dyn ObjectStore>, Path, String) = match url {
            OutputsUrl::Database => return Ok(None),
            OutputsUrl::Directory(directory) => {
                fs::create_dir_all(directory)
                    .map_err(|error| cannot("create the directory", directory, &error))?;
                let shown = directory.display().to_string();
                let store = LocalFileSystem::new_with_prefix(directory)
                    .map_err(|error| failed("use", &shown, &error))?
                    .with_fsync(true);
                (Arc::new(store), Path::default(), shown)
            }
            OutputsUrl::Bucket { bucket, prefix } => {
                let shown = format!("s3://{bucket}");
                let wrong = |error: object_store::Error| failed("use", &shown, &error);
                let mut builder = AmazonS3Builder::new();
                for (name, value) in variables {
                    // Unknown variables are for other programs.
                    if let Ok(key) = name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>() {
                        builder = builder.with_config(key, value);
                    }
                }
                let retry = RetryConfig {
                    max_retries: 3,
                    retry_timeout: timeout,
                    ..RetryConfig::default()
                };
                let store = builder
                    .with_bucket_name(bucket)
                    .with_retry(retry)
                    .with_http_connector(Connector { timeout })
                    .build()
                    .map_err(wrong)?;
                let prefix = Path::parse(prefix).map_err(|error| wrong(error.into()))?;
                (Arc::new(store), prefix, shown)
            }
        };
        let directory = match url {
            OutputsUrl::Directory(directory) => Some(directory.clone()),
            _ => None,
        };
        Ok(Some(Self {
            store,
            prefix,
            shown,
            directory,
        }))
    }

    fn path(&self, name: &str, part: usize) -> Path {
        self.prefix.clone().join(name).join(part.to_string())
    }

    fn wait<T>(
        &self,
        what: &'static str,
        work: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T> {
        match waited(work) {
            Some(done) => done.map_err(|error| failed(what, &self.shown, &error)),
            None => Err(Error::store(message!(
                "Can't {what} {place}.",
                what = Message::from(what),
                place = self.shown.clone()
            ))),
        }
    }

    /// Stores a part of an object. The name must be unique.
    pub(crate) fn put(&self, name: &str, part: usize, content: Vec<u8>) -> Result<()> {
        let (path, options) = (self.path(name, part), PutOptions::from(PutMode::Create));
        let put = async {
            match self.store.put_opts(&path, content.into(), options).await {
                // The request was retried because its response was lost.
                Err(object_store::Error::AlreadyExists { .. }) => Ok(()),
                other => other.map(drop),
            }
        };
        self.wait("write to", put)
    }

    /// A byte range of a part; `None` if the part does not exist.
    pub(crate) fn get(
        &self,
        name: &str,
        part: usize,
        range: Range<u64>,
    ) -> Result<Option<Vec<u8>>> {
        let path = self.path(name, part);
        let get = async {
            match self.store.get_range(&path, range).await {
                Err(object_store::Error::NotFound { .. }) => Ok(None),
                other => other.map(|bytes| Some(bytes.to_vec())),
            }
        };
        self.wait("read from", get)
    }

    /// Removes the parts of an object. Missing parts are no error.
    pub(crate) fn delete(&self, name: &str, parts: usize) -> Result<()> {
        if let Some(directory) = &self.directory {
            // The whole directory: a part that a killed process wrote halfway has a temporary name, which the store
            // does not list.
            let place = directory.join(self.prefix.clone().join(name).as_ref());
            return match fs::remove_dir_all(&place) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                other => other.map_err(|error| cannot("remove", &place, &error)),
            };
        }
        let delete = async {
            for part in 0..parts {
                match self.store.delete(&self.path(name, part)).await {
                    Err(object_store::Error::NotFound { .. }) => {}
                    other => other?,
                }
            }
            Ok(())
        };
        self.wait("delete from", delete)
    }

    /// Checks that an object can be stored, read by range and removed.
    pub(crate) fn probe(&self, name: &str) -> Result<()> {
        self.put(name, 0, b"scratchpad probes this".to_vec())?;
        let read = self.get(name, 0, 11..17);
        self.delete(name, 1)?;
        if read?.as_deref() == Some(b"probes") {
            return Ok(());
        }
        Err(Error::store(message!(
            "{place} did not return what was stored.",
            place = self.shown.clone()
        )))
    }
}

impl fmt::Display for Objects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.prefix.as_ref() {
            "" => formatter.write_str(&self.shown),
            prefix => write!(formatter, "{}/{prefix}", self.shown),
        }
    }
}

/// Blocks on a future; `None` if the system is out of resources for a runtime.
fn waited<T>(work: impl Future<Output = T>) -> Option<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    Some(runtime.ok()?.block_on(work))
}

fn failed(what: &'static str, shown: &str, error: &object_store::Error) -> Error {
    let said = error.to_string().replace('\n', " ");
    Error::store(message!(
        "Can't {what} {place}: {why}.",
        what = Message::from(what),
        place = shown,
        why = shortened(said.trim_end_matches('.'), 300)
    ))
    .hint("`scratchpad doctor` tries it; credentials, region and endpoint of a bucket come from AWS_… variables.")
}

#[derive(Debug)]
struct Connector {
    timeout: Duration,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT.min(self.timeout)))
            .timeout_global(Some(self.timeout))
            .build();
        let http_allowed = options.get_config_value(&ClientConfigKey::AllowHttp);
        Ok(HttpClient::new(Http {
            agent: config.new_agent(),
            in_the_clear: http_allowed.is_some_and(|value| value == "true"),
        }))
    }
}

#[derive(Debug)]
struct Http {
    agent: ureq::Agent,
    in_the_clear: bool,
}

impl HttpService for Http {
    fn call<'a, 'b>(
        &'a self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move { self.answer(request) })
    }
}

impl Http {
    fn answer(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (head, body) = request.into_parts();
        if head.uri.scheme_str() != Some("https") && !self.in_the_clear {
            let why = "it is not https; AWS_ALLOW_HTTP=true allows that";
            return Err(HttpError::new_boxed(HttpErrorKind::Unknown, why.into()));
        }
        let body = whole(body)?;
        let answered = match head.method {
            Method::GET | Method::HEAD | Method::DELETE => {
                self.agent.run(Request::from_parts(head, ()))
            }
            _ => self.agent.run(Request::from_parts(head, body)),
        };
        let (head, mut body) = answered.map_err(explained)?.into_parts();
        let body = body
            .with_config()
            .limit(MAX_ANSWER_BYTES)
            .read_to_vec()
            .map_err(explained)?;
        Ok(HttpResponse::from_parts(head, body.into()))
    }
}

/// The body of a request, which is all in memory.
fn whole(body: object_store::client::HttpRequestBody) -> Result<Vec<u8>, HttpError> {
    let mut body = pin!(body);
    let mut bytes = Vec::new();
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Ready(Some(frame)) = body.as_mut().poll_frame(&mut context) {
        if let Ok(part) = frame?.into_data() {
            bytes.extend_from_slice(&part);
        }
    }
    Ok(bytes)
}

/// Converts an error, with a kind that tells `object_store` whether to retry.
fn explained(error: ureq::Error) -> HttpError {
    let kind = match &error {
        ureq::Error::Timeout(_) => HttpErrorKind::Timeout,
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => HttpErrorKind::Connect,
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
            HttpErrorKind::Connect
        }
        ureq::Error::Io(_) => HttpErrorKind::Interrupted,
        _ => HttpErrorKind::Unknown,
    };
    HttpError::new(kind, error)
}
