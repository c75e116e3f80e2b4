"""Deciding and applying: one action, and all admissible actions."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from statistics import mean
from typing import Any

from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.peer_questions import PeerRow
from benchmarks.peers import EXPRESS, TEXTWORLD
from benchmarks.row import Measurements, ResultRow
from benchmarks.timing import time_cpu
from benchmarks.worlds import (
    PLAYER,
    WorldWalk,
    build_textworld,
    grow_walk,
    make_walk,
    parse_action,
    walk_randomly,
)
from saniwa.app.scenario_lookup import locate_shipped_registry
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


def measure(bench: BenchmarkRun) -> Measurements:
    """Everything about deciding."""
    steps = bench.choose_amount(1400, 280)
    textworld = measure_textworld_walks(bench)
    express = bench.ask(EXPRESS, bench.choose_amount(3000, 1000))
    rows = compare_textworld(textworld, steps)
    rows += compare_express(rows[-1], express)
    rows += measure_flagship(steps)
    return Measurements(rows=rows, growth=[])


def measure_textworld_walks(bench: BenchmarkRun) -> Report | None:
    """TextWorld's figures, measured once per run for all comparisons."""
    return bench.ask(TEXTWORLD, bench.choose_amount(300, 100))


def build_strict_rulebook() -> Rulebook:
    """The book that answers as TextWorld's own rules do."""
    return build_rulebook(resolve_layers("strict"))


def judge_walk(walk: WorldWalk, book: Rulebook) -> World:
    """The world after the walk, each action judged and then applied."""
    world = walk.world
    for action in walk.actions:
        verdict = judge(action, world, book)
        assert verdict.success, f"{action} was refused: {verdict}"
        world = apply_action(action, world).world
    return world


def play_walk(walk: WorldWalk, book: Rulebook) -> World:
    """The same as whole turns: wire claims in, fingerprinted records out."""
    world, words = walk.world, SpokenWords(actor_id=walk.actions[0].actor_id, text="")
    for claim in walk.claims:
        turn, world = play_turn(words, [claim], world, book)
        assert turn.applied_actions, f"{claim} was refused: {turn}"
    return world


def time_per_action(
    work: Callable[[WorldWalk, Rulebook], World], walks: Iterable[WorldWalk], book: Rulebook
) -> float:
    """Milliseconds for one action of the walks."""
    walks = list(walks)
    total = sum(time_cpu(partial(work, walk, book)) for walk in walks)
    return total / sum(len(walk.actions) for walk in walks)


def measure_flagship(steps: int) -> list[ResultRow]:
    """One action in the flagship, by the book it plays by."""
    scenario = load_scenario(Registry.open(locate_shipped_registry()).resolve(FLAGSHIP))
    book = build_rulebook(resolve_layers(scenario.rulebook))
    walk = walk_randomly(scenario.world, book, steps)
    end, who = judge_walk(walk, book), walk.actions[0].actor_id
    return [
        ResultRow(
            work=f"judge and apply one action, {FLAGSHIP}",
            ours=time_per_action(judge_walk, [walk], book),
        ),
        ResultRow(
            work=f"play one action as a turn, {FLAGSHIP}",
            ours=time_per_action(play_walk, [walk], book),
        ),
        ResultRow(
            work=f"all admissible actions, {FLAGSHIP}",
            ours=time_cpu(partial(find_admissible_actions, end, who, book)),
        ),
    ]


def compare_textworld(report: Report | None, steps: int) -> list[ResultRow]:
    """The same walks through the same worlds, there and here."""
    book, games = build_strict_rulebook(), report["games"] if report else []
    walks = [make_walk(build_textworld(g["facts"]), map(parse_action, g["walk"])) for g in games]
    walks = walks or [grow_walk(60, steps)]
    alone, turn = time_per_action(judge_walk, walks, book), time_per_action(play_walk, walks, book)
    listing, count = _measure_listing(walks, book)
    step = _average_field(games, "step_ms")
    listed = _average_field(games, "admissible")
    return [
        _add_time_mark(
            _make_faster_row("judge and apply one action, 20 rooms, 40 things", alone, step)
        ),
        _make_faster_row("play one action as a turn, 20 rooms, 40 things", turn, step, WHOLE),
        ResultRow(
            work="a turn and then all admissible actions",
            ours=turn + listing,
            peer="TextWorld, with its list of commands",
            theirs=_average_field(games, "step_asked_ms"),
            note="TextWorld computes them in every step, even if they are not used.",
        ),
        ResultRow(
            work="all admissible actions of that state",
            ours=listing,
            peer="TextWorld",
            theirs=_average_field(games, "admissible_ms"),
            asks=PeerRow.ADMISSIBLE,
            note=f"we list {count:.0f} actions"
            + (f", TextWorld {listed:.0f}: it knows fewer verbs." if listed else "."),
        ),
    ]


def _average_field(games: list[Report], field: str) -> float | None:
    return mean(game[field] for game in games) if games else None


def _make_faster_row(work: str, ours: float, theirs: float | None, extra: str = "") -> ResultRow:
    row = ResultRow(
        work=work,
        ours=ours,
        peer="TextWorld, JSON games",
        theirs=theirs,
        mark=f"{FASTER}× faster",
        note=extra,
        why="TextWorld's step is fast in small states, and ours records what replay needs",
        asks=PeerRow.ACTION,
    )
    if row.ratio is None:
        return replace(row, note=ALONE)
    return replace(row, met=row.ratio * FASTER <= 1)


def _add_time_mark(row: ResultRow) -> ResultRow:
    """The same row with its own mark in addition to the peer's."""
    mark = f"under {SLOWEST} ms, {row.mark}"
    return replace(row, mark=mark, met=row.ours < SLOWEST and row.met is not False)


def _measure_listing(walks: list[WorldWalk], book: Rulebook) -> tuple[float, float]:
    """Milliseconds for, and number of, the admissible actions where the walks end."""
    ends = [judge_walk(walk, book) for walk in walks]
    times = [time_cpu(partial(find_admissible_actions, end, PLAYER, book)) for end in ends]
    return mean(times), mean(len(find_admissible_actions(end, PLAYER, book)) for end in ends)


def compare_express(ours: ResultRow, report: Report | None) -> list[ResultRow]:
    """The list of actions compared with TextWorldExpress: an earlier figure, and the present one."""
    known = ResultRow(
        work=ours.work,
        ours=ours.ours,
        peer="TextWorldExpress, earlier figure",
        theirs=EXPRESS_MS,
        mark=f"under {EXPRESS_MS} ms",
        met=ours.ours < EXPRESS_MS,
        asks=PeerRow.ADMISSIBLE,
    )
    if report is None:
        return [known]
    note = (
        f"its largest game has 11 rooms; it lists {report['admissible']:.0f} actions "
        "in every step, in a warm Java machine with several threads."
    )
    here = replace(known, mark="", met=None, note=note)
    return [
        known,
        replace(here, peer="TextWorldExpress, a step: CPU", theirs=report["step_cpu_ms"]),
        replace(here, peer="TextWorldExpress, a step: wall", theirs=report["step_ms"]),
    ]
