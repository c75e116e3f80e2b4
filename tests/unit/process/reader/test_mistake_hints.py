from typing import Any

import pytest

from tests.fakes.definitions import Change, put, read_changed

_WAY = {"from": "draft", "event": "submit", "to": "read", "guard": "written"}
_CURES: list[tuple[str, Change]] = [
    (
        "write a list, each item after its own '-': '- name: draft'",
        put({"draft": {}, "sent": {}}, "states"),
    ),
    ("write a list, each item after its own '-': '- type: text'", put({"text": {}}, "artifacts")),
    ("write a list, each item after its own '-': '- from: …'", put({"draft": {}}, "transitions")),
    ("", put({}, "states")),
    ("say who may send it: {name: submit, allowed_roles: [agent]}", put("submit", "events", 0)),
    (
        "say who may send it: {name: approve, allowed_roles: [reviewer]}",
        put("approve", "events", 1),
    ),
    ("say what it may send: {name: agent, allowed_events: [...]}", put("agent", "roles", 0)),
    (
        "define it under 'guards', and write its name here",
        put({"type": "artifact"}, "transitions", 0, "guard"),
    ),
    ("write guard: written", put(["written"], "transitions", 0, "guard")),
    (
        "define a guard of type 'all' (or 'any') of them under 'guards', and name that",
        put(["written", "read"], "transitions", 0, "guard"),
    ),
    (
        "'*' is not a state: write a separate transition for each",
        put(_WAY | {"from": "*"}, "transitions", "+"),
    ),
    (
        "write a separate transition for each",
        put(_WAY | {"from": ["draft", "read"]}, "transitions", "+"),
    ),
    (
        "add 'event', or 'after' for a timed transition",
        put({"from": "draft", "to": "read"}, "transitions", "+"),
    ),
    ("write its name alone", put([{"type": "text"}], "states", 0, "required_artifacts")),
    (
        "add a guard to one of them, or remove one",
        lambda document: document["transitions"].extend(
            {"from": "read", "to": "draft", "after": f"{n}h"} for n in (1, 2)
        ),
    ),
]


@pytest.mark.parametrize(("hint", "change"), _CURES)
def test_a_likely_mistake_is_reported_with_a_hint(hint: str, change: Change) -> None:
    """A common mistake has a hint that says how to fix it."""
    findings: Any = read_changed(change).report.findings

    assert hint == findings[0].hint
