"""Reads mappings: known keys, right types, no duplicates.

camelCase and snake_case are both read; a key that begins with `_` is the author's own.
If one file overrides another, the upper value counts, key by key.
"""

import re
from collections.abc import Callable, Collection, Mapping
from math import isfinite
from typing import Any, NamedTuple

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Located

_HUMP = re.compile(r"([A-Z])")
_NO_SYNONYMS: Mapping[str, str] = {}


class LocatedFields(dict[str, Located]):
    """The well-formed fields of a mapping under their published names."""

    def __init__(self, held: Located) -> None:
        super().__init__()
        self.held = held
        self.malformed = set[str]()
        """Fields that are present but malformed: their findings are already reported.

        A misspelled key counts as the field it resembles, so that it is reported once.
        """

    def get_value(self, name: str, otherwise: Any = None) -> Any:
        """Return the value of a field, or `otherwise` if it is missing."""
        held = self.get(name)
        return otherwise if held is None else held.value

    def get_texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts as a tuple; empty if it is missing."""
        return tuple(self.get_value(name, ()))

    def get_part(self, name: str) -> Located:
        """Return a mapping inside this one; an empty one if it is missing."""
        return self.get(name) or self.held.bottom.make_inner(name, {})

    def check_required(self, names: Collection[str], owner: str, hint: str = "") -> bool:
        """Whether all of these are present; a finding for each that is missing."""
        for name in names:
            if name not in self and name not in self.malformed:
                self.held.bottom.add_error(
                    "FIELD_MISSING", f"{owner} needs {name!r}", hint=hint or f"add {name!r}"
                )
        return all(name in self for name in names)

    def read_choice(
        self,
        name: str,
        known: Collection[str],
        otherwise: str,
        meant: Mapping[str, str] = _NO_SYNONYMS,
    ) -> str:
        """Return a text that must be one of `known`; a finding if it is not.

        `meant` maps words of other systems to those used here.
        """
        held = self.get(name)
        if held is None or held.value in known:
            return otherwise if held is None else str(held.value)
        words = ", ".join(known)
        word = meant.get(str(held.value).lower(), "")
        near = f"write {word!r}" if word else held.page.suggest_nearest(str(held.value), known)
        message = f"{name!r} is {quote_value(held.value)}, and can only be one of {words}"
        held.add_error("UNKNOWN_VALUE", message, hint=near or f"write one of {words}")
        del self[name]
        self.malformed.add(name)
        return otherwise

    def to_arguments(self, *names: str) -> dict[str, Any]:
        """Return the present ones of some fields, by their names in code.

        Missing fields are omitted: the struct that takes them has its own defaults.
        """
        return {_HUMP.sub(r"_\1", name).lower(): self[name].value for name in names if name in self}


Form = Mapping[str, str]
"""The keys of one kind of mapping, as they are published."""


MOST_COUNTED = 1_000_000_000
"""The largest count of anything."""
LONGEST_TEXT = 100_000
"""The most characters of a text."""
_WORD = re.compile(r"\w[\w.-]*").fullmatch
_TYPES = (
    (bool, "true or false"),
    (str, "text"),
    (int, "a number"),
    (float, "a fraction"),
    (list, "a list"),
    (dict, "a mapping"),
)


def describe_type(value: Any) -> str:
    """Return the usual name for the type of a value."""
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "nothing")


def _give_no_hint(_: Any) -> str:
    return ""


def _accept_any(_: Located) -> bool:
    return True


class ValueCheck(NamedTuple):
    """What a value must be."""

    wanted: str
    """The description in messages; it follows `must be`."""
    fits: Callable[[Any], bool]
    """Whether a value is valid."""
    told: bool = False
    """Whether messages show the value instead of its type."""
    hides: str = ""
    """A character of values that are not shown: a password may precede it."""
    code: str = "WRONG_TYPE"
    """The code of the finding."""
    hint: Callable[[Any], str] = _give_no_hint
    """Returns a hint for an invalid value."""
    inside: Callable[[Located], bool] = _accept_any
    """Whether the contents are valid, too; reports invalid ones."""


def is_whole(value: Any) -> bool:
    """Whether it is an integer, and neither true nor false."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether it is a finite number."""
    return is_whole(value) or (isinstance(value, float) and isfinite(value))


def is_text(value: Any) -> bool:
    """Whether it is a text that is not too long."""
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def check_texts(held: Located) -> bool:
    """Whether every item of a list is a text; a finding for each that is not."""
    good = True
    for nth, item in enumerate(held.value if isinstance(held.value, list) else ()):
        if not isinstance(item, str) or not item:
            good = False
            add_type_error(held.make_inner(nth, item), "an item", "a text that is not empty")
    return good


def add_type_error(
    held: Located,
    what: str,
    wanted: str,
    *,
    code: str = "WRONG_TYPE",
    told: bool = False,
    hint: str = "",
) -> None:
    """Add a finding: the value is not `wanted`."""
    shown = quote_value(held.value) if told else describe_type(held.value)
    held.add_error(code, f"{what} must be {wanted}, not {shown}", hint=hint)


