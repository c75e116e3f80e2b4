from saniwa.integrations.textworld.game_format import OPPOSITE


def test_every_way_has_a_way_back() -> None:
    """Every direction has an opposite that leads back."""
    assert {*OPPOSITE} == {OPPOSITE[OPPOSITE[way]] for way in OPPOSITE}
    assert all(way != back for way, back in OPPOSITE.items())
