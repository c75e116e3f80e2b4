from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.cli.servers import open_world_handler, render_published_schema
from saniwa.runs.world_json_lines import WorldHandler
from tests.fakes.nightly import scale_examples

_SCHEMA = msgspec.json.decode(render_published_schema("world"))
_REQUEST = jsonschema_rs.validator_for({**_SCHEMA, "oneOf": [{"$ref": "#/$defs/Request"}]})
_ANSWER = jsonschema_rs.validator_for({**_SCHEMA, "oneOf": [{"$ref": "#/$defs/Answer"}]})
_LOAD = {"op": "load", "scenario": "door_and_key", "book": "strict"}


def _ask(door: WorldHandler, line: bytes | dict[str, Any]) -> dict[str, Any]:
    if isinstance(line, dict):
        _REQUEST.validate(line)
        line = msgspec.json.encode(line)
    answer: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(door.handle_line(line)))
    _ANSWER.validate(answer)
    return answer


def _load_handler(**more: Any) -> WorldHandler:
    door = open_world_handler()
    assert _ask(door, _LOAD | more)["ok"]
    return door


def _send_action(door: WorldHandler, **action: Any) -> dict[str, Any]:
    return _ask(door, {"op": "act", "action": {"actorId": "player"} | action})


def test_a_person_answers_over_json_lines() -> None:
    """A character's written answer is in the narration, and its effects in the verdict."""
    answer = _send_action(_load_handler(), type="speak", recipientId="groundskeeper", about="gate")

    assert "groundskeeper" == answer["narration"][1]["speaker"]
    assert ["reply", "flag"] == [each["kind"] for each in answer["verdicts"][0]["effects"]]


def test_loading_says_what_was_loaded() -> None:
    """The answer to `load` has the scenario's hashes, language and cast."""
    answer = _ask(open_world_handler(), _LOAD | {"id": "a1"})

    assert ("a1", 1, "door_and_key") == (answer["id"], answer["protocol"], answer["scenario"])
    assert "player" == answer["protagonist"]
    assert ["groundskeeper", "player"] == answer["actors"]


def test_a_refused_action_is_an_answer_and_changes_nothing() -> None:
    """A refused action is answered with its reason and check, and changes nothing."""
    door = _load_handler()
    before = _ask(door, {"op": "fingerprint"})

    answer = _send_action(door, type="open", targetId="gate")

    assert answer["ok"]
    assert ("LOCKED", "open.unlocked") == (
        answer["verdicts"][0]["reasonCode"],
        answer["verdicts"][0]["check"],
    )
    assert before == _ask(door, {"op": "fingerprint"})


def test_an_allowed_action_happens() -> None:
    """An allowed action is applied."""
    door = _load_handler()

    answer = _send_action(door, type="move", targetId="shed")

    assert [{"kind": "moved", "entityId": "player", "before": "garden", "after": "shed"}] == [
        c for c in answer["changes"] if c["kind"] == "moved"
    ]
    assert "shed" == _ask(door, {"op": "view"})["view"]["place"]["id"]


def test_words_become_actions() -> None:
    """Words are parsed, judged and applied, and "it" is remembered."""
    door = _load_handler()
    _ask(door, {"op": "say", "text": "go east, open the chest and take the brass key"})

    answer = _ask(door, {"op": "say", "text": "drop it"})

    assert [{"type": "drop", "actorId": "player", "targetId": "brass_key"}] == answer["applied"]


def test_a_models_reply_is_heard_too() -> None:
    """In a model's reply, Thought and Output are separated, and actions are between asterisks."""
    answer = _ask(
        _load_handler(), {"op": "say", "text": "Thought: east?\nOutput: *go east* Off I go."}
    )

    assert ["move", "speak"] == sorted(a["type"] for a in answer["applied"])


def test_a_question_can_be_answered() -> None:
    """The words after a question are first read as its answer."""
    door = open_world_handler()
    things = {n: {"location": "a", "aliases": ["key"]} for n in ("red key", "blue key")}
    scenario = {
        "name": "keys",
        "locations": {"a": {}},
        "props": things,
        "characters": {"you": {"location": "a"}},
    }
    _ask(door, {"op": "load", "scenario": scenario})

    asked = _ask(door, {"op": "say", "text": "take the key"})
    answered = _ask(door, {"op": "say", "text": "the red one"})

    assert ["blue key", "red key"] == [o["id"] for o in asked["clarification"]["options"]]
    assert ["red key"] == [a["targetId"] for a in answered["applied"]]


def test_a_bad_field_is_reported_with_place_and_hint() -> None:
    """The error for an invalid field names it and lists the others."""
    answer = _ask(_load_handler(), b'{"op":"say","text":7}')["error"]

    assert "text" == answer["where"]
    assert "text" in answer["hint"]


