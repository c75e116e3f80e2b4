"""What is said about a table of two, and the marks for it."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from statistics import median
from typing import Any

from benchmarks.peer_questions import PeerRow
from benchmarks.row import ResultRow

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
"""What one process measured."""
Reports = tuple[Report, Report]
"""Two processes with different hash seeds."""


def _take_medians(turns: Sequence[Report], field: str) -> tuple[float, float]:
    """The median of the early turns and of the late ones; the first two do not count."""
    values = [turn[field] for turn in turns]
    return median(values[2 : 2 + EDGE]), median(values[-EDGE:])


def make_time_rows(mine: list[Report], theirs: list[Report] | None) -> list[ResultRow]:
    """A turn on the wall, beyond the disk, and as an evening goes on."""
    row = partial(ResultRow, asks=PeerRow.TURN)
    whole = median(turn["ms"] for turn in mine)
    late = max(0.0, median(turn["ms"] - turn["bare_ms"] for turn in mine))
    cpu = [turn["cpu_ms"] for turn in mine]
    quarter = len(cpu) // 4
    first, last = median(cpu[2:quarter]), median(cpu[-quarter:])
    early, grown = _take_medians(theirs, "ms") if theirs else (None, None)
    told = f" Theirs {early:.0f} ms early, {grown:.0f} ms late." if theirs else ""
    return [
        row(
            work="a turn of a character that a model plays, trace written",
            ours=whole,
            peer=f"{NAME}, late in {len(theirs or ()) + 1} turns",
            theirs=grown,
            note=f"on the wall, ours with {mine[-1]['syncs']:.0f} syncs of the disk, theirs "
            f"with none: it writes a checkpoint after each turn.{told}",
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
            why="all of it is Python: a turn is folded into every mind, up to 118 memories are "
            "weighed for the prompt, what is said is heard, judged and told, and a journal "
            "gets seven entries; none of it is above a fifth of the whole",
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


def make_size_rows(mine: list[Report], theirs: list[Report] | None) -> list[ResultRow]:
    """What a turn writes."""
    kept = median(turn["kept_bytes"] for turn in mine)
    journal = median(turn["journal_bytes"] for turn in mine)
    row = partial(ResultRow, asks=PeerRow.TURN, unit="bytes")
    early, late = _take_medians(theirs, "log_bytes") if theirs else (None, None)
    written = _take_medians(theirs, "written_bytes")[1] if theirs else None
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


def make_call_rows(mine: list[Report], theirs: list[Report] | None) -> list[ResultRow]:
    """What a model is asked in a turn."""
    calls = max(turn["calls"] for turn in mine)
    largest = max(turn["characters"] for turn in mine)
    early, late = _take_medians(theirs, "characters") if theirs else (None, None)
    prompt = partial(
        ResultRow,
        work="letters of all prompts of a turn, the most of any",
        ours=largest,
        unit="letters",
        asks=PeerRow.PROMPT,
    )
    return [
        ResultRow(
            work="questions to a model in a turn, the most of any",
            ours=calls,
            peer=NAME,
            theirs=_take_medians(theirs, "calls")[1] if theirs else None,
            mark=f"1 to {CALLS}",
            met=1 <= calls <= CALLS,
            unit="calls",
            note="a character asks once; where a model also listens or tells, once more.",
            asks=PeerRow.CALLS,
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


def compare_prompts(mine: Reports, theirs: Reports | None) -> ResultRow:
    """Prompts of two processes that were given the same answers."""
    alike, asked = _count_shared_prompts(mine)
    told, note = None, ""
    if theirs is not None:
        same, prompts = _count_shared_prompts(theirs)
        told, note = same / prompts * 100, f"; theirs {same:,} of {prompts:,}"
    return ResultRow(
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
        asks=PeerRow.SAME_PROMPTS,
    )


def _count_shared_prompts(reports: Reports) -> tuple[int, int]:
    """How many prompts both processes have asked, and how many there were."""
    first, second = (Counter[str](report["prompts"]) for report in reports)
    return (first & second).total(), max(first.total(), second.total())
