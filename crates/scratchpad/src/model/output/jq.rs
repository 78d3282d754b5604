//! Expressions over JSON: JSONPath if it starts with `$`, otherwise a jq filter.
//!
//! Numbers and the order of keys are preserved as written.

use std::fmt;
use std::io::{self, Write};

use jaq_core::load::{self, Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Exn, Vars, compile, data};
use jaq_json::{Val, read};
use jsonpath_rust::parser::errors::JsonPathError;
use jsonpath_rust::parser::parse_json_path;
use jsonpath_rust::query::js_path_process;
use jsonpath_rust::query::queryable::Queryable;
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
    let mut count = 0;
    let mut write = |value: &dyn fmt::Display| {
        count += 1;
        writeln!(out, "{value}").map_err(|error| not_written(&error))
    };
    if is_path(expression) {
        let wrong = |error| bad_path(expression, error);
        let path = parse_json_path(expression).map_err(wrong)?;
        let root = Node::from(&parsed(json)?);
        for found in js_path_process(&path, &root).map_err(wrong)? {
            write(found.val())?;
        }
        return Ok(count);
    }
    let filter = compiled(expression)?;
    let context = Ctx::<data::JustLut<Val>>::new(&filter.lut, Vars::new([]));
    for value in filter.id.run((context, parsed(json)?)) {
        match value {
            Ok(value) => write(&value)?,
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

/// A value that JSONPath can query.
#[derive(Clone, Debug, Default, PartialEq)]
enum Node {
    #[default]
    Null,
    Bool(bool),
    /// Kept as written.
    Number(Val),
    Text(String),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl From<&Val> for Node {
    fn from(value: &Val) -> Self {
        match value {
            Val::Null => Self::Null,
            Val::Bool(truth) => Self::Bool(*truth),
            Val::Num(_) => Self::Number(value.clone()),
            Val::BStr(text) | Val::TStr(text) => {
                Self::Text(String::from_utf8_lossy(text).into_owned())
            }
            Val::Arr(items) => Self::Array(items.iter().map(Self::from).collect()),
            Val::Obj(entries) => Self::Object(
                entries
                    .iter()
                    .map(|(key, value)| {
                        let key = match key {
                            Val::BStr(text) | Val::TStr(text) => {
                                String::from_utf8_lossy(text).into_owned()
                            }
                            other => other.to_string(),
                        };
                        (key, Self::from(value))
                    })
                    .collect(),
            ),
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Bool(truth) => write!(formatter, "{truth}"),
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Text(text) => formatter.write_str(&quoted(text)),
            Self::Array(items) => {
                formatter.write_str("[")?;
                for (position, item) in items.iter().enumerate() {
                    let separator = if position == 0 { "" } else { "," };
                    write!(formatter, "{separator}{item}")?;
                }
                formatter.write_str("]")
            }
            Self::Object(entries) => {
                formatter.write_str("{")?;
                for (position, (key, value)) in entries.iter().enumerate() {
                    let separator = if position == 0 { "" } else { "," };
                    write!(formatter, "{separator}{}:{value}", quoted(key))?;
                }
                formatter.write_str("}")
            }
        }
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Node {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<i64> for Node {
    fn from(number: i64) -> Self {
        Self::Number(Val::Num(jaq_json::Num::from_integral(number)))
    }
}

impl From<f64> for Node {
    fn from(number: f64) -> Self {
        Self::Number(Val::from(number))
    }
}

impl From<Vec<Self>> for Node {
    fn from(items: Vec<Self>) -> Self {
        Self::Array(items)
    }
}

impl Queryable for Node {
    fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(entries) => entries
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    fn as_array(&self) -> Option<&Vec<Self>> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    fn as_object(&self) -> Option<Vec<(&str, &Self)>> {
        match self {
            Self::Object(entries) => Some(
                entries
                    .iter()
                    .map(|(key, value)| (key.as_str(), value))
                    .collect(),
            ),
            _ => None,
        }
    }

    fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(Val::Num(number)) => number
                .as_isize()
                .and_then(|number| i64::try_from(number).ok()),
            _ => None,
        }
    }

    fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(Val::Num(number)) => number.to_string().parse().ok(),
            _ => None,
        }
    }

    fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    fn null() -> Self {
        Self::Null
    }
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
