"""Collects what a report is built from, in one pass over the outcomes.

Sample turns are chosen deterministically: the first turn of each kind and code in each
condition; they are shortened for display.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from unicodedata import bidirectional, combining

import msgspec

from saniwa.core.text import measure_width, truncate
from saniwa.experiment.analysis_records import (
    Analysis,
    CellNumbers,
    ConditionComparison,
    Estimate,
    FactorEffect,
    Metric,
)
from saniwa.experiment.answer_intents import DENY_CODES
from saniwa.experiment.cell_outcome import AnswerAttempt, CellOutcome, CellTurn
from saniwa.experiment.metrics import (
    find_metric,
    group_by_condition,
    list_headline_metrics,
    pool_numbers,
)
from saniwa.experiment.plan import Condition, ExperimentPlan, PreparedPlan
from saniwa.experiment.report_wording import write_sentence

SAMPLE_KINDS: Final[dict[str, str]] = {
    "stands": "impossible, not corrected",
    "mended": "refused, guided, corrected without an apology",
    "sorry": "refused, guided, corrected with an apology",
    "given_up": "given up",
    "repaired": "format broken and repaired",
    "invented": "acts on what does not exist",
    "standstill": "standstill announced",
    "unheard": "addressed to a character who cannot hear",
    "unclear": "asked back",
    "kept": "possible at once",
}
"""The kinds of turns with their labels, the most informative first."""


def find_kinds(passage: CellTurn) -> tuple[str, ...]:
    """List all kinds that a turn is an example of, in the order of `SAMPLE_KINDS`."""
    found = frozenset(_iterate_kinds(passage))
    return tuple(kind for kind in SAMPLE_KINDS if kind in found)


def find_codes(passage: CellTurn) -> tuple[str, ...]:
    """List the codes of all refusals in a turn, sorted, without duplicates."""
    refused = (each for attempt in passage.attempts for each in attempt.refused_intents)
    return tuple(sorted({each.deny_code for each in refused if each.deny_code}))


def _iterate_kinds(passage: CellTurn) -> Iterator[str]:
    final, retried = passage.final, len(passage.attempts) > 1
    if final.refused_intents and not passage.give_up:
        yield "stands"
    if retried and final.is_valid:
        yield "mended" if passage.silent_correction else "sorry"
    if passage.give_up:
        yield "given_up"
    if any(each.repaired_output is not None for each in passage.attempts):
        yield "repaired"
    if any(each.invented for attempt in passage.attempts for each in attempt.refused_intents):
        yield "invented"
    yield from _iterate_remark_kinds(passage)
    if not retried and final.is_valid and final.intents:
        yield "kept"


def _iterate_remark_kinds(passage: CellTurn) -> Iterator[str]:
    if passage.stall_event:
        yield "standstill"
    if passage.addressing:
        yield "unheard"
    if any(attempt.question for attempt in passage.attempts):
        yield "unclear"


LONGEST_ANSWER: Final = 800
"""The most characters of an answer that are shown; its file has all of it."""
UNBROKEN: Final = "NONE"
"""The value for an answer whose format was not broken or repaired."""
_LONGEST_TEXTS: Final = {
    **dict.fromkeys(("raw_output", "repaired_output", "speech", "question"), LONGEST_ANSWER),
    "card": 1_600,
}


class TurnSample(NamedTuple):
    """A turn to be shown, its texts shortened."""

    place: tuple[int, int]
    """The index of the cell among the outcomes, and the turn's number."""
    outcome: CellOutcome
    """The outcome it is of, without its turns."""
    kinds: tuple[str, ...]
    """What it is an example of."""
    tags: frozenset[str]
    """All it can be found by: kinds, codes, broken formats and how they were repaired."""
    passage: CellTurn
    """The turn."""

    @property
    def condition(self) -> str:
        """The name of its condition."""
        return self.outcome.condition


def make_sample(outcome: CellOutcome, passage: CellTurn, place: int) -> TurnSample:
    """Return a turn to be shown."""
    kinds, codes = find_kinds(passage), find_codes(passage)
    breaks = {each.break_type for each in passage.attempts}
    repairs = {each.repair_method for each in passage.attempts}
    attempts = tuple(map(_shorten_attempt, passage.attempts))
    return TurnSample(
        (place, passage.number),
        msgspec.structs.replace(outcome, passages=(), dropped=(), calls=()),
        kinds,
        frozenset((*kinds, *codes, *(breaks | repairs) - {UNBROKEN})),
        msgspec.structs.replace(passage, attempts=attempts),
    )


def _shorten_attempt(attempt: AnswerAttempt) -> AnswerAttempt:
    texts = ((name, getattr(attempt, name), most) for name, most in _LONGEST_TEXTS.items())
    shorter = {name: text and truncate(text, most) for name, text, most in texts}
    return msgspec.structs.replace(attempt, **shorter)


