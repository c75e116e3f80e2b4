from typing import Any

from saniwa.documents.document import make_document
from saniwa.documents.finding_collector import Findings
from saniwa.integrations.textworld.game_format import Proposition, PropositionReader
from saniwa.integrations.textworld.scenario_conversion import (
    GameQuest,
    build_clear_condition,
    read_map,
    read_quests,
)
from tests.fakes.textworld import make_quest


def _read_quests(*told: dict[str, Any]) -> tuple[list[GameQuest], Findings]:
    page = Findings(make_document({"quests": list(told)}))
    return read_quests(page, PropositionReader(page), list(told), ("quests",)), page


def _build_condition(*told: dict[str, Any], so: tuple[Proposition, ...] = ()) -> Any:
    quests, page = _read_quests(*told)
    return build_clear_condition(page, quests, read_map(page, so), so), page


def test_quests_are_numbered_as_the_game_has_them() -> None:
    """Quests keep the game's numbers, also if one is left out."""
    quests, page = _read_quests(
        make_quest("in(o_0, I)", optional=True), make_quest("in(o_1, I)", commands=["take o_1"])
    )

    assert [(2, ("take o_1",))] == [(each.number, each.commands) for each in quests]
    assert ["quests[0]"] == [each.where.path for each in page.build_report().warnings]


def test_each_fact_becomes_what_a_scenario_says() -> None:
    """Places, states and eaten things become facts of milestones."""
    found, page = _build_condition(make_quest("in(o_0, I) & open(c_0) & eaten(f_0)"))

    assert [
        {"entity": "o_0", "place": "P"},
        {"entity": "c_0", "condition": "open"},
        {"entity": "f_0", "condition": "gone"},
    ] == found["clear_condition"]["milestones"][0]["facts"]
    assert page.passed


def test_what_is_always_so_is_not_asked_for() -> None:
    """A fact of the map that is always true is left out, and one that never is gives a finding."""
    always = Proposition("north_of", ("r_1", "r_0"), ("world", 0))
    asked = make_quest("north_of(r_1, r_0) & at(P, r_1)")
    found, page = _build_condition(asked, so=(always,))

    assert [{"entity": "P", "place": "r_1"}] == (found["clear_condition"]["milestones"][0]["facts"])
    assert page.passed
    assert not _build_condition(asked)[1].passed


def test_events_are_alternatives_and_failing_spoils() -> None:
    """The events of a quest share its flag, and a failure has its own."""
    found, _ = _build_condition(make_quest("at(P, r_0)", "at(P, r_1)", fails=("eaten(f_0)",)))

    assert [("quest 1", False), ("quest 1", False), ("quest 1 failed", True)] == [
        (stone["flag"], "spoils" in stone) for stone in found["clear_condition"]["milestones"]
    ]


def test_a_game_with_nothing_to_win_has_no_goal() -> None:
    """A game without a required quest has no goal, with a warning."""
    for told in ((), (make_quest(fails=("eaten(f_0)",)),)):
        found, page = _build_condition(*told)
        assert {} == found
        assert "no required quest" in page.build_report().warnings[-1].message
