import sys
from functools import partial
from typing import Any

import msgspec
import pytest

from saniwa.agent.mind.mind import Mind
from saniwa.agent.mind.perception import build_opening_mind, perceive
from saniwa.turn.record import RunReturn
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Exit, Id, Location, World
from tests.fakes.playroom_world import ANNE, SALLY, follow, make_playroom
from tests.fakes.turns import speak
from tests.fakes.worlds import make_courtyard

MARBLE = Id("marble")

AWAY = {
    "en": [
        ("sally", "go out"),
        ("anne", "take the glass marble"),
        ("anne", "open the wooden box"),
        ("anne", "put the glass marble in the wooden box"),
        ("anne", "close the wooden box"),
    ],
    "ja": [
        ("sally", "庭へ行く"),
        ("anne", "ビー玉を取る"),
        ("anne", "木箱を開ける"),
        ("anne", "ビー玉を木箱に入れる"),
        ("anne", "木箱を閉める"),
    ],
}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_character_that_did_not_see_it_moved_believes_the_old_place(language: str) -> None:
    """A character that did not see a thing moved believes it where it was."""
    mind, world = follow(make_playroom(language), SALLY, *AWAY[language])

    assert Id("box") == world.entities[MARBLE].place
    assert Id("basket") == mind.beliefs[MARBLE].place
    assert "seen" == mind.beliefs[MARBLE].how


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_character_that_moved_it_knows_its_place(language: str) -> None:
    """A character that moved a thing knows its place, also in a closed box."""
    mind, _ = follow(make_playroom(language), ANNE, *AWAY[language])

    assert Id("box") == mind.beliefs[MARBLE].place


@pytest.mark.parametrize(("language", "back"), [("en", "go in"), ("ja", "居間へ行く")])
def test_what_is_missing_on_return_is_gone_to_an_unknown_place(language: str, back: str) -> None:
    """If a thing is missing from an open container, its place is unknown."""
    mind, _ = follow(make_playroom(language), SALLY, *AWAY[language], ("sally", back))
    marble = mind.beliefs[MARBLE]

    assert (None, "inferred") == (marble.place, marble.how)
    assert Id("basket") == marble.seen_place


def test_a_shut_container_disproves_nothing() -> None:
    """A closed container does not change beliefs about its content."""
    mind, _ = follow(
        make_playroom(),
        SALLY,
        ("anne", "close the wicker basket"),
        ("sally", "go out"),
        ("sally", "go in"),
    )

    assert Id("basket") == mind.beliefs[MARBLE].place
    assert MARBLE not in mind.view


def test_an_opening_mind_knows_the_scene_and_its_own_goals_only() -> None:
    """An opening mind has the visible scene and the character's own goals."""
    mind = build_opening_mind(make_playroom(), SALLY)

    assert {"anne", "basket", "box", "shelf", "marble"} == set(mind.beliefs)
    assert {"room", "garden"} == set(mind.places)
    assert ("find the marble",) == mind.goals
    assert () == build_opening_mind(make_playroom(), ANNE).goals


def test_what_a_character_carries_away_goes_with_them() -> None:
    """A character that left is believed in the place it left for, with what it holds."""
    mind, _ = follow(make_playroom(), SALLY, ("anne", "take the glass marble"), ("anne", "go out"))

    assert ("inferred", Id("garden")) == (mind.beliefs[ANNE].how, mind.beliefs[ANNE].place)
    assert ANNE == mind.beliefs[MARBLE].place


def test_the_destination_after_leaving_is_not_seen() -> None:
    """Of two moves in a turn, only the one in view is noticed."""
    mind, world = follow(make_playroom(), SALLY, ("anne", "go out. go down"))

    assert Id("cellar") == world.entities[ANNE].place
    assert Id("garden") == mind.beliefs[ANNE].place
    assert Id("cellar") not in mind.places


def test_an_item_revealed_and_enclosed_in_one_turn_was_seen() -> None:
    """A thing revealed and enclosed in one turn was seen, because each action is perceived."""
    inside = Entity(id=Id("doll"), name="rag doll", takeable=True, place=Id("box"))
    mind, _ = follow(
        make_playroom("en", inside), SALLY, ("anne", "open the wooden box. close the wooden box")
    )

    assert Id("box") == mind.beliefs[Id("doll")].place
    assert mind.beliefs[Id("box")].closed


def test_a_shut_box_reveals_nothing_about_its_inside() -> None:
    """The content of a container that was never opened is unknown."""
    inside = Entity(id=Id("doll"), name="rag doll", takeable=True, place=Id("box"))
    mind, _ = follow(
        make_playroom("en", inside), SALLY, ("sally", "look"), ("sally", "search the box")
    )

    assert Id("doll") not in mind.beliefs
    assert "rag doll" not in _render_mind(mind)


def test_what_is_eaten_in_view_is_no_more() -> None:
    """A thing that was eaten in view is known to be gone."""
    bread = Entity(id=Id("bun"), name="sweet bun", takeable=True, edible=True, place=Id("room"))
    mind, _ = follow(
        make_playroom("en", bread),
        SALLY,
        ("anne", "take the sweet bun"),
        ("anne", "eat the sweet bun"),
    )

    assert not mind.beliefs[Id("bun")].exists


