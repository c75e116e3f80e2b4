"""How a condition went over its turns, and how long they took: figures for plots."""

from collections.abc import Sequence
from statistics import quantiles

import msgspec

from saniwa.experiment.measure.digits import tidy
from saniwa.experiment.report.gathering import Gathered
from saniwa.experiment.telling.deny import DENY_CODES


class CourseStep(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of every run of a condition; in long runs several share one."""

    first: int
    """The first turn of it, from 0."""
    last: int
    """The last."""
    turns: int
    """Turns played, in all runs together."""
    refused: dict[str, int]
    """Refused intents of first answers, by code; those that came."""
    stall: float
    """The mean stall score, 0 lively to 1 at a standstill."""


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """From the first turn to the last."""

    steps: list[CourseStep]
    """In order; those in which nothing was played are left out."""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds that turns took: what so many percent stayed within."""

    p5: float
    """5 %."""
    p25: float
    """A quarter."""
    p50: float
    """Half of them."""
    p75: float
    """Three quarters."""
    p95: float
    """95 %."""
    most: float
    """All."""


def course_of(gathered: Gathered, condition: str) -> Course:
    """The course of a condition."""
    course, width = gathered.courses[condition], gathered.width
    return Course(
        steps=[
            CourseStep(
                first=step * width,
                last=step * width + width - 1,
                turns=turns,
                refused={
                    code: course.refused[step, code]
                    for code in DENY_CODES
                    if course.refused[step, code]
                },
                stall=tidy(course.stall[step] / 1000 / turns) or 0.0,
            )
            for step, turns in sorted(course.turns.items())
        ]
    )


def spread_of(measured: Sequence[int]) -> Spread | None:
    """How far apart they lie; None where there are none."""
    if not measured:
        return None
    cuts = quantiles(
        measured if len(measured) > 1 else [*measured] * 2, n=20, method="inclusive"
    )
    p5, p25, p50, p75, p95 = (cuts[nth] for nth in (0, 4, 9, 14, 18))
    return Spread(p5=p5, p25=p25, p50=p50, p75=p75, p95=p95, most=max(measured))
