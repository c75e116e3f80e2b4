"""What a stand-in means to do."""

from saniwa.experiment.standin.deed import Deed
from saniwa.experiment.standin.intention import Intention


def test_an_intention_is_about_what_its_deed_is_done_to() -> None:
    """Who only talks is about nothing."""
    assert "cup" == Intention("told", Deed("take", "cup")).about
    assert "" == Intention("talk").about
