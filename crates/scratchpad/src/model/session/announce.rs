//! Which process a hook binds to its session: the one that runs both the hook and the MCP server.
//!
//! A hook may be called through wrappers (`direnv exec`, `timeout`, a logging script), which end with it. Its host may run
//! in a program that runs other agents too (a terminal, tmux, an IDE). The host's process is between these: the nearest
//! one that two calls of a session have in common. The first call has only process names to go by.

use serde::{Deserialize, Serialize};

use super::process::{Process, ProcessRow};

/// Programs that may run several agents, started by people: terminals, multiplexers, editors.
const SHARED: [&str; 48] = [
    "alacritty",
    "code",
    "code-insiders",
    "code-server",
    "codium",
    "cron",
    "crond",
    "cursor",
    "dtach",
    "electron",
    "emacs",
    "explorer",
    "foot",
    "ghostty",
    "gnome-terminal-",
    "idea",
    "init",
    "iterm2",
    "kitty",
    "konsole",
    "launchd",
    "login",
    "mosh-server",
    "nvim",
    "openconsole",
    "ptyxis-agent",
    "pycharm",
    "rio",
    "screen",
    "sshd",
    "sshd-session",
    "systemd",
    "terminal",
    "terminator",
    "tilix",
    "tmux",
    "tmux: server",
    "vim",
    "warp",
    "wezterm-gui",
    "wezterm-mux-ser",
    "windowsterminal",
    "windsurf",
    "xfce4-terminal",
    "xterm",
    "zed",
    "zed-editor",
    "zellij",
];

/// The most processes to remember of a call.
const MOST_REMEMBERED: usize = 12;

/// A process, remembered from one call to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered(pub u32, pub String);

impl Remembered {
    fn of(process: &Process) -> Self {
        Self(process.id, process.started.clone())
    }

    fn is(&self, process: &Process) -> bool {
        self.0 == process.id && self.1 == process.started
    }
}

/// The processes above a hook that run only its agent, nearest first.
///
/// `agents` are the name prefixes of all hosts' processes, `own` those of the host that called.
pub fn private_ancestors(ancestors: &[Process], own: &[&str], agents: &[&str]) -> Vec<Process> {
    let mut found: Vec<Process> = Vec::new();
    for process in ancestors.iter().filter(|process| process.is_host()) {
        let is_own = process.is_agent(own);
        // The caller of a hook is its host, whatever its name: an editor, or a host that runs another one's hooks.
        let is_caller = found.is_empty() && process.id != 1;
        let is_other = is_shared(process) || process.is_agent(agents);
        if is_other && !is_caller && !is_own {
            break;
        }
        found.push(process.clone());
        if is_own || found.len() == MOST_REMEMBERED {
            break;
        }
    }
    found
}

/// Whether no process above this one matters to a hook, which must be fast.
pub fn is_last_of_hook(row: &ProcessRow, agents: &[&str]) -> bool {
    let process = &row.process;
    row.leads_terminal || is_shared(process) || process.is_agent(agents)
}

fn is_shared(process: &Process) -> bool {
    process.id == 1 || SHARED.contains(&process.plain_name().to_ascii_lowercase().as_str())
}

/// What a call reveals about its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announced {
    /// The process to bind to the session.
    pub host: Process,
    /// What to compare the next call with.
    pub remembered: Vec<Remembered>,
}

/// The host's process, from the [`private_ancestors`] of this call and what was remembered of an earlier one.
///
/// If `earlier` is one process, it is the host, found before. If it is longer, it is compared only at a prompt, which comes
/// from the process in which the session started. If a process below the common one is still running, it was not a
/// wrapper but another agent.
pub fn announced(
    above: &[Process],
    own: &[&str],
    earlier: &[Remembered],
    is_prompt: bool,
    is_alive: impl Fn(&Remembered) -> bool,
) -> Option<Announced> {
    let common = above.iter().find_map(|process| {
        let place = earlier.iter().position(|it| it.is(process))?;
        Some((process, place))
    });
    let is_certain = |place: usize| {
        let below = place.checked_sub(1).and_then(|below| earlier.get(below));
        earlier.len() == 1 || is_prompt && !below.is_some_and(is_alive)
    };
    if let Some((host, place)) = common
        && is_certain(place)
    {
        return Some(Announced {
            host: host.clone(),
            remembered: vec![Remembered::of(host)],
        });
    }
    Some(Announced {
        host: likely_host(above, own)?.clone(),
        remembered: above.iter().map(Remembered::of).collect(),
    })
}

