"""Two processes on one run: how many events a second are accepted, and are all kept?

As a script it is one of the writers: it says "ready", waits for a line, sends its
events, and prints when it began and ended and which keys were accepted.
"""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from time import perf_counter_ns
from typing import Any, NamedTuple

from benchmarks.gate_door import GateDoor
from benchmarks.timing import make_user_environment

ROOT = Path(__file__).parents[1]
PATIENCE = 60
"""Seconds."""


class RaceResult(NamedTuple):
    """What came of it."""

    accepted: int
    """Events that were acknowledged."""
    kept: int
    """Those of them that are in the history, each once."""
    refused: int
    """Attempts that were too late; each received the revision and was repeated."""
    seconds: float
    """From the first event to the last."""


def race_writers(folder: Path, python: Path, each: int) -> RaceResult:
    """Let two writers send so many events each to one run."""
    with closing(GateDoor(folder)) as door:
        run_id = door.begin_run()
        reports = _run_writers(folder, python, run_id, each)
        kept = [key for key in door.list_keys(run_id) if key]
    accepted = [key for report in reports for key in report["accepted"]]
    assert len(kept) == len(set(kept)), "an event stands in the history twice"
    began = min(report["began"] for report in reports)
    ended = max(report["ended"] for report in reports)
    return RaceResult(
        accepted=len(accepted),
        kept=len(set(accepted) & set(kept)),
        refused=sum(report["refused"] for report in reports),
        seconds=(ended - began) / 1e9,
    )


def _run_writers(folder: Path, python: Path, run_id: str, each: int) -> list[Any]:
    writers = [_start_writer(folder, python, run_id, name, each) for name in ("a", "b")]
    try:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n", "a writer did not start"
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        return [json.loads(writer.communicate(timeout=PATIENCE)[0]) for writer in writers]
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()


def _start_writer(
    folder: Path, python: Path, run_id: str, name: str, each: int
) -> "subprocess.Popen[str]":
    words = ["-m", "benchmarks.gate_race", str(folder), run_id, name, str(each)]
    return subprocess.Popen(
        [str(python), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=make_user_environment(),
    )


def write(folder: Path, run_id: str, name: str, each: int) -> None:
    """Send so many events, each until it is accepted; then say what happened."""
    with closing(GateDoor(folder)) as door:
        revision, refused = door.gate.get_state(run_id).revision, 0
        accepted: list[str] = []
        print("ready", flush=True)
        sys.stdin.readline()
        began = perf_counter_ns()
        while len(accepted) < each:
            key = f"{name}-{len(accepted)}"
            told = door.move(run_id, revision, key)
            if told["success"]:
                revision = told["result"]["new_revision"]
                accepted.append(key)
            else:
                assert told["error"]["code"] == "REVISION_CONFLICT", told
                revision, refused = told["error"]["current_revision"], refused + 1
        ended = perf_counter_ns()
    report = {"began": began, "ended": ended, "accepted": accepted, "refused": refused}
    print(json.dumps(report))


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
