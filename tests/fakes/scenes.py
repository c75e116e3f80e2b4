"""The result of parsing a story text, in a form that tests compare."""

from saniwa.story.elements import Element
from saniwa.story.parser.markdown import parse_scene


def parse_block(text: str) -> tuple[Element, ...]:
    """The elements of a text."""
    return parse_scene(text, "story.md").block


def list_codes(text: str) -> list[tuple[str, int, int]]:
    """The findings in a text, by code, line and column; old notation is left out."""
    findings = parse_scene(text, "story.md").findings
    return [
        (each.code, each.where.line, each.where.column)
        for each in findings
        if each.code != "OLD_NOTATION"
    ]
