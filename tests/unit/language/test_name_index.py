from saniwa.language.name_index import index_world_names
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Id, Location, World
from tests.fakes.books import DEFAULT
from tests.fakes.worlds import PLAYER, make_courtyard


def _play_claims(*claims: dict[str, object]) -> World:
    return play_turn(SpokenWords(actor_id=PLAYER, text=""), claims, make_courtyard(), DEFAULT).world


def test_every_bearer_of_a_name_answers_to_it() -> None:
    """Names, aliases and ids lead to their entities, sorted by id."""
    names = index_world_names(make_courtyard())

    assert ("key", "rusty") == names.find_bearers("key")
    assert ("key",) == names.find_bearers("brass key")
    assert ("yard",) == names.find_bearers("yard")
    assert () == names.find_bearers("moon", "")


def test_names_are_found_in_what_was_said() -> None:
    """Names in the words are found, also inside longer names; ids are not."""
    said = set(index_world_names(make_courtyard()).find_in_text("put the brass key on the bench"))

    assert {"brass key", "key", "bench"} == said


def test_no_name_comes_or_goes_by_moving_items() -> None:
    """Moving things does not rebuild the index of names."""
    first = index_world_names(make_courtyard())
    world = make_courtyard()

    moved = play_turn(
        SpokenWords(actor_id=PLAYER, text=""), [{"type": "take", "targetId": "key"}], world, DEFAULT
    ).world

    assert index_world_names(world) is index_world_names(moved)
    assert first == index_world_names(moved)


def test_a_new_name_is_known_at_once_and_an_eaten_one_no_more() -> None:
    """Introducing and eating change the names."""
    made = _play_claims({"type": "introduce", "metadata": {"name": "Lantern"}})
    eaten = _play_claims({"type": "move", "targetId": "shed"}, {"type": "eat", "targetId": "loaf"})

    assert ("Lantern",) == index_world_names(made).find_bearers("lantern")
    assert () == index_world_names(eaten).find_bearers("loaf of bread")


def test_many_worlds_do_not_confuse_each_other() -> None:
    """Each world has its own names, even if there are more worlds than the cache holds."""
    worlds = [
        build_world([Entity(id=Id(f"t{n}"), name=f"thing {n}")], [Location(id=Id("r"), name="r")])
        for n in range(20)
    ]

    for _ in range(2):
        for n, world in enumerate(worlds):
            assert (f"t{n}",) == index_world_names(world).find_bearers(f"thing {n}")
