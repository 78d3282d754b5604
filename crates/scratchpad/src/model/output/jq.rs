//! Expressions over JSON: JSONPath if it starts with `$`, otherwise a jq filter.
//!
//! Numbers and the order of keys are preserved as written.

mod node;

use std::fmt;
use std::io::{self, Write};

use jaq_core::load::{self, Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Exn, Vars, compile, data};
use jaq_json::{Val, read};
use jsonpath_rust::parser::errors::JsonPathError;
use jsonpath_rust::parser::parse_json_path;
use jsonpath_rust::query::js_path_process;
use node::Node;
use pest::error::InputLocation;

use crate::model::error::{Error, Result};
use crate::model::text::message::{Message, message, number, quoted};
use crate::model::text::quantity::shortened;

const EXPRESSION_MAX_CHARS: usize = 4_000;

type Filter = jaq_core::Filter<data::JustLut<Val>>;

/// Refuses an expression that is empty or too long.
pub fn check_length(expression: &str) -> Result<()> {
    let chars = expression.chars().count();
    if expression.trim().is_empty() || chars > EXPRESSION_MAX_CHARS {
        return Err(Error::refused(message!(
            "`json` takes an expression of 1 to {expression_max_chars} characters; {value} were given.",
            expression_max_chars = number(EXPRESSION_MAX_CHARS),
            value = number(chars)
        )));
    }
    Ok(())
}

fn is_path(expression: &str) -> bool {
    expression.starts_with('$')
}

/// Writes the values that the expression finds, one per line; returns how many.
///
/// It may run forever, and take any amount of memory and stack: the caller must limit them.
pub fn evaluate(expression: &str, json: &[u8], out: &mut impl Write) -> Result<u64> {
    if !is_path(expression) {
        return filtered(expression, || parsed(json), out);
    }
    let wrong = |error| bad_path(expression, error);
    let path = parse_json_path(expression).map_err(wrong)?;
    let root = Node::from(&parsed(json)?);
    let mut count = 0;
    for found in js_path_process(&path, &root).map_err(wrong)? {
        put(found.val(), out)?;
        count += 1;
    }
    Ok(count)
}

/// Like [`evaluate`], for a jq filter whose input is a text as one string.
pub fn evaluate_text(filter: &str, text: Vec<u8>, out: &mut impl Write) -> Result<u64> {
    let text = String::from_utf8(text).map_err(|_| {
        Error::refused("This output is not text: it is not UTF-8.").hint("slice it by `lines`.")
    })?;
    filtered(filter, || Ok(Val::from(text)), out)
}

fn put(value: &dyn fmt::Display, out: &mut impl Write) -> Result<()> {
    writeln!(out, "{value}").map_err(|error| not_written(&error))
}

/// Writes what a jq filter makes of an input.
fn filtered(code: &str, input: impl FnOnce() -> Result<Val>, out: &mut impl Write) -> Result<u64> {
    let filter = compiled(code)?;
    let context = Ctx::<data::JustLut<Val>>::new(&filter.lut, Vars::new([]));
    let mut count = 0;
    for value in filter.id.run((context, input()?)) {
        match value {
            Ok(value) => {
                put(&value, out)?;
                count += 1;
            }
            Err(thrown) => match thrown.get_err().map_err(Exn::get_halt) {
                Ok(error) => {
                    let error = shortened(&error.to_string(), 300);
                    return Err(Error::refused(message!("`json`: {error}.", error)));
                }
                Err(Ok(code)) if code != 0 => {
                    return Err(Error::refused(message!(
                        "`json` halted with {code}.",
                        code = code.to_string()
                    )));
                }
                Err(_) => break,
            },
        }
    }
    Ok(count)
}

fn not_written(error: &io::Error) -> Error {
    Error::store(message!(
        "Can't answer: {error}.",
        error = error.to_string()
    ))
}

