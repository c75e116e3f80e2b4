"""What a reader of a comparison must know before they believe it."""

from collections.abc import Iterator, Sequence
from typing import Final

from saniwa.experiment.measure.model import HEADLINE
from saniwa.experiment.measure.reach import leasts
from saniwa.experiment.report.comparing.record import Compared, Move
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
            f"answers as another and {_were(compared.folded)} left out: a copy is no "
            "further evidence."
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
    """Which numbers could not have been decided, whatever the runs had said."""
    tested = [each for each in compared.moves if each.least_p is not None]
    seen = [each for each in tested if each.metric in HEADLINE]
    others = [each for each in tested if each.metric not in HEADLINE]
    told = [*_undecidable(seen, ""), *_undecidable(others, " of other numbers")]
    if told:
        yield " ".join((*told, _cure(compared)))


def _undecidable(family: Sequence[Move], which: str) -> Iterator[str]:
    corrected = leasts(each.least_p for each in family)
    best = min(corrected.values(), default=0.0)
    lost = sum(corrected[each.least_p or 0.0] >= SURE for each in family)
    if best >= SURE:
        yield _none_could(family, which, best)
    elif lost:
        yield (
            f"Of {counted(len(family), 'test')}{which} {count(lost)} had too few runs: "
            f"no corrected probability could have been below {SURE} there, and better or "
            "worse could not have been shown."
        )


def _none_could(family: Sequence[Move], which: str, best: float) -> str:
    most = max(each.blocks for each in family)
    blocks = f"{counted(most, 'block')} and " if most else ""
    return (
        f"With {blocks}{counted(len(family), 'test')}{which}, no corrected probability "
        f"could have been below {probability(best)}: better or worse could not have been "
        "shown."
    )


def _cure(compared: Compared) -> str:
    if compared.folded:
        return "Where seeds change nothing, more of them would not help."
    if compared.missing_first or compared.missing_second:
        return "The missing runs are to be finished first."
    return "More seeds would help."
