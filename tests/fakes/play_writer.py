"""A process that replaces a play repeatedly, for tests with several writers and killed ones.

Run as `python -m tests.fakes.play_writer PLACE COUNT SIZE` it prints `ready`, waits for a
line, then raises the play `p` by one revision COUNT times, and prints each revision that it
has written. When another writer was first, it reads the play and tries again.
"""

import os
import sys

from saniwa.app.run_stores import open_play_records
from saniwa.core.errors import StoreError
from saniwa.store.play_records import PlayRecords


def make_content(by: int, revision: int, size: int = 10) -> bytes:
    """The content that a writer keeps at a revision, different for each writer."""
    return f"{by} {revision} ".encode() + b"x" * size


def _say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def _raise_revision(plays: PlayRecords, size: int) -> int:
    """Replace the play; returns the new revision, or 0 if another writer was first."""
    kept = plays.get("p")
    assert kept is not None
    new = kept.revision + 1
    try:
        plays.put("p", make_content(os.getpid(), new, size), after=kept.revision)
    except StoreError as problem:
        if problem.code != "REVISION_CONFLICT":
            raise
        return 0
    return new


def _keep(place: str, count: int, size: int) -> None:
    plays = open_play_records(place)
    _say("ready")
    sys.stdin.readline()
    while count:
        if won := _raise_revision(plays, size):
            _say(won)
            count -= 1


if __name__ == "__main__":
    _keep(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
