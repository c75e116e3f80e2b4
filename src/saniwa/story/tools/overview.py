"""Overviews of a story: a graph of its sections, an outline, and statistics."""

import re
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from saniwa.core.graph import Edge, Graph, Kind, Node
from saniwa.story import elements
from saniwa.story.elements import SayElement, walk_elements
from saniwa.story.flow_analysis import StoryFlow
from saniwa.story.program import CallOp, EndOp, EnterOp, FallOp, GoOp, JumpOp, OfferOp, Op, Program
from saniwa.story.text_template import SwitchPart, VariationPart, Words, get_source

_SILENT = (
    elements.PictureElement,
    elements.SoundElement,
    elements.ClearElement,
    elements.EventElement,
    elements.AssignElement,
    FallOp,
)


def build_graph(program: Program, title: str) -> Graph:
    """Build the graph of a story."""
    drawing = _GraphBuilder(program, title)
    drawing.build()
    return Graph(
        title,
        tuple(drawing.nodes.values()),
        tuple(
            Edge(start, end, kind, tuple(labels))
            for (start, end, kind), labels in drawing.edges.items()
        ),
    )


_Edge = tuple[str, str, Literal["jump", "call", "fall"]]


class _GraphBuilder:
    """Builds one graph."""

    def __init__(self, program: Program, title: str) -> None:
        self._program = program
        self._ops = program.ops
        self._title = title
        self._flow = StoryFlow(program)
        self._choices = map_choices(self._ops)
        self._sections = map_sections(self._ops)
        self._staying = map_staying_options(self._ops, self._sections)
        self.nodes: dict[str, Node] = {}
        self.edges: dict[_Edge, dict[str, None]] = {}

    def build(self) -> None:
        """Add every section, then every edge."""
        if not self._begins_with_heading():
            self._add_node("section ", self._title, "start", 1)
        for op in self._ops:
            if isinstance(op, EnterOp):
                self._add_node(f"section {op.label}", op.name, "section", op.line)
        for address, op in enumerate(self._ops):
            for edge in self._list_edges(address, op):
                labels = self.edges.setdefault(edge, {})
                choice = self._choices[address]
                if choice:
                    labels[choice] = None
                elif edge[0] == edge[1] and not labels:
                    # A link back to this section: options that lead nowhere else end up
                    # here too.
                    labels |= dict.fromkeys(self._staying[address])

    def _list_edges(self, address: int, op: Op) -> Iterator[_Edge]:
        node = self.nodes.get(f"section {self._sections[address]}")
        if node is None:
            return
        here = node.id
        match op:
            case JumpOp(to=to, label=label) | CallOp(to=to, label=label):
                goal = self._add_missing(here, label, op) if to is None else self._get_section(to)
                yield here, goal, "call" if isinstance(op, CallOp) else "jump"
            case EndOp(ending=None):
                if self._flow.is_reachable_outside_call(address):
                    yield here, self._add_node("end", "end", "end", op.line), "fall"
            case EndOp(ending=str(ending), name=name):
                key = f"ending {ending}"
                goal = self._add_node(key, name or ending, "ending", op.line)
                yield here, goal, "fall"
            case _:
                for to in self._list_fall_targets(address, op):
                    yield here, self._get_section(to), "fall"

    def _list_fall_targets(self, address: int, op: Op) -> Iterator[int]:
        """Yield where flow runs into another section, outside of any call."""
        if isinstance(op, OfferOp) or not self._flow.is_reachable_outside_call(address):
            return
        for to in self._program.list_successors(address):
            if self._sections[to] != self._sections[address]:
                yield to

    def _get_section(self, address: int) -> str:
        return self.nodes[f"section {self._sections[address]}"].id

    def _add_missing(self, here: str, label: str, op: Op) -> str:
        # One node per section that misses it: they are unrelated.
        return self._add_node(f"missing {here} {label}", label, "missing", op.line)

    def _add_node(self, key: str, name: str, kind: Kind, line: int) -> str:
        if key not in self.nodes:
            self.nodes[key] = Node(f"n{len(self.nodes)}", name, kind, line)
        return self.nodes[key].id

    def _begins_with_heading(self) -> bool:
        """Whether only stage directions precede the first section."""
        return len(self._program.labels) > 0 and all(
            section != "" or isinstance(op, _SILENT)
            for section, op in zip(self._sections, self._ops, strict=True)
        )


