import pytest

from saniwa.experiment.measure.inference.bootstrap import (
    MANY,
    SEED,
    _unit_intervals,
    intervals,
)

ROW = [0.1, 0.4, 0.2, 0.9, 0.3, 0.3, 0.7, 0.2, 0.5, 0.1]


def test_an_interval_is_scipys_own() -> None:
    """Drawing blocks for many rows at once gives what SciPy gives for the values."""
    import numpy as np
    from scipy import stats  # type: ignore[import-untyped]

    plain = stats.bootstrap(
        (np.array(ROW),),
        np.mean,
        n_resamples=9_999,
        method="BCa",
        rng=np.random.default_rng(SEED),
    ).confidence_interval

    other = [value**2 for value in ROW]
    found = intervals([other, ROW])[1]

    assert found is not None
    assert (plain.low, plain.high, "BCa") == (
        pytest.approx(found.low),
        pytest.approx(found.high),
        found.method,
    )


def test_other_rows_make_no_difference() -> None:
    """A row's interval is the same alone and among rows of any length."""
    among = intervals([[1.0, 2.0], ROW, ROW[:5], [x * 3 for x in ROW]])

    assert intervals([ROW])[0] == among[1]


@pytest.mark.parametrize("row", [[], [0.5]])
def test_fewer_than_two_values_have_no_interval(row: list[float]) -> None:
    """One value says nothing about how far the next would lie."""
    assert [None] == intervals([row])


def test_values_all_alike_have_an_interval_without_width() -> None:
    """Where every value is the same, so is every resample."""
    assert [(0.5, 0.5, "constant")] == intervals([[0.5] * 4])


def test_what_cannot_be_corrected_falls_back_to_percentiles(
    recwarn: pytest.WarningsRecorder,
) -> None:
    """Where SciPy has no corrected interval the plain one is taken, row by row."""
    import numpy as np

    low, high, corrected = _unit_intervals(np.array([[0.5] * 10, ROW]))

    assert [False, True] == corrected.tolist()
    assert (0.5, 0.5) == (low[0], high[0])
    assert low[1] < high[1]
    assert [] == list(recwarn)


def test_very_many_blocks_are_not_corrected() -> None:
    """Above a border percentiles are used, and say so."""
    rows = [[float(n % 7) for n in range(count)] for count in (MANY, MANY + 1)]

    assert ["BCa", "percentile"] == [i.method for i in intervals(rows) if i]


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [10, 20, 40])
@pytest.mark.parametrize("kind", ["normal", "share", "skewed"])
def test_intervals_hold_as_often_as_they_say(kind: str, blocks: int) -> None:
    """Over 1,000 experiments the true mean lies in about 95 of 100 intervals.

    Fewer where blocks are few: a bootstrap cannot see the tails it was not shown.
    """
    import numpy as np

    rng = np.random.default_rng(11)
    size = (1_000, blocks)
    drawn, true = {
        "normal": (rng.normal(0, 1, size), 0.0),
        "share": (rng.binomial(10, 0.3, size) / 10, 0.3),
        "skewed": (rng.exponential(1, size), 1.0),
    }[kind]

    found = intervals(drawn.tolist())

    held = sum(i is not None and i.low <= true <= i.high for i in found) / len(found)
    least = {10: 0.86, 20: 0.90, 40: 0.92}[blocks]
    assert least <= held <= 0.97
