//! Random files: unwrapping is the inverse of wrapping, and nothing but servers changes.

use proptest::prelude::*;
use serde_json::Value as Json;

use crate::model::host::edit::tree;
use crate::model::host::edit::tree::Node;
use crate::model::host::wrap::{Format, Rewritten, Way, WrapOutcome, rewrite};

/// Decides by bytes that proptest makes up, and makes smaller when something fails.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::from(*self.0.next().unwrap_or(&0)) % all.len()]
    }

    fn yes(&mut self) -> bool {
        self.one_of(&[false, true])
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::from(*self.0.next().unwrap_or(&0)) % limit
    }
}

const NAMES: [&str; 6] = ["a", "files", "ü b", "q\"uote", "with.dot", "C:\\x"];

/// A JSON document being written, with anything that may stand between two tokens.
struct Writer<'a> {
    choices: Choices<'a>,
    text: String,
}

impl Writer<'_> {
    fn gap(&mut self) {
        let gaps = [
            "",
            "",
            " ",
            "\n  ",
            "\r\n\t",
            "/* , \"x\": [ */",
            "// ]},\n",
            "// \"\r\n",
            "\n\n/**/ ",
        ];
        self.text.push_str(self.choices.one_of(&gaps));
    }

    fn token(&mut self, token: &str) {
        self.gap();
        self.text.push_str(token);
        self.gap();
    }

    fn word(&mut self) {
        let words = [
            r#""npx""#,
            r#""-y""#,
            r#""--""#,
            r#""""#,
            r#""\u006e\"x\\""#,
            r#""ü 🙂""#,
            r#""proxy""#,
            r#""--name""#,
            r#""https:\/\/x""#,
            r"'single'",
        ];
        let word = self.choices.one_of(&words);
        self.token(word);
    }

    /// Items between brackets, with commas, one at the end perhaps.
    fn items(&mut self, brackets: [&str; 2], count: usize, item: &mut dyn FnMut(&mut Self, usize)) {
        self.token(brackets[0]);
        for at in 0..count {
            item(self, at);
            if at + 1 < count || self.choices.yes() {
                self.token(",");
            }
        }
        self.gap();
        self.text.push_str(brackets[1]);
    }

    fn words(&mut self, least: usize) {
        let count = least + self.choices.below(4);
        self.items(["[", "]"], count, &mut |writer, _| writer.word());
    }

    fn key(&mut self, name: &str) {
        self.token(&Json::from(name).to_string());
        self.text.push(':');
        self.gap();
    }

    fn anything(&mut self, depth: usize) {
        match self.choices.below(if depth == 0 { 4 } else { 6 }) {
            0 => self.token("null"),
            1 => self.token("-1.50e+3"),
            2 => self.token("true"),
            3 => self.word(),
            4 => {
                let count = self.choices.below(3);
                self.items(["[", "]"], count, &mut |writer, _| {
                    writer.anything(depth - 1);
                });
            }
            _ => {
                let count = self.choices.below(3);
                self.items(["{", "}"], count, &mut |writer, _| {
                    let name = writer
                        .choices
                        .one_of(&["command", "args", "x", "mcpServers"]);
                    writer.key(name);
                    writer.anything(depth - 1);
                });
            }
        }
    }

    fn server(&mut self) {
        let keys: &[&str] = match self.choices.below(8) {
            0 => &["command"],
            1 => &["command", "args"],
            2 => &["args", "env", "command"],
            3 => &["type", "command", "disabled"],
            4 => &["url"],
            5 => &["x", "url", "type"],
            6 => &["httpUrl", "timeout"],
            _ => &["disabled", "words"],
        };
        self.items(["{", "}"], keys.len(), &mut |writer, at| {
            let key = keys[at];
            writer.key(if key == "words" { "command" } else { key });
            match key {
                "command" => {
                    // Its program is not ours, and it is a text.
                    let word =
                        writer
                            .choices
                            .one_of(&[r#""npx""#, r#""C:\\a b\u00e4""#, r#""""#, r"'x'"]);
                    writer.token(word);
                }
                "args" => writer.words(0),
                "words" => {
                    writer.words(1);
                }
                "url" | "httpUrl" => {
                    let url = writer
                        .choices
                        .one_of(&[r#""https://a.example/mcp""#, r#""http:\/\/[::1]:1""#]);
                    writer.token(url);
                }
                "type" => {
                    let kind = writer.choices.one_of(&[
                        r#""http""#,
                        r#""streamableHttp""#,
                        r#""remote""#,
                        r#""stdio""#,
                        r#""sse""#,
                    ]);
                    writer.token(kind);
                }
                _ => writer.anything(2),
            }
        });
    }

    fn servers(&mut self) {
        let count = self.choices.below(4);
        self.items(["{", "}"], count, &mut |writer, at| {
            writer.key(NAMES[at]);
            writer.server();
        });
    }

    fn document(mut self) -> (String, &'static str) {
        let container =
            self.choices
                .one_of(&["mcpServers", "servers", "context_servers", "amp.mcpServers"]);
        if self.choices.yes() {
            self.text.push('\u{feff}');
        }
        let before = self.choices.below(3);
        let count = before + 1 + self.choices.below(2);
        self.items(["{", "}"], count, &mut |writer, at| {
            if at == before {
                writer.key(container);
                writer.servers();
            } else {
                writer.key(["theme", "other", "last"][at.min(2)]);
                writer.anything(3);
            }
        });
        self.gap();
        (self.text, container)
    }
}

/// The text with every server's table taken out.
fn without_servers(text: &str, format: Format, container: &str) -> String {
    let bare = text.trim_start_matches('\u{feff}');
    let root = tree::read(bare, format).unwrap();
    let servers = root.table().unwrap().table(container).unwrap();
    let mut rest = String::new();
    let mut done = 0;
    for server in &servers.properties {
        rest += bare.get(done..server.value.range.start).unwrap();
        done = server.value.range.end;
    }
    rest + bare.get(done..).unwrap()
}

fn text_of(node: &Node) -> String {
    node.text().unwrap_or("?").to_owned()
}

/// What a server's command and arguments are, decoded.
fn command_line(text: &str, format: Format, container: &str, name: &str) -> Vec<String> {
    let root = tree::read(text.trim_start_matches('\u{feff}'), format).unwrap();
    let server = root
        .table()
        .unwrap()
        .table(container)
        .unwrap()
        .table(name)
        .unwrap();
    let words = |key: &str| match server.get(key).map(|it| &it.value) {
        None => Vec::new(),
        Some(node) => match node.list() {
            Some(words) => words.iter().map(text_of).collect(),
            None => vec![text_of(node)],
        },
    };
    [words("command"), words("args")].concat()
}

/// Holds all that is promised of a file.
fn check(text: &str, format: Format, container: &str) -> Result<Rewritten, TestCaseError> {
    let once = rewrite(text, format, Way::Wrap, "scratchpad").unwrap();
    let twice = rewrite(&once.text, format, Way::Wrap, "scratchpad").unwrap();
    prop_assert_eq!(&twice.text, &once.text);
    let back = rewrite(&once.text, format, Way::Unwrap, "scratchpad").unwrap();
    prop_assert_eq!(&back.text, text);
    for (server, back) in once.servers.iter().zip(&back.servers) {
        let now = command_line(&once.text, format, container, &server.name);
        let was = command_line(text, format, container, &server.name);
        match &server.outcome {
            WrapOutcome::Wrapped => {
                let proxied = now.iter().position(|word| word == "--").unwrap() + 1;
                prop_assert_eq!(&now[proxied..], was.as_slice());
                let head = now[..proxied].join(" ").replacen("--name=", "--name ", 1);
                prop_assert_eq!(head, format!("scratchpad proxy --name {} --", server.name));
                prop_assert_eq!(&back.outcome, &WrapOutcome::Restored);
            }
            WrapOutcome::WrappedRemote => {
                prop_assert_eq!(&now[..2], ["scratchpad", "proxy"]);
                prop_assert!(now.contains(&"--url".to_owned()));
                prop_assert_eq!(&back.outcome, &WrapOutcome::Restored);
            }
            WrapOutcome::Skipped(_) => prop_assert_eq!(now, was),
            other => prop_assert!(false, "{other:?}"),
        }
    }
    Ok(once)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 8))]

    #[test]
    fn unwrapping_json_gives_back_every_byte(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let writer = Writer { choices: Choices(bytes.iter()), text: String::new() };
        let (text, container) = writer.document();
        let once = check(&text, Format::Json, container)?;
        prop_assert_eq!(
            without_servers(&once.text, Format::Json, container),
            without_servers(&text, Format::Json, container)
        );
        // What somebody changes elsewhere in the meantime stays, and only that.
        let edited = |text: &str| text.replacen('{', "{ \"new\": [1, /* , */ 2],\n", 1);
        let back = rewrite(&edited(&once.text), Format::Json, Way::Unwrap, "scratchpad").unwrap();
        prop_assert_eq!(back.text, edited(&text));
    }

    #[test]
    fn unwrapping_toml_gives_back_every_byte(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = toml(&mut Choices(bytes.iter()));
        check(&text, Format::Toml, "mcp_servers")?;
    }
}

