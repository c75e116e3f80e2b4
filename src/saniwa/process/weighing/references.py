"""How far the references of a JSON Schema lead, found out before anything is held to it.

A schema of twenty lines can stand for a million, and a reference can lead off this
machine. Here only `#` and `#/…` are followed, and only so far.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from saniwa.core.quoted import quoted
from saniwa.core.tree import DEEPEST

MOST_PARTS = 10_000
"""Schemas within a schema, each counted as often as references lead to it."""
MOST_LOOPS = 1_000
"""References that lead back into what they stand in, counted the same way."""

_ONE = (
    *("additionalItems", "additionalProperties", "contains", "contentSchema", "else"),
    *("if", "items", "not", "propertyNames", "then"),
    *("unevaluatedItems", "unevaluatedProperties"),
)
_LIST = ("allOf", "anyOf", "items", "oneOf", "prefixItems")
_NAMED = (
    *("$defs", "definitions", "dependencies", "dependentSchemas"),
    *("patternProperties", "properties"),
)
_ELSEWHERE = ("$dynamicRef", "$recursiveRef")
_OWN_NAME = ("$id", "id")
_PERCENT = re.compile(rb"%([0-9a-fA-F]{2})")


class SchemaError(Exception):
    """Why a schema is not taken, in one sentence."""


class Reach(msgspec.Struct, frozen=True):
    """What a schema comes to when its references are followed."""

    parts: int
    """The schemas in it."""
    loops: int
    """The references that lead back; each may be followed again at every level."""


def reach_of(schema: object) -> Reach:
    """What the schema comes to.

    Raises:
        SchemaError: A reference leads elsewhere or nowhere, or it comes to too much.
    """
    return _Walk(schema).visit(schema, 0)


class _Walk:
    def __init__(self, root: object) -> None:
        self.root = root
        self._open: set[int] = set()
        self._known: dict[int, Reach] = {}

    def visit(self, schema: object, depth: int) -> Reach:
        if not isinstance(schema, dict):
            return Reach(1, 0)
        if id(schema) in self._open:
            return Reach(1, 1)
        if id(schema) not in self._known:
            if depth > DEEPEST:
                raise SchemaError(f"it nests deeper than {DEEPEST} levels")
            self._open.add(id(schema))
            self._known[id(schema)] = self._sum(schema, depth)
            self._open.remove(id(schema))
        return self._known[id(schema)]

    def _sum(self, schema: dict[str, Any], depth: int) -> Reach:
        parts, loops = 1, 0
        for inner in (*_inner(schema), *self._followed(schema)):
            reach = self.visit(inner, depth + 1)
            parts, loops = parts + reach.parts, loops + reach.loops
            if parts > MOST_PARTS or loops > MOST_LOOPS:
                raise SchemaError(
                    f"its references come to more than {MOST_PARTS} schemas"
                    f" or {MOST_LOOPS} loops"
                )
        return Reach(parts, loops)

    def _followed(self, schema: dict[str, Any]) -> Iterator[object]:
        for word in _ELSEWHERE:
            if word in schema:
                raise SchemaError(f"{word!r} is not followed; use '$ref'")
        for word in _OWN_NAME:
            if schema is not self.root and isinstance(schema.get(word), str):
                raise SchemaError(
                    f"{word!r} stands inside it, and only the whole schema may have one"
                )
        if isinstance(schema.get("$ref"), str):
            yield self._target(schema["$ref"])

    def _target(self, reference: str) -> object:
        if reference != "#" and not reference.startswith("#/"):
            raise SchemaError(
                f"{quoted(reference)} leads out of it, and only '#/…' is followed"
            )
        here = self.root
        for step in reference.split("/")[1:]:
            try:
                here = _step(here, _spelled(step))
            except (KeyError, IndexError, ValueError, TypeError):
                raise SchemaError(f"{quoted(reference)} leads nowhere") from None
        return here


def _inner(schema: dict[str, Any]) -> Iterator[object]:
    for word in _ONE:
        if isinstance(schema.get(word), dict):
            yield schema[word]
    for word in _LIST:
        if isinstance(schema.get(word), list):
            yield from schema[word]
    for word in _NAMED:
        if isinstance(schema.get(word), dict):
            yield from schema[word].values()


def _step(here: Any, step: str) -> object:
    return here[int(step)] if isinstance(here, list) else here[step]


def _spelled(step: str) -> str:
    if "%" in step:
        letters = _PERCENT.sub(lambda m: bytes([int(m[1], 16)]), step.encode())
        step = letters.decode()
    return step.replace("~1", "/").replace("~0", "~")
