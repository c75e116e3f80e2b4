"""Headings: the title of a story, its sections and scenes."""

import re

from saniwa.core.quoted import quoted
from saniwa.script import node
from saniwa.script.language.words import find_constant, parse_words
from saniwa.script.reading.lines import Lines
from saniwa.script.reading.speech import Paragraph
from saniwa.script.reading.wide import look_alike

_HEADING = re.compile(r"(#{1,6})(?:[ \t]++(.*))?\Z").match
_CRAMPED = re.compile(r"#{2,6}[^\s#]").match
_SCENE = re.compile(r"scene[ \t]*+[:：][ \t]*+(.*)", re.IGNORECASE).match


class Headings:
    """Takes lines that begin with `#`. A heading ends everything that is open."""

    def __init__(self, lines: Lines, paragraph: Paragraph) -> None:
        self.lines, self.paragraph = lines, paragraph
        self.stack, self.notes = paragraph.stack, paragraph.notes
        self.title = ""
        """The story's title, once it came."""

    def take(self, raw: str, at: int, _: int) -> bool:
        """Take the line, if it is a heading."""
        found = _HEADING(raw, at)
        number = self.lines.number
        if found is None:
            if look_alike(raw, at, number, self.notes):
                return False
            if _CRAMPED(raw, at):
                message = "a heading needs a blank behind its #"
                hint = "write ## name"
                self.notes.warning(
                    "MARKDOWN_UNSUPPORTED", message, number, at + 1, hint
                )
            return False
        self.paragraph.flush()
        self.stack.end_all()
        name = _unmarked(found[2] or "")
        begin = found.start(2) + 1
        if not name:
            message, hint = "the heading has no name", "write one behind the #"
            self.notes.warning("HEADING_EMPTY", message, number, at + 1, hint)
        elif len(found[1]) == 1:
            self._title(name, at, begin)
        else:
            if len(found[1]) > 2:
                message = f"a heading of {len(found[1])} # is read like one of two"
                hint = "write ## for a section"
                self.notes.warning("HEADING_DEEP", message, number, at + 1, hint)
            self._label(name, "section", at, begin)
        return True

    def _title(self, name: str, at: int, begin: int) -> None:
        found = _SCENE(name)
        number = self.lines.number
        if found is not None:
            self.notes.old("# scene:", number, at + 1)
            if found[1]:
                self._label(found[1], "scene", at, begin + found.start(1))
            else:
                message, hint = "the scene has no name", "write one behind the colon"
                self.notes.warning("HEADING_EMPTY", message, number, at + 1, hint)
        elif self.title:
            message = f"the story already has the title {quoted(self.title)}"
            hint = "write ## for a section"
            self.notes.warning("TITLE_REPEATED", message, number, at + 1, hint)
            self._label(name, "section", at, begin)
        else:
            self.title = _plain_title(name)

    def _label(self, name: str, kind: node.LabelKind, at: int, begin: int) -> None:
        number = self.lines.number
        self.stack.emit(node.Label(number, at + 1, number, name, kind, begin))


def _plain_title(name: str) -> str:
    """A title without the signs of emphasis; one with braces stays as it is written."""
    said = find_constant(parse_words(name, 1, 1)[0])
    return name if said is None or "{" in name else said.text


def _unmarked(heading: str) -> str:
    """The heading without `#` behind it."""
    bare = heading.rstrip()
    name = bare.rstrip("#")
    if name == bare or (name and name[-1] not in " \t"):
        return bare
    return name.rstrip()
