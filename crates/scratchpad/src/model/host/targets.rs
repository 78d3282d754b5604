//! The hosts and the instruction files that each reads. A new host is one entry of [`HOSTS`].

use crate::model::error::{Error, Result};
use crate::model::text::quantity::shortened;

/// A host as far as instruction files go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    /// What `--tool` calls it.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// The file it reads in a project.
    pub project: Option<File>,
    /// The file it reads in every project.
    pub global: Option<File>,
    /// Paths in a project that show that it is used there.
    pub project_marks: &'static [&'static str],
    /// The entry for its file that is not shared, where it has one.
    pub private_twin: Option<&'static str>,
    /// Where a person has it: a path that shows that it is installed.
    pub home_mark: Option<(Base, &'static str)>,
}

/// An instruction file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    /// What its path is below.
    pub base: Base,
    /// Its path.
    pub path: &'static str,
    /// What a file of ours begins with, where the host wants it said when the file applies.
    pub front_matter: &'static str,
}

/// What a path is below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The project's root.
    Project,
    /// The person's home.
    Home,
    /// The person's directory of configurations, `~/.config` on Linux.
    Configuration,
    /// The host's own directory.
    Own {
        /// The variable that moves it.
        variable: &'static str,
        /// Where it is otherwise, in the person's home.
        usual: &'static str,
    },
}

/// Whose instruction files are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of the project.
    Project,
    /// Those for every project of the person.
    Global,
}

impl Reach {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
        }
    }
}

impl Host {
    /// The entry for its file that is not shared.
    pub fn twin(&self) -> Option<&'static Self> {
        HOSTS.iter().find(|host| Some(host.id) == self.private_twin)
    }

    /// The file for a reach, if the host has one.
    pub fn file(&self, reach: Reach) -> Option<File> {
        match reach {
            Reach::Project => self.project,
            Reach::Global => self.global,
        }
    }
}

/// The id of the entry that stands for all hosts that the table does not know.
const ANY: &str = "agents";

/// How hosts are wired to us, as far as it matters here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wiring {
    /// The hosts whose hooks call us in this project, by id.
    pub hooked: Vec<&'static str>,
}

impl Wiring {
    /// Whether all who read a file get context notes from a hook, so that the file need not hold them.
    pub fn gives_notes(&self, readers: &[&Host]) -> bool {
        let mut known = readers.iter().filter(|host| host.id != ANY).peekable();
        known.peek().is_some() && known.all(|host| self.hooked.contains(&host.id))
    }
}

const fn in_project(path: &'static str) -> File {
    whole_in_project(path, "")
}

const fn whole_in_project(path: &'static str, front_matter: &'static str) -> File {
    File {
        base: Base::Project,
        path,
        front_matter,
    }
}

const fn in_home(path: &'static str) -> File {
    File {
        base: Base::Home,
        path,
        front_matter: "",
    }
}

const fn in_configuration(path: &'static str) -> File {
    File {
        base: Base::Configuration,
        path,
        front_matter: "",
    }
}

const fn in_own(base: Base, path: &'static str) -> File {
    File {
        base,
        path,
        front_matter: "",
    }
}

const CLAUDE: Base = Base::Own {
    variable: "CLAUDE_CONFIG_DIR",
    usual: ".claude",
};
const CODEX: Base = Base::Own {
    variable: "CODEX_HOME",
    usual: ".codex",
};

const KIRO_FRONT_MATTER: &str = "---\ninclusion: always\n---\n";

