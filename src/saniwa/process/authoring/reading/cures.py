"""How to write what stands somewhere in a wrong shape: the likeliest first mistakes."""

from typing import Any

from saniwa.core.quoted import cut
from saniwa.process.definition import DECISIONS

_TIME = "write a number and its unit, such as '48h'; units are ms, s, m, h and d"
_NAMED = {"artifacts": "type", "transitions": "from"}
"""What the items of a list begin with, where it is not their name."""


def cure_of(key: str, wanted: str, value: Any) -> str:
    """What to write under a key instead; empty where nothing is likelier than the rest."""
    if wanted in ("text", "a name"):
        return _text(key, value)
    if wanted.startswith("a list"):
        return _list(key, value)
    if wanted == "true or false" and isinstance(value, str):
        return "write true or false, without quotes"
    return _TIME if wanted.startswith("a time") else ""


def bare_event(name: str) -> str:
    """How to write an event of which only the name stands there."""
    who = "reviewer" if name in DECISIONS else "agent"
    return f"say who may send it: {{name: {cut(name, 40)}, allowed_roles: [{who}]}}"


def bare_role(name: str) -> str:
    """How to write a role of which only the name stands there."""
    return f"say what it may send: {{name: {cut(name, 40)}, allowed_events: [...]}}"


def _text(key: str, value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "put it in quotes"
    if key == "guard" and isinstance(value, dict):
        return "define it under 'guards', and write its name here"
    if key == "guard" and isinstance(value, list):
        return _one_guard(value)
    if key in ("from", "event", "to") and isinstance(value, list):
        return "write one transition for each"
    return ""


def _one_guard(names: list[Any]) -> str:
    if len(names) == 1 and isinstance(names[0], str):
        return f"write guard: {cut(names[0], 40)}"
    return (
        "define a guard of type 'all' (or 'any') of them under 'guards', and name that"
    )


def _list(key: str, value: Any) -> str:
    if isinstance(value, str):
        return f"write [{cut(value, 40)}]"
    first = next(iter(value), "") if isinstance(value, dict) else ""
    if not first:
        return ""
    said = _NAMED.get(key, "name")
    item = f"- {said}: {cut(first, 40)}" if said != "from" else "- from: …"
    return f"write a list, each item under a '-' of its own: '{item}'"
