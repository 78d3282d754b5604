//! Secrets: a password in an address is never printed, however the address is wrong.

use std::fs;
use std::path::Path;
use std::thread;

use crate::support::{Machine, sample};

const SECRET: &str = "Hunter2pw";

/// Addresses of stores, some of them wrong, with the secret in each place where a person may have put it.
const STORES: [&str; 30] = [
    "postgres://user:SECRET",
    "postgres://user:SECRET/db",
    "postgres://user:SECRET?sslmode=require",
    "postgres://user:SECRET@127.0.0.1:1/db",
    "postgres://user:SECRET@127.0.0.1:SECRET/db",
    "postgres://user:a@SECRET@127.0.0.1:1/db",
    "postgres://user:a/SECRET@127.0.0.1:1/db",
    "postgres://user:a?SECRET@127.0.0.1:1/db",
    "postgres://user:a#SECRET@127.0.0.1:1/db",
    "postgres://user:a%SECRET@127.0.0.1:1/db",
    "postgres://user%3ASECRET@127.0.0.1:1/db",
    "postgres://127.0.0.1:1/db?user=me&password=SECRET",
    "postgres://127.0.0.1:1/db&user=me&password=SECRET",
    "postgres://127.0.0.1:1/db;password=SECRET",
    "postgres://127.0.0.1:1/db#SECRET",
    "postgres://127.0.0.1:1/db?user=me;password=SECRET",
    "postgres://127.0.0.1:1/db?SECRET",
    "postgres://127.0.0.1:1/db?SECRET=1",
    "postgres://127.0.0.1:1/db?sslmode=SECRET",
    "postgres://127.0.0.1:1/db?schema=a;password=SECRET",
    "postgres://127.0.0.1:1/db?schema=pg_SECRET",
    "postgres://127.0.0.1:1/db?sslmode=verify-full&sslrootcert=/ca.pem;password=SECRET",
    "postgres:user:SECRET@127.0.0.1/db",
    "mysql://user:SECRET@127.0.0.1/db?key=SECRET",
    "user:SECRET@127.0.0.1/db",
    "SECRET@127.0.0.1:1/db",
    "user SECRET",
    "sqlite:/tmp/x.db?key=SECRET",
    "sqlite:x.db?key=SECRET",
    "https://user:SECRET@127.0.0.1/?token=SECRET",
];

/// The same for outputs.
const OUTPUTS: [&str; 7] = [
    "s3:key:SECRET@bucket",
    "s3://key:SECRET@bucket/x",
    "s3://bucket/x?secret_key=SECRET",
    "s3://bucket/x#SECRET",
    "SECRET",
    "SECRET@x://bucket",
    "file:///x?key=SECRET",
];

/// The same for servers behind the proxy.
const SERVERS: [&str; 9] = [
    "https://user:SECRET",
    "https://user:SECRET@/mcp",
    "ftp://user:SECRET@127.0.0.1/mcp",
    "user:SECRET@127.0.0.1/mcp",
    "SECRET",
    "https:127.0.0.1?token=SECRET",
    "https://127.0.0.1 /mcp?token=SECRET",
    "http://user:SECRET@127.0.0.1:1/mcp?token=SECRET",
    "http://127.0.0.1:1/mcp?token=SECRET",
];

/// The files below a directory, except one, that contain the secret.
fn holding(directory: &Path, except: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, except));
        } else if path != except
            && String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).contains(SECRET)
        {
            found.push(path.display().to_string());
        }
    }
    found
}

