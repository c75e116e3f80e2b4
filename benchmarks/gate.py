"""The gate: durable events, compared with the bare disk and three peers, and two writers at once.

All run the same small process; see `gate_door`.
"""

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter_ns
from typing import Any, NamedTuple

from benchmarks import gate_checks, gate_children, gate_decide, gate_race, gate_short_and_long
from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.disk import open_disk_folder
from benchmarks.gate_door import GateDoor
from benchmarks.peer_questions import PeerRow
from benchmarks.peers import gates, saniwa_environment
from benchmarks.row import Measurements, ResultRow

SLICE = 50
"""Events between two looks at the other side."""
SHARE = 0.9
"""Of the disk's own rate that a writer must reach."""
TIMES = 10
"""How many times a durable peer's rate we must reach."""
CONTEST = 200
"""Events of each of LangGraph's two writers."""
TWO_WRITERS = 2000
"""Events a second that two writers on one run must get through."""
RAW = "this disk, append and sync of the same bytes"
DURABLE = "one durable event, one writer"


class DurableTimes(NamedTuple):
    """One writer, compared with the disk."""

    ours: float
    """Milliseconds of an event."""
    raw: float
    """Milliseconds of an append and sync of the same bytes."""
    share: float
    """The part of the disk's own rate that was reached, in the median slice."""
    whole: float
    """The same over all slices, padding included."""
    size: float
    """Bytes of an event."""


def measure(bench: BenchmarkRun) -> Measurements:
    """Everything about the gate."""
    with open_disk_folder() as folder:
        langgraph = bench.ask(gates.LANGGRAPH, bench.choose_amount(300, 100), folder, CONTEST)
        dbos = bench.ask(gates.DBOS, bench.choose_amount(600, 200), folder)
        burr = bench.ask(gates.BURR, bench.choose_amount(600, 200), folder)
        durable = _measure_one_writer(folder, bench.choose_amount(100, 20))
        two = gate_race.race_writers(
            folder, saniwa_environment.find_python(), bench.choose_amount(4000, 1000)
        )
        grown = gate_short_and_long.measure_rows(folder, bench.choose_amount(15, 5))
        grown += gate_children.measure_rows(
            folder, bench.choose_amount(1_000, 100), bench.choose_amount(3, 1)
        )
        grown += gate_checks.measure_rows(folder, bench.choose_amount(25, 5))
    rows = [
        _make_disk_row(durable),
        _make_peer_row("LangGraph, SQLite, durability sync", durable, langgraph),
        _make_peer_row("DBOS, SQLite, a step", durable, dbos),
        _remove_mark(_make_peer_row("Burr, SQLite persister", durable, burr)),
        *_make_two_writer_rows(two, langgraph),
        *grown,
        *gate_decide.measure_rows(bench),
    ]
    return Measurements(rows=rows, growth=[])


def _measure_one_writer(folder: Path, slices: int) -> DurableTimes:
    """Our events and the bare disk alternately, so that changes of its speed affect both."""
    with closing(GateDoor(folder)) as door, closing(_RawFile(folder / "raw")) as raw:
        run_id = door.begin_run()
        record = door.locate_record(run_id)
        revision = door.walk(run_id, 1, SLICE)
        lines = _read_lines(record)[1:]
        raw.append(lines)
        taken, bare = [], []
        for _ in range(slices):
            start = perf_counter_ns()
            door.walk(run_id, revision, SLICE)
            taken.append((perf_counter_ns() - start) / 1e6 / SLICE)
            revision += SLICE
            lines = _read_lines(record)[-SLICE:]
            bare.append(raw.append(lines))
    share = median(theirs / mine for mine, theirs in zip(taken, bare, strict=True))
    return DurableTimes(
        ours=median(taken),
        raw=median(bare),
        share=share,
        whole=sum(bare) / sum(taken),
        size=median(map(len, lines)),
    )


def _read_lines(record: Path) -> list[bytes]:
    """The lines of a run's record, without what it was padded with."""
    return [line + b"\n" for line in record.read_bytes().rstrip(b"\n\0").split(b"\n")]


class _RawFile:
    """The least that is durable: one write at the end of a file, one sync."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def append(self, lines: list[bytes]) -> float:
        """Milliseconds of a line."""
        file, write, sync = self._file, os.write, os.fdatasync
        start = perf_counter_ns()
        for line in lines:
            write(file, line)
            sync(file)
        return (perf_counter_ns() - start) / 1e6 / len(lines)

    def close(self) -> None:
        os.close(self._file)


def _make_disk_row(durable: DurableTimes) -> ResultRow:
    return ResultRow(
        work=DURABLE,
        ours=durable.ours,
        peer=RAW,
        theirs=durable.raw,
        mark=f"{SHARE:.0%} of its rate",
        met=durable.share >= SHARE,
        why="reading, judging and sealing an event takes a few hundredths of a millisecond, and "
        "the faster the disk, the larger that part",
        asks=PeerRow.DURABLE,
        note=f"{1000 / durable.ours:,.0f} events a second of {durable.size:.0f} bytes, "
        f"the disk alone {1000 / durable.raw:,.0f}; measured alternately in slices of {SLICE}, "
        f"in the median slice we reach {durable.share:.0%} of it, over all together "
        f"{durable.whole:.0%}. We write into a file padded beforehand, which syncs "
        "faster than one that grows.",
    )


def _make_peer_row(name: str, durable: DurableTimes, peer: dict[str, Any] | None) -> ResultRow:
    theirs = None if peer is None else peer["event_ms"]
    return ResultRow(
        work=DURABLE,
        ours=durable.ours,
        peer=name,
        theirs=theirs,
        mark=f"{TIMES}× faster",
        met=None if theirs is None else theirs >= TIMES * durable.ours,
        why="one sync of this disk is the least either can do, and theirs does little more",
        asks=PeerRow.DURABLE,
    )


def _remove_mark(row: ResultRow) -> ResultRow:
    """No target was set for this one."""
    return replace(row, mark="", met=None, why="")


def _make_two_writer_rows(
    two: gate_race.RaceResult, langgraph: dict[str, Any] | None
) -> list[ResultRow]:
    rate = two.accepted / two.seconds
    contest = None if langgraph is None else langgraph["race"]
    theirs = None if contest is None else contest["kept"] / contest["accepted"] * 100
    told = "" if contest is None else f"; theirs {contest['accepted']:,}"
    return [
        ResultRow(
            work="events accepted, two processes on one run",
            ours=rate,
            mark=f"{TWO_WRITERS:,} a second",
            met=rate >= TWO_WRITERS,
            unit="a second",
            note=f"{two.refused:,} attempts came too late, received the current revision, "
            "and tried again.",
        ),
        ResultRow(
            work="accepted events of two processes that are in the history afterwards",
            ours=two.kept / two.accepted * 100,
            peer="LangGraph, two processes on one thread",
            theirs=theirs,
            mark="all of them",
            met=two.kept == two.accepted,
            unit="%",
            note=f"our two writers had {two.accepted:,} events accepted{told}.",
        ),
    ]
