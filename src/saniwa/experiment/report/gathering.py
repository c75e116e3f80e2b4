"""One walk over all outcomes: what only turns can tell, in bounded room."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from saniwa.experiment.outcome import Outcome, Passage
from saniwa.experiment.plan import Plan
from saniwa.experiment.report.sampling.choice import Candidates
from saniwa.experiment.report.sampling.sample import Sample
from saniwa.experiment.telling.deny import DENY_CODES

MOST_STEPS: Final = 30
"""Points a line over turns has; where there are more turns, several share one."""


@dataclass(slots=True)
class Course:
    """How a condition went from its first turn to its last, all its cells together."""

    turns: Counter[int] = field(default_factory=Counter)
    """Turns played, by step."""
    refused: Counter[tuple[int, str]] = field(default_factory=Counter)
    """Refused intents of first answers, by step and code."""
    stall: Counter[int] = field(default_factory=Counter)
    """Thousandths of stall scores, added up, by step."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the walk brought home."""

    courses: dict[str, Course]
    """By condition, in the plan's order."""
    width: int
    """Turns that share a step."""
    samples: tuple[Sample, ...]
    """Turns to show."""
    cells: int
    """Outcomes seen."""
    crashes: Counter[str]
    """Codes of cells that ended in an error."""


def gather(plan: Plan, outcomes: Iterable[Outcome]) -> Gathered:
    """Walk over the outcomes once and keep what a report needs of them."""
    width = max(-(-plan.max_turns // MOST_STEPS), 1)
    courses = {each.name: Course() for each in plan.conditions}
    candidates, crashes, cells = Candidates(), Counter[str](), 0
    for place, outcome in enumerate(outcomes):
        cells += 1
        candidates.look(outcome, place)
        if outcome.error:
            crashes[outcome.error] += 1
        course = courses.setdefault(outcome.condition, Course())
        for passage in outcome.passages:
            _add(course, passage, passage.number // width)
    return Gathered(
        courses=courses,
        width=width,
        samples=candidates.chosen(tuple(courses), DENY_CODES),
        cells=cells,
        crashes=crashes,
    )


def _add(course: Course, passage: Passage, step: int) -> None:
    course.turns[step] += 1
    course.stall[step] += round(passage.stall_score * 1000)
    for each in passage.first.refused:
        course.refused[step, each.deny_code] += 1
