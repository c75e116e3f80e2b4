import json
from typing import Any

import pytest

from saniwa.documents.document import make_document, parse_document
from saniwa.integrations.textworld.importer import ImportedGame, import_game
from saniwa.scenario.loader import load_scenario
from tests.fakes.textworld import make_quest, make_small_game, make_tiny_game, parse_proposition


def _import_document(game: Any) -> ImportedGame:
    return import_game(make_document(game, "game.json"), "game")


def _import_scenario(game: Any) -> dict[str, Any]:
    imported = _import_document(game)
    assert imported.scenario is not None, imported.report.errors
    load_scenario(imported.scenario)
    return imported.scenario


def _list_errors(game: Any) -> list[tuple[str, str]]:
    return [(f.code, f.where.path) for f in _import_document(game).report.errors]


def test_rooms_doors_and_items_keep_their_place_and_state() -> None:
    """Every fact of the game is in the scenario, under the game's ids."""
    scenario = _import_scenario(
        make_tiny_game(
            *("west_of(r_2, r_0)", "link(r_0, d_0, r_2)", "link(r_2, d_0, r_0)"),
            *("locked(d_0)", "match(k_0, d_0)", "in(k_0, I)"),
            *("at(c_0, r_0)", "open(c_0)", "in(o_0, c_0)"),
            *("at(s_0, r_1)", "on(f_0, s_0)", "edible(f_0)"),
            names={"c_0": "chest", "k_0": "brass key"},
        )
    )

    assert {
        "name": "hall",
        "exits": {"north": "r_1", "west": {"to": "r_2", "door": "d_0"}},
    } == scenario["locations"]["r_0"]
    assert {"south": "r_0"} == scenario["locations"]["r_1"]["exits"]
    assert {
        "d_0": {"name": "d_0", "kind": "door", "locked": True, "required_key": "k_0", "connects": ["r_0", "r_2"]},
        "k_0": {"name": "brass key", "kind": "item", "location": "P"},
        "c_0": {"name": "chest", "kind": "container", "open": True, "location": "r_0"},
        "o_0": {"name": "o_0", "kind": "item", "location": "c_0"},
        "s_0": {"name": "s_0", "kind": "supporter", "location": "r_1"},
        "f_0": {"name": "f_0", "kind": "item", "edible": True, "location": "s_0"},
    } == scenario["props"]  # fmt: skip
    assert {"P": {"name": "you", "location": "r_0"}} == scenario["characters"]
    assert "strict" == scenario["rulebook"]


def test_quests_become_milestones() -> None:
    """Each quest has a flag, its events are alternatives, and a failure spoils the goal."""
    scenario = _import_scenario(
        make_tiny_game(
            *("at(f_0, r_0)", "at(c_0, r_1)", "closed(c_0)", "edible(f_0)"),
            quests=[
                make_quest("at(P, r_1)", "open(c_0) & in(f_0, I)", fails=("eaten(f_0)",)),
                make_quest("in(f_0, c_0) & edible(f_0)"),
            ],
        )
    )

    assert [
        {"flag": "quest 1", "facts": [{"entity": "P", "place": "r_1"}]},
        {"flag": "quest 1", "facts": [{"entity": "c_0", "condition": "open"}, {"entity": "f_0", "place": "P"}]},
        {"flag": "quest 1 failed", "facts": [{"entity": "f_0", "condition": "gone"}], "spoils": True},
        {"flag": "quest 2", "facts": [{"entity": "f_0", "place": "c_0"}]},
    ] == scenario["clear_condition"]["milestones"]  # fmt: skip


def test_a_way_that_must_be_free_is_a_door_that_must_be_open() -> None:
    """A `free` exit in a quest becomes an open door."""
    scenario = _import_scenario(
        make_tiny_game(
            *("west_of(r_2, r_0)", "link(r_0, d_0, r_2)", "closed(d_0)"),
            quests=[make_quest("free(r_0, r_2) & free(r_0, r_1)")],
        )
    )

    stones = scenario["clear_condition"]["milestones"]
    assert [[{"entity": "d_0", "condition": "open"}]] == [s["facts"] for s in stones]


def test_items_of_one_name_stay_two_items() -> None:
    """Things with the same name stay separate, and a shared noun is not an alias."""
    game = make_tiny_game("at(o_0, r_0)", "at(o_1, r_1)", "at(o_2, r_1)")
    for _, entity in game["infos"]:
        if entity["type"] == "o":
            entity |= {"name": "red cup", "noun": "cup", "synonyms": ["mug", "red cup"]}
    dict(game["infos"])["o_2"]["name"] = "cup"
    scenario = _import_scenario(game)

    assert ["red cup", "red cup", "cup"] == [thing["name"] for thing in scenario["props"].values()]
    assert [["mug"]] * 3 == [thing["aliases"] for thing in scenario["props"].values()]


