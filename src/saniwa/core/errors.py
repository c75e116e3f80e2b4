"""Everything that can stop us, as one family.

A refusal is part of the story and a finding is a mistake in an authored file;
neither is here. An error is raised once and shown with its code, place and cure.

```
SaniwaError
├─ DocumentError
├─ ScenarioError
│  └─ SchemaValidationError
├─ RulebookError
├─ ScriptError
├─ ProcessError
├─ AgentError
│  ├─ ConfigurationError
│  │  ├─ ConfigurationNotFoundError
│  │  ├─ ConfigurationParseError
│  │  ├─ ConfigurationValidationError
│  │  └─ DependencyResolutionError
│  ├─ LifecycleError
│  │  └─ AlreadyStartedError
│  ├─ LoopError
│  ├─ SdkBridgeError
│  │  ├─ SdkConnectionError
│  │  └─ SdkRateLimitError
│  ├─ CompletionError
│  └─ PromptError
│     ├─ PromptNotFoundError
│     └─ PromptParseError
├─ TurnError
├─ RunError
├─ StoreError
├─ ProtocolError
└─ ExperimentError
```
"""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from saniwa.core.findings import SourceLocation


class SaniwaError(Exception):
    """The root. `str()` gives the three parts: what is wrong, where, what to do.

    `recoverable` answers one question: could the same call succeed later, or
    through the documented alternative, with nobody editing a file?
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        where: SourceLocation | None = None,
        hint: str = "",
        recoverable: bool = False,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = where
        self.hint = hint
        self.recoverable = recoverable
        self.details: dict[str, Any] = dict(details or {})

    def __str__(self) -> str:
        parts = [f"[{self.code}] {self.message}"]
        if self.where is not None and str(self.where):
            parts.append(f"  at {self.where}")
        if self.hint:
            parts.append(f"  hint: {self.hint}")
        return "\n".join(parts)

    def to_document(self) -> dict[str, Any]:
        """The same fields for machines: API answers, logs, `--json`."""
        return {
            "code": str(self.code),
            "message": self.message,
            "where": str(self.where or ""),
            "hint": self.hint,
            "recoverable": self.recoverable,
            "details": self.details,
        }


class DocumentError(SaniwaError):
    """A file cannot be read as the JSON or YAML it should be."""


class ScenarioError(SaniwaError):
    """A scenario cannot be found, read or trusted."""


class ValidationErrorCode(StrEnum):
    """The eight codes of the scenario contract, letter for letter."""

    REGISTRY_MISSING = "REGISTRY_MISSING"
    SCENARIO_ID_MISMATCH = "SCENARIO_ID_MISMATCH"
    SCENARIO_FILE_NOT_FOUND = "SCENARIO_FILE_NOT_FOUND"
    REGISTRY_LOAD_ERROR = "REGISTRY_LOAD_ERROR"
    EXIT_TARGET_MISSING = "EXIT_TARGET_MISSING"
    OBJ_LOCATION_MISSING = "OBJ_LOCATION_MISSING"
    CHAR_LOCATION_MISSING = "CHAR_LOCATION_MISSING"
    HASH_COMPUTATION_ERROR = "HASH_COMPUTATION_ERROR"


class SchemaValidationError(ScenarioError):
    """One of the eight, under the name the scenario contract publishes.

    The first line of `str()` is the contract's printed form,
    `[EXIT_TARGET_MISSING] Exit target '寝室' from 'キッチン' does not exist`.
    """

    code: ValidationErrorCode

    def __init__(self, code: str, message: str, **more: Any) -> None:
        # One of the contract's eight is always its enum; scenario files have more
        # mistakes than eight, and those keep their own words.
        known = {each.value for each in ValidationErrorCode}
        super().__init__(
            ValidationErrorCode(code) if code in known else code, message, **more
        )


class RulebookError(SaniwaError):
    """A rulebook cannot be read, or names what does not exist."""


class ScriptError(SaniwaError):
    """A story cannot be read, or what it asks for cannot be done."""


class ProcessError(SaniwaError):
    """A process cannot be found or read, or a role cannot be had."""


class AgentError(SaniwaError):
    """An agent cannot be built, started or carried on.

    The classes below it bear the names the agent contract publishes.
    """


class ConfigurationError(AgentError):
    """An agent's definition cannot be found, read or built from."""


class ConfigurationNotFoundError(ConfigurationError):
    """There is no `agent.json`."""


class ConfigurationParseError(ConfigurationError):
    """The definition is no JSON."""


class ConfigurationValidationError(ConfigurationError):
    """The definition says what cannot be; `details` holds every finding."""


class DependencyResolutionError(ConfigurationError):
    """Something the definition names cannot be had."""


class LifecycleError(AgentError):
    """An agent was started, stopped or asked out of order."""


class AlreadyStartedError(LifecycleError):
    """An agent is started once."""


class LoopError(AgentError):
    """An agent cannot go on: a loop, a limit, retries that ran out."""


class SdkBridgeError(AgentError):
    """A model could not be asked, or gave no answer."""


class SdkConnectionError(SdkBridgeError):
    """The model could not be reached, or went away in the middle."""


class SdkRateLimitError(SdkBridgeError):
    """The provider asks for patience."""


class CompletionError(AgentError):
    """Whether an agent is done could not be found out."""


class PromptError(AgentError):
    """A prompt cannot be made."""


class PromptNotFoundError(PromptError):
    """There is no such prompt file."""


class PromptParseError(PromptError):
    """The prompt's text cannot be read as a template."""


class TurnError(SaniwaError):
    """The turn pipeline itself failed; no story refusal is one of these."""


class RunError(SaniwaError):
    """A run cannot be opened, continued or replayed."""


class StoreError(SaniwaError):
    """What must last could not be written or read back."""


class ProtocolError(SaniwaError):
    """A line at the headless door is not one it understands."""


class ExperimentError(SaniwaError):
    """An experiment cannot be planned, carried out or gone on with."""


def make_rate_limit_error(what: str, seconds: float) -> ProtocolError:
    """The error for too much of something; it ends with time."""
    wait = max(1, math.ceil(seconds))
    return ProtocolError(
        "TOO_MANY_REQUESTS",
        what,
        hint=f"try again in {wait} second{'s' if wait > 1 else ''}",
        recoverable=True,
        details={"retry_after": wait},
    )
