from typing import Any

import pytest

from saniwa.experiment.analysis_records import ConditionComparison, FactorEffect
from saniwa.experiment.statistics.significance import conclude_comparison, conclude_effect


def _make_effect(*factors: str, **more: Any) -> FactorEffect:
    usual: dict[str, Any] = {
        "metric": "impossible_rate",
        "factors": factors,
        "estimate": -0.3,
        "low": None,
        "high": None,
        "f": None,
        "p": 0.001,
        "p_corrected": 0.004,
        "eta_squared": None,
        "blocks": 10,
    }
    return FactorEffect(**(usual | more))


REACH = {"effects": {0.001: 0.003, 0.1: 0.1}, "pairs": {0.001: 0.003}}


def _conclude_one(effect: FactorEffect, *others: FactorEffect) -> str:
    return conclude_effect(effect, (*others, effect), REACH)


@pytest.mark.parametrize(
    ("more", "sense"),
    [
        ({}, "better"),
        ({"estimate": 0.3}, "worse"),
        ({"metric": "first_try_validity"}, "worse"),
        ({"metric": "first_try_validity", "estimate": 0.3}, "better"),
        ({"estimate": None}, "differs"),
        ({"p_corrected": 0.05}, "not shown"),
        ({"p_corrected": None}, "unknown"),
        ({"p_corrected": None, "estimate": 0.0}, "no change"),
        ({"p_corrected": None, "estimate": 0.0, "blocks": 6}, "no change"),
        ({"p_corrected": None, "estimate": 0.0, "blocks": 5}, "could not be shown"),
        ({"p_corrected": None, "estimate": 0.0, "blocks": 1}, "unknown"),
    ],
)
def test_a_report_claims_no_more_of_a_factor_than_was_shown(
    more: dict[str, Any], sense: str
) -> None:
    """Better or worse is said only for p below 0.05, and depends on the metric's direction."""
    effect = _make_effect("gm", **more)

    assert sense == _conclude_one(effect)


def test_what_so_few_blocks_cannot_show_is_no_failure_to_show_it() -> None:
    """If no p could have been small enough, the conclusion says so."""
    few, enough = (_make_effect("gm", p_corrected=0.2, least_p=p) for p in (0.1, 0.001))

    assert ("could not be shown", "not shown") == (_conclude_one(few), _conclude_one(enough))


@pytest.mark.parametrize(
    ("alone", "together", "sense"),
    [
        ((-0.3, -0.4), 0.6, "overlap"),
        ((-0.3, -0.4), -0.6, "strengthen"),
        ((-0.3, 0.4), 0.6, "depends"),
        ((-0.3, None), 0.6, "depends"),
        ((-0.3, -0.4), None, "depends"),
    ],
)
def test_two_factors_overlap_or_strengthen_only_where_both_help(
    alone: tuple[float, float | None], together: float | None, sense: str
) -> None:
    """If not both factors help, the conclusion only says that one depends on the other."""
    mains = [
        _make_effect(name, estimate=each)
        for name, each in zip(("inject", "gm"), alone, strict=True)
    ]
    both = _make_effect("inject", "gm", estimate=together)

    assert sense == _conclude_one(both, *mains)


def test_pairs_are_reported_like_factors() -> None:
    """A pair is described from its first condition to its second."""
    pair = ConditionComparison(
        metric="give_up_rate",
        first="C",
        second="D",
        difference=-0.1,
        low=None,
        high=None,
        p=0.01,
        p_corrected=0.02,
        effect=None,
        size="",
        blocks=10,
    )

    assert "better" == conclude_comparison(pair, REACH)
