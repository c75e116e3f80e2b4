from saniwa.language.parser_context import (
    ParserContext,
    make_unrecognised_claim,
    share_group_roles,
    strip_article,
)
from saniwa.world.model import Id
from tests.fakes.pantry_world import ANNA, make_pantry
from tests.fakes.worlds import PLAYER, make_courtyard


def test_claims_under_one_verb_lend_each_other_roles() -> None:
    """Claims under one verb share a destination, and a source with the claims before it."""
    put = share_group_roles(
        [{"type": "put", "target": "a", "destination": "d"}, {"type": "put", "target": "b"}]
    )
    take = share_group_roles(
        [{"type": "take", "target": "a"}, {"type": "take", "target": "b", "source": "s"},
         {"type": "take", "target": "c"}]
    )  # fmt: skip
    mixed = share_group_roles([{"type": "put", "destination": "d"}, {"type": "give"}])

    assert ["d", "d"] == [c["destination"] for c in put]
    assert ["s", "s", None] == [c.get("source") for c in take]
    assert {"type": "give"} == mixed[1]


def test_unrecognised_words_carry_their_problem() -> None:
    """An unrecognised claim has a problem only if one is given."""
    assert {"type": "unrecognised", "words": "x"} == make_unrecognised_claim("x")
    assert "too long" == make_unrecognised_claim("x", "too long")["problem"]


def test_articles_are_no_part_of_a_name() -> None:
    """A folded name has no article."""
    assert "Brass KEY".lower() == strip_article("The Brass KEY")


def test_a_lexicon_knows_ways_places_and_people() -> None:
    """A lexicon distinguishes exits, adjacent places, this place and other people."""
    lexicon = ParserContext.from_world(make_courtyard(), PLAYER)

    assert lexicon.is_way("north")
    assert lexicon.is_way("w")
    assert lexicon.is_near("the Shed")
    assert lexicon.is_here("Yard")
    assert lexicon.is_destination("gate")
    assert not lexicon.is_destination("moon")
    assert 2 == lexicon.count_person_words(["the", "groundskeeper", "the", "key"])
    assert 0 == lexicon.count_person_words(["key"])


def test_the_ground_is_for_dropping() -> None:
    """Putting a thing on the floor drops it."""
    lexicon = ParserContext.from_world(make_pantry(), ANNA)

    (dropped,) = lexicon.settle_destination(
        {"type": "put", "target": "apple", "destination": "the floor"}
    )
    assert {"type": "drop", "target": "apple"} == dropped


def test_a_lexicon_can_be_made_without_an_actor() -> None:
    """The lexicon of an actor that does not exist has no exits."""
    lexicon = ParserContext.from_world(make_courtyard(), Id("nobody"))

    assert frozenset() == lexicon.labels


def test_a_lent_destination_comes_with_its_relation() -> None:
    """A shared destination comes with its relation; a claim's own destination has its own."""
    shared = share_group_roles(
        [
            {"type": "put", "target": "a"},
            {"type": "put", "target": "b", "destination": "d", "relation": "in"},
        ]
    )
    own = share_group_roles(
        [
            {"type": "put", "target": "a", "destination": "d", "relation": "in"},
            {"type": "put", "target": "b", "destination": "e"},
        ]
    )

    assert ["in", "in"] == [claim["relation"] for claim in shared]
    assert ["in", None] == [claim.get("relation") for claim in own]
