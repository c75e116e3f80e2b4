"""What a document says, as the names that a `has_fields` guard asks for."""

from typing import Any

MOST_NAMES = 1_000
"""Names one document may have; those nearest to its top come first."""
DEEPEST = 20
"""Steps one name may lead inwards."""
_BLANKS = " \u2800\u3164\uffa0"
"""Letters that count as printable and show nothing."""
LONGEST_NAME = 200
"""Letters one name may have."""


def fields_of(plain: object) -> tuple[str, ...]:
    """The names of all that a document says, sorted; dots lead inwards.

    What is null, blank or empty is not said, nor is what nobody could see. A name with a
    dot in it is no way inwards. A list is one value: no name leads into it. What is
    no mapping says nothing by name.
    """
    names: dict[str, None] = {}
    level = [("", plain)]
    for _ in range(DEEPEST):
        inner = [pair for prefix, value in level for pair in _said(prefix, value)]
        names.update(dict.fromkeys(name for name, _ in inner))
        if not inner or len(names) >= MOST_NAMES:
            break
        level = [(f"{name}.", value) for name, value in inner]
    return tuple(sorted(list(names)[:MOST_NAMES]))


def _said(prefix: str, value: object) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        return []
    return [
        (prefix + key, inner)
        for key, inner in value.items()
        if _is_name(prefix, key) and _is_said(inner)
    ]


def _is_name(prefix: str, key: object) -> bool:
    named = isinstance(key, str) and 0 < len(key) <= LONGEST_NAME - len(prefix)
    return named and "." not in str(key)


def _is_said(value: object) -> bool:
    if isinstance(value, str):
        return any(letter.isprintable() and letter not in _BLANKS for letter in value)
    return value is not None and value not in ([], {})