def test_the_opening_text_is_the_games_objective() -> None:
    """The objective becomes the opening, and the notes name the game."""
    scenario = _import_scenario(
        make_tiny_game(
            "at(o_0, r_0)",
            objective="Find it.",
            metadata={"uuid": "tw-x", "walkthrough": ["take o_0"]},
        )
    )

    assert "Find it." == scenario["gm_opening_message"]
    assert "Made from the TextWorld game tw-x." == scenario["notes"]


@pytest.mark.parametrize(
    ("more", "lines"),
    [
        ({"metadata": {"walkthrough": ["look", "wait"]}}, ("look", "wait")),
        ({"metadata": {}, "quests": [make_quest("in(o_0, I)", commands=["take o_0"])]}, ("take o_0",)),
        ({"metadata": {}, "quests": [make_quest("in(o_0, I)")]}, ()),
    ],
)  # fmt: skip
def test_the_walkthrough_is_the_games_else_that_of_its_one_quest(
    more: dict[str, Any], lines: tuple[str, ...]
) -> None:
    """The walkthrough is the game's, or that of its only quest; otherwise there is a warning."""
    imported = _import_document(make_tiny_game("at(o_0, r_0)", **more))

    assert lines == imported.walkthrough
    said = "the game has no walkthrough; none is written"
    assert (not lines) == (said in [f.message for f in imported.report.warnings])


