//! Messages from the upstream: which request each answers, and what the client gets of it.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use super::{Relay, lock};
use crate::proxy::body::{Body, Edit};
use crate::proxy::id::Id;
use crate::proxy::local_tools::Offer;
use crate::proxy::message::Message;
use crate::proxy::outline::Outline;
use crate::proxy::pending::{Answered, Outlook, Request};
use crate::proxy::shorten::{Changes, Trouble, extended, shortened};

impl Relay {
    fn outlook(&self) -> Option<Outlook> {
        lock(&self.pending).outlook()
    }

    /// Whether a long line from the upstream must be read to its end before it can be forwarded.
    pub(in crate::proxy) fn wants_whole(&self) -> bool {
        lock(&self.pending).wants_whole()
    }

    /// Passes a message from the upstream on; returns the ids that it answers.
    pub(in crate::proxy) fn pass(self: &Arc<Self>, body: Body<'_>) -> io::Result<Vec<Id>> {
        let Some(outlook) = self.outlook() else {
            return self.write(body, &[]).map(|()| Vec::new());
        };
        if let Body::Memory(line) = body
            && line.len() as u64 <= outlook.shortest
            && !outlook.has_edits
        {
            // Too short to contain a text to replace, so it is written first and parsed afterwards.
            let written = self.client.write(line);
            let mut answered = Vec::new();
            for message in Outline::of(line, outlook.shortest)
                .unwrap_or_default()
                .messages
            {
                self.answered(&message, outlook.noted);
                answered.extend(message.id.filter(|_| message.method.is_none()));
            }
            return written.map(|()| answered);
        }
        let mut walk = Outline::begin(outlook.shortest);
        body.pieces(0..body.len()?, |piece| {
            walk.push(piece);
            Ok::<_, io::Error>(())
        })?;
        let Some(outline) = walk.end() else {
            return self.write(body, &[]).map(|()| Vec::new());
        };
        let mut changes = Changes::default();
        let mut answered = Vec::new();
        let is_alone = outline.messages.len() == 1;
        for message in outline.messages {
            let request = match self.answered(&message, outlook.noted) {
                Answered::Reused if is_alone => return Ok(Vec::new()),
                Answered::Request(request, client_id) => {
                    changes.rename(&message, client_id.as_ref());
                    Some(request)
                }
                Answered::Reused | Answered::Nothing => None,
            };
            match self.changes(&message, body, request) {
                Ok(more) => changes.add(more),
                Err(Trouble::NoText) => {}
                Err(Trouble::Store(error)) => self.warn(&format!(
                    "A result of {} passes unchanged: {error}",
                    self.proxy.upstream
                )),
            }
            if message.method.is_none() {
                answered.extend(message.id);
            }
        }
        let Changes { mut edits, keeps } = changes;
        edits.sort_by_key(|edit| edit.span.start);
        if !body.allows(&edits)? {
            self.warn(&format!(
                "A result of {} passes unchanged: parts to replace overlap. This is a bug; please report it.",
                self.proxy.upstream
            ));
            edits.clear();
        }
        let written = self.write(body, &edits);
        if let (true, Some(finisher)) = (keeps, &self.finisher) {
            finisher.wake();
        }
        written.map(|()| answered)
    }

    /// Registers the answers in a line that was forwarded without buffering.
    pub(in crate::proxy) fn passed(&self, outline: &Outline) {
        for message in &outline.messages {
            self.answered(message, u64::MAX);
        }
    }

    fn write(&self, body: Body<'_>, edits: &[Edit]) -> io::Result<()> {
        if let (Body::Memory(line), []) = (body, edits) {
            return self.client.write(line);
        }
        let mut turn = self.client.turn();
        let mut buffered = BufWriter::with_capacity(64 * 1024, &mut turn);
        let written = body
            .write(edits, &mut buffered)
            .and_then(|()| buffered.flush());
        drop(buffered);
        if written.is_err() {
            // The next message must not continue this line.
            turn.leave_open();
            return written;
        }
        let end = body.len()?;
        let mut is_whole = false;
        body.pieces(end.saturating_sub(1)..end, |last| {
            is_whole = last == b"\n";
            Ok::<_, io::Error>(())
        })?;
        if !is_whole {
            turn.leave_open();
        }
        Ok(())
    }

    /// Removes and returns what a message answers, if it was registered before the message arrived.
    fn answered(&self, message: &Message, noted: u64) -> Answered {
        // A request from the upstream itself may have the same id.
        let is_answer = message.method.is_none() && (message.result.is_some() || message.is_error);
        match message.id.as_ref().filter(|_| is_answer) {
            Some(id) => lock(&self.pending).answer(id, noted),
            None => Answered::Nothing,
        }
    }

    fn changes(
        self: &Arc<Self>,
        message: &Message,
        body: Body<'_>,
        request: Option<Request>,
    ) -> Result<Changes, Trouble> {
        let Some(answer) = message.result.as_ref().filter(|_| !message.is_odd) else {
            return Ok(Changes::default());
        };
        let scratchpad = &self.proxy.scratchpad;
        match request {
            Some(Request::Call(call)) if !answer.is_error && !answer.is_partial => {
                if answer.texts.is_empty() {
                    return Ok(Changes::default());
                }
                let read_tool = lock(&self.names).read_tool();
                let session =
                    self.session(call.session_id.as_ref(), call.thread_id.as_ref(), None)?;
                shortened(scratchpad, &session, &call, &read_tool, answer, body)
            }
            Some(Request::List) => {
                let may_shorten = |tool: &str| {
                    let threshold = scratchpad.offload().threshold(&self.proxy.upstream, tool);
                    threshold.is_some()
                };
                let offer = match scratchpad.offload().enabled {
                    false => Offer::Nothing,
                    true if scratchpad.passing().is_on() => Offer::ReadingAndPassing,
                    true => Offer::Reading,
                };
                let is_hidden = |tool: &str| self.hides(tool);
                let names = &mut lock(&self.names);
                let changes = extended(answer, names, may_shorten, is_hidden, offer);
                if answer.tools.is_some() && !answer.has_more {
                    self.count_list();
                }
                Ok(changes)
            }
            _ => Ok(Changes::default()),
        }
    }
}
