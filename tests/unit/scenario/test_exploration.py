from saniwa.scenario.check import explore_world
from saniwa.world.model import Id
from tests.fakes.worlds import make_courtyard


def test_locks_wait_for_their_keys() -> None:
    """A locked place is reached if its key is, in any order."""
    reach = explore_world(make_courtyard(), [Id("shed")])

    assert {"yard", "shed", "orchard"} == reach.rooms
    assert {"key", "rusty", "coin", "loaf", "ring"} == reach.things
    assert {"bench", "well", "player", "keeper", "chest"} <= reach.seen


def test_without_a_start_nothing_is_reached() -> None:
    """Without a starting room nothing is reached."""
    assert not explore_world(make_courtyard(), []).rooms
