"""A prompt's text, read once: plain pieces and the gaps between them.

`{uv-name}`, `{{uv-name}}`, `{{name}}` and `{input_text}` are gaps; every other brace is
text, since prompts are full of JSON. What fills a gap is never read as a template.
"""

import re
from collections.abc import Callable, Mapping

import msgspec

STANDARD_VARIABLES = (
    "agent_name",
    "iteration",
    "completed_iterations",
    "max_iterations",
    "remaining",
    "completion_keyword",
    "completion_criteria",
    "previous_summary",
    "last_results",
    "check_count",
    "max_checks",
)
"""What every agent's loop says."""

INPUT_VARIABLE = "input_text"
"""What was piped in; an argument of every agent, also of one that declares none."""

USER_VARIABLES = ("topic", "issue")
"""The usual names for what a user says; each is there only as a parameter."""

PORT_VARIABLES = (
    "who",
    "language",
    "scene",
    "beliefs",
    "memories",
    "goals",
    "guidance",
    "process",
    "state",
    "state_prompt",
    "missing",
    "required",
    "events",
    "handed_in",
    "variables",
    "last_decision",
)
"""What a floor says: the first seven in a world, the others at a gate."""

PORT_FACTS = (
    "goal_reached",
    "place",
    "turn",
    "state",
    "is_final",
    "revision",
    "process",
    "variables",
)
"""What a floor tells a completion and a gateway: the first three in a world, the others
at a gate; `variables` is a mapping."""

CHECK_VARIABLES = ("response",)
"""What the prompt of a step's check may use besides: what the model said."""

VARIABLE_NAME = r"[A-Za-z0-9_-]+"
"""What a variable's name looks like."""
is_variable_name = re.compile(VARIABLE_NAME).fullmatch
"""Whether a text can be a variable's name."""


def is_known_fact(fact: str) -> bool:
    """Whether a world or a gate could tell a fact: `state`, `variables.mood`."""
    return fact in PORT_FACTS or fact.startswith("variables.")


def name_output_variable(step: str, key: str) -> str:
    """The variable of a field a step puts out; dots become `_`: `initial_plan_title`."""
    return f"{step.replace('.', '_')}_{key}"


WarnFunction = Callable[[str, str], None]
"""Is told a code and a sentence."""

_GAP_PATTERN = re.compile(
    r"\{\{[ \t]*(?:uv-)?(?P<double>NAME)[ \t]*\}\}"
    r"|\{uv-(?P<single>NAME)\}"
    r"|\{(?P<input>input_text)\}"
    r"|(?P<broken>\{uv-)".replace("NAME", VARIABLE_NAME)
)
_FRONT_MATTER_START = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_FRONT_MATTER_END = re.compile(r"(?<=[\r\n])---[ \t]*(?=[\r\n]|\Z)")


class TemplateGap(msgspec.Struct, frozen=True):
    """A place for a variable."""

    name: str
    """The variable, without `uv-`."""
    written: str
    """The place as its author wrote it; it stays so where nobody knows the variable."""
    offset: int
    """Where it begins in the file's text."""


class PromptTemplate(msgspec.Struct, frozen=True):
    """A prompt, ready to be filled."""

    pieces: tuple[str | TemplateGap, ...]
    """Texts and gaps in their order."""

    @property
    def gaps(self) -> tuple[TemplateGap, ...]:
        """The places for variables, in order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, TemplateGap))

    def fill(
        self, variables: Mapping[str, str], warn: WarnFunction | None = None
    ) -> str:
        """The text with its gaps filled, once: a value that looks like a gap stays text.

        A variable nobody knows stays as it is written, with one warning.
        """
        said, unknown = list[str](), dict[str, None]()
        for piece in self.pieces:
            if isinstance(piece, str):
                said.append(piece)
            elif piece.name in variables:
                said.append(str(variables[piece.name]))
            else:
                said.append(piece.written)
                unknown[piece.name] = None
        if warn is not None:
            for name in unknown:
                warn("VARIABLE_UNDEFINED", f"nobody says what {name!r} is")
        return "".join(said)


class PromptTemplateError(Exception):
    """What is wrong with a prompt's text, and at which letter."""

    def __init__(self, message: str, offset: int, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.hint = hint


def read_template(text: str) -> PromptTemplate:
    """The template in a prompt file's text: without its front matter, trimmed.

    Raises:
        TemplateError: It has no words, or a `{uv-` that nothing closes.
    """
    start, end = _find_body(text)
    if start == end:
        raise PromptTemplateError(
            "there is no text in it", 0, "write what the model is told"
        )
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
    """Where the words begin and end; front matter that nothing closes is words."""
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
