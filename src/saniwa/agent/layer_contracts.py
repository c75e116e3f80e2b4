"""The contracts of an agent's layers, under their published names.

Each states what must hold before and after; `tests/contracts/agent` tests every
implementation against it. Queries change nothing; methods that change something say so.
"""

from collections.abc import Mapping
from typing import Any, Literal, Protocol

import msgspec

from saniwa.agent.definition import AgentDefinition, PromptReference
from saniwa.models.oracle import (
    USABLE_FINISHES,
    FinishReason,
    OracleMessage,
    TextListener,
    ToolCall,
    ToolOffer,
    Usage,
)

AgentPhase = Literal["created", "started", "stopped"]
"""The phase of an agent's life; it only moves forward."""
WAITING_CODES = ("AGENT_WAITING", "TOOL_APPROVAL_NEEDED", "TOOL_UNCERTAIN")
"""The errors of agents that stopped because a person has to act first."""


class _Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Records are written in camelCase; defaults are omitted."""


class _CompleteRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Results are written complete, including empty fields."""


class ActionResult(_Record, frozen=True):
    """The result of one action of an agent."""

    type: str
    """The action: `speak`, `submit`."""
    success: bool
    """Whether it took effect: a verdict or a ruling allowed it."""
    code: str = ""
    """The code of the refusal."""
    message: str = ""
    """The reason for the refusal, as guidance for the agent."""
    details: dict[str, Any] = {}
    """The turn's number, the event's id and the like."""


class IterationSummary(_Record, frozen=True):
    """One iteration, as it is stored."""

    iteration: int
    """Its number; from 1."""
    step: str = ""
    """Its step."""
    conversation_id: str | None = msgspec.field(default=None, name="sessionId")
    """The conversation it was part of."""
    assistant_responses: tuple[str, ...] = ()
    """The model's answers; long ones are cut here, and complete in the journal."""
    tools_used: tuple[str, ...] = ()
    """Tools the model called, in order, with those that were refused."""
    detected_actions: tuple[dict[str, Any], ...] = ()
    """The actions it asked for."""
    action_results: tuple[ActionResult, ...] = ()
    """The results of these actions."""
    passed: bool | None = None
    """The result of the step's check; None if there was none."""
    errors: tuple[str, ...] = ()
    """Errors that did not end the agent: a retried call, a block that could not be
    read."""
    usage: Usage = Usage()
    """What it cost."""


class IterationCarry(_Record, frozen=True):
    """What one iteration passes to the next."""

    previous_response: str = ""
    """The model's last answer."""
    accumulated: dict[str, Any] = msgspec.field(default_factory=dict, name="accumulatedContext")
    """The outputs of steps, by `step_key`."""


class Progress(_Record, frozen=True):
    """The state of a loop; the agent contract calls it the runtime context."""

    conversation_id: str | None = msgspec.field(default=None, name="sessionId")
    """The provider's conversation; None for a new one."""
    iteration: int = 0
    """How many iterations are done."""
    summaries: tuple[IterationSummary, ...] = ()
    """One for each of them."""
    carry: IterationCarry = IterationCarry()
    """What the next iteration is given."""


class AgentProblem(_CompleteRecord, frozen=True):
    """Why an agent did not finish."""

    code: str
    """The error's code."""
    message: str
    """What went wrong."""
    recoverable: bool = False
    """Whether resuming later may succeed."""
    hint: str = ""
    """What to do."""
    iteration: int = 0
    """The iteration in which it happened."""
    cause: str = ""
    """The underlying error, if there is one."""


class AgentResult(_CompleteRecord, frozen=True):
    """The result of an agent: done, or stopped by a named error."""

    success: bool
    """Whether its completion check passed; reaching a limit is not success."""
    total_iterations: int = 0
    """How many iterations there were."""
    completion_reason: str = ""
    """Why it is done."""
    error: AgentProblem | None = None
    """Why it is not done; set whenever `success` is false."""
    summaries: tuple[IterationSummary, ...] = ()
    """One for each iteration."""
    usage: Usage = Usage()
    """What all of it cost."""
    visits: dict[str, int] = {}
    """How often each step was entered."""


