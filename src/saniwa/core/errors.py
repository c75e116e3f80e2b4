"""Every error that Saniwa raises, as one family.

Not here: refusals, which are part of the story, and findings, which are mistakes in
authored files. An error is raised once and shown with its code, place and hint.

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

from saniwa.core.findings import Finding, SourceLocation


class SaniwaError(Exception):
    """The base class. `str()` gives three parts: what is wrong, where, what to do.

    `recoverable` answers one question: could the same call succeed later, or through
    the documented alternative, without an edit to any file? A `where` that is a text
    names a file.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        where: SourceLocation | str | None = None,
        hint: str = "",
        recoverable: bool = False,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        """Identifies the kind of error; codes are never reused or reworded."""
        self.message = message
        """What is wrong."""
        self.where = SourceLocation(file=where) if isinstance(where, str) else where
        """The file and the place in it, if there is one."""
        self.hint = hint
        """What to do."""
        self.recoverable = recoverable
        """Whether the same call could succeed later."""
        self.details: dict[str, Any] = dict(details or {})
        """Values for programs; findings of files are under `findings`."""

    def __str__(self) -> str:
        parts = [f"[{self.code}] {self.message}"]
        if self.where is not None and str(self.where):
            parts.append(f"  at {self.where}")
        if self.hint:
            parts.append(f"  hint: {self.hint}")
        return "\n".join(parts)

    def to_document(self) -> dict[str, Any]:
        """Return the same fields for API answers, logs and `--json`."""
        return {
            "code": str(self.code),
            "message": self.message,
            "where": str(self.where or ""),
            "hint": self.hint,
            "recoverable": self.recoverable,
            "details": self.details,
        }

    def to_finding(self, where: SourceLocation | None = None, **more: Any) -> Finding:
        """Return a finding at `where`, by default the error's own; `more` are its fields."""
        known = {"code": str(self.code), "message": self.message, "hint": self.hint}
        return Finding(where=where or self.where or SourceLocation(), **known | more)


class DocumentError(SaniwaError):
    """A file cannot be read as the JSON or YAML it should be."""


class ScenarioError(SaniwaError):
    """A scenario cannot be found, read or trusted."""


class ValidationErrorCode(StrEnum):
    """The eight codes of the scenario contract, exactly as published."""

    REGISTRY_MISSING = "REGISTRY_MISSING"
    SCENARIO_ID_MISMATCH = "SCENARIO_ID_MISMATCH"
    SCENARIO_FILE_NOT_FOUND = "SCENARIO_FILE_NOT_FOUND"
    REGISTRY_LOAD_ERROR = "REGISTRY_LOAD_ERROR"
    EXIT_TARGET_MISSING = "EXIT_TARGET_MISSING"
    OBJ_LOCATION_MISSING = "OBJ_LOCATION_MISSING"
    CHAR_LOCATION_MISSING = "CHAR_LOCATION_MISSING"
    HASH_COMPUTATION_ERROR = "HASH_COMPUTATION_ERROR"


class FurtherErrorCode(str):
    """A code beyond the eight; like theirs, it has a `value`."""

    __slots__ = ()

    @property
    def value(self) -> str:
        """The code itself."""
        return str(self)


class SchemaValidationError(ScenarioError):
    """One of the eight, under the name the scenario contract publishes.

    The first line of `str()` is the contract's printed form, `[EXIT_TARGET_MISSING]
    Exit target '寝室' from 'キッチン' does not exist`.
    """

    code: ValidationErrorCode
    """One of the eight codes; a `FurtherErrorCode` for a mistake beyond the contract."""

    def __init__(self, code: str, message: str, **more: Any) -> None:
        is_published = code in {each.value for each in ValidationErrorCode}
        kind = ValidationErrorCode if is_published else FurtherErrorCode
        super().__init__(kind(code), message, **more)


class RulebookError(SaniwaError):
    """A rulebook cannot be read, or names something that does not exist."""


class ScriptError(SaniwaError):
    """A story cannot be read, or cannot be carried out."""


class ProcessError(SaniwaError):
    """A process cannot be found or read, or a role cannot be taken."""


class AgentError(SaniwaError):
    """An agent cannot be built, started or continued.

    The agent contract publishes the names of its subclasses.
    """


class ConfigurationError(AgentError):
    """An agent's definition cannot be found, read or used."""


class ConfigurationNotFoundError(ConfigurationError):
    """There is no `agent.json`."""


class ConfigurationParseError(ConfigurationError):
    """The definition is not JSON."""


class ConfigurationValidationError(ConfigurationError):
    """The definition is invalid; `details` lists every finding."""


class DependencyResolutionError(ConfigurationError):
    """Something the definition names cannot be found or loaded."""


class LifecycleError(AgentError):
    """An agent was started, stopped or called in the wrong order."""


class AlreadyStartedError(LifecycleError):
    """An agent was started a second time."""


class LoopError(AgentError):
    """An agent cannot continue: a loop, a limit, or no retries left."""


class SdkBridgeError(AgentError):
    """A model could not be called, or gave no answer."""


class SdkConnectionError(SdkBridgeError):
    """The model could not be reached, or the connection was lost."""


class SdkRateLimitError(SdkBridgeError):
    """The provider limits the rate of calls; try again later."""


class CompletionError(AgentError):
    """It could not be determined whether an agent is done."""


class PromptError(AgentError):
    """A prompt cannot be built."""


class PromptNotFoundError(PromptError):
    """The prompt file does not exist."""


class PromptParseError(PromptError):
    """The prompt's text is not a valid template."""


class TurnError(SaniwaError):
    """The turn pipeline itself failed; a refusal in the story is not an error."""


class RunError(SaniwaError):
    """A run cannot be opened, continued or replayed."""


class StoreError(SaniwaError):
    """Durable data could not be written or read back."""


class ProtocolError(SaniwaError):
    """A request line is not valid in the JSON lines protocol."""


class ExperimentError(SaniwaError):
    """An experiment cannot be planned, run or resumed."""


def make_rate_limit_error(what: str, seconds: float) -> ProtocolError:
    """Build the error for an exceeded limit, which lifts after `seconds`."""
    wait = max(1, math.ceil(seconds))
    return ProtocolError(
        "TOO_MANY_REQUESTS",
        what,
        hint=f"try again in {wait} second{'s' if wait > 1 else ''}",
        recoverable=True,
        details={"retry_after": wait},
    )
