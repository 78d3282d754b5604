//! Verbs on the sources of notes: the lines of files that a note speaks of.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Component, Path};
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::Scratchpad;
use crate::disk::files::read_small;
use crate::disk::tree::Tree;
use crate::model::error::Result;
use crate::model::id::SessionId;
use crate::model::note::source::{
    JudgedSource, LineSpan, MAX_FILE_BYTES, MAX_SOURCES, Source, Verdict, found_in, is_telling,
    judge, named_lines, no_lines, taken,
};
use crate::model::note::{Note, NoteId};
use crate::project::Project;
use crate::store::Scopes;

/// How much of an answer's time may go into looking at files.
const PATIENCE: Duration = Duration::from_millis(5);
/// How many notes of an answer have their sources looked at.
const MOST_NOTES: usize = 20;
/// How many sources of a project are looked at when a conversation starts.
const MOST_AT_START: usize = 500;

#[doc(hidden)]
impl Scratchpad {
    /// Sets the directory of the project, in which the sources of notes are looked for.
    #[must_use]
    pub fn with_root(mut self, root: impl AsRef<Path>) -> Self {
        self.root = Some(root.as_ref().into());
        self
    }

    /// These lines as they are in the project's files now; an error if one of them is not there.
    pub(super) fn taken_sources(
        &self,
        session: Option<&SessionId>,
        spans: &[LineSpan],
    ) -> Result<Vec<Source>> {
        if spans.is_empty() {
            return Ok(Vec::new());
        }
        let files = self.files_of(session);
        let take = |span: &LineSpan| {
            let taken = files.as_ref().and_then(|files| files.taken(span));
            taken.ok_or_else(|| no_lines(&span.name()))
        };
        spans.iter().map(take).collect()
    }

    /// Keeps these sources of a note, and the lines that its text names, as they are in the project's files now. `session` is
    /// the one that wrote it.
    pub(super) fn keep_sources(
        &self,
        session: Option<&SessionId>,
        note: &Note,
        given: Vec<Source>,
        was_changed: bool,
    ) {
        let mut spans = named_lines(&note.content);
        spans.retain(|span| !given.iter().any(|source| source.span == *span));
        let mut sources = given;
        if !spans.is_empty()
            && let Some(files) = self.files_of(session)
        {
            sources.extend(spans.iter().filter_map(|span| files.taken(span)));
        }
        sources.truncate(MAX_SOURCES);
        for source in &mut sources {
            source.text = self.cleaned(&source.text).0.into_owned();
        }
        if sources.is_empty() && !was_changed {
            return;
        }
        if let Ok(store) = self.store() {
            // The note is saved. An error here would have the agent save it again.
            let _ = store.put_sources(note.id, &sources);
        }
    }

    /// Adds to the notes of an answer what became of their sources, as far as time allows.
    pub(super) fn with_sources(&self, session: &SessionId, mut notes: Vec<Note>) -> Vec<Note> {
        let Some(mut files) = self.files_of(Some(session)) else {
            return notes;
        };
        let ids: Vec<NoteId> = notes.iter().take(MOST_NOTES).map(|note| note.id).collect();
        // Without them, the notes are as good as they were.
        let Ok(sources) = self.store().and_then(|store| store.sources(&ids)) else {
            return notes;
        };
        files.deadline = Some(Instant::now() + PATIENCE);
        for (id, source) in sources {
            let Some(judged) = files.judged(&source) else {
                continue;
            };
            if let Some(note) = notes.iter_mut().find(|note| note.id == id) {
                note.sources.push(judged);
            }
        }
        notes
    }

    /// How many of the project's notes have a source that changed, as far as time allows.
    pub(super) fn changed_at_source(&self, scopes: Scopes<'_>) -> Result<usize> {
        let Some(mut files) = self.files_of(None) else {
            return Ok(0);
        };
        let sources = self.store()?.visible_sources(scopes, MOST_AT_START)?;
        files.deadline = Some(Instant::now() + PATIENCE);
        let judged = sources
            .into_iter()
            .filter_map(|(id, source)| Some((id, files.judged(&source)?)));
        let mut changed: Vec<NoteId> = judged
            .filter(|(_, judged)| judged.verdict.is_stale())
            .map(|(id, _)| id)
            .collect();
        changed.dedup();
        Ok(changed.len())
    }

