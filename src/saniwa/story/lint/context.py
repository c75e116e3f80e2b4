"""What the checks know about a story: each kind of data is collected once."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, Protocol, TypeVar, cast

from saniwa.core.findings import SourceLocation
from saniwa.core.suggestions import find_nearest, find_typo_correction
from saniwa.story import elements
from saniwa.story.assets import FolderAssets
from saniwa.story.elements import SayElement, list_element_expressions, walk_elements
from saniwa.story.expression_parser import Expression, FunctionCall
from saniwa.story.flow_analysis import StoryFlow
from saniwa.story.program import DoOp, EnterOp, OfferOp, Op, Program, StoryText
from saniwa.story.value_operations import Value, format_value

MOST_LINES: Final = 12
"""The most lines that one finding lists."""


def make_place(file: str, line: int, column: int) -> SourceLocation:
    """Make a place in a file."""
    return SourceLocation(file=file, line=line, column=column)


class _WrittenPart(Protocol):
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


def locate_part(file: str, part: _WrittenPart) -> SourceLocation:
    """Locate a part of a file."""
    return SourceLocation(file=file, line=part.line, column=part.column)


def format_count(count: int, one: str, many: str) -> str:
    """Format a count with the singular or plural noun."""
    return f"{count} {one if count == 1 else many}"


def list_lines(places: Iterable[SourceLocation], file: str) -> list[int]:
    """Return the first few lines of these places in a file."""
    return sorted({each.line for each in places if each.file == file})[:MOST_LINES]


MOST_GUESSES: Final = 50
"""The most names in one story for which similar names are searched."""
MOST_COMPARED: Final = 50_000
"""The most names compared in total in these searches."""
_Kind = TypeVar("_Kind", EnterOp, OfferOp, DoOp, elements.AskElement)
_ELEMENTS: Final[frozenset[type[elements.Element]]] = frozenset(
    {elements.AssignElement, elements.AskElement, elements.PictureElement, elements.SoundElement}
)
_OPS: Final[frozenset[type[Op]]] = frozenset({EnterOp, OfferOp, DoOp, elements.AskElement})


class LintContext:
    """One story to check."""

    def __init__(
        self,
        scenes: Sequence[elements.StoryScene],
        program: Program,
        assets: FolderAssets,
        speakers: tuple[str, ...] | None,
    ) -> None:
        self.scenes, self.program, self.assets = scenes, program, assets
        self.speakers = speakers
        self.misspelt: set[str] = set()
        """Variables that were probably meant by an undeclared name."""
        self.meant_labels: set[tuple[str, str]] = set()
        """Files and names of labels that were probably meant by an unresolved link."""
        self.elements: dict[type[elements.Element], list[tuple[str, Any]]] = defaultdict(list)
        """The elements that checks need, each with its file."""
        self.expressions: list[tuple[str, list[Expression]]] = []
        """All expressions, file by file."""
        self._addresses: dict[type[Op], list[int]] = defaultdict(list)
        self._guesses, self._compared = MOST_GUESSES, MOST_COMPARED
        self._by_file = {scene.file: scene for scene in scenes}
        for scene in scenes:
            self._collect_scene(scene)
        for address, op in enumerate(program.ops):
            if op.__class__ in _OPS:
                self._addresses[op.__class__].append(address)

    def _collect_scene(self, scene: elements.StoryScene) -> None:
        gathered: list[Expression] = []
        for element in walk_elements(scene.block):
            if element.__class__ is SayElement and isinstance(element.words, str):
                continue  # most elements: nothing to collect
            gathered.extend(list_element_expressions(element))
            if element.__class__ in _ELEMENTS:
                self.elements[element.__class__].append((scene.file, element))
        self.expressions.append((scene.file, gathered))

    @cached_property
    def texts(self) -> list[tuple[str, list[StoryText]]]:
        """Each file with its lines and options, in order."""
        ops, texts = self.program.ops, list[tuple[str, list[StoryText]]]()
        for (start, file), (end, _) in pairwise([*self.program.files, (len(ops), "")]):
            found: list[StoryText] = []
            for op in ops[start:end]:
                if op.__class__ is SayElement:
                    found.append(op)
                elif op.__class__ is OfferOp:
                    found.extend(op.ways)
            texts.append((file, found))
        return texts

    @cached_property
    def flow(self) -> StoryFlow:
        """Where its flow can go."""
        return StoryFlow(self.program)

    def list_ops(self, kind: type[_Kind]) -> Iterator[tuple[int, _Kind]]:
        """Yield the operations of a kind, with their addresses."""
        ops = self.program.ops
        for address in self._addresses[kind]:
            yield address, cast(_Kind, ops[address])

    def list_enter_ops(self) -> Iterator[tuple[int, EnterOp]]:
        """Yield labels that the author wrote, without the beginnings of files."""
        starts = {start for start, _ in self.program.files if start}
        for address, op in self.list_ops(EnterOp):
            if address not in starts:
                yield address, op

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """The names of labels as written, by file."""
        names: dict[str, list[str]] = {scene.file: [] for scene in self.scenes}
        for address, op in self.list_enter_ops():
            names[self.program.find_file(address)].append(op.name)
        return names

    @cached_property
    def calls(self) -> dict[str, list[tuple[str, FunctionCall]]]:
        """Function calls by name."""
        calls = defaultdict(list)
        for file, expressions in self.expressions:
            for expression in expressions:
                for call in expression.calls:
                    calls[call.name].append((file, call))
        return calls

    @cached_property
    def declarations(self) -> dict[str, tuple[SourceLocation, Value]]:
        """Declared variables: their places and initial values."""
        return {
            name.name: (make_place(scene.file, name.line, name.column), name.value)
            for scene in reversed(self.scenes)
            for name in reversed(scene.front.variables)
        }

    def is_excused(self, code: str, file: str, line: int) -> bool:
        """Whether a finding of the parser in this line already explains this."""
        return (code, line) in self._by_file[file].excused

    def find_near(self, name: str, names: Collection[str]) -> str:
        """Return the most similar name, while the search is cheap; else empty."""
        if not self._guesses or len(names) > self._compared:
            return ""
        self._guesses -= 1
        self._compared -= len(names)
        return find_nearest(name, names) or find_typo_correction(name, names)

    def make_rewrite(self, where: SourceLocation, old: str, new: str) -> dict[str, Any]:
        """Make the edit that replaces `old` by `new`; empty if `old` is not there."""
        line = self.get_line(where)
        if not new or not line.startswith(old, where.column - 1):
            return {}
        edit = {"line": where.line, "column": where.column}
        return {"rewrite": {**edit, "length": len(old), "text": new}}

    def make_argument_rewrite(self, file: str, call: FunctionCall, near: str) -> dict[str, Any]:
        """Make the edit of a call's only argument, a quoted text."""
        line, given = (self.get_line(make_place(file, call.line, 0)), format_value(call.given[0]))
        start = call.column - 1 + len(call.name)
        for quote in "\"'":
            at = line.find(f"{quote}{given}{quote}", start)
            if at >= 0 and not set(line[start:at]) - set("( "):
                return self.make_rewrite(make_place(file, call.line, at + 2), given, near)
        return {}

    def get_title(self, file: str) -> str:
        """Return the title of a file; empty if it has none."""
        return self._by_file[file].title

    def get_line(self, where: SourceLocation) -> str:
        """Return the text of a line."""
        return self._by_file[where.file].get_line(where.line)
