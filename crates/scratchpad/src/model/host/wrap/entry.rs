//! One server: how it is started, wrapped and unwrapped.
//!
//! `command` becomes this program, and `proxy --name NAME --` and the former command are put in front of `args`. If there
//! were no `args`, the name is written as one argument, `--name=NAME`, which tells `unwrap` to remove them.

use super::{Format, WrapOutcome, remote, skipped};
use crate::model::host::edit::splice::{Edit, SEPARATOR, Source, named, quoted};
use crate::model::host::edit::tree;
use crate::model::host::edit::tree::{Node, Property, Table};
use crate::model::text::message::message;

/// The edits and their outcome, or why there are none.
pub(super) type Answer = Result<(WrapOutcome, Vec<Edit>), WrapOutcome>;

/// How a server is started.
enum Start<'a> {
    /// `"command": ["npx", "-y", …]`
    Words(&'a Property, &'a [Node]),
    /// `"command": "npx", "args": ["-y", …]`
    Command(Command<'a>),
    /// `"url": …`
    Remote,
}

struct Command<'a> {
    /// The table that both properties are in.
    table: &'a Table,
    program: &'a Property,
    args: Option<(&'a Property, &'a [Node])>,
}

/// Whether a server goes through the proxy.
enum Route {
    Direct,
    Through,
    Own,
}

pub(super) fn wrap(source: &Source<'_>, name: &str, entry: &Table) -> Answer {
    let start = start(entry)?;
    match route(source, &start) {
        Route::Direct => {}
        Route::Through => return Err(WrapOutcome::Already),
        Route::Own => return Err(WrapOutcome::Own),
    }
    if name.starts_with('-') {
        return Err(skipped(
            "its name starts with a dash, so a command line takes it for an option",
        ));
    }
    match start {
        Start::Words(_, words) => {
            let first = words
                .first()
                .ok_or_else(|| skipped("its `command` is empty"))?;
            let head = [source.program, "proxy", "--name", name, "--"]
                .map(|word| quoted(word) + SEPARATOR)
                .concat();
            let edits = vec![Edit::insert(first.range.start, head)];
            Ok((WrapOutcome::Wrapped, edits))
        }
        Start::Command(command) => wrap_command(source, name, &command),
        Start::Remote => remote::wrap(source, name, entry),
    }
}

fn wrap_command(source: &Source<'_>, name: &str, command: &Command<'_>) -> Answer {
    let program = &command.program.value;
    let upstream = source.token(program);
    let mut edits = vec![Edit::replace(&program.range, quoted(source.program))];
    let Some((args, words)) = command.args else {
        let joint = source
            .joint(command.table.notation, command.program.key.start)
            .ok_or_else(|| {
                skipped(
                    "it has no `args`, and its dotted keys leave no room for them: add `args = []`",
                )
            })?;
        let words = ["proxy", &format!("--name={name}"), "--"].map(quoted);
        edits.push(Edit::insert(
            program.range.end,
            format!(
                "{joint}{}[{}{SEPARATOR}{upstream}]",
                named(command.table.notation, "args"),
                words.join(SEPARATOR)
            ),
        ));
        return Ok((WrapOutcome::Wrapped, edits));
    };
    let head = ["proxy", "--name", name, "--"]
        .map(|word| quoted(word) + SEPARATOR)
        .concat();
    edits.push(match words.first() {
        Some(first) => Edit::insert(first.range.start, format!("{head}{upstream}{SEPARATOR}")),
        None => Edit::insert(args.value.range.start + 1, format!("{head}{upstream}")),
    });
    Ok((WrapOutcome::Wrapped, edits))
}

pub(super) fn unwrap(source: &Source<'_>, entry: &Table) -> Answer {
    let start = start(entry)?;
    match route(source, &start) {
        Route::Direct => return Err(WrapOutcome::Direct),
        Route::Through => {}
        Route::Own => return Err(WrapOutcome::Own),
    }
    match start {
        Start::Words(property, words) => match upstream(words) {
            Some(at) => {
                let (head, rest) = words.split_at(at);
                let (Some(first), Some(upstream)) = (head.first(), rest.first()) else {
                    return Err(no_upstream());
                };
                let is_ours = matches!(
                    texts(head).as_slice(),
                    [_, Some("proxy"), Some("--name"), Some(_), Some("--")]
                ) && source.is_joined(words.get(..=at).unwrap_or_default());
                Ok((
                    restored(is_ours),
                    vec![Edit::delete(first.range.start..upstream.range.start)],
                ))
            }
            None => remote::unwrap_words(source, entry, property, words),
        },
        Start::Command(command) => {
            let Some((args, words)) = command.args else {
                return Err(no_upstream());
            };
            match upstream(words) {
                Some(at) => unwrap_command(source, &command, args, words, at),
                None => remote::unwrap_command(source, entry, command.program, args, words),
            }
        }
        Start::Remote => Err(WrapOutcome::Direct),
    }
}

