//! Prompts that a person selects by name: hand the work over, or sum it up.

use crate::model::id::SessionId;
use crate::model::note::page::FoundNotes;
use crate::model::note::reply;
use crate::model::pad::Pad;
use crate::model::pad::block;

/// For another agent that takes over.
pub const HANDOFF: &str = "handoff";
/// For an agent that has to find its way back into its own work.
pub const RECAP: &str = "recap";

/// The pad and the notes for an agent that does not know the work yet.
pub fn handoff(session: &SessionId, pad: &Pad, notes: &FoundNotes) -> String {
    let mut parts = vec![format!(
        "You take over work from another agent (session {session}). This is what it kept. \
         Check what you rely on: files may have changed since."
    )];
    parts.extend(kept(pad, notes));
    parts.push(
        "Say in a few lines where the work stands and what comes next, then go on with it."
            .to_owned(),
    );
    parts.join("\n\n")
}

/// The pad and the notes for the agent that wrote them.
pub fn recap(pad: &Pad, notes: &FoundNotes) -> String {
    let mut parts = vec!["This is what you kept of the work so far.".to_owned()];
    parts.extend(kept(pad, notes));
    parts.push(
        "Say in a few lines what the goal is, what is done and what comes next. \
         If the plan or the notes are out of date, rewrite them."
            .to_owned(),
    );
    parts.join("\n\n")
}

fn kept(pad: &Pad, notes: &FoundNotes) -> Vec<String> {
    let mut parts = vec![block::render(pad).unwrap_or_else(|| "The pad is empty.".to_owned())];
    if notes.total > 0 {
        parts.push(
            reply::listed(notes, None, reply::Reader::Agent)
                .text()
                .into_owned(),
        );
    }
    parts
}
