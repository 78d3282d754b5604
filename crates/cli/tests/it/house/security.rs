//! docs/security.md names for each danger the file that checks it and the test that fails without the check.

use std::fs;
use std::path::{Path, PathBuf};

fn rust_files(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn every_file_and_test_that_the_page_on_security_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/security.md")).unwrap();
    let mut files = Vec::new();
    rust_files(&root.join("crates"), &mut files);
    let (_, boundaries) = page.split_once("## Boundaries").unwrap();
    let (boundaries, _) = boundaries.split_once("## Fuzzing").unwrap();
    let sources: Vec<String> = files
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    let (mut missing, mut found) = (Vec::new(), 0);
    // Every second part is between backticks.
    for name in boundaries.split('`').skip(1).step_by(2) {
        let is_test = name.matches('_').count() > 1
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let is_there = if is_test {
            let function = format!("fn {name}(");
            sources.iter().any(|source| source.contains(&function))
        } else if name.contains('/') && Path::new(name).extension().is_some_and(|it| it == "rs") {
            let of_source = Path::new("src").join(name);
            root.join(name).is_file() || files.iter().any(|file| file.ends_with(&of_source))
        } else {
            continue;
        };
        found += 1;
        if !is_there {
            missing.push(name);
        }
    }
    assert!(found > 50, "{found}");
    assert!(missing.is_empty(), "{missing:?}");
}
