//! Runs the console examples of the documents as they are written, and compares what they print.

use std::path::Path;
use std::process::Command;

use crate::support::Machine;

/// The text of each `console` block.
fn console_blocks(markdown: &str) -> Vec<&str> {
    markdown
        .split("```console\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect()
}

/// A block with what differs on each run put aside: the digits of notes' ids, and dates with their times.
fn steady(block: &str) -> String {
    let mut words = Vec::new();
    for word in block.split_inclusive([' ', '\n']) {
        let bare = word.trim_end();
        let is_digit = |char: char| char.is_ascii_digit();
        let is_id = bare
            .strip_prefix("note_")
            .is_some_and(|id| id.chars().all(is_digit));
        let is_time = matches!(bare.len(), 5 | 10)
            && bare.contains([':', '-'])
            && bare
                .chars()
                .all(|char| is_digit(char) || ":-".contains(char));
        if is_id || is_time {
            words.push(word.replace(is_digit, "0"));
        } else {
            words.push(word.to_owned());
        }
    }
    words.concat()
}

/// Runs every `$ ` line of a block in one shell session, and puts what it prints below it.
fn replayed(block: &str, machine: &Machine) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_scratchpad"));
    let path = format!("{}:/usr/bin:/bin", binary.parent().unwrap().display());
    block
        .lines()
        .filter_map(|line| line.strip_prefix("$ "))
        .map(|line| {
            let output = Command::new("bash")
                .args(["-c", line])
                .current_dir(machine.project())
                .env_clear()
                .env("PATH", &path)
                .env("SCRATCHPAD_HOME", machine.home())
                .output()
                .unwrap();
            // Where most people have it.
            let home = machine.home().display().to_string();
            let text = |bytes: &[u8]| {
                let text = String::from_utf8(bytes.to_vec()).unwrap();
                text.replace(
                    &format!("{home}/config.toml"),
                    "~/.config/scratchpad/config.toml",
                )
                .replace(&home, "~/.local/share/scratchpad")
                .replace(&machine.project().display().to_string(), "~/project")
                .replace(binary.to_str().unwrap(), "scratchpad")
            };
            format!("$ {line}\n{}{}", text(&output.stdout), text(&output.stderr))
        })
        .collect::<Vec<_>>()
        .concat()
}

#[test]
fn the_examples_print_what_the_documents_say() {
    let root = Path::new(crate::support::ROOT);
    let mut documents = vec![root.join("README.md")];
    documents.extend(
        std::fs::read_dir(root.join("docs"))
            .unwrap()
            .map(|entry| entry.unwrap().path()),
    );
    let mut blocks = 0;
    for document in documents
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
    {
        // The examples of one document go on where the one before stopped.
        let machine = Machine::new();
        let text = std::fs::read_to_string(document).unwrap();
        let mut now = text.clone();
        for block in console_blocks(&text) {
            let replayed = replayed(block, &machine);
            if steady(&replayed) != steady(block) {
                now = now.replacen(block, &replayed, 1);
            }
            blocks += 1;
        }
        // Rewritten on the same switch as the tests' snapshots.
        if std::env::var_os("SNAPSHOTS").is_some_and(|wish| wish == "overwrite") {
            std::fs::write(document, &now).unwrap();
        } else {
            assert_eq!(now, text, "{}", document.display());
        }
    }
    assert!(blocks >= 3, "only {blocks} examples were found");
}

/// The numbers that sell are those of the table, whatever `scripts/bench saved` finds next.
#[test]
fn the_readme_tells_what_was_measured() {
    let root = Path::new(crate::support::ROOT);
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let (readme, figures) = (read("README.md"), read("docs/benchmarks.md"));
    let row = |name: &str| figures.lines().find(|line| line.contains(name)).unwrap();
    let per_cent = |row: &str| -> Vec<String> {
        let parts = row.split('(').skip(1).map(|part| part.split(')').next());
        let shares = parts.flatten().filter(|part| part.ends_with(" %"));
        shares.map(str::to_owned).collect()
    };
    let all = per_cent(row("**all, and the list of tools"));
    for share in &all {
        assert!(readme.contains(&format!("**{share}**")), "{share}");
    }
    let worst = per_cent(row("| runbook.md |"));
    let worst = worst[0].trim_start_matches('−');
    assert!(readme.contains(&format!("cost {worst} more")), "{worst}");
    let replayed: serde_json::Value =
        serde_json::from_str(&read("crates/cli/benches/replay/questions.json")).unwrap();
    let of_each = replayed.as_array().unwrap().iter();
    let questions: usize = of_each
        .map(|it| it["questions"].as_array().unwrap().len())
        .sum();
    assert!(
        readme.contains(&format!("all {questions} were")),
        "{questions}"
    );

    // Of the servers, tools and tokens, and memory to the megabyte.
    for (name, unit) in [
        ("ours (static)", "9 MB"),
        ("server-memory", "100 MB"),
        ("context-mode", "87 MB"),
    ] {
        let cells: Vec<&str> = row(&format!("| {name} | ")).split(" | ").collect();
        let memory: f64 = cells[7].parse().unwrap();
        assert_eq!(format!("{memory:.0} MB"), unit, "{name}");
        let tokens: u32 = cells[9].trim_end_matches(" |").parse().unwrap();
        let tokens = scratchpad::model::text::quantity::grouped(u64::from(tokens));
        let told = format!("{}, {tokens} tokens*", cells[8]);
        assert!(readme.contains(&told), "{told}");
        assert!(readme.contains(&format!("{unit}*")), "{unit}");
    }
}
