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
