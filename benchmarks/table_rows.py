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
"""Model calls in a turn, and characters of their prompts."""
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
    """The wall time of a turn, without the disk, and as a run gets longer."""
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
            work="a turn of a character played by a model, trace written",
            ours=whole,
            peer=f"{NAME}, late in {len(theirs or ()) + 1} turns",
            theirs=grown,
            note=f"wall time, ours with {mine[-1]['syncs']:.0f} syncs of the disk, theirs "
            f"with none: it writes a checkpoint after each turn.{told}",
        ),
        row(
            work="the same without the disk's syncs",
            ours=late,
            peer=f"{NAME}, early",
            theirs=early,
            mark=f"under {BEYOND:g} ms",
            met=late < BEYOND,
            note="what the bare disk takes for as many bytes in as many syncs is measured after "
            "every turn and subtracted from ours; nothing is subtracted from theirs.",
            why="all of it is Python: every character's memory is updated, up to 118 memories are "
            "ranked for the prompt, the answer is parsed, judged and narrated, and a journal "
            "gets seven entries; no part is a quarter of the whole",
        ),
        row(
            work=f"CPU time of such a turn, last quarter of {len(mine)}",
            ours=last,
            peer="Saniwa, first quarter",
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
            work="size of such a turn in the trace",
            ours=kept,
            peer=f"{NAME}, log, early",
            theirs=early,
            mark="under 3 KB",
            met=kept < TRACE,
        ),
        row(
            work="size of such a turn in the trace",
            ours=kept,
            peer=f"{NAME}, log, late",
            theirs=late,
        ),
        row(
            work="size of all that such a turn writes, with the agent's journal",
            ours=kept + journal,
            peer=f"{NAME}, checkpoint, late",
            theirs=written,
            note="the journal has the prompt, the answer, and where the agent continues after a "
            "crash; Concordia writes a complete checkpoint after every turn.",
        ),
    ]


def make_call_rows(mine: list[Report], theirs: list[Report] | None) -> list[ResultRow]:
    """What a model is asked in a turn."""
    calls = max(turn["calls"] for turn in mine)
    largest = max(turn["characters"] for turn in mine)
    early, late = _take_medians(theirs, "characters") if theirs else (None, None)
    prompt = partial(
        ResultRow,
        work="length of all prompts in a turn, maximum",
        ours=largest,
        unit="characters",
        asks=PeerRow.PROMPT,
    )
    return [
        ResultRow(
            work="model calls in a turn, maximum",
            ours=calls,
            peer=NAME,
            theirs=_take_medians(theirs, "calls")[1] if theirs else None,
            mark=f"1 to {CALLS}",
            met=1 <= calls <= CALLS,
            unit="calls",
            note="a character calls the model once; if a model also parses or narrates, there is one more call.",
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
        work="same prompts in two processes with the same model answers",
        ours=alike / asked * 100,
        peer=NAME,
        theirs=told,
        mark="all",
        met=alike == asked,
        unit="%",
        note=f"ours {alike:,} of {asked:,}{note}. Order does not count, the stub answers by the "
        "content of a question and not by its wording, and Concordia's process is seeded as far "
        "as possible; it shuffles examples and options with random numbers that cannot be "
        "seeded.",
        asks=PeerRow.SAME_PROMPTS,
    )


def _count_shared_prompts(reports: Reports) -> tuple[int, int]:
    """How many prompts both processes have asked, and how many there were."""
    first, second = (Counter[str](report["prompts"]) for report in reports)
    return (first & second).total(), max(first.total(), second.total())
