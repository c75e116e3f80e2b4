"""Reads one mapping after the other: known keys, right types, usable names.

camelCase and snake_case are both read; a key that begins with `_` is the author's own.
What the values refer to is looked at later, in `settle`.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from saniwa.scenario.code import Code
from saniwa.scenario.form import (
    NULL_MEANS,
    SPELLINGS,
    TELLING,
    USE,
    Form,
    Shape,
)
from saniwa.scenario.guess import GUESSES
from saniwa.scenario.page import Page, Path
from saniwa.world.law import LONGEST_NAME, LONGEST_TEXT
from saniwa.world.unseen import unseen_in_name, unseen_in_text

FLAGS = "a mapping from names to true or false"
"""What flags have to be."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Held(NamedTuple):
    """A value and the way to it."""

    value: Any
    path: Path


Fields = dict[str, Held]
"""The well-formed fields of a mapping under their snake_case names."""


def fields(page: Page, value: Any, path: Path, form: Form, owner: str) -> Fields:
    """The fields of a mapping that are known and well-formed; findings for the rest."""
    found: Fields = {}
    if not isinstance(value, dict):
        wrong_type(page, path, owner, "a mapping", value)
        return found
    for key, inner in value.items():
        name = key if key in form else known_as(key)
        here = (*path, key)
        if name not in form:
            _unknown(page, here, key, form, owner)
        elif name in found:
            _said_twice(page, here, key, found[name].path)
        elif inner is None and name not in NULL_MEANS:
            continue
        elif inner is None or well_formed(page, inner, here, form[name], repr(key)):
            found[name] = Held(inner, here)
    return found


def well_formed(page: Page, value: Any, path: Path, shape: Shape, what: str) -> bool:
    """Whether the value has the shape; a finding if not."""
    check = SHAPES[shape]
    if check.fits(page, value, path):
        return True
    wrong_type(page, path, what, check.wanted, value)
    return False


def known_as(key: str) -> str:
    """The key in snake_case and in our own words."""
    name = _HUMP.sub("_", key).lower()
    return SPELLINGS.get(name, name)


def _unknown(page: Page, path: Path, key: str, form: Form, owner: str) -> None:
    if key.startswith("_"):
        return
    hint = _guessed(key, form) or page.near(key, form)
    hint = hint or "begin it with '_' to keep it as a note of your own"
    message = f"{owner} has no key {key!r}"
    page.error(Code.UNKNOWN_KEY, message, path, hint=hint, key=True)


def _guessed(key: str, form: Form) -> str:
    meant = (name for name in GUESSES.get(known_as(key), ()) if name in form)
    found = next(meant, "")
    return f"did you mean {found!r}?" if found else ""


def _said_twice(page: Page, path: Path, key: str, first: Path) -> None:
    message = f"the key {key!r} says again what {first[-1]!r} has said"
    page.error(Code.DUPLICATE_KEY, message, path, key=True, hint="keep one of the two")


def wrong_type(page: Page, path: Path, what: str, wanted: str, value: Any) -> None:
    """Note that something else stands where `wanted` should."""
    hint = ""
    if wanted in ("text", "a name") and isinstance(value, int | float):
        hint = "put it in quotes"
    elif wanted.startswith("a list") and isinstance(value, str):
        hint = f"write [{value[:40]}]"
    elif wanted == "true or false" and isinstance(value, str):
        hint = "write true or false, without quotes"
    elif wanted == FLAGS:
        hint = f"write {{{_flag_meant(value)}: true}}"
    message = f"{what} must be {wanted}, not {type_name(value)}"
    page.error(Code.WRONG_TYPE, message, path, hint=hint)


def _flag_meant(value: Any) -> str:
    first = value[0] if isinstance(value, list) and value else value
    return first[:40] if isinstance(first, str) and first else "lamp_lit"


def type_name(value: Any) -> str:
    """What people call the type of a value."""
    if value is None:
        return "nothing"
    for kind, name in _TYPES:
        if isinstance(value, kind):
            return name
    return type(value).__name__


_TYPES = (
    (bool, "true or false"),
    (str, "text"),
    (int, "a number"),
    (float, "a fraction"),
    (list, "a list"),
    (dict, "a mapping"),
)


