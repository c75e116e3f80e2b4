"""Two experiments compared: as data, as Markdown, as a page."""

from collections import Counter

import msgspec

from saniwa.experiment.measure.inference.installed import check_installed
from saniwa.experiment.report.comparing.moves import METHOD, alone, folded, moves
from saniwa.experiment.report.comparing.plans import differences
from saniwa.experiment.report.comparing.record import Compared, Side
from saniwa.experiment.report.comparing.told import told
from saniwa.experiment.report.lacking import lacking
from saniwa.experiment.report.markdown import markdown_of
from saniwa.experiment.report.page import page_of


def compare(first: Side, second: Side) -> Compared:
    """What differs between two experiments, and what got better or worse.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    check_installed()
    names = [
        tuple(each.name for each in side.prepared.plan.conditions)
        for side in (first, second)
    ]
    return Compared(
        first=first.prepared.plan.experiment_id,
        second=second.prepared.plan.experiment_id,
        differences=tuple(differences(first.prepared, second.prepared)),
        only_first=tuple(each for each in names[0] if each not in names[1]),
        only_second=tuple(each for each in names[1] if each not in names[0]),
        moves=moves(first, second),
        folded=folded(first, second),
        method=METHOD,
        alone=alone(first, second),
        missing_first=_missing(first),
        missing_second=_missing(second),
    )


def _missing(side: Side) -> dict[str, int]:
    runs = Counter(each.condition for each in side.numbers)
    return lacking(side.prepared.plan, runs)


def compared_markdown(compared: Compared) -> str:
    """The comparison in Markdown."""
    return markdown_of(told(compared))


def compared_page(compared: Compared) -> str:
    """The comparison as one self-contained page."""
    return page_of(told(compared))


def compared_json(compared: Compared) -> str:
    """The comparison as JSON."""
    encoded = msgspec.json.encode(compared, order="deterministic")
    return msgspec.json.format(encoded, indent=2).decode() + "\n"
