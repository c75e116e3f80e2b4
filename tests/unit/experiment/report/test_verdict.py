import msgspec
import pytest

from saniwa.experiment.measure.model import Analysis, Effect
from saniwa.experiment.report.blocks import Bullets
from saniwa.experiment.report.parts.verdict import verdict
from tests.fakes.reports import Trial, trial


def _effect(*factors: str, estimate: float | None, p: float | None) -> Effect:
    return Effect(
        metric="impossible_rate",
        factors=factors,
        estimate=estimate,
        low=None if estimate is None else estimate - 0.1,
        high=None if estimate is None else estimate + 0.1,
        f=4.0,
        p=p,
        p_corrected=p,
        eta_squared=0.5,
        note="" if p is not None else "too few cells to tell it from chance",
    )


def _told(given: Trial, *effects: Effect) -> list[str]:
    analysis: Analysis = msgspec.structs.replace(given.analysis, effects=effects)
    blocks = verdict(given._replace(analysis=analysis).material)
    bullets = next(each for each in blocks if isinstance(each, Bullets))
    return ["".join(piece.text for piece in line) for line in bullets.lines]


@pytest.mark.parametrize(
    ("estimate", "p", "expected"),
    [
        (-0.4, 0.0001, "Yes. Telling changes “impossible actions a turn” by −0.40 "
         "(−0.50 to −0.30), p < 0.001."),
        (0.4, 0.01, "No, it makes things worse. Telling changes “impossible actions a "
         "turn” by +0.40 (+0.30 to +0.50), p = 0.010."),
        (-0.4, 0.2, "It was not shown. Telling changes “impossible actions a turn” by "
         "−0.40 (−0.50 to −0.30), p = 0.200: this cannot be told from chance."),
        (-0.4, None, "It cannot be said. Telling changes “impossible actions a turn” by "
         "−0.40 (−0.50 to −0.30), but that cannot be tested: too few cells to tell it "
         "from chance."),
        (None, None, "It cannot be said. Telling left nothing to compare: too few cells "
         "to tell it from chance."),
    ],
)  # fmt: skip
def test_the_answer_says_no_more_than_the_figures_bear(
    estimate: float | None, p: float | None, expected: str
) -> None:
    """Yes only where it is shown, with change, interval and probability."""
    told = _told(trial(), _effect("inject", estimate=estimate, p=p))

    assert f"Does telling help? {expected}" == told[0]


@pytest.mark.parametrize(
    ("inject", "gm", "both", "p", "expected"),
    [
        (-0.4, -0.3, 0.2, 0.01, "They overlap: each does part of the other's work."),
        (-0.4, -0.3, -0.2, 0.01, "They strengthen each other."),
        (-0.4, 0.3, -0.2, 0.01, "What one does depends on the other."),
        (-0.4, -0.3, 0.2, 0.5, "That one changes what the other does was not shown."),
        (-0.4, -0.3, 0.2, None, "It cannot be said."),
    ],
)
def test_both_together_are_told_by_their_interaction(
    inject: float, gm: float, both: float, p: float | None, expected: str
) -> None:
    """Overlap, strengthening or neither: as the interaction says, if it says anything."""
    told = _told(
        trial(),
        _effect("inject", estimate=inject, p=0.01),
        _effect("gm", estimate=gm, p=0.01),
        _effect("inject", "gm", estimate=both, p=p),
    )

    assert told[2].startswith(f"And both together? {expected} With neither it is ")


def test_what_a_plan_does_not_vary_was_not_asked() -> None:
    """A plan with one condition has no answer, and says why."""
    told = _told(trial("D", 1))

    assert [
        "Does telling help? Not asked. Every condition of this plan has inject the same.",
        "Does refusing help? Not asked. Every condition of this plan has gm the same.",
        "And both together? Not asked. The plan does not vary both.",
    ] == told


def test_further_factors_are_told_of_after_the_three() -> None:
    """Each factor beyond the two has a sentence of its own."""
    whole = trial()
    factors = {**whole.prepared.plan.factors, "model": ("a", "b", "c")}
    plan = msgspec.structs.replace(whole.prepared.plan, factors=factors)
    given = whole._replace(prepared=msgspec.structs.replace(whole.prepared, plan=plan))

    told = _told(given, _effect("model", estimate=None, p=0.01))

    assert "Does model matter? Yes. p = 0.010, partial η² 0.500" == told[3]
