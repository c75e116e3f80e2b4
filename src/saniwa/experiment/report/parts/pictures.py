"""The plots of a report, with the words that stand below them."""

from functools import partial
from typing import Final

from saniwa.experiment.measure.model import HEADLINE, Metric
from saniwa.experiment.plan import LETTERS, Condition
from saniwa.experiment.report.blocks import Block, Picture
from saniwa.experiment.report.figures import estimated, figure, metric_named
from saniwa.experiment.report.material import Material, labels, undrawn
from saniwa.experiment.report.plots.dots import Dot, dots
from saniwa.experiment.report.plots.ink import series_class
from saniwa.experiment.report.plots.lines import Curve, interaction, stall_lines
from saniwa.experiment.report.plots.mark import Mark, mark_of
from saniwa.experiment.report.plots.strips import MOST_DOTS, strips

_LETTERS: Final = "".join(LETTERS.values())
_MEETING: Final = HEADLINE[:2]


def side_by_side(material: Material) -> tuple[Block, ...]:
    """A small plot of dots for each number a reader sees first."""
    named = labels(material)
    pictures: list[Block] = []
    for metric in map(metric_named, HEADLINE):
        rows = [
            Dot(
                named[each.name], _colour(each), _mark(material, each.name, metric.name)
            )
            for each in material.drawn
        ]
        told = [
            f"{named[each.name]}: {_figures(material, each.name, metric)}"
            for each in material.drawn
        ]
        anchor = f"plot-{metric.name.replace('_', '-')}"
        pictures.append(
            Picture(
                anchor,
                f"{metric.label}{_better(metric.better)}",
                f"{metric.label} by condition. {'; '.join(told)}.",
                partial(dots, rows, metric, anchor),
            )
        )
    return tuple(pictures)


def _mark(material: Material, condition: str, metric: str) -> Mark | None:
    return mark_of(material.estimate(condition, metric))


def _figures(material: Material, condition: str, metric: Metric) -> str:
    shown = estimated(material.estimate(condition, metric.name), metric)
    return " ".join(shown).strip()


def _better(way: str) -> str:
    return f" ({way} is better)" if way else ""


def _colour(condition: Condition) -> int:
    return _LETTERS.index(condition.letter)


def meeting(material: Material) -> tuple[Block, ...]:
    """Telling by refusing, where each of the four is one condition."""
    four = {each.letter: each.name for each in material.plan.conditions}
    if len(material.plan.conditions) != len(_LETTERS) or len(four) != len(_LETTERS):
        return ()
    pictures: list[Block] = []
    for name in _MEETING:
        metric = metric_named(name)
        found = [_mark(material, four[letter], name) for letter in _LETTERS]
        ends = [each for each in found if each is not None]
        if len(ends) < len(_LETTERS):
            continue
        pictures.append(_meeting(ends, name, f"Telling × refusing: {metric.label}"))
    return tuple(pictures)


def _meeting(ends: list[Mark], name: str, caption: str) -> Picture:
    metric = metric_named(name)
    a, b, c, d = ends
    anchor = f"plot-interaction-{name.replace('_', '-')}"
    return Picture(
        anchor,
        caption,
        f"{caption}. Without a game master {figure(a.mean, metric)} untold and "
        f"{figure(b.mean, metric)} told; with one {figure(c.mean, metric)} and "
        f"{figure(d.mean, metric)}.",
        partial(interaction, (a, b), (c, d), metric, anchor),
        legend=(
            (series_class(0), "no game master (A, B)"),
            (series_class(3), "game master (C, D)"),
        ),
    )


def stall(material: Material) -> tuple[Block, ...]:
    """Stall scores over turns, a line for each condition."""
    curves: list[Curve] = []
    means: list[str] = []
    width = material.gathered.width
    for nth, each in enumerate(material.drawn):
        course = material.gathered.courses[each.name]
        points = [
            (step * width + 1, course.stall[step] / turns / 1000)
            for step, turns in sorted(course.turns.items())
        ]
        curves.append(Curve(nth, tuple(points)))
        if points:
            means.append(f"{each.name} {points[0][1]:.2f} → {points[-1][1]:.2f}")
    told = f"Stall score from the first turn to the last: {'; '.join(means)}."
    return (
        Picture(
            "plot-stall",
            f"Stall score over turns, mean of all runs. {undrawn(material)}".rstrip(
                " ."
            ),
            told,
            partial(stall_lines, curves, turns_axis(material), "plot-stall"),
            legend=conditions_legend(material),
            wide=True,
        ),
    )


def turns_axis(material: Material) -> str:
    """What stands below turns."""
    width = material.gathered.width
    return "turn" if width == 1 else f"turn ({width} turns a point)"


def conditions_legend(material: Material) -> tuple[tuple[str, str], ...]:
    """Which colour is which condition, where each has its own."""
    return tuple(
        (series_class(nth), each.name) for nth, each in enumerate(material.drawn)
    )


def latency(material: Material) -> tuple[Block, ...]:
    """How long turns took, by condition."""
    named = labels(material)
    rows = {
        named[each.name]: (_colour(each), material.pooled(each.name).latency_ms)
        for each in material.drawn
    }
    if not any(took for _, took in rows.values()):
        return ()
    simulated = "simulated " if material.plan.mode == "sim" else ""
    return (
        Picture(
            "plot-latency",
            f"Time a turn takes, {simulated}milliseconds: the box holds the middle half, "
            f"its bar is the median; at most {MOST_DOTS} turns are dots",
            "Latency by condition; the table of costs has the medians.",
            partial(strips, rows, "plot-latency"),
            wide=True,
        ),
    )
