//! Terminal output: text, tables, colours, errors. A pipe gets the same, plain.

mod page;
mod paint;
mod table;
mod when;

use std::io::{self, IsTerminal, Read, Write};
use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use super::env;
use super::i18n;
use super::i18n::{text, translated};
use scratchpad::disk::private::plain;
use scratchpad::model::error::{Error, ErrorKind, Result};
use scratchpad::model::id::SessionId;
use scratchpad::model::pad::MAX_INPUT_BYTES;
use scratchpad::model::text::bytes::shown;
use scratchpad::model::text::escape::{for_terminal, json_for_terminal};
use scratchpad::model::text::message::{message, number};

pub(super) use page::{print_long, show_long};
pub(super) use paint::{Paint, highlighted, marked};
pub(super) use table::{labelled, table, uncut_table, unique_beginning};
pub(super) use when::{age, clock, moment, second, size};

/// How much untrusted text is escaped at a time.
const PART_BYTES: u64 = 64 << 10;

/// Whether errors are JSON: `--json` was given.
static JSON: OnceLock<bool> = OnceLock::new();

/// Remembers whether `--json` was given, once the command line is parsed.
pub(super) fn set_json(is_json: bool) {
    // Nothing asks before, unless the command line is wrong.
    let _ = JSON.set(is_json);
}

/// Whether `--json` was given. In a wrong command line, a word that looks like it is enough.
pub(super) fn is_json() -> bool {
    *JSON.get_or_init(|| env::flag_before_parsing("--json"))
}

/// Whether a stream is a terminal that understands control sequences, for colours and progress.
pub(super) fn is_rich(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && env::variable("TERM").is_none_or(|terminal| terminal != "dumb")
}

fn has_colours(stream: &impl IsTerminal) -> bool {
    is_rich(stream) && env::variable("NO_COLOR").is_none()
}

/// The size of a terminal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// The size of the terminal that stdout is; none for a pipe, and for a terminal that doesn't know.
pub(super) fn screen() -> Option<Screen> {
    let out = io::stdout();
    let (columns, rows) = out
        .is_terminal()
        .then(|| terminal_size::terminal_size_of(&out))??;
    Some(Screen {
        columns: columns.0.into(),
        rows: rows.0.into(),
    })
}

/// The text as stdout takes it: on a terminal, with control sequences escaped.
pub(super) fn escaped(text: &str) -> String {
    if io::stdout().is_terminal() {
        for_terminal(text)
    } else {
        text.to_owned()
    }
}

/// Prints to stdout verbatim; whether there is still a reader.
pub(super) fn print_while_read(bytes: &[u8]) -> Result<bool> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::store(message!(
            "Can't write the answer: {error}.",
            error = plain(&error)
        ))),
    }
}

/// Prints to stdout verbatim. A closed pipe is not an error.
pub(super) fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

/// Prints bytes to stdout verbatim.
pub(super) fn print_bytes(bytes: &[u8]) -> Result<()> {
    print_while_read(bytes).map(drop)
}

/// Runs `write` on a buffered stdout.
pub(super) fn with_stdout<T>(
    write: impl FnOnce(&mut io::BufWriter<io::StdoutLock<'_>>) -> Result<T>,
) -> Result<T> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = write(&mut out)?;
    match out.flush() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::store(message!(
            "Can't write the answer: {error}.",
            error = plain(&error)
        ))),
        _ => Ok(written),
    }
}

/// Prints text for a person: on a terminal, control sequences are escaped.
pub(super) fn show(text: &str) -> Result<()> {
    print(&escaped(text))
}

/// Prints untrusted bytes: to a pipe verbatim; on a terminal, control sequences are escaped.
pub(super) fn show_bytes(content: &mut impl Read) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    if !io::stdout().is_terminal() {
        io::copy(content, &mut out)?;
        return out.flush();
    }
    let mut part = Vec::new();
    loop {
        let read = content.take(PART_BYTES).read_to_end(&mut part)?;
        // An incomplete character waits for the next part.
        let cut = match std::str::from_utf8(&part) {
            Err(error) if error.error_len().is_none() && read > 0 => error.valid_up_to(),
            _ => part.len(),
        };
        let ready: Vec<u8> = part.drain(..cut).collect();
        out.write_all(for_terminal(&shown(&ready)).as_bytes())?;
        if read == 0 {
            return out.flush();
        }
    }
}

/// Prints data as JSON: pretty-printed on a terminal, on one line for a program.
pub(super) fn print_json(value: &Value) -> Result<()> {
    print(&json_text(value))
}

