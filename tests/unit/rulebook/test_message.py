import tracemalloc

import pytest
from msgspec.structs import replace

from saniwa.rulebook.predicates import make_case
from saniwa.rulebook.verdict import (
    LONGEST_MESSAGE,
    LONGEST_NAME,
    RefusalMessage,
    find_unknown_placeholders,
)
from saniwa.world.actions import Move, Take, Unlock, Wait
from saniwa.world.model import Id
from tests.fakes.worlds import PLAYER, make_courtyard


def _render_message(text: str, target: str = "gate") -> str:
    action = Unlock(actor_id=PLAYER, target_id=Id(target), tool_id=Id("rusty"))
    return RefusalMessage({"en": text}).render(make_case(action, make_courtyard()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{actor.id} and {actor.name}", "player and you"),
        ("{target.id} is the {target.name}", "gate is the iron gate"),
        ("{tool.name} is no {key.name}", "rusty key is no brass key"),
        ("from {source.name} to {recipient.name}", "from something to something"),
        ("[{target.hint}]", "[]"),
        ("{nobody.name} and {target.secret} stay", "{nobody.name} and {target.secret} stay"),
        ("{", "{"),
    ],
)
def test_names_are_filled_in(text: str, expected: str) -> None:
    """Known names are filled in, absent ones are "something", unknown placeholders stay."""
    assert expected == _render_message(text)


def test_what_does_not_exist_is_named_in_the_speakers_words() -> None:
    """A thing that does not exist is named in the speaker's words."""
    assert "no unicorn" == _render_message("no {target.name}", "unicorn")


def test_a_name_is_never_read_as_a_template() -> None:
    """Braces in a spoken name are not read as a template."""
    assert "no {actor.id}" == _render_message("no {target.name}", "{actor.id}")


def test_a_very_long_name_is_cut() -> None:
    """A very long name is shortened."""
    assert LONGEST_NAME + len("no ") == len(_render_message("no {target.name}", "x" * 10_000))


def test_a_very_long_message_is_cut() -> None:
    """A very long message is shortened."""
    spoken = _render_message("{target.name} " * 1_000, "x" * 10_000)

    assert LONGEST_MESSAGE == len(spoken)
    assert spoken.endswith("…")


def test_a_very_long_hint_is_cut() -> None:
    """A very long hint is shortened, without building the whole message in memory."""
    world = make_courtyard()
    gate = replace(world.entities[Id("gate")], hint="h" * 1_000_000)
    changed = replace(world, entities=world.entities.set(gate.id, gate))
    case = make_case(Unlock(actor_id=PLAYER, target_id=gate.id), changed)

    message = RefusalMessage({"en": "{target.hint}" * 20})

    tracemalloc.start()
    spoken = message.render(case)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert LONGEST_MESSAGE == len(spoken)
    assert 1_000_000 > peak


def test_the_door_in_the_way_can_be_named() -> None:
    """A message about a move may name the door."""
    case = make_case(Move(actor_id=PLAYER, target_id=Id("orchard")), make_courtyard())

    assert "iron gate" == RefusalMessage({"en": "{door.name}"}).render(case)


@pytest.mark.parametrize(
    ("texts", "language", "expected"),
    [
        ({"en": "no", "ja": "いいえ"}, "ja", "いいえ"),
        ({"en": "no", "ja": "いいえ"}, "ja-JP", "いいえ"),
        ({"en": "no", "ja": "いいえ"}, "fr", "no"),
        ({"ja": "いいえ"}, "fr", "いいえ"),
        ({"en": "{source.name}", "ja": "{source.name}"}, "ja", "何か"),
    ],
)
def test_the_worlds_language_is_spoken(texts: dict[str, str], language: str, expected: str) -> None:
    """A message is in the world's language, else in English, else in any language."""
    world = replace(make_courtyard(), language=language)
    case = make_case(Take(actor_id=PLAYER, target_id=Id("key")), world)

    assert expected == RefusalMessage(texts).render(case)


def test_a_hint_of_nothing_is_nothing() -> None:
    """Without a target, its hint is empty."""
    case = make_case(Wait(actor_id=PLAYER), make_courtyard())

    assert "" == RefusalMessage({"en": "{target.hint}"}).render(case)


def test_unknown_names_are_found_in_reading_order() -> None:
    """Unknown placeholders are listed in reading order."""
    text = "{target.name} {x} {target.weight} {}"

    assert ["x", "target.weight", ""] == find_unknown_placeholders(text)