def good_name(page: Page, name: str, path: Path, *, key: bool = False) -> bool:
    """Whether the text can name something; a finding if not."""
    if name and len(name) <= LONGEST_NAME and name == name.strip():
        letter = unseen_in_name(name)
        if not letter:
            return True
        why = f"has the control character U+{ord(letter):04X}"
    elif len(name) > LONGEST_NAME:
        why = f"has {len(name)} letters, more than {LONGEST_NAME}"
    elif name.strip():
        why = "begins or ends with a space"
    else:
        why = "is empty"
    message = f"the name {name[:40]!r} {why}"
    page.error(Code.NAME_UNUSABLE, message, path, key=key)
    return False


def _text(page: Page, value: Any, path: Path) -> bool:
    if not isinstance(value, str):
        return False
    letter = unseen_in_text(value)
    if not letter and len(value) <= LONGEST_TEXT:
        return True
    why = f"{len(value)} letters are more than {LONGEST_TEXT}"
    if letter:
        why = f"it has the control character U+{ord(letter):04X}"
    page.error(Code.TEXT_UNUSABLE, f"the text cannot be shown: {why}", path)
    return True


def _name(page: Page, value: Any, path: Path) -> bool:
    if not isinstance(value, str):
        return False
    good_name(page, value, path)
    return True


def _each(one: Callable[[Page, Any, Path], bool]) -> Callable[[Page, Any, Path], bool]:
    def fits(page: Page, value: Any, path: Path) -> bool:
        if not isinstance(value, list):
            return False
        for index, item in enumerate(value):
            if not one(page, item, (*path, index)):
                wrong_type(page, (*path, index), "an item", "text", item)
        return True

    return fits


def _words(page: Page, value: Any, path: Path) -> bool:
    return _texts(page, [value] if isinstance(value, str) else value, path)


def _flags(page: Page, value: Any, path: Path) -> bool:
    if not isinstance(value, dict):
        return False
    for name, setting in value.items():
        good_name(page, name, (*path, name), key=True)
        if not isinstance(setting, bool):
            wrong_type(page, (*path, name), repr(name), "true or false", setting)
    return True


def _aliases(page: Page, value: Any, path: Path) -> bool:
    if not isinstance(value, dict):
        return False
    for alias, target in value.items():
        good_name(page, alias, (*path, alias), key=True)
        if not isinstance(target, str):
            wrong_type(page, (*path, alias), repr(alias), "a name", target)
    return True


def _attributes(page: Page, value: Any, path: Path) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("use") is not None:
        fields(page, value["use"], (*path, "use"), USE, "'use'")
    return True


def _telling(page: Page, value: Any, path: Path) -> bool:
    if isinstance(value, dict):
        fields(page, value, path, TELLING, "a text for each language")
        return True
    return _text(page, value, path)


def _of_type(*kinds: type) -> Callable[[Page, Any, Path], bool]:
    return lambda _page, value, _path: isinstance(value, kinds)


_texts = _each(_text)


class _Check(NamedTuple):
    wanted: str
    fits: Callable[[Page, Any, Path], bool]


SHAPES: Mapping[Shape, _Check] = {
    "anything": _Check("", lambda *_: True),
    "text": _Check("text", _text),
    "name": _Check("a name", _name),
    "texts": _Check("a list of texts", _texts),
    "names": _Check("a list of names", _each(_name)),
    "words": _Check("text or a list of texts", _words),
    "flag": _Check("true or false", _of_type(bool)),
    "flags": _Check(FLAGS, _flags),
    "aliases": _Check("a mapping from names to names", _aliases),
    "mapping": _Check("a mapping", _of_type(dict)),
    "list": _Check("a list", _of_type(list)),
    "records": _Check(
        "a mapping, or a list of mappings with an id", _of_type(dict, list)
    ),
    "exits": _Check("a list of places, or a mapping to places", _of_type(dict, list)),
    "part": _Check("a name, a file or a mapping", _of_type(str, dict)),
    "attributes": _Check("a mapping", _attributes),
    "telling": _Check("text, or a text for each language", _telling),
}
"""What may stand under a key."""
