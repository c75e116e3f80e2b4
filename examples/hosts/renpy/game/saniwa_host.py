"""Saniwa as a child process: one line of JSON out, one line of JSON back.

A module of its own, because what lies in modules Ren'Py never tries to save.
"""

import base64
import json
import subprocess


class Saniwa:
    """A conversation with `saniwa host --stdio`."""

    def __init__(self, command):
        """Start the child; it ends when this process does."""
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._files = {}

    def ask(self, op, **fields):
        """The answer to one request."""
        line = json.dumps(dict(fields, op=op)) + "\n"
        self._child.stdin.write(line.encode("utf-8"))
        self._child.stdin.flush()
        answer = self._child.stdout.readline()
        if not answer:
            raise RuntimeError("saniwa has ended; its last words are in the console")
        return json.loads(answer.decode("utf-8"))

    def file(self, path):
        """The bytes of a picture or a sound; None where there is none."""
        if path not in self._files:
            answer = self.ask("asset", path=path) if path else {}
            content = answer.get("content")
            self._files[path] = content and base64.b64decode(content)
        return self._files[path]


_begun = []


def open_saniwa(command):
    """The conversation; begun when it is first asked for."""
    if not _begun:
        _begun.append(Saniwa(command))
    return _begun[0]
