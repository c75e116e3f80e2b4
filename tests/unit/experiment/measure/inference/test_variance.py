from collections.abc import Sequence
from typing import Any

import pytest

from saniwa.experiment.measure.inference import variance
from saniwa.experiment.measure.inference.factors import factors_of
from saniwa.experiment.measure.inference.table import table_of
from saniwa.experiment.measure.inference.variance import effects_of
from saniwa.experiment.measure.model import Effect, Numbers
from saniwa.experiment.plan import Condition, Plan
from tests.fakes.experiments import plan
from tests.fakes.measured import numbers, two_by_two

SCORES = {
    "A": [0.51, 0.62, 0.48, 0.73, 0.55],
    "B": [0.40, 0.33, 0.41, 0.52, 0.30],
    "C": [0.31, 0.42, 0.28, 0.49, 0.41],
    "D": [0.12, 0.08, 0.21, 0.19, 0.02],
}


def effects(
    made: Plan, cells: Sequence[Numbers], metric: str = "stall_mean"
) -> dict[tuple[str, ...], Effect]:
    """The effects on a metric, by factors."""
    found = effects_of(table_of(made, cells), factors_of(made))
    return {effect.factors: effect for effect in found if effect.metric == metric}


def reference(made: Plan, cells: Sequence[Numbers], formula: str) -> Any:
    """What statsmodels says itself, with a column for every block."""
    import pandas as pd  # type: ignore[import-untyped]
    import statsmodels.api as sm  # type: ignore[import-untyped]
    import statsmodels.formula.api as smf  # type: ignore[import-untyped]

    levels = {c.name: c for c in made.conditions}
    frame = pd.DataFrame(
        {
            "y": [cell.stall_mean for cell in cells],
            "block": [cell.seed for cell in cells],
            "inject": [float(levels[cell.condition].inject) for cell in cells],
            "gm": [float(levels[cell.condition].gm) for cell in cells],
            "model": [levels[cell.condition].model for cell in cells],
        }
    )
    return sm.stats.anova_lm(smf.ols(formula, frame).fit(), typ=2)


def same(found: Effect, table: Any, line: str) -> None:
    """The effect and the line of a table say the same."""
    explained, left = table.loc[line, "sum_sq"], table.loc["Residual", "sum_sq"]
    assert found.f == pytest.approx(table.loc[line, "F"], rel=1e-5)
    assert found.p == pytest.approx(table.loc[line, "PR(>F)"], rel=1e-5)
    assert found.eta_squared == pytest.approx(explained / (explained + left), rel=1e-5)


FORMULA = "y ~ C(block) + C(inject) * C(gm)"


def test_effects_are_those_of_an_analysis_of_variance() -> None:
    """Taking blocks out beforehand gives what a column for each of them gives."""
    made, cells = two_by_two(SCORES)
    expected = reference(made, cells, FORMULA)

    found = effects(made, cells)

    same(found["inject",], expected, "C(inject)")
    same(found["gm",], expected, "C(gm)")
    same(found["inject", "gm"], expected, "C(inject):C(gm)")


def test_missing_cells_are_analysed_as_they_are() -> None:
    """With cells missing the sums of squares are still those of type II."""
    made, cells = two_by_two(SCORES)
    some = [cell for n, cell in enumerate(cells) if n not in (0, 7, 13)]
    expected = reference(made, some, FORMULA)

    found = effects(made, some)

    same(found["inject",], expected, "C(inject)")
    same(found["gm",], expected, "C(gm)")
    same(found["inject", "gm"], expected, "C(inject):C(gm)")


def test_factors_of_three_levels_are_analysed_too() -> None:
    """A factor of three levels has an F and no single estimate."""
    three = tuple(
        Condition(name=f"{gm}{m}", gm=gm, model=m)
        for gm in (False, True)
        for m in "xyz"
    )
    made = plan(conditions=three, factors={}, seeds=tuple(range(4)))
    cells = [
        numbers(c.name, seed, stall_mean=(7 * n * n + 3 * seed * (n + 1)) % 11 / 11)
        for n, c in enumerate(three)
        for seed in made.seeds
    ]
    expected = reference(made, cells, "y ~ C(block) + C(gm) * C(model)")

    found = effects(made, cells)

    same(found["model",], expected, "C(model)")
    same(found["gm", "model"], expected, "C(gm):C(model)")
    assert found["model",].estimate is None
    assert found["gm",].estimate is not None


def test_estimates_are_mean_differences() -> None:
    """A switch's estimate is on less off; that of two, the difference of differences."""
    made, cells = two_by_two(SCORES)
    a, b, c, d = (sum(row) / len(row) for row in SCORES.values())

    found = effects(made, cells)

    assert found["inject",].estimate == pytest.approx((b + d - a - c) / 2)
    assert found["gm",].estimate == pytest.approx((c + d - a - b) / 2)
    assert found["inject", "gm"].estimate == pytest.approx(d - c - b + a)


def test_an_interval_and_its_test_agree() -> None:
    """Where p is just what the interval leaves out, an end of the interval is at 0."""
    from scipy import stats  # type: ignore[import-untyped]

    made, cells = two_by_two(SCORES)
    found = effects(made, cells)["gm",]

    assert found.estimate is not None
    assert found.low is not None
    assert found.f is not None
    error = abs(found.estimate) / found.f**0.5
    half = stats.t.ppf(0.975, 20 - 5 - 3) * error
    assert found.estimate - half == pytest.approx(found.low, rel=1e-4)


@pytest.mark.parametrize(
    ("note", "values"),
    [
        (variance.CONFOUNDED, {"A": [0.1, 0.2, 0.3], "D": [0.4, 0.3, 0.5]}),
        (variance.NO_SPREAD, {"A": [0.1, 0.2], "B": [0.1, 0.2]}),
        (variance.NO_ERROR, {"A": [0.1], "B": [0.2]}),
        (variance.NO_CHANCE, {"A": [0.1, 0.2, 0.3], "B": [0.2, 0.3, 0.4]}),
        (variance.UNCOUNTED, {"A": [], "B": [float("nan")]}),
    ],
)
def test_what_cannot_be_tested_says_why(
    note: str, values: dict[str, list[float]], recwarn: pytest.WarningsRecorder
) -> None:
    """An effect without a test has no F and no p, and a note with the reason."""
    made, cells = two_by_two(values)

    found = list(effects(made, cells).values())[-1]

    assert (note, None, None) == (found.note, found.f, found.p)
    assert [] == list(recwarn)


def test_an_estimate_needs_no_test() -> None:
    """One block says how much something changed, and not how sure that is."""
    made, cells = two_by_two({"A": [0.1], "B": [0.4]})

    assert 0.3 == effects(made, cells)["inject",].estimate


def test_too_many_levels_are_left_out_and_that_is_said() -> None:
    """An interaction that would take hundreds of columns is not analysed."""
    many = tuple(
        Condition(name=f"{m}-{t}", model=f"m{m}", temperature=t / 100)
        for m in range(20)
        for t in range(20)
    )
    made = plan(conditions=many, factors={})
    cells = [numbers(c.name, stall_mean=n % 13 / 13) for n, c in enumerate(many)]

    found = effects(made, cells)

    assert "" == found["model",].note
    assert variance.TOO_MANY == found["model", "temperature"].note
