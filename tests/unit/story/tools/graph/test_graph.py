import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest

from saniwa.core.graph import Graph
from saniwa.core.mermaid_and_svg import (
    LINE,
    SMALL,
    measure_width,
    merge_edges,
    render_mermaid,
    render_svg,
)
from saniwa.story.story import parse_story
from saniwa.story.tools.overview import build_graph

HOUSE = """\
# House
You stand outside.
- [Go in](#hall)
- Walk around
  [the garden](#garden)
- Lost {if false}
  [lost](#nowhere)
## hall
The hall.
[the clock](#clock "call")
[on](#garden)
## garden
The garden.
- [In again](#hall)
- [Over the wall](#hall)
- Stay
  Night. <!-- ending: night -->
## clock
It ticks.
"""


def _build_text_graph(text: str) -> Graph:
    return build_graph(parse_story(text).program, "Title")


def _list_edges(graph: Graph) -> list[tuple[str, str, str, str]]:
    names = {node.id: node.name for node in graph.nodes}
    return [(names[e.start], names[e.end], e.kind, e.text) for e in graph.edges]


def test_sections_endings_and_missing_labels_are_nodes() -> None:
    """The start, sections, endings and missing labels are nodes with their lines."""
    nodes = [(node.name, node.kind, node.line) for node in _build_text_graph(HOUSE).nodes]

    assert [
        ("Title", "start", 1),
        ("hall", "section", 8),
        ("garden", "section", 12),
        ("clock", "section", 18),
        ("nowhere", "missing", 7),
        ("night", "ending", 17),
    ] == [node for node in nodes if node[1] != "end"]


def test_edges_carry_the_choices_that_lead_along_them() -> None:
    """Choices to the same target share an edge, and a jump under an option has its text."""
    edges = _list_edges(_build_text_graph(HOUSE))

    assert ("Title", "hall", "jump", "Go in") in edges
    assert ("Title", "garden", "jump", "Walk around") in edges
    assert ("Title", "nowhere", "jump", "Lost") in edges
    assert ("garden", "hall", "jump", "In again / Over the wall") in edges
    assert ("garden", "night", "fall", "Stay") in edges
    assert ("hall", "clock", "call", "") in edges


def test_a_section_reached_only_by_calls_runs_into_nothing() -> None:
    """A section that is only called has no edge to the next one."""
    graph = _build_text_graph('# T\nA.\n[c](#c "call")\n[e](#e)\n## c\nC.\n## e\nE.\n')

    assert ("c", "e") not in [(a, b) for a, b, *_ in _list_edges(graph)]


def test_sections_that_run_on_are_linked() -> None:
    """A section that runs into the next has an edge to it."""
    assert [("a", "b", "fall", ""), ("b", "end", "fall", "")] == _list_edges(
        _build_text_graph("# T\n## a\nA.\n## b\nB.\n")
    )


def test_a_route_block_ends_where_it_is_closed() -> None:
    """What follows a route block belongs to the section around it."""
    graph = _build_text_graph(
        "# scene: a\n:::choices\n- One @one\n:::\n:::route one\nOne.\n:::\n"
        "After.\n[on](#b)\n# scene: b\nB.\n"
    )

    assert ("a", "b", "jump", "") in _list_edges(graph)
    assert ("one", "a", "fall", "") in _list_edges(graph)


NASTY = '<b>"x"</b> & `y` #35; ]) | {z} \\n 日本'


def test_mermaid_never_reads_an_authors_words_as_its_own() -> None:
    """Characters with a meaning in Mermaid are escaped in labels."""
    drawn = render_mermaid(
        _build_text_graph(f"# T\nA.\n- {_escape_text(NASTY)}\n  [b](#b)\n## b\nB.\n")
    )

    (line,) = (line for line in drawn.split("\n") if "日本" in line)
    label = line[line.index('|"') + 2 : line.rindex('"|')]
    assert not set(label) & set('"<>`[](){}|%\\')
    assert "#35;35#59;" in label


def _escape_text(text: str) -> str:
    return text.replace("{", "\\{").replace("[", "\\[")


