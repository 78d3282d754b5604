//! Holds what ARCHITECTURE.md promises: data flows one way, and no file grows beyond a mind.

use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up: a module may use those before it, and itself.
const LAYERS: [&[&str]; 5] = [
    &["model"],
    &["store", "project", "ancestry"],
    &["pad", "context"],
    &["mcp", "proxy"],
    &["cli"],
];

const MAX_LINES: usize = 500;

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    files
}

fn level(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// The top modules that a source text names through `crate::`, with their lines.
fn uses(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(source.lines()) {
        let code = line.split("//").next().unwrap_or_default();
        for rest in code.split("crate::").skip(1) {
            let name: String = rest
                .chars()
                .take_while(|char| char.is_alphanumeric() || *char == '_')
                .collect();
            found.push((number, name));
        }
    }
    found
}

#[test]
fn no_module_imports_upwards() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut upward = Vec::new();
    let mut checked = 0;
    for file in rust_files(&source) {
        let below = file.strip_prefix(&source).unwrap();
        let first = below.iter().next().unwrap().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        if matches!(module, "lib" | "main") {
            continue;
        }
        let own =
            level(module).unwrap_or_else(|| panic!("{module} has no layer: add it to LAYERS"));
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            !text.contains("super::super::"),
            "{}: name other modules from `crate::`, so that this test sees them",
            below.display()
        );
        for (line, name) in uses(&text) {
            // What the crate root exports again belongs to the layers below the command line.
            let other = match name.as_str() {
                "Scratchpad" => level("pad"),
                name => level(name),
            };
            let other = other.unwrap_or_else(|| {
                panic!("{}:{line}: crate::{name} has no layer", below.display())
            });
            checked += 1;
            if other > own
                || (other == own
                    && name != module
                    && name != "Scratchpad"
                    && !allowed_beside(module, &name))
            {
                upward.push(format!("{}:{line}: {module} uses {name}", below.display()));
            }
        }
    }
    assert!(
        checked > 50,
        "only {checked} imports were found: does the test still see them?"
    );
    assert_eq!(upward, [] as [String; 0]);
}

/// `project` reads directories with the store's file functions.
fn allowed_beside(module: &str, name: &str) -> bool {
    (module, name) == ("project", "store")
}

#[test]
fn no_file_is_longer_than_a_mind_can_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let long: Vec<String> = ["src", "tests", "benches"]
        .iter()
        .flat_map(|directory| rust_files(&root.join(directory)))
        .filter_map(|file| {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            (lines > MAX_LINES).then(|| format!("{}: {lines} lines", file.display()))
        })
        .collect();
    assert_eq!(long, [] as [String; 0]);
}
