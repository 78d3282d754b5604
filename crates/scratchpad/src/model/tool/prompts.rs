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

/// The pad and the notes of a session, each unless it is switched off.
#[derive(Debug)]
pub struct Kept {
    pub pad: Option<Pad>,
    pub notes: Option<FoundNotes>,
}

/// What is kept, for an agent that does not know the work yet.
pub fn handoff(session: &SessionId, kept: &Kept) -> String {
    let mut parts = vec![format!(
        "You take over work from another agent (session {session}). This is what it kept. \
         Check what you rely on: files may have changed since."
    )];
    parts.extend(texts(kept));
    parts.push(
        "Say in a few lines where the work stands and what comes next, then go on with it."
            .to_owned(),
    );
    parts.join("\n\n")
}

/// What is kept, for the agent that wrote it.
pub fn recap(kept: &Kept) -> String {
    let mut parts = vec!["This is what you kept of the work so far.".to_owned()];
    parts.extend(texts(kept));
    // A pad has notes too.
    let what = if kept.pad.is_some() {
        "the plan or the notes"
    } else {
        "the notes"
    };
    parts.push(format!(
        "Say in a few lines what the goal is, what is done and what comes next. \
         If {what} are out of date, rewrite them."
    ));
    parts.join("\n\n")
}

fn texts(kept: &Kept) -> Vec<String> {
    let pad = kept
        .pad
        .as_ref()
        .map(|pad| block::render_whole(pad).unwrap_or_else(|| "The pad is empty.".to_owned()));
    let notes = kept.notes.as_ref().filter(|notes| notes.total > 0);
    let notes = notes.map(|notes| {
        reply::listed(notes, None, reply::Reader::Agent)
            .text()
            .into_owned()
    });
    pad.into_iter().chain(notes).collect()
}