def test_a_direction_without_a_way_is_no_target() -> None:
    """A direction without an exit is an invalid target, and an unknown place is not found."""
    door = _load_handler()

    codes = [
        _ask(door, {"op": "say", "text": words})["verdicts"][0]["reasonCode"]
        for words in ("go up", "go to the moon")
    ]

    assert ["INVALID_TARGET", "NOT_FOUND"] == codes


def test_a_preview_does_not_act() -> None:
    """A preview gives the resulting fingerprint, and does not change the world."""
    door = _load_handler()
    before = _ask(door, {"op": "snapshot"})

    by_words = _ask(door, {"op": "preview", "text": "go east"})
    action = {"type": "move", "actorId": "player", "targetId": "shed"}
    by_action = _ask(door, {"op": "preview", "action": action})

    assert by_words["fingerprint"] == by_action["fingerprint"] != before["snapshot"]["fingerprint"]
    assert before == _ask(door, {"op": "snapshot"})


def test_every_admissible_action_is_allowed_when_tried() -> None:
    """Every listed action is allowed in a preview from the same state."""
    door = _load_handler()
    start = _ask(door, {"op": "snapshot"})["snapshot"]
    actions = _ask(door, {"op": "admissible", "actor": "player"})["actions"]
    assert actions

    for action in actions:
        answer = _ask(door, {"op": "act", "action": action})
        assert answer["verdicts"][0]["success"], action
        _ask(door, {"op": "restore", "snapshot": start})


def test_a_restored_world_is_the_one_that_was_taken() -> None:
    """Restoring a snapshot gives the same world."""
    door = _load_handler()
    start = _ask(door, {"op": "snapshot"})["snapshot"]
    _ask(door, {"op": "say", "text": "go east"})

    answer = _ask(door, {"op": "restore", "snapshot": start})

    assert start["fingerprint"] == answer["fingerprint"]
    assert start == _ask(door, {"op": "snapshot"})["snapshot"]


def test_an_edit_judges_the_next_action() -> None:
    """An edit applies to the next action."""
    door = _load_handler()
    refused = _ask(
        door, {"op": "act", "action": {"type": "move", "actorId": "player", "targetId": "orchard"}}
    )
    layer = {"id": "ghost", "rules": [{"actionType": "move", "enabled": False, "checks": []}]}

    assert _ask(door, {"op": "edit", "book": layer})["ok"]
    allowed = _send_action(door, type="move", targetId="orchard")

    assert [False, True] == [a["verdicts"][0]["success"] for a in (refused, allowed)]


def test_it_speaks_japanese_when_asked() -> None:
    """The client chooses the language of verdicts and narration."""
    answer = _send_action(_load_handler(language="ja"), type="open", targetId="gate")

    assert "鍵がかかっている" in answer["verdicts"][0]["message"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"", "PROTOCOL_SYNTAX"),
        (b"{", "PROTOCOL_SYNTAX"),
        (b"\xff\xfe", "PROTOCOL_SYNTAX"),
        (b"[" * 100_000, "PROTOCOL_SYNTAX"),
        (b"7", "PROTOCOL_UNKNOWN_OP"),
        (b"{}", "PROTOCOL_UNKNOWN_OP"),
        (b'{"op":["load"]}', "PROTOCOL_UNKNOWN_OP"),
        (b'{"op":"say","text":7}', "PROTOCOL_BAD_FIELD"),
        (b'{"op":"say","text":"hi","loud":true}', "PROTOCOL_BAD_FIELD"),
        (b'{"op":"load","scenario":"door_and_key","language":"xx"}', "PROTOCOL_BAD_FIELD"),
        (b'{"op":"preview"}', "PROTOCOL_BAD_FIELD"),
        (b'{"op":"view","actor":"nobody"}', "ACTOR_UNKNOWN"),
        (b'{"op":"act","action":{"type":"fly"}}', "UNKNOWN_TYPE"),
        (b'{"op":"act","action":{"type":"take","actorId":7,"targetId":"x"}}', "BAD_FIELD"),
        (b'{"op":"load","scenario":"nope"}', "REGISTRY_MISSING"),
        (b'{"op":"load","scenario":"door_and_key","book":"nope"}', "RULE_UNKNOWN_BOOK"),
        (b'{"op":"restore","snapshot":{"entities":{"a":{}}}}', "SNAPSHOT_INVALID"),
        (b'{"op":"edit","book":{"rules":7}}', "RULE_BAD_FIELD"),
    ],
)
def test_a_bad_line_is_answered_and_changes_nothing(line: bytes, code: str) -> None:
    """An invalid line is answered with a code, and changes nothing."""
    door = _load_handler()
    before = _ask(door, {"op": "snapshot"})

    answer = _ask(door, line)

    assert (False, code) == (answer["ok"], answer["error"]["code"])
    assert before == _ask(door, {"op": "snapshot"})


