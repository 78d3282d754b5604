//! Finds the project: the directory tree an agent works in.

pub mod first_commit;
mod repository;

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crate::disk::files;
use crate::disk::files::followed;
use crate::disk::private;
use crate::disk::private::cannot;
use crate::disk::replace::replace_private;
use crate::model::context::repository as naming;
use crate::model::error::{Error, Result};
use crate::model::id::ProjectId;
use crate::model::text::hash::sha256_hex;
use crate::model::text::message::message;
pub use repository::{Repository, checked_out, git_directories, mark_of};

/// The largest git configuration that is read.
const MAX_GIT_BYTES: usize = 1 << 20;

/// The directory that marks a project's root.
pub const DIRECTORY: &str = ".scratchpad";

/// What else marks the root of a repository.
const OTHER_VERSION_CONTROL: [&str; 4] = [".hg", ".jj", ".svn", ".pijul"];

const GIT: &str = ".git";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    pub root: PathBuf,
    /// The git repository that it is in.
    repository: Option<Repository>,
}

/// What decides which directories mark a project.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// The person's home directory. Neither it nor what is above it marks a project for what is below.
    pub home: Option<PathBuf>,
    /// Our own directories, which may be named like a mark.
    pub not_marks: Vec<PathBuf>,
}

impl Project {
    /// The project that a directory is in: the nearest ancestor that has `.scratchpad/` or is the root of a repository,
    /// else the directory itself.
    ///
    /// Marks of other users are ignored: anyone can write in `/tmp`.
    pub fn containing(directory: &Path, marks: &Marks) -> Result<Self> {
        let directory = resolved(directory)?;
        let owners = Owners::of(&directory);
        let home = marks.home.as_deref();
        // It may be reached through a link, as the directory may.
        let home = home.map(|home| home.canonicalize().unwrap_or_else(|_| home.to_owned()));
        let above = || {
            let counts = |at: &&Path| !home.as_ref().is_some_and(|home| home.starts_with(at));
            directory.ancestors().take_while(counts)
        };
        let (mut root, mut repository) = (None, None);
        for at in above() {
            if let Some(mark) = owners.mark_git(at) {
                root = root.or(Some(at));
                repository = Repository::of_tree(at, &mark);
                break;
            }
            // The top of the repository may still be above.
            if root.is_none() && (owners.mark(at, marks) || owners.mark_other(at)) {
                root = Some(at);
            }
        }
        if root.is_none() {
            repository = above().find_map(Repository::bare);
        }
        let bare = repository.as_ref().map(|bare| bare.top.as_path());
        Ok(Self {
            root: root.or(bare).unwrap_or(&directory).to_owned(),
            repository,
        })
    }

    /// The project that this directory was in by the rule of versions up to 0.1, if it was another one: `.scratchpad/`
    /// above a repository won, and the home directory counted.
    pub fn formerly_containing(&self, directory: &Path, marks: &Marks) -> Result<Option<Self>> {
        let directory = resolved(directory)?;
        let owners = Owners::of(&directory);
        let mut above = directory.ancestors();
        let root = above
            .find(|at| owners.mark(at, marks))
            .or_else(|| directory.ancestors().find(|at| owners.mark_repository(at)))
            .unwrap_or(&directory);
        Ok((root != self.root).then(|| Self::rooted(root)))
    }

    /// The project with exactly this root.
    pub fn at(root: &Path) -> Result<Self> {
        Ok(Self::rooted(&resolved(root)?))
    }

    /// The same for a path without links.
    pub fn rooted(root: &Path) -> Self {
        let owners = Owners::of(root);
        let mut marks = root
            .ancestors()
            .filter_map(|at| Some((at, owners.mark_git(at)?)));
        let repository = match marks.next() {
            Some((top, mark)) => Repository::of_tree(top, &mark),
            None => Repository::bare(root),
        };
        Self {
            root: root.to_owned(),
            repository,
        }
    }

    /// The git repository that it is in.
    pub fn repository(&self) -> Option<&Repository> {
        self.repository.as_ref()
    }

    /// Where it is, whichever worktree of its repository we are in.
    fn place(&self) -> PathBuf {
        self.repository()
            .map_or_else(|| self.root.clone(), |it| self.within(&it.home))
    }

    /// The same directory in another working tree of its repository.
    fn within(&self, tree: &Path) -> PathBuf {
        let top = self.repository.as_ref().map(|it| it.top.as_path());
        match top.map(|top| self.root.strip_prefix(top)) {
            Some(Ok(below)) if !below.as_os_str().is_empty() => tree.join(below),
            Some(Ok(_)) => tree.to_owned(),
            _ => self.root.clone(),
        }
    }

