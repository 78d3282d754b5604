//! A server behind a URL, which `proxy --url URL` replaces.
//!
//! The URL's property becomes `args`, and `command` is put before it. The key of the URL and its `type` are
//! recorded in the order and spelling of `--name` and `--url`.

use super::entry::{Answer, no_upstream, restored, texts};
use super::{WrapOutcome, skipped};
use crate::model::host::edit::splice::{Edit, SEPARATOR, Source, key, named, quoted};
use crate::model::host::edit::tree::{Node, Notation, Property, Table};
use crate::model::text::message::message;

/// A way to write a remote server, and the spelling that records it.
struct Form {
    key: &'static str,
    /// Its `type`, if it has one.
    kind: &'static str,
    /// The `type` of a server that is started instead.
    started: &'static str,
    /// Whether `command` is a list, without `args`.
    in_words: bool,
    url_first: bool,
    /// Whether it is `--name=NAME`, not `--name NAME`.
    one_word: bool,
}

const fn form(key: &'static str, kind: &'static str, url_first: bool, one_word: bool) -> Form {
    Form {
        key,
        kind,
        started: "stdio",
        in_words: false,
        url_first,
        one_word,
    }
}

/// The first of a key is also for a server without a `type`.
const FORMS: [Form; 5] = [
    form("url", "http", false, false),
    form("url", "streamableHttp", false, true),
    form("httpUrl", "http", true, false),
    form("serverUrl", "http", true, true),
    Form {
        started: "local",
        in_words: true,
        ..form("url", "remote", false, false)
    },
];

/// Parts of the names of keys whose values are sent along, or used to sign in.
const OF_SECRETS: [&str; 4] = ["header", "auth", "token", "secret"];

impl Form {
    /// The arguments, with the URL as it is written.
    fn words(&self, name: &str, url: &str) -> Vec<String> {
        let name = if self.one_word {
            vec![quoted(&format!("--name={name}"))]
        } else {
            vec![quoted("--name"), quoted(name)]
        };
        let url = vec![quoted("--url"), url.to_owned()];
        let (first, second) = if self.url_first {
            (url, name)
        } else {
            (name, url)
        };
        [vec![quoted("proxy")], first, second].concat()
    }

    fn is_spelled(&self, words: &[Option<&str>]) -> bool {
        let is_name = |word: &str| word.starts_with("--name=");
        match words {
            [
                Some("proxy"),
                Some("--name"),
                Some(_),
                Some("--url"),
                Some(_),
            ] => !self.url_first && !self.one_word,
            [Some("proxy"), Some(name), Some("--url"), Some(_)] => {
                is_name(name) && !self.url_first && self.one_word
            }
            [
                Some("proxy"),
                Some("--url"),
                Some(_),
                Some("--name"),
                Some(_),
            ] => self.url_first && !self.one_word,
            [Some("proxy"), Some("--url"), Some(_), Some(name)] => {
                is_name(name) && self.url_first && self.one_word
            }
            _ => false,
        }
    }
}

/// Whether a key may hold the URL of a server.
pub(super) fn is_url(name: &str) -> bool {
    FORMS.iter().any(|form| form.key == name)
}

pub(super) fn wrap(source: &Source<'_>, name: &str, entry: &Table) -> Answer {
    let Some(url) = entry.properties.iter().find(|it| is_url(&it.name)) else {
        return Err(no_upstream());
    };
    let kind = entry.get("type");
    let form = form_of(source, entry, url, kind)?;
    check_plain(entry, url)?;
    let words = form.words(name, source.token(&url.value)).join(SEPARATOR);
    let mut edits = Vec::new();
    if form.in_words {
        let program = quoted(source.program);
        edits.push(Edit::replace(&url.key, key(entry.notation, "command")));
        edits.push(Edit::replace(
            &url.value.range,
            format!("[{program}{SEPARATOR}{words}]"),
        ));
    } else {
        let joint = source
            .joint(entry.notation, url.key.start)
            .ok_or_else(|| skipped("its dotted keys leave no room for a `command`"))?;
        let command = named(entry.notation, "command") + &quoted(source.program);
        edits.push(Edit::insert(url.key.start, command + &joint));
        edits.push(Edit::replace(&url.key, key(entry.notation, "args")));
        edits.push(Edit::replace(&url.value.range, format!("[{words}]")));
    }
    edits.extend(kind.map(|kind| Edit::replace(&kind.value.range, quoted(form.started))));
    Ok((WrapOutcome::WrappedRemote, edits))
}

/// How the server is written, or why it could not be restored later.
fn form_of(
    source: &Source<'_>,
    entry: &Table,
    url: &Property,
    kind: Option<&Property>,
) -> Result<&'static Form, WrapOutcome> {
    if source.raw(url.key.clone()) != key(entry.notation, &url.name) {
        return Err(skipped(message!(
            "the key of its URL is not written {key}",
            key = key(entry.notation, &url.name)
        )));
    }
    if entry.get("transport").is_some() {
        return Err(skipped(
            "it has a `transport`, which a command in its place would contradict",
        ));
    }
    if entry.get("args").is_some() {
        return Err(skipped(
            "it has `args` beside its URL, and the proxy's own would clash with them",
        ));
    }
    let Some(kind) = kind else {
        return FORMS
            .iter()
            .find(|form| form.key == url.name)
            .ok_or_else(no_upstream);
    };
    let text = kind.value.text().unwrap_or_default();
    if text == "sse" {
        return Err(skipped(
            "its `type` is \"sse\", the older transport, which the proxy does not speak",
        ));
    }
    FORMS
        .iter()
        .find(|form| form.key == url.name && quoted(form.kind) == source.token(&kind.value))
        .ok_or_else(|| {
            skipped(message!(
                "its `type` {kind} could not be restored exactly",
                kind = source.token(&kind.value)
            ))
        })
}

