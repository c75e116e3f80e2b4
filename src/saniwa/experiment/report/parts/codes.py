"""Plots of what was refused, by code: per condition, and over turns."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from saniwa.experiment.measure.model import Numbers
from saniwa.experiment.report.blocks import Block, Picture
from saniwa.experiment.report.gathering import Course
from saniwa.experiment.report.material import Material, labels
from saniwa.experiment.report.parts.pictures import turns_axis
from saniwa.experiment.report.plots.bars import Pieces, lying, standing
from saniwa.experiment.report.plots.ink import series_class
from saniwa.experiment.telling.deny import DENY_CODES

_WHAT: Final = "refused a turn"


def by_condition(material: Material) -> tuple[Block, ...]:
    """Two plots: what first answers tried, and what stands in the end."""
    first = _bars(material, standing_too=False)
    kept = _bars(material, standing_too=True)
    farthest = max((sum(p) for p in (*first.values(), *kept.values())), default=0.0)
    legend = _legend(material)
    return tuple(
        Picture(
            anchor,
            caption,
            f"{caption}, by condition: {_told(bars)}.",
            partial(lying, bars, farthest, _WHAT, anchor),
            legend=legend,
        )
        for anchor, caption, bars in (
            ("plot-codes-first", "Impossible in first answers", first),
            ("plot-codes-kept", "Impossible in what stands", kept),
        )
    )


def _bars(material: Material, *, standing_too: bool) -> dict[str, Pieces]:
    named = labels(material)
    return {
        named[each.name]: _pieces(material.pooled(each.name), standing=standing_too)
        for each in material.drawn
    }


def _pieces(cell: Numbers, *, standing: bool) -> Pieces:
    tally = cell.impossible_by_code if standing else cell.impossible_first_by_code
    return [tally.get(code, 0) / max(cell.turns, 1) for code in DENY_CODES]


def _told(bars: Mapping[str, Pieces]) -> str:
    return "; ".join(f"{name} {sum(pieces):.2f}" for name, pieces in bars.items())


def _legend(material: Material) -> tuple[tuple[str, str], ...]:
    """The codes that occur; their colours are the same in every plot."""
    met: set[str] = set()
    for each in material.drawn:
        tally = material.pooled(each.name).impossible_first_by_code
        kept = material.pooled(each.name).impossible_by_code
        met |= {code for code, n in (*tally.items(), *kept.items()) if n}
    return tuple(
        (series_class(nth), code) for nth, code in enumerate(DENY_CODES) if code in met
    )


def over_turns(material: Material) -> tuple[Block, ...]:
    """For each condition, what its first answers were refused, turn by turn."""
    named = labels(material)
    courses = material.gathered.courses
    bars = {each.name: _course(courses[each.name]) for each in material.drawn}
    highest = max((sum(p) for b in bars.values() for p in b.values()), default=0.0)
    last = max((max(b, default=0) for b in bars.values()), default=0)
    return tuple(
        Picture(
            f"plot-turns-{nth}",
            f"{each.name}: refusals over turns (colours as above)",
            f"Refused a turn in first answers of {each.name}: {_ends(bars[each.name])}.",
            partial(
                standing,
                bars[each.name],
                last,
                highest,
                f"{named[each.name]}, {turns_axis(material)}",
                f"plot-turns-{nth}",
            ),
        )
        for nth, each in enumerate(material.drawn, 1)
    )


def _course(course: Course) -> dict[int, Pieces]:
    return {
        step: [course.refused[step, code] / turns for code in DENY_CODES]
        for step, turns in sorted(course.turns.items())
    }


def _ends(bars: Mapping[int, Pieces]) -> str:
    if not bars:
        return "no turns were played"
    heights = [sum(pieces) for pieces in bars.values()]
    return f"{heights[0]:.2f} at first, {heights[-1]:.2f} at last"
