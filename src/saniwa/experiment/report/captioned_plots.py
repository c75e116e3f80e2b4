"""Builds the plots of a report, with captions, alternative texts and legends."""

from functools import partial
from typing import Final

from saniwa.experiment.analysis_records import HEADLINE_METRICS
from saniwa.experiment.answer_intents import DENY_CODES
from saniwa.experiment.metrics import find_metric
from saniwa.experiment.plan import LETTERS, Condition
from saniwa.experiment.report import plot_drawing
from saniwa.experiment.report.outcome_summary import ReportMaterial, describe_undrawn, make_labels
from saniwa.experiment.report.report_blocks import Block, make_paragraph, make_picture
from saniwa.experiment.report_wording import (
    find_sentence,
    format_estimate,
    format_figure,
    write_sentence,
)

_LETTERS: Final = "".join(LETTERS.values())
_INTERACTION_METRICS: Final = HEADLINE_METRICS[:2]


def build_dot_pictures(material: ReportMaterial) -> tuple[Block, ...]:
    """Build a small dot plot for each headline metric, and name those with nothing to plot."""
    named = make_labels(material)
    pictures: list[Block] = []
    uncounted: list[str] = []
    for metric in map(find_metric, material.headline_metrics):
        rows, figures = [], []
        for each in material.drawn_conditions:
            label, estimate = named[each.name], material.get_estimate(each.name, metric.name)
            rows.append(
                plot_drawing.DotRow(label, _find_colour(each), plot_drawing.make_mark(estimate))
            )
            figures.append(f"{label}: {' '.join(format_estimate(estimate, metric)).strip()}")
        if not any(row.mark for row in rows):
            uncounted.append(write_sentence("list.quoted", name=metric.label))
            continue
        anchor = f"plot-{metric.name.replace('_', '-')}"
        pictures.append(
            make_picture(
                anchor,
                write_sentence("chart.better", label=metric.label, better=metric.better)
                if metric.better
                else metric.label,
                write_sentence("chart.dots", label=metric.label, figures="; ".join(figures)),
                partial(plot_drawing.draw_dots, rows, metric, anchor),
            )
        )
    if uncounted:
        labels = find_sentence("answer.comma").join(uncounted)
        pictures.append(make_paragraph(write_sentence("chart.uncounted", labels=labels)))
    return tuple(pictures)


def _find_colour(condition: Condition) -> int:
    return _LETTERS.index(condition.letter)


def build_interaction_pictures(material: ReportMaterial) -> tuple[Block, ...]:
    """Plot inject by gm, if each of the four letters is one condition."""
    four = {each.letter: each.name for each in material.plan.conditions}
    if len(material.plan.conditions) != len(_LETTERS) or len(four) != len(_LETTERS):
        return ()
    pictures: list[Block] = []
    told = (find_sentence("chart.untold"), find_sentence("chart.told"))
    for name in _INTERACTION_METRICS:
        metric, anchor = find_metric(name), f"plot-interaction-{name.replace('_', '-')}"
        found = [
            plot_drawing.make_mark(material.get_estimate(four[each], name)) for each in _LETTERS
        ]
        ends = [each for each in found if each is not None]
        if len(ends) < len(_LETTERS):
            continue
        caption = write_sentence("chart.interaction", label=metric.label)
        a, b, c, d = (format_figure(each.mean, metric) for each in ends)
        pictures.append(
            make_picture(
                anchor,
                caption,
                write_sentence("chart.four", caption=caption, a=a, b=b, c=c, d=d),
                partial(plot_drawing.draw_interaction, ends[:2], ends[2:], told, metric, anchor),
                legend=(
                    (plot_drawing.pick_series_class(0), find_sentence("chart.no gm")),
                    (plot_drawing.pick_series_class(3), find_sentence("chart.gm")),
                ),
            )
        )
    return tuple(pictures)


