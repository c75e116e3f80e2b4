"""What may stand under a key, and what people call it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from saniwa.process.definition import EVERYBODY


class _Check(NamedTuple):
    wanted: str
    fits: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


SHAPES: Mapping[str, _Check] = {
    "anything": _Check("", lambda _: True),
    "text": _Check("text", lambda value: isinstance(value, str)),
    "name": _Check("a name", lambda value: isinstance(value, str)),
    "texts": _Check("a list of texts", lambda value: isinstance(value, list)),
    "texts or all": _Check(
        "a list of names, or '*'",
        lambda value: isinstance(value, list) or value == EVERYBODY,
    ),
    "flag": _Check("true or false", lambda value: isinstance(value, bool)),
    "number": _Check("a whole number", _is_number),
    "mapping": _Check("a mapping", lambda value: isinstance(value, dict)),
    "list": _Check("a list", lambda value: isinstance(value, list)),
    "schema": _Check(
        "a JSON Schema: a mapping, true or false",
        lambda value: isinstance(value, dict | bool),
    ),
    "time": _Check("a time such as '48h'", lambda value: isinstance(value, str)),
}
"""What may stand under a key."""
