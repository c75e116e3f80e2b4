"""A story as an editor shows it next to its text: outline, graph and length."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec

from saniwa.app.operations.contract import build_view
from saniwa.core.graph import Graph
from saniwa.story.elements import StoryScene
from saniwa.story.flow import StoryFlow
from saniwa.story.link_parser import to_relative
from saniwa.story.program import EnterOp, Program
from saniwa.story.story import Story
from saniwa.story.tools import overview

MAX_NODES: Final = 400
"""The largest number of nodes in an answer."""
MAX_LINES: Final = 1_000
"""The largest number of outline lines in an answer."""
MAX_SPEAKERS: Final = 50
"""The largest number of speakers in an answer."""
_MAX_LABELS: Final = 8


class OutlineLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the outline."""

    name: str
    """How people read it."""
    sort: overview.OutlineSort
    """What it is."""
    line: int
    """Where it begins, from 1."""
    last: int
    """The last line that belongs to it."""
    level: int
    """0 for what stands by itself, 1 for what stands in a section."""


class GraphNode(msgspec.Struct, frozen=True, kw_only=True):
    """A section, an ending, or a name that leads nowhere."""

    id: str
    """Its name in the graph."""
    name: str
    """What people call it."""
    kind: str
    """`start`, `section`, `ending`, `end` or `missing`."""
    file: str = ""
    """The file it is written in; empty for the text itself."""
    line: int = 0
    """The line it is written on, from 1; 0 for none."""
    reached: bool = True
    """Whether any way leads to it."""


class GraphEdge(msgspec.Struct, frozen=True, kw_only=True):
    """A way from one to another."""

    start: str
    """The node it leaves."""
    end: str
    """The node it leads to."""
    kind: str
    """`jump`, `call`, or `fall` where the one simply follows the other."""
    labels: list[str]
    """The choices that lead along it."""


class StoryGraph(msgspec.Struct, frozen=True, kw_only=True):
    """How a story hangs together."""

    nodes: list[GraphNode]
    """The beginning first."""
    edges: list[GraphEdge]
    """In the author's order."""
    left_out: int = 0
    """How many nodes are not told, because there are too many."""


class SpeakerCount(msgspec.Struct, frozen=True, kw_only=True):
    """How much one speaker says."""

    name: str
    """Who; empty for the narrator."""
    lines: int
    """Utterances."""
    words: int
    """Words parted by blanks."""
    letters: int
    """Japanese letters."""


class StoryCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How long a story is."""

    lines: int
    """Utterances."""
    words: int
    """Words parted by blanks."""
    letters: int
    """Japanese letters."""
    seconds: int
    """How long it takes to read."""
    sections: int
    """Places to jump to."""
    choices: int
    """Lists of options."""
    options: int
    """Options in them."""
    endings: list[str]
    """Their ids, in order."""
    speakers: list[SpeakerCount]
    """Who says most comes first."""


def build_outline_lines(scene: StoryScene) -> list[OutlineLine]:
    """Return the outline of one file."""
    return [*islice(_flatten_entries(overview.build_outline(scene), 0), MAX_LINES)]


def _flatten_entries(
    entries: tuple[overview.OutlineEntry, ...], level: int
) -> Iterator[OutlineLine]:
    for each in entries:
        yield build_view(OutlineLine, each, level=level)
        yield from _flatten_entries(each.inner, level + 1)


def build_story_graph(story: Story, file: str) -> StoryGraph:
    """Return the graph of a story; nodes of the file itself name no file."""
    graph = overview.build_graph(story.program, story.title)
    shown = graph.nodes[:MAX_NODES]
    known = {node.id for node in shown}
    homes = _find_node_files(graph, story.program)
    first = story.scenes[0].file
    nodes = [
        build_view(GraphNode, node, file=_show_file(home, first, file), reached=reached)
        for node in shown
        for home, reached in [homes.get(node.id, ("", True))]
    ]
    edges = [
        build_view(GraphEdge, edge, labels=edge.labels[:_MAX_LABELS])
        for edge in graph.edges
        if edge.start in known and edge.end in known
    ]
    left_out = len(graph.nodes) - len(shown)
    return StoryGraph(nodes=nodes, edges=edges, left_out=left_out)


def _find_node_files(graph: Graph, program: Program) -> dict[str, tuple[str, bool]]:
    """Return for every node its file, and whether it is reachable.

    Sections are in the order of their labels; an ending or a missing name belongs to
    the section that leads to it.
    """
    flow = StoryFlow(program)
    entered: dict[str, int] = {}
    for address, op in enumerate(program.ops):
        if isinstance(op, EnterOp):
            entered.setdefault(op.label, address)
    sections = [node.id for node in graph.nodes if node.kind == "section"]
    homes = {
        id: (program.find_file(address), flow.is_reachable(address))
        for id, address in zip(sections, entered.values(), strict=False)
    }
    for node in graph.nodes:
        if node.kind == "start":
            homes[node.id] = (program.find_file(0), True)
    for edge in graph.edges:
        if edge.start in homes:
            homes.setdefault(edge.end, homes[edge.start])
    return homes


def _show_file(home: str, first: str, file: str) -> str:
    return "" if not home or home == file else to_relative(home, first)


def count_story(program: Program) -> StoryCounts:
    """Return the length of a story."""
    found = overview.measure_story(program)
    speakers = [build_view(SpeakerCount, each, each.size) for each in found.speakers[:MAX_SPEAKERS]]
    endings = found.endings[:MAX_NODES]
    return build_view(StoryCounts, found, found.size, endings=endings, speakers=speakers)
