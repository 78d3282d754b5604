//! The hosts that can be wired: one entry each.

use super::content::{
    claude_hook, claude_server, cline_hook, cline_server, codex_hook, copilot_hooks,
    copilot_server, gemini_hook, goose_extension, opencode_plugin, opencode_server, plain_server,
    qwen_hook, typed_server, zed_server,
};
use super::{Base, Part, Place, Program, What, Wiring};
use crate::model::error::{Error, Result};
use crate::model::host::wrap::Format;
use crate::model::text::nearest::did_you_mean;
use serde_json::Value;

const CLAUDE: Base = Base::Home(Some(("CLAUDE_CONFIG_DIR", ".claude")));
const CODEX: Base = Base::Home(Some(("CODEX_HOME", ".codex")));
const COPILOT: Base = Base::Home(Some(("COPILOT_HOME", ".copilot")));
const HOME: Base = Base::Home(None);

const fn place(base: Base, path: &'static str) -> Place {
    Place { base, path }
}

const fn server(
    base: Base,
    path: &'static str,
    key: &'static [&'static str],
    entry: fn(&Program) -> Value,
) -> Part {
    Part {
        place: place(base, path),
        preferred: &[],
        what: What::Server {
            format: Format::Json,
            path: key,
            entry,
        },
    }
}

const fn codex_server(base: Base, path: &'static str) -> Part {
    Part {
        place: place(base, path),
        preferred: &[],
        what: What::Server {
            format: Format::Toml,
            path: &["mcp_servers", "scratchpad"],
            entry: plain_server,
        },
    }
}

const fn hooks(
    base: Base,
    path: &'static str,
    events: &'static [&'static str],
    item: fn(&Program, &str) -> Value,
) -> Part {
    Part {
        place: place(base, path),
        preferred: &[],
        what: What::Hooks {
            path: &["hooks"],
            events,
            item,
        },
    }
}

const fn file(base: Base, path: &'static str, text: fn(&Program) -> String) -> Part {
    Part {
        place: place(base, path),
        preferred: &[],
        what: What::File {
            text,
            is_executable: false,
        },
    }
}

const fn script(base: Base, path: &'static str) -> Part {
    Part {
        place: place(base, path),
        preferred: &[],
        what: What::File {
            text: cline_hook,
            is_executable: true,
        },
    }
}

const fn opencode_settings(
    base: Base,
    path: &'static str,
    preferred: &'static [&'static str],
) -> Part {
    Part {
        preferred,
        ..server(base, path, &["mcp", "scratchpad"], opencode_server)
    }
}

const fn rule(base: Base, path: &'static str, front_matter: &'static str) -> Part {
    Part {
        place: place(base, path),
        preferred: &[],
        what: What::Rule { front_matter },
    }
}

const fn region(base: Base, path: &'static str, preferred: &'static [&'static str]) -> Part {
    Part {
        place: place(base, path),
        preferred,
        what: What::Region,
    }
}

pub(super) const CLAUDE_EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreCompact",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "SessionEnd",
];

/// Those of Codex and Qwen Code, where nothing is to be said before a tool.
const CODEX_EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreCompact",
    "PostToolUse",
    "Stop",
    "SessionEnd",
];

pub(super) const GEMINI_EVENTS: &[&str] = &[
    "SessionStart",
    "BeforeAgent",
    "BeforeModel",
    "AfterTool",
    "AfterAgent",
    "SessionEnd",
];

const MCP_SERVERS: &[&str] = &["mcpServers", "scratchpad"];

