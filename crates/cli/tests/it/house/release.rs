//! What a release is made of says the same everywhere. Whether it works is tried by scripts/check-release.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Machine, ROOT};

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// The quoted value of the first line that begins with this.
fn quoted<'a>(file: &'a str, beginning: &str) -> &'a str {
    let line = file.lines().find(|line| line.starts_with(beginning));
    line.and_then(|line| line.split('"').nth(1)).unwrap()
}

/// The account under which all of it is published: the one of the repository in Cargo.toml.
fn owner(manifest: &str) -> &str {
    let address = quoted(manifest, "repository = ");
    let rest = address.strip_prefix("https://github.com/").unwrap();
    rest.strip_suffix("/scratchpad").unwrap()
}

fn targets() -> Vec<Value> {
    let targets = json("packaging/targets.json");
    targets.as_array().unwrap().clone()
}

#[test]
fn one_version_stands_everywhere() {
    let manifest = read("Cargo.toml");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(quoted(&manifest, "version = "), version);
    let library = manifest
        .lines()
        .find(|line| line.starts_with("scratchpad-memory = "));
    let ours = format!("version = \"{version}\"");
    assert!(library.unwrap().contains(&ours), "{library:?}");

    let server = json("server.json");
    assert_eq!(server["version"], version);
    assert_eq!(server["packages"][0]["version"], version);
    let image = text(&server["packages"][1]["identifier"]);
    assert_eq!(image.rsplit(':').next(), Some(version));
    let launcher = json("npm/scratchpad-mcp/package.json");
    assert_eq!(launcher["version"], version);
    for (name, of_platform) in launcher["optionalDependencies"].as_object().unwrap() {
        assert_eq!(of_platform, version, "{name}");
    }
    assert_eq!(json("npm/platform.json")["version"], version);

    let changelog = read("CHANGELOG.md");
    let newest = changelog.lines().find_map(|line| line.strip_prefix("## "));
    let newest = newest.unwrap();
    assert!(
        newest == "Unreleased" || newest.split_whitespace().next() == Some(version),
        "{newest}"
    );
}

#[test]
fn one_owner_and_one_name_stand_everywhere() {
    let manifest = read("Cargo.toml");
    let owner = owner(&manifest);
    let name = format!("io.github.{owner}/scratchpad");
    let repository = format!("https://github.com/{owner}/scratchpad");
    let server = json("server.json");
    assert_eq!(server["name"], name);
    assert_eq!(server["repository"]["url"], repository);
    let image = text(&server["packages"][1]["identifier"]);
    let lower = owner.to_lowercase();
    assert!(
        image.starts_with(&format!("ghcr.io/{lower}/scratchpad-mcp:")),
        "{image}"
    );
    assert!(read("compose.yaml").contains(&format!("image: {image}\n")));
    assert_eq!(json("npm/scratchpad-mcp/package.json")["mcpName"], name);
    for path in ["npm/scratchpad-mcp/package.json", "npm/platform.json"] {
        let address = &json(path)["repository"]["url"];
        assert_eq!(address, &format!("git+{repository}.git"), "{path}");
    }
    let dockerfile = read("Dockerfile");
    assert!(
        dockerfile.contains(&format!("server.name=\"{name}\"")),
        "{dockerfile}"
    );

    // Nobody else's account, in whatever else has an address of this repository.
    let documents = fs::read_dir(Path::new(ROOT).join("docs")).unwrap();
    let documents = documents.map(|entry| format!("docs/{}", entry.unwrap().file_name().display()));
    let documents =
        documents.filter(|path| Path::new(path).extension().is_some_and(|end| end == "md"));
    let others = [
        "README.md",
        "Dockerfile",
        "compose.yaml",
        "packaging/homebrew/scratchpad.rb.in",
    ];
    for path in documents.chain(others.map(str::to_owned)) {
        let text = read(&path);
        for (at, address) in text.match_indices("https://github.com/") {
            let rest = &text[at + address.len()..];
            let mut parts = rest.split(['/', '"', ')', '`', '\n', ' ']);
            let (account, place) = (parts.next().unwrap(), parts.next().unwrap());
            if place == "scratchpad" {
                assert_eq!(account, owner, "{path}");
            }
        }
        for (at, beginning) in text.match_indices("io.github.") {
            let rest = &text[at + beginning.len()..];
            assert!(rest.starts_with(&format!("{owner}/scratchpad")), "{path}");
        }
    }
}

#[test]
fn each_target_is_built_packaged_and_found() {
    let of = |field: &str| -> Vec<String> {
        let values = targets();
        values
            .iter()
            .map(|it| text(&it[field]).to_owned())
            .collect()
    };
    let (names, systems, processors) = (of("target"), of("os"), of("cpu"));

    let workflow = read(".github/workflows/release.yml");
    let launcher = json("npm/scratchpad-mcp/package.json");
    let offered = launcher["optionalDependencies"].as_object().unwrap();
    assert_eq!(offered.len(), names.len());
    let formula = read("packaging/homebrew/scratchpad.rb.in");
    for ((name, system), processor) in names.iter().zip(&systems).zip(&processors) {
        let package = format!("scratchpad-mcp-{system}-{processor}");
        assert!(offered.contains_key(&package), "{package}");
        assert_eq!(
            formula.contains(&format!("@SHA256:{name}@")),
            system != "win32",
            "{name}"
        );
    }

    // The workflow takes its matrix from the same file, and names what it runs on nowhere else.
    assert!(workflow.contains("packaging/targets.json"), "{workflow}");

    // As scripts/package names the archives.
    let manifest = read("crates/cli/Cargo.toml");
    let address = "{ repo }/releases/download/v{ version }/{ name }-{ target }-v{ version }{ archive-suffix }";
    assert!(manifest.contains(&format!("pkg-url = \"{address}\"")));
    let script = read("scripts/package");
    assert!(script.contains("f\"{NAME}-{target['target']}-v{version()}\""));
}

/// Each file below a directory, by its path in it.
fn files(directory: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let below = path.strip_prefix(directory).unwrap().to_owned();
                found.insert(below, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn the_plugin_in_the_repository_is_what_the_program_writes() {
    let machine = Machine::new();
    let made = machine.project().join("plugin");
    let arguments = ["plugin", "--program", "scratchpad", "plugin"];
    machine.run(&arguments).ok();
    let root = Path::new(ROOT);
    let market = made.join(".claude-plugin/marketplace.json");
    // Hosts find the market at the root of the repository, and the plugin below it.
    let at_root = fs::read_to_string(&market)
        .unwrap()
        .replace("\"source\": \"./\"", "\"source\": \"./plugin\"");
    if std::env::var_os("SNAPSHOTS").is_some_and(|wish| wish == "overwrite") {
        fs::remove_dir_all(root.join("plugin")).ok();
        for (path, text) in files(&made) {
            let path = root.join("plugin").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(root.join(".claude-plugin")).unwrap();
        fs::write(root.join(".claude-plugin/marketplace.json"), &at_root).unwrap();
    }
    let hint = "write it again: SNAPSHOTS=overwrite cargo test --test it house::release";
    assert_eq!(read(".claude-plugin/marketplace.json"), at_root, "{hint}");
    let (ours, written) = (files(&root.join("plugin")), files(&made));
    let names = |of: &BTreeMap<PathBuf, String>| of.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(&ours), names(&written), "{hint}");
    for (path, text) in written {
        assert_eq!(ours[&path], text, "{}: {hint}", path.display());
    }
}
