from hypothesis import given
from hypothesis import strategies as st

from saniwa.experiment.plan import count_cells, iterate_cells
from tests.fakes.experiments import list_conditions, make_plan

PLANS = st.builds(
    lambda letters, scenarios, seeds, order: make_plan(
        conditions=list_conditions("".join(letters)),
        scenarios=tuple(f"s{n}" for n in range(scenarios)),
        seeds=tuple(range(seeds)),
        order_seed=order,
    ),
    st.sets(st.sampled_from("ABCD"), min_size=1),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(0, 99),
)


@given(PLANS)
def test_every_condition_is_in_every_block_once(made: object) -> None:
    """No cell is missing or repeated, whatever the order."""
    cells = list(iterate_cells(made))  # type: ignore[arg-type]
    blocks = [(c.scenario, c.seed, c.condition.name) for c in cells]

    assert count_cells(made) == len(set(blocks)) == len({c.key for c in cells})  # type: ignore[arg-type]
    assert list(range(len(cells))) == [c.number for c in cells]


def test_a_key_is_the_published_one() -> None:
    """A key is made of experiment, condition, scenario and seed."""
    keys = {cell.key for cell in iterate_cells(make_plan("AD", seeds=(0, 3)))}

    assert {"trial_A_house_0", "trial_D_house_0", "trial_A_house_3", "trial_D_house_3"} == keys


def test_conditions_change_places_from_block_to_block() -> None:
    """No condition always comes first."""
    cells = list(iterate_cells(make_plan(seeds=tuple(range(20)))))
    firsts = {cell.condition.name for cell in cells[::4]}

    assert len(firsts) > 1


def test_the_order_has_a_seed_of_its_own() -> None:
    """The same order seed gives the same order, another one a different order."""
    orders = [
        [cell.key for cell in iterate_cells(make_plan(seeds=tuple(range(9)), order_seed=seed))]
        for seed in (1, 1, 2)
    ]

    assert (True, False) == (orders[0] == orders[1], orders[0] == orders[2])
