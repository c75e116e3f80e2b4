from pathlib import Path
from typing import Any

import pytest

from tests.fakes.workspaces import NOW, WorkspaceClient, make_workspace

NO_TAKING = """\
id: hands_off
rules:
  - actionType: take
    checks:
      - id: never
        description: Nobody takes anything.
        condition: {not: {inScope: target}}
        failReason: MISSING_REQUIREMENT
        failMessage: {en: "Hands off.", ja: "さわらないで。"}
"""
KNIVES = """\
rules:
  - actionType: take
    checks:
      - {id: not_owned, enabled: false}
      - {id: not_held, enabled: false}
"""


@pytest.fixture
def host(tmp_path: Path) -> WorkspaceClient:
    """A client with a run of the shipped scenario."""
    host = WorkspaceClient(make_workspace(tmp_path))
    host.begin(scenario="door_and_key")
    return host


def check_layer(host: WorkspaceClient, text: str, format: str = "yaml") -> dict[str, Any]:
    """The findings of a layer for the run."""
    body = {"text": text, "format": format}
    told: dict[str, Any] = host.client.post(host.locate("/rulebook/check"), json=body).json()
    return told


def try_layer(host: WorkspaceClient, text: str, **more: str) -> dict[str, Any]:
    """The changes that a layer would make."""
    body = {"text": text, **more}
    told: dict[str, Any] = host.client.post(host.locate("/rulebook/try"), json=body).json()
    return told


def test_a_run_shows_the_book_it_is_judged_by(host: WorkspaceClient) -> None:
    """A run shows each check of its rulebook with its condition, reason and message."""
    book = host.read("/rulebook")
    rule = next(each for each in book["rules"] if each["action_type"] == "move")
    found = next(each for each in rule["checks"] if each["id"] == "door_unlocked")

    assert ("default", 0) == (book["id"], book["revision"])
    assert ["shipped"] == [each["kind"] for each in book["layers"]]
    assert ("door_locked", "LOCKED") == (found["fail_reason"], found["reason_code"])
    assert {"op": "not", "condition": {"op": "locked", "role": "door"}} == found["condition"]
    assert {"en", "ja"} == set(found["fail_message"])


def test_an_edit_is_added_to_the_book_and_is_a_turn(host: WorkspaceClient) -> None:
    """An edit is a turn, and applies from the next turn."""
    told = host.change("/rulebook", {"text": NO_TAKING})
    book = host.read("/rulebook")
    moment = host.change("/words", {"text": "take the pruning knife"})

    assert 1 == told["revision"] == book["revision"]
    layer = book["layers"][-1]
    assert ("edit", 0) == (layer["kind"], layer["turn"])
    assert layer["at"] > NOW
    assert ["take.never"] == layer["touches"]
    assert "edit" == host.read("/turns/0")["line"]["kind"]
    assert 2 == moment["revision"]


def test_a_check_says_which_layer_spoke_of_it_last(host: WorkspaceClient) -> None:
    """A check shows the layer that changed it last."""
    host.change("/rulebook", {"text": NO_TAKING})
    take = next(r for r in host.read("/rulebook")["rules"] if r["action_type"] == "take")
    layers = {each["id"]: each["layer"] for each in take["checks"]}

    assert (1, 0) == (layers["never"], layers["in_scope"])


def test_an_old_turn_is_shown_with_the_book_of_its_time(host: WorkspaceClient) -> None:
    """An old turn is shown with the rulebook of its time."""
    host.change("/words", {"text": "take the lavender"})
    host.change("/rulebook", {"text": NO_TAKING.replace("never", "takeable")})
    host.change("/words", {"text": "take the lavender"})

    def describe_rule(turn: int) -> str:
        rule = host.read(f"/turns/{turn}")["deeds"][0]["rule"]
        return str(rule["description"])

    assert "Nobody takes anything." != describe_rule(0)
    assert "Nobody takes anything." == describe_rule(2)


def test_the_same_edit_sent_twice_counts_once(host: WorkspaceClient) -> None:
    """A repeated edit with its key gets the first answer; another text is refused."""
    seen = host.revision
    first = host.change("/rulebook", {"text": NO_TAKING}, key="k", revision=seen)
    again = host.change("/rulebook", {"text": NO_TAKING}, key="k", revision=seen)
    other = host.change("/rulebook", {"text": KNIVES}, key="k", revision=seen)

    assert first == again
    assert "IDEMPOTENCY_CONFLICT" == other["code"]
    assert 1 == len(host.read("/turns")["items"])


def test_an_edit_on_what_was_not_seen_is_refused(host: WorkspaceClient) -> None:
    """An edit on an unseen revision is refused."""
    host.change("/words", {"text": "look"})
    told = host.change("/rulebook", {"text": NO_TAKING}, revision=0)

    assert "REVISION_CONFLICT" == told["code"]


