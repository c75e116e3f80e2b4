from typing import Any

import pytest

from saniwa.scenario import format
from saniwa.scenario.format import KEY_GUESSES
from saniwa.world.model import Id
from tests.fakes.scenarios import build_world, list_codes, list_findings, make_flat


def test_camel_case_and_snake_case_are_both_read() -> None:
    """CamelCase, snake_case, and `connectedTo` for `exits` give the same world."""
    snake = make_flat(
        locations={
            "a": {"exits": ["b"], "is_goal": False, "hidden_objects": ["pin"]},
            "b": {"exits": ["a"]},
        },
        characters={"Ann": {"location": "a"}},
        time_of_day="night",
    )
    camel = {
        "name": "flat",
        "locations": {
            "a": {"connectedTo": ["b"], "isGoal": False, "hiddenObjects": ["pin"]},
            "b": {"connected_to": ["a"]},
        },
        "characters": {"Ann": {"locationId": "a"}},
        "timeOfDay": "night",
    }

    assert build_world(snake) == build_world(camel)


def test_records_may_be_a_list_with_ids() -> None:
    """A list of mappings with `id` is read like a mapping."""
    listed = {
        "name": "flat",
        "locations": [
            {"id": "kitchen", "name": "kitchen", "connectedTo": ["hall"]},
            {"id": "hall", "connectedTo": ["kitchen"]},
        ],
        "characters": [{"id": "Ann", "locationId": "kitchen"}],
    }

    assert build_world(make_flat()) == build_world(listed)
    assert ["FIELD_MISSING"] == list_codes(make_flat(props=[{"location": "hall"}]))
    assert ["ID_COLLISION"] == list_codes(
        make_flat(props=[{"id": "cup", "location": "hall"}, {"id": "cup", "location": "hall"}])
    )


def test_the_same_said_in_two_spellings_is_said_twice() -> None:
    """One field in two spellings is a duplicate key."""
    document = make_flat(characters={"Ann": {"location": "hall", "locationId": "hall"}})

    assert ["DUPLICATE_KEY"] == list_codes(document)


def test_an_unknown_key_gets_the_nearest_known_one() -> None:
    """An unknown key is a mistake, with the nearest known one."""
    (found,) = list_findings(make_flat(locked_exit={}, _mine="anything"))

    assert ("UNKNOWN_KEY", "a scenario has no key 'locked_exit'") == (found.code, found.message)


@pytest.mark.parametrize(
    "document",
    [
        {
            "nmae": "flat",
            "locations": make_flat()["locations"],
            "characters": make_flat()["characters"],
        },
        make_flat(
            locations={"kitchen": {"exits": [{"too": "hall"}]}, "hall": {"exits": ["kitchen"]}}
        ),
        make_flat(clear_condition={"milestones": [{"flga": "won", "facts": [{"entity": "Ann"}]}]}),
    ],
    ids=["scenario", "exit", "milestone"],
)
def test_a_misspelled_key_is_not_missing_as_well(document: dict[str, Any]) -> None:
    """A misspelled key is one finding, and is not also reported as missing."""
    reported = [each.message for each in list_findings(document) if each.code != "ONE_WAY_EXIT"]

    assert any(
        each.startswith(("a scenario has", "an exit has", "a milestone has")) for each in reported
    )
    assert not any(" needs " in each for each in reported)


def test_nothing_under_a_key_is_the_same_as_no_key() -> None:
    """A key with an empty value counts as missing."""
    document = make_flat(description=None, props=None, flags=None)

    assert [] == list_codes(document)


@pytest.mark.parametrize(
    ("prop", "hint"),
    [
        ({"location": "hall", "name": 7}, "put it in quotes"),
        ({"location": "hall", "aliases": "key"}, "write [key]"),
        ({"location": "hall", "locked": "true"}, "write true or false, without quotes"),
        ({"location": "hall", "locked": "yes"}, "write true: in YAML 1.2, yes is text"),
        ({"location": "hall", "hidden": "Off"}, "write false: in YAML 1.2, Off is text"),
        ({"location": "hall", "attributes": []}, ""),
        ({"location": "hall", "state": 3}, ""),
        ({"location": "hall", "aliases": [3]}, "put it in quotes"),
        ({"location": "hall", "attributes": {"use": 3}}, ""),
        ({"location": "hall", "attributes": {"use": {"flags": {"on": 1}}}}, ""),
        ({"location": "hall", "attributes": {"use": {"state": "on"}}}, "write [on]"),
        ({"location": "hall", "attributes": {"use": {"flags": ["lit"]}}}, "write {lit: true}"),
        ({"location": "hall", "attributes": {"use": {"flags": 3}}}, "write {lamp_lit: true}"),
    ],
)
def test_a_wrong_type_is_reported_with_what_to_write(prop: Any, hint: str) -> None:
    """A value of a wrong type is a finding, with a hint where the right form is known."""
    (found,) = list_findings(make_flat(props={"cup": prop}))

    assert ("WRONG_TYPE", hint) == (found.code, found.hint)


