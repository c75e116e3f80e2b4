"""Every place of a story in which something is named: one list for all an editor asks.

Places are exact, letter for letter. Where the text does not hold what the tree says (an
old notation that was put together from parts), the mention has no column.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal

import msgspec

from saniwa.script import node
from saniwa.script.asset import AssetKind
from saniwa.script.beside import joined
from saniwa.script.desk.editing.sight import Sight
from saniwa.script.language.expression import Called, Expression
from saniwa.script.node import Scene
from saniwa.script.program import Enter, Link
from saniwa.script.reading.link import link_target
from saniwa.script.story import Story
from saniwa.script.tree import expressions_of, labels, walk

Kind = Literal["label", "file", "variable", "speaker", "option", "asset", "function"]
"""What sort of thing is named."""
Role = Literal["made", "set", "used"]
"""Declared here, given a value here, or only named."""


class Mention(msgspec.Struct, frozen=True, gc=False):
    """Something named in one place."""

    kind: Kind
    """What sort of thing."""
    name: str
    """Which; the same for every spelling. Empty where there is no such thing."""
    role: Role
    """What happens to it here."""
    file: str
    """The file."""
    line: int
    """The line, from 1."""
    column: int
    """The column, from 1; 0 where the text does not show it."""
    written: str
    """How it is spelled here."""

    def covers(self, line: int, column: int) -> bool:
        """Whether a cursor there touches it."""
        return (
            self.line == line
            and self.column > 0
            and self.column <= column <= self.column + len(self.written)
        )


SOUNDS: Final[Mapping[str, AssetKind]] = {"bgm": "bgm", "se": "se", "movie": "movie"}
"""The kind of asset each kind of sound is."""


def mentions(story: Story) -> tuple[Mention, ...]:
    """All of them, file by file, in reading order."""
    keys = _Keys(story)
    found: list[Mention] = []
    for scene in story.scenes:
        here = list(_Gatherer(scene, keys).all())
        found += sorted(here, key=lambda each: (each.line, each.column))
    return tuple(found)


class _Keys:
    """Which label is meant where."""

    def __init__(self, story: Story) -> None:
        program = story.program
        self.aliases = program.aliases
        self.made: dict[tuple[str, int, int], str] = {}
        """Keys of labels by the place that makes them."""
        for address, op in enumerate(program.ops):
            if isinstance(op, Enter):
                # The beginning of a file counts as a label too; a heading there wins.
                place = (program.file_of(address), op.line, op.column)
                self.made[place] = op.label
        self.links: dict[str, list[Link]] = {}
        """Jumps by file."""
        for link in program.links:
            self.links.setdefault(link.file, []).append(link)
        self._by_address = {at: key for key, at in program.labels.items()}
        self._files = {scene.file for scene in story.scenes}

    def linked(self, link: Link) -> str:
        """The key of the label that a jump leads to; empty where it leads nowhere."""
        return "" if link.to is None else self._by_address.get(link.to, "")

    def file(self, link: Link) -> str:
        """The file that a jump leads to; empty where there is none."""
        file = joined(link.file, link.target.file)
        return file if file in self._files else ""


class _Gatherer:
    """Goes through one file."""

    def __init__(self, scene: Scene, keys: _Keys) -> None:
        self._scene, self._keys = scene, keys
        sight = Sight(scene.text)
        self._find, self._line = sight.find, sight.line

    def all(self) -> Iterator[Mention]:
        """Everything named in it, in no particular order."""
        yield from self._declared()
        for label in labels(self._scene.block):
            place = (self._scene.file, label.line, label.column)
            key = self._keys.made.get(place, "")
            at = self._find(label.line, label.name_column, label.name)
            yield self._mention("label", key, "made", label.line, at, label.name)
        for link in self._keys.links.get(self._scene.file, ()):
            yield self._linked(link)
        for element in walk(self._scene.block):
            yield from self._element(element)
            for asked in expressions_of(element):
                yield from self._asked(asked)

    def _declared(self) -> Iterator[Mention]:
        front = self._scene.front
        for each in front.variables:
            yield self._found("variable", each.name, "made", each.line, each.column)
        for each in front.cast or ():
            yield self._found("speaker", each.name, "made", each.line, each.column)

    def _element(self, element: node.Node) -> Iterator[Mention]:
        line, column = element.line, element.column
        match element:
            case node.Say(speaker=speaker, old=old) if speaker and old != "[c]":
                at = self._find(line, column, speaker, near=old == "SAY")
                yield self._mention("speaker", speaker, "used", line, at, speaker)
            case node.Assign(name=name, name_column=at):
                yield self._found("variable", name, "set", line, at)
            case node.Ask(name=name, name_column=at) if name:
                yield self._found("variable", name, "set", line, at)
            case node.Picture(name=name, name_column=at) if at:
                yield self._asset("image", name, line, at)
            case node.Sound(kind=kind, name=name, name_column=at) if at:
                yield self._asset(SOUNDS[kind], name, line, at)
            case node.Choice(options=options):
                for option in options:
                    if option.id:
                        yield self._option(option)
            case _:
                pass

    def _asset(self, kind: AssetKind, name: str, line: int, column: int) -> Mention:
        at = self._find(line, column, name)
        return self._mention("asset", f"{kind}/{name}", "used", line, at, name)

    def _option(self, option: node.Option) -> Mention:
        at = self._line(option.line).rfind(f"#{option.id}", option.column - 1)
        return self._mention(
            "option",
            option.id,
            "made",
            option.line,
            at + 2 if at >= 0 else 0,
            option.id,
        )

    def _asked(self, asked: Expression) -> Iterator[Mention]:
        for named in asked.names:
            yield self._found("variable", named.name, "used", named.line, named.column)
        for call in asked.calls:
            yield self._found("function", call.name, "used", call.line, call.column)
            if call.name in ("visits", "chosen") and isinstance(call.given[0], str):
                yield self._given(call, call.given[0])

    def _given(self, call: Called, given: str) -> Mention:
        """The label or option that stands in quotes behind a function's name."""
        raw = self._line(call.line)
        begin = self._find(call.line, call.column, call.name)
        found = _GIVEN.match(raw, begin - 1) if begin else None
        at = found.start(2) + 1 if found and found[2] == given else 0
        if call.name == "chosen":
            return self._mention("option", given, "used", call.line, at, given)
        key = self._keys.aliases.get(given, "")
        return self._mention("label", key, "used", call.line, at, given)

    def _linked(self, link: Link) -> Mention:
        target = link.target
        if not target.label:
            at = self._find(target.line, target.column, target.file)
            file = self._keys.file(link)
            return self._mention("file", file, "used", target.line, at, target.file)
        key = self._keys.linked(link)
        at = self._find(target.line, target.column, target.label)
        written = target.label
        if not at and (coded := self._coded(target)):
            at, written = target.column, coded
        return self._mention("label", key, "used", target.line, at, written)

    def _coded(self, target: node.Target) -> str:
        """A label that a link spells with `%` signs, as it spells it."""
        found = _CODED.match(self._line(target.line), max(target.column - 1, 0))
        coded = found[0] if found else ""
        same = link_target(f"#{coded}", 0, 0).label == target.label
        return coded if same else ""

    def _found(
        self, kind: Kind, name: str, role: Role, line: int, column: int
    ) -> Mention:
        return self._mention(
            kind, name, role, line, self._find(line, column, name), name
        )

    def _mention(
        self, kind: Kind, name: str, role: Role, line: int, column: int, written: str
    ) -> Mention:
        return Mention(kind, name, role, self._scene.file, line, column, written)


_GIVEN = re.compile(r"""\w++\s*+\(\s*+(["'])((?:(?!\1)[^\\])*+)\1""")
_CODED = re.compile(r"[^\s()<>]*+")
