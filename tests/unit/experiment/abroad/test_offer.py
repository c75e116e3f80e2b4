from saniwa.experiment.abroad.offer import offers_of
from saniwa.experiment.stage import Stage
from saniwa.rulebook.judge import judge
from saniwa.world.action import Take
from saniwa.world.model import Id
from tests.fakes.abroad import ATTIC, opened

ANN = Id("ann")
_FAR_HANDS = {
    "id": "far_hands",
    "rules": [
        {
            "actionType": "take",
            "checks": [{"id": "in_scope", "enabled": False}],
        }
    ],
}
"""A book by which anything can be taken from anywhere."""


def test_everything_offered_may_happen() -> None:
    """Each offer is an action that the book allows now."""
    run = Stage(*opened("lantern_island")).run(0)

    offers = offers_of(run, run.actor)

    assert len(offers) > 20
    assert all(judge(o.action, run.world, run.book).success for o in offers)


def test_a_generous_book_tells_no_secret() -> None:
    """What a book allows but nobody could know of is not offered."""
    run = Stage(*opened(ATTIC, _FAR_HANDS)).run(0)
    lamp = Take(actor_id=ANN, target_id=Id("lamp"))

    assert judge(lamp, run.world, run.book).success
    assert "lamp" not in " ".join(offer.text for offer in offers_of(run, ANN))