def test_mermaid_draws_calls_dashed_endings_round_and_missing_red() -> None:
    """In Mermaid calls are dashed, endings round and missing labels red."""
    drawn = render_mermaid(_build_text_graph(HOUSE))

    assert drawn.startswith("flowchart TD\n")
    assert 'n5(["night"])' in drawn
    assert "n1 -.-> n3" in drawn
    assert "class n4 missing" in drawn


def test_the_picture_is_sound_xml_with_the_authors_words_as_text() -> None:
    """The SVG is valid XML, contains the author's words as text only, and loads nothing."""
    drawn = render_svg(
        _build_text_graph(f"# T\nA.\n- {_escape_text(NASTY)}\n  [b](#b)\n## b\nB.\n")
    )

    root = ET.fromstring(drawn)
    tags = {element.tag.split("}")[1] for element in root.iter()}
    texts = [element.text or "" for element in root.iter() if element.text]
    assert {"svg", "title", "style", "defs", "marker", "path", "g", "rect", "text", "tspan"} == tags
    assert any('<b>"x"</b> & `y`' in text for text in texts)
    assert "prefers-color-scheme: dark" in drawn


@pytest.mark.parametrize("letter", ["\x00", "\x1b", "\x0b", "\ufffe", "\u2028", "\u202e"])
def test_letters_that_xml_forbids_become_blanks(letter: str) -> None:
    """Characters that XML forbids become spaces."""
    graph = build_graph(parse_story("# T\nA.\n").program, f"a{letter}b")

    assert "a b" == ET.fromstring(render_svg(graph))[0].text


def _make_large_story(count: int) -> str:
    parts = ["# T\nStart.\n[on](#s0)"]
    for n in range(count):
        parts.append(
            f"## s{n}\nText.\n- [Next](#s{(n * 7 + 1) % count})\n"
            f"- [Back](#s{n // 2})\n- [Far](#s{(n * 13) % count})"
        )
    return "\n".join(parts)


