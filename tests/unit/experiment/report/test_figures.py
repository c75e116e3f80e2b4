import pytest

from saniwa.experiment.analysis_records import Estimate, Metric
from saniwa.experiment.report_wording import (
    format_change,
    format_change_interval,
    format_estimate,
    format_figure,
    format_interval,
    format_probability,
    pluralize_count,
)


def _make_metric(unit: str) -> Metric:
    return Metric(name="m", label="M", unit=unit, better="less", about="")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (0.1234, "rate", "12.3 %"),
        (1.5, "count", "1.50"),
        (0.25, "score", "0.250"),
        (1234.4, "ms", "1,234 ms"),
        (12.34, "tokens", "12.3"),
        (0.0012, "usd", "$0.001200"),
        (-0.0001, "rate", "0.0 %"),
        (-2.0, "count", "−2.00"),
        (None, "rate", "–"),
    ],
)
def test_a_figure_has_few_digits_and_its_unit(
    value: float | None, unit: str, expected: str
) -> None:
    """Values are shown with a unit and a true minus sign, and never as minus zero."""
    assert expected == format_figure(value, _make_metric(unit))


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.1, "+10.0 points"), (-0.1, "−10.0 points"), (0.00001, "0.0 points"), (None, "–")],
)
def test_a_change_has_a_sign(value: float | None, expected: str) -> None:
    """Differences of shares are in percentage points; a difference of zero has no sign."""
    assert expected == format_change(value, _make_metric("rate"))


def test_an_interval_says_its_unit_once() -> None:
    """The unit is written once at the end of an interval, but a prefix is written twice."""
    assert "(10.0 to 20.0 %)" == format_interval(0.1, 0.2, _make_metric("rate"))
    assert "(−10.0 to +20.0 points)" == format_change_interval(-0.1, 0.2, _make_metric("rate"))
    assert "($0.100000 to $0.200000)" == format_interval(0.1, 0.2, _make_metric("usd"))
    assert "(1.00 to 2.00)" == format_interval(1, 2, _make_metric("count"))
    assert "" == format_interval(None, 0.2, _make_metric("rate"))


def test_an_estimate_without_an_interval_has_none() -> None:
    """One cell gives a mean without an interval; no cells give neither."""
    alone = Estimate(mean=0.5, low=None, high=None, n=1)

    assert ("50.0 %", "") == format_estimate(alone, _make_metric("rate"))
    assert ("–", "") == format_estimate(None, _make_metric("rate"))


@pytest.mark.parametrize(
    ("p", "expected"), [(0.0001, "< 0.001"), (0.0123, "0.012"), (1.0, "1.000"), (None, "–")]
)
def test_a_probability_is_written_as_papers_do(p: float | None, expected: str) -> None:
    """A p value has three digits and is never shown as zero."""
    assert expected == format_probability(p)


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "0 runs"), (1, "1 run"), (1200, "1,200 runs")]
)
def test_counts_are_written_in_words(number: int, expected: str) -> None:
    """Counts use the singular for one and the plural otherwise."""
    assert expected == pluralize_count(number, "run")
