"""What may stand under a key of an agent's files, and what people call it."""

import re
from collections.abc import Mapping
from typing import Any

from saniwa.agent.prompting.folder import check_inside
from saniwa.core.paper.held import Held
from saniwa.core.paper.kinds import SHAPES as GENERAL
from saniwa.core.paper.kinds import Check, all_texts, is_text
from saniwa.process.weighing.address import ADDRESS

_VERSION = re.compile(
    r"(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})"
    r"(-[0-9A-Za-z.-]{1,50})?(\+[0-9A-Za-z.-]{1,50})?",
    re.ASCII,
).fullmatch
_AGENT_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*").fullmatch
_WORDS = re.compile(r"[a-z0-9]+").findall
_STEP_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*").fullmatch
_OPTION = re.compile(r"--[a-z][a-z0-9-]*").fullmatch
_LONGEST_NAME = 100


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
    return len(value) <= _LONGEST_NAME and _STEP_NAME(value) is not None


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _stays_inside(held: Held) -> bool:
    """Whether a path stays in the agent's folder; a finding if not."""
    why = check_inside(held.value)
    if why:
        hint = "write a path that stays inside the agent's folder"
        held.error("FILE_OUTSIDE", why, hint=hint)
    return not why


SHAPES: Mapping[str, Check] = {
    **GENERAL,
    "path": Check("the path of a file or folder", _is_path, inside=_stays_inside),
    "address": ADDRESS,
    "version": Check(
        "a version of three numbers (semver), such as '1.0.0'",
        lambda v: isinstance(v, str) and _VERSION(v) is not None,
        told=True,
    ),
    "agent name": Check(
        "lowercase words joined by hyphens (kebab-case)",
        is_agent_name,
        told=True,
        code="NAME_UNUSABLE",
        hint=agent_name_for,
    ),
    "option": Check(
        "an option such as '--origin'",
        lambda v: is_text(v) and _OPTION(v) is not None,
        told=True,
    ),
    "texts or mapping": Check(
        "a list of steps", lambda v: isinstance(v, list | dict), inside=all_texts
    ),
    "flag or mapping": Check(
        "true, false or a mapping", lambda v: isinstance(v, bool | dict)
    ),
    "mapping or text": Check(
        "a mapping or a path", lambda v: isinstance(v, dict | str)
    ),
    "schema": Check("a JSON Schema in a mapping", lambda v: isinstance(v, dict)),
}
"""What may stand under a key of an agent's files."""
