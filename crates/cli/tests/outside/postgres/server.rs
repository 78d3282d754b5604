//! A team's server: who may connect, and the errors when something is wrong.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use crate::support::postgres::{HINT, Schema, Server, VARIABLE, address, psql, with_option};
use crate::support::{Answer, Machine, wait_until};
use snapbox::{assert_data_eq, str};

#[test]
fn there_is_a_server_to_test_with() {
    assert!(
        std::env::var(VARIABLE).is_ok_and(|url| !url.is_empty()),
        "{HINT}"
    );
}

/// Runs the program on a store, as a person would who has its URL in the environment.
fn on(url: &str, machine: &Machine, arguments: &[&str]) -> Answer {
    let mut command = machine.command(arguments);
    command.env("SCRATCHPAD_STORE_URL", url);
    machine.answer(command.output().unwrap())
}

/// What is said where the notes of a session can't be written.
fn refusal(url: &str) -> String {
    let answer = on(
        url,
        &Machine::new(),
        &["session", "set-notes", "x", "--session", "s"],
    );
    assert_eq!((answer.code.unwrap() > 0, answer.out.as_str()), (true, ""));
    answer.err
}

/// The same of a server whose port is another each time.
fn refusal_of(url: &str) -> String {
    refusal(url).replace(&format!(":{}", address(url).port()), ":PORT")
}

#[test]
fn everything_works_on_a_server_as_on_a_file() {
    let Some(schema) = Schema::new() else { return };
    let url = schema.url();
    let (one, two) = (Machine::new(), Machine::new());
    on(
        &url,
        &one,
        &["session", "set-notes", "from one machine", "--session", "s"],
    )
    .ok();
    on(
        &url,
        &one,
        &[
            "note",
            "add",
            "Die Straße ist gesperrt",
            "--tag",
            "Verkehr",
            "--session",
            "s",
        ],
    )
    .ok();
    let seen = on(&url, &two, &["session", "show", "--session", "s"]).ok();
    assert!(seen.contains("from one machine"), "{seen}");
    let found = on(&url, &two, &["note", "search", "STRASSE", "--session", "s"]).ok();
    assert!(found.contains("Die Straße ist gesperrt"), "{found}");
    assert!(!one.database().exists() && !two.database().exists());
}

#[test]
fn a_password_is_never_shown() {
    let machine = Machine::new();
    let url = "postgres://me:Hunter2pw@127.0.0.1:1/db?schema=team";
    for arguments in [
        vec!["config", "show"],
        vec!["config", "show", "--json"],
        vec!["config", "set", "store.url", url],
        vec!["config", "set", "store.url", url, "--json"],
        vec!["session", "list"],
        vec!["doctor"],
    ] {
        let answer = on(url, &machine, &arguments);
        let all = answer.seen();
        assert!(!all.contains("Hunter2pw"), "{all}");
        assert!(
            all.contains("postgres://me@127.0.0.1:1/db") || arguments == ["doctor"],
            "{all}"
        );
    }
    let log = "{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"s\",\"prompt\":\"x\"}";
    let mut hook = machine.command(&["hook", "claude"]);
    hook.env("SCRATCHPAD_STORE_URL", url)
        .stdin(std::process::Stdio::piped());
    machine
        .answer(crate::support::feed(hook.spawn().unwrap(), log.as_bytes()))
        .ok();
    let log = std::fs::read_to_string(machine.home().join("hook.log")).unwrap();
    assert!(
        log.contains("postgres://me@127.0.0.1:1/db") && !log.contains("Hunter2pw"),
        "{log}"
    );
}

