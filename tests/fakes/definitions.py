"""A small definition as its author writes it, and what reading it finds."""

import copy
import json
from collections.abc import Callable
from typing import Any

from saniwa.process.reader import ProcessReadResult, read_process_text

Change = Callable[[dict[str, Any]], object]

GOOD: dict[str, Any] = {
    "process_id": "letter",
    "version": "1",
    "name": "A letter",
    "states": [
        {"name": "draft", "required_artifacts": ["text"]},
        {"name": "read"},
        {"name": "sent", "is_final": True},
    ],
    "events": [
        {"name": "submit", "allowed_roles": ["agent"]},
        {"name": "approve", "allowed_roles": ["reviewer"]},
        {"name": "reject", "allowed_roles": ["reviewer"]},
    ],
    "transitions": [
        {"from": "draft", "event": "submit", "to": "read", "guard": "written"},
        {"from": "read", "event": "approve", "to": "sent"},
        {"from": "read", "event": "reject", "to": "draft"},
    ],
    "guards": {"written": {"type": "artifact", "artifact_type": "text", "condition": "exists"}},
    "artifacts": [{"type": "text"}],
    "roles": [
        {"name": "agent", "allowed_events": ["submit"]},
        {
            "name": "reviewer",
            "allowed_events": ["approve", "reject"],
            "can_approve": True,
            "can_reject": True,
        },
    ],
}
"""A definition without mistakes."""


def read_changed(*changes: Change) -> ProcessReadResult:
    """Read the good definition after some changes."""
    document = copy.deepcopy(GOOD)
    for change in changes:
        change(document)
    return read_process_text(json.dumps(document), "letter.json", "json")


def list_findings(read: ProcessReadResult) -> list[tuple[str, str]]:
    """The code and the path of every finding."""
    return [(each.code, each.where.path) for each in read.report.findings]


def find_in_changed(*changes: Change) -> list[tuple[str, str]]:
    """The findings in the good definition after some changes."""
    return list_findings(read_changed(*changes))


def put(value: Any, *path: str | int) -> Change:
    """A change that puts a value at a path; `...` removes the key, `+` appends."""

    def change(document: dict[str, Any]) -> None:
        here: Any = document
        for step in path[:-1]:
            here = here[step]
        last = path[-1]
        if last == "+":
            here.append(value)
        elif value is ...:
            del here[last]
        else:
            here[last] = value

    return change
