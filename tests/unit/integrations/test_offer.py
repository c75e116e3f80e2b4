from saniwa.experiment.run_template import RunTemplate
from saniwa.integrations.episode import find_offers
from saniwa.rulebook.judge import judge
from saniwa.world.actions import Take
from saniwa.world.model import Id
from tests.fakes.environment_scenarios import ATTIC, open_with_layers

ANN = Id("ann")
_FAR_HANDS = {
    "id": "far_hands",
    "rules": [{"actionType": "take", "checks": [{"id": "in_scope", "enabled": False}]}],
}
"""A rulebook that allows taking anything from anywhere."""


def test_everything_offered_may_happen() -> None:
    """Every offer is an action that the rulebook allows now."""
    run = RunTemplate(*open_with_layers("lantern_island")).begin_run(0)

    offers = find_offers(run, run.actor)

    assert len(offers) > 20
    assert all(judge(o.action, run.world, run.book).success for o in offers)


def test_a_generous_book_reveals_no_secret() -> None:
    """An action on a thing that the character cannot know is not offered, even if it is allowed."""
    run = RunTemplate(*open_with_layers(ATTIC, _FAR_HANDS)).begin_run(0)
    lamp = Take(actor_id=ANN, target_id=Id("lamp"))

    assert judge(lamp, run.world, run.book).success
    assert "lamp" not in " ".join(offer.text for offer in find_offers(run, ANN))
