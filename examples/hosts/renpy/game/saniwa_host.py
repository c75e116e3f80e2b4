"""Saniwa as a child process: one line of JSON out, one line of JSON back.

This is a separate module because Ren'Py never tries to save what is in modules.
"""

import base64
import json
import subprocess


class SaniwaProcess:
    """A conversation with `saniwa host --stdio`."""

    def __init__(self, command, folder=None):
        """Start the child in a folder; it ends when this process does."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._files = {}
        self._child = None
        self._gone = "saniwa has ended", "its last words are in the console"
        try:
            self._child = subprocess.Popen(command, cwd=folder, **pipes)
        except OSError as problem:
            cure = "install it, and start the game where it is on the path"
            self._gone = f"saniwa does not start: {problem}", cure

    def ask(self, op, **fields):
        """The answer to one request; an error if the process has ended."""
        answer = self._child and self._exchange_line(json.dumps(dict(fields, op=op)) + "\n")
        if answer:
            return json.loads(answer.decode("utf-8"))
        message, hint = self._gone
        return {"ok": False, "error": {"message": message, "hint": hint}}

    def _exchange_line(self, line):
        try:
            self._child.stdin.write(line.encode("utf-8"))
            self._child.stdin.flush()
        except OSError:
            return b""
        return self._child.stdout.readline()

    def load_file(self, path):
        """The bytes of a picture or a sound; None where there is none."""
        if path not in self._files:
            answer = self.ask("asset", path=path) if path else {}
            content = answer.get("content")
            self._files[path] = content and base64.b64decode(content)
        return self._files[path]


_begun = []


def open_saniwa(command, folder=None):
    """The conversation; begun when it is first asked for."""
    if not _begun:
        _begun.append(SaniwaProcess(command, folder))
    return _begun[0]
