//! Verbs on projects: which there are, and knowing a repository again after it was moved.

use std::path::Path;

use super::Scratchpad;
use crate::model::context::known::{Kinship, KnownRepository, NOT_FOUND};
use crate::model::error::Result;
use crate::model::id::{Millis, ProjectId};
use crate::project::first_commit::first_commit;
use crate::project::{Project, Repository, mark_of, unique_name};
use crate::store::{MovedRows, ProjectHead, Projects};

/// How closely to look at a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// At files only: a hook must not wait for git.
    Quick,
    Thorough,
}

/// Where a process works, in the names of its store.
#[derive(Clone, Debug)]
pub struct Here {
    pub project: Project,
    /// The project's id.
    pub id: ProjectId,
    /// What is put in front of paths in ids: in a shared store, the machine.
    pub prefix: String,
    pub care: Care,
}

/// What became this project's because it is the same repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// What it was kept as.
    pub from: Vec<ProjectId>,
    pub moved: MovedRows,
}

impl Arrival {
    fn add(&mut self, from: ProjectId, moved: MovedRows) {
        if moved == MovedRows::default() {
            return;
        }
        self.moved.sessions += moved.sessions;
        self.moved.notes += moved.notes;
        self.moved.outputs += moved.outputs;
        self.from.push(from);
        self.from.sort();
    }
}

#[doc(hidden)]
impl Scratchpad {
    /// All projects that something is kept for, the last used first.
    pub fn projects(&self) -> Result<Vec<ProjectHead>> {
        self.store()?.projects()
    }

    /// The branch that is checked out here, and the linked worktree; empty if there is none.
    pub fn checkout(&self) -> (String, String) {
        let Some(root) = &self.root else {
            return (String::new(), String::new());
        };
        let project = Project::rooted(root);
        let worktree = project.worktree().map(unique_name);
        (
            project.branch().unwrap_or_default(),
            worktree.unwrap_or_default(),
        )
    }

    /// Names a project, or takes its name away.
    pub fn name_project(&self, project: &ProjectId, name: Option<&str>) -> Result<()> {
        self.store()?.name_project(project, name)
    }
}

/// Makes what was kept for this repository elsewhere this project's: before it was moved, or when each worktree was a
/// project. To be called when a store is opened; usually it finds nothing to do.
pub fn arrive(store: &dyn Projects, here: &Here, at: Millis) -> Result<Arrival> {
    let mut arrival = Arrival::default();
    let Some(repository) = here.project.repository() else {
        return Ok(arrival);
    };
    let Some(now) = here.recognize(store, repository, at, &mut arrival)? else {
        return Ok(arrival);
    };
    let former = here.project.former_ids();
    let former = former.iter().map(|id| here.local(id.as_str()));
    let former: Vec<ProjectId> = former.filter(|id| *id != here.id).collect();
    if former.is_empty() {
        return Ok(arrival);
    }
    let used = store.projects_in_use(&former)?;
    if used.is_empty() {
        return Ok(arrival);
    }
    let known = store.repositories()?;
    // Another repository may have been in the place of a worktree.
    let is_ours = |id: &ProjectId| {
        let mut others = known.iter().filter(|it| it.path != now.path);
        others.all(|it| it.project.as_ref() != Some(id) || now.is_clone(it))
    };
    for id in used.into_iter().filter(is_ours) {
        let moved = store.move_project(&id, &here.id)?;
        arrival.add(id, moved);
    }
    Ok(arrival)
}

impl Here {
    fn local(&self, path: &str) -> ProjectId {
        ProjectId::new(format!("{}{path}", self.prefix))
    }

    /// What the files say of a repository.
    fn look(&self, repository: &Repository) -> KnownRepository {
        KnownRepository {
            path: unique_name(&repository.shared),
            project: Some(self.local(&unique_name(&repository.home))),
            mark: repository.mark(),
            home_mark: repository.home_mark(),
            remote: repository.remote().unwrap_or_default(),
            first_commit: String::new(),
        }
    }

