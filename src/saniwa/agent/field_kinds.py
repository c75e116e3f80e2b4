"""The kinds of fields in an agent's files, with the words for findings."""

import re
from dataclasses import replace
from typing import Any, Final

from saniwa.documents.finding_collector import Located
from saniwa.documents.record_reader import (
    LIST,
    NUMBER,
    TEXTS,
    Notation,
    ValueKind,
    is_text,
    to_camel,
)
from saniwa.process.evidence_paths import split_folder_path
from saniwa.process.ports import EvidenceError

_VERSION: Final = (
    r"(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})"
    r"(-[0-9A-Za-z.-]{1,50})?(\+[0-9A-Za-z.-]{1,50})?"
)
_AGENT_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_WORDS = re.compile(r"[a-z0-9]+").findall
_OPTION: Final = r"--[a-z][a-z0-9-]*"
_LONGEST_NAME = 100
_LARGEST_NUMBER = 10**15


def is_agent_name(value: Any) -> bool:
    """Whether it is a valid name for an agent and its folder."""
    return (
        isinstance(value, str)
        and len(value) <= _LONGEST_NAME
        and _AGENT_NAME.fullmatch(value) is not None
    )


def _suggest_agent_name(held: Located) -> str:
    """Return a hint with a valid agent name close to this one."""
    words = _WORDS(held.value.lower())[:10] if isinstance(held.value, str) else []
    made = "-".join(words)
    return f"write {made if is_agent_name(made) else 'tour-guide'!r}, or similar"


def _check_path_inside(held: Located) -> bool:
    """Whether the text of a path stays in the agent's folder; adds a finding if not."""
    try:
        split_folder_path(held.value)
    except EvidenceError as problem:
        hint = "write a path that stays inside the agent's folder"
        held.add_error("FILE_OUTSIDE", str(problem), hint=hint)
        return False
    return True


def _check_limits(held: Located) -> bool:
    """Whether a number is between 0 and a sane maximum; a finding if not."""
    if 0 <= held.value <= _LARGEST_NUMBER:
        return True
    low = held.value < 0
    wrong = "less than 0" if low else f"more than {_LARGEST_NUMBER}"
    held.report(
        "WRONG_TYPE/limits",
        hint="write 0 or more" if low else "write a smaller number",
        name=to_camel(str(held.path[-1])),
        wrong=wrong,
    )
    return False


NOTATION: Final = Notation(to_camel, {"stepId": "id", "retryPolicy": "retry"}, counts_typos=True)
"""How keys are spelled in an agent's files."""
PATH: Final = ValueKind(
    wanted="the path of a file or folder",
    fits=lambda v: isinstance(v, str) and v != "",
    schema={"type": "string", "minLength": 1},
    inside=_check_path_inside,
)
VERSION: Final = ValueKind(
    wanted="a version of three numbers (semver), such as '1.0.0'",
    fits=lambda v: isinstance(v, str) and re.fullmatch(_VERSION, v, re.ASCII) is not None,
    schema={"type": "string", "pattern": f"^{_VERSION}$"},
    told=True,
)
AGENT_NAME: Final = ValueKind(
    wanted="lowercase words joined by hyphens (kebab-case)",
    fits=is_agent_name,
    schema={"type": "string", "pattern": f"^{_AGENT_NAME.pattern}$", "maxLength": _LONGEST_NAME},
    told=True,
    code="NAME_UNUSABLE",
    hint=_suggest_agent_name,
)
OPTION: Final = ValueKind(
    wanted="an option such as '--origin'",
    fits=lambda v: is_text(v) and re.fullmatch(_OPTION, v) is not None,
    schema={"type": "string", "pattern": f"^{_OPTION}$"},
    told=True,
)
POSITIVE: Final = replace(
    NUMBER,
    schema={"type": "number", "minimum": 0, "maximum": _LARGEST_NUMBER},
    inside=_check_limits,
    build=lambda held: float(held.value),
)
SCHEMA: Final = ValueKind(
    wanted="a JSON Schema in a mapping",
    fits=lambda v: isinstance(v, dict),
    schema={"type": "object"},
)
HANDLERS: Final = ValueKind(
    wanted="a mapping from types of actions to names of tools",
    fits=lambda v: isinstance(v, dict),
    schema={"type": "object"},
    build=lambda held: {key: tool for key, tool in held.value.items() if is_text(tool)},
)
"""Handlers of other systems, which are no texts, are left out with a warning."""
WORD_LIST: Final = ValueKind(
    wanted="a list of strings that starts with a program",
    fits=lambda v: isinstance(v, list) and bool(v) and all(map(is_text, v)),
    schema={"type": "array", "items": {"type": "string"}, "minItems": 1},
    build=lambda held: tuple(held.value),
)
VALUES: Final = replace(LIST, build=lambda held: tuple(held.value))
PRESENT_TEXTS: Final = replace(TEXTS, build=lambda held: tuple(text for text in held.value if text))
"""A list of texts; those that are malformed are left out."""
