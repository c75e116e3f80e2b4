"""Reads mappings: known keys, right types, usable names.

camelCase and snake_case are both read; a key that begins with `_` is the author's own.
References are resolved later, in `placement`.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from saniwa.scenario.findings import KeyPath, ScenarioCode, ScenarioFindings
from saniwa.scenario.format import KEY_GUESSES, NULL_MEANS, SPELLINGS, TELLING, USE, Form, Shape
from saniwa.world.laws import (
    LONGEST_NAME,
    LONGEST_TEXT,
    find_invisible_in_name,
    find_invisible_in_text,
)

FLAGS_DESCRIPTION = "a mapping from names to true or false"
"""The description of flags in messages."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class FieldValue(NamedTuple):
    """A value and its path."""

    value: Any
    path: KeyPath


Fields = dict[str, FieldValue]
"""The well-formed fields of a mapping under their snake_case names."""


def read_fields(
    page: ScenarioFindings, value: Any, path: KeyPath, form: Form, owner: str
) -> Fields:
    """Return the known, well-formed fields of a mapping; findings for the rest."""
    found: Fields = {}
    if not isinstance(value, dict):
        add_type_error(page, path, owner, "a mapping", value)
        return found
    for key, inner in value.items():
        name = key if key in form else resolve_key(key)
        here = (*path, key)
        if name not in form:
            _add_unknown_key(page, here, key, form, owner)
        elif name in found:
            _add_duplicate_key(page, here, key, found[name].path)
        elif inner is None and name not in NULL_MEANS:
            continue
        elif inner is None or is_well_formed(page, inner, here, form[name], repr(key)):
            found[name] = FieldValue(inner, here)
    return found


def is_well_formed(
    page: ScenarioFindings, value: Any, path: KeyPath, shape: Shape, what: str
) -> bool:
    """Whether the value has the shape; a finding if not."""
    check = FIELD_CHECKS[shape]
    if check.fits(page, value, path):
        return True
    add_type_error(page, path, what, check.wanted, value)
    return False


def resolve_key(key: str) -> str:
    """Return the key in snake_case, with other spellings replaced."""
    name = _HUMP.sub("_", key).lower()
    return SPELLINGS.get(name, name)


def _add_unknown_key(
    page: ScenarioFindings, path: KeyPath, key: str, form: Form, owner: str
) -> None:
    if key.startswith("_"):
        return
    hint = _suggest_guess(key, form) or page.suggest_nearest(key, form)
    hint = hint or "begin it with '_' to keep it as a note of your own"
    message = f"{owner} has no key {key!r}"
    page.add_error(ScenarioCode.UNKNOWN_KEY, message, path, hint=hint, key=True)


def _suggest_guess(key: str, form: Form) -> str:
    known = (name for name in KEY_GUESSES.get(resolve_key(key), ()) if name in form)
    found = next(known, "")
    return f"did you mean {found!r}?" if found else ""


def _add_duplicate_key(page: ScenarioFindings, path: KeyPath, key: str, first: KeyPath) -> None:
    message = f"the key {key!r} says again what {first[-1]!r} has said"
    page.add_error(ScenarioCode.DUPLICATE_KEY, message, path, key=True, hint="keep one of the two")


def add_type_error(
    page: ScenarioFindings, path: KeyPath, what: str, wanted: str, value: Any
) -> None:
    """Add a finding: the value is not `wanted`."""
    hint = ""
    if wanted in ("text", "a name") and isinstance(value, int | float):
        hint = "put it in quotes"
    elif wanted.startswith("a list") and isinstance(value, str):
        hint = f"write [{value[:40]}]"
    elif wanted == "true or false" and isinstance(value, str):
        hint = "write true or false, without quotes"
    elif wanted == FLAGS_DESCRIPTION:
        hint = f"write {{{_guess_flag(value)}: true}}"
    message = f"{what} must be {wanted}, not {describe_type(value)}"
    page.add_error(ScenarioCode.WRONG_TYPE, message, path, hint=hint)


def _guess_flag(value: Any) -> str:
    first = value[0] if isinstance(value, list) and value else value
    return first[:40] if isinstance(first, str) and first else "lamp_lit"


def describe_type(value: Any) -> str:
    """Return the usual name for the type of a value."""
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


