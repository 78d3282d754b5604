//! A search through everything that is kept.

use std::collections::HashSet;

use super::{Scratchpad, Whose};
use crate::model::error::Result;
use crate::model::id::{Millis, OutputId, ProjectId, SessionId};
use crate::model::note::page::NotePage;
use crate::model::note::search::{Matcher, fold};
use crate::model::note::{Note, NoteId};
use crate::model::output::find::{Hits, Query};
use crate::model::pad::Space;
use crate::store::{Scopes, SessionHead};

/// Where a text was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundIn {
    Pad { session: SessionId, space: Space },
    Note(NoteId),
    Output(OutputId),
}

/// One thing that contains the text.
#[derive(Clone, Debug)]
pub struct Found {
    pub place: FoundIn,
    /// The project, where that is known.
    pub project: Option<ProjectId>,
    /// When it was last changed or kept.
    pub at: Millis,
    /// The first match and how many there are.
    pub hits: Hits,
}

#[doc(hidden)]
impl Scratchpad {
    /// The pads, notes and outputs of this project, or of all, that contain a text: those of each kind together, the
    /// newest first.
    pub fn search(&self, text: &str, whose: Whose) -> Result<Vec<Found>> {
        let query = Query::new(text)?;
        let sessions = match whose {
            Whose::Project => self.sessions_of_project(usize::MAX)?,
            Whose::Everybody => self.sessions_of_all_projects(usize::MAX)?,
        };
        let mut found: Vec<Found> = sessions
            .iter()
            .flat_map(|head| in_pad(head, &query))
            .collect();
        let projects = match whose {
            Whose::Project => vec![self.project.clone()],
            // Those with sessions, and those that a person wrote notes for before any agent came.
            Whose::Everybody => self.store()?.projects_with_notes()?,
        };
        found.extend(self.in_notes(text, &query, &sessions, &projects)?);
        let outputs = self.all_outputs(whose)?;
        for (output, hits) in self.find_outputs(outputs, Some(&query), None)? {
            found.extend(hits.map(|hits| Found {
                place: FoundIn::Output(output.id),
                project: None,
                at: output.kept,
                hits,
            }));
        }
        Ok(found)
    }

    /// The notes of these projects, and of these sessions and their projects.
    fn in_notes(
        &self,
        text: &str,
        query: &Query,
        sessions: &[SessionHead],
        projects: &[ProjectId],
    ) -> Result<Vec<Found>> {
        let nobody = self.new_session_id();
        let of_projects = projects.iter().map(|project| (&nobody, project));
        let of_sessions = sessions.iter().map(|head| (&head.id, &head.project));
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for (session, project) in of_projects.chain(of_sessions) {
            let scopes = Scopes { session, project };
            let page = NotePage::first(usize::MAX);
            let store = self.store()?;
            let with_text = store.find_notes(scopes, &Matcher::text(text), &[], page)?;
            let tagged = store.find_notes(scopes, &Matcher::everything(), &[fold(text)], page)?;
            for note in with_text.notes.into_iter().chain(tagged.notes) {
                let hits = in_text(&note.content, query).or_else(|| in_tags(&note, query));
                let hits = hits.filter(|_| seen.insert(note.id));
                found.extend(hits.map(|hits| Found {
                    place: FoundIn::Note(note.id),
                    project: Some(project.clone()),
                    at: note.updated,
                    hits,
                }));
            }
        }
        found.sort_by_key(|found| std::cmp::Reverse(found.at));
        Ok(found)
    }
}

fn in_pad(head: &SessionHead, query: &Query) -> Vec<Found> {
    let refs = head.pad.refs.join("\n");
    let spaces = [
        (Space::Plan, head.pad.plan.as_str()),
        (Space::Notes, head.pad.notes.as_str()),
        (Space::Refs, refs.as_str()),
    ];
    let found = spaces.into_iter().filter_map(|(space, text)| {
        Some(Found {
            place: FoundIn::Pad {
                session: head.id.clone(),
                space,
            },
            project: Some(head.project.clone()),
            at: head.updated,
            hits: in_text(text, query)?,
        })
    });
    found.collect()
}

fn in_text(text: &str, query: &Query) -> Option<Hits> {
    // Reading from memory does not fail.
    query.find(&mut text.as_bytes()).ok().flatten()
}

fn in_tags(note: &Note, query: &Query) -> Option<Hits> {
    in_text(&note.tags.join(" "), query)
}
