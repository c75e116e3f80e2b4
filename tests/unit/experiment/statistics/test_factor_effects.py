from collections.abc import Sequence

import msgspec
import pytest

from saniwa.experiment.analysis_records import CellNumbers, FactorEffect
from saniwa.experiment.plan import Condition, ExperimentPlan
from saniwa.experiment.statistics import analysis
from saniwa.experiment.statistics.analysis import UNTESTED, compute_effects
from saniwa.experiment.statistics.design import build_tables, find_factors
from saniwa.experiment.statistics.permutation import compute_paired_p
from tests.fakes.cell_numbers import make_numbers, make_two_by_two
from tests.fakes.experiments import make_plan

SCORES = {
    "A": [0.51, 0.62, 0.48, 0.73, 0.55],
    "B": [0.40, 0.33, 0.41, 0.52, 0.30],
    "C": [0.31, 0.42, 0.28, 0.49, 0.41],
    "D": [0.12, 0.08, 0.21, 0.19, 0.02],
}


def find_effects(
    made: ExperimentPlan, cells: Sequence[CellNumbers], metric: str = "stall_mean"
) -> dict[tuple[str, ...], FactorEffect]:
    """Find the effects on a metric, by factors."""
    found, _ = compute_effects(build_tables(made, cells).tested, find_factors(made))
    return {effect.factors: effect for effect in found if effect.metric == metric}


def compute_crossed(
    made: ExperimentPlan, cells: Sequence[CellNumbers], times: int
) -> list[FactorEffect]:
    """Compute the effects of a plan crossed with temperatures that change nothing."""
    warm = tuple(
        msgspec.structs.replace(c, name=f"{c.name}{t}", temperature=float(t))
        for c in made.conditions
        for t in range(times)
    )
    copies = [
        msgspec.structs.replace(c, condition=f"{c.condition}{t}")
        for c in cells
        for t in range(times)
    ]
    wider = msgspec.structs.replace(made, conditions=warm)
    return list(find_effects(wider, copies).values())


def test_further_factors_make_no_replicates() -> None:
    """A factor without effect leaves the figures of the others unchanged."""
    made, cells = make_two_by_two(SCORES)
    plain = list(find_effects(made, cells).values())

    among = [e for e in compute_crossed(made, cells, 4) if "temperature" not in e.factors]

    assert plain == among


def test_estimates_are_mean_differences() -> None:
    """A switch's estimate is on minus off; an interaction's is the difference of differences."""
    made, cells = make_two_by_two(SCORES)
    a, b, c, d = (sum(row) / len(row) for row in SCORES.values())

    found = find_effects(made, cells)

    assert found["inject",].estimate == pytest.approx((b + d - a - c) / 2)
    assert found["gm",].estimate == pytest.approx((c + d - a - b) / 2)
    assert found["inject", "gm"].estimate == pytest.approx(d - c - b + a)


def test_an_effect_is_tested_on_one_number_a_block() -> None:
    """The p of an effect is from sign flips of the differences within blocks."""
    made, cells = make_two_by_two(SCORES)
    changes = [(b + d - a - c) / 2 for a, b, c, d in zip(*SCORES.values(), strict=True)]

    found = find_effects(made, cells)["inject",]

    assert (compute_paired_p([changes])[0], 5) == (found.p, found.blocks)
    assert found.low is not None
    assert found.high is not None
    assert min(changes) <= found.low < sum(changes) / 5 < found.high <= max(changes)


def test_f_and_eta_squared_are_those_of_repeated_measures() -> None:
    """The error term of a factor is its variation between blocks, as in statsmodels."""
    import pandas as pd
    from statsmodels.stats.anova import AnovaRM

    made, cells = make_three_levels()
    levels = {c.name: c for c in made.conditions}
    frame = pd.DataFrame(
        {
            "y": [cell.stall_mean for cell in cells],
            "block": [cell.seed for cell in cells],
            "gm": [levels[cell.condition].gm for cell in cells],
            "model": [levels[cell.condition].model for cell in cells],
        }
    )
    expected = AnovaRM(frame, "y", "block", ["gm", "model"]).fit().anova_table

    found = find_effects(made, cells)

    for line, factors in (("gm", ("gm",)), ("model", ("model",)), ("gm:model", ("gm", "model"))):
        assert found[factors].f == pytest.approx(expected.loc[line, "F Value"], rel=1e-5)
    assert found["model",].estimate is None
    assert found["gm",].estimate is not None


