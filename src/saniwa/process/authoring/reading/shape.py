"""Reads one mapping after the other: known keys, right types, usable names.

camelCase and snake_case are both read; a key that begins with `_` is the author's own.
What the values refer to is looked at later, in `lint`.
"""

import re
from typing import Any, NamedTuple

from saniwa.core.paper.kinds import type_name
from saniwa.core.quoted import quoted
from saniwa.process.authoring.naming import good_name
from saniwa.process.authoring.page import Page, Path
from saniwa.process.authoring.reading.cures import cure_of
from saniwa.process.authoring.reading.form import NULL_MEANS, SPELLINGS, Form
from saniwa.process.authoring.reading.kinds import SHAPES

_TEXTS = ("texts", "texts or all")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Held(NamedTuple):
    """A value and the way to it."""

    value: Any
    path: Path


class Fields(dict[str, Held]):
    """The well-formed fields of a mapping under their published names."""

    malformed: frozenset[str] = frozenset()
    """Fields that are written, and not as they should be: their findings are told."""

    def said(self, name: str, otherwise: Any = None) -> Any:
        """The value of a field; something else where it is not written."""
        held = self.get(name)
        return otherwise if held is None else held.value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts as a tuple; empty where it is not written."""
        value = self.said(name, ())
        return (value,) if isinstance(value, str) else tuple(value)

    @property
    def paths(self) -> dict[str, Path]:
        """The ways to the fields."""
        return {name: held.path for name, held in self.items()}


def fields(page: Page, value: Any, path: Path, form: Form, owner: str) -> Fields | None:
    """The fields of a mapping that are known and well-formed; findings for the rest.

    None for what is no mapping.
    """
    if not isinstance(value, dict):
        wrong_type(page, path, owner, "a mapping", value)
        return None
    found, malformed = Fields(), set[str]()
    seen: dict[str, str] = {}
    for key, inner in value.items():
        name = known_as(key, form)
        here = (*path, key)
        if name not in form:
            _unknown(page, here, key, form, owner)
        elif name in seen:
            said_twice(page, here, key, seen[name])
        else:
            seen[name] = key
            if inner is None and name not in NULL_MEANS:
                continue
            if well_formed(page, inner, here, form[name], key):
                found[name] = Held(inner, here)
                continue
            malformed.add(name)
            if form[name] in _TEXTS and isinstance(inner, list):
                # Its other items are looked at all the same, each at its place.
                found[name] = Held([_text_or_none(item) for item in inner], here)
    found.malformed = frozenset(malformed)
    return found


def _text_or_none(item: Any) -> str:
    return item if isinstance(item, str) else ""


def needs(
    page: Page,
    found: Fields,
    names: tuple[str, ...],
    path: Path,
    owner: str,
    **hints: str,
) -> bool:
    """Whether all of these are written; a finding for each that is not.

    What is written but malformed has its finding already.
    """
    for name in names:
        if name not in found and name not in found.malformed:
            hint = hints.get(name, f"add {name!r}")
            page.error("FIELD_MISSING", f"{owner} needs {name!r}", path, hint=hint)
    return all(name in found for name in names)


def known_as(key: str, form: Form) -> str:
    """The key as it is published: in snake_case and in our own words."""
    if key in form:
        return key
    name = snake(key)
    spelt = SPELLINGS.get(name, name)
    return name if name in form else spelt


def snake(key: str) -> str:
    """The key in snake_case."""
    return _HUMP.sub("_", key).lower()


def _unknown(page: Page, path: Path, key: str, form: Form, owner: str) -> None:
    if key.startswith("_"):
        return
    hint = page.near(snake(key), form)
    hint = hint or "begin it with '_' to keep it as a note of your own"
    page.error(
        "UNKNOWN_KEY", f"{owner} has no key {quoted(key)}", path, hint=hint, key=True
    )


def said_twice(page: Page, path: Path, key: str, first: str) -> None:
    """Note that two keys say the same."""
    message = f"the key {key!r} says again what {first!r} has said"
    page.error("DUPLICATE_KEY", message, path, key=True, hint="keep one of the two")


def well_formed(page: Page, value: Any, path: Path, shape: str, key: str) -> bool:
    """Whether the value under a key has the shape; a finding if not."""
    check = SHAPES[shape]
    if not check.fits(value):
        hint = cure_of(snake(key), check.wanted, value)
        wrong_type(page, path, repr(key), check.wanted, value, hint=hint)
        return False
    if shape == "name":
        return good_name(page, value, path)
    if shape in _TEXTS and isinstance(value, list):
        return _all_texts(page, value, path)
    return True


def _all_texts(page: Page, items: list[Any], path: Path) -> bool:
    good = True
    for index, item in enumerate(items):
        here = (*path, index)
        if item == "":
            good = False
            hint = "write a text, or take the item out"
            page.error("WRONG_TYPE", "an item is empty", here, hint=hint)
        elif not isinstance(item, str):
            good = False
            hint = "write its name alone" if isinstance(item, dict) else ""
            hint = hint or cure_of("", "text", item)
            wrong_type(page, here, "an item", "text", item, hint=hint)
    return good


def wrong_type(
    page: Page, path: Path, what: str, wanted: str, value: Any, *, hint: str = ""
) -> None:
    """Note that something else stands where `wanted` should."""
    message = f"{what} must be {wanted}, not {type_name(value)}"
    page.error("WRONG_TYPE", message, path, hint=hint)
