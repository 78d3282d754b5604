"""A terminal with a person at it, for what hosts do only there."""

import fcntl
import os
import pty
import re
import signal
import struct
import termios
import threading
import time

# What a terminal is asked, and its answers: some hosts wait for them.
ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[c": b"\x1b[?62;22c",
    b"\x1b[?u": b"\x1b[?0u",
    b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
}
CONTROL = r"\x1b(\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9]|[=>78cM])"


class Terminal:
    def __init__(self, command, directory, environment, ready, rows=40, columns=120):
        """Starts a host, and waits until it shows that it is ready."""
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.chdir(directory)
            words = [str(word) for word in command]
            os.execvpe(words[0], words, environment | {"TERM": "xterm-256color"})
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.shown = b""
        # What came when, in parts.
        self.parts = []
        self.changed = time.monotonic()
        threading.Thread(target=self.read, daemon=True).start()
        began = time.monotonic()
        # Some draw blanks by moving on.
        while ready not in self.text().replace(" ", "") and time.monotonic() - began < 90:
            time.sleep(0.2)
        # Whoever starts slowly does all else slowly too.
        self.quiet = max(2, (time.monotonic() - began) / 3)

    def read(self):
        while True:
            try:
                new = os.read(self.file, 65536)
                for question, answer in ANSWERS.items():
                    for _ in range(new.count(question)):
                        os.write(self.file, answer)
            except OSError:
                return
            self.shown += new
            self.changed = time.monotonic()
            self.parts.append((self.changed, new))

    def text(self):
        return re.sub(CONTROL, "", self.shown.decode("utf8", "replace"))

    def settle(self, most=40):
        """Waits until nothing moves any more, or something always does."""
        until = time.monotonic() + most
        while time.monotonic() < until and (not self.shown or time.monotonic() - self.changed < self.quiet):
            time.sleep(0.1)

    def type(self, line):
        self.settle()
        # A line that comes at once is taken for a paste.
        for character in line:
            os.write(self.file, character.encode())
            time.sleep(0.01)
        self.settle(3)
        self.enter()

    def down(self):
        os.write(self.file, b"\x1b[B")
        self.changed = time.monotonic()

    def enter(self):
        os.write(self.file, b"\r")
        # What comes of it takes its time.
        self.changed = time.monotonic()

    def wait(self, is_done, most=180):
        until = time.monotonic() + most
        while not is_done():
            assert time.monotonic() < until, f"nothing came of it: {self.text()[-500:]}"
            # A host that is still starting may have missed the key.
            if time.monotonic() - self.changed > 3 * self.quiet:
                self.enter()
            time.sleep(0.2)

    def stop(self):
        os.kill(self.process, signal.SIGTERM)
        until = time.monotonic() + 5
        while os.waitpid(self.process, os.WNOHANG)[0] == 0:
            if time.monotonic() > until:
                os.kill(self.process, signal.SIGKILL)
            time.sleep(0.1)
