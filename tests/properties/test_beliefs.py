"""After any turns, a mind holds only what its character perceived, and what is seen is true."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saniwa.agent.mind.character_view import build_view
from saniwa.agent.mind.mind import Mind
from saniwa.agent.mind.perception import build_opening_mind, perceive
from saniwa.language.parse import parse
from saniwa.turn.exits import list_exits
from saniwa.turn.play import play_turn, replay_worlds
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.actions import ACTIONS, Move, Speak
from saniwa.world.model import Entity, Id, Location, World
from saniwa.world.queries import find_room, get_name, is_closed, is_within_reach, list_scope
from tests.fakes.japanese_house import make_house
from tests.fakes.nightly import scale_examples
from tests.fakes.pantry_world import make_pantry
from tests.fakes.playroom_world import make_playroom
from tests.fakes.turns import DEFAULT
from tests.fakes.worlds import make_courtyard

WORLDS = {
    "garden": make_courtyard(),
    "house": make_house(),
    "pantry": make_pantry(),
    "playroom": make_playroom(),
    "playroom ja": make_playroom("ja"),
}
_VERBS = (
    "take {}", "drop {}", "open {}", "close {}", "search {}", "look at {}", "go {}",
    "eat {}", "put {} in {}", "put {} on {}", "give {} to {}", "unlock {} with {}",
    'say "{} is in {}"', 'say "I have {}"', "{}を取る", "{}を開ける", "{}を閉める",
    "{}を調べる", "{}へ行く", "{}を{}に入れる", "{}を{}に渡す", "「{}は{}の中にある」と言う",
    "look", "wait", "take all", "drop all",
)  # fmt: skip


class PlayedTurns(NamedTuple):
    """A sequence of turns in one world, each with the world before and after it."""

    first: World
    turns: list[tuple[Turn, World, World]]


@st.composite
def draw_play(draw: st.DrawFn) -> PlayedTurns:
    """A character says or claims something about anything, several times."""
    first = world = WORLDS[draw(st.sampled_from(sorted(WORLDS)))]
    named = sorted((*world.entities, *world.locations))
    names = [*named, *_list_names(world, named), "north", "east", "out"]
    turns = []
    for number in range(draw(st.integers(1, 10))):
        actor = draw(st.sampled_from(world.cast))
        near = [
            *_list_names(world, [*list_scope(world, actor)]),
            *_list_names(world, [way.to for way in list_exits(world, actor)]),
        ]
        some = st.sampled_from(near) | st.sampled_from(near) | st.sampled_from(names)
        text = draw(st.sampled_from(_VERBS)).format(draw(some), draw(some))
        if number < 2 and (ways := list_exits(world, actor)):
            # In different rooms, characters see different things.
            text = f"go {get_name(world, draw(st.sampled_from(ways)).to)}"
        claims: list[Any] = list(parse(text, actor, world))
        if draw(st.integers(0, 4)) == 0:
            kind = draw(st.sampled_from(sorted(ACTIONS)))
            claims = [{"type": kind, "targetId": draw(st.sampled_from(named))}]
        words = SpokenWords(actor_id=actor, text=text)
        before, (turn, world) = world, play_turn(words, claims, world, DEFAULT)
        turns.append((turn, before, world))
    return PlayedTurns(first, turns)


def _list_names(world: World, things: list[Id]) -> list[str]:
    return [get_name(world, thing) for thing in things]


def _fold_mind(played: PlayedTurns, who: Id) -> Mind:
    mind = build_opening_mind(played.first, who)
    for turn, before, after in played.turns:
        mind = perceive(mind, turn, before, after)
    return mind


def _iterate_worlds(played: PlayedTurns) -> Iterator[World]:
    yield played.first
    for turn, before, after in played.turns:
        yield from replay_worlds(turn, before)
        yield after


def _find_met(played: PlayedTurns, who: Id) -> tuple[set[Id], set[Id]]:
    """Every thing that was ever in scope, and every place that was ever named."""
    things: set[Id] = set()
    places: set[Id] = set()
    for world in _iterate_worlds(played):
        things.update(list_scope(world, who))
        places.update(way.to for way in list_exits(world, who))
        if (room := find_room(world, who)) is not None:
            places.add(room)
    for turn, before, _ in played.turns:
        # A character in view is seen leaving, even through a hidden door.
        world = before
        pairs = zip(turn.applied_actions, replay_worlds(turn, before), strict=True)
        for action, after in pairs:
            if isinstance(action, Move) and is_within_reach(world, who, action.actor_id):
                places.add(action.target_id)
            world = after
    return things, places


def _collect_heard(played: PlayedTurns, who: Id) -> str:
    """Everything the character said, or heard others say."""
    words = [t.raw_text for t, _, _ in played.turns if t.actor_id == who]
    for turn, before, _ in played.turns:
        if find_room(before, who) in {
            find_room(world, turn.actor_id) for world in (before, *replay_worlds(turn, before))
        }:
            words += [a.content for a in turn.applied_actions if isinstance(a, Speak)]
    return "\n".join(words).casefold()


_SETTINGS = settings(
    max_examples=scale_examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@given(draw_play())
@_SETTINGS
def test_a_mind_holds_nothing_that_was_never_in_its_scope(played: PlayedTurns) -> None:
    """Ids of things and places enter a mind by perception only."""
    for who in played.first.cast:
        mind = _fold_mind(played, who)
        things, places = _find_met(played, who)
        held = {each for inside in mind.contents.values() for each in inside}

        assert set(mind.beliefs) <= things - {who}
        assert set(mind.places) <= places
        assert held <= things
        assert {i for ids in mind.named.values() for i in ids} <= things | places


@given(draw_play())
@_SETTINGS
def test_no_name_of_the_unseen_is_in_any_view(played: PlayedTurns) -> None:
    """A prompt names only what its character perceived or heard."""
    every: dict[Id, Entity | Location] = {
        **played.first.entities,
        **played.first.locations,
        **played.turns[-1][2].entities,
    }
    for who in played.first.cast:
        things, places = _find_met(played, who)
        known = "\n".join(
            str(msgspec.to_builtins(every[i])) for i in (*things, *places, who)
        ).casefold() + _collect_heard(played, who)
        told = "\n".join(build_view(_fold_mind(played, who)).variables.values()).casefold()
        leaked = {
            thing.name
            for thing in every.values()
            if thing.name.casefold() in told and thing.name.casefold() not in known
        }

        assert set() == leaked


@given(draw_play())
@_SETTINGS
def test_beliefs_about_what_is_in_view_are_true(played: PlayedTurns) -> None:
    """After every turn, a character's beliefs about what is in view are true."""
    world = played.turns[-1][2]
    for who in world.cast:
        mind = _fold_mind(played, who)
        room = find_room(world, who)

        assert set(list_scope(world, who)) - {who} == set(mind.view)
        assert room == mind.place
        for thing in mind.view:
            true, belief = world.entities[thing], mind.beliefs[thing]
            place = room if true.kind == "door" else true.place
            assert (place, is_closed(true), true.state, "seen", True) == (
                belief.place,
                belief.closed,
                belief.state,
                belief.how,
                belief.exists,
            )
            assert belief.closed or not belief.locked


