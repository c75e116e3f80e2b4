"""The bracket commands, and how their parameters are parsed.

One table, `commands.json`, for the parser, the formatter, completion and the reference
page.
`command_lines` builds their elements.
"""

import re
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from saniwa.core.suggestions import find_nearest
from saniwa.story.assets import AssetKind
from saniwa.story.elements import LinkTarget
from saniwa.story.expression_parser import Expression, parse_expression
from saniwa.story.finding_collector import FindingCollector, NotationError
from saniwa.story.link_parser import parse_command_target
from saniwa.story.parser.inline_text import parse_words_at
from saniwa.story.text_template import Words

_QUOTE = re.compile(r'"(?:[^"\\]|\\.)*+(?:(")|\\?\Z)', re.DOTALL)
"""A quoted text; one that is not closed is matched to the end, so that all is scanned once."""
_KEY = re.compile(r"(?<![^\s,])(?P<key>[^\W\d]\w*+)[ \t]*+=(?!=)[ \t]*+")
_LIST_KEY = re.compile(r"(?<![^\s,])(?P<key>choice|label|if)[ \t]*+=(?!=)[ \t]*+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"[ \t]*+(.*)', re.DOTALL)
_SMART = re.compile(
    r'(?P<before>(?:(?<![=!<>])=|\A)[ \t]*+)[“”„‟＂](?P<value>[^“”„‟＂"\\]*+)[“”‟＂]'
)
_ESCAPED = re.compile(r'\\(["\\])')
# Escapes and code come first, so that what they contain is text.
_INLINE = re.compile(r"\\.|`++[^`]*+`|\[([A-Z_]++)(?:[ \t][^\[\]\n]*+)?\](?!\()", re.DOTALL)


ParameterValues = Literal["", "label", "speaker", "layer", "expression", "variable"] | AssetKind
"""What a parameter is given: a name of this kind, an expression, or any text."""


class CommandParameter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One parameter of a command."""

    name: str
    """Its name."""
    about: str
    """A description."""
    required: bool = False
    """Whether the command is invalid without it."""
    aliases: tuple[str, ...] = ()
    """Older names of it."""
    values: ParameterValues = ""
    """What its values are."""
    choices: tuple[str, ...] = ()
    """The words to choose from."""


class CommandDefinition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The definition of one command."""

    about: str
    """A description."""
    name: str = ""
    """Its name."""
    parameters: tuple[CommandParameter, ...] = ()
    """The parameters it takes."""
    bare: str = ""
    """The parameter for a value without a name; empty if none is allowed."""
    open: bool = False
    """Whether it also takes any other parameter, for the host."""
    old: bool = False
    """Whether there is a better notation; `fmt` rewrites it."""

    def find_parameter(self, name: str) -> CommandParameter | None:
        """Find the parameter of this name or alias."""
        for each in self.parameters:
            if name == each.name or name in each.aliases:
                return each
        return None


def _read_commands() -> dict[str, CommandDefinition]:
    content = Path(__file__).with_name("commands.json").read_bytes()
    commands = msgspec.json.decode(content, type=dict[str, CommandDefinition])
    return {name: replace(each, name=name) for name, each in commands.items()}


COMMANDS: Final[Mapping[str, CommandDefinition]] = _read_commands()
"""All commands, by name."""


def find_inline_commands(text: str, known: Container[str]) -> Iterator[tuple[int, str]]:
    """Yield the commands among the words of a text, where they are not executed."""
    for found in _INLINE.finditer(text):
        if found[1] and (found[1] in COMMANDS or found[1] in known):
            yield found.start(), found[0]


class CommandArgument(NamedTuple):
    """An argument as written."""

    key: str
    """Its name; empty for a value without one."""
    key_column: int
    """The column of the name."""
    value: str
    """Its value, without quotes."""
    column: int
    """The column of the value."""
    stray: str = ""
    """Text after the value that belongs to no parameter."""
    quoted: bool = False
    """Whether the value is in quotes."""

    @property
    def is_unclosed(self) -> bool:
        """Whether it begins with a quotation mark that is not closed."""
        return not self.quoted and self.value.startswith('"') and _QUOTED.match(self.value) is None


CommandArguments = dict[str, CommandArgument]
"""Arguments by the name of their parameter."""


def split_parameters(inner: str, column: int) -> list[CommandArgument]:
    """Split a command's arguments, in order; `inner` begins at `column`.

    A value extends to the next name or comma, so `speaker=Old Man` needs no quotes.
    """
    return _split_arguments(inner, column, _KEY, commas=True)


def split_choices(inner: str, column: int) -> list[CommandArgument]:
    """Split BRANCH's arguments: only `choice=`, `label=` and `if=` begin a new one."""
    return _split_arguments(inner, column, _LIST_KEY, commas=False)


def _split_arguments(
    inner: str, column: int, key: re.Pattern[str], *, commas: bool
) -> list[CommandArgument]:
    if not inner.isascii():
        inner = _straighten_quotes(inner)
    keys = [*key.finditer(_mask_quotes(inner))]
    ends = [*(found.start() for found in keys[1:]), len(inner)][: len(keys)]
    bare = inner[: keys[0].start()] if keys else inner
    given = []
    if bare.strip(" \t,"):
        given.append(_make_argument("", column, bare, column, commas=commas))
    for found, end in zip(keys, ends, strict=True):
        value = inner[found.end() : end]
        begin = column + found.end()
        given.append(
            _make_argument(found["key"], column + found.start(), value, begin, commas=commas)
        )
    return given


def _mask_quotes(inner: str) -> str:
    """Replace everything in quoted texts by quotation marks; offsets stay the same."""
    return _QUOTE.sub(lambda found: '"' * len(found[0]) if found[1] else found[0], inner)


def _straighten_quotes(inner: str) -> str:
    """Replace typographic quotes around values with straight ones."""
    pieces, end = [], 0
    for found in _SMART.finditer(_mask_quotes(inner)):
        pieces += [inner[end : found.start()], found["before"], f'"{found["value"]}"']
        end = found.end()
    return "".join([*pieces, inner[end:]])


def _make_argument(key: str, at: int, text: str, column: int, *, commas: bool) -> CommandArgument:
    bare = text.lstrip(" \t,")
    column += len(text) - len(bare)
    bare = bare.rstrip(" \t,")
    found = _QUOTED.match(bare)
    if found is not None and (not found[2] or (commas and key)):
        value = _ESCAPED.sub(r"\1", found[1])
        return CommandArgument(key, at, value, column + 1, found[2].strip(" \t,"), True)
    value, _, stray = bare.partition(",") if commas and key else (bare, "", "")
    return CommandArgument(key, at, value.rstrip(), column, stray.strip(" \t,"))


class BracketCommand(NamedTuple):
    """A command as written in a line."""

    command: CommandDefinition
    """Its definition."""
    inner: str
    """The text after its name."""
    line: int
    """Its line."""
    column: int
    """The column of its `[`."""
    inner_column: int
    """The column where `inner` begins."""
    notes: FindingCollector
    """Collects its findings."""

    def add(self, key: str, column: int, /, **values: Any) -> None:
        """Add a finding on the command's line."""
        self.notes.add(key, self.line, column, command=self.command.name, **values)

    def count_old_notation(self, kind: str = "") -> None:
        """Count the command as a use of an old notation."""
        self.notes.count_old_notation(kind or self.command.name, self.line, self.column)

    def read_expression(self, text: str, column: int) -> Expression | None:
        """Parse an expression; None, with a finding, if it is invalid."""
        return parse_expression_at(text, self.line, column, self.notes)

    def read_words(self, given: CommandArgument) -> Words:
        """Parse an argument as words."""
        return parse_words_at(given.value, self.line, given.column, self.notes)

    def read_target(self, given: CommandArgument) -> LinkTarget:
        """Parse an argument as a target."""
        return parse_command_target(given.value, self.line, given.column)

    def check_closed(self, given: CommandArgument) -> None:
        """Add an error if the quotation mark of an argument is not closed."""
        if given.is_unclosed:
            self.add("PARAMETER_MALFORMED/quotation", given.column, value=given.value)

    @property
    def span(self) -> tuple[int, int, int]:
        """Line, column and last line of its element."""
        return self.line, self.column, self.line


def parse_expression_at(
    text: str, line: int, column: int, notes: FindingCollector
) -> Expression | None:
    """Parse an expression at a place; None, with a finding, if it is invalid."""
    try:
        return parse_expression(text, line, column)
    except NotationError as problem:
        notes.add_problem(problem)
        return None


def parse_arguments(bracket: BracketCommand) -> CommandArguments | None:
    """Parse the arguments, by parameter name; None if a required one is missing."""
    command, found, empty = bracket.command, {}, False
    for each in split_parameters(bracket.inner, bracket.inner_column):
        name = _resolve_parameter(bracket, each)
        if name in found:
            bracket.add("PARAMETER_MALFORMED/repeated", each.key_column, name=name)
        elif name:
            found[name] = each
        empty = empty or not each.value
        bracket.check_closed(each)
        if each.stray:
            bracket.add("PARAMETER_MALFORMED/stray", each.column, stray=each.stray)
    missing = [p.name for p in command.parameters if p.required and p.name not in found]
    for name in missing:
        bracket.add("PARAMETER_MISSING", bracket.column, name=name)
    if empty and _has_empty_required(bracket, found):
        return None
    return None if missing else found


def _has_empty_required(bracket: BracketCommand, found: CommandArguments) -> bool:
    """Report required arguments that are empty; `value=""` is a valid empty text."""
    empty = [
        (p.name, given)
        for p in bracket.command.parameters
        if p.required and (given := found.get(p.name)) and not given.value
        if p.name != "value" or not given.quoted
    ]
    for name, given in empty:
        report_missing_value(bracket, name, given)
    return bool(empty)


def report_missing_value(bracket: BracketCommand, name: str, given: CommandArgument) -> None:
    """Report that a parameter has no value."""
    column = given.key_column if given.key else given.column
    bracket.add("PARAMETER_MISSING/empty", column, name=name, key=given.key or name)


def _resolve_parameter(bracket: BracketCommand, each: CommandArgument) -> str:
    """Return the parameter's own name; empty, with a finding, if it is unknown."""
    command = bracket.command
    if not each.key:
        if not command.bare:
            shown = {"value": each.value, "takes": _list_parameters(command)}
            bracket.add("PARAMETER_MALFORMED/unnamed", each.column, **shown)
        return command.bare
    known = command.find_parameter(each.key)
    if known is not None:
        return known.name
    if command.open:
        return each.key
    names = [p.name for p in command.parameters]
    near = "" if bracket.notes.is_full else find_nearest(each.key, names)
    shown = {"key": each.key, "takes": _list_parameters(command)}
    bracket.add("PARAMETER_MALFORMED/unknown", each.key_column, near=near, **shown)
    return ""


def _list_parameters(command: CommandDefinition) -> str:
    names = ", ".join(p.name for p in command.parameters)
    return f"it takes {names}" if names else "it takes none"


def check_variable_name(b: BracketCommand, name: str, column: int) -> bool:
    """Whether a variable can have this name; adds a finding if not."""
    if name.isidentifier():
        return True
    b.add("PARAMETER_MALFORMED/variable", column, name=name)
    return False
