import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from saniwa.script.desk.drawing.graph import Graph, graph_of
from saniwa.script.desk.drawing.layout import HEIGHT, boxes_of
from saniwa.script.desk.drawing.mermaid import mermaid
from saniwa.script.desk.drawing.picture import picture
from saniwa.script.story import story_of

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


def _graph(text: str) -> Graph:
    return graph_of(story_of(text).program, "Title")


def _edges(graph: Graph) -> list[tuple[str, str, str, str]]:
    names = {node.id: node.name for node in graph.nodes}
    return [(names[e.start], names[e.end], e.kind, e.text) for e in graph.edges]


def test_sections_endings_and_missing_labels_are_nodes() -> None:
    """The beginning is first; everything has its kind and its line."""
    nodes = [(node.name, node.kind, node.line) for node in _graph(HOUSE).nodes]

    assert [
        ("Title", "start", 1),
        ("hall", "section", 8),
        ("garden", "section", 12),
        ("clock", "section", 18),
        ("nowhere", "missing", 7),
        ("night", "ending", 17),
    ] == [node for node in nodes if node[1] != "end"]


def test_edges_carry_the_choices_that_lead_along_them() -> None:
    """Choices to the same place share an edge; a jump in an arm has the arm's choice."""
    edges = _edges(_graph(HOUSE))

    assert ("Title", "hall", "jump", "Go in") in edges
    assert ("Title", "garden", "jump", "Walk around") in edges
    assert ("Title", "nowhere", "jump", "Lost") in edges
    assert ("garden", "hall", "jump", "In again / Over the wall") in edges
    assert ("garden", "night", "fall", "Stay") in edges
    assert ("hall", "clock", "call", "") in edges


def test_a_section_reached_only_by_calls_runs_into_nothing() -> None:
    """It returns where the next one begins."""
    graph = _graph('# T\nA.\n[c](#c "call")\n[e](#e)\n## c\nC.\n## e\nE.\n')

    assert ("c", "e") not in [(a, b) for a, b, *_ in _edges(graph)]


def test_sections_that_run_on_are_linked() -> None:
    """Falling through is a way too."""
    assert [("a", "b", "fall", ""), ("b", "end", "fall", "")] == _edges(
        _graph("# T\n## a\nA.\n## b\nB.\n")
    )


def test_a_route_block_ends_where_it_is_closed() -> None:
    """What stands after a route belongs to the section around it."""
    graph = _graph(
        "# scene: a\n:::choices\n- One @one\n:::\n:::route one\nOne.\n:::\n"
        "After.\n[on](#b)\n# scene: b\nB.\n"
    )

    assert ("a", "b", "jump", "") in _edges(graph)
    assert ("one", "a", "fall", "") in _edges(graph)


NASTY = '<b>"x"</b> & `y` #35; ]) | {z} \\n 日本'


def test_mermaid_never_reads_an_authors_words_as_its_own() -> None:
    """Quotes, brackets, entities and arrows are written as numbers."""
    drawn = mermaid(_graph(f"# T\nA.\n- {_escaped(NASTY)}\n  [b](#b)\n## b\nB.\n"))

    (line,) = (line for line in drawn.split("\n") if "日本" in line)
    label = line[line.index('|"') + 2 : line.rindex('"|')]
    assert not set(label) & set('"<>`[](){}|%\\')
    assert "#35;35#59;" in label


def _escaped(text: str) -> str:
    return text.replace("{", "\\{").replace("[", "\\[")


def test_mermaid_draws_calls_dashed_endings_round_and_missing_red() -> None:
    """Each kind looks like what it is."""
    drawn = mermaid(_graph(HOUSE))

    assert drawn.startswith("flowchart TD\n")
    assert 'n5(["night"])' in drawn
    assert "n1 -.-> n3" in drawn
    assert "class n4 missing" in drawn


def test_the_picture_is_sound_xml_with_the_authors_words_as_text() -> None:
    """No word of an author becomes an element, and nothing is fetched or run."""
    drawn = picture(_graph(f"# T\nA.\n- {_escaped(NASTY)}\n  [b](#b)\n## b\nB.\n"))

    root = ET.fromstring(drawn)
    tags = {element.tag.split("}")[1] for element in root.iter()}
    texts = [element.text or "" for element in root.iter() if element.text]
    assert {
        "svg",
        "title",
        "style",
        "defs",
        "marker",
        "path",
        "g",
        "rect",
        "text",
    } == tags
    assert any('<b>"x"</b> & `y`' in text for text in texts)
    assert "prefers-color-scheme: dark" in drawn


@pytest.mark.parametrize(
    "letter", ["\x00", "\x1b", "\x0b", "\ufffe", "\u2028", "\u202e"]
)
def test_letters_that_xml_forbids_become_blanks(letter: str) -> None:
    """A picture can be read whatever an author typed."""
    graph = graph_of(story_of("# T\nA.\n").program, f"a{letter}b")

    assert "a b" == ET.fromstring(picture(graph))[0].text


def _large(count: int) -> str:
    parts = ["# T\nStart.\n[on](#s0)"]
    for n in range(count):
        parts.append(
            f"## s{n}\nText.\n- [Next](#s{(n * 7 + 1) % count})\n"
            f"- [Back](#s{n // 2})\n- [Far](#s{(n * 13) % count})"
        )
    return "\n".join(parts)


def test_no_two_boxes_stand_on_each_other() -> None:
    """A hundred sections each have a place of their own."""
    boxes = list(boxes_of(_graph(_large(100))).values())

    for nth, one in enumerate(boxes):
        for other in boxes[nth + 1 :]:
            apart = abs(one.x - other.x) >= (one.width + other.width) / 2
            assert apart or abs(one.y - other.y) >= HEIGHT


def test_a_large_story_is_drawn_and_always_the_same() -> None:
    """Two thousand sections make one picture, twice the same bytes."""
    graph = _graph(_large(2_000))

    assert picture(graph) == picture(graph)


def test_every_golden_script_can_be_drawn() -> None:
    """Also those with mistakes."""
    for file in sorted((Path(__file__).parents[3] / "golden/scripts").glob("*.md")):
        graph = _graph(file.read_text(encoding="utf-8"))
        known = {node.id for node in graph.nodes}

        ET.fromstring(picture(graph))
        assert {end for e in graph.edges for end in (e.start, e.end)} <= known
