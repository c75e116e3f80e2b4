from math import isfinite
from typing import Any

import msgspec
import pytest

from saniwa.experiment.analysis_records import Analysis, ConditionComparison
from saniwa.experiment.metrics import METRICS
from saniwa.experiment.plan import Condition
from saniwa.experiment.statistics.analysis import analyse_experiment
from tests.fakes.cell_numbers import make_numbers, make_two_by_two
from tests.fakes.experiments import make_plan

A = [0.5, 0.6, 0.4, 0.7, 0.5, 0.6, 0.8]
D = [0.2, 0.1, 0.3, 0.2, 0.1, 0.4, 0.2]
EASY = {"A": A, "B": [x - 0.1 * n % 0.3 for n, x in enumerate(A)], "C": D[::-1], "D": D}


def find_comparison(found: Analysis, first: str, second: str) -> ConditionComparison:
    """Find the comparison of stall scores between two conditions."""
    return next(
        c
        for c in found.comparisons
        if (c.metric, c.first, c.second) == ("stall_mean", first, second)
    )


def collect_numbers(value: Any) -> list[float]:
    """Collect every number in a document."""
    if isinstance(value, dict):
        return [n for each in value.values() for n in collect_numbers(each)]
    if isinstance(value, list):
        return [n for each in value for n in collect_numbers(each)]
    return [value] if isinstance(value, float) else []


def test_every_condition_has_an_estimate_of_every_metric() -> None:
    """All conditions and metrics are listed, including those without a value."""
    found = analyse_experiment(*make_two_by_two(EASY))

    assert set("ABCD") == set(found.estimates)
    for of_condition in found.estimates.values():
        assert [metric.name for metric in METRICS] == list(of_condition)
    retried = found.estimates["D"]["retry_success_rate"]
    assert (None, None, 0, "nothing to count") == (
        retried.mean,
        retried.low,
        retried.n,
        retried.note,
    )


def test_an_estimate_is_the_mean_within_its_interval() -> None:
    """The mean over cells lies within its interval."""
    found = analyse_experiment(*make_two_by_two(EASY)).estimates["D"]["stall_mean"]

    assert (0.214286, 7, "") == (found.mean, found.n, found.note)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.214286 < found.high


def test_conditions_are_compared_block_by_block() -> None:
    """A difference is the mean over blocks, with an exact test and an effect size."""
    found = find_comparison(analyse_experiment(*make_two_by_two(EASY)), "A", "C")
    differences = [c - a for a, c in zip(A, D[::-1], strict=True)]

    assert found.difference == pytest.approx(sum(differences) / 7, rel=1e-5)
    assert (0.015625, 7, "gm", "large") == (found.p, found.blocks, found.factor, found.size)


def test_probabilities_are_corrected_for_all_that_were_tested() -> None:
    """A metric that never varies is not tested and does not count in the correction."""
    found = analyse_experiment(*make_two_by_two(EASY))

    tested = [c for c in found.comparisons if c.p is not None]
    smallest = min(tested, key=lambda c: c.p or 1)
    assert {"stall_mean"} == {c.metric for c in tested}
    assert smallest.p is not None
    assert smallest.p * len(tested) == pytest.approx(smallest.p_corrected)


def test_effects_are_corrected_too() -> None:
    """Each effect's corrected p is at least its uncorrected p."""
    found = [e for e in analyse_experiment(*make_two_by_two(EASY)).effects if e.p is not None]

    assert 3 == len(found)
    assert all((e.p_corrected or 0) >= (e.p or 0) for e in found)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"A": [0.1], "B": [0.4]}, (0.3, None, None, "one block: no interval")),
        ({"A": [0.1], "B": []}, (None, None, None, "no block has both")),
        (
            {"A": [0.1, 0.2, 0.5], "B": [0.1, 0.2, 0.5]},
            (0.0, -0.707598, None, "no block differs, so there is nothing to test"),
        ),
        (
            {"A": [0.1, 0.2, 0.5], "B": [0.2, 0.3, 0.6]},
            (0.1, 0.0292402, 0.25, "the same in all 3 blocks; 3 blocks: p cannot be below 0.25"),
        ),
    ],
)
def test_too_little_to_compare_is_said(
    values: dict[str, list[float]],
    expected: tuple[float | None, float | None, float | None, str],
    recwarn: pytest.WarningsRecorder,
) -> None:
    """A value that cannot be computed is None, with a note that says why."""
    found = find_comparison(analyse_experiment(*make_two_by_two(values)), "A", "B")

    assert expected == (found.difference, found.low, found.p, found.note)
    assert [] == list(recwarn)


