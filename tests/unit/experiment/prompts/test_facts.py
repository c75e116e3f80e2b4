import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.experiment.prompts import (
    SpeakerFacts,
    collect_facts,
    flatten_name,
    parse_names,
    read_facts,
    render_facts,
    render_names,
)
from saniwa.scenario.loader import load_scenario
from saniwa.world.model import Id
from tests.fakes.experiments import HOUSE

NAMES = st.lists(
    st.text(min_size=1, max_size=20).filter(lambda name: flatten_name(name).strip(" ，")),
    max_size=12,
)


def test_facts_are_what_is_seen_and_no_more() -> None:
    """The facts contain what the speaker sees and nothing from another room."""
    assert SpeakerFacts(
        place="Kitchen",
        objects=("box", "cup"),
        exits=("Hall",),
        people=("Ben",),
        closed=("box",),
        locked=("box",),
    ) == collect_facts(load_scenario(HOUSE).world, Id("ann"))


@given(NAMES, NAMES, NAMES)
def test_facts_are_read_as_they_were_described(
    objects: list[str], holding: list[str], exits: list[str]
) -> None:
    """Reading the written rows gives the same names, whatever the objects are called."""
    facts = SpeakerFacts(
        place="Here",
        objects=tuple(map(flatten_name, objects)),
        holding=tuple(map(flatten_name, holding)),
        exits=tuple(map(flatten_name, exits)),
    )
    told = read_facts(f"Ann: “x”\n\n{render_facts(facts)}\n\nTurn 1.")

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
    """“(none)” is empty, and names that were only counted are lost."""
    assert names == parse_names(row)


def test_available_exits_are_exits() -> None:
    """The older label for exits is accepted."""
    assert SpeakerFacts(exits=("庭",)) == read_facts("AVAILABLE_EXITS: 庭")


def test_of_many_names_the_first_are_described() -> None:
    """A row gives the first names and the number of the rest."""
    row = render_names(f"thing {n}" for n in range(15))

    assert row.endswith("thing 11 (+3 more)")


def test_a_text_without_rows_has_no_facts() -> None:
    """A prompt without rows gives no facts."""
    assert None is read_facts("Ann: “OBJECTS_HERE is a strange word.”")


def test_what_another_holds_is_not_simply_here() -> None:
    """Objects held by others are not listed as available, since taking them would be refused."""
    holding = {"ben": {"name": "Ben", "location": "kitchen", "holding": ["cup"]}}
    house = HOUSE | {"characters": HOUSE["characters"] | holding}
    house |= {"props": {k: v for k, v in HOUSE["props"].items() if k != "cup"}}
    facts = collect_facts(load_scenario(house).world, Id("ann"))

    assert (("box",), ("cup",)) == (facts.objects, facts.theirs)
