"""What reading a text gives, as tests look at it."""

from saniwa.story.elements import Element
from saniwa.story.parser.markdown import parse_scene


def parse_block(text: str) -> tuple[Element, ...]:
    """The elements of a text."""
    return parse_scene(text, "story.md").block


def list_codes(text: str) -> list[tuple[str, int, int]]:
    """What reading finds, by code, line and column; old notation does not count."""
    findings = parse_scene(text, "story.md").findings
    return [
        (each.code, each.where.line, each.where.column)
        for each in findings
        if each.code != "OLD_NOTATION"
    ]
