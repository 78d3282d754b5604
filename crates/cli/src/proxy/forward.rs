//! Forwards lines between pipes, one direction each.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::body::Body;
use super::lines::{Line, LineReader, LineWriter, Spooled, copy_beginning, spool};
use super::outline::Outline;
use super::relay::{Relay, Route};
use scratchpad::model::json::Walk;

/// The progress of one direction, for other threads.
#[derive(Debug, Default)]
pub(super) struct Progress {
    lines: AtomicU64,
    is_busy: AtomicBool,
}

impl Progress {
    /// The number of lines so far.
    pub(super) fn lines(&self) -> u64 {
        self.lines.load(Ordering::Relaxed)
    }

    /// Whether a line is being forwarded.
    pub(super) fn is_busy(&self) -> bool {
        self.is_busy.load(Ordering::Relaxed)
    }

    fn begin(&self) {
        self.is_busy.store(true, Ordering::Relaxed);
        self.lines.fetch_add(1, Ordering::Relaxed);
    }

    fn end(&self) {
        self.is_busy.store(false, Ordering::Relaxed);
    }
}

/// Forwards lines from the client until EOF, then closes the upstream's input. Calls `deaf` once if the upstream does
/// not read.
pub(super) fn from_client<W: Write>(
    relay: &Arc<Relay>,
    client: File,
    upstream: &LineWriter<W>,
    mut deaf: impl FnMut(),
) {
    let mut reader = LineReader::new(client);
    let mut is_deaf = false;
    // A read error means that the client is gone.
    while let Ok(Some(line)) = reader.next() {
        let written = match line {
            Line::Whole(line) => client_line(relay, line, upstream),
            Line::Long(head) => match long_client_line(relay, head, &mut reader, upstream) {
                Ok(written) => written,
                Err(_) => break,
            },
        };
        // Keep reading: the relay answers requests once it knows why the upstream is gone.
        if written.is_err() && !std::mem::replace(&mut is_deaf, true) {
            deaf();
        }
    }
    relay.send_the_rest();
    upstream.close();
}

fn client_line<W: Write>(
    relay: &Arc<Relay>,
    line: &[u8],
    upstream: &LineWriter<W>,
) -> io::Result<()> {
    let outline = Outline::of_client(line).unwrap_or_default();
    match relay.route(&outline, Some(line)) {
        Route::On => upstream.write(line),
        Route::Instead(line) => upstream.write(&line),
        Route::Nowhere => Ok(()),
    }
}

/// Forwards a long line while it is read; returns whether the upstream takes it. Its requests are noted before its last
/// byte is written, because the answer may follow at once.
fn long_client_line<R: Read, W: Write>(
    relay: &Arc<Relay>,
    head: Vec<u8>,
    reader: &mut LineReader<R>,
    upstream: &LineWriter<W>,
) -> io::Result<io::Result<()>> {
    let mut walk = Some(Outline::begin(u64::MAX));
    if let Some(walk) = &mut walk {
        walk.push(&head);
        let is_local = |message| relay.local_tool(message).is_some() || relay.hides_call(message);
        if walk.so_far().messages.iter().any(is_local) {
            return refuse_long_local_call(relay, walk, reader).map(Ok);
        }
    }
    let mut turn = upstream.turn();
    let mut written = turn.write_all(&head);
    drop(head);
    let note = |walk: Option<Walk<Outline>>| {
        relay.register(&walk.and_then(Walk::end).unwrap_or_default());
    };
    let read = reader.rest(|piece| {
        if let Some(walk) = &mut walk {
            walk.push(piece);
        }
        if piece.ends_with(b"\n") {
            note(walk.take());
        }
        if written.is_ok() {
            written = turn.write_all(piece);
        }
        Ok(())
    });
    if walk.is_some() {
        turn.leave_open();
        note(walk);
    }
    read.map(|()| written)
}

/// Reads a call of a local tool to its end to find the id, and answers that the call is too large.
fn refuse_long_local_call<R: Read>(
    relay: &Arc<Relay>,
    walk: &mut Walk<Outline>,
    reader: &mut LineReader<R>,
) -> io::Result<()> {
    let mut whole = std::mem::replace(walk, Outline::begin(0));
    reader.rest(|piece| {
        whole.push(piece);
        Ok(())
    })?;
    if let Some(outline) = whole.end() {
        relay.route(&outline, None);
    }
    Ok(())
}

/// Forwards lines from the upstream until EOF. Calls `gone` once if the client is gone.
pub(super) fn from_upstream<R: Read>(
    relay: &Arc<Relay>,
    upstream: R,
    progress: &Progress,
    mut gone: impl FnMut(),
) {
    let mut reader = LineReader::new(upstream);
    let mut is_gone = false;
    loop {
        progress.end();
        let line = reader.next();
        progress.begin();
        let written = match line {
            Ok(Some(Line::Whole(line))) => relay.pass(Body::Memory(line)).map(drop),
            Ok(Some(Line::Long(head))) => long_upstream_line(relay, head, &mut reader),
            // Treat a read error as EOF.
            Ok(None) | Err(_) => return,
        };
        // Keep reading: the upstream must not block because the client is gone.
        if written.is_err() && !std::mem::replace(&mut is_gone, true) {
            gone();
        }
    }
}

fn long_upstream_line<R: Read>(
    relay: &Arc<Relay>,
    head: Vec<u8>,
    reader: &mut LineReader<R>,
) -> io::Result<()> {
    let (file, head) = if relay.wants_whole() {
        match spool(head, reader)? {
            Spooled::Whole(file) => return relay.pass(Body::File(&file)).map(drop),
            Spooled::Partly(file, rest, error) => {
                relay.warn(&format!(
                    "A large message of {} passes unchanged: there is no room for it in the directory \
                     for temporary files: {error}.",
                    relay.upstream()
                ));
                (file, rest)
            }
        }
    } else {
        (None, head)
    };
    let mut walk = Outline::begin(u64::MAX);
    let mut turn = relay.client.turn();
    let mut ended = false;
    let mut written = Ok(());
    let mut take = |piece: &[u8]| {
        walk.push(piece);
        ended = piece.ends_with(b"\n");
        if written.is_ok() {
            written = turn.write_all(piece);
        }
        Ok(())
    };
    copy_beginning(file.as_ref(), &head, &mut take)?;
    drop(head);
    reader.rest(take)?;
    if !ended {
        turn.leave_open();
    }
    drop(turn);
    relay.passed(&walk.end().unwrap_or_default());
    written
}
