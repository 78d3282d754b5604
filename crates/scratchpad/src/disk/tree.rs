//! The files below a directory, as far as there is time: to find one that was moved.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::Path;
use std::time::Instant;

/// How many entries are looked at.
const MAX_ENTRIES: usize = 50_000;
/// How many files are proposed.
const MAX_LIKELY: usize = 200;
/// Directories with what is built or fetched, and not written by anybody here.
const SKIPPED: [&str; 4] = ["node_modules", "target", "vendor", "__pycache__"];

/// The names of files, by their directory.
#[derive(Debug, Default)]
pub struct Tree {
    /// Relative to the root, with `/`; the root itself is empty.
    directories: BTreeMap<String, Vec<String>>,
}

impl Tree {
    /// Lists what is below a directory, level by level. Links and hidden directories are left out.
    pub fn below(root: &Path, deadline: Option<Instant>) -> Self {
        let mut tree = Self::default();
        let mut open = VecDeque::from([String::new()]);
        let mut left = MAX_ENTRIES;
        while let Some(directory) = open.pop_front() {
            let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if is_late || left == 0 {
                break;
            }
            let Ok(entries) = fs::read_dir(root.join(&directory)) else {
                continue;
            };
            let mut files = Vec::new();
            for entry in entries.flatten() {
                left = left.saturating_sub(1);
                let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string())
                else {
                    continue;
                };
                let is_skipped = name.starts_with('.') || SKIPPED.contains(&name.as_str());
                if kind.is_dir() && !is_skipped {
                    open.push_back(joined(&directory, &name));
                } else if kind.is_file() {
                    files.push(name);
                }
            }
            files.sort_unstable();
            tree.directories.insert(directory, files);
        }
        tree
    }

    /// The files that one that is gone may have become: those with its name elsewhere, the nearest first, and those with its
    /// extension in its directory.
    pub fn likely(&self, path: &str) -> Vec<String> {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let of_name = self.directories.iter().filter_map(|(other, files)| {
            let has_it = files.binary_search_by(|file| file.as_str().cmp(name));
            has_it.ok().map(|_| joined(other, name))
        });
        let mut likely: Vec<String> = of_name.collect();
        likely.sort_by_key(|other| std::cmp::Reverse(shared(path, other)));
        let extension = |name: &str| Path::new(name).extension().map(ToOwned::to_owned);
        let beside = self.directories.get(directory).into_iter().flatten();
        let beside = beside.filter(|file| extension(file) == extension(name));
        likely.extend(beside.map(|file| joined(directory, file)));
        likely.truncate(MAX_LIKELY);
        likely
    }
}

fn joined(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}

/// How many directories two paths have in common from the root.
fn shared(one: &str, other: &str) -> usize {
    let pairs = one.split('/').zip(other.split('/'));
    pairs.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_that_name_come_first_and_then_its_neighbours() {
        let root = tempfile::tempdir().unwrap();
        for path in [
            "src/a/new.rs",
            "src/b/old.rs",
            "old.rs",
            "src/a/x.md",
            "target/old.rs",
            ".git/old.rs",
        ] {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let tree = Tree::below(root.path(), None);
        assert_eq!(
            tree.likely("src/a/old.rs"),
            ["src/b/old.rs", "old.rs", "src/a/new.rs"]
        );
        assert_eq!(tree.likely("gone/other.py"), Vec::<String>::new());
        let late = Tree::below(root.path(), Some(Instant::now()));
        assert_eq!(late.likely("src/a/old.rs"), Vec::<String>::new());
    }
}
