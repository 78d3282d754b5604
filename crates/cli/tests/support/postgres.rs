//! A `PostgreSQL` server to test with, and private schemas in it.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use scratchpad::model::settings::store_url::{PostgresUrl, StoreUrl};
use scratchpad::store::postgres::{Settings, Timeout};

/// The variable that names the server; its user may create schemas, roles and databases.
pub const VARIABLE: &str = "SCRATCHPAD_TEST_POSTGRES";

/// The hint if there is no server.
pub const HINT: &str = "no PostgreSQL server to test with: run ./scripts/test, which starts one, or\n  \
    export SCRATCHPAD_TEST_POSTGRES=$(./scripts/postgres start DIRECTORY)    # and later: ./scripts/postgres stop DIRECTORY";

/// The server. Without one, tests do nothing, except that `crates/cli/tests/outside/postgres/server.rs` fails.
pub fn server() -> Option<String> {
    let url = std::env::var(VARIABLE).ok().filter(|url| !url.is_empty());
    if url.is_none() {
        #[expect(clippy::print_stderr, reason = "who runs the tests must know")]
        let () = eprintln!("skipped: {HINT}");
    }
    url
}

/// Adds an option to a URL.
pub fn with_option(url: &str, option: &str) -> String {
    let joint = if url.contains('?') { '&' } else { '?' };
    format!("{url}{joint}{option}")
}

/// Parses a URL.
pub fn parsed(url: &str) -> PostgresUrl {
    match StoreUrl::parse(url).unwrap() {
        StoreUrl::Postgres(url) => url,
        other => panic!("{other:?}"),
    }
}

/// A schema that is dropped with this value.
pub struct Schema {
    pub server: String,
    pub name: String,
}

impl Schema {
    /// A schema that nobody else uses; opening it creates it.
    pub fn new() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{number}", std::process::id());
        server().map(|server| Self { server, name })
    }

    pub fn url(&self) -> String {
        with_option(&self.server, &format!("schema={}", self.name))
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        psql(
            &self.server,
            &format!("DROP SCHEMA IF EXISTS {} CASCADE", self.name),
        );
    }
}

/// Runs SQL on a server, independently of the code under test; returns the first column of the rows.
pub fn psql(url: &str, sql: &str) -> Vec<String> {
    try_psql(url, sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Like [`psql`], for SQL that the server may refuse.
pub fn try_psql(url: &str, sql: &str) -> Result<Vec<String>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let explained = |error: tokio_postgres::Error| match error.as_db_error() {
            Some(error) => error.message().to_owned(),
            None => error.to_string(),
        };
        let config: tokio_postgres::Config = parsed(url).address.parse().unwrap();
        let (client, connection) = config
            .connect(tokio_postgres::NoTls)
            .await
            .map_err(explained)?;
        tokio::spawn(connection);
        let messages = client.simple_query(sql).await.map_err(explained)?;
        let first = |message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => {
                Some(row.get(0).unwrap_or_default().to_owned())
            }
            _ => None,
        };
        Ok(messages.into_iter().filter_map(first).collect())
    })
}

/// A private server, which can be restarted.
pub struct Server {
    directory: tempfile::TempDir,
    pub url: String,
}

impl Server {
    pub fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let url = script("start", &directory.path().join("server"));
        Self { directory, url }
    }

    /// The directory of its files.
    pub fn directory(&self) -> std::path::PathBuf {
        self.directory.path().join("server")
    }

    /// Kills it as a crash would, and starts it again.
    pub fn restart(&self) {
        script("restart", &self.directory.path().join("server"));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        script("stop", &self.directory.path().join("server"));
    }
}

fn script(what: &str, directory: &Path) -> String {
    let program = Path::new(super::ROOT).join("scripts/postgres");
    let output = Command::new(program)
        .arg(what)
        .arg(directory)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The engine's settings, as a separate process would open it.
pub fn settings(url: &str, staging: &Path) -> Settings {
    Settings {
        url: parsed(url),
        timeout: Timeout::Each(Duration::from_secs(30)),
        author: "someone@here".to_owned(),
        machine: "here".to_owned(),
        staging: staging.to_owned(),
    }
}

/// The address of a server.
pub fn address(url: &str) -> SocketAddr {
    let config: tokio_postgres::Config = parsed(url).address.parse().unwrap();
    let tokio_postgres::config::Host::Tcp(host) = &config.get_hosts()[0] else {
        panic!("{url} names no host");
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    (host.as_str(), port)
        .to_socket_addrs()
        .unwrap()
        .next()
        .unwrap()
}

/// The same server on another port, without encryption, so that a cable can read the traffic.
pub fn through(url: &str, port: u16) -> String {
    let place = format!(":{}/", address(url).port());
    assert!(url.contains(&place), "{url}");
    with_option(
        &url.replace(&place, &format!(":{port}/")),
        "sslmode=disable",
    )
}
