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
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
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
            now = now.replacen(block, &replayed(block, &machine), 1);
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