    /// Remembers the repository, and moves what was kept for it where it was before. `None` if what is there may be
    /// another one, and only git could tell.
    fn recognize(
        &self,
        store: &dyn Projects,
        repository: &Repository,
        at: Millis,
        arrival: &mut Arrival,
    ) -> Result<Option<KnownRepository>> {
        let mut now = self.look(repository);
        let before = store.repository(&now.path)?;
        if let Some(before) = before {
            if now.kinship(&before) == Kinship::Unknown {
                self.find_first_commit(&mut now);
            }
            match now.kinship(&before) {
                Kinship::Same => {
                    if now.first_commit.is_empty() {
                        now.first_commit.clone_from(&before.first_commit);
                    }
                    let was_unknown = now.first_commit.is_empty();
                    self.find_first_commit(&mut now);
                    if was_unknown && !now.first_commit.is_empty() {
                        take_over(store, &now, arrival)?;
                    }
                    if now != before {
                        store.put_repository(&now, at)?;
                    }
                    return Ok(Some(now));
                }
                Kinship::Unknown if self.care == Care::Quick => return Ok(None),
                Kinship::Unknown | Kinship::Different => set_aside(store, &before, at)?,
            }
        }
        self.find_first_commit(&mut now);
        take_over(store, &now, arrival)?;
        store.put_repository(&now, at)?;
        Ok(Some(now))
    }

    /// Asks git, if it was not asked before. A repository with a remote is known by that.
    fn find_first_commit(&self, now: &mut KnownRepository) {
        let is_needed = self.care == Care::Thorough
            && now.remote.is_empty()
            && now.first_commit.is_empty()
            && self.project.commit().is_some();
        if is_needed {
            let found = first_commit(Path::new(&now.path));
            now.first_commit = found.unwrap_or_else(|| NOT_FOUND.to_owned());
        }
    }
}

/// Moves what was kept for this repository at another path, if nothing is there any more.
fn take_over(store: &dyn Projects, now: &KnownRepository, arrival: &mut Arrival) -> Result<()> {
    let known = store.repositories()?;
    let others = || known.iter().filter(|it| it.path != now.path);
    let was_moved =
        |it: &&KnownRepository| now.is_moved(it) && mark_of(Path::new(&it.path)) != it.mark;
    let is_gone = |it: &&KnownRepository| now.is_clone(it) && !Path::new(&it.path).exists();
    let Some(before) = others().find(was_moved).or_else(|| others().find(is_gone)) else {
        return Ok(());
    };
    if let (Some(from), Some(into)) = (&before.project, &now.project) {
        let is_elsewhere = |id: &ProjectId| {
            let mut others = others().filter(|it| it.path != before.path);
            others.any(|it| it.project.as_ref() == Some(id) && Path::new(&it.path).exists())
        };
        move_with_parts(store, from, into, &is_elsewhere, arrival)?;
    }
    store.forget_repository(&before.path)
}

/// Gives what was kept for a repository another name, because another repository is in its place now. It is found again
/// where the first one is now.
fn set_aside(store: &dyn Projects, before: &KnownRepository, at: Millis) -> Result<()> {
    let aside = |name: &str| format!("{name}#{}", before.mark);
    let known = KnownRepository {
        path: aside(&before.path),
        project: before
            .project
            .as_ref()
            .map(|id| ProjectId::new(aside(id.as_str()))),
        ..before.clone()
    };
    // First, so that it is found if the rest does not happen.
    store.put_repository(&known, at)?;
    if let (Some(from), Some(into)) = (&before.project, &known.project) {
        move_with_parts(store, from, into, &|_| false, &mut Arrival::default())?;
    }
    store.forget_repository(&before.path)
}

/// Moves a repository's project, and the projects in its subdirectories.
fn move_with_parts(
    store: &dyn Projects,
    from: &ProjectId,
    into: &ProjectId,
    is_left: &dyn Fn(&ProjectId) -> bool,
    arrival: &mut Arrival,
) -> Result<()> {
    for head in store.projects()? {
        let below = head.id.as_str().strip_prefix(from.as_str());
        let is_part = |below: &&str| below.is_empty() || below.starts_with(['/', '\\']);
        let Some(below) = below.filter(is_part) else {
            continue;
        };
        if is_left(&head.id) {
            continue;
        }
        let target = ProjectId::new(format!("{}{below}", into.as_str()));
        let moved = store.move_project(&head.id, &target)?;
        arrival.add(head.id, moved);
    }
    Ok(())
}
