"""A whole story, as the checks ask about it: each thing is gathered once."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, TypeVar, cast

from saniwa.core.near import nearest, slipped
from saniwa.core.where import Where
from saniwa.script.asset import ListedAssets
from saniwa.script.flow import Flow
from saniwa.script.language.expression import Called, Expression
from saniwa.script.language.value import Value, shown
from saniwa.script.lint.telling import place
from saniwa.script.node import Ask, Assign, Node, Picture, Scene, Sound
from saniwa.script.program import Do, Enter, Hear, Offer, Op, Program
from saniwa.script.tree import expressions_of, walk

MOST_GUESSES: Final = 50
"""Names for which a near one is looked for, in one story."""
MOST_COMPARED: Final = 50_000
"""Names compared in all when near ones are looked for."""
_Kind = TypeVar("_Kind", Enter, Offer, Do, Hear)
_ELEMENTS: Final[frozenset[type[Node]]] = frozenset({Assign, Ask, Picture, Sound})
_OPS: Final[frozenset[type[Op]]] = frozenset({Enter, Offer, Do, Hear})


class Whole:
    """One story."""

    def __init__(
        self,
        scenes: Sequence[Scene],
        program: Program,
        assets: ListedAssets,
        speakers: tuple[str, ...] | None,
    ) -> None:
        self.scenes, self.program, self.assets = scenes, program, assets
        self.speakers = speakers
        self.misspelt: set[str] = set()
        """Variables that are most likely meant where another name stands."""
        self.elements: dict[type[Node], list[tuple[str, Any]]] = defaultdict(list)
        """The elements that some check asks for, each with its file."""
        self.expressions: list[tuple[str, list[Expression]]] = []
        """All expressions, file by file."""
        self._addresses: dict[type[Op], list[int]] = defaultdict(list)
        self._guesses, self._compared = MOST_GUESSES, MOST_COMPARED
        self._lines: dict[str, list[str]] = {}
        for scene in scenes:
            self._gather(scene)
        for address, op in enumerate(program.ops):
            if op.__class__ in _OPS:
                self._addresses[op.__class__].append(address)

    def _gather(self, scene: Scene) -> None:
        gathered: list[Expression] = []
        for element in walk(scene.block):
            gathered.extend(expressions_of(element))
            if element.__class__ in _ELEMENTS:
                self.elements[element.__class__].append((scene.file, element))
        self.expressions.append((scene.file, gathered))

    @cached_property
    def flow(self) -> Flow:
        """Where its flow goes."""
        return Flow(self.program)

    def ops(self, kind: type[_Kind]) -> Iterator[tuple[int, _Kind]]:
        """The operations of a kind that some check asks for, with their addresses."""
        ops = self.program.ops
        for address in self._addresses[kind]:
            yield address, cast(_Kind, ops[address])

    def enters(self) -> Iterator[tuple[int, Enter]]:
        """Labels an author wrote; a file's own beginning is none."""
        starts = {start for start, _ in self.program.files if start}
        for address, op in self.ops(Enter):
            if address not in starts:
                yield address, op

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """The names of labels as written, by file."""
        names: dict[str, list[str]] = {scene.file: [] for scene in self.scenes}
        for address, op in self.enters():
            names[self.program.file_of(address)].append(op.name)
        return names

    @cached_property
    def calls(self) -> dict[str, list[tuple[str, Called]]]:
        """Calls of functions by name."""
        calls = defaultdict(list)
        for file, expressions in self.expressions:
            for expression in expressions:
                for call in expression.calls:
                    calls[call.name].append((file, call))
        return calls

    @cached_property
    def declared(self) -> dict[str, tuple[Where, Value]]:
        """Declared variables: where, and their first values."""
        return {
            name.name: (place(scene.file, name.line, name.column), name.value)
            for scene in reversed(self.scenes)
            for name in reversed(scene.front.variables)
        }

    def is_excused(self, code: str, address: int) -> bool:
        """Whether what reading found explains this already."""
        file, line = self.program.file_of(address), self.program.ops[address].line
        return self.is_excused_line(code, file, line)

    def is_excused_line(self, code: str, file: str, line: int) -> bool:
        """Whether what reading found in a line explains this already."""
        return any((code, line) in s.excused for s in self.scenes if s.file == file)

    def near(self, name: str, names: Collection[str]) -> str:
        """The nearest name, as long as looking for it stays cheap."""
        if not self._guesses or len(names) > self._compared:
            return ""
        self._guesses -= 1
        self._compared -= len(names)
        return nearest(name, names) or slipped(name, names)

    def rewrite(self, where: Where, old: str, new: str) -> dict[str, Any]:
        """The edit that puts `new` in the place of `old`, if that stands there."""
        line = self.line(where)
        if not new or not line.startswith(old, where.column - 1):
            return {}
        edit = {"line": where.line, "column": where.column}
        return {"rewrite": {**edit, "length": len(old), "text": new}}

    def rewrite_given(self, file: str, call: Called, near: str) -> dict[str, Any]:
        """The edit of a call's only argument, a quoted text."""
        line, given = self.line(place(file, call.line, 0)), shown(call.given[0])
        start = call.column - 1 + len(call.name)
        for quote in "\"'":
            at = line.find(f"{quote}{given}{quote}", start)
            if at >= 0 and not set(line[start:at]) - set("( "):
                return self.rewrite(place(file, call.line, at + 2), given, near)
        return {}

    def line(self, where: Where) -> str:
        """The text of a line."""
        if where.file not in self._lines:
            texts = (s.text for s in self.scenes if s.file == where.file)
            self._lines[where.file] = next(texts, "").split("\n")
        lines = self._lines[where.file]
        return lines[where.line - 1] if 0 < where.line <= len(lines) else ""
