//! Processes and their parents, parsed from what each operating system reports.

use std::path::PathBuf;

/// A process. Its start time distinguishes it from a later one that reuses its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub id: u32,
    /// The start time, in the operating system's own format.
    pub started: String,
    pub name: String,
}

/// A process and its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessRow {
    pub process: Process,
    /// The parent's process id.
    pub parent: u32,
    /// Whether it is the first process of a terminal; known on Linux only.
    pub leads_terminal: bool,
}

/// The most ancestors to look at.
pub const MOST_ANCESTORS: usize = 32;

/// Shells, through which hosts run commands.
const SHELLS: [&str; 11] = [
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "fish",
    "busybox",
    "cmd",
    "powershell",
    "pwsh",
    "env",
];

/// What may follow an agent's name in the name of its process or package.
const AGENT_ENDS: [&str; 5] = ["", "-cli", "-code", "-agent", "-agent-sdk"];
/// How a suffix may begin that names the platform.
const PLATFORMS: [&str; 6] = ["-x", "-linux", "-darwin", "-win", "-aarch64", "-arm"];

/// Programs that run scripts; the script says what they are.
const INTERPRETERS: [&str; 6] = [
    "node",
    "mainthread",
    "node-mainthread",
    "bun",
    "deno",
    "python",
];

impl Process {
    pub(super) fn plain_name(&self) -> &str {
        let name = self.name.rsplit(['/', '\\']).next().unwrap_or_default();
        name.trim_start_matches('-').trim_end_matches(".exe")
    }

    fn is_shell(&self) -> bool {
        SHELLS.contains(&self.plain_name().to_ascii_lowercase().as_str())
    }

    /// Whether it may be the host that called a hook, rather than a shell in between.
    pub fn is_host(&self) -> bool {
        !self.is_shell()
    }

    /// Whether it runs agents, judging by name prefixes. A script called `claude-log.sh` does not.
    pub fn is_agent(&self, agents: &[&str]) -> bool {
        let name = self.plain_name().to_ascii_lowercase();
        let is_suffix = |rest: &str| {
            AGENT_ENDS.contains(&rest) || PLATFORMS.iter().any(|it| rest.starts_with(it))
        };
        let mut rests = agents.iter().filter_map(|agent| name.strip_prefix(agent));
        rests.any(is_suffix)
    }

    /// Whether its name is only that of an interpreter.
    pub fn is_interpreter(&self) -> bool {
        let name = self.plain_name().to_ascii_lowercase();
        let name = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
        INTERPRETERS.contains(&name)
    }
}

/// The name of the script that an interpreter runs: that of its package, or else of its file.
pub fn script_name(words: &[String]) -> Option<String> {
    let script = words.iter().skip(1).find(|word| !word.starts_with('-'))?;
    let mut parts = script.rsplit(['/', '\\']);
    let file = parts.next()?;
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let (_, package) = script.rsplit_once("node_modules/").unwrap_or_default();
    let mut package = package.split('/').skip_while(|part| part.starts_with('@'));
    let package = package
        .next()
        .filter(|name| !name.is_empty() && *name != ".bin");
    Some(package.unwrap_or(stem).to_owned())
}

/// The ancestors, nearest first, that may have announced a process's session.
///
/// `agents` are name prefixes of programs that run agents. Anything above such a program belongs to another agent: an
/// agent that runs in another agent's shell must not get that agent's pad.
pub fn that_may_be_bound<'a>(ancestors: &'a [Process], agents: &[&str]) -> &'a [Process] {
    let mut found = ancestors.iter();
    let agent = found.position(|process| process.is_agent(agents));
    agent
        .and_then(|agent| ancestors.get(..=agent))
        .unwrap_or(ancestors)
}

/// The ancestors of a process, nearest first, in a list of all processes.
pub fn ancestors_in(rows: &[ProcessRow], process: u32) -> Vec<Process> {
    let find = |id: u32| rows.iter().find(|row| row.process.id == id);
    let mut found = Vec::new();
    let mut next = find(process).map(|row| row.parent);
    while let Some(row) = next.and_then(find) {
        if found.len() == MOST_ANCESTORS || found.contains(&row.process) {
            break;
        }
        found.push(row.process.clone());
        next = Some(row.parent);
    }
    found
}

/// Parses Linux's `/proc/PID/stat`; `None` for a process that ended and that its parent did not wait for.
pub fn from_proc_stat(text: &str) -> Option<ProcessRow> {
    // The name is in parentheses and may contain any character, parentheses included.
    let (id, rest) = text.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    let id = id.trim();
    let mut fields = rest.split_ascii_whitespace();
    if has_ended(fields.next()?) {
        return None;
    }
    let parent = fields.next()?.parse().ok()?;
    let (session, terminal) = (fields.nth(1)?, fields.next()?);
    let started = fields.nth(14)?.to_owned();
    Some(ProcessRow {
        leads_terminal: session == id && terminal != "0",
        process: Process {
            id: id.parse().ok()?,
            started,
            name: name.to_owned(),
        },
        parent,
    })
}