    /// What became of every source of the notes that the session sees.
    pub fn check_sources(&self, session: &SessionId) -> Result<Vec<(NoteId, JudgedSource)>> {
        let Some(mut files) = self.files_of(Some(session)) else {
            return Ok(Vec::new());
        };
        let project = self.project_of(session)?;
        let scopes = Scopes {
            session,
            project: &project,
        };
        let sources = self.store()?.visible_sources(scopes, usize::MAX)?;
        let judged = sources
            .into_iter()
            .filter_map(|(id, source)| Some((id, files.judged(&source)?)));
        Ok(judged.collect())
    }

    /// The project's files; `None` if they are not here, or the session is of another project.
    fn files_of(&self, session: Option<&SessionId>) -> Option<ProjectFiles> {
        let root = self.root.as_deref()?;
        let is_here = session.is_none_or(|session| {
            self.project_of(session)
                .is_ok_and(|project| project == self.project)
        });
        is_here.then(|| ProjectFiles::new(root))
    }
}

/// The files of a project, each read once.
struct ProjectFiles {
    project: Project,
    read: HashMap<String, FileNow>,
    /// Listed once, if a file is gone.
    tree: Option<Tree>,
    /// The branch that is checked out, read once; empty if there is none.
    branch: OnceCell<String>,
    deadline: Option<Instant>,
}

#[derive(Clone)]
enum FileNow {
    Text(Rc<str>),
    Gone,
    /// It can't be looked at, which says nothing about its lines.
    Unknown,
}

impl ProjectFiles {
    fn new(root: &Path) -> Self {
        Self {
            project: Project::rooted(root),
            read: HashMap::new(),
            tree: None,
            branch: OnceCell::new(),
            deadline: None,
        }
    }

    fn taken(&self, span: &LineSpan) -> Option<Source> {
        let FileNow::Text(file) = self.look(&span.path) else {
            return None;
        };
        let branch = self
            .branch
            .get_or_init(|| self.project.branch().unwrap_or_default());
        let commit = self.project.commit().unwrap_or_default();
        taken(span, &file, branch, &commit)
    }

    /// What became of a source; `None` if there is no time left, or its file can't be looked at.
    fn judged(&mut self, source: &Source) -> Option<JudgedSource> {
        if self.is_late() {
            return None;
        }
        let (verdict, file) = match self.now(&source.span.path) {
            FileNow::Text(file) => (judge(source, Some(&file)), None),
            FileNow::Gone => match self.renamed(source) {
                Some((file, line)) => (Verdict::Moved(line), Some(file)),
                // Not all was looked at.
                None if self.is_late() => return None,
                None => (Verdict::Gone, None),
            },
            FileNow::Unknown => return None,
        };
        let branch = if verdict == Verdict::Same {
            ""
        } else {
            self.branch
                .get_or_init(|| self.project.branch().unwrap_or_default())
        };
        Some(JudgedSource::new(source, verdict, file, branch))
    }

    /// The file with the lines of one that is gone: it was moved, or has another name in the same directory.
    fn renamed(&mut self, source: &Source) -> Option<(String, usize)> {
        if !is_telling(source) {
            return None;
        }
        for path in self.tree().likely(&source.span.path) {
            if self.is_late() {
                return None;
            }
            if let FileNow::Text(file) = self.now(&path)
                && let Some(line) = found_in(source, &file)
            {
                return Some((path, line));
            }
        }
        None
    }

    fn tree(&mut self) -> &Tree {
        let (root, deadline) = (&self.project.root, self.deadline);
        self.tree.get_or_insert_with(|| Tree::below(root, deadline))
    }

    fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// A file as it is now, read once.
    fn now(&mut self, path: &str) -> FileNow {
        if let Some(known) = self.read.get(path) {
            return known.clone();
        }
        let file = self.look(path);
        self.read.insert(path.to_owned(), file.clone());
        file
    }

    fn look(&self, path: &str) -> FileNow {
        let is_above = Path::new(path)
            .components()
            .any(|part| part == Component::ParentDir);
        let path = self.project.root.join(path);
        if is_above || self.project.check_inside(&path).is_err() {
            return FileNow::Unknown;
        }
        match read_small(&path, MAX_FILE_BYTES) {
            Ok(Some(bytes)) => FileNow::Text(String::from_utf8_lossy(&bytes).into()),
            Ok(None) => FileNow::Gone,
            Err(_) => FileNow::Unknown,
        }
    }
}
