//! Verbs on the sources of notes: the lines of files that a note speaks of.

use std::collections::HashMap;
use std::path::{Component, Path};
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::Scratchpad;
use crate::disk::files::read_small;
use crate::model::error::Result;
use crate::model::id::SessionId;
use crate::model::note::source::{
    JudgedSource, LineSpan, MAX_FILE_BYTES, Source, judge, named_lines, taken,
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

    /// Keeps the lines that a note names, as they are in the project's files now. `session` is the one that wrote it.
    pub(super) fn keep_sources(&self, session: Option<&SessionId>, note: &Note, was_changed: bool) {
        let Some(files) = self.files_of(session) else {
            return;
        };
        let spans = named_lines(&note.content);
        if spans.is_empty() && !was_changed {
            return;
        }
        let sources: Vec<Source> = spans.iter().filter_map(|span| files.taken(span)).collect();
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
            let Some(judged) = files.judged(source) else {
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
            .filter_map(|(id, source)| Some((id, files.judged(source)?)));
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
            .filter_map(|(id, source)| Some((id, files.judged(source)?)));
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
            project: Project {
                root: root.to_owned(),
            },
            read: HashMap::new(),
            deadline: None,
        }
    }

    fn taken(&self, span: &LineSpan) -> Option<Source> {
        let FileNow::Text(file) = self.look(&span.path) else {
            return None;
        };
        let branch = self.project.branch().unwrap_or_default();
        let commit = self.project.commit().unwrap_or_default();
        taken(span, &file, &branch, &commit)
    }

    /// What became of a source; `None` if there is no time left, or its file can't be looked at.
    fn judged(&mut self, source: Source) -> Option<JudgedSource> {
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return None;
        }
        let path = source.span.path.clone();
        let known = self.read.get(&path).cloned();
        let file = known.unwrap_or_else(|| self.look(&path));
        self.read.insert(path, file.clone());
        let verdict = match file {
            FileNow::Text(file) => judge(&source, Some(&file)),
            FileNow::Gone => judge(&source, None),
            FileNow::Unknown => return None,
        };
        Some(JudgedSource {
            span: source.span,
            verdict,
        })
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
