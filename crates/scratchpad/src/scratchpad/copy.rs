//! Copies everything from one store into another.
//!
//! What the target already has is not copied again, so an interrupted copy resumes. Nothing in the source is changed,
//! and nothing in the target is overwritten: differences are left alone and reported.

use std::collections::{BTreeMap, HashMap};
use std::io;

use crate::model::error::{Error, Result};
use crate::model::id::{Millis, ProjectId};
use crate::model::note::{Note, NoteId, Scope};
use crate::model::output::Origin;
use crate::model::output::ledger::LedgerFilter;
use crate::model::text::hash::sha256_of;
use crate::model::text::message::message;
use crate::store::transfer::{Holdings, HomedNote, Revision, WholeOutput};
use crate::store::{OutputDraft, SessionHead, Store};

/// The number of rows copied at once.
const PAGE: usize = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Sessions,
    Notes,
    Outputs,
    /// The target is verified against the source.
    Compare,
}

/// Reports progress: the step, how much of it is done, and its total.
pub type Progress<'a> = dyn FnMut(Step, u64, u64) + 'a;

/// The result of a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// What the source held.
    pub source: Holdings,
    /// Sessions that were copied, in part or whole.
    pub sessions: u64,
    pub revisions: u64,
    pub notes: u64,
    /// Notes that got a new id because theirs was taken.
    pub renumbered: u64,
    /// Outputs whose content was copied.
    pub outputs: u64,
    /// The total bytes of those outputs.
    pub bytes: u64,
    /// Outputs that were skipped because they are damaged or gone.
    pub lost: Vec<String>,
    /// Outputs that were removed from the source since the copy began, which is not an error.
    pub removed: Vec<String>,
    /// When the source was as it was copied.
    pub as_of: Millis,
    /// Sessions that the target has with a different history, and that were left alone.
    pub differing: Vec<String>,
    /// Renamed projects: old name to new name.
    pub projects: BTreeMap<String, String>,
}

pub struct Copy<'a> {
    pub from: &'a dyn Store,
    pub to: &'a dyn Store,
    /// Maps a project's name to its name in the target.
    pub rename: &'a dyn Fn(&str) -> String,
    pub at: Millis,
}