def test_blocks_that_lack_a_condition_are_left_out() -> None:
    """Only blocks in which both were played are compared."""
    found = find_comparison(analyse_experiment(*make_two_by_two({"A": A, "B": A[:4]})), "A", "B")

    assert 4 == found.blocks


@pytest.mark.parametrize("letters", ["", "A", "D", "AD", "ABCD"])
@pytest.mark.parametrize("seeds", [0, 1, 2])
def test_nothing_odd_stops_an_analysis(
    letters: str, seeds: int, recwarn: pytest.WarningsRecorder
) -> None:
    """Few conditions, few cells or no turns still give an analysis without warnings."""
    made = make_plan(letters, seeds=tuple(range(seeds)))
    cells = [
        make_numbers(letter, seed, turns=0, generation_calls=0, latency_ms=())
        for letter in letters
        for seed in range(seeds)
    ]

    found = analyse_experiment(made, cells)

    assert msgspec.json.encode(found)
    assert [] == list(recwarn)


def test_figures_are_finite_and_have_six_digits() -> None:
    """Every number is finite with at most six digits, or it is None."""
    wild = EASY | {"B": [1e300, 0.1, float("nan"), float("inf"), 1 / 3, 1e-300, 2 / 3]}

    found = collect_numbers(msgspec.to_builtins(analyse_experiment(*make_two_by_two(wild))))

    assert all(isfinite(n) for n in found)
    assert [] == [n for n in found if n != float(f"{n:.6g}")]


def test_more_pairs_than_anyone_reads_are_cut_and_that_is_said() -> None:
    """With a thousand levels of one factor, comparisons stop at the limit."""
    many = tuple(Condition(name=f"m{n:04}", model=f"m{n:04}") for n in range(400))
    made = make_plan(conditions=many, factors={})

    found = analyse_experiment(made, [make_numbers(c.name) for c in many])

    assert 500 * len(METRICS) == len(found.comparisons)
    assert "Only the first 500 pairs" in found.method


def test_the_method_says_what_was_done() -> None:
    """The method names the kinds of interval, the test, and the size of the family."""
    found = analyse_experiment(*make_two_by_two(EASY)).method

    assert "there are 7." in found
    assert "11 bias-corrected and accelerated (BCa)" in found
    assert (
        "the pairs of conditions on all other metrics (4 that could be tested; with 7 blocks "
        "none can be below 0.01562, corrected 0.0625)"
    ) in found
    assert "With fewer than 10 blocks they are too narrow." in found


def test_one_cell_is_reported_without_intervals() -> None:
    """For a plan of one cell it is said that there is no interval, and nothing is tested."""
    found = analyse_experiment(*make_two_by_two({"D": [0.3]}))

    assert "There are no intervals" in found.method
    assert ((), ()) == (found.comparisons, found.effects)
    assert 2 == len(found.gates)


def test_what_so_few_blocks_could_show_is_known() -> None:
    """A family records its smallest possible p and the number of blocks needed."""
    found = analyse_experiment(*make_two_by_two(EASY, "refused_actions")).families["answer"]

    assert (3, 7, 0.015625, 0.046875, 7) == (
        found.tests,
        found.blocks,
        found.least_p,
        found.least_corrected,
        found.blocks_needed,
    )


