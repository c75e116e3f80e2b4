"""Reads one mapping after the other: known keys, right types, nothing twice.

camelCase and snake_case are both read; a key that begins with `_` is the author's own.
Where one file stands over another, what the upper one says counts, key by key.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from saniwa.core.paper.fields import Fields
from saniwa.core.paper.form import Form
from saniwa.core.paper.held import Held
from saniwa.core.paper.kinds import SHAPES, Check, all_texts, wrong_type
from saniwa.core.quoted import quoted

_SNAKE = re.compile(r"(?<!_)_++([a-z0-9])")
_NOTHING: Mapping[str, str] = {}


class Reader(NamedTuple):
    """How one kind of file is read."""

    shapes: Mapping[str, Check] = SHAPES
    """What may stand under a key."""
    old_keys: Mapping[str, str] = _NOTHING
    """Other words for a key."""
    null_means: frozenset[str] = frozenset()
    """Keys under which null says something; elsewhere it is the same as no key."""

    def fields(self, held: Held, form: Form, owner: str) -> Fields:
        """The fields of a mapping that are known and well-formed; findings for the rest."""
        found = Fields(held)
        if held.below is not None:
            lower = self.fields(held.below, form, owner)
            found.update(lower)
            found.malformed = lower.malformed
        if not isinstance(held.value, dict):
            wrong_type(held, owner, "a mapping")
            return found
        seen: dict[str, str] = {}
        for key, value in held.value.items():
            name, inner = self.known_as(key, form), held.inner(key, value)
            if name not in form:
                found.malformed.update(_unknown(inner, key, form, owner))
            elif name in seen:
                message = f"the key {key!r} says again what {seen[name]!r} has said"
                hint = "keep one of the two"
                held.page.error(
                    "DUPLICATE_KEY", message, inner.path, key=True, hint=hint
                )
            else:
                seen[name] = key
                self._take(found, name, inner, form[name])
        return found

    def known_as(self, key: str, form: Form) -> str:
        """The key as it is published: in camelCase and in our own words."""
        if key in form:
            return key
        name = self._new(key)
        return name if name in form else _camel(key)

    def inner_of(self, held: Held, name: str | int) -> Held:
        """What stands under a key or in a list; the value itself if nothing does."""
        value = held.value
        if isinstance(name, int):
            there = isinstance(value, list) and name < len(value)
            return held.inner(name, value[name]) if there else held
        for key in value if isinstance(value, dict) else ():
            if name in (key, self._new(key)):
                return held.inner(key, value[key])
        return held

    def well_formed(self, held: Held, shape: str, name: str) -> bool:
        """Whether the value has the shape; a finding if not."""
        check = self.shapes[shape]
        if check.fits(held.value):
            return check.inside(held)
        told = check.told and isinstance(held.value, str | int | float)
        if check.hides and check.hides in str(held.value):
            told = False
        hint = check.hint(held.value)
        wrong_type(
            held, repr(name), check.wanted, code=check.code, told=told, hint=hint
        )
        return False

    def _take(self, found: Fields, name: str, inner: Held, shape: str) -> None:
        """Keep a field that is as it should be; one that is not hides what it stands over."""
        if inner.value is None and name not in self.null_means:
            return
        if shape == "unused":
            inner.page.note(
                "KEY_UNUSED",
                f"nothing here uses {quoted(name)}; it is kept",
                inner.path,
            )
        elif not self.well_formed(inner, shape, name):
            found.pop(name, None)
            found.malformed.add(name)
            texts = self.shapes[shape].inside is all_texts
            if texts and isinstance(inner.value, list):
                # Its other items are looked at all the same.
                good = [each for each in inner.value if isinstance(each, str) and each]
                found[name] = inner._replace(value=good)
        else:
            below = found.get(name)
            merges = shape == "mapping" and below is not None
            found[name] = inner._replace(below=below) if merges else inner
            found.malformed.discard(name)

    def _new(self, key: str) -> str:
        return self.old_keys.get(_camel(key), _camel(key))


def _camel(key: str) -> str:
    return _SNAKE.sub(lambda found: found[1].upper(), key)


def _unknown(held: Held, key: str, form: Form, owner: str) -> set[str]:
    """Tell of a key nobody knows; the key that was probably meant, if there is one."""
    if key.startswith("_"):
        return set()
    near = held.page.nearest(key, form)
    hint = "begin it with '_' to keep it as a note of your own"
    hint = f"did you mean {near!r}?" if near else hint
    message = f"{owner} has no key {quoted(key)}"
    held.page.error("UNKNOWN_KEY", message, held.path, hint=hint, key=True)
    return {near} if near else set()
