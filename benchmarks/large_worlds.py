"""How worlds grow: one action among 10 entities and among 100,000."""

from functools import partial

from benchmarks.asked import Asked
from benchmarks.bench import Bench
from benchmarks.decide import judged, per_action, played, strict
from benchmarks.row import Found, Growth, Row, duration
from benchmarks.timing import cpu_ms
from benchmarks.worlds import PLAYER, grown
from saniwa.language.parse import parse
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.judge import find_admissible_actions
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.model import World

SIZES = (10, 100, 1_000, 10_000, 100_000)
FLAT = 2.0
"""What the largest world may cost over the smallest and still be called flat."""
GROWN = """\
Judging, applying and playing must be flat.
Listing all admissible actions has a mark for the world of 20 rooms only; hearing words
("take the cup 0") and playing them has none."""


def measured(bench: Bench) -> Found:
    """What one action costs in ever larger worlds, and whether that is flat."""
    table, rows = growth(bench.amount(1400, 280))
    return Found(rows=rows, growth=[table])


def growth(steps: int) -> tuple[Growth, list[Row]]:
    """What one action costs in ever larger worlds, and whether that is flat."""
    book, lines = strict(), list[tuple[float, ...]]()
    for size in SIZES:
        walk = grown(size, steps)
        lines.append(
            (
                size,
                per_action(judged, [walk], book),
                per_action(played, [walk], book),
                cpu_ms(partial(find_admissible_actions, walk.world, PLAYER, book)),
                cpu_ms(partial(_heard, walk.world, book), rounds=3),
            )
        )
    names = ("judge and apply one action", "play one action as a turn")
    rows = [_flat(name, lines[-1][n], lines[0][n]) for n, name in enumerate(names, start=1)]
    headings = ("judge and apply", "as a turn", "all admissible", "from words")
    table = Growth(
        title="One action in a world of 10 to 100,000 entities",
        headings=("entities", *headings),
        lines=[(f"{n:,.0f}", *map(duration, times)) for n, *times in lines],
        note=GROWN,
    )
    return table, rows


def _heard(world: World, book: Rulebook) -> World:
    words = SpokenWords(actor_id=PLAYER, text="take the cup 0")
    turn, after = play_turn(words, parse(words.text, PLAYER, world), world, book)
    assert turn.applied_actions, f"not understood: {turn}"
    return after


def _flat(work: str, large: float, small: float) -> Row:
    return Row(
        work=f"{work}, {SIZES[-1]:,} entities",
        ours=large,
        peer=f"ours, {SIZES[0]} entities",
        theirs=small,
        mark=f"flat: within {FLAT:g}×",
        met=large <= FLAT * small,
        why="a large world does not fit into the processor's caches",
        asks=Asked.ACTION,
    )
