"""A table of two characters that models play: ours beside Concordia, models as stubs.

The same evening on both sides: Mara and Ito wait for a ferry, with a lamp and a bell. Each
side plays it twice, in processes with different hash seeds, to see whether the same answers
bring the same prompts.
"""

import json
import subprocess
from collections import Counter
from collections.abc import Sequence
from functools import partial
from statistics import median
from typing import Any

from benchmarks.asked import Asked
from benchmarks.bench import Bench
from benchmarks.disk import on_disk
from benchmarks.peers import CONCORDIA, ours
from benchmarks.row import Found, Row
from benchmarks.timing import as_users_have_it

SEEDS = ("1", "2")
"""Of Python's hashes, one for each process."""
EDGE = 5
"""Turns at either end that are compared."""
BEYOND = 1.0
"""Milliseconds of a turn beyond what the disk takes alone."""
TRACE = 3072
"""Bytes that a turn may add to the store."""
CALLS, PROMPT = 2, 8000
"""Questions to a model in a turn, and letters of them."""
FLAT = 1.25
"""How much more a late turn may cost."""
NAME = "Concordia, 2 characters"

Report = dict[str, Any]
Reports = tuple[Report, Report]


def measured(bench: Bench) -> Found:
    """Everything about a table of two."""
    turns = bench.amount(40, 12)
    theirs = _concordia(bench, turns)
    count = bench.amount(400, 60)
    mine = _ours(count, SEEDS[0]), _ours(count, SEEDS[1])
    rows = [
        *_times(mine[0]["turns"], theirs[0]["turns"] if theirs else None),
        *_sizes(mine[0]["turns"], theirs[0]["turns"] if theirs else None),
        *_asked(mine[0]["turns"], theirs[0]["turns"] if theirs else None),
        _same(mine, theirs),
    ]
    return Found(rows=rows, growth=[])


def _concordia(bench: Bench, turns: int) -> Reports | None:
    reports = []
    for seed in SEEDS:
        with on_disk() as folder:
            told = bench.ask(
                CONCORDIA, turns, folder, variables={"PYTHONHASHSEED": seed}
            )
        if told is None:
            return None
        reports.append(told)
    return reports[0], reports[1]


def _ours(turns: int, seed: str) -> Report:
    with on_disk() as folder:
        words = ["-m", "benchmarks.table_turns", str(turns), str(folder)]
        done = subprocess.run(
            [str(ours.python()), *words],
            check=True,
            capture_output=True,
            cwd=ours.ROOT,
            env=as_users_have_it() | {"PYTHONHASHSEED": seed},
        )
    report: Report = json.loads(done.stdout)
    return report


def _of(turns: Sequence[Report], field: str) -> tuple[float, float]:
    """The median of the early turns and of the late ones; the first two do not count."""
    values = [turn[field] for turn in turns]
    return median(values[2 : 2 + EDGE]), median(values[-EDGE:])


def _times(mine: list[Report], theirs: list[Report] | None) -> list[Row]:
    row = partial(Row, asks=Asked.TURN)
    whole = median(turn["ms"] for turn in mine)
    late = median(turn["ms"] - turn["bare_ms"] for turn in mine)
    cpu = [turn["cpu_ms"] for turn in mine]
    quarter = len(cpu) // 4
    first, last = median(cpu[2:quarter]), median(cpu[-quarter:])
    early, grown = _of(theirs, "ms") if theirs else (None, None)
    told = f"theirs {early:.0f} ms early and {grown:.0f} ms late" if theirs else ""
    return [
        row(
            work="a turn of a character that a model plays, trace written",
            ours=whole,
            peer=f"{NAME}, late in {len(theirs or ()) + 1} turns",
            theirs=grown,
            note=f"on the wall, ours with {mine[-1]['syncs']:.0f} syncs of the disk, theirs "
            f"with none: it writes a checkpoint after each turn. {told}.",
        ),
        row(
            work="the same beyond the disk's own syncs",
            ours=late,
            peer=f"{NAME}, early",
            theirs=early,
            mark=f"under {BEYOND:g} ms",
            met=late < BEYOND,
            note="what the bare disk takes for as many bytes in as many syncs is measured "
            "after every turn and taken off ours; nothing is taken off theirs.",
            why="an agent's turn folds what was perceived into a mind, tells it as a prompt, "
            "plays what is said, and writes a journal of some ten entries, all in Python",
        ),
        row(
            work=f"CPU of such a turn, last quarter of {len(mine)}",
            ours=last,
            peer="ours, first quarter",
            theirs=first,
            mark=f"no growth: within {FLAT:g}×",
            met=last <= FLAT * first,
            why="a mind remembers more as an evening goes on, up to 128 memories that are "
            "looked through for each prompt; after that it stays as it is",
        ),
    ]