def make_three_levels() -> tuple[ExperimentPlan, list[CellNumbers]]:
    """Cross two levels of one factor with three of another, in six blocks."""
    three = tuple(Condition(name=f"{gm}{m}", gm=gm, model=m) for gm in (False, True) for m in "xyz")
    made = make_plan(conditions=three, factors={}, seeds=tuple(range(6)))
    cells = [
        make_numbers(c.name, seed, stall_mean=(7 * n * n + 3 * seed * (n + 1)) % 11 / 11)
        for n, c in enumerate(three)
        for seed in made.seeds
    ]
    return made, cells


def test_a_perfectly_regular_effect_is_tested() -> None:
    """The same change in every block gives the smallest p possible for that many blocks."""
    made, cells = make_two_by_two({"A": [0.1, 0.2, 0.3], "B": [0.2, 0.3, 0.4]})

    found = find_effects(made, cells)["inject",]

    assert (0.1, 0.0292402, 0.736838, 0.25, 0.25, None, 1.0) == (
        found.estimate,
        found.low,
        found.high,
        found.p,
        found.least_p,
        found.f,
        found.eta_squared,
    )


def test_only_blocks_with_every_cell_count() -> None:
    """A block that lacks a cell needed for an effect is left out of it."""
    made, cells = make_two_by_two(SCORES)
    some = [c for c in cells if (c.condition, c.seed) not in {("A", 0), ("D", 3)}]

    assert [3, 3, 3] == [each.blocks for each in find_effects(made, some).values()]


def test_a_part_of_a_crossing_says_what_it_can() -> None:
    """With A, B and C each switch is compared where only it differs; the interaction is not."""
    made, cells = make_two_by_two({c: SCORES[c] for c in "ABC"})
    found = find_effects(made, cells)

    assert found["inject",].estimate == pytest.approx((1.96 - 2.89) / 5)
    assert found["gm",].estimate == pytest.approx((1.91 - 2.89) / 5)
    assert analysis.CONFOUNDED == found["inject", "gm"].note


@pytest.mark.parametrize(
    ("note", "values"),
    [
        (analysis.CONFOUNDED, {"A": [0.1, 0.2, 0.3], "D": [0.4, 0.3, 0.5]}),
        (UNTESTED, {"A": [0.1, 0.2], "B": [0.1, 0.2]}),
        ("one block: no interval", {"A": [0.1], "B": [0.2]}),
        (analysis.INCOMPLETE, {"A": [0.1, 0.2], "B": [float("nan")]}),
        (analysis.UNCOUNTED, {"A": [], "B": [float("nan")]}),
    ],
)
def test_what_cannot_be_tested_says_why(
    note: str, values: dict[str, list[float]], recwarn: pytest.WarningsRecorder
) -> None:
    """An untested effect has no F and no p, and a note with the reason."""
    made, cells = make_two_by_two(values)

    found = list(find_effects(made, cells).values())[-1]

    assert (note, None, None) == (found.note, found.f, found.p)
    assert [] == list(recwarn)


def test_what_holds_by_definition_is_not_tested() -> None:
    """The effect of gm on give-ups is not tested, but the effect of inject is."""
    made, cells = make_two_by_two({c: [0, 1, 2, n] for n, c in enumerate("ABCD")}, "give_ups")
    found = find_effects(made, cells, "give_up_rate")

    assert [analysis.BY_DEFINITION] * 2 == [
        found[factors].note for factors in (("gm",), ("inject", "gm"))
    ]
    assert 0.025 == found["inject",].estimate


def test_too_many_levels_are_left_out_and_that_is_said() -> None:
    """An interaction with hundreds of levels is not analysed."""
    many = tuple(
        Condition(name=f"{m}-{t}", model=f"m{m}", temperature=t / 100)
        for m in range(20)
        for t in range(20)
    )
    made = make_plan(conditions=many, factors={})
    cells = [
        make_numbers(c.name, seed, stall_mean=n * (seed + 2) % 13 / 13)
        for n, c in enumerate(many)
        for seed in range(2)
    ]

    found = find_effects(made, cells)

    assert found["model",].p is not None
    assert analysis.TOO_MANY_LEVELS == found["model", "temperature"].note
