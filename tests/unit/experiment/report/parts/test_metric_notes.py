import re

from saniwa.experiment.metrics import METRIC_ROWS, METRIC_SAMPLES, METRICS
from saniwa.experiment.output.turn_records import EXAMPLE_COLUMNS
from saniwa.experiment.report.condition_tables import build_filter_table
from saniwa.experiment.report.outcome_summary import SAMPLE_KINDS
from tests.fakes.reports import make_trial

_OF_A_RUN = {"goal_reached", "milestone_rate", "crash"}


def test_every_number_of_turns_says_which_rows_it_counts() -> None:
    """Each metric over turns names the rows that it counts."""
    assert {each.name for each in METRICS} - _OF_A_RUN == set(METRIC_ROWS)
    assert set(filter(METRIC_SAMPLES.get, METRIC_SAMPLES)) <= set(METRIC_ROWS)
    assert {kind for kinds in METRIC_SAMPLES.values() for kind in kinds} <= set(SAMPLE_KINDS)


def test_filters_name_columns_that_there_are() -> None:
    """The filters use columns that exist."""
    for told in METRIC_ROWS.values():
        named = re.findall(r"[a-z]+(?:_[a-z]+)+", told)
        assert set(named) <= set(EXAMPLE_COLUMNS), told


def test_a_number_leads_to_a_turn_of_each_condition() -> None:
    """Each metric links to the sample turns of its condition."""
    row = next(
        r for r in build_filter_table(make_trial().material).rows if r[0][0].text == "Give-ups"
    )

    assert ["C"] == [each.text for each in row[2] if each.kind == "link"]
