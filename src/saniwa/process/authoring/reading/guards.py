"""Conditions, read from a definition; whether what they name exists is seen later."""

from typing import Any, cast, get_args, get_type_hints

from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Placed, numbered
from saniwa.process.authoring.naming import good_name
from saniwa.process.authoring.page import Page, Path
from saniwa.process.authoring.reading.form import GUARDS
from saniwa.process.authoring.reading.shape import Fields, fields, needs
from saniwa.process.authoring.reading.tagged import tag_of
from saniwa.process.definition import (
    AllGuard,
    AnyGuard,
    ArtifactGuard,
    Guard,
    NotGuard,
    VariableGuard,
)

MOST_COUNTED = 1_000_000
"""The largest `min_count`."""
_OF_ARTIFACTS = get_args(get_type_hints(ArtifactGuard)["condition"])
_OF_VARIABLES = get_args(get_type_hints(VariableGuard)["condition"])


def guards_of(
    page: Page, named: dict[str, Any], path: Path
) -> dict[str, Placed[Guard]]:
    """The guards of a mapping that could be read."""
    found: dict[str, Placed[Guard]] = {}
    for name, value in named.items():
        here = (*path, name)
        if not good_name(page, name, here, key=True):
            continue
        placed = _guard(page, value, here)
        if placed is not None:
            found[name] = placed
    return found


def _guard(page: Page, value: Any, path: Path) -> Placed[Guard] | None:
    kind = tag_of(page, value, path, GUARDS, "a guard")
    if kind is None:
        return None
    owner = f"a guard of type {kind!r}"
    found = fields(page, value, path, GUARDS[kind], owner)
    assert found is not None, "what has a type is a mapping"
    read = {"artifact": _artifact, "context": _variable, "not": _not}.get(
        kind, _several
    )
    guard = read(page, found, path, owner)
    return None if guard is None else Placed(guard, path, found.paths)


# A guard with a mistake is read all the same where it names something, so that what it
# names is looked at too; no process comes of it.


def _artifact(page: Page, found: Fields, path: Path, owner: str) -> Guard | None:
    needs(page, found, ("artifact_type", "condition"), path, owner)
    condition = _condition(page, found, _OF_ARTIFACTS, "exists")
    least = found.said("min_count", 1)
    if not 0 <= least <= MOST_COUNTED:
        page.error(
            "INVALID_MIN_COUNT",
            f"'min_count' is {quoted(least)}",
            found["min_count"].path,
            hint=f"write a whole number from 0 to {MOST_COUNTED}",
        )
    _fields_asked(page, found, path, condition)
    if "artifact_type" not in found:
        return None
    return ArtifactGuard(
        artifact_type=found.said("artifact_type"),
        condition=cast(Any, condition),
        min_count=least,
        required_fields=found.texts("required_fields"),
        fresh=found.said("fresh", False),
        description=found.said("description", ""),
    )


def _fields_asked(page: Page, found: Fields, path: Path, condition: str) -> None:
    names = found.texts("required_fields")
    if condition == "has_fields" and not names:
        if "required_fields" in found.malformed:
            return
        page.error(
            "FIELD_MISSING",
            "a guard with 'has_fields' needs 'required_fields'",
            path,
            hint="list what the artifact must say, such as [title, result.score]",
        )
    for nth, name in numbered(names):
        if not all(step.strip() for step in name.split(".")):
            page.error(
                "NAME_UNUSABLE",
                f"the field {quoted(name)} has an empty step, so nothing ever says it",
                (*found["required_fields"].path, nth),
                hint="write names with one dot between two of them: result.score",
            )


def _variable(page: Page, found: Fields, path: Path, owner: str) -> Guard | None:
    needs(page, found, ("variable", "condition"), path, owner)
    condition, value = _condition(page, found, _OF_VARIABLES, ""), found.said("value")
    if condition:
        _compare(page, found, path, condition, value)
    if "variable" not in found:
        return None
    return VariableGuard(
        variable=found.said("variable"),
        condition=cast(Any, condition or "exists"),
        value=value,
        description=found.said("description", ""),
    )


def _compare(page: Page, found: Fields, path: Path, condition: str, value: Any) -> None:
    """There must be something to compare with, where the condition compares."""
    code = "INVALID_CONTEXT_GUARD_VALUE"
    if condition in ("exists", "not_exists"):
        if "value" in found:
            message = f"{condition!r} compares with nothing, yet there is a 'value'"
            page.error(code, message, found["value"].path, hint="leave 'value' out")
    elif "value" not in found:
        message = f"{condition!r} has no 'value' to compare with"
        page.error(code, message, path, hint="add 'value'")
    elif condition in ("in", "not_in") and not isinstance(value, list):
        message = f"{condition!r} needs a list of values, not {quoted(value)}"
        page.error(code, message, found["value"].path, hint="write a list")


def _condition(
    page: Page, found: Fields, known: tuple[str, ...], otherwise: str
) -> str:
    """The condition; another one where it cannot be read."""
    value = found.said("condition")
    if value is None or value in known:
        return value or otherwise
    hint = page.near(value, known) or f"write one of {', '.join(known)}"
    page.error(
        "UNKNOWN_VALUE",
        f"there is no condition {quoted(value)} here",
        found["condition"].path,
        hint=hint,
    )
    return otherwise


def _several(page: Page, found: Fields, path: Path, owner: str) -> Guard | None:
    if not needs(page, found, ("guards",), path, owner):
        return None
    names, described = found.texts("guards"), found.said("description", "")
    if not names:
        message, hint = f"{owner} names no guard", "name at least one"
        page.error("FIELD_MISSING", message, found["guards"].path, hint=hint)
        return None
    if found.said("type") == "all":
        return AllGuard(guards=names, description=described)
    return AnyGuard(guards=names, description=described)


def _not(page: Page, found: Fields, path: Path, owner: str) -> Guard | None:
    if not needs(page, found, ("guard",), path, owner):
        return None
    return NotGuard(
        guard=found.said("guard"), description=cast(str, found.said("description", ""))
    )