@given(draw_play())
@_SETTINGS
def test_the_index_of_places_is_kept_in_step(played: PlayedTurns) -> None:
    """Everything believed to be in a place is listed there once, and in no other place."""
    for who in played.first.cast:
        mind = _fold_mind(played, who)
        listed = {(i, p) for p, inside in mind.contents.items() for i in inside}
        believed = {(b.id, b.place) for b in mind.beliefs.values() if b.place}

        assert believed == listed


@given(draw_play())
@_SETTINGS
def test_a_character_elsewhere_learns_nothing(played: PlayedTurns) -> None:
    """A turn in other rooms leaves beliefs, memories and rumours unchanged."""
    for who in played.first.cast:
        mind = build_opening_mind(played.first, who)
        for turn, before, after in played.turns:
            worlds = (before, *replay_worlds(turn, before), after)
            rooms = {find_room(world, turn.actor_id) for world in worlds}
            last, mind = mind, perceive(mind, turn, before, after)
            if turn.actor_id != who and find_room(before, who) not in rooms:
                assert (last.memories, last.rumours) == (mind.memories, mind.rumours)
                assert _list_beliefs(last) == _list_beliefs(mind)


@given(draw_play())
@_SETTINGS
def test_every_memory_is_about_a_character_that_was_met(played: PlayedTurns) -> None:
    """No memory is empty, and none is of a character who never was in scope."""
    for who in played.first.cast:
        things, _ = _find_met(played, who)
        for memory in _fold_mind(played, who).memories:
            assert memory.text.strip() or memory.said
            assert memory.by in things | {who, None}


def _list_beliefs(mind: Mind) -> dict[Id, Any]:
    """Beliefs except those about doors, which are in view from both sides."""
    return {b.id: b for b in mind.beliefs.values() if b.kind != "door"}


@given(st.text(max_size=120), st.text(min_size=1, max_size=200))
@_SETTINGS
def test_no_name_and_no_speech_changes_the_shape_of_a_view(name: str, speech: str) -> None:
    """No name and no speech changes the number of lines of a section."""
    assert _count_lines("thing", "word") == _count_lines(f"thing{name}", f"word{speech}")


def _count_lines(name: str, speech: str) -> dict[str, int]:
    """The number of lines of each section, with a thing of that name and those words."""
    more = Entity(id=Id("more"), name=name, takeable=True, place=Id("shelf"))
    world = make_playroom("en", more)
    mind = build_opening_mind(world, Id("sally"))
    claims = [{"type": "speak", "content": speech}, {"type": "take", "targetId": "more"}]
    words = SpokenWords(actor_id=Id("anne"), text="…")
    turn, after = play_turn(words, claims, world, DEFAULT)
    mind = msgspec.structs.replace(perceive(mind, turn, world, after), rumours=())
    return {k: v.count("\n") for k, v in build_view(mind).variables.items()}


_TWICE = """
import msgspec
from tests.fakes.playroom_world import follow, make_playroom
from saniwa.agent.mind.character_view import build_view
said = [("anne", "take the glass marble"), ("anne", 'say "The old coin is in the cellar"'),
        ("sally", "take the gold ring"), ("sally", "go out"), ("anne", "open the box")]
for who in ("sally", "anne"):
    view = build_view(follow(make_playroom(), who, *said)[0])
    print(msgspec.json.encode(view, enc_hook=dict).hex())
"""


def test_a_view_is_the_same_in_every_process() -> None:
    """A view has the same bytes in every process, whatever the hash seed."""
    seen = {
        subprocess.run(
            [sys.executable, "-c", _TWICE],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }

    assert 1 == len(seen)
    assert all(seen)
