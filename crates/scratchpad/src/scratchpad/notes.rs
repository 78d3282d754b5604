//! Verbs on notes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufRead, Write};

use super::Scratchpad;
use super::note_lines::NoteLines;
use crate::model::error::{Error, Result};
use crate::model::id::{Millis, ProjectId, SessionId};
use crate::model::note::jsonl;
use crate::model::note::jsonl::NoteLine;
use crate::model::note::page::{FoundNotes, NotePage};
use crate::model::note::reply::{Match, NoteTotals, TagCount};
use crate::model::note::search::{Matcher, fold};
use crate::model::note::source::LineSpan;
use crate::model::note::{Note, NoteId, Scope, check_content, checked_tags, no_such_note};
use crate::model::text::hash::sha256_hex;
use crate::model::text::message::{message, number};
use crate::model::tool::Group;
use crate::store::{NoteChange, NoteProject, Scopes, SessionNote};

#[doc(hidden)]
impl Scratchpad {
    /// Adds a note to the session or its project.
    pub fn add_note(
        &self,
        session: &SessionId,
        scope: Scope,
        content: &str,
        tags: &[String],
    ) -> Result<(Note, NoteTotals)> {
        self.add_note_about(session, scope, content, tags, &[])
    }

    /// Adds a note with these sources beside those that its text names.
    pub fn add_note_about(
        &self,
        session: &SessionId,
        scope: Scope,
        content: &str,
        tags: &[String],
        sources: &[LineSpan],
    ) -> Result<(Note, NoteTotals)> {
        self.needs(Group::Notes)?;
        let (content, _) = self.cleaned(content);
        let content = content.as_ref();
        check_content(content, &self.note_limits)?;
        let tags = checked_tags(tags, &self.note_limits)?;
        let sources = self.taken_sources(Some(session), sources)?;
        let at = self.now();
        let (mut note, totals) = if self.is_in_session_log(session) {
            let project = self.project_of(session)?;
            let scopes = scopes(session, &project);
            let added = self.store()?.add_note(scopes, scope, content, &tags, at)?;
            self.make_known(session)?;
            added
        } else {
            self.store()?.add_session_note(&SessionNote {
                session,
                project: if self.project_is_forced {
                    NoteProject::Fixed(&self.project)
                } else {
                    NoteProject::OfSession(&self.project)
                },
                scope,
                content,
                tags: &tags,
                at,
            })?
        };
        self.unless_own(&mut note.author);
        self.keep_sources(Some(session), &note, sources, false);
        Ok((note, totals))
    }

    /// Adds a note to the project, for no session.
    pub fn add_project_note(
        &self,
        content: &str,
        tags: &[String],
        sources: &[LineSpan],
    ) -> Result<(Note, NoteTotals)> {
        self.needs(Group::Notes)?;
        let (content, _) = self.cleaned(content);
        let content = content.as_ref();
        check_content(content, &self.note_limits)?;
        let tags = checked_tags(tags, &self.note_limits)?;
        let sources = self.taken_sources(None, sources)?;
        let nobody = self.new_session_id();
        let scopes = scopes(&nobody, &self.project);
        let (mut note, totals) =
            self.store()?
                .add_note(scopes, Scope::Project, content, &tags, self.now())?;
        self.unless_own(&mut note.author);
        self.keep_sources(None, &note, sources, false);
        Ok((note, totals))
    }

    /// A note that the session sees.
    pub fn existing_note(&self, session: &SessionId, id: NoteId) -> Result<Note> {
        let project = self.project_of(session)?;
        let scopes = scopes(session, &project);
        let Some(mut note) = self.store()?.note(scopes, id)? else {
            return Err(no_such_note(id, &self.store()?.nearest_notes(scopes, id)?));
        };
        self.unless_own(&mut note.author);
        Ok(note)
    }

    pub fn update_note(
        &self,
        session: &SessionId,
        id: NoteId,
        content: Option<&str>,
        tags: Option<&[String]>,
    ) -> Result<(Note, NoteTotals)> {
        self.update_note_about(session, id, content, tags, None)
    }

    /// Changes a note, and its sources beside those that its text names. A new text alone has only those that it names.
    pub fn update_note_about(
        &self,
        session: &SessionId,
        id: NoteId,
        content: Option<&str>,
        tags: Option<&[String]>,
        sources: Option<&[LineSpan]>,
    ) -> Result<(Note, NoteTotals)> {
        let content = content.map(|content| self.cleaned(content).0);
        if let Some(content) = &content {
            check_content(content, &self.note_limits)?;
        }
        let tags = tags
            .map(|tags| checked_tags(tags, &self.note_limits))
            .transpose()?;
        let taken = self.taken_sources(Some(session), sources.unwrap_or_default())?;
        let change = NoteChange {
            content: content.map(Cow::into_owned),
            tags,
            scope: None,
        };
        let changed = self.change_note(session, id, &change)?;
        if change.content.is_some() || sources.is_some() {
            self.keep_sources(Some(session), &changed.0, taken, true);
        }
        Ok(changed)
    }

