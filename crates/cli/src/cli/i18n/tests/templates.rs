//! The message templates in the sources, found by reading the code as tokens.
//!
//! A message is made by `message!`, `counted`, or by one of the functions that take `impl Into<Message>`. Comments and
//! unit tests are not read.
#![expect(clippy::string_slice, reason = "a wrong range fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Functions whose literals are templates: those that take `impl Into<Message>`, and those that hand on a template.
const TAKERS: [&str; 18] = [
    "and",
    "cannot",
    "check",
    "damaged_region",
    "hint",
    "not_found",
    "refused",
    "skipped",
    "store",
    "usage",
    "wait",
    "within",
    "with_remark",
    "Error::new",
    "Message::from",
    "Reply::new",
    "counted",
    "message!",
];

/// The string literals of the code that people run.
pub(super) struct Sources {
    /// Each template, and the files that make it.
    pub(super) templates: BTreeMap<String, BTreeSet<String>>,
    /// All literals: a template can also reach its message through a constant.
    pub(super) literals: BTreeSet<String>,
    /// Where a text that `format!` has put together is passed as a message: nobody could translate it.
    pub(super) formatted: Vec<String>,
    /// English that the command line prints past the catalogues.
    pub(super) printed: Vec<String>,
}

/// Functions that print for people.
const PRINTERS: [&str; 5] = ["print", "remark", "show", "table", "warn"];

pub(super) fn read() -> Sources {
    let mut sources = Sources {
        templates: BTreeMap::new(),
        literals: BTreeSet::new(),
        formatted: Vec::new(),
        printed: Vec::new(),
    };
    for (name, text) in files() {
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        collect(&name, &tokens(code), &mut sources);
    }
    sources
}

/// All code with its path below `crates`, without tests.
pub(super) fn files() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    let mut open = vec![crates.join("cli/src"), crates.join("scratchpad/src")];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_owned();
            if stem == "tests" {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = path.strip_prefix(crates).unwrap().display().to_string();
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files
}

#[derive(Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Mark(char),
}

/// The constants of a file that are texts: `const HINT: &str = "…";`.
fn constants(tokens: &[Token]) -> BTreeMap<&str, &str> {
    let mut found = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate() {
        let (Token::Name(word), Some(Token::Name(name))) = (token, tokens.get(at + 1)) else {
            continue;
        };
        let value = tokens[at..].iter().take(8).find_map(|token| match token {
            Token::Text(text) => Some(text.as_str()),
            _ => None,
        });
        if word == "const"
            && let Some(value) = value
        {
            found.insert(name.as_str(), value);
        }
    }
    found
}

fn collect(file: &str, tokens: &[Token], sources: &mut Sources) {
    let constants = constants(tokens);
    // The callee of each open parenthesis; `None` for other brackets. Braces are no call, so `hint(if a { "b" } …)`
    // passes "b" to `hint`.
    let mut open: Vec<Option<(String, usize)>> = Vec::new();
    let mut braces: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(') => open.push(Some((callee(&tokens[..at]), at))),
            Token::Mark('[') => open.push(None),
            Token::Mark('{') => braces.push(open.len()),
            Token::Mark(')' | ']') => drop(open.pop()),
            Token::Mark('}') => drop(braces.pop()),
            Token::Name(name)
                if name == "format" && tokens.get(at + 1) == Some(&Token::Mark('!')) =>
            {
                if let Some(Some((callee, start))) = open.last()
                    && TAKERS.contains(&callee.as_str())
                    && callee != "message!"
                    && *start + 1 == at
                {
                    sources
                        .formatted
                        .push(format!("{file}: {callee}(format!(…))"));
                }
            }
            Token::Name(name) if constants.contains_key(name.as_str()) => {
                let is_message = matches!(open.last(), Some(Some((callee, _))) if TAKERS.contains(&callee.as_str()) && callee != "message!");
                if is_message {
                    let template = constants[name.as_str()].to_owned();
                    let files = sources.templates.entry(template).or_default();
                    files.insert(file.to_owned());
                }
            }
            Token::Name(_) | Token::Mark(_) => {}
            Token::Text(text) => {
                sources.literals.insert(text.clone());
                let mut callees = open.iter().flatten().map(|(callee, _)| callee.as_str());
                let is_looked_up = matches!(open.last(), Some(Some((callee, _))) if ["text!", "message!", "json!"].contains(&callee.as_str()));
                if file.starts_with("cli/src/cli/commands/")
                    && callees.any(|callee| PRINTERS.contains(&callee))
                    && !is_looked_up
                    && super::has_words(text)
                {
                    sources.printed.push(format!("{file}: {text:?}"));
                }
                let is_template = match open.last() {
                    Some(Some((callee, start))) if callee == "message!" => *start + 1 == at,
                    // There is a function of this name for texts that only agents read, too.
                    Some(Some((callee, _))) if callee == "counted" => text.contains("{number}"),
                    Some(Some((callee, _))) => TAKERS.contains(&callee.as_str()),
                    _ => false,
                };
                let is_sentence = tokens.get(at + 1) == Some(&Token::Mark('.'))
                    && tokens.get(at + 2) == Some(&Token::Name("into".to_owned()))
                    && text.contains(' ');
                if (is_template || is_sentence) && !text.is_empty() {
                    let files = sources.templates.entry(text.clone()).or_default();
                    files.insert(file.to_owned());
                }
            }
        }
    }
}

