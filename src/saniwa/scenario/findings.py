"""The findings in one scenario or registry, and their codes."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from saniwa.core.errors import ValidationErrorCode as Published
from saniwa.core.findings import Finding, Report, Severity
from saniwa.core.suggestions import find_nearest
from saniwa.documents.document import Document, PathStep


class ScenarioCode(StrEnum):
    """The codes of findings in a registry or a scenario."""

    REGISTRY_MISSING = Published.REGISTRY_MISSING
    REGISTRY_LOAD_ERROR = Published.REGISTRY_LOAD_ERROR
    SCENARIO_FILE_NOT_FOUND = Published.SCENARIO_FILE_NOT_FOUND
    SCENARIO_ID_MISMATCH = Published.SCENARIO_ID_MISMATCH
    EXIT_TARGET_MISSING = Published.EXIT_TARGET_MISSING
    OBJ_LOCATION_MISSING = Published.OBJ_LOCATION_MISSING
    CHAR_LOCATION_MISSING = Published.CHAR_LOCATION_MISSING
    HASH_COMPUTATION_ERROR = Published.HASH_COMPUTATION_ERROR

    DUPLICATE_KEY = "DUPLICATE_KEY"
    UNKNOWN_KEY = "UNKNOWN_KEY"
    UNKNOWN_VALUE = "UNKNOWN_VALUE"
    FIELD_MISSING = "FIELD_MISSING"
    WRONG_TYPE = "WRONG_TYPE"
    NAME_UNUSABLE = "NAME_UNUSABLE"
    TEXT_UNUSABLE = "TEXT_UNUSABLE"

    REGISTRY_DUPLICATE_ID = "REGISTRY_DUPLICATE_ID"
    SCENARIO_PATH_OUTSIDE = "SCENARIO_PATH_OUTSIDE"
    SCENARIO_EXISTS = "SCENARIO_EXISTS"
    SCENARIO_UNWRITABLE = "SCENARIO_UNWRITABLE"
    GAME_UNSUPPORTED = "GAME_UNSUPPORTED"
    FILE_MISSING = "FILE_MISSING"
    FILE_OUTSIDE = "FILE_OUTSIDE"

    ID_COLLISION = "ID_COLLISION"
    NAME_UNKNOWN = "NAME_UNKNOWN"
    NAME_AMBIGUOUS = "NAME_AMBIGUOUS"
    REQUIRED_KEY_MISSING = "REQUIRED_KEY_MISSING"
    PLACED_TWICE = "PLACED_TWICE"
    HELD_BY_TWO = "HELD_BY_TWO"
    NOT_A_HOLDER = "NOT_A_HOLDER"
    CONTAINER_CYCLE = "CONTAINER_CYCLE"
    DOOR_SIDES = "DOOR_SIDES"
    LOCKED_OPEN = "LOCKED_OPEN"
    STATE_CONTRADICTION = "STATE_CONTRADICTION"
    GOAL_AMBIGUOUS = "GOAL_AMBIGUOUS"

    EMPTY_WORLD = "EMPTY_WORLD"
    DOOR_NAMELESS = "DOOR_NAMELESS"
    ID_ALIKE = "ID_ALIKE"
    ONE_WAY_EXIT = "ONE_WAY_EXIT"
    EXIT_REPEATED = "EXIT_REPEATED"
    PLACE_UNREACHABLE = "PLACE_UNREACHABLE"
    GOAL_UNREACHABLE = "GOAL_UNREACHABLE"
    KEY_UNREACHABLE = "KEY_UNREACHABLE"
    LOCK_WITHOUT_KEY = "LOCK_WITHOUT_KEY"
    HIDDEN_ALSO_IN_PROPS = "HIDDEN_ALSO_IN_PROPS"
    CONTAINER_NOT_IN_PROPS = "CONTAINER_NOT_IN_PROPS"
    PROP_LISTED_TWICE = "PROP_LISTED_TWICE"


KeyPath = tuple[PathStep, ...]
"""The path to a value in the document."""

MOST_NEAR = 100
"""How many findings get a similar name: each compares every name."""
MOST_LOOKS = 100_000
"""How many names are compared for all findings together."""


class ScenarioFindings:
    """Collects findings, so that an author sees all of them at once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._found: list[Finding] = list(document.findings)
        self._near = MOST_NEAR
        self._looks = MOST_LOOKS

    def add_error(
        self,
        code: ScenarioCode,
        message: str,
        path: KeyPath,
        *,
        hint: str = "",
        key: bool = False,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a mistake that prevents the use of the document."""
        self._append("error", code, message, path, hint, key, details)

    def add_warning(
        self,
        code: ScenarioCode,
        message: str,
        path: KeyPath,
        *,
        hint: str = "",
        key: bool = False,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a warning, which does not prevent the use of the document."""
        self._append("warning", code, message, path, hint, key, details)

    def add_note(self, code: ScenarioCode, message: str, path: KeyPath) -> None:
        """Add a note that needs no action."""
        self._append("note", code, message, path, "", False, None)

    def suggest_nearest(self, name: str, names: Iterable[str]) -> str:
        """Return a hint with the most similar name; empty if there is none."""
        if self._near <= 0 or self._looks <= 0:
            return ""
        known = list(names)
        self._near -= 1
        self._looks -= len(known)
        found = find_nearest(name, known)
        return f"did you mean {found!r}?" if found else ""

    def suggest_id(self, name: str, known: Iterable[tuple[str, str]]) -> str:
        """Return a hint for pairs of id and name; the id of an equal name comes first."""
        if self._near <= 0 or self._looks <= 0:
            return ""
        pairs = list(known)
        for id, called in pairs:
            if called == name and id != name:
                return f"its id is {id!r}"
        return self.suggest_nearest(name, [id for id, _ in pairs])

    @property
    def has_passed(self) -> bool:
        """Whether there is no error so far."""
        return all(found.severity != "error" for found in self._found)

    def build_report(self) -> Report:
        """Return all findings, in reading order."""
        return Report.from_findings(self._found)

    def _append(
        self,
        severity: Severity,
        code: ScenarioCode,
        message: str,
        path: KeyPath,
        hint: str,
        key: bool,
        details: Mapping[str, Any] | None,
    ) -> None:
        document = self.document
        where = document.locate_key(path) if key else document.locate(path)
        self._found.append(
            Finding(
                code=code.value,
                severity=severity,
                message=message,
                where=where,
                hint=hint,
                details=dict(details or {}),
            )
        )