    /// Its id in a store on this machine: where its repository is, so that all worktrees are one project.
    pub fn id(&self) -> ProjectId {
        ProjectId::new(unique_name(&self.place()))
    }

    /// The ids by which versions that kept worktrees apart knew this project in each of them.
    pub fn former_ids(&self) -> Vec<ProjectId> {
        let mut trees = vec![self.root.clone()];
        if let Some(repository) = self.repository() {
            let others = repository.worktrees().into_iter();
            trees.extend(others.map(|tree| self.within(&tree)));
            // Next to a bare repository, or where it is itself.
            trees.push(self.within(&repository.home));
        }
        let mut ids: Vec<ProjectId> = trees
            .iter()
            .map(|it| ProjectId::new(unique_name(it)))
            .collect();
        ids.sort();
        ids.dedup();
        ids
    }

    /// The linked worktree that this is; `None` in the main working tree.
    pub fn worktree(&self) -> Option<&Path> {
        let repository = self.repository()?;
        (repository.home != repository.top).then_some(&repository.top)
    }

    /// The same project where its context notes are kept: in the main working tree, if there is one.
    #[must_use]
    pub fn with_context(&self) -> Self {
        match &self.repository {
            Some(found) if found.has_tree() && found.home != found.top => Self {
                root: self.within(&found.home),
                repository: Some(Repository {
                    top: found.home.clone(),
                    ..found.clone()
                }),
            },
            _ => self.clone(),
        }
    }

    /// Refuses a path that leads out of the project, or to git's own files, through a link, which an untrusted repository
    /// may contain.
    pub fn check_inside(&self, path: &Path) -> Result<()> {
        let meant = followed(path);
        files::check_not_git(path, &meant)?;
        if meant.starts_with(&self.root) {
            return Ok(());
        }
        Err(Error::refused(message!(
            "{path} leads outside the project, by a link to {meant}.",
            path = path.display().to_string(),
            meant = meant.display().to_string()
        ))
        .hint("replace the link with a file, if you want it there."))
    }

    /// Its id in a store that several machines share: its repository, so that clones are one project, else the machine
    /// and the path.
    ///
    /// Reads two files (four in a worktree) and doesn't run git.
    pub fn shared_id(&self, machine: &str) -> ProjectId {
        ProjectId::new(
            self.remote()
                .unwrap_or_else(|| format!("{machine}:{}", unique_name(&self.place()))),
        )
    }

    /// `host/path`, with `//` and the path within the repository appended if the project is a subdirectory.
    fn remote(&self) -> Option<String> {
        let top = self.root.ancestors().find(|at| at.join(".git").exists())?;
        let (_, shared) = git_directories(&top.join(".git"));
        let config = files::read_small_text(&shared.join("config"), MAX_GIT_BYTES).ok()??;
        let repository = naming::repository(&naming::origin(&config)?)?;
        let below = self.root.strip_prefix(top).ok()?;
        let below: Option<Vec<&str>> = below.iter().map(|part| part.to_str()).collect();
        match below?.join("/").as_str() {
            "" => Some(repository),
            below => Some(format!("{repository}//{below}")),
        }
    }

    /// Creates the project's `.scratchpad/` if it is missing, with a `.gitignore` for private files.
    pub fn make_directory(&self) -> Result<()> {
        let directory = self.root.join(DIRECTORY);
        self.check_inside(&directory)?;
        private::create_dir(&directory).map_err(|error| {
            error.hint("move away what is there, or create the directory yourself.")
        })?;
        let ignore = directory.join(".gitignore");
        if ignore.exists() {
            return Ok(());
        }
        replace_private(
            &ignore,
            b"# Private notes stay out of git; settings, packs and profiles may be shared.\n*\n!config.toml\n!packs/\n!packs/**\n!profiles/\n!profiles/*\n",
        )
    }

    /// Why nothing in `.scratchpad/` can be read, if this user may not.
    pub fn unreadable(&self) -> Option<Error> {
        let failure = std::fs::metadata(self.config_file()).err()?;
        let is_denied = failure.kind() == std::io::ErrorKind::PermissionDenied;
        let directory = self.root.join(DIRECTORY);
        is_denied.then(|| {
            cannot("read", &directory, &failure)
                .and("The project's settings, packs and context notes are ignored.")
                .hint("make it yours with `chown` and `chmod`, or move it away.")
        })
    }

    /// The nearest `.scratchpad/` above that is ignored because it belongs to another user.
    pub fn mark_of_others(&self) -> Option<PathBuf> {
        let owners = Owners::of(&self.root);
        let mut marks = self.root.ancestors().map(|it| it.join(DIRECTORY));
        marks.find(|mark| mark.is_dir() && !owners.trust(mark))
    }

