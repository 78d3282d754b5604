//! Functions for queries: regular expressions, as `grep` has them.

use std::borrow::Cow;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

/// The largest compiled pattern, in bytes.
const PATTERN_BYTES: usize = 10 << 20;

/// Adds `x REGEXP p` and `regexp_extract(x, p[, group])`.
pub(super) fn add(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    // `x REGEXP p` calls regexp(p, x).
    connection.create_scalar_function(c"regexp", 2, flags, |context| {
        let Some(text) = text(context, 1) else {
            return Ok(None);
        };
        Ok(pattern(context, 0)?.map(|pattern| pattern.is_match(&text)))
    })?;
    connection
        .create_scalar_function(c"regexp_extract", 2, flags, |context| extract(context, 0))?;
    connection.create_scalar_function(c"regexp_extract", 3, flags, |context| {
        let group: i64 = context.get(2)?;
        extract(context, usize::try_from(group).unwrap_or(usize::MAX))
    })
}

/// The first match, or one group of it.
fn extract(context: &Context<'_>, group: usize) -> rusqlite::Result<Option<String>> {
    let (Some(text), Some(pattern)) = (text(context, 0), pattern(context, 1)?) else {
        return Ok(None);
    };
    let found = pattern.captures(&text).and_then(|found| found.get(group));
    Ok(found.map(|found| found.as_str().to_owned()))
}

/// An argument as text; `None` for NULL.
fn text<'a>(context: &'a Context<'_>, argument: usize) -> Option<Cow<'a, str>> {
    match context.get_raw(argument) {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string().into()),
        ValueRef::Real(number) => Some(format!("{number:?}").into()),
        ValueRef::Text(text) | ValueRef::Blob(text) => Some(String::from_utf8_lossy(text)),
    }
}

/// The compiled pattern, which is kept while the query runs; `None` for NULL.
fn pattern(context: &Context<'_>, argument: i32) -> rusqlite::Result<Option<Arc<Regex>>> {
    let index = usize::try_from(argument).unwrap_or(0);
    if context.get_raw(index) == ValueRef::Null {
        return Ok(None);
    }
    let compiled = context.get_or_create_aux(argument, |value| {
        let pattern = value
            .as_str()
            .map_err(Box::<dyn std::error::Error + Send + Sync>::from)?;
        let compiled = RegexBuilder::new(pattern)
            .size_limit(PATTERN_BYTES)
            .build()?;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(compiled)
    });
    compiled.map(Some)
}
