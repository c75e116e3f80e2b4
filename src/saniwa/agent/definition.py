"""The definition of an agent: plain data, read from `agent.json` and its flow file.

`saniwa.agent.files` reads and checks the files; annotations say what a file may have.
"""

from math import inf
from typing import Annotated, Any, Literal, get_args

import msgspec

from saniwa.agent.field_kinds import (
    HANDLERS,
    OPTION,
    PATH,
    POSITIVE,
    PRESENT_TEXTS,
    SCHEMA,
    VALUES,
    WORD_LIST,
)
from saniwa.core.errors import ConfigurationValidationError
from saniwa.documents.record_reader import AMOUNT, COUNT, NOT_WRITTEN, WORD, WORDS, make_choice
from saniwa.process.format import ADDRESS

StepType = Literal["normal", "gateway", "subStep"]
"""A prompt to run, a branch or join, or a part of another step."""
CheckType = Literal["prompt", "action", "keyword"]
ExhaustedPolicy = Literal["error", "fallback", "skip"]
NotificationMethod = Literal["in_agent", "webhook", "log"]
ReturnFlow = Literal["resume", "abort", "restart"]

STEP_LOOP_LIMIT = 10
"""Runs of one step in a row, not counting retries, before it counts as an endless loop.
"""
DEFAULT_RETRIES = 3
"""Retries of a step that has a retry policy without a number."""


