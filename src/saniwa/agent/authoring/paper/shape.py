"""Reads one mapping after the other: known keys, right types, nothing twice.

camelCase and snake_case are both read; a key that begins with `_` is the author's own.
Where one file stands over another, what the upper one says counts, key by key.
"""

import re

from saniwa.agent.authoring.paper.fields import Fields
from saniwa.agent.authoring.paper.form import NULL_MEANS, OLD_KEYS, Form
from saniwa.agent.authoring.paper.kinds import SHAPES, agent_name_for, outside
from saniwa.agent.authoring.paper.page import Held
from saniwa.core.quoted import quoted
from saniwa.process.authoring.reading.kinds import type_name

_SNAKE = re.compile(r"_+([a-z0-9])")
_TEXTS = ("texts", "texts or mapping")
_TOLD = ("agent name", "version", "address", "word", "option", "count", "amount")
"""Shapes of which the value itself says most about what is wrong."""


def fields(held: Held, form: Form, owner: str) -> Fields:
    """The fields of a mapping that are known and well-formed; findings for the rest."""
    found = Fields(held)
    if held.below is not None:
        lower = fields(held.below, form, owner)
        found.update(lower)
        found.malformed = lower.malformed
    if not isinstance(held.value, dict):
        wrong_type(held, owner, "a mapping")
        return found
    seen: dict[str, str] = {}
    for key, value in held.value.items():
        name, inner = known_as(key, form), held.inner(key, value)
        if name not in form:
            found.malformed.update(_unknown(inner, key, form, owner))
        elif name in seen:
            message = f"the key {key!r} says again what {seen[name]!r} has said"
            hint = "keep one of the two"
            held.page.error("DUPLICATE_KEY", message, inner.path, key=True, hint=hint)
        else:
            seen[name] = key
            _take(found, name, inner, form[name])
    return found


def _take(found: Fields, name: str, inner: Held, shape: str) -> None:
    """Keep a field that is as it should be; one that is not hides what it stands over."""
    if inner.value is None and name not in NULL_MEANS:
        return
    if shape == "unused":
        inner.page.note(
            "KEY_UNUSED", f"nothing here uses {quoted(name)}; it is kept", inner.path
        )
    elif not well_formed(inner, shape, name):
        found.pop(name, None)
        found.malformed.add(name)
        if shape in _TEXTS and isinstance(inner.value, list):
            # Its other items are looked at all the same.
            texts = [each for each in inner.value if isinstance(each, str) and each]
            found[name] = inner._replace(value=texts)
    else:
        below = found.get(name)
        merges = shape == "mapping" and below is not None
        found[name] = inner._replace(below=below) if merges else inner
        found.malformed.discard(name)


def known_as(key: str, form: Form) -> str:
    """The key as it is published: in camelCase and in our own words."""
    if key in form:
        return key
    name = _camel(key)
    old = OLD_KEYS.get(name, name)
    return old if old in form else name


def inner_of(held: Held, name: str | int) -> Held:
    """What stands under a published key or in a list; the value itself if nothing does."""
    value = held.value
    if isinstance(name, int):
        there = isinstance(value, list) and name < len(value)
        return held.inner(name, value[name]) if there else held
    for key in value if isinstance(value, dict) else ():
        if key == name or OLD_KEYS.get(_camel(key), _camel(key)) == name:
            return held.inner(key, value[key])
    return held


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


def well_formed(held: Held, shape: str, name: str) -> bool:
    """Whether the value has the shape; a finding if not."""
    check = SHAPES[shape]
    if not check.fits(held.value):
        told = shape in _TOLD and isinstance(held.value, str | int | float)
        # What stands before an @ may be a password.
        told = told and not (shape == "address" and "@" in str(held.value))
        code = {"agent name": "NAME_UNUSABLE", "address": "ADDRESS_UNUSABLE"}.get(
            shape, "WRONG_TYPE"
        )
        hint = agent_name_for(held.value) if shape == "agent name" else ""
        wrong_type(held, repr(name), check.wanted, code=code, told=told, hint=hint)
        return False
    if shape == "path":
        why = outside(held.value)
        if why:
            hint = "write a path that stays inside the agent's folder"
            held.error("FILE_OUTSIDE", why, hint=hint)
        return not why
    if shape in _TEXTS and isinstance(held.value, list):
        return _all_texts(held)
    return True


def _all_texts(held: Held) -> bool:
    good = True
    for nth, item in enumerate(held.value):
        if not isinstance(item, str) or not item:
            good = False
            wrong_type(held.inner(nth, item), "an item", "a text that is not empty")
    return good


def wrong_type(
    held: Held,
    what: str,
    wanted: str,
    *,
    code: str = "WRONG_TYPE",
    told: bool = False,
    hint: str = "",
) -> None:
    """Note that something else stands where `wanted` should."""
    shown = quoted(held.value) if told else type_name(held.value)
    held.error(code, f"{what} must be {wanted}, not {shown}", hint=hint)
