//! The layers of ARCHITECTURE.md: data flows one way, what the library depends on, and how long a file may get.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::ROOT;

/// From the bottom up: a module may use itself and the layers below it, but not its neighbours.
type Layers = &'static [&'static [&'static str]];

const LIBRARY: Layers = &[
    &["model"],
    &["disk", "child"],
    &["project", "ancestry", "store"],
    &["scratchpad"],
    &["hosts"],
];

const MODEL: Layers = &[
    &["text"],
    &["error"],
    &["id"],
    &["json"],
    &["definition", "reply", "secrets"],
    &["pad", "note", "output"],
    &["tool"],
    &["session", "settings", "context", "transcript"],
    &["host"],
];

const PROGRAM: Layers = &[&["server"], &["mcp", "proxy", "web"], &["cli"]];

/// Known violations of the tables. The list only gets shorter: an entry that is no longer needed must be removed.
const KNOWN: &[(&str, &str)] = &[];

/// What an agent written in Rust must not have to compile.
const NOT_IN_THE_LIBRARY: &[&str] = &[
    "axum",
    "clap",
    "fluent-bundle",
    "fluent-syntax",
    "hyper",
    "rmcp",
    "rustls",
    "tokio",
    "tokio-postgres",
    "ureq",
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

/// The module that a file is: `model/pad/mod.rs` is `model`, `pad`.
fn module_of(below: &Path) -> Vec<String> {
    let mut module: Vec<String> = below
        .with_extension("")
        .iter()
        .map(|part| part.to_str().unwrap().to_owned())
        .collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    module
}

/// The paths of modules of the same crate that a source text names, from the crate's root, with their lines.
fn uses(module: &[String], source: &str) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let mut inline = 0;
    for (number, line) in (1..).zip(source.lines()) {
        // In a module within the file, `super` is the file.
        if line.ends_with('{') && (line.starts_with("mod ") || line.contains(") mod ")) {
            inline = 1;
        } else if line == "}" {
            inline = 0;
        }
        let code = line.split("//").next().unwrap_or_default();
        for path in code.split(|char: char| !char.is_alphanumeric() && !"_:{".contains(char)) {
            let parts: Vec<&str> = path.split("::").collect();
            let supers = parts.iter().take_while(|part| **part == "super").count();
            let start = match parts[0] {
                "crate" => Vec::new(),
                "super" if supers > inline => module[..module.len() + inline - supers].to_vec(),
                _ => continue,
            };
            let names: Vec<_> = parts.iter().skip(supers.max(1)).collect();
            // `pub(super)` names nothing.
            if names.is_empty() {
                continue;
            }
            found.push((
                number,
                start
                    .into_iter()
                    .chain(names.into_iter().map(|name| (*name).to_owned()))
                    .collect(),
            ));
        }
    }
    found
}

/// How far up a module is in its table; types in a parent's file belong to nobody.
fn level(layers: Layers, module: &str) -> Option<usize> {
    layers.iter().position(|layer| layer.contains(&module))
}

/// The imports in a crate that a table forbids, as (from, to, file), and the number of imports checked.
fn upward(
    source: &Path,
    below: &[&str],
    layers: Layers,
) -> (BTreeSet<(String, String, String)>, usize) {
    let mut found = BTreeSet::new();
    let mut checked = 0;
    for file in rust_files(
        &below
            .iter()
            .fold(source.to_owned(), |path, part| path.join(part)),
    ) {
        let relative = file.strip_prefix(source).unwrap();
        let module = module_of(relative);
        let Some(own) = module.get(below.len()).map(String::as_str) else {
            continue;
        };
        if below.is_empty() && matches!(own, "lib" | "main") {
            continue;
        }
        let own_level = level(layers, own)
            .unwrap_or_else(|| panic!("{}: {own} has no layer", relative.display()));
        for (line, path) in uses(&module, &fs::read_to_string(&file).unwrap()) {
            let inside = path.iter().zip(below).all(|(part, own)| part == own);
            let Some(other) = path.get(below.len()).filter(|_| inside) else {
                continue;
            };
            checked += 1;
            let place = format!("{}:{line}", relative.display());
            let other_level = level(layers, other).unwrap_or_else(|| {
                panic!("{place}: {other} has no layer: name what is needed by its own path")
            });
            if other != own && other_level >= own_level {
                found.insert((own.to_owned(), other.clone(), place));
            }
        }
    }
    (found, checked)
}

#[test]
fn no_module_imports_upwards() {
    let crates = Path::new(ROOT).join("crates");
    let (library, program) = (crates.join("scratchpad/src"), crates.join("cli/src"));
    let mut found = BTreeSet::new();
    for (source, below, layers) in [
        (&library, &[][..], LIBRARY),
        (&library, &["model"], MODEL),
        (&program, &[], PROGRAM),
    ] {
        let (upward, checked) = upward(source, below, layers);
        assert!(
            checked > 50,
            "only {checked} imports were found: does the test still see them?"
        );
        found.extend(upward);
    }
    let is_known = |from: &str, to: &str| KNOWN.contains(&(from, to));
    let unknown: Vec<_> = found
        .iter()
        .filter(|(from, to, _)| !is_known(from, to))
        .map(|(from, to, place)| format!("{place}: {from} uses {to}"))
        .collect();
    assert_eq!(unknown, [] as [String; 0]);
    let gone: Vec<_> = KNOWN
        .iter()
        .filter(|(from, to)| {
            !found
                .iter()
                .any(|(a, b, _)| (a, b) == (&(*from).to_owned(), &(*to).to_owned()))
        })
        .collect();
    assert!(
        gone.is_empty(),
        "no longer there, take them out of KNOWN: {gone:?}"
    );
}

#[test]
fn a_path_is_found_however_it_is_written() {
    let module = ["model", "pad", "action"].map(str::to_owned);
    let source = "\
use super::block::Block;
pub(super) use super::super::note::{Note, tool};
use crate::model::{error, id};
fn f() { crate::store::open(); } // crate::comment
mod tests {
    use super::super::revision;
    use super::*;
}
";
    let found: Vec<_> = uses(&module, source)
        .into_iter()
        .map(|(line, path)| format!("{line} {}", path.join("/")))
        .collect();
    assert_eq!(
        found,
        [
            "1 model/pad/block/Block",
            "2 model/note/{Note",
            "3 model/{error",
            "4 store/open",
            "6 model/pad/revision",
        ]
    );
}

#[test]
fn the_library_needs_no_server_no_terminal_and_no_network() {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--locked",
            "--package",
            "scratchpad-memory",
        ])
        .args([
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{lib} {p}",
        ])
        .current_dir(ROOT)
        .output()
        .unwrap();
    let tree = String::from_utf8(output.stdout).unwrap();
    let names: BTreeSet<&str> = tree
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(
        names.contains("rusqlite"),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let wrong: Vec<_> = NOT_IN_THE_LIBRARY
        .iter()
        .filter(|name| names.contains(**name))
        .collect();
    assert_eq!(wrong, [] as [&&str; 0]);
}

#[test]
fn no_file_is_too_long_to_keep_in_mind() {
    let root = Path::new(ROOT);
    let long: Vec<String> = ["crates", "fuzz/fuzz_targets"]
        .iter()
        .flat_map(|directory| rust_files(&root.join(directory)))
        .filter_map(|file| {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            (lines > MAX_LINES).then(|| format!("{}: {lines} lines", file.display()))
        })
        .collect();
    assert_eq!(long, [] as [String; 0]);
}
