"""The catalogues of messages and the calls that use them agree."""

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import msgspec

from saniwa.core.messages import MessageTemplate
from tests.house.pages import ROOT

_CATALOGS = sorted((ROOT / "src" / "saniwa").rglob("messages.json"))
_CALLS = {"describe": {"hint"}, "report": {"hint", "key"}}
"""Functions that build a message, and their arguments that are not values of it."""


def _read(path: Path) -> dict[str, MessageTemplate]:
    return msgspec.json.decode(path.read_bytes(), type=dict[str, MessageTemplate])


def _find_uses(catalog: Path) -> Iterator[tuple[str, set[str], str]]:
    """Yield the name, the values and the place of every message that a package uses."""
    inner = [other.parent for other in _CATALOGS if other != catalog]
    for path in sorted(catalog.parent.rglob("*.py")):
        if any(folder in path.parents for folder in inner if catalog.parent in folder.parents):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = _get_name(node.func) if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and name in _CALLS and node.args:
                first = node.args[0]
                either = (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,)
                for each in either:
                    if isinstance(each, ast.Constant) and isinstance(each.value, str):
                        values = {word.arg or "**" for word in node.keywords} - _CALLS[name]
                        yield each.value, values, f"{path.relative_to(ROOT)}:{node.lineno}"


def _get_name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _list_fields(template: MessageTemplate) -> set[str]:
    texts = template.message + template.hint
    fields = {name.partition(".")[0] for _, name, _, _ in Formatter().parse(texts) if name}
    return fields | set(template.details)


def test_every_message_is_used_and_every_use_has_a_message() -> None:
    """Every call names an existing message, and every message is used."""
    for catalog in _CATALOGS:
        used = {name for name, _, _ in _find_uses(catalog)}

        assert set(_read(catalog)) == used


def test_every_call_gives_the_values_that_its_message_names() -> None:
    """Every call passes exactly the values that its message uses."""
    for catalog in _CATALOGS:
        templates = _read(catalog)
        wrong = [
            (place, name, values ^ _list_fields(templates[name]))
            for name, values, place in _find_uses(catalog)
            if "**" not in values and values != _list_fields(templates[name])
        ]

        assert [] == wrong