class ValidationResult(msgspec.Struct, frozen=True):
    """Whether a definition can be built. Invariant: `valid` means no errors."""

    errors: tuple[str, ...] = ()
    """Mistakes that prevent its use."""
    warnings: tuple[str, ...] = ()
    """Mistakes that do not prevent its use."""

    @property
    def valid(self) -> bool:
        """Whether there are no errors; warnings do not count."""
        return not self.errors


class BuildOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options for building an agent."""

    arguments: dict[str, Any] = {}
    """Values for its parameters, by name."""
    max_iterations: int | None = None
    """A hard limit that replaces the definition's own."""


class StartOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options for starting an agent."""

    resume: bool = False
    """Whether to continue where its journal ends."""
    paced: bool = False
    """Whether the host decides when it takes its turns, as at a table with seats."""


class QueryOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a model is asked."""

    conversation_id: str | None = msgspec.field(default=None, name="sessionId")
    """The provider's session to continue; None for a new one."""
    system: str = ""
    """The system prompt."""
    schema: dict[str, Any] | None = None
    """A JSON Schema the answer must follow."""
    max_tokens: int = 512
    """The longest answer, in tokens."""
    temperature: float = 0.0
    """The sampling temperature."""
    seed: int | None = None
    """The seed."""
    hear: TextListener | None = None
    """Receives the answer piece by piece."""
    tools: tuple[ToolOffer, ...] = ()
    """The tools that the model may call."""
    exchange: tuple[OracleMessage, ...] = ()
    """What followed the prompt so far: the model's tool calls and their results."""
    awaits_rest: bool = False
    """Whether the rest of an answer that is cut off will be asked for."""


class QueryResult(msgspec.Struct, frozen=True, kw_only=True):
    """A model's answer."""

    messages: tuple[str, ...]
    """Its texts; at least one."""
    conversation_id: str = msgspec.field(name="sessionId")
    """The session it was part of: a new one if the old one was lost."""
    finish: FinishReason = "stop"
    """How it ended."""
    reason: str = ""
    """What the model or the provider says about a finish other than `stop`."""
    usage: Usage = Usage()
    """What it cost."""
    model: str = ""
    """The model that answered."""
    key: str = ""
    """The key of the request; equal requests have equal keys."""
    mended: tuple[str, ...] = ()
    """Errors of earlier attempts, before one succeeded."""
    calls: tuple[ToolCall, ...] = ()
    """The tools that the model calls before it answers."""
    goes_on: bool = msgspec.field(default=False, name="goesOn")
    """Whether it was cut off, and its rest is asked for."""

    @property
    def text(self) -> str:
        """All texts, joined by newlines."""
        return "\n".join(self.messages)

    @property
    def is_whole(self) -> bool:
        """Whether it may be acted on: not cut off, refused, filtered or a tool call."""
        return self.finish in USABLE_FINISHES


class CompletionCase(msgspec.Struct, frozen=True, kw_only=True):
    """What a completion check looks at."""

    iteration: int
    """Iterations done; at least 1."""
    response: QueryResult
    """The model's answer in the last iteration."""
    summary: IterationSummary
    """The summary of that iteration."""
    checks: int = 0
    """Step checks done so far."""
    step: str = ""
    """The current step of the flow; empty once the flow is complete."""
    flow_complete: bool = False
    """Whether the flow is complete."""
    facts: Mapping[str, Any] = {}
    """The facts that the agent's port reports after this iteration."""


