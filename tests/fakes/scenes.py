"""What reading a text gives, as tests look at it."""

from saniwa.script.node import Node
from saniwa.script.reading.markdown import read_scene


def block(text: str) -> tuple[Node, ...]:
    """The elements of a text."""
    return read_scene(text, "story.md").block


def codes(text: str) -> list[tuple[str, int, int]]:
    """What reading finds, by code, line and column; old notation does not count."""
    findings = read_scene(text, "story.md").findings
    return [
        (each.code, each.where.line, each.where.column)
        for each in findings
        if each.code != "OLD_NOTATION"
    ]
