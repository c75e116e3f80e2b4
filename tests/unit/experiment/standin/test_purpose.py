"""Getting somewhere."""

from saniwa.experiment.standin.deed import Deed
from saniwa.experiment.standin.purpose import leading_on, speaks_of


def test_keys_come_before_what_the_story_speaks_of_and_ways_last() -> None:
    """What leads on comes first, and what may lead anywhere last."""
    deeds = {
        "unlock": [],
        "take": [Deed("take", n) for n in ("spoon", "iron key", "red umbrella")],
        "give": [Deed("give", "cup", "Ben")],
        "open": [Deed("open", "box")],
        "go": [Deed("go", "Orchard"), Deed("go", "Shed")],
        "search": [Deed("search", "Hall")],
    }

    assert [
        [],
        [Deed("take", "iron key"), Deed("take", "red umbrella")],
        [],
        [Deed("open", "box")],
        [Deed("go", "Orchard")],
        [Deed("go", "Orchard"), Deed("go", "Shed"), Deed("search", "Hall")],
    ] == list(leading_on(deeds, "Take an umbrella to the orchard."))


def test_a_name_is_spoken_of_whole_or_by_one_of_its_words() -> None:
    """An opening says "orchard" and means the Old Orchard."""
    prose = "The orchard is yours. 赤い傘を持って。"

    assert [True, True, False, False] == [
        speaks_of(prose, name)
        for name in ("Old Orchard", "赤い傘", "Old Shed", "傘立て")
    ]
