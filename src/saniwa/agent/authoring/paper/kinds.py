"""What may stand under a key, and what people call it."""

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple

from saniwa.agent.prompting.folder import check_inside
from saniwa.process.ports import EvidenceError
from saniwa.process.weighing.place import check_url

MOST_COUNTED = 1_000_000_000
"""The largest number of anything."""
LONGEST_TEXT = 100_000
"""Letters a text may have."""

_VERSION = re.compile(
    r"(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})"
    r"(-[0-9A-Za-z.-]{1,50})?(\+[0-9A-Za-z.-]{1,50})?",
    re.ASCII,
).fullmatch
_AGENT_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*").fullmatch
_WORD = re.compile(r"\w[\w.-]*").fullmatch
_WORDS = re.compile(r"[a-z0-9]+").findall
_OPTION = re.compile(r"--[a-z][a-z0-9-]*").fullmatch
_LONGEST_NAME = 100


class Check(NamedTuple):
    """What must stand somewhere."""

    wanted: str
    """What people call it; reads on after `must be`."""
    fits: Callable[[Any], bool]
    """Whether a value is that."""


def is_whole(value: Any) -> bool:
    """Whether it is a whole number, and neither true nor false."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether it is a number one can count with."""
    return is_whole(value) or (isinstance(value, float) and isfinite(value))


def is_agent_name(value: Any) -> bool:
    """Whether it can be the name of an agent, and of its folder."""
    return (
        isinstance(value, str)
        and len(value) <= _LONGEST_NAME
        and _AGENT_NAME(value) is not None
    )


def agent_name_for(value: Any) -> str:
    """A hint with a name that is nearly this one, and can be an agent's."""
    words = _WORDS(str(value).lower())[:10] if isinstance(value, str) else []
    made = "-".join(words)
    return f"write {made if is_agent_name(made) else 'tour-guide'!r}, or the like"


def is_step_name(value: str) -> bool:
    """Whether it can be the id of a step: its outputs are variables named after it."""
    return (
        len(value) <= _LONGEST_NAME
        and re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", value) is not None
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def _is_address(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        check_url(value)
    except EvidenceError:
        return False
    return True


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and value != ""


SHAPES: Mapping[str, Check] = {
    "anything": Check("", lambda _: True),
    "unused": Check("", lambda _: True),
    "text": Check("text", _is_text),
    "words": Check("a text that is not empty", lambda v: _is_text(v) and v.strip()),
    "word": Check(
        "one word, which is part of a file's name",
        lambda v: _is_text(v) and _WORD(v) is not None,
    ),
    "path": Check("the path of a file or folder", _is_path),
    "address": Check(
        "an http or https address, without a name or password in it", _is_address
    ),
    "version": Check(
        "a version of three numbers (semver), such as '1.0.0'",
        lambda v: isinstance(v, str) and _VERSION(v) is not None,
    ),
    "agent name": Check(
        "lowercase words joined by hyphens (kebab-case)", is_agent_name
    ),
    "option": Check(
        "an option such as '--origin'",
        lambda v: _is_text(v) and _OPTION(v) is not None,
    ),
    "texts": Check("a list of texts", lambda v: isinstance(v, list)),
    "texts or mapping": Check("a list of steps", lambda v: isinstance(v, list | dict)),
    "flag": Check("true or false", lambda v: isinstance(v, bool)),
    "flag or mapping": Check(
        "true, false or a mapping", lambda v: isinstance(v, bool | dict)
    ),
    "mapping or text": Check(
        "a mapping or a path", lambda v: isinstance(v, dict | str)
    ),
    "number": Check("a number", is_number),
    "whole": Check("a whole number", lambda v: is_whole(v) and abs(v) < 2**63),
    "count": Check(
        f"a whole number from 1 to {MOST_COUNTED}",
        lambda v: is_whole(v) and 1 <= v <= MOST_COUNTED,
    ),
    "amount": Check(
        f"a whole number from 0 to {MOST_COUNTED}",
        lambda v: is_whole(v) and 0 <= v <= MOST_COUNTED,
    ),
    "mapping": Check("a mapping", lambda v: isinstance(v, dict)),
    "list": Check("a list", lambda v: isinstance(v, list)),
    "schema": Check("a JSON Schema in a mapping", lambda v: isinstance(v, dict)),
}
"""What may stand under a key."""


def outside(value: str) -> str:
    """Why a path leads out of the agent's folder; empty where it stays."""
    return check_inside(value)