/// The content as one value, or as an array of its lines.
fn parsed(content: &[u8]) -> Result<Val> {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    let whole = match read::parse_single(content) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let mut lines = Vec::new();
    for line in content.split(|byte| *byte == b'\n') {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match read::parse_single(line) {
            Ok(value) => lines.push(value),
            Err(_) => return Err(not_json(&whole)),
        }
    }
    if lines.is_empty() {
        return Err(not_json(&whole));
    }
    Ok(lines.into_iter().collect())
}

fn not_json(error: &read::Error) -> Error {
    Error::refused(message!(
        "This output is not JSON or JSON Lines ({why}).",
        why = error.to_string()
    ))
    .hint("slice it by `grep` or `lines`.")
}

fn compiled(code: &str) -> Result<Filter> {
    let definitions = jaq_core::defs()
        .chain(jaq_std::defs())
        .chain(jaq_json::defs());
    let functions = jaq_core::funs()
        .chain(jaq_std::funs())
        .chain(jaq_json::funs());
    let arena = Arena::default();
    let modules = Loader::new(definitions)
        .load(&arena, File { code, path: () })
        .and_then(|modules| {
            // Importing data is refused: there is none.
            load::import(&modules, |_| Err(String::new())).map(|()| modules)
        })
        .map_err(|errors| {
            let first = errors
                .into_iter()
                .next()
                .and_then(|(_, error)| match error {
                    load::Error::Lex(errors) => errors
                        .into_iter()
                        .next()
                        .map(|(expected, found)| (expected.as_str().to_owned(), found)),
                    load::Error::Parse(errors) => errors
                        .into_iter()
                        .next()
                        .map(|(expected, found)| (expected.as_str().to_owned(), found)),
                    load::Error::Io(errors) => errors
                        .into_iter()
                        .next()
                        .map(|(path, _)| ("no file".to_owned(), path)),
                });
            match first {
                Some((expected, found)) => {
                    bad_filter(code, found, message!("expected {expected}", expected))
                }
                None => bad_filter(code, "", "it is not valid".into()),
            }
        })?;
    Compiler::default()
        .with_funs(functions)
        .compile(modules)
        .map_err(|errors| {
            let first = errors.into_iter().flat_map(|(_, errors)| errors).next();
            match first {
                Some((found, undefined)) => bad_filter(code, found, undefined_name(&undefined)),
                None => bad_filter(code, "", "it does not compile".into()),
            }
        })
}

fn undefined_name(undefined: &compile::Undefined) -> Message {
    message!("unknown {what}", what = undefined.as_str())
}

/// `found` is the part of the code at which parsing stopped.
fn bad_filter(code: &str, found: &str, why: Message) -> Error {
    let start = load::span(code, found).start;
    let at = place(code.get(..start).unwrap_or_default(), found);
    Error::refused(message!("`json` is not a valid jq filter {at}: {why}.", at, why))
        .hint("JSONPath starts with `$`: $[0:3], $.items[?@.id==7]; a jq filter: length, [.[]|.name]|unique.")
}

/// Describes where parsing stopped.
fn place(before: &str, rest: &str) -> Message {
    if rest.is_empty() {
        return "at its end".into();
    }
    let number = before.chars().count() + 1;
    message!(
        "at character {place}, before {rest}",
        place = number.to_string(),
        rest = quoted(shortened(rest, 20))
    )
}

fn bad_path(expression: &str, error: JsonPathError) -> Error {
    let why = match error {
        JsonPathError::PestError(error) => {
            let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
            let (before, rest) = expression.split_at_checked(at).unwrap_or((expression, ""));
            place(before, rest)
        }
        other => format!("({})", shortened(&other.to_string(), 200)).into(),
    };
    Error::refused(message!("`json` is not valid JSONPath {why}.", why))
        .hint("like $[0:3], $.items[*].name, $..id, $[?@.state=='open'].")
}

#[cfg(test)]
mod tests {
    use super::*;
    use snapbox::{IntoData, assert_data_eq, str};

