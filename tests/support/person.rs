//! A person with a home directory, in which hosts keep their files.

use std::fs;

use super::{Answer, Machine};

/// A machine whose person has a home, on a branch of a repository.
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

/// The program, as that person runs it.
pub fn run(machine: &Machine, arguments: &[&str]) -> Answer {
    let mut command = machine.command(arguments);
    command.env("HOME", machine.home());
    machine.answer(command.output().unwrap())
}
