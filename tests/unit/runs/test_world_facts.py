from typing import Any

import pytest

from saniwa.core.errors import ScriptError
from saniwa.runs.story_world import WorldFacts, check_facts
from saniwa.scenario.loader import load_scenario
from saniwa.story.story import parse_story
from saniwa.story.value_operations import Value
from saniwa.world.model import Id
from tests.fakes.runs import GARDEN

HOUSE: dict[str, Any] = {
    **GARDEN,
    "flags": {"rung": True, "told": False},
    "props": {
        **GARDEN["props"],
        "lamp": {
            "kind": "fixture",
            "location": "shed",
            "state": ["dark", "cold"],
            "attributes": {"use": {"flags": {"lit": True}}},
        },
        "box": {"kind": "container", "location": "yard", "open": False},
        "ring": {"location": "box"},
        "roll": {"aliases": ["tin roll", "brass key"], "location": "yard"},
        "north cup": {"name": "cup", "location": "yard"},
        "south cup": {"name": "cup", "location": "shed"},
    },
}

FACTS: dict[str, tuple[str, tuple[Value, ...], Value]] = {
    "a flag that is set": ("flag", ("rung",), True),
    "a flag that is not": ("flag", ("told",), False),
    "a flag that something could set": ("flag", ("lit",), False),
    "where a person is": ("place", ("player",), "yard"),
    "where a thing is, through what holds it": ("place", ("key",), "yard"),
    "where a door is": ("place", ("gate",), ""),
    "what nobody holds": ("holds", ("player", "key"), False),
    "a thing in sight": ("here", ("key",), True),
    "a thing by its name": ("here", ("brass key",), True),
    "a thing by an alias": ("here", ("tin roll",), True),
    "a thing elsewhere": ("here", ("loaf",), False),
    "a thing shut away": ("here", ("ring",), False),
    "a door of the room": ("here", ("gate",), True),
    "a person": ("here", ("keeper",), True),
    "the place itself": ("here", ("yard",), True),
    "another place": ("here", ("shed",), False),
    "a locked door": ("state", ("gate",), "locked"),
    "a closed box": ("state", ("box",), "closed"),
    "a thing with words of its own": ("state", ("lamp",), "dark cold"),
    "a thing with none": ("state", ("key",), ""),
}


def make_facts(document: dict[str, Any] = HOUSE) -> WorldFacts:
    """The facts of a world that does not change."""
    world = load_scenario(document).world
    return WorldFacts(lambda: world, world, Id("player"))


@pytest.mark.parametrize("case", FACTS)
def test_a_world_answers(case: str) -> None:
    """Each fact has one plain value."""
    name, given, expected = FACTS[case]

    assert expected == make_facts().look_up_fact(name, given)


UNKNOWN: dict[str, tuple[str, tuple[Value, ...], str]] = {
    "a misspelt flag": ("flag", ("runk",), "did you mean 'rung'?"),
    "a misspelt thing": ("here", ("brass kye",), "did you mean 'brass key'?"),
    "a place where a thing must be": ("state", ("yard",), ""),
    "no text": ("place", (7,), ""),
    "a name of two": ("place", ("cup",), "use an id: 'north cup', 'south cup'"),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_what_the_world_does_not_have_is_an_error(case: str) -> None:
    """An unknown name is an error with the nearest one, not false."""
    name, given, hint = UNKNOWN[case]

    with pytest.raises(ScriptError) as caught:
        make_facts().look_up_fact(name, given)
    assert "FACT_UNKNOWN" == caught.value.code
    assert hint == caught.value.hint


def test_what_was_used_up_is_still_known() -> None:
    """A removed thing is nowhere, and is not an error."""
    without = {**HOUSE, "props": {k: v for k, v in HOUSE["props"].items() if k != "loaf"}}
    now, opening = load_scenario(without).world, load_scenario(HOUSE).world
    asked = WorldFacts(lambda: now, opening, Id("player"))

    assert "" == asked.look_up_fact("place", ("loaf",))
    assert "" == asked.look_up_fact("state", ("loaf",))
    assert False is asked.look_up_fact("here", ("loaf",))
    assert False is asked.look_up_fact("holds", ("player", "loaf"))


def test_every_constant_name_is_checked_before_play() -> None:
    """All unknown constant names are found before play, each at its place."""
    text = (
        "---\nid: x\nscenario: garden\n---\n# T\n\n"
        'Now {flag("runk"): a|b}. {n}\n\n'
        ':::when holds("plyer", "key")\nYes.\n:::\n\n'
        '- Go {if state("gaet") == "open"}\n  A.\n- Stay {do take {place("kye")}}\n  B.\n'
        "\n[SET n = place(n)]\n"
    )
    found = list(check_facts(parse_story(text).scenes, load_scenario(HOUSE).world))

    places = [(each.details["name"], each.where.line, each.where.column) for each in found]
    assert [("runk", 7, 11), ("plyer", 9, 15), ("gaet", 13, 16), ("kye", 15, 24)] == places
    assert {"FACT_UNKNOWN"} == {each.code for each in found}
    assert "story.md" == found[0].where.file
