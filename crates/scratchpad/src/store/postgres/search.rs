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
use crate::model::id::Millis;
use crate::model::note::NoteId;
use crate::model::note::page::{NotePage, no_such_place};
use crate::model::note::search::{Folder, Matcher, Rank, fold};

/// The result of a search.
pub(super) struct Found {
    /// The number of matching notes.
    pub(super) total: usize,
    /// The best matches of the page, best first, and one more.
    pub(super) ids: Vec<i64>,
}

impl Found {
    /// These hits, unless the page begins after a note that is not among them.
    fn unless_lost(self, page: NotePage, has_place: bool) -> Result<Self, Failure> {
        match page.after {
            Some(after) if !has_place && self.total > 0 => Err(no_such_place(after).into()),
            _ => Ok(self),
        }
    }
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
    page: NotePage,
) -> Result<Found, Failure> {
    let tags = folded_tags.to_vec();
    match matcher.folded_text() {
        Some(needle) if !needle.contains(['\0', NUL]) => {
            ranked_there(connection, scopes, &tags, Some(needle), page)
        }
        None if matcher.needles().is_empty() => ranked_there(connection, scopes, &tags, None, page),
        _ => ranked_here(connection, scopes, &tags, matcher, page),
    }
}

/// Ranks on the server. The matches are materialized first: otherwise the planner may scan all notes by age to find a
/// few.
fn ranked_there(
    connection: &Connection,
    scopes: &Vec<i64>,
    tags: &Vec<String>,
    needle: Option<&str>,
    page: NotePage,
) -> Result<Found, Failure> {
    let needle = needle.unwrap_or_default();
    let mut filter = String::new();
    if !tags.is_empty() {
        filter.push_str(" AND folded_tags @> $5");
    }
    if !needle.is_empty() {
        filter.push_str(" AND folded LIKE $4");
    }
    let row = connection.query_one(
        &format!(
            "WITH hit AS MATERIALIZED (
                 SELECT id, updated, strpos(folded, $2) AS position FROM note
                 WHERE scope = ANY ($1){filter}
             ), place AS (
                 SELECT 0 AS position, 0::bigint AS updated, 0::bigint AS id WHERE $6 < 0
                 UNION ALL SELECT position, -updated, -id FROM hit WHERE id = $6
             )
             SELECT (SELECT count(*) FROM hit), EXISTS (SELECT FROM place), ARRAY (
                 SELECT hit.id FROM hit CROSS JOIN place
                 WHERE $6 < 0 OR (hit.position, -hit.updated, -hit.id) > (place.position, place.updated, place.id)
                 ORDER BY hit.position, hit.updated DESC, hit.id DESC LIMIT $3
             )"
        ),
        params![
            *scopes,
            needle,
            whole(page.and_one_more()),
            pattern(needle),
            *tags,
            page.after.map_or(-1, |after| after.0),
        ],
    )?;
    let found = Found {
        total: count(&row, 0)?,
        ids: get(&row, 2)?,
    };
    found.unless_lost(page, get(&row, 1)?)
}

/// Fetches the candidates and ranks them here. Needs a transaction, for its cursor.
fn ranked_here(
    connection: &Connection,
    scopes: &Vec<i64>,
    tags: &Vec<String>,
    matcher: &Matcher,
    page: NotePage,
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
    let after = match page.after {
        None => None,
        Some(id) => place_of(connection, scopes, tags, matcher, column, id)?,
    };
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
                let hit = (rank, Reverse(get(row, 1)?), Reverse(get(row, 0)?));
                if after.is_none_or(|after| hit > after) {
                    add(&mut best, page.and_one_more(), hit);
                }
            }
        }
        if rows.len() < BATCH {
            break;
        }
    }
    let best = best.into_sorted_vec();
    let found = Found {
        total,
        ids: best.into_iter().map(|(_, _, Reverse(id))| id).collect(),
    };
    found.unless_lost(page, after.is_some())
}

/// The place of a note among those that are ranked here, if it is one of them.
fn place_of(
    connection: &Connection,
    scopes: &Vec<i64>,
    tags: &Vec<String>,
    matcher: &Matcher,
    column: &str,
    id: NoteId,
) -> Result<Option<Hit>, Failure> {
    let row = connection.query_opt(
        &format!(
            "SELECT updated, {column} FROM note
             WHERE id = $1 AND scope = ANY ($2) AND folded_tags @> $3"
        ),
        params![id.0, *scopes, *tags],
    )?;
    let Some(row) = row else {
        return Ok(None);
    };
    let folded = match column {
        "content" => fold(&text(&row, 1)?),
        _ => get(&row, 1)?,
    };
    let updated: Millis = get(&row, 0)?;
    let rank = matcher.rank(&folded);
    Ok(rank.map(|rank| (rank, Reverse(updated), Reverse(id.0))))
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
