"""What statistics promise for any numbers, not only for those of an example."""

from math import inf, isfinite, nan

import msgspec
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from saniwa.experiment.analysis_records import Analysis, ConditionComparison
from saniwa.experiment.plan import ExperimentPlan
from saniwa.experiment.statistics.analysis import analyse_experiment
from tests.fakes.cell_numbers import make_two_by_two
from tests.fakes.nightly import NIGHTLY

TENTHS = st.integers(0, 10).map(lambda n: n / 10)
ROWS = st.integers(2, 8).flatmap(
    lambda blocks: st.fixed_dictionaries(
        {letter: st.lists(TENTHS, min_size=blocks, max_size=blocks) for letter in "AB"}
    )
)
RAGGED = st.dictionaries(
    st.sampled_from("ABCD"),
    st.lists(
        st.floats(-1e16, 1e16) | st.sampled_from([nan, inf, 1e-300, 0.1, 0.1, 0.0]), max_size=4
    ),
    min_size=1,
)
Rows = dict[str, list[float]]
# An analysis takes a large part of a second: run few examples, and do not shrink them.
FEW = settings(max_examples=12 if NIGHTLY else 2, phases=[Phase.explicit, Phase.generate])


def analyse_rows(rows: Rows) -> Analysis:
    """The analysis of an experiment with these stall scores."""
    return analyse_experiment(*make_two_by_two(rows))


def compare_conditions(found: Analysis) -> ConditionComparison:
    """The comparison of A and B."""
    return next(each for each in found.comparisons if each.metric == "stall_mean")


@FEW
@given(ROWS, st.integers(1, 50))
def test_shifting_a_condition_shifts_its_estimate(rows: Rows, by: int) -> None:
    """Adding a number to every block of a condition moves its mean, bounds and difference by it."""
    # Blocks that all agree have an exact interval, which ends at the bounds of a share.
    assume(len({*rows["B"]}) > 1)
    assume(len({b - a for a, b in zip(rows["A"], rows["B"], strict=True)}) > 1)
    shifted = rows | {"B": [value + by for value in rows["B"]]}

    plain, other = analyse_rows(rows), analyse_rows(shifted)
    before, after = (each.estimates["B"]["stall_mean"] for each in (plain, other))
    still, moved = compare_conditions(plain), compare_conditions(other)

    for old, new in (
        (before.mean, after.mean),
        (before.low, after.low),
        (before.high, after.high),
        (still.difference, moved.difference),
        (still.low, moved.low),
        (still.high, moved.high),
    ):
        assert old is not None
        assert new == pytest.approx(old + by, rel=1e-4)


@FEW
@given(ROWS)
def test_swapping_conditions_flips_the_sign(rows: Rows) -> None:
    """Swapping A and B flips the signs of difference and effect, and keeps the probabilities."""
    swapped = {"A": rows["B"], "B": rows["A"]}
    one, other = compare_conditions(analyse_rows(rows)), compare_conditions(analyse_rows(swapped))

    def negate_number(number: float | None) -> object:
        return None if number is None else pytest.approx(-number, rel=1e-4, abs=1e-9)

    assert negate_number(one.difference) == other.difference
    assert negate_number(one.effect) == other.effect
    assert negate_number(one.low) == other.high
    assert negate_number(one.high) == other.low
    assert (one.p, one.size, one.blocks, one.note) == (
        other.p,
        other.size,
        other.blocks,
        other.note,
    )


@FEW
@given(RAGGED, st.randoms(use_true_random=False))
def test_the_order_of_cells_changes_no_byte(rows: Rows, chance: object) -> None:
    """The order of the cells changes no byte of the analysis."""
    made: ExperimentPlan
    made, cells = make_two_by_two(rows)
    mixed = list(cells)
    chance.shuffle(mixed)  # type: ignore[attr-defined]

    assert msgspec.json.encode(analyse_experiment(made, cells)) == msgspec.json.encode(
        analyse_experiment(made, mixed)
    )


@FEW
@given(RAGGED)
def test_any_numbers_give_finite_figures_or_none(rows: Rows) -> None:
    """Whatever was measured, nothing raises and no figure is infinite."""
    found = analyse_rows(rows)

    for each in found.comparisons:
        for figure in (each.difference, each.low, each.high, each.p, each.effect):
            assert figure is None or isfinite(figure)
    for effect in found.effects:
        for figure in (effect.estimate, effect.f, effect.p, effect.eta_squared):
            assert figure is None or isfinite(figure)


@FEW
@given(ROWS)
def test_a_corrected_probability_is_never_smaller(rows: Rows) -> None:
    """Correcting for many tests makes no probability smaller."""
    for each in analyse_rows(rows).comparisons:
        assert (each.p is None) == (each.p_corrected is None)
        assert (each.p_corrected or 0) >= (each.p or 0)
