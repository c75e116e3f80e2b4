"""Telling a story: ours beside inkjs, the same story in both notations."""

import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.peers import PeerError, ink
from benchmarks.peers import ours as peer_ours
from benchmarks.row import Row
from benchmarks.stories import DENSE, TALK, Pair, ring
from benchmarks.timing import as_users_have_it, once_ms

WALK = Path(__file__).with_name("story_walk.py")
LINES = 10_000
"""Lines of ink."""
STEPS = 200_000
"""Lines told."""
CHECKED = 5_000
"""Lines that both must say alike before anything is measured."""


def rows(absent: dict[str, str], rounds: int) -> list[Row]:
    """Reading, telling, saving and the memory for it."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            ink.home()
        except PeerError as problem:
            absent[ink.NAME] = str(problem)
        there = ink.NAME not in absent
        talk = _measured(Path(folder, "talk"), ring(LINES, TALK), rounds, there)
        dense = _measured(Path(folder, "dense"), ring(LINES, DENSE), rounds, there)
    often = [replace(row, work=f"{row.work}; {_OFTEN}") for row in dense]
    return [*talk, *often]


def _measured(place: Path, pair: Pair, rounds: int, there: bool) -> list[Row]:
    markdown, theirs = place.with_suffix(".md"), place.with_suffix(".ink")
    markdown.write_text(pair.markdown, encoding="utf-8")
    theirs.write_text(pair.ink, encoding="utf-8")
    peer: dict[str, Any] | None = None
    if there:
        _assert_alike(markdown, theirs)
        peer = ink.ask(theirs, str(STEPS))
    ours = _walk(markdown, STEPS)
    return [_compiled(markdown, theirs if there else None, rounds), *_rows(ours, peer)]


def _assert_alike(markdown: Path, theirs: Path) -> None:
    ours = _walk(markdown, CHECKED, "--lines")
    said = ink.ask(theirs, str(CHECKED), "--lines")
    assert ours[:CHECKED] == said[:CHECKED], "the two stories differ"


def _walk(story: Path, steps: int, *more: str) -> Any:
    """What a fresh process of ours found while telling the story."""
    command = [str(_python()), str(WALK), str(story), str(steps), *more]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=as_users_have_it()
    )
    return json.loads(done.stdout)


def _compiled(markdown: Path, theirs: Path | None, rounds: int) -> Row:
    saniwa = [str(_python()), "-m", "saniwa"]
    _run([*saniwa, "check", str(markdown)])  # from now on Python has its bytecode
    ours, peers = [], []
    # By turns, so that a busy machine slows both alike.
    for _ in range(rounds):
        check = partial(_run, [*saniwa, "check", str(markdown)])
        ours.append(once_ms(check))
        if theirs is not None:
            peers.append(once_ms(partial(_run, ink.command(theirs))))
    spent, beside = median(ours), median(peers) if peers else None
    return Row(
        work="read and check a story of 10,000 lines, fresh process",
        ours=spent,
        peer=ink.NAME,
        theirs=beside,
        mark="under a third",
        met=None if beside is None else spent < beside / 3,
        note="`saniwa check` on the story in Markdown, inkjs compiling it from ink; "
        "both with the start of Python and of Node.",
    )


def _run(command: list[str]) -> None:
    environment = as_users_have_it() | ink.environment()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def _rows(ours: dict[str, float], peer: dict[str, float] | None) -> list[Row]:
    def row(key: str, work: str, mark: str, share: float, note: str = "") -> Row:
        theirs = None if peer is None else peer[key]
        met = None if theirs is None else ours[key] < theirs * share
        return Row(
            work=work,
            ours=ours[key],
            peer=ink.NAME,
            theirs=theirs,
            mark=mark,
            met=met,
            note=note,
        )

    save = ours["save_ms"] + ours["restore_ms"]
    return [
        row(
            "step_ms",
            "tell a line of it",
            "ten times as fast",
            0.1,
            _TOLD,
        ),
        Row(
            work="save and restore in the middle of it",
            ours=save,
            peer=ink.NAME,
            theirs=None if peer is None else peer["save_ms"] + peer["restore_ms"],
            mark="under 0.3 ms",
            met=save < 0.3,
            note=f"{ours['saved_bytes']:.0f} bytes; inkjs keeps less in a save: no "
            "place that survives an edit, no pictures, no history of choices.",
        ),
        _memory(ours, peer),
    ]


_TOLD = (
    "lines told in a walk of random choices, the same for both; "
    "saving every step for rollback and remembering every line seen is ours alone. "
    "The more a story asks and reckons, the smaller the difference."
)
_OFTEN = "a choice every 8 lines"


def _python() -> Path:
    """Saniwa as its users have it; else as it runs here, with all a developer needs."""
    try:
        return peer_ours.python()
    except PeerError:
        return Path(sys.executable)


def _memory(ours: dict[str, float], peer: dict[str, float] | None) -> Row:
    megabytes = ours["peak_bytes"] / 1e6
    theirs = None if peer is None else peer["peak_bytes"] / 1e6
    return Row(
        work="peak memory for it",
        ours=megabytes,
        peer=ink.NAME,
        theirs=theirs,
        mark="under a quarter",
        met=None if theirs is None else megabytes < theirs / 4,
        unit="MB",
        note="the whole process, Python and Node included.",
    )
