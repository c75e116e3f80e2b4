"""Which turns are shown: each kind, each code, each condition, and no chance in it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from saniwa.experiment.outcome import Outcome
from saniwa.experiment.report.sampling.kind import KINDS, codes_of, kinds_of
from saniwa.experiment.report.sampling.sample import Sample, sample_of

MOST: Final = 24
"""Turns that are shown, however many there are."""


class Candidates:
    """The first turn of each kind and code in each condition, as outcomes go by."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str]] = set()
        self._found: list[Sample] = []

    def look(self, outcome: Outcome, place: int) -> None:
        """Take from an outcome what no earlier one had."""
        for passage in outcome.passages:
            tags = (*kinds_of(passage), *codes_of(passage))
            fresh = {(outcome.condition, tag) for tag in tags} - self._seen
            if fresh:
                self._seen |= fresh
                self._found.append(sample_of(outcome, passage, place))

    def chosen(
        self, conditions: Sequence[str], codes: Iterable[str]
    ) -> tuple[Sample, ...]:
        """At most `MOST` of them, in the order of conditions and cells."""
        order = {name: nth for nth, name in enumerate(conditions)}
        picked: list[Sample] = []
        for wanted in _wishes(conditions, (*KINDS, *codes)):
            if len(picked) == MOST:
                break
            if not any(_grants(each, *wanted) for each in picked):
                picked.extend(self._first(*wanted))
        return tuple(
            sorted(picked, key=lambda s: (order.get(s.condition, len(order)), *s.place))
        )

    def _first(self, condition: str, tag: str) -> list[Sample]:
        fitting = (each for each in self._found if _grants(each, condition, tag))
        return [each for each in (next(fitting, None),) if each is not None]


def _wishes(
    conditions: Sequence[str], tags: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """What should be there: every kind somewhere, every condition, then each in each.

    An empty word stands for any.
    """
    for tag in tags:
        yield "", tag
    for condition in conditions[:MOST]:
        yield condition, ""
    for tag in tags:
        for condition in conditions[:MOST]:
            yield condition, tag


def _grants(sample: Sample, condition: str, tag: str) -> bool:
    return (not condition or sample.condition == condition) and (
        not tag or tag in sample.tags
    )