    /// Moves a note from the session to its project.
    pub fn promote_note(&self, session: &SessionId, id: NoteId) -> Result<(Note, NoteTotals)> {
        let change = NoteChange {
            scope: Some(Scope::Project),
            ..NoteChange::default()
        };
        self.change_note(session, id, &change)
    }

    fn change_note(
        &self,
        session: &SessionId,
        id: NoteId,
        change: &NoteChange,
    ) -> Result<(Note, NoteTotals)> {
        self.needs(Group::Notes)?;
        let project = self.project_of(session)?;
        let scopes = scopes(session, &project);
        match self.store()?.change_note(scopes, id, change, self.now())? {
            Some((mut note, totals)) => {
                self.unless_own(&mut note.author);
                Ok((note, totals))
            }
            None => Err(no_such_note(id, &self.store()?.nearest_notes(scopes, id)?)),
        }
    }

    pub fn delete_note(&self, session: &SessionId, id: NoteId) -> Result<NoteTotals> {
        let project = self.project_of(session)?;
        let scopes = scopes(session, &project);
        match self.store()?.delete_note(scopes, id)? {
            Some(totals) => Ok(totals),
            None => Err(no_such_note(id, &self.store()?.nearest_notes(scopes, id)?)),
        }
    }

    /// The notes of the session and its project, most recently changed first, optionally only those with a tag.
    pub fn list_notes(
        &self,
        session: &SessionId,
        tag: Option<&str>,
        page: NotePage,
    ) -> Result<FoundNotes> {
        let project = self.project_of(session)?;
        let scopes = scopes(session, &project);
        let found = match tag.filter(|tag| !tag.trim().is_empty()) {
            None => self.store()?.newest_notes(scopes, page),
            Some(tag) => {
                self.store()?
                    .find_notes(scopes, &Matcher::everything(), &[fold(tag)], page)
            }
        };
        Ok(self.for_reader(session, found?))
    }

    /// Leaves author names only on the notes of others, and adds what became of the notes' sources.
    fn for_reader(&self, session: &SessionId, mut found: FoundNotes) -> FoundNotes {
        for note in &mut found.notes {
            self.unless_own(&mut note.author);
        }
        found.notes = self.with_sources(session, found.notes);
        found
    }

    /// The notes that have all these tags and contain the query verbatim, ignoring case.
    ///
    /// If none contains it, those in which each word of the query is a prefix of some word. An empty query finds all. A
    /// query that is the id of one of them finds that note alone.
    pub fn search_notes(
        &self,
        session: &SessionId,
        query: Option<&str>,
        tags: &[String],
        page: NotePage,
    ) -> Result<(FoundNotes, Match)> {
        let project = self.project_of(session)?;
        let scopes = scopes(session, &project);
        let tags: Vec<String> = tags
            .iter()
            .filter(|tag| !tag.trim().is_empty())
            .map(|tag| fold(tag))
            .collect();
        if tags.len() > self.note_limits.max_tags {
            return Err(Error::refused(message!(
                "search_notes: {given} tags, no note has more than {max}.",
                given = number(tags.len()),
                max = number(self.note_limits.max_tags)
            )));
        }
        let query = query.unwrap_or_default();
        if query.is_empty() && tags.is_empty() {
            let newest = self.store()?.newest_notes(scopes, page)?;
            return Ok((self.for_reader(session, newest), Match::Substring));
        }
        if let Some(id) = NoteId::in_query(query)
            && let Some(note) = self.store()?.note(scopes, id)?
            && tags
                .iter()
                .all(|tag| note.tags.iter().any(|own| fold(own) == *tag))
        {
            let notes = Vec::from_iter(page.after.is_none().then_some(note));
            let found = FoundNotes::new(1, notes, page);
            return Ok((self.for_reader(session, found), Match::Id));
        }
        let matcher = if query.is_empty() {
            Matcher::everything()
        } else {
            Matcher::text(query)
        };
        let found = self.store()?.find_notes(scopes, &matcher, &tags, page)?;
        match Matcher::words(query) {
            Some(words) if found.total == 0 => {
                let found = self.store()?.find_notes(scopes, &words, &tags, page)?;
                let found = self.for_reader(session, found);
                Ok((with_stale_last(found, &words), Match::Words))
            }
            _ => {
                let found = self.for_reader(session, found);
                let found = if query.is_empty() {
                    found
                } else {
                    with_stale_last(found, &matcher)
                };
                Ok((found, Match::Substring))
            }
        }
    }

    /// The tags on the notes of the session and its project, with their counts, sorted.
    pub fn list_tags(&self, session: &SessionId) -> Result<Vec<TagCount>> {
        let project = self.project_of(session)?;
        self.store()?.tags(scopes(session, &project))
    }

    /// Writes the notes of one scope as JSON Lines, oldest first; returns their number.
    pub fn export_notes(
        &self,
        session: &SessionId,
        scope: Scope,
        out: &mut dyn Write,
    ) -> Result<usize> {
        let project = self.project_of(session)?;
        let mut count = 0;
        self.store()?
            .each_note(scopes(session, &project), scope, &mut |note| {
                count += 1;
                let mut note = note.clone();
                self.unless_own(&mut note.author);
                writeln!(out, "{}", jsonl::encode(&note)).map_err(|error| {
                    Error::store(message!(
                        "Can't write the notes: {error}.",
                        error = error.to_string()
                    ))
                })
            })?;
        Ok(count)
    }

