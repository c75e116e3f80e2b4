import msgspec
import pytest

from saniwa.experiment.analysis_records import Analysis, FactorEffect
from saniwa.experiment.plan import ExperimentPlan
from saniwa.experiment.statistics.analysis import analyse_experiment
from saniwa.experiment.statistics.design import count_blocks_lacking, count_blocks_needed
from saniwa.experiment.statistics.significance import (
    conclude_effect,
    correct_holm,
    find_attainable_p,
)
from tests.fakes.cell_numbers import make_numbers, make_two_by_two
from tests.fakes.experiments import make_plan


def _warm(seeds: int) -> ExperimentPlan:
    """Return a 2×2 at three temperatures."""
    made, _ = make_two_by_two({letter: [0.0] * seeds for letter in "ABCD"})
    warm = tuple(
        msgspec.structs.replace(each, name=f"{each.name}{t}", temperature=float(t))
        for each in made.conditions
        for t in range(3)
    )
    return msgspec.structs.replace(made, conditions=warm)


def _analyse_crossed(seeds: int) -> Analysis:
    """Do the same, with an effect of gm in every block."""
    made = _warm(seeds)
    cells = [
        make_numbers(c.name, seed, refused_actions=_make_rate(n, seed, gm=c.gm))
        for n, c in enumerate(made.conditions)
        for seed in made.seeds
    ]
    return analyse_experiment(made, cells)


def _make_rate(place: int, seed: int, *, gm: bool) -> float:
    return (place * 7 + seed * place % 5 + 3 * seed) % 11 / 100 + (0 if gm else 0.5)


def _find_answers(analysis: Analysis) -> dict[tuple[str, ...], FactorEffect]:
    return {each.factors: each for each in analysis.effects if each.family == "answer"}


def test_each_effect_is_asked_whether_it_could_have_been_shown() -> None:
    """A factor of three levels needs fewer blocks than one of two levels."""
    found = _analyse_crossed(6)
    reach, answer = find_attainable_p(found), _find_answers(found)
    gm, warm = answer["gm",], answer["temperature",]

    assert gm.least_p is not None
    assert 0.03125 == gm.p == gm.least_p
    assert warm.least_p is not None
    assert 0.09375 == reach["answer"][gm.least_p]
    assert 0.05 > reach["answer"][warm.least_p]
    assert "could not be shown" == conclude_effect(gm, found.effects, reach)
    assert 7 == count_blocks_needed(gm, found.effects, _warm(6))


@pytest.mark.parametrize(("blocks", "shown"), [(2, False), (3, True), (6, True)])
def test_a_family_needs_as_few_blocks_as_its_surest_test(blocks: int, *, shown: bool) -> None:
    """If one test of a family could be significant, there is no note about too few blocks."""
    answer = _analyse_crossed(blocks).families["answer"]

    assert answer.least_corrected is not None
    assert answer.blocks_needed is not None
    assert shown == (answer.least_corrected < 0.05)
    assert shown == (answer.blocks_needed <= blocks)


def test_in_as_many_blocks_as_are_needed_it_could_be_shown() -> None:
    """With one more block the note says that the effect was not shown."""
    found = _analyse_crossed(7)

    told = conclude_effect(_find_answers(found)["gm",], found.effects, find_attainable_p(found))

    assert "not shown" == told


def test_the_least_is_what_holm_makes_of_every_tests_least() -> None:
    """No corrected p can be below the reported minimum."""
    found = _analyse_crossed(6)
    answer = [each for each in _find_answers(found).values() if each.least_p is not None]
    reach = find_attainable_p(found)["answer"]

    assert correct_holm([each.least_p for each in answer]) == [
        reach[each.least_p] for each in answer if each.least_p is not None
    ]


def test_what_was_not_tested_needs_no_blocks() -> None:
    """Without a test the smallest possible p is unknown."""
    gm = msgspec.structs.replace(_find_answers(_analyse_crossed(6))["gm",], least_p=None)

    assert count_blocks_needed(gm, (gm,), _warm(6)) is None


@pytest.mark.parametrize(
    ("letters", "seeds", "lacking"), [("ABCD", 6, 7), ("ABCD", 7, 0), ("D", 1, 0)]
)
def test_a_plan_knows_beforehand_whether_it_can_show_anything(
    letters: str, seeds: int, lacking: int
) -> None:
    """A 2×2 needs seven blocks; a plan that compares nothing needs none."""
    made = make_plan(letters, seeds=tuple(range(seeds)))

    assert lacking == count_blocks_lacking(made)
