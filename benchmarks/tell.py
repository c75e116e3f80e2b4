"""Telling a story: ours beside inkjs, bink and Ren'Py, the same story in each notation."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import tell_rows
from benchmarks.bench import Bench
from benchmarks.peers import BINK, PeerError, ink, ours, renpy
from benchmarks.row import Found, Row
from benchmarks.stories import DENSE, TALK, Pair, ring
from benchmarks.timing import as_users_have_it, once_ms

WALK = Path(__file__).with_name("story_walk.py")
LINES = 10_000
"""Lines of ink."""
CHECKED = 5_000
"""Lines that all must say alike before anything is measured."""
WALKS = 5
"""Processes that tell it, of ours and of inkjs."""
LINTS = 3
"""Times that Ren'Py lints."""


def measured(bench: Bench) -> Found:
    """Reading, telling, saving and the memory for it."""
    with TemporaryDirectory() as folder:
        there = _had(bench)
        talk = _told(bench, Path(folder, "talk"), ring(LINES, TALK), there)
        dense = _told(bench, Path(folder, "dense"), ring(LINES, DENSE), there)
    often = [replace(row, work=f"{row.work}; {tell_rows.OFTEN}") for row in dense]
    return Found(rows=[*talk, *often], growth=[])


def _had(bench: Bench) -> bool:
    """Whether inkjs is there."""
    return _or_none(bench, ink.NAME, lambda: str(ink.home())) is not None


def _or_none(bench: Bench, name: str, work: Callable[[], Any]) -> Any:
    """What the work gives; None, with the reason put down, where the peer fails."""
    try:
        return work()
    except PeerError as problem:
        bench.missed(name, problem)
        return None


def _told(bench: Bench, place: Path, pair: Pair, there: bool) -> list[Row]:
    markdown, story = place.with_suffix(".md"), place.with_suffix(".ink")
    markdown.write_text(pair.markdown, encoding="utf-8")
    story.write_text(pair.ink, encoding="utf-8")
    steps = bench.amount(200_000, 50_000)
    inkjs = _or_none(bench, ink.NAME, partial(_inkjs, markdown, story, steps)) if there else None
    bink = _bink(bench, markdown, story, steps // 10) if inkjs else None
    if inkjs:
        bench.met(ink.NAME, ink.VERSION)
    mine = _usual(partial(walked, markdown, steps))
    spent, beside = _checked(markdown, story if inkjs else None, bench.amount(15, 5))
    linted = _linted(bench, pair, place)
    return [
        tell_rows.checked(spent, beside),
        tell_rows.linted(spent, linted),
        *tell_rows.told(mine, inkjs, bink),
    ]


def _inkjs(markdown: Path, story: Path, steps: int) -> dict[str, float]:
    said = ink.ask(story, str(CHECKED), "--lines")
    assert walked(markdown, CHECKED, "--lines")[:CHECKED] == said[:CHECKED], "they differ"
    return _usual(partial(ink.ask, story, str(steps)))


def _bink(bench: Bench, markdown: Path, story: Path, steps: int) -> dict[str, Any] | None:
    compiled = story.with_suffix(".json")
    compiled.write_text(ink.compiled(story), encoding="utf-8")
    report = bench.ask(BINK, compiled, CHECKED, "--lines")
    if report is None:
        return None
    said = report["lines"]
    assert walked(markdown, CHECKED, "--lines")[:CHECKED] == said[:CHECKED], "they differ"
    return bench.ask(BINK, compiled, steps)


def _usual(walk: Callable[[], Any]) -> dict[str, float]:
    """The median of several processes, figure by figure.

    How a process happens to lie in memory moves the time of a line by a third.
    """
    found = [walk() for _ in range(WALKS)]
    return {name: median(each[name] for each in found) for name in found[0]}


def walked(story: Path, steps: int, *more: str) -> Any:
    """What a fresh process of ours found while telling the story."""
    command = [str(ours.python()), str(WALK), str(story), str(steps), *more]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=as_users_have_it()
    )
    return json.loads(done.stdout)


def _checked(markdown: Path, story: Path | None, rounds: int) -> tuple[float, float | None]:
    """Milliseconds to read and check it in a fresh process; the same of inkjs."""
    check(markdown)  # from now on Python has its bytecode
    mine, theirs = [], []
    # By turns, so that a busy machine slows both alike.
    for _ in range(rounds):
        mine.append(once_ms(partial(check, markdown)))
        if story is not None:
            theirs.append(once_ms(partial(_run, ink.command(story))))
    return median(mine), median(theirs) if theirs else None


def check(markdown: Path) -> None:
    """`saniwa check` on a story, in a fresh process."""
    _run([str(ours.python()), "-m", "saniwa", "check", str(markdown)])


def _linted(bench: Bench, pair: Pair, place: Path) -> float | None:
    """Milliseconds of Ren'Py, each time on a folder that it has not seen."""

    def lint() -> float:
        bench.say("linting with renpy")
        bench.met(renpy.NAME, renpy.version())
        folders = [place.with_name(f"{place.name}-renpy-{n}") for n in range(LINTS)]
        return median(once_ms(partial(renpy.linted, pair.renpy, each)) for each in folders)

    spent: float | None = _or_none(bench, renpy.NAME, lint)
    return spent


def _run(command: list[str]) -> None:
    environment = as_users_have_it() | ink.environment()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
