from immutables import Map

from saniwa.agent.mind.mind import Belief, Mind, Rumour
from saniwa.agent.mind.rendering import render_beliefs
from saniwa.world.model import Id

CUP = Id("cup")


def _render_elsewhere(*beliefs: Belief, rumours: tuple[Rumour, ...] = ()) -> str:
    mind = Mind(
        who=Id("sally"),
        turn=5,
        beliefs=Map({belief.id: belief for belief in beliefs}),
        rumours=rumours,
    )
    return render_beliefs(mind, 1000)


def test_what_no_longer_exists_is_reported_as_gone() -> None:
    """A removed thing is described as such."""
    assert "“cup” is no more." == _render_elsewhere(Belief(id=CUP, name="cup", exists=False))


def test_what_is_lost_and_was_never_seen_there_is_reported_without_a_place() -> None:
    """A thing known from hearsay and not found is described without a place."""
    lost = Belief(id=CUP, name="cup", how="inferred")

    assert "“cup” is no longer there; you do not know where it is." == _render_elsewhere(lost)


def test_an_unseen_voice_has_no_name() -> None:
    """Hearsay from an unseen speaker has no name."""
    heard = Rumour(name="crown", words="mill", since=3)

    assert (
        "somebody told you, 2 turns ago: “crown” in “mill”. You have never seen it."
        == _render_elsewhere(rumours=(heard,))
    )


def test_fixtures_elsewhere_are_not_worth_a_line() -> None:
    """Fixtures in other places are not listed."""
    well = Belief(id=Id("well"), name="well", kind="fixture")

    assert "You know of nothing elsewhere." == _render_elsewhere(well)
