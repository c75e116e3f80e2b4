from saniwa.experiment.plan import count_missing_runs
from saniwa.experiment.report_wording import describe_missing_runs
from tests.fakes.experiments import make_plan


def test_conditions_that_lack_runs_are_named_with_how_many() -> None:
    """Complete conditions are not named; one that was never started lacks all its runs."""
    made = make_plan("ABCD", seeds=(0, 1, 2))

    assert {"B": 1, "D": 3} == count_missing_runs(made, {"A": 3, "B": 2, "C": 3})


def test_a_long_list_is_cut_and_that_is_said() -> None:
    """At most the first eight conditions are named."""
    told = describe_missing_runs({f"c{n}": 1 for n in range(10)})

    assert told.startswith("c0 1, c1 1, ")
    assert told.endswith("c7 1 and 2 more")
