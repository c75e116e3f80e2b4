"""Reads a story: Markdown, line by line, into the tree of what its author wrote.

Total: every text becomes a `Scene`, and what is wrong with it is among its findings. All
three notations of old scripts are read beside the present one.
"""

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from saniwa.core.quoted import quoted
from saniwa.script import node
from saniwa.script.notes import Notes, Rewrite
from saniwa.script.reading.choice import ITEM, add_item
from saniwa.script.reading.fence import Fences
from saniwa.script.reading.foreign import Foreign
from saniwa.script.reading.front import read_front
from saniwa.script.reading.heading import Headings
from saniwa.script.reading.lines import Lines, Remark
from saniwa.script.reading.order import Orders
from saniwa.script.reading.restored import restored
from saniwa.script.reading.speech import LONGEST, Paragraph
from saniwa.script.reading.stack import Broken, Stack
from saniwa.script.reading.wide import FIRST, look_alike
from saniwa.script.tree import walk

LARGEST: Final = 16 * 1024 * 1024
"""Letters a file may have."""
MOST: Final = 200_000
"""Elements a file may have."""


def read_scene(text: str, file: str, speakers: Iterable[str] = ()) -> node.Scene:
    """The scene that a text is; `speakers` are known from elsewhere than the text.

    Never raises. A name with blanks in it speaks only if it is declared, or speaks
    beyond doubt somewhere.
    """
    known = frozenset(speakers)
    scene = _read_once(text, file, known)
    heard = scene.doubted & find_speakers(scene) if scene.doubted else frozenset()
    return _read_once(text, file, known | heard) if heard else scene


def find_speakers(scene: node.Scene) -> frozenset[str]:
    """Everybody who speaks in a scene, or is declared there."""
    said = {each.speaker for each in walk(scene.block) if isinstance(each, node.Say)}
    return frozenset(said | {each.name for each in scene.front.cast or ()}) - {""}


def _read_once(text: str, file: str, speakers: frozenset[str]) -> node.Scene:
    """The scene that a text is, if only these speakers are known."""
    notes = Notes(file)
    if len(text) > LARGEST:
        message = f"the story has {len(text)} letters, more than {LARGEST}"
        notes.error("STORY_TOO_LARGE", message, 1, 1, "split it into several files")
        return node.Scene(
            file=file, text=text, front=node.Front(), findings=notes.all()
        )
    source = text.removeprefix("\ufeff")
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    lines = source.split("\n")
    front = read_front(lines, notes)
    cast = frozenset(each.name for each in front.cast or ()) | speakers
    reader = _Reader(lines, front, cast, notes, quoting="「" in source)
    block = reader.read()
    # The reader's parts hold each other, and so the lines, for a while.
    lines.clear()
    declared: tuple[node.Declared, ...] = tuple(reader.fences.declared)
    if notes.cuts:
        block, declared = restored(block, notes), restored(declared, notes)
    if declared:
        variables = front.variables + declared
        front = msgspec.structs.replace(front, variables=variables)
    return node.Scene(
        file=file,
        text=text,
        front=front,
        title=reader.headings.title or front.title,
        block=block,
        findings=notes.all(),
        doubted=frozenset(reader.paragraph.doubted),
        excused=frozenset(notes.excused),
    )


