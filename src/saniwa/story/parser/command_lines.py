"""Read lines that begin with `[`: one or more commands, or a link on its own."""

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache

from saniwa.core.suggestions import find_nearest
from saniwa.story import elements
from saniwa.story.expression_parser import parse_expression
from saniwa.story.finding_collector import TextReplacement
from saniwa.story.link_parser import parse_whole_link, warn_unbalanced_link
from saniwa.story.parser.block_stack import OpenWhen
from saniwa.story.parser.command_elements import build_elements, build_event, parse_condition
from saniwa.story.parser.commands import (
    COMMANDS,
    BracketCommand,
    CommandDefinition,
    parse_arguments,
)
from saniwa.story.parser.paragraphs import ParagraphReader
from saniwa.story.parser.source_lines import SourceLines, skip_blanks, warn_wide_line

# At least two capitals, so that `[A]` and `[X1]` stay text.
_NAMED = re.compile(r"\[([A-Z][0-9_]*+[A-Z][A-Z0-9_]*+)(?=[\s\]])").match
_CASED = re.compile(r"\[([A-Za-z_]{2,40}+)((?:[ \t][^\[\]]*+)?)\]").match
_INNER = re.compile(r'(?:[^\]"]++|"(?:[^"\\]|\\.)*+")*+\]').match
_MARK = re.compile(r'["\\\]]')
_TURNS = re.compile(r"[ \t]*+(?:(\[(?:ELSE|ENDIF)\])|#{1,6}[ \t])").match


class _CommandEnds:
    """Where commands of a line end, for any beginning: as `_INNER` would find it."""

    def __init__(self, raw: str) -> None:
        self._marks = [found.start() for found in _MARK.finditer(raw)]
        count = len(self._marks)
        self._outside, self._inside = [0] * (count + 2), [0] * (count + 2)
        for nth in reversed(range(count)):
            at = self._marks[nth]
            # The character after a backslash is not a mark.
            after = nth + 1
            after += after < count and self._marks[after] == at + 1
            match raw[at]:
                case "]":
                    pair = (at + 1, self._inside[nth + 1])
                case '"':
                    pair = (self._inside[nth + 1], self._outside[nth + 1])
                case _:
                    pair = (self._outside[nth + 1], self._inside[after])
            self._outside[nth], self._inside[nth] = pair

    def find_after(self, begin: int) -> int:
        """Return the end of a command that begins there; 0 if it is not closed."""
        return self._outside[bisect_left(self._marks, begin)]


_find_ends = lru_cache(maxsize=4)(_CommandEnds)


