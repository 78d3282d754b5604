//! Ids as a person types them: whole, or shortened to what only one has.

use super::Scratchpad;
use crate::model::error::{Error, Result};
use crate::model::id::{OutputId, SessionId};
use crate::model::note::NoteId;
use crate::model::text::message::{message, number, quoted};
use crate::store::Scopes;

/// The fewest characters that may change or delete something by a shortened id.
const FEWEST: usize = 4;
/// Nobody types an id of this length, so a beginning of one is no new name for another session.
const NOT_TYPED: usize = 20;
/// How many candidates an error lists.
const MOST_LISTED: usize = 6;

/// What is done with the session that a shortened id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Read,
    Delete,
    /// A name that no session has creates one.
    Write,
}

impl Purpose {
    /// Whether `given` may stand for a session.
    fn allows(self, given: &str, id: &SessionId) -> bool {
        match self {
            Self::Read => true,
            Self::Delete => given.len() >= FEWEST,
            Self::Write => given.len() >= FEWEST && id.as_str().len() >= NOT_TYPED,
        }
    }
}

#[doc(hidden)]
impl Scratchpad {
    /// The session that a person means: the one with this id, else the only one whose id begins so, else this id.
    pub fn meant_session(&self, given: &SessionId, purpose: Purpose) -> Result<SessionId> {
        if self.is_in_session_log(given) {
            return Ok(given.clone());
        }
        let mut ids = self.store()?.session_ids(given.as_str(), MOST_LISTED)?;
        if ids.contains(given) {
            return Ok(given.clone());
        }
        ids.retain(|id| purpose.allows(given.as_str(), id));
        Ok(only(given.as_str(), ids)?.unwrap_or_else(|| given.clone()))
    }

    /// The output that a person means by its id or the beginning of it.
    pub fn meant_output(&self, given: &str) -> Result<OutputId> {
        let is_hex = given.bytes().all(|byte| byte.is_ascii_hexdigit());
        let whole = OutputId::new(given);
        // What may be a whole id is one: that of an output that was removed never names another.
        if whole.is_ok() || !is_hex || given.len() > OutputId::MAX_DIGITS {
            return whole;
        }
        if given.len() < FEWEST {
            return Err(too_short(given).hint("`scratchpad output list` shows the ids."));
        }
        let beginning = given.to_ascii_lowercase();
        let ids = self.store()?.output_ids(&beginning, MOST_LISTED)?;
        match only(given, ids)? {
            Some(id) => Ok(id),
            None => Err(self.no_output_begins(given)?),
        }
    }

    /// The note that a person means by its id, or by the beginning or end of its digits.
    pub fn meant_note(&self, session: &SessionId, given: &str) -> Result<NoteId> {
        let digits = given.trim();
        let digits = digits.strip_prefix("note_").unwrap_or(digits);
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_whole = given.trim() != digits;
        if !is_number || digits.is_empty() || (is_whole && digits.len() < FEWEST) {
            return NoteId::parse(given);
        }
        if digits.len() < FEWEST {
            return Err(too_short(given).hint("list_notes and search_notes show the ids."));
        }
        let whole = NoteId::parse(&format!("note_{digits}"))?;
        let project = &self.project_of(session)?;
        let ids = self
            .store()?
            .note_ids(Scopes { session, project }, digits, MOST_LISTED)?;
        if ids.contains(&whole) {
            return Ok(whole);
        }
        Ok(only(given, ids)?.unwrap_or(whole))
    }
}

fn too_short(given: &str) -> Error {
    Error::refused(message!(
        "{id} is too short to name one: give the whole id, or at least {fewest} of its digits.",
        id = quoted(given),
        fewest = number(FEWEST)
    ))
}

/// The one candidate, if there is any; several are an error that lists them.
fn only<T: ToString>(given: &str, ids: Vec<T>) -> Result<Option<T>> {
    if ids.len() <= 1 {
        return Ok(ids.into_iter().next());
    }
    let mut names: Vec<String> = ids.iter().take(MOST_LISTED - 1).map(T::to_string).collect();
    if names.len() < ids.len() {
        names.push("…".to_owned());
    }
    Err(Error::refused(message!(
        "{given} is the beginning or end of more than one id: {ids}.",
        given,
        ids = names.join(", ")
    ))
    .hint("type more of the one you mean."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_name_is_not_taken_for_the_beginning_of_another_name() {
        let id = |text: &str| SessionId::new(text).unwrap();
        let uuid = id("9f0f1f6e-5b4a-4c58-9f5e-5cf4d0c0a111");
        for (given, full, expected) in [
            ("9", &uuid, [true, false, false]),
            ("9f0f", &uuid, [true, true, true]),
            ("build", &id("build-2"), [true, true, false]),
        ] {
            let allowed = [Purpose::Read, Purpose::Delete, Purpose::Write]
                .map(|purpose| purpose.allows(given, full));
            assert_eq!(allowed, expected, "{given}");
        }
    }

    #[test]
    fn several_candidates_are_listed() {
        assert_eq!(only::<String>("a", Vec::new()).unwrap(), None);
        let one = only("a", vec!["ab"]).unwrap();
        assert_eq!(one, Some("ab"));
        let error = only("a", vec!["ab", "ac", "ad", "ae", "af", "ag"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a is the beginning or end of more than one id: ab, ac, ad, ae, af, …. Nothing was changed."
        );
    }
}
