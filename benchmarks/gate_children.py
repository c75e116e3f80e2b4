"""Child runs: what one of a thousand costs, compared with a run without a parent, and with fewer."""

from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter_ns, process_time_ns
from typing import NamedTuple

from benchmarks.row import ResultRow
from benchmarks.timing import time_once
from saniwa.app.gate.gate_opening import open_gate
from saniwa.process.gate import Gate

TIMES = 3
"""How many times a bare run a child run may cost: its end is recorded in two logs."""
FLAT = 1.5
"""How much more a child run may cost among ten times as many."""
_CHILD = """
process_id: part
version: "1"
name: A part
states: [open, {name: done, is_final: true}]
events: [{name: submit, allowed_roles: ["*"]}]
transitions: [{from: open, event: submit, to: done}]
"""
_PARENT = """
process_id: whole
version: "1"
name: A whole
states: [plan, {name: gather, children: [{name: parts, process: part, each: items}]}, {name: done, is_final: true}]
events: [{name: start, allowed_roles: ["*"]}]
transitions: [{from: plan, event: start, to: gather}, {from: gather, when: children, to: done}]
"""


class ChildTimes(NamedTuple):
    """Milliseconds of a fan-out, in the median of the rounds."""

    bare: float
    """A run that no other waits for, begun and ended: as it passes on the wall."""
    whole: float
    """A child run, begun and ended: as it passes on the wall."""
    begin: float
    """A child run, begun by the event that begins them all: CPU time."""
    end: float
    """A child run, ended, and known to the run that waits: CPU time."""
    join: float
    """The end of the last child run, which lets the run that waits go on: CPU time."""


def measure_rows(folder: Path, count: int, rounds: int) -> list[ResultRow]:
    """So many child runs: started, ended and joined; compared with as many bare runs, and with a tenth."""
    tenth = count // 10
    few, many = (_measure_rounds(folder / f"children-{n}", n, rounds) for n in (tenth, count))
    whole = ResultRow(
        work=f"one of {count:,} child runs: started, ended, joined",
        ours=many.whole,
        peer="Saniwa, a run that nothing waits for",
        theirs=many.bare,
        mark=f"within {TIMES:g}×",
        met=many.whole <= TIMES * many.bare,
        note="Two durable rows a run; the end of a child run is a third, in the run that waits.",
        why="the end of a child run is synced in two logs",
    )
    parts = [
        ResultRow(
            work=f"{what} one of {count:,} child runs",
            ours=large,
            peer=f"Saniwa, one of {tenth:,}",
            theirs=small,
            mark=f"flat: within {FLAT}×",
            met=large <= FLAT * small,
            note="CPU time, because the disk's speed varies.",
        )
        for what, large, small in (("start", many.begin, few.begin), ("end", many.end, few.end))
    ]
    join = ResultRow(
        work=f"end the last of {count:,} child runs: the waiting run continues",
        ours=many.join,
        peer=f"Saniwa, the last of {tenth:,}",
        theirs=few.join,
        note="CPU time, once in a fan-out: the evidence that is kept names every child run.",
    )
    return [whole, *parts, join]


def _measure_rounds(folder: Path, count: int, rounds: int) -> ChildTimes:
    taken = [_measure_round(folder / str(n) / ".state_gate", count) for n in range(rounds)]
    return ChildTimes(*map(median, zip(*taken, strict=True)))


def _measure_round(place: Path, count: int) -> ChildTimes:
    (place / "processes").mkdir(parents=True)
    (place / "processes" / "part.yaml").write_text(_CHILD, encoding="utf-8")
    (place / "processes" / "whole.yaml").write_text(_PARENT, encoding="utf-8")
    with open_gate(place) as gate:
        bare = time_once(lambda: _run_bare(gate, count)) / count
        run_id = gate.create_run("whole").run_id
        start, cpu = perf_counter_ns(), [process_time_ns()]
        _send(gate, run_id, "start", items=list(range(count)))
        cpu.append(process_time_ns())
        for child in gate.list_runs(run_id):
            _send(gate, child, "submit")
            cpu.append(process_time_ns())
        whole = (perf_counter_ns() - start) / 1e6 / count
        assert gate.get_state(run_id).is_final
    spent = [(after - before) / 1e6 for before, after in pairwise(cpu)]
    return ChildTimes(bare, whole, spent[0] / count, median(spent[1:]), spent[-1])


def _send(gate: Gate, run_id: str, event: str, **more: object) -> None:
    answer = gate.emit_event(
        run_id=run_id, event_name=event, expected_revision=1, idempotency_key=event, payload=more
    )
    assert answer["ok"], answer


def _run_bare(gate: Gate, count: int) -> None:
    for run_id in [gate.create_run("part", {"item": n}).run_id for n in range(count)]:
        _send(gate, run_id, "submit")