class CompletionResult(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an agent is done."""

    complete: bool
    """Whether it is done."""
    reason: str = ""
    """Why; never empty if it is done."""


class StepCase(msgspec.Struct, frozen=True, kw_only=True):
    """What a step's check looks at; each type uses its own fields only."""

    type: Literal["prompt", "action", "keyword"]
    """`prompt` asks a model about the response, `action` looks only at the action
    results, `keyword` only at the texts."""
    response: QueryResult
    """The model's answer."""
    action_results: tuple[ActionResult, ...] = ()
    """The results of its actions."""
    variables: Mapping[str, str] = {}
    """The variables of its prompt, for a check that asks a model."""


class StepCheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a step's check."""

    passed: bool
    """Whether the step has done its work."""
    reason: str = ""
    """Why, or why not."""
    usage: Usage = Usage()
    """What the check cost."""
    key: str = ""
    """The key of the request, if a model was asked."""
    answer: str = ""
    """The model's answer, if one was asked."""


class ConfigurationLoader(Protocol):
    """Layer -1: loads definitions from their folders. Queries only."""

    async def load(self, agent_path: str) -> AgentDefinition:
        """Load the definition in a folder. Pre: a folder.

        Post: the definition is valid.

        Raises:
            ConfigurationNotFoundError: There is no `agent.json`.
            ConfigurationParseError: It is not JSON.
            ConfigurationValidationError: It is invalid; every finding is listed.
        """

    def validate(self, definition: AgentDefinition) -> ValidationResult:
        """Say whether it can be built. Post: `valid` means no errors."""


class AgentFactory(Protocol):
    """Layer -1: builds agents from definitions."""

    def build(
        self, definition: AgentDefinition, options: BuildOptions | None = None
    ) -> "Lifecycle":
        """Build an agent that can be started. Pre: the definition is valid.

        Raises:
            DependencyResolutionError: Something it names is not available.
        """


class Lifecycle(Protocol):
    """Layer 0: created, started, stopped; in this order only."""

    async def start(self, options: StartOptions) -> None:
        """Start. Pre: never started. Post: everything is ready, and it can be stopped.

        Raises:
            AlreadyStartedError: From the second time on.
        """

    async def stop(self) -> AgentResult:
        """Stop and return the result. Pre: started.

        Post: everything is released and the journal flushed; it never starts again.
        Later calls return the same result.

        Raises:
            LifecycleError: `NOT_STARTED`.
        """


class Loop(Protocol):
    """Layer 1: iterates until the agent is done or an error stops it."""

    async def run(self, progress: Progress) -> AgentResult:
        """Run. Pre: no iteration done. Post: success, or an error is set."""


class SdkBridge(Protocol):
    """Layer 2: the only way to a model."""

    async def query(self, prompt: str, options: QueryOptions) -> QueryResult:
        """Ask. Pre: the prompt is not empty. Post: one conversation keeps one id.

        Raises:
            SdkConnectionError: The model could not be reached.
            SdkRateLimitError: The provider limits the rate of requests.
        """

    def get_session_id(self) -> str | None:
        """The conversation of the last question; None before the first."""


class CompletionHandler(Protocol):
    """Layer 3: whether the whole agent is done.

    `check` updates state, the rest are queries.
    """

    async def check(self, case: CompletionCase) -> CompletionResult:
        """Check and remember. Pre: an iteration is done. Post: done has a reason.

        Raises:
            CompletionError: It could not be determined.
        """

    def is_complete(self) -> bool:
        """The result of the last `check`."""

    def get_reason(self) -> str:
        """Why; never empty if it is complete."""


class CompositeCompletionHandler(CompletionHandler, Protocol):
    """Several conditions in order: any of them, or all."""

    def get_condition_states(self) -> dict[str, bool]:
        """The last result of each condition; False for one that was not checked."""


class PromptResolver(Protocol):
    """Layer 4: prompts from files, with their variables filled in."""

    async def resolve(
        self, ref: PromptReference, variables: Mapping[str, str] | None = None
    ) -> str:
        """Return the prompt; never empty. An unknown variable stays, with a warning.

        Raises:
            PromptNotFoundError: There is no such file.
            PromptParseError: Its text is not a valid template.
        """

    async def resolve_system(self, variables: Mapping[str, str] | None = None) -> str:
        """Return the system prompt; never empty.

        Raises:
            PromptNotFoundError: There is no such file.
            PromptParseError: Its text is not a valid template.
        """


class StepChecker(Protocol):
    """Layer 3.5: whether one step has done its work."""

    async def check(self, case: StepCase) -> StepCheckResult:
        """Check the case. Pre: the step has a check.

        A check that asks a model asks once.
        """


class EscalationNotifier(Protocol):
    """Notifies an outside address of an escalation."""

    async def notify(self, address: str, message: Mapping[str, Any]) -> None:
        """Send the message.

        Raises:
            LoopError: `ESCALATION_UNDELIVERED`.
        """
