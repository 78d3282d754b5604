//! Verbs on outputs.

use super::Scratchpad;
use crate::model::error::{Error, Result};
use crate::model::id::{OutputId, SessionId};
use crate::model::output::FoundOutputs;
use crate::model::output_tools::{self, OutputCall};
use crate::model::tool::Reply;

impl Scratchpad {
    /// The whole of a kept output.
    pub fn output(&self, id: &OutputId) -> Result<Vec<u8>> {
        self.store()?.read(id)?.ok_or_else(|| {
            Error::not_found(format!(
                "There is no output {id}: it was never kept here, or it was removed."
            ))
        })
    }

    /// The outputs that the session kept, newest first.
    pub fn list_outputs(&self, session: &SessionId, limit: usize) -> Result<FoundOutputs> {
        self.store()?.outputs(session, limit)
    }

    /// Runs a tool for outputs whose arguments were read.
    pub(super) fn output_tool(&self, session: &SessionId, call: &OutputCall) -> Result<Reply> {
        Ok(match call {
            OutputCall::Read { id, slice } => {
                output_tools::read_reply(id, &self.output(id)?, slice)
            }
            OutputCall::List { limit } => {
                output_tools::list_reply(&self.list_outputs(session, *limit)?)
            }
        })
    }
}