def map_choices(ops: tuple[Op, ...]) -> list[str]:
    """Map every operation to the words of the innermost option whose arm it is in."""
    choices = [""] * len(ops)
    for op in ops:
        if isinstance(op, OfferOp):
            ends = [*(way.to for way in op.ways[1:]), op.after]
            for way, end in zip(op.ways, ends, strict=True):
                choices[way.to : end] = [get_source(way.words)] * (end - way.to)
    return choices


def map_staying_options(ops: tuple[Op, ...], sections: list[str]) -> list[tuple[str, ...]]:
    """Map operations outside of arms to the options before that lead nowhere else."""
    found, staying = [], tuple[str, ...]()
    after = 0
    for address, op in enumerate(ops):
        if address and sections[address] != sections[address - 1]:
            staying = ()
        if isinstance(op, OfferOp) and address >= after:
            after = op.after
            ends = [*(way.to for way in op.ways[1:]), op.after]
            staying = tuple(
                get_source(way.words)
                for way, end in zip(op.ways, ends, strict=True)
                if not any(isinstance(o, JumpOp | EndOp) for o in ops[way.to : end])
            )
        found.append(staying if address >= after else ())
    return found


def map_sections(ops: tuple[Op, ...]) -> list[str]:
    """Map every operation to the key of its section; a route ends with its block."""
    sections: list[str] = []
    open_routes: list[tuple[int, str]] = []
    here = ""
    for address, op in enumerate(ops):
        while open_routes and address >= open_routes[-1][0]:
            here = open_routes.pop()[1]
        if isinstance(op, EnterOp):
            if op.kind == "route":
                before = ops[address - 1]
                assert isinstance(before, GoOp)
                open_routes.append((before.to, here))
            here = op.label
        sections.append(here)
    return sections


OutlineSort = Literal["section", "label", "ending"]
"""The kind of an entry."""


class OutlineEntry(msgspec.Struct, frozen=True):
    """One entry of the outline."""

    name: str
    """Its display name."""
    sort: OutlineSort
    """Its kind."""
    line: int
    """The line it begins on."""
    column: int
    """The column where its name begins."""
    length: int
    """The length of its name there, in characters."""
    last: int
    """The last line of this part."""
    inner: tuple["OutlineEntry", ...] = ()
    """The entries inside it."""


def build_outline(scene: elements.StoryScene) -> tuple[OutlineEntry, ...]:
    """List the sections of a file, each with its labels and endings, in reading order.

    Entries before the first section come on their own.
    """
    marks = [each for element in walk_elements(scene.block) if (each := _make_entry(element))]
    marks.sort(key=lambda each: (each.line, each.column))
    end = len(scene.lines)
    top: list[OutlineEntry] = []
    inner: list[OutlineEntry] = []
    for each in reversed(marks):
        if each.sort == "section":
            inside = tuple(reversed(inner))
            top.append(msgspec.structs.replace(each, last=end, inner=inside))
            inner, end = [], each.line - 1
        else:
            inner.append(each)
    return (*reversed(inner), *reversed(top))


def _make_entry(element: elements.Element) -> OutlineEntry | None:
    match element:
        case elements.LabelElement(kind="section" | "scene", name=name):
            return _make_named_entry(element, name, "section", element.last)
        case elements.LabelElement(name=name):
            return _make_named_entry(element, name, "label", element.last)
        case elements.RouteElement(label=label):
            return _make_named_entry(label, label.name, "label", element.last)
        case elements.EndingElement(line=line, column=column, id=id, name=name):
            shown = name or id or "?"
            return OutlineEntry(shown, "ending", line, column, 1, line)
        case _:
            return None


def _make_named_entry(
    label: elements.LabelElement, name: str, sort: OutlineSort, last: int
) -> OutlineEntry:
    return OutlineEntry(name or "?", sort, label.line, label.name_column, len(name), last)