def test_locks_and_states_are_seen_to_change() -> None:
    """Unlocking and opening in view change the belief."""
    before, _ = follow(make_courtyard(), Id("keeper"))
    unlocked, _ = follow(
        make_courtyard(), Id("keeper"), ("player", "take the key. unlock the gate with the key")
    )
    opened, _ = follow(
        make_courtyard(), Id("keeper"), ("player", "take the key. open the gate with the key")
    )

    assert [(True, None), (True, False), (False, False)] == [
        (mind.beliefs[Id("gate")].closed, mind.beliefs[Id("gate")].locked)
        for mind in (before, unlocked, opened)
    ]


def test_a_name_that_changes_is_known_by_the_new_one() -> None:
    """A thing whose name has changed is known by the new one."""
    world = make_playroom()
    mind = build_opening_mind(world, SALLY)
    renamed = msgspec.structs.replace(world.entities[MARBLE], name="red marble")
    other = msgspec.structs.replace(world, entities=world.entities.set(MARBLE, renamed))
    turn, after = speak("wait", other, ANNE)
    mind = perceive(mind, turn, other, after)

    assert "red marble" == mind.beliefs[MARBLE].name
    assert (MARBLE,) == mind.named["red marble"]


def test_witnessed_deeds_are_remembered_as_the_narrator_shows_them() -> None:
    """Actions of others are remembered in the third person, own ones in the second."""
    mind, _ = follow(
        make_playroom(),
        SALLY,
        ("anne", "take the glass marble"),
        ("sally", "open the wooden box"),
        ("sally", "go out"),
        ("anne", "close the wooden box"),
    )

    assert [
        "Anne takes the glass marble.",
        "You open the wooden box. It is empty.",
        "You went to the Garden.",
    ] == [memory.text for memory in mind.memories]


def test_looking_around_is_remembered_and_not_what_was_to_be_seen() -> None:
    """Looking around is remembered, but not the description of the room."""
    mind, _ = follow(make_playroom(), SALLY, ("sally", "look"), ("sally", "look at the playroom"))

    assert ["You looked around."] * 2 == [memory.text for memory in mind.memories]


def test_refusals_are_guidance_for_the_refused_character_only() -> None:
    """A refusal is remembered by the refused character only, and gives it a card."""
    said = ("anne", "take the shelf")
    anne, _ = follow(make_playroom(), ANNE, said)
    sally, _ = follow(make_playroom(), SALLY, said)

    assert ["take the shelf"] == [card.asked for card in anne.guidance]
    assert 1 == len(anne.memories)
    assert ((), ()) == (sally.guidance, sally.memories)


def test_guidance_lasts_until_ones_own_next_turn() -> None:
    """Cards are kept until the character's own next turn."""
    refused = ("sally", "take the shelf")
    kept, _ = follow(make_playroom(), SALLY, refused, ("anne", "look"))
    cleared, _ = follow(make_playroom(), SALLY, refused, ("sally", "look"))

    assert 1 == len(kept.guidance)
    assert () == cleared.guidance


def test_an_aside_is_perceived_by_no_character() -> None:
    """Going back, editing and seating are not perceived."""
    world = make_playroom()
    mind = build_opening_mind(world, SALLY)
    turn, after = speak("go out", world, SALLY)
    aside = msgspec.structs.replace(turn, aside=RunReturn(to=-1))

    assert mind is perceive(mind, aside, world, after)


def test_an_older_mind_is_as_it_was() -> None:
    """Perceiving returns a new mind and does not change the old one."""
    world = make_playroom()
    mind = build_opening_mind(world, SALLY)
    turn, after = speak("go out", world, SALLY)
    perceive(mind, turn, world, after)

    assert Id("room") == mind.place
    assert mind == build_opening_mind(world, SALLY)


def _render_mind(mind: Mind) -> str:
    return str(msgspec.to_builtins(mind, enc_hook=dict))


def _count_calls(work: partial[Mind]) -> int:
    """The number of calls that the work makes."""
    count = 0

    def note(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def _make_hall(rooms: int) -> World:
    """Many rooms with ten things each, and a character in the first."""
    return build_world(
        [
            Entity(id=SALLY, name="Sally", kind="character", place=Id("r0")),
            *(
                Entity(id=Id(f"t{n}"), name=f"thing {n}", place=Id(f"r{n // 10}"))
                for n in range(rooms * 10)
            ),
        ],
        [
            Location(id=Id(f"r{n}"), name=f"Room {n}", exits=(Exit(to=Id("r0"), label="in"),))
            for n in range(rooms)
        ],
        protagonist=SALLY,
    )


def test_perceiving_costs_the_scene_and_not_the_world() -> None:
    """Perceiving a turn takes no more steps in a world a hundred times as large."""
    costs = []
    for rooms in (5, 500):
        world = _make_hall(rooms)
        mind = build_opening_mind(world, SALLY)
        turn, after = speak("wait", world)
        perceive(mind, turn, world, after)
        costs.append(_count_calls(partial(perceive, mind, turn, world, after)))

    assert costs[1] <= costs[0] * 1.2


def test_the_thousandth_turn_costs_no_more_than_an_early_one() -> None:
    """Perceiving the thousandth turn takes no more steps than an early one."""
    world = make_playroom()
    mind = build_opening_mind(world, SALLY)
    costs = {}
    for number in range(1000):
        text = ("open the wooden box", "close the wooden box")[number % 2]
        before, (turn, world) = world, speak(text, world, ANNE)
        last, mind = mind, perceive(mind, turn, before, world)
        if number in (150, 998):
            costs[number] = _count_calls(partial(perceive, last, turn, before, world))

    assert costs[998] <= costs[150] * 1.2
    assert 1000 == len(mind.memories) + mind.digest.count
