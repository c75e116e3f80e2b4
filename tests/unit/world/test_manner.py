from saniwa.world.model import Manner

SLICE = Manner(name="slice", words={"en": ("slice", "cut"), "ja": ("切る",)})


def test_a_craft_is_named_in_the_requested_language() -> None:
    """A craft has verbs by language; a regional language uses its language, others have none."""
    assert ("slice", "cut") == SLICE.get_verbs("en")
    assert ("切る",) == SLICE.get_verbs("ja-JP")
    assert () == SLICE.get_verbs("fr")
    assert () == Manner(name="slice").get_verbs("en")
