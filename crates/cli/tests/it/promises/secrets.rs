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

/// Tokens with a right checksum: nobody was ever given them.
const TOKEN: &str = "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";
const OTHER: &str = "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";

#[test]
fn a_secret_is_never_stored_by_any_way_onto_a_pad_or_into_a_note() {
    let machine = Machine::new();
    let text = format!("use {TOKEN} here");
    for words in [
        &["session", "set-notes", &text] as &[&str],
        &["session", "append-notes", &text],
        &["session", "set-plan", &format!("- [ ] {text}")],
        &["session", "refs", "add", &text],
        &["session", "refs", "set", &text, OTHER],
        &["note", "scratch", &text],
        &["note", "add", &text, "--scope", "project"],
    ] {
        let answer = machine.run(&[words, &["--session", "s"]].concat()).ok();
        assert!(
            answer.contains("[secret github-token …"),
            "{words:?}: {answer}"
        );
        assert!(
            answer.contains("not stored; the rest is as given"),
            "{answer}"
        );
    }
    // More than the pad takes: the whole of it is kept as an output, without the secret.
    let long = format!("{text} {}", "x".repeat(5_000));
    machine
        .run(&["session", "set-notes", &long, "--session", "s"])
        .ok();

    let file = machine.project().join("import.jsonl");
    let line = serde_json::json!({"content": text, "tags": []});
    fs::write(&file, format!("{line}\n")).unwrap();
    machine
        .run(&["note", "import", file.to_str().unwrap()])
        .ok();
    let line = serde_json::json!({"type": "custom", "customType": "openclaw:scratchpad:plan", "data": text});
    fs::write(&file, format!("{line}\n")).unwrap();
    machine
        .run(&[
            "session",
            "import",
            file.to_str().unwrap(),
            "--session",
            "t",
        ])
        .ok();
    fs::remove_file(&file).unwrap();

    for secret in [TOKEN, OTHER] {
        for (path, bytes) in crate::support::tree(&machine.home()) {
            let has = String::from_utf8_lossy(&bytes).contains(secret);
            assert!(!has, "{secret} in {path}");
        }
    }
    let shown = machine.run(&["session", "show", "--session", "t"]).ok();
    assert!(shown.contains("use [secret github-token …"), "{shown}");
}

