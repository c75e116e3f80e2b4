import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.experiment.telling.facts import Facts, facts_of, read_facts, tell_facts
from saniwa.experiment.telling.listing import flat, read, written
from saniwa.scenario.load import load
from saniwa.world.model import Id
from tests.fakes.experiments import HOUSE

NAMES = st.lists(
    st.text(min_size=1, max_size=20).filter(lambda name: flat(name).strip(" ，")),
    max_size=12,
)


def test_facts_are_what_is_seen_and_no_more() -> None:
    """Nothing of another room is among them."""
    assert Facts(
        place="Kitchen",
        objects=("box", "cup"),
        exits=("Hall",),
        people=("Ben",),
        closed=("box",),
        locked=("box",),
    ) == facts_of(load(HOUSE).world, Id("ann"))


@given(NAMES, NAMES, NAMES)
def test_facts_are_read_as_they_were_told(
    objects: list[str], holding: list[str], exits: list[str]
) -> None:
    """Whatever things are called, whoever reads the rows learns their names."""
    facts = Facts(
        place="Here",
        objects=tuple(map(flat, objects)),
        holding=tuple(map(flat, holding)),
        exits=tuple(map(flat, exits)),
    )
    told = read_facts(f"Ann: “x”\n\n{tell_facts(facts)}\n\nTurn 1.")

    assert facts == told


@pytest.mark.parametrize(
    ("row", "names"),
    [
        ("(none)", ()),
        ("", ()),
        ("a, b (+3 more)", ("a", "b")),
        ("キッチン, リビング", ("キッチン", "リビング")),
        ("a,b", ("a", "b")),
    ],
)
def test_a_row_is_read(row: str, names: tuple[str, ...]) -> None:
    """Nothing is nothing; what was only counted is lost."""
    assert names == read(row)


def test_available_exits_are_exits() -> None:
    """The older label means the same."""
    assert Facts(exits=("庭",)) == read_facts("AVAILABLE_EXITS: 庭")


def test_of_many_names_the_first_are_told() -> None:
    """A row says how many more there are."""
    row = written(f"thing {n}" for n in range(15))

    assert row.endswith("thing 11 (+3 more)")


def test_a_text_without_rows_has_no_facts() -> None:
    """Nothing is read into a prompt that tells nothing."""
    assert None is read_facts("Ann: “OBJECTS_HERE is a strange word.”")


def test_what_somebody_else_holds_is_not_simply_here() -> None:
    """A prompt that lists it among the objects would ask for a refusal."""
    holding = {"ben": {"name": "Ben", "location": "kitchen", "holding": ["cup"]}}
    house = HOUSE | {"characters": HOUSE["characters"] | holding}
    house |= {"props": {k: v for k, v in HOUSE["props"].items() if k != "cup"}}
    facts = facts_of(load(house).world, Id("ann"))

    assert (("box",), ("cup",)) == (facts.objects, facts.theirs)