/// All hosts that `install` knows.
pub const WIRINGS: &[Wiring] = &[
    Wiring {
        name: "claude",
        aliases: &["claude-code"],
        title: "Claude Code",
        marks: &[place(CLAUDE, ""), place(HOME, ".claude.json")],
        user: &[
            server(HOME, ".claude.json", MCP_SERVERS, claude_server),
            hooks(CLAUDE, "settings.json", CLAUDE_EVENTS, claude_hook),
        ],
        project: &[
            server(Base::Project, ".mcp.json", MCP_SERVERS, claude_server),
            hooks(
                Base::Project,
                ".claude/settings.json",
                CLAUDE_EVENTS,
                claude_hook,
            ),
        ],
        todo: "VS Code runs these hooks too: don't install others there.",
        approvals: None,
    },
    Wiring {
        name: "codex",
        aliases: &[],
        title: "Codex",
        marks: &[place(CODEX, "")],
        user: &[
            codex_server(CODEX, "config.toml"),
            hooks(CODEX, "hooks.json", CODEX_EVENTS, codex_hook),
        ],
        project: &[
            codex_server(Base::Project, ".codex/config.toml"),
            hooks(Base::Project, ".codex/hooks.json", CODEX_EVENTS, codex_hook),
        ],
        todo: "Codex runs no hook before you approve it: start codex, type /hooks, and trust the ones of scratchpad.",
        approvals: Some(place(CODEX, "config.toml")),
    },
    Wiring {
        name: "gemini",
        aliases: &["gemini-cli"],
        title: "Gemini CLI",
        marks: &[place(HOME, ".gemini")],
        user: &[
            server(HOME, ".gemini/settings.json", MCP_SERVERS, plain_server),
            hooks(HOME, ".gemini/settings.json", GEMINI_EVENTS, gemini_hook),
        ],
        project: &[
            server(
                Base::Project,
                ".gemini/settings.json",
                MCP_SERVERS,
                plain_server,
            ),
            hooks(
                Base::Project,
                ".gemini/settings.json",
                GEMINI_EVENTS,
                gemini_hook,
            ),
        ],
        todo: "",
        approvals: None,
    },
    Wiring {
        name: "qwen",
        aliases: &["qwen-code"],
        title: "Qwen Code",
        marks: &[place(HOME, ".qwen")],
        user: &[
            server(HOME, ".qwen/settings.json", MCP_SERVERS, plain_server),
            hooks(HOME, ".qwen/settings.json", CODEX_EVENTS, qwen_hook),
        ],
        project: &[
            server(
                Base::Project,
                ".qwen/settings.json",
                MCP_SERVERS,
                plain_server,
            ),
            hooks(
                Base::Project,
                ".qwen/settings.json",
                CODEX_EVENTS,
                qwen_hook,
            ),
        ],
        todo: "Qwen Code hides tools behind a search; `tools.toolSearch.enabled: false` in its settings shows them at once.",
        approvals: None,
    },
    Wiring {
        name: "copilot",
        aliases: &["copilot-cli"],
        title: "Copilot CLI",
        marks: &[place(COPILOT, "")],
        user: &[
            server(COPILOT, "mcp-config.json", MCP_SERVERS, copilot_server),
            file(COPILOT, "hooks/scratchpad.json", copilot_hooks),
        ],
        project: &[
            server(
                Base::Project,
                ".github/mcp.json",
                MCP_SERVERS,
                copilot_server,
            ),
            file(
                Base::Project,
                ".github/hooks/scratchpad.json",
                copilot_hooks,
            ),
        ],
        todo: "",
        approvals: None,
    },
    Wiring {
        name: "opencode",
        aliases: &[],
        title: "OpenCode",
        marks: &[place(Base::Configuration, "opencode")],
        user: &[
            opencode_settings(
                Base::Configuration,
                "opencode/opencode.json",
                &["opencode/opencode.json", "opencode/opencode.jsonc"],
            ),
            file(
                Base::Configuration,
                "opencode/plugins/scratchpad.js",
                opencode_plugin,
            ),
        ],
        project: &[
            opencode_settings(
                Base::Project,
                "opencode.json",
                &["opencode.json", "opencode.jsonc"],
            ),
            file(
                Base::Project,
                ".opencode/plugins/scratchpad.js",
                opencode_plugin,
            ),
        ],
        todo: "",
        approvals: None,
    },
    Wiring {
        name: "cline",
        aliases: &[],
        title: "Cline",
        marks: &[place(HOME, ".cline")],
        user: &[
            server(
                HOME,
                ".cline/data/settings/cline_mcp_settings.json",
                MCP_SERVERS,
                cline_server,
            ),
            script(HOME, ".cline/hooks/TaskStart"),
            script(HOME, ".cline/hooks/TaskResume"),
            script(HOME, ".cline/hooks/PostToolUse"),
            script(HOME, ".cline/hooks/TaskComplete"),
        ],
        project: &[
            script(Base::Project, ".clinerules/hooks/TaskStart"),
            script(Base::Project, ".clinerules/hooks/TaskResume"),
            script(Base::Project, ".clinerules/hooks/PostToolUse"),
            script(Base::Project, ".clinerules/hooks/TaskComplete"),
        ],
        todo: "",
        approvals: None,
    },
    Wiring {
        name: "cursor",
        aliases: &[],
        title: "Cursor",
        marks: &[place(HOME, ".cursor")],
        user: &[server(HOME, ".cursor/mcp.json", MCP_SERVERS, plain_server)],
        project: &[
            server(Base::Project, ".cursor/mcp.json", MCP_SERVERS, plain_server),
            rule(
                Base::Project,
                ".cursor/rules/scratchpad-tools.mdc",
                "---\nalwaysApply: true\n---\n",
            ),
        ],
        todo: NO_HOOKS,
        approvals: None,
    },
    Wiring {
        name: "vscode",
        aliases: &["vs-code", "code"],
        title: "VS Code",
        marks: &[place(Base::Application, "Code/User")],
        user: &[
            server(
                Base::Application,
                "Code/User/mcp.json",
                &["servers", "scratchpad"],
                typed_server,
            ),
            rule(
                Base::Application,
                "Code/User/prompts/scratchpad-tools.instructions.md",
                VS_CODE_FRONT_MATTER,
            ),
        ],
        project: &[
            server(
                Base::Project,
                ".vscode/mcp.json",
                &["servers", "scratchpad"],
                typed_server,
            ),
            rule(
                Base::Project,
                ".github/instructions/scratchpad-tools.instructions.md",
                VS_CODE_FRONT_MATTER,
            ),
        ],
        todo: "Hooks come from Claude Code's settings, which VS Code reads: `scratchpad install claude` writes them.",
        approvals: None,
    },
    Wiring {
        name: "windsurf",
        aliases: &[],
        title: "Windsurf",
        marks: &[place(HOME, ".codeium/windsurf")],
        user: &[
            server(
                HOME,
                ".codeium/windsurf/mcp_config.json",
                MCP_SERVERS,
                plain_server,
            ),
            region(HOME, ".codeium/windsurf/memories/global_rules.md", &[]),
        ],
        project: &[rule(
            Base::Project,
            ".windsurf/rules/scratchpad-tools.md",
            "---\ntrigger: always_on\n---\n",
        )],
        todo: NO_HOOKS,
        approvals: None,
    },
    Wiring {
        name: "zed",
        aliases: &[],
        title: "Zed",
        marks: &[place(Base::Configuration, "zed")],
        user: &[
            server(
                Base::Configuration,
                "zed/settings.json",
                &["context_servers", "scratchpad"],
                zed_server,
            ),
            region(Base::Configuration, "zed/AGENTS.md", &[]),
        ],
        project: &[
            server(
                Base::Project,
                ".zed/settings.json",
                &["context_servers", "scratchpad"],
                zed_server,
            ),
            region(Base::Project, "AGENTS.md", ZED_PREFERS),
        ],
        todo: NO_HOOKS,
        approvals: None,
    },
    Wiring {
        name: "goose",
        aliases: &[],
        title: "Goose",
        marks: &[place(Base::Configuration, GOOSE)],
        user: &[
            Part {
                place: place(Base::Configuration, GOOSE_SETTINGS),
                preferred: &[],
                what: What::Extension {
                    at: ["extensions", "scratchpad"],
                    entry: goose_extension,
                },
            },
            region(Base::Configuration, GOOSE_HINTS, &[]),
        ],
        project: &[region(Base::Project, ".goosehints", &[])],
        todo: "To have the pad before its agent in each turn, start it with a file of its own for that: \
               GOOSE_MOIM_MESSAGE_FILE=$(mktemp) goose session.",
        approvals: None,
    },
];

