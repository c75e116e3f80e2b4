"""What a stand-in means to do."""

from saniwa.experiment.stand_in.deeds import StandInDeed, StandInIntention


def test_an_intention_is_about_what_its_deed_is_done_to() -> None:
    """An intention's target is that of its action; one that only talks has none."""
    assert "cup" == StandInIntention("told", StandInDeed("take", "cup")).target_name
    assert "" == StandInIntention("talk").target_name