MAX_SAMPLES: Final = 24
"""The most sample turns of a report."""


class SampleCandidates:
    """Collects the first turn of each kind and code in each condition."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str]] = set()
        self._found: list[TurnSample] = []

    def add_outcome(self, outcome: CellOutcome, place: int) -> None:
        """Collect from an outcome the turns with a kind or code not seen before."""
        for passage in outcome.passages:
            tags = (*find_kinds(passage), *find_codes(passage))
            fresh = {(outcome.condition, tag) for tag in tags} - self._seen
            if fresh:
                self._seen |= fresh
                self._found.append(make_sample(outcome, passage, place))

    def choose_samples(
        self, conditions: Sequence[str], codes: Iterable[str]
    ) -> tuple[TurnSample, ...]:
        """Choose at most `MAX_SAMPLES`, in the order of conditions and cells."""
        order = {name: nth for nth, name in enumerate(conditions)}
        picked: list[TurnSample] = []
        for wanted in _list_wanted(conditions, (*SAMPLE_KINDS, *codes)):
            if len(picked) == MAX_SAMPLES:
                break
            if not any(_is_match(each, *wanted) for each in picked):
                picked.extend(self._find_first(*wanted))
        return tuple(sorted(picked, key=lambda s: (order.get(s.condition, len(order)), *s.place)))

    def _find_first(self, condition: str, tag: str) -> list[TurnSample]:
        fitting = (each for each in self._found if _is_match(each, condition, tag))
        return [each for each in (next(fitting, None),) if each is not None]


def _list_wanted(conditions: Sequence[str], tags: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what samples should cover: every tag, every condition, then all pairs.

    An empty string means any.
    """
    for tag in tags:
        yield "", tag
    for condition in conditions[:MAX_SAMPLES]:
        yield condition, ""
    for tag in tags:
        for condition in conditions[:MAX_SAMPLES]:
            yield condition, tag


def _is_match(sample: TurnSample, condition: str, tag: str) -> bool:
    return (not condition or sample.condition == condition) and (not tag or tag in sample.tags)


MAX_STEPS: Final = 30
"""The most points of a line over turns; with more turns, several share a point."""


@dataclass(slots=True)
class StepTallies:
    """The course of a condition over its turns, summed over its cells."""

    turns: Counter[int] = field(default_factory=Counter)
    """Turns played, by step."""
    refused: Counter[tuple[int, str]] = field(default_factory=Counter)
    """Refused intents of first answers, by step and code."""
    stall: Counter[int] = field(default_factory=Counter)
    """Sums of stall scores in thousandths, by step."""


@dataclass(frozen=True, slots=True)
class OutcomeSummary:
    """What one pass over the outcomes collects."""

    courses: dict[str, StepTallies]
    """The course of each condition, in the plan's order."""
    width: int
    """Turns per step."""
    samples: tuple[TurnSample, ...]
    """Sample turns."""
    cells: int
    """The number of outcomes."""
    crashes: Counter[str]
    """How many cells ended with an error, by code."""


