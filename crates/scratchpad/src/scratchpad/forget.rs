//! Verbs that delete for good.

use std::collections::BTreeSet;

use super::{Scratchpad, Whose};
use crate::ancestry;
use crate::disk::find::contains;
use crate::model::error::{Error, Result};
use crate::model::id::{OutputId, SessionId};
use crate::model::note::Scope;
use crate::model::session::process::Process;
use crate::model::text::message::{message, number};
use crate::model::text::rewrite::{Rewrite, without};
use crate::store::{DeletedSession, Removal, Rewriting, Scopes, Scrubbed, TextPlace};

/// The shortest text that can be forgotten: a shorter one is part of too many words.
const FORGET_MIN_CHARS: usize = 4;

/// Where a text is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextPlaces {
    pub texts: Vec<TextPlace>,
    /// The outputs with the text in their content. They are deleted as a whole.
    pub outputs: Vec<OutputId>,
}

impl TextPlaces {
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.outputs.is_empty()
    }
}

/// The forms in which a text occurs in content: as it is, and as a string in JSON.
pub fn forms(text: &str) -> BTreeSet<Vec<u8>> {
    let json = serde_json::Value::from(text).to_string();
    let inside = json
        .strip_prefix('"')
        .and_then(|json| json.strip_suffix('"'));
    [text, inside.unwrap_or(text)]
        .map(|form| form.as_bytes().to_vec())
        .into()
}

/// Whether a session may be deleted while a process uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InUse {
    Refuse,
    Delete,
}

#[doc(hidden)]
impl Scratchpad {
    /// Deletes all notes of a session, not those of its project; returns how many there were.
    pub fn clear_session_notes(&self, session: &SessionId) -> Result<usize> {
        self.existing_session(session)?;
        self.clear(session, Scope::Session)
    }

    /// Deletes all notes of the project, not those of its sessions; returns how many there were.
    pub fn clear_project_notes(&self) -> Result<usize> {
        self.clear(&self.new_session_id(), Scope::Project)
    }

    fn clear(&self, session: &SessionId, scope: Scope) -> Result<usize> {
        let project = &self.project;
        self.store()?
            .clear_notes(Scopes { session, project }, scope)
    }

    /// A running process of this machine that uses a session, other than this one.
    pub fn process_with(
        &self,
        session: &SessionId,
        except: Option<u32>,
    ) -> Result<Option<Process>> {
        let bound = self.store()?.bound_to(session)?;
        Ok(bound
            .into_iter()
            .filter(|process| Some(process.id) != except)
            .find(|process| ancestry::is_running(process.id, &process.started)))
    }

    /// Deletes a session: its pad with all revisions, its notes, and the outputs that only it keeps.
    pub fn delete_session(&self, session: &SessionId, in_use: InUse) -> Result<DeletedSession> {
        self.existing_session(session)?;
        if in_use == InUse::Refuse
            && let Some(process) = self.process_with(session, None)?
        {
            return Err(Error::refused(message!(
                "Session {session} is in use by a running agent (process {process}).",
                session = session.to_string(),
                process = process.id.to_string()
            ))
            .hint("end that agent first, or delete it all the same with --force."));
        }
        let deleted = self.store()?.delete_session(session, self.now())?;
        self.forget_facts(session)?;
        // Gone meanwhile.
        deleted.ok_or_else(|| {
            Error::not_found(message!(
                "Session {session} not found.",
                session = session.to_string()
            ))
        })
    }

    /// Deletes the sessions of this project, or of all projects, except those that a running agent uses. Returns what
    /// went with each, and the sessions that stayed.
    pub fn clear_sessions(&self, whose: Whose) -> Result<(Vec<DeletedSession>, Vec<SessionId>)> {
        let (mut gone, mut stayed) = (Vec::new(), Vec::new());
        for id in self.session_ids_of(whose)? {
            if self.process_with(&id, None)?.is_some() {
                stayed.push(id);
                continue;
            }
            gone.extend(self.store()?.delete_session(&id, self.now())?);
        }
        Ok((gone, stayed))
    }

    /// The sessions of this project, or of all projects.
    pub fn session_ids_of(&self, whose: Whose) -> Result<Vec<SessionId>> {
        let heads = match whose {
            Whose::Project => self.sessions_of_project(usize::MAX)?,
            Whose::Everybody => self.sessions_of_all_projects(usize::MAX)?,
        };
        Ok(heads.into_iter().map(|head| head.id).collect())
    }

    /// Where this store keeps a text, in all projects.
    pub fn places_of_text(&self, text: &str) -> Result<TextPlaces> {
        check_forgettable(text)?;
        Ok(TextPlaces {
            texts: self.rewrite_texts(&|stored| without(stored, text), Rewriting::Look)?,
            outputs: self.outputs_with(text)?,
        })
    }

    /// Replaces a text wherever this store keeps it, in all projects, and deletes the outputs that contain it.
    pub fn forget_text(&self, text: &str) -> Result<TextPlaces> {
        check_forgettable(text)?;
        let outputs = self.outputs_with(text)?;
        // Before the previews are rewritten, which go with them.
        self.store()?.remove(&outputs, self.now(), Removal::Any)?;
        let texts = self.rewrite_texts(&|stored| without(stored, text), Rewriting::Write)?;
        Ok(TextPlaces { texts, outputs })
    }

    fn rewrite_texts(&self, rewrite: &Rewrite<'_>, how: Rewriting) -> Result<Vec<TextPlace>> {
        self.store()?.rewrite(rewrite, how)
    }

    fn outputs_with(&self, text: &str) -> Result<Vec<OutputId>> {
        let forms = forms(text);
        let store = self.store()?;
        let mut found = Vec::new();
        for output in self.all_outputs(Whose::Everybody)? {
            // What is damaged or was removed meanwhile can't be read; a prune removes it.
            if let Ok(Some((mut content, _))) = store.read(&output.id)
                && contains(&mut content, &forms).unwrap_or(true)
            {
                found.push(output.id);
            }
        }
        Ok(found)
    }

    /// Clears what deleted content left behind in the files of the store. To be called after deleting.
    pub fn scrub(&self) -> Result<Scrubbed> {
        self.store()?.scrub()
    }
}

fn check_forgettable(text: &str) -> Result<()> {
    let chars = text.chars().count();
    if chars >= FORGET_MIN_CHARS && text.trim() == text {
        return Ok(());
    }
    Err(Error::refused(message!(
        "A text to forget has at least {min} characters and no space at its ends; {chars} were given.",
        min = number(FORGET_MIN_CHARS),
        chars = number(chars)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_looked_for_as_it_is_and_as_json_has_it() {
        let both = |text: &str| -> Vec<String> {
            let all = forms(text).into_iter();
            all.map(|form| String::from_utf8(form).unwrap()).collect()
        };
        assert_eq!(both("plain"), ["plain"]);
        assert_eq!(both("a\nb"), ["a\nb", "a\\nb"]);
        assert_eq!(both("say \"x\""), ["say \"x\"", "say \\\"x\\\""]);
    }
}
