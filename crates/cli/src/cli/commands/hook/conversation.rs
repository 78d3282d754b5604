//! What a host's transcripts and command line reveal about a conversation.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use scratchpad::ancestry::command_line;
use scratchpad::disk::files::open_regular;
use scratchpad::model::host::Host;
use scratchpad::model::host::hook::{
    Event, EventKind, Original, StartReason, last_reply, last_reply_at, original_in_transcript,
    original_on_command_line,
};
use scratchpad::model::id::SessionId;
use scratchpad::model::session::announce::likely_host;
use scratchpad::model::session::process::Process;

/// How much of a transcript's end is searched for the last reply, and the limit for its first line.
const TRANSCRIPT_BYTES: u64 = 256 << 10;
/// The maximum number of transcripts to read.
const MOST_TRANSCRIPTS: usize = 50;

/// Reads the reply from the transcript if the event does not contain it.
pub(super) fn find_reply(event: &mut Event) {
    let (EventKind::Reply { text: text @ None }, Some(path)) = (&mut event.kind, &event.transcript)
    else {
        return;
    };
    // If this fails, the agent only misses a nudge about its plan.
    *text = end_of(Path::new(path))
        .ok()
        .and_then(|end| last_reply(&end));
}

fn end_of(transcript: &Path) -> io::Result<String> {
    let mut file = open_regular(transcript)?;
    let start = file.metadata()?.len().saturating_sub(TRANSCRIPT_BYTES);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(TRANSCRIPT_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The conversation that this one was forked from, according to the event or the transcript.
pub(super) fn original(event: &Event) -> Option<SessionId> {
    let in_transcript = || {
        let file = open_regular(Path::new(event.transcript.as_ref()?)).ok()?;
        let mut line = String::new();
        let mut start = BufReader::new(file.take(TRANSCRIPT_BYTES));
        start.read_line(&mut line).ok()?;
        original_in_transcript(&line)
    };
    let id = event.original.clone().or_else(in_transcript)?;
    // An id that is not valid as a session id can't have a pad.
    SessionId::new(id).ok()
}

/// The same for a fork that has no transcript yet: according to the command line of the host's process or, if the
/// person picked the conversation from a list, the time of its last reply.
pub(super) fn original_at_start(
    host: &Host,
    event: &Event,
    ancestors: &[Process],
) -> Option<SessionId> {
    let EventKind::Start(StartReason::Fork) = event.kind else {
        return None;
    };
    let others = || others_beside(event.transcript.as_ref()?, &event.session);
    let process = likely_host(ancestors, host.processes)?;
    let id = match original_on_command_line(&command_line(process)) {
        Some(Original::Named(id)) => id,
        Some(Original::Newest) => session_of(&others()?.first()?.1)?,
        None => replied_ago(event.replied_ago?, &others()?)?,
    };
    SessionId::new(id).ok()
}

/// The conversation whose last reply is this many seconds old; `None` if there are several.
fn replied_ago(seconds: u64, transcripts: &[(SystemTime, PathBuf)]) -> Option<String> {
    let seconds = i64::try_from(seconds).ok()?;
    // The host computes the age a little before it calls the hook.
    let about = seconds.saturating_sub(1)..=seconds.saturating_add(4);
    let now = jiff::Timestamp::now();
    let age = |at: jiff::Timestamp| now.duration_since(at).as_secs();
    let newest = transcripts.iter().take(MOST_TRANSCRIPTS);
    let mut found = newest
        // A file last modified before that can't contain the reply.
        .take_while(|(changed, _)| {
            jiff::Timestamp::try_from(*changed).is_ok_and(|changed| age(changed) <= *about.end())
        })
        .filter(|(_, path)| {
            let replied = end_of(path).ok().and_then(|end| last_reply_at(&end));
            let replied = replied.and_then(|at| at.parse().ok());
            replied.is_some_and(|at| about.contains(&age(at)))
        });
    let (Some((_, only)), None) = (found.next(), found.next()) else {
        return None;
    };
    session_of(only)
}

/// The other transcripts in the same directory, newest first, if files there are named after their conversations.
fn others_beside(transcript: &str, own: &SessionId) -> Option<Vec<(SystemTime, PathBuf)>> {
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
    let mut others: Vec<_> = others.collect();
    others.sort_by(|one, other| other.cmp(one));
    Some(others)
}

fn session_of(transcript: &Path) -> Option<String> {
    Some(transcript.file_stem()?.to_str()?.to_owned())
}
