//! Note search: candidates come from the index, ranks follow `model::note::search`.
//!
//! A verbatim search is ranked by the server: the position of a substring is the same everywhere. Words are ranked
//! here, because word boundaries differ from server to server.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write as _;

use super::connection::Connection;
use super::errors::Failure;
use super::values::{Param, Typed as _, count, get, params, text, whole};
use crate::model::note::search::{Folder, Matcher, Rank, fold};

/// The result of a search.
pub(super) struct Found {
    /// The number of matching notes.
    pub(super) total: usize,
    /// The best matches, best first.
    pub(super) ids: Vec<i64>,
}

/// Replaces NUL in folded text, which the database can't store.
const NUL: char = '\u{FDD0}';
/// How many of the words the server filters by; more rarely exclude further notes.
const WORDS_LOOKED_UP: usize = 8;
/// The number of candidates fetched at once.
const BATCH: usize = 2_000;

/// The folded form of a text, which searches compare.
pub(super) fn folded(content: &str) -> String {
    let mut folded = fold(content);
    if folded.contains('\0') {
        folded = folded.replace('\0', "\u{FDD0}");
    }
    folded
}

/// Finds the notes in these scopes that match and have all the tags.
pub(super) fn find(
    connection: &Connection,
    scopes: &Vec<i64>,
    matcher: &Matcher,
    folded_tags: &[String],
    limit: usize,
) -> Result<Found, Failure> {
    let tags = folded_tags.to_vec();
    match matcher.folded_text() {
        Some(needle) if !needle.contains(['\0', NUL]) => {
            ranked_there(connection, scopes, &tags, Some(needle), limit)
        }
        None if matcher.needles().is_empty() => {
            ranked_there(connection, scopes, &tags, None, limit)
        }
        _ => ranked_here(connection, scopes, &tags, matcher, limit),
    }
}

/// Ranks on the server. The matches are materialized first: otherwise the planner may scan all notes by age to find a
/// few.
fn ranked_there(
    connection: &Connection,
    scopes: &Vec<i64>,
    tags: &Vec<String>,
    needle: Option<&str>,
    limit: usize,
) -> Result<Found, Failure> {
    let needle = needle.unwrap_or_default();
    let mut filter = String::new();
    if !tags.is_empty() {
        filter.push_str(" AND folded_tags @> $5");
    }
    if !needle.is_empty() {
        filter.push_str(" AND folded LIKE $4");
    }
    let rows = connection.query(
        &format!(
            "WITH hit AS MATERIALIZED (
                 SELECT id, updated, strpos(folded, $2) AS position FROM note
                 WHERE scope = ANY ($1){filter}
             )
             SELECT id, (SELECT count(*) FROM hit) FROM hit ORDER BY position, updated DESC, id DESC LIMIT $3"
        ),
        params![*scopes, needle, whole(limit.max(1)), pattern(needle), *tags],
    )?;
    let ids = rows.iter().map(|row| get(row, 0));
    let mut ids = ids.collect::<Result<Vec<i64>, Failure>>()?;
    ids.truncate(limit);
    Ok(Found {
        total: rows.first().map_or(Ok(0), |row| count(row, 1))?,
        ids,
    })
}

/// Fetches the candidates and ranks them here. Needs a transaction, for its cursor.
fn ranked_here(
    connection: &Connection,
    scopes: &Vec<i64>,
    tags: &Vec<String>,
    matcher: &Matcher,
    limit: usize,
) -> Result<Found, Failure> {
    // Folded text can't tell a replaced NUL from the replacement character itself, so fold the original text here.
    let (column, patterns) = match matcher.folded_text() {
        Some(_) => ("content", Vec::new()),
        None => ("folded", words(matcher)),
    };
    let mut filter = String::new();
    if !tags.is_empty() {
        filter.push_str(" AND folded_tags @> $2");
    }
    let mut values: Vec<Param<'_>> = vec![scopes.param(), tags.param()];
    for pattern in &patterns {
        values.push(pattern.param());
        // Writing to a `String` can't fail.
        let _ = write!(filter, " AND folded LIKE ${}", values.len());
    }
    connection.query(
        &format!(
            "DECLARE candidate NO SCROLL CURSOR FOR SELECT id, updated, {column} FROM note
             WHERE scope = ANY ($1){filter}"
        ),
        &values,
    )?;
    let mut best = BinaryHeap::new();
    let mut total = 0;
    let mut folder = Folder::default();
    let mut plain = String::new();
    loop {
        let rows = connection.query(&format!("FETCH {BATCH} FROM candidate"), params![])?;
        for row in &rows {
            plain.clear();
            match column {
                "content" => folder.fold_into(&text(row, 2)?, &mut plain),
                _ => plain.push_str(get(row, 2)?),
            }
            if let Some(rank) = matcher.rank(&plain) {
                total += 1;
                add(
                    &mut best,
                    limit,
                    (rank, Reverse(get(row, 1)?), Reverse(get(row, 0)?)),
                );
            }
        }
        if rows.len() < BATCH {
            break;
        }
    }
    let best = best.into_sorted_vec();
    Ok(Found {
        total,
        ids: best.into_iter().map(|(_, _, Reverse(id))| id).collect(),
    })
}

/// The sort key of a match, where smaller is better: rank, time and id.
type Hit = (Rank, Reverse<i64>, Reverse<i64>);

/// Adds a hit to the heap of the best, whose top is the worst of them.
fn add(best: &mut BinaryHeap<Hit>, limit: usize, hit: Hit) {
    if best.len() < limit {
        best.push(hit);
    } else if let Some(mut worst) = best.peek_mut()
        && hit < *worst
    {
        *worst = hit;
    }
}

/// Patterns that every text with these words matches.
fn words(matcher: &Matcher) -> Vec<String> {
    let needles = matcher.needles().iter().take(WORDS_LOOKED_UP);
    needles
        .filter_map(|needle| std::str::from_utf8(needle.needle()).ok())
        .map(pattern)
        .collect()
}

/// A `LIKE` pattern for texts that contain this one.
fn pattern(needle: &str) -> String {
    let mut pattern = String::with_capacity(needle.len() + 2);
    pattern.push('%');
    for char in needle.chars() {
        if matches!(char, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_of_a_pattern_has_a_meaning() {
        assert_eq!(pattern("a%b_c\\d"), "%a\\%b\\_c\\\\d%");
    }
}