/// A TOML document: tables, inline tables and dotted keys.
fn toml(choices: &mut Choices<'_>) -> String {
    let end = choices.one_of(&["\n", "\r\n"]);
    let mut lines = vec![choices.one_of(&["# mine", "model = \"x\"", ""]).to_owned()];
    let mut tables = Vec::new();
    for name in ["a", "\"b c\"", "d-e"].into_iter().take(choices.below(4)) {
        let command = format!(
            "{} = {}",
            choices.one_of(&["command", "\"command\"", " command "]),
            choices.one_of(&[
                "\"npx\"",
                "'C:\\x'",
                "\"\"\"a\\\"b\"\"\"",
                "'''x'''",
                "\"\\u00e4\""
            ])
        );
        let args = choices.one_of(&[
            "",
            "args = []",
            "args=[ # none, yet\n]",
            "args = [\"-y\", 'x']",
            "args = [\n  # first\n  \"-y\", # why\n  \"--\",\n]",
        ]);
        let url = choices.one_of(&["url = \"https://a.example\"", "url='https://a.example'"]);
        match choices.below(5) {
            0 => lines.push(format!("mcp_servers.{name} = {{ {command} }}")),
            1 if !args.contains('#') && !args.is_empty() => {
                lines.push(format!("mcp_servers.{name} = {{{command}, {args}}}"));
            }
            2 if !args.contains('#') && !args.is_empty() => {
                lines.push(format!("mcp_servers.{name}.{}", command.trim_start()));
                lines.push(format!("mcp_servers.{name}.{args}"));
            }
            3 => tables.push(format!("[mcp_servers.{name}]\n  {url} # remote\nenabled = true\n")),
            _ => tables.push(format!(
                "[mcp_servers.{name}] # table\n{command} # why\n{args}\nenabled = true\n[mcp_servers.{name}.env]\nA = '1'"
            )),
        }
    }
    lines.extend(tables);
    if choices.yes() {
        lines.push("[other]\nx = [1, 2]".to_owned());
    }
    // A place for servers, were there none above.
    if !lines.iter().any(|line| line.contains("mcp_servers")) {
        lines.push("[mcp_servers]".to_owned());
    }
    lines.join("\n").replace('\n', end)
}
