import re

from saniwa.experiment.measure.metrics import METRICS
from saniwa.experiment.publish.columns import COLUMNS
from saniwa.experiment.report.blocks import Link
from saniwa.experiment.report.parts.behind import FILTERS, KINDS_BEHIND, behind
from saniwa.experiment.report.sampling.kind import KINDS
from tests.fakes.reports import trial

_OF_A_RUN = {"goal_reached", "milestone_rate", "crash"}


def test_every_number_of_turns_says_which_rows_it_counts() -> None:
    """A number that nobody can look behind is none to believe."""
    assert {each.name for each in METRICS} - _OF_A_RUN == set(FILTERS)
    assert set(KINDS_BEHIND) <= set(FILTERS)
    assert {kind for kinds in KINDS_BEHIND.values() for kind in kinds} <= set(KINDS)


def test_filters_name_columns_that_there_are() -> None:
    """What a reader types into a spreadsheet is there."""
    for told in FILTERS.values():
        named = re.findall(r"[a-z]+(?:_[a-z]+)+", told)
        assert set(named) <= set(COLUMNS), told


def test_a_number_leads_to_a_turn_of_each_condition() -> None:
    """The turns that are shown can be reached from their number."""
    row = next(r for r in behind(trial().material).rows if r[0][0].text == "Give-ups")

    assert ["C"] == [each.text for each in row[2] if isinstance(each, Link)]
