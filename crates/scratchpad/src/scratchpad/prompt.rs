//! The message for an agent's next turn.

use super::Scratchpad;
use crate::model::error::Result;
use crate::model::id::SessionId;
use crate::model::pad::Pad;
use crate::model::pad::block;
use crate::model::pad::nudge::Turn;
use crate::model::tool::Group;
use crate::store::{Binding, HookCall, Session};

/// Stands for the host and the event where hooks record theirs.
const PROMPT: &str = "prompt";

impl Scratchpad {
    /// The message to send to the model: the pad, then the nudges that are due, then the user's text. Just the text if
    /// the pad is empty and no nudge is due.
    ///
    /// `turn` is the user's text, or a [`Turn`] that also has what nudges depend on. Keep only the user's text in your
    /// history: the next message brings the pad as it is then. Nothing of the message is stored here.
    ///
    /// With nudges ([`Self::with_nudges`]), each call counts as one turn of the session. If the turn can't be counted,
    /// for example because the disk is full, the message is built without nudges.
    pub fn prompt<'a>(&self, session: &SessionId, turn: impl Into<Turn<'a>>) -> Result<String> {
        let turn = turn.into();
        if !self.offers(Group::Pad) {
            return Ok(turn.text.to_owned());
        }
        // Without nudges, a prompt only reads.
        if self.nudges.is_on()
            && let Ok((pad, nudges)) = self.count(session, &turn)
        {
            return Ok(block::prompt(&pad, &nudges, turn.text));
        }
        Ok(block::prompt(&self.pad(session)?, &[], turn.text))
    }

    /// Counts the turn; returns the pad and the nudges that are due.
    fn count(&self, session: &SessionId, turn: &Turn<'_>) -> Result<(Pad, Vec<String>)> {
        let in_log = if self.is_in_session_log(session) {
            Some(self.session(session)?)
        } else {
            None
        };
        let call = HookCall {
            host: PROMPT,
            event: PROMPT,
            session,
            at: self.now(),
        };
        let mut counted = (Pad::default(), Vec::new());
        self.store()?.attend(&call, &mut |in_store, before| {
            let found: Option<&Session> = match &in_log {
                Some(found) => found.as_ref(),
                None => in_store,
            };
            let (pad, revision) = found
                .map(|found| (found.pad.clone(), found.revision))
                .unwrap_or_default();
            let mut state = before.clone();
            state.notice(revision);
            state.nudges.since_last_prompt(turn);
            let nudges = state.nudges.at_prompt(&pad, &self.nudges);
            counted = (pad, nudges);
            (state, Binding::Stays).into()
        })?;
        Ok(counted)
    }
}
