"""Complete what may be written next: labels, speakers, commands, assets, variables.

Uses the line up to the cursor, which is usually incomplete, and the names of the story
as it was last parsed.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from saniwa.story.elements import ClearElement, PictureElement, walk_elements
from saniwa.story.link_parser import join_link, make_slug
from saniwa.story.parser.commands import COMMANDS, CommandDefinition, CommandParameter
from saniwa.story.parser.lists_and_fences import FENCES, ITEM
from saniwa.story.tools.mention_index import MentionIndex
from saniwa.story.value_operations import FUNCTIONS

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
        return self._complete_names(found[1], "speaker", ": ") if found else iter(())

    # Names.

    def _complete_labels(self, part: str, file: str, mark: str = "") -> Iterator[Completion]:
        made = [m for m in self._names.all if m.kind == "label" and m.role == "made"]
        labels = [
            (mark + (make_slug(m.written) or m.written), f"{m.written} · line {m.line}")
            for m in made
            if m.file == file
        ]
        return self._complete(part, "label", labels)

    def _complete_argument(self, function: str, part: str) -> Iterator[Completion]:
        if function == "visits":
            return self._complete_labels(part, self._file)
        return self._complete_names(part, "option")

    def _complete_names(
        self, part: str, sort: Literal["option", "speaker", "variable"], mark: str = ""
    ) -> Iterator[Completion]:
        names = self._names.list_names(sort)
        return self._complete(part, sort, [(name + mark, "") for name in names])

    def _complete_expression(self) -> Iterator[Completion]:
        found = _NAME.search(self._before)
        if found is None:
            return
        yield from self._complete_names(found[1], "variable")
        functions = [(f"{name}(", f"{f.example}: {f.about}") for name, f in FUNCTIONS.items()]
        yield from self._complete(found[1], "function", functions)

    def _complete_words(self, part: str, words: Iterable[str]) -> Iterator[Completion]:
        return self._complete(part, "word", [(word, "") for word in words if word != part])

    def _complete(
        self, part: str, sort: CompletionSort, offered: Iterable[tuple[str, str]]
    ) -> Iterator[Completion]:
        """Yield the texts that begin with `part`; each comes with its description."""
        begin = len(self._before) - len(part) + 1
        for text, about in offered:
            if text.casefold().startswith(part.casefold()):
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
        commands = []
        for command in COMMANDS.values():
            first = next((p.name for p in command.parameters if p.required), "")
            text = f"{command.name} {first}=" if first else command.name
            commands.append((text, command.about))
        return self._complete(part, "command", commands)

    def _complete_parameters(self, command: CommandDefinition, inner: str) -> Iterator[Completion]:
        found = _VALUE.search(inner)
        if command.name == "SET" and not _NAMED.match(inner):
            if "=" in inner:
                yield from self._complete_expression()
            else:
                yield from self._complete_names(inner, "variable")
            return
        known = command.find_parameter(found[1]) if found else None
        if found and known:
            yield from self._complete_values(known, found[2])
        elif first := command.find_parameter(command.bare):
            part = inner.strip() if " " not in inner.strip() else ""
            yield from self._complete_values(first, part)
        if not found or " " in found[2]:
            yield from self._complete_keys(command, inner)

    def _complete_keys(self, command: CommandDefinition, inner: str) -> Iterator[Completion]:
        keys = [
            (f"{parameter.name}=", parameter.about)
            for parameter in command.parameters
            if not any(
                re.search(rf"\b{key}\s*=", inner) for key in (parameter.name, *parameter.aliases)
            )
        ]
        return self._complete(inner.rpartition(" ")[2], "parameter", keys)

    def _complete_values(self, parameter: CommandParameter, part: str) -> Iterator[Completion]:
        match parameter.values:
            case "speaker" | "variable" as sort:
                return self._complete_names(part, sort)
            case "image" | "bgm" | "se" | "movie" as kind:
                assets = self._names.story.assets
                files = [(name, assets.find(kind, name) or "") for name in assets.list_names(kind)]
                return self._complete(part, "asset", files)
            case "label":
                return self._complete_labels(part, self._file)
            case "expression":
                return self._complete_expression()
            case "layer":
                return self._complete_words(part, self._list_layers())
            case _:
                return self._complete_words(part, parameter.choices)

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


def _find_open_bracket(before: str, opening: str, closing: str) -> int:
    """Find the last bracket that is still open; -1 if there is none."""
    at = before.rfind(opening)
    return at if at > before.rfind(closing) else -1
