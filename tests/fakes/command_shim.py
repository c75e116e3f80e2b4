"""The `saniwa` and `python` commands for a shell in a test, which forward to a forked child.

Its folder has the socket of `command_parent`. It starts in a hundredth of the time of
Saniwa itself, because it imports nothing else and is run with `-I -S`.
"""

import json
import os
import socket
import sys

WHOLE = ("experiment", "lsp", "mcp")
"""Commands that need the parent that has imported everything."""


def run() -> int:
    """Have the command forked with this process's own streams, and wait for its exit code."""
    # `os.path`, because importing pathlib would double the time this takes.
    folder, name = os.path.split(sys.argv[0])
    if name == "python" and (len(sys.argv) < 2 or sys.argv[1].startswith("-")):
        os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
    words = [name, *sys.argv[1:]]
    request = json.dumps([os.getcwd(), dict(os.environ), words]).encode()  # noqa: PTH109 - see above
    with socket.socket(socket.AF_UNIX) as line:
        is_whole = name == "python" or (words[1:2] and words[1] in WHOLE)
        line.connect(f"{folder}/{'socket' if is_whole else 'light'}")
        socket.send_fds(line, [len(request).to_bytes(4, "big")], [0, 1, 2])
        line.sendall(request)
        line.recv(4)
        return int.from_bytes(line.recv(4), "big", signed=True)


if __name__ == "__main__":
    sys.exit(run())
