//! A user with a home directory that contains hosts' files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Answer, Machine};

/// A machine whose user has a home, and a project on a branch of a repository.
pub fn machine() -> Machine {
    let machine = Machine::new();
    fs::create_dir_all(machine.home()).unwrap();
    fs::write(
        machine.project().join(".git/HEAD"),
        "ref: refs/heads/main\n",
    )
    .unwrap();
    machine
}

/// Runs the program as that user.
pub fn run(machine: &Machine, arguments: &[&str]) -> Answer {
    let mut command = machine.command(arguments);
    command.env("HOME", machine.home());
    machine.answer(command.output().unwrap())
}

/// A user with a home that contains hosts' files.
pub struct Person {
    pub machine: Machine,
}

impl Person {
    pub fn new() -> Self {
        let person = Self {
            machine: Machine::new(),
        };
        std::fs::create_dir_all(person.home()).unwrap();
        person
    }

    pub fn home(&self) -> PathBuf {
        self.machine
            .project()
            .join("../person")
            .components()
            .collect()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.home().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.home().join(path)).unwrap()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.machine.command(arguments);
        command.env("HOME", std::fs::canonicalize(self.home()).unwrap());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Answer {
        let output = self.command(arguments).output().unwrap();
        let mut answer = self.machine.answer(output);
        answer.out = answer
            .out
            .replace(env!("CARGO_BIN_EXE_scratchpad"), "[PROGRAM]");
        answer
    }

    /// Every file and directory below the home and in the project.
    pub fn everything(&self) -> BTreeMap<String, String> {
        fn walk(at: &Path, found: &mut BTreeMap<String, String>) {
            for entry in std::fs::read_dir(at).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    found.insert(path.display().to_string(), String::new());
                    walk(&path, found);
                } else {
                    let text = std::fs::read_to_string(&path).unwrap();
                    found.insert(path.display().to_string(), text);
                }
            }
        }
        let mut found = BTreeMap::new();
        walk(&self.home(), &mut found);
        walk(&self.machine.project(), &mut found);
        found
    }
}
