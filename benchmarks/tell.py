"""Playing a story, compared with inkjs, bink and Ren'Py: the same story in each notation."""

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
from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.peers import BINK, PeerError, ink, renpy, saniwa_environment
from benchmarks.row import Measurements, ResultRow
from benchmarks.stories import DENSE, TALK, StoryPair, make_ring
from benchmarks.timing import make_user_environment, time_once

WALK = Path(__file__).with_name("story_walk.py")
LINES = 10_000
"""Lines of ink."""
CHECKED = 5_000
"""Lines that all must say alike before anything is measured."""
WALKS = 5
"""Processes that play it, of Saniwa and of inkjs."""
LINTS = 3
"""Times that Ren'Py lints."""


def measure(bench: BenchmarkRun) -> Measurements:
    """Reading, telling, saving and the memory for it."""
    with TemporaryDirectory() as folder:
        there = _has_inkjs(bench)
        talk = _measure_telling(bench, Path(folder, "talk"), make_ring(LINES, TALK), there)
        dense = _measure_telling(bench, Path(folder, "dense"), make_ring(LINES, DENSE), there)
    often = [replace(row, work=f"{row.work}; {tell_rows.OFTEN}") for row in dense]
    return Measurements(rows=[*talk, *often], growth=[])


def _has_inkjs(bench: BenchmarkRun) -> bool:
    """Whether inkjs is there."""
    return _try_peer(bench, ink.NAME, lambda: str(ink.install_inkjs())) is not None


def _try_peer(bench: BenchmarkRun, name: str, work: Callable[[], Any]) -> Any:
    """What the work gives; None, with the reason put down, where the peer fails."""
    try:
        return work()
    except PeerError as problem:
        bench.note_missing_peer(name, problem)
        return None


def _measure_telling(
    bench: BenchmarkRun, place: Path, pair: StoryPair, there: bool
) -> list[ResultRow]:
    markdown, story = place.with_suffix(".md"), place.with_suffix(".ink")
    markdown.write_text(pair.markdown, encoding="utf-8")
    story.write_text(pair.ink, encoding="utf-8")
    steps = bench.choose_amount(200_000, 50_000)
    inkjs = (
        _try_peer(bench, ink.NAME, partial(_measure_inkjs, markdown, story, steps))
        if there
        else None
    )
    bink = _measure_bink(bench, markdown, story, steps // 10) if inkjs else None
    if inkjs:
        bench.note_peer(ink.NAME, ink.VERSION)
    mine = _take_median_walk(partial(walk_story, markdown, steps))
    spent, beside = _time_checking(markdown, story if inkjs else None, bench.choose_amount(15, 5))
    linted = _time_linting(bench, pair, place)
    return [
        tell_rows.make_check_row(spent, beside),
        tell_rows.make_lint_row(spent, linted),
        *tell_rows.make_telling_rows(mine, inkjs, bink),
    ]


def _measure_inkjs(markdown: Path, story: Path, steps: int) -> dict[str, float]:
    said = ink.ask(story, str(CHECKED), "--lines")
    assert walk_story(markdown, CHECKED, "--lines")[:CHECKED] == said[:CHECKED], "they differ"
    return _take_median_walk(partial(ink.ask, story, str(steps)))


def _measure_bink(
    bench: BenchmarkRun, markdown: Path, story: Path, steps: int
) -> dict[str, Any] | None:
    compiled = story.with_suffix(".json")
    compiled.write_text(ink.compile_story(story), encoding="utf-8")
    report = bench.ask(BINK, compiled, CHECKED, "--lines")
    if report is None:
        return None
    said = report["lines"]
    assert walk_story(markdown, CHECKED, "--lines")[:CHECKED] == said[:CHECKED], "they differ"
    return bench.ask(BINK, compiled, steps)


def _take_median_walk(walk: Callable[[], Any]) -> dict[str, float]:
    """The median of several processes, figure by figure.

    The layout of a process in memory changes the time of a line by a third.
    """
    found = [walk() for _ in range(WALKS)]
    return {name: median(each[name] for each in found) for name in found[0]}


def walk_story(story: Path, steps: int, *more: str) -> Any:
    """The figures of a fresh process of Saniwa that played the story."""
    command = [str(saniwa_environment.find_python()), str(WALK), str(story), str(steps), *more]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=make_user_environment()
    )
    return json.loads(done.stdout)


def _time_checking(markdown: Path, story: Path | None, rounds: int) -> tuple[float, float | None]:
    """Milliseconds to read and check it in a fresh process; the same of inkjs."""
    check(markdown)  # from now on Python has its bytecode
    mine, theirs = [], []
    # By turns, so that a busy machine slows both alike.
    for _ in range(rounds):
        mine.append(time_once(partial(check, markdown)))
        if story is not None:
            theirs.append(time_once(partial(_run, ink.build_command(story))))
    return median(mine), median(theirs) if theirs else None


def check(markdown: Path) -> None:
    """`saniwa check` on a story, in a fresh process."""
    _run([str(saniwa_environment.find_python()), "-m", "saniwa", "check", str(markdown)])


def _time_linting(bench: BenchmarkRun, pair: StoryPair, place: Path) -> float | None:
    """Milliseconds of Ren'Py, each time on a folder that it has not seen."""

    def lint() -> float:
        bench.say("linting with renpy")
        bench.note_peer(renpy.NAME, renpy.find_version())
        folders = [place.with_name(f"{place.name}-renpy-{n}") for n in range(LINTS)]
        return median(time_once(partial(renpy.lint_script, pair.renpy, each)) for each in folders)

    spent: float | None = _try_peer(bench, renpy.NAME, lint)
    return spent


def _run(command: list[str]) -> None:
    environment = make_user_environment() | ink.build_environment()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