@pytest.mark.parametrize(
    ("game", "code", "path"),
    [
        ([], "WRONG_TYPE", ""),
        ({"name": "flat"}, "UNKNOWN_KEY", "name"),
        ({}, "FIELD_MISSING", ""),
        (make_tiny_game(version=2), "GAME_UNSUPPORTED", "version"),
        (make_tiny_game(world={}), "WRONG_TYPE", "world"),
        (make_tiny_game(KB={}), "FIELD_MISSING", "KB"),
        (make_tiny_game(KB={"logic": 3}), "FIELD_MISSING", "KB"),
        (make_tiny_game(extras=1), "UNKNOWN_KEY", "extras"),
        (make_tiny_game("melted(o_0)"), "GAME_UNSUPPORTED", "world[4]"),
        (make_tiny_game("in(o_0, s_0)"), "GAME_UNSUPPORTED", "world[4]"),
        (make_tiny_game("at(x_0, r_0)"), "GAME_UNSUPPORTED", "world[4]"),
        (make_tiny_game("at(P, r_1)"), "PLACED_TWICE", "world[4]"),
        (make_tiny_game("at(o_0, r_0)", "in(o_0, I)"), "PLACED_TWICE", "world[5]"),
        (make_tiny_game("at(c_0, r_0)", "open(c_0)", "locked(c_0)"), "STATE_CONTRADICTION", "world[6]"),
        (make_tiny_game("match(k_0, c_0)", "match(k_1, c_0)"), "GAME_UNSUPPORTED", "world[5]"),
        (make_tiny_game("north_of(r_2, r_0)"), "STATE_CONTRADICTION", "world[4]"),
        (make_tiny_game("closed(d_0)"), "DOOR_SIDES", "infos[3]"),
        (make_tiny_game("link(r_0, d_0, r_2)", "closed(d_0)"), "DOOR_SIDES", "infos[3]"),
        (make_tiny_game("link(r_0, d_0, r_1)", "link(r_1, d_0, r_2)"), "DOOR_SIDES", "world[5]"),
        (make_tiny_game("link(r_0, d_0, r_0)"), "DOOR_SIDES", "world[4]"),
        (make_tiny_game("link(r_0, d_0, r_1)", "link(r_0, d_1, r_1)"), "DOOR_SIDES", "world[5]"),
        (make_tiny_game("link(r_0, d_0, r_1)", "closed(d_0)"), "STATE_CONTRADICTION", "world[1]"),
        (make_tiny_game("eaten(f_0)"), "GAME_UNSUPPORTED", "world[4]"),
        (make_tiny_game(quests=[make_quest("free(r_0, r_2)")]), "GAME_UNSUPPORTED", "quests[0].win_events[0].condition.preconditions[0]"),
        (make_tiny_game(quests=[make_quest("free(r_0, r_1)")]), "GAME_UNSUPPORTED", "quests[0]"),
        (make_tiny_game(quests=[make_quest("cut(f_0)")]), "GAME_UNSUPPORTED", "quests[0].win_events[0].condition.preconditions[0]"),
        (make_tiny_game(quests=[{"win_events": [{}]}]), "FIELD_MISSING", "quests[0].win_events[0]"),
        (make_tiny_game(quests=[{"win_events": [{"condition": {"preconditions": []}}]}]), "FIELD_MISSING", "quests[0].win_events[0]"),
        (make_tiny_game(quests=["go"]), "WRONG_TYPE", "quests[0]"),
        (make_tiny_game(infos=[]), "NAME_UNKNOWN", "infos"),
        (make_tiny_game(infos=[["P"]]), "WRONG_TYPE", "infos[0]"),
        (make_tiny_game(infos=[["P", {"id": "Q", "type": "P"}]]), "FIELD_MISSING", "infos[0]"),
        (make_tiny_game(infos=[["P", {"id": "P", "type": "P"}]] * 2), "ID_COLLISION", "infos[1]"),
        (make_tiny_game(infos=[["P", {"id": "P", "type": "o"}]]), "STATE_CONTRADICTION", "infos[0]"),
        (make_tiny_game(names={"r_0": "a\x1b[31mb"}), "NAME_UNUSABLE", "infos[1][1].name"),
        (make_tiny_game(names={"r_0": 3}), "WRONG_TYPE", "infos[1][1].name"),
        (make_tiny_game(names={"r_0": "a" * 300}), "NAME_UNUSABLE", "infos[1][1].name"),
        (make_tiny_game(objective="a" * 10_001), "TEXT_UNUSABLE", "objective"),
        (make_tiny_game(metadata={"walkthrough": ["take\ncup"]}), "NAME_UNUSABLE", "metadata.walkthrough[0]"),
        (make_tiny_game(metadata={"walkthrough": "take cup"}), "WRONG_TYPE", "metadata.walkthrough"),
        (make_tiny_game(world=[3]), "WRONG_TYPE", "world[0]"),
        (make_tiny_game(world=[{"name": "at"}]), "FIELD_MISSING", "world[0]"),
        (make_tiny_game(world=[{"name": "at", "arguments": [{"name": "P"}]}]), "FIELD_MISSING", "world[0].arguments[0]"),
        (make_tiny_game(world=[{"name": "at", "arguments": []}]), "GAME_UNSUPPORTED", "world[0]"),
        (make_tiny_game(world=[]), "FIELD_MISSING", "world"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_again_is_reported_with_its_place(
    game: Any, code: str, path: str
) -> None:
    """A broken or contradictory game gives findings and no scenario."""
    assert (code, path) in _list_errors(game)
    assert _import_document(game).scenario is None


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (make_tiny_game("at(o_0, r_0)", quests=[make_quest("in(o_0, I)"), make_quest("at(P, r_1)", optional=True)]), "quest 2 is optional, and is left out of the goal"),
        (make_tiny_game("at(o_0, r_0)", quests=[make_quest("in(o_0, I)", fails=("at(P, r_1)",))]), "the game can be lost; the scenario then continues, with its goal out of reach"),
        (make_tiny_game("at(o_0, r_0)", quests=[make_quest("in(o_0, I)", reward=2)]), "the game keeps a score; a scenario knows only whether the goal is met"),
        (make_tiny_game(quests=[]), "the game has no required quest; the scenario has no goal"),
        (make_tiny_game("east_of(r_2, r_0)"), "the way east of 'r_0' is permanently blocked and was left out"),
        (make_tiny_game("at(c_0, r_0)"), "the game does not say how 'c_0' is; it starts closed"),
        (make_tiny_game("at(o_0, r_0)", names={"o_0": ""}), "'o_0' has no name and is shown by its id"),
    ],
)  # fmt: skip
def test_what_a_scenario_cannot_say_is_never_passed_over(game: Any, message: str) -> None:
    """What a scenario cannot express is a finding, and the game is imported."""
    imported = _import_document(game)

    assert imported.scenario is not None
    assert message in [f.message for f in imported.report.findings]


def test_a_finding_has_line_and_column() -> None:
    """A finding has a line and column of the game's text."""
    game = json.loads(make_small_game())
    game["world"].append(parse_proposition("melted(o_0)"))
    document = parse_document(json.dumps(game, indent=1), "game.json", "json")
    found = import_game(document, "game").report.errors

    assert ["game.json"] == [f.where.file for f in found]
    assert "{" == document.get_line(found[0].where.line).strip()


def test_the_same_game_gives_the_same_scenario() -> None:
    """The same game gives the same scenario."""
    first, again = (
        import_game(parse_document(make_small_game(), "game.json", "json"), "game")
        for _ in range(2)
    )

    assert json.dumps(first.scenario) == json.dumps(again.scenario)
