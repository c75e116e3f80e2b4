import pytest

from saniwa.cli.play.scenario_terminal import SeatChange, SeatNames, parse_seat_change

PEOPLE = ["keeper", "Old Keeper", "庭師"]


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
def test_a_line_changes_seats_only_where_it_names_a_character(
    line: str, meant: SeatChange | None
) -> None:
    """A line changes seats only if it names a character, or begins with a slash."""
    assert meant == parse_seat_change(line, SeatNames.from_names(PEOPLE))


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("take over nobody", SeatChange("take", "nobody")),
        ("take over the world", SeatChange("take", "world")),
        ("hand back Pim", SeatChange("hand", "Pim")),
        ("take over", SeatChange("take", "")),
        ("Hand back", SeatChange("hand", "")),
        ("引き継ぐ 誰か", SeatChange("take", "誰か")),
        ("任せる ピム", SeatChange("hand", "ピム")),
        ("誰かを引き継ぐ", SeatChange("take", "誰か")),
        ("任せる", SeatChange("hand", "")),
        ("hand back the brass Key", None),
        ("hand back it", None),
        ("take over the key to the keeper", None),
        ("鍵を庭師に任せる", None),
        ("何かを庭師に任せる", None),
        ("take the key", None),
        ("", None),
    ],
)
def test_where_seats_are_given_a_line_may_name_an_unknown_character(
    line: str, meant: SeatChange | None
) -> None:
    """Where seats are used, a line with an unknown character is answered and not played."""
    names = SeatNames.from_names(PEOPLE, ["Key", "brass key", "鍵"], seated=True)

    assert meant == parse_seat_change(line, names)
