"""Dialogues, read from a scenario."""

from typing import Any

import pytest

from saniwa.scenario.format import SCENARIO
from saniwa.world.model import Dialogue, Fact, Id, Topic
from tests.fakes.scenarios import (
    Plain,
    build_world,
    find_in_text,
    list_codes,
    list_findings,
    make_flat,
)


def _make_with_person(**person: Any) -> Plain:
    props = {"cup": {"location": "hall", "name": "blue cup"}}
    people = {"Ann": {"location": "kitchen"}, "Bram": {"location": "kitchen", **person}}
    return make_flat(props=props, characters=people)


def _make_with_topic(**topic: Any) -> Plain:
    return _make_with_person(topics={"cup": {"text": "Mine.", **topic}})


def test_a_dialogue_is_read_with_names_made_ids() -> None:
    """Topics are a mapping or a list, lines are one text or several, and names become ids."""
    conditions = [{"entity": "blue cup", "place": "hall"}, {"flag": "met", "value": False}]
    topic = {"text": ["One.", {"en": "Two.", "ja": "二。"}], "if": conditions}
    more = {"aliases": ["mug"], "flags": {"met": True}, "gives": ["blue cup"], "request": True}
    listed = _make_with_person(greeting="Hi.", topics=[{"id": "cup", **topic, **more}])
    mapped = _make_with_person(greeting="Hi.", topics={"cup": {**topic, **more}})

    expected = Dialogue(
        greeting=("Hi.",),
        topics=(
            Topic(
                id="cup",
                aliases=("mug",),
                lines=("One.", {"en": "Two.", "ja": "二。"}),
                when=(Fact(entity=Id("cup"), place=Id("hall")), Fact(flag="met", value=False)),
                request=True,
                flags={"met": True},
                gives=(Id("cup"),),
            ),
        ),
    )
    for document in (listed, mapped):
        assert expected == build_world(document).entities[Id("Bram")].dialogue


def test_a_person_without_words_has_no_dialogue() -> None:
    """A person without lines has no dialogue, so that published hashes stay the same."""
    assert build_world(make_flat()).entities[Id("Ann")].dialogue is None


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (_make_with_person(greeting=3), "WRONG_TYPE"),
        (_make_with_person(greeting=[]), "FIELD_MISSING"),
        (_make_with_person(greeting=["Hi.", 3]), "WRONG_TYPE"),
        (_make_with_person(greeting={"de": "Hallo."}), "UNKNOWN_KEY"),
        (_make_with_person(greetings="Hi."), "UNKNOWN_KEY"),
        (_make_with_person(topics={"cup": {}}), "FIELD_MISSING"),
        (_make_with_person(topics=[{"text": "Mine."}]), "FIELD_MISSING"),
        (_make_with_topic(text=""), "FIELD_MISSING"),
        (_make_with_topic(when=[]), "UNKNOWN_KEY"),
        (_make_with_topic(**{"if": [{"entity": "cap", "place": "hall"}]}), "NAME_UNKNOWN"),
        (_make_with_topic(**{"if": [{"entity": "cup"}]}), "FIELD_MISSING"),
        (_make_with_topic(**{"if": [{"place": "hall"}]}), "FIELD_MISSING"),
        (_make_with_topic(**{"if": [{"flag": "metr"}], "flags": {"met": True}}), "NAME_UNKNOWN"),
        (_make_with_topic(flags={"met": "yes"}), "WRONG_TYPE"),
        (_make_with_topic(gives=["cap"]), "NAME_UNKNOWN"),
        (
            _make_with_person(
                topics={"mug": {"aliases": ["cup"], "text": "A."}, "cup": {"text": "B."}}
            ),
            "NAME_AMBIGUOUS",
        ),
    ],
)
def test_a_mistake_in_a_dialogue_is_found(document: Plain, code: str) -> None:
    """Each mistake in a dialogue is one finding."""
    assert [code] == list_codes(document)


def test_an_unknown_key_of_a_condition_gets_the_keys_of_a_fact() -> None:
    """A guess at "the player holds it" is answered with the keys of a fact and the pattern."""
    found = list_findings(_make_with_topic(**{"if": [{"holding": "cup", "actor": "Ann"}]}))
    hints = {finding.hint for finding in found if finding.code == "UNKNOWN_KEY"}

    assert 1 == len(hints)
    assert "entity, place, condition, attribute, flag and value" in min(hints)
    assert "{entity: card, place: reader}" in min(hints)


def test_a_mistake_in_a_dialogue_has_its_place() -> None:
    """An unknown name in a dialogue is reported with its file, line and column."""
    text = """name: flat
locations: {hall: {}}
characters:
  Ann:
    location: hall
    topics:
      cup:
        text: Mine.
        if:
          - {flag: mett}
        gives: [cap]
      cap:
        text: A cap.
        flags: {met: true}
"""
    assert [("NAME_UNKNOWN", "11:17"), ("NAME_UNKNOWN", "10:20")] == sorted(
        find_in_text(text), key=lambda found: found[1], reverse=True
    )


def test_a_goal_may_be_a_flag_that_an_answer_sets() -> None:
    """A goal may be a flag that an answer sets."""
    document = _make_with_topic(flags={"told": True}) | {
        "clear_condition": {"type": "set_flag", "target": "told"}
    }
    assert [] == list_codes(document)


def test_milestones_may_depend_on_flags() -> None:
    """A milestone may depend on a flag."""
    stones = [{"flag": "done", "facts": [{"flag": "told"}]}]
    document = make_flat(flags={"told": True}, clear_condition={"milestones": stones})

    assert build_world(document).flags["done"]


def test_editors_know_the_keys_of_a_topic() -> None:
    """The form for the JSON Schema has all keys of a topic."""
    people = SCENARIO["characters"].form
    assert people is not None
    topics = people["topics"].form
    assert topics is not None

    assert {"id", "aliases", "text", "if", "request", "flags", "gives"} == set(topics)
