"""Decoders that threads use are made ready on import; see `core/decoder_warming.py`."""

import ast
from collections.abc import Iterator

from tests.house.pages import ROOT

_READING = ("decode", "convert", "decode_content")
_PLAIN = frozenset({"str", "int", "bool", "float", "bytes", "dict", "list"})


def _iterate_calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield _read_name(node.func), node


def _read_name(node: ast.expr) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def _find_struct(name: str, call: ast.Call) -> str:
    """The name of the struct that a call decodes; empty if it names none."""
    said = [each.value for each in call.keywords if each.arg == "type"]
    if name != "decode" and not said:
        said = call.args[-1:]
    return said[0].id if said and isinstance(said[0], ast.Name) else ""


def test_every_struct_that_is_read_is_made_ready() -> None:
    """Every decoded struct is in a `warm_decoders` call; otherwise two threads could crash."""
    calls = list(_iterate_calls())
    read = {_find_struct(name, call) for name, call in calls if name in _READING}
    made = {_read_name(arg) for name, call in calls if name == "warm_decoders" for arg in call.args}

    shapes = {each for each in read - _PLAIN if each[:1] == "_" or each[:1].isupper()}
    assert set() == shapes - made
    assert "Process" in shapes & made
