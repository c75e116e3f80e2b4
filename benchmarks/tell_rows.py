"""What is said about telling a story, and the marks for it."""

from functools import partial
from typing import Any

from benchmarks.peer_questions import PeerRow
from benchmarks.peers import ink
from benchmarks.row import ResultRow

RATE = 500_000
"""Lines shown in a second."""
READ = 400
"""Milliseconds to read and check it."""
KEPT, KEPT_BYTES = 0.3, 4096
"""Milliseconds to save and restore; bytes of a save."""
LARGEST = 60
"""Megabytes."""
OFTEN = "a choice every 8 lines"
_CHECK = "read and check a story of 10,000 lines, fresh process"
_TOLD = (
    "CPU time, for Saniwa and inkjs the median of five processes; lines played with random "
    "choices, the same for all; only Saniwa stores every step for rollback and remembers every "
    "line seen. The more choices and expressions a story has, the smaller the difference."
)
_SAVED = (
    "a save of ours counts every place visited and every choice taken, by names that "
    "survive an edit of the story; inkjs counts only what the story itself asks for"
)


def make_check_row(spent: float, beside: float | None) -> ResultRow:
    """Reading and checking, compared with inkjs."""
    under = beside is None or spent < beside / 3
    return ResultRow(
        work=_CHECK,
        ours=spent,
        peer=ink.NAME,
        theirs=beside,
        mark=f"under {READ} ms and a third of inkjs",
        met=spent < READ and under,
        note="`saniwa check` on the story in Markdown, inkjs compiling it from ink; "
        "both including the start of Python or Node.",
        why="a fresh process waits for a core",
        asks=PeerRow.CHECK,
    )


def make_lint_row(spent: float, beside: float | None) -> ResultRow:
    """Reading and checking, compared with Ren'Py."""
    return ResultRow(
        work=_CHECK,
        ours=spent,
        peer="Ren'Py, lint",
        theirs=beside,
        note="the same story as a Ren'Py script; Debian's package does not lint with Debian's "
        "Python, so a few lines in the game fix that.",
        asks=PeerRow.CHECK,
    )


def make_telling_rows(
    ours: dict[str, float], inkjs: dict[str, float] | None, bink: dict[str, Any] | None
) -> list[ResultRow]:
    """Telling, saving, and the memory for it."""
    return [
        _make_line_row(ours, inkjs),
        _make_rate_row("inkjs", ours, inkjs),
        _make_rate_row("bink, Rust with Python bindings", ours, bink),
        *_make_saving_rows(ours, inkjs),
        _make_memory_row(ours, inkjs),
    ]


def _make_line_row(ours: dict[str, float], inkjs: dict[str, float] | None) -> ResultRow:
    theirs = inkjs["step_ms"] if inkjs else None
    return ResultRow(
        work="play one line of the story",
        ours=ours["step_ms"],
        peer=ink.NAME,
        theirs=theirs,
        mark="ten times as fast",
        met=None if theirs is None else ours["step_ms"] * 10 < theirs,
        note=_TOLD,
        why="a choice creates a step, a rollback point and an entry in the history, so a story "
        "with more choices costs more per line",
        asks=PeerRow.STEPS,
    )


def _make_rate_row(name: str, ours: dict[str, float], peer: dict[str, Any] | None) -> ResultRow:
    rate = 1000 / ours["step_ms"]
    return ResultRow(
        work="lines of the story played in a second",
        ours=rate,
        peer=name,
        theirs=1000 / peer["step_ms"] if peer else None,
        mark=f"over {RATE:,}",
        met=rate > RATE,
        unit="a second",
        why="a story with more choices costs more per line",
        asks=PeerRow.STEPS,
    )


def _make_saving_rows(ours: dict[str, float], inkjs: dict[str, float] | None) -> list[ResultRow]:
    row = partial(ResultRow, peer=ink.NAME, asks=PeerRow.SAVE)
    spent, size = ours["save_ms"] + ours["restore_ms"], ours["saved_bytes"]
    return [
        row(
            work="save and restore in the middle of the story",
            ours=spent,
            theirs=inkjs["save_ms"] + inkjs["restore_ms"] if inkjs else None,
            mark=f"under {KEPT} ms",
            met=spent < KEPT,
            why=_SAVED,
        ),
        row(
            work="size of that save",
            ours=size,
            theirs=inkjs["saved_bytes"] if inkjs else None,
            mark=f"{KEPT_BYTES // 1024} KB",
            met=size <= KEPT_BYTES,
            unit="bytes",
            note="saved after 5,000 lines were played.",
            why=_SAVED,
        ),
    ]


def _make_memory_row(ours: dict[str, float], inkjs: dict[str, float] | None) -> ResultRow:
    megabytes = ours["peak_bytes"] / 1e6
    theirs = inkjs["peak_bytes"] / 1e6 if inkjs else None
    under = theirs is None or megabytes < theirs / 4
    return ResultRow(
        work="peak memory for the story",
        ours=megabytes,
        peer=ink.NAME,
        theirs=theirs,
        mark=f"under {LARGEST} MB and a quarter of inkjs",
        met=megabytes < LARGEST and under,
        unit="MB",
        note="the whole process, Python and Node included.",
        asks=PeerRow.MEMORY,
    )
