//! How long calls wait for each other.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::client::Client;
use crate::support::postgres::{Schema, psql};
use crate::support::{Machine, wait_until};

#[test]
fn calls_behind_a_locked_row_share_one_deadline() {
    const TIMEOUT: Duration = Duration::from_secs(2);
    let Some(schema) = Schema::new() else { return };
    let (url, machine) = (schema.url(), Machine::new());
    let timeout = format!("store.busy_timeout_ms={}", TIMEOUT.as_millis());
    let mut command = machine.command(&["mcp", "--session", "s", "--config", &timeout]);
    let mut client = Client::greeted(command.env("SCRATCHPAD_STORE_URL", &url));
    // It is connected, and knows the schema.
    let call = |action: &str| json!({"action": action, "content": "x"});
    client.call("session_scratchpad", call("append_notes"));
    let table = format!("{}.session", schema.name);
    let server = schema.server.clone();
    let holder = std::thread::spawn(move || {
        psql(
            &server,
            &format!("BEGIN; SELECT 1 FROM {table} FOR UPDATE; SELECT pg_sleep(12); ROLLBACK"),
        );
    });
    wait_until("the row is locked", || {
        let sql = "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(12)%' AND wait_event = 'PgSleep'";
        !psql(&schema.server, sql).is_empty()
    });
    let since = Instant::now();
    for id in 0..6 {
        let params = json!({"name": "session_scratchpad", "arguments": call("append_notes")});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }
    for id in 0..6 {
        let answer = client.answer(&json!(id));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(answer.to_string().contains("was busy for"), "{answer}");
    }
    // One after the other they would take six times as long.
    let took = since.elapsed();
    assert!(took < TIMEOUT * 4, "{took:?}");
    // A call that comes later has a timeout of its own, and the connections are good.
    holder.join().unwrap();
    let said = client.call("session_scratchpad", call("append_notes"));
    assert!(said[0].starts_with("Notes"), "{said:?}");
}