    /// The branch that is checked out in its repository, read from one file (two in a worktree) without running git.
    pub fn branch(&self) -> Option<String> {
        let top = self.root.ancestors().find(|at| at.join(".git").exists())?;
        let (own, _) = git_directories(&top.join(".git"));
        checked_out(&own)
    }

    /// The commit that is checked out, read from a few files without running git.
    pub fn commit(&self) -> Option<String> {
        let top = self.root.ancestors().find(|at| at.join(".git").exists())?;
        let (own, shared) = git_directories(&top.join(".git"));
        let text = |path: &Path| files::read_small_text(path, MAX_GIT_BYTES).ok().flatten();
        let head = text(&own.join("HEAD"))?;
        let Some(name) = head.trim().strip_prefix("ref: ") else {
            return Some(head.trim().to_owned());
        };
        let loose = || Some(text(&shared.join(name))?.trim().to_owned());
        let packed = || {
            let packed = text(&shared.join("packed-refs"))?;
            let line = packed
                .lines()
                .find(|line| line.ends_with(&format!(" {name}")))?;
            Some(line.split(' ').next()?.to_owned())
        };
        loose().or_else(packed)
    }

    pub fn config_file(&self) -> PathBuf {
        self.root.join(DIRECTORY).join("config.toml")
    }
}

/// The users whose marks are trusted: this user, root, and the owner of the working directory.
struct Owners(Vec<u32>);

#[cfg(unix)]
impl Owners {
    fn of(directory: &Path) -> Self {
        let me = rustix::process::geteuid().as_raw();
        Self(
            [Some(me), Some(0), owner(directory)]
                .into_iter()
                .flatten()
                .collect(),
        )
    }

    fn trust(&self, mark: &Path) -> bool {
        owner(mark).is_some_and(|owner| self.0.contains(&owner))
    }

    fn trust_owner(&self, found: &Metadata) -> bool {
        self.0.contains(&std::os::unix::fs::MetadataExt::uid(found))
    }
}

/// The owner of a path; a link is not followed.
#[cfg(unix)]
fn owner(path: &Path) -> Option<u32> {
    let found = std::fs::symlink_metadata(path).ok()?;
    Some(std::os::unix::fs::MetadataExt::uid(&found))
}

#[cfg(not(unix))]
impl Owners {
    fn of(_: &Path) -> Self {
        Self(Vec::new())
    }

    fn trust(&self, _: &Path) -> bool {
        self.0.is_empty()
    }

    fn trust_owner(&self, _: &Metadata) -> bool {
        self.0.is_empty()
    }
}

impl Owners {
    /// Whether a directory has a `.scratchpad/` that counts.
    fn mark(&self, directory: &Path, marks: &Marks) -> bool {
        let mark = directory.join(DIRECTORY);
        mark.is_dir() && !marks.not_marks.contains(&mark) && self.trust(&mark)
    }

    /// What marks a directory as the top of a git working tree.
    fn mark_git(&self, directory: &Path) -> Option<Metadata> {
        let mark = directory.join(GIT);
        let found = std::fs::symlink_metadata(&mark).ok()?;
        let leads_somewhere = !found.is_symlink() || mark.exists();
        (leads_somewhere && self.trust_owner(&found)).then_some(found)
    }

    /// Whether a directory is the root of a repository of another system.
    fn mark_other(&self, directory: &Path) -> bool {
        let mut names = OTHER_VERSION_CONTROL
            .iter()
            .map(|name| directory.join(name));
        names.any(|mark| mark.exists() && self.trust(&mark))
    }

    /// Whether a directory is the root of a repository, a worktree or a submodule.
    fn mark_repository(&self, directory: &Path) -> bool {
        self.mark_git(directory).is_some() || self.mark_other(directory)
    }
}

/// A path as text. A hash of the bytes is appended if it is not UTF-8: two such paths may look the same.
pub fn unique_name(path: &Path) -> String {
    match path.to_str() {
        Some(name) => name.to_owned(),
        None => format!(
            "{}#{}",
            path.display(),
            sha256_hex(path.as_os_str().as_encoded_bytes())
        ),
    }
}

fn resolved(directory: &Path) -> Result<PathBuf> {
    let path = std::fs::canonicalize(directory)
        .map_err(|error| cannot("find the directory", directory, &error))?;
    if path.is_dir() {
        return Ok(path);
    }
    let error = std::io::Error::new(
        std::io::ErrorKind::NotADirectory,
        "it is a file, not a directory",
    );
    Err(cannot("use the directory", directory, &error))
}

#[cfg(test)]
mod tests;
