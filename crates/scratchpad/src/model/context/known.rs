//! Which repository that was seen before one is: the rule, given what is known of both.

use crate::model::id::ProjectId;

/// What a store remembers of a repository on this machine. What is not known is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownRepository {
    /// Git's common directory.
    pub path: String,
    pub project: Option<ProjectId>,
    /// What identifies that directory on its file system, wherever it is moved to.
    pub mark: String,
    /// The same of the directory that names the repository.
    pub home_mark: String,
    pub remote: String,
    pub first_commit: String,
}

/// What two repositories have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinship {
    /// They are one directory, or clones of one repository.
    Same,
    Different,
    /// Nothing is known of both that could be compared.
    Unknown,
}

impl KnownRepository {
    /// Whether this directory is that one, moved: other directories don't have its mark.
    pub fn is_moved(&self, from: &Self) -> bool {
        is_equal(&self.mark, &from.mark)
    }

    /// Whether this is a copy or a clone of that one, as its remote or its first commit says.
    pub fn is_clone(&self, of: &Self) -> bool {
        self.kinship_of_contents(of) == Kinship::Same
    }

    /// What is in a directory now, compared with what was there.
    ///
    /// A repository that was made again in its directory is the same one, whatever is in it.
    pub fn kinship(&self, before: &Self) -> Kinship {
        let is_there = is_equal(&self.mark, &before.mark)
            || is_equal(&self.home_mark, &before.home_mark)
            || self.mark.is_empty()
            || before.mark.is_empty();
        if is_there {
            return Kinship::Same;
        }
        self.kinship_of_contents(before)
    }

    /// By the remote if both have one, else by the first commit if that of both is known.
    fn kinship_of_contents(&self, other: &Self) -> Kinship {
        let facts = [
            (&self.remote, &other.remote),
            (&self.first_commit, &other.first_commit),
        ];
        let known = facts
            .into_iter()
            .filter(|(a, b)| is_known(a) && is_known(b));
        let equal: Vec<bool> = known.map(|(a, b)| a == b).collect();
        match equal.as_slice() {
            [] => Kinship::Unknown,
            equal if equal.contains(&true) => Kinship::Same,
            _ => Kinship::Different,
        }
    }
}

/// The first commit of a repository in which it can't be found, so that it is not looked for each time.
pub const NOT_FOUND: &str = "-";

fn is_known(fact: &str) -> bool {
    !fact.is_empty() && fact != NOT_FOUND
}

fn is_equal(one: &str, other: &str) -> bool {
    !one.is_empty() && one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(mark: &str, home_mark: &str, remote: &str, first: &str) -> KnownRepository {
        KnownRepository {
            mark: mark.to_owned(),
            home_mark: home_mark.to_owned(),
            remote: remote.to_owned(),
            first_commit: first.to_owned(),
            ..KnownRepository::default()
        }
    }

    #[test]
    fn what_is_in_a_directory_now_is_compared_by_directory_then_by_contents() {
        let before = repository("1", "2", "host/a", "abc");
        for (now, expected) in [
            (repository("1", "9", "host/b", "xyz"), Kinship::Same),
            // `.git` was made again.
            (repository("9", "2", "", ""), Kinship::Same),
            // A new clone, or a backup.
            (repository("8", "9", "host/a", ""), Kinship::Same),
            (repository("8", "9", "", "abc"), Kinship::Same),
            // It has another remote now.
            (repository("8", "9", "host/b", "abc"), Kinship::Same),
            (repository("8", "9", "host/b", ""), Kinship::Different),
            (repository("8", "9", "host/b", "xyz"), Kinship::Different),
            (repository("8", "9", "", ""), Kinship::Unknown),
            // The file system does not tell.
            (repository("", "", "host/b", ""), Kinship::Same),
        ] {
            assert_eq!(now.kinship(&before), expected, "{now:?}");
        }
    }

    #[test]
    fn a_directory_without_a_mark_was_not_moved_from_another_without() {
        let unknown = repository("", "", "", "");
        assert!(!unknown.is_moved(&unknown));
        assert!(!unknown.is_clone(&unknown));
    }
}