#[test]
fn an_agent_is_told_what_was_not_stored_and_that_the_rest_is_as_given() {
    let machine = Machine::new();
    let call = |tool: &str, arguments: serde_json::Value| {
        let words = [
            "call",
            tool,
            &arguments.to_string(),
            "--session",
            "s",
            "--json",
        ];
        machine.run(&words).json()
    };
    let text = format!("{TOKEN} and {OTHER} and {TOKEN}");
    let reply = call(
        "session_scratchpad",
        serde_json::json!({"action": "set_notes", "content": text}),
    );
    let said = reply["content"][0]["text"].as_str().unwrap();
    snapbox::assert_data_eq!(
        said,
        snapbox::str![
            "Notes saved (88 / 4000 chars). [secret github-token …976b], [secret npm-token …fb03] stand in place of secrets, which are not stored; the rest is as given."
        ]
    );
    let marks = reply["structuredContent"]["secrets"].as_array().unwrap();
    assert_eq!(marks.len(), 2);

    let added = call("scratch_note", serde_json::json!({"content": TOKEN}));
    let id = added["structuredContent"]["note_id"].as_str().unwrap();
    assert!(
        added["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("a secret, which is not stored")
    );
    let updated = call(
        "update_note",
        serde_json::json!({"id": id, "content": OTHER}),
    );
    assert!(
        updated["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("[secret npm-token …")
    );
    // A ref is removed by what the agent knows of it.
    call(
        "session_scratchpad",
        serde_json::json!({"action": "refs.add", "ref": TOKEN}),
    );
    let removed = call(
        "session_scratchpad",
        serde_json::json!({"action": "refs.remove", "ref": TOKEN}),
    );
    assert_eq!(removed["isError"], false, "{removed}");
}

#[test]
fn what_counts_as_a_secret_is_set_by_the_person_and_by_nobody_else() {
    let machine = Machine::new();
    let stored = |settings: &[&str], text: &str| {
        let mut words = vec!["session", "set-notes", text, "--session", "s"];
        for setting in settings {
            words.extend(["--config", setting]);
        }
        machine.run(&words).ok();
        let shown = machine
            .run(&["session", "show", "--session", "s", "--json"])
            .json();
        shown["notes"].as_str().unwrap_or_default().to_owned()
    };
    assert!(stored(&[], TOKEN).starts_with("[secret github-token …"));
    assert_eq!(stored(&["secrets.mode=keep"], TOKEN), TOKEN);
    assert_eq!(stored(&["secrets.allow=github-token"], TOKEN), TOKEN);
    let patterns = "secrets.patterns=acme_[0-9]+";
    assert!(stored(&[patterns], "acme_123").starts_with("[secret pattern …"));
    assert_eq!(stored(&[], "acme_123"), "acme_123");
    let wrong = machine.run(&["config", "set", "secrets.patterns", "acme_("]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.err);

    let directory = machine.project().join(".scratchpad");
    fs::create_dir_all(&directory).unwrap();
    fs::write(
        directory.join("config.toml"),
        "[secrets]\nmode = \"keep\"\n",
    )
    .unwrap();
    assert!(stored(&[], TOKEN).starts_with("[secret github-token …"));

    let set = |name: &str| {
        let mut command = machine.command(&[
            "session",
            "set-notes",
            "use zebra-crossing-9",
            "--session",
            "s",
        ]);
        command.env(name, "zebra-crossing-9");
        machine.answer(command.output().unwrap()).ok();
        machine.run(&["session", "show", "--session", "s"]).ok()
    };
    assert!(set("ACME_TOKEN").contains("[secret ACME_TOKEN …"));
    assert!(set("ACME_ANIMAL").contains("zebra-crossing-9"));
}

#[test]
fn secrets_that_were_stored_before_are_found_and_cleared_from_every_file() {
    let machine = Machine::new();
    let text = format!("use {TOKEN} here");
    let keep = ["--config", "secrets.mode=keep", "--session", "s"];
    let run = |words: &[&str]| machine.run(&[words, &keep[..]].concat()).ok();
    run(&["session", "set-notes", &text]);
    run(&["session", "set-notes", "other"]);
    run(&["note", "scratch", &text]);
    let output = crate::support::outputs::put(&machine, "t", text.repeat(200).as_bytes());
    let id = output.split(' ').nth(1).unwrap();

    let found = machine.run(&["secrets", "scan", "--json"]);
    assert_eq!(found.code, Some(1));
    let found: serde_json::Value = serde_json::from_str(&found.out).unwrap();
    let kinds: Vec<&str> = found["texts"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|text| text["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["revision", "note", "preview"]);
    assert_eq!(
        found["outputs"],
        serde_json::json!([{"id": id, "kinds": ["github-token"]}])
    );

    let masked = machine.run(&["secrets", "scan", "--mask", "--yes"]);
    assert!(
        masked.out.contains("Replaced on pads and in notes."),
        "{}",
        masked.out
    );
    assert!(!masked.out.contains(TOKEN));
    machine.run(&["output", "delete", id]).ok();
    let clean = machine.run(&["secrets", "scan"]).ok();
    assert_eq!(clean, "Nothing that is stored contains a secret.\n");
    for (path, bytes) in crate::support::tree(&machine.home()) {
        assert!(!String::from_utf8_lossy(&bytes).contains(TOKEN), "{path}");
    }
    let shown = machine
        .run(&["session", "show", "--session", "s", "--revision", "1"])
        .ok();
    assert!(
        shown.contains("use [secret github-token …976b] here"),
        "{shown}"
    );
}
