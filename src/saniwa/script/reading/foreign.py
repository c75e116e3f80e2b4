"""Markdown that means nothing in a story: shown as text or skipped, and told."""

import re

from saniwa.script.reading.lines import Lines
from saniwa.script.reading.link import link_at
from saniwa.script.reading.speech import Paragraph

_RULE = re.compile(r"([-*_])[ \t]*+(?:\1[ \t]*+){2,}\Z").match
_CODE = re.compile(r"`{3,}+|~{3,}+").match


class Foreign:
    """Takes lines that Markdown knows and stories do not; False if a line is none."""

    def __init__(self, lines: Lines, paragraph: Paragraph) -> None:
        self.lines, self.paragraph = lines, paragraph
        self.notes = paragraph.notes
        self._runs: dict[str, int] = {}
        self._open_code: dict[str, int] = {}

    def rule(self, raw: str, at: int, indent: int) -> bool:
        """A line of `---`, `***` or `___`, which is a pause for the eye."""
        if _RULE(raw, at) is None:
            return False
        if raw[at] == "-" and self.underline(raw, at, indent):
            return True
        self.paragraph.flush()
        self.paragraph.stack.dedent(indent, self.lines.number)
        return True

    def underline(self, raw: str, at: int, _: int) -> bool:
        """A line of `---` or `===` right under text, which Markdown takes as a heading."""
        if not self.paragraph.pieces or raw[at:].strip(raw[at]):
            return False
        message = "an underlined heading is read as text"
        hint = "write ## before the line above, and take this one out"
        if raw[at] == "-":
            hint = "write ## before the line above, or put a blank line between"
        place = (self.lines.number, at + 1)
        self.notes.warning("MARKDOWN_UNSUPPORTED", message, *place, hint)
        self.paragraph.flush()
        return True

    def quote(self, raw: str, at: int, indent: int) -> bool:
        """A block quote, which is shown as text."""
        hint = "write plain text"
        self._run("a block quote is shown as text", ">", at, hint)
        begin = at
        while begin < len(raw) and raw[begin] in "> \t":
            begin += 1
        if begin < len(raw):
            self.paragraph.line(raw, begin, indent, self.lines.number)
        else:
            self.paragraph.flush()
        return True

    def row(self, raw: str, at: int, indent: int) -> bool:
        """A row of a table, which is shown as text."""
        if raw.count("|", at) < 2:
            return False
        self._run("a table is shown as text", "|", at, "write plain text")
        self.paragraph.line(raw, at, indent, self.lines.number)
        return True

    def _run(self, message: str, mark: str, at: int, hint: str) -> None:
        """Warn once for lines of one kind that stand together."""
        number = self.lines.number
        if self._runs.get(mark) != number - 1:
            self.notes.warning("MARKDOWN_UNSUPPORTED", message, number, at + 1, hint)
        self._runs[mark] = number

    def code(self, raw: str, at: int, indent: int) -> bool:
        """Code, which is skipped."""
        found = _CODE(raw, at)
        if found is None:
            return False
        self.paragraph.flush()
        self.paragraph.stack.dedent(indent)
        number, mark = self.lines.number, found[0]
        message = "code is skipped"
        hint = "take it out, or write plain text"
        self.notes.warning("MARKDOWN_UNSUPPORTED", message, number, at + 1, hint)
        end = self._code_end(mark)
        if end:
            self.lines.number = end
            return True
        message = f"the code that {mark[:10]} opens does not end"
        hint = f"end it with a line of {mark[:10]}"
        self.notes.error("BLOCK_UNCLOSED", message, number, at + 1, hint)
        return True

    def _code_end(self, mark: str) -> int:
        """The line that ends the code; 0 if none does."""
        unclosed = self._open_code.get(mark[0])
        if unclosed is not None and unclosed <= len(mark):
            return 0
        for number in range(self.lines.number, len(self.lines.all)):
            bare = self.lines.all[number].strip()
            if bare.startswith(mark) and not bare.strip(mark[0]):
                return number + 1
        self._open_code[mark[0]] = len(mark)
        return 0

    def image(self, raw: str, at: int, indent: int) -> bool:
        """A picture in Markdown's own way, which is not shown."""
        link = raw.startswith("[", at + 1) and link_at(
            raw, at + 1, self.lines.number, at + 2, self.notes
        )
        if not link or link.end < len(raw):
            return False
        self.paragraph.flush()
        self.paragraph.stack.dedent(indent)
        message = "a picture is not shown this way"
        hint = "write [SHOW_IMAGE file=…] with its logical name"
        place = (self.lines.number, at + 1)
        self.notes.warning("MARKDOWN_UNSUPPORTED", message, *place, hint)
        return True
