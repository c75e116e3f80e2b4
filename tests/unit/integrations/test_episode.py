import asyncio

import pytest

from saniwa.experiment.run_template import RunTemplate
from saniwa.integrations.episode import LONGEST_OBSERVATION, Episode, is_refused, run_to_completion
from saniwa.world.actions import Move, Open
from saniwa.world.model import Id
from tests.fakes.environment_scenarios import ATTIC, make_run_template, open_with_layers

ANN, BEN, CAT = Id("ann"), Id("ben"), Id("cat")


def test_it_begins_with_the_authors_words_and_what_is_seen() -> None:
    """The first observation has the opening, the room and the held things."""
    seen = Episode(make_run_template(ATTIC)).describe_perception(ANN)

    assert seen.startswith("Dust dances in the light.\n\nAttic\n")
    assert seen.endswith("You are holding nothing.")


@pytest.mark.parametrize("secret", ["coin", "diamond", "lamp"])
def test_no_character_perceives_what_is_hidden_shut_in_or_elsewhere(secret: str) -> None:
    """What a character cannot perceive is in no observation and no list of actions."""
    episode = Episode(make_run_template(ATTIC))
    offered = " ".join(offer.text for offer in episode.list_offers(ANN))

    assert secret not in episode.describe_perception(ANN)
    assert secret not in offered


def test_what_others_do_is_reported_to_who_is_there() -> None:
    """A character sees what others do in the same room, and nothing of other rooms."""
    episode = Episode(make_run_template(ATTIC))

    episode.act(Open(actor_id=ANN, target_id=Id("chest")))

    assert "Ann opens the chest" in episode.describe_perception(BEN)
    assert "opens" not in episode.describe_perception(CAT)


def test_news_are_reported_until_one_acts_oneself() -> None:
    """An observation has the events since the character's own last turn."""
    episode = Episode(make_run_template(ATTIC))
    episode.act(Open(actor_id=ANN, target_id=Id("chest")))

    episode.act(Move(actor_id=BEN, target_id=Id("stairs")))

    assert "Ann opens the chest" not in episode.describe_perception(BEN)


def test_an_observation_has_an_end_whatever_is_said() -> None:
    """An observation is limited in length, and always has the place."""
    episode = Episode(make_run_template(ATTIC))
    for _ in range(60):
        episode.say(BEN, 'say "' + "la " * 300 + '"')

    seen = episode.describe_perception(ANN)

    assert LONGEST_OBSERVATION // 2 < len(seen) <= LONGEST_OBSERVATION
    assert "You are holding nothing." in seen


def test_words_that_cannot_come_true_are_refused() -> None:
    """A turn says whether anything in it was refused or not understood."""
    episode = Episode(make_run_template(ATTIC))

    told = [is_refused(episode.say(ANN, text)) for text in ("take the moon", "wait")]

    assert [True, False] == told


def test_a_language_can_be_chosen() -> None:
    """The language of a scenario can be chosen."""
    episode = Episode(RunTemplate(*open_with_layers("door_and_key"), language="ja"))

    assert "何も持っていない。" in episode.describe_perception(episode.run.actor)


def test_it_plays_inside_a_running_loop() -> None:
    """An episode can be played inside a running event loop."""

    async def say_inside_loop() -> bool:
        return is_refused(Episode(make_run_template(ATTIC)).say(ANN, "wait"))

    assert not asyncio.run(say_inside_loop())


def test_what_would_wait_is_a_mistake_of_saniwa() -> None:
    """A coroutine that would wait raises an error."""
    with pytest.raises(AssertionError, match="waits for nothing"):
        run_to_completion(asyncio.sleep(0))
