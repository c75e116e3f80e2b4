"""A story's sections and how they hang together, as nodes and links."""

from collections.abc import Iterator
from typing import Literal

from saniwa.core.drawing.graph import Edge, Graph, Kind, Node
from saniwa.script.flow import Flow
from saniwa.script.language.variation import Text
from saniwa.script.program import (
    Call,
    Clear,
    End,
    Enter,
    Fall,
    Go,
    Leap,
    Offer,
    Op,
    Program,
    Put,
    Show,
    Signal,
    Sound,
    Way,
)

_SILENT = (Show, Sound, Clear, Signal, Put, Fall)


def graph_of(program: Program, title: str) -> Graph:
    """The graph of a story."""
    drawing = _Drawing(program, title)
    drawing.draw()
    return Graph(
        title,
        tuple(drawing.nodes.values()),
        tuple(
            Edge(start, end, kind, tuple(labels))
            for (start, end, kind), labels in drawing.edges.items()
        ),
    )


_Edge = tuple[str, str, Literal["jump", "call", "fall"]]


class _Drawing:
    """One graph under way."""

    def __init__(self, program: Program, title: str) -> None:
        self._program = program
        self._ops = program.ops
        self._title = title
        self._flow = Flow(program)
        self._choices = choices_of(self._ops)
        self._sections = sections_of(self._ops)
        self._staying = staying_of(self._ops, self._sections)
        self.nodes: dict[str, Node] = {}
        self.edges: dict[_Edge, dict[str, None]] = {}

    def draw(self) -> None:
        """Every section first, then every way."""
        if not self._begins_with_heading():
            self._node("section ", self._title, "start", 1)
        for op in self._ops:
            if isinstance(op, Enter):
                self._node(f"section {op.label}", op.name, "section", op.line)
        for address, op in enumerate(self._ops):
            for edge in self._ways(address, op):
                labels = self.edges.setdefault(edge, {})
                choice = self._choices[address]
                if choice:
                    labels[choice] = None
                elif edge[0] == edge[1] and not labels:
                    # A link back to where we are: what else is done here leads there.
                    labels |= dict.fromkeys(self._staying[address])

    def _ways(self, address: int, op: Op) -> Iterator[_Edge]:
        node = self.nodes.get(f"section {self._sections[address]}")
        if node is None:
            return
        here = node.id
        match op:
            case Leap(to=to, label=label) | Call(to=to, label=label):
                goal = (
                    self._missing(here, label, op) if to is None else self._section(to)
                )
                yield here, goal, "call" if isinstance(op, Call) else "jump"
            case End(ending=None):
                if self._flow.goes_on(address):
                    yield here, self._node("end", "end", "end", op.line), "fall"
            case End(ending=str(ending), name=name):
                key = f"ending {ending}"
                goal = self._node(key, name or ending, "ending", op.line)
                yield here, goal, "fall"
            case _:
                for to in self._runs_into(address, op):
                    yield here, self._section(to), "fall"

    def _runs_into(self, address: int, op: Op) -> Iterator[int]:
        """Where flow simply runs into another section, outside of any call."""
        if isinstance(op, Offer) or not self._flow.goes_on(address):
            return
        for to in self._program.following(address):
            if self._sections[to] != self._sections[address]:
                yield to

    def _section(self, address: int) -> str:
        return self.nodes[f"section {self._sections[address]}"].id

    def _missing(self, here: str, label: str, op: Op) -> str:
        # One for each section that misses it: they have nothing to do with each other.
        return self._node(f"missing {here} {label}", label, "missing", op.line)

    def _node(self, key: str, name: str, kind: Kind, line: int) -> str:
        if key not in self.nodes:
            self.nodes[key] = Node(f"n{len(self.nodes)}", name, kind, line)
        return self.nodes[key].id

    def _begins_with_heading(self) -> bool:
        """Whether nothing but stage directions stands before the first section."""
        return len(self._program.labels) > 0 and all(
            section != "" or isinstance(op, _SILENT)
            for section, op in zip(self._sections, self._ops, strict=True)
        )


def choices_of(ops: tuple[Op, ...]) -> list[str]:
    """For every operation, the words of the innermost option whose arm it stands in."""
    choices = [""] * len(ops)
    for op in ops:
        if isinstance(op, Offer):
            ends = [*(way.to for way in op.ways[1:]), op.after]
            for way, end in zip(op.ways, ends, strict=True):
                choices[way.to : end] = [_words(way)] * (end - way.to)
    return choices


def staying_of(ops: tuple[Op, ...], sections: list[str]) -> list[tuple[str, ...]]:
    """For every operation outside of arms, the options before it that lead nowhere else."""
    found, staying = [], tuple[str, ...]()
    after = 0
    for address, op in enumerate(ops):
        if address and sections[address] != sections[address - 1]:
            staying = ()
        if isinstance(op, Offer) and address >= after:
            after = op.after
            ends = [*(way.to for way in op.ways[1:]), op.after]
            staying = tuple(
                _words(way)
                for way, end in zip(op.ways, ends, strict=True)
                if not any(isinstance(o, Leap | End) for o in ops[way.to : end])
            )
        found.append(staying if address >= after else ())
    return found


def _words(way: Way) -> str:
    return way.words.source if isinstance(way.words, Text) else way.words


def sections_of(ops: tuple[Op, ...]) -> list[str]:
    """For every operation, the key of the section it stands in; routes end where they end."""
    sections: list[str] = []
    open_routes: list[tuple[int, str]] = []
    here = ""
    for address, op in enumerate(ops):
        while open_routes and address >= open_routes[-1][0]:
            here = open_routes.pop()[1]
        if isinstance(op, Enter):
            if op.kind == "route":
                before = ops[address - 1]
                assert isinstance(before, Go)
                open_routes.append((before.to, here))
            here = op.label
        sections.append(here)
    return sections
