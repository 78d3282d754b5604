#!/usr/bin/env python3
"""Runs scratchpad in real agent hosts against a scripted model, and looks at what reached that model.

usage: run.py PROGRAM HOSTS_DIRECTORY OUT_DIRECTORY [HOST...]

Nothing is set up but by `scratchpad install`, or by the plugin. Prints a table; exits 1 if anything fails.
"""

import json
import re
import socket
import sqlite3
import sys
import time
import traceback
from pathlib import Path

from hosts import HOSTS
from model import Model

START = "[Session Scratchpad - your persistent working memory]"
PLAN = "PLAN-BEFORE-ALL-ELSE"
CHANGED = "PLAN-CHANGED-JUST-BEFORE"
NEEDLE = "NEEDLE-13337"
NOTE = "NOTE-WHILE-IT-RUNS"
# A command that fails and then passes, and a commit.
WORK = [
    "test -e worked || { echo 'error: nothing was done'; exit 3; }",
    "touch worked",
    "test -e worked || { echo 'error: nothing was done'; exit 3; }",
    "git -c user.name=a -c user.email=a@b commit --allow-empty -m 'fix the cache key'",
]
# The id in what `get` says of a session to continue, however the host quotes it.
CONTINUE = r"continue[^}]*session\W+([^\\\"]+)"
# What an agent writes that calls tools from scripts, and what each prints.
SCRIPTS = {
    "MCP-10399-NEEDLE-13799": "const r = await tools.mcp__report__report({}); const t = r.content[0].text;"
    " text('MCP-' + t.length + '-' + t.slice(-12));",
    "SHELL-0-20000": "const r = await tools.exec_command({cmd: 'seq 1 20000'});"
    " text('SHELL-' + r.exit_code + '-' + r.output.trim().split('\\n').pop());",
    "READ-NEEDLE-13000": "const l = await tools.mcp__report__scratchpad_list({query: 'NEEDLE-13000'});"
    " const id = l.content[0].text.match(/[0-9a-f]{12}/)[0];"
    " const r = await tools.mcp__report__scratchpad_read({id, lines: '1'}); text('READ-' + r.content[0].text);",
}


def pad_steps(*steps):
    """Calls of the pad's tool, then a last word."""
    tool = "session.scratchpad$"
    force = "mcp__scratchpad__session_scratchpad"
    return [{"tool": tool, "force": force, "args": args} for args in steps]