    /// Imports notes from JSON Lines, all or none; calls `progress` now and then with the number read so far.
    ///
    /// A note is skipped if the scope already has one with the same text and tags. A write lock is held while lines are
    /// read, so their source must not be slow.
    pub fn import_notes(
        &self,
        session: &SessionId,
        scope: Scope,
        file: &mut dyn BufRead,
        progress: &mut dyn FnMut(usize),
    ) -> Result<ImportedNotes> {
        let project = self.project_of(session)?;
        let imported = self.import_into(scopes(session, &project), scope, file, progress)?;
        if scope == Scope::Session && imported.added > 0 {
            self.make_known(session)?;
        }
        Ok(imported)
    }

    /// The same into the project, for no session.
    pub fn import_project_notes(
        &self,
        file: &mut dyn BufRead,
        progress: &mut dyn FnMut(usize),
    ) -> Result<ImportedNotes> {
        let nobody = self.new_session_id();
        let scopes = scopes(&nobody, &self.project);
        self.import_into(scopes, Scope::Project, file, progress)
    }

    fn import_into(
        &self,
        scopes: Scopes<'_>,
        scope: Scope,
        file: &mut dyn BufRead,
        progress: &mut dyn FnMut(usize),
    ) -> Result<ImportedNotes> {
        self.needs(Group::Notes)?;
        let now = self.now();
        let mut known = HashMap::new();
        self.store()?.each_note(scopes, scope, &mut |note| {
            *known
                .entry(likeness(&note.content, &note.tags))
                .or_insert(0_usize) += 1;
            Ok(())
        })?;
        let mut lines = NoteLines::new(file, &self.note_limits);
        let mut imported = ImportedNotes::default();
        let mut next = || {
            while let Some(line) = lines.next()? {
                let line = self.cleaned_line(line);
                let read = imported.added + imported.known + 1;
                if read.is_multiple_of(1_000) {
                    progress(read);
                }
                match known.get_mut(&likeness(&line.content, &line.tags)) {
                    Some(left) if *left > 0 => {
                        *left -= 1;
                        imported.known += 1;
                    }
                    _ => {
                        imported.added += 1;
                        return Ok(Some(not_of_the_future(line, now)));
                    }
                }
            }
            Ok(None)
        };
        self.store()?.import_notes(scopes, scope, now, &mut next)?;
        Ok(imported)
    }

    /// The project whose notes a session sees: the forced one, else the one it started in, else (for a new session) the
    /// current one.
    pub(super) fn project_of(&self, session: &SessionId) -> Result<ProjectId> {
        if self.project_is_forced {
            return Ok(self.project.clone());
        }
        let known = self
            .sessions(session)?
            .session(session)?
            .and_then(|found| found.project);
        Ok(known.unwrap_or_else(|| self.project.clone()))
    }

    /// Creates the session if it does not exist yet: a note may be the first thing written to it.
    fn make_known(&self, session: &SessionId) -> Result<()> {
        if self.sessions(session)?.session(session)?.is_none() {
            self.create(session, &[])?;
        }
        Ok(())
    }
}

/// Puts notes whose source changed behind those that match as well.
///
/// Only where all that was found is in one answer: pages go on after the last note of the one before, in the store's order.
fn with_stale_last(mut found: FoundNotes, matcher: &Matcher) -> FoundNotes {
    /// What fits into an agent's answer with its heads.
    const MOST_BYTES: usize = 8 << 10;
    let bytes: usize = found.notes.iter().map(|note| note.content.len()).sum();
    let is_whole = found.after.is_none() && !found.has_more && bytes <= MOST_BYTES;
    if is_whole {
        let is_stale = |note: &Note| note.sources.iter().any(|it| it.verdict.is_stale());
        found
            .notes
            .sort_by_key(|note| (matcher.rank(&fold(&note.content)), is_stale(note)));
    }
    found
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportedNotes {
    pub added: usize,
    /// Notes that existed already.
    pub known: usize,
}

/// A key that is equal for notes that look the same to a reader.
fn likeness(content: &str, tags: &[String]) -> String {
    let mut tags: Vec<String> = tags.iter().map(|tag| fold(tag)).collect();
    tags.sort_unstable();
    sha256_hex(format!("{}\0{content}", tags.join("\n")).as_bytes())
}

/// Clamps times to now and drops a later id: notes added afterwards must sort as newer.
fn not_of_the_future(line: NoteLine, now: Millis) -> NoteLine {
    let past = |time: Millis| time.clamp(0, now);
    let updated = line.updated.map(past);
    NoteLine {
        id: line.id.filter(|id| id.0 <= now),
        created: line
            .created
            .map(past)
            .map(|created| created.min(updated.unwrap_or(now))),
        updated,
        ..line
    }
}

fn scopes<'a>(session: &'a SessionId, project: &'a ProjectId) -> Scopes<'a> {
    Scopes { session, project }
}
