"""Columns count the comments that the parser removes."""

import pytest

from saniwa.story.elements import list_expressions, list_targets, walk_elements
from saniwa.story.parser.markdown import parse_scene


@pytest.mark.parametrize(
    "text",
    [
        "a <!-- x --> {name} b",
        "<!-- x --> {b: <!-- y --> {name}|c}",
        "- a <!-- x --> {if name}\n- b",
        "- a\n  - b\n    <!-- x --> [SET b = name + 1]",
        "<!-- x\n--> {name}",
        ":::when <!-- x --> name > 1\na\n:::",
    ],
)
def test_names_are_where_they_are_written(text: str) -> None:
    """A name after a comment has its column in the file."""
    scene = parse_scene(text, "a.md")
    names = [n for e in list_expressions(scene.block) for n in e.names if n.name == "name"]

    assert ["name"] == [text.split("\n")[name.line - 1][name.column - 1 :][:4] for name in names]


def test_elements_are_where_they_are_written() -> None:
    """Elements, targets, declarations and endings have their columns in the file."""
    lines = [
        "<!-- x --> [a](#name)",
        "",
        "<!-- x --> <!-- ending: e -->",
        ":::vars",
        "<!-- x --> name = 1",
        ":::",
    ]
    scene = parse_scene("\n".join(lines), "a.md")
    (target,), (jump, ending) = list_targets(scene.block), walk_elements(scene.block)
    (declared,) = scene.front.variables

    assert "name)" == lines[0][target.column - 1 :]
    assert "[a](#name)" == lines[0][jump.column - 1 :]
    assert "<!-- ending: e -->" == lines[2][ending.column - 1 :]
    assert "name = 1" == lines[4][declared.column - 1 :]
