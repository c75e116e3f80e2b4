from pathlib import Path
from typing import Any

import pytest

from tests.fakes.workspaces import WorkspaceClient, make_workspace

WORDS = ("go north", "take key and open the gate", "go east", "open the chest", "xyzzy")


@pytest.fixture
def host(tmp_path: Path) -> WorkspaceClient:
    """A client with a run of the shipped garden and some turns."""
    host = WorkspaceClient(make_workspace(tmp_path))
    host.begin(scenario="door_and_key")
    for text in WORDS:
        host.change("/words", {"text": text})
    return host


def list_numbers(page: dict[str, Any]) -> list[int]:
    """The numbers of the turns on a page."""
    return [each["number"] for each in page["items"]]


def test_turns_come_last_first_and_page_by_page(host: WorkspaceClient) -> None:
    """Turns are listed newest first, in pages."""
    first = host.read("/turns?limit=2")
    second = host.read(f"/turns?limit=2&after={first['next']}")
    last = host.read(f"/turns?limit=2&after={second['next']}")

    assert [[4, 3], [2, 1], [0]] == [list_numbers(p) for p in (first, second, last)]
    assert last["next"] is None


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("only=refused", [1, 0]),
        ("only=unclear", [4]),
        ("only=changed", [3, 2]),
        ("only=aside", []),
        ("q=CHEST", [3]),
        ("q=door_locked", [0]),
        ("code=LOCKED", [1, 0]),
        ("type=move", [2, 0]),
        ("type=move&only=changed", [2]),
        ("actor=groundskeeper", []),
    ],
)
def test_turns_are_found_by_what_is_in_them(
    host: WorkspaceClient, asked: str, found: list[int]
) -> None:
    """Turns are found by words, codes, actions, actor and outcome, which must all match."""
    assert found == list_numbers(host.read(f"/turns?{asked}"))


def test_a_refused_turn_names_the_rule_that_decided(host: WorkspaceClient) -> None:
    """A refused turn shows the check that failed, from the rulebook of that time."""
    turn = host.read("/turns/0")
    (deed,) = turn["deeds"]

    assert "go north" == turn["turn"]["rawText"]
    assert "go to the Old Orchard" == deed["sentence"]
    assert "move.door_unlocked" == deed["verdict"]["check"]
    assert ("move", "door_unlocked") == (deed["rule"]["action_type"], deed["rule"]["check"])
    assert "The door in the way is not locked." == deed["rule"]["description"]
    assert [] == turn["differs"]
    assert "locked" in turn["told"][0]["text"]


def test_the_rule_that_decided_is_described_in_the_language_of_the_reader(
    host: WorkspaceClient,
) -> None:
    """With `Accept-Language: ja`, an included rule is described in Japanese; the words stay."""
    asked = host.client.get(host.locate("/turns/0"), headers={"Accept-Language": "ja"})
    turn = asked.json()

    assert "ja" == asked.headers["Content-Language"]
    assert "途中の扉に鍵がかかっていない。" == turn["deeds"][0]["rule"]["description"]
    assert "go to the Old Orchard" == turn["deeds"][0]["sentence"]


def test_a_turn_that_changed_something_says_what_differs(host: WorkspaceClient) -> None:
    """A turn shows each changed fact before and after, with names."""
    (moved,) = host.read("/turns/2")["differs"]

    assert ("player", "place") == (moved["id"], moved["field"])
    assert ("Front Garden", "Toolshed") == (moved["before_name"], moved["after_name"])


def test_going_back_differs_too(host: WorkspaceClient) -> None:
    """An undo shows its changes too."""
    host.change("/back", {"steps": 2})
    turn = host.read("/turns/5")

    assert "undo" == turn["line"]["kind"]
    facts = {(each["id"], each["field"]) for each in turn["differs"]}
    assert {("player", "place"), ("chest", "open")} <= facts


@pytest.mark.parametrize("named", ["5", "-1", "x", "99999999999999999999", "٣"])
def test_a_turn_that_is_not_there_is_not_found(host: WorkspaceClient, named: str) -> None:
    """An unknown turn is not found."""
    told = host.client.get(host.locate(f"/turns/{named}"))

    assert (404, "TURN_NOT_FOUND") == (told.status_code, told.json()["code"])


def test_the_map_has_places_ways_and_who_is_where(host: WorkspaceClient) -> None:
    """The map has places, exits with doors, and all things, also those in closed containers."""
    world = host.read("/world?turn=-1")
    way = next(each for each in world["ways"] if each["door"] == "gate")
    things = {each["id"]: each for each in world["things"]}

    assert (-1, 5) == (world["turn"], world["turns"])
    assert {"fountain", "garden", "orchard", "shed"} == {each["id"] for each in world["places"]}
    assert (True, True) == (way["closed"], way["locked"])
    assert ("garden", "garden") == (things["player"]["place"], things["player"]["room"])
    assert "gate" not in things
    inside = [each for each in things.values() if each["place"] == "chest"]
    assert inside
    assert all(each["room"] == "shed" for each in inside)