def scripts(host):
    save = pad_steps(
        {"action": "set_notes", "content": "the API is at /v2"},
        {"action": "set_plan", "content": PLAN},
        {"action": "refs.add", "ref": "src/main.rs:10"},
    )
    # Neither the command nor the preview of its output holds the needle.
    shell = host.shell_arguments("seq 13000 13800 | sed 's/^/NEEDLE-/'")
    read = {
        "tool": "scratchpad.read$",
        "force": "mcp__scratchpad__scratchpad_read",
        "args": {"id": "$TOOLRESULT:Output ([0-9a-f]{12})", "grep": "13337"},
    }
    [change] = pad_steps({"action": "set_plan", "content": CHANGED})
    # A call whose reply does not hold the block.
    call = {"tool": "scratchpad.list$", "force": "mcp__scratchpad__scratchpad_list", "args": {}}
    return {
        "default": [{"text": "<summary>SUMMARY of the conversation so far</summary>", "usage": {"input": 5000}}],
        "save": [*save, {"text": "FINAL-SAVE"}],
        # What is shortened must be long.
        "much": [*save, {"text": "FINAL-MUCH", "usage": {"input": 90000}}],
        "unchanged": [*save[:1], call, call, {"text": "FINAL-UNCHANGED"}],
        "two": [{"text": "FINAL-TWO"}],
        "noted": [
            {
                "tool": "add.note$",
                "force": "mcp__scratchpad__add_note",
                "args": {"content": "Three retries, see retry.py:1", "scope": "project"},
            },
            {"text": "FINAL-NOTED"},
        ],
        "searched": [
            {"tool": "search.notes$", "force": "mcp__scratchpad__search_notes", "args": {"query": "retries"}},
            {"text": "FINAL-SEARCHED"},
        ],
        "worked": [
            *({"tool": host.shell, "args": host.shell_arguments(command)} for command in WORK),
            {"text": "FINAL-WORKED"},
        ],
        "look": [call, {"text": "FINAL-LOOK"}],
        "other": [*pad_steps({"action": "set_plan", "content": "PLAN-OF-THE-OTHER"}), {"text": "FINAL-OTHER"}],
        "cleared": [*pad_steps({"action": "set_plan", "content": "PLAN-AFTER-CLEAR"}), {"text": "FINAL-CLEARED"}],
        "whole": [
            *pad_steps({"action": "set_plan", "content": "PLAN-OF-THE-WHOLE"}),
            *host.sub_agent_steps("do a part [[mock:part]]"),
            *pad_steps({"action": "set_notes", "content": "after the part"}),
            {"text": "FINAL-WHOLE"},
        ],
        "restarted": [
            *pad_steps({"action": "get"}, {"action": "continue", "session": f"$TOOLRESULT:{CONTINUE}"}, {"action": "get"}),
            {"text": "FINAL-RESTARTED"},
        ],
        "part": [*pad_steps({"action": "refs.add", "ref": "of-the-part"}), {"text": "FINAL-PART"}],
        "shell": [{"tool": host.shell, "args": shell}, read, {"text": "FINAL-SHELL"}],
        "report": [
            {"tool": "report.*report$", "force": "mcp__report__report", "args": {}},
            read,
            {"text": "FINAL-REPORT"},
        ],
        "pass-text": passed({"text": "scratchpad://output/%s" + OUTPUT}),
        "pass-number": passed({"number": "scratchpad://output/%s?json=length" + OUTPUT}),
        "scripts": [
            *({"custom": "exec", "input": script} for script in SCRIPTS.values()),
            {"text": "FINAL-SCRIPTS"},
        ],
        "cut": [{"tool": host.shell, "args": host.shell_arguments("seq 1 20000")}, {"text": "FINAL-CUT"}],
        "overflow": [
            change,
            call,
            {"status": 400, "error": "prompt is too long: 210000 tokens > 200000 maximum"},
            {"text": "FINAL-OVERFLOW"},
        ],
        # A compaction while the host's own task list is in work, and after it was finished.
        **{f"list-{state}": filled(host, steps, call) for state, steps in host.list_steps.items()},
        "near": [
            change,
            {**call, "usage": {"input": 99000}, "once": True},
            {**call, "usage": {"input": 500}, "once": True},
            {"text": "FINAL-NEAR"},
        ],
    }


# What the newest tool result says about the output that it names.
OUTPUT = "$TOOLRESULT:Output ([0-9a-f]{12})"


def passed(arguments):
    """A large result, and a call that passes it on by reference."""
    return [
        {"tool": "report.*rows$", "force": "mcp__report__rows", "args": {}},
        {"tool": "report.*measure$", "force": "mcp__report__measure", "args": arguments},
        {"text": "FINAL-PASSED"},
    ]


def filled(host, steps, call):
    """These steps, and then a conversation that is too long."""
    if host.compaction == "overflow":
        too_long = [call, {"status": 400, "error": "prompt is too long: 210000 tokens > 200000 maximum"}]
    else:
        too_long = [{**call, "usage": {"input": 99000}, "once": True}, {**call, "usage": {"input": 500}, "once": True}]
    return [*steps, *too_long, {"text": "FINAL-LIST"}]