def test_the_answer_is_corrected_by_itself() -> None:
    """Main tests form their own family, so other metrics do not weaken them."""
    made, cells = make_two_by_two(EASY, "refused_actions")
    more = [msgspec.structs.replace(c, stall_mean=c.seed * c.refused_actions % 0.7) for c in cells]

    alone, among = analyse_experiment(made, cells), analyse_experiment(made, more)

    def list_answers(found: Analysis) -> list[float | None]:
        return [e.p_corrected for e in found.effects if e.family == "answer"]

    assert list_answers(alone) == list_answers(among)
    assert 3 == among.families["effects"].tests - alone.families["effects"].tests


def test_what_holds_by_definition_is_not_compared() -> None:
    """Give-ups are compared only between conditions with a game master."""
    found = analyse_experiment(*make_two_by_two({c: [0, 1, 2, 3] for c in "ABCD"}, "give_ups"))

    assert [("C", "D")] == [
        (c.first, c.second) for c in found.comparisons if c.metric == "give_up_rate"
    ]
    assert found.estimates["A"]["give_up_rate"].mean is None
    assert 0.15 == found.estimates["C"]["give_up_rate"].mean


def test_seeds_that_change_nothing_are_one_block() -> None:
    """Ten seeds of a model that always answers the same count as one block."""
    made, cells = make_two_by_two({"A": [0.5] * 10, "B": [0.4] * 10})
    deaf = [msgspec.structs.replace(c, answers=c.condition) for c in cells]

    found = analyse_experiment(made, deaf)

    assert (1, 9) == (found.blocks, found.folded)
    assert find_comparison(found, "A", "B").p is None
    assert "9 more had exactly the same answers" in found.method
    assert (10, 0.5, None, "9 of 10 cells only copies; one cell: no interval") == (
        found.estimates["A"]["stall_mean"].n,
        found.estimates["A"]["stall_mean"].mean,
        found.estimates["A"]["stall_mean"].low,
        found.estimates["A"]["stall_mean"].note,
    )


def test_rare_words_do_not_outweigh_frequent_ones() -> None:
    """Equal error rates compare as equal, even if one set of errors has more varied words."""
    made, cells = make_two_by_two({c: [10] * 90 + [0] * 10 for c in "AB"}, "first_try_valid")
    worded = [
        msgspec.structs.replace(
            c,
            answers="right"
            if c.first_try_valid
            else f"wrong {c.seed if c.condition == 'A' else ''}",
        )
        for c in cells
    ]
    turned = [
        msgspec.structs.replace(c, seed=(c.seed + 50) % 100 if c.condition == "B" else c.seed)
        for c in worded
    ]

    found = analyse_experiment(made, turned)

    rates = [found.estimates[c]["first_try_validity"].mean for c in "AB"]
    effect = next(e for e in found.effects if e.metric == "first_try_validity")
    assert (100, 0, [0.9, 0.9]) == (found.blocks, found.folded, rates)
    assert (0.0, True) == (effect.estimate, (effect.p or 0.0) > 0.5)


def test_means_are_over_all_runs_where_some_are_copies() -> None:
    """A scenario in which seeds change nothing weighs as much in a mean as any other."""
    made, cells = make_two_by_two({"A": [0.1, 0.2, 0.3]})
    deaf = [
        msgspec.structs.replace(c, scenario="shed", answers="same", stall_mean=0.8) for c in cells
    ]

    found = analyse_experiment(made, [*cells, *deaf]).estimates["A"]["stall_mean"]

    assert (0.5, 6, None, "copies among them: no interval") == (
        found.mean,
        found.n,
        found.low,
        found.note,
    )


def test_scenarios_are_reported_one_by_one() -> None:
    """With two scenarios, each has its own estimates of the headline metrics."""
    made, cells = make_two_by_two({"A": [1, 2, 3], "D": [0, 1, 0]}, "refused_actions")
    shed = [msgspec.structs.replace(c, scenario="shed", refused_actions=7) for c in cells]

    found = analyse_experiment(made, [*cells, *shed]).by_scenario

    assert ["house", "shed"] == list(found)
    assert (0.2, 0.7) == (
        found["house"]["A"]["impossible_deed_rate"].mean,
        found["shed"]["A"]["impossible_deed_rate"].mean,
    )
    assert {} == analyse_experiment(made, cells).by_scenario
