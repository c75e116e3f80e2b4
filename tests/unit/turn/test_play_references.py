"""What a claim may refer to within its own turn."""

from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.actions import Open
from saniwa.world.fingerprint import build_world, compute_fingerprint
from saniwa.world.model import Entity, Id, Location
from tests.fakes.turns import DEFAULT

ME, ROOM = Id("me"), Id("room")
WORLD = build_world(
    [
        Entity(id=ME, name="me", kind="character", place=ROOM),
        Entity(
            id=Id("box"),
            name="box",
            kind="container",
            openable=True,
            open=False,
            takeable=True,
            place=ROOM,
        ),
        Entity(id=Id("cup"), name="cup", takeable=True, place=ROOM),
    ],
    [Location(id=ROOM, name="room")],
    protagonist=ME,
)
TAKE_ALL = {"type": "take", "target": "all"}


def test_everything_taken_with_all_counts_as_mentioned() -> None:
    """After "take all", "it" can be any of the things, not only the last one."""
    claims = [TAKE_ALL, {"type": "open", "target": "it"}]
    turn, _ = play_turn(SpokenWords(actor_id=ME, text="x"), claims, WORLD, DEFAULT)

    assert Open(actor_id=ME, target_id=Id("box")) == turn.normalized_actions[-1]


def test_a_turn_that_follows_another_begins_with_the_fingerprint_it_left() -> None:
    """A turn begins with the fingerprint that the previous one left."""
    words = SpokenWords(actor_id=ME, text="x")
    first, between = play_turn(words, [TAKE_ALL], WORLD, DEFAULT)
    other = build_world([], [Location(id=ROOM, name="elsewhere")])
    strange = {compute_fingerprint(other), compute_fingerprint(WORLD)}
    second, _ = play_turn(words, [{"type": "look"}], between, DEFAULT)

    assert first.world_after == second.world_before
    assert second.world_before not in strange