class Run:
    """One host and what its model was asked."""

    def __init__(self, name, model, program, hosts, out):
        self.model = model
        self.root = out / name
        self.host = HOSTS[name](self.root, hosts, program, model.port)
        self.log = self.root / "model.jsonl"
        self.log.touch()
        model.play(scripts(self.host), self.log)
        self.seen = 0

    def logged(self):
        """All that was logged; the last line may be half written."""
        return [json.loads(line) for line in self.log.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def requests(self, script=None):
        """The requests to the model since the last look, of one script."""
        all_requests = self.logged()
        new = all_requests[self.seen :]
        self.seen = len(all_requests)
        return [it for it in new if "script" in it and (script is None or it["script"] == script)]

    def new_words(self):
        """What the model said since the last look."""
        new = self.logged()[self.seen :]
        return "\n".join(it["reply"].get("text", "") for it in new if "reply" in it)

    def typed(self, lines, words=None, ready=None, first=None):
        """A conversation at a terminal: what a person types, and the word of the model that is waited for."""
        terminal = self.host.terminal(words, ready)
        try:
            if first is not None:
                first(terminal)
            for line, last in lines.items():
                if callable(line):
                    line()
                    continue
                before = self.new_words().count(last) if last else -1
                terminal.type(line)
                terminal.wait(lambda: self.new_words().count(last) > before)
            terminal.settle(3)
        finally:
            terminal.stop()

    def pads(self):
        """Every session with its pad."""
        listed = json.loads(self.host.scratchpad("session", "list", "--json"))["sessions"]
        show = lambda session: json.loads(self.host.scratchpad("session", "show", "--json", "--session", session))
        kept = ["notes", "plan", "refs"]
        return {it["session"]: {key: show(it["session"])[key] for key in kept} for it in listed}

    def asked(self, ask, prompt, script):
        """Gives a prompt and answers the requests of its script; the host must come to the last word."""
        done = ask(f"{prompt} [[mock:{script}]]")
        found = self.requests(script)
        assert found, f"the model was not asked; exit {done.returncode}: {done.stderr[-300:]}"
        replies = [it["reply"].get("text", "") for it in found]
        assert any("FINAL" in it for it in replies), f"no last word: {replies}"
        return found


def texts(value):
    """All texts in a request."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)


def body(request):
    return "\n".join(texts(request["body"]))


def blocks(request):
    return body(request).count(START)


# Each scenario is a sentence about the host; what it returns is a remark.


def installed_and_nothing_else(run):
    """7: `install`, then the host offers the tools with no other setup"""
    host = run.host
    run.before = settings(host)
    host.scratchpad("install", host.name)
    assert settings(host) != run.before
    asks = "not approved" in doctor(host)
    host.approve()
    if asks:
        assert "not approved" not in doctor(host), doctor(host)
    again = host.scratchpad("install", host.name)
    assert "wrote" not in again, again


def written_and_given_once(run):
    """1: the agent writes notes, plan and refs; the next prompt has the block once"""
    first = run.asked(run.host.start, "begin", "save")
    early = first[:1] if run.host.is_transient else first
    assert all(blocks(it) == 0 for it in early), "a block before anything was written"
    [session] = json.loads(run.host.scratchpad("session", "list", "--json"))["sessions"]
    assert (session["plan_chars"], session["refs"]) == (len(PLAN), 1), session
    run.session = session["session"]


def resumed_in_a_new_process(run):
    """4: resumed in a new process, the block is there, once"""
    if not run.host.resumes:
        # It hears hooks after tools only.
        # It shows the conversation again when it is ready.
        run.typed({"go on [[mock:look]]": "FINAL-LOOK"}, run.host.resume_words(run.session), "FINAL-SAVE")
        found = run.requests("look")
        new = blocks(found[-1]) - blocks(found[0])
        assert new == 1 and PLAN in body(found[-1]).rpartition(START)[2], [blocks(it) for it in found]
        return "at a terminal, after the first tool"
    second = run.asked(run.host.resume, "go on", "two")
    counts = [blocks(it) for it in second]
    assert counts[0] == 1, counts
    assert PLAN in body(second[0])


def not_repeated(run):
    """2: nothing changed, so the block is not repeated"""
    if not run.host.resumes:
        found = run.asked(run.host.start, "begin", "unchanged")
        assert [blocks(it) for it in found][-1] == 1, [blocks(it) for it in found]
        return "two tools in one turn"
    if hasattr(run.host, "several"):
        run.host.several(["one more [[mock:two]]", "and one [[mock:two]]"], "--continue")
        counts = [blocks(it) for it in run.requests("two")]
        assert len(counts) == 2, counts
        assert counts[0] == counts[1], counts
        return "two prompts in one process"
    found = run.asked(run.host.resume, "once more", "two")
    expected = 2 if run.host.adds_up else 1
    assert blocks(found[0]) == expected, [blocks(it) for it in found]
    return "one for each start" if run.host.adds_up else "one, whatever happens"


def forked(run):
    """4: a fork in a new process begins with a copy of the pad, and writes its own"""
    if run.host.fork is None:
        return "it has no fork"
    before = run.pads()
    found = run.asked(lambda prompt: run.host.fork(run.session, prompt), "fork", "cleared")
    assert PLAN in body(found[0]), "no copy of the pad"
    after = run.pads()
    [(fork, pad)] = [it for it in after.items() if it[0] not in before]
    assert (pad["plan"], pad["notes"]) == ("PLAN-AFTER-CLEAR", "the API is at /v2"), pad
    assert after[run.session] == before[run.session]


def forked_from_a_list(run):
    """4: a copy of what a person chose from a list begins with a copy of its pad"""
    if run.host.fork_list is None:
        return "it has no such list" if run.host.fork is None else "not tried"
    before = run.pads()
    # Only what was begun at a terminal is in the list.
    run.typed({"begin [[mock:save]]": "FINAL-SAVE"})
    run.typed({"begin [[mock:other]]": "FINAL-OTHER"})

    def choose_the_second(terminal):
        terminal.settle()
        terminal.down()
        terminal.settle(3)
        terminal.enter()

    run.requests()
    words, ready = run.host.fork_list
    run.typed({"go on [[mock:cleared]]": "FINAL-CLEARED"}, words, ready, choose_the_second)
    found = run.requests("cleared")
    assert PLAN in body(found[0]) and blocks(found[0]) > 0, "no copy of the pad"
    new = [pad for session, pad in run.pads().items() if session not in before]
    [fork] = [pad for pad in new if pad["plan"] == "PLAN-AFTER-CLEAR"]
    assert fork["notes"] == "the API is at /v2", fork


def cleared(run):
    """5: started again in the same process, the pad is empty, and the old one stays"""
    before = run.pads()
    if hasattr(run.host, "several"):
        run.host.several(["begin [[mock:save]]", run.host.clear, "go on [[mock:cleared]]"])
    elif run.host.at_terminal is not None:
        run.typed({"begin [[mock:save]]": "FINAL-SAVE", run.host.clear: "", "go on [[mock:cleared]]": "FINAL-CLEARED"})
    else:
        return "a task is never started again" if run.host.name == "cline" else "not tried"
    found = run.requests("cleared")
    assert found and blocks(found[0]) == 0 and PLAN not in body(found[0]), "the old pad is still there"
    new = [pad["plan"] for session, pad in run.pads().items() if session not in before]
    assert sorted(new) == ["PLAN-AFTER-CLEAR", PLAN], new


def sub_agents(run):
    """5: what an agent writes after its sub-agent is on its own pad"""
    if run.host.sub_agent is None:
        return "not tried"
    before = run.pads()
    seen = run.seen
    run.asked(run.host.start, "whole", "whole")
    run.seen = seen
    part = run.requests("part")
    new = [pad for session, pad in run.pads().items() if session not in before]
    [whole] = [pad for pad in new if pad["plan"] == "PLAN-OF-THE-WHOLE"]
    assert whole["notes"] == "after the part", new
    expected = run.host.sub_agent_pad
    with_part = [pad for pad in new if "of-the-part" in pad["refs"]]
    if expected == "shares the pad":
        assert with_part == [whole], new
    else:
        # Goose shows one file to all agents of a process.
        is_given = "PLAN-OF-THE-WHOLE" in body(part[0]) and run.host.has_hooks
        assert not is_given, "it was given the pad of who started it"
        own = [pad for pad in with_part if pad is not whole]
        assert len(with_part) == len(own) == (expected == "a pad of its own"), new
    return expected


def kept_through_compaction(run):
    """3: after a forced compaction the next request holds the block"""
    if run.host.compaction is None:
        return "can't be forced"
    if run.host.compaction == "typed":
        run.typed({"begin [[mock:much]]": "FINAL-MUCH", "/compress": "SUMMARY of", "after it [[mock:two]]": "FINAL-TWO"})
        # Around it, the host may ask for a title of an older conversation, or what to remember of this one.
        after = next(it for it in run.requests("two") if "after it [[mock:two]]" in body(it))
    elif run.host.goes_on_at_terminal:
        prompt = f"much work [[mock:{run.host.compaction}]]"
        run.typed({prompt: "FINAL-OVERFLOW"}, run.host.last_words, run.host.ready)
        after = run.requests(run.host.compaction)[-1]
    elif run.host.goes_on:
        after = run.asked(run.host.resume, "much work", run.host.compaction)[-1]
    else:
        run.host.resume(f"much work [[mock:{run.host.compaction}]]")
        run.host.compact()
        run.requests()
        after = run.asked(run.host.resume, "after it", "two")[0]
    summaries = [it for it in run.logged() if it.get("script") == "default"]
    assert "SUMMARY of the conversation" in body(after), "there was no compaction"
    # What was in the conversation before holds another plan.
    expected = CHANGED if run.host.compaction in ("overflow", "near") else PLAN
    assert re.search(re.escape(START) + r"[^\[]*" + expected, body(after)), f"no such block among {blocks(after)}"
    said = any("session scratchpad keeps" in body(it) for it in summaries)
    return "the summary was told of the pad" if said else ""


def task_list_through_compaction(run):
    """3: compacted amid the host's own task list, the next request has what is open of it; a finished list does not come back"""
    if not run.host.list_steps:
        return "not tried"
    heading = r"Plan \(from your task list, \d\d:\d\d\):\n"
    for state, expected in [("open", True), ("finished", False)]:
        run.requests()
        run.host.start(f"list [[mock:list-{state}]]")
        # The last one: before the compaction, a list of outputs may name the summary of an earlier one.
        [*_, after] = [body(it) for it in run.requests() if "SUMMARY of the conversation" in body(it)] or [fail("no compaction")]
        block = re.search(heading + r"- \[>\] fix the cache\n- \[ \] write the docs\n\(1 done: not shown", after)
        assert bool(block) == expected, (state, after[-3000:])
        assert expected or not re.search(heading, after), after[-3000:]


def note_about_changed_code(run):
    """3: a note's source is edited between two conversations: the answer to a search says so"""
    source = run.host.project / "retry.py"
    source.write_text("retry(3)\n")
    run.asked(run.host.start, "note it", "noted")
    source.write_text("retry(5)\n")
    found = run.asked(run.host.start, "search", "searched")
    assert "retry.py:1: changed since" in body(found[-1]), body(found[-1])[-2000:]


def digest_of_what_was_done(run):
    """3: a conversation that is resumed is given its digest: the commit, and the command that failed and then passed"""
    if run.host.digest_says is None:
        return "not tried"
    run.asked(run.host.start, "work", "worked")
    after = body(run.asked(run.host.resume, "go on", "two")[0])
    assert "Digest of this session, from what hooks saw" in after, after[-3000:]
    for words in run.host.digest_says:
        assert words in after, (words, after[-3000:])
    return "" if len(run.host.digest_says) > 1 else "the commit alone: hooks are not told how a command ended"


def notes_in_a_worktree(run):
    """3: in another worktree of the repository, the agent finds the project's notes, and its session is the project's"""
    host = run.host
    project = host.project
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@there"]
    host.run(["git", *who, "commit", "--quiet", "--allow-empty", "-m", "first"])
    host.run(["git", "worktree", "add", "--quiet", "../worktree"])
    host.project = host.root / "worktree"
    try:
        found = run.asked(host.start, "search", "searched")
        assert "Three retries, see retry.py:1" in body(found[-1]), body(found[-1])[-2000:]
        listed = json.loads(host.scratchpad("session", "list", "--json"))["sessions"]
        assert {it["project"] for it in listed} == {str(project)}, listed
    finally:
        host.project = project


def said_to_the_person(run):
    """4: resumed at a terminal, the person reads what was given back"""
    if run.host.last_words is None:
        return "not tried"
    run.typed({"begin [[mock:save]]": "FINAL-SAVE"})
    terminal = run.host.terminal(run.host.last_words, "FINAL-SAVE")
    try:
        terminal.type("go on [[mock:two]]")
        terminal.wait(lambda: "FINAL-TWO" in run.new_words())
        terminal.settle(3)
        shown = re.sub(r"[\s│]+", " ", terminal.text())
        expected = f"Scratchpad gave back revision 3: plan {len(PLAN)} characters, notes 17 characters, 1 ref"
        assert expected.replace(" ", "") in shown.replace(" ", ""), shown[-3000:]
    finally:
        terminal.stop()


def stored_without_the_block(run):
    """1: the block is in no message that the host stores"""
    if run.host.name not in STORED:
        return "it keeps what hooks add" if run.host.has_hooks and not run.host.is_transient else "not tried"
    found = STORED[run.host.name](run.host)
    assert any(PLAN in it for it in found), f"no messages among {len(found)}"
    # The agent's own calls name the plan, but nothing has the block.
    assert not any(START in it for it in found), [it for it in found if START in it][0][:500]


def messages_of_pi(host):
    """The lines of its session files."""
    return [line for file in host.home.glob(".pi/agent/sessions/*/*.jsonl") for line in file.read_text().splitlines()]


def messages_of_openclaw(host):
    """Every text of its stores but the traces of requests."""
    found = []
    for file in host.home.glob(".openclaw/agents/*/agent/openclaw-agent.sqlite"):
        store = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        tables = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            # What reached the model, for whoever looks for a fault.
            if table != "trajectory_runtime_events":
                rows = store.execute(f'SELECT * FROM "{table}"') if "fts" not in table and "vec" not in table else []
                found += [value for row in rows for value in row if isinstance(value, str)]
        store.close()
    return found


STORED = {"pi": messages_of_pi, "openclaw": messages_of_openclaw}


def carried_with_its_log(run):
    """4: a log that is carried to another machine brings its pad, and brings back what was written there"""
    if run.host.name != "pi":
        return "not tried"
    [log] = run.host.home.glob(f".pi/agent/sessions/*/*{run.session}.jsonl")
    other = Run(run.host.name, run.model, run.host.program, run.host.hosts, run.root / "elsewhere")
    try:
        other.host.scratchpad("install", "pi")
        there = other.host.home / log.name
        there.write_text(log.read_text())
        at_log = lambda host, file: lambda prompt: host.ask("--session", str(file), prompt)
        found = other.asked(at_log(other.host, there), "go on", "other")
        assert blocks(found[0]) == 1 and PLAN in body(found[0]), "it did not bring its pad"
        log.write_text(there.read_text().replace(json.dumps(socket.gethostname()), '"elsewhere"'))
    finally:
        run.model.play(scripts(run.host), run.log)
    found = run.asked(at_log(run.host, log), "go on", "two")
    assert re.search(re.escape(START) + r"[^\[]*PLAN-OF-THE-OTHER", body(found[0])), "it did not bring it back"
    run.host.scratchpad("session", "set-plan", PLAN, "--session", run.session)


def two_agents(run):
    """5: another agent in the same project has a pad of its own"""
    found = run.asked(run.host.start, "another", "other")
    assert blocks(found[0]) == 0 and PLAN not in body(found[0]), "it sees the first one's pad"
    listed = json.loads(run.host.scratchpad("session", "list", "--json"))["sessions"]
    assert len(listed) >= 2, listed
    shown = json.loads(run.host.scratchpad("session", "show", "--json", "--session", run.session))
    assert shown["plan"] in (PLAN, CHANGED), shown


def behind_wrappers(run):
    """5: with a wrapper around the hook, the server or both, what is written is given when resumed"""
    host = run.host
    if not (host.has_hooks and host.resumes and host.servers) or host.name == "opencode":
        return "not tried"
    program = str(host.program)
    hook, server = run.root / "around-hook", run.root / "around-server"
    hook.write_text('#!/bin/bash\ntimeout 60 "$@"\nexit\n')
    server.write_text(f'#!/bin/bash\ntimeout 600 {program} "$@"\nexit\n')
    for file in (hook, server):
        file.chmod(0o755)
    around_hook = (f"{program} hook", f"{hook} {program} hook")
    around_server = (f'"{program}"', f'"{server}"')
    for wrappers in ([around_hook], [around_server], [around_hook, around_server]):
        replaced(host, wrappers)
        host.approve()
        first = run.asked(host.start, "begin", "save")
        if host.is_transient:
            assert blocks(first[-1]) == 1, f"no block after the write: {wrappers}"
        found = run.asked(host.resume, "go on", "two")
        assert blocks(found[0]) > 0 and PLAN in body(found[0]), f"no block when resumed: {wrappers}"
        replaced(host, [(after, before) for before, after in wrappers])
    host.approve()


def continued_after_a_restart(run):
    """4: with the server alone, `get` in a new process names the session before it, and `continue` has its pad"""
    if run.host.name not in ("claude", "gemini", "cline"):
        return "it names the session with each call" if run.host.name == "codex" else "not tried"
    other = Run(run.host.name, run.model, run.host.program, run.host.hosts, run.root / "server-alone")
    try:
        other.host.add_server("scratchpad", [str(run.host.program), "mcp"])
        other.asked(other.host.start, "begin", "save")
        before = other.pads()
        found = other.asked(other.host.start, "go on", "restarted")
        assert PLAN in body(found[1]), "the first `get` does not name it"
        assert blocks(found[2]) == 1, "`continue` does not show the pad"
        assert other.pads() == before, "something else was written"
    finally:
        # What comes next looks into its own log again.
        run.model.play(scripts(run.host), run.log)


def replaced(host, texts):
    """Replaces texts in the host's settings."""
    changed = 0
    for below in settings(host):
        file = host.home / below
        if not file.is_file():
            continue
        content = file.read_text()
        for before, after in texts:
            changed += content.count(before)
            content = content.replace(before, after)
        file.write_text(content)
    assert changed >= len(texts), texts


def large_result(run):
    """6: a large shell result is a reference in the window, and the needle is read by a slice"""
    found = run.asked(run.host.start, "look", "shell")
    if not found[1:]:
        raise AssertionError("the shell was not called")
    second, last = body(found[1]), body(found[-1])
    if "[Output " not in second:
        return (
            "not replaced: the host does not let a hook do it"
            if run.host.name in ("qwen", "cline", "goose")
            else fail("no reference")
        )
    assert second.count("NEEDLE-") < 50, "the result is in the window"
    assert NEEDLE not in second, "the needle is in the window"
    assert NEEDLE in last, "the needle was not read"
    sizes = [len(json.dumps(it["body"])) for it in found]
    return f"request of {sizes[1]:,} bytes"


def large_mcp_result(run):
    """6: a large MCP result through the proxy is a reference too, and the needle is read by a slice"""
    if run.host.servers is None:
        return "not tried"
    file = run.host.add_server("report", ["python3", str(Path(__file__).with_name("report_server.py"))])
    run.host.scratchpad("proxy", "--wrap", str(file))
    found = run.asked(run.host.start, "report", "report")
    second, last = body(found[1]), body(found[-1])
    assert "[Output " in second, "no reference"
    assert NEEDLE not in second, "the needle is in the window"
    assert NEEDLE in last, "the needle was not read"
    run.host.scratchpad("proxy", "--unwrap", str(file))


def passed_by_reference(run):
    """6: an argument that names an output reaches the server as its text, and as a number where the host lets it"""
    if run.host.servers is None:
        return "not tried"
    file = run.host.home / run.host.servers
    run.host.scratchpad("proxy", "--wrap", str(file))
    last = body(run.asked(run.host.start, "pass the text", "pass-text")[-1])
    assert "MEASURED 22890 characters, null" in last, "the text was not passed"
    last = body(run.asked(run.host.start, "pass the number", "pass-number")[-1])
    run.host.scratchpad("proxy", "--unwrap", str(file))
    if "MEASURED 0 characters, 4000" in last:
        return "a number too"
    assert "must be number" in last, "the number was not passed"
    return "no number: the host checks arguments"


def what_scripts_get(run):
    """6: results that go to a script are whole: of MCP tools through the proxy, of the shell, of our own tools"""
    host = run.host
    if host.start_with_scripts is None:
        return "it has no such models, or was not tried"
    file = host.home / host.servers
    host.scratchpad("proxy", "--wrap", str(file))
    kept = host.scratchpad("output", "list", "--json")
    found = run.asked(host.start_with_scripts, "scripts", "scripts")
    printed = printed_by_scripts(found[-1])
    assert printed == list(SCRIPTS), printed
    assert host.scratchpad("output", "list", "--json") == kept, "something was kept"
    host.scratchpad("proxy", "--unwrap", str(file))


def printed_by_scripts(request):
    """The last text of each script's result."""
    results = [it for it in request["body"]["input"] if it["type"] == "custom_tool_call_output"]
    return [list(texts(it["output"]))[-1].strip() for it in results]


def cut_by_the_host(run):
    """6: of a shell result that the host cut before, the reference says so, and what keeps all of it"""
    if run.host.name != "codex":
        return "not tried"
    found = run.asked(run.host.start, "cut", "cut")
    words = (
        r"\[Output [0-9a-f]{12} of Bash: 10,\d{3} bytes of about 27,\d{3} tokens: Codex cut the middle before it was kept;"
        r" `scratchpad run -- COMMAND` keeps all\.\]\nPreview:\n\d+:1\n"
    )
    assert re.search(words, body(found[1])), body(found[1])[-1500:]


def context_notes_while_it_runs(run):
    """a context note that is added or cleared while the agent runs reaches it with its next prompt, once"""
    host = run.host
    added = []
    steps = [
        "first [[mock:two]]",
        lambda: added.append(host.scratchpad("context", "add", NOTE)),
        "second [[mock:two]]",
        "third [[mock:two]]",
        lambda: host.scratchpad("context", "clear"),
        "fourth [[mock:two]]",
    ]
    if hasattr(host, "several"):
        host.several(steps)
    elif host.at_terminal is not None and host.has_hooks:
        run.typed({step: "FINAL-TWO" for step in steps})
    else:
        return "not tried"
    assert "With the next prompt" in added[0], added
    # Without tools it asks for the title of a conversation.
    found = [body(it) for it in run.requests("two") if it["body"].get("tools")]
    assert [it.count(NOTE) for it in found] == [0, 1, 1, 1], [it.count(NOTE) for it in found]
    cleared = [it.count("earlier notes no longer hold") for it in found]
    assert cleared == [0, 0, 0, 1], cleared


def broken_store(run):
    """9: with a broken store the prompt still goes through"""
    data = run.host.home / ".local/share/scratchpad"
    kept = {}
    for name in ["scratchpad.db", "scratchpad.db-wal", "scratchpad.db-shm"]:
        path = data / name
        if path.exists():
            kept[path] = path.read_bytes()
            path.unlink()
    (data / "scratchpad.db").write_text("this is no database")
    try:
        run.asked(run.host.start, "still", "two")
        if run.host.has_hooks:
            assert "not a Scratchpad database" in (data / "hook.log").read_text()
    finally:
        (data / "scratchpad.db").unlink()
        for path, content in kept.items():
            path.write_bytes(content)


def uninstalled(run):
    """8: uninstalled, the host's settings are as they were"""
    run.host.scratchpad("uninstall", run.host.name)
    assert "scratchpad" not in json.dumps(settings(run.host)), "something of ours is left"
    # What the host did not write itself meanwhile is as it was, to the byte.
    fresh = run.root / "fresh"
    host = type(run.host)(fresh, run.host.hosts, run.host.program, 1)
    before = settings(host)
    host.scratchpad("install", host.name)
    host.scratchpad("uninstall", host.name)
    assert settings(host) == before, "a fresh home differs"


def as_a_plugin(run):
    """the plugin alone, without `install`: the agent writes its pad, and has it when resumed and after a compaction"""
    if run.host.plug_in is None:
        return "it takes no plugin of ours"
    other = Run(run.host.name, run.model, run.host.program, run.host.hosts, run.root / "plugin")
    directory = other.root / "scratchpad-plugin"
    other.host.scratchpad("plugin", directory)
    done = other.host.plug_in(directory)
    assert done.returncode == 0, done.stderr or done.stdout
    other.host.approve()
    written_and_given_once(other)
    resumed_in_a_new_process(other)
    remark = kept_through_compaction(other)
    sub_agents(other)
    large_result(other)
    return remark


def doctor(host):
    return host.run([host.program, "doctor"]).stdout


def fail(reason):
    raise AssertionError(reason)


def settings(host):
    """Every file in the home but our own and logs, with its content."""
    found = {}
    for path in sorted(host.home.rglob("*")):
        below = path.relative_to(host.home)
        if (
            below.parts[:3] == (".local", "share", "scratchpad")
            or below.parts == (".local",)
            or below.parts == (".local", "share")
        ):
            continue
        name = below.name
        if path.is_dir():
            if (
                below.parts[0] in (".claude", ".codex", ".gemini", ".qwen", ".copilot", ".cline", ".config", ".pi")
                and len(below.parts) == 1
            ):
                found[str(below)] = ""
        elif name in SETTINGS or below.parent.name in ("hooks", "plugins") or "extensions" in below.parts:
            found[str(below)] = path.read_text()
    return found


SETTINGS = {
    ".claude.json",
    "settings.json",
    "config.toml",
    "config.yaml",
    "hooks.json",
    "openclaw.json",
    "mcp-config.json",
    "opencode.json",
    "cline_mcp_settings.json",
}

SCENARIOS = [
    installed_and_nothing_else,
    written_and_given_once,
    resumed_in_a_new_process,
    not_repeated,
    forked,
    forked_from_a_list,
    kept_through_compaction,
    task_list_through_compaction,
    stored_without_the_block,
    carried_with_its_log,
    digest_of_what_was_done,
    said_to_the_person,
    note_about_changed_code,
    notes_in_a_worktree,
    two_agents,
    behind_wrappers,
    continued_after_a_restart,
    cleared,
    sub_agents,
    large_result,
    large_mcp_result,
    passed_by_reference,
    what_scripts_get,
    cut_by_the_host,
    context_notes_while_it_runs,
    broken_store,
    uninstalled,
    as_a_plugin,
]


def main():
    program, hosts, out = (Path(it).resolve() for it in sys.argv[1:4])
    names = sys.argv[4:] or list(HOSTS)
    model = Model()
    failed = False
    for name in names:
        run = Run(name, model, program, hosts, out)
        for scenario in SCENARIOS:
            about = scenario.__doc__.strip()
            began = time.monotonic()
            try:
                remark = scenario(run) or ""
                verdict = "ok"
            except Exception as error:
                failed = True
                verdict, remark = "FAIL", f"{type(error).__name__}: {error}"
                (run.root / "errors.txt").open("a").write(traceback.format_exc())
            run.requests()
            seconds = time.monotonic() - began
            print(f"{name:<9} {verdict:<4} {about}{' - ' if remark else ''}{remark} ({seconds:.0f} s)", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