class _AgentPart(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Parts of a definition are written in camelCase."""


class PromptReference(_AgentPart, frozen=True):
    """Where a prompt is: a path, or three folder names and an edition."""

    path: Annotated[str, PATH] = ""
    """A file, relative to the flow's base path."""
    c1: Annotated[str, WORD] = ""
    """The first folder: `steps`."""
    c2: Annotated[str, WORD] = ""
    """The second: `initial`."""
    c3: Annotated[str, WORD] = ""
    """The third: `issue`."""
    edition: Annotated[str, WORD] = ""
    """The edition; `default` if empty."""
    adaptation: Annotated[str, WORD] = ""
    """A variant of the edition; if it has no file, the edition itself is used."""
    fallback: Annotated[str, PATH] = ""
    """A key of the agent's fallback folder, for a prompt that has no file."""

    def __str__(self) -> str:
        if self.path:
            return self.path
        name = f"f_{self.edition or 'default'}"
        adapted = f"{name}_{self.adaptation}" if self.adaptation else name
        return f"{self.c1}/{self.c2}/{self.c3}/{adapted}.md"


class RetryPolicy(_AgentPart, frozen=True):
    """How often a step is run again, unchanged, and what happens after that."""

    max_retries: Annotated[int, AMOUNT] = DEFAULT_RETRIES
    """Runs beyond the first."""
    on_exhausted: ExhaustedPolicy = "error"
    """What happens when the retries are used up."""
    fallback_step: str = ""
    """The step that `fallback` goes to."""


class StepTransition(_AgentPart, frozen=True):
    """What follows a check: exactly one of these fields is set."""

    next: str = ""
    """Continue with this step."""
    complete: bool = False
    """End the flow."""
    retry: RetryPolicy | None = None
    """Run the same step again."""
    escalate: bool = False
    """Do what the step's escalation says."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is set: then the step runs again."""
        return not (self.next or self.complete or self.retry or self.escalate)


class StepCheck(_AgentPart, frozen=True):
    """How to decide whether a step has done its work."""

    type: CheckType
    """What the check looks at."""
    prompt: PromptReference | None = None
    """The question for a model; only for `prompt`."""
    keywords: Annotated[tuple[str, ...], PRESENT_TEXTS] = ()
    """The keywords to look for; only for `keyword`."""
    mode: Literal["any", "all"] = "any"
    """Whether any keyword, or result, is enough."""
    on_pass: StepTransition = StepTransition()
    """What follows a pass."""
    on_fail: StepTransition = StepTransition()
    """What follows a fail."""


class Escalation(_AgentPart, frozen=True):
    """What happens when a step cannot be done."""

    escalate_to: str
    """A step for `in_agent`, an address for `webhook`, a name for `log`."""
    notification_method: NotificationMethod = "in_agent"
    """How it is announced."""
    return_flow: ReturnFlow = "resume"
    """What follows: back to the step, the end of the agent, or the first step again."""


class GatewayRoute(_AgentPart, frozen=True):
    """One way out of a gateway."""

    next: str = ""
    """The step it leads to."""
    complete: bool = False
    """Whether it leads to the end of the flow."""
    variable: str = ""
    """A variable, a step's output or a fact of the agent's port that decides; empty:
    the route always matches."""
    equals: Any = msgspec.UNSET
    """The value it must have; unset: it only has to exist."""
    contains: str = ""
    """A text it must contain, if it is a string."""


class AgentStep(_AgentPart, frozen=True):
    """One step of a flow."""

    id: str
    """Unique in its flow."""
    name: str = ""
    """Its display name."""
    type: StepType = "normal"
    """What kind of step it is."""
    prompt: PromptReference | None = None
    """The question to the model; None for a gateway and for a step of sub-steps."""
    check: StepCheck | None = None
    """How it is checked; a step without one leads to `next`, or runs again."""
    next: str = ""
    """The next step, if no check decides."""
    complete: bool = False
    """Whether the flow ends after it, if no check decides."""
    routes: tuple[GatewayRoute, ...] = ()
    """A gateway's routes, in order; the first that matches is taken."""
    sub_steps: tuple[str, ...] = ()
    """Steps that are run in order before it counts as done."""
    escalation: Escalation | None = None
    """What happens when it cannot be done."""
    min_iterations: Annotated[int, NOT_WRITTEN] = 1
    """Runs before a passing check lets the flow continue."""
    max_iterations: Annotated[int | None, NOT_WRITTEN] = None
    """Runs in a row before it counts as an endless loop; None: the flow's limit."""
    schema: Annotated[dict[str, Any] | None, SCHEMA, "outputSchema"] = None
    """A JSON Schema its answer must follow; its fields become variables."""
    variables: Annotated[tuple[str, ...], PRESENT_TEXTS] = ()
    """The variables its prompt needs, as the author lists them."""


class AgentFlow(_AgentPart, frozen=True, kw_only=True):
    """All steps of an agent."""

    version: str = ""
    """The author's version of the flow."""
    base_path: Annotated[str, PATH] = "prompts"
    """The folder of prompts, inside the agent's folder."""
    entry_step: str
    """The first step."""
    steps: dict[str, AgentStep]
    """Every step by its id."""
    step_loop_limit: Annotated[int, COUNT] = STEP_LOOP_LIMIT
    """Runs of one step in a row, not counting retries."""
    visit_limit: Annotated[int, COUNT] = 100
    """Visits of one step in all; ends loops that go through several steps."""
    edition: Annotated[str, WORD] = ""
    """The edition of prompts that name none."""
    adaptation: Annotated[str, WORD] = ""
    """The adaptation of prompts that name none."""


ParameterType = Literal["string", "number", "boolean", "array"]
_PARAMETER_TYPE = make_choice(
    *get_args(ParameterType),
    synonyms={
        "bool": "boolean",
        "float": "number",
        "int": "number",
        "integer": "number",
        "list": "array",
        "str": "string",
        "text": "string",
    },
)


class IterationBudget(_AgentPart, frozen=True, tag="iterationBudget", tag_field="type"):
    """Done after a number of iterations: for work that is a number of rounds."""

    max_iterations: Annotated[int, COUNT] = 100
    """How many."""


class CheckBudget(_AgentPart, frozen=True, tag="checkBudget", tag_field="type"):
    """Done after a number of step checks."""

    max_checks: Annotated[int, COUNT] = 10
    """How many."""


class KeywordSignal(_AgentPart, frozen=True, tag="keywordSignal", tag_field="type"):
    """Done when the model writes a keyword."""

    completion_keyword: Annotated[str, WORDS]
    """The keyword; anywhere in its answer."""


class StructuredSignal(_AgentPart, frozen=True, tag="structuredSignal", tag_field="type"):
    """Done when the model writes an object of a given type."""

    signal_type: Annotated[str, WORDS]
    """Its `type`."""
    required_fields: dict[str, Any] = {}
    """Fields it must have, with these values."""


class ExternalState(_AgentPart, frozen=True, tag="externalState", tag_field="type"):
    """Done when a fact outside holds: a gate's state, a goal, a flag."""

    fact: Annotated[str, WORDS] = "goal_reached"
    """The name of the fact, as the agent's port reports it."""
    equals: Any = True
    """The value it must have."""


class StepMachine(_AgentPart, frozen=True, tag="stepMachine", tag_field="type"):
    """Done when the flow is complete."""


class CustomCompletion(_AgentPart, frozen=True, tag="custom", tag_field="type"):
    """Done when a plugin says so: an entry point of the group `saniwa.completion`."""

    name: Annotated[str, WORDS]
    """The name of the entry point."""
    config: dict[str, Any] = {}
    """The settings it is given."""


class CompositeCompletion(_AgentPart, frozen=True, kw_only=True, tag="composite", tag_field="type"):
    """Done when any of several conditions holds, or all of them."""

    mode: Literal["any", "all"] = "any"
    """`any`: the first that holds ends the check; `all`: every one must hold."""
    conditions: tuple["CompletionDefinition", ...]
    """The conditions, in the order in which they are checked."""


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


class ParameterRule(_AgentPart, frozen=True):
    """What a parameter's value must satisfy."""

    min: float | None = None
    """The least number."""
    max: float | None = None
    """The greatest number."""
    pattern: str = ""
    """A regular expression the text must match as a whole."""
    enum: Annotated[tuple[Any, ...], VALUES] = ()
    """The only values allowed."""


class AgentParameter(_AgentPart, frozen=True):
    """A value that the user gives when starting an agent."""

    type: Annotated[ParameterType, _PARAMETER_TYPE] = "string"
    """Its type."""
    description: str = ""
    """What it is for."""
    required: bool = False
    """Whether it must be given."""
    default: Any = msgspec.UNSET
    """Its value if none is given."""
    cli: Annotated[str, OPTION] = ""
    """Its option on the command line: `--origin`."""
    validation: ParameterRule = ParameterRule()
    """What its value must satisfy."""


class ActionSettings(_AgentPart, frozen=True):
    """What an agent may do by writing blocks into its answers."""

    enabled: bool = False
    """Whether answers are searched for blocks."""
    types: tuple[str, ...] = ()
    """The types it may use: `speak`, `submit`."""
    output_format: str = "action"
    """The info string of the fenced blocks."""
    handlers: Annotated[dict[str, str], HANDLERS] = {}
    """The tools that perform other types, by type; the block's keys are its arguments.
    """

    @property
    def all_types(self) -> tuple[str, ...]:
        """The types it may use, with those that have a handler."""
        return tuple(dict.fromkeys((*self.types, *self.handlers)))


class CommandSettings(_AgentPart, frozen=True, kw_only=True):
    """A command that an agent may run as a tool."""

    command: Annotated[tuple[str, ...], WORD_LIST]
    """The program and its arguments; `{name}` is filled from the call."""
    description: str = ""
    """What it does, for the model."""
    parameters: Annotated[dict[str, Any] | None, SCHEMA] = None
    """The JSON Schema of the call's arguments; by default a text for each `{name}`."""
    timeout_seconds: Annotated[float, POSITIVE] = 60.0
    """When it is stopped."""
    max_output: Annotated[int, COUNT] = 20_000
    """Bytes of its output that are kept."""
    environment: Annotated[tuple[str, ...], PRESENT_TEXTS] = ()
    """Environment variables that it is given, besides `PATH`, `LANG`, `TZ`."""
    reads_only: bool = False
    """Whether it changes nothing: it needs no approval, and may be run again."""
    sandbox: bool = True
    """Whether it is kept to its workspace, where the system offers that."""
    read_folders: Annotated[tuple[str, ...], PRESENT_TEXTS] = ()
    """Other folders that it reads in its sandbox, from the workspace."""
    network: bool = False
    """Whether it may use TCP in its sandbox."""


class ToolServerSettings(_AgentPart, frozen=True, kw_only=True):
    """An MCP server whose tools an agent may use: a program, or an address."""

    command: Annotated[tuple[str, ...], WORD_LIST] = ()
    """The program and its arguments; it speaks MCP on stdin and stdout."""
    url: Annotated[str, ADDRESS] = ""
    """The address of a server that speaks MCP over HTTP."""
    environment: Annotated[tuple[str, ...], PRESENT_TEXTS] = ()
    """Environment variables that the program is given."""
    timeout_seconds: Annotated[float, POSITIVE] = 60.0
    """When a call is given up."""


class ToolSettings(_AgentPart, frozen=True, kw_only=True):
    """Where an agent's tools work, and which it brings along."""

    workspace: Annotated[str, PATH] = "workspace"
    """The folder of its files, below the folder in which it is run."""
    commands: dict[str, CommandSettings] = {}
    """Commands, by the name of their tool."""
    servers: dict[str, ToolServerSettings] = {}
    """MCP servers, by name; their tools are called `mcp__SERVER__TOOL`."""


class ModelSettings(_AgentPart, frozen=True):
    """Which model is asked, and with which settings."""

    use: str = ""
    """Such as `openai:gpt-5-mini`, `ollama:llama3`, `local:smollm2`, `canned:FILE`."""
    url: Annotated[str, ADDRESS] = ""
    """The address of an OpenAI-compatible server."""
    max_tokens: Annotated[int, COUNT] = 512
    """The longest answer, in tokens."""
    temperature: Annotated[float, POSITIVE] = 0.0
    """The sampling temperature."""
    seed: int | None = None
    """The seed."""
    history: Annotated[int, AMOUNT] = 20
    """Messages of a conversation that are sent again; 0: every question is sent alone.
    """
    tool_calls: Literal["native", "text"] = "native"
    """How the model calls tools: as its provider offers it, or by writing blocks."""


class AgentLimits(_AgentPart, frozen=True):
    """Where an agent is stopped, done or not. Reaching a limit is never success."""

    max_iterations: Annotated[int, COUNT] = 100
    """Iterations."""
    max_calls: Annotated[int | None, COUNT] = None
    """Requests to a model; each attempt at a question counts."""
    max_tokens: Annotated[int | None, COUNT] = None
    """Input and output tokens together."""
    max_cost: Annotated[float | None, POSITIVE] = None
    """US dollars."""
    max_tool_calls: Annotated[int, COUNT] = 200
    """Tool calls, refused ones included."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            # NaN compares as neither above nor below, so it would never stop the agent.
            if value is not None and not 0 <= value < inf:
                wrong = f"a limit must be a number of at least 0, but {name!r} is {value!r}"
                raise ConfigurationValidationError(
                    "CONFIG_INVALID",
                    wrong,
                    hint="remove it for no limit",
                    details={"errors": [wrong]},
                )


class LoggingSettings(_AgentPart, frozen=True):
    """Where an agent's journals go."""

    directory: Annotated[str, PATH] = "logs"
    """The folder, inside the agent's."""
    format: Literal["jsonl", "text"] = "jsonl"
    """How they are written; `text` is written in addition to the JSON lines."""
    max_files: Annotated[int, COUNT] = 100
    """Journals that are kept; the oldest finished ones are deleted."""


class AgentDefinition(_AgentPart, frozen=True, kw_only=True):
    """Everything about one agent, validated and complete."""

    version: str
    """The author's version; semver."""
    name: str
    """Lower-case words joined by hyphens."""
    display_name: str = ""
    """Its display name."""
    description: str = ""
    """What it is for."""
    folder: str = ""
    """Where it was read from, as the user named it."""
    system_prompt_path: str = "prompts/system.md"
    """The system prompt, inside its folder."""
    completion: CompletionDefinition = StepMachine()
    """When it is done."""
    speaks: bool = False
    """Whether everything it writes is spoken in the world: a character."""
    allowed_tools: tuple[str, ...] = ()
    """Tools it may use; a name that ends in `*` matches all names that start with it."""
    permission_mode: str = ""
    """`plan`, `acceptEdits` or `bypassPermissions`; empty: a person is asked before
    anything but reading."""
    tools: ToolSettings = ToolSettings()
    """Where its tools work, and which it brings along."""
    parameters: dict[str, AgentParameter] = {}
    """Values its user may give, by name."""
    fallback_dir: str = ""
    """The folder of prompts for references whose file is missing."""
    actions: ActionSettings = ActionSettings()
    """What it may do by writing blocks."""
    asking: ModelSettings = ModelSettings()
    """Which model it asks."""
    limits: AgentLimits = AgentLimits()
    """Where it is stopped."""
    logging: LoggingSettings = LoggingSettings()
    """Where its journals go."""
    flow: AgentFlow
    """Its steps."""
    continues: tuple[str, ...] = ()
    """Hashes of earlier editions of it, whose journals this edition goes on with."""
    hash: str = ""
    """SHA-256 in hex over all its files: identifies the definition of a journal or
    recording."""
