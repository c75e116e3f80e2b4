"""An agent as its author defined it: plain data, read from `agent.json` and its flow."""

from math import inf
from typing import Any, Literal

import msgspec

from saniwa.agent.flow import Flow
from saniwa.core.errors import ConfigurationValidationError

ParameterType = Literal["string", "number", "boolean", "array"]


class _Part(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """Parts of a definition are written in camelCase."""


class IterationBudget(_Part, frozen=True, tag="iterationBudget", tag_field="type"):
    """Done after so many iterations: for work that is a number of rounds."""

    max_iterations: int = 100
    """How many."""


class CheckBudget(_Part, frozen=True, tag="checkBudget", tag_field="type"):
    """Done after so many step checks."""

    max_checks: int = 10
    """How many."""


class KeywordSignal(_Part, frozen=True, tag="keywordSignal", tag_field="type"):
    """Done when the model says a word."""

    completion_keyword: str
    """The word; anywhere in what it says."""


class StructuredSignal(_Part, frozen=True, tag="structuredSignal", tag_field="type"):
    """Done when the model says an object of a type."""

    signal_type: str
    """Its `type`."""
    required_fields: dict[str, Any] = {}
    """Fields it must have, with these values."""


class ExternalState(_Part, frozen=True, tag="externalState", tag_field="type"):
    """Done when something outside is so: a gate's state, a goal, a flag."""

    fact: str = "goal_reached"
    """What the floor is asked."""
    equals: Any = True
    """What it must say."""


class StepMachine(_Part, frozen=True, tag="stepMachine", tag_field="type"):
    """Done when the flow has come to its end."""


class Custom(_Part, frozen=True, tag="custom", tag_field="type"):
    """Done when a plugin says so: an entry point of the group `saniwa.completion`."""

    name: str
    """The entry point."""
    config: dict[str, Any] = {}
    """What it is given."""


class Composite(_Part, frozen=True, kw_only=True, tag="composite", tag_field="type"):
    """Done when one of several conditions holds, or all of them."""

    mode: Literal["any", "all"] = "any"
    """One, and then no later one is asked; or all."""
    conditions: tuple["Completion", ...]
    """The conditions, in the order in which they are asked."""


Completion = (
    IterationBudget
    | CheckBudget
    | KeywordSignal
    | StructuredSignal
    | ExternalState
    | StepMachine
    | Custom
    | Composite
)
"""When an agent is done."""


class Rule(_Part, frozen=True):
    """What a parameter's value must satisfy."""

    min: float | None = None
    """The least number."""
    max: float | None = None
    """The greatest number."""
    pattern: str = ""
    """A regular expression the text must match as a whole."""
    enum: tuple[Any, ...] = ()
    """The only values allowed."""


class Parameter(_Part, frozen=True):
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
    validation: Rule = Rule()
    """What its value must satisfy."""


class Actions(_Part, frozen=True):
    """What an agent may do by writing blocks into its answers."""

    enabled: bool = False
    """Whether blocks are looked for."""
    types: tuple[str, ...] = ()
    """The types it may use: `speak`, `submit`."""
    output_format: str = "action"
    """The info string of the fenced blocks."""


class Asking(_Part, frozen=True):
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


class Limits(_Part, frozen=True):
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
                raise _unfit(
                    f"a limit is a number from 0 on, and {name!r} is {value!r}"
                )


def _unfit(wrong: str) -> ConfigurationValidationError:
    return ConfigurationValidationError(
        "CONFIG_INVALID",
        wrong,
        hint="leave it out where there is to be none",
        details={"errors": [wrong]},
    )


class Logging(_Part, frozen=True):
    """Where an agent's journals go."""

    directory: str = "logs"
    """The folder, inside the agent's."""
    format: Literal["jsonl", "text"] = "jsonl"
    """How they are written; `text` is written beside the JSON lines."""
    max_files: int = 100
    """Journals that are kept; the oldest finished ones go."""


class AgentDefinition(_Part, frozen=True, kw_only=True):
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
    completion: Completion = StepMachine()
    """When it is done."""
    speaks: bool = False
    """Whether all it says is said aloud on its floor: a character."""
    allowed_tools: tuple[str, ...] = ()
    """Tools it may use; kept for hosts, none is run here."""
    permission_mode: str = ""
    """`plan`, `acceptEdits` or `bypassPermissions`; kept for hosts."""
    parameters: dict[str, Parameter] = {}
    """What its user may say, by name."""
    fallback_dir: str = ""
    """The folder of prompts for references whose file is missing."""
    actions: Actions = Actions()
    """What it may do by blocks."""
    asking: Asking = Asking()
    """Which model it asks."""
    limits: Limits = Limits()
    """Where it is stopped."""
    logging: Logging = Logging()
    """Where its journals go."""
    flow: Flow
    """Its steps."""
    hash: str = ""
    """SHA-256 in hex over all its files: what a journal and a recording were made with."""
