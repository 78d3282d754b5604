//! Prompts that a person selects by name: hand the work over, or sum it up.

use crate::model::id::SessionId;
use crate::model::note::page::FoundNotes;
use crate::model::note::reply;
use crate::model::pad::block::{LeftOut, PlanView, Room, fit};
use crate::model::pad::{Pad, tool};

/// For another agent that takes over.
pub const HANDOFF: &str = "handoff";
/// For an agent that has to find its way back into its own work.
pub const RECAP: &str = "recap";

/// The room for the pad. Budgets may be raised, and a ref is never cut; notes have a limit of their own.
const ROOM: Room = Room {
    chars: reply::MAX_ANSWER_BYTES,
    tokens: usize::MAX,
};

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
    parts.extend(texts(session, kept));
    parts.push(
        "Say in a few lines where the work stands and what comes next, then go on with it."
            .to_owned(),
    );
    parts.join("\n\n")
}

/// What is kept, for the agent that wrote it.
pub fn recap(session: &SessionId, kept: &Kept) -> String {
    let mut parts = vec!["This is what you kept of the work so far.".to_owned()];
    parts.extend(texts(session, kept));
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

/// What is kept, and how to get what there is no room for.
fn texts(session: &SessionId, kept: &Kept) -> Vec<String> {
    let (mut texts, mut rest) = (Vec::new(), Vec::new());
    if let Some(pad) = &kept.pad {
        let shown = fit(pad, &PlanView::Whole, ROOM);
        if shown
            .as_ref()
            .is_some_and(|it| it.left_out != LeftOut::default())
        {
            rest.push(format!("{} with `action` \"get\"", tool::NAME));
        }
        texts.push(shown.map_or_else(|| "The pad is empty.".to_owned(), |shown| shown.text));
    }
    if let Some(notes) = kept.notes.as_ref().filter(|notes| notes.total > 0) {
        let listed = reply::listed(notes, None, reply::Reader::Agent);
        if listed
            .structured
            .as_ref()
            .is_some_and(|data| reply::next_page(data).is_some())
        {
            rest.push("list_notes".to_owned());
        }
        texts.push(listed.text().into_owned());
    }
    if !rest.is_empty() {
        texts.push(format!(
            "This is not all of it. To get the rest, call {}, with `session` \"{session}\".",
            rest.join(", and ")
        ));
    }
    texts
}
