"""Values as JSON that is the same bytes whatever order they were made in."""

from typing import Any

import msgspec

from saniwa.core.sound import sound


def json_line(value: Any) -> bytes:
    """The value on one line, keys sorted, without a line end.

    Halves of surrogate pairs, which no file could keep, become U+FFFD.
    """
    try:
        return msgspec.json.encode(value, order="deterministic")
    except UnicodeEncodeError:
        plain = _sounded(msgspec.to_builtins(value))
        return msgspec.json.encode(plain, order="deterministic")


def json_page(value: Any) -> bytes:
    """The value as people read it: indented, keys sorted, with a line end."""
    return msgspec.json.format(json_line(value), indent=2) + b"\n"


def _sounded(value: Any) -> Any:
    if isinstance(value, str):
        return sound(value)
    if isinstance(value, dict):
        return {sound(str(key)): _sounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_sounded(each) for each in value]
    return value
