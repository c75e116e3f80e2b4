from saniwa.world.manner import Manner

SLICE = Manner(name="slice", words={"en": ("slice", "cut"), "ja": ("切る",)})


def test_a_craft_is_spoken_of_in_the_language_asked_for() -> None:
    """A region speaks its language; where there are no words there are none."""
    assert ("slice", "cut") == SLICE.spoken("en")
    assert ("切る",) == SLICE.spoken("ja-JP")
    assert () == SLICE.spoken("fr")
    assert () == Manner(name="slice").spoken("en")
