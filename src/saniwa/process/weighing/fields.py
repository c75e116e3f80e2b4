"""What a document says, as the names that a `has_fields` guard asks for."""

from typing import Any

from saniwa.process.weighing.silence import is_silent

MOST_NAMES = 1_000
"""Names one document may have; those nearest to its top come first."""
DEEPEST = 20
"""Steps one name may lead inwards."""
LONGEST_NAME = 200
"""Letters one name may have."""


def fields_of(plain: object) -> tuple[str, ...]:
    """The names of all that a document says, sorted; dots lead inwards.

    What is silent (see `is_silent`) is not said. A name with a dot in it is no way
    inwards. A list is one value: no name leads into it. What is no mapping says nothing
    by name.
    """
    known: dict[int, bool] = {}
    names: dict[str, None] = {}
    level = [("", plain)]
    for _ in range(DEEPEST):
        inner = [
            pair for prefix, value in level for pair in _said(prefix, value, known)
        ]
        names.update(dict.fromkeys(name for name, _ in inner))
        if not inner or len(names) >= MOST_NAMES:
            break
        level = [(f"{name}.", value) for name, value in inner]
    return tuple(sorted(list(names)[:MOST_NAMES]))


def _said(prefix: str, value: object, known: dict[int, bool]) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        return []
    return [
        (prefix + key, inner)
        for key, inner in value.items()
        if _is_name(prefix, key) and not is_silent(inner, known)
    ]


def _is_name(prefix: str, key: object) -> bool:
    named = isinstance(key, str) and 0 < len(key) <= LONGEST_NAME - len(prefix)
    return named and "." not in str(key)
