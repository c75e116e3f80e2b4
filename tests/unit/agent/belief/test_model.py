from saniwa.agent.belief.mind import known_name, opening_mind
from saniwa.world.model import Id
from tests.fakes.playroom import ANNE, SALLY, playroom


def test_a_name_is_known_of_what_was_perceived() -> None:
    """Oneself, people, things and places have names; what one knows not has none."""
    mind = opening_mind(playroom(), SALLY)

    assert ("Sally", "Anne", "Garden") == (
        known_name(mind, SALLY),
        known_name(mind, ANNE),
        known_name(mind, Id("garden")),
    )
    assert ("", "") == (known_name(mind, Id("coin")), known_name(mind, None))
