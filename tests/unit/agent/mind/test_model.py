from saniwa.agent.mind.mind import get_known_name
from saniwa.agent.mind.perception import build_opening_mind
from saniwa.world.model import Id
from tests.fakes.playroom_world import ANNE, SALLY, make_playroom


def test_a_name_is_known_of_what_was_perceived() -> None:
    """A perceived person, thing or place has a known name; an unknown id has none."""
    mind = build_opening_mind(make_playroom(), SALLY)

    assert ("Sally", "Anne", "Garden") == (
        get_known_name(mind, SALLY),
        get_known_name(mind, ANNE),
        get_known_name(mind, Id("garden")),
    )
    assert ("", "") == (get_known_name(mind, Id("coin")), get_known_name(mind, None))
