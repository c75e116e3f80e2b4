"""The contracts of an agent's layers, under their published names.

Each states what must hold before and after; `tests/contracts/agent` holds every
implementation to it. Queries change nothing; what changes something says so.
"""

from collections.abc import Mapping
from typing import Any, Literal, Protocol

import msgspec

from saniwa.agent.definition import AgentDefinition, PromptReference
from saniwa.agent.progress import ActionResult, AgentResult, IterationSummary, Progress
from saniwa.models.oracle import USABLE_FINISHES, FinishReason, TextListener, Usage


class ValidationResult(msgspec.Struct, frozen=True):
    """Whether a definition may be built from. Always: `valid` = no errors."""

    errors: tuple[str, ...] = ()
    """What keeps it from being used."""
    warnings: tuple[str, ...] = ()
    """What one may live with."""

    @property
    def valid(self) -> bool:
        """Whether there are no errors; warnings do not count."""
        return not self.errors


class BuildOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What may be said when an agent is built."""

    arguments: dict[str, Any] = {}
    """Values for its parameters, by name."""
    max_iterations: int | None = None
    """Another hard stop than its own."""


class StartOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What may be said when an agent is started."""

    resume: bool = False
    """Whether to go on where its journal ends."""
    paced: bool = False
    """Whether somebody else says when it takes its turns, as at a table with seats."""


class QueryOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a model is asked."""

    conversation_id: str | None = msgspec.field(default=None, name="sessionId")
    """The provider's session: go on with it; None for a new one."""
    system: str = ""
    """What the model is told about itself."""
    schema: dict[str, Any] | None = None
    """A JSON Schema the answer must follow."""
    max_tokens: int = 512
    """The longest answer."""
    temperature: float = 0.0
    """How freely it chooses its words."""
    seed: int | None = None
    """Where its chance starts."""
    hear: TextListener | None = None
    """Is given the answer piece by piece."""


class QueryResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a model said."""

    messages: tuple[str, ...]
    """Its texts; never without any."""
    conversation_id: str = msgspec.field(name="sessionId")
    """The session this was part of: a new one where the old was lost."""
    finish: FinishReason = "stop"
    """How it ended."""
    reason: str = ""
    """What the model or the provider says about an end that is not `stop`."""
    usage: Usage = Usage()
    """What it cost."""
    model: str = ""
    """Who answered."""
    key: str = ""
    """What the request is known by: the same request, the same key."""
    mended: tuple[str, ...] = ()
    """What went wrong on the way and another attempt made good."""

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self.messages)

    @property
    def is_whole(self) -> bool:
        """Whether it may be acted on: it was not cut off, refused, filtered or a call."""
        return self.finish in USABLE_FINISHES


class CompletionCase(msgspec.Struct, frozen=True, kw_only=True):
    """What a completion looks at."""

    iteration: int
    """Iterations done; at least 1."""
    response: QueryResult
    """What the model said in the last of them."""
    summary: IterationSummary
    """That iteration."""
    checks: int = 0
    """Step checks asked so far."""
    step: str = ""
    """Where the flow stands; empty once it is through."""
    flow_complete: bool = False
    """Whether the flow has come to its end."""
    facts: Mapping[str, Any] = {}
    """What the floor says is so, after this iteration."""


class CompletionResult(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an agent is done."""

    complete: bool
    """Whether it is."""
    reason: str = ""
    """Why; never empty where it is."""


class StepCase(msgspec.Struct, frozen=True, kw_only=True):
    """What a step's check looks at; each type at its own part and no other."""

    type: Literal["prompt", "action", "keyword"]
    """`prompt` asks a model about the response, `action` looks at the results alone,
    `keyword` at the texts alone."""
    response: QueryResult
    """What the model said."""
    action_results: tuple[ActionResult, ...] = ()
    """What came of what it did."""
    variables: Mapping[str, str] = {}
    """What its prompt was made with, for a check that asks a model."""


class StepCheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a step's check says."""

    passed: bool
    """Whether the step has done what it is for."""
    reason: str = ""
    """Why, or why not."""
    usage: Usage = Usage()
    """What asking cost."""
    key: str = ""
    """What the request to the model is known by, where one was asked."""
    answer: str = ""
    """What the model said, where one was asked."""


class ConfigurationLoader(Protocol):
    """Layer -1: definitions from their folder. Queries only."""

    async def load(self, agent_path: str) -> AgentDefinition:
        """The definition in a folder. Pre: a folder. Post: the definition is valid.

        Raises:
            ConfigurationNotFoundError: There is no `agent.json`.
            ConfigurationParseError: It is no JSON.
            ConfigurationValidationError: It is not valid; every finding is named.
        """
        ...

    def validate(self, definition: AgentDefinition) -> ValidationResult:
        """Whether it may be built from. Post: `valid` means no errors."""
        ...


class AgentFactory(Protocol):
    """Layer -1: agents from definitions."""

    def build(
        self, definition: AgentDefinition, options: BuildOptions | None = None
    ) -> "Lifecycle":
        """An agent that can be started. Pre: the definition is valid.

        Raises:
            DependencyResolutionError: Something it names cannot be had.
        """
        ...


class Lifecycle(Protocol):
    """Layer 0: created, started, stopped; one way only."""

    async def start(self, options: StartOptions) -> None:
        """Begin. Pre: never started. Post: everything is ready, and it can be stopped.

        Raises:
            AlreadyStartedError: From the second time on.
        """
        ...

    async def stop(self) -> AgentResult:
        """End, and say what became of it. Pre: started.

        Post: everything is released and the journal flushed; it never starts again. The
        same result however often it is asked.

        Raises:
            LifecycleError: `NOT_STARTED`.
        """
        ...


class Loop(Protocol):
    """Layer 1: iterations until done, or until an error says why not."""

    async def run(self, progress: Progress) -> AgentResult:
        """Run. Pre: no iteration done. Post: success, or an error is set."""
        ...


class SdkBridge(Protocol):
    """Layer 2: the only way to a model."""

    async def query(self, prompt: str, options: QueryOptions) -> QueryResult:
        """Ask. Pre: the prompt is not empty. Post: one conversation keeps one id.

        Raises:
            SdkConnectionError: The model could not be reached.
            SdkRateLimitError: The provider asks for patience.
        """
        ...

    def get_session_id(self) -> str | None:
        """The conversation asked last; None before the first question."""
        ...


class CompletionHandler(Protocol):
    """Layer 3: whether the agent as a whole is done. `check` updates, the rest ask."""

    async def check(self, case: CompletionCase) -> CompletionResult:
        """Look, and remember. Pre: an iteration is done. Post: complete has a reason.

        Raises:
            CompletionError: It could not be found out.
        """
        ...

    def is_complete(self) -> bool:
        """What the last `check` said."""
        ...

    def get_reason(self) -> str:
        """Why; never empty where it is complete."""
        ...


class CompositeCompletionHandler(CompletionHandler, Protocol):
    """Several conditions in order: one of them, or all."""

    def get_condition_states(self) -> dict[str, bool]:
        """What each condition said last; one that was not asked has not said yes."""
        ...


class PromptResolver(Protocol):
    """Layer 4: prompts from files, with their variables filled in."""

    async def resolve(
        self, ref: PromptReference, variables: Mapping[str, str] | None = None
    ) -> str:
        """The prompt; never empty. A variable nobody knows stays, with a warning.

        Raises:
            PromptNotFoundError: There is no such file.
            PromptParseError: Its text is no template.
        """
        ...

    async def resolve_system(self, variables: Mapping[str, str] | None = None) -> str:
        """The system prompt; never empty.

        Raises:
            PromptNotFoundError: There is no such file.
            PromptParseError: Its text is no template.
        """
        ...


class StepChecker(Protocol):
    """Layer 3.5: whether one step has done what it is for."""

    async def check(self, case: StepCase) -> StepCheckResult:
        """Look. Pre: the step has a check. A check that asks a model asks once."""
        ...
