"""An agent as its author defined it: plain data, read from `agent.json` and its flow."""

from math import inf
from typing import Any, Literal

import msgspec

from saniwa.core.errors import ConfigurationValidationError

StepType = Literal["normal", "gateway", "subStep"]
"""A prompt to run, a place where ways part or join, or a part of another step."""
CheckType = Literal["prompt", "action", "keyword"]
ExhaustedPolicy = Literal["error", "fallback", "skip"]
NotificationMethod = Literal["in_agent", "webhook", "log"]
ReturnFlow = Literal["resume", "abort", "restart"]

STEP_LOOP_LIMIT = 10
"""Runs of one step in a row, retries aside, before the loop is taken for endless."""
DEFAULT_RETRIES = 3
"""Retries of a step that asks for them and names no number."""


class _FlowPart(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """Parts of a flow are written in camelCase."""


class PromptReference(_FlowPart, frozen=True):
    """Where a prompt is: a path, or the three words of its folder and its edition."""

    path: str = ""
    """A file, relative to the flow's base path."""
    c1: str = ""
    """The first folder: `steps`."""
    c2: str = ""
    """The second: `initial`."""
    c3: str = ""
    """The third: `issue`."""
    edition: str = ""
    """Which edition; `default` where none is named."""
    adaptation: str = ""
    """A variant of the edition; the edition itself where there is no such file."""
    fallback: str = ""
    """A key of the agent's fallback folder, for a prompt that has no file."""

    def __str__(self) -> str:
        if self.path:
            return self.path
        name = f"f_{self.edition or 'default'}"
        adapted = f"{name}_{self.adaptation}" if self.adaptation else name
        return f"{self.c1}/{self.c2}/{self.c3}/{adapted}.md"


class RetryPolicy(_FlowPart, frozen=True):
    """How often a step is run again, unchanged, and what happens then."""

    max_retries: int = DEFAULT_RETRIES
    """Runs beyond the first."""
    on_exhausted: ExhaustedPolicy = "error"
    """What happens when they are used up."""
    fallback_step: str = ""
    """Where `fallback` leads."""


class StepTransition(_FlowPart, frozen=True):
    """What follows a check: exactly one of these."""

    next: str = ""
    """Go on with this step."""
    complete: bool = False
    """The flow has come to its end."""
    retry: RetryPolicy | None = None
    """Run the same step again."""
    escalate: bool = False
    """Do what the step's escalation says."""

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing: then the step stays."""
        return not (self.next or self.complete or self.retry or self.escalate)


class StepCheck(_FlowPart, frozen=True):
    """How one finds out whether a step has done what it is for."""

    type: CheckType
    """Whom to ask."""
    prompt: PromptReference | None = None
    """The question for a model; only for `prompt`."""
    keywords: tuple[str, ...] = ()
    """The words to look for; only for `keyword`."""
    mode: Literal["any", "all"] = "any"
    """Whether one word, or one result, is enough."""
    on_pass: StepTransition = StepTransition()
    """What follows a yes."""
    on_fail: StepTransition = StepTransition()
    """What follows a no."""


class Escalation(_FlowPart, frozen=True):
    """What happens when a step cannot be done here."""

    escalate_to: str
    """A step for `in_agent`, an address for `webhook`, a name for `log`."""
    notification_method: NotificationMethod = "in_agent"
    """How it is told."""
    return_flow: ReturnFlow = "resume"
    """What follows: back to the step, the agent's end, or the first step again."""


class GatewayRoute(_FlowPart, frozen=True):
    """One way out of a gateway."""

    next: str = ""
    """The step it leads to."""
    complete: bool = False
    """Whether it leads to the flow's end."""
    variable: str = ""
    """A variable, a step's output or a fact of the floor that decides; none: always."""
    equals: Any = msgspec.UNSET
    """The value it must have; unset: it only has to be there."""
    contains: str = ""
    """A word it must contain, if it is a text."""


class AgentStep(_FlowPart, frozen=True):
    """One step of a flow."""

    id: str
    """Unique in its flow."""
    name: str = ""
    """What people call it."""
    type: StepType = "normal"
    """What kind of step it is."""
    prompt: PromptReference | None = None
    """What the model is asked; none for a gateway and for a step of sub-steps."""
    check: StepCheck | None = None
    """How it is checked; a step without one leads to `next`, or stays."""
    next: str = ""
    """Where it leads, where no check decides."""
    complete: bool = False
    """Whether the flow ends after it, where no check decides."""
    routes: tuple[GatewayRoute, ...] = ()
    """A gateway's ways out, in order; the first that fits is taken."""
    sub_steps: tuple[str, ...] = ()
    """Steps that are run in order before it counts as done."""
    escalation: Escalation | None = None
    """What happens when it cannot be done."""
    min_iterations: int = 1
    """Runs before a passing check lets it go on."""
    max_iterations: int | None = None
    """Runs in a row that are no endless loop; the flow's limit where it says nothing."""
    schema: dict[str, Any] | None = None
    """A JSON Schema its answer must follow; its fields become variables."""
    variables: tuple[str, ...] = ()
    """The variables its prompt needs, as the author lists them."""


class AgentFlow(_FlowPart, frozen=True, kw_only=True):
    """All steps of an agent."""

    version: str = ""
    """The author's version of the flow."""
    base_path: str = "prompts"
    """The folder prompts are found in, inside the agent's."""
    entry_step: str
    """Where it begins."""
    steps: dict[str, AgentStep]
    """Every step by its id."""
    step_loop_limit: int = STEP_LOOP_LIMIT
    """Runs of one step in a row, retries aside."""
    visit_limit: int = 100
    """Visits of one step in all: the end of loops that go round several."""
    edition: str = ""
    """The edition of prompts that name none."""
    adaptation: str = ""
    """The adaptation of prompts that name none."""


ParameterType = Literal["string", "number", "boolean", "array"]


class _DefinitionPart(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """Parts of a definition are written in camelCase."""


class IterationBudget(
    _DefinitionPart, frozen=True, tag="iterationBudget", tag_field="type"
):
    """Done after so many iterations: for work that is a number of rounds."""

    max_iterations: int = 100
    """How many."""


class CheckBudget(_DefinitionPart, frozen=True, tag="checkBudget", tag_field="type"):
    """Done after so many step checks."""

    max_checks: int = 10
    """How many."""


class KeywordSignal(
    _DefinitionPart, frozen=True, tag="keywordSignal", tag_field="type"
):
    """Done when the model says a word."""

    completion_keyword: str
    """The word; anywhere in what it says."""


class StructuredSignal(
    _DefinitionPart, frozen=True, tag="structuredSignal", tag_field="type"
):
    """Done when the model says an object of a type."""

    signal_type: str
    """Its `type`."""
    required_fields: dict[str, Any] = {}
    """Fields it must have, with these values."""


class ExternalState(
    _DefinitionPart, frozen=True, tag="externalState", tag_field="type"
):
    """Done when something outside is so: a gate's state, a goal, a flag."""

    fact: str = "goal_reached"
    """What the floor is asked."""
    equals: Any = True
    """What it must say."""


class StepMachine(_DefinitionPart, frozen=True, tag="stepMachine", tag_field="type"):
    """Done when the flow has come to its end."""


class CustomCompletion(_DefinitionPart, frozen=True, tag="custom", tag_field="type"):
    """Done when a plugin says so: an entry point of the group `saniwa.completion`."""

    name: str
    """The entry point."""
    config: dict[str, Any] = {}
    """What it is given."""


class CompositeCompletion(
    _DefinitionPart, frozen=True, kw_only=True, tag="composite", tag_field="type"
):
    """Done when one of several conditions holds, or all of them."""

    mode: Literal["any", "all"] = "any"
    """One, and then no later one is asked; or all."""
    conditions: tuple["CompletionDefinition", ...]
    """The conditions, in the order in which they are asked."""


CompletionDefinition = (
    IterationBudget
    | CheckBudget
    | KeywordSignal
    | StructuredSignal
    | ExternalState
    | StepMachine
    | CustomCompletion
    | CompositeCompletion
)
"""When an agent is done."""


class ParameterRule(_DefinitionPart, frozen=True):
    """What a parameter's value must satisfy."""

    min: float | None = None
    """The least number."""
    max: float | None = None
    """The greatest number."""
    pattern: str = ""
    """A regular expression the text must match as a whole."""
    enum: tuple[Any, ...] = ()
    """The only values allowed."""


class AgentParameter(_DefinitionPart, frozen=True):
    """Something the user of an agent says when starting it."""

    type: ParameterType = "string"
    """What it is."""
    description: str = ""
    """What it is for."""
    required: bool = False
    """Whether it must be said."""
    default: Any = msgspec.UNSET
    """Its value where nobody says one."""
    cli: str = ""
    """Its option on the command line: `--origin`."""
    validation: ParameterRule = ParameterRule()
    """What its value must satisfy."""


class ActionSettings(_DefinitionPart, frozen=True):
    """What an agent may do by writing blocks into its answers."""

    enabled: bool = False
    """Whether blocks are looked for."""
    types: tuple[str, ...] = ()
    """The types it may use: `speak`, `submit`."""
    output_format: str = "action"
    """The info string of the fenced blocks."""


class ModelSettings(_DefinitionPart, frozen=True):
    """Which model is asked, and how."""

    use: str = ""
    """Such as `openai:gpt-5-mini`, `ollama:llama3`, `local:smollm2`, `canned:FILE`."""
    url: str = ""
    """The address of an OpenAI-compatible server."""
    max_tokens: int = 512
    """The longest answer."""
    temperature: float = 0.0
    """How freely it chooses its words."""
    seed: int | None = None
    """Where its chance starts."""
    history: int = 20
    """Messages of a conversation that are told again; 0: every question stands alone."""


class AgentLimits(_DefinitionPart, frozen=True):
    """Where an agent is stopped, done or not. Reaching one is never success."""

    max_iterations: int = 100
    """Iterations."""
    max_calls: int | None = None
    """Requests to a model; each attempt at a question is one."""
    max_tokens: int | None = None
    """Tokens told and said."""
    max_cost: float | None = None
    """US dollars."""

    def __post_init__(self) -> None:
        for name in ("max_iterations", "max_calls", "max_tokens", "max_cost"):
            value = getattr(self, name)
            # Nothing is above or below what is no number: it would stop nobody.
            if value is not None and not 0 <= value < inf:
                raise _make_limit_error(
                    f"a limit is a number from 0 on, and {name!r} is {value!r}"
                )


def _make_limit_error(wrong: str) -> ConfigurationValidationError:
    return ConfigurationValidationError(
        "CONFIG_INVALID",
        wrong,
        hint="leave it out where there is to be none",
        details={"errors": [wrong]},
    )


class LoggingSettings(_DefinitionPart, frozen=True):
    """Where an agent's journals go."""

    directory: str = "logs"
    """The folder, inside the agent's."""
    format: Literal["jsonl", "text"] = "jsonl"
    """How they are written; `text` is written beside the JSON lines."""
    max_files: int = 100
    """Journals that are kept; the oldest finished ones go."""


class AgentDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """Everything about one agent, checked and complete."""

    version: str
    """The author's version; semver."""
    name: str
    """Lower-case words joined by hyphens."""
    display_name: str = ""
    """What people call it."""
    description: str = ""
    """What it is for."""
    folder: str = ""
    """Where it was read from, as the user named it."""
    system_prompt_path: str = "prompts/system.md"
    """The system prompt, inside its folder."""
    completion: CompletionDefinition = StepMachine()
    """When it is done."""
    speaks: bool = False
    """Whether all it says is said aloud on its floor: a character."""
    allowed_tools: tuple[str, ...] = ()
    """Tools it may use; kept for hosts, none is run here."""
    permission_mode: str = ""
    """`plan`, `acceptEdits` or `bypassPermissions`; kept for hosts."""
    parameters: dict[str, AgentParameter] = {}
    """What its user may say, by name."""
    fallback_dir: str = ""
    """The folder of prompts for references whose file is missing."""
    actions: ActionSettings = ActionSettings()
    """What it may do by blocks."""
    asking: ModelSettings = ModelSettings()
    """Which model it asks."""
    limits: AgentLimits = AgentLimits()
    """Where it is stopped."""
    logging: LoggingSettings = LoggingSettings()
    """Where its journals go."""
    flow: AgentFlow
    """Its steps."""
    hash: str = ""
    """SHA-256 in hex over all its files: what a journal and a recording were made with."""