def _sizes(mine: list[Report], theirs: list[Report] | None) -> list[Row]:
    kept = median(turn["kept_bytes"] for turn in mine)
    journal = median(turn["journal_bytes"] for turn in mine)
    row = partial(Row, asks=Asked.TURN, unit="bytes")
    early, late = _of(theirs, "log_bytes") if theirs else (None, None)
    written = _of(theirs, "written_bytes")[1] if theirs else None
    return [
        row(
            work="what such a turn adds to the trace",
            ours=kept,
            peer=f"{NAME}, log, early",
            theirs=early,
            mark="under 3 KB",
            met=kept < TRACE,
        ),
        row(
            work="what such a turn adds to the trace",
            ours=kept,
            peer=f"{NAME}, log, late",
            theirs=late,
        ),
        row(
            work="what such a turn writes in all, its agent's journal too",
            ours=kept + journal,
            peer=f"{NAME}, checkpoint, late",
            theirs=written,
            note="the journal holds prompt and answer, and where the agent goes on after a "
            "crash; a checkpoint of Concordia's is written whole after every turn.",
        ),
    ]


def _asked(mine: list[Report], theirs: list[Report] | None) -> list[Row]:
    calls = max(turn["calls"] for turn in mine)
    largest = max(turn["characters"] for turn in mine)
    early, late = _of(theirs, "characters") if theirs else (None, None)
    prompt = partial(
        Row,
        work="letters of all prompts of a turn, the most of any",
        ours=largest,
        unit="letters",
        asks=Asked.PROMPT,
    )
    return [
        Row(
            work="questions to a model in a turn, the most of any",
            ours=calls,
            peer=NAME,
            theirs=_of(theirs, "calls")[1] if theirs else None,
            mark=f"1 to {CALLS}",
            met=1 <= calls <= CALLS,
            unit="calls",
            note="a character asks once; where a model also listens or tells, once more.",
            asks=Asked.CALLS,
        ),
        prompt(
            peer=f"{NAME}, early",
            theirs=early,
            mark=f"under {PROMPT:,}",
            met=largest < PROMPT,
            note=f"over {len(mine)} turns; theirs grow with every turn.",
        ),
        prompt(peer=f"{NAME}, late", theirs=late),
    ]


def _same(mine: Reports, theirs: Reports | None) -> Row:
    alike, asked = _alike(mine)
    told, note = None, ""
    if theirs is not None:
        same, prompts = _alike(theirs)
        told, note = same / prompts * 100, f"; theirs {same:,} of {prompts:,}"
    return Row(
        work="same model answers, two processes: same prompts",
        ours=alike / asked * 100,
        peer=NAME,
        theirs=told,
        mark="all",
        met=alike == asked,
        unit="%",
        note=f"ours {alike:,} of {asked:,}{note}. Order does not count, the stub answers "
        "by what is asked and not by how, and Concordia's process is seeded as far as it "
        "can be; it shuffles examples and options by numbers that cannot be.",
        asks=Asked.SAME_PROMPTS,
    )


def _alike(reports: Reports) -> tuple[int, int]:
    """How many prompts both processes have asked, and how many there were."""
    first, second = (Counter(report["prompts"]) for report in reports)
    return (first & second).total(), max(first.total(), second.total())