/// All hosts.
pub const HOSTS: &[Host] = &[
    Host {
        id: "claude",
        name: "Claude Code",
        project: Some(in_project("CLAUDE.md")),
        global: Some(in_own(CLAUDE, "CLAUDE.md")),
        project_marks: &["CLAUDE.md", ".claude"],
        private_twin: Some("claude-local"),
        home_mark: Some((CLAUDE, "")),
    },
    // The same host's file that is not for sharing: never chosen unasked.
    Host {
        id: "claude-local",
        name: "Claude Code, private",
        project: Some(in_project("CLAUDE.local.md")),
        global: None,
        project_marks: &[],
        private_twin: None,
        home_mark: None,
    },
    Host {
        id: "codex",
        name: "Codex",
        project: Some(in_project("AGENTS.md")),
        global: Some(in_own(CODEX, "AGENTS.md")),
        project_marks: &[".codex"],
        private_twin: None,
        home_mark: Some((CODEX, "")),
    },
    Host {
        id: "gemini",
        name: "Gemini CLI",
        project: Some(in_project("GEMINI.md")),
        global: Some(in_home(".gemini/GEMINI.md")),
        project_marks: &["GEMINI.md", ".gemini"],
        private_twin: None,
        home_mark: Some((Base::Home, ".gemini")),
    },
    Host {
        id: "qwen",
        name: "Qwen Code",
        project: Some(in_project("QWEN.md")),
        global: Some(in_home(".qwen/QWEN.md")),
        project_marks: &["QWEN.md", ".qwen"],
        private_twin: None,
        home_mark: Some((Base::Home, ".qwen")),
    },
    Host {
        id: "copilot",
        name: "GitHub Copilot",
        project: Some(in_project(".github/copilot-instructions.md")),
        global: Some(in_home(".copilot/copilot-instructions.md")),
        project_marks: &[".github/copilot-instructions.md", ".github/instructions"],
        private_twin: None,
        home_mark: Some((Base::Home, ".copilot")),
    },
    Host {
        id: "opencode",
        name: "OpenCode",
        project: Some(in_project("AGENTS.md")),
        global: Some(in_configuration("opencode/AGENTS.md")),
        project_marks: &["opencode.json", "opencode.jsonc", ".opencode"],
        private_twin: None,
        home_mark: Some((Base::Configuration, "opencode")),
    },
    Host {
        id: "cursor",
        name: "Cursor",
        project: Some(whole_in_project(
            ".cursor/rules/scratchpad.mdc",
            "---\ndescription: Context of this project\nalwaysApply: true\n---\n",
        )),
        global: None,
        project_marks: &[".cursor"],
        private_twin: None,
        home_mark: Some((Base::Home, ".cursor")),
    },
    Host {
        id: "cline",
        name: "Cline",
        project: Some(whole_in_project(".clinerules/scratchpad.md", "")),
        global: None,
        project_marks: &[".clinerules"],
        private_twin: None,
        home_mark: Some((Base::Home, ".cline")),
    },
    Host {
        id: "windsurf",
        name: "Windsurf",
        project: Some(whole_in_project(
            ".windsurf/rules/scratchpad.md",
            "---\ntrigger: always_on\n---\n",
        )),
        global: None,
        project_marks: &[".windsurf"],
        private_twin: None,
        home_mark: Some((Base::Home, ".codeium/windsurf")),
    },
    Host {
        id: "zed",
        name: "Zed",
        project: Some(in_project("AGENTS.md")),
        global: Some(in_configuration("zed/AGENTS.md")),
        project_marks: &[".zed"],
        private_twin: None,
        home_mark: Some((Base::Configuration, "zed")),
    },
    Host {
        id: "goose",
        name: "Goose",
        project: Some(in_project(".goosehints")),
        global: Some(in_configuration("goose/.goosehints")),
        project_marks: &[".goosehints"],
        private_twin: None,
        home_mark: Some((Base::Configuration, "goose")),
    },
    Host {
        id: "amp",
        name: "Amp",
        project: Some(in_project("AGENTS.md")),
        global: Some(in_configuration("amp/AGENTS.md")),
        project_marks: &[],
        private_twin: None,
        home_mark: Some((Base::Configuration, "amp")),
    },
    Host {
        id: "crush",
        name: "Crush",
        project: Some(in_project("CRUSH.md")),
        global: None,
        project_marks: &["CRUSH.md", "crush.json", ".crush"],
        private_twin: None,
        home_mark: None,
    },
    Host {
        id: "droid",
        name: "Factory droid",
        project: Some(in_project("AGENTS.md")),
        global: None,
        project_marks: &[".factory"],
        private_twin: None,
        home_mark: Some((Base::Home, ".factory")),
    },
    Host {
        id: "kiro",
        name: "Kiro",
        project: Some(whole_in_project(
            ".kiro/steering/scratchpad.md",
            KIRO_FRONT_MATTER,
        )),
        global: Some(File {
            base: Base::Home,
            path: ".kiro/steering/scratchpad.md",
            front_matter: KIRO_FRONT_MATTER,
        }),
        project_marks: &[".kiro"],
        private_twin: None,
        home_mark: Some((Base::Home, ".kiro")),
    },
    Host {
        id: "openclaw",
        name: "OpenClaw",
        project: Some(in_project("AGENTS.md")),
        global: None,
        project_marks: &[],
        private_twin: None,
        home_mark: Some((Base::Home, ".openclaw")),
    },
    Host {
        id: ANY,
        name: "Any host that reads AGENTS.md",
        project: Some(in_project("AGENTS.md")),
        global: None,
        project_marks: &["AGENTS.md"],
        private_twin: None,
        home_mark: None,
    },
];

/// The variables that move the directory of a host.
pub fn variables() -> impl Iterator<Item = &'static str> {
    HOSTS.iter().filter_map(|host| match host.home_mark {
        Some((Base::Own { variable, .. }, _)) => Some(variable),
        _ => None,
    })
}

/// The host of that id, or an error that lists those there are.
pub fn host(id: &str) -> Result<&'static Host> {
    HOSTS.iter().find(|host| host.id == id).ok_or_else(|| {
        let known: Vec<&str> = HOSTS.iter().map(|host| host.id).collect();
        Error::usage(format!(
            "There is no tool {:?}. Nothing was changed.",
            shortened(id, 80)
        ))
        .hint(format!("the known ones are {}.", known.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_an_id_of_its_own_a_file_and_front_matter_that_ends() {
        for (position, host) in HOSTS.iter().enumerate() {
            assert!(
                HOSTS
                    .iter()
                    .skip(position + 1)
                    .all(|other| other.id != host.id)
            );
            assert!(host.project.is_some());
            assert_eq!(host.twin().is_some(), host.private_twin.is_some());
            for file in [host.project, host.global].into_iter().flatten() {
                assert!(file.front_matter.is_empty() || file.front_matter.ends_with("\n---\n"));
                assert_eq!(file.base == Base::Project, Some(file) == host.project);
            }
        }
    }

    #[test]
    fn notes_stay_in_a_file_that_somebody_without_a_hook_reads() {
        let hosts = |ids: &[&str]| ids.iter().map(|id| host(id).unwrap()).collect::<Vec<_>>();
        let wiring = Wiring {
            hooked: vec!["codex"],
        };
        assert!(wiring.gives_notes(&hosts(&["codex"])));
        assert!(wiring.gives_notes(&hosts(&["codex", "agents"])));
        assert!(!wiring.gives_notes(&hosts(&["codex", "opencode"])));
        assert!(!wiring.gives_notes(&hosts(&["agents"])));
        assert!(!Wiring::default().gives_notes(&hosts(&["claude"])));
    }

    #[test]
    fn an_unknown_tool_is_told_the_known_ones() {
        let error = host("cloude").unwrap_err();
        assert_eq!(
            error.to_string(),
            "There is no tool \"cloude\". Nothing was changed."
        );
        let hint = error.next_step().unwrap();
        assert!(HOSTS.iter().all(|host| hint.contains(host.id)), "{hint}");
    }
}
