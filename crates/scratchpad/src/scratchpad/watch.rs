//! Verbs of somebody who looks on: noticing what others write, and changing only what was seen.

use super::Scratchpad;
use crate::model::error::{Error, ErrorKind, Result};
use crate::model::pad::Space;
use crate::model::text::message::message;
use crate::store::{View, Watcher};

#[doc(hidden)]
impl Scratchpad {
    /// Notices what any process writes to the store from now on.
    pub fn watcher(&self) -> Result<Box<dyn Watcher>> {
        self.store()?.watcher()
    }

    /// The same scratchpad for somebody who saw a session at this revision: a write over a newer one is refused as a
    /// conflict.
    #[must_use]
    pub fn seen_at(&self, revision: u64) -> Self {
        Self {
            seen: Some(revision),
            ..self.clone()
        }
    }

    /// Refuses to change a space, or any of them, that was written since it was seen.
    pub(super) fn check_seen(&self, view: &dyn View, space: Option<Space>) -> Result<()> {
        let Some(seen) = self.seen else {
            return Ok(());
        };
        let log = view.log()?;
        let mut newer = log.iter().filter(|head| head.number > seen);
        let Some(newer) = newer.rfind(|head| space.is_none_or(|space| head.space == space)) else {
            return Ok(());
        };
        Err(Error::new(
            ErrorKind::Conflict,
            message!(
                "Not saved: revision {number} of the {space} came in meanwhile.",
                number = newer.number.to_string(),
                space = newer.space.name()
            ),
        ))
    }
}