def _list_boxes(drawn: str) -> list[tuple[float, ...]]:
    rects = ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}rect")
    return [
        tuple(float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
        for rect in rects
        if rect.attrib["class"] == "box"
    ]


def test_no_two_boxes_overlap() -> None:
    """No two boxes of a hundred overlap."""
    boxes = _list_boxes(render_svg(_build_text_graph(_make_large_story(100))))

    assert 101 <= len(boxes)
    for nth, (x, y, wide, high) in enumerate(boxes):
        for u, v, broad, tall in boxes[nth + 1 :]:
            assert x + wide <= u or u + broad <= x or y + high <= v or v + tall <= y


ROUND = """\
# T
Start.
[on](#hub)
## hub
Hub.
- [Left](#left)
- [Sinister](#left)
- [West](#left)
- [Port](#left)
- [Right](#right)
- Wait
  Time goes by.
[stay](#hub)
## left
- [Up](#hub)
- [Over](#right)
- Sleep
  Zzz. <!-- ending: left -->
## right
- [Up again](#hub)
- [Down](#deep)
## deep
- [Out](#hub)
- [Back](#right)
"""


def _list_lines(graph: Graph) -> list[list[tuple[float, float]]]:
    """The corners of every link's line."""
    paths = ET.fromstring(render_svg(graph)).iter("{http://www.w3.org/2000/svg}path")
    return [_list_corners(path.attrib["d"]) for path in paths if path.attrib["class"] != "tip"]


def _list_corners(path: str) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for piece, numbers in re.findall(r"([MHVQ])([-.0-9 ]+)", path):
        values = [float(number) for number in numbers.split()]
        match piece:
            case "H":
                found.append((values[0], found[-1][1]))
            case "V":
                found.append((found[-1][0], values[0]))
            case _:
                found.append((values[-2], values[-1]))
    return found


def test_links_between_two_nodes_are_one_with_few_words() -> None:
    """Links between two nodes are one, with three labels and the number of others."""
    (link,) = (link for link in merge_edges(_build_text_graph(ROUND)) if len(link.lines) > 1)

    assert ("Left", "Sinister", "West +1") == link.lines


def test_what_stays_in_a_section_is_named_next_to_its_loop() -> None:
    """Options that stay in a section are labels of the link that returns to it."""
    loops = [link for link in merge_edges(_build_text_graph(ROUND)) if link.start == link.end]

    assert [("Wait",)] == [link.lines for link in loops]


def test_no_two_links_leave_or_enter_at_one_point() -> None:
    """No two lines start or end at the same point."""
    ends = [end for line in _list_lines(_build_text_graph(ROUND)) for end in (line[0], line[-1])]

    assert len(ends) == len(set(ends))


def test_no_two_links_run_along_each_other() -> None:
    """Lines do not overlap along their straight pieces."""
    taken: dict[tuple[str, float], list[tuple[float, float, int]]] = {}
    for nth, line in enumerate(_list_lines(_build_text_graph(_make_large_story(40)))):
        for a, b in pairwise(line):
            if a[1] == b[1]:
                piece = (min(a[0], b[0]), max(a[0], b[0]), nth)
                taken.setdefault(("y", a[1]), []).append(piece)
            elif a[0] == b[0]:
                piece = (min(a[1], b[1]), max(a[1], b[1]), nth)
                taken.setdefault(("x", a[0]), []).append(piece)

    assert 40 < len(taken)
    for pieces in taken.values():
        for one, other in pairwise(sorted(pieces)):
            assert one[2] == other[2] or one[1] <= other[0]


def test_no_line_runs_through_words_of_another() -> None:
    """No line crosses the label of another one."""
    drawn = render_svg(_build_text_graph(FAN))
    papers = [
        tuple(float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
        for rect in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}rect")
        if rect.attrib["class"] == "paper"
    ]

    assert 16 == len(papers)
    for line in _list_lines(_build_text_graph(FAN)):
        for (a, b), (c, d) in pairwise(line):
            for x, y, wide, high in papers:
                beside = max(a, c) <= x or x + wide <= min(a, c)
                assert beside or max(b, d) <= y or y + high <= min(b, d)


FAN = "\n".join(
    [
        "# T\n## hub\nHub.",
        *(f"- [Walk all the way to number {n}](#s{n})" for n in range(8)),
        *(f"## s{n}\nHere.\n- [And back to the hub](#hub)" for n in range(8)),
    ]
)


@pytest.mark.parametrize("text", [ROUND, FAN, _make_large_story(12)])
def test_no_word_overlaps_a_box_or_other_words(text: str) -> None:
    """No label overlaps a box or another label."""
    graph = _build_text_graph(text)
    root = ET.fromstring(render_svg(graph))
    areas = _list_boxes(render_svg(graph))
    for said in root.iter("{http://www.w3.org/2000/svg}tspan"):
        x, y = float(said.attrib["x"]), float(said.attrib["y"])
        areas.append((x, y - 10, measure_width(said.text or "", SMALL), LINE))

    for nth, (x, y, wide, high) in enumerate(areas):
        for u, v, broad, tall in areas[nth + 1 :]:
            beside = x + wide <= u + 0.2 or u + broad <= x + 0.2
            assert beside or y + high <= v + 0.2 or v + tall <= y + 0.2


def test_an_ending_does_not_look_like_a_section_of_its_name() -> None:
    """Endings have a flag before their name."""
    drawn = render_svg(_build_text_graph(ROUND))

    assert ">left</text>" in drawn
    assert ">■ left</text>" in drawn


def test_a_large_story_is_drawn_and_always_the_same() -> None:
    """A story of a thousand sections is drawn, with the same bytes each time."""
    graph = _build_text_graph(_make_large_story(1_000))

    assert render_svg(graph) == render_svg(graph)


def test_every_golden_script_can_be_drawn() -> None:
    """Every golden script can be drawn, also invalid ones."""
    for file in sorted((Path(__file__).parents[4] / "golden/scripts").glob("*.md")):
        graph = _build_text_graph(file.read_text(encoding="utf-8"))
        known = {node.id for node in graph.nodes}

        ET.fromstring(render_svg(graph))
        assert {end for e in graph.edges for end in (e.start, e.end)} <= known
