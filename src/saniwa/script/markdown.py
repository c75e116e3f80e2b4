"""Reads a story: Markdown, line by line, into the tree of what its author wrote.

Total: every text becomes a `Scene`, and what is wrong with it is among its findings. All
three notations of old scripts are read beside the present one.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.script import node
from saniwa.script.bracket import Bracket, condition, event, given_in, nodes_of
from saniwa.script.choice import ITEM, add_item
from saniwa.script.command import COMMANDS, Command
from saniwa.script.expression import parse_expression
from saniwa.script.fence import Fences
from saniwa.script.frame import Cases
from saniwa.script.front import read_front
from saniwa.script.lines import Lines, Remark
from saniwa.script.link import link_at
from saniwa.script.notes import Notes
from saniwa.script.speech import LONGEST, Paragraph
from saniwa.script.stack import Stack

LARGEST: Final = 16 * 1024 * 1024
"""Letters a file may have."""
MOST: Final = 200_000
"""Elements a file may have."""


def read_scene(text: str, file: str, speakers: Iterable[str] = ()) -> node.Scene:
    """The scene that a text is; `speakers` are declared elsewhere than in the text.

    Never raises. A name with blanks in it speaks only if it is declared.
    """
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
    cast = frozenset(each.name for each in front.cast or ()) | frozenset(speakers)
    reader = _Reader(lines, front, cast, notes)
    block = reader.read()
    if reader.fences.declared:
        variables = front.variables + tuple(reader.fences.declared)
        front = msgspec.structs.replace(front, variables=variables)
    return node.Scene(
        file=file,
        text=text,
        front=front,
        title=reader.title or front.title,
        block=block,
        findings=notes.all(),
    )


_RULE = re.compile(r"([-*_])[ \t]*+(?:\1[ \t]*+){2,}\Z").match
_HEADING = re.compile(r"(#{1,6})(?:[ \t]++(.*))?\Z").match
_CRAMPED = re.compile(r"#{2,6}[^\s#]").match
_SCENE = re.compile(r"scene[ \t]*+[:：][ \t]*+(.*)", re.IGNORECASE).match
_NAMED = re.compile(r"\[([A-Z][A-Z0-9_]+)(?=[\s\]])").match
_INNER = re.compile(r'(?:[^\]"]++|"(?:[^"\\]|\\.)*+")*+\]').match
_CODE = re.compile(r"`{3,}+|~{3,}+").match
_TURNS = re.compile(r"[ \t]*+(?:(\[(?:ELSE|ENDIF)\])|#{1,6}[ \t])").match


class _Reader:
    def __init__(
        self, lines: list[str], front: node.Front, cast: frozenset[str], notes: Notes
    ) -> None:
        self.notes = notes
        self.lines = Lines(lines, notes)
        self.lines.number = front.last
        self.stack = Stack(notes)
        self.paragraph = Paragraph(self.stack, notes, cast)
        self.fences = Fences(self.lines, self.stack)
        self.events = frozenset(front.events)
        self.title = ""
        self._runs: dict[str, int] = {}
        self._open_code: dict[str, int] = {}
        self._turns: list[tuple[int, bool]] | None = None
        self._readers: dict[str, Callable[[str, int, int], bool]] = {
            "#": self._heading,
            "[": self._bracket,
            ":": self._fence,
            ">": self._quote,
            "|": self._row,
            "`": self._code,
            "~": self._code,
            "!": self._image,
            "=": self._underline,
            "_": self._rule,
            **dict.fromkeys("-*+0123456789", self._item),
        }

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
                self._text(raw, at, indent)
            if self.stack.count > MOST:
                self._too_large()
                break
        paragraph.flush()
        self.stack.end_all()
        return tuple(self.stack.top.nodes)

    def _text(self, raw: str, at: int, indent: int) -> None:
        if indent <= self.stack.top.indent:
            self.paragraph.flush()
            self.stack.dedent(indent)
        self.paragraph.add(raw, at, self.lines.number)

    def _line(self, raw: str) -> None:
        """A line without comments."""
        at, indent = _indent(raw)
        reader = self._readers.get(raw[at])
        if reader is None or not reader(raw, at, indent):
            self._text(raw, at, indent)

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
        if remarks and not bare:
            self.stack.dedent(indent)
        for remark in remarks:
            self._ending(remark)

    def _ending(self, remark: Remark) -> None:
        self.stack.emit(node.Ending(remark.line, remark.column, remark.line, remark.id))

    # What lines begin with.

    def _heading(self, raw: str, at: int, indent: int) -> bool:  # noqa: ARG002
        found = _HEADING(raw, at)
        number = self.lines.number
        if found is None:
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
            self.title = name

    def _label(self, name: str, kind: node.LabelKind, at: int, begin: int) -> None:
        number = self.lines.number
        self.stack.emit(node.Label(number, at + 1, number, name, kind, begin))

    def _item(self, raw: str, at: int, indent: int) -> bool:
        if self._rule(raw, at, indent):
            return True
        found = ITEM(raw, at)
        if found is None:
            return raw.startswith("--", at) and self._underline(raw, at, indent)
        self.paragraph.flush()
        place = (self.lines.number, at + 1, indent)
        add_item(self.stack, raw, found.end(), *place)
        return True

    def _rule(self, raw: str, at: int, indent: int) -> bool:
        if _RULE(raw, at) is None:
            return False
        if raw[at] == "-" and self._underline(raw, at, indent):
            return True
        self.paragraph.flush()
        return True

    def _underline(self, raw: str, at: int, indent: int) -> bool:  # noqa: ARG002
        """A line of `---` or `===` right under text, which Markdown takes as a heading."""
        if not self.paragraph.pieces or raw[at:].strip(raw[at]):
            return False
        message = "an underlined heading is read as text"
        hint = "write ## before it, or a blank line between"
        place = (self.lines.number, at + 1)
        self.notes.warning("MARKDOWN_UNSUPPORTED", message, *place, hint)
        self.paragraph.flush()
        return True

    def _fence(self, raw: str, at: int, indent: int) -> bool:
        if not raw.startswith(":::", at):
            return False
        self.paragraph.flush()
        self.fences.take(raw, at, indent)
        return True

    def _quote(self, raw: str, at: int, indent: int) -> bool:
        hint = "write plain text"
        self._run("a block quote is shown as text", ">", at, hint)
        begin = at
        while begin < len(raw) and raw[begin] in "> \t":
            begin += 1
        if begin < len(raw):
            self._text(raw, begin, indent)
        else:
            self.paragraph.flush()
        return True

    def _row(self, raw: str, at: int, indent: int) -> bool:
        if raw.count("|", at) < 2:
            return False
        self._run("a table is shown as text", "|", at, "write plain text or a list")
        self._text(raw, at, indent)
        return True

    def _run(self, message: str, mark: str, at: int, hint: str) -> None:
        """Warn once for lines of one kind that stand together."""
        number = self.lines.number
        if self._runs.get(mark) != number - 1:
            self.notes.warning("MARKDOWN_UNSUPPORTED", message, number, at + 1, hint)
        self._runs[mark] = number

    def _code(self, raw: str, at: int, indent: int) -> bool:  # noqa: ARG002
        found = _CODE(raw, at)
        if found is None:
            return False
        self.paragraph.flush()
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

    def _image(self, raw: str, at: int, indent: int) -> bool:  # noqa: ARG002
        link = raw.startswith("[", at + 1) and link_at(
            raw, at + 1, self.lines.number, at + 2, self.notes
        )
        if not link or link.end < len(raw):
            return False
        self.paragraph.flush()
        message = "a picture is not shown this way"
        hint = "write [SHOW_IMAGE file=…] with its logical name"
        place = (self.lines.number, at + 1)
        self.notes.warning("MARKDOWN_UNSUPPORTED", message, *place, hint)
        return True

    # Brackets.

    def _bracket(self, raw: str, at: int, indent: int) -> bool:
        jump = self._jump(raw, at)
        if not jump and not self._command_at(raw, at):
            return False
        self.paragraph.flush()
        self.stack.dedent(indent)
        while not jump and at < len(raw):
            name = self._command_at(raw, at)
            if not name:
                self.paragraph.add(raw, at, self.lines.number)
                break
            at = _skip(raw, self._command(name, raw, at))
            jump = self._jump(raw, at)
        if jump:
            self.paragraph.flush()
            self.stack.emit(jump)
        return True

    def _jump(self, raw: str, at: int) -> node.Jump | None:
        """The link that the rest of the line is."""
        if raw[-1] != ")" or not raw.startswith("[", at):
            return None
        number = self.lines.number
        link = link_at(raw, at, number, at + 1, self.notes)
        if link is None or link.end < len(raw):
            return None
        return node.Jump(number, at + 1, number, link.target, link.call)

    def _command_at(self, raw: str, at: int) -> str:
        found = _NAMED(raw, at)
        if found is None or sum(letter.isalpha() for letter in found[1]) < 2:
            return ""
        end = raw.find("]", found.end())
        return "" if raw.startswith("](", end) else found[1]

    def _command(self, name: str, raw: str, at: int) -> int:
        """Read one command; how many letters of the line stand before its end."""
        number, begin = self.lines.number, at + 1 + len(name)
        before = self.stack.count
        found = _INNER(raw, begin)
        end = found.end() if found else raw.find("]", begin) + 1
        if not end:
            message, hint = f"{name} is not closed", "add ]"
            self.notes.error("PARAMETER_MALFORMED", message, number, at + 1, hint)
            end = len(raw) + 1
        command = COMMANDS.get(name) or Command(name, "")
        inner = raw[begin : end - 1]
        bracket = Bracket(command, inner, number, at + 1, begin + 1, self.notes)
        if name in self.events:
            self.stack.emit(event(bracket))
        elif name not in COMMANDS:
            self._unknown(name, at)
        elif name in _HOLDING:
            _HOLDING[name](self, bracket)
        else:
            self.stack.emit(*nodes_of(bracket))
        if self.stack.count == before:
            self.stack.count += 1
        return end

    def _unknown(self, name: str, at: int) -> None:
        hint = "" if self.notes.full else did_you_mean(name, (*COMMANDS, *self.events))
        hint = hint or "write \\[ for a bracket in the text, or declare it in events:"
        message = f"there is no command {quoted(name)}"
        number = self.lines.number
        self.notes.error("COMMAND_UNKNOWN", message, number, at + 1, hint)

    def _say(self, bracket: Bracket) -> None:
        given = given_in(bracket) or {}
        self.notes.old("SAY", bracket.line, bracket.column)
        speaker = given["speaker"].value if "speaker" in given else ""
        self.paragraph.say(speaker, bracket.line, bracket.column)

    def _if(self, bracket: Bracket) -> None:
        self.notes.old("IF", bracket.line, bracket.column)
        read = condition(bracket)
        place = (bracket.line, bracket.column)
        asked = read[0] if read else parse_expression("false", *place)
        frame = Cases("[IF]", *place, asked, "IF")
        if not self._turns_later():
            frame.brief, frame.indent = True, self.stack.top.indent
        self.stack.push(frame)

    def _else(self, bracket: Bracket) -> None:
        top = self.stack.find_if() and self.stack.top
        if isinstance(top, Cases) and top.when is not None:
            top.turn(None, bracket.line, bracket.column)
            return
        self._unopened("[ELSE]", bracket)

    def _end_if(self, bracket: Bracket) -> None:
        if not self.stack.end_if(bracket.line):
            self._unopened("[ENDIF]", bracket)

    def _unopened(self, what: str, bracket: Bracket) -> None:
        message = f"this {what} belongs to no [IF]"
        hint = "open it with [IF …] before this"
        place = (bracket.line, bracket.column)
        self.notes.error("BLOCK_UNOPENED", message, *place, hint)

    def _turns_later(self) -> bool:
        """Whether an [ELSE] or [ENDIF] follows before the next heading."""
        if self._turns is None:
            found = (
                (n, turn)
                for n, each in enumerate(self.lines.all)
                if (turn := _TURNS(each))
            )
            self._turns = [(n, bool(turn[1])) for n, turn in found]
            self._turns.reverse()
        while self._turns and self._turns[-1][0] < self.lines.number:
            self._turns.pop()
        return bool(self._turns) and self._turns[-1][1]

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


_HOLDING: dict[str, Callable[[_Reader, Bracket], None]] = {
    "SAY": _Reader._say,
    "IF": _Reader._if,
    "ELSE": _Reader._else,
    "ENDIF": _Reader._end_if,
}
"""Commands that hold what follows them."""


def _indent(raw: str) -> tuple[int, int]:
    """How many blanks a line begins with, and how wide they are; a tab goes to 4."""
    bare = raw.lstrip(" \t")
    at = len(raw) - len(bare)
    blanks = raw[:at]
    return at, len(blanks.expandtabs(4)) if "\t" in blanks else at


def _skip(raw: str, at: int) -> int:
    while at < len(raw) and raw[at] in " \t":
        at += 1
    return at


def _unmarked(heading: str) -> str:
    """The heading without `#` behind it."""
    bare = heading.rstrip()
    name = bare.rstrip("#")
    if name == bare or (name and name[-1] not in " \t"):
        return bare
    return name.rstrip()