@pytest.mark.parametrize(
    "name", ["", " ", "a ", " a", "a\nb", "a\x1b[31m", "a\u202eb", "x" * 201, "\ufeffa"]
)
def test_a_name_must_be_one_that_people_can_type(name: str) -> None:
    """Empty, padded and very long names, and names with invisible characters, are refused."""
    assert ["NAME_UNUSABLE"] == list_codes(make_flat(props={name: {"location": "hall"}}))
    assert ["NAME_UNUSABLE"] == list_codes(
        make_flat(props={"cup": {"location": "hall", "aliases": [name]}})
    )


@pytest.mark.parametrize("name", ["キッチン", "a" * 200, "l'été", "a👍🏽", "(b) #2"])
def test_a_name_may_be_in_any_script(name: str) -> None:
    """A name may be in any script."""
    document = make_flat(props={"cup": {"location": "hall", "name": name}})

    assert name == build_world(document).entities["cup"].name  # type: ignore[index]


def test_a_text_may_have_lines_and_no_control_characters() -> None:
    """A text may have several lines, but no control characters."""
    assert [] == list_codes(make_flat(description="two\nlines\tand a tab"))
    assert ["TEXT_UNUSABLE"] == list_codes(make_flat(description="a\x1b[2J"))
    assert ["TEXT_UNUSABLE"] == list_codes(make_flat(notes="x" * 10_001))


@pytest.mark.parametrize(
    ("aliases", "expected"),
    [({"pot": "cup"}, []), ({"pot": 3}, ["WRONG_TYPE"]), ([], ["WRONG_TYPE"]), ({"": "cup"}, ["NAME_UNUSABLE"])],
)  # fmt: skip
def test_aliases_go_from_names_to_names(aliases: Any, expected: list[str]) -> None:
    """`prop_aliases` is a mapping from names to names."""
    document = make_flat(props={"cup": {"location": "hall"}}, prop_aliases=aliases)

    assert expected == sorted(list_codes(document))


@pytest.mark.parametrize(
    ("document", "meant"),
    [
        (make_flat(goal={}), "clear_condition"),
        (make_flat(items={}), "props"),
        (make_flat(rooms={}), "locations"),
        (make_flat(intro="Hello."), "gm_opening_message"),
        (make_flat(player="Ann"), "protagonist"),
        (make_flat(props={"cup": {"location": "hall", "portable": True}}), "takeable"),
        (make_flat(props={"cup": {"location": "hall", "desc": "Blue."}}), "description"),
        (make_flat(props={"cup": {"location": "hall", "type": "item"}}), "kind"),
        (make_flat(props={"cup": {"location": "hall", "key": "pin"}}), "required_key"),
        (make_flat(props={"cup": {"room": "hall", "location": None}}), "location"),
        (make_flat(characters={"Ann": {"location": "hall", "inventory": []}}), "holding"),
        (make_flat(locations={"kitchen": {"contains": []}}), "props"),
        (make_flat(locations={"kitchen": {"items": []}}), "props"),
    ],
)  # fmt: skip
def test_a_key_that_people_guess_gets_the_right_one(document: Any, meant: str) -> None:
    """A common synonym of a key gets the right key as a hint."""
    hints = [f.hint for f in list_findings(document) if f.code == "UNKNOWN_KEY"]

    assert [f"did you mean {meant!r}?"] == hints


def test_what_using_an_item_shows_is_a_text_or_one_for_each_language() -> None:
    """`use.message` is a text or one per language, and an unknown language is a mistake."""

    def make_use_message(message: Any) -> Any:
        return make_flat(
            props={"cup": {"location": "hall", "attributes": {"use": {"message": message}}}}
        )  # fmt: skip

    kept = build_world(make_use_message({"en": "Clink.", "ja": "ちりん。"})).entities[Id("cup")]

    assert {"use": {"message": {"en": "Clink.", "ja": "ちりん。"}}} == kept.attributes
    assert [] == list_codes(make_use_message("Clink."))
    assert ["UNKNOWN_KEY"] == list_codes(make_use_message({"fr": "Tintement."}))
    assert ["WRONG_TYPE"] == list_codes(make_use_message(["Clink."]))


def test_every_guess_leads_to_a_key_there_is() -> None:
    """Every suggested key exists, and no existing key is listed as a synonym."""
    forms = [getattr(format, name) for name in dir(format) if name.isupper()]
    known = {key for table in forms if isinstance(table, dict) for key in table}

    assert set() == {name for meant in KEY_GUESSES.values() for name in meant} - known
    assert set() == set(KEY_GUESSES) & set(format.SPELLINGS)
