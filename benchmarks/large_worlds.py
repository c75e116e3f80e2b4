"""How worlds grow: one action among 10 entities and among 100,000."""

from functools import partial
from time import process_time_ns

from tests.hearing.score import FOLDER, load_house, read_lines

from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.decide import build_strict_rulebook, judge_walk, play_walk, time_per_action
from benchmarks.peer_questions import PeerRow
from benchmarks.row import GrowthTable, Measurements, ResultRow, format_duration
from benchmarks.timing import time_cpu
from benchmarks.worlds import PLAYER, grow_house, grow_walk
from saniwa.language.parse import parse
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.judge import find_admissible_actions
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.model import World

SIZES = (10, 100, 1_000, 10_000, 100_000)
THINGS = 10_000
"""The size of the world in which lines are heard."""
FLAT = 2.0
"""What the largest world may cost over the smallest and still be called flat."""
GROWN = """\
Judging, applying and playing must not depend on the size.
Listing all admissible actions has a target only for the world of 20 rooms; parsing words
("take the cup 0") and playing them has none; hearing alone has a row of its own."""


def measure(bench: BenchmarkRun) -> Measurements:
    """What one action costs in ever larger worlds, and whether that is flat."""
    table, rows = measure_growth(bench.choose_amount(1400, 280))
    heard = [measure_hearing(language, bench.choose_amount(600, 100)) for language in ("en", "ja")]
    return Measurements(rows=[*rows, *heard], growth=[table])


def measure_hearing(language: str, count: int) -> ResultRow:
    """What hearing one of the labelled lines costs among 10,000 things, as a median."""
    house = load_house(language)
    every = read_lines(FOLDER / f"lines_{language}.yaml")
    lines = [line.text for line in every[:: len(every) // count]]
    large, small = (_time_lines(lines, world) for world in (grow_house(house, THINGS), house))
    middle, late = len(lines) // 2, len(lines) * 95 // 100
    names = {"en": "English", "ja": "Japanese"}
    return ResultRow(
        work=f"hear a line, {names[language]}, {THINGS:,} things, p50",
        ours=large[middle],
        peer=f"Saniwa, {len(house.entities)} things",
        theirs=small[middle],
        mark="under 1 ms",
        met=large[middle] < 1,
        note=f"CPU time of {len(lines)} lines of `tests/hearing`; p95 {format_duration(large[late])}.",
        asks=PeerRow.ACTION,
    )


def _time_lines(lines: list[str], world: World) -> list[float]:
    """The CPU time of each line as it is parsed for the first time, shortest first."""
    actor, times = world.protagonist or PLAYER, list[float]()
    parse("look", actor, world)
    for text in lines:
        start = process_time_ns()
        parse(text, actor, world)
        times.append((process_time_ns() - start) / 1e6)
    return sorted(times)


def measure_growth(steps: int) -> tuple[GrowthTable, list[ResultRow]]:
    """What one action costs in ever larger worlds, and whether that is flat."""
    book, lines = build_strict_rulebook(), list[tuple[float, ...]]()
    for size in SIZES:
        walk = grow_walk(size, steps)
        lines.append(
            (
                size,
                time_per_action(judge_walk, [walk], book),
                time_per_action(play_walk, [walk], book),
                time_cpu(partial(find_admissible_actions, walk.world, PLAYER, book)),
                time_cpu(partial(_hear_words, walk.world, book), rounds=3),
            )
        )
    names = ("judge and apply one action", "play one action as a turn")
    rows = [
        _make_flat_row(name, lines[-1][n], lines[0][n]) for n, name in enumerate(names, start=1)
    ]
    headings = ("judge and apply", "as a turn", "all admissible", "from words")
    table = GrowthTable(
        title="One action in a world of 10 to 100,000 entities",
        headings=("entities", *headings),
        lines=[(f"{n:,.0f}", *map(format_duration, times)) for n, *times in lines],
        note=GROWN,
    )
    return table, rows


def _hear_words(world: World, book: Rulebook) -> World:
    words = SpokenWords(actor_id=PLAYER, text="take the cup 0")
    turn, after = play_turn(words, parse(words.text, PLAYER, world), world, book)
    assert turn.applied_actions, f"not understood: {turn}"
    return after


def _make_flat_row(work: str, large: float, small: float) -> ResultRow:
    return ResultRow(
        work=f"{work}, {SIZES[-1]:,} entities",
        ours=large,
        peer=f"Saniwa, {SIZES[0]} entities",
        theirs=small,
        mark=f"flat: within {FLAT:g}×",
        met=large <= FLAT * small,
        why="a large world does not fit into the processor's caches",
        asks=PeerRow.ACTION,
    )
