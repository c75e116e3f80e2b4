"""Builds the plots of a report, with captions, alternative texts and legends."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from saniwa.experiment.intents import DENY_CODES
from saniwa.experiment.metrics.analysis_records import HEADLINE_METRICS, CellNumbers, Metric
from saniwa.experiment.metrics.definitions import find_metric
from saniwa.experiment.plan import LETTERS, Condition
from saniwa.experiment.report.blocks import Block, ReportPicture
from saniwa.experiment.report.figures import format_estimate, format_figure
from saniwa.experiment.report.material import (
    ReportMaterial,
    StepTallies,
    describe_undrawn,
    make_labels,
)
from saniwa.experiment.report.plots import (
    MAX_DOTS,
    BarPieces,
    DotRow,
    PlotCurve,
    PlotMark,
    draw_dots,
    draw_horizontal_bars,
    draw_interaction,
    draw_latency_strips,
    draw_stall_curves,
    draw_vertical_bars,
    make_mark,
    pick_series_class,
)

_LETTERS: Final = "".join(LETTERS.values())
_INTERACTION_METRICS: Final = HEADLINE_METRICS[:2]


def build_dot_pictures(material: ReportMaterial) -> tuple[Block, ...]:
    """Build a small dot plot for each headline metric."""
    named = make_labels(material)
    pictures: list[Block] = []
    for metric in map(find_metric, HEADLINE_METRICS):
        rows = [
            DotRow(
                named[each.name], _find_colour(each), _find_mark(material, each.name, metric.name)
            )
            for each in material.drawn_conditions
        ]
        figures = [
            f"{named[each.name]}: {_format_figures(material, each.name, metric)}"
            for each in material.drawn_conditions
        ]
        anchor = f"plot-{metric.name.replace('_', '-')}"
        pictures.append(
            ReportPicture(
                anchor,
                f"{metric.label}{_describe_direction(metric.better)}",
                f"{metric.label} by condition. {'; '.join(figures)}.",
                partial(draw_dots, rows, metric, anchor),
            )
        )
    return tuple(pictures)


def _find_mark(material: ReportMaterial, condition: str, metric: str) -> PlotMark | None:
    return make_mark(material.get_estimate(condition, metric))


def _format_figures(material: ReportMaterial, condition: str, metric: Metric) -> str:
    shown = format_estimate(material.get_estimate(condition, metric.name), metric)
    return " ".join(shown).strip()


def _describe_direction(way: str) -> str:
    return f" ({way} is better)" if way else ""


def _find_colour(condition: Condition) -> int:
    return _LETTERS.index(condition.letter)


def build_interaction_pictures(material: ReportMaterial) -> tuple[Block, ...]:
    """Plot inject by gm, if each of the four letters is one condition."""
    four = {each.letter: each.name for each in material.plan.conditions}
    if len(material.plan.conditions) != len(_LETTERS) or len(four) != len(_LETTERS):
        return ()
    pictures: list[Block] = []
    for name in _INTERACTION_METRICS:
        metric = find_metric(name)
        found = [_find_mark(material, four[letter], name) for letter in _LETTERS]
        ends = [each for each in found if each is not None]
        if len(ends) < len(_LETTERS):
            continue
        pictures.append(
            _build_interaction_picture(ends, name, f"Telling × refusing: {metric.label}")
        )
    return tuple(pictures)


def _build_interaction_picture(ends: list[PlotMark], name: str, caption: str) -> ReportPicture:
    metric = find_metric(name)
    a, b, c, d = ends
    anchor = f"plot-interaction-{name.replace('_', '-')}"
    return ReportPicture(
        anchor,
        caption,
        f"{caption}. Without a game master {format_figure(a.mean, metric)} untold and "
        f"{format_figure(b.mean, metric)} told; with one {format_figure(c.mean, metric)} and "
        f"{format_figure(d.mean, metric)}.",
        partial(draw_interaction, (a, b), (c, d), metric, anchor),
        legend=(
            (pick_series_class(0), "no game master (A, B)"),
            (pick_series_class(3), "game master (C, D)"),
        ),
    )


def build_stall_picture(material: ReportMaterial) -> tuple[Block, ...]:
    """Plot stall scores over turns, one line per condition."""
    curves: list[PlotCurve] = []
    means: list[str] = []
    width = material.gathered.width
    for nth, each in enumerate(material.drawn_conditions):
        course = material.gathered.courses[each.name]
        points = [
            (step * width + 1, course.stall[step] / turns / 1000)
            for step, turns in sorted(course.turns.items())
        ]
        curves.append(PlotCurve(nth, tuple(points)))
        if points:
            means.append(f"{each.name} {points[0][1]:.2f} → {points[-1][1]:.2f}")
    description = f"Stall score from the first turn to the last: {'; '.join(means)}."
    return (
        ReportPicture(
            "plot-stall",
            f"Stall score over turns, mean of all runs. {describe_undrawn(material)}".rstrip(" ."),
            description,
            partial(draw_stall_curves, curves, label_turns_axis(material), "plot-stall"),
            legend=build_conditions_legend(material),
            wide=True,
        ),
    )


def label_turns_axis(material: ReportMaterial) -> str:
    """Return the label of the turns axis."""
    width = material.gathered.width
    return "turn" if width == 1 else f"turn ({width} turns a point)"


def build_conditions_legend(material: ReportMaterial) -> tuple[tuple[str, str], ...]:
    """Return the colour class of each condition, for plots with one series each."""
    return tuple(
        (pick_series_class(nth), each.name) for nth, each in enumerate(material.drawn_conditions)
    )


def build_latency_picture(material: ReportMaterial) -> tuple[Block, ...]:
    """Plot how long turns took, by condition."""
    named = make_labels(material)
    rows = {
        named[each.name]: (_find_colour(each), material.get_pooled_numbers(each.name).latency_ms)
        for each in material.drawn_conditions
    }
    if not any(took for _, took in rows.values()):
        return ()
    simulated = "simulated " if material.plan.mode == "sim" else ""
    return (
        ReportPicture(
            "plot-latency",
            f"Time a turn takes, {simulated}milliseconds: the box holds the middle half, "
            f"its bar is the median; at most {MAX_DOTS} turns are dots",
            "Latency by condition; the table of costs has the medians.",
            partial(draw_latency_strips, rows, "plot-latency"),
            wide=True,
        ),
    )


_AXIS_LABEL: Final = "refused a turn"


def build_code_pictures(material: ReportMaterial) -> tuple[Block, ...]:
    """Build two plots: refusals in first answers, and in final answers."""
    first = _collect_bars(material, standing_too=False)
    final = _collect_bars(material, standing_too=True)
    farthest = max((sum(p) for p in (*first.values(), *final.values())), default=0.0)
    legend = _build_code_legend(material)
    return tuple(
        ReportPicture(
            anchor,
            caption,
            f"{caption}, by condition: {_describe_bars(bars)}.",
            partial(draw_horizontal_bars, bars, farthest, _AXIS_LABEL, anchor),
            legend=legend,
        )
        for anchor, caption, bars in (
            ("plot-codes-first", "Impossible in first answers", first),
            ("plot-codes-kept", "Impossible in what stands", final),
        )
    )


def _collect_bars(material: ReportMaterial, *, standing_too: bool) -> dict[str, BarPieces]:
    named = make_labels(material)
    return {
        named[each.name]: _measure_pieces(
            material.get_pooled_numbers(each.name), standing=standing_too
        )
        for each in material.drawn_conditions
    }


def _measure_pieces(cell: CellNumbers, *, standing: bool) -> BarPieces:
    tally = cell.impossible_by_code if standing else cell.impossible_first_by_code
    return [tally.get(code, 0) / max(cell.turns, 1) for code in DENY_CODES]


def _describe_bars(bars: Mapping[str, BarPieces]) -> str:
    return "; ".join(f"{name} {sum(pieces):.2f}" for name, pieces in bars.items())


def _build_code_legend(material: ReportMaterial) -> tuple[tuple[str, str], ...]:
    """Return the codes that occur; their colours are the same in every plot."""
    met: set[str] = set()
    for each in material.drawn_conditions:
        tally = material.get_pooled_numbers(each.name).impossible_first_by_code
        final = material.get_pooled_numbers(each.name).impossible_by_code
        met |= {code for code, n in (*tally.items(), *final.items()) if n}
    return tuple(
        (pick_series_class(nth), code) for nth, code in enumerate(DENY_CODES) if code in met
    )


def build_turn_pictures(material: ReportMaterial) -> tuple[Block, ...]:
    """Plot the refusals of first answers turn by turn, for each condition."""
    named = make_labels(material)
    courses = material.gathered.courses
    bars = {each.name: _measure_course(courses[each.name]) for each in material.drawn_conditions}
    highest = max((sum(p) for b in bars.values() for p in b.values()), default=0.0)
    last = max((max(b, default=0) for b in bars.values()), default=0)
    return tuple(
        ReportPicture(
            f"plot-turns-{nth}",
            f"{each.name}: refusals over turns (colours as above)",
            f"Refused a turn in first answers of {each.name}: {_describe_ends(bars[each.name])}.",
            partial(
                draw_vertical_bars,
                bars[each.name],
                last,
                highest,
                f"{named[each.name]}, {label_turns_axis(material)}",
                f"plot-turns-{nth}",
            ),
        )
        for nth, each in enumerate(material.drawn_conditions, 1)
    )


def _measure_course(course: StepTallies) -> dict[int, BarPieces]:
    return {
        step: [course.refused[step, code] / turns for code in DENY_CODES]
        for step, turns in sorted(course.turns.items())
    }


def _describe_ends(bars: Mapping[int, BarPieces]) -> str:
    if not bars:
        return "no turns were played"
    heights = [sum(pieces) for pieces in bars.values()]
    return f"{heights[0]:.2f} at first, {heights[-1]:.2f} at last"
