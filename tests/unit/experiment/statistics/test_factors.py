from saniwa.experiment.plan import Condition, ExperimentPlan
from saniwa.experiment.statistics.design import find_factors, find_pairs
from tests.fakes.experiments import make_plan


def list_pairs(made: ExperimentPlan) -> list[tuple[str, str, str]]:
    """List the pairs of a plan, by name."""
    found = find_pairs(made, find_factors(made))
    return [(pair.factor, pair.first.name, pair.second.name) for pair in found]


def test_a_2x2_has_four_pairs_that_differ_in_one_factor() -> None:
    """A and D differ in two factors, and so do B and C: they are not compared."""
    assert [
        ("inject", "A", "B"),
        ("inject", "C", "D"),
        ("gm", "A", "C"),
        ("gm", "B", "D"),
    ] == list_pairs(make_plan())


def test_only_what_conditions_differ_in_is_a_factor() -> None:
    """A factor that is the same in all conditions does not count."""
    assert [("gm", (False, True))] == [tuple(f) for f in find_factors(make_plan("BD"))]
    assert [] == list_pairs(make_plan("AD"))


def test_levels_come_in_the_plans_order() -> None:
    """The second level is the one the plan names later; for switches, off comes before on."""
    made = make_plan(
        conditions=tuple(Condition(name=n, model=n) for n in ("a", "b", "c")),
        factors={"model": ("c", "a", "b")},
    )

    assert [("model", "c", "a"), ("model", "c", "b"), ("model", "a", "b")] == list_pairs(made)


def test_conditions_that_are_the_same_are_no_pair() -> None:
    """Two names for the same settings are not compared."""
    same = (Condition(name="x"), Condition(name="y"), Condition(name="z", gm=False))

    assert [("gm", "z", "x"), ("gm", "z", "y")] == list_pairs(make_plan(conditions=same))