/// The same as a text.
pub(super) fn json_text(value: &Value) -> String {
    let text = if io::stdout().is_terminal() {
        let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
        json_for_terminal(&text)
    } else {
        value.to_string()
    };
    format!("{text}\n")
}

/// Prints data about a session as JSON, with its id first.
pub(super) fn print_json_of(session: &SessionId, data: Value) -> Result<()> {
    print(&json_text_of(session, data))
}

/// The same as a text.
pub(super) fn json_text_of(session: &SessionId, data: Value) -> String {
    let mut answer = Map::new();
    answer.insert("session".to_owned(), Value::from(session.as_str()));
    if let Value::Object(fields) = data {
        answer.extend(fields);
    }
    json_text(&Value::Object(answer))
}

/// Prints a remark to stderr; with `--json` as a line of JSON, like all that is on stderr then.
pub(super) fn remark(text: &str) {
    if is_json() {
        return complain(&format!("{}\n", json!({"remark": text})));
    }
    line(text);
}

/// Prints a line for a person to stderr.
fn line(text: &str) {
    // If stderr is closed, there is nowhere left to report to.
    let _ = writeln!(io::stderr().lock(), "{}", for_terminal(text));
}

/// Prints to stderr verbatim, for a program that reads it.
pub(super) fn complain(text: &str) {
    // If stderr is closed, there is nowhere left to report to.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Warns about a problem that did not stop the command.
pub(super) fn warn(text: &str) {
    if is_json() {
        return complain(&format!("{}\n", json!({"warning": text})));
    }
    line(&format!("{} {text}", text!("terminal-warning")));
}

/// Prints an error as `Error:` and `Hint:`, or with `--json` as a line of JSON.
pub(super) fn print_error(error: &Error) {
    if is_json() {
        // Which is English, as all that programs read.
        let (what, hint) = (translated(error.message()), error.next_step());
        let hint = hint.map(translated);
        return print_json_error(kind_name(error.kind()), &what, hint.as_deref());
    }
    let stderr = io::stderr();
    let (red, cyan, plain) = if has_colours(&stderr) {
        ("\x1b[1;31m", "\x1b[1;36m", "\x1b[0m")
    } else {
        ("", "", "")
    };
    let mut lines = vec![format!(
        "{red}{}{plain} {}\n",
        text!("terminal-error"),
        for_terminal(&translated(error.message()))
    )];
    lines.extend(error.next_step().map(|hint| {
        format!(
            "{cyan}{}{plain} {}\n",
            text!("terminal-hint"),
            for_terminal(&translated(hint))
        )
    }));
    // If stderr is closed, there is nowhere left to report to.
    let _ = stderr.lock().write_all(lines.concat().as_bytes());
}

fn kind_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Usage => "usage",
        ErrorKind::Refused => "refused",
        ErrorKind::NotFound => "not_found",
        ErrorKind::Store => "store",
        ErrorKind::Conflict => "conflict",
        ErrorKind::Busy => "busy",
    }
}

/// An error for a program, in English: `{"error":{"kind":…,"message":…,"hint":…}}`.
fn print_json_error(kind: &str, message: &str, hint: Option<&str>) {
    let mut error = Map::new();
    error.insert("kind".to_owned(), kind.into());
    error.insert("message".to_owned(), message.into());
    error.extend(hint.map(|hint| ("hint".to_owned(), hint.into())));
    complain(&format!("{}\n", json!({"error": error})));
}

/// A usage error of clap's for a program: its first line, what that line introduces, and the tip if there is one.
fn print_json_usage(error: &clap::Error) {
    let text = error.render().to_string();
    let mut lines = text.lines();
    let message = lines.next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let mut message = message.to_owned();
    if message.ends_with(':') {
        // The arguments that it speaks of, one a line.
        let arguments = lines.map(str::trim).take_while(|line| !line.is_empty());
        let arguments: Vec<&str> = arguments.collect();
        message = format!("{message} {}", arguments.join(", "));
    }
    let hint = text.lines().find_map(|line| line.strip_prefix("  tip: "));
    print_json_error("usage", &message, hint);
}

