"""Deciding and applying: one action, and all admissible actions."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from statistics import mean
from typing import Any

from benchmarks.asked import Asked
from benchmarks.bench import Bench
from benchmarks.peers import EXPRESS, TEXTWORLD
from benchmarks.row import Found, Row
from benchmarks.timing import cpu_ms
from benchmarks.worlds import PLAYER, Walk, grown, spoken, strolled, told, walked
from saniwa.app.scenarios import locate_shipped_registry
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.judge import find_admissible_actions, judge
from saniwa.rulebook.loader import build_rulebook, resolve_layers
from saniwa.scenario.loader import load_scenario
from saniwa.scenario.registry import Registry
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.apply import apply_action
from saniwa.world.model import World

FLAGSHIP = "lantern_island"
FASTER = 50
"""How many times faster than TextWorld one action must be."""
SLOWEST = 0.05
"""Milliseconds to decide and apply one action."""
EXPRESS_MS = 0.6
"""What TextWorldExpress was once measured to need for the actions of a state."""
WHOLE = (
    "a turn also reads the claim, fingerprints the world before and after, and writes "
    "the record that replay needs; TextWorld keeps none."
)
ALONE = "TextWorld could not be had (see below); ours is from a world of 60 entities."

Report = dict[str, Any]


def measured(bench: Bench) -> Found:
    """Everything about deciding."""
    steps = bench.amount(1400, 280)
    textworld = walks_of_textworld(bench)
    express = bench.ask(EXPRESS, bench.amount(3000, 1000))
    rows = beside_textworld(textworld, steps)
    rows += beside_express(rows[-1], express)
    rows += flagship_rows(steps)
    return Found(rows=rows, growth=[])


def walks_of_textworld(bench: Bench) -> Report | None:
    """What TextWorld measured: asked once in a run, for everybody who compares."""
    return bench.ask(TEXTWORLD, bench.amount(300, 100))


def strict() -> Rulebook:
    """The book that answers as TextWorld's own rules do."""
    return build_rulebook(resolve_layers("strict"))


def judged(walk: Walk, book: Rulebook) -> World:
    """The world after the walk, each action judged and then applied."""
    world = walk.world
    for action in walk.actions:
        verdict = judge(action, world, book)
        assert verdict.success, f"{action} was refused: {verdict}"
        world = apply_action(action, world).world
    return world


def played(walk: Walk, book: Rulebook) -> World:
    """The same as whole turns: wire claims in, fingerprinted records out."""
    world, words = walk.world, SpokenWords(actor_id=walk.actions[0].actor_id, text="")
    for claim in walk.claims:
        turn, world = play_turn(words, [claim], world, book)
        assert turn.applied_actions, f"{claim} was refused: {turn}"
    return world


def per_action(
    work: Callable[[Walk, Rulebook], World], walks: Iterable[Walk], book: Rulebook
) -> float:
    """Milliseconds for one action of the walks."""
    walks = list(walks)
    total = sum(cpu_ms(partial(work, walk, book)) for walk in walks)
    return total / sum(len(walk.actions) for walk in walks)


def flagship_rows(steps: int) -> list[Row]:
    """One action in the flagship, by the book it plays by."""
    scenario = load_scenario(Registry.open(locate_shipped_registry()).resolve(FLAGSHIP))
    book = build_rulebook(resolve_layers(scenario.rulebook))
    walk = strolled(scenario.world, book, steps)
    end, who = judged(walk, book), walk.actions[0].actor_id
    return [
        Row(work=f"judge and apply one action, {FLAGSHIP}", ours=per_action(judged, [walk], book)),
        Row(work=f"play one action as a turn, {FLAGSHIP}", ours=per_action(played, [walk], book)),
        Row(
            work=f"all admissible actions, {FLAGSHIP}",
            ours=cpu_ms(partial(find_admissible_actions, end, who, book)),
        ),
    ]


def beside_textworld(report: Report | None, steps: int) -> list[Row]:
    """The same walks through the same worlds, there and here."""
    book, games = strict(), report["games"] if report else []
    walks = [walked(told(g["facts"]), map(spoken, g["walk"])) for g in games]
    walks = walks or [grown(60, steps)]
    alone, turn = per_action(judged, walks, book), per_action(played, walks, book)
    listing, count = _listing(walks, book)
    step = _average(games, "step_ms")
    listed = _average(games, "admissible")
    return [
        _quick_enough(_faster("judge and apply one action, 20 rooms, 40 things", alone, step)),
        _faster("play one action as a turn, 20 rooms, 40 things", turn, step, WHOLE),
        Row(
            work="a turn and then all admissible actions",
            ours=turn + listing,
            peer="TextWorld, commands asked for",
            theirs=_average(games, "step_asked_ms"),
            note="TextWorld works them out in every step, asked for or not.",
        ),
        Row(
            work="all admissible actions of that state",
            ours=listing,
            peer="TextWorld",
            theirs=_average(games, "admissible_ms"),
            asks=Asked.ADMISSIBLE,
            note=f"we list {count:.0f} actions"
            + (f", TextWorld {listed:.0f}: it knows fewer verbs." if listed else "."),
        ),
    ]


def _average(games: list[Report], field: str) -> float | None:
    return mean(game[field] for game in games) if games else None


def _faster(work: str, ours: float, theirs: float | None, extra: str = "") -> Row:
    row = Row(
        work=work,
        ours=ours,
        peer="TextWorld, JSON games",
        theirs=theirs,
        mark=f"{FASTER}× faster",
        note=extra,
        why="TextWorld's step is quick in small states, and ours keeps what replay needs",
        asks=Asked.ACTION,
    )
    if row.ratio is None:
        return replace(row, note=ALONE)
    return replace(row, met=row.ratio * FASTER <= 1)


def _quick_enough(row: Row) -> Row:
    """The same row with a mark of its own beside the peer's."""
    mark = f"under {SLOWEST} ms, {row.mark}"
    return replace(row, mark=mark, met=row.ours < SLOWEST and row.met is not False)


def _listing(walks: list[Walk], book: Rulebook) -> tuple[float, float]:
    """Milliseconds for, and number of, the admissible actions where the walks end."""
    ends = [judged(walk, book) for walk in walks]
    times = [cpu_ms(partial(find_admissible_actions, end, PLAYER, book)) for end in ends]
    return mean(times), mean(len(find_admissible_actions(end, PLAYER, book)) for end in ends)


def beside_express(ours: Row, report: Report | None) -> list[Row]:
    """The list of actions beside TextWorldExpress: an earlier figure, and as it is here."""
    known = Row(
        work=ours.work,
        ours=ours.ours,
        peer="TextWorldExpress, earlier figure",
        theirs=EXPRESS_MS,
        mark=f"under {EXPRESS_MS} ms",
        met=ours.ours < EXPRESS_MS,
        asks=Asked.ADMISSIBLE,
    )
    if report is None:
        return [known]
    note = (
        f"its largest game has 11 rooms; it lists {report['admissible']:.0f} actions "
        "in every step, in a warm Java machine of several threads."
    )
    here = replace(known, mark="", met=None, note=note)
    return [
        known,
        replace(here, peer="TextWorldExpress, a step: CPU", theirs=report["step_cpu_ms"]),
        replace(here, peer="TextWorldExpress, a step: wall", theirs=report["step_ms"]),
    ]
