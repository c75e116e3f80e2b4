"""The allowed values of every key in an agent's files, with the words for findings."""

import re
from collections.abc import Mapping
from typing import Any, Final

from saniwa.agent.files.format import LEGACY_KEYS, NULLABLE_KEYS
from saniwa.agent.prompts.files import find_path_escape
from saniwa.documents.finding_collector import Located
from saniwa.documents.reader import VALUE_CHECKS as GENERAL
from saniwa.documents.reader import MappingReader, ValueCheck, check_texts, is_text
from saniwa.process.evidence_paths import ADDRESS

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
    """Whether it is a valid name for an agent and its folder."""
    return isinstance(value, str) and len(value) <= _LONGEST_NAME and _AGENT_NAME(value) is not None


def suggest_agent_name(value: Any) -> str:
    """Return a hint with a valid agent name close to this one."""
    words = _WORDS(str(value).lower())[:10] if isinstance(value, str) else []
    made = "-".join(words)
    return f"write {made if is_agent_name(made) else 'tour-guide'!r}, or the like"


def is_step_name(value: str) -> bool:
    """Whether it is a valid step id: its outputs are variables named after it."""
    return len(value) <= _LONGEST_NAME and _STEP_NAME(value) is not None


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _check_path_inside(held: Located) -> bool:
    """Whether a path stays in the agent's folder; adds a finding if not."""
    why = find_path_escape(held.value)
    if why:
        hint = "write a path that stays inside the agent's folder"
        held.add_error("FILE_OUTSIDE", why, hint=hint)
    return not why


VALUE_CHECKS: Mapping[str, ValueCheck] = {
    **GENERAL,
    "path": ValueCheck("the path of a file or folder", _is_path, inside=_check_path_inside),
    "address": ADDRESS,
    "version": ValueCheck(
        "a version of three numbers (semver), such as '1.0.0'",
        lambda v: isinstance(v, str) and _VERSION(v) is not None,
        told=True,
    ),
    "agent name": ValueCheck(
        "lowercase words joined by hyphens (kebab-case)",
        is_agent_name,
        told=True,
        code="NAME_UNUSABLE",
        hint=suggest_agent_name,
    ),
    "option": ValueCheck(
        "an option such as '--origin'", lambda v: is_text(v) and _OPTION(v) is not None, told=True
    ),
    "texts or mapping": ValueCheck(
        "a list of steps", lambda v: isinstance(v, list | dict), inside=check_texts
    ),
    "flag or mapping": ValueCheck("true, false or a mapping", lambda v: isinstance(v, bool | dict)),
    "mapping or text": ValueCheck("a mapping or a path", lambda v: isinstance(v, dict | str)),
    "schema": ValueCheck("a JSON Schema in a mapping", lambda v: isinstance(v, dict)),
}
"""The checks of values in an agent's files, by the name of the kind of value."""


FIELD_READER: Final = MappingReader(VALUE_CHECKS, LEGACY_KEYS, NULLABLE_KEYS)
"""Reads the mappings in an agent's files."""
read_fields = FIELD_READER.read_fields
resolve_key = FIELD_READER.resolve_key
find_inner = FIELD_READER.find_inner
is_well_formed = FIELD_READER.is_well_formed
