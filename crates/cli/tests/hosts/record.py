#!/usr/bin/env python3
"""Records a real run of Claude Code at a terminal as an SVG: the agent writes its plan, the person types /compact, the plan is back.

usage: record.py PROGRAM HOSTS_DIRECTORY HOME SVG

The model is scripted, as in run.py; the program, its hooks and the host are real. What the last picture says of the plan is taken
from the request that the model received after the compaction, and the recording fails if it is not there. scripts/record calls this,
with a home whose path may be seen.
"""

import html
import re
import sys
import time
from pathlib import Path

import pyte

from hosts import HOSTS, Claude
from model import Model
from run import Run, body

ROWS, COLUMNS = 30, 96
PLAN = "1. [x] find where login fails\n2. [ ] put the tenant into the cache key\n3. [ ] test it with two tenants"
SCENE = {
    "begin": [
        {
            "tool": "session.scratchpad$",
            "force": "mcp__scratchpad__session_scratchpad",
            "args": {"action": "set_plan", "content": PLAN},
        },
        {"text": "Found it: the cache key lacks the tenant. The plan is in my scratchpad.", "usage": {"input": 90000}},
    ],
    "on": [{"text": "Step 2: I put the tenant into the cache key."}],
    "default": [{"text": "<summary>The user asked to fix a login error.</summary>", "usage": {"input": 5000}}],
}
TYPED = [
    ("Login returns 500. Fix it. [[mock:begin]]", "Found it"),
    ("/compact", "asked to fix a login"),
    ("Go on. [[mock:on]]", "Step 2"),
]
# The marker that picks the model's script is no part of the story, half typed or whole.
MARKER = re.compile(r" ?\[\[\w*:?\w*\]{0,2}| \[(?=\s*$)")
# What pyte does not know, and does not skip by itself.
UNKNOWN = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\")

# Seconds: the least between two pictures of one movement, the most that one is shown, and what is to be read.
STEP, PAUSE, READ = 0.25, 0.7, 2.8

FONT, WIDTH, HEIGHT = 14, 8.43, 19
PAD = 14
INK, PAPER, BAR = "#d6d6d6", "#16181d", "#24272e"


class Person(Claude):
    """In a home and a project of which nothing is to be hidden."""

    def prepare(self):
        self.home, self.project = self.root.parent, self.root.parent / "shop"
        self.project.mkdir()
        super().prepare()


def recorded(run):
    """What the terminal showed and when, and the text that the model got with the last message."""
    terminal = run.host.terminal(rows=ROWS, columns=COLUMNS)
    marks = []
    try:
        for line, last in TYPED:
            terminal.type(line)
            terminal.wait(lambda: last in run.new_words())
            run.requests()
            terminal.settle(6)
            marks.append(time.monotonic())
    finally:
        terminal.stop()
    last = [it for it in run.logged() if it.get("script") == "on"][-1]
    found = re.search(r"\[Session Scratchpad.*?\[End Scratchpad\]", body(last), re.DOTALL)
    assert found, "the model did not get the pad after the compaction"
    return terminal.parts, marks, found.group(0).replace("\\n", "\n")