/// What is called by the parenthesis behind these tokens: `hint`, `message!`, or with its type `Error::new`.
fn callee(before: &[Token]) -> String {
    let name = |back: usize| match before.len().checked_sub(back).map(|at| &before[at]) {
        Some(Token::Name(name)) => name.as_str(),
        Some(Token::Mark('!')) => "!",
        Some(Token::Mark(':')) => ":",
        _ => "",
    };
    match (name(4), name(3), name(2), name(1)) {
        (kind @ ("Error" | "Message" | "Reply"), ":", ":", last @ ("new" | "from")) => {
            format!("{kind}::{last}")
        }
        (_, _, macro_name, "!") => format!("{macro_name}!"),
        (.., last) => last.to_owned(),
    }
}

/// The tokens that matter here: names, string literals and punctuation.
fn tokens(code: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(char) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if let Some((text, behind)) = raw(rest).or_else(|| quoted(rest)) {
            tokens.push(Token::Text(text));
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix('\'') {
            rest = after_char(behind);
        } else if char.is_alphanumeric() || char == '_' {
            let is_name = |char: char| char.is_alphanumeric() || char == '_';
            let end = rest.find(|char| !is_name(char)).unwrap_or(rest.len());
            tokens.push(Token::Name(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            if !char.is_whitespace() {
                tokens.push(Token::Mark(char));
            }
            rest = &rest[char.len_utf8()..];
        }
    }
    tokens
}

/// What follows an apostrophe: a character literal or the name of a lifetime.
fn after_char(rest: &str) -> &str {
    if let Some(escape) = rest.strip_prefix('\\') {
        let end = escape[1..].find('\'').unwrap() + 2;
        return &escape[end..];
    }
    let mut chars = rest.chars();
    chars.next();
    match chars.as_str().strip_prefix('\'') {
        Some(behind) => behind,
        None => rest,
    }
}

fn raw(rest: &str) -> Option<(String, &str)> {
    let hashed = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let inner = hashed.trim_start_matches('#');
    let end = format!("\"{}", "#".repeat(hashed.len() - inner.len()));
    let (text, behind) = inner.strip_prefix('"')?.split_once(&end)?;
    Some((text.to_owned(), behind))
}

fn quoted(rest: &str) -> Option<(String, &str)> {
    let inner = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('"')?;
    let mut text = String::new();
    let mut chars = inner.chars();
    loop {
        match chars.next()? {
            '"' => return Some((text, chars.as_str())),
            '\\' => match chars.next()? {
                // A line that is continued: its indentation is no part of the text.
                '\n' => chars = chars.as_str().trim_start().chars(),
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                '0' => text.push('\0'),
                'x' => {
                    let (code, behind) = chars.as_str().split_at(2);
                    text.push(char::from(u8::from_str_radix(code, 16).unwrap()));
                    chars = behind.chars();
                }
                'u' => {
                    let (code, behind) = chars.as_str()[1..].split_once('}')?;
                    text.extend(char::from_u32(u32::from_str_radix(code, 16).unwrap()));
                    chars = behind.chars();
                }
                char => text.push(char),
            },
            char => text.push(char),
        }
    }
}

#[test]
fn templates_are_found_however_they_are_passed() {
    let code = r##"
        // .hint("a comment")
        fn f<'a>(x: &'a str) -> char {
            Error::refused(message!("{x} is \"bad\".", x = "a value"))
                .hint(if a { "one way." } else { "another \
                    way." });
            counted(3, "{number} one", "{number} many") + counted(3, "note", "notes");
            let there = match n { 0 => "none at all".into(), _ => text };
            Error::new(ErrorKind::Store, r#"a "raw" one"#);
            HashMap::new(); format!("x"); other("not this one"); ['"', '\''];
            const HINT: &str = "a constant.";
            Error::usage(text).hint(HINT);
            Error::usage(format!("this {x}"));
            ui::print(&format!("{x} is shown\n")); ui::warn(&text!("a-key", x = "y"));
        }
    "##;
    let mut sources = Sources {
        templates: BTreeMap::new(),
        literals: BTreeSet::new(),
        formatted: Vec::new(),
        printed: Vec::new(),
    };
    collect("cli/src/cli/commands/f.rs", &tokens(code), &mut sources);
    let found: Vec<&str> = sources.templates.keys().map(String::as_str).collect();
    assert_eq!(
        found,
        [
            "a \"raw\" one",
            "a constant.",
            "another way.",
            "none at all",
            "one way.",
            "{number} many",
            "{number} one",
            "{x} is \"bad\".",
        ]
    );
    assert_eq!(
        sources.formatted,
        ["cli/src/cli/commands/f.rs: usage(format!(…))"]
    );
    assert_eq!(
        sources.printed,
        ["cli/src/cli/commands/f.rs: \"{x} is shown\\n\""]
    );
}