WORDS_A_MINUTE: Final = 200
"""Words read in a minute."""
LETTERS_A_MINUTE: Final = 500
"""Japanese characters read in a minute."""

_LETTER = re.compile(
    "[\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_WORD = re.compile(r"[^\W_]")


class TextSize(msgspec.Struct, frozen=True, kw_only=True):
    """An amount of text."""

    lines: int = 0
    """Lines of narration and speech."""
    words: int = 0
    """Words separated by spaces."""
    letters: int = 0
    """Japanese characters."""
    characters: int = 0
    """All characters but spaces."""

    def __add__(self, other: "TextSize") -> "TextSize":
        return TextSize(
            lines=self.lines + other.lines,
            words=self.words + other.words,
            letters=self.letters + other.letters,
            characters=self.characters + other.characters,
        )

    @property
    def seconds(self) -> int:
        """The time it takes to read."""
        minutes = self.words / WORDS_A_MINUTE + self.letters / LETTERS_A_MINUTE
        return round(minutes * 60)


class StoryPartSize(msgspec.Struct, frozen=True, kw_only=True):
    """The amount of text of one speaker or one section."""

    name: str
    """Its name; empty for the narrator, or for text before the first section."""
    size: TextSize
    """The amount."""


class StoryStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """Statistics of a story."""

    size: TextSize
    """All its text, including options."""
    speakers: tuple[StoryPartSize, ...]
    """By speaker; the one with most text first."""
    sections: int
    """How many labels there are."""
    choices: int
    """How many lists of options there are."""
    options: int
    """How many options there are."""
    endings: tuple[str, ...]
    """Ids of the endings, in order."""
    variables: tuple[str, ...]
    """Names of the variables, sorted."""
    longest: StoryPartSize | None
    """The section that takes longest to read."""


def measure_story(program: Program) -> StoryStatistics:
    """Measure a story; time is linear in its length."""
    speakers, sections = dict[str, TextSize](), dict[str, TextSize]()
    label, number, choices, options = "", 0, 0, 0
    endings: dict[str, None] = {}
    names = {declared.name for declared in program.variables}
    for op in program.ops:
        size = TextSize()
        match op:
            case SayElement(speaker=speaker, words=words):
                size = _measure_text(words, lines=1)
                speakers[speaker] = speakers.get(speaker, TextSize()) + size
            case OfferOp(ways=ways):
                choices, options = choices + 1, options + len(ways)
                for way in ways:
                    size += _measure_text(way.words)
            case EnterOp(label=label):
                number += 1
            case EndOp(ending=str(ending)):
                endings[ending] = None
            case elements.AssignElement(name=name) | elements.AskElement(name=name) if name:
                names.add(name)
            case _:
                continue
        sections[label] = sections.get(label, TextSize()) + size
    return StoryStatistics(
        size=sum(sections.values(), TextSize()),
        speakers=_sort_by_size(speakers),
        sections=number,
        choices=choices,
        options=options,
        endings=tuple(endings),
        variables=tuple(sorted(names)),
        longest=_find_longest(sections),
    )


def _sort_by_size(sizes: dict[str, TextSize]) -> tuple[StoryPartSize, ...]:
    parts = [StoryPartSize(name=name, size=size) for name, size in sizes.items()]
    return tuple(sorted(parts, key=lambda part: -part.size.characters))


def _find_longest(sizes: dict[str, TextSize]) -> StoryPartSize | None:
    parts = _sort_by_size(sizes)
    return max(parts, key=lambda part: part.size.seconds) if parts else None


def _measure_text(words: Words, lines: int = 0) -> TextSize:
    text = "".join(_list_texts(words))
    letters = len(_LETTER.findall(text))
    rest = _LETTER.sub(" ", text).split()
    return TextSize(
        lines=lines,
        words=sum(_WORD.search(word) is not None for word in rest),
        letters=letters,
        characters=sum(map(len, text.split())),
    )


def _list_texts(words: Words) -> Iterator[str]:
    # Recurses as deep as braces nest, which `parse_words` bounds.
    for part in (words,) if isinstance(words, str) else words.parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, SwitchPart | VariationPart):
            yield " ".join("".join(_list_texts(side)) for side in part.sides)