def check_name(page: ScenarioFindings, name: str, path: KeyPath, *, key: bool = False) -> bool:
    """Whether the text can be a name; a finding if not."""
    if name and len(name) <= LONGEST_NAME and name == name.strip():
        letter = find_invisible_in_name(name)
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
    page.add_error(ScenarioCode.NAME_UNUSABLE, message, path, key=key)
    return False


def _check_text(page: ScenarioFindings, value: Any, path: KeyPath) -> bool:
    if not isinstance(value, str):
        return False
    letter = find_invisible_in_text(value)
    if not letter and len(value) <= LONGEST_TEXT:
        return True
    why = f"{len(value)} letters are more than {LONGEST_TEXT}"
    if letter:
        why = f"it has the control character U+{ord(letter):04X}"
    page.add_error(ScenarioCode.TEXT_UNUSABLE, f"the text cannot be shown: {why}", path)
    return True


def _check_name_text(page: ScenarioFindings, value: Any, path: KeyPath) -> bool:
    if not isinstance(value, str):
        return False
    check_name(page, value, path)
    return True


def _make_list_check(
    one: Callable[[ScenarioFindings, Any, KeyPath], bool],
) -> Callable[[ScenarioFindings, Any, KeyPath], bool]:
    def fits(page: ScenarioFindings, value: Any, path: KeyPath) -> bool:
        if not isinstance(value, list):
            return False
        for index, item in enumerate(value):
            if not one(page, item, (*path, index)):
                add_type_error(page, (*path, index), "an item", "text", item)
        return True

    return fits


def _check_words(page: ScenarioFindings, value: Any, path: KeyPath) -> bool:
    return _check_texts(page, [value] if isinstance(value, str) else value, path)


def _check_flags(page: ScenarioFindings, value: Any, path: KeyPath) -> bool:
    if not isinstance(value, dict):
        return False
    for name, setting in value.items():
        check_name(page, name, (*path, name), key=True)
        if not isinstance(setting, bool):
            add_type_error(page, (*path, name), repr(name), "true or false", setting)
    return True


def _check_aliases(page: ScenarioFindings, value: Any, path: KeyPath) -> bool:
    if not isinstance(value, dict):
        return False
    for alias, target in value.items():
        check_name(page, alias, (*path, alias), key=True)
        if not isinstance(target, str):
            add_type_error(page, (*path, alias), repr(alias), "a name", target)
    return True


def _check_attributes(page: ScenarioFindings, value: Any, path: KeyPath) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("use") is not None:
        read_fields(page, value["use"], (*path, "use"), USE, "'use'")
    return True


def _check_narration(page: ScenarioFindings, value: Any, path: KeyPath) -> bool:
    if isinstance(value, dict):
        read_fields(page, value, path, TELLING, "a text for each language")
        return True
    return _check_text(page, value, path)


def _make_type_check(*kinds: type) -> Callable[[ScenarioFindings, Any, KeyPath], bool]:
    return lambda _page, value, _path: isinstance(value, kinds)


_check_texts = _make_list_check(_check_text)


class _FieldCheck(NamedTuple):
    wanted: str
    fits: Callable[[ScenarioFindings, Any, KeyPath], bool]


FIELD_CHECKS: Mapping[Shape, _FieldCheck] = {
    "anything": _FieldCheck("", lambda *_: True),
    "text": _FieldCheck("text", _check_text),
    "name": _FieldCheck("a name", _check_name_text),
    "texts": _FieldCheck("a list of texts", _check_texts),
    "names": _FieldCheck("a list of names", _make_list_check(_check_name_text)),
    "words": _FieldCheck("text or a list of texts", _check_words),
    "flag": _FieldCheck("true or false", _make_type_check(bool)),
    "flags": _FieldCheck(FLAGS_DESCRIPTION, _check_flags),
    "aliases": _FieldCheck("a mapping from names to names", _check_aliases),
    "mapping": _FieldCheck("a mapping", _make_type_check(dict)),
    "list": _FieldCheck("a list", _make_type_check(list)),
    "records": _FieldCheck(
        "a mapping, or a list of mappings with an id", _make_type_check(dict, list)
    ),
    "exits": _FieldCheck("a list of places, or a mapping to places", _make_type_check(dict, list)),
    "part": _FieldCheck("a name, a file or a mapping", _make_type_check(str, dict)),
    "attributes": _FieldCheck("a mapping", _check_attributes),
    "telling": _FieldCheck("text, or a text for each language", _check_narration),
}
"""The check for each shape of a value."""