/// The outputs and files of the program that contain the secret, if a setting does.
fn leaks(key: &str, address: &str) -> Vec<String> {
    let address = address.replace("SECRET", SECRET);
    let machine = Machine::new();
    fs::create_dir_all(machine.home()).unwrap();
    let file = machine.home().join("config.toml");
    let (table, name) = key.split_once('.').unwrap();
    let lines = format!("[{table}]\n{name} = '{address}'\n");
    let event = r#"{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}"#;
    let mut leaks = Vec::new();
    let mut check = |machine: &Machine, from: &str, arguments: &[&str], stdin: &str| {
        let mut command = machine.command(arguments);
        if from == "environment" {
            let variable = format!("SCRATCHPAD_{}", key.replace('.', "_").to_uppercase());
            command.env(variable, &address);
        }
        let child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        let answer = machine.answer(crate::support::feed(child, stdin.as_bytes()));
        let all = format!("{}\n{}", answer.out, answer.err);
        if all.contains(SECRET) {
            leaks.push(format!("{address} from {from}, {arguments:?}: {all}"));
        }
        for path in holding(&machine.home(), &file) {
            leaks.push(format!("{address} from {from}, {arguments:?}: in {path}"));
        }
    };
    check(&machine, "argument", &["config", "set", key, &address], "");
    for from in ["file", "environment"] {
        if from == "file" {
            fs::write(&file, &lines).unwrap();
        } else {
            fs::remove_file(&file).unwrap();
        }
        for arguments in [
            &["config", "show"] as &[&str],
            &["config", "show", "--json"],
            &["doctor"],
            &["doctor", "--json"],
            &["session", "show", "--session", "s"],
            &["note", "list", "--json"],
        ] {
            check(&machine, from, arguments, "");
        }
        check(&machine, from, &["hook", "claude"], event);
    }
    leaks
}

/// The leaks of all addresses, at the same time: most of it is waiting for servers that are not there.
fn leaks_of(key: &str, addresses: &'static [&'static str]) -> Vec<String> {
    thread::scope(|scope| {
        let threads: Vec<_> = sample(addresses)
            .map(|address| scope.spawn(move || leaks(key, address)))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    })
}

fn assert_never_printed(leaks: impl Iterator<Item = String>) {
    let leaks: Vec<_> = leaks.collect();
    assert!(
        leaks.is_empty(),
        "{} times:\n{}",
        leaks.len(),
        leaks.join("\n")
    );
}

#[test]
fn no_password_in_the_address_of_a_store_is_ever_printed() {
    assert_never_printed(leaks_of("store.url", &STORES).into_iter());
}

#[test]
fn no_password_in_the_address_of_outputs_is_ever_printed() {
    assert_never_printed(leaks_of("store.outputs", &OUTPUTS).into_iter());
}

#[test]
fn no_password_in_the_address_of_another_store_is_ever_printed() {
    let machine = Machine::new();
    let copies = sample(&STORES).flat_map(|address| {
        let address = address.replace("SECRET", SECRET);
        [
            machine.run(&["store", "copy", ".", &address]),
            machine.run(&["store", "copy", &address, ".", "--json"]),
        ]
        .map(|answer| format!("{}{}", answer.out, answer.err))
    });
    let copies = copies.filter(|all| all.contains(SECRET));
    assert_never_printed(copies);
}

#[test]
fn no_password_in_the_address_of_a_server_is_ever_printed() {
    let machine = Machine::new();
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned() + "\n";
    let leaks = sample(&SERVERS).filter_map(|address| {
        let address = address.replace("SECRET", SECRET);
        let answer = machine.run_with(&["proxy", "--url", &address], call.as_bytes());
        let all = format!("{}\n{}", answer.out, answer.err);
        all.contains(SECRET).then(|| format!("{address}: {all}"))
    });
    assert_never_printed(leaks);
}

#[test]
fn a_file_of_settings_that_is_no_toml_is_not_repeated() {
    let leaks = [
        "[store]\nurl = 'postgres://user:SECRET@host/db",
        "[store]\nurl = postgres://user:SECRET@host/db\n",
        "store = 'postgres://user:SECRET@host/db'\n",
        "[store]\nurl = ['postgres://user:SECRET@host/db']\n",
        "[store]\nuri = 'postgres://user:SECRET@host/db'\n",
        "[store.url]\naddress = 'postgres://user:SECRET@host/db'\n",
    ]
    .iter()
    .flat_map(|text| {
        let machine = Machine::new();
        fs::create_dir_all(machine.home()).unwrap();
        let file = machine.home().join("config.toml");
        fs::write(&file, text.replace("SECRET", SECRET)).unwrap();
        ["show", "path"].map(|what| {
            let answer = machine.run(&["config", what]);
            format!("{text}: {}\n{}", answer.out, answer.err)
        })
    });
    assert_never_printed(leaks.filter(|all| all.contains(SECRET)));
}