def screens(parts):
    """Each distinct screen with the time at which it was there, oldest first."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    found = []
    rest = b""
    for at, part in parts:
        rest += part
        # A sequence that is cut by the end of a part waits for the next.
        cut = rest.rfind(b"\x1b", max(0, len(rest) - 40))
        ready, rest = (rest[:cut], rest[cut:]) if cut > 0 else (rest, b"")
        stream.feed(UNKNOWN.sub(b"", ready))
        now = snapshot(screen)
        if not found or found[-1][1] != now:
            found.append((at, now))
    return found


def snapshot(screen):
    """The rows as runs of characters with the same look."""
    rows = []
    for row in range(ROWS):
        runs = []
        for column in range(COLUMNS):
            cell = screen.buffer[row][column]
            look = (cell.fg, cell.bg, cell.bold, cell.reverse)
            if runs and runs[-1][1] == look:
                runs[-1][0] += cell.data
            else:
                runs.append([cell.data, look])
        rows.append(tuple((text, look) for text, look in runs))
    return tuple(rows)


def text_of(screen):
    return "\n".join("".join(text for text, _ in row).rstrip() for row in screen)


def story(found, marks):
    """The screens worth showing, each with its seconds: movements in steps, and the last before each next thing that is typed."""
    kept, shown_at = [], 0.0
    for (at, screen), (until, _) in zip(found, [*found[1:], (marks[-1] + 1, None)]):
        is_last = any(at <= mark < until for mark in marks)
        text = text_of(screen)
        if not text.strip() or "Resume this session" in text or not (is_last or at - shown_at >= STEP or until - at >= STEP):
            continue
        shown_at = at
        kept.append((READ if is_last else max(0.1, min(until - at, PAUSE)), screen))
    # It begins when the host is ready and nothing is typed yet.
    typed = next(index for index, (_, screen) in enumerate(kept) if f"❯ {TYPED[0][0][0]}" in text_of(screen))
    return [(PAUSE, kept[typed - 1][1]), *kept[typed:]]


def colour(name, otherwise):
    named = {
        "black": "#3b3f46", "red": "#e06c75", "green": "#98c379", "brown": "#d5b06b", "blue": "#61afef",
        "magenta": "#c678dd", "cyan": "#56b6c2", "white": "#d6d6d6", "brightblack": "#7f848e",
    }
    if name == "default":
        return otherwise
    return named.get(name) or (f"#{name}" if re.fullmatch("[0-9a-fA-F]{6}", name) else otherwise)


def drawn(screen):
    """One screen as SVG."""
    lines = []
    for row, runs in enumerate(screen):
        column, y = 0, PAD + 26 + (row + 1) * HEIGHT
        for text, (ink, paper, bold, reverse) in runs:
            x = PAD + column * WIDTH
            shown = MARKER.sub("", text)
            column += len(shown)
            ink, paper = colour(ink, INK), colour(paper, None)
            if reverse:
                ink, paper = paper or PAPER, ink
            if paper:
                lines.append(f'<rect x="{x:.1f}" y="{y - 14:.1f}" width="{len(shown) * WIDTH:.1f}" height="{HEIGHT}" fill="{paper}"/>')
            if shown.strip():
                weight = ' font-weight="bold"' if bold else ""
                lines.append(f'<text x="{x:.1f}" y="{y}" fill="{ink}"{weight}>{html.escape(shown.rstrip())}</text>')
    return "".join(lines)


def caption(block):
    """The last picture: what the model got."""
    lines = ["What the model received with “Go on.”, after the compaction:", "", *block.split("\n")]
    top = PAD + 26
    shown = [f'<rect x="0" y="26" width="100%" height="{ROWS * HEIGHT + 2 * PAD}" fill="{PAPER}"/>']
    for number, line in enumerate(lines):
        ink = "#98c379" if number > 1 else INK
        shown.append(f'<text x="{PAD}" y="{top + (number + 2) * HEIGHT}" fill="{ink}">{html.escape(line)}</text>')
    return "".join(shown)


def svg(frames):
    """All pictures one after the other, again and again; only the last where nothing moves."""
    whole = sum(seconds for seconds, _ in frames)
    width, height = COLUMNS * WIDTH + 2 * PAD, ROWS * HEIGHT + 2 * PAD + 26
    style, groups, began = [], [], 0.0
    for number, (seconds, picture) in enumerate(frames):
        start, end = 100 * began / whole, 100 * (began + seconds) / whole
        began += seconds
        name = f"f{number}"
        before = f"0%,{start:.2f}%{{opacity:0}}" if start > 0 else ""
        after = f"{end:.2f}%,100%{{opacity:0}}" if end < 99.99 else ""
        style.append(f"@keyframes {name}{{{before}{start:.2f}%,{end:.2f}%{{opacity:1}}{after}}}")
        style.append(f".{name}{{opacity:0;animation:{name} {whole:.1f}s step-end infinite}}")
        groups.append(f'<g class="{name}">{picture}</g>')
    last = f"f{len(frames) - 1}"
    style.append(f".{last}{{opacity:1}}@media (prefers-reduced-motion:reduce){{g{{animation:none!important}}}}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="Claude Code writes a plan, is compacted, and has its plan back" '
        f'font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="{FONT}" xml:space="preserve">'
        f"<style>{''.join(style)}</style>"
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/><rect width="100%" height="26" rx="8" fill="{BAR}"/>'
        f'<circle cx="18" cy="13" r="5" fill="#e06c75"/><circle cx="36" cy="13" r="5" fill="#d5b06b"/>'
        f'<circle cx="54" cy="13" r="5" fill="#98c379"/>{"".join(groups)}</svg>\n'
    )


def main():
    program, hosts, home, target = (Path(it).resolve() for it in sys.argv[1:5])
    HOSTS["claude"] = Person
    run = Run("claude", Model(), program, hosts, home)
    run.model.play(SCENE, run.log)
    run.host.scratchpad("install", "claude")
    parts, marks, block = recorded(run)
    frames = [(seconds, drawn(screen)) for seconds, screen in story(screens(parts), marks)]
    frames.append((2 * READ, caption(block)))
    target.write_text(svg(frames))
    print(f"{target.name}: {len(frames)} pictures, {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