const NO_HOOKS: &str =
    "No hook puts the pad before its agent: it calls the tools itself, as its instructions say.";

const VS_CODE_FRONT_MATTER: &str = "---\napplyTo: \"**\"\n---\n";

/// Zed reads the first of these in a project and no other: a new one must not hide what is there.
const ZED_PREFERS: &[&str] = &[
    ".rules",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
    "AGENT.md",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
];

const GOOSE: &str = if cfg!(windows) {
    "Block/goose/config"
} else {
    "goose"
};
const GOOSE_SETTINGS: &str = if cfg!(windows) {
    "Block/goose/config/config.yaml"
} else {
    "goose/config.yaml"
};
const GOOSE_HINTS: &str = if cfg!(windows) {
    "Block/goose/config/.goosehints"
} else {
    "goose/.goosehints"
};

/// The host of that name.
pub fn wiring(name: &str) -> Result<&'static Wiring> {
    WIRINGS
        .iter()
        .find(|host| host.name == name || host.aliases.contains(&name))
        .ok_or_else(|| {
            let names = WIRINGS.iter().map(|host| host.name);
            let all: Vec<&str> = names.clone().collect();
            Error::usage(format!("No host is called {name:?}.")).hint(
                did_you_mean(name, names)
                    .unwrap_or_else(|| format!("the hosts are {}.", all.join(", "))),
            )
        })
}