/// Takes back a command whose upstream is the argument `at`.
fn unwrap_command(
    source: &Source<'_>,
    command: &Command<'_>,
    args: &Property,
    words: &[Node],
    at: usize,
) -> Answer {
    let (head, tail) = words.split_at(at + 1);
    let (Some(first), Some(upstream)) = (head.first(), head.last()) else {
        return Err(no_upstream());
    };
    let program = &command.program.value.range;
    let mut edits = vec![Edit::replace(program, source.token(upstream))];
    let (given, absent) = match texts(head).as_slice() {
        [Some("proxy"), Some("--name"), Some(_), Some("--"), _] => (true, false),
        [Some("proxy"), Some(name), Some("--"), _] => (false, name.starts_with("--name=")),
        _ => (false, false),
    };
    if let Some(next) = tail.first() {
        let is_joined = source.is_joined(words.get(..=at + 1).unwrap_or_default());
        edits.push(Edit::delete(first.range.start..next.range.start));
        return Ok((restored(given && is_joined), edits));
    }
    let list = &args.value.range;
    let notation = command.table.notation;
    let joint = source.joint(notation, command.program.key.start);
    let joined = joint.map(|joint| joint + &named(notation, "args"));
    if absent && joined.as_deref() == source.text.get(program.end..list.start) {
        let is_ours = source.is_joined(head) && source.token(&args.value).len() == 2 + span(head);
        edits.push(Edit::delete(program.end..list.end));
        return Ok((restored(is_ours), edits));
    }
    let before = source.raw(list.start..first.range.start);
    let after = source.raw(upstream.range.end..list.end);
    let rest = format!("{before}{after}");
    if is_empty_list(&rest, source.format) && before == "[" {
        edits.push(Edit::delete(first.range.start..upstream.range.end));
        return Ok((restored(given && source.is_joined(head)), edits));
    }
    edits.push(Edit::replace(list, "[]"));
    Ok((WrapOutcome::Unwrapped, edits))
}

/// How many bytes the nodes take, from the first to the last.
fn span(nodes: &[Node]) -> usize {
    match (nodes.first(), nodes.last()) {
        (Some(first), Some(last)) => last.range.end.saturating_sub(first.range.start),
        _ => 0,
    }
}

fn is_empty_list(text: &str, format: Format) -> bool {
    let read = match format {
        Format::Json => tree::read(text, format),
        Format::Toml => tree::read(&format!("list = {text}"), format),
    };
    let Ok(node) = read else { return false };
    let list = match node.table() {
        Some(table) => table.get("list").map(|property| &property.value),
        None => Some(&node),
    };
    list.and_then(Node::list).is_some_and(<[Node]>::is_empty)
}

pub(super) fn restored(exactly: bool) -> WrapOutcome {
    if exactly {
        WrapOutcome::Restored
    } else {
        WrapOutcome::Unwrapped
    }
}

pub(super) fn no_upstream() -> WrapOutcome {
    skipped("its arguments name no server behind the proxy")
}

/// The index of the upstream's command: the word after `--`.
fn upstream(words: &[Node]) -> Option<usize> {
    let at = words.iter().position(|word| word.text() == Some("--"))? + 1;
    words.get(at)?.text().map(|_| at)
}

/// The words as strings; None for one that is not a string.
pub(super) fn texts(words: &[Node]) -> Vec<Option<&str>> {
    words.iter().map(Node::text).collect()
}

fn start(entry: &Table) -> Result<Start<'_>, WrapOutcome> {
    let of_start = |name: &str| matches!(name, "command" | "args" | "type") || remote::is_url(name);
    for (at, property) in entry.properties.iter().enumerate() {
        let is_twice = |other: &Property| other.name == property.name;
        if of_start(&property.name) && entry.properties.iter().skip(at + 1).any(is_twice) {
            return Err(skipped(message!(
                "it has `{key}` twice",
                key = property.name.as_str()
            )));
        }
    }
    let urls = entry
        .properties
        .iter()
        .filter(|it| remote::is_url(&it.name));
    let program = match (entry.get("command"), urls.count()) {
        (Some(program), 0) => program,
        (None, 1) => return Ok(Start::Remote),
        (None, 0) => return Err(skipped("it has neither a `command` nor a URL")),
        (Some(_), _) => return Err(skipped("it has both a `command` and a URL")),
        (None, _) => return Err(skipped("it has more than one URL")),
    };
    if let Some(words) = program.value.list() {
        return Ok(Start::Words(program, words));
    }
    // An older form: `"command": {"path": "npx", "args": ["-y", …]}`.
    let (table, program) = match program.value.table() {
        Some(table) => (table, table.get("path").unwrap_or(program)),
        None => (entry, program),
    };
    if program.value.text().is_none() {
        return Err(skipped("its `command` is neither a text nor a list"));
    }
    let args = match table.get("args") {
        None => None,
        Some(args) => Some((
            args,
            args.value
                .list()
                .ok_or_else(|| skipped("its `args` is not a list"))?,
        )),
    };
    Ok(Start::Command(Command {
        table,
        program,
        args,
    }))
}

fn route(source: &Source<'_>, start: &Start<'_>) -> Route {
    let (program, args) = match start {
        Start::Remote => return Route::Direct,
        Start::Words(_, words) => match words.split_first() {
            Some((program, args)) => (program, args),
            None => return Route::Direct,
        },
        Start::Command(command) => (
            &command.program.value,
            command.args.map_or(&[][..], |(_, words)| words),
        ),
    };
    if !program.text().is_some_and(|it| is_us(it, source.program)) {
        return Route::Direct;
    }
    let options = || {
        args.iter()
            .filter_map(Node::text)
            .take_while(|word| *word != "--")
    };
    if options().any(|word| word == "proxy") {
        Route::Through
    } else if options().any(|word| word == "mcp") {
        Route::Own
    } else {
        Route::Direct
    }
}

/// Whether a command starts this program, wherever it is installed.
pub fn is_us(command: &str, program: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let version = name.strip_prefix("scratchpad-").unwrap_or_default();
    command == program
        || name == "scratchpad"
        || version.starts_with(|char: char| char.is_ascii_digit())
}