#[test]
fn a_wrong_url_is_an_error_that_says_what_is_wrong() {
    let mut shown = String::new();
    for url in [
        "postgres:host/db",
        "postgres://me:secret@127.0.0.1:1/db?sslmode=always",
        "postgres://me:secret@127.0.0.1:1/db?schema=pg_mine",
        "postgres://me:secret@127.0.0.1:1/db?colour=blue",
        "postgres://me:secret@:port/db",
        "postgres://me:secret@127.0.0.1:1/db?sslmode=verify-full&sslrootcert=/nowhere/ca.pem",
    ] {
        shown += &refusal(url);
    }
    assert!(!shown.contains("secret"), "{shown}");
    assert_data_eq!(
        shown,
        str![[r#"
Error: SCRATCHPAD_STORE_URL: `store.url` has no // after its scheme.
Hint: use `sqlite:` for a database in the data directory, `sqlite:/PATH` for one elsewhere, or `postgres://USER:PASSWORD@HOST/DATABASE`.
Error: SCRATCHPAD_STORE_URL: `store.url` has an unknown sslmode; it is disable, prefer, require, verify-ca or verify-full.
Error: SCRATCHPAD_STORE_URL: `store.url` has an invalid schema; a schema's name has 1 to 63 bytes and does not begin with pg_.
Error: `store.url` is not a PostgreSQL URL: unknown option `colour`.
Hint: it looks like `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full`; in USER and PASSWORD, characters like @ and / are written as %40 and %2F.
Error: `store.url` is not a PostgreSQL URL: invalid value for option `port`.
Hint: it looks like `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full`; in USER and PASSWORD, characters like @ and / are written as %40 and %2F.
Error: Can't read the certificates in /nowhere/ca.pem: I/O error: No such file or directory (os error 2).
Hint: `sslrootcert` in `store.url` names a file of certificates in PEM form.

"#]]
    );
}

#[test]
fn a_server_that_can_t_be_used_is_an_error_that_says_why() {
    let Some(schema) = Schema::new() else { return };
    let server = &schema.server;
    let other = |name: &str| format!("{}/{name}", server.rsplit_once('/').unwrap().0);
    let role = format!("{}_guest", schema.name);
    let latin = format!("{}_latin", schema.name);
    let foreign = format!("{}_foreign", schema.name);
    psql(server, &format!("CREATE ROLE {role} LOGIN"));
    psql(
        server,
        &format!("CREATE DATABASE {latin} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"),
    );
    psql(
        server,
        &format!("CREATE SCHEMA {foreign}; CREATE TABLE {foreign}.recipes (name text)"),
    );

    let mut shown = refusal("postgres://me@127.0.0.1:1/db");
    shown += &refusal_of(&other("no_such_database"));
    shown += &refusal_of(&other(&latin));
    let guest = server.replace("postgres@", &format!("{role}@"));
    shown += &refusal_of(&with_option(&guest, &format!("schema={}", schema.name)));
    shown += &refusal_of(&with_option(server, &format!("schema={foreign}")));
    on(&schema.url(), &Machine::new(), &["session", "list"]).ok();
    psql(
        server,
        &format!("UPDATE {}.meta SET version = 99", schema.name),
    );
    shown += &refusal_of(&schema.url());

    psql(server, &format!("DROP ROLE {role}"));
    psql(server, &format!("DROP DATABASE {latin}"));
    psql(server, &format!("DROP SCHEMA {foreign} CASCADE"));
    let shown = shown.replace(&schema.name, "NAME");
    assert_data_eq!(
        shown,
        str![[r#"
Error: Can't connect to postgres://me@127.0.0.1:1/db: error connecting to server: Connection refused (os error 111). Nothing was changed.
Hint: check host, port and sslmode in `store.url`, and whether the server is up and reachable from here.
Error: Can't connect to postgres://postgres@127.0.0.1:PORT/no_such_database: database "no_such_database" does not exist. Nothing was changed.
Hint: create it (`createdb NAME`), or name another database in `store.url`.
Error: The database postgres://postgres@127.0.0.1:PORT/NAME_latin has the encoding LATIN1; UTF8 is needed. Nothing was changed.
Hint: create one that has it: `createdb --encoding=UTF8 --template=template0 NAME`.
Error: postgres://NAME_guest@127.0.0.1:PORT/postgres refused: permission denied for database postgres. Nothing was changed.
Hint: an administrator must run `GRANT CREATE ON DATABASE …` for this role, or create the schema for it: `CREATE SCHEMA NAME AUTHORIZATION …`.
Error: The schema "NAME_foreign" in postgres://postgres@127.0.0.1:PORT/postgres has tables that are not Scratchpad's. Nothing was changed.
Hint: name another schema: `?schema=NAME` at the end of `store.url`.
Error: The schema "NAME" in postgres://postgres@127.0.0.1:PORT/postgres was written by a newer scratchpad (schema 99, this one knows [..]). Nothing was changed.
Hint: update scratchpad, or name another schema: `?schema=NAME` at the end of `store.url`.

"#]]
    );
}

#[test]
fn without_the_extension_it_is_said_once_and_searches_find_the_same() {
    let Some(schema) = Schema::new() else { return };
    // A database without the extension, and a role that may not make it.
    let (server, name) = (&schema.server, &schema.name);
    psql(
        server,
        &format!("CREATE DATABASE {name} TEMPLATE template0"),
    );
    psql(server, &format!("CREATE ROLE {name} LOGIN"));
    let admin = format!("{}/{name}", server.rsplit_once('/').unwrap().0);
    psql(
        &admin,
        &format!("CREATE SCHEMA {name} AUTHORIZATION {name}"),
    );
    let role = admin.replace("postgres@", &format!("{name}@"));
    let url = with_option(&role, &format!("schema={name}"));
    let machine = Machine::new();
    let mut shown = String::new();
    for text in ["Die Straße", "another"] {
        let answer = on(&url, &machine, &["note", "add", text, "--session", "s"]);
        assert_eq!(answer.code, Some(0));
        shown += &answer.err;
    }
    let found = on(
        &url,
        &machine,
        &["note", "search", "STRASSE", "--session", "s"],
    );
    assert!(found.ok().contains("Die Straße"));
    psql(server, &format!("DROP DATABASE {name} WITH (FORCE)"));
    psql(server, &format!("DROP ROLE {name}"));
    let shown = shown
        .replace(&format!(":{}", address(&url).port()), ":PORT")
        .replace(name, "NAME");
    assert_data_eq!(
        shown,
        str![[r#"
Warning: Searches in postgres://NAME@127.0.0.1:PORT/NAME have no index and are slower: permission denied to create extension "pg_trgm". docs/postgres.md says what an administrator can do.

"#]]
    );
}

/// A server that greets as `PostgreSQL` of this version does, and then says nothing.
fn greeting_as(version: &str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let message = |kind: u8, body: &[u8]| {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [&[kind][..], &length, body].concat()
    };
    let greeting = [
        message(b'R', &[0; 4]),
        message(b'S', format!("server_version\0{version}\0").as_bytes()),
        message(b'S', b"server_encoding\0UTF8\0"),
        message(b'Z', b"I"),
    ]
    .concat();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1024]).unwrap();
            stream.write_all(&greeting).unwrap();
            // A client may wait for more as long as it likes.
            std::thread::spawn(move || drop(stream.read_to_end(&mut Vec::new())));
        }
    });
    port
}

#[test]
fn a_server_that_is_too_old_or_silent_is_an_error_that_says_so() {
    let url = |port| format!("postgres://me@127.0.0.1:{port}/db?sslmode=disable");
    let old = url(greeting_as("13.21 (Debian 13.21-1)"));
    let silent = url(greeting_as("17.2"));
    let machine = Machine::new();
    let mut list = machine.command(&["session", "list"]);
    list.env("SCRATCHPAD_STORE_URL", &silent)
        .env("SCRATCHPAD_STORE_BUSY_TIMEOUT_MS", "300");
    let shown = machine.answer(list.output().unwrap()).err;
    let shown = shown.replace(&format!(":{}", address(&silent).port()), ":PORT");
    assert_data_eq!(
        refusal_of(&old) + &shown,
        str![[r#"
Error: postgres://me@127.0.0.1:PORT/db is PostgreSQL 13.21 (Debian 13.21-1); 14 or newer is needed. Nothing was changed.
Hint: point `store.url` at a newer server.
Error: postgres://me@127.0.0.1:PORT/db did not answer within 300 ms. Nothing was changed.
Hint: check whether the server is up and reachable from here; `store.busy_timeout_ms` sets how long to wait.

"#]]
    );
}

#[test]
fn a_server_asks_for_passwords_and_shows_its_certificate() {
    if crate::support::postgres::server().is_none() {
        return;
    }
    let server = Server::start();
    psql(
        &server.url,
        "CREATE ROLE locked LOGIN PASSWORD 'sesame'; GRANT CREATE ON DATABASE postgres TO locked",
    );
    let port = address(&server.url).port();
    let url = |person: &str, host: &str, options: &str| {
        format!("postgres://{person}@{host}:{port}/postgres?{options}")
    };
    let authority = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/tls/authority.pem"
    );
    let works = |url: &str| {
        on(url, &Machine::new(), &["session", "list"]).ok();
    };
    for mode in ["disable", "prefer", "require"] {
        works(&url(
            "locked:sesame",
            "127.0.0.1",
            &format!("sslmode={mode}"),
        ));
    }
    for (host, mode) in [
        ("localhost", "verify-full"),
        ("localhost", "verify-ca"),
        ("127.0.0.1", "verify-ca"),
        ("127.0.0.1", "require"),
    ] {
        works(&url(
            "locked:sesame",
            host,
            &format!("sslmode={mode}&sslrootcert={authority}"),
        ));
    }
    // SCRAM bound to the certificate: a machine in the middle with another certificate learns nothing.
    for options in [
        "sslmode=require".to_owned(),
        format!("sslmode=verify-full&sslrootcert={authority}"),
    ] {
        works(&url(
            "locked:sesame",
            "localhost",
            &format!("{options}&channel_binding=require"),
        ));
    }
    let mut shown = String::new();
    for (person, host, options) in [
        (
            "locked:sesame",
            "127.0.0.1",
            "sslmode=disable&channel_binding=require".to_owned(),
        ),
        ("locked:wrong", "127.0.0.1", "sslmode=disable".to_owned()),
        ("locked", "127.0.0.1", "sslmode=disable".to_owned()),
        (
            "locked:sesame",
            "127.0.0.1",
            "sslmode=verify-full".to_owned(),
        ),
        (
            "locked:sesame",
            "127.0.0.1",
            format!("sslmode=verify-full&sslrootcert={authority}"),
        ),
    ] {
        shown += &refusal_of(&url(person, host, &options));
    }
    assert!(!shown.contains("sesame"), "{shown}");
    assert_data_eq!(
        shown,
        str![[r#"
Error: Can't connect to postgres://locked@127.0.0.1:PORT/postgres: authentication error: server did not use channel binding. Nothing was changed.
Hint: check host, port and sslmode in `store.url`, and whether the server is up and reachable from here.
Error: Can't connect to postgres://locked@127.0.0.1:PORT/postgres: password authentication failed for user "locked". Nothing was changed.
Hint: check the user and the password; in `store.url`, characters like @ and / are written as %40 and %2F.
Error: Can't connect to postgres://locked@127.0.0.1:PORT/postgres: invalid configuration: password missing. Nothing was changed.
Hint: put the password into `~/.pgpass` (`HOST:PORT:DATABASE:USER:PASSWORD`, mode 0600), `PGPASSWORD` or `store.url`.
Error: Can't connect to postgres://locked@127.0.0.1:PORT/postgres: error performing TLS handshake: invalid peer certificate: UnknownIssuer. Nothing was changed.
Hint: check `sslmode` in `store.url`; for a private certificate authority, set `sslrootcert=FILE`.
Error: Can't connect to postgres://locked@127.0.0.1:PORT/postgres: error performing TLS handshake: invalid peer certificate: certificate not valid for name "127.0.0.1"; certificate is only valid for DnsName("localhost"). Nothing was changed.
Hint: check `sslmode` in `store.url`; for a private certificate authority, set `sslrootcert=FILE`.

"#]]
    );
    passwords_beside_the_url(&|person| url(person, "127.0.0.1", "sslmode=disable"));
    // A server without TLS is refused where TLS is required.
    psql(&server.url, "ALTER SYSTEM SET ssl = off");
    psql(&server.url, "SELECT pg_reload_conf()");
    // New connections are let in by the old settings until the server has read the new ones.
    wait_until("the server has read its settings", || {
        psql(&server.url, "SHOW ssl") == ["off"]
    });
    let shown = refusal_of(&url("locked:sesame", "127.0.0.1", "sslmode=require"));
    assert_data_eq!(
        shown,
        str![[r#"
Error: Can't connect to postgres://locked@127.0.0.1:PORT/postgres: error performing TLS handshake: server does not support TLS. Nothing was changed.
Hint: check `sslmode` in `store.url`; for a private certificate authority, set `sslrootcert=FILE`.

"#]]
    );
    works(&url("locked:sesame", "127.0.0.1", "sslmode=prefer"));
}

#[test]
#[cfg(unix)]
fn a_unix_socket_needs_no_tls() {
    if crate::support::postgres::server().is_none() {
        return;
    }
    let server = Server::start();
    let directory = server.directory();
    psql(
        &server.url,
        &format!(
            "ALTER SYSTEM SET unix_socket_directories = '{}'",
            directory.display()
        ),
    );
    server.restart();
    let port = address(&server.url).port();
    let url = format!(
        "postgres://postgres@/postgres?host={}&port={port}",
        directory.display()
    );
    on(&url, &Machine::new(), &["session", "list"]).ok();
}

/// The password `sesame` of `locked`, where every client of the server looks for it.
fn passwords_beside_the_url(url: &dyn Fn(&str) -> String) {
    use std::os::unix::fs::PermissionsExt as _;

    let machine = Machine::new();
    let file = machine.home().join(".pgpass");
    std::fs::create_dir_all(machine.home()).unwrap();
    let write = |mode: u32, password: &str| {
        let lines =
            format!("# ours\n127.0.0.1:1:*:*:other\n127.0.0.1:*:postgres:locked:{password}\n");
        std::fs::write(&file, lines).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let tried = |person: &str, variables: &[(&str, &str)]| {
        let mut command = machine.command(&["session", "list", "--json"]);
        command
            .env("SCRATCHPAD_STORE_URL", url(person))
            .env("HOME", machine.home())
            .envs(variables.iter().copied());
        let answer = machine.answer(command.output().unwrap());
        let said = answer
            .err
            .replace(&format!(":{}", address(&url(person)).port()), ":PORT");
        assert!(
            !said.contains("sesame") && !said.contains("wrong"),
            "{said}"
        );
        assert_eq!(
            answer.code == Some(0),
            !said.contains("\"error\""),
            "{said}"
        );
        said
    };
    assert_eq!(tried("locked", &[("PGPASSWORD", "sesame")]), "");
    write(0o600, "sesame");
    assert_eq!(tried("locked", &[]), "");
    let elsewhere = machine.home().join("elsewhere");
    std::fs::rename(&file, &elsewhere).unwrap();
    let named = ("PGPASSFILE", elsewhere.to_str().unwrap());
    assert_eq!(tried("locked", &[named]), "");
    // What is nearer wins: the URL, then the variable, then the file. Of a file that is not needed nothing is said.
    write(0o644, "wrong");
    assert_eq!(tried("locked", &[("PGPASSWORD", "sesame")]), "");
    assert_eq!(tried("locked:sesame", &[("PGPASSWORD", "wrong")]), "");
    write(0o640, "sesame");
    let shown = tried("locked", &[]) + &tried("locked", &[named, ("PGPASSWORD", "wrong")]);
    assert_data_eq!(
        shown,
        str![[r#"
{"warning":"[ROOT]/home/.pgpass was ignored: other users can read it. Run `chmod 600` on it."}
{"error":{"kind":"store","message":"Can't connect to postgres://locked@127.0.0.1:PORT/postgres: invalid configuration: password missing. Nothing was changed.","hint":"put the password into `~/.pgpass` (`HOST:PORT:DATABASE:USER:PASSWORD`, mode 0600), `PGPASSWORD` or `store.url`."}}
{"error":{"kind":"store","message":"Can't connect to postgres://locked@127.0.0.1:PORT/postgres: password authentication failed for user /"locked/". Nothing was changed.","hint":"check the user and the password; in `store.url`, characters like @ and / are written as %40 and %2F."}}

"#]]
    );
}
