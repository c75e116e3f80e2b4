"""Parse a Markdown story, line by line, into the tree of its elements.

Total: every text becomes a `StoryScene`, and its mistakes are among its findings. All
three old notations are read along with the present one.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from saniwa.story import elements
from saniwa.story.elements import walk_elements
from saniwa.story.finding_collector import FindingCollector, TextReplacement
from saniwa.story.link_parser import parse_link_at
from saniwa.story.parser.block_stack import BlockStack, ListInterruption
from saniwa.story.parser.command_lines import CommandReader
from saniwa.story.parser.front_matter import parse_front_matter
from saniwa.story.parser.lists_and_fences import ITEM, FenceReader, add_item
from saniwa.story.parser.paragraphs import LONGEST, ParagraphReader
from saniwa.story.parser.source_lines import WIDE_SIGNS, SourceLines, warn_wide_line
from saniwa.story.parser.template_parser import parse_words
from saniwa.story.text_template import find_constant

_RULE = re.compile(r"([-*_])[ \t]*+(?:\1[ \t]*+){2,}\Z").match
_CODE = re.compile(r"`{3,}+|~{3,}+").match


class UnsupportedMarkdown:
    """Reads Markdown that stories do not support; returns False for other lines."""

    def __init__(self, lines: SourceLines, paragraph: ParagraphReader) -> None:
        self.lines, self.paragraph = lines, paragraph
        self._runs: dict[str, int] = {}
        self._open_code: dict[str, int] = {}

    def read_rule(self, raw: str, at: int, indent: int) -> bool:
        """Read a line of `---`, `***` or `___`, which only separates paragraphs."""
        if _RULE(raw, at) is None:
            return False
        if raw[at] == "-" and self.read_underline(raw, at, indent):
            return True
        self.paragraph.flush()
        self.paragraph.stack.dedent(indent, self.lines.number)
        return True

    def read_underline(self, raw: str, at: int, _: int) -> bool:
        """Read a line of `---` or `===` under text, which Markdown makes a heading."""
        if not self.paragraph.pieces or raw[at:].strip(raw[at]):
            return False
        more = "or put a blank line between" if raw[at] == "-" else "and remove this one"
        self.lines.add("MARKDOWN_UNSUPPORTED/underline", at + 1, more=more)
        self.paragraph.flush()
        return True

    def read_quote(self, raw: str, at: int, indent: int) -> bool:
        """Read a block quote, which is shown as text."""
        self._warn_once("MARKDOWN_UNSUPPORTED/quote", at)
        begin = at
        while begin < len(raw) and raw[begin] in "> \t":
            begin += 1
        if begin < len(raw):
            self.paragraph.place_line(raw, begin, indent, self.lines.number)
        else:
            self.paragraph.flush()
        return True

    def read_row(self, raw: str, at: int, indent: int) -> bool:
        """Read a row of a table, which is shown as text."""
        if raw.count("|", at) < 2:
            return False
        self._warn_once("MARKDOWN_UNSUPPORTED/table", at)
        self.paragraph.place_line(raw, at, indent, self.lines.number)
        return True

    def _warn_once(self, key: str, at: int) -> None:
        """Warn once for adjacent lines of one kind."""
        if self._runs.get(key) != self.lines.number - 1:
            self.lines.add(key, at + 1)
        self._runs[key] = self.lines.number

    def read_code(self, raw: str, at: int, indent: int) -> bool:
        """Read a code block, which is skipped."""
        found = _CODE(raw, at)
        if found is None:
            return False
        self.paragraph.flush()
        self.paragraph.stack.dedent(indent)
        mark = found[0]
        self.lines.add("MARKDOWN_UNSUPPORTED/code", at + 1)
        end = self._find_code_end(mark)
        if end:
            self.lines.number = end
            return True
        self.lines.add("BLOCK_UNCLOSED/code", at + 1, mark=mark[:10])
        return True

    def _find_code_end(self, mark: str) -> int:
        """Return the line that ends the code; 0 if none does."""
        unclosed = self._open_code.get(mark[0])
        if unclosed is not None and unclosed <= len(mark):
            return 0
        for number in range(self.lines.number, len(self.lines.all)):
            bare = self.lines.all[number].strip()
            if bare.startswith(mark) and not bare.strip(mark[0]):
                return number + 1
        self._open_code[mark[0]] = len(mark)
        return 0

    def read_image(self, raw: str, at: int, indent: int) -> bool:
        """Read a Markdown picture, which is not shown."""
        link = raw.startswith("[", at + 1) and parse_link_at(
            raw, at + 1, self.lines.number, at + 2, self.lines.notes
        )
        if not link or link.end < len(raw):
            return False
        self.paragraph.flush()
        self.paragraph.stack.dedent(indent)
        self.lines.add("MARKDOWN_UNSUPPORTED/picture", at + 1)
        return True


_HEADING = re.compile(r"(#{1,6})(?:[ \t]++(.*))?\Z").match
_CRAMPED = re.compile(r"#{2,6}[^\s#]").match
_SCENE = re.compile(r"scene[ \t]*+[:：][ \t]*+(.*)", re.IGNORECASE).match


class HeadingReader:
    """Reads lines that begin with `#`. A heading closes every open block."""

    def __init__(self, lines: SourceLines, paragraph: ParagraphReader) -> None:
        self.lines, self.paragraph = lines, paragraph
        self.stack, self.notes = paragraph.stack, paragraph.notes
        self.title = ""
        """The story's title, once it was read."""

    def read_line(self, raw: str, at: int, _: int) -> bool:
        """Read the line; False if it is not a heading."""
        found = _HEADING(raw, at)
        if found is None:
            wide = warn_wide_line(raw, at, self.lines.number, self.notes)
            if not wide and _CRAMPED(raw, at):
                self.lines.add("MARKDOWN_UNSUPPORTED/cramped", at + 1)
            return False
        self.paragraph.flush()
        self.stack.close_all()
        name = _strip_closing_marks(found[2] or "")
        begin = found.start(2) + 1
        if not name:
            self.lines.add("HEADING_EMPTY", at + 1, what="the heading", mark="#")
        elif len(found[1]) == 1:
            self._read_title(name, at, begin)
        else:
            if len(found[1]) > 2:
                self.lines.add("HEADING_DEEP", at + 1, count=len(found[1]))
            self._add_label(name, "section", at, begin)
        return True

    def _read_title(self, name: str, at: int, begin: int) -> None:
        found = _SCENE(name)
        if found is not None:
            self.notes.count_old_notation("# scene:", self.lines.number, at + 1)
            if found[1]:
                self._add_label(found[1], "scene", at, begin + found.start(1))
            else:
                self.lines.add("HEADING_EMPTY", at + 1, what="the scene", mark="colon")
        elif self.title:
            self.lines.add("TITLE_REPEATED", at + 1, title=self.title)
            self._add_label(name, "section", at, begin)
        else:
            self.title = _strip_title(name)

    def _add_label(self, name: str, kind: elements.LabelKind, at: int, begin: int) -> None:
        number = self.lines.number
        self.stack.emit(elements.LabelElement(number, at + 1, number, name, kind, begin))


