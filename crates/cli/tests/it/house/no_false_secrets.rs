//! Nothing in ordinary code, documents, diffs, logs, lock files and JSON is taken for a secret.
//!
//! The corpus is at hand wherever this package was built: the sources of its dependencies and its own.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::ROOT;
use scratchpad::model::secrets::Detector;

/// How much is looked at, at least and at most.
const LEAST_BYTES: usize = 8 << 20;
const MOST_BYTES: usize = 24 << 20;
/// How much of one package: all of them matter alike.
const MOST_OF_ONE: usize = 256 << 10;

/// The directories of the dependencies' sources.
fn packages() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let registries = fs::read_dir(home.unwrap().join("registry/src"));
    let registries = registries.into_iter().flatten().flatten();
    let mut packages: Vec<PathBuf> = registries
        .flat_map(|registry| {
            fs::read_dir(registry.path())
                .into_iter()
                .flatten()
                .flatten()
        })
        .map(|package| package.path())
        .collect();
    packages.sort();
    packages
}

/// The texts of a package that somebody would read: its code and documents, but no test data, which may be keys.
fn texts(directory: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            if ![
                "tests",
                "test",
                "testdata",
                "fuzz",
                "target",
                "node_modules",
                ".git",
            ]
            .contains(&name.as_str())
            {
                texts(&path, found);
            }
        } else if [
            "rs", "md", "toml", "json", "lock", "yml", "c", "h", "sh", "txt", "py", "js",
        ]
        .iter()
        .any(|end| path.extension().is_some_and(|extension| extension == *end))
        {
            found.push(path);
        }
    }
}

/// Lines as a service logs them, with ids, hashes and addresses.
fn log() -> String {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let lines: Vec<String> = (0..4_000)
        .map(|line| {
            let (a, b, c) = (next(), next(), next());
            format!(
                "2026-11-19T10:{:02}:{:02}Z INFO request_id={a:016x}{b:016x} trace={c:016x} user=u_{:08x} etag=\"{a:x}-{c:x}\" \
                 GET https://api.internal:8443/v1/items/{line}?cursor={b:x} 200 token_count={} sha256:{a:016x}{b:016x}{c:016x}{a:016x}\n",
                line / 60 % 60,
                line % 60,
                c >> 32,
                b % 4096
            )
        })
        .collect();
    lines.concat()
}

fn marks(detector: &Detector, what: &str, bytes: &[u8]) -> Vec<String> {
    let found = detector.find(bytes).into_iter();
    found
        .map(|secret| {
            let shown = String::from_utf8_lossy(&bytes[secret.at]).into_owned();
            format!("{what}: {} {shown}", secret.kind)
        })
        .collect()
}

#[test]
fn nothing_in_ordinary_code_diffs_logs_lock_files_and_json_is_taken_for_a_secret() {
    let detector = Detector::default();
    let mut wrong = marks(&detector, "log", log().as_bytes());
    let mut total = log().len();
    let root = Path::new(ROOT);
    for package in [packages(), vec![root.join("docs"), root.join("Cargo.lock")]].concat() {
        let mut files = Vec::new();
        if package.is_dir() {
            texts(&package, &mut files);
        } else {
            files.push(package);
        }
        let mut left = MOST_OF_ONE;
        for file in files {
            let bytes = fs::read(&file).unwrap();
            if bytes.len() > left || total > MOST_BYTES {
                continue;
            }
            left -= bytes.len();
            total += 2 * bytes.len();
            let name = file.display().to_string();
            wrong.extend(marks(&detector, &name, &bytes));
            // The same as a diff, and as a string in JSON.
            let text = String::from_utf8_lossy(&bytes);
            let diff: Vec<String> = text.lines().map(|line| format!("+{line}\n")).collect();
            let diff = diff.concat();
            wrong.extend(marks(
                &detector,
                &name,
                serde_json::Value::from(diff).to_string().as_bytes(),
            ));
        }
    }
    assert!(total > LEAST_BYTES, "only {total} bytes were at hand");
    assert!(
        wrong.is_empty(),
        "{} in {total} bytes:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
