import pytest

from saniwa.cli.seats import SeatChange, seat_change_in

NAMES = ["keeper", "Old Keeper", "庭師"]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("take over keeper", SeatChange("take", "keeper")),
        ("Take over the Old  Keeper", SeatChange("take", "Old Keeper")),
        ("hand back keeper", SeatChange("hand", "keeper")),
        ("/take nobody", SeatChange("take", "nobody")),
        ("/hand back nobody", SeatChange("hand", "nobody")),
        ("引き継ぐ 庭師", SeatChange("take", "庭師")),
        ("庭師を引き継ぐ", SeatChange("take", "庭師")),
        ("任せる　庭師", SeatChange("hand", "庭師")),
        ("庭師に任せる", SeatChange("hand", "庭師")),
        ("take the key", None),
        ("take keeper", None),
        ("hand back the key", None),
        ("take over the world", None),
        ("take over", None),
        ("鍵を庭師に任せる", None),
        ("", None),
    ],
)
def test_a_line_changes_seats_only_where_it_names_somebody(
    line: str, meant: SeatChange | None
) -> None:
    """Words of the story stay the story's; a slash makes it a command in any case."""
    assert meant == seat_change_in(line, NAMES)