class _Reader:
    def __init__(
        self,
        lines: list[str],
        front: node.Front,
        cast: frozenset[str],
        notes: Notes,
        *,
        quoting: bool,
    ) -> None:
        self.notes = notes
        self.lines = Lines(lines, notes)
        self.lines.number = front.last
        self.stack = Stack(notes)
        self.paragraph = Paragraph(self.stack, notes, cast, lines if quoting else ())
        self.fences = Fences(self.lines, self.stack)
        self.headings = Headings(self.lines, self.paragraph)
        self.foreign = Foreign(self.lines, self.paragraph)
        orders = Orders(self.lines, self.paragraph, frozenset(front.events))
        self._readers: dict[str, Callable[[str, int, int], bool]] = {
            "#": self.headings.take,
            "[": orders.take,
            ":": self._fence,
            ">": self.foreign.quote,
            "|": self.foreign.row,
            "`": self.foreign.code,
            "~": self.foreign.code,
            "!": self.foreign.image,
            "=": self.foreign.underline,
            "_": self.foreign.rule,
            **dict.fromkeys("-*+0123456789", self._item),
            **dict.fromkeys(FIRST, self._wide),
        }
        """Who takes a line, by its first letter; whoever does not leaves it as text."""

    def read(self) -> node.Block:
        """Everything, to the last line."""
        lines, paragraph, readers = self.lines, self.paragraph, self._readers
        count = len(lines.all)
        while lines.number < count:
            raw = lines.all[lines.number].rstrip()
            lines.number += 1
            if not raw:
                paragraph.blank()
                continue
            if len(raw) > LONGEST:
                self._too_long(len(raw))
                continue
            if "<!--" in raw:
                self._remarked(raw)
                continue
            first = raw[0]
            at = indent = 0
            if first in " \t":
                at, indent = _indent(raw)
                first = raw[at]
            reader = readers.get(first)
            if reader is None or not reader(raw, at, indent):
                self.paragraph.line(raw, at, indent, self.lines.number)
            if self.stack.count > MOST:
                self._too_large()
                break
        paragraph.flush()
        self.stack.end_all()
        return tuple(self.stack.top.nodes)

    def _line(self, raw: str) -> None:
        """A line without comments."""
        at, indent = _indent(raw)
        reader = self._readers.get(raw[at])
        if reader is None or not reader(raw, at, indent):
            self.paragraph.line(raw, at, indent, self.lines.number)

    def _remarked(self, raw: str) -> None:
        """A line with comments."""
        number = self.lines.number
        indent = _indent(raw)[1]
        bare, remarks = self.lines.uncomment(raw)
        after = self.lines.number
        self.lines.number = number
        if bare:
            self._line(bare)
        if remarks or not bare or after != number:
            self.paragraph.flush()
        # A line such as `:::flag` takes the lines below it.
        self.lines.number = max(after, self.lines.number)
        if not bare:
            # Whatever stands between two lists makes them two.
            self.stack.dedent(indent, number, comment=True)
        for remark in remarks:
            self._ending(remark)

    def _ending(self, remark: Remark) -> None:
        self.stack.emit(node.Ending(remark.line, remark.column, remark.line, remark.id))

    # What lines begin with.

    def _item(self, raw: str, at: int, indent: int) -> bool:
        if self.foreign.rule(raw, at, indent):
            return True
        found = ITEM(raw, at)
        if found is None:
            return raw.startswith("--", at) and self.foreign.underline(raw, at, indent)
        self.paragraph.flush()
        place = (self.lines.number, at + 1, indent)
        if self.stack.broken is not None:
            self._broken(self.stack.broken, indent)
        add_item(self.stack, raw, found.end(), *place)
        return True

    def _broken(self, broken: Broken, indent: int) -> None:
        """Warn of a line between two lists that were meant to be one."""
        self.stack.broken = None
        number, lines = self.lines.number, self.lines.all
        between = lines[broken.line - 1 : number - 1]
        if indent != broken.indent or not all(map(str.strip, between)):
            return
        if any(each.lstrip().startswith(":::") for each in between):
            return
        self.notes.excuse("OPTION_EMPTY", broken.option)
        raw = lines[broken.line - 1]
        at = len(raw) - len(raw.lstrip())
        message = f"the line {quoted(raw.strip())} ends the list"
        hint = f"indent it to belong to the option on line {broken.option}"
        rewrite = Rewrite(at + 1, 0, "  ")
        place = (broken.line, at + 1)
        self.notes.warning("LIST_BROKEN", message, *place, hint, rewrite)
        self.notes.excuse("BRANCH_SINGLE", broken.begun, number)

    def _wide(self, raw: str, at: int, _: int) -> bool:
        """A line that only looks like something: it is told of, and stays text."""
        look_alike(raw, at, self.lines.number, self.notes)
        return False

    def _fence(self, raw: str, at: int, indent: int) -> bool:
        if not raw.startswith(":::", at):
            return False
        self.paragraph.flush()
        self.fences.take(raw, at, indent)
        return True

    # Bounds.

    def _too_long(self, letters: int) -> None:
        self.paragraph.flush()
        message = f"the line has {letters} letters, more than {LONGEST}; it is left out"
        hint = "break it into several"
        self.notes.error("LINE_TOO_LONG", message, self.lines.number, 1, hint)

    def _too_large(self) -> None:
        message = f"the story has more than {MOST} elements; the rest is left out"
        hint = "split it into several files"
        self.notes.error("STORY_TOO_LARGE", message, self.lines.number, 1, hint)


def _indent(raw: str) -> tuple[int, int]:
    """How many blanks a line begins with, and how wide they are; a tab goes to 4."""
    bare = raw.lstrip(" \t")
    at = len(raw) - len(bare)
    blanks = raw[:at]
    return at, len(blanks.expandtabs(4)) if "\t" in blanks else at
