"""Prompt templates: pieces of text, and gaps for variables between them.

`{uv-name}`, `{{uv-name}}`, `{{name}}` and `{input_text}` are gaps; every other brace is
text, since prompts are full of JSON. A value that fills a gap is never read as a
template.
"""

import re
from collections.abc import Callable, Mapping

import msgspec

STANDARD_VARIABLES = (
    "agent_name", "iteration", "completed_iterations", "max_iterations", "remaining",
    "completion_keyword", "completion_criteria", "previous_summary", "last_results",
    "check_count", "max_checks",
)  # fmt: skip
"""The variables that every agent's loop provides."""

INPUT_VARIABLE = "input_text"
"""Piped input; an argument of every agent, even of one that declares none."""

USER_VARIABLES = ("topic", "issue")
"""The usual names for a user's values; each exists only as a parameter."""

PORT_VARIABLES = (
    "who", "language", "scene", "beliefs", "memories", "goals", "guidance", "process", "state",
    "state_prompt", "missing", "required", "events", "handed_in", "variables", "last_decision",
)  # fmt: skip
"""The variables of an agent's port: the first seven in a world, the others at a gate.
"""

PORT_FACTS = (
    "goal_reached", "place", "turn", "state", "is_final", "revision", "process", "variables",
)  # fmt: skip
"""The facts of an agent's port, for completions and gateways: the first three in a
world, the others at a gate; `variables` is a mapping."""

CHECK_VARIABLES = ("response",)
"""Additional variables in the prompt of a step's check: the model's answer."""

VARIABLE_NAME = r"[A-Za-z0-9_-]+"
"""The pattern of a variable's name."""
is_variable_name = re.compile(VARIABLE_NAME).fullmatch
"""Whether a text is a valid variable name."""


def is_known_fact(fact: str) -> bool:
    """Whether a world or a gate could report a fact: `state`, `variables.mood`."""
    return fact in PORT_FACTS or fact.startswith("variables.")


def name_output_variable(step: str, key: str) -> str:
    """Return the variable of a step's output: `initial_plan_title`; dots become `_`."""
    return f"{step.replace('.', '_')}_{key}"


WarnFunction = Callable[[str, str], None]
"""Receives a code and a sentence."""

_GAP_PATTERN = re.compile(
    r"\{\{[ \t]*(?:uv-)?(?P<double>NAME)[ \t]*\}\}"
    r"|\{uv-(?P<single>NAME)\}"
    r"|\{(?P<input>input_text)\}"
    r"|(?P<broken>\{uv-)".replace("NAME", VARIABLE_NAME)
)
_FRONT_MATTER_START = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_FRONT_MATTER_END = re.compile(r"(?<=[\r\n])---[ \t]*(?=[\r\n]|\Z)")


class TemplateGap(msgspec.Struct, frozen=True):
    """A gap for a variable."""

    name: str
    """The variable, without `uv-`."""
    written: str
    """The gap as its author wrote it; it stays so if the variable is unknown."""
    offset: int
    """Where it begins in the file's text."""


class PromptTemplate(msgspec.Struct, frozen=True):
    """A prompt, ready to be filled."""

    pieces: tuple[str | TemplateGap, ...]
    """Texts and gaps in order."""

    @property
    def gaps(self) -> tuple[TemplateGap, ...]:
        """The gaps, in order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, TemplateGap))

    def fill(self, variables: Mapping[str, str], warn: WarnFunction | None = None) -> str:
        """Fill the gaps once: a value that looks like a gap stays text.

        An unknown variable stays as it is written, with one warning.
        """
        texts, unknown = list[str](), dict[str, None]()
        for piece in self.pieces:
            if isinstance(piece, str):
                texts.append(piece)
            elif piece.name in variables:
                texts.append(str(variables[piece.name]))
            else:
                texts.append(piece.written)
                unknown[piece.name] = None
        if warn is not None:
            for name in unknown:
                warn("VARIABLE_UNDEFINED", f"nobody says what {name!r} is")
        return "".join(texts)


class PromptTemplateError(Exception):
    """What is wrong with a prompt's text, and at which character."""

    def __init__(self, message: str, offset: int, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.hint = hint


def read_template(text: str) -> PromptTemplate:
    """Parse the text of a prompt file, trimmed and without its front matter.

    Raises:
        PromptTemplateError: It is empty, or has a `{uv-` that is not closed.
    """
    start, end = _find_body(text)
    if start == end:
        raise PromptTemplateError("there is no text in it", 0, "write what the model is told")
    pieces, here = list[str | TemplateGap](), start
    for found in _GAP_PATTERN.finditer(text, start, end):
        if found["broken"]:
            raise PromptTemplateError(
                "'{uv-' begins a variable, and none ends there",
                found.start(),
                "write its name and '}': letters, digits, '_' and '-'",
            )
        if found.start() > here:
            pieces.append(text[here : found.start()])
        name = found["double"] or found["single"] or found["input"]
        pieces.append(TemplateGap(name, found[0], found.start()))
        here = found.end()
    if here < end:
        pieces.append(text[here:end])
    return PromptTemplate(tuple(pieces))


def _find_body(text: str) -> tuple[int, int]:
    """Find where the text begins and ends; front matter that is not closed is text."""
    start = 1 if text.startswith("\ufeff") else 0
    fence = _FRONT_MATTER_START.match(text, start)
    closed = _FRONT_MATTER_END.search(text, fence.end()) if fence else None
    start = closed.end() if closed else start
    while start < len(text) and text[start].isspace():
        start += 1
    end = len(text)
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