impl Copy<'_> {
    /// Copies, then verifies the target against the source.
    pub fn run(&self, progress: &mut Progress<'_>) -> Result<Copied> {
        if self.from.place()? == self.to.place()? {
            return Err(Error::refused("Both are the same store.")
                .hint("name two stores: `scratchpad store copy FROM TO`."));
        }
        // Agents may go on writing meanwhile.
        let source = self.from.snapshot()?;
        let view = source.as_ref();
        let mut copied = Copied {
            source: view.holdings()?,
            as_of: self.at,
            ..Copied::default()
        };
        self.sessions(view, &mut copied, progress)?;
        self.notes(view, &mut copied, progress)?;
        self.outputs(view, &mut copied, progress)?;
        self.to.take_removed(&view.removed_outputs()?)?;
        self.ledger(view, &mut copied)?;
        self.compare(view, &copied, progress)?;
        Ok(copied)
    }

    fn renamed(&self, project: &str, copied: &mut Copied) -> String {
        let new = (self.rename)(project);
        if new != project {
            copied.projects.insert(project.to_owned(), new.clone());
        }
        new
    }

    fn sessions(
        &self,
        view: &dyn Store,
        copied: &mut Copied,
        progress: &mut Progress<'_>,
    ) -> Result<()> {
        let mut done = 0;
        each_session(view, |session| {
            let project = self.renamed(session.project.as_str(), copied);
            let session = SessionHead {
                project: ProjectId::new(project),
                ..session
            };
            let there = self.to.session(&session.id)?;
            let mut last = there.as_ref().map_or(0, |there| there.revision);
            if !self.begins_alike(view, &session, last)? {
                copied.differing.push(session.id.to_string());
                return Ok(());
            }
            if there.is_none() || last < session.revision {
                copied.sessions += 1;
                loop {
                    let page = view.revisions_after(&session.id, last, PAGE)?;
                    self.to.take_revisions(&session, &page)?;
                    copied.revisions += page.len() as u64;
                    match page.last() {
                        Some((head, _)) => last = head.number,
                        None => break,
                    }
                }
            }
            done += 1;
            progress(Step::Sessions, done, copied.source.sessions);
            Ok(())
        })
    }

    /// Whether the revisions of a session that both stores have, up to `until`, are the same.
    fn begins_alike(&self, view: &dyn Store, session: &SessionHead, until: u64) -> Result<bool> {
        let mut last = 0;
        while last < until {
            let page = |store: &dyn Store| store.revisions_after(&session.id, last, PAGE);
            let (ours, theirs) = (page(view)?, page(self.to)?);
            let end = |page: &[Revision]| page.last().map(|(head, _)| head.number);
            let (Some(one), Some(other)) = (end(&ours), end(&theirs)) else {
                break;
            };
            let theirs: HashMap<u64, &Revision> = theirs
                .iter()
                .map(|revision| (revision.0.number, revision))
                .collect();
            // Either may have been thinned out: what both have must be the same.
            let same = |one: &Revision| {
                theirs.get(&one.0.number).is_none_or(|other| {
                    one.1 == other.1 && one.0.action == other.0.action && one.0.at == other.0.at
                })
            };
            if !ours.iter().all(same) {
                return Ok(false);
            }
            last = one.min(other);
        }
        Ok(true)
    }

    fn notes(
        &self,
        view: &dyn Store,
        copied: &mut Copied,
        progress: &mut Progress<'_>,
    ) -> Result<()> {
        let mut done = 0;
        each_page_of_notes(view, |page| {
            let page: Vec<HomedNote> = page
                .into_iter()
                .map(|note| self.homed(note, copied))
                .collect();
            let taken = self.taken(&page)?;
            let mut new = Vec::new();
            for note in &page {
                let is_there = match taken.get(&note.note.id) {
                    None => false,
                    Some(other) if is_same(note, other) => true,
                    Some(_) => {
                        let is_there = self.to.has_note_like(note)?;
                        copied.renumbered += u64::from(!is_there);
                        is_there
                    }
                };
                if !is_there {
                    new.push(note.clone());
                }
            }
            self.to.take_notes(&new, self.at)?;
            copied.notes += new.len() as u64;
            done += page.len() as u64;
            progress(Step::Notes, done, copied.source.notes);
            Ok(())
        })
    }

    /// The note with its project renamed for the target.
    fn homed(&self, it: HomedNote, copied: &mut Copied) -> HomedNote {
        let home = match it.note.scope {
            Scope::Session => it.home,
            Scope::Project => self.renamed(&it.home, copied),
        };
        HomedNote { home, ..it }
    }

    /// The notes in the target that have the same ids as these.
    fn taken(&self, page: &[HomedNote]) -> Result<HashMap<NoteId, HomedNote>> {
        let ids: Vec<NoteId> = page.iter().map(|it| it.note.id).collect();
        let found = self.to.notes_numbered(&ids)?;
        Ok(found.into_iter().map(|it| (it.note.id, it)).collect())
    }

    fn outputs(
        &self,
        view: &dyn Store,
        copied: &mut Copied,
        progress: &mut Progress<'_>,
    ) -> Result<()> {
        let mut done = 0;
        each_output(view, |mut output| {
            for keep in &mut output.keeps {
                keep.project = self.renamed(&keep.project, copied);
            }
            if !self.to.take_keeps(&output)? {
                if self.content(&output)? {
                    copied.outputs += 1;
                    copied.bytes += output.bytes;
                } else if self.from.removed(&output.id)?.is_some() {
                    copied.removed.push(output.id.to_string());
                } else {
                    copied.lost.push(output.id.to_string());
                }
            }
            done += 1;
            progress(Step::Outputs, done, copied.source.outputs);
            Ok(())
        })
    }

    /// Copies the ledger. What was counted in both stores since an earlier copy stays the larger of the two.
    fn ledger(&self, view: &dyn Store, copied: &mut Copied) -> Result<()> {
        let mut rows = view.ledger(LedgerFilter::default())?;
        for row in &mut rows {
            let project = self.renamed(row.entry.project.as_str(), copied);
            row.entry.project = ProjectId::new(project);
        }
        for page in rows.chunks(PAGE) {
            self.to.take_ledger(page)?;
        }
        Ok(())
    }

    /// Copies the content of an output; false if it is damaged or gone.
    fn content(&self, output: &WholeOutput) -> Result<bool> {
        let Some(keep) = output.keeps.last() else {
            return Ok(false);
        };
        let Ok(Some((mut content, _))) = self.from.read(&output.id) else {
            return Ok(false);
        };
        let mut staged = self.to.stage()?;
        let copied = io::copy(&mut content, &mut staged).and_then(|_| {
            let mut staged = staged.reader().map_err(io::Error::other)?;
            sha256_of(&mut staged)
        });
        match copied {
            Ok(hash) if hash == output.sha256 => {}
            // Damaged in the source. A failure of the target is returned as its own error.
            Ok(_) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(false),
            Err(error) => {
                return Err(Error::store(message!(
                    "Can't copy output {id}: {why}.",
                    id = output.id.to_string(),
                    why = error.to_string()
                )));
            }
        }
        let project = ProjectId::new(keep.project.as_str());
        let draft = OutputDraft {
            origin: Origin {
                upstream: "",
                tool: &keep.tool,
            },
            session: &keep.session,
            project: Some(&project).filter(|project| !project.as_str().is_empty()),
            kind: output.kind,
            lines: output.lines,
            preview: &output.preview,
            is_pinned: keep.is_pinned,
            at: keep.kept,
            room: None,
            entries: &[],
        };
        self.to.keep(&draft, staged)?;
        self.to.sync()?;
        self.to.take_keeps(output)
    }

    /// Reads everything again from both, and fails at the first item that the target lacks.
    fn compare(
        &self,
        view: &dyn Store,
        copied: &Copied,
        progress: &mut Progress<'_>,
    ) -> Result<()> {
        let all = copied.source.sessions + copied.source.notes + copied.source.outputs;
        let mut done = 0;
        let missing = |what: String| {
            Error::store(message!(
                "The copy is incomplete: {thing} differs from the source.",
                thing = what
            ))
            .hint("run it again: what was copied is not copied twice.")
        };
        each_session(view, |session| {
            let there = self.to.session(&session.id)?;
            let is_whole = there.is_some_and(|there| there.revision >= session.revision);
            let is_left_alone = copied.differing.contains(&session.id.to_string());
            let is_there =
                || Ok::<_, Error>(is_whole && self.begins_alike(view, &session, session.revision)?);
            if !is_left_alone && !is_there()? {
                return Err(missing(format!("session {}", session.id)));
            }
            done += 1;
            progress(Step::Compare, done, all);
            Ok(())
        })?;
        each_page_of_notes(view, |page| {
            let rename = |it: HomedNote| match it.note.scope {
                Scope::Session => it,
                Scope::Project => HomedNote {
                    home: (self.rename)(&it.home),
                    ..it
                },
            };
            let page: Vec<HomedNote> = page.into_iter().map(rename).collect();
            let taken = self.taken(&page)?;
            for note in &page {
                let has_it = taken
                    .get(&note.note.id)
                    .is_some_and(|other| is_same(note, other));
                if !has_it && !self.to.has_note_like(note)? {
                    return Err(missing(note.note.id.to_string()));
                }
            }
            done += page.len() as u64;
            progress(Step::Compare, done, all);
            Ok(())
        })?;
        each_output(view, |output| {
            let id = output.id.to_string();
            if !copied.lost.contains(&id) && !copied.removed.contains(&id) {
                let found = self.to.read(&output.id)?;
                let hash = found.map(|(mut content, _)| sha256_of(&mut content));
                if !hash.is_some_and(|hash| hash.is_ok_and(|hash| hash == output.sha256)) {
                    return Err(missing(format!("output {}", output.id)));
                }
            }
            done += 1;
            progress(Step::Compare, done, all);
            Ok(())
        })
    }
}

