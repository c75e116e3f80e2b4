from immutables import Map

from saniwa.agent.belief.mind import believed_room, known_name, opening_mind
from saniwa.agent.belief.model import Belief, Mind
from saniwa.world.model import Id
from tests.fakes.playroom import ANNE, SALLY, follow, playroom


def test_a_believed_room_is_found_through_what_holds_it() -> None:
    """A thing is where its holder is; what one holds oneself is where one is."""
    mind, _ = follow(playroom(), SALLY, ("sally", "take the marble. go out"))

    assert Id("garden") == believed_room(mind, Id("marble"))
    assert Id("room") == believed_room(mind, Id("shelf"))
    assert Id("garden") == believed_room(mind, SALLY)
    assert None is believed_room(mind, Id("coin"))


def test_beliefs_that_go_round_lead_nowhere() -> None:
    """Two things said to be in each other are in no room."""
    one, two = Id("one"), Id("two")
    mind = Mind(
        who=SALLY,
        beliefs=Map(
            {
                one: Belief(id=one, name="one", place=two),
                two: Belief(id=two, name="two", place=one),
            }
        ),
    )

    assert None is believed_room(mind, one)


def test_a_name_is_known_of_what_was_perceived() -> None:
    """Oneself, people, things and places have names; what one knows not has none."""
    mind = opening_mind(playroom(), SALLY)

    assert ("Sally", "Anne", "Garden") == (
        known_name(mind, SALLY),
        known_name(mind, ANNE),
        known_name(mind, Id("garden")),
    )
    assert ("", "") == (known_name(mind, Id("coin")), known_name(mind, None))
