"""What a reader of a comparison must know before they believe it."""

from collections.abc import Iterator
from typing import Final

from saniwa.experiment.measure.model import HEADLINE
from saniwa.experiment.report.comparing.record import Compared
from saniwa.experiment.report.figures import SURE, count, counted, probability
from saniwa.experiment.report.lacking import lacking_told

_LONGER: Final = "max_turns"
_BY_NAME: Final = ("experiment_id", "question")
"""What two experiments may differ in without being any different."""


def reading(compared: Compared) -> Iterator[str]:
    """The sentences, those that need saying."""
    other = [each.what for each in compared.differences if each.what not in _BY_NAME]
    if other:
        more = f" and {len(other) - 8} more" if len(other) > 8 else ""
        yield (
            f"From the outset the two differ in {', '.join(other[:8])}{more}: "
            "whatever changed may have come of any of it."
        )
    if _LONGER in other:
        yield (
            "Their runs are not of one length, and many numbers depend on how long a talk "
            "has gone on: such differences say little."
        )
    yield from _missing(compared)
    if compared.alone:
        yield (
            f"In a condition up to {counted(compared.alone, 'run')} had no partner and "
            f"{_were(compared.alone)} left out: First, Second and the difference are of "
            "the blocks that both experiments have."
        )
    yield from _power(compared)
    if compared.folded:
        yield (
            f"In a condition up to {counted(compared.folded, 'block')} had the very same "
            f"answers as all others of the scenario and {_were(compared.folded)} left out: "
            "a copy is no further evidence."
        )


def _missing(compared: Compared) -> Iterator[str]:
    for name, missing in (
        (compared.first, compared.missing_first),
        (compared.second, compared.missing_second),
    ):
        if missing:
            many = sum(missing.values())
            yield (
                f"Of the planned runs of {name} {count(many)} "
                f"{'is' if many == 1 else 'are'} missing ({lacking_told(missing)})."
            )


def _were(many: int) -> str:
    return "was" if many == 1 else "were"


def _power(compared: Compared) -> Iterator[str]:
    """Whether the numbers a reader sees first could have been decided at all."""
    moves = compared.moves
    family = [m for m in moves if m.metric in HEADLINE and m.least_p is not None]
    if not family:
        return
    best = min(m.least_p for m in family if m.least_p is not None) * len(family)
    if best < SURE:
        return
    most = max(m.blocks for m in family)
    blocks = f"{counted(most, 'block')} and " if most else ""
    yield (
        f"With {blocks}{counted(len(family), 'test')}, no corrected probability could have "
        f"been below {probability(min(best, 1.0))}: better or worse could not have been "
        f"shown. {_cure(compared)}"
    )


def _cure(compared: Compared) -> str:
    if compared.folded:
        return "Where seeds change nothing, more of them would not help."
    if compared.missing_first or compared.missing_second:
        return "The missing runs are to be finished first."
    return "More seeds would help."