def build_stall_picture(material: ReportMaterial) -> tuple[Block, ...]:
    """Plot stall scores over turns, one line per condition."""
    curves: list[plot_drawing.PlotCurve] = []
    means: list[str] = []
    width = material.gathered.width
    for nth, each in enumerate(material.drawn_conditions):
        course = material.gathered.courses[each.name]
        points = [
            (step * width + 1, course.stall[step] / turns / 1000)
            for step, turns in sorted(course.turns.items())
        ]
        curves.append(plot_drawing.PlotCurve(nth, tuple(points)))
        if points:
            means.append(f"{each.name} {points[0][1]:.2f} → {points[-1][1]:.2f}")
    if not means:
        return (make_paragraph(find_sentence("chart.no turns")),)
    borders = (find_sentence("chart.warning"), find_sentence("chart.stalled"))
    return (
        make_picture(
            "plot-stall",
            write_sentence("chart.stall", undrawn=describe_undrawn(material)).rstrip(" .。"),
            write_sentence("chart.course", means="; ".join(means)),
            partial(
                plot_drawing.draw_stall_curves,
                curves,
                label_turns_axis(material),
                borders,
                "plot-stall",
            ),
            legend=tuple(
                (plot_drawing.pick_series_class(nth), each.name)
                for nth, each in enumerate(material.drawn_conditions)
            ),
            wide=True,
        ),
    )


def label_turns_axis(material: ReportMaterial) -> str:
    """Return the label of the turns axis."""
    width = material.gathered.width
    return write_sentence("chart.turn" if width == 1 else "chart.turn groups", width=width)


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
        make_picture(
            "plot-latency",
            write_sentence("chart.latency", simulated=simulated, most=plot_drawing.MAX_DOTS),
            find_sentence("chart.latency words"),
            partial(
                plot_drawing.draw_latency_strips, rows, find_sentence("chart.ms"), "plot-latency"
            ),
            wide=True,
        ),
    )


def build_code_pictures(material: ReportMaterial) -> tuple[Block, ...]:
    """Build two plots: refusals in first answers, and in final answers; none if none."""
    named, met = make_labels(material), set[str]()
    first: dict[str, plot_drawing.BarPieces] = {}
    final: dict[str, plot_drawing.BarPieces] = {}
    for each in material.drawn_conditions:
        cell = material.get_pooled_numbers(each.name)
        for bars, tally in (
            (first, cell.impossible_first_by_code),
            (final, cell.impossible_by_code),
        ):
            met |= {code for code, n in tally.items() if n}
            pieces = [tally.get(code, 0) / max(cell.turns, 1) for code in DENY_CODES]
            bars[named[each.name]] = pieces
    farthest = max((sum(p) for p in (*first.values(), *final.values())), default=0.0)
    if not met:
        return (make_paragraph(find_sentence("chart.no refusals")),)
    # A code has the same colour in every plot.
    legend = [
        (plot_drawing.pick_series_class(n), code)
        for n, code in enumerate(DENY_CODES)
        if code in met
    ]
    pictures = []
    for anchor, caption, bars in (
        ("plot-codes-first", "Impossible in first answers", first),
        ("plot-codes-kept", "Impossible in final answers", final),
    ):
        sums = "; ".join(f"{name} {sum(pieces):.2f}" for name, pieces in bars.items())
        label = find_sentence("chart.refused")
        draw = partial(plot_drawing.draw_horizontal_bars, bars, farthest, label, anchor)
        about = write_sentence("chart.bars", caption=caption, sums=sums)
        pictures.append(make_picture(anchor, caption, about, draw, legend=tuple(legend)))
    return tuple(pictures)


def build_turn_pictures(material: ReportMaterial) -> tuple[Block, ...]:
    """Plot the refusals of first answers turn by turn, for each condition."""
    named = make_labels(material)
    bars: dict[str, dict[int, plot_drawing.BarPieces]] = {}
    ends: dict[str, str] = {}
    for each in material.drawn_conditions:
        course = material.gathered.courses[each.name]
        steps: dict[int, plot_drawing.BarPieces] = {
            step: [course.refused[step, code] / turns for code in DENY_CODES]
            for step, turns in sorted(course.turns.items())
        }
        heights = [sum(pieces) for pieces in steps.values()]
        bars[each.name], ends[each.name] = steps, find_sentence("chart.no turns")
        if heights:
            ends[each.name] = write_sentence(
                "chart.ends", name=each.name, first=heights[0], last=heights[-1]
            )
    highest = max((sum(p) for b in bars.values() for p in b.values()), default=0.0)
    if not highest:
        return ()
    last = max((max(b, default=0) for b in bars.values()), default=0)
    return tuple(
        make_picture(
            f"plot-turns-{nth}",
            write_sentence("chart.turns", name=each.name),
            ends[each.name],
            partial(
                plot_drawing.draw_vertical_bars,
                bars[each.name],
                last,
                highest,
                f"{named[each.name]}, {label_turns_axis(material)}",
                f"plot-turns-{nth}",
            ),
        )
        for nth, each in enumerate(material.drawn_conditions, 1)
    )