VALUE_CHECKS: Mapping[str, ValueCheck] = {
    "anything": ValueCheck("", lambda _: True),
    "unused": ValueCheck("", lambda _: True),
    "text": ValueCheck("text", is_text),
    "words": ValueCheck("a text that is not empty", lambda v: is_text(v) and v.strip()),
    "word": ValueCheck(
        "one word, which is part of a file's name",
        lambda v: is_text(v) and _WORD(v) is not None,
        told=True,
    ),
    "texts": ValueCheck("a list of texts", lambda v: isinstance(v, list), inside=check_texts),
    "flag": ValueCheck("true or false", lambda v: isinstance(v, bool)),
    "number": ValueCheck("a number", is_number),
    "whole": ValueCheck("a whole number", lambda v: is_whole(v) and abs(v) < 2**63),
    "count": ValueCheck(
        f"a whole number from 1 to {MOST_COUNTED}",
        lambda v: is_whole(v) and 1 <= v <= MOST_COUNTED,
        told=True,
    ),
    "amount": ValueCheck(
        f"a whole number from 0 to {MOST_COUNTED}",
        lambda v: is_whole(v) and 0 <= v <= MOST_COUNTED,
        told=True,
    ),
    "mapping": ValueCheck("a mapping", lambda v: isinstance(v, dict)),
    "list": ValueCheck("a list", lambda v: isinstance(v, list)),
}
"""The checks that apply to keys of any file, by name."""


_SNAKE = re.compile(r"(?<!_)_++([a-z0-9])")
_NO_OLD_KEYS: Mapping[str, str] = {}


class MappingReader(NamedTuple):
    """How one kind of file is read."""

    shapes: Mapping[str, ValueCheck] = VALUE_CHECKS
    """The checks by name."""
    old_keys: Mapping[str, str] = _NO_OLD_KEYS
    """Other spellings of keys."""
    null_means: frozenset[str] = frozenset()
    """Keys whose null has a meaning; for others it is the same as no key."""

    def read_fields(self, held: Located, form: Form, owner: str) -> LocatedFields:
        """Return the known, well-formed fields of a mapping; findings for the rest."""
        found = LocatedFields(held)
        if held.below is not None:
            lower = self.read_fields(held.below, form, owner)
            found.update(lower)
            found.malformed = lower.malformed
        if not isinstance(held.value, dict):
            add_type_error(held, owner, "a mapping")
            return found
        seen: dict[str, str] = {}
        for key, value in held.value.items():
            name, inner = self.resolve_key(key, form), held.make_inner(key, value)
            if name not in form:
                found.malformed.update(_add_unknown_key(inner, key, form, owner))
            elif name in seen:
                message = f"the key {key!r} says again what {seen[name]!r} has said"
                hint = "keep one of the two"
                held.page.add_error("DUPLICATE_KEY", message, inner.path, key=True, hint=hint)
            else:
                seen[name] = key
                self._store_field(found, name, inner, form[name])
        return found

    def resolve_key(self, key: str, form: Form) -> str:
        """Return the key as it is published: in camelCase, other spellings replaced."""
        if key in form:
            return key
        name = self._resolve_old_key(key)
        return name if name in form else _to_camel(key)

    def find_inner(self, held: Located, name: str | int) -> Located:
        """Return the value of a key or an index; `held` itself if there is none."""
        value = held.value
        if isinstance(name, int):
            exists = isinstance(value, list) and name < len(value)
            return held.make_inner(name, value[name]) if exists else held
        for key in value if isinstance(value, dict) else ():
            if name in (key, self._resolve_old_key(key)):
                return held.make_inner(key, value[key])
        return held

    def is_well_formed(self, held: Located, shape: str, name: str) -> bool:
        """Whether the value has the shape; a finding if not."""
        check = self.shapes[shape]
        if check.fits(held.value):
            return check.inside(held)
        told = check.told and isinstance(held.value, str | int | float)
        if check.hides and check.hides in str(held.value):
            told = False
        hint = check.hint(held.value)
        add_type_error(held, repr(name), check.wanted, code=check.code, told=told, hint=hint)
        return False

    def _store_field(self, found: LocatedFields, name: str, inner: Located, shape: str) -> None:
        """Store a valid field; an invalid one also removes the value it overrides."""
        if inner.value is None and name not in self.null_means:
            return
        if shape == "unused":
            inner.page.add_note(
                "KEY_UNUSED", f"nothing here uses {quote_value(name)}; it is kept", inner.path
            )
        elif not self.is_well_formed(inner, shape, name):
            found.pop(name, None)
            found.malformed.add(name)
            texts = self.shapes[shape].inside is check_texts
            if texts and isinstance(inner.value, list):
                # Its other items are still checked.
                good = [each for each in inner.value if isinstance(each, str) and each]
                found[name] = inner._replace(value=good)
        else:
            below = found.get(name)
            merges = shape == "mapping" and below is not None
            found[name] = inner._replace(below=below) if merges else inner
            found.malformed.discard(name)

    def _resolve_old_key(self, key: str) -> str:
        return self.old_keys.get(_to_camel(key), _to_camel(key))


def _to_camel(key: str) -> str:
    return _SNAKE.sub(lambda found: found[1].upper(), key)


def _add_unknown_key(held: Located, key: str, form: Form, owner: str) -> set[str]:
    """Report an unknown key; return the key that was probably meant, if any."""
    if key.startswith("_"):
        return set()
    near = held.page.find_nearest(key, form)
    hint = "begin it with '_' to keep it as a note of your own"
    hint = f"did you mean {near!r}?" if near else hint
    message = f"{owner} has no key {quote_value(key)}"
    held.page.add_error("UNKNOWN_KEY", message, held.path, hint=hint, key=True)
    return {near} if near else set()