def summarize_outcomes(plan: ExperimentPlan, outcomes: Iterable[CellOutcome]) -> OutcomeSummary:
    """Collect what a report needs in one pass over the outcomes."""
    width = max(-(-plan.max_turns // MAX_STEPS), 1)
    courses = {each.name: StepTallies() for each in plan.conditions}
    candidates, crashes, cells = SampleCandidates(), Counter[str](), 0
    for place, outcome in enumerate(outcomes):
        cells += 1
        candidates.add_outcome(outcome, place)
        if outcome.error:
            crashes[outcome.error] += 1
        course = courses.setdefault(outcome.condition, StepTallies())
        for passage in outcome.passages:
            _add_turn(course, passage, passage.number // width)
    return OutcomeSummary(
        courses=courses,
        width=width,
        samples=candidates.choose_samples(tuple(courses), DENY_CODES),
        cells=cells,
        crashes=crashes,
    )


def _add_turn(course: StepTallies, passage: CellTurn, step: int) -> None:
    course.turns[step] += 1
    course.stall[step] += round(passage.stall_score * 1000)
    for each in passage.first.refused_intents:
        course.refused[step, each.deny_code] += 1


MAX_LISTED_CONDITIONS: Final = 100
"""The most conditions listed in tables."""
MAX_DRAWN_CONDITIONS: Final = 12
"""The most conditions shown in plots."""
_LONGEST_LABEL: Final = 22
_RIGHT_TO_LEFT: Final = ("R", "AL", "AN")


@dataclass(frozen=True, slots=True)
class ReportMaterial:
    """Everything a report is built from."""

    prepared: PreparedPlan
    """The plan with everything it names."""
    numbers: tuple[CellNumbers, ...]
    """The counts of each cell."""
    analysis: Analysis
    """The statistics."""
    gathered: OutcomeSummary
    """What can only be computed from turns."""
    runs: dict[str, int]
    """Cells played, by condition."""
    sums: dict[str, CellNumbers]
    """The cells of each condition counted together."""

    @property
    def plan(self) -> ExperimentPlan:
        """The plan."""
        return self.prepared.plan

    @property
    def headline_metrics(self) -> tuple[str, ...]:
        """The metrics that are shown first."""
        return list_headline_metrics(self.plan.mode)

    @property
    def answer_metric(self) -> Metric:
        """The metric that answers the question."""
        return find_metric(self.headline_metrics[0])

    @property
    def listed_conditions(self) -> tuple[Condition, ...]:
        """The conditions shown in tables."""
        return self.plan.conditions[:MAX_LISTED_CONDITIONS]

    @property
    def drawn_conditions(self) -> tuple[Condition, ...]:
        """The conditions shown in plots, spread evenly if there are many."""
        conditions = self.plan.conditions
        shown = min(len(conditions), MAX_DRAWN_CONDITIONS)
        return tuple(conditions[nth * len(conditions) // shown] for nth in range(shown))

    @property
    def further_factors(self) -> list[str]:
        """The factors that vary, except inject and gm."""
        varied = (name for name, levels in sorted(self.plan.factors.items()) if len(levels) > 1)
        return [name for name in varied if name not in ("inject", "gm")]

    def get_estimate(self, condition: str, metric: str) -> Estimate | None:
        """Return the estimate of a metric in a condition."""
        return self.analysis.estimates.get(condition, {}).get(metric)

    def get_effect(self, metric: str, *factors: str) -> FactorEffect | None:
        """Return the effect of a factor, or of two together, on a metric."""
        wanted = frozenset(factors)
        fitting = (
            each
            for each in self.analysis.effects
            if each.metric == metric and frozenset(each.factors) == wanted
        )
        return next(fitting, None)

    def list_comparisons(self, metric: str) -> list[ConditionComparison]:
        """List the comparisons of pairs of conditions in a metric."""
        return [each for each in self.analysis.comparisons if each.metric == metric]

    def get_pooled_numbers(self, condition: str) -> CellNumbers:
        """Return the cells of a condition counted together."""
        return self.sums.get(condition) or pool_numbers(())

    def get_sample_anchor(self, condition: str, *tags: str) -> str:
        """Return the anchor of a sample turn of the first kind or code that has one.

        Empty if none has.
        """
        for tag in tags:
            for nth, each in enumerate(self.gathered.samples, 1):
                if each.condition == condition and tag in each.tags:
                    return f"sample-{nth}"
        return ""


def build_material(
    prepared: PreparedPlan,
    gathered: OutcomeSummary,
    numbers: Sequence[CellNumbers],
    analysis: Analysis,
) -> ReportMaterial:
    """Group the numbers by condition and return the material."""
    cells = group_by_condition(numbers)
    return ReportMaterial(
        prepared=prepared,
        numbers=tuple(numbers),
        analysis=analysis,
        gathered=gathered,
        runs={name: len(found) for name, found in cells.items()},
        sums={name: pool_numbers(found) for name, found in cells.items()},
    )


def make_labels(material: ReportMaterial) -> dict[str, str]:
    """Return the labels of conditions in plots.

    A name that is too long or cannot be placed there is replaced by a number.
    """
    numbers = {each.name: nth for nth, each in enumerate(material.plan.conditions, 1)}
    return {
        each.name: each.name
        if _is_plain(each.name)
        else write_sentence("chart.number", number=numbers[each.name])
        for each in material.drawn_conditions
    }


def _is_plain(name: str) -> bool:
    """Whether a name is written from left to right, and its width is known."""
    directed = any(bidirectional(sign) in _RIGHT_TO_LEFT or combining(sign) for sign in name)
    return name.isprintable() and not directed and measure_width(name) <= _LONGEST_LABEL


def describe_unlisted(material: ReportMaterial) -> str:
    """Describe the conditions that tables leave out; empty if none."""
    total = len(material.plan.conditions)
    if total <= MAX_LISTED_CONDITIONS:
        return ""
    return write_sentence("conditions.unlisted", most=MAX_LISTED_CONDITIONS, total=total)


def describe_undrawn(material: ReportMaterial) -> str:
    """Describe the conditions that plots leave out; empty if none."""
    total, shown = len(material.plan.conditions), len(material.drawn_conditions)
    if total == shown:
        return ""
    return write_sentence("conditions.undrawn", shown=shown, total=total)
