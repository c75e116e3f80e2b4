import msgspec
import pytest

from saniwa.language.parse import parse
from saniwa.turn.answers import is_worth_suggesting
from saniwa.turn.claim_resolution import resolve_claim
from saniwa.turn.record import Rejection, SpokenWords
from saniwa.world.actions import Action, Look, Take, Use
from saniwa.world.model import Id, World
from tests.fakes.runs import open_courtyard_run
from tests.fakes.scenarios import build_world, make_flat
from tests.fakes.worlds import make_courtyard

PLAYER, KEY = Id("player"), Id("key")


@pytest.mark.parametrize(
    ("action", "worth"),
    [
        (Look(actor_id=PLAYER), True),
        (Take(actor_id=PLAYER, target_id=KEY), True),
        (Take(actor_id=PLAYER, target_id=KEY, source_id=Id("bench")), False),
        (Use(actor_id=PLAYER, target_id=KEY), False),
        (Use(actor_id=PLAYER, target_id=Id("nothing")), False),
        (Use(actor_id=PLAYER, target_id=KEY, manner="polish"), True),
    ],
)
def test_second_spellings_and_idle_uses_are_not_listed(action: Action, worth: bool) -> None:
    """Alternative forms and uses without an effect are not suggested."""
    assert worth == is_worth_suggesting(action, open_courtyard_run().world)


def test_a_use_with_an_effect_is_listed() -> None:
    """A use with an effect is suggested."""
    world = open_courtyard_run().world
    key = msgspec.structs.replace(world.entities[KEY], attributes={"use": "It rings."})
    world = msgspec.structs.replace(world, entities=world.entities.set(KEY, key))

    assert is_worth_suggesting(Use(actor_id=PLAYER, target_id=KEY), world)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("score", "there is no score"),
        ("restart", "“undo” takes a turn back"),
        ("verbose", "always described in full"),
    ],
)
def test_a_command_of_other_games_is_answered_with_what_exists(line: str, told: str) -> None:
    """Commands that players know from other games are answered with what there is instead."""
    words, world = SpokenWords(actor_id=PLAYER, text=line), make_courtyard()

    found = resolve_claim(parse(line, PLAYER, world)[0], 0, words, world)

    assert isinstance(found, Rejection)
    assert told in found.hint


def test_what_only_the_description_names_is_nothing_special() -> None:
    """A look at a word of the description reprints nothing, and says so only for such words."""
    world = build_world(make_flat(locations={"kitchen": {"description": "Rain on the windows."}}))
    lines = [_reject(line, world) for line in ("x rain", "x snow")]

    assert "You notice nothing special about “rain”." == lines[0]
    assert "I do not understand" in lines[1]


def test_exits_alone_asks_for_the_exits() -> None:
    """The word alone is the question for the ways out."""
    (claim,) = parse("exits", PLAYER, make_courtyard())

    assert ("question", "exits") == (claim["type"], claim["kind"])


def _reject(line: str, world: World) -> str:
    who = world.cast[0]
    found = resolve_claim(
        parse(line, who, world)[0], 0, SpokenWords(actor_id=who, text=line), world
    )
    assert isinstance(found, Rejection)
    return found.message


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("unlock the iron gat", "unlock the iron gate"),
        ("opne gate", "open gate"),
        ("talk to Groundskeper", "talk to groundskeeper"),
        ("opne teh gaet", "open the gate"),
    ],
)
def test_a_line_with_typing_errors_is_suggested_without_them(line: str, near: str) -> None:
    """Words that are understood once their typing errors are corrected are suggested as a whole."""
    words, world = SpokenWords(actor_id=PLAYER, text=line), make_courtyard()

    (claim,) = parse(line, PLAYER, world)
    found = resolve_claim(claim, 0, words, world)

    assert isinstance(found, Rejection)
    assert f"did you mean “{near}”?" == found.hint