class CommandReader:
    """Reads lines of commands, the host's own too."""

    def __init__(self, lines: SourceLines, paragraph: ParagraphReader) -> None:
        self.lines, self.paragraph = lines, paragraph
        self.stack, self.notes = paragraph.stack, paragraph.notes
        self._turns: list[tuple[int, bool]] | None = None
        self._unclosed = ""

    def read_line(self, raw: str, at: int, indent: int) -> bool:
        """Read the line; False if it neither begins with a command nor is a link."""
        jump = self._parse_jump(raw, at)
        name = "" if jump else self._find_command(raw, at)
        if not jump and not name:
            self._warn_nearly(raw, at)
            return False
        self.paragraph.flush()
        self.stack.dedent(indent, self.lines.number)
        while name:
            at = skip_blanks(raw, self._read_command(name, raw, at))
            if at >= len(raw):
                return True
            jump = self._parse_jump(raw, at)
            name = "" if jump else self._find_command(raw, at)
        if not jump and at < len(raw):
            self.paragraph.add_line(raw, at, self.lines.number)
        if jump:
            self.paragraph.flush()
            self.stack.emit(jump)
        return True

    def _parse_jump(self, raw: str, at: int) -> elements.JumpElement | None:
        """Parse the link that is the rest of the line."""
        if raw[-1] != ")" or not raw.startswith("[", at):
            return None
        number = self.lines.number
        link = parse_whole_link(raw, at, number, at + 1, self.notes)
        if link is None:
            return None
        return elements.JumpElement(number, at + 1, number, link.target, link.call)

    def _warn_nearly(self, raw: str, at: int) -> None:
        """Warn if the line looks like a command or a link, but is text."""
        number = self.lines.number
        if warn_wide_line(raw, at, number, self.notes):
            return
        if warn_unbalanced_link(raw, at, number, at + 1, self.notes):
            return
        found = _CASED(raw, at)
        if found is None or found.end() < len(raw):
            return
        name = found[1].upper()
        if name != found[1] and (name in COMMANDS or name in self.stack.events):
            fix = TextReplacement(at + 2, len(name), name)
            shown = {"written": found[0], "name": name, "rest": found[2]}
            self.lines.add("COMMAND_CASE", at + 1, fix=fix, **shown)

    def _find_command(self, raw: str, at: int) -> str:
        found = _NAMED(raw, at)
        if found is None:
            return ""
        end = raw.find("]", found.end())
        return "" if raw.startswith("](", end) else found[1]

    def _read_command(self, name: str, raw: str, at: int) -> int:
        """Read one command; return the offset of its end."""
        number, begin = self.lines.number, at + 1 + len(name)
        before = self.stack.count
        end = self._find_end(raw, begin) or raw.find("]", begin) + 1
        if not end:
            wide = next((sign for sign in "］】" if raw.find(sign, begin) >= 0), "")
            key = f"PARAMETER_MALFORMED/{'unclosed_wide' if wide else 'unclosed'}"
            self.lines.add(key, at + 1, name=name, wide=wide)
            end = raw.find(wide, begin) + 1 if wide else len(raw) + 1
        command = COMMANDS.get(name) or CommandDefinition("", name)
        inner = raw[begin : end - 1]
        bracket = BracketCommand(command, inner, number, at + 1, begin + 1, self.notes)
        if name in self.stack.events:
            self.stack.emit(build_event(bracket))
        elif name not in COMMANDS:
            self._report_unknown(name, at)
        elif name in _BLOCK_COMMANDS:
            _BLOCK_COMMANDS[name](self, bracket)
        else:
            self.stack.emit(*build_elements(bracket))
        if self.stack.count == before:
            self.stack.count += 1
        return end

    def _find_end(self, raw: str, begin: int) -> int:
        """Return the offset of a command's end; 0 if it is not closed."""
        if self._unclosed != raw:
            found = _INNER(raw, begin)
            if found:
                return found.end()
            # From here on the whole line is scanned, once for all its commands.
            self._unclosed = raw
        return _find_ends(raw).find_after(begin)

    def _report_unknown(self, name: str, at: int) -> None:
        near = "" if self.notes.is_full else find_nearest(name, (*COMMANDS, *self.stack.events))
        fix = TextReplacement(at + 2, len(name), near) if near else None
        self.lines.add("COMMAND_UNKNOWN", at + 1, fix=fix, near=near, name=name)

    def _begin_say(self, bracket: BracketCommand) -> None:
        given = parse_arguments(bracket) or {}
        bracket.count_old_notation()
        speaker = given["speaker"].value if "speaker" in given else ""
        self.paragraph.begin_say(speaker, bracket.line, bracket.column)

    def _open_if(self, bracket: BracketCommand) -> None:
        bracket.count_old_notation()
        given, place = parse_arguments(bracket), (bracket.line, bracket.column)
        asked = None if given is None else parse_condition(bracket, given)
        asked = asked or parse_expression("false", *place)
        frame = OpenWhen("[IF]", *place, asked, "IF")
        if not self._has_later_turn():
            frame.brief, frame.indent = True, self.stack.top.indent
        self.stack.push(frame)

    def _open_else(self, bracket: BracketCommand) -> None:
        top = self.stack.close_to_if() and self.stack.top
        if isinstance(top, OpenWhen) and top.when is not None:
            top.start_case(None, bracket.line, bracket.column)
            return
        self._report_unopened("[ELSE]", bracket)

    def _close_if(self, bracket: BracketCommand) -> None:
        if not self.stack.close_if(bracket.line):
            self._report_unopened("[ENDIF]", bracket)

    def _report_unopened(self, what: str, bracket: BracketCommand) -> None:
        bracket.add("BLOCK_UNOPENED/if", bracket.column, what=what)

    def _has_later_turn(self) -> bool:
        """Whether an [ELSE] or [ENDIF] follows before the next heading."""
        if self._turns is None:
            found = ((n, turn) for n, each in enumerate(self.lines.all) if (turn := _TURNS(each)))
            self._turns = [(n, bool(turn[1])) for n, turn in found]
            self._turns.reverse()
        while self._turns and self._turns[-1][0] < self.lines.number:
            self._turns.pop()
        return bool(self._turns) and self._turns[-1][1]


_BLOCK_COMMANDS: dict[str, Callable[[CommandReader, BracketCommand], None]] = {
    "SAY": CommandReader._begin_say,
    "IF": CommandReader._open_if,
    "ELSE": CommandReader._open_else,
    "ENDIF": CommandReader._close_if,
}
"""Commands that apply to what follows them."""
