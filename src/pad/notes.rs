//! Verbs on notes.

use std::io::{BufRead, Write};

use super::Scratchpad;
use crate::model::error::{Error, Result};
use crate::model::id::{ProjectId, SessionId};
use crate::model::note::{Note, NoteId, Scope, check_content, checked_tags, no_such_note};
use crate::model::note_lines::{self, NoteLine};
use crate::model::note_replies::{FoundNotes, Match, NoteTotals, TagCount};
use crate::model::quantity::grouped;
use crate::model::search::{Matcher, fold};
use crate::store::lines::{Lines, MAX_LINE_BYTES};
use crate::store::{ImportCount, NoteChange, Sight};

impl Scratchpad {
    /// Keeps a note with the session or its project.
    pub fn add_note(
        &self,
        session: &SessionId,
        scope: Scope,
        content: &str,
        tags: &[String],
    ) -> Result<(Note, NoteTotals)> {
        check_content(content, &self.note_limits)?;
        let tags = checked_tags(tags, &self.note_limits)?;
        let project = self.project_of_writer(session)?;
        self.store()?
            .add_note(sight(session, &project), scope, content, &tags, self.now())
    }

    /// Replaces a note's content, its tags, or both.
    pub fn update_note(
        &self,
        session: &SessionId,
        id: NoteId,
        content: Option<&str>,
        tags: Option<&[String]>,
    ) -> Result<(Note, NoteTotals)> {
        if let Some(content) = content {
            check_content(content, &self.note_limits)?;
        }
        let tags = tags
            .map(|tags| checked_tags(tags, &self.note_limits))
            .transpose()?;
        let change = NoteChange {
            content: content.map(str::to_owned),
            tags,
            scope: None,
        };
        self.change_note(session, id, &change)
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
        let project = self.project_of(session)?;
        let sight = sight(session, &project);
        match self.store()?.change_note(sight, id, change, self.now())? {
            Some(changed) => Ok(changed),
            None => Err(no_such_note(id, &self.store()?.nearest_notes(sight, id)?)),
        }
    }

    /// Deletes a note.
    pub fn delete_note(&self, session: &SessionId, id: NoteId) -> Result<NoteTotals> {
        let project = self.project_of(session)?;
        let sight = sight(session, &project);
        match self.store()?.delete_note(sight, id)? {
            Some(totals) => Ok(totals),
            None => Err(no_such_note(id, &self.store()?.nearest_notes(sight, id)?)),
        }
    }

    /// The notes of the session and its project, last changed first; only those with a tag, if given.
    pub fn list_notes(
        &self,
        session: &SessionId,
        tag: Option<&str>,
        limit: usize,
    ) -> Result<FoundNotes> {
        let project = self.project_of(session)?;
        let sight = sight(session, &project);
        match tag {
            None => self.store()?.newest_notes(sight, limit),
            Some(tag) => {
                self.store()?
                    .find_notes(sight, &Matcher::everything(), &[fold(tag)], limit)
            }
        }
    }

    /// The notes that have all these tags and the query as it stands, in any case.
    ///
    /// If no note has it, those where each of its words begins a word. An empty query finds all.
    pub fn search_notes(
        &self,
        session: &SessionId,
        query: Option<&str>,
        tags: &[String],
        limit: usize,
    ) -> Result<(FoundNotes, Match)> {
        let project = self.project_of(session)?;
        let sight = sight(session, &project);
        let tags: Vec<String> = tags.iter().map(|tag| fold(tag)).collect();
        let query = query.unwrap_or_default();
        if query.is_empty() && tags.is_empty() {
            return Ok((self.store()?.newest_notes(sight, limit)?, Match::Substring));
        }
        let matcher = if query.is_empty() {
            Matcher::everything()
        } else {
            Matcher::text(query)
        };
        let found = self.store()?.find_notes(sight, &matcher, &tags, limit)?;
        match Matcher::words(query) {
            Some(words) if found.total == 0 => Ok((
                self.store()?.find_notes(sight, &words, &tags, limit)?,
                Match::Words,
            )),
            _ => Ok((found, Match::Substring)),
        }
    }

    /// The tags in use on the notes of the session and its project, with their counts, sorted.
    pub fn list_tags(&self, session: &SessionId) -> Result<Vec<TagCount>> {
        let project = self.project_of(session)?;
        self.store()?.tags(sight(session, &project))
    }

    /// Writes the notes of one scope as JSON Lines, oldest first; answers how many.
    pub fn export_notes(
        &self,
        session: &SessionId,
        scope: Scope,
        out: &mut dyn Write,
    ) -> Result<usize> {
        let project = self.project_of(session)?;
        let mut count = 0;
        self.store()?
            .each_note(sight(session, &project), scope, &mut |note| {
                count += 1;
                writeln!(out, "{}", note_lines::encode(note))
                    .map_err(|error| Error::store(format!("Can't write the notes: {error}.")))
            })?;
        Ok(count)
    }

    /// Takes notes in from JSON Lines, all or none; `progress` hears now and then how many were read.
    pub fn import_notes(
        &self,
        session: &SessionId,
        scope: Scope,
        file: &mut dyn BufRead,
        progress: &mut dyn FnMut(usize),
    ) -> Result<ImportCount> {
        let project = self.project_of_writer(session)?;
        let mut lines = Lines::new(file, MAX_LINE_BYTES);
        let mut waiting: std::vec::IntoIter<NoteLine> = Vec::new().into_iter();
        let (mut number, mut read) = (0_usize, 0_usize);
        let mut next = || loop {
            if let Some(note) = waiting.next() {
                read += 1;
                if read.is_multiple_of(1_000) {
                    progress(read);
                }
                return Ok(Some(note));
            }
            number += 1;
            let in_line = |error: Error| {
                let place = format!("Nothing was imported: line {}", grouped(number));
                error.within(place)
            };
            waiting = match lines
                .next()
                .map_err(|error| in_line(Error::store(error.to_string())))?
            {
                None => return Ok(None),
                Some(None) => return Err(in_line(Error::refused("It is too long."))),
                Some(Some(line)) => note_lines::parse(line, &self.note_limits)
                    .map_err(in_line)?
                    .into_iter(),
            };
        };
        self.store()?
            .import_notes(sight(session, &project), scope, self.now(), &mut next)
    }

    /// The project whose notes a session sees: its own, or the present one for a new session.
    fn project_of(&self, session: &SessionId) -> Result<ProjectId> {
        let known = self
            .sessions(session)?
            .session(session)?
            .and_then(|found| found.project);
        Ok(known.unwrap_or_else(|| self.project.clone()))
    }

    /// The same for a write, which makes the session known where it was not.
    fn project_of_writer(&self, session: &SessionId) -> Result<ProjectId> {
        if let Some(found) = self.sessions(session)?.session(session)? {
            return Ok(found.project.unwrap_or_else(|| self.project.clone()));
        }
        self.create(session, &[])?;
        Ok(self.project.clone())
    }
}

fn sight<'a>(session: &'a SessionId, project: &'a ProjectId) -> Sight<'a> {
    Sight { session, project }
}
