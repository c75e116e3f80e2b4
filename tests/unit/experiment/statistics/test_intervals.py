import pytest

from saniwa.experiment.statistics.intervals import (
    MANY,
    SEED,
    _compute_unit_intervals,
    compute_intervals,
)

ROW = [0.1, 0.4, 0.2, 0.9, 0.3, 0.3, 0.7, 0.2, 0.5, 0.1]


def test_an_interval_is_scipys_own() -> None:
    """Resampling many rows at once gives the same interval as SciPy."""
    import numpy as np
    from scipy import stats

    plain = stats.bootstrap(
        (np.array(ROW),), np.mean, n_resamples=9_999, method="BCa", rng=np.random.default_rng(SEED)
    ).confidence_interval

    other = [value**2 for value in ROW]
    found = compute_intervals([other, ROW], [None, None])[1]

    assert found is not None
    assert (plain.low, plain.high, "BCa") == (
        pytest.approx(found.low),
        pytest.approx(found.high),
        found.method,
    )


def test_other_rows_make_no_difference() -> None:
    """A row's interval is the same alone and among rows of any length."""
    rows = [[1.0, 2.0], ROW, ROW[:5], [x * 3 for x in ROW]]
    among = compute_intervals(rows, [None] * 4)

    assert compute_intervals([ROW], [None])[0] == among[1]


@pytest.mark.parametrize("row", [[], [0.5]])
def test_fewer_than_two_values_have_no_interval(row: list[float]) -> None:
    """One value has no interval."""
    assert [None] == compute_intervals([row], [(0.0, 1.0)])


@pytest.mark.parametrize(("value", "successes"), [(0.0, 0), (1.0, 10)])
def test_a_share_at_its_bound_has_the_interval_of_clopper_and_pearson(
    value: float, successes: int
) -> None:
    """Ten of ten, or none of ten, has the exact interval of Clopper and Pearson."""
    from scipy import stats

    (found,) = compute_intervals([[value] * 10], [(0.0, 1.0)])

    known = stats.binomtest(successes, 10).proportion_ci(method="exact")
    assert found is not None
    assert (known.low, known.high, "exact") == (
        pytest.approx(found.low),
        pytest.approx(found.high),
        found.method,
    )


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 1.0), (-2.0, 2.0)])
def test_equal_values_have_an_interval_that_narrows_with_blocks(
    bounds: tuple[float, float],
) -> None:
    """The interval has a width, contains the value, respects the bounds, and narrows."""
    few, many = compute_intervals([[0.5] * 4, [0.5] * 40], [bounds, bounds])

    assert few is not None
    assert many is not None
    assert bounds[0] <= few.low < many.low < 0.5 < many.high < few.high <= bounds[1]


def test_equal_values_without_bounds_have_no_interval() -> None:
    """For equal counts without bounds no width is made up."""
    assert [None] == compute_intervals([[0.0] * 4], [None])


def test_what_cannot_be_corrected_falls_back_to_percentiles(
    recwarn: pytest.WarningsRecorder,
) -> None:
    """If SciPy cannot compute a BCa interval, percentiles are used for that row."""
    import numpy as np

    low, high, corrected = _compute_unit_intervals(np.array([[0.5] * 10, ROW]))

    assert [False, True] == corrected.tolist()
    assert (0.5, 0.5) == (low[0], high[0])
    assert low[1] < high[1]
    assert [] == list(recwarn)


def test_very_many_blocks_are_not_corrected() -> None:
    """Above a limit percentiles are used, and the method says so."""
    rows = [[float(n % 7) for n in range(count)] for count in (MANY, MANY + 1)]

    assert ["BCa", "percentile"] == [i.method for i in compute_intervals(rows, [None] * 2) if i]


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [10, 20, 40])
@pytest.mark.parametrize("kind", ["normal", "share", "skewed"])
def test_intervals_hold_as_often_as_they_say(kind: str, blocks: int) -> None:
    """Over 1,000 experiments about 95 of 100 intervals contain the true mean.

    With few blocks it is fewer, as a bootstrap cannot see tails that are not in the sample.
    """
    import numpy as np

    rng = np.random.default_rng(11)
    size = (1_000, blocks)
    drawn, true = {
        "normal": (rng.normal(0, 1, size), 0.0),
        "share": (rng.binomial(10, 0.3, size) / 10, 0.3),
        "skewed": (rng.exponential(1, size), 1.0),
    }[kind]

    found = compute_intervals(drawn.tolist(), [None] * len(drawn))

    held = sum(i is not None and i.low <= true <= i.high for i in found) / len(found)
    least = {10: 0.86, 20: 0.90, 40: 0.92}[blocks]
    assert least <= held <= 0.97
