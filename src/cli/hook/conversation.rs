//! What the files of a host, and how it was started, tell of a conversation.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::ancestry::command_line;
use crate::model::hook::{
    Event, Happening, Original, Source, last_reply, original_in_transcript,
    original_on_command_line,
};
use crate::model::id::SessionId;
use crate::model::process::{Process, host_of};

/// How far back in a transcript the last reply is looked for, and how long its first line may be.
const TRANSCRIPT_BYTES: u64 = 256 << 10;

/// Looks for the reply in the transcript, where the host did not hand it over.
pub(super) fn find_reply(event: &mut Event) {
    let (Happening::Reply { text: text @ None }, Some(path)) =
        (&mut event.happening, &event.transcript)
    else {
        return;
    };
    let end_of_file = || -> io::Result<String> {
        let mut file = File::open(path)?;
        let start = file.metadata()?.len().saturating_sub(TRANSCRIPT_BYTES);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(TRANSCRIPT_BYTES).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    // A plan that is not seen is a hint that is not given.
    *text = end_of_file().ok().and_then(|end| last_reply(&end));
}

/// The conversation that this one is a copy of, as the host says itself.
pub(super) fn original(event: &Event) -> Option<SessionId> {
    let in_transcript = || {
        let file = File::open(event.transcript.as_ref()?).ok()?;
        let mut line = String::new();
        let mut start = BufReader::new(file.take(TRANSCRIPT_BYTES));
        start.read_line(&mut line).ok()?;
        original_in_transcript(&line)
    };
    let id = event.original.clone().or_else(in_transcript)?;
    // What can't be one of ours has no pad.
    SessionId::new(id).ok()
}

/// The same, as the command says that started the host's process.
pub(super) fn original_at_start(event: &Event, ancestors: &[Process]) -> Option<SessionId> {
    let Happening::Start(Source::Fork) = event.happening else {
        return None;
    };
    let id = match original_on_command_line(&command_line(host_of(ancestors)?))? {
        Original::Named(id) => id,
        Original::Newest => newest_beside(event.transcript.as_ref()?, &event.session)?,
    };
    SessionId::new(id).ok()
}

/// The newest other conversation in the directory of a transcript, where each file is called after its conversation.
fn newest_beside(transcript: &str, own: &SessionId) -> Option<String> {
    let path = Path::new(transcript);
    if path.file_stem()? != own.as_str() {
        return None;
    }
    let others = fs::read_dir(path.parent()?).ok()?.filter_map(|entry| {
        let file = entry.ok()?;
        let is_transcript = file.path().extension() == path.extension() && file.path() != path;
        let changed = file.metadata().ok()?.modified().ok()?;
        is_transcript.then_some((changed, file.path()))
    });
    let (_, newest) = others.max()?;
    Some(newest.file_stem()?.to_str()?.to_owned())
}
