//! Finds the project: the directory tree an agent works in.

use std::path::{Path, PathBuf};

use crate::disk::files;
use crate::disk::files::followed;
use crate::disk::private;
use crate::disk::private::cannot;
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

impl Project {
    /// The project that a directory is in: the nearest ancestor with `.scratchpad/`, else the nearest under version
    /// control, else the directory itself.
    ///
    /// Directories in `not_marks` are ignored, and so are marks of other users: anyone can write in `/tmp`.
    pub fn containing(directory: &Path, not_marks: &[PathBuf]) -> Result<Self> {
        let directory = resolved(directory)?;
        let owners = Owners::of(&directory);
        let is_mark =
            |path: PathBuf| path.is_dir() && !not_marks.contains(&path) && owners.trust(&path);
        let marked = directory
            .ancestors()
            .find(|ancestor| is_mark(ancestor.join(DIRECTORY)));
        let root = marked.or_else(|| {
            directory.ancestors().find(|ancestor| {
                VERSION_CONTROL.iter().any(|name| {
                    let mark = ancestor.join(name);
                    mark.exists() && owners.trust(&mark)
                })
            })
        });
        Ok(Self {
            root: root.unwrap_or(&directory).to_owned(),
        })
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

    /// Refuses a path that leads out of the project through a link, which an untrusted repository may contain.
    pub fn check_inside(&self, path: &Path) -> Result<()> {
        let meant = followed(path);
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
        private::replace(
            &ignore,
            b"# Private notes stay out of git; settings, packs and profiles may be shared.\n*\n!config.toml\n!packs/\n!packs/**\n!profiles/\n!profiles/*\n",
        )
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

    #[test]
    fn our_directory_goes_before_version_control_and_that_before_the_directory_itself() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        let found = |at: &str| {
            Project::containing(&root.join(at), &[root.join("data/.scratchpad")])
                .unwrap()
                .root
        };

        create_dir_all(root.join("plain/deep")).unwrap();
        assert_eq!(found("plain/deep"), root.join("plain/deep"));

        create_dir_all(root.join("repo/.git")).unwrap();
        create_dir_all(root.join("repo/a/b")).unwrap();
        assert_eq!(found("repo/a/b"), root.join("repo"));

        create_dir_all(root.join("repo/a/.scratchpad")).unwrap();
        assert_eq!(found("repo/a/b"), root.join("repo/a"));

        create_dir_all(root.join("data/.scratchpad")).unwrap();
        create_dir_all(root.join("data/work")).unwrap();
        assert_eq!(
            found("data/work"),
            root.join("data/work"),
            "our own data marks no project"
        );

        // A nearer repository doesn't hide a `.scratchpad/` further up.
        create_dir_all(root.join("repo/a/b/.git")).unwrap();
        assert_eq!(found("repo/a/b"), root.join("repo/a"));
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
        let found = |at: &str| Project::containing(&root.join(at), &[]).unwrap().root;
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