def test_the_map_goes_through_time(host: WorkspaceClient) -> None:
    """The map can be shown after each turn, with the changes of that turn."""
    before, after = host.read("/world?turn=1"), host.read("/world?turn=2")

    def find_player(world: dict[str, Any]) -> str:
        return str(next(t["room"] for t in world["things"] if t["id"] == "player"))

    assert ("garden", "shed") == (find_player(before), find_player(after))
    assert ([], ["player"]) == (before["changed"], after["changed"])
    assert host.read("/world?turn=4") == host.read("/world")


def test_a_belief_that_has_gone_stale_is_wrong(tmp_path: Path) -> None:
    """A belief about a person who has moved since is shown as wrong."""
    host = WorkspaceClient(make_workspace(tmp_path))
    host.begin(scenario="door_and_key")
    host.change("/words", {"text": "go west", "actor": "groundskeeper"})
    host.change("/words", {"text": "go east"})
    mind = host.read("/minds?who=groundskeeper")
    belief = next(each for each in mind["beliefs"] if each["id"] == "player")

    assert "wrong" == belief["agreement"]
    assert ["place"] == belief["differs"]
    assert ("Front Garden", "Toolshed") == (
        belief["believed"]["place_name"],
        belief["true"]["place_name"],
    )


def test_a_lock_one_has_not_tried_is_not_known(host: WorkspaceClient) -> None:
    """A belief about an untried lock is unsure, and agrees after it was tried."""

    def read_gate_belief(turn: int) -> tuple[str, list[str]]:
        beliefs = host.read(f"/minds?turn={turn}")["beliefs"]
        found = next(each for each in beliefs if each["id"] == "gate")
        return found["agreement"], found["differs"]

    assert ("unsure", ["locked"]) == read_gate_belief(-1)
    assert ("agrees", []) == read_gate_belief(0)


def test_what_was_not_seen_is_in_no_mind(host: WorkspaceClient) -> None:
    """Things that a character does not know are listed separately."""
    mind = host.read("/minds?turn=-1")

    assert "chest" in {each["id"] for each in mind["unaware"]}
    assert ["groundskeeper", "player"] == [each["id"] for each in mind["cast"]]


def test_everything_that_may_be_done_is_listed_page_by_page(host: WorkspaceClient) -> None:
    """Allowed actions are listed in pages, in the rulebook's order, in words."""
    first = host.read("/admissible?limit=3")
    second = host.read(f"/admissible?limit=3&after={first['next']}")

    assert 3 == len(first["items"]) == len(second["items"])
    assert first["items"] != second["items"]
    assert all(each["sentence"] for each in first["items"])


def test_a_hint_leads_to_the_goal(host: WorkspaceClient) -> None:
    """A hint has the first step towards the goal in words."""
    hint = host.read("/hint")

    assert hint["next"]["sentence"]
    assert 0 < hint["steps"] <= 6


def test_a_replay_says_the_same(host: WorkspaceClient) -> None:
    """A replay judges every turn again."""
    told = host.client.post(host.locate("/replay")).json()

    assert (5, None) == (told["turnsChecked"], told["firstDifference"])


@pytest.mark.parametrize("path", ["/turns", "/turns/0", "/world", "/minds", "/admissible", "/hint"])
def test_a_story_without_a_world_has_nothing_to_watch(tmp_path: Path, path: str) -> None:
    """A story without a world is refused with WORLD_MISSING."""
    host = WorkspaceClient(make_workspace(tmp_path))
    host.begin(draft="# One\n\nA line.\n\nAnother.\n")

    assert "WORLD_MISSING" == host.read(path)["code"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/world?turn=5", "TURN_NOT_FOUND"),
        ("/world?turn=-2", "PROTOCOL_BAD_FIELD"),
        ("/minds?who=nobody", "ACTOR_UNKNOWN"),
        ("/hint?actor=nobody", "ACTOR_UNKNOWN"),
        ("/turns?only=odd", "PROTOCOL_BAD_FIELD"),
        ("/turns?limit=0", "PROTOCOL_BAD_FIELD"),
    ],
)
def test_what_cannot_be_asked_is_reported(host: WorkspaceClient, path: str, code: str) -> None:
    """Invalid parameters are refused with a code."""
    assert code == host.read(path)["code"]
