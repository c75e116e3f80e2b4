"""A prompt's text, read once: plain pieces and the gaps between them.

`{uv-name}`, `{{uv-name}}`, `{{name}}` and `{input_text}` are gaps; every other brace is
text, since prompts are full of JSON. What fills a gap is never read as a template.
"""

import re
from collections.abc import Callable, Mapping

import msgspec

from saniwa.agent.prompting.variable import NAME

Warn = Callable[[str, str], None]
"""Is told a code and a sentence."""

_GAP = re.compile(
    r"\{\{[ \t]*(?:uv-)?(?P<double>NAME)[ \t]*\}\}"
    r"|\{uv-(?P<single>NAME)\}"
    r"|\{(?P<input>input_text)\}"
    r"|(?P<broken>\{uv-)".replace("NAME", NAME)
)
_FENCE = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_END = re.compile(r"(?<=[\r\n])---[ \t]*(?=[\r\n]|\Z)")


class Gap(msgspec.Struct, frozen=True):
    """A place for a variable."""

    name: str
    """The variable, without `uv-`."""
    written: str
    """The place as its author wrote it; it stays so where nobody knows the variable."""
    offset: int
    """Where it begins in the file's text."""


class Template(msgspec.Struct, frozen=True):
    """A prompt, ready to be filled."""

    pieces: tuple[str | Gap, ...]
    """Texts and gaps in their order."""

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The places for variables, in order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Gap))

    def fill(self, variables: Mapping[str, str], warn: Warn | None = None) -> str:
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


class TemplateError(Exception):
    """What is wrong with a prompt's text, and at which letter."""

    def __init__(self, message: str, offset: int, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.hint = hint


def read_template(text: str) -> Template:
    """The template in a prompt file's text: without its front matter, trimmed.

    Raises:
        TemplateError: It has no words, or a `{uv-` that nothing closes.
    """
    start, end = _extent(text)
    if start == end:
        raise TemplateError("there is no text in it", 0, "write what the model is told")
    pieces, here = list[str | Gap](), start
    for found in _GAP.finditer(text, start, end):
        if found["broken"]:
            raise TemplateError(
                "'{uv-' begins a variable, and none ends there",
                found.start(),
                "write its name and '}': letters, digits, '_' and '-'",
            )
        if found.start() > here:
            pieces.append(text[here : found.start()])
        name = found["double"] or found["single"] or found["input"]
        pieces.append(Gap(name, found[0], found.start()))
        here = found.end()
    if here < end:
        pieces.append(text[here:end])
    return Template(tuple(pieces))


def _extent(text: str) -> tuple[int, int]:
    """Where the words begin and end; front matter that nothing closes is words."""
    start = 1 if text.startswith("\ufeff") else 0
    fence = _FENCE.match(text, start)
    closed = _END.search(text, fence.end()) if fence else None
    start = closed.end() if closed else start
    while start < len(text) and text[start].isspace():
        start += 1
    end = len(text)
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