@pytest.mark.parametrize("op", ["view", "snapshot", "admissible", "fingerprint"])
def test_nothing_can_be_asked_before_a_world_is_loaded(op: str) -> None:
    """Before `load`, every operation is answered with WORLD_NOT_LOADED."""
    answer = _ask(open_world_handler(), {"op": op})

    assert "WORLD_NOT_LOADED" == answer["error"]["code"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)
_FIELDS = st.fixed_dictionaries(
    {
        "op": st.sampled_from(
            ["load", "act", "say", "preview", "admissible", "view", "restore", "edit"]
        )
    },
    optional={
        "action": st.dictionaries(st.sampled_from(["type", "actorId", "targetId", "x"]), _JSON)
        | _JSON,
        "scenario": _JSON,
        "book": _JSON,
        "snapshot": _JSON,
        "text": st.text(max_size=30) | _JSON,
        "actor": _JSON,
        "id": _JSON,
    },
)


@pytest.mark.slow
@settings(max_examples=scale_examples(60), deadline=None)
@given(st.lists(_FIELDS.map(msgspec.json.encode) | st.binary(max_size=40), max_size=4))
def test_any_lines_get_one_answer_each(lines: list[bytes]) -> None:
    """Any sequence of lines gets answers that fit the schema."""
    door = _load_handler()

    for line in lines:
        _ask(door, line)

    assert _ask(door, _LOAD)["ok"]


_PLACES = [
    '{"op":"edit","book":{"rules":[{"actionType":"take","enabled":%s}]}}',
    '{"op":"edit","book":{"rules":[{"actionType":%s}]}}',
    '{"op":"edit","book":{"rules":[{"actionType":"take","checks":[{"id":%s}]}]}}',
    '{"op":"edit","book":{"reasons":%s}}',
    '{"op":"edit","book":{"reasons":{"mine":%s}}}',
    '{"op":"edit","book":{"x":%s}}',
    '{"op":"load","scenario":"door_and_key","book":{"extends":%s}}',
    '{"op":"load","scenario":"door_and_key","book":{"version":%s}}',
    '{"op":"load","scenario":{"name":"a","rulebook":{"extends":%s}}}',
    '{"op":"load","scenario":%s}',
    '{"op":"act","action":{"type":%s}}',
    '{"op":"act","action":{"type":"introduce","metadata":%s}}',
    '{"op":"restore","snapshot":{"version":%s}}',
    '{"op":"restore","snapshot":{"entities":%s}}',
    '{"op":"say","text":%s}',
    '{"op":%s}',
    '{"op":"view","actor":%s,"id":%s}',
]


@settings(max_examples=scale_examples(60), deadline=None)
@given(
    place=st.sampled_from(_PLACES),
    levels=st.integers(900, 1100) | st.integers(90, 210),
    pair=st.sampled_from([('["a",', "]"), ('{"op":', "}"), ("[", "]")]),
)
def test_no_depth_ends_the_conversation(place: str, levels: int, pair: tuple[str, str]) -> None:
    """A deeply nested line gets a short answer with a code."""
    door = _load_handler()
    deep = pair[0] * levels + "1" + pair[1] * levels

    answer = door.handle_line(place.replace("%s", deep).encode())

    assert not answer.ok
    if "edit" in place:
        assert 2_000 > len(msgspec.json.encode(answer))
    assert _ask(door, {"op": "fingerprint"})["ok"]


def test_a_deep_line_is_answered_under_its_id() -> None:
    """The error for a line that is too deep has the line's id."""
    line = b'{"id":7,"op":"edit","book":{"x":' + b"[" * 900 + b"]" * 900 + b"}}"

    answer = _ask(_load_handler(), line)

    assert (7, "PROTOCOL_SYNTAX") == (answer["id"], answer["error"]["code"])


def test_many_brackets_need_not_be_deep() -> None:
    """A line with many brackets, but little depth, is accepted."""
    door = _load_handler()
    snapshot = _ask(door, {"op": "snapshot"})["snapshot"]
    snapshot["entities"]["gate"]["attributes"] = {"x": [[1]] * 500}
    del snapshot["fingerprint"]

    assert _ask(door, {"op": "restore", "snapshot": snapshot})["ok"]


@pytest.mark.parametrize("op", ["act", "preview"])
def test_an_action_with_a_missing_field_is_refused_at_the_door(op: str) -> None:
    """An action with a missing field is refused; words may omit it."""
    door = open_world_handler()
    scenario = {
        "name": "x",
        "locations": {"hall": {}},
        "characters": {"ann": {"location": "hall"}},
        "props": {"key": {"location": "hall"}},
    }
    take = {"type": "take", "actorId": "ann"}

    _ask(door, {"op": "load", "scenario": scenario})
    refused = _ask(door, {"op": op, "action": take})
    said = _ask(door, {"op": "say", "text": "take"})

    assert (False, "ACTION_INCOMPLETE") == (refused["ok"], refused["error"]["code"])
    assert ["key"] == [each["targetId"] for each in said["applied"]]
