"""Complete what may be written next: labels, speakers, commands, assets, variables.

Uses the line up to the cursor, which is usually incomplete, and the names of the story
as it was last parsed.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal

import msgspec

from saniwa.story.assets import AssetKind
from saniwa.story.elements import ClearElement, PictureElement, walk_elements
from saniwa.story.evaluation import FUNCTIONS
from saniwa.story.links import join_link, make_slug
from saniwa.story.parser.blocks import FENCES, ITEM
from saniwa.story.parser.commands import COMMANDS, CommandDefinition
from saniwa.story.tools.mentions import MentionIndex

CompletionSort = Literal[
    "label", "option", "speaker", "command", "parameter", "asset", "variable", "function", "word"
]
"""The kind of a completion; `word` is a keyword of the notation."""


class Completion(msgspec.Struct, frozen=True):
    """A text that may be inserted here."""

    text: str
    """The text."""
    sort: CompletionSort
    """Its kind."""
    begin: int
    """The column from which it replaces the text before the cursor."""
    about: str = ""
    """A short description."""


_LINK = re.compile(r"\]\(<?([^()\s#<>]*)#([^()<>]*)\Z")
_BARE_LINK = re.compile(r"\]\(()\Z")
_GIVEN = re.compile(r"""(visits|chosen)\s*\(\s*["']([^"']*)\Z""")
_ROUTE = re.compile(r"(?<!\S)@(\S*)\Z")
_FENCE = re.compile(r"\s*:::+[ \t]*(\w*)\Z")
_CONDITION = re.compile(r"\s*:::+[ \t]*(?:else[ \t]+)?(?:when|if)[ \t]")
_NAME = re.compile(r"(?<!\w)((?:[^\W\d]\w*)?)\Z")
_SPEAKER = re.compile(r"\s*([^\s:：\[{<#\-*+>|`~=][^:：\[{<#]{0,39}|)\Z")


def list_completions(
    names: MentionIndex, file: str, text: str, column: int
) -> tuple[Completion, ...]:
    """List what may be inserted at a column of a line, in alphabetical order."""
    before = text[: max(column - 1, 0)]
    offered = {
        each.text: each for each in reversed([*_LineCompleter(names, file, before).list_all()])
    }
    return tuple(sorted(offered.values(), key=lambda each: (each.sort, each.text)))


class _LineCompleter:
    """Completes the part of a line before the cursor."""

    def __init__(self, names: MentionIndex, file: str, before: str) -> None:
        self._names, self._file, self._before = names, file, before

    def list_all(self) -> Iterator[Completion]:
        """Yield everything that may follow."""
        before = self._before
        if found := _LINK.search(before):
            return self._complete_labels(found[2], join_link(self._file, found[1]))
        if found := _BARE_LINK.search(before):
            return self._complete_labels("", self._file, mark="#")
        if found := _GIVEN.search(before):
            return self._complete_argument(found[1], found[2])
        brace, bracket = (
            _find_open_bracket(before, "{", "}"),
            _find_open_bracket(before, "[", "]"),
        )
        if brace > bracket:
            return self._complete_brace(before[brace + 1 :])
        if bracket >= 0:
            return self._complete_bracket(bracket)
        if found := _FENCE.match(before):
            return self._complete_words(found[1], FENCES)
        if _CONDITION.match(before):
            return self._complete_expression()
        if ITEM(before.lstrip()) and (found := _ROUTE.search(before)):
            return self._complete_labels(found[1], self._file)
        found = _SPEAKER.fullmatch(before)
        return self._complete_speakers(found[1], ": ") if found else iter(())

    # Names.

    def _complete_labels(self, part: str, file: str, mark: str = "") -> Iterator[Completion]:
        for each in self._names.all:
            if each.kind == "label" and each.role == "made" and each.file == file:
                shown = make_slug(each.written) or each.written
                about = f"{each.written} · line {each.line}"
                yield from self._make_completion(part, "label", mark + shown, about)

    def _complete_argument(self, function: str, part: str) -> Iterator[Completion]:
        if function == "visits":
            yield from self._complete_labels(part, self._file)
            return
        for name in self._names.list_names("option"):
            yield from self._make_completion(part, "option", name)

    def _complete_speakers(self, part: str, mark: str = "") -> Iterator[Completion]:
        for name in self._names.list_names("speaker"):
            yield from self._make_completion(part, "speaker", name + mark)

    def _complete_variables(self, part: str) -> Iterator[Completion]:
        for name in self._names.list_names("variable"):
            yield from self._make_completion(part, "variable", name)

    def _complete_expression(self) -> Iterator[Completion]:
        found = _NAME.search(self._before)
        if found is None:
            return
        yield from self._complete_variables(found[1])
        for name, function in FUNCTIONS.items():
            about = f"{function.example}: {function.about}"
            yield from self._make_completion(found[1], "function", f"{name}(", about)

    def _complete_words(self, part: str, words: Iterable[str]) -> Iterator[Completion]:
        for word in words:
            if word != part:
                yield from self._make_completion(part, "word", word)

    def _make_completion(
        self, part: str, sort: CompletionSort, text: str, about: str = ""
    ) -> Iterator[Completion]:
        if text.casefold().startswith(part.casefold()):
            begin = len(self._before) - len(part) + 1
            yield Completion(text, sort, begin, about)

    # Braces.

    def _complete_brace(self, inside: str) -> Iterator[Completion]:
        bare = inside.lstrip()
        if _TEXT_BRACE.match(bare):
            return
        if _STARTED.fullmatch(bare):
            item = ITEM(self._before.lstrip()) is not None
            yield from self._complete_words(bare, _OF_ITEMS if item else _OF_LINES)
        if not bare.startswith("do "):
            yield from self._complete_expression()

    # Commands.

    def _complete_bracket(self, at: int) -> Iterator[Completion]:
        inside = self._before[at + 1 :]
        if _COMMAND.fullmatch(inside):
            # After other words, a bracket does not begin a command.
            if not self._before[:at].strip().rstrip("]").strip("-*+ "):
                yield from self._complete_commands(inside)
            return
        name, _, inner = inside.partition(" ")
        if name in COMMANDS:
            yield from self._complete_parameters(COMMANDS[name], inner)

    def _complete_commands(self, part: str) -> Iterator[Completion]:
        for command in COMMANDS.values():
            first = next((p.name for p in command.parameters if p.required), "")
            text = f"{command.name} {first}=" if first else command.name
            yield from self._make_completion(part, "command", text, command.about)

    def _complete_parameters(self, command: CommandDefinition, inner: str) -> Iterator[Completion]:
        found = _VALUE.search(inner)
        if command.name == "SET" and not _NAMED.match(inner):
            yield from (
                self._complete_expression() if "=" in inner else self._complete_variables(inner)
            )
            return
        known = command.find_parameter(found[1]) if found else None
        if found and known:
            yield from self._complete_values(command, known.name, found[2])
        elif command.bare:
            part = inner.strip() if " " not in inner.strip() else ""
            yield from self._complete_values(command, command.bare, part)
        if not found or " " in found[2]:
            yield from self._complete_keys(command, inner)

    def _complete_keys(self, command: CommandDefinition, inner: str) -> Iterator[Completion]:
        part = inner.rpartition(" ")[2]
        for parameter in command.parameters:
            spellings = (parameter.name, *parameter.aliases)
            if not any(re.search(rf"\b{key}\s*=", inner) for key in spellings):
                text = f"{parameter.name}="
                yield from self._make_completion(part, "parameter", text, parameter.about)

    def _complete_values(
        self, command: CommandDefinition, parameter: str, part: str
    ) -> Iterator[Completion]:
        if parameter in _CHOICES:
            yield from self._complete_words(part, _CHOICES[parameter])
        elif parameter == "label":
            yield from self._complete_labels(part, self._file)
        elif parameter == "speaker":
            yield from self._complete_speakers(part)
        elif parameter == "layer":
            yield from self._complete_words(part, self._list_layers())
        elif parameter in ("when", "if", "value"):
            yield from self._complete_expression()
        elif command.name in ASSETS:
            yield from self._complete_assets(ASSETS[command.name], part)
        elif command.name in _NAMING:
            yield from self._complete_variables(part)

    def _complete_assets(self, kind: AssetKind, part: str) -> Iterator[Completion]:
        assets = self._names.story.assets
        if assets.folder is not None:
            for name in assets.list_names(kind):
                about = assets.find(kind, name) or ""
                yield from self._make_completion(part, "asset", name, about)

    def _list_layers(self) -> dict[str, None]:
        scenes = self._names.story.scenes
        shown = (e for s in scenes for e in walk_elements(s.block))
        return {e.layer: None for e in shown if isinstance(e, PictureElement | ClearElement)}


_TEXT_BRACE = re.compile(r"[#.&!~]|[^\"']*[|:]")
_STARTED = re.compile(r"[a-z ]*")
_COMMAND = re.compile(r"[A-Z0-9_]*")
_NAMED = re.compile(r"\s*(?:name|value)\s*=")
_VALUE = re.compile(r'(?:^|[\s,])(\w+)\s*=\s*"?([^"=,]*)\Z')
_OF_ITEMS = ("once", "if ", "show if ", "else", "do ", "ask")
_OF_LINES = ("do ",)
_NAMING = frozenset({"SET", "MODIFY", "ASK", "IF", "JUMP_IF"})
_CHOICES: Final = {"op": ("add", "sub", "mul", "div"), "cmp": ("eq", "ne", "lt", "le", "gt", "ge")}
ASSETS: Final[dict[str, AssetKind]] = {
    "SHOW_IMAGE": "image",
    "PLAY_BGM": "bgm",
    "PLAY_MUSIC": "bgm",
    "PLAY_SE": "se",
    "PLAY_MOVIE": "movie",
}
"""The kind of asset each command names."""


def _find_open_bracket(before: str, opening: str, closing: str) -> int:
    """Find the last bracket that is still open; -1 if there is none."""
    at = before.rfind(opening)
    return at if at > before.rfind(closing) else -1