/// Prints clap's output: help and version to stdout, usage errors to stderr. Returns the exit code.
pub(super) fn clap_answer(error: &clap::Error) -> u8 {
    if error.use_stderr() && is_json() {
        print_json_usage(error);
    } else if let Some(text) = i18n::usage_error(error) {
        remark(&format!("{} {text}", text!("terminal-error")));
    } else if error.use_stderr() {
        let text = i18n::localized_marks(&error.render().to_string());
        remark(
            &text
                .trim_end()
                .replacen("error:", "Error:", 1)
                .replace("  tip:", "Hint:"),
        );
    } else {
        let help = error.render();
        let text = if has_colours(&io::stdout()) {
            help.ansi().to_string()
        } else {
            help.to_string()
        };
        // A closed pipe is not an error.
        let _ = print(&i18n::localized_marks(&text));
    }
    u8::try_from(error.exit_code()).unwrap_or(2)
}

/// Whether there is somebody to ask.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// A person's answer, on one line.
pub(super) fn ask(question: &str) -> Result<String> {
    let mut err = io::stderr();
    // Without the question there is no answer either, which changes nothing.
    let _ = write!(err, "{question} ").and_then(|()| err.flush());
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .map_err(|error| cannot_read(&error))?;
    Ok(answer.trim().to_owned())
}

/// Asks before something goes for good; only a clear yes is one.
pub(super) fn confirm(question: &str) -> Result<bool> {
    let question = format!("{} [{}]", for_terminal(question), text!("terminal-yes-no"));
    let answer = ask(&question)?.to_lowercase();
    Ok(["y", "yes", "j", "ja"].contains(&answer.as_str()))
}

/// Everything on stdin, as text.
pub(super) fn read_stdin() -> Result<String> {
    checked(stdin_bytes()?).map_err(|(error, _)| error)
}

/// What is on stdin, up to one byte more than allowed.
pub(super) fn stdin_bytes() -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(MAX_INPUT_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| cannot_read(&error))?;
    Ok(bytes)
}

fn cannot_read(error: &io::Error) -> Error {
    Error::store(message!(
        "Can't read stdin: {error}. Nothing was changed.",
        error = plain(error)
    ))
}

/// These bytes and the rest of stdin, to stdout as they are.
pub(super) fn pass_stdin(bytes: &[u8]) -> Result<()> {
    print_bytes(bytes)?;
    match io::copy(&mut io::stdin().lock(), &mut io::stdout().lock()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_read(&error)),
        _ => Ok(()),
    }
}

/// The bytes as text, or why they are refused, and the bytes.
pub(super) fn checked(bytes: Vec<u8>) -> Result<String, (Error, Vec<u8>)> {
    if bytes.len() > MAX_INPUT_BYTES {
        let error = Error::refused(message!(
            "Stdin is larger than the limit of {max} bytes.",
            max = number(MAX_INPUT_BYTES)
        ));
        return Err((error, bytes));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let byte = error.as_bytes().get(at).copied().unwrap_or_default();
        let refused = Error::refused(message!(
            "Stdin is not UTF-8: byte 0x{byte} at offset {at}.",
            byte = format!("{byte:02x}"),
            at = number(at)
        ))
        .hint("convert it first, for example with `iconv -f LATIN1 -t UTF-8`.");
        (refused, error.into_bytes())
    })
}

/// Accepts how many to list.
pub(super) fn at_least_one(text: &str) -> Result<usize> {
    match text.parse() {
        Ok(0) => Err(Error::usage("must be 1 or more")),
        Ok(number) => Ok(number),
        Err(_) => Err(Error::usage("not a whole number")),
    }
}

/// Accepts text, which may start with a dash, but refuses what looks like a mistyped option.
pub(super) fn not_an_option(text: &str) -> Result<String> {
    if text.starts_with("--") && !text.contains(char::is_whitespace) {
        return Err(Error::usage(
            "unknown option; to use it as text, pipe it in",
        ));
    }
    Ok(text.to_owned())
}

/// The text given as an argument or, for `-` or none, stdin without its final line break.
///
/// Empty stdin is not an empty text: a program that runs us without input must not clear anything.
pub(super) fn text_argument(given: Option<&str>) -> Result<String> {
    let missing = || {
        Error::usage("No text given.")
            .hint("pass it as an argument (\"\" is the empty text), or pipe it in.")
    };
    match given {
        Some(text) if text != "-" => Ok(text.to_owned()),
        None if io::stdin().is_terminal() => Err(missing()),
        _ => {
            let text = read_stdin()?;
            let line = text.strip_suffix('\n').unwrap_or(&text);
            let line = line
                .strip_suffix('\r')
                .filter(|_| text.ends_with('\n'))
                .unwrap_or(line);
            if line.is_empty() {
                return Err(missing());
            }
            Ok(line.to_owned())
        }
    }
}