/// Skips a server whose secret would end up on a command line, which every process can read.
fn check_plain(entry: &Table, url: &Property) -> Result<(), WrapOutcome> {
    let secret = entry.properties.iter().find(|it| {
        let name = it.name.to_lowercase();
        OF_SECRETS.iter().any(|part| name.contains(part))
    });
    if let Some(property) = secret {
        return Err(skipped(message!(
            "it has `{key}`, and secrets in it would show on the proxy's command line",
            key = property.name.as_str()
        )));
    }
    match url.value.text() {
        Some(text) if text.contains(['?', '@', '$', '{']) => Err(skipped(
            "its URL has a query, a user or a variable, and secrets in it would show on the proxy's command \
             line",
        )),
        Some(text) if text.starts_with("http://") || text.starts_with("https://") => Ok(()),
        _ => Err(skipped("its URL does not start with http:// or https://")),
    }
}

/// `"command": ["scratchpad", "proxy", "--name", NAME, "--url", URL]`
pub(super) fn unwrap_words(
    source: &Source<'_>,
    entry: &Table,
    command: &Property,
    words: &[Node],
) -> Answer {
    let args = words.get(1..).unwrap_or_default();
    let url = url_word(args)?;
    let form = FORMS.iter().find(|form| form.in_words);
    let form = form.ok_or_else(no_upstream)?;
    let is_ours = form.is_spelled(&texts(args))
        && source.is_joined(words)
        && source.raw(command.key.clone()) == key(entry.notation, "command")
        && is_whole_list(source, &command.value, words);
    let mut edits = vec![
        Edit::replace(&command.key, key(entry.notation, form.key)),
        Edit::replace(&command.value.range, source.token(url)),
    ];
    edits.extend(restore_type(entry, form));
    Ok((restored(is_ours), edits))
}

/// `"command": "scratchpad", "args": ["proxy", "--name", NAME, "--url", URL]`
pub(super) fn unwrap_command(
    source: &Source<'_>,
    entry: &Table,
    command: &Property,
    args: &Property,
    words: &[Node],
) -> Answer {
    if entry.notation == Notation::TomlDotted {
        return Err(skipped("it has dotted keys: write its `url` by hand"));
    }
    let url = url_word(words)?;
    let spelled = FORMS
        .iter()
        .find(|form| !form.in_words && form.is_spelled(&texts(words)));
    let form = spelled.or(FORMS.first()).ok_or_else(no_upstream)?;
    let removed = removal(entry, command, args);
    let joint = source.joint(entry.notation, command.key.start);
    let is_ours = spelled.is_some()
        && source.is_joined(words)
        && joint.as_deref() == source.text.get(command.value.range.end..args.key.start)
        && source.raw(args.key.clone()) == key(entry.notation, "args")
        && is_whole_list(source, &args.value, words);
    let mut edits = vec![
        Edit::delete(removed),
        Edit::replace(&args.key, key(entry.notation, form.key)),
        Edit::replace(&args.value.range, source.token(url)),
    ];
    edits.extend(restore_type(entry, form));
    Ok((restored(is_ours), edits))
}

/// The word after `--url`.
fn url_word(words: &[Node]) -> Result<&Node, WrapOutcome> {
    let at = words.iter().position(|word| word.text() == Some("--url"));
    at.and_then(|at| words.get(at + 1))
        .filter(|word| word.text().is_some())
        .ok_or_else(no_upstream)
}

/// Whether a list contains nothing but its words.
fn is_whole_list(source: &Source<'_>, whole: &Node, words: &[Node]) -> bool {
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return false;
    };
    source.raw(whole.range.start..first.range.start) == "["
        && source.raw(last.range.end..whole.range.end) == "]"
}

/// The range of a property and its separator.
fn removal(entry: &Table, property: &Property, args: &Property) -> std::ops::Range<usize> {
    let whole = property.key.start..property.value.range.end;
    let place = |it: &&Property| it.key.start;
    let next = entry
        .properties
        .iter()
        .filter(|it| it.key.start > property.key.start)
        .min_by_key(place);
    let previous = entry
        .properties
        .iter()
        .filter(|it| it.key.start < property.key.start)
        .max_by_key(place);
    match (next, previous) {
        // In TOML the next property may be another table, below its heading.
        (Some(next), _)
            if entry.notation != Notation::TomlLines || next.key.start == args.key.start =>
        {
            whole.start..next.key.start
        }
        (None, Some(previous)) if entry.notation != Notation::TomlLines => {
            previous.value.range.end..whole.end
        }
        _ => whole,
    }
}

fn restore_type(entry: &Table, form: &Form) -> Option<Edit> {
    let kind = &entry.get("type")?.value;
    (kind.text() == Some(form.started)).then(|| Edit::replace(&kind.range, quoted(form.kind)))
}
