//! Finds the project: the directory tree an agent works in.

use std::path::{Path, PathBuf};

use crate::disk::files;
use crate::disk::files::followed;
use crate::disk::private;
use crate::disk::private::cannot;
use crate::disk::replace::replace_private;
use crate::model::context::repository;
use crate::model::error::{Error, Result};
use crate::model::id::ProjectId;
use crate::model::text::hash::sha256_hex;
use crate::model::text::message::message;

/// The largest git configuration that is read.
const MAX_GIT_BYTES: usize = 1 << 20;

/// The directory that marks a project's root.
pub const DIRECTORY: &str = ".scratchpad";

/// What marks the root of a repository; in a git worktree `.git` is a file.
const VERSION_CONTROL: [&str; 5] = [".git", ".hg", ".jj", ".svn", ".pijul"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    pub root: PathBuf,
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
        let root = directory
            .ancestors()
            .take_while(|at| !home.as_ref().is_some_and(|home| home.starts_with(at)))
            .find(|at| owners.mark(at, marks) || owners.mark_repository(at));
        Ok(Self {
            root: root.unwrap_or(&directory).to_owned(),
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
        Ok((root != self.root).then(|| Self {
            root: root.to_owned(),
        }))
    }

    /// The project with exactly this root.
    pub fn at(root: &Path) -> Result<Self> {
        Ok(Self {
            root: resolved(root)?,
        })
    }

    /// Its id in a store on this machine.
    pub fn id(&self) -> ProjectId {
        ProjectId::new(unique_name(&self.root))
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
            self.repository()
                .unwrap_or_else(|| format!("{machine}:{}", unique_name(&self.root))),
        )
    }

    /// `host/path`, with `//` and the path within the repository appended if the project is a subdirectory.
    fn repository(&self) -> Option<String> {
        let top = self.root.ancestors().find(|at| at.join(".git").exists())?;
        let (_, shared) = git_directories(&top.join(".git"));
        let config = files::read_small_text(&shared.join("config"), MAX_GIT_BYTES).ok()??;
        let repository = repository::repository(&repository::origin(&config)?)?;
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
}

impl Owners {
    /// Whether a directory has a `.scratchpad/` that counts.
    fn mark(&self, directory: &Path, marks: &Marks) -> bool {
        let mark = directory.join(DIRECTORY);
        mark.is_dir() && !marks.not_marks.contains(&mark) && self.trust(&mark)
    }

    /// Whether a directory is the root of a repository, a worktree or a submodule.
    fn mark_repository(&self, directory: &Path) -> bool {
        let mut names = VERSION_CONTROL.iter().map(|name| directory.join(name));
        names.any(|mark| mark.exists() && self.trust(&mark))
    }
}

/// The directories behind a `.git`: that of this worktree, and the one that all worktrees share.
pub fn git_directories(mark: &Path) -> (PathBuf, PathBuf) {
    let text = |path: &Path| files::read_small_text(path, MAX_GIT_BYTES).ok().flatten();
    // In a worktree or submodule `.git` is a file that names the directory.
    let named = || {
        let text = text(mark)?;
        Some(
            mark.parent()?
                .join(text.trim().strip_prefix("gitdir:")?.trim()),
        )
    };
    let own = if mark.is_file() { named() } else { None };
    let own = own.unwrap_or_else(|| mark.to_owned());
    let shared = text(&own.join("commondir")).map(|path| own.join(path.trim()));
    (own.clone(), shared.unwrap_or(own))
}

/// The branch that is checked out in a git directory.
pub fn checked_out(git: &Path) -> Option<String> {
    let head = files::read_small_text(&git.join("HEAD"), MAX_GIT_BYTES).ok()??;
    let branch = head.trim().strip_prefix("ref: refs/heads/")?;
    // With git's reftable backend, `HEAD` contains this placeholder.
    (branch != ".invalid").then(|| branch.to_owned())
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
mod tests {
    use super::*;
    use std::fs::create_dir_all;

    /// The root that was found, and the one by the earlier rule where it differs, below `root`.
    fn found(root: &Path, at: &str, home: Option<&str>) -> (String, Option<String>) {
        let marks = Marks {
            home: home.map(|home| root.join(home)),
            not_marks: vec![root.join("data/.scratchpad")],
        };
        let below = |project: Project| {
            let below = project.root.strip_prefix(root).unwrap();
            below.display().to_string()
        };
        let at = root.join(at);
        let project = Project::containing(&at, &marks).unwrap();
        let former = project.formerly_containing(&at, &marks).unwrap();
        (below(project), former.map(below))
    }

    #[test]
    fn the_nearest_mark_counts_whatever_kind_it_is() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        let here = |root: &str| (root.to_owned(), None);
        for path in [
            "plain/deep",
            "repo/.git",
            "repo/a/b/c",
            "data/.scratchpad",
            "data/work",
        ] {
            create_dir_all(root.join(path)).unwrap();
        }
        assert_eq!(found(&root, "plain/deep", None), here("plain/deep"));
        assert_eq!(found(&root, "repo/a/b", None), here("repo"));
        assert_eq!(
            found(&root, "data/work", None),
            here("data/work"),
            "our own data marks no project"
        );

        create_dir_all(root.join("repo/a/.scratchpad")).unwrap();
        assert_eq!(found(&root, "repo/a/b", None), here("repo/a"));

        // A submodule or a worktree.
        std::fs::write(root.join("repo/a/b/.git"), "gitdir: elsewhere\n").unwrap();
        assert_eq!(
            found(&root, "repo/a/b/c", None),
            ("repo/a/b".to_owned(), Some("repo/a".to_owned()))
        );
    }

    #[test]
    fn the_home_directory_and_what_is_above_it_mark_only_themselves() {
        let outside = tempfile::tempdir().unwrap();
        let root = outside.path().canonicalize().unwrap();
        for path in [
            ".scratchpad",
            "ann/.scratchpad",
            "ann/repo/.git",
            "ann/sub",
            "srv/x",
        ] {
            create_dir_all(root.join(path)).unwrap();
        }
        let kept_in = |there: &str, project: &str| (project.to_owned(), Some(there.to_owned()));
        let ann = Some("ann");
        assert_eq!(found(&root, "ann", ann), ("ann".to_owned(), None));
        assert_eq!(found(&root, "ann/sub", ann), kept_in("ann", "ann/sub"));
        assert_eq!(found(&root, "ann/repo", ann), kept_in("ann", "ann/repo"));
        assert_eq!(found(&root, "srv/x", ann), kept_in("", "srv/x"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("ann", root.join("linked")).unwrap();
            assert_eq!(
                found(&root, "ann/sub", Some("linked")),
                kept_in("ann", "ann/sub")
            );
            assert_eq!(found(&root, "linked/sub", ann), kept_in("ann", "ann/sub"));
        }
    }

    #[test]
    #[cfg(unix)]
    fn what_somebody_else_put_above_marks_no_project() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        for mark in [DIRECTORY, ".git"] {
            create_dir_all(root.join(mark)).unwrap();
        }
        create_dir_all(root.join("mine")).unwrap();
        let mark = root.join(DIRECTORY);
        let owner = owner(&mark).unwrap();
        assert!(Owners(vec![owner]).trust(&mark));
        assert!(!Owners(vec![owner + 1]).trust(&mark));
        // Only root can change a file's owner.
        if std::os::unix::fs::chown(&mark, Some(owner + 1), None).is_err() {
            return;
        }
        std::os::unix::fs::chown(root.join(".git"), Some(owner + 1), None).unwrap();
        let found = |at: &str| {
            Project::containing(&root.join(at), &Marks::default())
                .unwrap()
                .root
        };
        assert_eq!(found("mine"), root.join("mine"));
        // The owner of the directory itself is trusted.
        std::os::unix::fs::chown(root.join("mine"), Some(owner + 1), None).unwrap();
        assert_eq!(found("mine"), root);
    }

    #[test]
    fn clones_and_worktrees_of_one_repository_share_a_name_and_its_parts_have_their_own() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        let write = |at: &str, text: &str| {
            let path = root.join(at);
            create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let name = |at: &str| {
            create_dir_all(root.join(at)).unwrap();
            let project = Project::at(&root.join(at)).unwrap();
            let id = project.shared_id("box").to_string();
            id.replace(root.to_str().unwrap(), "[ROOT]")
        };
        write(
            "one/.git/config",
            "[remote \"origin\"]\nurl = git@host:acme/shop.git\n",
        );
        write(
            "two/.git/config",
            "[remote \"origin\"]\nurl = https://ann:pw@host/acme/shop\n",
        );
        write("tree/.git", "gitdir: ../one/.git/worktrees/tree\n");
        write("one/.git/worktrees/tree/commondir", "../..\n");
        write("one/part/.git", "gitdir: ../.git/modules/part\n");
        write(
            "one/.git/modules/part/config",
            "[remote \"origin\"]\nurl = git@host:acme/part\n",
        );
        for clone in ["one", "two", "tree"] {
            assert_eq!(name(clone), "host/acme/shop");
        }
        assert_eq!(name("one/part"), "host/acme/part");
        assert_eq!(name("two/web/admin"), "host/acme/shop//web/admin");

        // Without a remote: the path on this machine.
        write("alone/.git/config", "[core]\n");
        write("broken/.git", "gitdir: nowhere\n");
        write(
            "local/.git/config",
            "[remote \"origin\"]\nurl = /srv/shop.git\n",
        );
        for place in ["alone", "broken", "local", "plain"] {
            assert_eq!(name(place), format!("box:[ROOT]/{place}"));
        }
    }
}
