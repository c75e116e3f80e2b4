"""What is wrong with arguments, in plain words."""

import re
from typing import NamedTuple

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a map",
}
_BOUNDS = {">=": "at least", "<=": "at most"}

_PLACE = re.compile(r" - at (?:`\w+` in )?`\$(.*)`$")
_ANOTHER = re.compile(r"Expected `(\w+)`, got `\w+`$").match
_BEYOND = re.compile(r"Expected `\w+` (>=|<=) (\S+)$").match
_MISSING = re.compile(r"Object missing required field `(.+)`$").match
_NO_FIELD = re.compile(r"Object contains unknown field `(.+)`$").match


class Mismatch(NamedTuple):
    """One thing that is not what it must be."""

    path: str
    """Where, as a JSON pointer."""
    told: str
    """What it must be."""


def mismatch(problem: str) -> Mismatch:
    """What msgspec's words for a problem mean."""
    said, path = problem, ""
    place = _PLACE.search(problem)
    if place is not None:
        said = problem[: place.start()]
        path = place[1].replace("[", ".").replace("]", "").replace(".", "/")
    missing = _MISSING(said)
    if missing is not None:
        path += f"/{missing[1]}"
        return Mismatch(path, f"{path[1:]} is missing")
    # A key of a map has no place of its own: what is said of it is not said of the map.
    of_key = place is not None and " in `" in place[0]
    return Mismatch(path, f"{path[1:]} {_must('' if of_key else said)}")


def _must(said: str) -> str:
    another, beyond, no_field = _ANOTHER(said), _BEYOND(said), _NO_FIELD(said)
    if another is not None and another[1] in _KINDS:
        return f"must be {_KINDS[another[1]]}"
    if beyond is not None:
        return f"must be {_BOUNDS[beyond[1]]} {beyond[2]}"
    if no_field is not None:
        return f"has no field {no_field[1]!r}"
    return "is not what it must be"
