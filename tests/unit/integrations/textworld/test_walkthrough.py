from typing import Any

import pytest

from saniwa.documents.document import make_document
from saniwa.documents.finding_collector import Findings, Located
from saniwa.integrations.textworld.game_format import Proposition
from saniwa.integrations.textworld.scenario_conversion import GameQuest, read_walkthrough

WON = [[Proposition("in", ("o_0", "I"), ())]]


def _read_commands(metadata: Any, *quests: GameQuest) -> tuple[tuple[str, ...], Findings]:
    page = Findings(make_document({"metadata": metadata}))
    held = None if metadata is None else Located(metadata, ("metadata",), page)
    return read_walkthrough(page, held, list(quests)), page


def _make_quest(*commands: str, wins: Any = WON) -> GameQuest:
    return GameQuest(1, wins, [], commands, ("quests", 0))


def test_the_games_own_lines_come_first() -> None:
    """The game's own walkthrough is used, whatever its quests have."""
    lines, page = _read_commands({"walkthrough": ["look", "take o_0"]}, _make_quest("wait"))

    assert (("look", "take o_0"), True) == (lines, page.passed)


@pytest.mark.parametrize(
    ("quests", "lines"),
    [
        ((_make_quest("take o_0"),), ("take o_0",)),
        ((_make_quest("take o_0"), _make_quest("wait", wins=[])), ("take o_0",)),
        ((_make_quest("take o_0"), _make_quest("take o_1")), ()),
        ((_make_quest(),), ()),
        ((), ()),
    ],
)
def test_else_those_of_the_one_quest_there_is_to_win(
    quests: tuple[GameQuest, ...], lines: tuple[str, ...]
) -> None:
    """Otherwise the commands of the only required quest are used, if there is exactly one."""
    nothing: tuple[Any, ...] = (None, {})
    for metadata in nothing:
        found, page = _read_commands(metadata, *quests)
        assert lines == found
        assert (not lines) == bool(page.build_report().warnings)


def test_lines_that_are_invalid_are_a_finding() -> None:
    """A malformed walkthrough is a finding."""
    lines, page = _read_commands({"walkthrough": 3}, _make_quest("take o_0"))

    assert ((), False) == (lines, page.passed)


def test_what_is_open_is_not_opened_again() -> None:
    """Lines that open what is already open are left out, with a note."""
    page = Findings(make_document({}))
    given = ["open door", "open gate", "open door", "close door", "open door"]
    held = Located({"walkthrough": given}, ("metadata",), page)
    lines = read_walkthrough(page, held, [], {"gate"})

    assert ("open door", "close door", "open door") == lines
    assert ["2 lines of the walkthrough were left out: they open what is already open"] == [
        finding.message for finding in page.build_report().findings
    ]
    assert page.passed
