import xml.etree.ElementTree as ET

import msgspec
import pytest

from saniwa.core.graph import Graph
from saniwa.core.mermaid_and_svg import merge_edges, render_mermaid, render_svg
from saniwa.process.definition import Process
from saniwa.process.diagram import build_graph, render_duration
from saniwa.process.library import BundledProcessLibrary
from tests.fakes.definitions import Change, put, read_changed


def _read_process(*changes: Change) -> Process:
    read = read_changed(*changes)
    assert read.process is not None, read.report
    return read.process


def _list_ways(graph: Graph) -> list[tuple[str, str, str, tuple[str, ...]]]:
    names = {node.id: node.name for node in graph.nodes}
    return [(names[e.start], names[e.end], e.kind, e.labels) for e in graph.edges]


def test_states_are_nodes_and_transitions_say_event_guard_and_roles() -> None:
    """Transitions are labelled with event, guard and roles."""
    graph = build_graph(_read_process())

    assert [("draft", "start"), ("read", "state"), ("sent", "final")] == [
        (node.name, node.kind) for node in graph.nodes
    ]
    assert [
        ("draft", "read", "event", ("submit [written] (agent)",)),
        ("read", "sent", "event", ("approve (reviewer)",)),
        ("read", "draft", "event", ("reject (reviewer)",)),
    ] == _list_ways(graph)


def test_the_initial_state_is_first_everywhere() -> None:
    """The initial state is drawn first, wherever it is defined."""
    graph = build_graph(
        _read_process(
            put("read", "initial_state"),
            put({"from": "read", "event": "submit", "to": "draft"}, "transitions", "+"),
        )
    )

    assert ["read", "draft", "sent"] == [node.name for node in graph.nodes]


def test_what_time_takes_is_dashed_and_a_way_of_its_own() -> None:
    """A timed transition is dashed, has its time, and is separate from events."""
    late = {"from": "read", "to": "draft", "after": "48h", "guard": "written"}
    graph = build_graph(_read_process(put(late, "transitions", "+")))

    assert ("read", "draft", "timer", ("after 48h [written]",)) in _list_ways(graph)
    assert [False, False, False, True] == [link.call for link in merge_edges(graph)]
    assert '-.->|"after 48h' in render_mermaid(graph)
    assert 'class="way call"' in render_svg(graph)


def test_only_roles_that_may_are_named() -> None:
    """A transition names the roles that may take it, unless every role may."""
    graph = build_graph(
        _read_process(
            put("*", "events", 0, "allowed_roles"),
            put({"from": "draft", "event": "submit", "to": "draft",
                 "allowed_roles": ["agent"]}, "transitions", "+"),
            put(["reviewer"], "transitions", 1, "allowed_roles"),
        )
    )  # fmt: skip

    assert [
        ("submit [written]",),
        ("approve (reviewer)",),
        ("reject (reviewer)",),
        ("submit (agent)",),
    ] == [labels for *_, labels in _list_ways(graph)]


@pytest.mark.parametrize("id", BundledProcessLibrary().list_ids())
def test_what_is_shipped_can_be_drawn(id: str) -> None:
    """Every shipped process can be drawn as Mermaid and as valid XML with all its states."""
    process = BundledProcessLibrary().find(id)
    graph = build_graph(process)

    root = ET.fromstring(render_svg(graph))
    said = "".join(root.itertext())
    assert all(state.name in said for state in process.states)
    assert len(process.states) + len(graph.edges) + 1 == render_mermaid(graph).count("\n")


@pytest.mark.parametrize(
    ("milliseconds", "said"),
    [(172_800_000, "48h"), (30 * 86_400_000, "30d"), (5_400_001, "1h30m1ms")],
)
def test_times_are_shown_as_authors_write_them(milliseconds: int, said: str) -> None:
    """Times are shown in hours up to a week, then in days."""
    assert said == render_duration(milliseconds)


_SVG = "{http://www.w3.org/2000/svg}"


def _list_areas(drawn: str, kind: str) -> list[tuple[float, ...]]:
    rects = ET.fromstring(drawn).iter(f"{_SVG}rect")
    return [
        tuple(float(r.attrib[name]) for name in ("x", "y", "width", "height"))
        for r in rects
        if r.attrib["class"] == kind
    ]


@pytest.mark.parametrize("id", BundledProcessLibrary().list_ids())
def test_words_are_drawn_on_paper_and_off_the_boxes(id: str) -> None:
    """Labels have a background, and do not touch the boxes."""
    drawn = render_svg(build_graph(BundledProcessLibrary().find(id)))
    said = ET.fromstring(drawn).iter(f"{_SVG}text")
    words = sum(each.attrib["class"] == "said" for each in said)

    papers, boxes = _list_areas(drawn, "paper"), _list_areas(drawn, "box")
    assert words == len(papers) > 0
    for x, y, wide, high in papers:
        for u, v, broad, tall in boxes:
            beside = x + wide + 3 <= u or u + broad + 3 <= x
            assert beside or y + high + 3 <= v or v + tall + 3 <= y


def test_words_that_are_wider_than_their_boxes_stay_in_the_picture() -> None:
    """Labels wider than the boxes stay inside the picture."""
    long = "submit_everything_that_was_written_so_far"
    drawn = render_svg(
        build_graph(
            _read_process(
                put(long, "events", 0, "name"),
                put(long, "transitions", 0, "event"),
                put([long], "roles", 0, "allowed_events"),
            )
        )
    )
    left, _, width, _ = map(float, ET.fromstring(drawn).attrib["viewBox"].split())

    papers = _list_areas(drawn, "paper")
    assert 3 == len(papers)
    for x, _, wide, _ in papers:
        assert left <= x
        assert x + wide <= left + width


def test_the_graph_says_nothing_of_how_it_is_drawn() -> None:
    """The JSON of a graph has no line numbers and no sizes."""
    plain = msgspec.json.decode(msgspec.json.encode(build_graph(_read_process())))

    assert {"title", "nodes", "edges"} == set(plain)
    assert {"id", "name", "kind"} == set(plain["nodes"][0])