def _strip_title(name: str) -> str:
    """Return a title without emphasis marks; one with braces is unchanged."""
    utterance = find_constant(parse_words(name, 1, 1)[0])
    return name if utterance is None or "{" in name else utterance.text


def _strip_closing_marks(heading: str) -> str:
    """Return the heading without the `#` after it."""
    bare = heading.rstrip()
    name = bare.rstrip("#")
    if name == bare or (name and name[-1] not in " \t"):
        return bare
    return name.rstrip()


_COLUMNS: Final = frozenset({"column", "name_column"})


def restore_columns(part: Any, notes: FindingCollector) -> Any:
    """Convert the columns of a block, or of a part of one, to those of the file.

    Recurses as deep as blocks, lists and braces nest, which is bounded.
    """
    if isinstance(part, tuple):
        return tuple(restore_columns(each, notes) for each in part)
    if not isinstance(part, msgspec.Struct) or _has_true_columns(part, notes):
        return part
    line = getattr(part, "line", 0)
    changed: dict[str, Any] = {}
    for field in part.__struct_fields__:
        value = getattr(part, field)
        if field in _COLUMNS:
            changed[field] = notes.to_file_column(line, value)
        elif field == "given_columns":
            changed[field] = tuple(notes.to_file_column(line, each) for each in value)
        elif isinstance(value, tuple | msgspec.Struct):
            changed[field] = restore_columns(value, notes)
    return msgspec.structs.replace(part, **changed)


