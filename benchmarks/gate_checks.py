"""Attested guards: what the gate adds to a command that it runs itself.

The event whose guard is the command, the bare command, and the event without a guard, by
turns. What counts is CPU time, so that a busy neighbour counts little.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median
from typing import NamedTuple

from benchmarks.row import ResultRow
from saniwa.app.gate.gate_opening import open_gate
from saniwa.process.gate import Gate

MOST = 5
"""Milliseconds of CPU that the gate may add to a command."""
COMMANDS = {"`true`": ["true"], "`python -c pass`": [sys.executable, "-c", "pass"]}


class CheckTimes(NamedTuple):
    """CPU milliseconds, those of the command included, in the median of the rounds."""

    checked: float
    """The event whose guard is the command."""
    bare: float
    """The command alone, its output captured."""
    unguarded: float
    """The event without a guard."""


def measure_rows(folder: Path, rounds: int) -> list[ResultRow]:
    """One row for each command."""
    return [
        _make_row(name, _measure_command(folder / f"checks-{number}", command, rounds))
        for number, (name, command) in enumerate(COMMANDS.items())
    ]


def _make_row(name: str, times: CheckTimes) -> ResultRow:
    added = times.checked - times.bare
    return ResultRow(
        work=f"an event whose guard runs {name}, its output stored as evidence",
        ours=times.checked,
        peer="the bare command",
        theirs=times.bare,
        mark=f"{MOST} ms more",
        met=added <= MOST,
        why="new processes take longer on a busy machine",
        note=f"CPU time, the command's own included. The gate adds {added:.2f} ms; "
        f"{times.unguarded:.2f} ms of it are the event, as without a guard. The rest starts "
        "the command in a group of its own, captures and hashes what it prints, and keeps it "
        "as evidence.",
    )


def _measure_command(project: Path, command: list[str], rounds: int) -> CheckTimes:
    place = project / ".state_gate"
    (place / "processes").mkdir(parents=True)
    for process, guard in (("checked", {"guard": "runs"}), ("plain", {})):
        written = json.dumps(_describe_process(process, command, guard))
        (place / "processes" / f"{process}.json").write_text(written, encoding="utf-8")
    settings = json.dumps({"check_commands": [command[0]]})
    (place / "state-gate.json").write_text(settings, encoding="utf-8")

    def run_bare() -> None:
        subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)

    with open_gate(place) as gate:
        taken = [
            CheckTimes(
                _time_event(gate, "checked"), _time_cpu(run_bare), _time_event(gate, "plain")
            )
            for _ in range(rounds + 1)
        ]
    return CheckTimes(*map(median, zip(*taken[1:], strict=True)))  # the first does not count


def _describe_process(name: str, command: list[str], guard: dict[str, str]) -> dict[str, object]:
    move = {"from": "open", "event": "close", "to": "closed", **guard}
    return {
        "process_id": name,
        "version": "1",
        "name": name,
        "states": ["open", {"name": "closed", "is_final": True}],
        "events": [{"name": "close", "allowed_roles": ["*"]}],
        "transitions": [move],
        "guards": {"runs": {"type": "check", "kind": "command", "command": command}},
    }


def _time_event(gate: Gate, process: str) -> float:
    run_id = gate.create_run(process).run_id

    def send() -> None:
        answer = gate.emit_event(
            run_id=run_id, event_name="close", expected_revision=1, idempotency_key="close"
        )
        assert answer["ok"], answer

    return _time_cpu(send)


def _time_cpu(work: Callable[[], None]) -> float:
    start = _read_cpu()
    work()
    return (_read_cpu() - start) * 1000


def _read_cpu() -> float:
    """Seconds of CPU that this process and the commands it has waited for have spent."""
    each = (getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN))
    return sum(spent.ru_utime + spent.ru_stime for spent in each)
