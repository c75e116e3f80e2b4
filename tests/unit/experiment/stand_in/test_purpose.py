"""Making progress in the story."""

from saniwa.experiment.stand_in.character import is_mentioned, rank_leading_deeds
from saniwa.experiment.stand_in.deeds import StandInDeed


def test_keys_are_first_then_mentioned_objects_then_exits() -> None:
    """Keys come first, then objects the story mentions, then exits."""
    deeds = {
        "unlock": [],
        "take": [StandInDeed("take", n) for n in ("spoon", "iron key", "red umbrella")],
        "give": [StandInDeed("give", "cup", "Ben")],
        "open": [StandInDeed("open", "box")],
        "go": [StandInDeed("go", "Orchard"), StandInDeed("go", "Shed")],
        "search": [StandInDeed("search", "Hall")],
    }

    assert [
        [],
        [StandInDeed("take", "iron key"), StandInDeed("take", "red umbrella")],
        [],
        [StandInDeed("open", "box")],
        [StandInDeed("go", "Orchard")],
        [StandInDeed("go", "Orchard"), StandInDeed("go", "Shed"), StandInDeed("search", "Hall")],
    ] == list(rank_leading_deeds(deeds, "Take an umbrella to the orchard."))


def test_a_name_is_mentioned_whole_or_by_one_of_its_words() -> None:
    """The word "orchard" in an opening means the Old Orchard."""
    prose = "The orchard is yours. 赤い傘を持って。"

    assert [True, True, False, False] == [
        is_mentioned(prose, name) for name in ("Old Orchard", "赤い傘", "Old Shed", "傘立て")
    ]
