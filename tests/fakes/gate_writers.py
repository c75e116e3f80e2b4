"""Writers to be killed, forked from one process so that starting one takes little time.

Run as `python -m tests.fakes.gate_writers FOLDER RUN`. Each line of input is a number of
writers; it forks them, prints their process ids, and prints `gone` when all of them have
ended. A writer adds events to the run as fast as it can and prints `kept REVISION KEY`
after each; when another writer was faster, `lost REVISION` with the current revision.
"""

import os
import sys
from pathlib import Path

from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from tests.fakes.gate import make_next_record

_PATIENCE = 120.0


def say(*words: object) -> None:
    """Print one line with one write, so that the lines of two writers do not mix."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def write(folders: GateFolders, run_id: str) -> None:
    """Add events until killed."""
    log = FileGateLog(folders, patience=_PATIENCE)
    expected = log.load_run(run_id).revision
    number = 0
    while True:
        number += 1
        with log.lock_run(run_id) as passage:
            current = passage.run.revision
            if current != expected:
                expected = current
                say("lost", current)
                continue
            key = f"{os.getpid()}-{number}"
            size = 40 if number % 7 else 9000
            payload = {"x": "y" * size}
            passage.append(make_next_record(passage.run, key=key, payload=payload))
            expected = current + 1
        say("kept", expected, key)


def serve(folders: GateFolders, run_id: str) -> None:
    """Fork as many writers as each line asks for, and wait until they have ended."""
    for line in sys.stdin:
        children = []
        for _ in range(int(line)):
            child = os.fork()
            if child == 0:
                write(folders, run_id)
            children.append(child)
        say("pids", *children)
        for child in children:
            os.waitpid(child, 0)
        say("gone")


if __name__ == "__main__":
    serve(GateFolders.from_root(Path(sys.argv[1])), sys.argv[2])
