//! `proxy --wrap` and `--unwrap`: the configuration files of all hosts, there and back.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Answer, Machine};
use serde_json::json;
use snapbox::{assert_data_eq, str};

/// A machine on whose `PATH` the program is.
struct OpenSession {
    machine: Machine,
    file: PathBuf,
}

impl OpenSession {
    fn with(name: &str, content: &[u8]) -> Self {
        let machine = Machine::new();
        let file = machine.project().join(name);
        fs::write(&file, content).unwrap();
        Self { machine, file }
    }

    fn run(&self, arguments: &[&str]) -> Answer {
        let binary = Path::new(env!("CARGO_BIN_EXE_scratchpad"));
        let mut command = self.machine.command(&["proxy"]);
        command
            .args(arguments)
            .arg(self.file.file_name().unwrap())
            .env("PATH", binary.parent().unwrap());
        self.machine.answer(command.output().unwrap())
    }

    fn content(&self) -> Vec<u8> {
        fs::read(&self.file).unwrap()
    }
}

/// The files that hosts are configured with.
fn fixtures() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mcp-configs");
    let mut files: Vec<(String, String)> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn the_file_of_every_host_goes_there_and_back() {
    let mut seen = String::new();
    for (name, content) in fixtures() {
        let layouts = [
            content.clone(),
            content.replace('\n', "\r\n"),
            format!("\u{feff}{content}"),
            content.trim_end().to_owned(),
        ];
        for (at, layout) in layouts.iter().enumerate() {
            let opened = OpenSession::with(&name, layout.as_bytes());
            let answer = opened.run(&["--wrap"]);
            if at == 0 {
                seen += &format!("== {name}\n{}{}", answer.out, answer.err);
            }
            let once = opened.content();
            if Path::new(&name)
                .extension()
                .is_some_and(|end| end == "yaml")
            {
                assert_eq!(once, layout.as_bytes());
                continue;
            }
            assert_eq!(answer.code, Some(0), "{name}: {answer:?}");
            assert_ne!(once, layout.as_bytes(), "{name}");
            let again = opened.run(&["--wrap"]).ok();
            assert!(
                again
                    .lines()
                    .all(|line| line.starts_with("already") || line.starts_with("skipped")),
                "{again}"
            );
            assert_eq!(opened.content(), once, "{name}");
            let back = opened.run(&["--unwrap"]).ok();
            assert!(!back.contains("edited"), "{back}");
            assert_eq!(
                String::from_utf8(opened.content()).unwrap(),
                *layout,
                "{name}, layout {at}"
            );
        }
    }
    assert_data_eq!(
        seen,
        str![[r#"
== amp.settings.json
wrapped playwright
wrapped semgrep: by its URL; if it needs the host to sign in, unwrap it: the proxy can't
== claude-project.mcp.json
wrapped files
skipped scratchpad: it is scratchpad itself
wrapped docs: by its URL; if it needs the host to sign in, unwrap it: the proxy can't
skipped tracker: its `type` is "sse", the older transport, which the proxy does not speak
skipped github: it has `headers`, and secrets in it would show on the proxy's command line
== claude-user.json
wrapped db in /home/me/app
wrapped time
== cline_mcp_settings.json
wrapped probe
wrapped web: by its URL; if it needs the host to sign in, unwrap it: the proxy can't
== codex.config.toml
wrapped everything
wrapped bare one
wrapped many
wrapped remote: by its URL; if it needs the host to sign in, unwrap it: the proxy can't
skipped secret: it has `bearer_token_env_var`, and secrets in it would show on the proxy's command line
wrapped inline
== copilot.mcp-config.json
wrapped memory
wrapped remote: by its URL; if it needs the host to sign in, unwrap it: the proxy can't
== crush.json
wrapped filesystem
skipped hub: it has `headers`, and secrets in it would show on the proxy's command line
skipped stream: its `type` is "sse", the older transport, which the proxy does not speak
== cursor.mcp.json
wrapped linear: by its URL; if it needs the host to sign in, unwrap it: the proxy can't
wrapped local
== droid.mcp.json
wrapped quick
wrapped remote: by its URL; if it needs the host to sign in, unwrap it: the proxy can't
== gemini.settings.json
wrapped everything
wrapped search: by its URL; if it needs the host to sign in, unwrap it: the proxy can't
wrapped legacy: by its URL; if it needs the host to sign in, unwrap it: the proxy can't
== goose.config.yaml
Error: goose.config.yaml is YAML, which can't be rewritten byte for byte. Nothing was changed.
Hint: do it by hand: where it says `cmd: npx` and `args: [-y, server]`, write `cmd: scratchpad` and `args: [proxy, --name, NAME, --, npx, -y, server]`.
== kiro.mcp.json
wrapped aws-docs
== openclaw.json
wrapped files
skipped docs: it has a `transport`, which a command in its place would contradict
== opencode.json
wrapped probe
wrapped context: by its URL; if it needs the host to sign in, unwrap it: the proxy can't
== opencode.jsonc
wrapped build
== qwen.settings.json
wrapped probe
wrapped bare
== vscode.mcp.json
wrapped perplexity
wrapped hub: by its URL; if it needs the host to sign in, unwrap it: the proxy can't
== windsurf.mcp_config.json
wrapped remote: by its URL; if it needs the host to sign in, unwrap it: the proxy can't
skipped with-key: its URL has a query, a user or a variable, and secrets in it would show on the proxy's command line
wrapped playwright
== zed.settings.json
wrapped mine
wrapped older
skipped by-extension: it has neither a `command` nor a URL

"#]]
    );
}

#[test]
fn a_file_that_its_host_rewrote_meanwhile_is_unwrapped_all_the_same() {
    let mut files = 0;
    for (name, content) in fixtures() {
        // As hosts do that read JSON into memory and write it whole.
        let rewritten = |text: &[u8]| {
            let value: serde_json::Value = serde_json::from_slice(text).ok()?;
            Some(serde_json::to_string_pretty(&value).unwrap())
        };
        let Some(before) = rewritten(content.as_bytes()) else {
            continue;
        };
        let opened = OpenSession::with(&name, content.as_bytes());
        opened.run(&["--wrap"]).ok();
        fs::write(&opened.file, rewritten(&opened.content()).unwrap()).unwrap();
        opened.run(&["--unwrap"]).ok();
        assert_eq!(
            String::from_utf8(opened.content()).unwrap(),
            before,
            "{name}"
        );
        files += 1;
    }
    assert!(files >= 10, "only {files} are plain JSON");
}

#[test]
fn a_dry_run_shows_the_change_and_writes_nothing() {
    let content = fs::read("tests/fixtures/mcp-configs/codex.config.toml").unwrap();
    let opened = OpenSession::with("config.toml", &content);
    assert_data_eq!(
        opened.run(&["--dry-run", "--wrap"]).seen(),
        str![[r#"
exit 0
--- stdout
--- a/config.toml
+++ b/config.toml
@@ -2,12 +2,13 @@
 approval_policy = "on-request"
 
 [mcp_servers.everything]
-command = "npx"
-args = ["-y", "@modelcontextprotocol/server-everything"]
+command = "scratchpad"
+args = ["proxy", "--name", "everything", "--", "npx", "-y", "@modelcontextprotocol/server-everything"]
 startup_timeout_sec = 20
 
 [mcp_servers."bare one"]
-command = '/opt/My Tools/server' # no arguments
+command = "scratchpad"
+args = ["proxy", "--name=bare one", "--", '/opt/My Tools/server'] # no arguments
 
 [mcp_servers."bare one".env]
 LOG = "1"
@@ -15,13 +16,14 @@
 [mcp_servers.many]
 args = [
     # first
-    "--root", # this
+    "proxy", "--name", "many", "--", "server", "--root", # this
     ".",
 ]
-command = "server"
+command = "scratchpad"
 
 [mcp_servers.remote]
-url = "https://mcp.example.com/mcp"
+command = "scratchpad"
+args = ["proxy", "--name", "remote", "--url", "https://mcp.example.com/mcp"]
 
 [mcp_servers.secret]
 url = "https://mcp.example.com/mcp"
@@ -29,8 +31,8 @@
 
 [mcp_servers.inline]
 env = { A = "1" }
-command = "uvx"
-args = []
+command = "scratchpad"
+args = ["proxy", "--name", "inline", "--", "uvx"]
 
 [tools]
 web_search = true
--- stderr
wrapped everything
wrapped bare one
wrapped many
wrapped remote: by its URL; if it needs the host to sign in, unwrap it: the proxy can't
skipped secret: it has `bearer_token_env_var`, and secrets in it would show on the proxy's command line
wrapped inline

"#]]
    );
    assert_eq!(opened.content(), content);
}

#[test]
fn json_tells_what_became_of_each_server() {
    let content = fs::read("tests/fixtures/mcp-configs/claude-user.json").unwrap();
    let opened = OpenSession::with("claude.json", &content);
    assert_eq!(
        opened.run(&["--json", "--wrap"]).json(),
        json!({
            "file": "claude.json", "changed": true, "diff": null,
            "servers": [
                {"name": "db", "project": "/home/me/app", "outcome": "wrapped", "remark": null},
                {"name": "time", "project": null, "outcome": "wrapped", "remark": null},
            ],
        })
    );
    let again = opened.run(&["--json", "--wrap"]).json();
    assert_eq!(again["changed"], json!(false));
}

#[test]
fn a_program_that_is_not_on_the_path_is_named_by_its_own() {
    let opened = OpenSession::with("mcp.json", br#"{"mcpServers": {"a": {"command": "npx"}}}"#);
    opened.machine.run(&["proxy", "--wrap", "mcp.json"]).ok();
    let wrapped: serde_json::Value = serde_json::from_slice(&opened.content()).unwrap();
    let command = wrapped["mcpServers"]["a"]["command"].as_str().unwrap();
    assert_eq!(
        Path::new(command).canonicalize().unwrap(),
        Path::new(env!("CARGO_BIN_EXE_scratchpad"))
            .canonicalize()
            .unwrap()
    );
}

#[test]
fn an_edit_elsewhere_in_the_meantime_stays() {
    let before =
        "{\n  // one\n  \"mcpServers\": {\"a\": {\"command\": \"npx\"}},\n  \"theme\": \"dark\"\n}";
    let opened = OpenSession::with("mcp.json", before.as_bytes());
    opened.run(&["--wrap"]).ok();
    let edited = String::from_utf8(opened.content())
        .unwrap()
        .replace("dark", "light")
        .replace("// one", "// two");
    fs::write(&opened.file, edited).unwrap();
    opened.run(&["--unwrap"]).ok();
    assert_eq!(
        String::from_utf8(opened.content()).unwrap(),
        before.replace("dark", "light").replace("// one", "// two")
    );
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_the_mode_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let opened = OpenSession::with("real.json", br#"{"servers": {"a": {"command": "npx"}}}"#);
    fs::set_permissions(&opened.file, fs::Permissions::from_mode(0o640)).unwrap();
    let link = opened.machine.project().join("link.json");
    symlink("real.json", &link).unwrap();
    opened.machine.run(&["proxy", "--wrap", "link.json"]).ok();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(
        String::from_utf8(opened.content())
            .unwrap()
            .contains("proxy")
    );
    assert_eq!(crate::support::mode(&opened.file), 0o640);
}

#[cfg(unix)]
#[test]
fn nothing_is_written_when_nothing_changes() {
    use std::os::unix::fs::MetadataExt;
    let opened = OpenSession::with("mcp.json", br#"{"mcpServers": {"a": {"command": "npx"}}}"#);
    opened.run(&["--wrap"]).ok();
    let inode = || fs::metadata(&opened.file).unwrap().ino();
    let before = inode();
    opened.run(&["--wrap"]).ok();
    assert_eq!(inode(), before);
}

#[test]
fn files_that_can_not_be_rewritten() {
    let mut seen = String::new();
    let mut see = |name: &str, content: Option<&[u8]>, arguments: &[&str]| {
        let opened = OpenSession::with(name, content.unwrap_or_default());
        if content.is_none() {
            fs::remove_file(&opened.file).unwrap();
        }
        seen += &opened.run(arguments).seen();
        assert_eq!(fs::read(&opened.file).ok().as_deref(), content);
    };
    see(
        "broken.json",
        Some(b"{\n  \"mcpServers\": oops\n}"),
        &["--wrap"],
    );
    see("other.json", Some(b"{\"theme\": \"dark\"}"), &["--unwrap"]);
    see("empty.json", Some(b"{\"mcpServers\": {}}"), &["--wrap"]);
    see("latin.json", Some(b"{\"\xe9\": 1}"), &["--wrap"]);
    see("missing.json", None, &["--wrap"]);
    see("x.json", Some(b"{}"), &["--wrap", "x.json", "--unwrap"]);
    let opened = OpenSession::with("locked.json", br#"{"servers": {"a": {"command": "npx"}}}"#);
    let mut permissions = fs::metadata(&opened.file).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&opened.file, permissions).unwrap();
    seen += &opened.run(&["--wrap"]).seen();
    seen += &opened.machine.run(&["proxy", "--wrap", "."]).seen();
    seen += &opened.machine.run(&["proxy", "--wrap", "/dev/null"]).seen();
    assert_data_eq!(
        seen,
        str![[r#"
exit 1
--- stdout
--- stderr
Error: broken.json: not valid JSON: line 2, column 17: unexpected word. Nothing was changed.
exit 1
--- stdout
--- stderr
Error: other.json: no MCP servers in it. Nothing was changed.
Hint: servers are expected under `mcpServers`, `projects.*.mcpServers`, `mcp_servers`, `mcp`, `servers`, `context_servers`, `amp.mcpServers` and `mcp.servers`.
exit 0
--- stdout
empty.json has no servers yet.
--- stderr
exit 1
--- stdout
--- stderr
Error: latin.json is not UTF-8: invalid byte at offset 2. Nothing was changed.
exit 1
--- stdout
--- stderr
Error: missing.json does not exist. Nothing was changed.
exit 2
--- stdout
--- stderr
Error: the argument '--wrap <FILE>' cannot be used with '--unwrap <FILE>'

Usage: scratchpad proxy --wrap <FILE> [-- <COMMAND>...]

For more information, try '--help'.
exit 1
--- stdout
--- stderr
Error: locked.json is read-only. Nothing was changed.
Hint: make it writable.
exit 1
--- stdout
--- stderr
Error: . is a directory. Nothing was changed.
exit 1
--- stdout
--- stderr
Error: /dev/null is not a regular file. Nothing was changed.

"#]]
    );
}