def _has_true_columns(part: msgspec.Struct, notes: FindingCollector) -> bool:
    """Whether no line of an element had a comment, or it is a comment itself."""
    if isinstance(part, elements.EndingElement):
        return not part.old
    last = getattr(part, "last", None)
    return last is not None and not notes.has_cut_between(getattr(part, "line", 0), last)


LARGEST: Final = 16 * 1024 * 1024
"""The most characters of a file."""
MOST: Final = 200_000
"""The most elements of a file."""


def parse_scene(text: str, file: str, speakers: Iterable[str] = ()) -> elements.StoryScene:
    """Parse a text as a scene; `speakers` are known from outside the text.

    Never raises. A name that contains spaces speaks only if it is declared, or speaks
    without doubt somewhere.
    """
    known = frozenset(speakers)
    scene = _parse_once(text, file, known)
    heard = scene.doubted & find_speakers(scene) if scene.doubted else frozenset()
    return _parse_once(text, file, known | heard) if heard else scene


def find_speakers(scene: elements.StoryScene) -> frozenset[str]:
    """Return all names that speak in a scene or are declared there."""
    speakers = {
        each.speaker for each in walk_elements(scene.block) if isinstance(each, elements.SayElement)
    }
    return frozenset(speakers | {each.name for each in scene.front.cast or ()}) - {""}


def _parse_once(text: str, file: str, speakers: frozenset[str]) -> elements.StoryScene:
    """Parse a text as a scene, with only these speakers known."""
    notes = FindingCollector(file)
    if len(text) > LARGEST:
        notes.add("STORY_TOO_LARGE", 1, 1, count=len(text), largest=LARGEST)
        return elements.StoryScene(
            file=file, text=text, front=elements.FrontMatter(), findings=notes.list_findings()
        )
    lines = elements.split_lines(text.removeprefix("\ufeff"))
    front = parse_front_matter(lines, notes)
    cast = frozenset(each.name for each in front.cast or ()) | speakers
    reader = _SceneReader(lines, front, cast, notes, quoting="「" in text)
    block = reader.read()
    # The reader's parts reference each other, and so the lines, until collected.
    lines.clear()
    declared: tuple[elements.Declaration, ...] = tuple(reader.fences.declared)
    if notes.has_cuts:
        block, declared = (restore_columns(block, notes), restore_columns(declared, notes))
    if declared:
        variables = front.variables + declared
        front = msgspec.structs.replace(front, variables=variables)
    return elements.StoryScene(
        file=file,
        text=text,
        front=front,
        title=reader.headings.title or front.title,
        block=block,
        findings=notes.list_findings(),
        doubted=frozenset(reader.paragraph.doubted),
        excused=frozenset(notes.excused),
    )