/// Whether a process with this state, in the letters of Linux and `ps`, is only an entry in the list of processes. In a container whose
/// first process waits for nobody, such entries stay.
fn has_ended(state: &str) -> bool {
    state.starts_with(['Z', 'X'])
}

/// The arguments of `ps` for [`from_ps`].
pub const PS: [&str; 2] = ["-axo", "pid=,ppid=,state=,lstart=,comm="];

/// Parses the output of `ps` on macOS.
pub fn from_ps(text: &str) -> Vec<ProcessRow> {
    let row = |line: &str| {
        let mut fields = line.split_ascii_whitespace();
        let id = fields.next()?.parse().ok()?;
        let parent = fields.next()?.parse().ok()?;
        if has_ended(fields.next()?) {
            return None;
        }
        let started: Vec<&str> = fields.by_ref().take(5).collect();
        let name: Vec<&str> = fields.collect();
        (started.len() == 5).then(|| ProcessRow {
            process: Process {
                id,
                started: started.join(" "),
                name: name.join(" "),
            },
            parent,
            leads_terminal: false,
        })
    };
    text.lines().filter_map(row).collect()
}

/// The `PowerShell` command for [`from_powershell`].
pub const POWERSHELL: &str = "Get-CimInstance Win32_Process | ForEach-Object { \"$($_.ProcessId)`t$($_.ParentProcessId)`t$($_.CreationDate.Ticks)`t$($_.Name)\" }";

/// The `PowerShell` command that prints the command line of a process.
pub fn powershell_command_line(process: u32) -> String {
    format!("(Get-CimInstance Win32_Process -Filter 'ProcessId = {process}').CommandLine")
}

/// Splits Linux's `/proc/PID/cmdline` into words.
pub fn words_of_proc(bytes: &[u8]) -> Vec<String> {
    let words = bytes.split(|byte| *byte == 0);
    let words = words.map(|word| String::from_utf8_lossy(word).into_owned());
    words.filter(|word| !word.is_empty()).collect()
}

/// Splits a command line, as printed by `ps` and `PowerShell`, into words. Quoted blanks split too, which is fine for
/// flags and ids.
pub fn words_of_line(line: &str) -> Vec<String> {
    let words = line.split_whitespace();
    words
        .map(|word| word.trim_matches('"').to_owned())
        .collect()
}

/// Parses the output of `PowerShell`. A parent that started later is another process that reuses the id.
pub fn from_powershell(text: &str) -> Vec<ProcessRow> {
    let row = |line: &str| {
        let mut fields = line.trim_end().split('\t');
        Some(ProcessRow {
            process: Process {
                id: fields.next()?.trim().parse().ok()?,
                started: String::new(),
                name: String::new(),
            },
            parent: fields.next()?.parse().ok()?,
            leads_terminal: false,
        })
        .and_then(|mut row| {
            fields.next()?.clone_into(&mut row.process.started);
            fields.next()?.clone_into(&mut row.process.name);
            Some(row)
        })
    };
    let rows: Vec<ProcessRow> = text.lines().filter_map(row).collect();
    let ticks = |row: &ProcessRow| row.process.started.parse::<u64>().unwrap_or_default();
    let is_real = |row: &&ProcessRow| {
        let parent = rows.iter().find(|other| other.process.id == row.parent);
        parent.is_none_or(|parent| ticks(parent) <= ticks(row))
    };
    let real: Vec<u32> = rows
        .iter()
        .filter(is_real)
        .map(|row| row.process.id)
        .collect();
    rows.iter()
        .cloned()
        .map(|mut row| {
            if !real.contains(&row.process.id) {
                row.parent = 0;
            }
            row
        })
        .collect()
}