/// Whether two notes are equal apart from their authors. In the target it may have been pinned or unpinned since.
fn is_same(one: &HomedNote, other: &HomedNote) -> bool {
    let anonymous = |note: &Note| Note {
        author: String::new(),
        ..note.clone()
    };
    one.home == other.home && anonymous(&one.note) == anonymous(&other.note)
}

fn each_session(store: &dyn Store, mut each: impl FnMut(SessionHead) -> Result<()>) -> Result<()> {
    let mut last = String::new();
    loop {
        let page = store.sessions_after(&last, PAGE)?;
        let Some(end) = page.last() else {
            return Ok(());
        };
        last = end.id.to_string();
        page.into_iter().try_for_each(&mut each)?;
    }
}

fn each_page_of_notes(
    store: &dyn Store,
    mut each: impl FnMut(Vec<HomedNote>) -> Result<()>,
) -> Result<()> {
    let mut last = NoteId(Millis::MIN);
    loop {
        let page = store.notes_after(last, PAGE)?;
        let Some(end) = page.last() else {
            return Ok(());
        };
        last = end.note.id;
        each(page)?;
    }
}

fn each_output(store: &dyn Store, mut each: impl FnMut(WholeOutput) -> Result<()>) -> Result<()> {
    let mut last = String::new();
    loop {
        let page = store.outputs_after(&last, PAGE)?;
        let Some(end) = page.last() else {
            return Ok(());
        };
        last = end.id.to_string();
        page.into_iter().try_for_each(&mut each)?;
    }
}
