//! Facts about a project that its files give away cheaply, without running anything.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::disk::files::read_small_text;
use crate::model::context::instructions::{ProjectFacts, VersionControl};
use crate::model::context::toolchain;
use crate::model::context::toolchain::READ;
use crate::project::{Project, checked_out, git_directories};

/// The largest file that is read for a hint.
const MAX_BYTES: usize = 256 * 1024;
/// The maximum number of directory entries considered.
const MAX_NAMES: usize = 10_000;

/// The facts of a project. What can't be read is left out.
pub(super) fn project_facts(project: &Project) -> ProjectFacts {
    let root = &project.root;
    let names: Vec<String> = fs::read_dir(root)
        .map(|entries| {
            let names = entries.flatten().take(MAX_NAMES);
            names
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect()
        })
        .unwrap_or_default();
    let texts: BTreeMap<&str, String> = READ
        .iter()
        .filter(|name| names.iter().any(|other| other == *name))
        .filter_map(|name| Some((*name, read_hint(&root.join(name))?)))
        .collect();
    let name = root.file_name().unwrap_or(root.as_os_str());
    ProjectFacts {
        name: name.to_string_lossy().into_owned(),
        version_control: version_control(root),
        toolchain: toolchain::recognised(&names, &texts),
    }
}

fn read_hint(path: &Path) -> Option<String> {
    read_small_text(path, MAX_BYTES).ok().flatten()
}

/// The version control of the nearest ancestor that has one: a project may be part of a repository.
fn version_control(root: &Path) -> Option<VersionControl> {
    root.ancestors().find_map(|directory| {
        let has = |name: &str| directory.join(name).exists();
        if has(".jj") {
            return Some(only("jj"));
        }
        if has(".git") {
            return Some(git(&directory.join(".git")));
        }
        if has(".hg") {
            let branch = read_hint(&directory.join(".hg/branch"));
            return Some(VersionControl {
                branch: branch.map(|name| name.trim().to_owned()),
                ..only("hg")
            });
        }
        [(".svn", "svn"), (".pijul", "pijul")]
            .into_iter()
            .find(|(name, _)| has(name))
            .map(|(_, system)| only(system))
    })
}

fn only(system: &'static str) -> VersionControl {
    VersionControl {
        system,
        ..VersionControl::default()
    }
}

fn git(mark: &Path) -> VersionControl {
    let (own, shared) = git_directories(mark);
    VersionControl {
        system: "git",
        branch: checked_out(&own),
        remote: read_hint(&shared.join("config")).and_then(|config| remote(&config)),
    }
}

/// The name of the remote in a git configuration: `origin`, else the first.
fn remote(config: &str) -> Option<String> {
    let names: Vec<&str> = config
        .lines()
        .filter_map(|line| line.trim().strip_prefix("[remote \"")?.strip_suffix("\"]"))
        .collect();
    let origin = names.iter().find(|name| **name == "origin");
    origin.or(names.first()).map(|name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_knows_its_branch_and_the_shared_remote() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let main = root.join("main/.git");
        fs::create_dir_all(main.join("worktrees/side")).unwrap();
        fs::create_dir_all(root.join("side/deep")).unwrap();
        fs::write(main.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(
            main.join("config"),
            "[remote \"fork\"]\n\turl = x\n[remote \"origin\"]\n\turl = https://me:secret@host\n",
        )
        .unwrap();
        fs::write(main.join("worktrees/side/HEAD"), "ref: refs/heads/a/b\n").unwrap();
        fs::write(main.join("worktrees/side/commondir"), "../..\n").unwrap();
        fs::write(
            root.join("side/.git"),
            "gitdir: ../main/.git/worktrees/side\n",
        )
        .unwrap();
        let seen = |path: &str| {
            let control = version_control(&root.join(path)).unwrap();
            (control.branch.unwrap(), control.remote.unwrap())
        };
        fs::create_dir_all(root.join("table/.git")).unwrap();
        fs::write(root.join("table/.git/HEAD"), "ref: refs/heads/.invalid\n").unwrap();
        assert_eq!(version_control(&root.join("table")).unwrap().branch, None);
        assert_eq!(seen("main"), ("main".to_owned(), "origin".to_owned()));
        assert_eq!(seen("side/deep"), ("a/b".to_owned(), "origin".to_owned()));
    }
}
