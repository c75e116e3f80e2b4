"""What may be written next: labels, speakers, commands, assets, variables, functions.

Reads the line up to the cursor, which is rarely whole yet, and the names of the story as
it was last read.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal

import msgspec

from saniwa.script.asset import AssetKind, FolderAssets
from saniwa.script.beside import joined
from saniwa.script.desk.editing.cursor import Names
from saniwa.script.desk.editing.signature import SIGNATURES
from saniwa.script.node import Clear, Picture
from saniwa.script.reading.choice import ITEM
from saniwa.script.reading.command import COMMANDS, Command
from saniwa.script.reading.fence import FENCES
from saniwa.script.slug import slug
from saniwa.script.tree import walk

Sort = Literal[
    "label",
    "option",
    "speaker",
    "command",
    "parameter",
    "asset",
    "variable",
    "function",
    "word",
]
"""What is offered; `word` is one of the dialect's own."""


class Completion(msgspec.Struct, frozen=True):
    """Something that may be written here."""

    text: str
    """What is written."""
    sort: Sort
    """What it is."""
    begin: int
    """The column from which on it replaces what stands before the cursor."""
    about: str = ""
    """What it means, in a few words."""


_LINK = re.compile(r"\]\(<?([^()\s#<>]*)#([^()<>]*)\Z")
_BARE_LINK = re.compile(r"\]\(()\Z")
_GIVEN = re.compile(r"""(visits|chosen)\s*\(\s*["']([^"']*)\Z""")
_ROUTE = re.compile(r"(?<!\S)@(\S*)\Z")
_FENCE = re.compile(r"\s*:::+[ \t]*(\w*)\Z")
_CONDITION = re.compile(r"\s*:::+[ \t]*(?:else[ \t]+)?(?:when|if)[ \t]")
_NAME = re.compile(r"(?<!\w)((?:[^\W\d]\w*)?)\Z")
_SPEAKER = re.compile(r"\s*([^\s:：\[{<#\-*+>|`~=][^:：\[{<#]{0,39}|)\Z")


def complete(names: Names, file: str, text: str, column: int) -> tuple[Completion, ...]:
    """What may stand at a column of a line of this text, in alphabetical order."""
    before = text[: max(column - 1, 0)]
    offered = {
        each.text: each for each in reversed([*_Line(names, file, before).all()])
    }
    return tuple(sorted(offered.values(), key=lambda each: (each.sort, each.text)))