def test_a_story_on_a_world_continues_under_edited_rules(tmp_path: Path) -> None:
    """In a story with a world, an edit raises the revision, and the story continues."""
    host = WorkspaceClient(make_workspace(tmp_path))
    draft = (
        "---\nscenario: door_and_key\n---\n# One\n\nHere.\n\n"
        "- Look {do look}\n  Seen.\n- Wait {do wait}\n  Done.\n\nOn.\n"
    )
    moment = host.begin(draft=draft)
    edited = host.change("/rulebook", {"text": NO_TAKING})
    while moment["waiting"] == "step":
        moment = host.change("/steps")
    moment = host.change("/choices", {"index": 1})

    assert edited["revision"] > 0
    assert "code" not in moment
    assert ["turn", "edit"] == [each["kind"] for each in host.read("/turns")["items"]]


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("rules: [3]", "RULE_BAD_FIELD", (1, 9)),
        ("rules: []\nfoo: 1", "RULE_UNKNOWN_FIELD", (2, 6)),
        ("a: [", "DOCUMENT_SYNTAX", (1, 5)),
        ("3", "RULE_BAD_FIELD", (1, 1)),
        ("", "RULE_BAD_FIELD", (1, 1)),
        (NO_TAKING.replace("inScope", "inScoop"), "RULE_UNKNOWN_PREDICATE", (7, 26)),
    ],
)
def test_mistakes_are_found_with_their_place(
    host: WorkspaceClient, text: str, code: str, place: tuple[int, int]
) -> None:
    """Mistakes have the same place in a layer for a run and in a book."""
    alone = host.client.post("/api/v1/check/rulebook", json={"text": text}).json()
    for told in (check_layer(host, text), alone):
        first = told["findings"][0]
        assert (False, code) == (told["passed"], first["code"])
        assert place == (first["line"], first["column"])


def test_all_mistakes_are_found_at_once(host: WorkspaceClient) -> None:
    """All mistakes are reported in reading order, including duplicate keys."""
    told = check_layer(host, "rules: [3]\nfoo: 1\nfoo: 2\n")

    codes = [each["code"] for each in told["findings"]]
    assert {"RULE_BAD_FIELD", "RULE_UNKNOWN_FIELD", "DUPLICATE_KEY"} == set(codes)
    assert [1, 2, 3] == sorted({each["line"] for each in told["findings"]})


def test_json_is_read_as_well(host: WorkspaceClient) -> None:
    """A layer may be JSON or YAML."""
    assert {"passed": True, "findings": []} == check_layer(host, '{"rules": []}', "json")


def test_a_layer_is_tried_before_it_counts(host: WorkspaceClient) -> None:
    """Trying a layer lists actions that would be newly allowed or refused, with both verdicts."""
    loosened = try_layer(host, KNIVES, words="take the pruning knife")
    weighed = loosened["newly_allowed"][0]

    assert "take the pruning knife" == weighed["sentence"]
    assert (False, True) == (weighed["before"]["success"], weighed["after"]["success"])
    more = loosened["allowed_after"] - loosened["allowed_before"]
    assert more == len(loosened["newly_allowed"])
    assert loosened["words"]["same"] is False
    assert [] == host.read("/turns")["items"]


def test_trying_says_what_would_be_refused(host: WorkspaceClient) -> None:
    """Trying a layer lists refusals for the given actor, with the new message."""
    text = NO_TAKING.replace("take", "drop")
    told = try_layer(host, text, actor="groundskeeper")

    (refused,) = told["newly_refused"]
    assert "Hands off." == refused["after"]["message"]
    assert [] == told["newly_allowed"]


def test_a_broken_layer_is_not_tried(host: WorkspaceClient) -> None:
    """Trying an invalid layer is refused with all findings."""
    told = try_layer(host, "rules: [3]\nfoo: 1\n")

    assert "RULE_BAD_FIELD" == told["code"]
    assert 2 == len(told["details"]["findings"])


def test_shipped_books_are_listed_and_read(host: WorkspaceClient) -> None:
    """Shipped books are listed and read by name."""
    listed = host.client.get("/api/v1/rulebooks").json()["items"]
    strict = host.client.get("/api/v1/rulebooks/strict").json()
    missing = host.client.get("/api/v1/rulebooks/nope")

    assert ["cooking", "default", "strict"] == [each["name"] for each in listed]
    assert ("strict", ["shipped"]) == (strict["id"], [each["kind"] for each in strict["layers"]])
    assert (404, "PLACE_NOT_FOUND") == (missing.status_code, missing.json()["code"])
