//! What a project is built with, as far as its files show.

use std::collections::BTreeMap;

use serde_json::Value;

/// The files to read; of all others, only the name counts.
pub const READ: &[&str] = &[
    "package.json",
    "composer.json",
    "pyproject.toml",
    "Makefile",
    "justfile",
];

/// What a project is built with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toolchain {
    pub languages: Vec<&'static str>,
    /// Package managers included.
    pub build_tools: Vec<&'static str>,
    /// The command that runs the tests, if that is evident.
    pub test: Option<String>,
}

/// A file, and the language, build tool and test command that it indicates.
struct Mark(
    &'static str,
    &'static str,
    &'static str,
    Option<&'static str>,
);

/// A file name with a leading `*` is a suffix. An empty language or tool is none.
const MARKS: &[Mark] = &[
    Mark("Cargo.toml", "Rust", "cargo", Some("cargo test")),
    Mark("go.mod", "Go", "go", Some("go test ./...")),
    Mark("tsconfig.json", "TypeScript", "", None),
    Mark("deno.json", "TypeScript", "deno", Some("deno test")),
    Mark("pnpm-lock.yaml", "", "pnpm", None),
    Mark("yarn.lock", "", "yarn", None),
    Mark("bun.lock", "", "bun", None),
    Mark("package-lock.json", "", "npm", None),
    Mark("package.json", "JavaScript", "", None),
    Mark("uv.lock", "", "uv", None),
    Mark("poetry.lock", "", "poetry", None),
    Mark("pyproject.toml", "Python", "", None),
    Mark("setup.py", "Python", "", None),
    Mark("requirements.txt", "Python", "pip", None),
    Mark("pytest.ini", "Python", "", Some("pytest")),
    Mark("conftest.py", "Python", "", Some("pytest")),
    Mark("pom.xml", "Java", "maven", Some("mvn test")),
    Mark("gradlew", "", "gradle", Some("./gradlew test")),
    Mark("build.gradle", "Java", "gradle", Some("gradle test")),
    Mark("build.gradle.kts", "Kotlin", "gradle", Some("gradle test")),
    Mark("Gemfile", "Ruby", "bundler", None),
    Mark(".rspec", "Ruby", "", Some("bundle exec rspec")),
    Mark("composer.json", "PHP", "composer", None),
    Mark("mix.exs", "Elixir", "mix", Some("mix test")),
    Mark("Package.swift", "Swift", "swift", Some("swift test")),
    Mark("pubspec.yaml", "Dart", "pub", Some("dart test")),
    Mark("*.csproj", "C#", "dotnet", Some("dotnet test")),
    Mark("*.sln", "", "dotnet", Some("dotnet test")),
    Mark("CMakeLists.txt", "C or C++", "cmake", None),
    Mark("meson.build", "", "meson", Some("meson test")),
    Mark("Makefile", "", "make", None),
    Mark("justfile", "", "just", None),
    Mark("Dockerfile", "", "docker", None),
];

/// Recognises a toolchain by the file names in a project's root and the text of its files in [`READ`].
pub fn recognised(names: &[String], texts: &BTreeMap<&str, String>) -> Toolchain {
    let mut found = Toolchain::default();
    let is_there = |mark: &str| match mark.strip_prefix('*') {
        Some(ending) => names.iter().any(|name| name.ends_with(ending)),
        None => names.iter().any(|name| name == mark),
    };
    // The project's own `test` target wins over the default of its language.
    found.test = own_test(names, texts);
    for Mark(file, language, tool, test) in MARKS {
        if !is_there(file) {
            continue;
        }
        push_new(&mut found.languages, language);
        push_new(&mut found.build_tools, tool);
        if found.test.is_none() {
            found.test = test.map(str::to_owned);
        }
    }
    // TypeScript projects have a package.json too.
    if found.languages.contains(&"TypeScript") {
        found.languages.retain(|language| *language != "JavaScript");
    }
    found
}

fn push_new(list: &mut Vec<&'static str>, item: &'static str) {
    if !item.is_empty() && !list.contains(&item) {
        list.push(item);
    }
}

fn own_test(names: &[String], texts: &BTreeMap<&str, String>) -> Option<String> {
    let has = |name: &str| names.iter().any(|other| other == name);
    let text = |name: &str| texts.get(name).map_or("", String::as_str);
    let has_recipe = |name: &str| text(name).lines().any(|line| line.starts_with("test:"));
    if has_recipe("Makefile") {
        return Some("make test".to_owned());
    }
    if has_recipe("justfile") {
        return Some("just test".to_owned());
    }
    let script = |name: &str| {
        let file: Value = serde_json::from_str(text(name)).ok()?;
        let script = file.get("scripts")?.get("test")?.clone();
        // `npm init` writes this placeholder.
        let is_real = !script.to_string().contains("no test specified");
        is_real.then_some(())
    };
    if script("package.json").is_some() {
        let manager = [
            ("pnpm-lock.yaml", "pnpm"),
            ("yarn.lock", "yarn"),
            ("bun.lock", "bun run"),
        ];
        let manager = manager.into_iter().find(|(lock, _)| has(lock));
        return Some(format!("{} test", manager.map_or("npm", |(_, name)| name)));
    }
    if script("composer.json").is_some() {
        return Some("composer test".to_owned());
    }
    text("pyproject.toml").contains("[tool.pytest").then(|| {
        if has("uv.lock") {
            "uv run pytest"
        } else {
            "pytest"
        }
        .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(names: &[&str], texts: &[(&'static str, &str)]) -> String {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let texts = texts
            .iter()
            .map(|(name, text)| (*name, (*text).to_owned()))
            .collect();
        let Toolchain {
            languages,
            build_tools,
            test,
        } = recognised(&names, &texts);
        format!(
            "{}; {}; {}",
            languages.join(" "),
            build_tools.join(" "),
            test.unwrap_or_default()
        )
    }

    #[test]
    fn a_project_is_recognised_by_its_files() {
        assert_eq!(seen(&["Cargo.toml", "src"], &[]), "Rust; cargo; cargo test");
        assert_eq!(
            seen(
                &["Makefile", "go.mod"],
                &[("Makefile", "all:\ntest: all\n")]
            ),
            "Go; go make; make test"
        );
        assert_eq!(
            seen(
                &["package.json", "tsconfig.json", "pnpm-lock.yaml"],
                &[("package.json", r#"{"scripts":{"test":"vitest"}}"#)]
            ),
            "TypeScript; pnpm; pnpm test"
        );
        let none = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;
        assert_eq!(
            seen(&["package.json"], &[("package.json", none)]),
            "JavaScript; ; "
        );
        assert_eq!(
            seen(&["package.json"], &[("package.json", "not json")]),
            "JavaScript; ; "
        );
        assert_eq!(
            seen(
                &["pyproject.toml", "uv.lock"],
                &[("pyproject.toml", "[tool.pytest.ini_options]\n")]
            ),
            "Python; uv; uv run pytest"
        );
        assert_eq!(seen(&["a.csproj"], &[]), "C#; dotnet; dotnet test");
        assert_eq!(seen(&["README.md"], &[]), "; ; ");
    }
}