/// The directory in the output of `lsof -Fn`, which has one field per line, each after a letter.
pub fn directory_of_lsof(text: &str) -> Option<PathBuf> {
    let name = text.lines().find_map(|line| line.strip_prefix('n'))?;
    Some(PathBuf::from(name)).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn lsof_reports_a_directory_or_nothing() {
        let found = directory_of_lsof("p4711\nfcwd\nn/Users/a/my project\n");
        assert_eq!(found, Some(PathBuf::from("/Users/a/my project")));
        assert_eq!(
            directory_of_lsof("p4711\nfcwd\nn (readlink: denied)\n"),
            None
        );
        assert_eq!(directory_of_lsof(""), None);
    }

    fn names(processes: &[Process]) -> Vec<&str> {
        processes
            .iter()
            .map(|process| process.name.as_str())
            .collect()
    }

    fn called(names: &[&str]) -> Vec<Process> {
        (100..)
            .zip(names)
            .map(|(id, name)| Process {
                id,
                started: "1".to_owned(),
                name: (*name).to_owned(),
            })
            .collect()
    }

    #[test]
    fn proc_stat_has_parent_and_start_whatever_the_process_is_called() {
        let text = "4242 (a) b (c) S 4000 4242 4000 34816 4242 4194304 1 0 0 0 0 0 0 0 20 0 1 0 987654 1 2 3";
        assert_eq!(
            from_proc_stat(text),
            Some(ProcessRow {
                process: Process {
                    id: 4242,
                    started: "987654".to_owned(),
                    name: "a) b (c".to_owned()
                },
                parent: 4000,
                leads_terminal: false,
            })
        );
        let shell =
            "4000 (bash) S 3999 4000 4000 34816 4242 4194304 1 0 0 0 0 0 0 0 20 0 1 0 98 1 2 3";
        assert!(from_proc_stat(shell).unwrap().leads_terminal);
        assert_eq!(from_proc_stat("4242 (x"), None);
        assert_eq!(from_proc_stat(&shell.replace(" S ", " Z ")), None);
    }

    #[test]
    fn ps_lists_the_ancestors_on_macos() {
        let rows = from_ps(
            "    1     0 Ss   Mon Nov  9 08:00:01 2026     /sbin/launchd
  501     1 S    Sun Nov 15 09:12:44 2026     /Applications/Visual Studio Code.app/Contents/MacOS/Electron
  777   501 Ss   Sun Nov 15 09:13:01 2026     -zsh
  801   777 S+   Sun Nov 15 09:14:30 2026     claude
  802   801 S+   Sun Nov 15 09:14:31 2026     scratchpad
  803   801 Z+   Sun Nov 15 09:14:32 2026     (scratchpad)
",
        );
        let ancestors = ancestors_in(&rows, 802);
        assert_eq!(
            names(&ancestors),
            [
                "claude",
                "-zsh",
                "/Applications/Visual Studio Code.app/Contents/MacOS/Electron",
                "/sbin/launchd"
            ]
        );
        assert_eq!(ancestors[0].started, "Sun Nov 15 09:14:30 2026");
        assert!(ancestors[1].is_shell());
        // Ended, and not waited for.
        assert!(rows.iter().all(|row| row.process.id != 803));
    }

    #[test]
    fn powershell_lists_them_on_windows_and_a_reused_id_is_not_a_parent() {
        let rows = from_powershell(
            "4\t0\t638900000000000000\tSystem\r
900\t4\t638900000100000000\tWindowsTerminal.exe\r
1000\t900\t638900000200000000\tclaude.exe\r
1100\t1000\t638900000300000000\tcmd.exe\r
1200\t1100\t638900000400000000\tscratchpad.exe\r
1300\t1400\t638900000100000000\torphan.exe\r
1400\t4\t638900000900000000\tlater.exe\r
",
        );
        let ancestors = ancestors_in(&rows, 1200);
        assert_eq!(
            names(&ancestors),
            ["cmd.exe", "claude.exe", "WindowsTerminal.exe", "System"]
        );
        assert!(ancestors[1].is_agent(&["claude"]));
        assert_eq!(names(&ancestors_in(&rows, 1300)), [] as [&str; 0]);
    }

    #[test]
    fn a_command_line_is_split_into_words_on_each_system() {
        let words = ["claude", "--resume", "a-1", "--fork-session"];
        assert_eq!(
            words_of_proc(b"claude\0--resume\0a-1\0--fork-session\0"),
            words
        );
        assert_eq!(words_of_line("claude --resume a-1 --fork-session\n"), words);
        assert_eq!(
            words_of_line("\"claude\" --resume a-1 --fork-session\r\n"),
            words
        );
        assert_eq!(
            powershell_command_line(42),
            "(Get-CimInstance Win32_Process -Filter 'ProcessId = 42').CommandLine"
        );
    }

    #[test]
    fn an_interpreter_is_called_after_its_script() {
        for (line, expected) in [
            ("node /usr/bin/gemini -p x", "gemini"),
            (
                "node --a=b /x/node_modules/@google/gemini-cli/bundle/gemini.js",
                "gemini-cli",
            ),
            ("node /x/node_modules/.bin/cline", "cline"),
            ("python3 /x/agent.py", "agent"),
        ] {
            assert_eq!(script_name(&words_of_line(line)).as_deref(), Some(expected));
        }
        assert_eq!(script_name(&words_of_line("node")), None);
        let interpreters = called(&["node", "python3.11", "MainThread", "claude", "nodemon"]);
        let found: Vec<bool> = interpreters.iter().map(Process::is_interpreter).collect();
        assert_eq!(found, [true, true, true, false, false]);
    }

    #[test]
    fn a_wrapper_with_the_name_of_an_agent_in_its_own_is_not_the_agent() {
        let agents = ["claude", "qwen"];
        for (name, expected) in [
            ("claude", true),
            ("/opt/claude.exe", true),
            ("qwen-code", true),
            ("claude-x86_64-u", true),
            ("claude-log.sh", false),
            ("claude-code-hook", false),
            ("claudette", false),
        ] {
            assert_eq!(called(&[name])[0].is_agent(&agents), expected, "{name}");
        }
    }

    #[test]
    fn an_agent_inside_another_agent_does_not_get_its_session() {
        let agents = ["claude", "codex"];
        let chain = called(&["python3", "codex", "bash", "claude", "zsh"]);
        assert_eq!(
            names(that_may_be_bound(&chain, &agents)),
            ["python3", "codex"]
        );
        let plain = called(&["node", "bash", "tmux"]);
        assert_eq!(that_may_be_bound(&plain, &agents), plain);
    }
}