/// The host among the processes above a hook, nearest first: by its name, or else the nearest that is not a shell.
pub fn likely_host<'a>(above: &'a [Process], own: &[&str]) -> Option<&'a Process> {
    let mut named = above.iter().filter(|process| process.is_agent(own));
    named
        .next()
        .or_else(|| above.iter().find(|process| process.is_host()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENTS: [&str; 3] = ["claude", "codex", "gemini"];

    fn chain(words: &str) -> Vec<Process> {
        let process = |word: &str| {
            let (name, id) = word.split_once('=').unwrap();
            Process {
                id: id.parse().unwrap(),
                started: "1".to_owned(),
                name: name.to_owned(),
            }
        };
        words.split(' ').map(process).collect()
    }

    fn private(words: &str) -> Vec<u32> {
        let found = private_ancestors(&chain(words), &["claude"], &AGENTS);
        found.iter().map(|process| process.id).collect()
    }

    #[test]
    fn what_two_agents_may_run_in_is_not_private() {
        for (words, expected) in [
            ("sh=9 claude=8 bash=7 tmux=6 init=1", vec![8]),
            ("sh=9 timeout=8 node=7 zsh=6 kitty=5 systemd=1", vec![8, 7]),
            ("claude=9 zsh=8 code=7 code=6", vec![9]),
            ("node=9 bash=8 codex=7 bash=6", vec![9]),
            ("claude=9 bash=8 claude=7 systemd=1", vec![9]),
            // The caller is the host, whatever its name.
            ("sh=9 code=8 code=7", vec![8]),
            ("codex=9 bash=8", vec![9]),
            // A hook that outlived its host.
            ("init=1", vec![]),
            ("claude=1", vec![1]),
        ] {
            assert_eq!(private(words), expected, "{words}");
        }
    }

    /// The host's process id, and the number of remembered processes.
    fn found(now: &str, earlier: &str, is_prompt: bool, alive: &[u32]) -> (u32, usize) {
        let earlier: Vec<_> = match earlier {
            "" => Vec::new(),
            words => chain(words).iter().map(Remembered::of).collect(),
        };
        let is_alive = |process: &Remembered| alive.contains(&process.0);
        let found = announced(&chain(now), &["claude"], &earlier, is_prompt, is_alive).unwrap();
        (found.host.id, found.remembered.len())
    }

    #[test]
    fn the_host_is_what_two_calls_have_in_common() {
        // A first call: by name, or else the nearest.
        assert_eq!(found("timeout=9 claude=5", "", true, &[]), (5, 2));
        assert_eq!(found("timeout=9 node=5 python=2", "", true, &[]), (9, 3));
        // The second call finds it below the shared processes, and any later call keeps it.
        let first = "timeout=9 node=5 python=2";
        let second = "sudo=12 timeout=11 node=5 python=2";
        assert_eq!(found(second, first, true, &[]), (5, 1));
        assert_eq!(found(second, "node=5", false, &[]), (5, 1));
        assert_eq!(
            found("claude.sh=9 node=5", "claude.sh=8 node=5", true, &[]),
            (5, 1)
        );
        // A new process may be in what two agents share, so a start proves nothing.
        assert_eq!(
            found("node=6 python=2", "node=5 python=2", false, &[]),
            (6, 2)
        );
        // Nor does a prompt while the process of the previous call is running.
        assert_eq!(
            found("node=6 python=2", "node=5 python=2", true, &[5]),
            (6, 2)
        );
        // Resumed in another process.
        assert_eq!(found("node=6 python=3", "node=5", false, &[]), (6, 2));
    }
}