class _Line:
    """The part of a line before the cursor."""

    def __init__(self, names: Names, file: str, before: str) -> None:
        self._names, self._file, self._before = names, file, before

    def all(self) -> Iterator[Completion]:
        """Everything that may follow."""
        before = self._before
        if found := _LINK.search(before):
            return self._labels(found[2], joined(self._file, found[1]))
        if found := _BARE_LINK.search(before):
            return self._labels("", self._file, mark="#")
        if found := _GIVEN.search(before):
            return self._given(found[1], found[2])
        brace, bracket = _open(before, "{", "}"), _open(before, "[", "]")
        if brace > bracket:
            return self._brace(before[brace + 1 :])
        if bracket >= 0:
            return self._bracket(bracket)
        if found := _FENCE.match(before):
            return self._words(found[1], FENCES)
        if _CONDITION.match(before):
            return self._expression()
        if ITEM(before.lstrip()) and (found := _ROUTE.search(before)):
            return self._labels(found[1], self._file)
        found = _SPEAKER.fullmatch(before)
        return self._speakers(found[1], ": ") if found else iter(())

    # What there is.

    def _labels(self, part: str, file: str, mark: str = "") -> Iterator[Completion]:
        for each in self._names.all:
            if each.kind == "label" and each.role == "made" and each.file == file:
                shown = slug(each.written) or each.written
                about = f"{each.written} · line {each.line}"
                yield from self._offer(part, "label", mark + shown, about)

    def _given(self, function: str, part: str) -> Iterator[Completion]:
        if function == "visits":
            yield from self._labels(part, self._file)
            return
        for name in self._names.named("option"):
            yield from self._offer(part, "option", name)

    def _speakers(self, part: str, mark: str = "") -> Iterator[Completion]:
        for name in self._names.named("speaker"):
            yield from self._offer(part, "speaker", name + mark)

    def _variables(self, part: str) -> Iterator[Completion]:
        for name in self._names.named("variable"):
            yield from self._offer(part, "variable", name)

    def _expression(self) -> Iterator[Completion]:
        found = _NAME.search(self._before)
        if found is None:
            return
        yield from self._variables(found[1])
        for name, signature in SIGNATURES.items():
            about = f"{signature.shown}: {signature.about}"
            yield from self._offer(found[1], "function", f"{name}(", about)

    def _words(self, part: str, words: Iterable[str]) -> Iterator[Completion]:
        for word in words:
            if word != part:
                yield from self._offer(part, "word", word)

    def _offer(
        self, part: str, sort: Sort, text: str, about: str = ""
    ) -> Iterator[Completion]:
        if text.casefold().startswith(part.casefold()):
            begin = len(self._before) - len(part) + 1
            yield Completion(text, sort, begin, about)

    # Braces.

    def _brace(self, inside: str) -> Iterator[Completion]:
        bare = inside.lstrip()
        if _TOLD.match(bare):
            return
        if _STARTED.fullmatch(bare):
            item = ITEM(self._before.lstrip()) is not None
            yield from self._words(bare, _OF_ITEMS if item else _OF_LINES)
        if not bare.startswith("do "):
            yield from self._expression()

    # Commands.

    def _bracket(self, at: int) -> Iterator[Completion]:
        inside = self._before[at + 1 :]
        if _COMMAND.fullmatch(inside):
            # Behind other words, a bracket begins no command.
            if not self._before[:at].strip().rstrip("]").strip("-*+ "):
                yield from self._commands(inside)
            return
        name, _, inner = inside.partition(" ")
        if name in COMMANDS:
            yield from self._parameters(COMMANDS[name], inner)

    def _commands(self, part: str) -> Iterator[Completion]:
        for command in COMMANDS.values():
            first = next((p.name for p in command.parameters if p.required), "")
            text = f"{command.name} {first}=" if first else command.name
            yield from self._offer(part, "command", text, command.about)

    def _parameters(self, command: Command, inner: str) -> Iterator[Completion]:
        found = _VALUE.search(inner)
        if command.name == "SET" and not _NAMED.match(inner):
            yield from self._expression() if "=" in inner else self._variables(inner)
            return
        known = command.parameter(found[1]) if found else None
        if found and known:
            yield from self._values(command, known.name, found[2])
        elif command.bare:
            part = inner.strip() if " " not in inner.strip() else ""
            yield from self._values(command, command.bare, part)
        if not found or " " in found[2]:
            yield from self._keys(command, inner)

    def _keys(self, command: Command, inner: str) -> Iterator[Completion]:
        part = inner.rpartition(" ")[2]
        for parameter in command.parameters:
            spellings = (parameter.name, *parameter.aliases)
            if not any(re.search(rf"\b{key}\s*=", inner) for key in spellings):
                text = f"{parameter.name}="
                yield from self._offer(part, "parameter", text, parameter.about)

    def _values(
        self, command: Command, parameter: str, part: str
    ) -> Iterator[Completion]:
        if parameter in _CHOICES:
            yield from self._words(part, _CHOICES[parameter])
        elif parameter == "label":
            yield from self._labels(part, self._file)
        elif parameter == "speaker":
            yield from self._speakers(part)
        elif parameter == "layer":
            yield from self._words(part, self._layers())
        elif parameter in ("when", "if", "value"):
            yield from self._expression()
        elif command.name in ASSETS:
            yield from self._assets(ASSETS[command.name], part)
        elif command.name in _NAMING:
            yield from self._variables(part)

    def _assets(self, kind: AssetKind, part: str) -> Iterator[Completion]:
        assets = self._names.story.assets
        if isinstance(assets, FolderAssets):
            for name in assets.names(kind):
                about = assets.find(kind, name) or ""
                yield from self._offer(part, "asset", name, about)

    def _layers(self) -> dict[str, None]:
        scenes = self._names.story.scenes
        shown = (e for s in scenes for e in walk(s.block))
        return {e.layer: None for e in shown if isinstance(e, Picture | Clear)}


_TOLD = re.compile(r"[#.&!~]|[^\"']*[|:]")
_STARTED = re.compile(r"[a-z ]*")
_COMMAND = re.compile(r"[A-Z0-9_]*")
_NAMED = re.compile(r"\s*(?:name|value)\s*=")
_VALUE = re.compile(r'(?:^|[\s,])(\w+)\s*=\s*"?([^"=,]*)\Z')
_OF_ITEMS = ("once", "if ", "show if ", "else", "do ", "ask")
_OF_LINES = ("do ",)
_NAMING = frozenset({"SET", "MODIFY", "ASK", "IF", "JUMP_IF"})
_CHOICES: Final = {
    "op": ("add", "sub", "mul", "div"),
    "cmp": ("eq", "ne", "lt", "le", "gt", "ge"),
}
ASSETS: Final[dict[str, AssetKind]] = {
    "SHOW_IMAGE": "image",
    "PLAY_BGM": "bgm",
    "PLAY_MUSIC": "bgm",
    "PLAY_SE": "se",
    "PLAY_MOVIE": "movie",
}
"""The kind of asset each command names."""


def _open(before: str, opening: str, closing: str) -> int:
    """Where the last bracket that is still open stands; -1 if none is."""
    at = before.rfind(opening)
    return at if at > before.rfind(closing) else -1