    fn answer(expression: &str, content: &str) -> String {
        let mut out = Vec::new();
        let done = check_length(expression)
            .and_then(|()| evaluate(expression, content.as_bytes(), &mut out));
        let error = done
            .err()
            .map(|error| format!("{error}\n"))
            .unwrap_or_default();
        format!("{expression}\n{}{error}", String::from_utf8(out).unwrap())
    }

    #[test]
    fn paths_and_filters_give_one_value_per_line_as_it_was_written() {
        let rows = r#"[{"z":1,"a":10000000000000000000000,"f":1.10,"t":"gr\u00f6\n"},{"z":2,"a":0.1e2,"f":-0}]"#;
        let all = [
            answer("$[0]", rows),
            answer("$[*].a", rows),
            answer("$[?@.z == 2]", rows),
            answer("$[?@.z == 2.0].f", rows),
            answer("$..t", rows),
            answer("$[9]", rows),
            answer("length", rows),
            answer(".[] | .f", rows),
            answer("map(.z) | add", rows),
            answer("group_by(.z) | map({z: .[0].z, n: length})", rows),
            answer(".[0]", rows),
            answer("map(.n) | add", "{\"n\":1}\n{\"n\":2}\n\n"),
            answer("$[1].n", "{\"n\":1}\n{\"n\":2}"),
        ];
        assert_data_eq!(
            all.concat(),
            str![[r#"
$[0]
{"z":1,"a":10000000000000000000000,"f":1.10,"t":"grö\n"}
$[*].a
10000000000000000000000
0.1e2
$[?@.z == 2]
{"z":2,"a":0.1e2,"f":0}
$[?@.z == 2.0].f
0
$..t
"grö\n"
$[9]
length
2
.[] | .f
1.10
0
map(.z) | add
3
group_by(.z) | map({z: .[0].z, n: length})
[{"z":1,"n":1},{"z":2,"n":1}]
.[0]
{"z":1,"a":10000000000000000000000,"f":1.10,"t":"grö\n"}
map(.n) | add
3
$[1].n
2

"#]]
            .raw()
        );
    }

    #[test]
    fn mistakes_are_reported_with_their_position() {
        let all = [
            answer("$[", "[]"),
            answer("$.a[?@.b ==]", "[]"),
            answer("", "[]"),
            answer(".a | ", "[]"),
            answer(".[] | nope(1)", "[]"),
            answer("$x", "[]"),
            answer(".a)", "[]"),
            answer(".[] | .a", "[1]"),
            answer("error(\"mine\")", "[1]"),
            answer("length", "no JSON"),
            answer("length", "{\"a\":1}\nno JSON"),
            answer("length", ""),
        ];
        assert_data_eq!(
            all.concat(),
            str![[r#"
$[
`json` is not valid JSONPath at its end. Nothing was changed.
$.a[?@.b ==]
`json` is not valid JSONPath at character 12, before "]". Nothing was changed.

`json` takes an expression of 1 to 4,000 characters; 0 were given. Nothing was changed.
.a | 
`json` is not a valid jq filter at its end: expected term. Nothing was changed.
.[] | nope(1)
`json` is not a valid jq filter at character 7, before "nope": unknown filter. Nothing was changed.
$x
`json` is not valid JSONPath at character 2, before "x". Nothing was changed.
.a)
`json` is not a valid jq filter at character 3, before ")": expected token. Nothing was changed.
.[] | .a
`json`: cannot index 1 with "a". Nothing was changed.
error("mine")
`json`: "mine". Nothing was changed.
length
This output is not JSON or JSON Lines (byte offset 0: value expected). Nothing was changed.
length
This output is not JSON or JSON Lines (byte offset 8: end of file expected). Nothing was changed.
length
This output is not JSON or JSON Lines (byte offset 0: value expected). Nothing was changed.

"#]]
            .raw()
        );
    }
}