class _SceneReader:
    def __init__(
        self,
        lines: list[str],
        front: elements.FrontMatter,
        cast: frozenset[str],
        notes: FindingCollector,
        *,
        quoting: bool,
    ) -> None:
        self.notes = notes
        self.lines = SourceLines(lines, notes)
        self.lines.number = front.last
        self.stack = BlockStack(notes, frozenset(front.events))
        self.paragraph = ParagraphReader(self.stack, notes, cast, lines if quoting else ())
        self.fences = FenceReader(self.lines, self.stack)
        self.headings = HeadingReader(self.lines, self.paragraph)
        self.foreign = UnsupportedMarkdown(self.lines, self.paragraph)
        orders = CommandReader(self.lines, self.paragraph)
        self._readers: dict[str, Callable[[str, int, int], bool]] = {
            "#": self.headings.read_line,
            "[": orders.read_line,
            ":": self._read_fence,
            ">": self.foreign.read_quote,
            "|": self.foreign.read_row,
            "`": self.foreign.read_code,
            "~": self.foreign.read_code,
            "!": self.foreign.read_image,
            "=": self.foreign.read_underline,
            "_": self.foreign.read_rule,
            **dict.fromkeys("-*+0123456789", self._read_item),
            **dict.fromkeys(WIDE_SIGNS, self._read_wide),
        }
        """The reader of a line by its first character; a line it refuses is text."""

    def read(self) -> elements.Block:
        """Read all lines, and return their elements."""
        lines, paragraph = self.lines, self.paragraph
        count = len(lines.all)
        while lines.number < count:
            raw = lines.all[lines.number].rstrip()
            lines.number += 1
            if not raw:
                paragraph.read_blank()
                continue
            if len(raw) > LONGEST:
                paragraph.flush()
                lines.add("LINE_TOO_LONG", 1, count=len(raw), longest=LONGEST)
                continue
            if "<!--" in raw:
                self._read_commented_line(raw)
                continue
            self._read_line(raw)
            if self.stack.count > MOST:
                lines.add("STORY_TOO_LARGE/elements", 1, most=MOST)
                break
        paragraph.flush()
        self.stack.close_all()
        return tuple(self.stack.top.nodes)

    def _read_line(self, raw: str) -> None:
        """Read a line without comments."""
        at, indent = _measure_indent(raw) if raw[0] in " \t" else (0, 0)
        reader = self._readers.get(raw[at])
        if reader is None or not reader(raw, at, indent):
            self.paragraph.place_line(raw, at, indent, self.lines.number)

    def _read_commented_line(self, raw: str) -> None:
        """Read a line with comments."""
        number = self.lines.number
        indent = _measure_indent(raw)[1]
        bare, remarks = self.lines.uncomment(raw)
        after = self.lines.number
        self.lines.number = number
        if bare:
            self._read_line(bare)
        if remarks or not bare or after != number:
            self.paragraph.flush()
        # A line such as `:::flag` also reads the lines below it.
        self.lines.number = max(after, self.lines.number)
        if not bare:
            # Anything between two lists separates them.
            self.stack.dedent(indent, number, comment=True)
        for id, line, column in remarks:
            self.stack.emit(elements.EndingElement(line, column, line, id))

    # Readers by first character.

    def _read_item(self, raw: str, at: int, indent: int) -> bool:
        if self.foreign.read_rule(raw, at, indent):
            return True
        found = ITEM(raw, at)
        if found is None:
            return raw.startswith("--", at) and self.foreign.read_underline(raw, at, indent)
        self.paragraph.flush()
        if self.stack.broken is not None:
            self._warn_interrupted_list(self.stack.broken, indent)
        add_item(self.stack, raw, found.end(), self.lines.number, at + 1, indent)
        return True

    def _warn_interrupted_list(self, broken: ListInterruption, indent: int) -> None:
        """Warn about a line between two lists that were meant to be one."""
        self.stack.broken = None
        number, lines = self.lines.number, self.lines.all
        between = lines[broken.line - 1 : number - 1]
        if indent != broken.indent or not all(map(str.strip, between)):
            return
        if any(each.lstrip().startswith(":::") for each in between):
            return
        self.notes.excuse_lines("OPTION_EMPTY", broken.option, number)
        raw = lines[broken.line - 1]
        at = len(raw) - len(raw.lstrip())
        fix, place = TextReplacement(at + 1, 0, "  "), (broken.line, at + 1)
        self.notes.add("LIST_BROKEN", *place, fix=fix, text=raw.strip(), option=broken.option)
        self.notes.excuse_lines("BRANCH_SINGLE", broken.begun, number)

    def _read_wide(self, raw: str, at: int, _: int) -> bool:
        """Warn about a line that only looks like notation; it stays text."""
        warn_wide_line(raw, at, self.lines.number, self.notes)
        return False

    def _read_fence(self, raw: str, at: int, indent: int) -> bool:
        if not raw.startswith(":::", at):
            return False
        self.paragraph.flush()
        self.fences.read_line(raw, at, indent)
        return True


def _measure_indent(raw: str) -> tuple[int, int]:
    """Count the leading spaces and tabs, and their width; a tab goes to the next 4."""
    bare = raw.lstrip(" \t")
    at = len(raw) - len(bare)
    blanks = raw[:at]
    return at, len(blanks.expandtabs(4)) if "\t" in blanks else at
