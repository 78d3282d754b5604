//! A terminal to look at: what a person sees who runs the program, and types.

#![cfg(unix)]

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Child, Command};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// A command that runs in a terminal of its own.
pub struct Terminal {
    child: Child,
    master: File,
    bytes: Vec<u8>,
}

impl Terminal {
    /// Starts the command with its three streams on a terminal of this size.
    pub fn start(mut command: Command, columns: u16, rows: u16) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize {
            ws_col: columns,
            ws_row: rows,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let slave = OpenOptions::new()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap())
            .unwrap();
        let child = command
            .stdin(slave.try_clone().unwrap())
            .stdout(slave.try_clone().unwrap())
            .stderr(slave)
            .spawn()
            .unwrap();
        Self {
            child,
            master: File::from(master),
            bytes: Vec::new(),
        }
    }

    /// Types this, with the key that ends a line behind it.
    pub fn type_line(&mut self, text: &str) {
        self.master
            .write_all(format!("{text}\n").as_bytes())
            .unwrap();
    }

    /// Reads until this is on the screen, and returns what came until then.
    pub fn until(&mut self, wanted: &str) -> String {
        let from = self.bytes.len();
        let mut part = [0; 4_096];
        loop {
            let seen = String::from_utf8_lossy(&self.bytes[from..]).into_owned();
            if seen.contains(wanted) {
                return seen;
            }
            let count = self.master.read(&mut part).unwrap_or(0);
            assert!(count > 0, "it ended without {wanted:?}: {seen}");
            self.bytes.extend_from_slice(&part[..count]);
        }
    }

    /// Everything that was seen when the command has ended, and whether it succeeded.
    pub fn finish(mut self) -> (String, bool) {
        let mut part = [0; 4_096];
        // Reading ends with an error when nobody has the other end any more.
        while let Ok(count @ 1..) = self.master.read(&mut part) {
            self.bytes.extend_from_slice(&part[..count]);
        }
        let is_success = self.child.wait().unwrap().success();
        let text = String::from_utf8(self.bytes).unwrap();
        (text.replace("\r\n", "\n"), is_success)
    }

    /// Ends a command that runs until somebody ends it.
    pub fn stop(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The text without colours.
pub fn plain(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let end = part.find(|char: char| char.is_ascii_alphabetic()).unwrap();
        all + &part[end + 1..]
    })
}
